/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_stops.c - what the tracer makes of each stop
 */
#include "tests/suite.h"
#include "tracer_world.h"

/* ---- a stop -------------------------------------------------------------------------------- */

#define TRAP   .status = STOP(SIGTRAP), .may_inject = true
#define CALLED .status = STOP(SIGTRAP | 0x80)

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
	{ TRAP, .name = "step", .moved = true, .said = "step point " },
	{ TRAP, .name = "step_fails", .moved = true, .fails = "step", .said = "step ",
	  .result = -1 },
	{ TRAP, .name = "point_fails", .moved = true, .fails = "point", .said = "step point ",
	  .result = -1 },
	{ TRAP, .name = "again", .code = TRAP_TRACE, .said = "info step point " },
	{ TRAP, .name = "after_a_signal", .injected = true, .moved = true, .code = TRAP_TRACE,
	  .said = "info step point " },
	{ TRAP, .name = "after_a_system_call", .next = INSTRUCTION_SYSCALL, .moved = true,
	  .code = TRAP_BRKPT, .said = "info step point " },
	{ TRAP, .name = "sent_in_a_system_call", .next = INSTRUCTION_SYSCALL, .moved = true,
	  .code = SI_TKILL, .said = "info step sent ", .result = SENT },
	{ TRAP, .name = "sent_in_a_system_call_whose_step_fails", .next = INSTRUCTION_SYSCALL,
	  .moved = true, .code = SI_TKILL, .fails = "step", .said = "info step ", .result = -1 },
	{ TRAP, .name = "sent", .code = SI_USER, .said = "info sent ", .result = SENT },
	{ TRAP, .name = "sent_and_not_to_be_had", .code = SI_USER, .fails = "sent",
	  .said = "info sent ", .result = -1 },
	{ TRAP, .name = "sent_while_it_is_blocked", .blocked = true, .code = SI_USER,
	  .said = "info sent ", .result = SENT },
	{ TRAP, .name = "raised", .next = INSTRUCTION_TRAP, .moved = true, .code = SI_KERNEL,
	  .said = "info step ", .result = SIGTRAP },
	{ TRAP, .name = "raised_as_a_breakpoint", .next = INSTRUCTION_TRAP, .moved = true,
	  .code = TRAP_BRKPT, .said = "info step ", .result = SIGTRAP },
	{ TRAP, .name = "raised_while_it_is_blocked", .next = INSTRUCTION_TRAP, .moved = true,
	  .blocked = true, .code = SI_KERNEL, .said = "info die ", .result = DIED },
	{ TRAP, .name = "raised_by_a_debugger_s_uprobe", .next = INSTRUCTION_TRAP, .moved = true,
	  .code = SI_USER, .said = "info step point " },
	{ TRAP, .name = "sent_before_one_is_raised", .next = INSTRUCTION_TRAP, .blocked = true,
	  .code = SI_USER, .said = "info sent ", .result = SENT },
	{ TRAP, .name = "trap_that_was_stepped", .next = INSTRUCTION_TRAP, .moved = true,
	  .code = TRAP_TRACE, .said = "info step point " },
	{ TRAP, .name = "cause_of_one_that_is_killed", .request = PTRACE_GETSIGINFO, .error = ESRCH,
	  .said = "", .result = DO_NOT_RESUME },
	{ TRAP, .name = "cause_is_not_to_be_had", .request = PTRACE_GETSIGINFO, .error = EIO,
	  .said = "", .result = -1 },
	{ TRAP, .name = "killed", .injected = true, .moved = true, .request = PTRACE_GETREGS,
	  .error = ESRCH, .said = "", .result = DO_NOT_RESUME },
	{ TRAP, .name = "registers_are_not_to_be_had", .request = PTRACE_GETREGS, .error = EIO,
	  .said = "", .result = -1 },
	/* A handler. */
	{ .status = STOP(SIGTRAP),
	  .name = "handler",
	  .injected = true,
	  .moved = true,
	  .code = CODE_NOTIFY,
	  .own = true,
	  .blocked = true,
	  .said = "info handler point(untrapped) " },
	{ .status = STOP(SIGTRAP),
	  .name = "handler_fails",
	  .injected = true,
	  .code = CODE_NOTIFY,
	  .fails = "handler",
	  .said = "info handler ",
	  .result = -1 },
	{ .status = STOP(SIGTRAP),
	  .name = "handler_s_point_fails",
	  .injected = true,
	  .code = CODE_NOTIFY,
	  .fails = "point(untrapped)",
	  .said = "info handler point(untrapped) ",
	  .result = -1 },
	/* The program's own trap flag. */
	{ TRAP, .name = "own_flag", .moved = true, .own = true, .said = "step point ",
	  .result = SIGTRAP },
	{ TRAP, .name = "own_flag_while_it_is_blocked", .moved = true, .own = true, .blocked = true,
	  .said = "die ", .result = DIED },
	{ TRAP, .name = "own_flag_after_a_system_call", .next = INSTRUCTION_SYSCALL, .moved = true,
	  .own = true, .blocked = true, .code = TRAP_BRKPT, .said = "info step point " },
	{ TRAP, .name = "step_while_it_is_blocked", .moved = true, .blocked = true,
	  .said = "step point " },
	{ TRAP, .name = "own_flag_and_one_is_sent", .own = true, .blocked = true, .code = SI_USER,
	  .said = "info sent ", .result = SENT },
	{ TRAP, .name = "dying", .dying = true, .moved = true, .said = "", .result = SIGTRAP },
	/* Before it is stepped. */
	{ TRAP, .name = "trap_before_exec", .starting = true, .moved = true, .said = "",
	  .result = SIGTRAP },
	{ TRAP, .name = "loader_s_trap", .state = THREAD_TO_ENTRY, .said = "", .result = SIGTRAP },
	{ TRAP, .name = "entry", .state = THREAD_TO_ENTRY, .moved = true,
	  .said = "leave begin point(untrapped) " },
	{ TRAP, .name = "entry_can_not_be_left", .state = THREAD_TO_ENTRY, .moved = true,
	  .fails = "leave", .said = "leave ", .result = -1 },
	{ TRAP, .name = "entry_s_point_fails", .state = THREAD_TO_ENTRY, .moved = true,
	  .fails = "point(untrapped)", .said = "leave begin point(untrapped) ", .result = -1 },
	{ TRAP, .name = "killed_at_the_entry", .state = THREAD_TO_ENTRY, .moved = true,
	  .request = PTRACE_GETREGS, .error = ESRCH, .said = "", .result = DO_NOT_RESUME },
	{ TRAP, .name = "entry_s_registers", .state = THREAD_TO_ENTRY, .moved = true,
	  .request = PTRACE_GETREGS, .error = EIO, .said = "", .result = -1 },
	{ TRAP, .name = "first_instruction", .state = THREAD_ENTERING, .moved = true,
	  .said = "begin point " },
	{ TRAP, .name = "first_point_fails", .state = THREAD_ENTERING, .fails = "point",
	  .said = "begin point ", .result = -1 },
	/* System calls that are not stepped. */
	{ CALLED, .name = "call_begins", .moved = true, .said = "call " },
	{ CALLED, .name = "call_ends", .moved = true, .ended = true,
	  .said = "call step point(untrapped) " },
	{ CALLED, .name = "call_fails", .moved = true, .fails = "call", .said = "call ",
	  .result = -1 },
	{ CALLED, .name = "call_s_step_fails", .moved = true, .ended = true, .fails = "step",
	  .said = "call step ", .result = -1 },
	{ CALLED, .name = "call_s_point_fails", .moved = true, .ended = true,
	  .fails = "point(untrapped)", .said = "call step point(untrapped) ", .result = -1 },
	{ CALLED, .name = "killed_in_a_call", .request = PTRACE_GETREGS, .error = ESRCH, .said = "",
	  .result = DO_NOT_RESUME },
	{ CALLED, .name = "call_s_registers", .request = PTRACE_GETREGS, .error = EIO, .said = "",
	  .result = -1 },
	/* Other signals. */
	{ .status = STOP(SIGUSR1),
	  .name = "signal",
	  .may_inject = true,
	  .said = "timer(10) ",
	  .result = SIGUSR1 },
	{ .status = STOP(SIGUSR1),
	  .name = "signal_behind_an_instruction",
	  .may_inject = true,
	  .moved = true,
	  .said = "timer(10) step ",
	  .result = SIGUSR1 },
	{ .status = STOP(SIGUSR1),
	  .name = "signal_whose_step_fails",
	  .may_inject = true,
	  .moved = true,
	  .fails = "step",
	  .said = "timer(10) step ",
	  .result = -1 },
	{ .status = STOP(SIGALRM),
	  .name = "signal_that_waits",
	  .may_inject = true,
	  .held = true,
	  .said = "timer(14) " },
	{ .status = STOP(SIGUSR1),
	  .name = "signal_before_it_is_stepped",
	  .may_inject = true,
	  .state = THREAD_TO_ENTRY,
	  .said = "",
	  .result = SIGUSR1 },
	{ .status = STOP(SIGUSR1),
	  .name = "signal_of_one_that_is_killed",
	  .may_inject = true,
	  .request = PTRACE_GETREGS,
	  .error = ESRCH,
	  .said = "",
	  .result = DO_NOT_RESUME },
	{ .status = STOP(SIGUSR1),
	  .name = "signal_s_registers",
	  .may_inject = true,
	  .request = PTRACE_GETREGS,
	  .error = EIO,
	  .said = "",
	  .result = -1 },
	/* Events. */
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "first_exec",
	  .starting = true,
	  .said = "forget(77) memory mappings traps enter ",
	  .result = ENTERED },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "another_exec",
	  .said = "forget(77) memory mappings traps enter ",
	  .result = ENTERED,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "exec_without_memory",
	  .fails = "memory",
	  .said = "forget(77) memory ",
	  .result = -1,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "exec_without_mappings",
	  .fails = "mappings",
	  .said = "forget(77) memory mappings ",
	  .result = -1,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "exec_without_traps",
	  .fails = "traps",
	  .said = "forget(77) memory mappings traps ",
	  .result = -1,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "exec_that_can_not_be_entered",
	  .fails = "enter",
	  .said = "forget(77) memory mappings traps enter ",
	  .result = -1,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "killed_in_exec",
	  .request = PTRACE_GETREGS,
	  .error = ESRCH,
	  .said = "",
	  .result = DO_NOT_RESUME,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_EXEC),
	  .name = "exec_s_registers",
	  .request = PTRACE_GETREGS,
	  .error = EIO,
	  .said = "",
	  .result = -1,
	  .execs = 1 },
	{ .status = EVENT(PTRACE_EVENT_STOP), .name = "interrupted", .said = "" },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "started_and_interrupted",
	  .starting = true,
	  .said = "" },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "function",
	  .starting = true,
	  .function = true,
	  .said = "mappings begin(prefix) point(untrapped) " },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "function_that_goes_on",
	  .function = true,
	  .said = "" },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "new_thread",
	  .state = THREAD_NEW,
	  .moved = true,
	  .said = "begin point(untrapped) " },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "new_thread_of_a_function",
	  .state = THREAD_NEW,
	  .function = true,
	  .said = "begin point(untrapped) " },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "new_thread_s_point_fails",
	  .state = THREAD_NEW,
	  .fails = "point(untrapped)",
	  .said = "begin point(untrapped) ",
	  .result = -1 },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "new_thread_is_killed",
	  .state = THREAD_NEW,
	  .request = PTRACE_GETREGS,
	  .error = ESRCH,
	  .said = "",
	  .result = DO_NOT_RESUME },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "new_thread_s_registers",
	  .state = THREAD_NEW,
	  .request = PTRACE_GETREGS,
	  .error = EIO,
	  .said = "",
	  .result = -1 },
	{ .status = EVENT(PTRACE_EVENT_STOP),
	  .name = "another_process",
	  .state = THREAD_FOREIGN,
	  .said = "detach(77,0) forget(77) ",
	  .result = DO_NOT_RESUME },
	{ .status = EVENT(PTRACE_EVENT_SECCOMP), .name = "another_event", .said = "" },
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
	thread->next.kind = c->next ? c->next : INSTRUCTION_OTHER;
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

	add_thread(&tracer, 78, THREAD_STEPPED);
	add_thread(&tracer, 79, THREAD_FOREIGN);
	ck_assert_uint_ne(stack_pool_park(&tracer.stacks, &parked), 0);
	ck_assert_int_eq(handle_stop(&tracer, thread, EVENT(PTRACE_EVENT_EXEC)), ENTERED);
	ck_assert_str_eq(world.said, "forget(78) forget(77) memory mappings traps enter ");
	ck_assert_uint_eq(tracer.thread_count, 2);
	ck_assert_ptr_eq(find_thread(&tracer, TID), thread);
	ck_assert_ptr_null(find_thread(&tracer, 78));
	ck_assert_ptr_nonnull(find_thread(&tracer, 79));
	ck_assert_uint_eq(tracer.stacks.count, 0);
	teardown(&tracer);
}
END_TEST

