/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_parts.c - parts of lint, each by itself, on a program of a few instructions at a known address
 *
 * What a table's answers come to, and its rows beyond all FDEs; whose a fragment is that several functions jump to;
 * where an FDE's function may begin before it; counts as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "analysis/lint/lint_follow.c"
#include "analysis/lint/lint_executed.h"
#include "analysis/lint/lint_table.h"
#include "stepped_folder.h"

/* ---- tables --------------------------------------------------------------------------------- */

/* An FDE from 16 to 48 of 64 bytes. */
#define NOPS                                                                                       \
	".globl _start\n_start: .fill 16, 1, 0x90\n.cfi_startproc\n.fill 32, 1, 0x90\n"            \
	".cfi_endproc\n.fill 16, 1, 0x90\n"

struct stretch {
	uint64_t begin, end; /* 0: the last */
	enum row_said_kind kind;
	uint8_t mark;
};

static void row_at(void *context, uint64_t pc, struct row_said *ret)
{
	const struct stretch *stretch = context;

	while (stretch->end && pc >= stretch->end)
		stretch++;
	ret->kind = stretch->kind;
	ret->mark = stretch->mark;
	ret->row = (struct row) { .pc = stretch->begin,
				  .pc_end = stretch->end ? stretch->end : UINT64_MAX };
}

static void ignore_finding(void *context, const struct lint_finding *finding)
{
	ck_abort_msg("a finding: %s", finding->actual);
}

static void point_at(struct lint_table *table, uint64_t pc, bool has_row, bool unsure)
{
	const struct row row = { .pc = pc, .pc_end = pc + 1 };
	const struct lint_point point = {
		.pc = pc, .length = 1, .row = has_row ? &row : NULL, .unsure = unsure
	};

	lint_table_point(table, &point);
}

START_TEST(what_a_table_does_not_say_is_counted)
{
	const uint64_t at = STEPPED_TEXT;
	const struct stretch stretches[] = {
		{ 0, at, ROW_SAID_NOTHING, 0 },
		{ at, at + 1, ROW_SAID_MARK, 0 },
		{ at + 1, at + 2, ROW_SAID_MARK, 3 },
		{ at + 2, at + 3, ROW_SAID_MARK, ROW_MARKS_MAX - 1 },
		{ at + 3, at + 4, ROW_SAID_MARK, 3 },
		{ at + 4, 0, ROW_SAID_NOTHING, 0 },
	};
	const struct row_source source = { .name = "t",
					   .row_at = row_at,
					   .context = (void *)stretches };
	struct lint_table_counts counts;
	struct lint_table *table;
	struct error error;

	ck_assert(open_program(NOPS));
	ck_assert_int_eq(lint_table_create(cfi, &source, &table, &error), 0);
	ck_assert_ptr_eq(lint_table_source(table), &source);
	for (uint64_t i = 0; i < 4; i++)
		point_at(table, at + i, true, false);
	point_at(table, at + 4, true, false);
	point_at(table, at + 5, false, false);
	point_at(table, at + 6, true, true);
	point_at(table, at + 7, false, true);
	/* The worst counts, and what was told of is not judged once more. */
	point_at(table, at + 6, true, false);
	point_at(table, at + 4, false, false);
	lint_table_judged(table, at, FLOW_TOO_LARGE);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		lint_table_judged(table, at + 8 + (uint64_t)i, (enum flow_reason)i);
	lint_table_judged(table, at + 62, FLOW_REASON_COUNT);
	lint_table_judged(table, at + 63, FLOW_REASON_COUNT);
	lint_table_judged(table, at + 64, FLOW_UNDECODED);
	lint_table_judged(table, at - 1, FLOW_UNDECODED);
	ck_assert_int_eq(lint_table_end(table, ignore_finding, NULL, &counts, &error), 0);
	for (int i = 0; i < ROW_MARKS_MAX; i++)
		ck_assert_uint_eq(counts.marked[i], i == 3 ? 2 : i == 0 || i == ROW_MARKS_MAX - 1);
	ck_assert_uint_eq(counts.missing, 2);
	ck_assert(!counts.proven && !counts.mismatch && !counts.as_cfi && !counts.rows_beyond);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		ck_assert_uint_eq(counts.unproven[i],
				  i == FLOW_REACHED_BY_NONE			  ? 3
				  : i == FLOW_JUMP_UNKNOWN || i == FLOW_MALFORMED ? 2
										  : 1);
	lint_table_destroy(table);
	close_program();
}
END_TEST

