/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_told.c - what the agent tells, and who is heard
 *
 * Any program of the guest can say the nop. Who tells first what can be used is the agent, known by its page tables, until
 * it says that it is over, or has no memory any more; what others tell meanwhile is counted, and changes nothing. So is a
 * nop without an agent's words.
 */
#include "plugin_watch.h"

/* What is watched when the agent has ended would be read in rings that are gone. */
static void forget(bool whole)
{
	bool over = watch.over;

	watch.told = false;
	watch.over |= !whole;
	watch_forget_all();
	watch.over = over;
}

void watch_look_for_agent(void)
{
	if (!watch.told || guest_kernel_agent_lives(&watch.kernel, &watch.agent))
		return;
	watch.counters.agents_lost++;
	forget(false);
}

static bool is_heard(uint32_t what, const struct user_regs_struct *regs)
{
	watch_look_for_agent();
	if (what == GUEST_JOINS)
		return watch.told;
	if (what == GUEST_TELLS && !guest_kernel_is_told(regs->rdi))
		return false;
	return !watch.told || guest_kernel_tables(watch_register(WATCH_CR3)) == watch.agent.tables;
}

/* NULL, or what was wrong. */
static const char *take(const struct user_regs_struct *regs)
{
	uint64_t cr3 = watch_register(WATCH_CR3);
	const char *wrong = guest_kernel_told(&watch.kernel, regs->rdi, cr3);

	if (!wrong && watch.walks)
		wrong = walks_told(&watch.kernel, cr3);
	if (!wrong &&
	    !guest_kernel_agent(&watch.kernel, watch_register(WATCH_GS_KERNEL), cr3, &watch.agent))
		wrong = "the agent's task can't be read";
	return wrong;
}

static void take_told(const struct user_regs_struct *regs)
{
	struct watched_process *process;
	const char *wrong;

	if (watch.told)
		watch_events();
	watch.told = false;
	wrong = take(regs);
	if (wrong) {
		watch.wrong = wrong;
		return;
	}
	if (!watch.kernel.told.watched) {
		forget(true);
		return;
	}
	/* Who names itself is only who tells of others: take_joining(). */
	if (watch.agent.pid == (pid_t)watch.kernel.told.watched) {
		watch.told = true;
		return;
	}
	process = watch_process_make((pid_t)watch.kernel.told.watched);
	if (process)
		process->root = true;
	watch.told = process;
}

/* The process that runs is watched, too. */
static void take_joining(void)
{
	struct watched_process *process;
	struct guest_task task;

	if (!guest_kernel_task(&watch.kernel, watch_register(WATCH_GS_KERNEL), &task) ||
	    watch_process(task.pid))
		return;
	process = watch_process_make(task.pid);
	if (process)
		process->root = true;
}

void watch_told(uint32_t what, const struct user_regs_struct *regs)
{
	if (!is_heard(what, regs)) {
		watch.counters.impostors++;
		return;
	}
	switch (what) {
	case GUEST_TELLS: take_told(regs); break;
	case GUEST_CLOCK: watch_clock(regs->rdi); break;
	case GUEST_JOINS: take_joining(); break;
	case GUEST_GIVES: watch_given(regs->rdi); break;
	}
}
