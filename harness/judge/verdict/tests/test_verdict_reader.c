/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_reader.c - the CFI is wrong, or our reading of it: of one frame's row
 *
 * The referee reads the same file. So what it says is known, too: each case is a row, where the
 * truth goes on and where ours does.
 */
#include "tests/suite.h"
#include "verdict_words.h"
#include "verdict_world.h"

#define UNMAPPED 0x10
#define NOWHERE	 0x30 /* a caller that nobody else names */

/* Our row of the innermost frame, or of its caller behind an ordinary one; then where the truth goes on, and ours. */
#define INNERMOST(pc_, truth_, cfi_) .pc = (pc_), .frames = 1, .truth = (truth_), .cfi = (cfi_)
#define CALLER(word_, truth_, cfi_)                                                                \
	.pc = ORDINARY, .words = { word_ }, .frames = 2, .truth = (truth_), .cfi = (cfi_)
/* Which frame, what in the image, and the CFA: as declared, and as it was. */
#define ACCUSED(frame_, at_, declared_, actual_)                                                   \
	.frame = (frame_), .at = (at_), .declared = (declared_), .actual = (actual_)

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
	{ "nothing_agrees", .pc = ORDINARY, .truth = NOWHERE, .cfi = NOWHERE,
	  .verdict = VERDICT_UNEXPLAINED, ACCUSED(0, ORDINARY, 0, 0) },
	{ "frame_that_can_not_be_reached", .pc = UNCOVERED, .frames = 2, .truth = NOWHERE,
	  .verdict = VERDICT_UNEXPLAINED, ACCUSED(1, UNCOVERED + 8, 0, 0) },
	{ "unmapped", INNERMOST(UNMAPPED, NOWHERE, 0), .stop = STOP_NO_MAPPING,
	  .verdict = VERDICT_UNEXPLAINED, ACCUSED(0, UNMAPPED, 0, SP + 8) },
	{ "of_no_file", INNERMOST(ANONYMOUS, NOWHERE, 0), .stop = STOP_NO_ROW, FAULT(MISSING),
	  ACCUSED(0, ANONYMOUS, 0, SP + 8) },
	{ "missing", INNERMOST(UNCOVERED, NOWHERE, 0), .stop = STOP_NO_ROW, FAULT(MISSING),
	  ACCUSED(0, UNCOVERED, 0, SP + 8) },
	{ "malformed", INNERMOST(MALFORMED, NOWHERE, 0), .stop = STOP_MALFORMED, FAULT(MALFORMED),
	  ACCUSED(0, MALFORMED, 0, SP + 8) },
	{ "beyond", INNERMOST(CFA_BEYOND, NOWHERE, 0), .stop = STOP_UNSUPPORTED_EXPRESSION,
	  .verdict = VERDICT_UNPROVEN, .kind = FAULT_MALFORMED, ACCUSED(0, CFA_BEYOND, 0, SP + 8) },
	{ "not_malformed_as_the_referee_reads_the_truth", INNERMOST(ORDINARY, NOWHERE + 8, 0),
	  .stop = STOP_MALFORMED, .verdict = VERDICT_READER_FAULT,
	  ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "malformed_as_the_referee_reads_no_truth", INNERMOST(ORDINARY, NOWHERE, 0),
	  .stop = STOP_MALFORMED, FAULT(MALFORMED), ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "wrong", INNERMOST(ORDINARY, NOWHERE, NOWHERE + 8), FAULT(WRONG),
	  ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "ours_is_wrong", INNERMOST(ORDINARY, NOWHERE + 8, NOWHERE),
	  .verdict = VERDICT_READER_FAULT, ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "ours_can_not_read_what_the_referee_reads", INNERMOST(ORDINARY, NOWHERE + 8, 0),
	  .stop = STOP_READ_FAULT, .verdict = VERDICT_READER_FAULT,
	  ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "ours_lost_a_register_that_the_referee_has", INNERMOST(ORDINARY, NOWHERE, 0),
	  .stop = STOP_REGISTER_UNKNOWN, .verdict = VERDICT_UNEXPLAINED,
	  ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "all_are_different", INNERMOST(ORDINARY, NOWHERE, NOWHERE + 1),
	  .verdict = VERDICT_UNEXPLAINED, ACCUSED(0, ORDINARY, SP + 8, SP + 8) },
	{ "no_end", INNERMOST(ORDINARY, 0, NOWHERE + 8), FAULT(NO_END),
	  ACCUSED(0, ORDINARY, SP + 8, 0) },
	{ "of_the_second_frame", CALLER(LARGER + 8, NOWHERE, NOWHERE + 8), FAULT(WRONG),
	  ACCUSED(1, LARGER + 7, SP + 24, SP + 24) },
	/* What is asked of the innermost frame is asked of a caller by its own row and slot. */
	{ "overwritten_second_frame", CALLER(LARGER + 8, NOWHERE, NOWHERE + 8), .overwritten = 2,
	  FAULT(OVERWRITTEN), ACCUSED(1, LARGER + 7, SP + 24, SP + 24) },
	{ "overwritten_frame_above_it", CALLER(LARGER + 8, NOWHERE, NOWHERE + 8), .overwritten = 1,
	  FAULT(WRONG), ACCUSED(1, LARGER + 7, SP + 24, SP + 24) },
	{ "ours_is_wrong_of_the_second_frame", CALLER(LARGER + 8, NOWHERE + 8, NOWHERE),
	  .verdict = VERDICT_READER_FAULT, ACCUSED(1, LARGER + 7, SP + 24, SP + 24) },
	{ "no_end_of_the_second_frame", CALLER(LARGER + 8, 0, NOWHERE + 8), FAULT(NO_END),
	  ACCUSED(1, LARGER + 7, SP + 24, 0) },
	{ "missing_second_frame", CALLER(UNCOVERED + 8, NOWHERE, 0), .stop = STOP_NO_ROW,
	  FAULT(MISSING), ACCUSED(1, UNCOVERED + 7, 0, SP + 24) },
	{ "second_frame_of_no_file", CALLER(ANONYMOUS + 8, NOWHERE, 0), .stop = STOP_NO_ROW,
	  FAULT(MISSING), ACCUSED(1, ANONYMOUS + 7, 0, SP + 24) },
	{ "unmapped_second_frame", CALLER(UNMAPPED + 8, NOWHERE, 0), .stop = STOP_NO_MAPPING,
	  .verdict = VERDICT_UNEXPLAINED, ACCUSED(1, UNMAPPED + 7, 0, SP + 24) },
	{ "malformed_second_frame", CALLER(MALFORMED + 8, NOWHERE, 0), .stop = STOP_MALFORMED,
	  FAULT(MALFORMED), ACCUSED(1, MALFORMED + 7, 0, SP + 24) },
	{ "second_frame_beyond", CALLER(CFA_BEYOND + 8, NOWHERE, 0),
	  .stop = STOP_UNSUPPORTED_EXPRESSION, .verdict = VERDICT_UNPROVEN, .kind = FAULT_MALFORMED,
	  ACCUSED(1, CFA_BEYOND + 7, 0, SP + 24) },
	{ "signal_s_frame", CALLER(LARGER, NOWHERE, NOWHERE + 8), .interrupted = true,
	  FAULT(SIGNAL_FLAG), ACCUSED(0, ORDINARY, 0, 0) },
	/* What hangs on a register. */
	{ "register_that_is_lost", INNERMOST(BY_RBX, NOWHERE, 0), .stop = STOP_REGISTER_UNKNOWN,
	  .unknown = 1u << RBX, FAULT(WRONG), ACCUSED(0, BY_RBX, 0, SP + 8) },
	{ "memory_that_is_not_there", INNERMOST(BY_RBX, NOWHERE, 0), .stop = STOP_READ_FAULT,
	  .unknown = 1u << RBX, FAULT(WRONG), ACCUSED(0, BY_RBX, 0, SP + 8) },
	{ "register_that_is_lost_to_the_referee_alone", INNERMOST(BY_RBX, NOWHERE, NOWHERE + 8),
	  .stop = STOP_READ_FAULT, .unknown = 1u << RBX, .verdict = VERDICT_UNEXPLAINED,
	  ACCUSED(0, BY_RBX, 0, SP + 8) },
	{ "another_reason_where_a_register_is_lost", INNERMOST(BY_RBX, NOWHERE, 0),
	  .stop = STOP_ZERO_RETURN, .unknown = 1u << RBX, .verdict = VERDICT_UNEXPLAINED,
	  ACCUSED(0, BY_RBX, 0, SP + 8) },
	{ "register_of_the_cfa", CALLER(BY_RBX + 4, NOWHERE, NOWHERE + 8), .wrong = 1 + 0,
	  FAULT(REGISTER), ACCUSED(0, ORDINARY, 0, 0) },
	{ "register_of_the_return_address", CALLER(BY_RBX + 4, NOWHERE, NOWHERE + 8),
	  .wrong = 1 + 2, FAULT(REGISTER), ACCUSED(0, ORDINARY, 0, 0) },
	{ "register_of_neither", CALLER(BY_RBX + 4, NOWHERE, NOWHERE + 8), .wrong = 1 + 3,
	  FAULT(WRONG), ACCUSED(1, BY_RBX + 3, SP + 16, SP + 24) },
	/* Of an end that is missing the row says so itself, whatever its registers are. */
	{ "register_of_what_does_not_end", CALLER(BY_RBX + 4, 0, NOWHERE + 8), .wrong = 1 + 0,
	  FAULT(NO_END), ACCUSED(1, BY_RBX + 3, SP + 16, 0) },
	{ "register_that_leads_nowhere", CALLER(BY_RBX + 4, NOWHERE, 0), .stop = STOP_READ_FAULT,
	  .r12 = 0x10, FAULT(REGISTER), ACCUSED(0, ORDINARY, 0, 0) },
	{ "register_of_what_is_lost", CALLER(BY_RBX + 4, NOWHERE, 0), .stop = STOP_REGISTER_UNKNOWN,
	  .unknown = 1u << RBX, .wrong = 1 + 0, FAULT(REGISTER), ACCUSED(0, ORDINARY, 0, 0) },
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
	{ "not_found", false, ORDINARY, STOP_COMPLETE, STEP(.known = true, .no_cfi = true),
	  VERDICT_READER_FAULT, FAULT_NONE },
	{ "hidden", true, OVERLAPPED, STOP_COMPLETE, STEP(.known = true, .no_cfi = true),
	  VERDICT_UNPROVEN, FAULT_NONE },
	{ "malformed", false, MALFORMED, STOP_MALFORMED, STEP(.known = true, .no_cfi = true),
	  VERDICT_TABLE_FAULT, FAULT_MALFORMED },
	{ "beyond", false, CFA_BEYOND, STOP_UNSUPPORTED_EXPRESSION,
	  STEP(.known = true, .no_cfi = true), VERDICT_UNPROVEN, FAULT_MALFORMED },
	{ "can_not_say", false, ORDINARY, STOP_COMPLETE, STEP(.known = false, .outermost = true),
	  VERDICT_UNEXPLAINED, FAULT_NONE },
	{ "missing_and_found", false, UNCOVERED, STOP_NO_ROW, STEP(.known = true),
	  VERDICT_READER_FAULT, FAULT_NONE },
	{ "missing_to_both", false, UNCOVERED, STOP_NO_ROW, STEP(.known = true, .no_cfi = true),
	  VERDICT_TABLE_FAULT, FAULT_MISSING },
	{ "missing_and_it_can_not_say", false, UNCOVERED, STOP_NO_ROW, STEP(.known = false),
	  VERDICT_TABLE_FAULT, FAULT_MISSING },
	{ "stuck", false, ORDINARY, STOP_READ_FAULT, STEP(.stuck = true), VERDICT_TABLE_FAULT,
	  FAULT_WRONG },
	{ "stuck_beyond", false, CFA_BEYOND, STOP_READ_FAULT, STEP(.stuck = true), VERDICT_UNPROVEN,
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
