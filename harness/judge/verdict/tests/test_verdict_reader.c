/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_reader.c - the CFI is wrong, or our reading of it: of one frame's row
 *
 * The referee reads the same file. So what it says is known, too: each case is a row, where the
 * truth goes on and where ours does.
 */
#include "tests/suite.h"
#include "verdict_world.h"

#define UNMAPPED 0x10
#define NOWHERE	 0x30 /* a caller that nobody else names */

static const struct reader_case {
	const char *name;
	uint64_t pc;	   /* of the innermost frame, in the image; or UNMAPPED */
	uint64_t words[2]; /* on the stack: where the row's frame returns; 0: NOWHERE + 8 */
	uint32_t frames;   /* that agree */
	uint64_t truth;	   /* the next caller; 0: the truth ends */
	uint64_t cfi;	   /* the same of ours */
	uint32_t stop;
	uint32_t unknown; /* registers */
	int wrong;	  /* the callee-saved register that the truth has otherwise, + 1 */
	bool interrupted; /* the frame at hand goes on where it was interrupted */
	int overwritten;  /* the frame whose return address is another by now, + 1 */
	uint64_t r12;	  /* another than the truth's */
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame;
	uint64_t at; /* what is accused, in the image */
	uint64_t declared, actual;
} cases[] = {
	{ .name = "nothing_agrees",
	  .pc = ORDINARY,
	  .truth = NOWHERE,
	  .cfi = NOWHERE,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = ORDINARY },
	{ .name = "frame_that_can_not_be_reached",
	  .pc = UNCOVERED,
	  .frames = 2,
	  .truth = NOWHERE,
	  .verdict = VERDICT_UNEXPLAINED,
	  .frame = 1,
	  .at = UNCOVERED + 8 },
	{ .name = "unmapped",
	  .pc = UNMAPPED,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_NO_MAPPING,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = UNMAPPED,
	  .actual = SP + 8 },
	{ .name = "of_no_file",
	  .pc = ANONYMOUS,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_NO_ROW,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MISSING,
	  .at = ANONYMOUS,
	  .actual = SP + 8 },
	{ .name = "missing",
	  .pc = UNCOVERED,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_NO_ROW,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MISSING,
	  .at = UNCOVERED,
	  .actual = SP + 8 },
	{ .name = "malformed",
	  .pc = MALFORMED,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_MALFORMED,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MALFORMED,
	  .at = MALFORMED,
	  .actual = SP + 8 },
	{ .name = "beyond",
	  .pc = CFA_BEYOND,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_UNSUPPORTED_EXPRESSION,
	  .verdict = VERDICT_UNPROVEN,
	  .kind = FAULT_MALFORMED,
	  .at = CFA_BEYOND,
	  .actual = SP + 8 },
	{ .name = "not_malformed_as_the_referee_reads_the_truth",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE + 8,
	  .stop = STOP_MALFORMED,
	  .verdict = VERDICT_READER_FAULT,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "malformed_as_the_referee_reads_no_truth",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_MALFORMED,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MALFORMED,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "wrong",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "ours_is_wrong",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE + 8,
	  .cfi = NOWHERE,
	  .verdict = VERDICT_READER_FAULT,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "ours_can_not_read_what_the_referee_reads",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE + 8,
	  .stop = STOP_READ_FAULT,
	  .verdict = VERDICT_READER_FAULT,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "ours_lost_a_register_that_the_referee_has",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_REGISTER_UNKNOWN,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "all_are_different",
	  .pc = ORDINARY,
	  .frames = 1,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 1,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = ORDINARY,
	  .declared = SP + 8,
	  .actual = SP + 8 },
	{ .name = "no_end",
	  .pc = ORDINARY,
	  .frames = 1,
	  .cfi = NOWHERE + 8,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_NO_END,
	  .at = ORDINARY,
	  .declared = SP + 8 },
	{ .name = "of_the_second_frame",
	  .pc = ORDINARY,
	  .words = { LARGER + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .frame = 1,
	  .at = LARGER + 7,
	  .declared = SP + 24,
	  .actual = SP + 24 },
	/* What is asked of the innermost frame is asked of a caller by its own row and slot. */
	{ .name = "overwritten_second_frame",
	  .pc = ORDINARY,
	  .words = { LARGER + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .overwritten = 2,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_OVERWRITTEN,
	  .frame = 1,
	  .at = LARGER + 7,
	  .declared = SP + 24,
	  .actual = SP + 24 },
	{ .name = "overwritten_frame_above_it",
	  .pc = ORDINARY,
	  .words = { LARGER + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .overwritten = 1,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .frame = 1,
	  .at = LARGER + 7,
	  .declared = SP + 24,
	  .actual = SP + 24 },
	{ .name = "ours_is_wrong_of_the_second_frame",
	  .pc = ORDINARY,
	  .words = { LARGER + 8 },
	  .frames = 2,
	  .truth = NOWHERE + 8,
	  .cfi = NOWHERE,
	  .verdict = VERDICT_READER_FAULT,
	  .frame = 1,
	  .at = LARGER + 7,
	  .declared = SP + 24,
	  .actual = SP + 24 },
	{ .name = "no_end_of_the_second_frame",
	  .pc = ORDINARY,
	  .words = { LARGER + 8 },
	  .frames = 2,
	  .cfi = NOWHERE + 8,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_NO_END,
	  .frame = 1,
	  .at = LARGER + 7,
	  .declared = SP + 24 },
	{ .name = "missing_second_frame",
	  .pc = ORDINARY,
	  .words = { UNCOVERED + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_NO_ROW,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MISSING,
	  .frame = 1,
	  .at = UNCOVERED + 7,
	  .actual = SP + 24 },
	{ .name = "second_frame_of_no_file",
	  .pc = ORDINARY,
	  .words = { ANONYMOUS + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_NO_ROW,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MISSING,
	  .frame = 1,
	  .at = ANONYMOUS + 7,
	  .actual = SP + 24 },
	{ .name = "unmapped_second_frame",
	  .pc = ORDINARY,
	  .words = { UNMAPPED + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_NO_MAPPING,
	  .verdict = VERDICT_UNEXPLAINED,
	  .frame = 1,
	  .at = UNMAPPED + 7,
	  .actual = SP + 24 },
	{ .name = "malformed_second_frame",
	  .pc = ORDINARY,
	  .words = { MALFORMED + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_MALFORMED,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_MALFORMED,
	  .frame = 1,
	  .at = MALFORMED + 7,
	  .actual = SP + 24 },
	{ .name = "second_frame_beyond",
	  .pc = ORDINARY,
	  .words = { CFA_BEYOND + 8 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_UNSUPPORTED_EXPRESSION,
	  .verdict = VERDICT_UNPROVEN,
	  .kind = FAULT_MALFORMED,
	  .frame = 1,
	  .at = CFA_BEYOND + 7,
	  .actual = SP + 24 },
	{ .name = "signal_s_frame",
	  .pc = ORDINARY,
	  .words = { LARGER },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .interrupted = true,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_SIGNAL_FLAG,
	  .at = ORDINARY },
	/* What hangs on a register. */
	{ .name = "register_that_is_lost",
	  .pc = BY_RBX,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_REGISTER_UNKNOWN,
	  .unknown = 1u << RBX,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .at = BY_RBX,
	  .actual = SP + 8 },
	{ .name = "memory_that_is_not_there",
	  .pc = BY_RBX,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_READ_FAULT,
	  .unknown = 1u << RBX,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .at = BY_RBX,
	  .actual = SP + 8 },
	{ .name = "register_that_is_lost_to_the_referee_alone",
	  .pc = BY_RBX,
	  .frames = 1,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .stop = STOP_READ_FAULT,
	  .unknown = 1u << RBX,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = BY_RBX,
	  .actual = SP + 8 },
	{ .name = "another_reason_where_a_register_is_lost",
	  .pc = BY_RBX,
	  .frames = 1,
	  .truth = NOWHERE,
	  .stop = STOP_ZERO_RETURN,
	  .unknown = 1u << RBX,
	  .verdict = VERDICT_UNEXPLAINED,
	  .at = BY_RBX,
	  .actual = SP + 8 },
	{ .name = "register_of_the_cfa",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .wrong = 1 + 0,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_REGISTER,
	  .at = ORDINARY },
	{ .name = "register_of_the_return_address",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .wrong = 1 + 2,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_REGISTER,
	  .at = ORDINARY },
	{ .name = "register_of_neither",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .cfi = NOWHERE + 8,
	  .wrong = 1 + 3,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_WRONG,
	  .frame = 1,
	  .at = BY_RBX + 3,
	  .declared = SP + 16,
	  .actual = SP + 24 },
	/* Of an end that is missing the row says so itself, whatever its registers are. */
	{ .name = "register_of_what_does_not_end",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .cfi = NOWHERE + 8,
	  .wrong = 1 + 0,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_NO_END,
	  .frame = 1,
	  .at = BY_RBX + 3,
	  .declared = SP + 16 },
	{ .name = "register_that_leads_nowhere",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_READ_FAULT,
	  .r12 = 0x10,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_REGISTER,
	  .at = ORDINARY },
	{ .name = "register_of_what_is_lost",
	  .pc = ORDINARY,
	  .words = { BY_RBX + 4 },
	  .frames = 2,
	  .truth = NOWHERE,
	  .stop = STOP_REGISTER_UNKNOWN,
	  .unknown = 1u << RBX,
	  .wrong = 1 + 0,
	  .verdict = VERDICT_TABLE_FAULT,
	  .kind = FAULT_REGISTER,
	  .at = ORDINARY },
};

static uint64_t in_image(uint64_t pc)
{
	return pc >= ORDINARY ? world.base + pc : pc;
}

START_TEST(cfi_or_reader)
{
	const struct reader_case *c = &cases[_i];
	uint64_t true_pc[3] = { 0 }, our_pc[3] = { 0 };
	struct stack truth = { .pc = true_pc }, cfi = { .pc = our_pc, .stop = c->stop };
	struct judgement got = { .verdict = VERDICT_EXACT, .frame = 99, .pc = 99 };

	setup(make_fdes);
	world.regs.value[REGISTER_RIP] = world.stop.regs.value[REGISTER_RIP] = in_image(c->pc);
	world.regs.known &= ~c->unknown;
	/* Ordinary frames: rsp + 8, and rsp + 16 behind it. Those of BY_RBX: rbx + 8, *(r12). */
	world.words[0] = c->words[0] ? in_image(c->words[0]) : NOWHERE + 8;
	world.words[1] = world.words[2] = NOWHERE + 8;
	world.regs.value[RBX] = SP + 8;
	world.regs.value[R12] = c->r12 ? c->r12 : SP + 16;
	/* Where no frame agrees, the thread is where it stopped, whatever the engines were given. */
	if (!c->frames)
		world.regs.value[REGISTER_RIP] = in_image(LARGER);
	world.frame[1] = (struct shadow_frame) { .slot = SP, .return_address = world.words[0] };
	world.frame[0] = (struct shadow_frame) { .slot = SP + 16, .return_address = NOWHERE + 8 };
	world.frame[1].callee_saved[0] = SP + 8;
	world.frame[1].callee_saved[2] = SP + 16;
	if (c->wrong)
		world.frame[1].callee_saved[c->wrong - 1]++;
	world.frame[1].interrupted = c->interrupted;
	if (c->overwritten)
		world.frame[2 - c->overwritten].return_address++;
	true_pc[0] = our_pc[0] = in_image(c->pc);
	true_pc[1] = our_pc[1] = c->words[0] ? in_image(c->words[0]) : in_image(c->pc) + 8;
	true_pc[c->frames] = c->truth;
	our_pc[c->frames] = c->cfi;
	truth.count = c->frames + (c->truth > 0);
	cfi.count = c->frames + (c->cfi > 0);
	world.evidence.truth = &truth;
	world.evidence.cfi = &cfi;
	judge_reader(&world.evidence, world.referee, c->frames, &got);
	ck_assert_msg(got.verdict == c->verdict && got.kind == c->kind, "%s: %s, %s", c->name,
		      verdict_name(got.verdict), fault_kind_name(got.kind));
	ck_assert_msg(got.frame == c->frame && got.pc == in_image(c->at), "%s: frame %u, 0x%lx",
		      c->name, got.frame, got.pc - world.base);
	ck_assert_uint_eq(got.stop, c->stop);
	ck_assert_msg(got.declared_cfa == c->declared && got.actual_cfa == c->actual,
		      "%s: 0x%lx, 0x%lx", c->name, got.declared_cfa, got.actual_cfa);
	teardown();
}
END_TEST

/* What the referee does not find, where our reader finds an FDE. */
static const struct {
	const char *name;
	bool hidden; /* there is an FDE without any code, too */
	uint64_t pc;
	uint32_t stop;
	struct referee_step step;
	enum verdict verdict;
	enum fault_kind kind;
} unfound[] = {
	{ "not_found",
	  false,
	  ORDINARY,
	  STOP_COMPLETE,
	  { .known = true, .no_cfi = true },
	  VERDICT_READER_FAULT,
	  FAULT_NONE },
	{ "hidden",
	  true,
	  OVERLAPPED,
	  STOP_COMPLETE,
	  { .known = true, .no_cfi = true },
	  VERDICT_UNPROVEN,
	  FAULT_NONE },
	{ "malformed",
	  false,
	  MALFORMED,
	  STOP_MALFORMED,
	  { .known = true, .no_cfi = true },
	  VERDICT_TABLE_FAULT,
	  FAULT_MALFORMED },
	{ "beyond",
	  false,
	  CFA_BEYOND,
	  STOP_UNSUPPORTED_EXPRESSION,
	  { .known = true, .no_cfi = true },
	  VERDICT_UNPROVEN,
	  FAULT_MALFORMED },
	{ "can_not_say",
	  false,
	  ORDINARY,
	  STOP_COMPLETE,
	  { .known = false, .outermost = true },
	  VERDICT_UNEXPLAINED,
	  FAULT_NONE },
	{ "missing_and_found",
	  false,
	  UNCOVERED,
	  STOP_NO_ROW,
	  { .known = true },
	  VERDICT_READER_FAULT,
	  FAULT_NONE },
	{ "missing_to_both",
	  false,
	  UNCOVERED,
	  STOP_NO_ROW,
	  { .known = true, .no_cfi = true },
	  VERDICT_TABLE_FAULT,
	  FAULT_MISSING },
	{ "missing_and_it_can_not_say",
	  false,
	  UNCOVERED,
	  STOP_NO_ROW,
	  { .known = false },
	  VERDICT_TABLE_FAULT,
	  FAULT_MISSING },
	{ "stuck",
	  false,
	  ORDINARY,
	  STOP_READ_FAULT,
	  { .stuck = true },
	  VERDICT_TABLE_FAULT,
	  FAULT_WRONG },
	{ "stuck_beyond",
	  false,
	  CFA_BEYOND,
	  STOP_READ_FAULT,
	  { .stuck = true },
	  VERDICT_UNPROVEN,
	  FAULT_WRONG },
};

/* At the innermost frame, or at its caller, where the innermost one's row is an ordinary one. */
static void check_unfound(int row, bool is_caller)
{
	uint64_t true_pc[] = { 0, 0, NOWHERE }, *at = true_pc + !is_caller, inner;
	struct stack truth = { .pc = at, .count = 2 + is_caller };
	struct stack cfi = { .pc = at, .count = 1 + is_caller, .stop = unfound[row].stop };
	struct judgement got = { .verdict = VERDICT_EXACT };

	setup(unfound[row].hidden ? make_overlapping_fdes : make_fdes);
	inner = world.base + (unfound[row].hidden ? OVERLAPPED - 8 : ORDINARY);
	world.step = &unfound[row].step;
	true_pc[0] = inner;
	true_pc[1] = world.base + unfound[row].pc + (is_caller ? 8 : 0);
	world.regs.value[REGISTER_RIP] = at[0];
	world.frame[0] = (struct shadow_frame) { .slot = SP + 8, .return_address = NOWHERE };
	world.frame[1] = (struct shadow_frame) { .slot = SP,
						 .return_address = true_pc[1 + !is_caller] };
	world.words[0] = true_pc[1 + !is_caller];
	world.words[1] = NOWHERE;
	world.evidence.truth = &truth;
	world.evidence.cfi = &cfi;
	judge_reader(&world.evidence, world.referee, 1 + is_caller, &got);
	ck_assert_msg(got.verdict == unfound[row].verdict && got.kind == unfound[row].kind,
		      "%s, %d: %s, %s", unfound[row].name, is_caller, verdict_name(got.verdict),
		      fault_kind_name(got.kind));
	ck_assert_uint_eq(got.frame, is_caller);
	ck_assert_uint_eq(got.pc, true_pc[1] - is_caller);
	teardown();
}

START_TEST(referee_does_not_find_it)
{
	check_unfound(_i, false);
	check_unfound(_i, true);
}
END_TEST

SUITE(verdict_reader, LOOP(cfi_or_reader, cases), LOOP(referee_does_not_find_it, unfound))
