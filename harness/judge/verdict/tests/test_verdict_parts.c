/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_parts.c - the questions that a verdict is made of, at their borders
 */
#include "tests/suite.h"
#include "verdict_words.h"
#include "verdict_world.h"

/* ---- stop reasons, rules --------------------------------------------------------------------- */

START_TEST(markers_are_flags)
{
	for (uint32_t stop = 0; stop < STOP_REASON_COUNT; stop++)
		ck_assert_int_eq(is_flag(stop), stop == STOP_UNSUPPORTED_EXPRESSION ||
							stop == STOP_UNSUPPORTED_REGISTER ||
							stop == STOP_OFFSET_RANGE ||
							stop == STOP_MALFORMED ||
							stop == STOP_TOO_MANY_RULES);
}
END_TEST

START_TEST(reader_ends_at_what_is_malformed)
{
	for (uint32_t stop = 0; stop < STOP_REASON_COUNT; stop++) {
		const struct stack cfi = { .count = 3, .stop = stop };
		bool malformed = stop == STOP_MALFORMED || stop == STOP_UNSUPPORTED_EXPRESSION;

		ck_assert_int_eq(ends_malformed(&cfi, 3), malformed);
		ck_assert(!ends_malformed(&cfi, 2));
	}
}
END_TEST

static const uint8_t known[] = { DW_OP_breg7, 8 }, beyond[] = { DW_OP_bregx, 17, 8 };

