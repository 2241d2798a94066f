/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_truth.c - a program stepped whole -> the set of all stacks that a sample of it may have
 *
 * A clock interrupts a program between two instructions, and then its registers are those of a
 * stepped run's stop at the same place. So the stacks of all points are the stacks that samples can
 * have, but for one kind: a sample inside a system call finds the PC behind its instruction, which
 * a stepped run shows only if the call returns there. exit_group, rt_sigreturn and execve don't. So
 * behind every system call that is about to be made the same stack is added with that PC.
 *
 * The clock starts at the program's entry point, and so does the set. It goes on ticking when the
 * program becomes another by execve: so the loader of that one is stepped, too.
 *
 * Where the cfi engine does not find the truth, the CFI is at fault (or the reader: compare tells
 * them apart), and the walk can't but follow it. What the table says there is kept apart.
 */
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "walk/walk_rows.h"

struct truth_run {
	struct sample_truth *truth;
	struct stack table, behind, behind_cfi; /* of the stack at hand */
	struct error error; /* of the first callback that failed: it can't end the run */
	bool failed;
};

/* ---- one stack --------------------------------------------------------------------------- */

/* Adds a stack of the truth. cfi is that engine's word for it. *ret_fault: it is wrong. */
static int add_stack(struct truth_run *run, const struct stack *truth, bool whole,
		     const struct stack *cfi, bool *ret_fault, struct error *error)
{
	uint32_t frames, count = truth->count;

	*ret_fault = match_stack(cfi, truth, whole, &frames) != MATCH_EXACT;
	run->truth->fault_points += *ret_fault;
	if (count > WALK_FRAMES_MAX)
		count = WALK_FRAMES_MAX + 1; /* a sample has none of the others */
	return sample_set_add(run->truth->stacks, truth->pc, count, whole, error);
}

static int add_fault(struct truth_run *run, struct error *error)
{
	uint32_t count = run->table.count;

	if (count > WALK_FRAMES_MAX)
		count = WALK_FRAMES_MAX; /* there the sample ends */
	return sample_set_add(run->truth->faults, run->table.pc, count, true, error);
}

static int add_at_point(struct truth_run *run, const struct evidence *evidence, struct error *error)
{
	const struct point *point = evidence->point;
	bool fault, kernels;

	if (sample_uprobes_add(&run->truth->uprobes, evidence, &kernels, error) ||
	    add_stack(run, evidence->truth, point->stop->shadow->rooted, evidence->cfi, &fault,
		      error))
		return -1;
	run->truth->fault_points -= fault && kernels;
	if (!fault || kernels)
		return 0;
	return stack_copy(&run->table, evidence->table, error) ? -1 : add_fault(run, error);
}

/* The stack inside the system call that the thread is about to make. The kernel changes rcx and r11
 * (Intel SDM, SYSCALL), on which no CFA hangs. */
static int add_in_kernel(struct truth_run *run, const struct evidence *evidence,
			 unsigned int length, struct error *error)
{
	const struct point *point = evidence->point;
	struct register_values regs = *point->regs;
	bool fault;

	regs.value[REGISTER_RIP] += length;
	if (stack_copy(&run->behind, evidence->truth, error))
		return -1;
	run->behind.pc[0] += length;
	if (sample_walk_behind(walk_rows, point, &regs, &run->behind_cfi, error) ||
	    add_stack(run, &run->behind, point->stop->shadow->rooted, &run->behind_cfi, &fault,
		      error))
		return -1;
	run->truth->in_kernel++;
	if (!fault)
		return 0;
	return sample_walk_behind(walk_table, point, &regs, &run->table, error)
		       ? -1
		       : add_fault(run, error);
}

/* ---- the run ------------------------------------------------------------------------------ */

/* Where executable images lie at the run's first point: what can be compared with another run. */
static int keep_layout(struct address_space *layout, const struct address_space *space,
		       struct error *error)
{
	layout->mapping = calloc(space->mapping_count, sizeof(*layout->mapping));
	if (!layout->mapping)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	for (size_t i = 0; i < space->mapping_count; i++) {
		struct mapping *mapping = &layout->mapping[layout->mapping_count++];

		mapping->start = space->mapping[i].start;
		mapping->end = space->mapping[i].end;
		mapping->path = strdup(space->mapping[i].path ? space->mapping[i].path : "");
		if (!mapping->path)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
	}
	return 0;
}

