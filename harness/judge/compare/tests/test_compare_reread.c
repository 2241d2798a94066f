/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_reread.c - which steps are made again, with what, and what they must come to
 *
 * The point is made up (compare_world.h). Where memory is read anew, this process is the one at
 * hand: its stack is an array here. What a doubt makes of the answer is test_doubt.c's.
 */
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare_reread.c"
#include "compare_world.h"

#define RETURN_A (CODE_A + 0x10)
#define RETURN_B (CODE_B + 0x10)

static void setup(struct world *w)
{
	world_init(w, BIAS, world_fdes);
	w->regs.value[REGISTER_RIP] = CODE_A + 4;
	w->regs.value[REGISTER_RSP] = STACK;
	w->stack[0] = RETURN_B;
	w->stack[1] = RETURN_A;
}

/* ---- whether ------------------------------------------------------------------------------ */

static const struct {
	uint64_t pc;
	bool reads;
} rows[] = {
	{ CODE_A, false },	    { CFA_BY_WORD, true },   { RIP_BY_WORD, true },
	{ CFA_COMPUTED, false },    { RIP_COMPUTED, false }, { RIP_BY_BYTE, true },
	{ NO_CODE, false },	    { BIAS - 1, false }, /* no mapping */
	{ BIAS + 2 * PAGE, false },			 /* no image */
};

START_TEST(row_reads_words)
{
	struct world w;

	setup(&w);
	ck_assert_uint_eq(reads_words(&w.space, rows[_i].pc), rows[_i].reads);
	world_deinit(&w);
}
END_TEST

static const struct {
	const char *name;
	enum fault_kind kind;
	uint32_t frame;
	uint64_t pc, saved_at;
	bool has_frame, asked;
} questions[] = {
	{ "own_function_has_not_saved_it", FAULT_REGISTER, 0, CODE_A, STACK - 1, true, false },
	{ "own_function_has_saved_it", FAULT_REGISTER, 0, CODE_A, STACK, true, true },
	{ "register_of_a_caller", FAULT_REGISTER, 1, CODE_A, STACK - 1, true, true },
	{ "register_of_the_root", FAULT_REGISTER, 1, CODE_A, 0, false, true },
	{ "caller_by_a_word", FAULT_WRONG, 1, CFA_BY_WORD, 0, true, true },
	{ "own_caller_by_a_word", FAULT_WRONG, 0, CFA_BY_WORD, 0, true, false },
	{ "caller_of_the_root", FAULT_WRONG, 1, CFA_BY_WORD, 0, false, false },
	{ "caller_by_no_word", FAULT_WRONG, 1, CODE_A, 0, true, false },
	{ "flag_by_a_word", FAULT_SIGNAL_FLAG, 1, CFA_BY_WORD, 0, true, false },
	{ "flag_by_no_word", FAULT_SIGNAL_FLAG, 1, CODE_A, 0, true, false },
};

START_TEST(step_is_made_again_where_words_were_read)
{
	const struct shadow_frame frame = { .slot = STACK };
	const struct judgement judgement = { .kind = questions[_i].kind,
					     .frame = questions[_i].frame,
					     .pc = questions[_i].pc,
					     .saved_at = questions[_i].saved_at };
	const struct shadow_frame *of = questions[_i].has_frame ? &frame : NULL;
	struct reread reread;
	struct world w;

	setup(&w);
	ck_assert_msg(is_asked(&judgement, &w.point, of) == questions[_i].asked, "%s",
		      questions[_i].name);
	if (of || judgement.kind == FAULT_REGISTER) {
		reread_set(&judgement, &w.point, of, &reread);
		ck_assert_msg(reread.asked == questions[_i].asked, "%s", questions[_i].name);
		ck_assert_msg(!reread.right.known == !questions[_i].asked, "%s",
			      questions[_i].name);
	}
	world_deinit(&w);
}
END_TEST

/* ---- with what ---------------------------------------------------------------------------- */

static const struct {
	uint32_t frame;
	uint64_t rip, rsp;
	bool exact_pc;
} walks[] = {
	{ 0, CODE_A + 4, STACK, true },
	{ 1, RETURN_B, STACK + 8, false },
	{ 2, RETURN_A, STACK + 16, false },
};

START_TEST(step_begins_at_the_frame_at_fault)
{
	const struct judgement judgement = { .kind = FAULT_REGISTER,
					     .frame = walks[_i].frame,
					     .reg = REGISTER_RBX,
					     .saved_at = NONE,
					     .saved_value = 0x77 };
	struct reread reread;
	struct world w;

	setup(&w);
	reread_set(&judgement, &w.point, NULL, &reread);
	ck_assert(reread.asked);
	ck_assert_uint_eq(reread.regs.value[REGISTER_RIP], walks[_i].rip);
	ck_assert_uint_eq(reread.regs.value[REGISTER_RSP], walks[_i].rsp);
	ck_assert_uint_eq(reread.exact_pc, walks[_i].exact_pc);
	ck_assert_uint_eq(reread.right.known, 1u << REGISTER_RBX);
	ck_assert_uint_eq(reread.right.value[REGISTER_RBX], 0x77);
	/* Who can't get there can't ask. */
	w.unreadable = STACK;
	reread_set(&judgement, &w.point, NULL, &reread);
	ck_assert_uint_eq(reread.asked, !walks[_i].frame);
	world_deinit(&w);
}
END_TEST

