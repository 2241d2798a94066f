/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_session.c - the walk in the kernel through stackproof.h: on which CPUs, by which
 * registers, and what is counted
 *
 * Needs BPF: where there is none a test says SKIP with the reason and passes.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/types.h>
#include <ucontext.h>
#include "tests/suite.h"
#include "patience.h"
#include "session.h"

/* Each CPU that an event is asked of goes to asked_of; none are had then. */
static char asked_of[64];
static bool only_asked;

static struct perf_event_attr event_given;
static pid_t event_tid;
static int event_cpu;

static int attach_event_noted(struct bpf_session *session, struct perf_event_attr *attr, pid_t tid,
			      int cpu, struct error *error)
{
	size_t used = strlen(asked_of);

	if (session && !only_asked)
		return bpf_session_attach_event(session, attr, tid, cpu, error);
	snprintf(asked_of + used, sizeof(asked_of) - used, " %d", cpu);
	event_given = *attr;
	event_tid = tid;
	event_cpu = cpu;
	attr->size = 8; /* as the kernel does of one that it does not know */
	return cpu == 13 ? error_set(error, ERROR_UNAVAILABLE, "", 0, "there is no 13") : 0;
}

static struct register_values replayed;

static int replay_noted(struct bpf_session *session, const struct register_values *regs,
			struct error *error)
{
	replayed = *regs;
	return only_asked ? 0 : bpf_session_replay(session, regs, error);
}

#define bpf_session_attach_event attach_event_noted
#define bpf_session_replay	 replay_noted
#include "face_session.c"
#undef bpf_session_attach_event
#undef bpf_session_replay

/* ---- CPUs ------------------------------------------------------------------------------- */

static const struct {
	const char *list, *asked_of;
	int status;
} lists[] = {
	{ "0\n", " 0", 0 },
	{ "0-3\n", " 0 1 2 3", 0 },
	{ "0-1,8\n", " 0 1 8", 0 },
	{ "0,2,4-5\n", " 0 2 4 5", 0 },
	{ "2-2,10-11,15\n", " 2 10 11 15", 0 },
	{ "1", " 1", 0 },
	{ "2,0-x\n", " 2", 0 },
	{ "2,0-", " 2", 0 },
	{ "11-14,20\n", " 11 12 13", -1 },
};

START_TEST(cpus_of_a_list)
{
	FILE *list = fmemopen((char *)lists[_i].list, strlen(lists[_i].list), "r");
	const struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER0, .sample_freq = 99 };
	struct stackproof_session session = { .session = NULL };
	struct error error;

	only_asked = true;
	ck_assert_int_eq(attach_cpus(&session, list, &attr, &error), lists[_i].status);
	ck_assert_str_eq(asked_of, lists[_i].asked_of);
	ck_assert_int_eq(event_tid, -1);
	ck_assert_mem_eq(&event_given, &attr, sizeof(attr)); /* the last CPU's, too */
	fclose(list);
}
END_TEST

/* ---- events ----------------------------------------------------------------------------- */

#define OWN ((uint32_t)sizeof(struct perf_event_attr))

/* What a program was compiled with may be shorter than ours, and is 0 behind that then; 0 says the first size. */
static const struct {
	uint32_t size, bytes; /* that are given on; 0: it is an error */
} events[] = {
	{ 0, PERF_ATTR_SIZE_VER0 },
	{ PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER0 },
	{ PERF_ATTR_SIZE_VER0 + 8, PERF_ATTR_SIZE_VER0 + 8 },
	{ OWN - 8, OWN - 8 },
	{ OWN, OWN },
	{ OWN + 1, 0 },
};

START_TEST(events_of_any_size)
{
	struct stackproof_session session = { .session = NULL };
	struct perf_event_attr attr[2];
	struct stackproof_error error;
	const uint8_t *given = (const uint8_t *)&event_given;
	char message[64];

	memset(attr, 0x5a, sizeof(attr));
	attr[0].size = events[_i].size;
	if (!events[_i].bytes) {
		ck_assert_int_eq(stackproof_session_attach_event(&session, attr, 7, 3, &error), -1);
		snprintf(message, sizeof(message), "a perf event of %u bytes", events[_i].size);
		ck_assert_str_eq(error.message, message);
		return;
	}
	ck_assert_int_eq(stackproof_session_attach_event(&session, attr, 7, 3, &error), 0);
	ck_assert_int_eq(event_tid, 7);
	ck_assert_int_eq(event_cpu, 3);
	ck_assert_mem_eq(given, attr, events[_i].bytes);
	for (uint32_t i = events[_i].bytes; i < OWN; i++)
		ck_assert_uint_eq(given[i], 0);
	ck_assert_int_eq(stackproof_session_attach_event(&session, attr, 7, 13, &error), -1);
	ck_assert_str_eq(error.message, "there is no 13");
}
END_TEST

/* ---- a session of this process ---------------------------------------------------------- */

