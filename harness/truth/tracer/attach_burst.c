/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_burst.c - one burst: a thread is stopped, stepped, and let go
 *
 * What the thread must never see, and how it does not:
 *
 *	the trap flag	PTRACE_DETACH takes it out, if the kernel knows that it is the tracer's. popf and iret would
 *			make it forget: the burst ends before them. System calls are not stepped but let run from
 *			their entry to their end (PTRACE_SYSCALL), so that none waits with the flag set
 *	a step's trap	is always waited for before the thread is let go; job control and signals come in between
 *	EINTR		a call that waits is not interrupted by us but where it began to wait in the moment in which it
 *			was stopped. Most are made again by the kernel. Those that are not (signal(7), "Interruption
 *			of system calls") are put back to their begin here, unless a signal is there for the thread.
 *			So who was told to stop is waited for: nobody would put it back otherwise
 *	signals		end the burst: they are delivered natively, with PTRACE_DETACH. Of two that stop the thread one
 *			after the other the first would be lost: so none is passed over but for a step's trap
 *	SIGTRAP		a step's is forced, and resets an action that is to ignore or a mask that blocks it: such a
 *			thread is not stepped, and a burst ends before a call that would block it
 *	children	calls that make or end threads and processes are not for a stepped thread
 *	sequences	restartable ones (rseq(2)) are aborted by a step, and then the burst is over
 *
 * A thread that waits in a system call is not stopped, so it can't be detached: it is left to the kernel, which lets it
 * go when the tracing thread ends. Should we be killed in the middle of a step, nobody is there to take the flag out.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach.h"
#include "clock.h"
#include "target_start.h"

#define CALL_STOP     (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define RUN_WAIT_NS   5000000ull       /* for a thread to run */
#define STOP_WAIT_NS  1000000000ull    /* for a thread that runs to stop, if the run is over */
#define SLOW_NS	      300000ull	       /* of a step: it has waited for a CPU */
#define CALL_WAIT_NS  2000000ull       /* for a system call to come back */
#define SYSCALL_BYTES 2
#define YIELDS	      64
#define POLL_US	      100
#define GOES_ON	      BURST_END_COUNT
#define SIGNAL_BIT(n) (1ULL << ((n)-1))

/* Signals that do nothing by default. */
#define IDLE_SIGNALS                                                                               \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH) | SIGNAL_BIT(SIGCONT))

struct stepped {
	struct burst *burst;
	struct tracer *tracer;
	struct thread thread;
	int signal;    /* to be delivered when it is let go */
	bool has_info; /* with this: */
	siginfo_t info;
	uint64_t since_ns; /* it was stopped; 0: it is not */
};

/* ---- the clock -------------------------------------------------------------------------- */

static void stopped(struct stepped *stepped)
{
	stepped->since_ns = monotonic_ns();
}

static void runs(struct stepped *stepped)
{
	if (stepped->since_ns)
		stepped->burst->stopped_ns += monotonic_ns() - stepped->since_ns;
	stepped->since_ns = 0;
}

/* ---- the CPU ---------------------------------------------------------------------------- */

/*
 * Goes to the CPU on which the thread ran last. The scheduler then leaves it there, unless another one has nothing to do: a
 * step needs no other CPU to wake up, and no turn on a CPU that others want, since we give up ours.
 */
static void go_beside(struct burst *burst)
{
	struct task_state state;
	cpu_set_t one;

	if (!task_state_read(burst->tracer->core.pid, burst->tid, &state) ||
	    state.cpu == burst->cpu || state.cpu < 0 || state.cpu >= CPU_SETSIZE)
		return;
	burst->cpu = state.cpu;
	CPU_ZERO(&one);
	CPU_SET(state.cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* ---- stops ------------------------------------------------------------------------------ */

/* 1: it stopped, 0: not in time, -1: it ended. */
static int wait_until(pid_t tid, uint64_t until_ns, int *ret_status)
{
	for (unsigned int tries = 0;; tries++) {
		pid_t got = waitpid(tid, ret_status, __WALL | __WNOTHREAD | WNOHANG);

		if (got == tid)
			return WIFSTOPPED(*ret_status) ? 1 : -1;
		if (got < 0 && errno != EINTR)
			return -1;
		if (monotonic_ns() > until_ns)
			return 0;
		if (tries < YIELDS)
			sched_yield();
		else
			usleep(POLL_US);
	}
}

static bool wait_stop(pid_t tid, int *ret_status)
{
	pid_t got;

	do
		got = waitpid(tid, ret_status, __WALL | __WNOTHREAD);
	while (got < 0 && errno == EINTR);
	return got == tid && WIFSTOPPED(*ret_status);
}

/* A signal that is delivered when the thread is let go. */
static enum burst_end end_by(struct stepped *stepped, int signal)
{
	stepped->signal = signal;
	return BURST_SIGNAL;
}

/* 64-bit code's flags that the kernel takes for the program's. */
static bool shows_flag(const struct user_regs_struct *regs)
{
	return regs->eflags & EFLAGS_TF;
}

static void let_go(struct stepped *stepped)
{
	pid_t tid = stepped->thread.core.tid;
	struct user_regs_struct regs;

	/* Before its first step the flag would be the program's own. */
	if (stepped->thread.steps && !ptrace(PTRACE_GETREGS, tid, NULL, &regs) && shows_flag(&regs))
		ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, eflags),
		       regs.eflags & ~(uint64_t)EFLAGS_TF);
	if (stepped->has_info)
		ptrace(PTRACE_SETSIGINFO, tid, NULL, &stepped->info);
	ptrace(PTRACE_DETACH, tid, NULL, stepped->signal);
	runs(stepped);
}

/* ---- calls that wait -------------------------------------------------------------------- */

/*
 * A call that has failed with EINTR has done nothing, or the kernel would say how much; so it may be made again. Where a
 * socket has no time-out the kernel does the same, connect(2) not excepted: it waits for the connection that it began.
 * Not so: close(2), whose descriptor is gone, and perhaps another file's.
 */
static bool may_begin_again(const struct stepped *stepped, const struct user_regs_struct *regs)
{
	const struct memory_reader *memory = &stepped->tracer->core.memory;
	uint8_t code[SYSCALL_BYTES];

	/* int 0x80 has other numbers. */
	return (int64_t)regs->rax == -EINTR && regs->orig_rax != SYS_close &&
	       !memory->read(memory->context, regs->rip - sizeof(code), code, sizeof(code)) &&
	       code[0] == 0x0f && code[1] == 0x05;
}

/* A signal is there that would interrupt the thread if it were not traced, or has stopped it. */
static bool has_signal(const struct stepped *stepped)
{
	uint64_t stopped_by = stepped->signal ? SIGNAL_BIT(stepped->signal) : 0;
	struct signal_masks masks;

	if (thread_signal_masks(stepped->thread.core.tid, &masks))
		return true;
	return ((masks.pending & ~masks.blocked) | stopped_by) & ~masks.ignored &
	       ~(IDLE_SIGNALS & ~masks.caught);
}

/* The call has found out that the thread was to stop. It is made again, as if it had not begun. */
static void begin_again(const struct stepped *stepped, struct user_regs_struct *regs)
{
	if (!may_begin_again(stepped, regs) || has_signal(stepped))
		return;
	regs->rax = regs->orig_rax;
	regs->rip -= SYSCALL_BYTES;
	regs->orig_rax = UINT64_MAX; /* the kernel sees no call to restart */
	ptrace(PTRACE_SETREGS, stepped->thread.core.tid, NULL, regs);
}

/* ---- the begin -------------------------------------------------------------------------- */

/* A step's trap would be forced through a mask, or through an action that ignores it. */
static bool keeps_trap(const struct stepped *stepped, const struct signal_masks *masks)
{
	return (masks->blocked | masks->ignored | masks->pending) & SIGTRAP_BIT ||
	       shows_flag(&stepped->thread.core.regs);
}

/* The thread has stopped. GOES_ON: it can be stepped. */
static enum burst_end begin(struct stepped *stepped, int status)
{
	struct tracer *tracer = stepped->tracer;
	struct user_regs_struct *regs = &stepped->thread.core.regs;
	struct signal_masks masks;
	bool in_call;

	if (status >> 16 && WSTOPSIG(status) != SIGTRAP) /* job control has stopped the process */
		return BURST_ASLEEP;
	if (!(status >> 16))
		stepped->signal = WSTOPSIG(status);
	if (ptrace(PTRACE_GETREGS, stepped->thread.core.tid, NULL, regs))
		return BURST_GONE;
	in_call = call_was_interrupted(regs);
	if (in_call)
		begin_again(stepped, regs);
	if (stepped->signal)
		return BURST_SIGNAL;
	/* Before it was seized, its number may have become one of another process. */
	if (in_call || !thread_is_of(tracer->core.pid, stepped->thread.core.tid))
		return BURST_ASLEEP;
	if (thread_signal_masks(stepped->thread.core.tid, &masks))
		return BURST_GONE;
	if (keeps_trap(stepped, &masks))
		return BURST_REFUSED;
	stepped->burst->status = target_is_64_bit(regs, tracer->core.error) ? 0 : -1;
	if (stepped->burst->status)
		return BURST_REFUSED;
	tracer->trap_action = masks.caught & SIGTRAP_BIT ? TRAP_ACTION_HANDLER
							 : TRAP_ACTION_DEFAULT;
	thread_begin_stack(tracer, &stepped->thread, false);
	stepped->thread.state = THREAD_STEPPED;
	stepped->thread.core.next = tracer_decode(tracer, regs->rip);
	return GOES_ON;
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Calls that are not for a stepped thread. */
static bool is_native_call(const struct thread *thread)
{
	switch (thread->core.regs.rax) {
	case SYS_clone:
	case SYS_clone3:
	case SYS_execve:
	case SYS_execveat:
	case SYS_exit:
	case SYS_exit_group:
	case SYS_fork:
	case SYS_ptrace:
	case SYS_rseq:
	case SYS_rt_sigreturn:
	case SYS_vfork: return true;
	case SYS_rt_sigaction: return thread->core.regs.rdi == SIGTRAP;
	default: return thread->core.next.traits.legacy_call;
	}
}

/* Whether the thread must be let go before what comes next. */
static enum burst_end end_before(struct stepped *stepped)
{
	struct thread *thread = &stepped->thread;

	if (is_vsyscall(thread->core.regs.rip))
		return BURST_CALL;
	if (thread->core.next.kind == INSTRUCTION_TRAP || thread->core.next.traits.pops_flags)
		return BURST_FLAGS;
	if (thread->core.next.kind != INSTRUCTION_SYSCALL)
		return GOES_ON;
	thread_call_begin(stepped->tracer, thread);
	return is_native_call(thread) || thread->call.blocks ? BURST_CALL : GOES_ON;
}

/* Not so of a SIGTRAP that was sent. Of two of one thread's the kernel keeps the first. */
static bool is_of_step(const siginfo_t *info)
{
	return info->si_signo == SIGTRAP &&
	       (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT);
}

/* Another signal than the step's has stopped the thread. True: the step was made, and its trap is still to come; the
 * signal is kept. */
static bool comes_before_trap(struct stepped *stepped, int signal)
{
	struct __ptrace_peeksiginfo_args one = { .nr = 1 }; /* that waits for this thread alone */
	pid_t tid = stepped->thread.core.tid;
	siginfo_t info = { 0 };

	stepped->signal = signal;
	while (!is_of_step(&info) && ptrace(PTRACE_PEEKSIGINFO, tid, &one, &info) == 1)
		one.off++;
	if (!is_of_step(&info))
		return false;
	stepped->has_info = !ptrace(PTRACE_GETSIGINFO, tid, NULL, &stepped->info);
	return true;
}

/* Makes one step. GOES_ON: *ret are the registers after it. BURST_SIGNAL with a step: it is the last one. */
static enum burst_end step(struct stepped *stepped, struct user_regs_struct *ret, bool *ret_made)
{
	struct thread *thread = &stepped->thread;
	enum burst_end end = GOES_ON;
	siginfo_t info;
	int status;

	*ret_made = false;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, thread->core.tid, NULL, 0) ||
		    !wait_stop(thread->core.tid, &status))
			return BURST_GONE;
		if (status >> 16) { /* job control stops it: after this step */
			end = BURST_SIGNAL;
			continue;
		}
		if (ptrace(PTRACE_GETREGS, thread->core.tid, NULL, ret))
			return BURST_GONE;
		if (WSTOPSIG(status) != SIGTRAP) {
			if (!comes_before_trap(stepped, WSTOPSIG(status)))
				return BURST_SIGNAL;
			end = BURST_SIGNAL;
			continue;
		}
		if (ptrace(PTRACE_GETSIGINFO, thread->core.tid, NULL, &info))
			return BURST_GONE;
		*ret_made = is_of_step(&info) || ret->rip != thread->core.regs.rip;
		return is_of_step(&info) ? end : end_by(stepped, SIGTRAP);
	}
}

