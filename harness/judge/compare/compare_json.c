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
#include "hex_text.h"

static void print(FILE *file, json_t *object)
{
	if (object) {
		json_dumpf(object, file, JSON_COMPACT);
		fputc('\n', file);
	}
	json_decref(object);
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

		JSON_SET(object, "image", frame->image, "function", frame->function, "address",
			 json_hex(frame->vaddr), "method", frame_method(finding, i), "right",
			 frame->right);
		json_array_append_new(frames, object);
	}
	return frames;
}

/* What each object begins with. */
static json_t *begin(const char *type, const char *program, const char *kernel)
{
	return JSON_NEW("type", type, "program", program, "kernel", kernel, "kernel_release",
			kernel);
}

static void set_function(json_t *object, const struct finding *finding)
{
	JSON_SET(object, "kind", fault_kind_name(finding->first.kind), "image", finding->image,
		 "function", finding->function);
}

/* Which build of the image it is of. */
static void set_build(json_t *object, const struct finding *finding)
{
	char text[2 * BUILD_ID_MAX + 1], digest[CODE_DIGEST_TEXT];

	JSON_SET(object, "image_build_id",
		 finding->build_id_size ? hex_text(text, finding->build_id, finding->build_id_size)
					: NULL,
		 "image_digest",
		 finding->digest.code ? code_digest_print(&finding->digest, digest) : NULL);
}

static void set_place(json_t *object, const struct finding *finding)
{
	JSON_SET(object, "place", finding->place, "address", json_hex(finding->vaddr),
		 "instruction", finding->instruction, "declared", finding->declared, "frame",
		 finding->first.frame);
}

static void print_finding(FILE *file, const char *program, const char *kernel,
			  const struct finding *finding)
{
	const struct judgement *first = &finding->first;
	json_t *object = begin("finding", program, kernel);

	JSON_SET(object, "verdict", verdict_name(first->verdict));
	set_function(object, finding);
	set_build(object, finding);
	JSON_SET(object, "start_file", finding->start_file, "named_by_debug",
		 finding->named_by_debug ? json_true() : NULL);
	set_place(object, finding);
	if (first->kind == FAULT_SFRAME_LOSS)
		JSON_SET(object, "loss", sframe_loss_name(first->loss));
	JSON_SET(object, "stop", stop_reason_name(first->stop), "declared_cfa",
		 first->declared_cfa ? json_hex(first->declared_cfa) : NULL, "actual_cfa",
		 first->actual_cfa ? json_hex(first->actual_cfa) : NULL, "count", finding->count,
		 "ignored", finding->ignored);
	if (finding->followed) {
		JSON_SET(object, "guessed_points", finding->followed, "guessed_exact",
			 finding->followed_exact);
	}
	if (finding->frame_count) {
		JSON_SET(object, "frames", finding_frames(finding), "frames_left_out",
			 finding->frames_left_out);
	}
	print(file, object);
}

/* Of so many points of each reason; what there is none of is left out. */
static json_t *doubts_json(const uint64_t unproven[DOUBT_REASON_COUNT])
{
	json_t *object = json_object();

	for (unsigned int reason = 0; reason < DOUBT_REASON_COUNT; reason++)
		if (unproven[reason])
			JSON_SET(object, doubt_reason_name(reason), unproven[reason]);
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
	JSON_SET(object, "count", count, "reasons", doubts_json(finding->unproven));
	print(file, object);
}

static void print_skip(FILE *file, const char *program, const char *kernel,
		       const struct compare_engine *engine)
{
	json_t *object = begin("skip", program, kernel);

	JSON_SET(object, "engine", engine->engine->name, "reason",
		 engine->engine->in_kernel ? "no_bpf" : "unavailable", "message",
		 engine->skip.message);
	print(file, object);
}

static void set_guesses(json_t *object, const struct engine_score *score)
{
	const struct guesses *guesses = &score->guesses;
	json_t *points = json_object(), *methods = json_object();
	uint64_t all = 0;

	for (unsigned int match = 0; match < MATCH_COUNT; match++) {
		JSON_SET(points, match_name(match), guesses->match[match]);
		all += guesses->match[match];
	}
	JSON_SET(points, "points", all);
	JSON_SET(object, "guessed", points);
	JSON_SET(methods, "registers", score->points, "cfi",
		 score->frames - score->points - guesses->frames, "frame_pointer", guesses->frames);
	JSON_SET(object, "frames_by_method", methods, "frames_guessed_right",
		 guesses->frames_right);
}

