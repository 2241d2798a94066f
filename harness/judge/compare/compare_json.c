/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_json.c - a comparison as NDJSON
 *
 * Findings and skips first, then one "score" per engine, one "requirement" each and one "verdicts". The names are a
 * contract (docs/JSON.md): fields are added, never renamed.
 */
#include <jansson.h>
#include <sys/utsname.h>
#include "compare.h"
#include "base/cli/json_counts.h"

static void print(FILE *file, json_t *object)
{
	if (object) {
		json_dumpf(object, file, JSON_COMPACT);
		fputc('\n', file);
	}
	json_decref(object);
}

static void set_count(json_t *object, const char *name, uint64_t value)
{
	json_object_set_new(object, name, json_integer(value));
}

/* By what a frame was found; the first one is where the thread is. */
static const char *frame_method(const struct finding *finding, uint32_t frame)
{
	if (!frame)
		return "registers";
	return finding->frame[frame].guessed ? "frame_pointer" : "cfi";
}

static json_t *finding_frames(const struct finding *finding)
{
	json_t *frames = json_array();

	for (uint32_t i = 0; i < finding->frame_count; i++) {
		const struct finding_frame *frame = &finding->frame[i];
		json_t *object = json_object();

		json_object_set_new(object, "image", json_bytes(frame->image));
		json_object_set_new(object, "function", json_bytes(frame->function));
		json_set_hex(object, "address", frame->vaddr);
		json_object_set_new(object, "method", json_string(frame_method(finding, i)));
		json_object_set_new(object, "right", json_boolean(frame->right));
		json_array_append_new(frames, object);
	}
	return frames;
}

/* What each object begins with. */
static json_t *begin(const char *type, const char *program, const char *kernel)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "type", type, "program", json_bytes(program),
			 "kernel", json_bytes(kernel), "kernel_release", json_bytes(kernel));
}

static void set_function(json_t *object, const struct finding *finding)
{
	json_object_set_new(object, "kind", json_string(fault_kind_name(finding->first.kind)));
	json_object_set_new(object, "image", json_bytes(finding->image));
	json_object_set_new(object, "function", json_bytes(finding->function));
}

static void set_place(json_t *object, const struct finding *finding)
{
	json_object_set_new(object, "place", json_bytes(finding->place));
	json_set_hex(object, "address", finding->vaddr);
	json_object_set_new(object, "instruction", json_bytes(finding->instruction));
	json_object_set_new(object, "declared", json_bytes(finding->declared));
	set_count(object, "frame", finding->first.frame);
}

static void print_finding(FILE *file, const char *program, const char *kernel,
			  const struct finding *finding)
{
	const struct judgement *first = &finding->first;
	json_t *object = begin("finding", program, kernel);

	json_object_set_new(object, "verdict", json_string(verdict_name(first->verdict)));
	set_function(object, finding);
	if (finding->start_file)
		json_object_set_new(object, "start_file", json_string(finding->start_file));
	if (finding->named_by_debug)
		json_object_set_new(object, "named_by_debug", json_true());
	set_place(object, finding);
	json_object_set_new(object, "stop", json_string(stop_reason_name(first->stop)));
	if (first->declared_cfa)
		json_set_hex(object, "declared_cfa", first->declared_cfa);
	if (first->actual_cfa)
		json_set_hex(object, "actual_cfa", first->actual_cfa);
	set_count(object, "count", finding->count);
	if (finding->ignored)
		json_object_set_new(object, "ignored", json_bytes(finding->ignored));
	if (finding->followed) {
		set_count(object, "guessed_points", finding->followed);
		set_count(object, "guessed_exact", finding->followed_exact);
	}
	if (finding->frame_count) {
		json_object_set_new(object, "frames", finding_frames(finding));
		set_count(object, "frames_left_out", finding->frames_left_out);
	}
	print(file, object);
}

/* Of so many points of each reason; what there is none of is left out. */
static json_t *doubts_json(const uint64_t unproven[DOUBT_REASON_COUNT])
{
	json_t *object = json_object();

	for (unsigned int reason = 0; reason < DOUBT_REASON_COUNT; reason++)
		if (unproven[reason])
			set_count(object, doubt_reason_name(reason), unproven[reason]);
	return object;
}

