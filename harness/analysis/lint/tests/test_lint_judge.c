/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_judge.c - what instructions and FDEs come to, fragment by fragment
 *
 * A judge of 16 bytes of code that is made up, or of an assembled function; what it reports is a line of text.
 */
#include "tests/suite.h"
#include "analysis/lint/lint_judge.c"
#include "analysis/flow/tests/flow_fixture.h"
#include "analysis/flow/tests/flow_world_fixture.h"

#define BEGIN	     0x100
#define BYTES	     16
#define OPEN(reason) (STATUS_UNPROVEN + (reason))
/* By a path that no call into the middle began. */
#define WAYS(status) ((status) | STATUS_PATHS)

static char said[500];
static struct lint_counts counts;
static uint64_t told_from; /* what instructions are told by their distance from */

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	size_t used = strlen(said);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said + used, sizeof(said) - used, format, arguments);
	va_end(arguments);
}

static void say_finding(void *context, const struct lint_finding *finding)
{
	say("%s %" PRIx64 "..%" PRIx64 " of %" PRIx64 "%s%s%s%s\n", lint_ids[finding->id].name,
	    finding->pc, finding->pc_end, finding->function, *finding->declared ? ": " : "",
	    finding->declared, *finding->actual ? " / " : "", finding->actual);
}

static void say_judged(void *context, uint64_t pc, enum flow_outcome outcome,
		       enum flow_reason reason)
{
	say("%d:%d,%d ", (int)(pc - told_from), outcome, reason);
}

static void say_fde(void *context, const struct lint_fde *fde)
{
	say("fde %" PRIx64 "..%" PRIx64 " %d,%d at %" PRIx64 "\n", fde->begin, fde->end,
	    fde->outcome, fde->reason, fde->pc);
}

static const struct lint_watch watch = { .finding = say_finding,
					 .judged = say_judged,
					 .fde = say_fde };
static const struct lint_watch deaf = { .finding = say_finding };

static struct error lacking;
static struct flow_world judged_world;
static struct flow_code_stretch stretch;

/* One byte behind the code is none of it. */
static struct lint_judge made(uint8_t status[BYTES + 1])
{
	static bool unsettled[1];

	unsettled[0] = false;
	stretch = (struct flow_code_stretch) { .begin = BEGIN, .size = BYTES };
	lacking.code = ERROR_NONE;
	judged_world = (struct flow_world) {
		.map = { .stretch = &stretch, .count = 1, .size = BYTES }, .error = &lacking
	};
	memset(status, 0, BYTES + 1);
	status[BYTES] = 0xee;
	said[0] = '\0';
	counts = (struct lint_counts) { .fdes = 0 };
	return (struct lint_judge) { .watch = &watch,
				     .counts = &counts,
				     .world = &judged_world,
				     .status = status,
				     .unsettled = unsettled };
}

/* ---- bytes ---------------------------------------------------------------------------------- */

START_TEST(the_worst_counts)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);

	ck_assert_ptr_null(status_at(&judge, BEGIN - 1));
	ck_assert_ptr_eq(status_at(&judge, BEGIN), status);
	ck_assert_ptr_eq(status_at(&judge, BEGIN + BYTES - 1), status + BYTES - 1);
	ck_assert_ptr_null(status_at(&judge, BEGIN + BYTES));
	ck_assert(!lint_judge_was_reached(&judge, BEGIN));
	ck_assert(!lint_judge_was_reached(&judge, BEGIN + BYTES));
	set_status(&judge, BEGIN, STATUS_PROVEN);
	ck_assert(lint_judge_was_reached(&judge, BEGIN));
	ck_assert(!lint_judge_was_reached(&judge, BEGIN + 1));
	set_status(&judge, BEGIN, OPEN(FLOW_NO_ENTRY));
	set_status(&judge, BEGIN, STATUS_PROVEN);
	ck_assert_uint_eq(status[0], WAYS(OPEN(FLOW_NO_ENTRY)));
	set_status(&judge, BEGIN + BYTES, STATUS_PROVEN);
	ck_assert_uint_eq(status[BYTES], 0xee);
	ck_assert(!judge.wrong);
	judge.trial = true;
	set_status(&judge, BEGIN, STATUS_MISMATCH);
	ck_assert(judge.wrong);
	ck_assert_uint_eq(status[0], WAYS(OPEN(FLOW_NO_ENTRY)));
	judge.trial = judge.wrong = false;
	set_status(&judge, BEGIN, STATUS_MISMATCH);
	set_status(&judge, BEGIN, OPEN(FLOW_TOO_LARGE));
	ck_assert_uint_eq(status[0], WAYS(STATUS_MISMATCH));
	ck_assert(judge.wrong);
}
END_TEST

