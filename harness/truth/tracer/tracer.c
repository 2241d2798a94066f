/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer.c - the loop: wait, say what stopped, resume
 *
 * Every thread of a program is executed one instruction at a time with PTRACE_SINGLESTEP. What a
 * stop means is all here (ptrace(2), "Stopped states"):
 *
 *	event EXEC		a new program: truth, mappings and threads begin anew
 *	event CLONE, FORK, VFORK
 *				a thread was announced, or a process: that one is let go, or children.c is
 *				told of it
 *	event STOP		a new thread's first stop, PTRACE_INTERRUPT, or job control (overridden)
 *	SIGTRAP, trap flag	an instruction was executed: a step
 *	SIGTRAP, ptrace_notify	a handler was entered; nothing of it has run yet
 *	SIGTRAP, otherwise	the program's own: int3, raise; passed on
 *	SIGTRAP with 0x80	a system call that is not stepped begins, or has ended
 *	another signal		passed on; no instruction was executed
 *
 * PTRACE_GETSIGINFO tells the three SIGTRAPs apart, but costs a system call. A step's SIGTRAP is
 * taken from the thread's own queue before any that was sent, so a sent one shows up as a stop at
 * an unchanged rip; and a handler is only entered after a signal was injected. So it is asked only
 * when rip did not move, a signal was injected, or the last instruction was a system call (where
 * tgkill's SIGTRAP and the step's become one) or an interrupt.
 *
 * What all that would disturb in the program, and how it does not: disturb.h. Known limit: a
 * SIGTRAP sent to a thread by tgkill from another process in the microsecond before a step's trap
 * is merged with it and lost.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "attach.h"
#include "children.h"
#include "tracer.h"

/* si_code of a stop made by ptrace_notify(SIGTRAP): the signal's number (signal_setup_done). */
#define CODE_NOTIFY SIGTRAP

/* What a handler of stops says: -1, or the signal to inject, or not to resume at all. */
#define DO_NOT_RESUME 0x10000

#define CALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

/* ---- threads ---------------------------------------------------------------------------- */

struct thread *tracer_find_thread(const struct tracer *tracer, pid_t tid)
{
	for (size_t i = 0; i < tracer->thread_count; i++)
		if (tracer->thread[i]->core.tid == tid)
			return tracer->thread[i];
	return NULL;
}

bool thread_is_of(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return access(path, F_OK) == 0;
}

struct thread *tracer_add_thread(struct tracer *tracer, pid_t tid, enum thread_state state)
{
	struct thread *thread = calloc(1, sizeof(*thread));

	if (!thread || !ARRAY_ADD(tracer->thread, tracer->thread_count, thread)) {
		free(thread);
		error_set(tracer->core.error, ERROR_MEMORY, NULL, 0, "out of memory for a thread");
		return NULL;
	}
	thread->core.tid = tid;
	thread->state = state;
	tracer->counters.threads += state != THREAD_FOREIGN;
	return thread;
}

/* A thread that clone announced, or that stopped before its announcement came. */
static struct thread *adopt_thread(struct tracer *tracer, pid_t tid)
{
	bool own = thread_is_of(tracer->core.pid, tid);

	return tracer_add_thread(tracer, tid, own ? THREAD_NEW : THREAD_FOREIGN);
}

static void remove_thread(struct tracer *tracer, pid_t tid)
{
	for (size_t i = 0; i < tracer->thread_count; i++) {
		if (tracer->thread[i]->core.tid != tid)
			continue;
		stack_pool_forget(&tracer->core.stacks, tid);
		tracer->waiting -= tracer->thread[i]->waits;
		thread_rseq_forget(tracer, tracer->thread[i]);
		thread_destroy(tracer->thread[i]);
		tracer->thread[i] = tracer->thread[--tracer->thread_count];
		return;
	}
}

void tracer_forget_threads(struct tracer *tracer)
{
	while (tracer->thread_count)
		remove_thread(tracer, tracer->thread[0]->core.tid);
	stack_pool_clear(&tracer->core.stacks);
}

/* exec leaves one thread, with the process's number. */
static void remove_other_threads(struct tracer *tracer, pid_t tid)
{
	for (size_t i = tracer->thread_count; i-- > 0;)
		if (tracer->thread[i]->core.tid != tid &&
		    tracer->thread[i]->state != THREAD_FOREIGN)
			remove_thread(tracer, tracer->thread[i]->core.tid);
}

