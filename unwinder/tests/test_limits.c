/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_limits.c - what is at a limit is read, what is beyond it is named
 *
 * The limits are docs/CFI_READING.md's, "What it costs". That they hold the costs down is
 * test_hostile.c's and test_hostile_commands.c's.
 */
#include <elf.h>
#include <stdlib.h>
#include "suite.h"
#include "cfa_bytes.h"
#include "cfi_bytes.h"
#include "cfi/cfi_section.h"
#include "table/unwind_table.h"

static int accept_row(void *context, const struct row *row)
{
	++*(int *)context;
	return 0;
}

static struct cfi *read_cfi(struct image *image, const struct bytes *bytes)
{
	*image = fake_image(bytes);
	struct cfi *cfi = cfi_of(image);
	return cfi;
}

static const struct {
	const char *name;
	size_t bytes;
	bool good;
} at_limit[] = { { "at_the_limit", 0, true }, { "one_byte_beyond", 1, false } };

START_TEST(cie_of_many_instructions)
{
	static const char nops[CIE_INSTRUCTION_BYTES_MAX + 1];
	struct literal program = { nops, CIE_INSTRUCTION_BYTES_MAX + at_limit[_i].bytes };
	struct bytes bytes = { .size = 0 };
	struct image image;

	put_fde(&bytes, put_cie(&bytes, 0, program), TEST_PC, 16,
		(struct literal)CFI(CFA_def_cfa_offset(16)));
	struct cfi *cfi = read_cfi(&image, &bytes);
	ck_assert_uint_eq(cfi->fde_count, at_limit[_i].good);
	ck_assert(at_limit[_i].good == !cfi->diagnostics.count);
	if (!at_limit[_i].good)
		ck_assert_int_eq(cfi->diagnostics.error[0].code, ERROR_CFI_LENGTH);
	cfi_destroy(cfi);
}
END_TEST

/* Zig's linker fills the room that it keeps with such: before, between and behind those that are used. */
START_TEST(cie_that_no_fde_names)
{
	static const char nops[CIE_INSTRUCTION_BYTES_MAX + 1];
	struct literal program = { nops, sizeof(nops) };
	struct bytes bytes = { .size = 0 };
	struct image image;

	put_cie(&bytes, 0, program);
	size_t used = put_cie(&bytes, 0, (struct literal)CFI(CFA_USUAL));
	put_cie(&bytes, 0, program);
	size_t bad = put_cie(&bytes, 0, program);
	put_fde(&bytes, bad, TEST_PC, 16, (struct literal)CFI(CFA_def_cfa_offset(16)));
	put_fde(&bytes, used, TEST_PC + 16, 16, (struct literal)CFI(CFA_def_cfa_offset(16)));
	put_cie(&bytes, 0, program);
	struct cfi *cfi = read_cfi(&image, &bytes);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_uint_eq(cfi->diagnostics.count, 2);
	ck_assert_int_eq(cfi->diagnostics.error[0].code, ERROR_CFI_LENGTH);
	ck_assert_int_eq(cfi->diagnostics.error[1].code, ERROR_CIE_POINTER);
	cfi_destroy(cfi);
}
END_TEST

/* As strictly as an unwinder, it is an error with its place; to a dump it is an expression like
 * others. */
START_TEST(long_expression)
{
	const size_t size = EXPRESSION_BYTES_MAX + at_limit[_i].bytes;
	uint8_t program[EXPRESSION_BYTES_MAX + 8] = { CFA_advance_loc(1), CFA_DEF_CFA_EXPRESSION,
						      ULEB2(256), DW_OP_breg7, 8 };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct error error;
	int rows = 0;

	program[2] = (uint8_t)(0x80 | (size & 0x7f));
	memset(program + 6, DW_OP_nop, size - 2);
	put_fde(&bytes, put_cie(&bytes, 0, (struct literal)CFI(CFA_USUAL)), TEST_PC, 16,
		(struct literal) { (const char *)program, 4 + size });
	struct cfi *cfi = read_cfi(&image, &bytes);
	int result = cfi_rows(cfi, &cfi->fde[0], accept_row, &rows, &error);
	ck_assert_int_eq(result, at_limit[_i].good ? 0 : -1);
	ck_assert_int_eq(rows, at_limit[_i].good ? 2 : 1);
	if (!at_limit[_i].good)
		ck_assert_int_eq(error.code, ERROR_EXPRESSION);
	ck_assert_uint_eq(cfi_row_count(cfi), 2);
	cfi_destroy(cfi);
}
END_TEST