/* What calls into the middle lead to is told apart, until another path comes there. */
START_TEST(ways_are_others_than_of_calls_into_the_middle)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct lint_inner inner = { .pc = BEGIN };

	judge.inner = &inner;
	set_status(&judge, BEGIN, STATUS_PROVEN);
	ck_assert_uint_eq(status[0], STATUS_PROVEN);
	ck_assert(lint_judge_was_reached(&judge, BEGIN));
	ck_assert(!lint_judge_has_paths(&judge, BEGIN));
	judge.inner = NULL;
	judge.trial = true;
	set_status(&judge, BEGIN, STATUS_PROVEN);
	ck_assert(!lint_judge_has_paths(&judge, BEGIN));
	judge.trial = false;
	set_status(&judge, BEGIN, STATUS_PROVEN);
	ck_assert(lint_judge_has_paths(&judge, BEGIN));
	judge.inner = &inner;
	set_status(&judge, BEGIN, STATUS_MISMATCH);
	ck_assert_uint_eq(status[0], WAYS(STATUS_MISMATCH));
	lint_judge_excuse(&judge, BEGIN, BEGIN + 1);
	ck_assert_uint_eq(status[0], WAYS(OPEN(FLOW_VALUE_UNKNOWN)));
	ck_assert(!lint_judge_has_paths(&judge, BEGIN - 1));
}
END_TEST

START_TEST(wrong_is_from_begin_to_before_end)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);

	set_status(&judge, BEGIN + 2, OPEN(FLOW_TOO_LARGE));
	set_status(&judge, BEGIN + 4, STATUS_MISMATCH);
	ck_assert(!lint_judge_is_wrong(&judge, BEGIN, BEGIN + 4));
	ck_assert(lint_judge_is_wrong(&judge, BEGIN, BEGIN + 5));
	ck_assert(lint_judge_is_wrong(&judge, BEGIN + 4, BEGIN + 5));
	ck_assert(!lint_judge_is_wrong(&judge, BEGIN + 4, BEGIN + 4));
	ck_assert(!lint_judge_is_wrong(&judge, BEGIN + 5, BEGIN + BYTES + 9));
	ck_assert(!lint_judge_is_wrong(&judge, BEGIN - 1, BEGIN + 9));
}
END_TEST

/* ---- findings ------------------------------------------------------------------------------- */

static const struct {
	enum lint_id id;
	uint8_t reg;
	uint64_t pc, pc_end;
	int64_t actual;
} run_steps[] = {
	{ LINT_CFA, 0, 0x100, 0x101, 8 },	   { LINT_CFA, 0, 0x101, 0x103, 8 },
	{ LINT_CFA, 0, 0x103, 0x104, 16 },	   { LINT_RETURN, 0, 0x104, 0x105, 16 },
	{ LINT_OVERWRITTEN, 3, 0x105, 0x106, 16 }, { LINT_OVERWRITTEN, 6, 0x106, 0x107, 16 },
	{ LINT_OVERWRITTEN, 6, 0x108, 0x109, 16 }, { LINT_OVERWRITTEN, 6, 0x109, 0x10a, 16 },
};

START_TEST(a_finding_goes_on_while_it_is_the_same)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct run run = { .finding = { .id = LINT_NONE } };

	run_end(&judge, &run);
	for (int i = 0; i < COUNT(run_steps); i++) {
		const struct lint_finding finding = { .id = run_steps[i].id,
						      .reg = run_steps[i].reg,
						      .pc = run_steps[i].pc,
						      .pc_end = run_steps[i].pc_end };
		const struct value actual = { .kind = VALUE_CONSTANT,
					      .number = run_steps[i].actual };

		run_add(&judge, &run, &finding, &actual, finding.pc);
	}
	run_end(&judge, &run);
	run_end(&judge, &run);
	ck_assert_uint_eq(counts.findings[LINT_CFA], 2);
	ck_assert_uint_eq(counts.findings[LINT_RETURN], 1);
	ck_assert_uint_eq(counts.findings[LINT_OVERWRITTEN], 3);
	ck_assert_ptr_nonnull(strstr(said, " 100..103 of 0\n"));
	ck_assert_ptr_nonnull(strstr(said, " 103..104 of 0\n"));
	ck_assert_ptr_nonnull(strstr(said, " 104..105 of 0\n"));
	ck_assert_ptr_nonnull(strstr(said, " 105..106 of 0\n"));
	ck_assert_ptr_nonnull(strstr(said, " 106..107 of 0\n"));
	ck_assert_ptr_nonnull(strstr(said, " 108..10a of 0\n"));
	/* Of a trial nobody hears. */
	said[0] = '\0';
	judge.trial = true;
	lint_judge_uncovered(&judge, 1, 2);
	ck_assert_str_eq(said, "");
	ck_assert_uint_eq(counts.findings[LINT_UNCOVERED], 0);
}
END_TEST

