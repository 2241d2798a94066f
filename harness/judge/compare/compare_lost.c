/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_lost.c - points that can't be judged: the thread is being killed
 *
 * SIGKILL (the time-out's, the user's, of the kernel that is out of memory) ends a thread wherever
 * it is, at a point that is being looked at, too. The walk in the kernel has seen its memory then;
 * whoever comes later from outside sees nothing, and would be at fault for that. A thread that
 * still has its memory afterwards had it all the time, so it is asked only when somebody came out
 * wrong.
 */
#include "comparer.h"

static bool is_exact(const struct stack *stack, const struct comparer *comparer,
		     const struct trace_stop *stop)
{
	uint32_t frames;

	return !stack ||
	       match_stack(stack, &comparer->truth, stop->shadow->rooted, &frames) == MATCH_EXACT;
}

bool compare_point_is_lost(struct comparer *comparer, const struct evidence *evidence)
{
	const struct trace_stop *stop = evidence->point->stop;

	if ((is_exact(evidence->cfi, comparer, stop) && is_exact(evidence->table, comparer, stop) &&
	     is_exact(evidence->bpf, comparer, stop)) ||
	    thread_has_memory(stop->tid))
		return false;
	comparer->result->unread++;
	return true;
}

bool compare_stack_is_lost(const struct stack *stack, const struct point *point)
{
	return stack->stop != STOP_COMPLETE && !thread_has_memory(point->stop->tid);
}