/* By way of all that listens to an image: two tables, and what each came to. */
START_TEST(tables_are_said_by_their_names)
{
	const uint64_t at = STEPPED_TEXT;
	const struct stretch marks[] = { { 0, at, ROW_SAID_NOTHING, 0 },
					 { at, at + 3, ROW_SAID_MARK, 1 },
					 { at + 3, at + 4, ROW_SAID_MARK, 0 },
					 { at + 4, 0, ROW_SAID_NOTHING, 0 } },
			     none[] = { { 0, 0, ROW_SAID_NOTHING, 0 } };
	const struct row_source sources[] = {
		{ .name = "a",
		  .mark = { "odd", "even" },
		  .row_at = row_at,
		  .context = (void *)marks },
		{ .name = "b", .row_at = row_at, .context = (void *)none },
	};
	const struct lint_options options = { .source = sources, .source_count = 2 };
	const struct row row = { .pc = at, .pc_end = at + 1 };
	struct lint_tables tables = { .finding = ignore_finding },
			   idle = { .finding = ignore_finding };
	json_t *object = json_object();
	struct lint_watch watch;
	struct error error;
	char *text;

	ck_assert(open_program(NOPS));
	ck_assert_int_eq(lint_tables_init(&tables, &options, cfi, &watch, &error), 0);
	for (uint64_t i = 0; i < 6; i++)
		watch.point(watch.context,
			    &(struct lint_point) { .pc = at + i, .length = 1, .row = &row });
	watch.judged(watch.context, at + 7, FLOW_ROW_UNPROVEN, FLOW_UNDECODED);
	ck_assert_int_eq(lint_tables_end(&tables, object, &error), 0);
	text = json_dumps(object, JSON_COMPACT);
	ck_assert_str_eq(
		text, "{\"tables\":{\"a\":{\"proven\":0,\"mismatch\":0,\"as_cfi\":0,\"missing\":2,"
		      "\"rows_beyond\":0,\"marked\":4,\"marked_reasons\":{\"odd\":1,\"even\":3},"
		      "\"unproven\":1,\"unproven_reasons\":{\"undecoded\":1},\"findings\":{}},"
		      "\"b\":{\"proven\":0,\"mismatch\":0,\"as_cfi\":0,\"missing\":6,"
		      "\"rows_beyond\":0,\"marked\":0,\"marked_reasons\":{},"
		      "\"unproven\":1,\"unproven_reasons\":{\"undecoded\":1},\"findings\":{}}}}");
	free(text);
	lint_tables_deinit(&tables);
	/* Without a table nothing listens, and nothing is said. */
	ck_assert_int_eq(
		lint_tables_init(&idle, &(struct lint_options) { .only = 1 }, cfi, &watch, &error),
		0);
	ck_assert(!watch.point && !watch.judged && watch.finding);
	json_object_clear(object);
	ck_assert_int_eq(lint_tables_end(&idle, object, &error), 0);
	ck_assert_uint_eq(json_object_size(object), 0);
	lint_tables_deinit(&idle);
	json_decref(object);
	close_program();
}
END_TEST

static const struct beyond_case {
	uint64_t begin, end; /* of a row, from the code's begin */
	enum row_said_kind kind;
	uint64_t fallthrough;
} beyond_cases[] = {
	{ 0, 16, ROW_SAID_ROW, 1 },   { 0, 17, ROW_SAID_ROW, 0 },  { 15, 16, ROW_SAID_ROW, 1 },
	{ 16, 17, ROW_SAID_ROW, 0 },  { 47, 60, ROW_SAID_ROW, 0 }, { 48, 60, ROW_SAID_ROW, 1 },
	{ 48, 60, ROW_SAID_MARK, 0 }, { 0, 60, ROW_SAID_ROW, 0 },  { 63, 99, ROW_SAID_ROW, 1 },
};

START_TEST(rows_beyond_fdes_are_counted)
{
	const struct beyond_case *test = &beyond_cases[_i];
	const struct stretch stretches[] = {
		{ 0, STEPPED_TEXT + test->begin, ROW_SAID_NOTHING, 0 },
		{ STEPPED_TEXT + test->begin, STEPPED_TEXT + test->end, test->kind, 0 },
		{ STEPPED_TEXT + test->end, 0, ROW_SAID_NOTHING, 0 },
	};
	const struct row_source source = { .name = "t",
					   .row_at = row_at,
					   .context = (void *)stretches };
	struct lint_table_counts counts;
	struct lint_table *table;
	struct error error;

	ck_assert(open_program(NOPS));
	ck_assert_int_eq(lint_table_create(cfi, &source, &table, &error), 0);
	ck_assert_int_eq(lint_table_end(table, ignore_finding, NULL, &counts, &error), 0);
	ck_assert_msg(counts.rows_beyond == test->fallthrough, "%d", _i);
	lint_table_destroy(table);
	close_program();
}
END_TEST