/* What is not known has no field. */
static void set_cost(json_t *object, const struct engine_cost *cost)
{
	if (cost->walks) {
		JSON_SET(object, "walks", cost->walks, "walk_ns", cost->walk_ns);
	}
	if (cost->sized) {
		JSON_SET(object, "walks_sized", cost->sized, "bytes", cost->bytes);
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
static json_t *lost_at_json(const struct engine_score *score)
{
	json_t *object = json_object();

	for (unsigned int where = 0; where < LOST_AT_COUNT; where++)
		if (score->lost_at[where])
			JSON_SET(object, lost_at_name(where), score->lost_at[where]);
	return object;
}

static void print_score(FILE *file, const char *program, const char *kernel,
			const struct comparison *comparison, const struct compare_engine *engine)
{
	const struct engine_score *score = &engine->score;
	json_t *object = begin("score", program, kernel), *stops = json_object();

	JSON_SET(object, "engine", engine->engine->name, "points", score->points);
	for (unsigned int match = 0; match < MATCH_COUNT; match++)
		JSON_SET(object, match_name(match), score->match[match]);
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (score->stop[stop])
			JSON_SET(stops, stop_reason_name(stop), score->stop[stop]);
	JSON_SET(object, "stops", stops, "points_covered", score->covered, "exact_covered",
		 score->exact_covered, "points_shared", score->shared, "exact_shared",
		 score->exact_shared, "points_sound", score->sound, "exact_sound",
		 score->exact_sound, "false_complete", score->false_complete, "silent",
		 score->silent, "untrapped", score->untrapped, "unproven", score->unproven,
		 "frames", score->frames, "frames_own", score->frames_own, "frames_own_right",
		 score->frames_own_right, "lost_at", lost_at_json(score), "rank",
		 rank_of(comparison, engine));
	set_cost(object, &engine->cost);
	if (comparison->follows_frame_pointers && engine->engine->can_follow)
		set_guesses(object, score);
	if (engine->engine->external)
		compare_external_json(object, engine);
	if (engine->engine->driven)
		compare_driven_json(object, engine);
	if (engine->engine->part == ENGINE_PART_BPF) {
		JSON_SET(object, "method", comparison->bpf_method, "digest",
			 json_hex(comparison->digest));
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
	JSON_SET(object, "requirement", text, "engine", requirement->engine, "field",
		 requirement->field, "operator", requirement_relation_name(requirement->relation),
		 "wanted", (double)requirement->number / (double)requirement->scale);
	if (verdict.result != REQUIREMENT_NOT_JUDGED)
		JSON_SET(object, "value", verdict.value);
	JSON_SET(object, "result", requirement_result_name(verdict.result), "message",
		 verdict.message);
	print(file, object);
}

/* How the program ended, and whether the run was whole. */
static void set_ending(json_t *object, const struct comparison *comparison)
{
	char ending[128];

	compare_ending_text(comparison, ending, sizeof(ending));
	JSON_SET(object, "ending", ending, "points_per_second",
		 (uint64_t)compare_points_per_second(comparison), "unread", comparison->unread);
	run_cut_json(object, &comparison->cut);
}

/* What an attached run has cost the process. */
static json_t *attached(const struct comparison *comparison)
{
	const struct tracer_bursts *bursts = &comparison->truth.bursts;
	json_t *object = json_object(), *ends = json_object();

	JSON_SET(object, "pid", (uint64_t)comparison->pid, "bursts", bursts->count);
	for (unsigned int end = 0; end < BURST_END_COUNT; end++)
		if (bursts->end[end])
			JSON_SET(ends, burst_end_name(end), bursts->end[end]);
	JSON_SET(object, "bursts_ended", ends, "bare", bursts->bare, "stopped_ns",
		 bursts->stopped_ns, "stopped_longest_ns", bursts->longest_ns, "share",
		 comparison->attach->share, "burst", comparison->attach->burst_steps, "stop_ms",
		 comparison->attach->burst_ms);
	return object;
}

/* Which of the processes that were met. */
static json_t *process_json(const struct comparison *comparison)
{
	return JSON_NEW("pid", (uint64_t)comparison->pid, "number", (uint64_t)comparison->number,
			"whole", json_boolean(!comparison_in_bursts(comparison)), "ended",
			comparison->process_ended);
}

/* Of tables made of SFrame: at how many points which loss. What there is none of is left out. */
static void set_sframe(json_t *object, const struct comparison *comparison)
{
	json_t *losses = json_object();

	for (unsigned int loss = 0; loss < SFRAME_LOSS_COUNT; loss++)
		if (comparison->sframe_loss[loss])
			JSON_SET(losses, sframe_loss_name(loss), comparison->sframe_loss[loss]);
	JSON_SET(object, "table", compare_table_name(comparison->table), "sframe_losses", losses);
}

static void print_verdicts(FILE *file, const char *program, const char *kernel,
			   const struct comparison *comparison)
{
	const struct compare_synthesized *synthesized = comparison->synthesized;
	const struct tracer_counters *counters = &comparison->truth;
	const struct step_counters *rules = &counters->rules;
	const uint64_t *verdict = comparison->verdict;
	struct gate gate;
	json_t *object = begin("verdicts", program, kernel), *truth = json_object();

	JSON_SET(object, "points", comparison->points, "exact", verdict[VERDICT_EXACT],
		 "table_fault", verdict[VERDICT_TABLE_FAULT], "table_fault_missing",
		 comparison->missing, "reader_fault", verdict[VERDICT_READER_FAULT],
		 "conversion_loss",
		 verdict[VERDICT_CONVERSION_LOSS_SILENT] + verdict[VERDICT_CONVERSION_LOSS_FLAGGED],
		 "conversion_loss_silent", verdict[VERDICT_CONVERSION_LOSS_SILENT],
		 "conversion_loss_flagged", verdict[VERDICT_CONVERSION_LOSS_FLAGGED], "walk_fault",
		 verdict[VERDICT_WALK_FAULT]);
	/* What needs several kernels, `run` finds. */
	JSON_SET(object, "kernel_fault", 0, "unexplained", verdict[VERDICT_UNEXPLAINED], "absent",
		 verdict[VERDICT_ABSENT], "unproven", verdict[VERDICT_UNPROVEN], "unproven_by",
		 doubts_json(comparison->unproven), "doubts", comparison->doubts, "uncovered",
		 comparison->uncovered, "findings_not_kept", comparison->findings.not_kept,
		 "ignored", comparison_ignored(comparison), "ignored_findings",
		 comparison->ignored_findings);
	if (synthesized)
		JSON_SET(object, "synthesized",
			 JSON_NEW("images", synthesized->images, "functions",
				  synthesized->functions, "written", synthesized->written,
				  "replaced", synthesized->replaced));
	if (comparison->table != COMPARE_TABLE_CFI)
		set_sframe(object, comparison);
	JSON_SET(truth, "steps", counters->steps, "threads", counters->threads, "children",
		 counters->children, "untraced", counters->untraced, "signals", rules->signals,
		 "unrooted", counters->unrooted, "untrapped", counters->untrapped, "in_transit",
		 comparison->transit, "unknown_instructions", rules->unknown_instructions,
		 "stale_instructions", counters->stale_instructions, "moved", counters->moved,
		 "merged_steps", counters->merged_steps, "rseq_sections", counters->rseq_sections,
		 "rseq_aborts", counters->rseq_aborts, "timer_signals", counters->timer_signals,
		 "timer_signals_late", counters->timer_signals_late, "frames", counters->frames,
		 "min_frames", counters->min_frames, "max_frames", counters->max_frames, "returns",
		 rules->returns, "returns_replaced", rules->returns_replaced, "returns_stray",
		 rules->returns_stray, "returns_doubled", rules->returns_doubled,
		 "returns_registers", rules->returns_registers);
	JSON_SET(truth, "group_signals", counters->group_signals, "call_mismatches",
		 rules->call_mismatches, "taken_off", rules->taken_off, "abandoned",
		 rules->abandoned, "put_back", rules->put_back, "frames_moved", rules->frames_moved,
		 "disturbances", rules->disturbances, "stack_switches", rules->stack_switches,
		 "stacks", rules->stacks, "stacks_digest", json_hex(rules->stacks_digest));
	JSON_SET(object, "truth", truth, "attached",
		 comparison_in_bursts(comparison) ? attached(comparison) : NULL, "process",
		 comparison->attach ? process_json(comparison) : NULL, "truth_digest",
		 json_hex(comparison->truth_digest), "seconds", comparison->elapsed_ns / 1e9,
		 "status", comparison->status);
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