/* Where points are unproven, and what was in question there: no accusation. */
static void print_unproven_place(FILE *file, const char *program, const char *kernel,
				 const struct finding *finding)
{
	uint64_t count = finding_unproven(finding, NULL, 0);
	json_t *object;

	if (!count)
		return;
	object = begin("unproven", program, kernel);
	set_function(object, finding);
	set_place(object, finding);
	set_count(object, "count", count);
	json_object_set_new(object, "reasons", doubts_json(finding->unproven));
	print(file, object);
}

static void print_skip(FILE *file, const char *program, const char *kernel,
		       const struct compare_engine *engine)
{
	json_t *object = begin("skip", program, kernel);

	json_object_set_new(object, "engine", json_string(engine->engine->name));
	json_object_set_new(object, "reason",
			    json_string(engine->engine->in_kernel ? "no_bpf" : "unavailable"));
	json_object_set_new(object, "message", json_bytes(engine->skip.message));
	print(file, object);
}

static void set_guesses(json_t *object, const struct score *score)
{
	const struct guesses *guesses = &score->guesses;
	json_t *points = json_object(), *methods = json_object();
	uint64_t all = 0;

	for (unsigned int match = 0; match < MATCH_COUNT; match++) {
		set_count(points, match_name(match), guesses->match[match]);
		all += guesses->match[match];
	}
	set_count(points, "points", all);
	json_object_set_new(object, "guessed", points);
	set_count(methods, "registers", score->points);
	set_count(methods, "cfi", score->frames - score->points - guesses->frames);
	set_count(methods, "frame_pointer", guesses->frames);
	json_object_set_new(object, "frames_by_method", methods);
	set_count(object, "frames_guessed_right", guesses->frames_right);
}

/* What is not known has no field. */
static void set_cost(json_t *object, const struct engine_cost *cost)
{
	if (cost->walks) {
		set_count(object, "walks", cost->walks);
		set_count(object, "walk_ns", cost->walk_ns);
	}
	if (cost->sized) {
		set_count(object, "walks_sized", cost->sized);
		set_count(object, "bytes", cost->bytes);
	}
}

static int rank_of(const struct comparison *comparison, const struct compare_engine *engine)
{
	const struct compare_engine *ranked[COMPARE_ENGINES_MAX];
	size_t count = compare_rank(comparison, ranked);

	for (size_t i = 0; i < count; i++)
		if (ranked[i] == engine)
			return (int)i + 1;
	return 0;
}

/* Where it lost the caller: at how many points. */
static json_t *lost_at_json(const struct score *score)
{
	json_t *object = json_object();

	for (unsigned int where = 0; where < LOST_AT_COUNT; where++)
		if (score->lost_at[where])
			set_count(object, lost_at_name(where), score->lost_at[where]);
	return object;
}

static void print_score(FILE *file, const char *program, const char *kernel,
			const struct comparison *comparison, const struct compare_engine *engine)
{
	const struct score *score = &engine->score;
	json_t *object = begin("score", program, kernel), *stops = json_object();

	json_object_set_new(object, "engine", json_string(engine->engine->name));
	set_count(object, "points", score->points);
	for (unsigned int match = 0; match < MATCH_COUNT; match++)
		set_count(object, match_name(match), score->match[match]);
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (score->stop[stop])
			set_count(stops, stop_reason_name(stop), score->stop[stop]);
	json_object_set_new(object, "stops", stops);
	set_count(object, "points_covered", score->covered);
	set_count(object, "exact_covered", score->exact_covered);
	set_count(object, "points_shared", score->shared);
	set_count(object, "exact_shared", score->exact_shared);
	set_count(object, "points_sound", score->sound);
	set_count(object, "exact_sound", score->exact_sound);
	set_count(object, "false_complete", score->false_complete);
	set_count(object, "silent", score->silent);
	set_count(object, "untrapped", score->untrapped);
	set_count(object, "unproven", score->unproven);
	set_count(object, "frames", score->frames);
	set_count(object, "frames_own", score->frames_own);
	set_count(object, "frames_own_right", score->frames_own_right);
	json_object_set_new(object, "lost_at", lost_at_json(score));
	set_count(object, "rank", rank_of(comparison, engine));
	set_cost(object, &engine->cost);
	if (comparison->follows_frame_pointers && engine->engine->can_follow)
		set_guesses(object, score);
	if (engine->engine->external)
		compare_external_json(object, engine);
	if (engine->engine->driven)
		compare_driven_json(object, engine);
	if (engine->engine->part == ENGINE_PART_BPF) {
		json_object_set_new(object, "method", json_string(comparison->bpf_method));
		json_set_hex(object, "digest", comparison->digest);
	}
	print(file, object);
}