/* ---- stops ------------------------------------------------------------------------------ */

int tracer_registers(struct tracer *tracer, pid_t tid, struct user_regs_struct *ret)
{
	if (!ptrace(PTRACE_GETREGS, tid, NULL, ret))
		return 1;
	if (errno == ESRCH)
		return 0;
	return error_set_errno(tracer->core.error, "PTRACE_GETREGS");
}

static int handle_exec(struct tracer *tracer, struct thread *thread)
{
	if (thread->state != THREAD_STARTING)
		tracer->counters.execs++;
	remove_other_threads(tracer, thread->core.tid);
	stack_pool_clear(&tracer->core.stacks);

	int got = tracer_registers(tracer, thread->core.tid, &thread->core.regs);

	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;
	thread_rseq_forget(tracer, thread);
	thread->rseq = (struct rseq_watch) { 0 };
	if (tracer_memory_open(tracer) || tracer_mappings_changed(tracer, true) ||
	    tracer_traps_begin(tracer, thread))
		return -1;
	return tracer_enter_program(tracer, thread);
}

/* It goes on by itself; what the system call that made it has left of the tracer does not. */
static void detach(struct tracer *tracer, pid_t pid, int signal)
{
	struct user_regs_struct regs;
	struct error ignored, *error = tracer->core.error;

	/* It may be killed meanwhile, and is not our affair any more. */
	tracer->core.error = &ignored;
	if (!ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		thread_hide_in_new(tracer, pid, &regs);
	tracer->core.error = error;
	ptrace(PTRACE_DETACH, pid, NULL, signal);
}

/*
 * Lets a new process go, which every announced one that is no thread is. It is there, and stops
 * before its first instruction: so it is waited for here, and the one that made it does not see
 * that it was traced.
 */
static void let_child_go(struct tracer *tracer, pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, __WALL | __WNOTHREAD);
	while (got < 0 && errno == EINTR);
	if (got == pid && WIFSTOPPED(status))
		detach(tracer, pid, status >> 16 ? 0 : WSTOPSIG(status));
	/* Else it has ended, or it stopped before it was announced, and was let go then. */
}

/* Which of the events it is says nothing of what was made: a thread may be one by vfork. */
static int handle_clone(struct tracer *tracer, struct thread *thread)
{
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, thread->core.tid, NULL, &tid))
		return errno == ESRCH ? DO_NOT_RESUME
				      : error_set_errno(tracer->core.error, "PTRACE_GETEVENTMSG");
	struct thread *child = tracer_find_thread(tracer, tid);

	if (!thread_is_of(tracer->core.pid, tid)) {
		if (tracer->children)
			return children_meet(tracer->children, tracer, thread, tid);
		tracer->counters.children++;
		if (!child)
			let_child_go(tracer, tid);
		return 0;
	}
	if (!child)
		child = adopt_thread(tracer, tid);
	if (!child)
		return -1;
	child->traps.blocked = thread->traps.blocked;
	return 0;
}

/* PTRACE_EVENT_STOP. */
static int handle_event_stop(struct tracer *tracer, struct thread *thread)
{
	bool is_function = thread->state == THREAD_STARTING && tracer->options->function;

	if (thread->state == THREAD_FOREIGN) {
		detach(tracer, thread->core.tid, 0);
		remove_thread(tracer, thread->core.tid);
		return DO_NOT_RESUME;
	}
	if (thread->state != THREAD_NEW && !is_function)
		return 0;

	uint64_t maker_sp = thread->core.regs.rsp; /* if it inherits */
	int got = tracer_registers(tracer, thread->core.tid, &thread->core.regs);

	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;
	if (!is_function && thread_hide_in_new(tracer, thread->core.tid, &thread->core.regs))
		return -1;
	if (is_function && tracer_mappings_changed(tracer, true))
		return -1;
	/* clone has just returned on a stack of the thread's own: nothing is below. Or on its maker's. */
	if (thread->inherits && thread->core.regs.rsp == maker_sp)
		thread_go_on(tracer, thread);
	else
		thread_begin(tracer, thread, !is_function);
	return thread_point(tracer, thread, false) ? -1 : 0;
}

