/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_json.c - a profile's score as NDJSON: its findings, then one "score"
 *
 * The names are a contract (docs/JSON.md): fields are added, never renamed.
 */
#include <stdlib.h>
#include "base/cli/json_counts.h"
#include "score.h"

static void set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer(value));
}

static void set_classes(json_t *object, const struct score_counts *counts)
{
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		set_count(object, score_class_name(i), counts->class[i]);
}

static json_t *reasons(const struct score *score, enum score_reason first, enum score_reason last)
{
	json_t *object = json_object();

	for (enum score_reason i = first; i <= last; i++)
		if (score->reason[i])
			set_count(object, score_reason_name(i), score->reason[i]);
	return object;
}

static json_t *hexadecimal(uint64_t value)
{
	return json_sprintf("0x%llx", (unsigned long long)value);
}

/* ---- findings --------------------------------------------------------------------------------- */

static void set_function(json_t *object, const char *name, const char *image,
			 const struct score_truth *truth, uint32_t number)
{
	if (!number)
		return;
	json_object_set_new(object, name, json_bytes(truth->function[number].name));
	json_object_set_new(object, image,
			    json_bytes(truth->image[truth->function[number].image].truth->path));
}

static json_t *frame_json(struct score *score, uint32_t number, bool is_caller)
{
	const struct profile_frame *in = profile_frame(&score->profile, number);
	const struct score_frame *frame;
	json_t *object = json_object();
	struct error error;
	char text[600];

	frame = score_matcher_frame(score->matcher, number, &error);
	if (!frame)
		return object;
	score_frame_describe(score->truth, &score->profile, number, frame, is_caller, text,
			     sizeof(text));
	json_object_set_new(object, "place", json_bytes(text));
	if (frame->how == FRAME_ADDRESS) {
		json_object_set_new(object, "image",
				    json_bytes(score->truth->image[frame->image].truth->path));
		json_object_set_new(object, "vaddr", hexadecimal(frame->address));
	} else if (in->image) {
		json_object_set_new(object, "image",
				    json_bytes(profile_text(&score->profile, in->image)));
	}
	if (in->kind != PROFILE_NO_ADDRESS)
		json_object_set_new(object, "address", hexadecimal(in->address));
	if (in->name)
		json_object_set_new(object, "name",
				    json_bytes(profile_text(&score->profile, in->name)));
	if (in->flags & PROFILE_INLINED)
		json_object_set_new(object, "inlined", json_true());
	return object;
}

static void print_finding(FILE *file, struct score *score, const struct score_finding *finding,
			  const struct score_shown *shown)
{
	const struct score_truth *truth = score->truth;
	json_t *object = json_object(), *frames = json_array(), *callers = json_array();

	json_object_set_new(object, "type", json_string("score_finding"));
	json_object_set_new(object, "profile", json_bytes(shown->profile));
	json_object_set_new(object, "reason", json_string(score_reason_name(finding->reason)));
	set_count(object, "count", finding->count);
	set_count(object, "at", finding->place);
	set_function(object, "function", "image", truth, finding->function);
	set_count(object, "agree", finding->agree);
	for (uint32_t i = 0; i < finding->frames; i++)
		json_array_append_new(frames, frame_json(score, finding->frame[i], i > 0));
	json_object_set_new(object, "frames", frames);
	for (size_t i = 0; i < finding->callers; i++) {
		json_t *caller = json_object();

		set_function(caller, "function", "image", truth, finding->caller[i]);
		json_array_append_new(callers, caller);
	}
	json_object_set_new(object, "truth_callers", callers);
	json_object_set_new(object, "repair", json_string(score_repair_name(finding->repair)));
	set_function(object, "left_out", "left_out_image", truth, finding->left_out);
	json_line(file, object);
}

/* ---- the score -------------------------------------------------------------------------------- */

