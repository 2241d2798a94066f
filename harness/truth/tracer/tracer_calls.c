/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_calls.c - the system calls in which a program meets its tracer
 *
 *	rt_sigaction		of SIGTRAP: is there a handler to be kept? What is told of an ignored
 *				one (the kernel has reset it) is corrected
 *	rt_sigprocmask		SIGTRAP in it is kept by tracer_traps.c and not by the kernel
 *	rt_sigreturn		brings back a mask, and flags
 *	rt_sigsuspend, ppoll, pselect6, epoll_pwait	block SIGTRAP while they wait
 *	rseq			registers an area
 *	ptrace			PTRACE_TRACEME says yes once, as natively: programs look for a tracer so
 *	any			leaves the flags in r11
 *
 * Their arguments are read before they run. A call that would block SIGTRAP while there is a
 * handler is let run from its entry to its end (PTRACE_SYSCALL) and not stepped: a step's trap
 * would be forced through the mask, and cost the handler. There the truth has a point without a
 * trap.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "children.h"
#include "tracer.h"

#define RESTART_MIN 512 /* ERESTARTSYS and its like, which no program sees */
#define RESTART_MAX 516

static uint64_t read_word(const struct tracer *tracer, uint64_t address)
{
	uint64_t word;

	if (!address ||
	    tracer->core.memory.read(tracer->core.memory.context, address, &word, sizeof(word)))
		return 0;
	return word;
}

static bool mask_blocks(const struct tracer *tracer, uint64_t mask_at)
{
	return read_word(tracer, mask_at) & SIGTRAP_BIT;
}

static bool blocked_after(const struct tracer *tracer, const struct thread *thread)
{
	const struct user_regs_struct *regs = &thread->core.regs;
	bool named = mask_blocks(tracer, regs->rsi);

	if (!regs->rsi)
		return thread->traps.blocked;
	switch ((int)regs->rdi) {
	case SIG_BLOCK: return thread->traps.blocked || named;
	case SIG_UNBLOCK: return thread->traps.blocked && !named;
	default: return named;
	}
}

void thread_call_begin(struct tracer *tracer, struct thread *thread)
{
	const struct user_regs_struct *regs = &thread->core.regs;
	struct call_watch *call = &thread->call;

	*call = (struct call_watch) { .known = true };
	switch (regs->rax) {
	case SYS_rt_sigaction:
		call->sets_handler = regs->rdi == SIGTRAP && regs->rsi;
		call->trap_handler = read_word(tracer, regs->rsi);
		break;
	case SYS_rt_sigprocmask: call->blocks = blocked_after(tracer, thread); break;
	case SYS_rt_sigreturn:
		call->blocks = mask_blocks(tracer, regs->rsp + offsetof(ucontext_t, uc_sigmask));
		call->own = read_word(tracer, regs->rsp + offsetof(ucontext_t,
								   uc_mcontext.gregs[REG_EFL])) &
			    EFLAGS_TF;
		break;
	case SYS_rt_sigsuspend: call->blocks = mask_blocks(tracer, regs->rdi); break;
	case SYS_ppoll: call->blocks = mask_blocks(tracer, regs->r10); break;
	case SYS_pselect6: call->blocks = mask_blocks(tracer, read_word(tracer, regs->r9)); break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2: call->blocks = mask_blocks(tracer, regs->r8); break;
	case SYS_kill:
		if ((pid_t)regs->rdi <= 0)
			watchdog_to_group(tracer->children ? children_watchdog(tracer->children)
							   : &tracer->watchdog,
					  regs->rsi);
		break;
	default: break;
	}
	call->waits = call->blocks && regs->rax != SYS_rt_sigprocmask &&
		      regs->rax != SYS_rt_sigreturn;
}

/* ---- afterwards ------------------------------------------------------------------------- */

