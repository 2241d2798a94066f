/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_signals.c - system calls and signals as the tracer goes on with a thread
 */
#include "tests/suite.h"
#include "tracer_fixture.h"

/* ---- a system call has ended --------------------------------------------------------------- */

/* Which one, by the registers before it. */
#define CALL(number)	       .before = { .rax = (number) }
#define SIGACTION(signal, old) .before = { .rax = SYS_rt_sigaction, .rdi = (signal), .rdx = (old) }
#define SIGPROCMASK(old)       .before = { .rax = SYS_rt_sigprocmask, .rdx = (old) }
#define TRACE(request)	       .before = { .rax = SYS_ptrace, .rdi = (request) }
/* It leaves where it goes on in rcx, and flags in r11. */
#define AFTER_SYSCALL(flags) .after = { .rip = PC, .rcx = PC, .r11 = (flags) }
#define SETS(handler)	     .call = { .sets_handler = true, .trap_handler = (handler) }
/* What becomes of a SIGTRAP, before the call and afterwards. */
#define ACTION(before_, then) .action = TRAP_ACTION_##before_, .action_then = TRAP_ACTION_##then

static const struct end_case {
	const char *name;
	struct user_regs_struct before, after;
	struct call_watch call;
	struct trap_watch traps; /* before */
	enum trap_action action; /* before */
	bool unknown, legacy;
	int error; /* of the kernel */
	const char *said;
	bool blocked, own, rearm, traced; /* afterwards */
	enum trap_action action_then;
	uint64_t old; /* afterwards; before it is OTHERS */
	int64_t rax;
	uint64_t r11;
	bool fails;
} end_cases[] = {
	{ "another_call", .before = { .rax = SYS_read, .rdi = SIGTRAP, .rdx = OLD } },
	{ "flags_in_r11", CALL(SYS_read), AFTER_SYSCALL(FLAGS | EFLAGS_TF), .said = "r11=0x246 ",
	  .r11 = FLAGS },
	{ "flags_in_r11_without_the_tracer_s", CALL(SYS_read), AFTER_SYSCALL(FLAGS), .r11 = FLAGS },
	{ "flags_in_r11_of_who_steps_itself", CALL(SYS_read), AFTER_SYSCALL(FLAGS | EFLAGS_TF),
	  .traps = { .own = true }, .own = true, .r11 = FLAGS | EFLAGS_TF },
	{ "r11_that_no_system_call_left", CALL(SYS_read),
	  .after = { .rip = PC, .rcx = PC + 1, .r11 = FLAGS | EFLAGS_TF },
	  .r11 = FLAGS | EFLAGS_TF },
	{ "flags_in_r11_of_who_is_gone", CALL(SYS_read), AFTER_SYSCALL(FLAGS | EFLAGS_TF),
	  .error = ESRCH, .r11 = FLAGS },
	{ "flags_in_r11_that_can_not_be_set", CALL(SYS_read), AFTER_SYSCALL(FLAGS | EFLAGS_TF),
	  .error = EIO, .r11 = FLAGS, .fails = true },
	{ "nothing_is_known_of_the_call", SIGPROCMASK(0), AFTER_SYSCALL(FLAGS | EFLAGS_TF),
	  .call = { .blocks = true }, .unknown = true, .r11 = FLAGS | EFLAGS_TF },
	{ "a_call_of_32_bits", SIGPROCMASK(0), AFTER_SYSCALL(FLAGS | EFLAGS_TF),
	  .call = { .blocks = true }, .legacy = true, .r11 = FLAGS | EFLAGS_TF },
	/* rt_sigreturn has all registers from the frame. */
	{ "sigreturn_to_who_blocks_it", CALL(SYS_rt_sigreturn),
	  .after = { .rax = 9, .rip = PC, .rcx = PC, .r11 = FLAGS | EFLAGS_TF },
	  .call = { .blocks = true }, .blocked = true, .rax = 9, .r11 = FLAGS | EFLAGS_TF },
	{ "sigreturn_to_who_does_not", CALL(SYS_rt_sigreturn),
	  .traps = { .blocked = true, .rearm = true } },
	{ "sigreturn_to_who_steps_itself", CALL(SYS_rt_sigreturn), .after = { .eflags = FLAGS },
	  .call = { .own = true }, .traps = { .rearm = true }, .said = "eflags=0x346 ",
	  .own = true },
	{ "sigreturn_from_who_steps_itself", CALL(SYS_rt_sigreturn), .traps = { .own = true },
	  .rearm = true },
	{ "sigreturn_where_both_step_themselves", CALL(SYS_rt_sigreturn),
	  .after = { .eflags = FLAGS }, .call = { .own = true }, .traps = { .own = true },
	  .said = "eflags=0x346 ", .own = true },
	{ "traceme_says_yes", TRACE(PTRACE_TRACEME), .after = { .rax = -EPERM }, .said = "rax=0x0 ",
	  .traced = true },
	{ "once", TRACE(PTRACE_TRACEME), .after = { .rax = -EPERM }, .traps = { .traced = true },
	  .traced = true, .rax = -EPERM },
	{ "traceme_that_failed_otherwise", TRACE(PTRACE_TRACEME), .after = { .rax = -EIO },
	  .rax = -EIO },
	{ "another_request", TRACE(PTRACE_PEEKDATA), .after = { .rax = -EPERM }, .rax = -EPERM },
	{ "a_handler", SIGACTION(SIGTRAP, OLD), SETS(HANDLER), ACTION(DEFAULT, HANDLER) },
	{ "the_default", SIGACTION(SIGTRAP, OLD), SETS(0), ACTION(HANDLER, DEFAULT) },
	{ "ignored", SIGACTION(SIGTRAP, OLD), SETS(1), ACTION(HANDLER, IGNORE) },
	{ "what_was_ignored_is_told", SIGACTION(SIGTRAP, OLD), SETS(HANDLER),
	  ACTION(IGNORE, HANDLER), .old = 1 },
	{ "what_is_ignored_is_asked_for", SIGACTION(SIGTRAP, OLD), ACTION(IGNORE, IGNORE),
	  .old = 1 },
	{ "what_was_ignored_is_not_asked_for", SIGACTION(SIGTRAP, 0), ACTION(IGNORE, IGNORE) },
	{ "what_was_ignored_can_not_be_told", SIGACTION(SIGTRAP, NOT_THERE), ACTION(IGNORE, IGNORE),
	  .fails = true },
	{ "another_signal", SIGACTION(SIGSEGV, OLD), SETS(HANDLER), ACTION(IGNORE, IGNORE) },
	{ "a_handler_that_was_refused", SIGACTION(SIGTRAP, OLD), .after = { .rax = -EFAULT },
	  SETS(HANDLER), .rax = -EFAULT },
	{ "a_mask", SIGPROCMASK(OLD), .call = { .blocks = true }, .blocked = true },
	{ "the_mask_before_is_told", SIGPROCMASK(OLD), .traps = { .blocked = true },
	  .old = OTHERS | SIGTRAP_BIT },
	{ "the_mask_before_is_not_asked_for", SIGPROCMASK(0), .call = { .blocks = true },
	  .traps = { .blocked = true }, .blocked = true },
	{ "the_mask_before_can_not_be_told", SIGPROCMASK(NOT_THERE), .traps = { .blocked = true },
	  .fails = true },
	{ "a_mask_that_was_refused", SIGPROCMASK(0), .after = { .rax = -EINVAL },
	  .call = { .blocks = true }, .rax = -EINVAL },
};

