/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_rseq.c - restartable sequences (rseq(2)), stepped
 *
 * A thread's struct rseq points at the critical section that it is in. Whenever the kernel has
 * preempted the thread or brings it a signal, and its rip is in the section, it goes on at the
 * section's abort address instead. A step's trap is both, so no section would ever end, and a
 * program that tries again until it does would not either.
 *
 * The kernel looks when the thread goes on, not when it stops. So after an instruction that has
 * stored to the pointer, the tracer reads it, remembers the section, and clears it: for the kernel
 * there is none, which is also what it makes of the pointer itself when it finds the thread
 * outside.
 *
 * What the section relies on is then the tracer's to keep: that no other thread of the process does
 * anything between the section's instructions. While a thread is in one, the others wait where they
 * are stopped, and it does not go on before those that may execute an instruction have done so.
 * Threads inside a system call are left alone: they stop at its end.
 *
 * The section is given up, as the kernel would, when a signal is delivered in it, when it makes a
 * system call (which the ABI forbids) and after SECTION_STEPS_MAX steps.
 *
 * Not seen: other processes with which the section's memory is shared. Not resolved: a section that
 * waits for a thread that waits for another to resolve its page fault (userfaultfd(2)).
 */
#include <linux/rseq.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <unistd.h>
#include "tracer.h"

#define SECTION_STEPS_MAX 4096 /* the longest known has less than 50 */
#define STORE_BYTES_MAX	  64   /* one may begin before the field */

/* linux/ptrace.h, which can't be included together with sys/ptrace.h. */
#define GET_RSEQ_CONFIGURATION 0x420f

struct rseq_configuration {
	uint64_t area;
	uint32_t area_size;
	uint32_t signature;
	uint32_t flags;
	uint32_t pad;
};

void thread_rseq_find(struct tracer *tracer, struct thread *thread)
{
	struct rseq_configuration configuration = { 0 };

	if (ptrace(GET_RSEQ_CONFIGURATION, thread->core.tid, sizeof(configuration),
		   &configuration) < 0)
		return; /* before Linux 5.13: what rseq(2) was called with stays */
	thread->rseq.area = configuration.area;
}

static bool write_section(struct tracer *tracer, const struct thread *thread, uint64_t section)
{
	return pwrite(tracer->memory_fd, &section, sizeof(section),
		      thread->rseq.area + offsetof(struct rseq, rseq_cs)) == sizeof(section);
}

/* Two threads may have begun one, by the last steps that both had left: one after the other. */
void thread_rseq_forget(struct tracer *tracer, struct thread *thread)
{
	thread->rseq.section = 0;
	if (tracer->in_section != thread)
		return;
	tracer->in_section = NULL;
	for (size_t i = 0; i < tracer->thread_count; i++)
		if (tracer->thread[i]->rseq.section)
			tracer->in_section = tracer->thread[i];
}

void thread_rseq_give_up(struct tracer *tracer, struct thread *thread)
{
	if (!thread->rseq.section)
		return;
	tracer->counters.rseq_aborts++;
	write_section(tracer, thread, thread->rseq.section);
	thread_rseq_forget(tracer, thread);
}

/* rip is in the section at this address, if it is one. */
static void enter_section(struct tracer *tracer, struct thread *thread, uint64_t address,
			  uint64_t rip)
{
	struct rseq_cs section;

	if (tracer->core.memory.read(tracer->core.memory.context, address, &section,
				     sizeof(section)) ||
	    section.version || rip - section.start_ip >= section.post_commit_offset)
		return; /* the kernel says what is wrong with it, by SIGSEGV */
	if (!write_section(tracer, thread, 0))
		return;
	thread->rseq.section = address;
	thread->rseq.start = section.start_ip;
	thread->rseq.end = section.start_ip + section.post_commit_offset;
	thread->rseq.steps = 0;
	if (!tracer->in_section)
		tracer->in_section = thread;
	tracer->counters.rseq_sections++;
}

static bool may_have_set(const struct thread *thread)
{
	const struct rseq_watch *watch = &thread->rseq;
	uint64_t field = watch->area + offsetof(struct rseq, rseq_cs);

	if (watch->polled)
		return true;
	return thread->core.next.traits.stores &&
	       store_address(&thread->core.next, &thread->core.regs) - (field - STORE_BYTES_MAX) <
		       STORE_BYTES_MAX + sizeof(uint64_t);
}

void thread_rseq_step(struct tracer *tracer, struct thread *thread,
		      const struct user_regs_struct *regs)
{
	struct rseq_watch *watch = &thread->rseq;
	uint64_t address;

	if (!watch->area)
		return;
	if (watch->section && regs->rip - watch->start >= watch->end - watch->start)
		thread_rseq_forget(tracer, thread);
	if (watch->section && ++watch->steps > SECTION_STEPS_MAX) {
		thread_rseq_give_up(tracer, thread);
		return;
	}
	if (!may_have_set(thread) ||
	    tracer->core.memory.read(tracer->core.memory.context,
				     watch->area + offsetof(struct rseq, rseq_cs), &address,
				     sizeof(address)) ||
	    !address)
		return;
	thread_rseq_forget(tracer, thread);
	enter_section(tracer, thread, address, regs->rip);
}

/* Whether a thread may execute an instruction before its next stop. */
static bool is_loose(const struct thread *thread)
{
	return thread->state == THREAD_STEPPED && !thread->waits &&
	       thread->core.next.kind != INSTRUCTION_SYSCALL;
}

struct thread *tracer_rseq_next(struct tracer *tracer)
{
	struct thread *owner = tracer->in_section;

	for (size_t i = 0; i < tracer->thread_count; i++) {
		struct thread *thread = tracer->thread[i];

		if (owner && thread != owner && is_loose(thread))
			return NULL;
		if (!owner && thread->waits)
			return thread;
	}
	return owner && owner->waits ? owner : NULL;
}