static void print_requirement(FILE *file, const char *program, const char *kernel,
			      const struct comparison *comparison,
			      const struct requirement *requirement)
{
	struct requirement_verdict verdict;
	json_t *object = begin("requirement", program, kernel);
	char text[128];

	requirement_judge(requirement, comparison, &verdict);
	requirement_text(requirement, text, sizeof(text));
	json_object_set_new(object, "requirement", json_bytes(text));
	json_object_set_new(object, "engine", json_bytes(requirement->engine));
	json_object_set_new(object, "field", json_string(requirement->field));
	json_object_set_new(object, "operator",
			    json_string(requirement_relation_name(requirement->relation)));
	json_object_set_new(object, "wanted",
			    json_real((double)requirement->number / (double)requirement->scale));
	if (verdict.result != REQUIREMENT_NOT_JUDGED)
		json_object_set_new(object, "value", json_real(verdict.value));
	json_object_set_new(object, "result", json_string(requirement_result_name(verdict.result)));
	json_object_set_new(object, "message", json_string(verdict.message));
	print(file, object);
}

/* How the program ended, and whether the run was whole. */
static void set_ending(json_t *object, const struct comparison *comparison)
{
	char ending[128];

	compare_ending_text(comparison, ending, sizeof(ending));
	json_object_set_new(object, "ending", json_bytes(ending));
	set_count(object, "points_per_second", compare_points_per_second(comparison));
	set_count(object, "unread", comparison->unread);
	run_cut_json(object, &comparison->cut);
}

/* What an attached run has cost the process. */
static json_t *attached(const struct comparison *comparison)
{
	const struct tracer_bursts *bursts = &comparison->truth.bursts;
	json_t *object = json_object(), *ends = json_object();

	set_count(object, "pid", (uint64_t)comparison->pid);
	set_count(object, "bursts", bursts->count);
	for (unsigned int end = 0; end < BURST_END_COUNT; end++)
		if (bursts->end[end])
			set_count(ends, burst_end_name(end), bursts->end[end]);
	json_object_set_new(object, "bursts_ended", ends);
	set_count(object, "bare", bursts->bare);
	set_count(object, "stopped_ns", bursts->stopped_ns);
	set_count(object, "stopped_longest_ns", bursts->longest_ns);
	set_count(object, "share", comparison->attach->share);
	set_count(object, "burst", comparison->attach->burst_steps);
	set_count(object, "stop_ms", comparison->attach->burst_ms);
	return object;
}

