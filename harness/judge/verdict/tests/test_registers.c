/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_registers.c - judge_registers() over this process's own stack
 *
 * The stack is real: a function a few calls deep notes its registers and walks. What the walk finds
 * is made the truth, as a shadow stack; then each case changes one register of one frame of that
 * truth, so that the CFI (which the referee reads as the reader does) no longer agrees with it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/verdict/verdict.h"
#include "walk/walk_rows.h"

#define FRAMES 5 /* of the walk that are used */

static const struct register_case {
	const char *name;
	int changed; /* frame whose truth is another; -1: none */
	unsigned int reg;
	uint32_t mask, frames;
	bool in_transit;
	int interrupted; /* the caller of this frame was; 0: none */
	int beside;	 /* and of this one, by a signal to who returns from the handler */
	bool found;
	uint32_t frame;
	bool is_saved; /* in the frame's memory: deeper() does so */
	bool landing;  /* in transit, and behind the truth's first frame */
	bool unknown;  /* the register, before the first step */
	bool moved;    /* the frame's return address is in another slot than the call's */
	bool copied;   /* or in two */
} cases[] = {
	{ "all_are_right", -1, 0, UINT32_MAX, UINT32_MAX, .found = false },
	{ "rbx_of_the_first_frame", 0, REGISTER_RBX, UINT32_MAX, UINT32_MAX, .found = true },
	{ "rbp_of_the_third_frame", 2, REGISTER_RBP, UINT32_MAX, UINT32_MAX, .found = true,
	  .frame = 2 },
	{ "r15_of_the_second_frame", 1, REGISTER_R15, UINT32_MAX, UINT32_MAX, .found = true,
	  .frame = 1, .is_saved = true },
	{ "rsp_of_the_second_frame", 1, REGISTER_RSP, UINT32_MAX, UINT32_MAX, .found = true,
	  .frame = 1 },
	{ "rsp_of_a_frame_that_moved", 1, REGISTER_RSP, UINT32_MAX, UINT32_MAX, .moved = true,
	  .found = false },
	{ "rsp_of_a_frame_that_may_move", 1, REGISTER_RSP, UINT32_MAX, UINT32_MAX, .copied = true,
	  .found = false },
	{ "r15_of_a_frame_that_moved", 1, REGISTER_R15, UINT32_MAX, UINT32_MAX, .moved = true,
	  .found = true, .frame = 1, .is_saved = true },
	{ "a_register_that_was_not_asked_for", 1, REGISTER_R12, 1u << REGISTER_RBX, UINT32_MAX,
	  .found = false },
	{ "a_frame_that_was_not_asked_for", 2, REGISTER_R12, UINT32_MAX, 2, .found = false },
	{ "the_last_frame_that_was_asked_for", 1, REGISTER_R12, UINT32_MAX, 2, .found = true,
	  .frame = 1 },
	{ "in_transit_nothing_is_known", 1, REGISTER_R12, UINT32_MAX, UINT32_MAX,
	  .in_transit = true },
	{ "rsp_of_what_was_interrupted", 1, REGISTER_RSP, UINT32_MAX, UINT32_MAX,
	  .interrupted = 1 },
	{ "rbx_of_what_was_interrupted", 1, REGISTER_RBX, UINT32_MAX, UINT32_MAX, .interrupted = 1,
	  .found = true, .frame = 1, .is_saved = true },
	{ "a_handler_brings_nothing_back", 1, REGISTER_RBX, UINT32_MAX, UINT32_MAX,
	  .interrupted = 2 },
	{ "a_handler_s_return_was_interrupted", 1, REGISTER_RBX, UINT32_MAX, UINT32_MAX,
	  .interrupted = 1, .beside = 2, .found = true, .frame = 1, .is_saved = true },
	{ "r12_of_the_first_frame", 0, REGISTER_R12, UINT32_MAX, UINT32_MAX, .found = true },
	{ "r13_of_the_last_frame", FRAMES - 1, REGISTER_R13, UINT32_MAX, UINT32_MAX, .found = true,
	  .frame = FRAMES - 1 },
	{ "r14_of_the_first_frame", 0, REGISTER_R14, UINT32_MAX, UINT32_MAX, .found = true },
	{ "a_handler_over_the_outermost_frame", FRAMES - 2, REGISTER_RBX, UINT32_MAX, UINT32_MAX,
	  .interrupted = FRAMES - 1 },
	{ "the_outermost_frame_is_no_handler", FRAMES - 1, REGISTER_RBX, UINT32_MAX, UINT32_MAX,
	  .interrupted = FRAMES, .found = true, .frame = FRAMES - 1, .is_saved = true },
	{ "a_register_that_is_not_known", -1, REGISTER_R14, UINT32_MAX, UINT32_MAX, .unknown = true,
	  .found = true },
	{ "a_landing_is_no_frame_of_the_truth", 0, REGISTER_R12, UINT32_MAX, UINT32_MAX,
	  .in_transit = true, .landing = true, .found = false },
	{ "behind_a_landing", 1, REGISTER_R12, UINT32_MAX, UINT32_MAX, .in_transit = true,
	  .landing = true, .found = true, .frame = 1 },
	{ "the_last_frame_behind_a_landing", FRAMES - 1, REGISTER_R12, UINT32_MAX, UINT32_MAX,
	  .in_transit = true, .landing = true, .found = true, .frame = FRAMES - 1 },
	{ "all_are_right_behind_a_landing", -1, 0, UINT32_MAX, UINT32_MAX, .in_transit = true,
	  .landing = true, .found = false },
};

