/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_judge.c - a sampled stack against the truth's set, and the account of all of them
 *
 * A stack that is called complete must be a true one, whole: one that only begins like one was cut
 * off and says that it was not, which is worse than a wrong frame. A stack with any other stop
 * reason makes no such claim and may be the first frames of one, if there is a reason to end there:
 * memory that could not be read, an image that is not known, or a table that leads no further, as
 * it did at that point of the stepped run. So each sample has one class:
 *
 *	in the set	stop reason		class
 *	whole		complete		exact
 *	whole		another			truncated: the end is not proven
 *	as far as known	any			open
 *	a beginning	of memory or images	truncated
 *	a beginning	of the table		truncated if it led no further when stepped, else cut
 *	a beginning, or no	in or behind what the
 *				kernel has there for a
 *				uprobe			uprobe
 *	no		any			table_fault if the table led there when stepped, else
 *	a beginning	complete		outside
 *
 * What is cut or outside may still be an exchange: registers of which the kernel had exchanged only
 * some lead there (sample_truth.c).
 *
 * And if the process's mappings had changed and the walk did not know yet, it is raced
 * (process_events.h).
 *
 * The account: nothing that the clock asked for may be missing without a name.
 */
#include <stdlib.h>
#include "array.h"
#include "sample.h"

static const char *const class_names[SAMPLE_CLASS_COUNT] = {
	"exact", "truncated", "open", "table_fault", "exchange",
	"raced", "uprobe",    "cut",  "outside",
};

const char *sample_class_name(enum sample_class class)
{
	return class_names[class];
}

bool sample_class_is_finding(enum sample_class class)
{
	return class == SAMPLE_CUT || class == SAMPLE_OUTSIDE;
}

static bool is_whole_in(struct sample_set *set, const struct stack *stack)
{
	return sample_set_find(set, stack->pc, stack->count) == SET_WHOLE;
}

/* The walk ended for something that only the moment knows: the stepped run can't tell. */
static bool is_of_the_moment(uint32_t stop)
{
	return stop == STOP_READ_FAULT || stop == STOP_NO_MAPPING || stop == STOP_DEPTH;
}

int sample_end_nowhere(struct stack *stack, struct error *error)
{
	if (stack->stop == STOP_NO_MAPPING && stack->count > 1)
		stack->pc[stack->count - 1] = SAMPLE_NOWHERE;
	else if (stack->stop == STOP_ZERO_RETURN && stack->count < WALK_FRAMES_MAX)
		return stack_push(stack, SAMPLE_NOWHERE, error);
	return 0;
}

/* 1 if it is one, else 0; -1: error is set. */
static int is_mixture(const struct sample_truth *truth, const struct stack *stack,
		      struct error *error)
{
	struct stack end = { 0 };
	int found = -1;

	if (!stack_copy(&end, stack, error) && !sample_end_nowhere(&end, error))
		found = sample_set_find(truth->mixtures, end.pc, end.count) >= SET_OPEN;
	stack_deinit(&end);
	return found;
}

int sample_judge(const struct sample_truth *truth, const struct stack *stack,
		 enum sample_class *ret, bool *ret_whole, struct error *error)
{
	enum set_match match = sample_set_find(truth->stacks, stack->pc, stack->count);
	bool begins = match == SET_PREFIX && stack->count && stack->stop != STOP_COMPLETE;

	*ret_whole = match == SET_WHOLE;
	if (match == SET_WHOLE) {
		*ret = stack->stop == STOP_COMPLETE ? SAMPLE_EXACT : SAMPLE_TRUNCATED;
	} else if (match == SET_OPEN) {
		*ret = SAMPLE_OPEN;
	} else if (sample_uprobes_explain(&truth->uprobes, truth->stacks, stack)) {
		*ret = SAMPLE_UPROBE;
	} else if (begins && is_of_the_moment(stack->stop)) {
		*ret = SAMPLE_TRUNCATED;
	} else if (is_whole_in(truth->faults, stack)) {
		*ret = begins ? SAMPLE_TRUNCATED : SAMPLE_TABLE_FAULT;
	} else {
		int mixture = is_mixture(truth, stack, error);

		if (mixture < 0)
			return -1;
		*ret = mixture ? SAMPLE_EXCHANGE : begins ? SAMPLE_CUT : SAMPLE_OUTSIDE;
	}
	return 0;
}

