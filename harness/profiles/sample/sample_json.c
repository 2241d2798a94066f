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

static void set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer(value));
}

/* Type, program and kernel. */
static json_t *begin(const char *type, const char *program)
{
	json_t *object = json_object();
	struct utsname kernel;

	uname(&kernel);
	json_object_set_new(object, "type", json_string(type));
	json_object_set_new(object, "program", json_bytes(program));
	json_object_set_new(object, "kernel", json_bytes(kernel.release));
	json_object_set_new(object, "kernel_release", json_bytes(kernel.release));
	return object;
}

/* The stack's addresses and what lies there. */
static void set_frames(json_t *object, const char *addresses, const char *places,
		       const struct sample_score *score, const struct stack *stack)
{
	json_t *address = json_array(), *place = json_array();
	char text[320];

	for (uint32_t i = 0; i < stack->count; i++) {
		address_space_describe(&score->space, stack->pc[i] - (i > 0), text, sizeof(text));
		json_array_append_new(address,
				      json_sprintf("0x%llx", (unsigned long long)stack->pc[i]));
		json_array_append_new(place, json_bytes(text));
	}
	json_object_set_new(object, addresses, address);
	json_object_set_new(object, places, place);
}

static void print_finding(FILE *file, const struct sample_report *report,
			  const struct sample_finding *finding)
{
	json_t *object = begin("sample_finding", report->program);
	struct stack near = { 0 };
	uint32_t common;

	set_count(object, "rate", report->score->rate_hz);
	json_object_set_new(object, "class", json_string(sample_class_name(finding->class)));
	set_count(object, "count", finding->count);
	json_object_set_new(object, "stop", json_string(stop_reason_name(finding->stack.stop)));
	set_frames(object, "addresses", "frames", report->score, &finding->stack);
	if (sample_set_nearest(report->truth->stacks, finding->stack.pc, finding->stack.count,
			       &near, &common)) {
		set_frames(object, "nearest_addresses", "nearest_frames", report->score, &near);
		set_count(object, "common_outer", common);
	}
	stack_deinit(&near);
	json_line(file, object);
}

static void set_counters(json_t *object, const struct sample_score *score)
{
	const struct walk_counters *counters = &score->counters;
	json_t *lost = json_object(), *stops = json_object();
	struct sample_balance broken;

	set_count(object, "samples", counters->samples);
	set_count(object, "stacks", counters->stacks);
	if (score->entries_known)
		set_count(object, "entries", score->entries);
	set_count(lost, "busy", counters->lost_busy);
	set_count(lost, "space", counters->lost_space);
	set_count(lost, "regs", counters->lost_regs);
	set_count(lost, "memory", score->lost_memory);
	set_count(lost, "unknown", counters->unknown);
	set_count(lost, "ending", counters->ending);
	json_object_set_new(object, "lost", lost);
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (counters->stop[stop])
			set_count(stops, stop_reason_name(stop), counters->stop[stop]);
	json_object_set_new(object, "stops", stops);
	if (sample_account_broken(score, &broken)) {
		json_object_set_new(object, "account", json_string(broken.name));
		set_count(object, "account_left", broken.left);
		set_count(object, "account_right", broken.right);
	} else {
		json_object_set_new(object, "account", json_string("exact"));
	}
}

void sample_print_json(FILE *file, const struct sample_report *report)
{
	const struct sample_truth *truth = report->truth;
	const struct sample_score *score = report->score;
	json_t *object = begin("sample_score", report->program);

	for (size_t i = 0; i < score->finding_count; i++)
		print_finding(file, report, &score->finding[i]);
	json_object_set_new(object, "clock", json_string(report->clock));
	json_object_set_new(object, "method", json_string(score->method));
	set_count(object, "rate", score->rate_hz);
	json_object_set_new(object, "rate_actual", json_real(sample_actual_hz(score)));
	json_object_set_new(object, "throttled", json_boolean(sample_is_throttled(score)));
	set_count(object, "truth_points", truth->points);
	set_count(object, "truth_stacks", sample_set_count(truth->stacks));
	set_count(object, "truth_met", score->met);
	set_count(object, "truth_frames_max", truth->max_frames);
	set_count(object, "truth_fault_points", truth->fault_points);
	set_count(object, "truth_open_points", truth->open_points);
	set_count(object, "truth_execs", truth->execs);
	set_count(object, "truth_suspect_points", truth->suspect);
	set_count(object, "runs", score->runs);
	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++)
		set_count(object, sample_class_name(class), score->class[class]);
	set_count(object, "whole_unproven", score->whole_unproven);
	set_count(object, "frames", score->frames);
	set_count(object, "frames_max", score->max_frames);
	set_counters(object, score);
	set_count(object, "findings_not_kept", score->findings_not_kept);
	json_object_set_new(object, "cpu_seconds", json_real(score->cpu_ns / 1e9));
	if (report->cut) {
		json_object_set_new(object, "partial", json_true());
		json_object_set_new(object, "partial_by", json_string(run_cut_word(report->cut)));
		json_object_set_new(object, "partial_message",
				    json_bytes(report->cut->early.message));
	}
	json_line(file, object);
}

void sample_print_total_json(FILE *file, const char *program, const char *failure,
			     const struct run_cut *cut, const struct gate *gate)
{
	json_t *object = begin("sample_total", program);

	set_count(object, "findings", gate->findings);
	if (*failure)
		json_object_set_new(object, "message", json_bytes(failure));
	run_cut_json(object, cut);
	gate_json(gate, object);
	json_line(file, object);
}

void sample_print_skip_json(FILE *file, const char *program, const char *reason,
			    const char *message)
{
	json_t *object = begin("skip", program);

	json_object_set_new(object, "reason", json_string(reason));
	json_object_set_new(object, "message", json_bytes(message));
	json_line(file, object);
}