static int write_word(struct tracer *tracer, struct thread *thread, uint64_t address, uint64_t word)
{
	thread_note_repair(thread, &(struct trap_repair) { .at = address,
							   .size = sizeof(word),
							   .seen = read_word(tracer, address),
							   .right = word });
	if (pwrite(tracer->memory_fd, &word, sizeof(word), address) != sizeof(word))
		return error_set_errno(tracer->core.error, "what a system call told of SIGTRAP");
	return 0;
}

static enum trap_action action_of(uint64_t handler)
{
	if (handler == (uint64_t)(uintptr_t)SIG_DFL)
		return TRAP_ACTION_DEFAULT;
	return handler == (uint64_t)(uintptr_t)SIG_IGN ? TRAP_ACTION_IGNORE : TRAP_ACTION_HANDLER;
}

static int after_sigaction(struct tracer *tracer, struct thread *thread)
{
	enum trap_action before = tracer->trap_action;
	uint64_t old_at = thread->core.regs.rdx;

	if (thread->core.regs.rdi != SIGTRAP)
		return 0;
	if (thread->call.sets_handler)
		tracer->trap_action = action_of(thread->call.trap_handler);
	if (before != TRAP_ACTION_IGNORE || !old_at)
		return 0;
	return write_word(tracer, thread, old_at, (uint64_t)(uintptr_t)SIG_IGN);
}

static int after_sigprocmask(struct tracer *tracer, struct thread *thread)
{
	uint64_t old_at = thread->core.regs.rdx;
	bool was_blocked = thread->traps.blocked;

	thread->traps.blocked = thread->call.blocks;
	if (!was_blocked || !old_at)
		return 0;
	return write_word(tracer, thread, old_at, read_word(tracer, old_at) | SIGTRAP_BIT);
}

static int after_sigreturn(struct tracer *tracer, struct thread *thread,
			   struct user_regs_struct *regs)
{
	struct trap_watch *traps = &thread->traps;

	traps->blocked = thread->call.blocks;
	traps->rearm = traps->own && !thread->call.own;
	traps->own = thread->call.own;
	thread->timers.since = thread->steps;
	if (!traps->own)
		return 0;
	regs->eflags |= EFLAGS_TF;
	return thread_poke_register(tracer, thread, offsetof(struct user_regs_struct, eflags),
				    regs->eflags);
}

static int put_register(struct tracer *tracer, struct thread *thread, size_t offset, uint64_t seen,
			uint64_t right)
{
	thread_note_repair(thread, &(struct trap_repair) { .in_register = true,
							   .at = offset,
							   .size = sizeof(right),
							   .seen = seen,
							   .right = right });
	return thread_poke_register(tracer, thread, offset, right);
}

static int after_ptrace(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	if (thread->core.regs.rdi != PTRACE_TRACEME || regs->rax != (uint64_t)-EPERM ||
	    thread->traps.traced)
		return 0;
	thread->traps.traced = true;
	regs->rax = 0;
	return put_register(tracer, thread, offsetof(struct user_regs_struct, rax),
			    (uint64_t)-EPERM, 0);
}

static int hide_flag_in_r11(struct tracer *tracer, struct thread *thread,
			    struct user_regs_struct *regs)
{
	uint64_t seen = regs->r11;

	if (thread->traps.own || !(seen & EFLAGS_TF) || regs->rcx != regs->rip)
		return 0;
	regs->r11 &= ~(uint64_t)EFLAGS_TF;
	return put_register(tracer, thread, offsetof(struct user_regs_struct, r11), seen,
			    regs->r11);
}

