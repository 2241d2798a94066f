/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_stops.c - what the tracer makes of each stop
 */
#include "tests/suite.h"
#include "tracer_world.h"

/* ---- a stop -------------------------------------------------------------------------------- */

#define SIGNAL(signal) STOP(signal), .may_inject = true
#define TRAP	       SIGNAL(SIGTRAP)
#define CALLED	       STOP(SIGTRAP | 0x80)
/* What the kernel says to a request, and what comes of it. */
#define KILLED_AT(request_)                                                                        \
	.request = (request_), .error = ESRCH, .said = "", .result = DO_NOT_RESUME
#define REFUSED(request_) .request = (request_), .error = EIO, .said = "", .result = -1

static const struct stop_case {
	const char *name;
	int status;
	enum thread_state state; /* none: it is stepped */
	enum instruction_kind next;
	bool starting, injected, moved, blocked, own, dying, function, ended, held;
	int code;
	const char *fails;
	int request, error;
	int result;
	const char *said;
	bool may_inject;
	uint64_t execs;
} stop_cases[] = {
	/* A step, or what only looks like one. */
	{ "step", TRAP, .moved = true, .said = "step point " },
	{ "step_fails", TRAP, .moved = true, .fails = "step", .said = "step ", .result = -1 },
	{ "point_fails", TRAP, .moved = true, .fails = "point", .said = "step point ",
	  .result = -1 },
	{ "again", TRAP, .code = TRAP_TRACE, .said = "info step point " },
	{ "after_a_signal", TRAP, .injected = true, .moved = true, .code = TRAP_TRACE,
	  .said = "info step point " },
	{ "after_a_system_call", TRAP, .next = INSTRUCTION_SYSCALL, .moved = true,
	  .code = TRAP_BRKPT, .said = "info step point " },
	{ "sent_in_a_system_call", TRAP, .next = INSTRUCTION_SYSCALL, .moved = true,
	  .code = SI_TKILL, .said = "info step sent ", .result = SENT },
	{ "sent_in_a_system_call_whose_step_fails", TRAP, .next = INSTRUCTION_SYSCALL,
	  .moved = true, .code = SI_TKILL, .fails = "step", .said = "info step ", .result = -1 },
	{ "sent", TRAP, .code = SI_USER, .said = "info sent ", .result = SENT },
	{ "sent_and_not_to_be_had", TRAP, .code = SI_USER, .fails = "sent", .said = "info sent ",
	  .result = -1 },
	{ "sent_while_it_is_blocked", TRAP, .blocked = true, .code = SI_USER, .said = "info sent ",
	  .result = SENT },
	{ "raised", TRAP, .next = INSTRUCTION_TRAP, .moved = true, .code = SI_KERNEL,
	  .said = "info step ", .result = SIGTRAP },
	{ "raised_as_a_breakpoint", TRAP, .next = INSTRUCTION_TRAP, .moved = true,
	  .code = TRAP_BRKPT, .said = "info step ", .result = SIGTRAP },
	{ "raised_while_it_is_blocked", TRAP, .next = INSTRUCTION_TRAP, .moved = true,
	  .blocked = true, .code = SI_KERNEL, .said = "info die ", .result = DIED },
	{ "raised_by_a_debugger_s_uprobe", TRAP, .next = INSTRUCTION_TRAP, .moved = true,
	  .code = SI_USER, .said = "info step point " },
	{ "sent_before_one_is_raised", TRAP, .next = INSTRUCTION_TRAP, .blocked = true,
	  .code = SI_USER, .said = "info sent ", .result = SENT },
	{ "trap_that_was_stepped", TRAP, .next = INSTRUCTION_TRAP, .moved = true,
	  .code = TRAP_TRACE, .said = "info step point " },
	{ "cause_of_one_that_is_killed", TRAP, KILLED_AT(PTRACE_GETSIGINFO) },
	{ "cause_is_not_to_be_had", TRAP, REFUSED(PTRACE_GETSIGINFO) },
	{ "killed", TRAP, .injected = true, .moved = true, KILLED_AT(PTRACE_GETREGS) },
	{ "registers_are_not_to_be_had", TRAP, REFUSED(PTRACE_GETREGS) },
	/* A handler. */
	{ "handler", STOP(SIGTRAP), .injected = true, .moved = true, .code = CODE_NOTIFY,
	  .own = true, .blocked = true, .said = "info handler point(untrapped) " },
	{ "handler_fails", STOP(SIGTRAP), .injected = true, .code = CODE_NOTIFY, .fails = "handler",
	  .said = "info handler ", .result = -1 },
	{ "handler_s_point_fails", STOP(SIGTRAP), .injected = true, .code = CODE_NOTIFY,
	  .fails = "point(untrapped)", .said = "info handler point(untrapped) ", .result = -1 },
	/* The program's own trap flag. */
	{ "own_flag", TRAP, .moved = true, .own = true, .said = "step point ", .result = SIGTRAP },
	{ "own_flag_while_it_is_blocked", TRAP, .moved = true, .own = true, .blocked = true,
	  .said = "die ", .result = DIED },
	{ "own_flag_after_a_system_call", TRAP, .next = INSTRUCTION_SYSCALL, .moved = true,
	  .own = true, .blocked = true, .code = TRAP_BRKPT, .said = "info step point " },
	{ "step_while_it_is_blocked", TRAP, .moved = true, .blocked = true, .said = "step point " },
	{ "own_flag_and_one_is_sent", TRAP, .own = true, .blocked = true, .code = SI_USER,
	  .said = "info sent ", .result = SENT },
	{ "dying", TRAP, .dying = true, .moved = true, .said = "", .result = SIGTRAP },
	/* Before it is stepped. */
	{ "trap_before_exec", TRAP, .starting = true, .moved = true, .said = "",
	  .result = SIGTRAP },
	{ "loader_s_trap", TRAP, .state = THREAD_TO_ENTRY, .said = "", .result = SIGTRAP },
	{ "entry", TRAP, .state = THREAD_TO_ENTRY, .moved = true,
	  .said = "leave begin point(untrapped) " },
	{ "entry_can_not_be_left", TRAP, .state = THREAD_TO_ENTRY, .moved = true, .fails = "leave",
	  .said = "leave ", .result = -1 },
	{ "entry_s_point_fails", TRAP, .state = THREAD_TO_ENTRY, .moved = true,
	  .fails = "point(untrapped)", .said = "leave begin point(untrapped) ", .result = -1 },
	{ "killed_at_the_entry", TRAP, .state = THREAD_TO_ENTRY, .moved = true,
	  KILLED_AT(PTRACE_GETREGS) },
	{ "entry_s_registers", TRAP, .state = THREAD_TO_ENTRY, .moved = true,
	  REFUSED(PTRACE_GETREGS) },
	{ "first_instruction", TRAP, .state = THREAD_ENTERING, .moved = true,
	  .said = "begin point " },
	{ "first_point_fails", TRAP, .state = THREAD_ENTERING, .fails = "point",
	  .said = "begin point ", .result = -1 },
	/* System calls that are not stepped. */
	{ "call_begins", CALLED, .moved = true, .said = "call " },
	{ "call_ends", CALLED, .moved = true, .ended = true,
	  .said = "call step point(untrapped) " },
	{ "call_fails", CALLED, .moved = true, .fails = "call", .said = "call ", .result = -1 },
	{ "call_s_step_fails", CALLED, .moved = true, .ended = true, .fails = "step",
	  .said = "call step ", .result = -1 },
	{ "call_s_point_fails", CALLED, .moved = true, .ended = true, .fails = "point(untrapped)",
	  .said = "call step point(untrapped) ", .result = -1 },
	{ "killed_in_a_call", CALLED, KILLED_AT(PTRACE_GETREGS) },
	{ "call_s_registers", CALLED, REFUSED(PTRACE_GETREGS) },
	/* Other signals. */
	{ "signal", SIGNAL(SIGUSR1), .said = "timer(10) ", .result = SIGUSR1 },
	{ "signal_behind_an_instruction", SIGNAL(SIGUSR1), .moved = true, .said = "timer(10) step ",
	  .result = SIGUSR1 },
	{ "signal_whose_step_fails", SIGNAL(SIGUSR1), .moved = true, .fails = "step",
	  .said = "timer(10) step ", .result = -1 },
	{ "signal_that_waits", SIGNAL(SIGALRM), .held = true, .said = "timer(14) " },
	{ "signal_before_it_is_stepped", SIGNAL(SIGUSR1), .state = THREAD_TO_ENTRY, .said = "",
	  .result = SIGUSR1 },
	{ "signal_of_one_that_is_killed", SIGNAL(SIGUSR1), KILLED_AT(PTRACE_GETREGS) },
	{ "signal_s_registers", SIGNAL(SIGUSR1), REFUSED(PTRACE_GETREGS) },
	/* Events. */
	{ "first_exec", EVENT(PTRACE_EVENT_EXEC), .starting = true,
	  .said = "forget(77) memory mappings traps enter ", .result = ENTERED },
	{ "another_exec", EVENT(PTRACE_EVENT_EXEC),
	  .said = "forget(77) memory mappings traps enter ", .result = ENTERED, .execs = 1 },
	{ "exec_without_memory", EVENT(PTRACE_EVENT_EXEC), .fails = "memory",
	  .said = "forget(77) memory ", .result = -1, .execs = 1 },
	{ "exec_without_mappings", EVENT(PTRACE_EVENT_EXEC), .fails = "mappings",
	  .said = "forget(77) memory mappings ", .result = -1, .execs = 1 },
	{ "exec_without_traps", EVENT(PTRACE_EVENT_EXEC), .fails = "traps",
	  .said = "forget(77) memory mappings traps ", .result = -1, .execs = 1 },
	{ "exec_that_can_not_be_entered", EVENT(PTRACE_EVENT_EXEC), .fails = "enter",
	  .said = "forget(77) memory mappings traps enter ", .result = -1, .execs = 1 },
	{ "killed_in_exec", EVENT(PTRACE_EVENT_EXEC), KILLED_AT(PTRACE_GETREGS), .execs = 1 },
	{ "exec_s_registers", EVENT(PTRACE_EVENT_EXEC), REFUSED(PTRACE_GETREGS), .execs = 1 },
	{ "interrupted", EVENT(PTRACE_EVENT_STOP), .said = "" },
	{ "started_and_interrupted", EVENT(PTRACE_EVENT_STOP), .starting = true, .said = "" },
	{ "function", EVENT(PTRACE_EVENT_STOP), .starting = true, .function = true,
	  .said = "mappings begin(prefix) point(untrapped) " },
	{ "function_that_goes_on", EVENT(PTRACE_EVENT_STOP), .function = true, .said = "" },
	{ "new_thread", EVENT(PTRACE_EVENT_STOP), .state = THREAD_NEW, .moved = true,
	  .said = "begin point(untrapped) " },
	{ "new_thread_of_a_function", EVENT(PTRACE_EVENT_STOP), .state = THREAD_NEW,
	  .function = true, .said = "begin point(untrapped) " },
	{ "new_thread_s_point_fails", EVENT(PTRACE_EVENT_STOP), .state = THREAD_NEW,
	  .fails = "point(untrapped)", .said = "begin point(untrapped) ", .result = -1 },
	{ "new_thread_is_killed", EVENT(PTRACE_EVENT_STOP), .state = THREAD_NEW,
	  KILLED_AT(PTRACE_GETREGS) },
	{ "new_thread_s_registers", EVENT(PTRACE_EVENT_STOP), .state = THREAD_NEW,
	  REFUSED(PTRACE_GETREGS) },
	{ "another_process", EVENT(PTRACE_EVENT_STOP), .state = THREAD_FOREIGN,
	  .said = "detach(77,0) forget(77) ", .result = DO_NOT_RESUME },
	{ "another_event", EVENT(PTRACE_EVENT_SECCOMP), .said = "" },
};