enum trap_cause {
	TRAP_STEP,
	TRAP_HANDLER, /* a handler's first instruction */
	TRAP_PROGRAM, /* the program's own SIGTRAP */
};

static bool is_ambiguous(const struct thread *thread, const struct user_regs_struct *regs)
{
	return thread->injected || thread->core.next.kind == INSTRUCTION_SYSCALL ||
	       thread->core.next.kind == INSTRUCTION_TRAP || regs->rip == thread->core.regs.rip;
}

/* 1: done, 0: the thread is gone, -1: error. */
static int trap_cause(struct tracer *tracer, struct thread *thread,
		      const struct user_regs_struct *regs, enum trap_cause *ret)
{
	bool raised = thread->core.next.kind == INSTRUCTION_TRAP;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->core.tid, NULL, &info)) {
		if (errno == ESRCH)
			return 0;
		return error_set_errno(tracer->core.error, "PTRACE_GETSIGINFO");
	}
	if (info.si_code == CODE_NOTIFY)
		*ret = TRAP_HANDLER;
	else if (info.si_code == TRAP_TRACE || (info.si_code == TRAP_BRKPT && !raised))
		*ret = TRAP_STEP; /* TRAP_BRKPT: after a system call (user_single_step_report) */
	else if (raised && info.si_code == SI_USER && regs->rip != thread->core.regs.rip)
		*ret = TRAP_STEP; /* a uprobe's int3: what it stands for was executed (uprobes.c) */
	else
		*ret = TRAP_PROGRAM;
	if (raised && *ret == TRAP_STEP)
		tracer_decode_probed(tracer, thread);
	return 1;
}

/* Before the program's own code is stepped, only the breakpoint at the entry traps. */
static int handle_free_trap(struct tracer *tracer, struct thread *thread)
{
	int got = tracer_registers(tracer, thread->core.tid, &thread->core.regs);

	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;
	if (thread->state != THREAD_TO_ENTRY || thread->core.regs.rip != tracer->entry + 1)
		return SIGTRAP;
	if (tracer_leave_entry(tracer, thread))
		return -1;
	thread_begin(tracer, thread, true);
	return thread_point(tracer, thread, false) ? -1 : 0;
}

/* int3 or int1 was executed; a SIGTRAP that was sent comes where nothing was, or in a call. */
static int handle_own_trap(struct tracer *tracer, struct thread *thread,
			   struct user_regs_struct *regs)
{
	bool raised = thread->core.next.kind == INSTRUCTION_TRAP &&
		      regs->rip != thread->core.regs.rip;

	if (raised && thread->traps.blocked)
		return thread_die_of_trap(tracer, thread);
	if (regs->rip != thread->core.regs.rip && thread_step(tracer, thread, regs))
		return -1;
	return raised ? SIGTRAP : thread_sent_trap(tracer, thread);
}

/* A step's trap, or one that only looks like it. */
static int handle_trap(struct tracer *tracer, struct thread *thread)
{
	if (thread->state == THREAD_STARTING || thread->state == THREAD_TO_ENTRY)
		return handle_free_trap(tracer, thread);

	if (thread->traps.dying)
		return SIGTRAP;

	struct user_regs_struct regs;
	enum trap_cause cause = TRAP_STEP;
	int got = tracer_registers(tracer, thread->core.tid, &regs);

	if (got > 0 && thread->state == THREAD_STEPPED && is_ambiguous(thread, &regs))
		got = trap_cause(tracer, thread, &regs, &cause);
	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;

	if (thread->state == THREAD_ENTERING) {
		thread->core.regs = regs;
		thread_begin(tracer, thread, true);
		return thread_point(tracer, thread, true) ? -1 : 0;
	}
	if (cause == TRAP_HANDLER) {
		thread->may_inject = false;
		if (thread_enter_handler(tracer, thread, &regs))
			return -1;
		return thread_point(tracer, thread, false) ? -1 : 0;
	}
	/* By the program's own trap flag there is one after each instruction but a system call. */
	bool own_flag = cause == TRAP_STEP && thread->traps.own &&
			thread->core.next.kind != INSTRUCTION_SYSCALL;

	if (cause == TRAP_PROGRAM)
		return handle_own_trap(tracer, thread, &regs);
	if (own_flag && thread->traps.blocked)
		return thread_die_of_trap(tracer, thread);
	if (thread_step(tracer, thread, &regs) || thread_point(tracer, thread, true))
		return -1;
	return own_flag ? SIGTRAP : 0;
}

