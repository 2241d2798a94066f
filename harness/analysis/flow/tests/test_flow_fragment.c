/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_fragment.c - one FDE: its rows, its instructions, and what there is nothing of to follow
 */
#include <string.h>
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_image.h"
#include "analysis/flow/flow_fragment.h"

/* Rows from 0, 1 and 3 on; a byte that is no instruction at 5. */
#define CODE                                                                                       \
	"f: startproc; push rbx; cfa 16; mov eax, ecx; offset rbx, -16; pop rbx; ret; .byte 6; "   \
	"nop; endproc; "

static struct assembled assembled;
static struct code_decoder *decoder;

static void setup(void)
{
	assembled_open(&assembled, CODE);
	decoder = code_decoder_create();
	ck_assert_ptr_nonnull(decoder);
}

static void teardown(void)
{
	code_decoder_destroy(decoder);
	assembled_close(&assembled);
}

/* Of f, with another range or other instructions if need be. */
static struct flow_fragment *part_of(const struct cfi_fde *fde, enum flow_reason expected)
{
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct error error;

	ck_assert_int_eq(flow_fragment_create(assembled.cfi, fde, &fragment, &reason, &error), 0);
	ck_assert_int_eq(reason, expected);
	ck_assert_int_eq(fragment != NULL, expected == FLOW_REASON_COUNT);
	return fragment;
}

static struct cfi_fde fde_of_f(void)
{
	return *cfi_fde_find(assembled.cfi, image_symbol_address(assembled.image, "f"));
}

START_TEST(rows_by_address)
{
	static const unsigned int offsets[] = { 8, 16, 16, 16, 16, 16, 16 };
	const struct cfi_fde fde = fde_of_f();
	struct flow_fragment *fragment = part_of(&fde, FLOW_REASON_COUNT);

	ck_assert_uint_eq(fragment->begin, fde.pc_begin);
	ck_assert_uint_eq(fragment->end, fde.pc_begin + 7);
	ck_assert_ptr_eq(fragment->fde, &fde);
	ck_assert_uint_eq(fragment->bytes[0], 0x53);
	ck_assert_uint_eq(fragment->row_count, 3);
	for (uint64_t i = 0; i < 7; i++) {
		const struct row *row = flow_fragment_row(fragment, fragment->begin + i);

		ck_assert_ptr_eq(row, &fragment->row[i < 1 ? 0 : i < 3 ? 1 : 2]);
		ck_assert_int_eq(row->cfa.offset, offsets[i]);
	}
	ck_assert_ptr_null(flow_fragment_row(fragment, fragment->begin - 1));
	ck_assert_ptr_null(flow_fragment_row(fragment, fragment->end));
	ck_assert(!fragment->malformed && !fragment->silent && !fragment->agreed);
	/* What is kept of each byte is kept apart. */
	memset(fragment->code_at, 1, 7 * sizeof(*fragment->code_at));
	memset(fragment->label_at, 3, 7 * sizeof(*fragment->label_at));
	memset(fragment->block_at, 2, 7 * sizeof(*fragment->block_at));
	for (size_t i = 0; i < 7; i++) {
		ck_assert_uint_eq(fragment->code_at[i], 0x01010101);
		ck_assert_uint_eq(fragment->block_at[i], 0x02020202);
		ck_assert_uint_eq(fragment->label_at[i], 0x03030303);
	}
	/* None between two. */
	fragment->row[1].pc_end--;
	ck_assert_ptr_null(flow_fragment_row(fragment, fragment->begin + 2));
	ck_assert_ptr_eq(flow_fragment_row(fragment, fragment->begin + 1), &fragment->row[1]);
	ck_assert_ptr_eq(flow_fragment_row(fragment, fragment->begin + 3), &fragment->row[2]);
	flow_fragment_destroy(fragment);
	flow_fragment_destroy(NULL);
}
END_TEST