START_TEST(findings_of_fdes)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	const struct cfi_fde before = { .pc_begin = 0x100, .pc_range = 0x20 };
	const struct cfi_fde fde = { .pc_begin = 0x118, .pc_range = 0x20 };

	lint_judge_overlap(&judge, &before, &fde);
	lint_judge_uncovered(&judge, 0x200, 0x208);
	ck_assert_ptr_nonnull(
		strstr(said, " 118..120 of 118: by the FDE of 0x100 / and by that of 0x118\n"));
	ck_assert_ptr_nonnull(strstr(
		said,
		" 200..208 of 0: no FDE covers it / it is a function, or something leads there\n"));
	ck_assert_uint_eq(counts.findings[LINT_OVERLAP], 1);
	ck_assert_uint_eq(counts.findings[LINT_UNCOVERED], 1);
}
END_TEST

static const struct {
	bool malformed;
	enum error_code code;
	size_t rows;
	const char *where; /* NULL: nothing is said */
} program_cases[] = {
	{ false, ERROR_CFI_STATE, 2, NULL },
	{ true, ERROR_NONE, 2, NULL },
	{ true, ERROR_CFI_INSTRUCTION, 2, NULL },
	{ true, ERROR_CFI_STATE, 2, " 108..120 of 100: why / no row from here on\n" },
	{ true, ERROR_CFI_TRUNCATED, 2, " 108..120 of 100: why / no row from here on\n" },
	{ true, ERROR_CFI_STATE, 1, " 104..120 of 100: why / no row from here on\n" },
	{ true, ERROR_CFI_STATE, 0, " 100..120 of 100: why / no row from here on\n" },
};

START_TEST(rows_that_break_off)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct row row[] = { { .pc = 0x100, .pc_end = 0x104 }, { .pc = 0x104, .pc_end = 0x108 } };
	const struct flow_fragment fragment = { .begin = 0x100,
						.end = 0x120,
						.malformed = program_cases[_i].malformed,
						.why_malformed = { .code = program_cases[_i].code,
								   .message = "why" },
						.row = row,
						.row_count = program_cases[_i].rows };

	lint_judge_program(&judge, &fragment);
	if (program_cases[_i].where)
		ck_assert_ptr_nonnull(strstr(said, program_cases[_i].where));
	else
		ck_assert_str_eq(said, "");
}
END_TEST

/* ---- FDEs ----------------------------------------------------------------------------------- */

static const struct {
	uint64_t behind[2]; /* calls; 0: none */
	bool too_large, unknown;
	enum flow_reason why;
} why_cases[] = {
	{ { 0 }, false, false, FLOW_REACHED_BY_NONE },
	{ { 0 }, false, true, FLOW_JUMP_UNKNOWN },
	{ { 0 }, true, true, FLOW_TOO_LARGE },
	{ { 0x108 }, true, false, FLOW_TOO_LARGE },
	{ { 0x108 }, false, true, FLOW_BEHIND_CALL },
	{ { 0x100 }, false, false, FLOW_BEHIND_CALL },
	{ { 0x0ff }, false, false, FLOW_REACHED_BY_NONE },
	{ { 0x10f }, false, false, FLOW_BEHIND_CALL },
	{ { 0x110 }, false, true, FLOW_JUMP_UNKNOWN },
	{ { 0x110, 0x101 }, false, false, FLOW_BEHIND_CALL },
};

START_TEST(why_none_leads_there)
{
	const struct flow_fragment fragment = { .begin = 0x100, .end = 0x110 };
	struct flow_behind behind[3] = { { .pc = 0x105 }, { .pc = 0x105 }, { .pc = 0x105 } };
	const struct flow flow = { .found.too_large = why_cases[_i].too_large,
				   .found.jump_unknown = why_cases[_i].unknown,
				   .behind_call = behind,
				   .behind_call_count = (size_t) !!why_cases[_i].behind[0] +
							!!why_cases[_i].behind[1] };

	for (size_t i = 0; i < flow.behind_call_count; i++)
		behind[i].pc = why_cases[_i].behind[i];
	ck_assert_int_eq(lint_judge_why(&flow, &fragment), why_cases[_i].why);
	ck_assert_int_eq(lint_judge_why(NULL, &fragment), FLOW_NO_ENTRY);
}
END_TEST

