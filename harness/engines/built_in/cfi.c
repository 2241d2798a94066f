/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi.c - engine cfi: canonical rows in user space, the reader's own word
 */
#include "engine.h"
#include "walk/walk_rows.h"

static int cfi_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static void cfi_close(void *engine)
{
}

static enum engine_answer cfi_walk(void *engine, const struct point *point, struct stack *ret,
				   struct error *error)
{
	return walk_rows(point->space, point->regs, point->memory, NULL, ret, error) ? ENGINE_ERROR
										     : ENGINE_STACK;
}

const struct engine engine_cfi = {
	.name = "cfi",
	.summary = "canonical rows, in user space",
	.part = ENGINE_PART_CFI,
	.open = cfi_open,
	.close = cfi_close,
	.walk = cfi_walk,
};