/* ---- what was made -------------------------------------------------------------------------- */

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
	{ .name = "thread",
	  .event = PTRACE_EVENT_CLONE,
	  .is_thread = true,
	  .said = "",
	  .state = THREAD_NEW,
	  .threads = 2 },
	{ .name = "thread_by_vfork",
	  .event = PTRACE_EVENT_VFORK,
	  .is_thread = true,
	  .said = "",
	  .state = THREAD_NEW,
	  .threads = 2 },
	{ .name = "thread_that_stopped_before",
	  .event = PTRACE_EVENT_CLONE,
	  .is_thread = true,
	  .known = true,
	  .said = "",
	  .state = THREAD_STEPPED,
	  .threads = 2 },
	{ .name = "process",
	  .event = PTRACE_EVENT_FORK,
	  .wait_tid = NOBODY,
	  .wait_status = STOP(SIGSTOP),
	  .said = "wait(1073741823) detach(1073741823,19) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_stops_by_an_event",
	  .event = PTRACE_EVENT_CLONE,
	  .wait_tid = NOBODY,
	  .wait_status = EVENT(PTRACE_EVENT_STOP),
	  .said = "wait(1073741823) detach(1073741823,0) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_stops_by_any_event",
	  .event = PTRACE_EVENT_CLONE,
	  .wait_tid = NOBODY,
	  .wait_status = EVENT(1),
	  .said = "wait(1073741823) detach(1073741823,0) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_is_waited_for_again",
	  .event = PTRACE_EVENT_VFORK,
	  .wait_error = EINTR,
	  .wait_tid = NOBODY,
	  .wait_status = STOP(SIGSTOP),
	  .said = "wait(1073741823) wait(1073741823) detach(1073741823,19) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_has_ended",
	  .event = PTRACE_EVENT_FORK,
	  .wait_tid = NOBODY,
	  .wait_status = ENDED(1),
	  .said = "wait(1073741823) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_is_gone",
	  .event = PTRACE_EVENT_FORK,
	  .wait_error = ECHILD,
	  .said = "wait(1073741823) ",
	  .children = 1,
	  .threads = 1 },
	{ .name = "process_that_stopped_before",
	  .event = PTRACE_EVENT_FORK,
	  .known = true,
	  .said = "",
	  .state = THREAD_STEPPED,
	  .children = 1,
	  .threads = 2 },
	{ .name = "by_one_that_is_killed",
	  .event = PTRACE_EVENT_CLONE,
	  .error = ESRCH,
	  .result = DO_NOT_RESUME,
	  .said = "",
	  .threads = 1 },
	{ .name = "without_its_number",
	  .event = PTRACE_EVENT_CLONE,
	  .error = EIO,
	  .result = -1,
	  .said = "",
	  .threads = 1 },
};

START_TEST(what_was_made_is_followed_or_let_go)
{
	pid_t made = clone_cases[_i].is_thread ? getpid() : NOBODY;
	const struct thread *child;
	struct tracer tracer;
	struct thread *thread = setup(&tracer, THREAD_STEPPED);

	if (clone_cases[_i].known)
		add_thread(&tracer, made, THREAD_STEPPED);
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
	child = find_thread(&tracer, made);
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