START_TEST(what_a_call_did_is_known)
{
	const struct end_case *c = &end_cases[_i];
	struct user_regs_struct regs = c->after;
	struct fixture f;

	setup(&f);
	put_word(&f, OLD, OTHERS);
	f.thread.core.regs = c->before;
	f.thread.call = c->call;
	f.thread.call.known = !c->unknown;
	f.thread.traps = c->traps;
	f.thread.core.next.traits.legacy_call = c->legacy;
	f.tracer.trap_action = c->action;
	kernel.error = c->error;
	ck_assert_msg(thread_call_end(&f.tracer, &f.thread, &regs) == (c->fails ? -1 : 0), "%s",
		      c->name);
	ck_assert_str_eq(kernel.said, c->said ? c->said : "");
	ck_assert_msg(
		f.thread.traps.blocked == c->blocked && f.thread.traps.own == c->own &&
			f.thread.traps.rearm == c->rearm && f.thread.traps.traced == c->traced,
		"%s: blocked %d, own %d, rearm %d, traced %d", c->name, f.thread.traps.blocked,
		f.thread.traps.own, f.thread.traps.rearm, f.thread.traps.traced);
	ck_assert_msg(f.tracer.trap_action == c->action_then, "%s: %d", c->name,
		      f.tracer.trap_action);
	ck_assert_msg(word_at(&f, OLD) == (c->old ? c->old : OTHERS), "%s: old", c->name);
	ck_assert_int_eq((int64_t)regs.rax, c->rax);
	ck_assert_uint_eq(regs.r11, c->r11);
	ck_assert_uint_eq(regs.eflags, c->after.eflags | (c->call.own ? EFLAGS_TF : 0));
	ck_assert_uint_eq(f.thread.timers.since,
			  c->before.rax == SYS_rt_sigreturn ? f.thread.steps : 0);
	ck_assert(!f.thread.call.known);
	ck_assert_int_eq(f.error.code, c->fails ? ERROR_SYSTEM : 0);
	teardown(&f);
}
END_TEST

