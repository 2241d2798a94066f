/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_kinds.c - kinds of faults on lists of instructions that no small image has
 *
 * A site is made of bytes alone; every machine instruction has three bytes.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "corpus/plant/plant.h"
#include "tests/cfa_bytes.h"

static unsigned int made_up_bytes(const struct plant_image *image, uint64_t vaddr)
{
	return vaddr < 0x2000 ? 3 : 0;
}

static uint64_t made_up_previous(const struct plant_image *image, uint64_t start, uint64_t vaddr)
{
	return vaddr > start + 3 ? vaddr - 3 : 0;
}
#define plant_instruction_bytes	   made_up_bytes
#define plant_previous_instruction made_up_previous
#include "corpus/plant/plant_kinds.c"

static const struct site_case {
	const char *name, *kind;
	size_t row;
	const uint8_t *bytes;
	size_t size;
	const uint8_t *planted; /* NULL: refused */
	size_t planted_size;
	const char *refused;
} sites[] = {
	{ "an_offset_of_7", "cfa-offset-low", 0, CFI_SIZED(CFA_def_cfa_offset(7)), NULL, 0,
	  "the offset would be negative" },
	{ "an_offset_of_8", "cfa-offset-low", 0, CFI_SIZED(CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_def_cfa_offset(0)), NULL },
	{ "an_offset_of_0", "cfa-offset-high", 0, CFI_SIZED(CFA_def_cfa_offset(0)),
	  CFI_SIZED(CFA_def_cfa_offset(8)), NULL },
	{ "a_cfa_with_its_register", "cfa-offset-high", 0, CFI_SIZED(CFA_def_cfa(RBP, 16)),
	  CFI_SIZED(CFA_def_cfa(RBP, 24)), NULL },
	{ "the_first_of_the_row", "cfa-offset-high", 1,
	  CFI_SIZED(CFA_def_cfa_offset(8), CFA_advance_loc(1), CFA_offset(RBX, 2),
		    CFA_def_cfa_offset(16), CFA_def_cfa_offset(24)),
	  CFI_SIZED(CFA_def_cfa_offset(8), CFA_advance_loc(1), CFA_offset(RBX, 2),
		    CFA_def_cfa_offset(24), CFA_def_cfa_offset(24)),
	  NULL },
	{ "not_the_next_row_s", "cfa-offset-high", 0,
	  CFI_SIZED(CFA_offset(RBX, 2), CFA_advance_loc(1), CFA_def_cfa_offset(16)), NULL, 0,
	  "row 0 has no instruction for it" },
	{ "no_register_is_left", "save-register", 0,
	  CFI_SIZED(CFA_offset(RBX, 2), CFA_offset(RBP, 3), CFA_offset(12, 4), CFA_offset(13, 5),
		    CFA_offset(14, 6), CFA_offset(15, 7)),
	  NULL, 0, "every callee-saved register is saved" },
	{ "the_last_register_is_left", "save-register", 1,
	  CFI_SIZED(CFA_offset(RBP, 3), CFA_offset(12, 4), CFA_offset(13, 5), CFA_offset(14, 6),
		    CFA_advance_loc(1), CFA_offset(RBX, 2)),
	  CFI_SIZED(CFA_offset(RBP, 3), CFA_offset(12, 4), CFA_offset(13, 5), CFA_offset(14, 6),
		    CFA_advance_loc(1), CFA_offset(15, 2)),
	  NULL },
	{ "the_first_register_is_left", "save-register", 0, CFI_SIZED(CFA_offset(RBP, 3)),
	  CFI_SIZED(CFA_offset(RBX, 3)), NULL },
	{ "a_restored_register_is_not_saved", "save-register", 0,
	  CFI_SIZED(CFA_offset(RBP, 3), CFA_restore(RBX)),
	  CFI_SIZED(CFA_offset(RBX, 3), CFA_restore(RBX)), NULL },
	{ "late_by_an_instruction", "row-late", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(6),
		    CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_advance_loc(6), CFA_def_cfa_offset(16), CFA_advance_loc(3),
		    CFA_def_cfa_offset(8)),
	  NULL },
	{ "late_to_the_next_row", "row-late", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(3),
		    CFA_def_cfa_offset(8)),
	  NULL, 0, "the next row begins there" },
	{ "late_over_the_next_row", "row-late", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(2),
		    CFA_def_cfa_offset(8)),
	  NULL, 0, "the next row begins there" },
	{ "all_late", "rows-late", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(3),
		    CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_advance_loc(6), CFA_def_cfa_offset(16), CFA_advance_loc(3),
		    CFA_def_cfa_offset(8)),
	  NULL },
	/* The function is of 32 bytes. */
	{ "late_before_the_end", "row-late", 1, CFI_SIZED(CFA_advance_loc(28), CFA_restore(RBX)),
	  CFI_SIZED(CFA_advance_loc(31), CFA_restore(RBX)), NULL },
	{ "late_at_the_end", "row-late", 1, CFI_SIZED(CFA_advance_loc(29), CFA_restore(RBX)), NULL,
	  0, "no instruction follows that one in the function" },
	{ "late_behind_the_end", "row-late", 1, CFI_SIZED(CFA_advance_loc(30), CFA_restore(RBX)),
	  NULL, 0, "no instruction follows that one in the function" },
	{ "early_by_an_instruction", "row-early", 1,
	  CFI_SIZED(CFA_advance_loc(6), CFA_def_cfa_offset(16), CFA_advance_loc(6),
		    CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(9),
		    CFA_def_cfa_offset(8)),
	  NULL },
	{ "early_to_the_row_before", "row-early", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16)), NULL, 0,
	  "no instruction of the function precedes row 1" },
	{ "the_second_row_missing", "row-missing", 1,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(6),
		    CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_advance_loc(9), CFA_def_cfa_offset(8), CFA_nop, CFA_nop, CFA_nop), NULL },
	{ "the_last_row_missing", "row-missing", 2,
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_advance_loc(6),
		    CFA_def_cfa_offset(8)),
	  CFI_SIZED(CFA_advance_loc(3), CFA_def_cfa_offset(16), CFA_nop, CFA_nop, CFA_nop), NULL },
};