int thread_call_end(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	uint64_t number = thread->core.regs.rax;
	bool known = thread->call.known && !thread->core.next.traits.legacy_call;

	thread->call.known = false;
	if (!known)
		return 0;
	if (number == SYS_rt_sigreturn)
		return after_sigreturn(tracer, thread, regs);
	if (hide_flag_in_r11(tracer, thread, regs))
		return -1;
	if (number == SYS_ptrace && tracer->children)
		children_called_ptrace(tracer->children, tracer);
	if (number == SYS_ptrace)
		return after_ptrace(tracer, thread, regs);
	if (regs->rax)
		return 0;
	if (number == SYS_rseq) {
		/* flags: unregister */
		thread->rseq.area = thread->core.regs.rdx ? 0 : thread->core.regs.rdi;
		return 0;
	}
	if (number == SYS_rt_sigaction)
		return after_sigaction(tracer, thread);
	return number == SYS_rt_sigprocmask ? after_sigprocmask(tracer, thread) : 0;
}

bool call_was_interrupted(const struct user_regs_struct *regs)
{
	int64_t result = regs->rax;

	return (int64_t)regs->orig_rax >= 0 &&
	       (result == -EINTR || (result <= -RESTART_MIN && result >= -RESTART_MAX));
}

int thread_call_stop(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs, bool *ret_ended)
{
	*ret_ended = thread->call.entered;
	thread->call.entered = !thread->call.entered;
	/* The mask that it waited with is still needed, for the handler that comes next. */
	if (!*ret_ended || (thread->call.waits && call_was_interrupted(regs)))
		return 0;
	return thread_open_trap(tracer, thread);
}

/* ---- going on --------------------------------------------------------------------------- */

/* A signal that waited may only go in where the thread stopped for one. */
static int inject(struct tracer *tracer, struct thread *thread, const siginfo_t *info)
{
	if (ptrace(PTRACE_SETSIGINFO, thread->core.tid, NULL, info) && errno != ESRCH)
		return error_set_errno(tracer->core.error, "PTRACE_SETSIGINFO");
	return info->si_signo;
}

/* The signal that goes in now: the one that stopped the thread, one that waited, or 0. */
static int signal_due(struct tracer *tracer, struct thread *thread, int signal)
{
	struct trap_watch *traps = &thread->traps;

	if (signal || !thread->may_inject)
		return signal;
	if (traps->pending && !traps->blocked) {
		traps->pending = false;
		return inject(tracer, thread, &traps->info);
	}
	return thread_timer_due(tracer, thread) ? inject(tracer, thread, &thread->timers.info) : 0;
}

/* Stops it again before it executes anything, with the tracer's trap flag taken out. */
static enum __ptrace_request stop_unstepped(struct thread *thread)
{
	ptrace(PTRACE_INTERRUPT, thread->core.tid, NULL, NULL);
	return PTRACE_CONT;
}

static enum __ptrace_request request_for_call(struct tracer *tracer, struct thread *thread,
					      int signal)
{
	if (thread->call.entered)
		return PTRACE_SYSCALL;
	thread_call_begin(tracer, thread);
	if (!thread->call.blocks || !tracer_keeps_handler(tracer))
		return PTRACE_SINGLESTEP;
	/* A handler's entry is only told of while stepping. Without a handler, stop again. */
	if (signal) {
		ptrace(PTRACE_INTERRUPT, thread->core.tid, NULL, NULL);
		return PTRACE_SINGLESTEP;
	}
	return PTRACE_SYSCALL;
}

int thread_resume_request(struct tracer *tracer, struct thread *thread, int *signal,
			  enum __ptrace_request *ret)
{
	*ret = PTRACE_SINGLESTEP;
	if (thread->traps.dying) {
		*ret = PTRACE_CONT;
		return 0;
	}
	*signal = signal_due(tracer, thread, *signal);
	if (*signal < 0)
		return -1;
	if (*signal)
		thread_rseq_give_up(tracer, thread);
	if (thread->core.next.kind == INSTRUCTION_SYSCALL && thread->state == THREAD_STEPPED) {
		thread_rseq_give_up(tracer, thread);
		*ret = request_for_call(tracer, thread, *signal);
	}
	if (thread->traps.rearm && !*signal && *ret == PTRACE_SINGLESTEP) {
		thread->traps.rearm = false;
		*ret = stop_unstepped(thread);
	}
	return 0;
}
