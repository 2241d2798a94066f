/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_traps.c - SIGTRAP and the trap flag, as the program would have them to itself
 *
 * The mask. A step's SIGTRAP is forced (force_sig_info): if the thread has it blocked, the kernel
 * unblocks it and resets its action, so a program's own handler would be lost when it is entered,
 * because SIGTRAP is blocked in it. So the kernel's mask always has SIGTRAP open, and what the
 * program thinks of it is kept here: what is sent meanwhile waits, what an instruction raises
 * kills, old masks and the masks in signal frames are corrected. While the program has a handler,
 * no system call that blocks SIGTRAP ends with a step (tracer_calls.c).
 *
 * The flag. The kernel keeps apart who set it (TIF_FORCED_TF): what PTRACE_GETREGS shows is the
 * program's. Not so
 *
 *	pushf, syscall (r11)	show the tracer's: it is taken out; r11 also of who was made by that call,
 *				and of who was interrupted in it
 *	popf, iret		from then on the kernel takes the tracer's for the program's. Stopping
 *				the thread once without a step mends that
 *	rt_sigreturn		the program's becomes the tracer's: SETREGS with the flag mends that
 *
 * What is put right after a trap the walk in the kernel has seen as it was. So at a point it is shown
 * once more as it was, to all who are asked: they differ by themselves then, and not by that.
 *
 * A program with the flag set gets its own SIGTRAP after each instruction but syscall.
 *
 * Not kept: a blocked SIGTRAP that is waited for (sigwait, signalfd), or sent to the process and
 * open in another thread; a mask or an ignored SIGTRAP that is handed on to another program.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <ucontext.h>
#include <unistd.h>
#include "proc_file.h"
#include "tracer.h"

int thread_poke_register(struct tracer *tracer, struct thread *thread, size_t offset,
			 uint64_t value)
{
	/* ESRCH: killed meanwhile; its end will be reported. */
	if (ptrace(PTRACE_POKEUSER, thread->core.tid, offset, value) && errno != ESRCH)
		return error_set_errno(tracer->core.error, "PTRACE_POKEUSER");
	return 0;
}

/* ---- the mask --------------------------------------------------------------------------- */

