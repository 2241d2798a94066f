/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table.c - engine table: the compact table in user space, by the step that BPF runs
 */
#include "engine.h"
#include "walk/walk_rows.h"

static int table_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static void table_close(void *engine)
{
}

static enum engine_answer table_walk(void *engine, const struct point *point, struct stack *ret,
				     struct error *error)
{
	return walk_table(point->space, point->regs, point->memory, NULL, ret, error)
		       ? ENGINE_ERROR
		       : ENGINE_STACK;
}

const struct engine engine_table = {
	.name = "table",
	.summary = "compact table, in user space",
	.can_follow = true,
	.part = ENGINE_PART_TABLE,
	.open = table_open,
	.close = table_close,
	.walk = table_walk,
};
