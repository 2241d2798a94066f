/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_entries.c - each kernel entry of a watched thread: when, where, and with which stack
 *
 * When the kernel's first block begins, the time is read, and where the thread was: behind a system call that is rcx; behind
 * an interrupt it is in the frame that the CPU has pushed. The stack is known when the thread goes on: what the last
 * instruction before did is then done.
 *
 * The time is that of perf's events. The kernel makes it of the TSC; the guest's is the host's, some ticks ahead, and the
 * agent tells the rest (struct guest_clock).
 */
#include <string.h>
#include <x86intrin.h>
#include "plugin_watch.h"

#define SYSCALL_BYTES	2
#define USER_ADDRESSES	(1ull << 47)
#define PRIVILEGE_MASK	3
#define STACK_ALIGNMENT 16

/* ---- the clock ----------------------------------------------------------------------------- */

void watch_clock(uint64_t address)
{
	struct guest_clock clock;
	uint64_t ahead;

	if (!plugin_memory_read(address, &clock, sizeof(clock)) || clock.bytes != sizeof(clock) ||
	    clock.shift > 63)
		return;
	ahead = clock.ticks - __rdtsc();
	/* The guest's ticks were read before: of several tries the one that took the least time is right. */
	if (!watch.clock.bytes || (int64_t)(ahead - watch.clock_ahead) > 0)
		watch.clock_ahead = ahead;
	watch.clock = clock;
}

static uint64_t time_of(uint64_t ticks)
{
	const struct guest_clock *clock = &watch.clock;

	if (!clock->bytes)
		return 0;
	return clock->zero_ns +
	       (uint64_t)((unsigned __int128)(ticks + watch.clock_ahead) * clock->mult >>
			  clock->shift);
}

/* ---- who enters ----------------------------------------------------------------------------- */

/* Intel SDM volume 3, 6.14.2: the stack is aligned, and then SS, RSP, RFLAGS, CS, RIP are pushed; and perhaps an error
 * code. */
static bool read_frame(uint64_t sp, struct kernel_entry *ret)
{
	struct {
		uint64_t rip, cs, rflags, rsp, ss;
	} frame;

	if (sp % STACK_ALIGNMENT == 0)
		sp += sizeof(uint64_t);
	if (!plugin_memory_read(sp, &frame, sizeof(frame)) ||
	    (frame.cs & PRIVILEGE_MASK) != PRIVILEGE_MASK)
		return false;
	ret->pc = frame.rip;
	ret->sp = frame.rsp;
	return true;
}

void watch_kernel_entered(struct watched_thread *thread)
{
	struct kernel_entry *entered = &thread->entered;
	struct user_regs_struct regs;

	*entered = (struct kernel_entry) { .ticks = __rdtsc() };
	watch_read_registers(&regs);
	if (regs.rsp < USER_ADDRESSES) {
		entered->calls = true;
		entered->pc = regs.rcx;
		entered->sp = regs.rsp;
	} else if (!read_frame(regs.rsp, entered)) {
		return;
	}
	entered->valid = true;
}

/* ---- entries ---------------------------------------------------------------------------------- */

/* The process's file; NULL: it can't be written. */
static struct entry_writer *open_entries(struct watched_process *process)
{
	struct process_truth *truth = &process->truth;
	char *path;

	if (truth->entries)
		return truth->entries;
	path = watch_truth_path(process);
	if (!path)
		return NULL;
	if (entry_writer_open(path, &truth->entries, &watch.error))
		watch.failed = true;
	else
		truth_entries_begin(truth, process->pid, watch.kernel.told.release);
	free(path);
	return truth->entries;
}

static void record(struct watched_thread *thread, uint64_t pc, uint64_t sp, unsigned int flags,
		   bool unread)
{
	struct watched_process *process = thread->process;
	struct context_entry entry = { .tid = thread->steps.tid, .flags = flags };

	if (!watch.truth || !watch.fast || watch.check || watch.failed)
		return;
	entry.time_ns = thread->entered.ticks ? time_of(thread->entered.ticks) : 0;
	if (fast_is_doubtful(&thread->steps, sp))
		entry.flags |= TRUTH_ENTRY_DOUBT;
	if (truth_entry(&process->truth, &thread->truth, &process->steps, &thread->steps, pc,
			unread, &entry, &watch.error))
		watch.failed = true;
	else if (open_entries(process))
		entry_write(process->truth.entries, &process->truth.tree, &entry);
}

void watch_entry(struct watched_thread *thread, uint64_t pc, uint64_t sp)
{
	const struct kernel_entry *entered = &thread->entered;
	bool differs = entered->valid && (entered->pc != pc || entered->sp != sp);

	record(thread, pc, sp, !entered->valid || differs ? TRUTH_ENTRY_DOUBT : 0, false);
}

void watch_entry_after(struct watched_thread *thread, uint64_t pc, uint64_t sp)
{
	record(thread, pc, sp, TRUTH_ENTRY_AFTER, false);
}

void watch_entry_last(struct watched_thread *thread)
{
	struct stepped_thread *steps = &thread->steps;
	const struct kernel_entry *entered = &thread->entered;
	bool calls = steps->pending && steps->next.kind == INSTRUCTION_SYSCALL;

	if (!thread->begun || !entered->valid)
		return;
	if (calls == entered->calls && (calls || !steps->pending)) {
		steps->shadow.count = fast_open(steps, entered->sp);
		record(thread, entered->pc, entered->sp, 0, true);
	}
	thread->entered.valid = false;
}

void watch_entry_contradict(struct watched_thread *thread)
{
	struct watched_process *process = thread->process;
	uint64_t wrong = watch_wrong_returns(&process->counters);

	if (wrong == process->wrong_returns)
		return;
	process->wrong_returns = wrong;
	process->truth.contradictions++;
	if (process->truth.entries && thread->truth.stack)
		entry_withdraw(process->truth.entries, thread->steps.tid, thread->truth.stack - 1,
			       thread->steps.shadow.id);
}

bool watch_entries_end(struct watched_process *process)
{
	struct process_truth *truth = &process->truth;
	int status;

	if (!truth->entries)
		return false;
	truth_entries_end(truth, process->threads_made);
	status = entry_writer_close(truth->entries, !watch.over, &watch.error);
	truth->entries = NULL;
	return !status;
}