static int add_point(struct truth_run *run, const struct evidence *evidence, struct error *error)
{
	const struct point *point = evidence->point;
	struct sample_truth *truth = run->truth;
	unsigned int length;

	if (!truth->points++ && keep_layout(&truth->entry, point->space, error))
		return -1;
	truth->open_points += !point->stop->shadow->rooted;
	if (evidence->truth->count > truth->max_frames)
		truth->max_frames = evidence->truth->count;
	if (add_at_point(run, evidence, error))
		return -1;
	length = syscall_length(point->memory, point->regs->value[REGISTER_RIP]);
	if (sample_exchange_add(truth->mixtures, point, length, error))
		return -1;
	return length ? add_in_kernel(run, evidence, length, error) : 0;
}

static void on_evidence(void *context, const struct evidence *evidence)
{
	struct truth_run *run = context;

	run->failed = run->failed || add_point(run, evidence, &run->error);
}

int sample_truth_init(struct sample_truth *truth, struct error *error)
{
	*truth = (struct sample_truth) { .stacks = sample_set_create(),
					 .faults = sample_set_create(),
					 .mixtures = sample_set_create() };
	if (!truth->stacks || !truth->faults || !truth->mixtures)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	return 0;
}

int sample_truth_add(struct sample_truth *truth, const struct sample_stepping *stepping,
		     struct error *error)
{
	struct truth_run run = { .truth = truth };
	const struct compare_options options = { .on_evidence = on_evidence, .context = &run };
	const struct tracer_options tracer = {
		.argv = stepping->argv,
		.from = stepping->loader ? NULL : "_start",
		.from_once = true,
		.timeout_ms = stepping->timeout_ms,
		.silence_output = true,
		.ended_by_signals = true,
	};
	struct comparison comparison;
	struct comparer *comparer;
	bool well;

	if (comparer_create(&options, &comparer, error))
		return -1;
	well = comparer_run_far(comparer, &tracer, &comparison) ||
	       comparison.cut.ending == TRACER_KILLED;
	comparer_destroy(comparer);
	stack_deinit(&run.table);
	stack_deinit(&run.behind);
	stack_deinit(&run.behind_cfi);
	if (!well) {
		truth->cut = comparison.cut;
		*error = comparison.cut.early;
		comparison_deinit(&comparison);
		return -1;
	}
	if (truth->runs++ && truth->status != comparison.status)
		run.failed = error_set(&run.error, ERROR_PROTOCOL, "", 0,
				       "stepped runs end with status 0x%x and 0x%x", truth->status,
				       comparison.status);
	truth->status = comparison.status;
	truth->execs += comparison.truth.execs;
	truth->seconds += comparison.elapsed_ns / 1e9;
	truth->suspect += comparison.points - comparison.verdict[VERDICT_EXACT] -
			  comparison.verdict[VERDICT_TABLE_FAULT] -
			  comparison.verdict[VERDICT_CONVERSION_LOSS_FLAGGED] -
			  comparison.verdict[VERDICT_ABSENT] - comparison.unproven[DOUBT_UPROBE];
	comparison_deinit(&comparison);
	if (run.failed)
		*error = run.error;
	return run.failed ? -1 : 0;
}

void sample_truth_deinit(struct sample_truth *truth)
{
	sample_set_destroy(truth->stacks);
	sample_set_destroy(truth->faults);
	sample_set_destroy(truth->mixtures);
	address_space_deinit(&truth->entry);
	sample_uprobes_deinit(&truth->uprobes);
}

bool sample_truth_is_thin(const struct sample_truth *truth)
{
	return truth->points < 2 || truth->max_frames < 3;
}

/* The mapping that begins there, or NULL. */
static const struct mapping *find_start(const struct address_space *space, uint64_t start)
{
	const struct mapping *mapping = address_space_find(space, start);

	return mapping && mapping->start == start ? mapping : NULL;
}

int sample_truth_same_layout(const struct sample_truth *truth, const struct address_space *space,
			     struct error *error)
{
	for (size_t i = 0; i < truth->entry.mapping_count; i++) {
		const struct mapping *before = &truth->entry.mapping[i];
		const struct mapping *now = find_start(space, before->start);

		if (!now || now->end != before->end ||
		    strcmp(before->path, now->path ? now->path : "") != 0)
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "%s lay at 0x%llx in the stepped run, and not in this",
					 before->path, (unsigned long long)before->start);
	}
	return 0;
}