/* Lets a system call run. GOES_ON: it has come back, and *ret are the registers after it. */
static enum burst_end call(struct stepped *stepped, struct user_regs_struct *ret)
{
	struct thread *thread = &stepped->thread;
	int status, got;

	if (ptrace(PTRACE_SYSCALL, thread->core.tid, NULL, 0) ||
	    !wait_stop(thread->core.tid, &status))
		return BURST_GONE;
	if (status >> 16)
		return BURST_SIGNAL;
	if (WSTOPSIG(status) != CALL_STOP)
		return end_by(stepped, WSTOPSIG(status));
	runs(stepped);
	if (ptrace(PTRACE_SYSCALL, thread->core.tid, NULL, 0))
		return BURST_GONE;
	got = wait_until(thread->core.tid, monotonic_ns() + CALL_WAIT_NS, &status);
	if (got <= 0)
		return got ? BURST_GONE : BURST_WAITS;
	stopped(stepped);
	if (status >> 16)
		return BURST_SIGNAL;
	if (WSTOPSIG(status) != CALL_STOP)
		return end_by(stepped, WSTOPSIG(status));
	if (ptrace(PTRACE_GETREGS, thread->core.tid, NULL, ret))
		return BURST_GONE;
	if (!call_was_interrupted(ret))
		return GOES_ON;
	begin_again(stepped, ret);
	return BURST_SIGNAL;
}