START_TEST(stop_is_what_it_says)
{
	const struct stop_case *c = &stop_cases[_i];
	struct tracer tracer;
	struct thread *thread = setup(&tracer, c->state || c->starting ? c->state : THREAD_STEPPED);
	int result;

	world.regs.rip = PC + c->moved;
	world.code = c->code;
	world.ended = c->ended;
	world.held = c->held;
	world.fails = c->fails;
	world.request = c->request;
	world.error = c->error;
	options.function = c->function ? function : NULL;
	thread->core.next.kind = c->next ? c->next : INSTRUCTION_OTHER;
	thread->injected = c->injected ? SIGUSR1 : 0;
	thread->may_inject = !c->may_inject;
	thread->traps.blocked = c->blocked;
	thread->traps.own = c->own;
	thread->traps.dying = c->dying;
	thread->rseq.area = 0x1000;
	result = handle_stop(&tracer, thread, c->status);
	ck_assert_msg(result == c->result, "%s: %d", c->name, result);
	ck_assert_msg(!strcmp(world.said, c->said), "%s: %s", c->name, world.said);
	ck_assert_uint_eq(tracer.counters.execs, c->execs);
	ck_assert_msg((result == -1 && c->error) == (error.code == ERROR_SYSTEM), "%s: %s", c->name,
		      error.message);
	if (tracer.thread_count) {
		ck_assert_msg(thread->may_inject == c->may_inject, "%s: may inject", c->name);
		ck_assert_msg((thread->rseq.area == 0) == (strstr(c->said, "memory") != NULL),
			      "%s: rseq", c->name);
	} else {
		ck_assert_int_eq(c->state, THREAD_FOREIGN);
	}
	teardown(&tracer);
}
END_TEST