static void print_verdicts(FILE *file, const char *program, const char *kernel,
			   const struct comparison *comparison)
{
	const uint64_t *verdict = comparison->verdict;
	struct gate gate;
	json_t *object = begin("verdicts", program, kernel), *truth = json_object();

	set_count(object, "points", comparison->points);
	set_count(object, "exact", verdict[VERDICT_EXACT]);
	set_count(object, "table_fault", verdict[VERDICT_TABLE_FAULT]);
	set_count(object, "table_fault_missing", comparison->missing);
	set_count(object, "reader_fault", verdict[VERDICT_READER_FAULT]);
	set_count(object, "conversion_loss",
		  verdict[VERDICT_CONVERSION_LOSS_SILENT] +
			  verdict[VERDICT_CONVERSION_LOSS_FLAGGED]);
	set_count(object, "conversion_loss_silent", verdict[VERDICT_CONVERSION_LOSS_SILENT]);
	set_count(object, "conversion_loss_flagged", verdict[VERDICT_CONVERSION_LOSS_FLAGGED]);
	set_count(object, "walk_fault", verdict[VERDICT_WALK_FAULT]);
	set_count(object, "kernel_fault", 0); /* needs several kernels: `run` finds them */
	set_count(object, "unexplained", verdict[VERDICT_UNEXPLAINED]);
	set_count(object, "absent", verdict[VERDICT_ABSENT]);
	set_count(object, "unproven", verdict[VERDICT_UNPROVEN]);
	json_object_set_new(object, "unproven_by", doubts_json(comparison->unproven));
	set_count(object, "doubts", comparison->doubts);
	set_count(object, "uncovered", comparison->uncovered);
	set_count(object, "findings_not_kept", comparison->findings.not_kept);
	set_count(object, "ignored", comparison_ignored(comparison));
	set_count(object, "ignored_findings", comparison->ignored_findings);
	if (comparison->synthesized) {
		json_t *synthesized = json_object();

		set_count(synthesized, "images", comparison->synthesized->images);
		set_count(synthesized, "functions", comparison->synthesized->functions);
		set_count(synthesized, "written", comparison->synthesized->written);
		set_count(synthesized, "replaced", comparison->synthesized->replaced);
		json_object_set_new(object, "synthesized", synthesized);
	}
	set_count(truth, "steps", comparison->truth.steps);
	set_count(truth, "threads", comparison->truth.threads);
	set_count(truth, "children", comparison->truth.children);
	set_count(truth, "untraced", comparison->truth.untraced);
	set_count(truth, "signals", comparison->truth.signals);
	set_count(truth, "unrooted", comparison->truth.unrooted);
	set_count(truth, "untrapped", comparison->truth.untrapped);
	set_count(truth, "in_transit", comparison->transit);
	set_count(truth, "unknown_instructions", comparison->truth.unknown_instructions);
	set_count(truth, "stale_instructions", comparison->truth.stale_instructions);
	set_count(truth, "moved", comparison->truth.moved);
	set_count(truth, "merged_steps", comparison->truth.merged_steps);
	set_count(truth, "rseq_sections", comparison->truth.rseq_sections);
	set_count(truth, "rseq_aborts", comparison->truth.rseq_aborts);
	set_count(truth, "timer_signals", comparison->truth.timer_signals);
	set_count(truth, "timer_signals_late", comparison->truth.timer_signals_late);
	set_count(truth, "frames", comparison->truth.frames);
	set_count(truth, "min_frames", comparison->truth.min_frames);
	set_count(truth, "max_frames", comparison->truth.max_frames);
	set_count(truth, "returns", comparison->truth.returns);
	set_count(truth, "returns_replaced", comparison->truth.returns_replaced);
	set_count(truth, "returns_stray", comparison->truth.returns_stray);
	set_count(truth, "returns_doubled", comparison->truth.returns_doubled);
	set_count(truth, "returns_registers", comparison->truth.returns_registers);
	set_count(truth, "call_mismatches", comparison->truth.call_mismatches);
	set_count(truth, "taken_off", comparison->truth.taken_off);
	set_count(truth, "abandoned", comparison->truth.abandoned);
	set_count(truth, "put_back", comparison->truth.put_back);
	set_count(truth, "frames_moved", comparison->truth.frames_moved);
	set_count(truth, "disturbances", comparison->truth.disturbances);
	set_count(truth, "stack_switches", comparison->truth.stack_switches);
	json_object_set_new(object, "truth", truth);
	if (comparison->attach)
		json_object_set_new(object, "attached", attached(comparison));
	json_set_hex(object, "truth_digest", comparison->truth_digest);
	json_object_set_new(object, "seconds", json_real(comparison->elapsed_ns / 1e9));
	set_count(object, "status", comparison->status);
	set_ending(object, comparison);
	comparison_gate(comparison, &gate);
	gate_json(&gate, object);
	print(file, object);
}

void compare_print_json(FILE *file, const char *program, const struct comparison *comparison)
{
	struct utsname kernel;

	uname(&kernel);
	for (size_t i = 0; i < comparison->findings.count; i++)
		if (comparison->findings.finding[i].count)
			print_finding(file, program, kernel.release,
				      &comparison->findings.finding[i]);
	for (size_t i = 0; i < comparison->findings.count; i++)
		print_unproven_place(file, program, kernel.release,
				     &comparison->findings.finding[i]);
	for (size_t i = 0; i < comparison->engine_count; i++)
		if (comparison->engine[i].skipped)
			print_skip(file, program, kernel.release, &comparison->engine[i]);
	for (size_t i = 0; i < comparison->engine_count; i++)
		if (!comparison->engine[i].skipped)
			print_score(file, program, kernel.release, comparison,
				    &comparison->engine[i]);
	for (size_t i = 0; i < comparison->requirement_count; i++)
		print_requirement(file, program, kernel.release, comparison,
				  &comparison->requirement[i]);
	print_verdicts(file, program, kernel.release, comparison);
}
