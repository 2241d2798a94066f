/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_mixtures.c - which registers a sample may find in exchange: each of the old ones with each of the new
 *
 * The table's walk is made up: its stack is all the registers that it was asked with, so that the set tells them.
 */
#include <string.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

static int fake_walk(const struct address_space *space, const struct register_values *regs,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error);

#define walk_table fake_walk
#include "profiles/sample/sample_exchange.c"

#define SP	    0x7000
#define PC	    0x401000
#define OLD(number) (0x1000 + (uint64_t)(number)) /* a register's value, by its DWARF number */
#define NEW(number) (0x2000 + (uint64_t)(number))

static int walks, fails_at; /* this walk fails, from 1; 0: none */
static enum stop_reason stops;

static int fake_walk(const struct address_space *space, const struct register_values *regs,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error)
{
	uint64_t pc[REGISTER_COUNT + 1] = { regs->value[REGISTER_RIP] };

	ck_assert_uint_eq(regs->known, (1u << REGISTER_COUNT) - 1);
	memcpy(pc + 1, regs->value, sizeof(regs->value));
	pc[1 + REGISTER_RIP] = 0;
	if (++walks == fails_at)
		return error_set(error, ERROR_MEMORY, "", 0, "walk %d", walks);
	return stack_set(ret, pc, REGISTER_COUNT + 1, stops, error);
}

static uint64_t context_at; /* of it, the registers alone can be read */

static int read_context_at(void *context, uint64_t address, void *ret, size_t size)
{
	const ucontext_t *saved = context;
	const uint64_t begin = context_at + offsetof(ucontext_t, uc_mcontext.gregs);

	if (address < begin || address + size > begin + sizeof(gregset_t))
		return -1;
	memcpy(ret, (const char *)saved + (address - context_at), size);
	return 0;
}

/* Where each register is in a context, by DWARF number: psABI, figure 3.36, and sys/ucontext.h. */
static const int places[REGISTER_COUNT] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

#define MIXED(...) .mixed = { __VA_ARGS__ }

static const struct mixture_case {
	const char *name;
	uint64_t context;   /* where it can be read */
	unsigned int bytes; /* of the system call */
	uint64_t call;
	bool trapped, interrupted, alone; /* the handler's frame is the only one */
	/* What is mixed, by number, ends with -1: the others are the context's, or those of the point. */
	int mixed[10];
	bool others_are_the_context_s;
} cases[] = {
	{ "a_handler_s_first_instruction", SP + 8, 0, 0, .interrupted = true,
	  MIXED(REGISTER_RSP, REGISTER_RIP, -1), .others_are_the_context_s = true },
	{ "also_before_a_call", SP + 8, 2, SYS_rt_sigreturn, .interrupted = true,
	  MIXED(REGISTER_RSP, REGISTER_RIP, -1), .others_are_the_context_s = true },
	{ "its_context_lies_behind_the_restorer_s_address", SP, 0, 0, .interrupted = true,
	  MIXED(-1) },
	{ "not_the_next_instruction", SP + 8, 0, 0, .trapped = true, .interrupted = true,
	  MIXED(-1) },
	{ "not_a_function_that_was_called", SP + 8, 0, 0, MIXED(-1) },
	{ "nor_what_nothing_called", SP + 8, 0, 0, .interrupted = true, .alone = true, MIXED(-1) },
	{ "a_return_from_it", SP, 2, SYS_rt_sigreturn, .trapped = true, .interrupted = true,
	  MIXED(3, 6, REGISTER_RSP, 12, 13, 14, 15, REGISTER_RIP, -1) },
	{ "by_a_longer_instruction", SP, 3, SYS_rt_sigreturn, .trapped = true,
	  MIXED(3, 6, REGISTER_RSP, 12, 13, 14, 15, REGISTER_RIP, -1) },
	{ "by_no_call", SP, 0, SYS_rt_sigreturn, .trapped = true, .interrupted = true, MIXED(-1) },
	{ "by_another_call", SP, 2, SYS_rt_sigaction, .trapped = true, .interrupted = true,
	  MIXED(-1) },
	{ "of_another_context", SP + 8, 2, SYS_rt_sigreturn, .trapped = true, .interrupted = true,
	  MIXED(-1) },
};

struct fixture {
	ucontext_t saved;
	struct memory_reader memory;
	struct register_values regs;
	struct shadow_frame frame[3];
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct address_space space;
	struct point point;
};

static void fixture_init(struct fixture *f, const struct mixture_case *test)
{
	memset(f, 0, sizeof(*f));
	f->memory = (struct memory_reader) { .read = read_context_at, .context = &f->saved };
	f->regs.known = (1u << REGISTER_COUNT) - 1;
	for (int i = 0; i < REGISTER_COUNT; i++) {
		f->regs.value[i] = NEW(i);
		f->saved.uc_mcontext.gregs[places[i]] = OLD(i);
	}
	f->regs.value[0] = test->call;
	f->regs.value[REGISTER_RSP] = SP;
	f->regs.value[REGISTER_RIP] = PC;
	/* The handler's own frame is the last; whom it interrupted is the one before. */
	f->frame[1].interrupted = test->interrupted;
	f->frame[0].interrupted = f->frame[2].interrupted = !test->interrupted;
	f->shadow = (struct shadow_stack) { .frame = f->frame, .count = 3 };
	if (test->alone)
		f->shadow = (struct shadow_stack) { .frame = f->frame + 2, .count = 1 };
	f->stop = (struct trace_stop) { .shadow = &f->shadow, .trapped = test->trapped };
	f->point = (struct point) {
		.stop = &f->stop, .space = &f->space, .regs = &f->regs, .memory = &f->memory
	};
	context_at = test->context;
	walks = fails_at = 0;
	stops = STOP_COMPLETE;
}