/* One instruction, and its point. */
static enum burst_end advance(struct stepped *stepped)
{
	struct tracer *tracer = stepped->tracer;
	struct thread *thread = &stepped->thread;
	uint64_t moved = tracer->counters.moved;
	enum burst_end end = end_before(stepped);
	bool is_call = thread->core.next.kind == INSTRUCTION_SYSCALL, made = true;
	struct user_regs_struct regs;

	if (end != GOES_ON)
		return end;
	end = is_call ? call(stepped, &regs) : step(stepped, &regs, &made);
	if ((is_call && end != GOES_ON) || !made)
		return end;
	if (thread_step(tracer, thread, &regs) || thread_point(tracer, thread, !is_call))
		stepped->burst->status = -1;
	if (stepped->burst->status)
		return BURST_WHOLE;
	if (shows_flag(&regs))
		return BURST_FLAGS;
	return tracer->counters.moved != moved ? BURST_MOVED : end;
}

static enum burst_end advance_all(struct stepped *stepped)
{
	const struct tracer_attach *wish = stepped->burst->wish;
	uint64_t until_ns = stepped->since_ns + wish->burst_ms * 1000000ull;
	uint64_t before_ns = stepped->since_ns, now_ns;
	enum burst_end end = GOES_ON;

	while (end == GOES_ON) {
		now_ns = monotonic_ns();
		if (stepped->thread.steps >= wish->burst_steps || stepped->tracer->stopping ||
		    atomic_load(stepped->burst->is_over) || now_ns > until_ns)
			return BURST_WHOLE;
		if (now_ns - before_ns > SLOW_NS)
			go_beside(stepped->burst);
		before_ns = now_ns;
		end = advance(stepped);
	}
	return end;
}

