/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bpf.c - engine bpf: the compact table, walked in the kernel at the trap itself
 *
 * It is silent at stops that were no trap (a signal handler's first instruction, a thread's first
 * stop): there no program ran. A trap without a record is silent too, and the caller counts it.
 */
#include "engine.h"

static int bpf_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = records;
	return bpf_records_open(records, error);
}

static void bpf_close(void *engine)
{
}

static int bpf_mappings(void *engine, const struct address_space *space, struct error *error)
{
	return bpf_records_mappings(engine, space, error);
}

static enum engine_answer bpf_walk(void *engine, const struct point *point, struct stack *ret,
				   struct error *error)
{
	return bpf_records_take(engine, point->stop, false, ret, error);
}

static bool bpf_cost(const void *engine, struct engine_cost *ret)
{
	return bpf_records_cost(engine, false, ret);
}

const struct engine engine_bpf = {
	.name = "bpf",
	.summary = "compact table, in the kernel",
	.in_kernel = true,
	.can_follow = true,
	.part = ENGINE_PART_BPF,
	.needs = ENGINE_NEEDS_WALK,
	.open = bpf_open,
	.close = bpf_close,
	.mappings = bpf_mappings,
	.cost = bpf_cost,
	.walk = bpf_walk,
};