static const struct {
	const char *name;
	uint64_t flags;
	int64_t result;
	uint64_t area;
} rseq_cases[] = {
	{ "registered", 0, 0, 0x5000 },
	{ "unregistered", 1, 0, 0 },
	{ "refused", 0, -EBUSY, 0x4000 },
};

START_TEST(rseq_area_is_known)
{
	struct user_regs_struct regs = { .rax = (uint64_t)rseq_cases[_i].result };
	struct fixture f;

	setup(&f);
	f.thread.rseq.area = 0x4000;
	f.thread.call.known = true;
	f.thread.core.regs = (struct user_regs_struct) { .rax = SYS_rseq,
							 .rdi = 0x5000,
							 .rdx = rseq_cases[_i].flags };
	ck_assert_int_eq(thread_call_end(&f.tracer, &f.thread, &regs), 0);
	ck_assert_msg(f.thread.rseq.area == rseq_cases[_i].area, "%s", rseq_cases[_i].name);
	teardown(&f);
}
END_TEST

/* ---- calls that wait ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	int64_t call, result;
	bool interrupted;
} interrupted_cases[] = {
	{ "by_a_signal", 0, -EINTR, true },	{ "the_first_that_is_restarted", 7, -512, true },
	{ "the_last", 7, -516, true },		{ "before_the_first", 7, -511, false },
	{ "behind_the_last", 7, -517, false },	{ "not_at_all", 7, 0, false },
	{ "another_error", 7, -EAGAIN, false }, { "in_no_call", -1, -EINTR, false },
};

START_TEST(interrupted_call_says_so)
{
	const struct user_regs_struct regs = { .orig_rax = (uint64_t)interrupted_cases[_i].call,
					       .rax = (uint64_t)interrupted_cases[_i].result };

	ck_assert_msg(call_was_interrupted(&regs) == interrupted_cases[_i].interrupted, "%s",
		      interrupted_cases[_i].name);
}
END_TEST

static const struct {
	const char *name;
	bool entered, waits;
	int64_t result;
	const char *said;
} stop_cases[] = {
	{ "at_its_begin", false, false, 0, "" },
	{ "at_its_end", true, false, 0, "mask=0x2000 " },
	{ "at_its_end_after_it_has_waited", true, true, 0, "mask=0x2000 " },
	{ "interrupted_while_it_waited", true, true, -EINTR, "" },
	{ "interrupted_without_a_mask_of_its_own", true, false, -EINTR, "mask=0x2000 " },
	{ "interrupted_at_its_begin", false, true, -EINTR, "" },
};

START_TEST(mask_is_opened_at_a_call_s_end)
{
	const struct user_regs_struct regs = { .rax = (uint64_t)stop_cases[_i].result };
	struct fixture f;
	bool ended;

	setup(&f);
	kernel.mask = OTHERS | SIGTRAP_BIT;
	f.thread.call = (struct call_watch) { .entered = stop_cases[_i].entered,
					      .waits = stop_cases[_i].waits };
	ended = !stop_cases[_i].entered;
	ck_assert_int_eq(thread_call_stop(&f.tracer, &f.thread, &regs, &ended), 0);
	ck_assert_int_eq(ended, stop_cases[_i].entered);
	ck_assert_int_eq(f.thread.call.entered, !stop_cases[_i].entered);
	ck_assert_msg(!strcmp(kernel.said, stop_cases[_i].said), "%s: %s", stop_cases[_i].name,
		      kernel.said);
	teardown(&f);
}
END_TEST

/* ---- going on ------------------------------------------------------------------------------ */