static int read_self(void *context, uint64_t address, void *ret, size_t size)
{
	memcpy(ret, (const void *)address, size);
	return 0;
}

static const uint8_t saved_register[CALLEE_SAVED_COUNT] = { REGISTER_RBX, REGISTER_RBP,
							    REGISTER_R12, REGISTER_R13,
							    REGISTER_R14, REGISTER_R15 };

/* The shadow frame that a step's result is the truth of; frame[0] is the outermost. */
static void fill_shadow(struct shadow_frame *frame, const struct address_space *space,
			const struct register_values *regs, const struct memory_reader *memory)
{
	struct register_values caller = *regs;
	bool exact_pc = true;

	for (int i = 0; i < FRAMES; i++) {
		struct shadow_frame *truth = &frame[FRAMES - 1 - i];

		ck_assert(!walk_rows_step(space, &caller, &exact_pc, memory));
		truth->slot = caller.value[REGISTER_RSP] - 8;
		truth->return_address = caller.value[REGISTER_RIP];
		for (int j = 0; j < CALLEE_SAVED_COUNT; j++)
			truth->callee_saved[j] = caller.value[saved_register[j]];
	}
}

static void change(struct shadow_frame *frame, unsigned int reg)
{
	if (reg == REGISTER_RSP)
		frame->slot += 8;
	for (int i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (saved_register[i] == reg)
			frame->callee_saved[i] ^= 1;
}

/* What the row says of where the register was saved; 0: nowhere in memory. */
static uint64_t saved_at(const struct address_space *space, const struct judgement *judgement,
			 uint64_t cfa)
{
	const struct mapping *mapping = address_space_find(space, judgement->pc);
	struct error error;
	struct row row;

	ck_assert_ptr_nonnull(mapping);
	ck_assert_int_eq(cfi_row_find(image_entry_cfi(mapping->entry),
				      judgement->pc - mapping->bias, &row, &error),
			 1);
	if (row.reg[judgement->reg].kind != RULE_OFFSET)
		return 0;
	return cfa + (uint64_t)row.reg[judgement->reg].offset;
}

/* A finding has what a person needs: the call, the register, where it is, and both values. */
static void check_evidence(const struct register_case *c, const struct address_space *space,
			   const struct shadow_frame *frame, const struct register_values *regs,
			   const struct judgement *judgement)
{
	const struct shadow_frame *truth = &frame[FRAMES - 1 - c->frame];
	bool moved = c->reg == REGISTER_RSP;
	uint64_t cfa = truth->slot + 8 - (moved ? 8 : 0), right = truth->slot + 8, at;

	for (int i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (saved_register[i] == c->reg)
			right = truth->callee_saved[i];
	ck_assert_uint_eq(judgement->reg, c->reg);
	ck_assert_uint_eq(judgement->stop, STOP_COMPLETE);
	ck_assert_uint_eq(judgement->pc,
			  c->frame ? truth[1].return_address - 1 : regs->value[REGISTER_RIP]);
	ck_assert_uint_eq(judgement->saved_value, right);
	at = saved_at(space, judgement, cfa);
	ck_assert_msg(judgement->saved_at == at, "%s: saved at 0x%lx", c->name,
		      (unsigned long)judgement->saved_at);
	ck_assert(!c->is_saved || (at && *(const uint64_t *)at == (right ^ 1)));
	ck_assert_uint_eq(judgement->declared_cfa, moved ? cfa : 0);
	ck_assert_uint_eq(judgement->actual_cfa, moved ? right : 0);
}

static void check_case(const struct register_case *c, const struct address_space *space,
		       const struct register_values *regs)
{
	struct memory_reader memory = { .read = read_self };
	struct shadow_frame all[1 + FRAMES] = { { 0 } }, *frame = all + 1;
	struct shadow_stack shadow = { .frame = frame,
				       .count = FRAMES - c->landing,
				       .rooted = true };
	struct trace_stop stop = { .shadow = &shadow };
	struct point point = { .stop = &stop, .space = space, .regs = regs, .memory = &memory };
	struct stack truth = { .count = FRAMES + 1 }, cfi = { .stop = STOP_COMPLETE };
	struct evidence evidence = { .point = &point, .truth = &truth, .cfi = &cfi };
	struct referee *referee = referee_create();
	struct judgement judgement = { .frame = 99 };

	fill_shadow(frame, space, regs, &memory);
	if (c->changed >= 0)
		change(&frame[FRAMES - 1 - c->changed], c->reg);
	if (c->changed >= 0) {
		frame[FRAMES - 1 - c->changed].moved = c->moved;
		frame[FRAMES - 1 - c->changed].copied = c->copied ? 8 : 0;
	}
	if (c->interrupted)
		frame[FRAMES - 1 - c->interrupted].interrupted = true;
	if (c->beside)
		frame[FRAMES - 1 - c->beside].interrupted = true;
	shadow.in_transit = c->in_transit;

	bool found = judge_registers(&evidence, referee, c->mask, c->frames, &judgement);

	ck_assert_msg(found == c->found, "%s: %s", c->name, found ? "found" : "not found");
	if (found)
		ck_assert_msg(judgement.verdict == VERDICT_TABLE_FAULT &&
				      judgement.kind == FAULT_REGISTER &&
				      judgement.frame == c->frame,
			      "%s: %s, %s, frame %u", c->name, verdict_name(judgement.verdict),
			      fault_kind_name(judgement.kind), judgement.frame);
	if (found)
		check_evidence(c, space, frame, regs, &judgement);
	referee_destroy(referee);
}

/* Registers that a CFA of this function may hang on, at one instruction. What the sanitizers add
 * would need more of them, and save those that are to be unknown. */
static __attribute__((noinline, no_sanitize("address", "undefined"))) void
note_registers(const struct register_case *c, const struct address_space *space)
{
	struct register_values regs = { .known = CALLEE_SAVED_MASK | 1u << REGISTER_RSP |
						 1u << REGISTER_RIP };

	__asm__ volatile(
		"lea 0(%%rip), %%rax\n\tmov %%rax, %0\n\tmov %%rsp, %1\n\tmov %%rbx, %2\n\t"
		"mov %%rbp, %3\n\tmov %%r12, %4\n\tmov %%r13, %5\n\tmov %%r14, %6\n\t"
		"mov %%r15, %7"
		: "=m"(regs.value[REGISTER_RIP]), "=m"(regs.value[REGISTER_RSP]),
		  "=m"(regs.value[REGISTER_RBX]), "=m"(regs.value[REGISTER_RBP]),
		  "=m"(regs.value[REGISTER_R12]), "=m"(regs.value[REGISTER_R13]),
		  "=m"(regs.value[REGISTER_R14]), "=m"(regs.value[REGISTER_R15])
		:
		: "rax", "memory");
	if (c->unknown)
		regs.known &= ~(1u << c->reg);
	check_case(c, space, &regs);
}

static __attribute__((noinline)) void deeper(const struct register_case *c,
					     const struct address_space *space, int depth)
{
	if (depth)
		deeper(c, space, depth - 1);
	else
		note_registers(c, space);
	__asm__ volatile("" : : : "rbx", "r15"); /* no tail call; they are saved */
}

START_TEST(registers_are_held_against_the_truth)
{
	struct image_store *store = image_store_create();
	struct address_space space = { 0 };
	struct error error;

	ck_assert_msg(!address_space_read(&space, store, getpid(), &error), "%s", error.message);
	deeper(&cases[_i], &space, FRAMES);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

SUITE(registers, LOOP(registers_are_held_against_the_truth, cases))
