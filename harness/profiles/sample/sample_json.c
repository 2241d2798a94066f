/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_json.c - samples against the truth as NDJSON
 *
 * For each rate its findings, then one "sample_score"; at the end one "sample_total". The names are
 * a contract (docs/JSON.md): fields are added, never renamed.
 */
#include <sys/utsname.h>
#include "base/cli/json_counts.h"
#include "sample.h"

/* Type, program and kernel. */
static json_t *begin(const char *type, const char *program)
{
	struct utsname kernel;

	uname(&kernel);
	return JSON_NEW("type", type, "program", program, "kernel", kernel.release,
			"kernel_release", kernel.release);
}

/* The stack's addresses and what lies there. */
static void set_frames(json_t *object, const char *addresses, const char *places,
		       const struct sample_score *score, const struct stack *stack)
{
	json_t *address = json_array(), *place = json_array();
	char text[320];

	for (uint32_t i = 0; i < stack->count; i++) {
		address_space_describe(&score->space, stack->pc[i] - (i > 0), text, sizeof(text));
		json_array_append_new(address, json_hex(stack->pc[i]));
		json_array_append_new(place, json_bytes(text));
	}
	JSON_SET(object, addresses, address, places, place);
}

static void print_finding(FILE *file, const struct sample_report *report,
			  const struct sample_finding *finding)
{
	json_t *object = begin("sample_finding", report->program);
	struct stack near = { 0 };
	uint32_t common;

	JSON_SET(object, "rate", report->score->rate_hz, "class", sample_class_name(finding->class),
		 "count", finding->count, "stop", stop_reason_name(finding->stack.stop));
	set_frames(object, "addresses", "frames", report->score, &finding->stack);
	if (sample_set_nearest(report->truth->stacks, finding->stack.pc, finding->stack.count,
			       &near, &common)) {
		set_frames(object, "nearest_addresses", "nearest_frames", report->score, &near);
		JSON_SET(object, "common_outer", common);
	}
	stack_deinit(&near);
	json_line(file, object);
}

static void set_counters(json_t *object, const struct sample_score *score)
{
	const struct walk_counters *counters = &score->counters;
	json_t *stops = json_object();
	struct sample_balance broken;

	JSON_SET(object, "samples", counters->samples, "stacks", counters->stacks, "entries",
		 score->entries_known ? json_integer(score->entries) : NULL, "lost",
		 JSON_NEW("busy", counters->lost_busy, "space", counters->lost_space, "regs",
			  counters->lost_regs, "memory", score->lost_memory, "unknown",
			  counters->unknown, "ending", counters->ending));
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (counters->stop[stop])
			JSON_SET(stops, stop_reason_name(stop), counters->stop[stop]);
	JSON_SET(object, "stops", stops);
	if (sample_account_broken(score, &broken))
		JSON_SET(object, "account", broken.name, "account_left", broken.left,
			 "account_right", broken.right);
	else
		JSON_SET(object, "account", "exact");
}

void sample_print_json(FILE *file, const struct sample_report *report)
{
	const struct sample_truth *truth = report->truth;
	const struct sample_score *score = report->score;
	json_t *object = begin("sample_score", report->program);

	for (size_t i = 0; i < score->finding_count; i++)
		print_finding(file, report, &score->finding[i]);
	JSON_SET(object, "clock", report->clock, "method", score->method, "rate", score->rate_hz,
		 "rate_actual", sample_actual_hz(score), "throttled", sample_is_throttled(score),
		 "truth_points", truth->points, "truth_stacks", sample_set_count(truth->stacks),
		 "truth_met", score->met, "truth_frames_max", truth->max_frames,
		 "truth_fault_points", truth->fault_points, "truth_open_points", truth->open_points,
		 "truth_execs", truth->execs, "truth_suspect_points", truth->suspect, "runs",
		 score->runs);
	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++)
		JSON_SET(object, sample_class_name(class), score->class[class]);
	JSON_SET(object, "whole_unproven", score->whole_unproven, "frames", score->frames,
		 "frames_max", score->max_frames);
	set_counters(object, score);
	JSON_SET(object, "findings_not_kept", score->findings_not_kept, "cpu_seconds",
		 score->cpu_ns / 1e9);
	if (report->cut)
		JSON_SET(object, "partial", json_true(), "partial_by", run_cut_word(report->cut),
			 "partial_message", report->cut->early.message);
	json_line(file, object);
}

void sample_print_total_json(FILE *file, const char *program, const char *failure,
			     const struct run_cut *cut, const struct gate *gate)
{
	json_t *object = begin("sample_total", program);

	JSON_SET(object, "findings", gate->findings, "message", *failure ? failure : NULL);
	run_cut_json(object, cut);
	gate_json(gate, object);
	json_line(file, object);
}

void sample_print_skip_json(FILE *file, const char *program, const char *reason,
			    const char *message)
{
	json_t *object = begin("skip", program);

	json_line(file, JSON_SET(object, "reason", reason, "message", message));
}