/* In any order, and each once. */
START_TEST(instructions_by_address)
{
	static const unsigned int at[] = { 3, 0, 6, 1, 5, 4, 3, 0 };
	const struct cfi_fde fde = fde_of_f();
	struct flow_fragment *fragment = part_of(&fde, FLOW_REASON_COUNT);
	const struct code *code;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		code = flow_fragment_code(fragment, decoder, fragment->begin + at[i]);
		ck_assert_uint_eq(code->pc, fragment->begin + at[i]);
		ck_assert_uint_eq(fragment->code_at[at[i]], code - fragment->code + 1);
		ck_assert_uint_eq(fragment->code_count, i < 6 ? i + 1 : 6);
		ck_assert_uint_eq(code->length, at[i] == 5 ? 0 : at[i] == 1 ? 2 : 1);
	}
	flow_fragment_destroy(fragment);

	/* One by one; the next byte behind what is none. */
	fragment = part_of(&fde, FLOW_REASON_COUNT);
	code = flow_fragment_code(fragment, decoder, fragment->begin);
	for (int i = 0; i < 2; i++) {
		static const unsigned int next[] = { 1, 3, 4, 5, 6 };

		code = flow_fragment_code(fragment, decoder, fragment->begin);
		for (size_t k = 0; k < sizeof(next) / sizeof(next[0]); k++) {
			ck_assert_uint_eq(flow_fragment_behind(code), fragment->begin + next[k]);
			code = flow_fragment_next(fragment, decoder, code);
			ck_assert_uint_eq(code->pc, fragment->begin + next[k]);
		}
		ck_assert_uint_eq(flow_fragment_behind(code), fragment->end);
		ck_assert_uint_eq(fragment->code_count, 6);
	}
	flow_fragment_destroy(fragment);

	/* What was decoded next is another one. */
	fragment = part_of(&fde, FLOW_REASON_COUNT);
	flow_fragment_code(fragment, decoder, fragment->begin + 4);
	flow_fragment_code(fragment, decoder, fragment->begin);
	flow_fragment_code(fragment, decoder, fragment->begin + 3);
	code = flow_fragment_code(fragment, decoder, fragment->begin);
	ck_assert_uint_eq(flow_fragment_next(fragment, decoder, code)->pc, fragment->begin + 1);
	/* Behind the last that was decoded stands none, whatever memory held. */
	code = flow_fragment_code(fragment, decoder, fragment->begin + 1);
	ck_assert_uint_eq(fragment->code[fragment->code_count].pc, 0);
	fragment->code[fragment->code_count + 1].pc = fragment->begin + 6;
	code = flow_fragment_code(fragment, decoder, fragment->begin + 5);
	ck_assert_uint_eq(code[1].pc, 0);
	ck_assert_uint_eq(flow_fragment_next(fragment, decoder, code)->pc, fragment->begin + 6);
	ck_assert_uint_eq(fragment->code_count, 6);
	flow_fragment_destroy(fragment);
}
END_TEST

/* Those that were not asked for yet, as they follow each other from the fragment's begin. */
START_TEST(all_instructions_at_once)
{
	static const unsigned int order[] = { 0, 1, 3, 4, 5, 6 };
	const struct cfi_fde fde = fde_of_f();
	struct flow_fragment *fragment;

	for (unsigned int first = 0; first < 7; first++) {
		fragment = part_of(&fde, FLOW_REASON_COUNT);
		if (first < 6)
			flow_fragment_code(fragment, decoder, fragment->begin + order[first]);
		for (int times = 0; times < 2; times++) {
			ck_assert(flow_fragment_sweep(fragment, decoder));
			ck_assert_uint_eq(fragment->code_count, 6);
			ck_assert_uint_eq(fragment->code[6].pc, 0);
		}
		for (unsigned int i = 0; i < 6; i++) {
			const uint32_t number = fragment->code_at[order[i]];

			ck_assert_uint_eq(fragment->code[number - 1].pc,
					  fragment->begin + order[i]);
			ck_assert_uint_eq(number - 1, first == 6   ? i
						      : i == first ? 0
						      : i < first  ? i + 1
								   : i);
		}
		ck_assert_uint_eq(fragment->code_at[2], 0);
		flow_fragment_destroy(fragment);
	}
}
END_TEST