#define SECTION			   0x6000
#define BEFORE(number)		   .next = INSTRUCTION_SYSCALL, .call = (number)
#define GOES_ON(request_, signal_) .request = (request_), .signal_then = (signal_)

static const struct resume_case {
	const char *name;
	enum instruction_kind next;
	uint64_t call; /* that is next */
	bool is_new, entered, keeps_handler, may_inject;
	struct trap_watch traps;
	struct timer_watch timers;
	int signal, error;
	enum __ptrace_request request;
	int signal_then;
	const char *said;
	bool aborts; /* a restartable sequence */
	bool pending_then, rearm_then, begun;
	bool fails;
} resume_cases[] = {
	{ "step", GOES_ON(PTRACE_SINGLESTEP, 0) },
	{ "who_dies_is_let_go", .next = INSTRUCTION_SYSCALL, .may_inject = true,
	  .traps = { .dying = true, .rearm = true, .pending = true }, .signal = SIGUSR1,
	  GOES_ON(PTRACE_CONT, SIGUSR1), .pending_then = true, .rearm_then = true },
	{ "with_a_signal", .signal = SIGUSR1, GOES_ON(PTRACE_SINGLESTEP, SIGUSR1), .aborts = true },
	{ "with_one_that_waited", .may_inject = true,
	  .traps = { .pending = true, .info = { .si_signo = SIGTRAP, .si_code = SI_USER } },
	  GOES_ON(PTRACE_SINGLESTEP, SIGTRAP), .said = "info=5,0 ", .aborts = true },
	{ "who_stopped_for_none_gets_none",
	  .traps = { .pending = true, .info = { .si_signo = SIGTRAP } },
	  GOES_ON(PTRACE_SINGLESTEP, 0), .pending_then = true },
	{ "who_blocks_it_gets_none", .may_inject = true,
	  .traps = { .pending = true, .blocked = true, .info = { .si_signo = SIGTRAP } },
	  GOES_ON(PTRACE_SINGLESTEP, 0), .pending_then = true },
	{ "one_goes_before_the_one_that_waited", .may_inject = true,
	  .traps = { .pending = true, .info = { .si_signo = SIGTRAP } }, .signal = SIGUSR2,
	  GOES_ON(PTRACE_SINGLESTEP, SIGUSR2), .aborts = true, .pending_then = true },
	{ "with_one_of_who_is_gone", .may_inject = true,
	  .traps = { .pending = true, .info = { .si_signo = SIGTRAP } }, .error = ESRCH,
	  GOES_ON(PTRACE_SINGLESTEP, SIGTRAP), .aborts = true },
	{ "with_one_that_can_not_be_given", .may_inject = true,
	  .traps = { .pending = true, .info = { .si_signo = SIGTRAP } }, .error = EIO,
	  GOES_ON(PTRACE_SINGLESTEP, -1), .fails = true },
	{ "with_a_timer_s", .may_inject = true,
	  .timers = { .held = SIGALRM,
		      .info = { .si_signo = SIGALRM, .si_code = SI_KERNEL },
		      .since = 4000 },
	  GOES_ON(PTRACE_SINGLESTEP, SIGALRM), .said = "info=14,128 ", .aborts = true },
	{ "a_timer_s_waits_on", .may_inject = true,
	  .timers = { .held = SIGALRM, .info = { .si_signo = SIGALRM }, .since = 4001 },
	  GOES_ON(PTRACE_SINGLESTEP, 0) },
	{ "into_a_call", BEFORE(SYS_read), .keeps_handler = true, GOES_ON(PTRACE_SINGLESTEP, 0),
	  .aborts = true, .begun = true },
	{ "from_its_first_stop", BEFORE(SYS_read), .is_new = true, GOES_ON(PTRACE_SINGLESTEP, 0) },
	{ "into_a_call_that_blocks_it", BEFORE(SYS_rt_sigprocmask), GOES_ON(PTRACE_SINGLESTEP, 0),
	  .aborts = true, .begun = true },
	{ "into_a_call_that_blocks_a_handler_s", BEFORE(SYS_rt_sigprocmask), .keeps_handler = true,
	  GOES_ON(PTRACE_SYSCALL, 0), .aborts = true, .begun = true },
	{ "the_same_with_a_signal", BEFORE(SYS_rt_sigprocmask), .keeps_handler = true,
	  .signal = SIGUSR1, GOES_ON(PTRACE_SINGLESTEP, SIGUSR1), .said = "interrupt ",
	  .aborts = true, .begun = true },
	{ "out_of_a_call", BEFORE(SYS_read), .entered = true, GOES_ON(PTRACE_SYSCALL, 0),
	  .aborts = true },
	{ "without_the_flag_once", .traps = { .rearm = true }, GOES_ON(PTRACE_CONT, 0),
	  .said = "interrupt " },
	{ "a_signal_goes_before", .traps = { .rearm = true }, .signal = SIGUSR1,
	  GOES_ON(PTRACE_SINGLESTEP, SIGUSR1), .aborts = true, .rearm_then = true },
	{ "a_call_goes_before", BEFORE(SYS_read), .entered = true, .traps = { .rearm = true },
	  GOES_ON(PTRACE_SYSCALL, 0), .aborts = true, .rearm_then = true },
};