/* ---- a burst ---------------------------------------------------------------------------- */

/* The thread has stopped with this status. True: it is still traced and stopped. */
static bool make_steps(struct stepped *stepped, int status)
{
	struct burst *burst = stepped->burst;

	stopped(stepped);
	go_beside(burst);
	burst->end = begin(stepped, status);
	if (burst->end == GOES_ON) {
		burst->end = advance_all(stepped);
		stepped_end(&stepped->thread.core);
	}
	if (burst->end == BURST_GONE)
		runs(stepped);
	return burst->end != BURST_GONE && burst->end != BURST_WAITS;
}

/* It ran when it was looked for, and has perhaps waited since. */
static bool runs_now(const struct burst *burst)
{
	uint64_t until_ns = monotonic_ns() + RUN_WAIT_NS;
	struct task_state state;

	while (task_state_read(burst->tracer->core.pid, burst->tid, &state)) {
		if (state.state == 'R')
			return true;
		if (state.state != 'S' || monotonic_ns() > until_ns)
			return false;
		usleep(POLL_US);
	}
	return false;
}

void *burst_run(void *argument)
{
	struct burst *burst = argument;
	struct stepped stepped = { .burst = burst,
				   .tracer = burst->tracer,
				   .thread = { .core.tid = burst->tid } };
	int status, got;

	burst->cpu = -1;
	burst->end = BURST_ASLEEP;
	burst->tracer->at = burst->tid;
	if (!runs_now(burst)) {
		eventfd_write(burst->done_fd, 1);
		return NULL;
	}
	burst->end = BURST_GONE;
	if (ptrace(PTRACE_SEIZE, burst->tid, NULL, PTRACE_O_TRACESYSGOOD)) {
		if (errno != ESRCH)
			burst->end = BURST_REFUSED;
	} else if (!ptrace(PTRACE_INTERRUPT, burst->tid, NULL, NULL)) {
		do
			got = wait_until(burst->tid, monotonic_ns() + STOP_WAIT_NS, &status);
		while (!got && !atomic_load(burst->is_over));
		if (!got)
			burst->end = BURST_ASLEEP; /* for longer than is worth waiting */
		else if (got > 0 && make_steps(&stepped, status))
			let_go(&stepped);
	}
	eventfd_write(burst->done_fd, 1);
	return NULL;
}
