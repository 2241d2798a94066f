/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_timers.c - timers' signals that wait, and masks as a program thinks of them
 */
#include <fcntl.h>
#include "tests/suite.h"
#include "tracer_fixture.h"

/* ---- timers -------------------------------------------------------------------------------- */

/* A case begins with the signal, its code, and when the last one was let in. */
#define WAITS(signal_) .holds = true, .signals = 1, .late = 1, .held_then = (signal_)

static const struct timer_case {
	const char *name;
	int signal, code;
	uint64_t since; /* at step 5000 */
	enum instruction_kind next;
	bool interrupted; /* a call */
	int held;
	int error;
	bool holds;
	uint64_t signals, late;
	int held_then;
} timer_cases[] = {
	{ "setitimer_s", SIGALRM, SI_KERNEL, 4001, WAITS(SIGALRM) },
	{ "setitimer_s_virtual", SIGVTALRM, SI_KERNEL, 4001, WAITS(SIGVTALRM) },
	{ "setitimer_s_profiling", SIGPROF, SI_KERNEL, 4001, WAITS(SIGPROF) },
	{ "timer_create_s", SIGUSR1, SI_TIMER, 4001, WAITS(SIGUSR1) },
	{ "the_kernel_s_own", SIGSEGV, SI_KERNEL, 4001, .signals = 0 },
	{ "sent_by_somebody", SIGALRM, SI_USER, 4001, .signals = 0 },
	{ "of_who_is_gone", SIGALRM, SI_KERNEL, 4001, .error = ESRCH },
	{ "after_so_many_steps", SIGALRM, SI_KERNEL, 4000, .signals = 1 },
	{ "after_so_many_steps_the_one_that_waits_is_the_same", SIGALRM, SI_KERNEL, 4000,
	  .held = SIGALRM, .signals = 1 },
	{ "after_so_many_steps_another_waits_on", SIGALRM, SI_KERNEL, 4000, .held = SIGPROF,
	  .signals = 1, .held_then = SIGPROF },
	{ "two_of_one_kind_are_one", SIGALRM, SI_KERNEL, 4001, .held = SIGALRM, WAITS(SIGALRM) },
	{ "there_is_room_for_one_kind", SIGALRM, SI_KERNEL, 4001, .held = SIGPROF, .signals = 1,
	  .held_then = SIGPROF },
	{ "before_a_call", SIGALRM, SI_KERNEL, 4999, .next = INSTRUCTION_SYSCALL, .signals = 1 },
	{ "before_a_call_that_a_handler_returned_to", SIGALRM, SI_KERNEL, 5000,
	  .next = INSTRUCTION_SYSCALL, WAITS(SIGALRM) },
	{ "in_a_call", SIGALRM, SI_KERNEL, 5000, .interrupted = true, .signals = 1 },
};

START_TEST(timer_s_signal_waits)
{
	const struct timer_case *c = &timer_cases[_i];
	struct fixture f;

	setup(&f);
	kernel.info = (siginfo_t) { .si_signo = c->signal, .si_code = c->code };
	kernel.error = c->error;
	f.thread.core.regs.orig_rax = c->interrupted ? SYS_read : (uint64_t)-1;
	f.thread.core.regs.rax = (uint64_t)-EINTR;
	f.thread.core.next.kind = c->next;
	f.thread.timers = (struct timer_watch) { .held = c->held, .since = c->since };
	ck_assert_msg(thread_timer_holds(&f.tracer, &f.thread, c->signal) == c->holds, "%s",
		      c->name);
	ck_assert_uint_eq(f.tracer.counters.timer_signals, c->signals);
	ck_assert_uint_eq(f.tracer.counters.timer_signals_late, c->late);
	ck_assert_msg(f.thread.timers.held == c->held_then, "%s", c->name);
	/* One that comes in is a handler entered. */
	bool came = c->signals && !c->holds &&
		    !(c->held && c->held != c->signal && c->since > 4000);

	ck_assert_msg(f.thread.timers.since == (came ? 5000 : c->since), "%s", c->name);
	ck_assert_int_eq(f.thread.timers.info.si_signo, c->holds ? c->signal : 0);
	teardown(&f);
}
END_TEST

START_TEST(timer_s_signal_is_due_once)
{
	struct fixture f;

	setup(&f);
	f.thread.core.regs.orig_rax = (uint64_t)-1;
	ck_assert_int_eq(thread_timer_due(&f.tracer, &f.thread), 0);
	ck_assert_uint_eq(f.thread.timers.since, 0);
	f.thread.timers.held = SIGPROF;
	ck_assert_int_eq(thread_timer_due(&f.tracer, &f.thread), SIGPROF);
	ck_assert_uint_eq(f.thread.timers.since, 5000);
	ck_assert_int_eq(f.thread.timers.held, 0);
	ck_assert_int_eq(thread_timer_due(&f.tracer, &f.thread), 0);
	teardown(&f);
}
END_TEST

