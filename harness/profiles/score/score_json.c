/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_json.c - a profile's score as NDJSON: its findings, then one "score"
 *
 * The names are a contract (docs/JSON.md): fields are added, never renamed.
 */
#include <stdlib.h>
#include "base/cli/json_counts.h"
#include "score.h"
#include "score_build.h"

static void set_classes(json_t *object, const struct score_counts *counts)
{
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		JSON_SET(object, score_class_name(i), counts->class[i]);
}

static json_t *reasons(const struct score *score, enum score_reason first, enum score_reason last)
{
	json_t *object = json_object();

	for (enum score_reason i = first; i <= last; i++)
		if (score->reason[i])
			JSON_SET(object, score_reason_name(i), score->reason[i]);
	return object;
}

/* ---- findings --------------------------------------------------------------------------------- */

static void set_function(json_t *object, const char *name, const char *image,
			 const struct score_truth *truth, uint32_t number)
{
	if (number)
		JSON_SET(object, name, truth->function[number].name, image,
			 truth->image[truth->function[number].image].truth->path);
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
	JSON_SET(object, "place", text);
	if (frame->how == FRAME_ADDRESS)
		JSON_SET(object, "image", score->truth->image[frame->image].truth->path, "vaddr",
			 json_hex(frame->address));
	else if (in->image)
		JSON_SET(object, "image", profile_text(&score->profile, in->image));
	return JSON_SET(object, "address",
			in->kind != PROFILE_NO_ADDRESS ? json_hex(in->address) : NULL, "name",
			in->name ? profile_text(&score->profile, in->name) : NULL, "inlined",
			in->flags & PROFILE_INLINED ? json_true() : NULL);
}

static void print_finding(FILE *file, struct score *score, const struct score_finding *finding,
			  const struct score_shown *shown)
{
	const struct score_truth *truth = score->truth;
	json_t *object = JSON_NEW("type", "score_finding", "profile", shown->profile, "reason",
				  score_reason_name(finding->reason), "count", finding->count, "at",
				  finding->place);
	json_t *frames = json_array(), *callers = json_array();

	set_function(object, "function", "image", truth, finding->function);
	for (uint32_t i = 0; i < finding->frames; i++)
		json_array_append_new(frames,
				      frame_json(score, finding->frame[i],
						 score_is_return(score, finding->frame, i)));
	JSON_SET(object, "agree", finding->agree, "frames", frames);
	for (size_t i = 0; i < finding->callers; i++) {
		json_t *caller = json_object();

		set_function(caller, "function", "image", truth, finding->caller[i]);
		json_array_append_new(callers, caller);
	}
	JSON_SET(object, "truth_callers", callers, "repair", score_repair_name(finding->repair));
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
			JSON_SET(object, "image", score->truth->image[i].truth->path);
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
		const char *text = profile_texts_get(&score->other_name, name[i]);

		json_array_append_new(array,
				      JSON_NEW("name", text, "count", score->other_count[name[i]]));
	}
	return array;
}

static json_t *unread(const struct profile *profile)
{
	json_t *object = json_object();

	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		if (profile->lost[i])
			JSON_SET(object, profile_loss_name(i), profile->lost[i]);
	return object;
}

/* The first frames that are called what their addresses are not. */
static json_t *said_json(const struct score *score)
{
	const struct score_called *called = &score->called;
	json_t *array = json_array();

	for (size_t i = 0; i < called->contradict && i < SCORE_CALLED_KEPT; i++) {
		const struct profile_frame *in = profile_frame(&score->profile,
							       called->first[i].frame);
		char text[600];

		score_called_found(score, &called->first[i], text, sizeof(text));
		json_array_append_new(array, JSON_NEW("address", json_hex(in->address), "said",
						      profile_text(&score->profile, in->name),
						      "found", text));
	}
	return array;
}