int thread_signal_masks(pid_t tid, struct signal_masks *ret)
{
	static const struct {
		const char *format;
		size_t at;
	} lines[] = {
		{ "SigPnd: %" SCNx64, offsetof(struct signal_masks, pending) },
		{ "ShdPnd: %" SCNx64, offsetof(struct signal_masks, pending) },
		{ "SigBlk: %" SCNx64, offsetof(struct signal_masks, blocked) },
		{ "SigIgn: %" SCNx64, offsetof(struct signal_masks, ignored) },
		{ "SigCgt: %" SCNx64, offsetof(struct signal_masks, caught) },
	};
	FILE_CLOSED FILE *file = proc_file_open(tid, "status");
	char line[128];
	uint64_t mask;

	if (!file)
		return -1;
	*ret = (struct signal_masks) { 0 };
	while (fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (sscanf(line, lines[i].format, &mask) == 1)
				*(uint64_t *)((char *)ret + lines[i].at) |= mask;
	return 0;
}

int tracer_traps_begin(struct tracer *tracer, struct thread *thread)
{
	struct signal_masks masks;

	if (thread_signal_masks(thread->core.tid, &masks))
		return error_set_errno(tracer->core.error, "/proc/%d/status", thread->core.tid);
	thread->traps.blocked = masks.blocked & SIGTRAP_BIT;
	tracer->trap_action = masks.ignored & SIGTRAP_BIT  ? TRAP_ACTION_IGNORE
			      : masks.caught & SIGTRAP_BIT ? TRAP_ACTION_HANDLER
							   : TRAP_ACTION_DEFAULT;
	return thread->traps.blocked ? thread_open_trap(tracer, thread) : 0;
}

bool tracer_keeps_handler(const struct tracer *tracer)
{
	return tracer->trap_action == TRAP_ACTION_HANDLER;
}

static int get_mask(struct tracer *tracer, const struct thread *thread, uint64_t *ret)
{
	if (ptrace(PTRACE_GETSIGMASK, thread->core.tid, sizeof(*ret), ret) == 0)
		return 0;
	*ret = 0;
	return errno == ESRCH ? 0 : error_set_errno(tracer->core.error, "PTRACE_GETSIGMASK");
}

static int set_mask(struct tracer *tracer, const struct thread *thread, uint64_t mask)
{
	if (ptrace(PTRACE_SETSIGMASK, thread->core.tid, sizeof(mask), &mask) && errno != ESRCH)
		return error_set_errno(tracer->core.error, "PTRACE_SETSIGMASK");
	return 0;
}

int thread_open_trap(struct tracer *tracer, struct thread *thread)
{
	uint64_t mask;

	if (get_mask(tracer, thread, &mask))
		return -1;
	return mask & SIGTRAP_BIT ? set_mask(tracer, thread, mask & ~SIGTRAP_BIT) : 0;
}

/* The flags as a system call has left them in r11, with the tracer's flag. */
static bool r11_has_flag(uint64_t r11, uint64_t rcx, uint64_t pc)
{
	return r11 & EFLAGS_TF && rcx == pc;
}

/* Of who was interrupted in a system call before it could be put right (seccomp's SIGSYS). */
static int correct_saved_r11(struct tracer *tracer, const struct thread *thread, uint64_t sp)
{
	uint64_t at = sp + sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext.gregs);
	greg_t saved[REG_RIP + 1];

	if (thread->traps.own ||
	    tracer->core.memory.read(tracer->core.memory.context, at, saved, sizeof(saved)) ||
	    !r11_has_flag(saved[REG_R11], saved[REG_RCX], saved[REG_RIP]))
		return 0;
	saved[REG_R11] &= ~(greg_t)EFLAGS_TF;
	at += REG_R11 * sizeof(*saved);
	if (pwrite(tracer->memory_fd, &saved[REG_R11], sizeof(*saved), at) != sizeof(*saved))
		return error_set_errno(tracer->core.error, "a signal frame's r11");
	return 0;
}

/* The kernel may take the tracer's flag for the program's when it saves the flags. */
static int correct_saved_flags(struct tracer *tracer, const struct thread *thread, uint64_t sp)
{
	uint64_t at = sp + sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]);
	uint64_t flags, right;

	if (tracer->core.memory.read(tracer->core.memory.context, at, &flags, sizeof(flags)))
		return 0;
	right = (flags & ~(uint64_t)EFLAGS_TF) | (thread->traps.own ? EFLAGS_TF : 0);
	if (flags != right && pwrite(tracer->memory_fd, &right, sizeof(right), at) != sizeof(right))
		return error_set_errno(tracer->core.error, "a signal frame's flags");
	return 0;
}

int thread_traps_in_handler(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	/* The frame: the restorer's address, then struct ucontext. */
	uint64_t saved_at = sp + sizeof(uint64_t) + offsetof(ucontext_t, uc_sigmask);
	uint64_t mask, saved;

	if (correct_saved_flags(tracer, thread, sp) || correct_saved_r11(tracer, thread, sp))
		return -1;
	thread->traps.own = false;
	thread->traps.rearm = false;
	if (get_mask(tracer, thread, &mask))
		return -1;
	if (thread->traps.blocked && !tracer->core.memory.read(tracer->core.memory.context,
							       saved_at, &saved, sizeof(saved))) {
		saved |= SIGTRAP_BIT;
		if (pwrite(tracer->memory_fd, &saved, sizeof(saved), saved_at) != sizeof(saved))
			return error_set_errno(tracer->core.error, "a signal frame's mask");
	}
	if (!(mask & SIGTRAP_BIT))
		return 0;
	thread->traps.blocked = true;
	return set_mask(tracer, thread, mask & ~SIGTRAP_BIT);
}