#define EXPRESSION(kind_, bytes)                                                                   \
	IN_BRACES(.kind = RULE_##kind_, .expression = (bytes), .expression_bytes = sizeof(bytes))

static const struct {
	const char *name;
	struct row_rule rule;
	uint32_t registers;
	bool beyond;
} rule_cases[] = {
	{ "unspecified", { .kind = RULE_UNSPECIFIED, .reg = 17 }, 0, false },
	{ "offset", { .kind = RULE_OFFSET, .reg = 17 }, 0, false },
	{ "first_register", { .kind = RULE_REGISTER, .reg = 0 }, 1, false },
	{ "last_register", { .kind = RULE_REGISTER, .reg = 16 }, 1u << 16, false },
	{ "register_beyond", { .kind = RULE_REGISTER, .reg = 17 }, 1u << 17, true },
	{ "cfa_of_rsp", { .kind = RULE_CFA_REGISTER, .reg = 7 }, 1u << 7, false },
	{ "cfa_of_the_last", { .kind = RULE_CFA_REGISTER, .reg = 16 }, 1u << 16, false },
	{ "cfa_beyond", { .kind = RULE_CFA_REGISTER, .reg = 17 }, 1u << 17, true },
	{ "expression", EXPRESSION(EXPRESSION, known), 1u << 7, false },
	{ "expression_beyond", EXPRESSION(EXPRESSION, beyond), 0, true },
	{ "value_expression", EXPRESSION(VAL_EXPRESSION, known), 1u << 7, false },
	{ "value_expression_beyond", EXPRESSION(VAL_EXPRESSION, beyond), 0, true },
	{ "cfa_expression", EXPRESSION(CFA_EXPRESSION, known), 1u << 7, false },
	{ "cfa_expression_beyond", EXPRESSION(CFA_EXPRESSION, beyond), 0, true },
};

START_TEST(rule_looks_at_registers)
{
	ck_assert_msg(rule_registers(&rule_cases[_i].rule) == rule_cases[_i].registers, "%s: 0x%x",
		      rule_cases[_i].name, rule_registers(&rule_cases[_i].rule));
	ck_assert_msg(rule_is_beyond(&rule_cases[_i].rule) == rule_cases[_i].beyond, "%s",
		      rule_cases[_i].name);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------------------ */

START_TEST(rows_are_looked_up)
{
	const struct address_space *space = &world.space;
	struct row row;
	uint64_t base;

	setup(make_fdes);
	base = world.base;
	ck_assert(covered(space, base + ORDINARY) && covered(space, base + LARGER + 0xf));
	ck_assert(!covered(space, base + ORDINARY - 1) && !covered(space, base + UNCOVERED));
	ck_assert(!covered(space, 0x10) && !covered(space, base + ANONYMOUS));
	ck_assert_int_eq(find_row(space, base + ORDINARY, &row), 1);
	ck_assert_int_eq(find_row(space, base + UNCOVERED, &row), 0);
	ck_assert_int_eq(find_row(space, base + MALFORMED, &row), -1);
	ck_assert_int_eq(find_row(space, 0x10, &row), 0);
	ck_assert_int_eq(find_row(space, base + ANONYMOUS, &row), 0);
	ck_assert(same_row(space, base + ORDINARY, base + ORDINARY + 0x1f));
	ck_assert(!same_row(space, base + ORDINARY, base + LARGER));
	ck_assert(!same_row(space, base + ORDINARY, base + UNCOVERED));
	ck_assert(!same_row(space, base + UNCOVERED, base + ORDINARY));
	ck_assert(!same_row(space, base + UNCOVERED, base + MALFORMED));
	ck_assert(same_row(space, base + UNCOVERED, 0x10));
	ck_assert(same_row(space, base + MALFORMED, base + MALFORMED + 1));
	ck_assert(is_beyond(space, base + CFA_BEYOND));
	ck_assert(is_beyond(space, base + RA_BEYOND));
	ck_assert(!is_beyond(space, base + UNCOVERED));
	ck_assert(is_beyond(space, base + RA_BEYOND));
	ck_assert(!is_beyond(space, base + MALFORMED));
	ck_assert(!is_beyond(space, base + ORDINARY) && !is_beyond(space, base + MALFORMED));
	ck_assert(!is_beyond(space, base + UNCOVERED) && !is_beyond(space, 0x10));
	ck_assert(!is_ambiguous(space, base + ORDINARY) && !is_ambiguous(space, 0x10));
	ck_assert(!is_hidden(space, base + ORDINARY) && !is_hidden(space, 0x10));
	ck_assert(!is_hidden(space, base + ANONYMOUS) && !is_ambiguous(space, base + ANONYMOUS));
	teardown();
	setup(make_overlapping_fdes);
	base = world.base;
	ck_assert(is_ambiguous(space, base + OVERLAPPED));
	ck_assert(is_ambiguous(space, base + OVERLAPPED + 0xf));
	ck_assert(!is_ambiguous(space, base + OVERLAPPED - 1));
	ck_assert(!is_ambiguous(space, base + OVERLAPPED + 0x10));
	ck_assert(!is_ambiguous(space, 0x10));
	ck_assert(is_hidden(space, base + OVERLAPPED) && !is_hidden(space, 0x10));
	teardown();
}
END_TEST

/* By the CFI alone: frame 0 is where the registers are, the others at their calls' ends. */
START_TEST(frame_is_reached_by_its_rows)
{
	struct reached reached;

	setup(make_fdes);
	world.regs.value[REGISTER_RIP] = world.base + ORDINARY;
	world.words[0] = world.base + ORDINARY + 8;
	world.words[1] = world.base + UNCOVERED;
	ck_assert(verdict_reach(&world.point, 0, &reached));
	ck_assert_uint_eq(reached.lookup_pc, world.base + ORDINARY);
	ck_assert_uint_eq(reached.regs.value[REGISTER_RSP], SP);
	ck_assert(verdict_reach(&world.point, 1, &reached));
	ck_assert_uint_eq(reached.lookup_pc, world.base + ORDINARY + 7);
	ck_assert_uint_eq(reached.regs.value[REGISTER_RIP], world.base + ORDINARY + 8);
	ck_assert_uint_eq(reached.regs.value[REGISTER_RSP], SP + 8);
	ck_assert(verdict_reach(&world.point, 2, &reached));
	ck_assert_uint_eq(reached.regs.value[REGISTER_RIP], world.base + UNCOVERED);
	ck_assert(!verdict_reach(&world.point, 3, &reached));
	ck_assert(!verdict_reach(&world.point, 4, &reached));
	teardown();
}
END_TEST

/* Behind a signal's frame at the address itself, behind what it interrupted in the call again. */
START_TEST(interrupted_frame_is_reached_where_it_goes_on)
{
	static const uint64_t at[] = { ORDINARY, SIGNAL + 7, LARGER, ORDINARY + 3 };
	struct reached reached;

	setup(make_fdes);
	world.regs.value[REGISTER_RIP] = world.base + ORDINARY;
	world.words[0] = world.base + SIGNAL + 8;
	world.words[1] = world.base + LARGER;
	world.words[2] = 0;
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert(verdict_reach(&world.point, i, &reached));
		ck_assert_uint_eq(reached.lookup_pc, world.base + at[i]);
	}
	/* A caller of what was interrupted, which is an ordinary one. */
	world.words[1] = world.base + ORDINARY + 5;
	world.words[2] = world.base + ORDINARY + 4;
	ck_assert(verdict_reach(&world.point, 2, &reached));
	ck_assert_uint_eq(reached.lookup_pc, world.base + ORDINARY + 5);
	ck_assert(verdict_reach(&world.point, 3, &reached));
	ck_assert_uint_eq(reached.lookup_pc, world.base + at[3]);
	teardown();
}
END_TEST

START_TEST(cfa_is_above_the_slot)
{
	setup(make_fdes);
	world.frame[0].slot = 0x7100; /* the outermost */
	world.frame[1].slot = 0x7000;
	ck_assert_uint_eq(truth_cfa(&world.point, 0), 0x7008);
	ck_assert_uint_eq(truth_cfa(&world.point, 1), 0x7108);
	ck_assert_uint_eq(truth_cfa(&world.point, 2), 0);
	world.shadow.in_transit = true;
	ck_assert_uint_eq(truth_cfa(&world.point, 0), 0);
	world.stop.shadow = NULL;
	ck_assert_uint_eq(truth_cfa(&world.point, 0), 0);
	teardown();
}
END_TEST

/* ---- should a frame have been a signal's? ----------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t frame;
	uint64_t pc; /* where it goes on, in the image */
	bool exact;  /* it was looked up there, else in the instruction before */
	bool interrupted, in_transit;
	bool blamed;
} flag_cases[] = {
	{ "signal_s_frame_as_a_call", 1, LARGER, false, true, false, true },
	{ "call_as_a_signal_s_frame", 1, LARGER, true, false, false, true },
	{ "call", 1, LARGER, false, false, false, false },
	{ "signal_s_frame", 1, LARGER, true, true, false, false },
	{ "rows_are_the_same", 1, LARGER + 1, false, true, false, false },
	{ "rows_are_the_same_exactly", 1, LARGER + 1, true, false, false, false },
	{ "innermost_frame", 0, LARGER, false, true, false, false },
	{ "outermost_frame", 2, LARGER, false, true, false, true },
	{ "no_frame_of_the_truth", 3, LARGER, false, true, false, false },
	{ "in_transit", 1, LARGER, false, true, true, false },
};