/* How often each stack is there, of a profiler that was driven. */
static json_t *driven_json(const struct score *score, const struct score_driven *driven)
{
	const struct score_tally_sums sums = score_tally_sums(score->tally);
	struct score_tally_function lost[SCORE_FINDINGS_MAX];
	size_t count = score_tally_lost(score->tally, lost, SCORE_FINDINGS_MAX);
	json_t *functions = json_array();
	json_t *object = JSON_NEW("points", sums.points, "counted", sums.counted, "lost", sums.lost,
				  "absent", score_absent(score), "points_unproven", sums.unproven,
				  "points_open", sums.open, "surplus", sums.surplus,
				  "surplus_in_kernel", sums.in_kernel, "undecided", sums.undecided);

	if (driven && driven->counted)
		JSON_SET(object, "runs", driven->runs, "run_ns", driven->ns);
	for (size_t i = 0; i < count; i++) {
		json_t *function = json_object();

		set_function(function, "function", "image", score->truth, lost[i].function);
		JSON_SET(function, "points", lost[i].points, "lost", lost[i].lost);
		json_array_append_new(functions, function);
	}
	return JSON_SET(object, "functions", functions);
}

/* What the bursts have cost, and how much of the samples that agree they know. */
static json_t *attached_json(const struct score *score)
{
	static const char *const fields[] = { "bursts", "stopped_ns", "stopped_longest_ns",
					      "elapsed_ns" };
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		JSON_SET(object, fields[i], truth_file_number(score->truth->file, fields[i]));
	return JSON_SET(object, "agree", score->reason[SCORE_OPEN], "frames", score->open_frames,
			"frames_known", score->open_known);
}

void score_print_json(FILE *file, struct score *score, const struct score_shown *shown)
{
	const struct profile *profile = &score->profile;
	const char *gap = score_truth_gap(score->truth);
	const struct score_builds builds = score_builds_of(score->truth);
	json_t *object = json_object();

	score_sort_findings(score);
	for (uint32_t i = 0; i < score->findings && i < shown->findings; i++)
		print_finding(file, score, &score->finding[i], shown);
	JSON_SET(object, "type", "score", "profile", shown->profile, "format",
		 profile_format_name(profile->format), "count_scale",
		 profile_scale(profile) > 1 ? json_integer(profile_scale(profile)) : NULL, "truth",
		 shown->truth, "program", score->truth->program, "truth_gap", gap, "truth_points",
		 truth_file_number(score->truth->file, "points"), "truth_unproven",
		 truth_file_number(score->truth->file, "unproven"), "attached",
		 score_truth_attached(score->truth) ? attached_json(score) : NULL, "samples",
		 score->samples, "changed_images", builds.changed, "unproven_images",
		 builds.unproven, "newer_images", builds.newer, "same_build",
		 score->truth->same.build, "same_run", score->truth->same.run);
	set_classes(object, &score->all);
	if (score->moments)
		JSON_SET(object, "at_entries", score->at_moments, "other_clock",
			 score->other_clock);
	JSON_SET(object, "thin", score_is_thin(score), "impossible_by",
		 reasons(score, SCORE_LEAF, SCORE_CALLEE), "unproven_by",
		 reasons(score, SCORE_OPEN, SCORE_NO_ENTRY), "not_compared_by",
		 reasons(score, SCORE_EMPTY, SCORE_OTHER_BUILD), "other_names",
		 score->other_name.count ? other_names(score) : NULL, "unread_by", unread(profile),
		 "dropped", profile->dropped ? json_integer((json_int_t)profile->dropped) : NULL);
	if (profile->errors.count)
		JSON_SET(object, "unread_first_at", profile->errors.error[0].offset, "unread_first",
			 profile->errors.error[0].message);
	JSON_SET(object, "names_said", score->called.frames, "names_checked", score->called.checked,
		 "names_contradict", score->called.contradict, "names_contradict_samples",
		 score->called.samples, "names_contradict_first",
		 score->called.contradict ? said_json(score) : NULL);
	JSON_SET(object, "findings", score->findings, "findings_not_kept", score->findings_not_kept,
		 "driven", score->tally ? driven_json(score, shown->driven) : NULL, "images",
		 images(score), "functions", functions(score));
	json_line(file, object);
}