START_TEST(many_program_headers)
{
	const size_t count = 1170 + at_limit[_i].bytes, size = sizeof(Elf64_Ehdr) + count * 56;
	uint8_t *file = calloc(1, size);
	const Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				    .e_type = ET_DYN,
				    .e_machine = EM_X86_64,
				    .e_version = 1,
				    .e_phoff = sizeof(header),
				    .e_ehsize = sizeof(header),
				    .e_phentsize = 56,
				    .e_phnum = (uint16_t)count };
	struct image *image = NULL;
	struct error error;

	memcpy(file, &header, sizeof(header));
	int result = image_create_memory(file, size, "many", &image, &error);
	ck_assert_int_eq(result, at_limit[_i].good ? 0 : -1);
	if (!at_limit[_i].good)
		ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	image_destroy(image);
	free(file);
}
END_TEST

/* One FDE around thousands of others: its instructions are not executed behind each of them for
 * ever. What the table then lacks is marked, and proven to be no more than that. */
START_TEST(fde_around_many)
{
	enum { INNER = 3000, ROWS = 20000 };
	struct image_segment segment = { TEST_PC, 1 << 20, 0, 1 << 20, true };
	size_t size = 0;
	uint8_t *section = calloc(1, 64 * INNER + 4 * ROWS + 256);
	struct bytes part = { .size = 0 };
	struct table_proof proof;
	struct table *table;
	struct error error;

	size_t cie = put_cie(&part, 0, (struct literal)CFI(CFA_USUAL));
	put_fde(&part, cie, TEST_PC, 1 << 20, (struct literal)BYTES(""));
	memcpy(section, part.data, part.size);
	uint32_t length = (uint32_t)(part.size - 25 - cie);
	size_t outer = part.size - 25;
	for (size = part.size; size < part.size + 3 * ROWS; size += 3)
		memcpy(section + size,
		       CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(size % 2 ? 16 : 24)));
	length = (uint32_t)(size - outer - 4);
	memcpy(section + outer, &length, 4);
	for (uint64_t i = 0; i < INNER; i++) {
		struct bytes one = { .size = 0 };
		put_fde(&one, 0, TEST_PC + ROWS + 64 + 64 * i, 8, (struct literal)BYTES(""));
		uint32_t pointer = (uint32_t)(size + 4 - cie);
		memcpy(one.data + 4, &pointer, 4);
		memcpy(section + size, one.data, one.size);
		size += one.size;
	}
	struct image image = { .path = "around",
			       .machine = EM_X86_64,
			       .segment = &segment,
			       .segment_count = 1,
			       .eh_frame = { section, size, TEST_SECTION_VADDR, 0, ".eh_frame" } };
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->by_pc_count, INNER + 1);
	ck_assert_int_eq(table_create(&image, cfi, &table, &error), 0);
	ck_assert_uint_eq(table_find(table, TEST_PC + ROWS + 64 + 64 * (INNER - 1) + 8),
			  TABLE_MALFORMED);
	ck_assert_uint_ge(table_find(table, TEST_PC + ROWS + 64 + 8), TABLE_MARKER_COUNT);
	ck_assert_int_eq(table_prove(cfi, table, NULL, NULL, &proof, &error), 0);
	ck_assert_uint_eq(proof.silent, 0);
	ck_assert_uint_gt(proof.flagged[TABLE_MALFORMED], INNER / 10);
	table_destroy(table);
	cfi_destroy(cfi);
	free(section);
}
END_TEST

SUITE(limits, TEST(cie_that_no_fde_names), TIMES(cie_of_many_instructions, 2),
      TIMES(long_expression, 2), TIMES(many_program_headers, 2), TEST(fde_around_many))