/* The others go, and so do stacks that no thread is on. */
START_TEST(exec_begins_anew)
{
	struct parked_stack parked = { .base = 1 };
	struct tracer tracer;
	struct thread *thread = setup(&tracer, THREAD_STEPPED);

	tracer_add_thread(&tracer, 78, THREAD_STEPPED);
	tracer_add_thread(&tracer, 79, THREAD_FOREIGN);
	ck_assert_uint_ne(stack_pool_park(&tracer.core.stacks, &parked), 0);
	ck_assert_int_eq(handle_stop(&tracer, thread, EVENT(PTRACE_EVENT_EXEC)), ENTERED);
	ck_assert_str_eq(world.said, "forget(78) forget(77) memory mappings traps enter ");
	ck_assert_uint_eq(tracer.thread_count, 2);
	ck_assert_ptr_eq(tracer_find_thread(&tracer, TID), thread);
	ck_assert_ptr_null(tracer_find_thread(&tracer, 78));
	ck_assert_ptr_nonnull(tracer_find_thread(&tracer, 79));
	ck_assert_uint_eq(tracer.core.stacks.count, 0);
	teardown(&tracer);
}
END_TEST

/* ---- what was made -------------------------------------------------------------------------- */

#define STOPS(status) .wait_tid = NOBODY, .wait_status = (status)

