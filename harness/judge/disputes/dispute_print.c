/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_print.c - what came of a case, for people and for programs
 */
#include <inttypes.h>
#include "base/cli/json_counts.h"
#include "disputes.h"
#include "plain_text.h"
#include "judge/verdict/verdict.h"

/* ---- text ------------------------------------------------------------------------------- */

/* The first frame at which the two stacks differ, or that they stop otherwise. */
static void print_difference(FILE *file, const struct dispute *dispute,
			     const struct dispute_stage *stage,
			     const struct dispute_verdict *verdict)
{
	const struct stack *stacks[] = { &verdict->kept->stack, &verdict->stack };
	uint32_t frame = verdict->same_frames;
	char place[512];

	for (int i = 0; i < 2; i++) {
		if (frame < stacks[i]->count)
			dispute_describe(dispute, stage, stack_pc(stacks[i], frame), frame > 0,
					 place, sizeof(place));
		else
			snprintf(place, sizeof(place), "ends: %s",
				 stop_reason_name(stacks[i]->stop));
		fprintf(file, "    frame %u, %s  %s\n", frame, i ? "here" : "kept",
			PLAIN_TEXT(place));
	}
}

static void print_verdict(FILE *file, const struct dispute *dispute,
			  const struct dispute_stage *stage, const struct dispute_verdict *verdict)
{
	fprintf(file, "  %-10s %-8s", PLAIN_TEXT(verdict->engine),
		dispute_result_name(verdict->result));
	if (verdict->result == DISPUTE_SKIPPED || verdict->result == DISPUTE_FAILED) {
		fprintf(file, " %s\n", PLAIN_TEXT(verdict->message));
		return;
	}
	fprintf(file, " %s, %u of %u frames right, %s", match_name(verdict->match), verdict->right,
		dispute->truth.count, stop_reason_name(verdict->stack.stop));
	if (verdict->missed)
		fprintf(file, "; %" PRIu64 " reads of memory that the case does not have",
			verdict->missed);
	fputc('\n', file);
	if (verdict->result == DISPUTE_DIFFERS)
		print_difference(file, dispute, stage, verdict);
}

void dispute_print_text(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay)
{
	fprintf(file, "%s: point %" PRIu64 " of %s, %s", PLAIN_TEXT(path), dispute->point,
		PLAIN_TEXT(dispute_text(dispute, "program")),
		PLAIN_TEXT(dispute_text(dispute, "verdict")));
	fprintf(file, " (%s) at %s, truth %s\n", PLAIN_TEXT(dispute_text(dispute, "kind")),
		PLAIN_TEXT(dispute_text(dispute, "place")),
		PLAIN_TEXT(dispute_text(dispute, "truth")));
	for (size_t i = 0; i < replay->count; i++)
		print_verdict(file, dispute, stage, &replay->verdict[i]);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static json_t *stack_json(const struct dispute *dispute, const struct dispute_stage *stage,
			  const struct stack *stack)
{
	json_t *frames = json_array();

	for (uint32_t i = 0; i < stack->count; i++) {
		char place[512];

		dispute_describe(dispute, stage, stack_pc(stack, i), i > 0, place, sizeof(place));
		json_array_append_new(frames,
				      JSON_NEW("pc", json_hex(stack_pc(stack, i)), "place", place));
	}
	return JSON_NEW("stop", stop_reason_name(stack->stop), "frames", frames);
}

static void print_answer(FILE *file, const char *path, const struct dispute *dispute,
			 const struct dispute_stage *stage, const struct dispute_verdict *verdict)
{
	bool answered = verdict->result != DISPUTE_SKIPPED && verdict->result != DISPUTE_FAILED;
	json_t *object = JSON_NEW("type", "answer", "case", path, "engine", verdict->engine,
				  "result", dispute_result_name(verdict->result));

	JSON_SET(object, "reason", verdict->reason, "message",
		 verdict->message[0] ? verdict->message : NULL);
	if (answered) {
		JSON_SET(object, "match", match_name(verdict->match), "right", verdict->right,
			 "missed", verdict->missed, "stack",
			 stack_json(dispute, stage, &verdict->stack));
	}
	if (verdict->result == DISPUTE_DIFFERS) {
		JSON_SET(object, "same_frames", verdict->same_frames, "kept",
			 stack_json(dispute, stage, &verdict->kept->stack));
	}
	json_line(file, object);
}

void dispute_print_json(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay)
{
	json_t *object = JSON_NEW("type", "case", "case", path, "point", dispute->point, "about",
				  json_incref(dispute->about), "truth",
				  stack_json(dispute, stage, &dispute->truth));

	for (int result = 0; result < DISPUTE_RESULT_COUNT; result++)
		JSON_SET(object, dispute_result_name(result), replay->result[result]);
	for (size_t i = 0; i < replay->count; i++)
		print_answer(file, path, dispute, stage, &replay->verdict[i]);
	json_line(file, object);
}