struct fixture {
	struct stackproof_images *images;
	struct stackproof_space *space;
	struct stackproof_session *session;
	struct stackproof_error error;
};

static bool setup(struct fixture *f, struct stackproof_session_options options)
{
	options.size = sizeof(options);
	if (stackproof_session_open(&options, &f->session, &f->error)) {
		ck_assert_uint_eq(f->error.code, STACKPROOF_ERROR_UNAVAILABLE);
		printf("SKIP: %s\n", f->error.message);
		return false;
	}
	ck_assert(!stackproof_images_create(&f->images, &f->error));
	ck_assert(!stackproof_space_read(f->images, getpid(), &f->space, &f->error));
	ck_assert_msg(!stackproof_session_set_process(f->session, f->space, &f->error), "%s",
		      f->error.message);
	return true;
}

static void teardown(struct fixture *f)
{
	stackproof_session_close(f->session);
	stackproof_space_close(f->space);
	stackproof_images_destroy(f->images);
}

/* Of each stack that is given what tells it from others. */
struct seen {
	uint64_t stacks, times, frames, stop[STACKPROOF_STOP_COUNT];
	uint32_t cpu, on_cpu; /* how many came from there */
	uint32_t entry, last_stop, count;
	uint64_t pc[64];
};

static void see(void *context, const struct stackproof_stack *stack)
{
	struct seen *seen = context;

	ck_assert_int_eq(stack->pid, getpid());
	ck_assert_uint_lt(stack->stop, STACKPROOF_STOP_COUNT);
	seen->stacks++;
	seen->times += stack->times;
	seen->frames += stack->count * stack->times;
	seen->stop[stack->stop] += stack->times;
	seen->on_cpu += stack->cpu == seen->cpu;
	seen->entry = stack->entry;
	seen->last_stop = stack->stop;
	seen->count = stack->count;
	for (uint32_t i = 0; i < stack->count && i < 64; i++)
		seen->pc[i] = stack->pc[i];
}

/* Samples of no thread and no CPU in particular come from each CPU that this process may use. */
START_TEST(every_cpu_gives_samples)
{
	cpu_set_t all, one;
	struct fixture f;

	if (!setup(&f, (struct stackproof_session_options) { 0 }))
		return;
	if (stackproof_session_attach_samples(f.session, -1, -1, 499, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		teardown(&f);
		return;
	}
	ck_assert(!sched_getaffinity(0, sizeof(all), &all));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct seen seen = { .cpu = cpu };
		uint64_t until = patience();

		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one)) /* it has left */
			continue;
		while (!seen.on_cpu && monotonic_ns() < until)
			ck_assert(!stackproof_session_consume(f.session, see, &seen, &f.error));
		ck_assert_msg(seen.on_cpu, "CPU %d gives none", cpu);
	}
	teardown(&f);
}
END_TEST

/* ---- registers -------------------------------------------------------------------------- */

static int read_own(void *context, uint64_t address, void *ret, size_t size)
{
	memcpy(ret, (const void *)address, size);
	return 0;
}

static struct stackproof_registers registers_of(const ucontext_t *here)
{
	static const uint8_t order[17] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct stackproof_registers registers = { .known = (1u << 17) - 1 };

	for (int number = 0; number < 17; number++)
		registers.value[number] = here->uc_mcontext.gregs[order[number]];
	return registers;
}

/* By their DWARF numbers (psABI, figure 3.36). */
START_TEST(registers_have_their_numbers)
{
	struct stackproof_registers registers = { .known = (1u << 17) - 1 };
	struct stackproof_session session = { .session = NULL };
	struct stackproof_error error;

	only_asked = true;
	for (int number = 0; number < 17; number++)
		registers.value[number] = 1000 + number;
	ck_assert(!stackproof_session_replay(&session, &registers, &error));
	for (int number = 0; number < 17; number++)
		ck_assert_msg(replayed.value[number] == 1000u + number, "register %d", number);
}
END_TEST

/* The kernel walks by the registers that it is given as the walk in user space does. */
static __attribute__((noinline, noipa)) void walk_both_ways(struct fixture *f, struct seen *kernel,
							    struct seen *user)
{
	struct stackproof_registers registers;
	ucontext_t here;

	getcontext(&here);
	registers = registers_of(&here);
	ck_assert(
		!stackproof_walk(f->space, NULL, &registers, read_own, NULL, see, user, &f->error));
	if (stackproof_session_replay(f->session, &registers, &f->error)) {
		ck_assert_uint_eq(f->error.code, STACKPROOF_ERROR_UNAVAILABLE);
		printf("SKIP: %s\n", f->error.message);
		*kernel = *user;
		kernel->entry = STACKPROOF_ENTRY_REPLAY;
		return;
	}
	ck_assert(!stackproof_session_consume(f->session, see, kernel, &f->error));
}