static void make_site(struct plant_site *ret, struct cfi_fde *fde, struct cfi_cie *cie,
		      const uint8_t *bytes, size_t size)
{
	struct error error;

	*fde = (struct cfi_fde) { .pc_begin = 0x1000, .pc_range = 32 };
	*cie = (struct cfi_cie) { .code_alignment = 1, .data_alignment = -8 };
	*ret = (struct plant_site) { .fde = fde, .cie = cie };
	ck_assert_int_eq(plant_program_read(&ret->program, bytes, size, &error), 0);
}

static int plant_in(struct plant_site *site, const char *name, struct error *error)
{
	const struct plant_kind *kind = plant_kind_find(name);

	site->by = kind->by;
	return kind->plant(site, error);
}

START_TEST(a_list_of_instructions)
{
	const struct site_case *test = &sites[_i];
	struct plant_site site;
	struct cfi_fde fde;
	struct cfi_cie cie;
	struct error error = { 0 };
	uint8_t written[64];
	int status;

	make_site(&site, &fde, &cie, test->bytes, test->size);
	site.row = test->row;
	status = plant_in(&site, test->kind, &error);
	ck_assert_msg(status == (test->planted ? 0 : -1), "%s: %s", test->name, error.message);
	if (status) {
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_msg(!strcmp(error.message, test->refused), "%s: %s", test->name,
			      error.message);
	} else {
		ck_assert(!plant_program_write(&site.program, written, test->planted_size, &error));
		ck_assert_msg(!memcmp(written, test->planted, test->planted_size), "%s",
			      test->name);
	}
	plant_program_deinit(&site.program);
}
END_TEST

/* Where rows are counted in units of two bytes, they are not moved; nor where nothing is known. */
START_TEST(sites_that_are_refused)
{
	static const uint8_t bytes[] = { CFA_advance_loc(6), CFA_def_cfa_offset(16) };
	static const char *const moved[] = { "row-missing", "row-late", "row-early", "rows-late" };
	struct plant_site site;
	struct cfi_fde fde;
	struct cfi_cie cie;
	struct error error;

	for (int i = 0; i < COUNT(moved); i++) {
		make_site(&site, &fde, &cie, bytes, sizeof(bytes));
		site.row = 1;
		cie.code_alignment = 2;
		ck_assert_int_eq(plant_in(&site, moved[i], &error), -1);
		ck_assert_str_eq(error.message, "the CIE's code alignment is not 1");
		plant_program_deinit(&site.program);
	}
	make_site(&site, &fde, &cie, bytes, sizeof(bytes));
	site.row = 1;
	fde.pc_begin = 0x2000;
	ck_assert_int_eq(plant_in(&site, "row-late", &error), -1);
	ck_assert_str_eq(error.message, "no instruction follows that one in the function");
	plant_program_deinit(&site.program);
}
END_TEST

