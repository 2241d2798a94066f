/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_entries.c - from where a walk may begin, what it does where there is no CFI, and
 * stacks that are counted in the kernel
 *
 * Needs BPF, as test_session.c; an entry that this kernel hasn't is a SKIP, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "session_fixture.h"

/* Behind a call that would be a jump otherwise, and leave no frame. */
#define NO_TAIL_CALL() __asm__ volatile("")

static __attribute__((noinline, noipa)) int probed(int value)
{
	return value + 1;
}

static __attribute__((noinline, noipa)) void call_probed(void)
{
	volatile int value = 0;

	while (value < 1000)
		value = probed(value);
	usleep(1000);
	NO_TAIL_CALL();
}

static __attribute__((noinline, noipa)) void call_twice(void)
{
	call_probed();
	call_probed();
	NO_TAIL_CALL();
}

static __attribute__((noinline, noipa)) void call_kernel(void)
{
	for (volatile int i = 1;; i++) { /* never left: it may be preempted anywhere */
		syscall(SYS_getppid);
		if (i % 100 == 0)
			usleep(1000);
	}
}

struct seen {
	uint64_t records, complete, unproven, top, caller, guessed, counted;
	uint64_t start, caller_start;
	enum walk_entry entry;
};

static bool lies_in(uint64_t pc, uint64_t start)
{
	return pc - start < 256;
}

static void look(struct seen *seen, const struct walk_record *record)
{
	ck_assert_uint_eq(record->entry, seen->entry);
	seen->records++;
	seen->complete += record->stop == STOP_COMPLETE;
	seen->unproven += record->stop == STOP_GUESSED;
	seen->top += lies_in(record->pc[0], seen->start);
	for (uint32_t i = 0; i < record->count; i++) {
		seen->guessed += record->pc[i] >> 63;
		seen->caller += lies_in(record->pc[i] & ~WALK_PC_GUESSED, seen->caller_start);
	}
}

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	look(context, record);
}

static void collect(struct fixture *f, struct seen *seen, uint64_t wanted)
{
	for (uint64_t until = patience(); seen->records < wanted && waits(until, 20);)
		ck_assert(!bpf_session_consume(f->session, on_record, seen, &f->error));
}

static void check_books(struct fixture *f)
{
	struct walk_counters counters;

	ck_assert(!bpf_session_counters(f->session, false, &counters, &f->error));
	ck_assert_uint_eq(counters.samples, counters.stacks + walk_losses(&counters));
}

/* The file offset of an address of this program. */
static uint64_t offset_of(uint64_t address)
{
	uint64_t start, end, offset;
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    address >= start && address < end) {
			fclose(file);
			return address - start + offset;
		}
	ck_abort_msg("no mapping has the function");
}

static bool skip(struct fixture *f, pid_t child)
{
	printf("SKIP: %s\n", f->error.message);
	end_child(child);
	teardown(f);
	return true;
}

/* ---- entries ---------------------------------------------------------------------------- */

START_TEST(uprobe)
{
	struct seen seen = { .entry = WALK_ENTRY_UPROBE, .start = (uint64_t)probed };
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_UPROBE }))
		return;
	seen.caller_start = (uint64_t)call_probed;
	f.space.pid = fork_child(call_probed);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_uprobe(f.session, f.space.pid, "/proc/self/exe",
				      offset_of((uint64_t)probed), false, &f.error) &&
	    skip(&f, f.space.pid))
		return;
	collect(&f, &seen, 1000);
	bpf_session_detach(f.session);
	end_child(f.space.pid);
	collect(&f, &seen, 1000);
	ck_assert_uint_ge(seen.records, 1000);
	ck_assert_uint_eq(seen.complete, seen.records);
	ck_assert_uint_eq(seen.top, seen.records);
	ck_assert_uint_eq(seen.caller, seen.records);
	check_books(&f);
	teardown(&f);
}
END_TEST