static json_t *functions(const struct score *score)
{
	const struct score_truth *truth = score->truth;
	json_t *array = json_array();
	struct error error;
	uint32_t count;
	FREED uint32_t *worst = score_worst_functions(score, &count, &error);

	for (uint32_t i = 0; i < count && i < SCORE_FINDINGS_MAX; i++) {
		json_t *object = json_object();

		set_function(object, "function", "image", truth, worst[i]);
		set_classes(object, &score->function[worst[i]]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *images(const struct score *score)
{
	size_t count = truth_file_image_count(score->truth->file);
	json_t *array = json_array();

	for (size_t i = 0; i <= count; i++) {
		json_t *object;
		uint64_t sum = 0;

		for (int class = 0; class < SCORE_CLASS_COUNT; class ++)
			sum += score->image[i].class[class];
		if (!sum)
			continue;
		object = json_object();
		if (i < count)
			json_object_set_new(object, "image",
					    json_bytes(score->truth->image[i].truth->path));
		set_classes(object, &score->image[i]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *other_names(const struct score *score)
{
	json_t *array = json_array();
	struct error error;
	uint32_t count;
	FREED uint32_t *name = score_other_names(score, &count, &error);

	for (uint32_t i = 0; i < count; i++) {
		json_t *object = json_object();
		const char *text = profile_texts_get(&score->other_name, name[i]);

		json_object_set_new(object, "name", json_bytes(text));
		set_count(object, "count", score->other_count[name[i]]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *unread(const struct profile *profile)
{
	json_t *object = json_object();

	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		if (profile->lost[i])
			set_count(object, profile_loss_name(i), profile->lost[i]);
	return object;
}

/* How often each stack is there, of a profiler that was driven. */
static json_t *driven_json(const struct score *score, const struct score_driven *driven)
{
	const struct score_tally_sums sums = score_tally_sums(score->tally);
	struct score_tally_function lost[SCORE_FINDINGS_MAX];
	size_t count = score_tally_lost(score->tally, lost, SCORE_FINDINGS_MAX);
	json_t *object = json_object(), *functions = json_array();

	set_count(object, "points", sums.points);
	set_count(object, "counted", sums.counted);
	set_count(object, "lost", sums.lost);
	set_count(object, "absent", score_absent(score));
	set_count(object, "points_unproven", sums.unproven);
	set_count(object, "points_open", sums.open);
	set_count(object, "surplus", sums.surplus);
	set_count(object, "surplus_in_kernel", sums.in_kernel);
	set_count(object, "undecided", sums.undecided);
	if (driven && driven->counted) {
		set_count(object, "runs", driven->runs);
		set_count(object, "run_ns", driven->ns);
	}
	for (size_t i = 0; i < count; i++) {
		json_t *function = json_object();

		set_function(function, "function", "image", score->truth, lost[i].function);
		set_count(function, "points", lost[i].points);
		set_count(function, "lost", lost[i].lost);
		json_array_append_new(functions, function);
	}
	json_object_set_new(object, "functions", functions);
	return object;
}

/* What the bursts have cost, and how much of the samples that agree they know. */
static json_t *attached_json(const struct score *score)
{
	static const char *const fields[] = { "bursts", "stopped_ns", "stopped_longest_ns",
					      "elapsed_ns" };
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		set_count(object, fields[i], truth_file_number(score->truth->file, fields[i]));
	set_count(object, "agree", score->reason[SCORE_OPEN]);
	set_count(object, "frames", score->open_frames);
	set_count(object, "frames_known", score->open_known);
	return object;
}

void score_print_json(FILE *file, struct score *score, const struct score_shown *shown)
{
	const struct profile *profile = &score->profile;
	const char *gap = score_truth_gap(score->truth);
	json_t *object = json_object();

	score_sort_findings(score);
	for (uint32_t i = 0; i < score->findings && i < shown->findings; i++)
		print_finding(file, score, &score->finding[i], shown);
	json_object_set_new(object, "type", json_string("score"));
	json_object_set_new(object, "profile", json_bytes(shown->profile));
	json_object_set_new(object, "format", json_string(profile_format_name(profile->format)));
	if (profile_scale(profile) > 1)
		set_count(object, "count_scale", profile_scale(profile));
	json_object_set_new(object, "truth", json_bytes(shown->truth));
	json_object_set_new(object, "program", json_bytes(score->truth->program));
	if (gap)
		json_object_set_new(object, "truth_gap", json_string(gap));
	set_count(object, "truth_points", truth_file_number(score->truth->file, "points"));
	set_count(object, "truth_unproven", truth_file_number(score->truth->file, "unproven"));
	if (score_truth_attached(score->truth))
		json_object_set_new(object, "attached", attached_json(score));
	set_count(object, "samples", score->samples);
	set_classes(object, &score->all);
	json_object_set_new(object, "thin", json_boolean(score_is_thin(score)));
	json_object_set_new(object, "impossible_by", reasons(score, SCORE_LEAF, SCORE_CALLEE));
	json_object_set_new(object, "unproven_by", reasons(score, SCORE_OPEN, SCORE_PROCESS));
	json_object_set_new(object, "not_compared_by",
			    reasons(score, SCORE_EMPTY, SCORE_OTHER_BUILD));
	if (score->other_name.count)
		json_object_set_new(object, "other_names", other_names(score));
	json_object_set_new(object, "unread_by", unread(profile));
	if (profile->errors.count) {
		set_count(object, "unread_first_at", profile->errors.error[0].offset);
		json_object_set_new(object, "unread_first",
				    json_bytes(profile->errors.error[0].message));
	}
	set_count(object, "findings", score->findings);
	set_count(object, "findings_not_kept", score->findings_not_kept);
	if (score->tally)
		json_object_set_new(object, "driven", driven_json(score, shown->driven));
	json_object_set_new(object, "images", images(score));
	json_object_set_new(object, "functions", functions(score));
	json_line(file, object);
}