START_TEST(fdes_are_counted)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	const struct cfi_fde unread = { .pc_begin = 0x100, .pc_range = 0x20 };
	struct lint_sum sum = { .fde = { .begin = 1, .end = 2 }, .instructions = 7, .proven = 5 };

	for (int i = 0; i < 3; i++) {
		sum.fde.outcome = (enum flow_outcome)i;
		sum.fde.reason = FLOW_TOO_LARGE;
		for (int times = 0; times <= i; times++)
			lint_judge_count(&judge, &sum);
	}
	lint_judge_unread(&unread, FLOW_MALFORMED, &sum);
	lint_judge_count(&judge, &sum);
	ck_assert(sum.made && !sum.met);
	ck_assert_uint_eq(counts.fdes, 7);
	ck_assert_uint_eq(counts.proven, 1);
	ck_assert_uint_eq(counts.unproven[FLOW_TOO_LARGE], 2);
	ck_assert_uint_eq(counts.unproven[FLOW_MALFORMED], 1);
	ck_assert_uint_eq(counts.mismatch, 3);
	ck_assert_uint_eq(counts.instructions, 42);
	ck_assert_uint_eq(counts.instructions_proven, 30);
	ck_assert_ptr_nonnull(strstr(said, "fde 100..120 1,8 at 100\n"));
	said[0] = '\0';
	judge.watch = &deaf;
	lint_judge_count(&judge, &sum);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Of a function of four instructions at 0, 2, 4 and 6, a no-op, what is none and what stops. status: of the
 * first four; the others are none. */
#define FUNCTION "xor eax, eax; xor ecx, ecx; xor edx, edx; xor esi, esi; nop; .byte 6; ud2; "
#define P	 STATUS_PROVEN
#define M	 STATUS_MISMATCH