/* Where a function has returned to; and in what it calls, whose stack has the trampoline's address. */
START_TEST(uretprobe)
{
	struct seen seen = { .entry = WALK_ENTRY_UPROBE, .start = (uint64_t)probed };
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_UPROBE }))
		return;
	seen.caller_start = (uint64_t)call_twice;
	f.space.pid = fork_child(call_twice);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_uprobe(f.session, f.space.pid, "/proc/self/exe",
				      offset_of((uint64_t)call_probed), true, &f.error) &&
	    skip(&f, f.space.pid))
		return;
	collect(&f, &seen, 10);
	ck_assert_uint_eq(seen.top, 0);
	ck_assert(!bpf_session_attach_uprobe(f.session, f.space.pid, "/proc/self/exe",
					     offset_of((uint64_t)probed), false, &f.error));
	collect(&f, &seen, 4000);
	bpf_session_detach(f.session);
	end_child(f.space.pid);
	ck_assert_uint_ge(seen.top, 2000);
	ck_assert_uint_eq(seen.complete, seen.records);
	ck_assert_uint_eq(seen.caller, seen.records);
	check_books(&f);
	teardown(&f);
}
END_TEST

static const char *const tracepoints[] = { "sys_enter", "sys_exit", "sched_switch" };

START_TEST(tracepoint)
{
	int method = _i % COUNT(methods);
	struct seen seen = { .entry = WALK_ENTRY_TRACEPOINT };
	struct fixture f;

	if (!setup(&f, method,
		   (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_TRACEPOINT }))
		return;
	seen.caller_start = (uint64_t)call_kernel;
	f.space.pid = fork_child(call_kernel);
	await_cpu(f.space.pid, 2); /* until it has left fork() */
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_tracepoint(f.session, tracepoints[_i / COUNT(methods)], &f.error) &&
	    skip(&f, f.space.pid))
		return;
	collect(&f, &seen, 100);
	bpf_session_detach(f.session);
	end_child(f.space.pid);
	ck_assert_uint_ge(seen.records, 100);
	ck_assert_uint_eq(seen.complete, seen.records);
	ck_assert_uint_eq(seen.caller, seen.records);
	check_books(&f);
	teardown(&f);
}
END_TEST

/* A program that isn't loaded can't be attached. */
START_TEST(entries_that_were_not_asked_for)
{
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_STEP }))
		return;
	ck_assert_int_eq(bpf_session_attach_samples(f.session, getpid(), -1, 99, &f.error), -1);
	ck_assert_ptr_nonnull(strstr(f.error.message, "1 << STACKPROOF_ENTRY_SAMPLE"));
	ck_assert_int_eq(bpf_session_attach_tracepoint(f.session, "sys_enter", &f.error), -1);
	ck_assert_ptr_nonnull(strstr(f.error.message, "1 << STACKPROOF_ENTRY_TRACEPOINT"));
	ck_assert_int_eq(bpf_session_attach_uprobe(f.session, -1, "/proc/self/exe",
						   offset_of((uint64_t)probed), false, &f.error),
			 -1);
	ck_assert_ptr_nonnull(strstr(f.error.message, "1 << STACKPROOF_ENTRY_UPROBE"));
	struct register_values regs = { 0 };
	ck_assert_int_eq(bpf_session_replay(f.session, &regs, &f.error), -1);
	ck_assert_ptr_nonnull(strstr(f.error.message, "1 << STACKPROOF_ENTRY_REPLAY"));
	ck_assert(!bpf_session_attach_steps(f.session, &f.error));
	teardown(&f);
}
END_TEST

/* ---- where there is no CFI -------------------------------------------------------------- */

static void *made;

static __attribute__((noinline, noipa)) void call_made(void)
{
	((void (*)(void (*)(void)))made)(busy);
	NO_TAIL_CALL();
}

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t with_frame_pointer[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

START_TEST(frame_pointer_where_there_is_no_cfi)
{
	bool follow = _i % 2;
	struct seen seen = { .entry = WALK_ENTRY_SAMPLE, .start = (uint64_t)busy };
	struct fixture f;

	made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	ck_assert_ptr_ne(made, MAP_FAILED);
	memcpy(made, with_frame_pointer, sizeof(with_frame_pointer));
	if (!setup(&f, _i / 2, (struct bpf_session_options) { .follow_frame_pointers = follow }))
		return;
	seen.caller_start = (uint64_t)call_made;
	f.space.pid = fork_child(call_made);
	await_cpu(f.space.pid, 5); /* until it is in busy() */
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_samples(f.session, f.space.pid, -1, 499, &f.error) &&
	    skip(&f, f.space.pid))
		return;
	collect(&f, &seen, 20);
	bpf_session_detach(f.session);
	end_child(f.space.pid);
	ck_assert_uint_ge(seen.records, 20);
	ck_assert_uint_eq(seen.top, seen.records);
	/* The frame that was found so is marked, and no other one. */
	ck_assert_uint_eq(seen.guessed, follow ? seen.records : 0);
	ck_assert_uint_eq(seen.caller, follow ? seen.records : 0);
	/* Its end is found, and not proven. */
	ck_assert_uint_eq(seen.unproven, follow ? seen.records : 0);
	ck_assert_uint_eq(seen.complete, 0);
	check_books(&f);
	teardown(&f);
	munmap(made, 4096);
}
END_TEST

