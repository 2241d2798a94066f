/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_moved.c - which register has a return address, and where it is put
 *
 * A case is a few instructions, as bytes, with what they do to rsp, to one register and to one word. They
 * begin with rsp at the slot of the innermost of three frames (step_effects_fixture.h).
 */
#include "tests/suite.h"
#include "step_effects_fixture.h"

#define STEPS_MAX 8
#define INNERMOST (RETURN + 2)
#define RAX	  1
#define RCX	  2
#define R10	  (1 << 10)

/* What an instruction does. */
struct step {
	uint8_t bytes[8];
	int64_t rsp;	/* moved by */
	uint16_t reg;	/* written, as a mask */
	uint64_t value; /* to it */
	bool stores;
	uint64_t word; /* at rsp, after it */
	uint64_t rip;  /* where it goes; 0: behind itself */
	bool signal;   /* a handler is entered, instead of all */
};

#define POP(code, to)	 IN_BRACES(.bytes = { code }, .rsp = 8, .reg = (to), .value = INNERMOST)
#define POP_RCX		 POP(0x59, RCX)
#define PUSH(code, what) IN_BRACES(.bytes = { code }, .rsp = -8, .stores = true, .word = (what))
#define PUSH_RCX	 PUSH(0x51, INNERMOST)
#define PUSH_ARG	 IN_BRACES(.bytes = { 0x6a, 1 }, .rsp = -8, .stores = true, .word = 1)
#define ADD(bytes_)	 IN_BRACES(.bytes = { 0x48, 0x83, 0xc4, (bytes_) }, .rsp = (bytes_))
#define SUB(bytes_)	 IN_BRACES(.bytes = { 0x48, 0x83, 0xec, (bytes_) }, .rsp = -(bytes_))
#define READ_RCX	 /* mov rcx, [rsp] */                                                      \
	IN_BRACES(.bytes = { 0x48, 0x8b, 0x0c, 0x24 }, .reg = RCX, .value = INNERMOST)
#define READ_BESIDE /* mov rcx, [rsp + 8] */                                                       \
	IN_BRACES(.bytes = { 0x48, 0x8b, 0x4c, 0x24, 8 }, .reg = RCX, .value = INNERMOST)
#define STORE_RCX /* mov [rsp], rcx */                                                             \
	IN_BRACES(.bytes = { 0x48, 0x89, 0x0c, 0x24 }, .stores = true, .word = INNERMOST)
#define COPY_TO_R10 /* mov r10, rcx */                                                             \
	IN_BRACES(.bytes = { 0x49, 0x89, 0xca }, .reg = R10, .value = INNERMOST)
#define PUSH_R10  IN_BRACES(.bytes = { 0x41, 0x52 }, .rsp = -8, .stores = true, .word = INNERMOST)
#define CLEAR_RCX /* xor ecx, ecx */ IN_BRACES(.bytes = { 0x31, 0xc9 }, .reg = RCX, .value = 0)
#define SET_RCX	  /* movabs rcx, the return address */                                             \
	IN_BRACES(.bytes = { 0x48, 0xb9 }, .reg = RCX, .value = INNERMOST)
#define SET_R10 /* movabs r10, the return address */                                               \
	IN_BRACES(.bytes = { 0x49, 0xba }, .reg = R10, .value = INNERMOST)
#define ADD_TO_RCX /* add rcx, 8 */                                                                \
	IN_BRACES(.bytes = { 0x48, 0x83, 0xc1, 8 }, .reg = RCX, .value = INNERMOST + 8)
/* push [rsp + bytes] */
#define PUSH_AT(bytes_, what)                                                                      \
	IN_BRACES(.bytes = { 0xff, 0x74, 0x24, (bytes_) }, .rsp = -8, .stores = true,              \
		  .word = (what))
#define JUMP IN_BRACES(.bytes = { 0xeb, 0x10 }, .rip = PC + 0x12)
#define CALL /* and its return */                                                                  \
	IN_BRACES(.bytes = { 0xe8, 0, 0, 0, 0 }, .rsp = -8, .stores = true, .word = PC + 5)
#define RET(to) IN_BRACES(.bytes = { 0xc3 }, .rsp = 8, .rip = (to))
#define SIGNAL	IN_BRACES(.signal = true)

/* What comes of it: the frame is off and its return address on the way, in these registers; it is further up or down,
 * after so many moves; it is where it was, and its return address elsewhere, too; or that is all. */
#define IS_OFF(carriers_)   .count = 2, .carriers = (carriers_), .off = true, .transit = true
#define MOVED(slot_, times) .count = 3, .slot = (slot_), .moved = (times)
#define STAYS		    .count = 3, .slot = C
#define COPIED(to)	    STAYS, .copied = (to)