/* What the walk says if, of those that are mixed, the context has the ones in taken. */
static void expect(const struct fixture *f, const struct mixture_case *test, unsigned int taken,
		   uint64_t ret[REGISTER_COUNT + 1])
{
	for (int i = 0; i < REGISTER_COUNT; i++) {
		bool of_context = test->others_are_the_context_s;

		for (int bit = 0; test->mixed[bit] >= 0; bit++)
			if (test->mixed[bit] == i)
				of_context = taken >> bit & 1;
		ret[1 + i] = of_context ? OLD(i) : f->regs.value[i];
		if (i == REGISTER_RIP && !of_context && !test->others_are_the_context_s)
			ret[1 + i] += test->bytes; /* the PC in a call is behind it */
	}
	ret[0] = ret[1 + REGISTER_RIP];
	ret[1 + REGISTER_RIP] = 0;
}

START_TEST(each_old_with_each_new)
{
	const struct mixture_case *test = &cases[_i];
	struct sample_set *set = sample_set_create();
	struct fixture f;
	struct error error;
	uint64_t wanted[REGISTER_COUNT + 1];
	unsigned int bits = 0, all;

	fixture_init(&f, test);
	while (test->mixed[bits] >= 0)
		bits++;
	all = (1u << bits) - 1;
	ck_assert_int_eq(sample_exchange_add(set, &f.point, test->bytes, &error), 0);
	/* All but the two that are no mixtures; each is looked up twice. */
	ck_assert_msg(walks == (bits ? 2 * ((int)all - 1) : 0), "%s: %d walks", test->name, walks);
	ck_assert_msg(sample_set_count(set) == (bits ? all - 1 : 0), "%s: %lu stacks", test->name,
		      sample_set_count(set));
	for (unsigned int taken = 1; taken < all; taken++) {
		expect(&f, test, taken, wanted);
		ck_assert_msg(sample_set_find(set, wanted, REGISTER_COUNT + 1) == SET_WHOLE,
			      "%s: 0x%x is missing", test->name, taken);
	}
	sample_set_destroy(set);
}
END_TEST

/* Where a walk goes astray its last word may be any: in each of the stacks. */
START_TEST(what_leads_nowhere_is_said_so)
{
	struct sample_set *set = sample_set_create();
	struct fixture f;
	struct error error;
	uint64_t wanted[REGISTER_COUNT + 1];

	fixture_init(&f, &cases[0]);
	stops = STOP_NO_MAPPING;
	ck_assert_int_eq(sample_exchange_add(set, &f.point, 0, &error), 0);
	expect(&f, &cases[0], 1, wanted);
	ck_assert_int_eq(sample_set_find(set, wanted, REGISTER_COUNT + 1), SET_NONE);
	wanted[REGISTER_COUNT] = SAMPLE_NOWHERE;
	ck_assert_int_eq(sample_set_find(set, wanted, REGISTER_COUNT + 1), SET_WHOLE);
	ck_assert_uint_eq(sample_set_count(set), 2);
	sample_set_destroy(set);
}
END_TEST

/* Any walk that fails ends it, and says why. */
START_TEST(a_walk_that_fails)
{
	for (int at = 1; at <= 4; at++) {
		struct sample_set *set = sample_set_create();
		struct fixture f;
		struct error error = { 0 };
		char said[16];

		fixture_init(&f, &cases[0]);
		fails_at = at;
		snprintf(said, sizeof(said), "walk %d", at);
		ck_assert_int_eq(sample_exchange_add(set, &f.point, 0, &error), -1);
		ck_assert_str_eq(error.message, said);
		ck_assert_int_eq(walks, at);
		sample_set_destroy(set);
	}
}
END_TEST

/* Of an exec only the first PC is known: what is below it is open. */
START_TEST(an_exec_s_stack_is_open)
{
	static const uint64_t calls[] = { SYS_execve, SYS_execveat };
	const uint64_t pc[] = { PC + 3, 1 };

	for (int i = 0; i < 2; i++) {
		const struct mixture_case test = { .context = SP,
						   .trapped = true,
						   .call = calls[i] };
		struct sample_set *set = sample_set_create();
		struct fixture f;
		struct error error;

		fixture_init(&f, &test);
		ck_assert_int_eq(sample_exchange_add(set, &f.point, 0, &error), 0);
		ck_assert_uint_eq(sample_set_count(set), 0);
		ck_assert_int_eq(sample_exchange_add(set, &f.point, 3, &error), 0);
		ck_assert_uint_eq(sample_set_count(set), 1);
		ck_assert_int_eq(sample_set_find(set, pc, 2), SET_OPEN);
		ck_assert_int_eq(walks, 0);
		sample_set_destroy(set);
	}
}
END_TEST

SUITE(sample_mixtures, LOOP(each_old_with_each_new, cases), TEST(what_leads_nowhere_is_said_so),
      TEST(a_walk_that_fails), TEST(an_exec_s_stack_is_open))