START_TEST(counts_are_said_and_summed)
{
	uint64_t ids[LINT_ID_COUNT] = { 0 }, reasons[FLOW_REASON_COUNT] = { 0 };
	json_t *object = json_object();
	char *text;

	lint_json_ids(object, ids);
	lint_json_unproven(object, reasons);
	text = json_dumps(object, JSON_COMPACT);
	ck_assert_str_eq(text, "{\"findings\":{},\"unproven\":0,\"unproven_reasons\":{}}");
	free(text);
	ids[1] = 3;
	ids[LINT_ID_COUNT - 1] = 4;
	reasons[0] = 1;
	reasons[1] = 2;
	reasons[FLOW_REASON_COUNT - 1] = 5;
	lint_json_ids(object, ids);
	lint_json_unproven(object, reasons);
	ck_assert_uint_eq(json_number(object, "unproven"), 8);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "findings")), 2);
	ck_assert_uint_eq(json_number(json_object_get(object, "findings"), lint_ids[1].name), 3);
	ck_assert_uint_eq(json_number(json_object_get(object, "findings"),
				      lint_ids[(enum lint_id)(LINT_ID_COUNT - 1)].name),
			  4);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "unproven_reasons")), 3);
	ck_assert_uint_eq(
		json_number(json_object_get(object, "unproven_reasons"), lint_reasons[0].name), 1);
	ck_assert_uint_eq(json_number(json_object_get(object, "unproven_reasons"),
				      lint_reasons[(enum flow_reason)(FLOW_REASON_COUNT - 1)].name),
			  5);
	json_decref(object);
}
END_TEST

/* ---- whose fragment is it? ----------------------------------------------------------------------- */

#define FDE(label, code) label ":\n.cfi_startproc\n" code ".cfi_endproc\n"
/* f at 0, 5 bytes; g at 5, 2; p at 7, which jumps into f; q at 11, a branch before g's begin; r at 14,
 * into g's last byte; s at 17, nothing that is decoded. */
#define PARTS                                                                                      \
	".globl _start\n" FDE("_start", ".fill 5, 1, 0x90\n") FDE("g", "nop\nret\n")               \
		FDE("p", "xor eax, eax\njmp _start+4\n") FDE("q", "je _start+4\nret\n")            \
			FDE("r", "nop\njmp g+1\n") FDE("s", ".byte 0x06\n")

START_TEST(whose_part_is_it)
{
	static const struct {
		uint64_t function, fragment;
		bool followed;
	} cases[] = {
		{ 0, 7, true },	  { 5, 7, false },  { 0, 11, true },
		{ 5, 11, false }, { 0, 14, false }, { 5, 14, true },
		{ 5, 17, true },  { 0, 18, false }, { 5, 18, false },
	};
	const uint64_t at = STEPPED_TEXT;
	struct flow_world world;
	struct lint_crossings crossings = { NULL };
	struct lint_counts counts = { 0 };
	const struct lint_watch watch = { .finding = ignore_finding };
	struct lint_judge judge = { .watch = &watch, .counts = &counts };
	struct flow_state state;
	struct error error;

	ck_assert(open_program(PARTS));
	ck_assert_int_eq(flow_world_init(&world, cfi, NULL, &error), 0);
	judge.world = &world;
	ck_assert(lint_judge_init(&judge));
	lint_crossings_decide(&crossings, &judge);
	flow_state_enter(&state);
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 7, &state, false));
	crossings.decided = false;
	for (int round = 0; round < 2; round++)
		for (int i = COUNT(cases); i-- > 0;)
			ck_assert(!lint_crossing_meet(&crossings, &world, at + cases[i].function,
						      at + cases[i].fragment, &state, round));
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 5, &state,
				      false)); /* somebody came to g */
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 21, &state, true));
	judge.status[5] = 1;
	lint_crossings_decide(&crossings, &judge);
	ck_assert_uint_eq(crossings.count, COUNT(cases) + 2);
	for (int i = 0; i < COUNT(cases); i++)
		ck_assert_msg(lint_crossing_meet(&crossings, &world, at + cases[i].function,
						 at + cases[i].fragment, &state,
						 true) == cases[i].followed,
			      "%d", i);
	state.reg[REGISTER_RSP].number = -16;
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 5, &state, false));
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 17, &state, false));
	ck_assert(!lint_crossing_meet(&crossings, &world, at, at + 21, &state,
				      true)); /* it only falls there */
	for (size_t i = 0; i < crossings.count; i++) {
		const struct lint_crossing *crossing = &crossings.crossing[i];

		ck_assert(!crossing->state == crossing->followed);
		if (crossing->fragment == at + 5)
			ck_assert_int_eq(crossing->state->reg[REGISTER_RSP].number, -16);
	}
	lint_crossings_deinit(&crossings);
	lint_judge_deinit(&judge);
	flow_world_deinit(&world);
	close_program();
}
END_TEST