static const struct {
	const char *name;
	int event;
	bool is_thread, known; /* what was made */
	int wait_error, wait_tid, wait_status;
	int error; /* of the event's message */
	int result;
	const char *said;
	enum thread_state state; /* of what is known then; THREAD_STARTING: nothing */
	uint64_t children, threads;
} clone_cases[] = {
	{ "thread", PTRACE_EVENT_CLONE, .is_thread = true, .said = "", .state = THREAD_NEW,
	  .threads = 2 },
	{ "thread_by_vfork", PTRACE_EVENT_VFORK, .is_thread = true, .said = "", .state = THREAD_NEW,
	  .threads = 2 },
	{ "thread_that_stopped_before", PTRACE_EVENT_CLONE, .is_thread = true, .known = true,
	  .said = "", .state = THREAD_STEPPED, .threads = 2 },
	{ "process", PTRACE_EVENT_FORK, STOPS(STOP(SIGSTOP)),
	  .said = "wait(1073741823) detach(1073741823,19) ", .children = 1, .threads = 1 },
	{ "process_that_stops_by_an_event", PTRACE_EVENT_CLONE, STOPS(EVENT(PTRACE_EVENT_STOP)),
	  .said = "wait(1073741823) detach(1073741823,0) ", .children = 1, .threads = 1 },
	{ "process_that_stops_by_any_event", PTRACE_EVENT_CLONE, STOPS(EVENT(1)),
	  .said = "wait(1073741823) detach(1073741823,0) ", .children = 1, .threads = 1 },
	{ "process_that_is_waited_for_again", PTRACE_EVENT_VFORK, .wait_error = EINTR,
	  STOPS(STOP(SIGSTOP)), .said = "wait(1073741823) wait(1073741823) detach(1073741823,19) ",
	  .children = 1, .threads = 1 },
	{ "process_that_has_ended", PTRACE_EVENT_FORK, STOPS(ENDED(1)), .said = "wait(1073741823) ",
	  .children = 1, .threads = 1 },
	{ "process_that_is_gone", PTRACE_EVENT_FORK, .wait_error = ECHILD,
	  .said = "wait(1073741823) ", .children = 1, .threads = 1 },
	{ "process_that_stopped_before", PTRACE_EVENT_FORK, .known = true, .said = "",
	  .state = THREAD_STEPPED, .children = 1, .threads = 2 },
	{ "by_one_that_is_killed", PTRACE_EVENT_CLONE, .error = ESRCH, .said = "",
	  .result = DO_NOT_RESUME, .threads = 1 },
	{ "without_its_number", PTRACE_EVENT_CLONE, .error = EIO, .said = "", .result = -1,
	  .threads = 1 },
};