/* An instruction ends with the fragment. */
START_TEST(an_instruction_that_is_cut_off)
{
	struct cfi_fde fde = fde_of_f();
	struct flow_fragment *fragment;

	fde.pc_range = 2;
	fragment = part_of(&fde, FLOW_REASON_COUNT);
	ck_assert_uint_eq(flow_fragment_code(fragment, decoder, fragment->begin + 1)->length, 0);
	ck_assert_uint_eq(fragment->end - fragment->begin, 2);
	flow_fragment_destroy(fragment);
	fde.pc_range = 1;
	fragment = part_of(&fde, FLOW_REASON_COUNT);
	ck_assert_uint_eq(flow_fragment_code(fragment, decoder, fragment->begin)->length, 1);
	flow_fragment_destroy(fragment);
}
END_TEST

/* More instructions than the code's bytes make likely. */
START_TEST(instructions_of_a_byte)
{
	struct assembled nops;
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct error error;

	assembled_open_function(&nops, ".skip 1000, 0x90");
	ck_assert_int_eq(
		flow_fragment_create(nops.cfi, &nops.cfi->fde[0], &fragment, &reason, &error), 0);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(flow_fragment_code(fragment, decoder, fragment->begin + i)->pc,
				  fragment->begin + i);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(fragment->code[i].pc, fragment->begin + i);
	ck_assert_uint_eq(fragment->code_count, 1000);
	ck_assert_uint_ge(fragment->code_room, 1000);
	flow_fragment_destroy(fragment);
	ck_assert_int_eq(
		flow_fragment_create(nops.cfi, &nops.cfi->fde[0], &fragment, &reason, &error), 0);
	ck_assert(flow_fragment_sweep(fragment, decoder));
	ck_assert_uint_eq(fragment->code_count, 1000);
	ck_assert_uint_eq(fragment->code[999].pc, fragment->begin + 999);
	flow_fragment_destroy(fragment);
	assembled_close(&nops);
}
END_TEST

/* docs/LIMITS.md */
START_TEST(nothing_to_follow)
{
	struct cfi_fde fde = fde_of_f();

	fde.pc_range = 16777216;
	part_of(&fde, FLOW_UNDECODED);
	fde.pc_range = 16777217;
	part_of(&fde, FLOW_TOO_LARGE);
	fde = fde_of_f();
	fde.pc_begin += 0x1000000;
	part_of(&fde, FLOW_UNDECODED);
}
END_TEST

/* By the CFI's instructions: f's FDE, with others. */
static struct flow_fragment *part_by(const uint8_t *instructions, size_t size)
{
	struct cfi_fde fde = fde_of_f();

	fde.instructions = instructions;
	fde.instruction_bytes = (uint32_t)size;
	return part_of(&fde, FLOW_REASON_COUNT);
}

#define PART_BY(...)                                                                               \
	part_by((const uint8_t[]) { __VA_ARGS__ }, sizeof((const uint8_t[]) { __VA_ARGS__ }))

START_TEST(rows_that_are_missing)
{
	struct flow_fragment *fragment = PART_BY(0x41, 0x3f);

	ck_assert(fragment->malformed);
	ck_assert_int_ne(fragment->why_malformed.code, ERROR_NONE);
	ck_assert_uint_eq(fragment->row_count, 1);
	flow_fragment_destroy(fragment);
}
END_TEST

/* What registers hold is said, not where they are: DW_CFA_val_offset, DW_CFA_val_expression. */
START_TEST(registers_that_were_agreed_on)
{
	struct flow_fragment *fragment = PART_BY(0x14, 0, 2);

	ck_assert_uint_eq(fragment->agreed, 1u << 0);
	flow_fragment_destroy(fragment);
	fragment = PART_BY(0x14, 3, 2, 0x41, 0x16, 15, 1, 0x30, 0x85, 2);
	ck_assert_uint_eq(fragment->agreed, 1u << 3 | 1u << 15);
	flow_fragment_destroy(fragment);
	fragment = PART_BY(0x83, 2, 0x10, 6, 1, 0x30, 0x07, 12, 0x14, 16, 1);
	ck_assert_uint_eq(fragment->agreed, 0);
	flow_fragment_destroy(fragment);
}
END_TEST