START_TEST(given_registers_give_the_same_stack)
{
	struct seen kernel = { .stacks = 0 }, user = { .stacks = 0 };
	struct fixture f;

	if (!setup(&f, (struct stackproof_session_options) {
			       .entries = 1u << STACKPROOF_ENTRY_REPLAY }))
		return;
	walk_both_ways(&f, &kernel, &user);
	ck_assert_uint_eq(kernel.stacks, 1);
	ck_assert_uint_eq(user.stacks, 1);
	ck_assert_uint_eq(kernel.entry, STACKPROOF_ENTRY_REPLAY);
	ck_assert_uint_eq(user.entry, STACKPROOF_ENTRY_USER);
	ck_assert_uint_eq(user.last_stop, STACKPROOF_STOP_COMPLETE);
	ck_assert_uint_eq(kernel.last_stop, user.last_stop);
	ck_assert_uint_eq(kernel.count, user.count);
	ck_assert_uint_gt(user.count, 2);
	ck_assert(!memcmp(kernel.pc, user.pc, sizeof(user.pc)));
	teardown(&f);
}
END_TEST

START_TEST(all_registers_must_be_known)
{
	struct stackproof_registers registers = { .known = (1u << 17) - 1 };
	struct fixture f;

	if (!setup(&f, (struct stackproof_session_options) {
			       .entries = 1u << STACKPROOF_ENTRY_REPLAY }))
		return;
	registers.known &= ~(1ull << _i);
	ck_assert_int_eq(stackproof_session_replay(f.session, &registers, &f.error), -1);
	ck_assert_uint_eq(f.error.code, STACKPROOF_ERROR_ARGUMENT);
	teardown(&f);
}
END_TEST

/* ---- counters --------------------------------------------------------------------------- */

static __attribute__((noinline, noipa)) void call_kernel(void)
{
	for (int i = 0; i < 300; i++)
		sched_yield();
}

/* All that was walked is given, one by one or as often as it was met. */
START_TEST(counters_are_those_of_the_stacks)
{
	struct stackproof_session_counters counters =
		STACKPROOF_INIT(struct stackproof_session_counters);
	struct seen seen = { .stacks = 0 };
	struct fixture f;
	uint64_t unsent = 7;

	if (!setup(&f, (struct stackproof_session_options) {
			       .entries = 1u << STACKPROOF_ENTRY_TRACEPOINT, .count_stacks = _i }))
		return;
	if (stackproof_session_attach_tracepoint(f.session, "sys_enter", &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		teardown(&f);
		return;
	}
	call_kernel();
	stackproof_session_detach(f.session);
	if (_i) {
		ck_assert(
			!stackproof_session_take_counts(f.session, see, &seen, &unsent, &f.error));
		ck_assert_uint_eq(unsent, 0);
		ck_assert_uint_lt(seen.stacks, seen.times); /* most are the same */
	} else {
		ck_assert(!stackproof_session_consume(f.session, see, &seen, &f.error));
		ck_assert_uint_eq(seen.stacks, seen.times);
	}
	ck_assert(!stackproof_session_counters(f.session, &counters, &f.error));
	ck_assert_uint_ge(counters.samples, 300);
	ck_assert_uint_gt(seen.times, 0);
	ck_assert_uint_eq(counters.stacks, seen.times);
	ck_assert_uint_eq(counters.frames, seen.frames);
	ck_assert_uint_eq(counters.samples, counters.stacks + counters.lost_busy +
						    counters.lost_space + counters.lost_registers +
						    counters.lost_full + counters.lost_count);
	for (int stop = 0; stop < STACKPROOF_STOP_COUNT; stop++)
		ck_assert_uint_eq(counters.stop[stop], seen.stop[stop]);
	teardown(&f);
}
END_TEST

/* A process that is forgotten, or was not given, is counted as unknown. */
START_TEST(forgotten_process_is_unknown)
{
	struct stackproof_session_counters counters =
		STACKPROOF_INIT(struct stackproof_session_counters);
	struct seen seen = { .stacks = 0 };
	struct fixture f;

	if (!setup(&f, (struct stackproof_session_options) {
			       .entries = 1u << STACKPROOF_ENTRY_TRACEPOINT }))
		return;
	stackproof_session_forget_process(f.session, getpid());
	if (stackproof_session_attach_tracepoint(f.session, "sys_enter", &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		teardown(&f);
		return;
	}
	call_kernel();
	stackproof_session_detach(f.session);
	ck_assert(!stackproof_session_consume(f.session, see, &seen, &f.error));
	ck_assert(!stackproof_session_counters(f.session, &counters, &f.error));
	ck_assert_uint_eq(seen.stacks, 0);
	ck_assert_uint_eq(counters.samples, 0);
	ck_assert_uint_ge(counters.unknown, 300);
	teardown(&f);
}
END_TEST

SUITE(face_session, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(cpus_of_a_list, lists),
      LOOP(events_of_any_size, events), TEST(every_cpu_gives_samples),
      TEST(registers_have_their_numbers), TEST(given_registers_give_the_same_stack),
      TIMES(all_registers_must_be_known, 17), TIMES(counters_are_those_of_the_stacks, 2),
      TEST(forgotten_process_is_unknown))