/* ---- constants of expressions ---------------------------------------------------------------- */

/* Places of the constants that can be changed in place. */
static const struct constant_case {
	const char *name;
	uint8_t block[12];
	size_t size;
	const char *literals, *offsets;
} constants[] = {
	{ "nothing", { 0 }, 0, "", "" },
	{ "the_lowest_literal", { 0x30 }, 1, "0", "" },
	{ "the_highest_but_one", { 0x4e }, 1, "0", "" },
	{ "the_highest_has_no_next", { 0x4f, 0x30 }, 2, "1", "" },
	{ "below_literals", { 0x2f, 0x30 }, 2, "", "" },
	{ "the_lowest_register", { 0x70, 8, 0x30 }, 3, "2", "1" },
	{ "the_highest_register", { 0x8f, 8, 0x30 }, 3, "2", "1" },
	{ "above_registers", { 0x90, 8, 0x30 }, 3, "", "" },
	{ "an_offset_added", { 0x23, 8, 0x30 }, 3, "2", "1" },
	{ "a_negative_offset", { 0x76, 0x78, 0x30 }, 3, "2", "1" },
	{ "an_offset_of_two_bytes", { 0x76, 0x88, 1, 0x30 }, 4, "", "" },
	{ "an_offset_that_is_cut_off", { 0x30, 0x76 }, 2, "0", "" },
	{ "deref", { 0x06, 0x30 }, 2, "1", "" },
	{ "below_deref", { 0x05, 0x30 }, 2, "", "" },
	{ "above_deref", { 0x07, 0x30 }, 2, "", "" },
	{ "below_dup", { 0x11, 0x30 }, 2, "", "" },
	{ "dup_and_drop", { 0x12, 0x13, 0x30 }, 3, "2", "" },
	{ "over", { 0x14, 0x30 }, 2, "", "" },
	{ "below_abs", { 0x18, 0x30 }, 2, "", "" },
	{ "abs_to_xor",
	  { 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x20, 0x22, 0x24, 0x27, 0x30 },
	  11,
	  "10",
	  "" },
	{ "bra", { 0x28, 0x30 }, 2, "", "" },
	{ "eq_to_ne", { 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x30 }, 7, "6", "" },
	{ "the_plt_s",
	  { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 },
	  11,
	  "4 6 8",
	  "1 3" },
};

START_TEST(constants_of_expressions)
{
	const struct constant_case *test = &constants[_i];

	for (int literal = 0; literal < 2; literal++)
		for (size_t capacity = 0; capacity <= 8; capacity++) {
			/* With a byte behind that is a literal, too. */
			uint8_t block[13];
			const struct cfi_instruction op = { .block = block,
							    .block_bytes = test->size };
			const uint8_t *found[9] = { NULL };
			const char *wanted = literal ? test->literals : test->offsets;
			size_t count;

			memcpy(block, test->block, sizeof(test->block));
			block[test->size] = 0x30;
			count = find_constants(&op, literal, found, capacity);
			ck_assert_uint_le(count, capacity);
			for (size_t i = 0; i < count; i++) {
				char *end;

				ck_assert_msg(*wanted &&
						      found[i] == block + strtoul(wanted, &end, 10),
					      "%s, %d, %zu", test->name, literal, i);
				wanted = end + (*end == ' ');
			}
			ck_assert_msg(count == capacity || !*wanted, "%s: %s", test->name, wanted);
			ck_assert_ptr_null(found[count]);
		}
}
END_TEST

/* ---- names ------------------------------------------------------------------------------------ */

START_TEST(kinds_by_name)
{
	size_t count = 0;

	for (; plant_kind_at(count); count++)
		ck_assert_ptr_eq(plant_kind_find(plant_kind_at(count)->name), plant_kind_at(count));
	ck_assert_uint_eq(count, COUNT(kinds));
	ck_assert_ptr_null(plant_kind_at(count));
	ck_assert_ptr_null(plant_kind_find(""));
	ck_assert_ptr_null(plant_kind_find("cfa-offset"));
}
END_TEST

SUITE(plant_kinds, TIMEOUT(300), LOOP(a_list_of_instructions, sites), TEST(sites_that_are_refused),
      LOOP(constants_of_expressions, constants), TEST(kinds_by_name))
