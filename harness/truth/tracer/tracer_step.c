/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_step.c - one step of a traced thread; points
 *
 * What the executed instruction did to the shadow stack, truth/steps says. Around that lies what only a tracer has to
 * do: to find out what was executed, to look at the mappings after a system call that may map code, and to correct what
 * shows that the thread was stepped.
 */
#include <sched.h>
#include <stdlib.h>
#include "children.h"
#include "tracer.h"
#include "user_registers.h"

struct instruction tracer_decode(void *context, uint64_t pc)
{
	struct tracer *tracer = context;

	if (tracer->volatile_count && tracer_is_volatile(tracer, pc))
		return decoder_decode(tracer->core.decoder, pc, &tracer->core.memory);
	return decoder_at(tracer->core.decoder, pc, &tracer->core.memory);
}

void thread_begin_stack(struct tracer *tracer, struct thread *thread, bool rooted)
{
	bool made = thread->core.tid != tracer->core.pid || thread->state == THREAD_NEW;

	stepped_begin(&tracer->core, &thread->core, rooted, made);
}

void thread_go_on(struct tracer *tracer, struct thread *thread)
{
	thread->inherits = false;
	thread->state = THREAD_STEPPED;
	thread_rseq_find(tracer, thread);
	thread->core.next = tracer_decode(tracer, thread->core.regs.rip);
}

void thread_begin(struct tracer *tracer, struct thread *thread, bool rooted)
{
	thread_begin_stack(tracer, thread, rooted);
	thread_go_on(tracer, thread);
}

void thread_destroy(struct thread *thread)
{
	stepped_end(&thread->core);
	free(thread);
}

/* What was made by clone(2) with CLONE_UNTRACED: no event tells of it, and it can't be followed. */
static void count_untraced(struct tracer *tracer, const struct user_regs_struct *before,
			   uint64_t result)
{
	uint64_t flags;

	if (call_failed(result) || !result)
		return;
	flags = call_clone_flags(&tracer->core, before);
	if (!(flags & CLONE_UNTRACED))
		return;
	if (flags & CLONE_THREAD)
		tracer->counters.untraced++;
	else if (tracer->children)
		children_hidden(tracer->children);
	else
		tracer->counters.children++;
}

/* thread->core.next was a system call. */
static int after_system_call(struct tracer *tracer, const struct thread *thread,
			     const struct user_regs_struct *regs)
{
	const struct user_regs_struct *before = &thread->core.regs;

	count_untraced(tracer, before, regs->rax);
	if (call_failed(regs->rax) || !call_may_change_code(before->rax, before->rdx))
		return 0;
	return tracer_mappings_changed(tracer, false);
}

int thread_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs)
{
	tracer->counters.steps++;
	thread->steps++;
	thread->traps.repair_count = 0;
	thread_executed(tracer, thread, regs);
	if (stepped_apply(&tracer->core, &thread->core, regs))
		return -1;
	if (thread->core.next.kind == INSTRUCTION_SYSCALL &&
	    after_system_call(tracer, thread, regs))
		return -1;
	if (thread_hide_stepping(tracer, thread, regs))
		return -1;
	thread_rseq_step(tracer, thread, regs);
	tracer->counters.last_pc = regs->rip;
	stepped_arrive(&tracer->core, &thread->core, regs);
	return 0;
}

int thread_enter_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs)
{
	if (stepped_enter_handler(&tracer->core, &thread->core, regs))
		return -1;
	return thread_traps_in_handler(tracer, thread, regs->rsp);
}

static void count_point(struct tracer_counters *counters, const struct thread *thread, bool trapped)
{
	size_t frames = thread->core.shadow.count;

	if (counters->points == 0 || frames < counters->min_frames)
		counters->min_frames = frames;
	if (frames > counters->max_frames)
		counters->max_frames = frames;
	counters->points++;
	counters->frames += frames;
	counters->untrapped += !trapped;
	counters->unrooted += !thread->core.shadow.rooted;
}

static int pass(struct tracer *tracer, const struct thread *thread)
{
	const struct tracer_callbacks *callbacks = tracer->callbacks;

	return callbacks->on_passed
		       ? callbacks->on_passed(callbacks->context, thread->core.tid,
					      thread->core.regs.rip, tracer->core.error)
		       : 0;
}

/* Memory and registers are as the walk in the kernel saw them at the trap, if there was any. */
static int ask_at(struct tracer *tracer, struct thread *thread, struct trace_stop *stop)
{
	const struct tracer_callbacks *callbacks = tracer->callbacks;
	bool shown = stop->trapped && thread->traps.repair_count;
	struct user_regs_struct regs = thread->core.regs;
	int status;

	if (shown)
		thread_show_trap(tracer, thread, &regs);
	stop->regs = register_values_from_user(&regs);
	status = callbacks->on_stop(callbacks->context, stop, tracer->core.error);
	if (shown)
		thread_hide_trap(tracer, thread);
	return status;
}

int thread_point(struct tracer *tracer, struct thread *thread, bool trapped)
{
	const struct tracer_options *options = tracer->options;

	if (tracer->to_entry) /* a thread that a library's constructor made */
		return pass(tracer, thread);
	if (tracer->from_pc) {
		if (thread->core.regs.rip != tracer->from_pc)
			return pass(tracer, thread);
		tracer->from_pc = 0;
	}
	tracer->counters.from_reached = true;
	if (is_vsyscall(thread->core.regs.rip))
		return 0;
	if (tracer->skips_bare && !thread->core.shadow.count) {
		tracer->counters.bursts.bare++;
		return pass(tracer, thread);
	}
	if (options->every > 1 && thread->steps % options->every)
		return pass(tracer, thread);
	count_point(&tracer->counters, thread, trapped);
	stepped_point(&tracer->core, &thread->core);
	if (options->point_limit && tracer->counters.points >= options->point_limit)
		tracer->stopping = true;
	if (!tracer->callbacks->on_stop)
		return 0;

	struct trace_stop stop = {
		.pid = tracer->core.pid,
		.tid = thread->core.tid,
		.shadow = &thread->core.shadow,
		.alone = tracer->thread_count == 1 && !tracer->others,
		.looked = thread->core.looked,
		.trapped = trapped,
	};

	return ask_at(tracer, thread, &stop);
}