/* The begin or the end of a system call that is not stepped (tracer_calls.c). */
static int handle_call_stop(struct tracer *tracer, struct thread *thread)
{
	struct user_regs_struct regs;
	int got = tracer_registers(tracer, thread->core.tid, &regs);
	bool ended;

	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;
	if (thread_call_stop(tracer, thread, &regs, &ended))
		return -1;
	if (ended && (thread_step(tracer, thread, &regs) || thread_point(tracer, thread, false)))
		return -1;
	return 0;
}

/* Any other signal: the instruction at rip has not run, but make sure. */
static int handle_signal(struct tracer *tracer, struct thread *thread, int signal)
{
	if (thread->state != THREAD_STEPPED)
		return signal;

	struct user_regs_struct regs;
	int got = tracer_registers(tracer, thread->core.tid, &regs);

	if (got <= 0)
		return got < 0 ? -1 : DO_NOT_RESUME;

	bool later = thread_timer_holds(tracer, thread, signal);

	if (regs.rip != thread->core.regs.rip && thread_step(tracer, thread, &regs))
		return -1;
	return later ? 0 : signal;
}

/* -1, DO_NOT_RESUME, or the signal to inject. */
static int handle_stop(struct tracer *tracer, struct thread *thread, int status)
{
	int signal = WSTOPSIG(status);

	thread->may_inject = status >> 16 == 0 && signal != CALL_STOP;
	switch (status >> 16) {
	case 0: break;
	case PTRACE_EVENT_EXEC: return handle_exec(tracer, thread);
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK: return handle_clone(tracer, thread);
	case PTRACE_EVENT_STOP: return handle_event_stop(tracer, thread);
	default: return 0;
	}
	if (signal == SIGTRAP)
		return handle_trap(tracer, thread);
	if (signal == CALL_STOP)
		return handle_call_stop(tracer, thread);
	return handle_signal(tracer, thread, signal);
}

static int resume(struct tracer *tracer, struct thread *thread, int signal)
{
	bool free_running = thread->state == THREAD_STARTING || thread->state == THREAD_TO_ENTRY;

	enum __ptrace_request request = PTRACE_CONT;

	if (!free_running && thread_resume_request(tracer, thread, &signal, &request))
		return -1;
	thread->injected = signal;
	if (ptrace(request, thread->core.tid, NULL, signal) &&
	    errno != ESRCH) /* ESRCH: killed meanwhile; its end will be reported */
		return error_set_errno(tracer->core.error, "ptrace could not resume thread %d",
				       thread->core.tid);
	return 0;
}

/* While one thread is in a restartable sequence, the others wait. */
static int resume_waiting(struct tracer *tracer)
{
	struct thread *thread;

	while (tracer->waiting && (thread = tracer_rseq_next(tracer))) {
		thread->waits = false;
		tracer->waiting--;
		if (resume(tracer, thread, thread->signal))
			return -1;
	}
	return 0;
}

static int resume_or_wait(struct tracer *tracer, struct thread *thread, int signal)
{
	if (!tracer->in_section && !tracer->waiting)
		return resume(tracer, thread, signal);
	thread->waits = true;
	thread->signal = signal;
	tracer->waiting++;
	return resume_waiting(tracer);
}

/* ---- the loop --------------------------------------------------------------------------- */

/* The next thread that stopped or ended. While there is only one, its number is asked for. */
static pid_t wait_next(struct tracer *tracer, int *ret_status)
{
	for (;;) {
		bool alone = tracer->thread_count == 1 &&
			     tracer->thread[0]->core.tid == tracer->core.pid;
		pid_t tid = waitpid(alone ? tracer->core.pid : -1, ret_status,
				    __WALL | __WNOTHREAD);

		if (tid >= 0 || errno != EINTR)
			return tid;
	}
}