START_TEST(a_part_without_rows)
{
	const struct cfi_fde fde = fde_of_f();
	struct flow_fragment *fragment = PART_BY(0x14, 3, 2, 0x41, 0x0e, 16);

	ck_assert(flow_fragment_silence(fragment));
	ck_assert(fragment->silent);
	ck_assert_uint_eq(fragment->agreed, 0);
	ck_assert_uint_eq(fragment->row_count, 1);
	for (uint64_t pc = fragment->begin; pc < fragment->end; pc++)
		ck_assert_ptr_eq(flow_fragment_row(fragment, pc), &fragment->row[0]);
	ck_assert_int_eq(fragment->row[0].cfa.kind, RULE_UNSPECIFIED);
	ck_assert_int_eq(fragment->row[0].reg[3].kind, RULE_UNSPECIFIED);
	flow_fragment_destroy(fragment);
	fragment = part_of(&fde, FLOW_REASON_COUNT);
	ck_assert(!fragment->silent);
	flow_fragment_destroy(fragment);
	/* One whose rows can't be read from the first on. */
	fragment = PART_BY(0x3f);
	fragment->row_count = fragment->row_room = 0;
	free(fragment->row);
	fragment->row = NULL;
	ck_assert(flow_fragment_silence(fragment));
	ck_assert_ptr_eq(flow_fragment_row(fragment, fragment->begin), fragment->row);
	flow_fragment_destroy(fragment);
}
END_TEST

/* A CIE that says nothing; of the second FDE a row does. */
START_TEST(rows_that_say_nothing)
{
	struct assembled silent;
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct error error;

	assembled_open(
		&silent,
		"f: nop; g: nop; nop; .section .eh_frame, \"a\"; 1: .long 3f-2f; 2: .long 0; .byte "
		"1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b; .balign 4, 0; 3: .long 5f-4f; 4: "
		".long .-1b, .Lf-., 1; .byte 0; .balign 4, 0; 5: .long 7f-6f; 6: .long .-1b, g-., "
		"2; .byte 0, 0x41, 0x0c, 7, 8; .balign 4, 0; 7: .text; .set .Lf, g-1");
	for (int i = 0; i < 2; i++) {
		uint64_t pc = image_symbol_address(silent.image, "g") - !i;

		ck_assert_int_eq(flow_fragment_create(silent.cfi, cfi_fde_find(silent.cfi, pc),
						      &fragment, &reason, &error),
				 0);
		ck_assert_int_eq(fragment->silent, !i);
		flow_fragment_destroy(fragment);
	}
	assembled_close(&silent);
}
END_TEST

/* docs/LIMITS.md: one more than are kept. */
START_TEST(so_many_rows)
{
	struct assembled many;
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct error error;

	for (int i = 0; i < 2; i++) {
		assembled_open_function(
			&many,
			i ? "nop; .rept 131072; cfa 16; nop; cfa 24; nop; .endr; "
			  : "nop; .rept 131071; cfa 16; nop; cfa 24; nop; .endr; cfa 16; nop");
		ck_assert_int_eq(flow_fragment_create(many.cfi, &many.cfi->fde[0], &fragment,
						      &reason, &error),
				 0);
		ck_assert_uint_eq(fragment->row_count, 262144);
		ck_assert_int_eq(fragment->malformed, i);
		ck_assert_int_eq(fragment->why_malformed.code, ERROR_NONE);
		flow_fragment_destroy(fragment);
		assembled_close(&many);
	}
}
END_TEST

/* ---- the image's code ----------------------------------------------------------------------- */

#define FAR UINT64_C(0x7f0000000000)

#define SEGMENTS(...) .segment = { __VA_ARGS__ }
#define AT(...)	      .at = { __VA_ARGS__ }