int thread_sent_trap(struct tracer *tracer, struct thread *thread)
{
	struct trap_watch *traps = &thread->traps;

	if (tracer->trap_action == TRAP_ACTION_IGNORE)
		return 0;
	if (!traps->blocked)
		return SIGTRAP;
	/* Of one signal there waits one. */
	if (!traps->pending && ptrace(PTRACE_GETSIGINFO, thread->core.tid, NULL, &traps->info) &&
	    errno != ESRCH)
		return error_set_errno(tracer->core.error, "PTRACE_GETSIGINFO");
	traps->pending = true;
	return 0;
}

/* The instruction runs once more, unstepped, with the mask that it had: the kernel does the
 * rest. */
int thread_die_of_trap(struct tracer *tracer, struct thread *thread)
{
	uint64_t mask;

	thread->traps.dying = true;
	if (ptrace(PTRACE_SETREGS, thread->core.tid, NULL, &thread->core.regs) && errno != ESRCH)
		return error_set_errno(tracer->core.error, "PTRACE_SETREGS");
	if (get_mask(tracer, thread, &mask))
		return -1;
	return set_mask(tracer, thread, mask | SIGTRAP_BIT);
}

/* ---- the flag --------------------------------------------------------------------------- */

void thread_note_repair(struct thread *thread, const struct trap_repair *repair)
{
	if (repair->seen != repair->right && thread->traps.repair_count < TRAP_REPAIRS_MAX)
		thread->traps.repair[thread->traps.repair_count++] = *repair;
}

/* What can't be written is of who was killed meanwhile; its end will be reported. */
static void write_repair(struct tracer *tracer, const struct trap_repair *repair, uint64_t value)
{
	ssize_t written = pwrite(tracer->memory_fd, &value, repair->size, (off_t)repair->at);

	(void)written;
}

void thread_show_trap(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	for (size_t i = 0; i < thread->traps.repair_count; i++) {
		const struct trap_repair *repair = &thread->traps.repair[i];

		if (repair->in_register)
			memcpy((char *)regs + repair->at, &repair->seen, sizeof(repair->seen));
		else
			write_repair(tracer, repair, repair->seen);
	}
}

void thread_hide_trap(struct tracer *tracer, struct thread *thread)
{
	for (size_t i = 0; i < thread->traps.repair_count; i++)
		if (!thread->traps.repair[i].in_register)
			write_repair(tracer, &thread->traps.repair[i],
				     thread->traps.repair[i].right);
	thread->traps.repair_count = 0;
}

/* A flag of the program's own would be in eflags, too: of a new thread the kernel takes out the
 * tracer's there. */
int thread_hide_in_new(struct tracer *tracer, pid_t tid, struct user_regs_struct *regs)
{
	if (regs->eflags & EFLAGS_TF || !r11_has_flag(regs->r11, regs->rcx, regs->rip))
		return 0;
	regs->r11 &= ~(uint64_t)EFLAGS_TF;
	return thread_poke_register(tracer, &(struct thread) { .core.tid = tid },
				    offsetof(struct user_regs_struct, r11), regs->r11);
}

/* The word that pushf pushed; its upper bytes are the same for 16 bits. */
static int hide_pushed_flag(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	uint8_t byte, seen;

	if (tracer->core.memory.read(tracer->core.memory.context, sp + 1, &seen, 1))
		return 0;
	byte = seen & ~(EFLAGS_TF >> 8);
	thread_note_repair(thread, &(struct trap_repair) {
					   .at = sp + 1, .size = 1, .seen = seen, .right = byte });
	if (pwrite(tracer->memory_fd, &byte, 1, sp + 1) != 1)
		return error_set_errno(tracer->core.error, "the flags that were pushed");
	return 0;
}

int thread_hide_stepping(struct tracer *tracer, struct thread *thread,
			 struct user_regs_struct *regs)
{
	struct trap_watch *traps = &thread->traps;

	if (thread->core.next.kind == INSTRUCTION_SYSCALL)
		return thread_call_end(tracer, thread, regs);

	if (thread->core.next.traits.pushes_flags && !traps->own)
		return hide_pushed_flag(tracer, thread, regs->rsp);
	if (!thread->core.next.traits.pops_flags)
		return 0;
	traps->own = regs->eflags & EFLAGS_TF;
	traps->rearm = !traps->own;
	return 0;
}