START_TEST(frame_before_should_be_a_signal_s)
{
	struct judgement judgement = { .frame = flag_cases[_i].frame, .pc = 99 };
	struct reached reached = { .lookup_pc = 0 };

	setup(make_fdes);
	world.regs.value[REGISTER_RIP] = world.base + ORDINARY;
	world.words[0] = world.base + ORDINARY + 8;
	reached.regs.value[REGISTER_RIP] = world.base + flag_cases[_i].pc;
	reached.lookup_pc = world.base + flag_cases[_i].pc - !flag_cases[_i].exact;
	world.frame[0].interrupted = flag_cases[_i].frame == 2 && flag_cases[_i].interrupted;
	world.frame[1].interrupted = flag_cases[_i].frame != 2 && flag_cases[_i].interrupted;
	world.shadow.in_transit = flag_cases[_i].in_transit;
	ck_assert_msg(blame_signal_flag(&world.evidence, &reached, &judgement) ==
			      flag_cases[_i].blamed,
		      "%s", flag_cases[_i].name);
	ck_assert_uint_eq(judgement.frame, flag_cases[_i].frame - flag_cases[_i].blamed);
	ck_assert_int_eq(judgement.kind, flag_cases[_i].blamed ? FAULT_SIGNAL_FLAG : FAULT_NONE);
	ck_assert_int_eq(judgement.verdict,
			 flag_cases[_i].blamed ? VERDICT_TABLE_FAULT : VERDICT_EXACT);
	ck_assert_uint_eq(judgement.pc - (flag_cases[_i].blamed ? world.base : 0),
			  !flag_cases[_i].blamed      ? 99
			  : flag_cases[_i].frame == 1 ? ORDINARY
						      : ORDINARY + 7);
	teardown();
}
END_TEST

/* ---- what the referee reads ------------------------------------------------------------------- */

#define CALLER 0x5000