static const struct moved_case {
	const char *name;
	struct step step[STEPS_MAX];
	size_t count;	   /* of frames, at the end */
	uint64_t slot;	   /* of the innermost; 0: nothing is said of it */
	uint64_t copied;   /* of that */
	uint16_t carriers; /* if one is off */
	bool off, transit;
	uint64_t moved;
	bool called_next; /* the frame's function began at its return address */
	bool interrupted; /* it is none that a ret leaves */
	bool none;	  /* there are no frames */
} cases[] = {
	{ "popped", .step = { POP_RCX }, IS_OFF(RCX) },
	{ "still_in_the_register_behind_jumps", .step = { POP_RCX, JUMP, PUSH_ARG, JUMP },
	  IS_OFF(RCX) },
	{ "an_argument_beneath_it", .step = { POP_RCX, PUSH_ARG, PUSH_RCX }, MOVED(C - 8, 1) },
	{ "arguments_taken_off", .step = { POP_RCX, ADD(0x18), PUSH_RCX }, MOVED(C + 0x18, 1) },
	{ "by_another_register", .step = { POP_RCX, COPY_TO_R10, CLEAR_RCX, PUSH_ARG, PUSH_R10 },
	  MOVED(C - 8, 1) },
	{ "stored_by_mov", .step = { POP_RCX, SUB(0x20), STORE_RCX }, MOVED(C - 0x18, 1) },
	{ "at_its_slot_is_no_move", .step = { POP_RCX, PUSH_RCX }, STAYS },
	{ "its_slot_with_another_word_on_the_way", .step = { POP_RCX, PUSH_ARG }, IS_OFF(RCX) },
	{ "its_slot_with_another_word_and_nobody_has_it", .step = { POP_RCX, CLEAR_RCX, PUSH_ARG },
	  .count = 2, .transit = true },
	{ "lost", .step = { POP_RCX, CLEAR_RCX }, IS_OFF(0) },
	{ "the_same_word_from_elsewhere",
	  .step = { POP_RCX, CLEAR_RCX, SET_RCX, ADD(8), PUSH_RCX, SUB(0x10) }, IS_OFF(0) },
	{ "set_anew_while_it_had_it", .step = { POP_RCX, SET_RCX }, IS_OFF(0) },
	{ "another_is_set_to_it", .step = { POP_RCX, SET_R10 }, IS_OFF(RCX) },
	{ "computed_with", .step = { POP_RCX, ADD_TO_RCX }, IS_OFF(0) },
	{ "a_push_of_another_register", .step = { POP_RCX, ADD(8), PUSH(0x50, INNERMOST) },
	  IS_OFF(RCX) },
	{ "the_word_of_another_thread", .step = { POP_RCX, ADD(8), PUSH(0x51, 7) }, IS_OFF(RCX) },
	{ "over_another_frame_s", .step = { POP_RCX, ADD(0x78), ADD(0x80), STORE_RCX }, .count = 2,
	  .slot = B, .carriers = RCX, .off = true, .transit = true },
	{ "its_slot_after_a_call_further_out", .step = { POP_RCX, ADD(0x18), CALL, SUB(0x18) },
	  .count = 3, .slot = C + 0x18 },
	{ "a_call_meanwhile", .step = { POP_RCX, SUB(0x10), CALL, RET(PC + 5), PUSH_RCX },
	  .count = 2, .off = true },
	{ "a_signal_meanwhile", .step = { POP_RCX, SUB(0x10), SIGNAL }, .count = 4, .off = true,
	  .transit = true },
	{ "a_call_of_the_next_instruction", .step = { POP_RCX, PUSH_ARG, PUSH_RCX },
	  .called_next = true, .count = 2, .transit = true },
	{ "and_nothing_more", .step = { POP_RCX }, .called_next = true, IS_OFF(0) },
	{ "stored_where_it_was", .step = { READ_RCX, STORE_RCX }, STAYS },
	{ "copied", .step = { READ_RCX, SUB(0x20), STORE_RCX }, COPIED(C - 0x20) },
	{ "copied_by_push", .step = { READ_RCX, PUSH_ARG, PUSH_RCX }, COPIED(C - 0x10) },
	{ "pushed_from_its_slot", .step = { PUSH_ARG, PUSH_ARG, PUSH_AT(0x10, INNERMOST) },
	  COPIED(C - 0x18) },
	{ "pushed_from_beside_its_slot", .step = { PUSH_ARG, PUSH_ARG, PUSH_AT(0x8, 1) }, STAYS },
	{ "pushed_from_beside_a_copy", .step = { PUSH_AT(0, INNERMOST), PUSH_ARG, PUSH_AT(0, 1) },
	  COPIED(C - 8) },
	{ "an_interrupted_one_is_not_read", .step = { READ_RCX, SUB(0x20), STORE_RCX },
	  .interrupted = true, STAYS },
	{ "nor_pushed", .step = { PUSH_ARG, PUSH_ARG, PUSH_AT(0x10, INNERMOST) },
	  .interrupted = true, STAYS },
	{ "nor_kept_by_who_read_it", .step = { READ_RCX, ADD(0x20) }, .interrupted = true,
	  .count = 2, .transit = true },
	{ "where_no_frames_are", .step = { READ_RCX, PUSH_ARG, PUSH_RCX, PUSH_AT(0x10, INNERMOST) },
	  .none = true },
	{ "the_same_word_read_from_beside_it", .step = { READ_BESIDE, SUB(0x20), STORE_RCX },
	  STAYS },
	{ "another_register_that_has_it_anyway", .step = { SET_R10, READ_RCX, SUB(0x20), PUSH_R10 },
	  STAYS },
	{ "pushed_from_a_copy",
	  .step = { PUSH_AT(0, INNERMOST), PUSH_ARG, PUSH_AT(8, INNERMOST), RET(INNERMOST) },
	  .count = 2, .slot = B, .moved = 1 },
	{ "not_read_out_of_its_slot", .step = { SET_RCX, SUB(0x20), STORE_RCX }, STAYS },
	{ "read_and_overwritten", .step = { READ_RCX, CLEAR_RCX, SET_RCX, PUSH_RCX }, STAYS },
	{ "a_ret_through_the_copy", .step = { READ_RCX, SUB(0x20), STORE_RCX, RET(INNERMOST) },
	  .count = 2, .slot = B, .moved = 1 },
	{ "a_ret_through_the_copy_to_elsewhere",
	  .step = { READ_RCX, SUB(0x20), STORE_RCX, RET(INNERMOST + 1) }, COPIED(C - 0x20) },
	{ "the_copy_popped_and_pushed_again",
	  .step = { READ_RCX, SUB(0x20), STORE_RCX, CLEAR_RCX, POP(0x58, RAX), PUSH_ARG, PUSH_ARG,
		    PUSH(0x50, INNERMOST) },
	  COPIED(C - 0x30) },
	{ "the_copy_popped_and_all_taken_off",
	  .step = { READ_RCX, SUB(0x20), STORE_RCX, CLEAR_RCX, POP(0x58, RAX), ADD(0x38),
		    PUSH(0x50, INNERMOST) },
	  MOVED(C + 0x18, 1) },
	{ "read_and_dropped_with_arguments", .step = { READ_RCX, ADD(0x20) }, IS_OFF(RCX) },
	{ "dropped_with_arguments_and_pushed", .step = { READ_RCX, ADD(0x20), PUSH_RCX },
	  MOVED(C + 0x18, 1) },
	{ "moved_twice", .step = { POP_RCX, PUSH_ARG, PUSH_RCX, POP_RCX, ADD(0x10), PUSH_RCX },
	  MOVED(C + 8, 2) },
};

