/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_session_threads.c - whose signal is a step, where a system call's caller is, the baseline
 * alone
 *
 * Needs BPF, as test_session.c.
 */
#include <stdio.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "session_fixture.h"

/* The system call is the last instruction of its function, and the next function's row is
 * another. */
__asm__(".text\n"
	"last_call:\n	.cfi_startproc\n	mov $39, %eax\n	syscall\n	.cfi_endproc\n"
	"behind_call:\n	.cfi_startproc\n	.cfi_def_cfa_offset 65536\n"
	"	jmp last_call\n	.cfi_endproc\n");
extern const char behind_call[];
void last_call(void);

static __attribute__((noinline, noipa)) void call_last(void)
{
	last_call();
	__asm__ volatile("");
}

struct seen {
	pid_t pid;
	uint64_t records, foreign, right, wrong, frame_pointer;
};

static void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct seen *seen = context;

	seen->records++;
	seen->foreign += (pid_t)record->pid != seen->pid;
	seen->frame_pointer += frame_pointer;
	if (record->pc[0] != (uint64_t)behind_call)
		return;
	if (record->count > 2 && record->pc[1] - (uint64_t)call_last < 64 &&
	    record->stop == STOP_COMPLETE)
		seen->right++;
	else
		seen->wrong++;
}

static void consume(struct fixture *f, struct seen *seen)
{
	ck_assert(!bpf_session_consume(f->session, on_record, seen, &f->error));
}

/* ---- behind a system call --------------------------------------------------------------- */

START_TEST(system_call_is_where_it_was_made)
{
	struct fixture f;

	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_TRACEPOINT }))
		return;
	struct seen seen = { .pid = fork_child(call_last) };
	f.space.pid = seen.pid;
	await_cpu(seen.pid, 2);
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_tracepoint(f.session, "sys_enter", &f.error)) {
		printf("SKIP: %s\n", f.error.message);
	} else {
		for (uint64_t until = patience(); seen.right < 100 && waits(until, 5);)
			consume(&f, &seen);
		bpf_session_detach(f.session);
		ck_assert_uint_ge(seen.right, 100);
		ck_assert_uint_eq(seen.wrong, 0);
	}
	end_child(seen.pid);
	teardown(&f);
}
END_TEST

/* ---- steps ------------------------------------------------------------------------------ */

static struct shared {
	volatile uint64_t traps, users, raise_user, raise_trap;
} * shared;

static void on_signal(int number)
{
	if (number == SIGTRAP)
		shared->traps++;
	else
		shared->users++;
}

/* Raises what it is told to. */
static void raise_or_wait(void)
{
	if (shared->raise_user) {
		shared->raise_user--;
		raise(SIGUSR1);
	} else if (shared->raise_trap) {
		shared->raise_trap--;
		raise(SIGTRAP);
	} else {
		usleep(1000);
	}
}

static void await_value(const volatile uint64_t *value, uint64_t wanted)
{
	for (uint64_t until = patience(); *value != wanted;)
		ck_assert_msg(waits(until, 1), "the signal does not come");
}

#define SIGNALS 20

/* Only a SIGTRAP, and only a thread's own: who sends it to another is not walked. */
START_TEST(only_a_threads_own_trap_is_a_step)
{
	struct fixture f;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	if (!setup(&f, _i, (struct bpf_session_options) { .entries = 1u << WALK_ENTRY_STEP }))
		return;
	signal(SIGTRAP, on_signal);
	signal(SIGUSR1, on_signal);
	struct seen seen = { .pid = fork_child(raise_or_wait) };
	/* Both are known: whoever is walked gives a record. */
	f.space.pid = getpid();
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	f.space.pid = seen.pid;
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	ck_assert_msg(!bpf_session_attach_steps(f.session, &f.error), "%s", f.error.message);
	shared->raise_user = SIGNALS;
	await_value(&shared->users, SIGNALS);
	for (int i = 1; i <= SIGNALS; i++) {
		ck_assert(!kill(seen.pid, SIGTRAP));
		await_value(&shared->traps, i);
	}
	consume(&f, &seen);
	ck_assert_uint_eq(seen.records, 0);
	shared->raise_trap = SIGNALS;
	await_value(&shared->traps, 2 * SIGNALS);
	consume(&f, &seen);
	ck_assert_uint_eq(seen.records, SIGNALS);
	ck_assert_uint_eq(seen.foreign, 0);
	end_child(seen.pid);
	teardown(&f);
}
END_TEST

/* ---- the baseline ----------------------------------------------------------------------- */

/* Its records come where the walk has none. */
START_TEST(baseline_alone_is_read)
{
	bool alone = _i;
	struct bpf_session_options options = { .frame_pointer = true, .only_frame_pointer = alone };
	struct seen seen = { 0 };
	struct fixture f;

	memset(&f, 0, sizeof(f));
	if (bpf_session_open(&options, &f.session, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
		return;
	}
	f.store = image_store_create();
	ck_assert(!address_space_read(&f.space, f.store, getpid(), &f.error));
	seen.pid = fork_child(busy);
	f.space.pid = seen.pid;
	ck_assert(!bpf_session_set_process(f.session, &f.space, &f.error));
	if (bpf_session_attach_samples(f.session, seen.pid, -1, 999, &f.error)) {
		printf("SKIP: %s\n", f.error.message);
	} else {
		for (uint64_t until = patience(); seen.frame_pointer < 20 && waits(until, 5);)
			consume(&f, &seen);
		ck_assert_uint_ge(seen.frame_pointer, 20);
		ck_assert_int_eq(seen.frame_pointer == seen.records, alone);
		ck_assert_uint_eq(seen.foreign, 0);
	}
	end_child(seen.pid);
	teardown(&f);
}
END_TEST

SUITE(session_threads, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(system_call_is_where_it_was_made, methods),
      LOOP(only_a_threads_own_trap_is_a_step, methods), TIMES(baseline_alone_is_read, 2))