static int handle_end(struct tracer *tracer, pid_t tid, int status)
{
	struct thread *thread = tracer_find_thread(tracer, tid);
	bool never_started = thread && thread->state == THREAD_STARTING;
	int failure;

	remove_thread(tracer, tid);
	if (tid != tracer->core.pid)
		return 0;
	tracer->finished = true;
	tracer->status = status;
	if (!never_started || tracer->options->function)
		return 0;
	if (read(tracer->fail_fd, &failure, sizeof(failure)) == sizeof(failure)) {
		errno = failure;
		return error_set_errno(tracer->core.error, "%s", tracer->options->argv[0]);
	}
	return error_set(tracer->core.error, ERROR_PROTOCOL, NULL, 0,
			 "%s ended before it was executed", tracer->options->argv[0]);
}

int tracer_take(struct tracer *tracer, pid_t tid, int status)
{
	struct thread *thread;
	int signal;

	if (!WIFSTOPPED(status))
		return handle_end(tracer, tid, status) || resume_waiting(tracer) ? -1 : 0;
	thread = tracer_find_thread(tracer, tid);
	if (!thread)
		thread = adopt_thread(tracer, tid);
	if (!thread)
		return -1;
	tracer->at = tid;
	signal = handle_stop(tracer, thread, status);
	if (signal < 0)
		return -1;
	return signal == DO_NOT_RESUME ? 0 : resume_or_wait(tracer, thread, signal);
}

static int run(struct tracer *tracer)
{
	while (!tracer->finished && !tracer->stopping) {
		int status;
		pid_t tid = wait_next(tracer, &status);

		if (tid < 0)
			return error_set_errno(tracer->core.error, "waitpid");
		if (tracer_take(tracer, tid, status))
			return -1;
	}
	return 0;
}

/* How the run ended. result: what run() said, and what is said instead. */
static int say_ending(struct tracer *tracer, int result)
{
	const struct watchdog *watchdog = &tracer->watchdog;
	enum tracer_ending *ending = &tracer->counters.ending;
	bool killed = WIFSIGNALED(tracer->status) && WTERMSIG(tracer->status) == SIGKILL;

	if (watchdog->signal) {
		*ending = TRACER_INTERRUPTED;
		return ending_signals_error(tracer->core.error, watchdog->signal);
	}
	if (watchdog->fired && WIFSIGNALED(tracer->status)) {
		*ending = TRACER_TIMEOUT;
		return error_set(tracer->core.error, ERROR_TIMEOUT, NULL, 0,
				 "the program was killed after %u ms", tracer->options->timeout_ms);
	}
	*ending = result	     ? TRACER_FAILED
		  : tracer->stopping ? TRACER_LIMIT
		  : killed	     ? TRACER_KILLED
				     : TRACER_ENDED;
	return result;
}

void tracer_init(struct tracer *tracer, const struct tracer_options *options,
		 const struct tracer_callbacks *callbacks, pid_t pid, struct error *error)
{
	*tracer = (struct tracer) {
		.options = options,
		.callbacks = callbacks,
		.core = { .pid = pid,
			  .error = error,
			  .counters = &tracer->counters.rules,
			  .observer = callbacks->observer,
			  .context = tracer,
			  .decode = tracer_decode,
			  .find_mapping = tracer_mapping_find },
		.at = pid,
		.memory_fd = -1,
		.go_fd = -1,
		.fail_fd = -1,
		.watchdog = { .pidfd = -1,
			      .cancel_fd = -1,
			      .signals = { .fd = -1 },
			      .lock = PTHREAD_MUTEX_INITIALIZER },
	};
}

int tracer_run(const struct tracer_options *options, const struct tracer_callbacks *callbacks,
	       struct tracer_counters *ret_counters, int *ret_status, struct error *error)
{
	struct tracer tracer;
	int result = -1;

	if (options->attach && options->attach->whole)
		return tracer_run_children(options, callbacks, ret_counters, ret_status, error);
	if (options->attach)
		return tracer_run_attached(options, callbacks, ret_counters, ret_status, error);
	tracer_init(&tracer, options, callbacks, -1, error);
	assert(options->function ? !options->from : options->argv && options->argv[0]);
	tracer.core.decoder = decoder_create(error);
	if (!tracer.core.decoder || tracer_start(&tracer))
		goto out;
	if (!tracer_add_thread(&tracer, tracer.core.pid, THREAD_STARTING))
		goto out;
	result = run(&tracer);
out:
	tracer_end(&tracer);
	result = say_ending(&tracer, result);
	*ret_counters = tracer.counters;
	*ret_status = tracer.status;
	return result;
}