static const struct {
	uint8_t status[7]; /* at 0, 2, 4, 6, 8 (the no-op), 9 and 10 */
	bool malformed;
	enum flow_reason none;
	uint32_t instructions, proven;
	enum flow_outcome outcome;
	enum flow_reason reason;
	uint64_t at;
	const char *told; /* pc:outcome,reason */
} fde_cases[] = {
	{ { P, P, P, P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  4,
	  FLOW_ROW_PROVEN,
	  FLOW_REASON_COUNT,
	  0,
	  "0:0,12 2:0,12 4:0,12 6:0,12 " },
	{ { P, P, 0, P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  3,
	  FLOW_ROW_UNPROVEN,
	  FLOW_NO_ENTRY,
	  4,
	  "0:0,12 2:0,12 4:1,7 6:0,12 " },
	{ { P, OPEN(0), 0, P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  2,
	  FLOW_ROW_UNPROVEN,
	  0,
	  2,
	  "0:0,12 2:1,0 4:1,7 6:0,12 " },
	{ { P, OPEN(9), OPEN(3), P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  2,
	  FLOW_ROW_UNPROVEN,
	  9,
	  2,
	  "0:0,12 2:1,9 4:1,3 6:0,12 " },
	{ { P, OPEN(9), M, P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  2,
	  FLOW_ROW_MISMATCH,
	  9,
	  2,
	  "0:0,12 2:1,9 4:2,12 6:0,12 " },
	{ { P, P, M, P },
	  false,
	  FLOW_NO_ENTRY,
	  4,
	  3,
	  FLOW_ROW_MISMATCH,
	  FLOW_REASON_COUNT,
	  0,
	  "0:0,12 2:0,12 4:2,12 6:0,12 " },
	{ { P, P, P, P, P, P, P },
	  false,
	  FLOW_NO_ENTRY,
	  7,
	  7,
	  FLOW_ROW_PROVEN,
	  FLOW_REASON_COUNT,
	  0,
	  "0:0,12 2:0,12 4:0,12 6:0,12 8:0,12 9:0,12 10:0,12 " },
	{ { P, P, P, P },
	  true,
	  FLOW_NO_ENTRY,
	  4,
	  4,
	  FLOW_ROW_UNPROVEN,
	  FLOW_MALFORMED,
	  0,
	  "0:0,12 2:0,12 4:0,12 6:0,12 " },
	{ { P, P, P, OPEN(4) },
	  true,
	  FLOW_NO_ENTRY,
	  4,
	  3,
	  FLOW_ROW_UNPROVEN,
	  4,
	  6,
	  "0:0,12 2:0,12 4:0,12 6:1,4 " },
	{ { 0 },
	  false,
	  FLOW_TOO_LARGE,
	  4,
	  0,
	  FLOW_ROW_UNPROVEN,
	  FLOW_TOO_LARGE,
	  0,
	  "0:1,9 2:1,9 4:1,9 6:1,9 " },
};

START_TEST(an_fde_comes_to)
{
	static struct followed followed;
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct lint_sum sum = { .fde.unruled = _i & 1, .none = fde_cases[_i].none };
	struct flow_fragment *fragment;

	followed_init(&followed, FUNCTION);
	fragment = followed.flow.fragment[0];
	stretch.begin = told_from = fragment->begin;
	judged_world.decoder = followed.world.decoder;
	fragment->malformed = fde_cases[_i].malformed;
	for (int i = 0; i < 7; i++)
		status[i < 4 ? 2 * i : i + 4] = fde_cases[_i].status[i];
	status[fragment->end - fragment->begin] = STATUS_PROVEN; /* another's */
	for (int tell = 0; tell < 2; tell++) {
		said[0] = '\0';
		lint_judge_fde(&judge, fragment, tell, &sum);
		ck_assert_uint_eq(sum.instructions, fde_cases[_i].instructions);
		ck_assert_uint_eq(sum.proven, fde_cases[_i].proven);
		ck_assert_int_eq(sum.fde.outcome, fde_cases[_i].outcome);
		ck_assert_int_eq(sum.fde.reason, fde_cases[_i].reason);
		ck_assert_uint_eq(sum.fde.pc, fragment->begin + fde_cases[_i].at);
		ck_assert_uint_eq(sum.fde.begin, fragment->begin);
		ck_assert_uint_eq(sum.fde.end, fragment->end);
		ck_assert_int_eq(sum.fde.unruled, _i & 1);
		ck_assert_int_eq(sum.none, fde_cases[_i].none);
		ck_assert(sum.made && !sum.met);
		ck_assert_str_eq(said, tell ? fde_cases[_i].told : "");
	}
	followed_deinit(&followed);
}
END_TEST

static void whole(struct lint_judge *judge, struct flow_fragment *fragment)
{
	struct lint_sum sum = { .none = FLOW_NO_ENTRY };

	lint_judge_program(judge, fragment);
	lint_judge_fde(judge, fragment, judge->watch->judged != NULL, &sum);
	lint_judge_count(judge, &sum);
	ck_assert_int_eq(lacking.code, ERROR_NONE);
}

/* Padding that nothing leads to is no instruction; and all at once. */
START_TEST(a_whole_fde)
{
	static struct followed followed;
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct flow_fragment *fragment;

	followed_init(&followed, "nop; nop");
	fragment = followed.flow.fragment[0];
	stretch.begin = told_from = fragment->begin;
	judged_world.decoder = followed.world.decoder;
	whole(&judge, fragment);
	ck_assert_uint_eq(counts.unproven[FLOW_REACHED_BY_NONE], 1);
	ck_assert_uint_eq(counts.instructions, 0);
	status[1] = STATUS_PROVEN;
	said[0] = '\0';
	whole(&judge, fragment);
	ck_assert_int_eq(strncmp(said, "1:0,12 fde ", 11), 0);
	ck_assert_uint_eq(counts.proven, 1);
	ck_assert_uint_eq(counts.instructions, 1);
	said[0] = '\0';
	judge.watch = &deaf;
	fragment->malformed = true;
	fragment->why_malformed.code = ERROR_CFI_STATE;
	whole(&judge, fragment);
	ck_assert_ptr_nonnull(strstr(said, "no row from here on"));
	ck_assert_uint_eq(counts.unproven[FLOW_MALFORMED], 1);
	followed_deinit(&followed);
}
END_TEST

START_TEST(a_judge_begins)
{
	static struct followed followed;
	struct lint_judge judge;
	struct error error;

	followed_init(&followed, "ret");
	ck_assert_int_eq(flow_code_map_init(&followed.world.map, followed.world.cfi->image, &error),
			 0);
	judge = (struct lint_judge) { .world = &followed.world };
	ck_assert(lint_judge_init(&judge));
	ck_assert_ptr_nonnull(status_at(&judge, followed.flow.function));
	for (size_t i = 0; i < followed.world.map.size; i++)
		ck_assert(!lint_judge_was_reached(&judge, followed.world.map.stretch->begin + i));
	lint_judge_deinit(&judge);
	flow_code_map_deinit(&followed.world.map);
	followed_deinit(&followed);
}
END_TEST

/* A row that begins inside of an instruction of 3 bytes, if it says something else. */
static const struct {
	uint64_t at; /* of the second row; the first begins with the instruction */
	bool same, told;
	bool entered; /* a path has an instruction there */
} inside_cases[] = {
	{ 0x100, false, false, false }, { 0x101, false, true, false },
	{ 0x102, false, true, false },	{ 0x103, false, false, false },
	{ 0x104, false, false, false }, { 0x101, true, false, false },
	{ 0x101, false, false, true },
};

START_TEST(rows_inside_of_an_instruction)
{
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct row row[] = { { .pc = 0x0f0,
			       .pc_end = inside_cases[_i].at,
			       .cfa = { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 } },
			     { .pc = inside_cases[_i].at, .pc_end = 0x110 } };
	uint32_t block_at[0x20] = { 0 };
	const struct flow_fragment fragment = {
		.begin = 0xf0, .end = 0x110, .row = row, .row_count = 2, .block_at = block_at
	};
	const struct code code = { .pc = 0x100, .length = 3 };
	char expected[100];

	block_at[inside_cases[_i].at - fragment.begin] = inside_cases[_i].entered;

	row[1].cfa = row[0].cfa;
	row[1].cfa.offset += inside_cases[_i].same ? 0 : 8;
	check_inside(&judge, &fragment, &code);
	snprintf(expected, sizeof(expected),
		 " 100..103 of f0: a row begins at %#" PRIx64
		 " / the instruction has 3 bytes from 0x100\n",
		 inside_cases[_i].at);
	if (inside_cases[_i].told)
		ck_assert_msg(strstr(said, expected) != NULL, "%s", said);
	else
		ck_assert_str_eq(said, "");
	ck_assert_uint_eq(counts.findings[LINT_ROW_INSIDE], inside_cases[_i].told);
	ck_assert_uint_eq(status[0], inside_cases[_i].told ? WAYS(STATUS_MISMATCH) : STATUS_NONE);
}
END_TEST

/* What a path has reached is unproven then, whatever it was. */
START_TEST(an_entry_that_is_none)
{
	static struct followed followed;
	uint8_t status[BYTES + 1];
	struct lint_judge judge = made(status);
	struct flow_fragment *fragment;

	followed_init(&followed, FUNCTION);
	fragment = followed.flow.fragment[0];
	stretch.begin = fragment->begin;
	judged_world.decoder = followed.world.decoder;
	status[0] = STATUS_PROVEN;
	status[1] = STATUS_PROVEN; /* the middle of an instruction */
	status[4] = OPEN(FLOW_UNDECODED);
	status[6] = STATUS_MISMATCH;
	status[10] = STATUS_PROVEN;
	status[fragment->end - fragment->begin] = STATUS_PROVEN; /* another's */
	lint_judge_take_back(&judge, fragment, FLOW_NO_ENTRY);
	ck_assert_uint_eq(status[0], WAYS(OPEN(FLOW_NO_ENTRY)));
	ck_assert_uint_eq(status[1], STATUS_PROVEN);
	ck_assert_uint_eq(status[2], STATUS_NONE);
	ck_assert_uint_eq(status[4], WAYS(OPEN(FLOW_NO_ENTRY)));
	ck_assert_uint_eq(status[6], WAYS(STATUS_MISMATCH));
	ck_assert_uint_eq(status[10], WAYS(OPEN(FLOW_NO_ENTRY)));
	ck_assert_uint_eq(status[fragment->end - fragment->begin], STATUS_PROVEN);
	followed_deinit(&followed);
}
END_TEST

SUITE(lint_judge, TEST(the_worst_counts), TEST(ways_are_others_than_of_calls_into_the_middle),
      TEST(wrong_is_from_begin_to_before_end), TEST(a_finding_goes_on_while_it_is_the_same),
      TEST(findings_of_fdes), LOOP(rows_that_break_off, program_cases),
      LOOP(why_none_leads_there, why_cases), TEST(fdes_are_counted),
      LOOP(an_fde_comes_to, fde_cases), TEST(an_entry_that_is_none), TEST(a_whole_fde),
      TEST(a_judge_begins), LOOP(rows_inside_of_an_instruction, inside_cases))
