/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disputed_child.h - a stopped child of three frames, whose point becomes a dispute
 */
#ifndef STACKPROOF_DISPUTED_CHILD_H
#define STACKPROOF_DISPUTED_CHILD_H

#include <check.h>
#include <stdio.h>
#include "judge/disputes/disputes.h"
#include "engines/built_in/tests/stopped_child.h"

/* Three frames deep, with CFI; the outermost has an undefined return address. */
__asm__(".text\n"
	".balign 16\n"
	"dispute_leaf: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; int3\n"
	"dispute_leaf_after: pop %rbx; .cfi_adjust_cfa_offset -8; ret; .cfi_endproc\n"
	"dispute_middle: .cfi_startproc; sub $24, %rsp; .cfi_adjust_cfa_offset 24\n"
	"call dispute_leaf\n"
	"dispute_middle_after: nop; .cfi_endproc\n"
	"dispute_outer: .cfi_startproc; .cfi_undefined rip; call dispute_middle\n"
	"dispute_outer_after: nop; .cfi_endproc\n");

extern const char dispute_outer[], dispute_leaf_after[], dispute_middle_after[],
	dispute_outer_after[];

/* The three frames are the truth. */
static inline struct dispute *collect_said(struct stopped_child *child, struct shadow_stack *shadow,
					   const struct dispute_said *said, size_t count,
					   bool follows)
{
	const uint64_t pc[] = { (uint64_t)dispute_leaf_after, (uint64_t)dispute_middle_after,
				(uint64_t)dispute_outer_after };
	struct stack truth = { 0 };
	struct dispute *dispute;
	struct error error;

	child->stop.shadow = shadow;
	ck_assert(!stack_set(&truth, pc, 3, STOP_COMPLETE, &error));
	dispute = dispute_collect(&child->point, &truth, said, count, follows, &error);
	ck_assert_msg(dispute != NULL, "%s", error.message);
	stack_deinit(&truth);
	child->stop.shadow = NULL;
	return dispute;
}

static inline bool stop_child(struct stopped_child *child, uint64_t sp)
{
	if (stopped_child_init(child, dispute_outer, 0, 0, sp))
		return true;
	printf("SKIP dispute: no ptrace\n");
	return false;
}

/* ---- an engine that has nothing to say ---------------------------------------------------- */

static inline int open_nothing(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static inline void close_nothing(void *engine)
{
}

static inline enum engine_answer say_nothing(void *engine, const struct point *point,
					     struct stack *ret, struct error *error)
{
	return ENGINE_SILENT;
}

static const struct engine engine_dumb = {
	.name = "dumb", .open = open_nothing, .close = close_nothing, .walk = say_nothing
};

#endif