START_TEST(caller_is_the_truths)
{
	const struct judgement judgement = { .kind = FAULT_WRONG, .frame = 1, .pc = CFA_BY_WORD };
	struct shadow_frame frame = { .slot = STACK + 0x40, .return_address = 0x1234 };
	struct reread reread;
	struct world w;

	setup(&w);
	reread_set(&judgement, &w.point, &frame, &reread);
	ck_assert(reread.asked);
	ck_assert_uint_eq(reread.right.known, 1u << REGISTER_RIP | 1u << REGISTER_RSP);
	ck_assert_uint_eq(reread.right.value[REGISTER_RIP], 0x1234);
	ck_assert_uint_eq(reread.right.value[REGISTER_RSP], STACK + 0x48);
	/* What was interrupted is not above its slot. */
	frame.interrupted = true;
	reread_set(&judgement, &w.point, &frame, &reread);
	ck_assert(reread.asked);
	ck_assert_uint_eq(reread.right.known, 1u << REGISTER_RIP);
	ck_assert_uint_eq(reread.right.value[REGISTER_RIP], 0x1234);
	world_deinit(&w);
}
END_TEST

/* ---- what it comes to --------------------------------------------------------------------- */

#define KNOWN(reg) (1u << REGISTER_##reg)

static const struct {
	const char *name;
	uint32_t right, known; /* registers: what it must come to; what is known before */
	uint64_t rip, rbx;     /* that it must come to */
	uint64_t word;	       /* that memory has now */
	uint64_t pc;
	bool no_process, comes_out_right;
} answers[] = {
	{ "right", KNOWN(RIP) | KNOWN(RSP), UINT32_MAX, RETURN_A, 0, RETURN_A, CODE_B, false,
	  true },
	{ "another_word", KNOWN(RIP) | KNOWN(RSP), UINT32_MAX, RETURN_A, 0, RETURN_A + 1, CODE_B,
	  false, false },
	{ "only_the_first_register_is_wrong", KNOWN(RBX) | KNOWN(RIP), UINT32_MAX, RETURN_A, 8,
	  RETURN_A, CODE_B, false, false },
	{ "register_is_kept", KNOWN(RBX), UINT32_MAX, 0, 7, RETURN_A, CODE_B, false, true },
	{ "register_is_not_known", KNOWN(RBX), KNOWN(RSP), 0, 7, RETURN_A, CODE_B, false, false },
	{ "register_that_no_step_brings_back", KNOWN(RAX), UINT32_MAX, 0, 0, RETURN_A, CODE_B,
	  false, false },
	{ "register_is_not_known_and_0", KNOWN(RBX), KNOWN(RSP), 0, 0, RETURN_A, CODE_B, false,
	  false },
	{ "nothing_is_asked", 0, UINT32_MAX, 0, 0, RETURN_A, CODE_B, false, true },
	{ "no_step", 0, UINT32_MAX, 0, 0, RETURN_A, NO_CODE, false, false },
	{ "no_word_is_read", KNOWN(RSP), UINT32_MAX, 0, 0, RETURN_A, RIP_COMPUTED, false, true },
	{ "no_process", KNOWN(RSP), UINT32_MAX, 0, 0, RETURN_A, RIP_COMPUTED, true, false },
};

START_TEST(step_is_made_again)
{
	static struct comparer comparer;
	uint64_t stack[] = { answers[_i].word, 0 }, sp = (uintptr_t)stack;
	struct reread reread = { .asked = true, .exact_pc = true };
	struct world w;

	setup(&w);
	comparer.space = w.space;
	comparer.space.pid = answers[_i].no_process ? -1 : getpid();
	comparer.memory = target_memory_create();
	reread.regs = (struct register_values) { .known = answers[_i].known | KNOWN(RIP) };
	reread.regs.value[REGISTER_RIP] = answers[_i].pc;
	reread.regs.value[REGISTER_RSP] = sp;
	reread.regs.value[REGISTER_RBX] = 7;
	reread.right.known = answers[_i].right;
	reread.right.value[REGISTER_RIP] = answers[_i].rip;
	reread.right.value[REGISTER_RSP] = sp + 8;
	reread.right.value[REGISTER_RBX] = answers[_i].rbx;
	ck_assert_msg(reread_comes_out_right(&comparer, &reread) == answers[_i].comes_out_right,
		      "%s", answers[_i].name);
	target_memory_destroy(comparer.memory);
	world_deinit(&w);
}
END_TEST

/* What was read before is not what is there now, and each frame but the first is one that called. */
START_TEST(memory_is_read_anew)
{
	static struct comparer comparer;
	uint64_t stack[] = { RETURN_A, 0 };
	struct reread reread = { .asked = true, .exact_pc = false };
	struct world w;

	setup(&w);
	comparer.space = w.space;
	comparer.space.pid = getpid();
	comparer.memory = target_memory_create();
	reread.regs.known = UINT32_MAX;
	reread.regs.value[REGISTER_RIP] = CODE_B + CODE_BYTES;
	reread.regs.value[REGISTER_RSP] = (uintptr_t)stack;
	reread.right.known = KNOWN(RIP);
	reread.right.value[REGISTER_RIP] = RETURN_A;
	ck_assert(reread_comes_out_right(&comparer, &reread));
	stack[0] = RETURN_B;
	ck_assert(!reread_comes_out_right(&comparer, &reread));
	reread.regs.value[REGISTER_RIP] = NO_CODE + 1;
	ck_assert(!reread_comes_out_right(&comparer, &reread));
	target_memory_destroy(comparer.memory);
	world_deinit(&w);
}
END_TEST

SUITE(compare_reread, LOOP(row_reads_words, rows),
      LOOP(step_is_made_again_where_words_were_read, questions),
      LOOP(step_begins_at_the_frame_at_fault, walks), TEST(caller_is_the_truths),
      LOOP(step_is_made_again, answers), TEST(memory_is_read_anew))
