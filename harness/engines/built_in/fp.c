/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fp.c - engine fp: the kernel's frame-pointer helper at the trap itself
 *
 * It is silent at stops that were no trap (a signal handler's first instruction, a thread's first
 * stop): there no program ran. A trap without a record is silent too, and the caller counts it.
 *
 * The helper does not say why it ended. With as many frames as kernel.perf_event_max_stack allows
 * (127 unless changed) it is called depth, else helper.
 */
#include "engine.h"

static int fp_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = records;
	return bpf_records_open(records, error);
}

static void fp_close(void *engine)
{
}

static int fp_mappings(void *engine, const struct address_space *space, struct error *error)
{
	return bpf_records_mappings(engine, space, error);
}

static enum engine_answer fp_walk(void *engine, const struct point *point, struct stack *ret,
				  struct error *error)
{
	return bpf_records_take(engine, point->stop, true, ret, error);
}

static bool fp_cost(const void *engine, struct engine_cost *ret)
{
	return bpf_records_cost(engine, true, ret);
}

const struct engine engine_fp = {
	.name = "fp",
	.summary = "frame pointers, by the kernel's bpf_get_stack",
	.in_kernel = true,
	.needs = ENGINE_NEEDS_FRAME_POINTER,
	.open = fp_open,
	.close = fp_close,
	.mappings = fp_mappings,
	.cost = fp_cost,
	.walk = fp_walk,
};