START_TEST(what_was_made_is_followed_or_let_go)
{
	pid_t made = clone_cases[_i].is_thread ? getpid() : NOBODY;
	const struct thread *child;
	struct tracer tracer;
	struct thread *thread = setup(&tracer, THREAD_STEPPED);

	if (clone_cases[_i].known)
		tracer_add_thread(&tracer, made, THREAD_STEPPED);
	thread->traps.blocked = true;
	thread->may_inject = true;
	world.message = made;
	world.request = PTRACE_GETEVENTMSG;
	world.error = clone_cases[_i].error;
	world.wait[0].error = clone_cases[_i].wait_error;
	world.wait[!!clone_cases[_i].wait_error].tid = clone_cases[_i].wait_tid;
	world.wait[!!clone_cases[_i].wait_error].status = clone_cases[_i].wait_status;
	ck_assert_msg(handle_stop(&tracer, thread, EVENT(clone_cases[_i].event)) ==
			      clone_cases[_i].result,
		      "%s", clone_cases[_i].name);
	ck_assert_msg(!strcmp(world.said, clone_cases[_i].said), "%s: %s", clone_cases[_i].name,
		      world.said);
	ck_assert(!thread->may_inject);
	child = tracer_find_thread(&tracer, made);
	ck_assert_msg((child ? child->state : THREAD_STARTING) == clone_cases[_i].state, "%s",
		      clone_cases[_i].name);
	ck_assert(!clone_cases[_i].is_thread || child->traps.blocked);
	ck_assert_uint_eq(tracer.counters.children, clone_cases[_i].children);
	ck_assert_uint_eq(tracer.counters.threads, clone_cases[_i].threads);
	ck_assert_int_eq(error.code == ERROR_SYSTEM, clone_cases[_i].result == -1);
	teardown(&tracer);
}
END_TEST

SUITE(tracer_stops, LOOP(stop_is_what_it_says, stop_cases), TEST(exec_begins_anew),
      LOOP(what_was_made_is_followed_or_let_go, clone_cases))