static const struct {
	const char *name;
	struct referee_step step;
	bool goes_on; /* our reader, to CALLER */
	uint32_t stop;
	bool agrees;
} agree_cases[] = {
	{ "same_caller", { .return_address = CALLER }, true, 0, true },
	{ "another_caller", { .return_address = CALLER + 1 }, true, 0, false },
	{ "its_end", { .return_address = CALLER, .outermost = true }, true, 0, false },
	{ "unreadable", { .return_address = CALLER, .unreadable = true }, true, 0, false },
	{ "both_end", { .outermost = true }, false, STOP_COMPLETE, true },
	{ "only_ours_ends", { .return_address = CALLER }, false, STOP_COMPLETE, false },
	{ "neither_reads", { .unreadable = true }, false, STOP_READ_FAULT, true },
	{ "referee_reads", { .return_address = CALLER }, false, STOP_READ_FAULT, false },
	{ "both_read_zero", { .return_address = 0 }, false, STOP_ZERO_RETURN, true },
	{ "zero_is_its_end", { .outermost = true }, false, STOP_ZERO_RETURN, false },
	{ "zero_is_unreadable", { .unreadable = true }, false, STOP_ZERO_RETURN, false },
	{ "zero_is_a_caller", { .return_address = 1 }, false, STOP_ZERO_RETURN, false },
	{ "circle", { .return_address = CALLER }, false, STOP_NO_PROGRESS, true },
	{ "circle_is_its_end", { .outermost = true }, false, STOP_NO_PROGRESS, false },
	{ "circle_is_unreadable", { .unreadable = true }, false, STOP_NO_PROGRESS, false },
	{ "no_row", { .outermost = true }, false, STOP_NO_ROW, false },
};

START_TEST(referee_agrees_with_the_reader)
{
	uint64_t pc[] = { 1, 2, CALLER };
	const struct stack cfi = { .pc = pc,
				   .count = 2 + agree_cases[_i].goes_on,
				   .stop = agree_cases[_i].stop };

	ck_assert_msg(referee_agrees(&agree_cases[_i].step, &cfi, 2) == agree_cases[_i].agrees,
		      "%s", agree_cases[_i].name);
}
END_TEST

#define UNDECIDED VERDICT_UNEXPLAINED

static const struct {
	const char *name;
	struct referee_step step;
	uint64_t truth, cfi; /* behind the frames that agree; 0: it ends there */
	uint32_t stop;	     /* of ours */
	uint64_t actual_cfa;
	bool overwritten, ambiguous;
	enum verdict verdict;
	enum fault_kind kind;
} reading_cases[] = {
	{ "truth", STEP(.return_address = 8), 8, 9, .verdict = VERDICT_READER_FAULT },
	{ "truth_s_end", STEP(.outermost = true), 0, 9, .verdict = VERDICT_READER_FAULT },
	{ "truth_of_what_is_ambiguous", STEP(.return_address = 8), 8, 9, .ambiguous = true,
	  .verdict = VERDICT_UNPROVEN },
	{ "truth_but_for_the_end", STEP(.return_address = 8, .outermost = true), 8, 9,
	  .verdict = UNDECIDED, .kind = FAULT_MISSING },
	{ "truth_but_for_the_memory", STEP(.return_address = 8, .unreadable = true), 8, 9,
	  .verdict = UNDECIDED, .kind = FAULT_MISSING },
	{ "what_ours_read", STEP(.return_address = 9), 8, 9, FAULT(WRONG) },
	{ "what_ours_read_of_what_is_overwritten", STEP(.return_address = 9), 8, 9,
	  .overwritten = true, FAULT(OVERWRITTEN) },
	{ "neither", STEP(.return_address = 7), 8, 9, .verdict = UNDECIDED, .kind = FAULT_MISSING },
	{ "no_end", STEP(.return_address = 9), 0, 9, FAULT(NO_END) },
	{ "early_end", STEP(.outermost = true), 8, 0, .stop = STOP_COMPLETE, FAULT(EARLY_END) },
	{ "unreadable_is_no_end", STEP(.unreadable = true), 8, 0, .stop = STOP_READ_FAULT,
	  FAULT(WRONG) },
	{ "unreadable_where_the_truth_ends", STEP(.unreadable = true), 0, 0,
	  .stop = STOP_READ_FAULT, FAULT(NO_END) },
	/* A recursion: the caller's PC is right, and its frame is not. */
	{ "circle", STEP(.return_address = 8, .cfa = 0x7010), 8, 0, .stop = STOP_NO_PROGRESS,
	  .actual_cfa = 0x7020, FAULT(WRONG) },
	{ "circle_of_the_true_frame", STEP(.return_address = 8, .cfa = 0x7020), 8, 0,
	  .stop = STOP_NO_PROGRESS, .actual_cfa = 0x7020, .verdict = VERDICT_READER_FAULT },
	{ "circle_of_a_frame_that_is_not_known", STEP(.return_address = 8, .cfa = 0x7010), 8, 0,
	  .stop = STOP_NO_PROGRESS, .verdict = VERDICT_READER_FAULT },
	{ "no_circle", STEP(.return_address = 8, .cfa = 0x7010), 8, 9, .stop = STOP_NO_PROGRESS,
	  .actual_cfa = 0x7020, .verdict = VERDICT_READER_FAULT },
	{ "end_at_another_frame", STEP(.return_address = 8, .cfa = 0x7010), 8, 0,
	  .stop = STOP_COMPLETE, .actual_cfa = 0x7020, .verdict = VERDICT_READER_FAULT },
};

