/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_exchange.c - a sample inside a system call: which PC is looked up, and which one is
 * told
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

#define PC	0x401000
#define SP	0x7000
#define SYSCALL 2 /* bytes */

static struct register_values walked;

static int walk_one(const struct address_space *space, const struct register_values *regs,
		    const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		    struct error *error)
{
	const uint64_t pc[] = { regs->value[REGISTER_RIP], 0x402000 };

	walked = *regs;
	return stack_set(ret, pc, 2, STOP_COMPLETE, error);
}

static int walk_fails(const struct address_space *space, const struct register_values *regs,
		      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		      struct error *error)
{
	return -1;
}

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

START_TEST(pc_behind_is_looked_up_one_before)
{
	const struct memory_reader memory = { .read = read_nothing };
	struct register_values regs = { .known = 0x1ffff };
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	struct point point = { .regs = &regs, .memory = &memory };
	struct error error;

	for (int i = 0; i < REGISTER_COUNT; i++)
		regs.value[i] = 100 + i;
	regs.value[REGISTER_RIP] = PC;
	ck_assert(!sample_walk_behind(walk_one, &point, &regs, &stack, &error));
	ck_assert_uint_eq(walked.value[REGISTER_RIP], PC - 1);
	ck_assert_uint_eq(stack.pc[0], PC);
	ck_assert_uint_eq(stack.pc[1], 0x402000);
	ck_assert_uint_eq(stack.count, 2);
	walked.value[REGISTER_RIP]++;
	ck_assert(!memcmp(&walked, &regs, sizeof(regs)));
	ck_assert_int_eq(sample_walk_behind(walk_fails, &point, &regs, &stack, &error), -1);
	stack_deinit(&stack);
}
END_TEST

/* ---- registers that are exchanged ------------------------------------------------------- */

static int read_context_at(void *context, uint64_t address, void *ret, size_t size)
{
	const ucontext_t *saved = context;

	if (address < SP || address + size > SP + sizeof(*saved))
		return -1;
	memcpy(ret, (const char *)saved + (address - SP), size);
	return 0;
}

static const struct exchange_case {
	const char *name;
	uint64_t number; /* of the system call */
	unsigned int bytes;
	bool readable;
	uint64_t there[3], not_there[3]; /* stacks of one frame */
} cases[] = {
	{ "sigreturn",
	  SYS_rt_sigreturn,
	  SYSCALL,
	  true,
	  { PC + SYSCALL, 0x500000 },
	  { PC, PC + 1 } },
	{ "sigreturn_without_its_context",
	  SYS_rt_sigreturn,
	  SYSCALL,
	  false,
	  { 0 },
	  { PC + SYSCALL, 0x500000 } },
	{ "execve", SYS_execve, SYSCALL, true, { PC + SYSCALL }, { PC, PC + 1, 0x500000 } },
	{ "execveat", SYS_execveat, SYSCALL, true, { PC + SYSCALL }, { PC, PC + 1, 0x500000 } },
	{ "another_call", SYS_getpid, SYSCALL, true, { 0 }, { PC + SYSCALL, 0x500000, PC } },
	{ "no_call", SYS_rt_sigreturn, 0, true, { 0 }, { PC, PC + SYSCALL, 0x500000 } },
};

START_TEST(exchange_has_the_stacks_of_both_sides)
{
	const struct exchange_case *c = &cases[_i];
	ucontext_t saved = { 0 };
	const struct memory_reader memory = { .read = c->readable ? read_context_at : read_nothing,
					      .context = &saved };
	struct register_values regs = { .known = 0x1ffff };
	struct shadow_frame frame[2] = { 0 };
	struct shadow_stack shadow = { .frame = frame, .count = 2 };
	struct trace_stop stop = { .shadow = &shadow, .trapped = true };
	struct address_space space = { 0 };
	struct point point = { .stop = &stop, .space = &space, .regs = &regs, .memory = &memory };
	struct sample_set *set = sample_set_create();
	struct error error;

	regs.value[0] = c->number;
	regs.value[REGISTER_RIP] = PC;
	regs.value[REGISTER_RSP] = SP;
	saved.uc_mcontext.gregs[REG_RIP] = 0x500000;
	saved.uc_mcontext.gregs[REG_RSP] = SP + 4096;
	ck_assert(!sample_exchange_add(set, &point, c->bytes, &error));
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(!c->there[i] || sample_set_find(set, &c->there[i], 1) != SET_NONE,
			      "%s: 0x%lx", c->name, c->there[i]);
		ck_assert_msg(!c->not_there[i] ||
				      sample_set_find(set, &c->not_there[i], 1) == SET_NONE,
			      "%s: 0x%lx is there", c->name, c->not_there[i]);
	}
	sample_set_destroy(set);
}
END_TEST

SUITE(sample_exchange, TEST(pc_behind_is_looked_up_one_before),
      LOOP(exchange_has_the_stacks_of_both_sides, cases))