static const struct map_case {
	const char *rule;
	struct image_segment segment[4];
	size_t count;
	uint64_t size;
	struct {
		uint64_t pc;
		size_t at;
	} at[4];
	const char *error;
} maps[] = {
	{ "none", AT({ 0, FLOW_CODE_NONE }) },
	{ "data", SEGMENTS({ .vaddr = 0x1000, .file_bytes = 16 }), .count = 1,
	  AT({ 0x1000, FLOW_CODE_NONE }) },
	{ "one", SEGMENTS({ .vaddr = 0x1000, .file_bytes = 16, .executable = true }), .count = 1,
	  .size = 16,
	  AT({ 0x1000, 0 }, { 0x100f, 15 }, { 0x1010, FLOW_CODE_NONE },
	     { 0xfff, FLOW_CODE_NONE }) },
	{ "those that are near are one",
	  SEGMENTS({ .vaddr = 0x2000, .file_bytes = 16, .executable = true },
		   { .vaddr = 0x500, .file_bytes = 0x10000 },
		   { .vaddr = 0x1000, .file_bytes = 32, .executable = true }),
	  .count = 3, .size = 0x1010,
	  AT({ 0x1000, 0 }, { 0x1fff, 0xfff }, { 0x200f, 0x100f }, { 0x2010, FLOW_CODE_NONE }) },
	{ "what lies between others is not counted",
	  SEGMENTS({ .vaddr = FAR, .file_bytes = 16, .executable = true },
		   { .vaddr = 0x1000, .file_bytes = 32, .executable = true },
		   { .vaddr = 0x80000000, .file_bytes = 8, .executable = true }),
	  .count = 3, .size = 56,
	  AT({ 0x101f, 31 }, { 0x80000000, 32 }, { FAR + 15, 55 }, { FAR - 1, FLOW_CODE_NONE }) },
	{ "as far as this they are near",
	  SEGMENTS({ .vaddr = 0x1000, .file_bytes = 32, .executable = true },
		   { .vaddr = 0x2020, .file_bytes = 1, .executable = true },
		   { .vaddr = 0x3022, .file_bytes = 1, .executable = true }),
	  .count = 3, .size = 0x1022,
	  AT({ 0x2020, 0x1020 }, { 0x3022, 0x1021 }, { 0x2021, FLOW_CODE_NONE }) },
	{ "one in another",
	  SEGMENTS({ .vaddr = 0x1000, .file_bytes = 0x1000, .executable = true },
		   { .vaddr = 0x1800, .file_bytes = 16, .executable = true }),
	  .count = 2, .size = 0x1000, AT({ 0x1fff, 0xfff }) },
	{ "without a byte", SEGMENTS({ .vaddr = 0x1000, .executable = true }), .count = 1,
	  AT({ 0x1000, FLOW_CODE_NONE }) },
	{ "as many as are read",
	  SEGMENTS({ .vaddr = 0x1000, .file_bytes = 0x7fffffff, .executable = true }), .count = 1,
	  .size = 0x7fffffff, AT({ 0x1000, 0 }) },
	{ "one more", SEGMENTS({ .vaddr = 0x1000, .file_bytes = 0x80000000, .executable = true }),
	  .count = 1, .error = "2147483648 executable bytes at 0x1000" },
	{ "one more in two",
	  SEGMENTS({ .vaddr = 0x1000, .file_bytes = 0x7fffffff, .executable = true },
		   { .vaddr = FAR, .file_bytes = 1, .executable = true }),
	  .count = 2, .error = "2147483648 executable bytes" },
};

START_TEST(where_code_is)
{
	const struct map_case *test = &maps[_i];
	const struct image image = { .segment = (struct image_segment *)test->segment,
				     .segment_count = test->count };
	struct error error = { .code = ERROR_NONE };
	struct flow_code_map map;

	ck_assert_msg(flow_code_map_init(&map, &image, &error) == (test->error ? -1 : 0), "%s",
		      test->rule);
	ck_assert_int_eq(error.code, test->error ? ERROR_TABLE_LIMIT : ERROR_NONE);
	if (test->error)
		ck_assert_ptr_nonnull(strstr(error.message, test->error));
	else
		ck_assert_msg(map.size == test->size, "%s: %zx", test->rule, map.size);
	for (size_t i = 0; !test->error && i < 4 && test->at[i].pc; i++)
		ck_assert_msg(flow_code_map_at(&map, test->at[i].pc) == test->at[i].at, "%s: %zx",
			      test->rule, flow_code_map_at(&map, test->at[i].pc));
	flow_code_map_deinit(&map);
}
END_TEST

SUITE(flow_fragment, TIMEOUT(300), FIXTURE(setup, teardown), TEST(rows_by_address),
      TEST(instructions_by_address), TEST(all_instructions_at_once),
      TEST(an_instruction_that_is_cut_off), TEST(instructions_of_a_byte), TEST(nothing_to_follow),
      TEST(rows_that_are_missing), TEST(registers_that_were_agreed_on), TEST(a_part_without_rows),
      TEST(rows_that_say_nothing), TEST(so_many_rows), LOOP(where_code_is, maps))