START_TEST(thread_goes_on)
{
	const struct resume_case *c = &resume_cases[_i];
	enum __ptrace_request request = PTRACE_DETACH;
	int signal = c->signal;
	struct fixture f;

	setup(&f);
	put_word(&f, OLD, SIGTRAP_BIT);
	f.thread.state = c->is_new ? THREAD_NEW : THREAD_STEPPED;
	f.thread.core.next.kind = c->next;
	/* rt_sigprocmask(SIG_SETMASK, a mask with SIGTRAP) */
	f.thread.core.regs = (struct user_regs_struct) {
		.rax = c->call, .rdi = SIG_SETMASK, .rsi = OLD, .orig_rax = (uint64_t)-1
	};
	f.thread.call.entered = c->entered;
	f.thread.traps = c->traps;
	f.thread.timers = c->timers;
	f.thread.may_inject = c->may_inject;
	f.thread.rseq = (struct rseq_watch) { .area = OLD + 0x100, .section = SECTION };
	f.tracer.trap_action = c->keeps_handler ? TRAP_ACTION_HANDLER : TRAP_ACTION_DEFAULT;
	kernel.error = c->error;
	ck_assert_msg(thread_resume_request(&f.tracer, &f.thread, &signal, &request) ==
			      (c->fails ? -1 : 0),
		      "%s", c->name);
	ck_assert_msg(request == c->request && signal == c->signal_then, "%s: %d, %d", c->name,
		      request, signal);
	ck_assert_msg(!strcmp(kernel.said, c->said ? c->said : ""), "%s: %s", c->name, kernel.said);
	ck_assert_msg(f.tracer.counters.rseq_aborts == c->aborts, "%s", c->name);
	ck_assert_int_eq(f.thread.traps.pending, c->pending_then);
	ck_assert_int_eq(f.thread.traps.rearm, c->rearm_then);
	ck_assert_int_eq(f.thread.call.known, c->begun);
	ck_assert_int_eq(f.error.code, c->fails ? ERROR_SYSTEM : 0);
	teardown(&f);
}
END_TEST

SUITE(tracer_signals, LOOP(what_a_call_did_is_known, end_cases),
      LOOP(rseq_area_is_known, rseq_cases), LOOP(interrupted_call_says_so, interrupted_cases),
      LOOP(mask_is_opened_at_a_call_s_end, stop_cases), LOOP(thread_goes_on, resume_cases))
