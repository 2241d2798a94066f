/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_check.c - stacks without registers at each instruction, held against those with
 *
 * Both are kept of the same thread at once. Without them a stack is asked for only where the kernel was entered,
 * but that may be anywhere: so they must be equal before each instruction, as if it had been entered there.
 */
#include "plugin_watch.h"

#define DIFFERENCES_SHOWN 10

static bool equal(const struct shadow_stack *exact, const struct shadow_stack *fast, size_t open)
{
	if (exact->rooted != fast->rooted || exact->count != open)
		return false;
	for (size_t i = 0; i < open; i++)
		if (exact->frame[i].return_address != fast->frame[i].return_address)
			return false;
	return true;
}

void watch_check(const struct watched_thread *thread)
{
	struct watch_counters *counters = &watch.counters;
	const struct watched_thread *twin = thread->twin;
	uint64_t sp = thread->steps.regs.rsp;
	size_t open = fast_open(&twin->steps, sp);
	bool doubtful;

	if (twin->steps.pending) {
		counters->unsettled++;
		return;
	}
	counters->checked++;
	if (twin->begun && equal(&thread->steps.shadow, &twin->steps.shadow, open))
		return;
	doubtful = fast_is_doubtful(&twin->steps, sp);
	counters->different_doubtful += doubtful;
	counters->different_entries += thread->in_kernel;
	if (counters->different++ < DIFFERENCES_SHOWN)
		watch_report_difference(thread, open, doubtful);
}