/* ---- counted in the kernel -------------------------------------------------------------- */

static void on_count(void *context, const struct walk_record *record,
		     const struct walk_stack_count *met)
{
	struct seen *seen = context;

	ck_assert_uint_ge(met->count, 1);
	ck_assert_uint_ge(met->last, record->time);
	look(seen, record);
	seen->counted += met->count;
}

static const struct {
	const char *name;
	uint32_t stack_capacity;
	bool loses;
} count_cases[] = { { "room_for_all", 0, false }, { "room_for_two", 2, true } };

/* Each turn takes what there is while more comes; at the end every sample is in one of the
 * counts. */
START_TEST(counted_stacks_add_up)
{
	struct bpf_session_options options = {
		.count_stacks = true,
		.stack_capacity = count_cases[_i / COUNT(methods)].stack_capacity,
	};
	bool loses = count_cases[_i / COUNT(methods)].loses;
	struct seen seen = { .entry = WALK_ENTRY_SAMPLE };
	struct walk_counters counters;
	uint64_t unsent, all_unsent = 0;
	bool more = true;
	struct fixture f;

	if (!setup(&f, _i % COUNT(methods), options))
		return;
	f.space.pid = fork_child(call_probed);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_samples(f.session, f.space.pid, -1, 4999, &f.error) &&
	    skip(&f, f.space.pid))
		return;
	/* At least so many turns, and until enough were counted, and lost. */
	for (uint64_t turns = 1, until = patience(); more; turns++) {
		more = waits(until, 20);
		ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
		if (turns >= 60 && seen.counted > 100 && (!loses || counters.lost_full))
			more = false;
		if (!more)
			bpf_session_detach(f.session);
		ck_assert_msg(
			!bpf_session_take_counts(f.session, on_count, &seen, &unsent, &f.error),
			"%s", f.error.message);
		all_unsent += unsent;
	}
	/* What was counted between the last turn but one and the end. */
	ck_assert(!bpf_session_take_counts(f.session, on_count, &seen, &unsent, &f.error));
	all_unsent += unsent;
	end_child(f.space.pid);
	ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
	ck_assert_uint_gt(seen.counted, 100);
	ck_assert_uint_eq(seen.counted + all_unsent, counters.stacks);
	ck_assert_msg(loses == (counters.lost_full > 0), "%s", count_cases[_i / 2].name);
	/* Nothing was ever full, so nothing went without its frames. */
	ck_assert_uint_eq(all_unsent, 0);
	if (!loses)
		ck_assert_uint_lt(seen.records, seen.counted);
	check_books(&f);
	teardown(&f);
}
END_TEST

START_TEST(counts_of_a_session_that_counts_none)
{
	struct fixture f;
	uint64_t unsent;

	if (!setup(&f, _i, (struct bpf_session_options) { 0 }))
		return;
	ck_assert_int_eq(bpf_session_take_counts(f.session, on_count, NULL, &unsent, &f.error), -1);
	teardown(&f);
}
END_TEST

/* ---- off the CPU ------------------------------------------------------------------------ */

#define NAP_NS 5000000

static __attribute__((noinline, noipa)) void call_nap(void)
{
	usleep(NAP_NS / 1000);
	NO_TAIL_CALL();
}

static void nap_forever(void)
{
	for (;;)
		call_nap();
}

struct naps {
	struct seen seen;
	uint64_t blocked, off_ns, still_off;
};

