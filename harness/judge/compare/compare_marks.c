/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_marks.c - who wants to know of each point whether its truth was proven
 *
 * Counts go to a doubt's account, or to one that a return may still take back, and are added to
 * others until it is decided what they were. A point's mark goes the same way, and then it is told
 * whether the truth was so.
 *
 * A verdict that needs no truth (no FDE covers the PC) is final at once, and says nothing of the
 * truth either. There nobody agrees with it, so it must speak for itself: each frame that the CFI
 * does not confirm has its return address in its slot, and was opened after the stack was disturbed
 * last. Such a point is kept beside the others, for a return may still refute it.
 */
#include "comparer.h"

/* The frames beyond those that the CFI confirms are there, as far as that can be seen now. */
static bool stands_alone(const struct evidence *evidence)
{
	const struct point *point = evidence->point;
	const struct shadow_stack *shadow = point->stop->shadow;
	uint32_t agree;

	if (match_stack(evidence->cfi, evidence->truth, shadow->rooted, &agree) == MATCH_EXACT)
		return true;
	if (shadow->in_transit)
		return false;
	for (size_t i = agree ? agree : 1; i <= shadow->count; i++) {
		const struct shadow_frame *frame = &shadow->frame[shadow->count - i];
		uint64_t value;

		if (frame->epoch != shadow->epoch || frame->planted)
			return false;
		if (!frame->interrupted && (point->memory->read(point->memory->context, frame->slot,
								&value, sizeof(value)) ||
					    value != frame->return_address))
			return false;
	}
	return true;
}

void compare_tell_marks(const struct comparer *comparer, const struct marks *marks, bool proven)
{
	comparer->result->unmarked += marks->lost;
	for (size_t i = 0; i < marks->count; i++)
		comparer->options.on_proven(comparer->options.context, marks->entry[i].mark,
					    marks->entry[i].count, proven);
}

void compare_alone_end(void *context, const struct account *account, enum provisional_outcome end)
{
	compare_tell_marks(context, &account->marks, end == PROVISIONAL_FINAL);
}

int compare_mark(struct comparer *comparer, const struct evidence *evidence,
		 struct reading *readings, size_t count, struct error *error)
{
	const struct compare_options *options = &comparer->options;
	const struct provisional_place place = compare_place(evidence);

	if (!options->on_reading)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct account *account = readings[i].account;
		bool doubtful = !account && (readings[i].judgement.verdict == VERDICT_UNPROVEN ||
					     !stands_alone(evidence));
		uint64_t mark;

		if (options->on_reading(options->context, evidence->point, readings[i].truth, &mark,
					error))
			return -1;
		if (!account && !doubtful)
			account = provisional_find(&comparer->alone, &place);
		if (account)
			marks_add(&account->marks, mark, 1);
		else
			options->on_proven(options->context, mark, 1, false);
	}
	return 0;
}