/* ---- masks --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t mask;
	int error;
	const char *said;
	bool fails;
} open_cases[] = {
	{ "closed", OTHERS | SIGTRAP_BIT, 0, "mask=0x2000 ", false },
	{ "open", OTHERS, 0, "", false },
	{ "of_who_is_gone", SIGTRAP_BIT, ESRCH, "", false },
	{ "of_who_can_not_be_asked", SIGTRAP_BIT, EPERM, "", true },
};

START_TEST(trap_is_opened)
{
	struct fixture f;

	setup(&f);
	kernel.mask = open_cases[_i].mask;
	kernel.error = open_cases[_i].error;
	ck_assert_msg(thread_open_trap(&f.tracer, &f.thread) == -open_cases[_i].fails, "%s",
		      open_cases[_i].name);
	ck_assert_str_eq(kernel.said, open_cases[_i].said);
	ck_assert_int_eq(f.error.code, open_cases[_i].fails ? ERROR_SYSTEM : 0);
	teardown(&f);
}
END_TEST

#define FRAME_SP 0x2000
#define MASK_AT	 (FRAME_SP + 8 + offsetof(ucontext_t, uc_sigmask))

static const struct {
	const char *name;
	bool blocked;  /* before the handler */
	uint64_t mask; /* of the kernel in the handler */
	uint64_t saved;
	const char *said;
	bool blocked_then;
} handler_cases[] = {
	{ "open_all_the_time", false, OTHERS, OTHERS, "", false },
	{ "closed_in_the_handler", false, OTHERS | SIGTRAP_BIT, OTHERS, "mask=0x2000 ", true },
	{ "closed_before", true, OTHERS, OTHERS | SIGTRAP_BIT, "", true },
	{ "closed_all_the_time", true, OTHERS | SIGTRAP_BIT, OTHERS | SIGTRAP_BIT, "mask=0x2000 ",
	  true },
};

START_TEST(mask_in_a_signal_frame_is_the_program_s)
{
	struct fixture f;

	setup(&f);
	put_word(&f, MASK_AT, OTHERS);
	put_word(&f, MASK_AT + 8, 0);
	kernel.mask = handler_cases[_i].mask;
	f.thread.traps = (struct trap_watch) { .blocked = handler_cases[_i].blocked,
					       .own = true,
					       .rearm = true };
	ck_assert_int_eq(thread_traps_in_handler(&f.tracer, &f.thread, FRAME_SP), 0);
	ck_assert_msg(word_at(&f, MASK_AT) == handler_cases[_i].saved, "%s",
		      handler_cases[_i].name);
	ck_assert_msg(!strcmp(kernel.said, handler_cases[_i].said), "%s: %s",
		      handler_cases[_i].name, kernel.said);
	ck_assert_int_eq(f.thread.traps.blocked, handler_cases[_i].blocked_then);
	ck_assert(!f.thread.traps.own && !f.thread.traps.rearm);
	teardown(&f);
}
END_TEST

START_TEST(who_dies_of_a_trap_has_it_blocked)
{
	struct fixture f;

	setup(&f);
	kernel.mask = OTHERS;
	f.thread.core.regs.rip = PC;
	ck_assert_int_eq(thread_die_of_trap(&f.tracer, &f.thread), 0);
	ck_assert_str_eq(kernel.said, "regs=0x402000 mask=0x2010 ");
	ck_assert(f.thread.traps.dying);
	kernel.error = EIO;
	ck_assert_int_eq(thread_die_of_trap(&f.tracer, &f.thread), -1);
	ck_assert_int_eq(f.error.system_errno, EIO);
	kernel.error = ESRCH;
	ck_assert_int_eq(thread_die_of_trap(&f.tracer, &f.thread), 0);
	teardown(&f);
}
END_TEST

/* Of those that wait the first one's information is kept; not to get it is an error. */
START_TEST(sent_trap_is_kept_with_its_information)
{
	struct fixture f;

	setup(&f);
	f.thread.traps.blocked = true;
	kernel.info.si_code = 7;
	ck_assert_int_eq(thread_sent_trap(&f.tracer, &f.thread), 0);
	ck_assert(f.thread.traps.pending && f.thread.traps.info.si_code == 7);
	kernel.info.si_code = 8;
	ck_assert_int_eq(thread_sent_trap(&f.tracer, &f.thread), 0);
	ck_assert_int_eq(f.thread.traps.info.si_code, 7);
	f.thread.traps.pending = false;
	kernel.error = EIO;
	ck_assert_int_eq(thread_sent_trap(&f.tracer, &f.thread), -1);
	kernel.error = ESRCH;
	ck_assert_int_eq(thread_sent_trap(&f.tracer, &f.thread), 0);
	teardown(&f);
}
END_TEST

/* What can't be corrected is an error; what can't be read is not there. */
START_TEST(flags_that_can_not_be_corrected)
{
	const uint64_t sp = 0x2000;
	struct user_regs_struct regs = { .rsp = NOT_THERE };
	struct fixture f;
	char path[32];
	int file;

	setup(&f);
	put_word(&f, sp + 8 + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]), EFLAGS_TF);
	file = f.tracer.memory_fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	f.tracer.memory_fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(f.tracer.memory_fd, 0);
	f.thread.traps.rearm = true;
	ck_assert_int_eq(thread_traps_in_handler(&f.tracer, &f.thread, sp), -1);
	ck_assert(f.thread.traps.rearm); /* nothing was done after that */
	f.thread.core.next.traits.pushes_flags = true;
	ck_assert_int_eq(thread_hide_stepping(&f.tracer, &f.thread, &regs), 0);
	close(file);
	teardown(&f);
}
END_TEST

/* Of a system call it is its end. */
START_TEST(system_call_has_ended)
{
	struct user_regs_struct regs = { .rax = 8 };
	struct fixture f;

	setup(&f);
	f.thread.core.next.kind = INSTRUCTION_SYSCALL;
	f.thread.call.known = true;
	ck_assert_int_eq(thread_hide_stepping(&f.tracer, &f.thread, &regs), 0);
	ck_assert(!f.thread.call.known);
	teardown(&f);
}
END_TEST

SUITE(tracer_timers, LOOP(timer_s_signal_waits, timer_cases), TEST(timer_s_signal_is_due_once),
      LOOP(trap_is_opened, open_cases),
      LOOP(mask_in_a_signal_frame_is_the_program_s, handler_cases),
      TEST(who_dies_of_a_trap_has_it_blocked), TEST(sent_trap_is_kept_with_its_information),
      TEST(flags_that_can_not_be_corrected), TEST(system_call_has_ended))