static void execute(const struct step *step)
{
	struct stepped_thread *thread = &world.thread;

	memcpy(world.code, step->bytes, sizeof(step->bytes));
	thread->next = decoder_decode(world.process.decoder, PC, &world.process.memory);
	world.regs = thread->regs;
	world.regs.rip = step->rip ? step->rip : (uint64_t)PC + thread->next.length;
	world.regs.rsp += (uint64_t)step->rsp;
	if (step->reg & RAX)
		world.regs.rax = step->value;
	if (step->reg & RCX)
		world.regs.rcx = step->value;
	if (step->reg & R10)
		world.regs.r10 = step->value;
	if (step->stores)
		put_word(world.regs.rsp, step->word);
	if (step->signal) {
		const struct signal_frame frame = { .restorer_slot = thread->regs.rsp - 0x100,
						    .interrupted_slot = thread->regs.rsp - 0x20 };

		ck_assert(shadow_stack_signal(&thread->shadow, &frame));
		return;
	}
	ck_assert_int_eq(apply(&world.process, thread, &world.regs), 0);
	thread->regs = world.regs;
	thread->regs.rip = PC;
}

START_TEST(return_address_is_followed)
{
	const struct moved_case *c = &cases[_i];
	struct stepped_thread *thread = setup();
	const struct shadow_stack *shadow = &thread->shadow;
	const struct shadow_frame *top;

	if (c->called_next)
		thread->shadow.frame[2].return_address = PC;
	thread->shadow.frame[2].interrupted = c->interrupted;
	thread->shadow.count = c->none ? 0 : 3;
	for (size_t i = 0; i < STEPS_MAX && (c->step[i].bytes[0] || c->step[i].signal); i++) {
		struct step step = c->step[i];

		if (c->called_next && step.value == INNERMOST)
			step.value = PC;
		if (c->called_next && step.word == INNERMOST)
			step.word = PC;
		execute(&step);
	}
	top = shadow->count ? &shadow->frame[shadow->count - 1] : NULL;
	ck_assert_msg(shadow->count == c->count, "%s: %zu frames", c->name, shadow->count);
	ck_assert_msg(!c->slot || top->slot == c->slot, "%s: at %" PRIx64, c->name, top->slot);
	ck_assert_msg(!top || top->copied == c->copied, "%s: copied to %" PRIx64, c->name,
		      top->copied);
	ck_assert_msg((shadow->taken_off.slot != 0) == c->off, "%s: off", c->name);
	ck_assert_msg(shadow->carriers == c->carriers, "%s: in %x", c->name, shadow->carriers);
	ck_assert_msg(shadow->in_transit == c->transit, "%s: in transit", c->name);
	ck_assert_msg(world.counters.frames_moved == c->moved, "%s: moved", c->name);
	teardown();
}
END_TEST

SUITE(step_moved, LOOP(return_address_is_followed, cases))
