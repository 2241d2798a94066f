/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disputed_points.h - points of one stopped child, of which a keeper of cases is told
 *
 * What became of a point's truth is a letter. Cases go to a folder of the test's.
 */
#ifndef STACKPROOF_TESTS_DISPUTED_POINTS_H
#define STACKPROOF_TESTS_DISPUTED_POINTS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "judge/disputes/disputes.h"
#include "tests/printed.h"
#include "engines/built_in/tests/stopped_child.h"
#include "judge/verdict/verdict.h"

__asm__(".text\n"
	".balign 16\n"
	"keeper_leaf: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; int3\n"
	"keeper_leaf_after: pop %rbx; .cfi_adjust_cfa_offset -8; ret; .cfi_endproc\n"
	"keeper_outer: .cfi_startproc; .cfi_undefined rip; call keeper_leaf\n"
	"keeper_outer_after: nop; .cfi_endproc\n");

extern const char keeper_outer[], keeper_leaf_after[], keeper_outer_after[];

static char folder[] = "/tmp/disputed_points.XXXXXX";
static char *command[] = { (char *)"compare", (char *)"--it", NULL };

#define LEFT_OUT "1 kinds of findings are left out, the truth of no point is proven\n"

struct told {
	const char *name; /* of a table */
	enum verdict verdict;
	enum fault_kind kind;
	const char *truths; /* of each point: p proven, u unproven, r refuted, c claim not proven, .
			    and | where another run begins */
	uint64_t point;	    /* that is kept; 0: none */
	const char *folder, *said;
	bool unrooted, follows;
	uint32_t frames; /* that the engine has; 0: one */
	uint64_t at;	 /* the fault's PC; 0: the leaf's */
	uint32_t frame;	 /* of the fault */
	bool nowhere;	 /* the fault has no PC */
};

/* Tells of a point with its true stack, and the engines'. */
static inline void tell_of(struct dispute_keeper *keeper, struct stopped_child *child,
			   const struct told *told, const struct engine *const *engine)
{
	const uint64_t pc[] = { (uint64_t)keeper_leaf_after, (uint64_t)keeper_outer_after, 0x1000 };
	struct stack truth = { 0 }, other = { 0 };
	struct judgement judgement = { .verdict = told->verdict,
				       .kind = told->kind,
				       .pc = told->nowhere ? 0 : told->at ?: pc[0],
				       .frame = told->frame };
	struct evidence evidence = { .point = &child->point, .truth = &truth };
	struct shadow_stack shadow = { .rooted = !told->unrooted };
	struct error error;

	child->stop.shadow = &shadow;
	ck_assert(!stack_set(&truth, pc, 2, STOP_COMPLETE, &error));
	ck_assert(!stack_set(&other, pc, told->frames ?: 1, STOP_HELPER, &error));
	dispute_keeper_evidence(keeper, &evidence);
	while (*engine)
		dispute_keeper_stack(keeper, *engine++, &other);
	ck_assert_msg(!dispute_keeper_point(keeper, &child->point, &judgement, &error), "%s",
		      error.message);
	stack_deinit(&truth);
	stack_deinit(&other);
	child->stop.shadow = NULL;
}

static inline void tell(struct dispute_keeper *keeper, struct stopped_child *child,
			const struct told *told)
{
	static const struct engine *const fp[] = { &engine_fp, NULL };

	tell_of(keeper, child, told, fp);
}

static inline void settle(struct dispute_keeper *keeper, uint64_t point, char truth)
{
	if (truth != '.')
		dispute_keeper_settle(keeper, point, truth == 'r' || truth == 'c',
				      truth == 'p' || truth == 'r');
}

static inline char *end_of(struct dispute_keeper *keeper)
{
	struct error error;

	char *text = PRINTED(said, ck_assert_msg(!dispute_keeper_end(keeper, said, &error), "%s",
						 error.message));
	return text;
}

static inline void clean(void)
{
	char *argv;

	ck_assert(asprintf(&argv, "rm -r %s", folder) > 0);
	ck_assert_int_eq(system(argv), 0);
	free(argv);
}

/* False: it must not be traced, which is said. */
static inline bool stop_child(struct stopped_child *child)
{
	if (stopped_child_init(child, keeper_outer, 0, 0, 0))
		return true;
	printf("SKIP dispute_keeper: no ptrace\n");
	return false;
}

/* A keeper of a folder that is there. */
static inline struct dispute_keeper *open_keeper(const struct dispute_wish *wish)
{
	struct dispute_keeper *keeper;
	struct error error = { 0 };

	ck_assert_msg(!dispute_keeper_create(wish, &keeper, &error), "%s", error.message);
	return keeper;
}

#endif