static int keep_finding(struct sample_score *score, enum sample_class class,
			const struct stack *stack, struct error *error)
{
	struct sample_finding *added;

	for (size_t i = 0; i < score->finding_count; i++) {
		if (stack_equal(&score->finding[i].stack, stack)) {
			score->finding[i].count++;
			return 0;
		}
	}
	if (score->finding_count == SAMPLE_FINDINGS_MAX) {
		score->findings_not_kept++;
		return 0;
	}
	if (!ARRAY_GROW(score->finding, score->finding_count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a finding");
	added = &score->finding[score->finding_count];
	*added = (struct sample_finding) { .class = class, .count = 1 };
	if (stack_copy(&added->stack, stack, error))
		return -1;
	score->finding_count++;
	return 0;
}

int sample_stack(const struct walk_record *record, struct stack *ret, struct error *error)
{
	if (record->count > WALK_FRAMES_MAX)
		return error_set(error, ERROR_PROTOCOL, "", 0, "a record of %u frames",
				 record->count);
	return stack_set(ret, record->pc, record->count, record->stop, error);
}

int sample_score_add(struct sample_score *score, enum sample_class class, bool whole,
		     const struct stack *stack, struct error *error)
{
	score->records++;
	score->class[class]++;
	score->whole_unproven += class == SAMPLE_TRUNCATED && whole;
	score->frames += stack->count;
	if (stack->count > score->max_frames)
		score->max_frames = stack->count;
	return sample_class_is_finding(class) ? keep_finding(score, class, stack, error) : 0;
}

void sample_score_deinit(struct sample_score *score)
{
	for (size_t i = 0; i < score->finding_count; i++)
		stack_deinit(&score->finding[i].stack);
	free(score->finding);
	address_space_deinit(&score->space);
}

double sample_actual_hz(const struct sample_score *score)
{
	const struct walk_counters *counters = &score->counters;

	return score->cpu_ns ? (counters->samples + counters->unknown) * 1e9 / score->cpu_ns : 0;
}

/* Short runs lose their last period, and the kernel rounds it: not for that. */
bool sample_is_throttled(const struct sample_score *score)
{
	return sample_actual_hz(score) < 0.8 * score->rate_hz;
}

bool sample_account_broken(const struct sample_score *score, struct sample_balance *ret)
{
	const struct walk_counters *counters = &score->counters;
	uint64_t in = counters->samples + counters->unknown + counters->ending, stops = 0,
		 classes = 0;

	for (int i = 0; i < STOP_REASON_COUNT; i++)
		stops += counters->stop[i];
	for (int i = 0; i < SAMPLE_CLASS_COUNT; i++)
		classes += score->class[i];

	const struct sample_balance balance[] = {
		{ "entries_not_counted", score->entries_known ? score->entries : in, in,
		  "times that the kernel ran the program = samples + those of unknown or ending "
		  "processes" },
		{ "lost_unnamed", counters->samples, counters->stacks + walk_losses(counters),
		  "samples = stacks + losses" },
		{ "records_lost", counters->stacks, score->records + score->lost_memory,
		  "stacks sent = records received + those that there was no memory for" },
		{ "frames_lost", score->lost_memory ? score->frames : counters->frames,
		  score->frames, "frames sent = frames received" },
		{ "stops_not_counted", counters->stacks, stops, "stacks = sum over stop reasons" },
		{ "not_judged", score->records, classes, "records = sum over classes" },
	};

	for (size_t i = 0; i < sizeof(balance) / sizeof(balance[0]); i++) {
		if (balance[i].left == balance[i].right)
			continue;
		*ret = balance[i];
		return true;
	}
	return false;
}