static void on_nap(void *context, const struct walk_record *record,
		   const struct walk_stack_count *met)
{
	struct naps *naps = context;

	ck_assert(record->off == WALK_OFF_BLOCKED || record->off == WALK_OFF_PREEMPTED);
	on_count(&naps->seen, record, met);
	if (record->off != WALK_OFF_BLOCKED)
		return;
	naps->blocked += met->count;
	naps->off_ns += met->off_ns;
}

static void on_still_off(void *context, const struct walk_record *record,
			 const struct walk_off_thread *thread)
{
	struct naps *naps = context;

	ck_assert_uint_ge(thread->since, record->time);
	naps->still_off++;
}

static void take_naps(struct fixture *f, struct naps *naps)
{
	struct naps ignored = { 0 };
	uint64_t unsent;

	ck_assert(!bpf_session_look_off(f->session, on_still_off, &ignored, &unsent, &f->error));
	ck_assert(!bpf_session_take_counts(f->session, on_nap, naps, &unsent, &f->error));
	ck_assert_uint_eq(unsent, 0);
}

/* Each nap has its time, and what is not over is known. */
START_TEST(naps_have_their_time)
{
	struct bpf_session_options options = { .count_stacks = true,
					       .off_cpu = true,
					       .off_least_ns = 2000,
					       .entries = 1u << WALK_ENTRY_TRACEPOINT };
	struct naps naps = { .seen.entry = WALK_ENTRY_TRACEPOINT };
	struct walk_counters counters;
	struct fixture f;
	uint64_t unsent;

	if (!setup(&f, _i, options))
		return;
	naps.seen.caller_start = (uint64_t)call_nap;
	f.space.pid = fork_child(nap_forever);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	ck_assert_int_eq(bpf_session_attach_tracepoint(f.session, "sys_enter", &f.error), -1);
	if (bpf_session_attach_off_cpu(f.session, &f.error) && skip(&f, f.space.pid))
		return;
	for (uint64_t until = patience(); naps.blocked < 20 && waits(until, 20);)
		take_naps(&f, &naps);
	bpf_session_detach(f.session);
	take_naps(&f, &naps);
	ck_assert(!bpf_session_look_off(f.session, on_still_off, &naps, &unsent, &f.error));
	end_child(f.space.pid);
	ck_assert(!bpf_session_counters(f.session, false, &counters, &f.error));
	ck_assert_uint_ge(naps.blocked, 20);
	ck_assert_uint_eq(naps.seen.complete, naps.seen.records);
	ck_assert_uint_gt(naps.seen.caller, 0);
	/* A nap lasts as long as it was to, at least; and the walk in its beginning does not count. */
	ck_assert_uint_ge(naps.off_ns, naps.blocked * (NAP_NS * 4 / 5));
	ck_assert_uint_le(naps.still_off, 1);
	ck_assert_uint_eq(naps.seen.counted, counters.stacks);
	ck_assert_uint_eq(counters.samples,
			  counters.stacks + walk_losses(&counters) + naps.still_off);
	teardown(&f);
}
END_TEST

START_TEST(off_the_cpu_in_a_session_that_is_not_for_it)
{
	struct fixture f;
	uint64_t unsent = 9;

	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_TRACEPOINT }))
		return;
	ck_assert_int_eq(bpf_session_attach_off_cpu(f.session, &f.error), -1);
	ck_assert_ptr_nonnull(strstr(f.error.message, "not opened for times off the CPU"));
	ck_assert_int_eq(bpf_session_look_off(f.session, NULL, NULL, &unsent, &f.error), 0);
	ck_assert_uint_eq(unsent, 0);
	teardown(&f);
}
END_TEST

SUITE(session_entries, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(uprobe, methods), LOOP(uretprobe, methods),
      TIMES(tracepoint, COUNT(tracepoints) * COUNT(methods)),
      LOOP(entries_that_were_not_asked_for, methods),
      TIMES(frame_pointer_where_there_is_no_cfi, 2 * COUNT(methods)),
      TIMES(counted_stacks_add_up, COUNT(count_cases) * COUNT(methods)),
      LOOP(counts_of_a_session_that_counts_none, methods), LOOP(naps_have_their_time, methods),
      LOOP(off_the_cpu_in_a_session_that_is_not_for_it, methods))