START_TEST(referee_reads_the_truth_or_what_ours_read)
{
	uint64_t true_pc[] = { 1, reading_cases[_i].truth },
		 our_pc[] = { 1, reading_cases[_i].cfi };
	const struct stack truth = { .pc = true_pc, .count = 1 + (true_pc[1] > 0) };
	const struct stack cfi = { .pc = our_pc,
				   .count = 1 + (our_pc[1] > 0),
				   .stop = reading_cases[_i].stop };
	bool ambiguous = reading_cases[_i].ambiguous;
	struct judgement judgement = { .verdict = UNDECIDED,
				       .kind = FAULT_MISSING,
				       .actual_cfa = reading_cases[_i].actual_cfa };

	setup(ambiguous ? make_overlapping_fdes : make_fdes);
	judgement.pc = world.base + (ambiguous ? OVERLAPPED : ORDINARY);
	world.evidence.truth = &truth;
	world.evidence.cfi = &cfi;
	world.frame[1].slot = SP;
	world.words[0] = world.frame[1].return_address = 8;
	world.words[0] += reading_cases[_i].overwritten;
	judge_reading(&world.evidence, world.referee, &reading_cases[_i].step, 1, &judgement);
	ck_assert_msg(judgement.verdict == reading_cases[_i].verdict &&
			      judgement.kind == reading_cases[_i].kind,
		      "%s: %s, %s", reading_cases[_i].name, verdict_name(judgement.verdict),
		      fault_kind_name(judgement.kind));
	teardown();
}
END_TEST

/* ---- bpf and its twin -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t bpf_stop, table_stop, bpf_count, table_count;
	int changed; /* the frame; -1: none */
	bool untouched, may_be_absent;
} twin_cases[] = {
	{ "untouched_page", STOP_READ_FAULT, STOP_ZERO_RETURN, 3, 3, -1, true, true },
	{ "of_other_frames", STOP_READ_FAULT, STOP_ZERO_RETURN, 3, 3, 2, false, false },
	{ "of_fewer_frames", STOP_READ_FAULT, STOP_ZERO_RETURN, 2, 3, -1, false, true },
	{ "of_more_frames", STOP_READ_FAULT, STOP_ZERO_RETURN, 3, 2, -1, false, false },
	{ "of_no_frames", STOP_READ_FAULT, STOP_ZERO_RETURN, 0, 0, -1, false, true },
	{ "table_goes_on", STOP_READ_FAULT, STOP_COMPLETE, 3, 3, -1, false, true },
	{ "bpf_reads", STOP_ZERO_RETURN, STOP_ZERO_RETURN, 3, 3, -1, false, false },
};

START_TEST(page_that_nobody_has_touched)
{
	uint64_t pc[] = { 1, 2, 3 }, other[] = { 1, 2, 3 };
	const struct stack table = { .pc = pc,
				     .count = twin_cases[_i].table_count,
				     .stop = twin_cases[_i].table_stop };
	const struct stack bpf = { .pc = other,
				   .count = twin_cases[_i].bpf_count,
				   .stop = twin_cases[_i].bpf_stop };
	struct trace_stop stop = { .looked = true };
	const struct point point = { .stop = &stop };
	const struct evidence evidence = { .point = &point };

	if (twin_cases[_i].changed >= 0)
		other[twin_cases[_i].changed]++;
	ck_assert_msg(is_untouched(&bpf, &table) == twin_cases[_i].untouched, "%s",
		      twin_cases[_i].name);
	ck_assert_msg(may_be_absent(&evidence, &bpf, &table) == twin_cases[_i].may_be_absent, "%s",
		      twin_cases[_i].name);
	stop.looked = false;
	ck_assert(!may_be_absent(&evidence, &bpf, &table));
}
END_TEST

SUITE(verdict_parts, TEST(markers_are_flags), TEST(reader_ends_at_what_is_malformed),
      LOOP(rule_looks_at_registers, rule_cases), TEST(rows_are_looked_up),
      TEST(frame_is_reached_by_its_rows), TEST(interrupted_frame_is_reached_where_it_goes_on),
      TEST(cfa_is_above_the_slot), LOOP(frame_before_should_be_a_signal_s, flag_cases),
      LOOP(referee_agrees_with_the_reader, agree_cases),
      LOOP(referee_reads_the_truth_or_what_ours_read, reading_cases),
      LOOP(page_that_nobody_has_touched, twin_cases))