/* ---- where a function begins ----------------------------------------------------------------- */

static const struct begin_case {
	const char *rule, *between; /* a function's FDE of one byte, and the next */
	bool doubtful, known;
	int64_t rsp; /* where it is known then, from the CFA */
} begin_cases[] = {
	{ "nothing", "", false, true, -8 },
	{ "a no-op goes on into it, but is padding", "nop\n", false, true, -8 },
	{ "an instruction does", "push rbx\n", true, true, -16 },
	{ "a call", "call _start\n", true, false, 0 },
	{ "a call by a register", "call rax\n", true, false, 0 },
	{ "a branch", "je _start\n", true, false, 0 },
	{ "a transaction's begin", "xbegin _start\n", true, false, 0 },
	{ "a jump does not", "jmp _start\n", false, false, 0 },
	{ "a return does not", "ret\n", false, false, 0 },
	{ "nor does what stops", "push rbx\nhlt\n", false, false, 0 },
	{ "a zero", "push rbx\n.byte 0\n", false, false, 0 },
	{ "two zeros", "push rbx\n.byte 0, 0\n", false, true, -16 },
	{ "a zero that takes the code behind it", ".byte 0, 0, 0\npush rbx\n", false, false, 0 },
	{ "what is no instruction", "push rbx\n.byte 0x06\n", false, false, 0 },
	{ "as far as is looked", ".fill 4096, 1, 0x53\n", true, true, -32776 },
	{ "farther", ".fill 4097, 1, 0x53\n", false, true, -32784 },
	{ "padding at the end, from the middle of data",
	  ".fill 20, 1, 0x53\n.byte 0x48, 0xb8\n.nops 8\n", false, true, -168 },
};

START_TEST(a_begin_is_doubtful_or_not)
{
	const struct begin_case *test = &begin_cases[_i];
	struct flow_world world = { .decoder = code_decoder_create() };
	struct flow_state state;
	char *text;

	ck_assert_int_gt(asprintf(&text,
				  ".globl _start\n" FDE("_start", "nop\n") "%s" FDE("g", "ret\n"),
				  test->between),
			 0);
	ck_assert(open_program(text));
	world.cfi = cfi;
	ck_assert(!lint_begin_doubtful(&world, 0));
	ck_assert_msg(lint_begin_doubtful(&world, 1) == test->doubtful, "%s", test->rule);
	ck_assert(lint_begin_state(&world, 0, STEPPED_TEXT, &state));
	ck_assert(!lint_begin_state(&world, 1, STEPPED_TEXT, &state)); /* another FDE's */
	ck_assert_msg(lint_begin_state(&world, 1, STEPPED_TEXT + 1, &state) == test->known, "%s",
		      test->rule);
	if (test->known)
		ck_assert_msg(value_is_stack(&state.reg[REGISTER_RSP]) &&
				      state.reg[REGISTER_RSP].number == test->rsp,
			      "%s: %d", test->rule, (int)state.reg[REGISTER_RSP].number);
	free(text);
	code_decoder_destroy(world.decoder);
	close_program();
}
END_TEST

SUITE(lint_parts, FIXTURE(begin, end), TEST(what_a_table_does_not_say_is_counted),
      TEST(tables_are_said_by_their_names), LOOP(rows_beyond_fdes_are_counted, beyond_cases),
      TEST(counts_are_said_and_summed), TEST(whose_part_is_it),
      LOOP(a_begin_is_doubtful_or_not, begin_cases))
