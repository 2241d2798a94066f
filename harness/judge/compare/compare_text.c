/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_text.c - a comparison for people: scores, verdicts, findings
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "compare.h"
#include "plain_text.h"

#define UNPROVEN_PLACES_MAX 20 /* in text; JSON has all */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_stops(FILE *file, const struct engine_score *score)
{
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (score->stop[stop])
			fprintf(file, " %s %" PRIu64, stop_reason_name(stop), score->stop[stop]);
	if (score->silent)
		fprintf(file, " SILENT %" PRIu64, score->silent);
	fputc('\n', file);
}

static void print_scores(FILE *file, const struct comparison *comparison)
{
	fprintf(file, "%-8s %9s %9s %9s %8s %7s %7s  stops\n", "engine", "points", "exact", "",
		"truncated", "wrong", "extra");
	for (size_t i = 0; i < comparison->engine_count; i++) {
		const struct compare_engine *engine = &comparison->engine[i];
		const struct engine_score *score = &engine->score;

		if (engine->skipped) {
			fprintf(file, "%-8s skipped: %s\n", engine->engine->name,
				engine->skip.message);
			continue;
		}
		fprintf(file,
			"%-8s %9" PRIu64 " %9" PRIu64 " %7.3f %% %8" PRIu64 " %7" PRIu64
			" %7" PRIu64 " ",
			engine->engine->name, score->points, score->match[MATCH_EXACT],
			percent(score->match[MATCH_EXACT], score->points),
			score->match[MATCH_TRUNCATED], score->match[MATCH_WRONG],
			score->match[MATCH_EXTRA]);
		print_stops(file, score);
	}
}

static void print_guesses(FILE *file, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->engine_count; i++) {
		const struct compare_engine *engine = &comparison->engine[i];
		const struct guesses *guesses = &engine->score.guesses;
		const uint64_t *match = guesses->match;

		if (!guesses->frames)
			continue;
		fprintf(file,
			"%s went on by frame pointers at %" PRIu64 " points: exact %" PRIu64
			", truncated %" PRIu64 ", wrong %" PRIu64 ", extra %" PRIu64 "; %" PRIu64
			" frames, %" PRIu64 " right\n",
			engine->engine->name,
			match[MATCH_EXACT] + match[MATCH_TRUNCATED] + match[MATCH_WRONG] +
				match[MATCH_EXTRA],
			match[MATCH_EXACT], match[MATCH_TRUNCATED], match[MATCH_WRONG],
			match[MATCH_EXTRA], guesses->frames, guesses->frames_right);
	}
}

/* "unproven 12 (10 disturbed, 2 open)" */
static void print_unproven(FILE *file, const struct comparison *comparison)
{
	const char *separator = "";

	fprintf(file, ", unproven %" PRIu64 " (", comparison->verdict[VERDICT_UNPROVEN]);
	for (unsigned int reason = 0; reason < DOUBT_REASON_COUNT; reason++) {
		if (!comparison->unproven[reason])
			continue;
		fprintf(file, "%s%" PRIu64 " %s", separator, comparison->unproven[reason],
			doubt_reason_name(reason));
		separator = ", ";
	}
	fputc(')', file);
}

/* "table made of SFrame; losses: cfa_register 3, no_sframe 12" */
static void print_sframe(FILE *file, const struct comparison *comparison)
{
	const char *separator = "; losses: ";

	fprintf(file, "tables made of %s", compare_table_name(comparison->table));
	for (unsigned int loss = 0; loss < SFRAME_LOSS_COUNT; loss++) {
		if (!comparison->sframe_loss[loss])
			continue;
		fprintf(file, "%s%s %" PRIu64, separator, sframe_loss_name(loss),
			comparison->sframe_loss[loss]);
		separator = ", ";
	}
	fputc('\n', file);
}

static void print_verdicts(FILE *file, const struct comparison *comparison)
{
	const uint64_t *verdict = comparison->verdict;

	if (comparison->synthesized)
		fprintf(file,
			"synthesized: rows for %" PRIu64 " of %" PRIu64
			" functions without CFI, in %" PRIu64 " images\n",
			comparison->synthesized->written, comparison->synthesized->functions,
			comparison->synthesized->images);
	if (comparison->synthesized && comparison->synthesized->replaced)
		fprintf(file, "synthesized: rows in place of theirs for %" PRIu64 " functions\n",
			comparison->synthesized->replaced);
	if (comparison->table != COMPARE_TABLE_CFI)
		print_sframe(file, comparison);
	fprintf(file, "verdicts: exact %" PRIu64, verdict[VERDICT_EXACT]);
	fprintf(file, ", table_fault %" PRIu64 " (%" PRIu64 " missing)",
		verdict[VERDICT_TABLE_FAULT], comparison->missing);
	fprintf(file, ", reader_fault %" PRIu64, verdict[VERDICT_READER_FAULT]);
	fprintf(file, ", conversion_loss %" PRIu64 " silent %" PRIu64 " flagged",
		verdict[VERDICT_CONVERSION_LOSS_SILENT], verdict[VERDICT_CONVERSION_LOSS_FLAGGED]);
	fprintf(file, ", walk_fault %" PRIu64, verdict[VERDICT_WALK_FAULT]);
	fprintf(file, ", unexplained %" PRIu64, verdict[VERDICT_UNEXPLAINED]);
	if (verdict[VERDICT_ABSENT])
		fprintf(file, ", absent %" PRIu64, verdict[VERDICT_ABSENT]);
	if (verdict[VERDICT_UNPROVEN])
		print_unproven(file, comparison);
	fputc('\n', file);
	if (comparison->ignored_findings)
		fprintf(file, "ignored: %" PRIu64 " points of these, in %" PRIu64 " findings\n",
			comparison_ignored(comparison), comparison->ignored_findings);
}

static void print_frames(FILE *file, const struct finding *finding)
{
	for (uint32_t i = 0; i < finding->frame_count; i++) {
		const struct finding_frame *frame = &finding->frame[i];
		const char *name = strrchr(frame->image, '/');

		fprintf(file, "\t             %s (%s)%s%s\n", PLAIN_TEXT(frame->function),
			PLAIN_TEXT(name		     ? name + 1
				   : frame->image[0] ? frame->image
						     : "unmapped"),
			frame->guessed ? " by the frame pointer" : "",
			frame->right ? "" : ", wrong");
	}
	if (finding->frames_left_out)
		fprintf(file, "\t             and %" PRIu32 " more\n", finding->frames_left_out);
}

/* What is not known is left out. */
static void print_cfa(FILE *file, const struct judgement *judgement)
{
	const char *separator = "\tcfa          ";

	if (judgement->declared_cfa) {
		fprintf(file, "%sdeclared 0x%" PRIx64, separator, judgement->declared_cfa);
		separator = ", ";
	}
	if (judgement->actual_cfa)
		fprintf(file, "%sactual 0x%" PRIx64, separator, judgement->actual_cfa);
	if (judgement->declared_cfa || judgement->actual_cfa)
		fputc('\n', file);
}

static int by_unproven(const void *a, const void *b)
{
	const struct finding *left = *(const struct finding *const *)a;
	const struct finding *right = *(const struct finding *const *)b;
	uint64_t of_left = finding_unproven(left, NULL, 0);
	uint64_t of_right = finding_unproven(right, NULL, 0);

	if (of_left != of_right)
		return of_left < of_right ? 1 : -1;
	return left < right ? -1 : left > right;
}

/* Where points are unproven, those with the most first. */
static void print_unproven_places(FILE *file, const struct findings *findings)
{
	FREED const struct finding **place = calloc(findings->count + 1,
						    sizeof(const struct finding *));
	size_t count = 0;
	char reasons[256];

	for (size_t i = 0; place && i < findings->count; i++)
		if (finding_unproven(&findings->finding[i], NULL, 0))
			place[count++] = &findings->finding[i];
	if (count)
		qsort(place, count, sizeof(const struct finding *), by_unproven);
	for (size_t i = 0; i < count && i < UNPROVEN_PLACES_MAX; i++) {
		uint64_t points = finding_unproven(place[i], reasons, sizeof(reasons));

		fprintf(file, "unproven (%s) x %" PRIu64 " at %s: %s\n",
			place[i]->first.kind == FAULT_NONE ? "taken back"
							   : fault_kind_name(place[i]->first.kind),
			points, PLAIN_TEXT(place[i]->place), reasons);
	}
	if (count > UNPROVEN_PLACES_MAX)
		fprintf(file, "and %zu more places where points are unproven\n",
			count - UNPROVEN_PLACES_MAX);
}

static void print_findings(FILE *file, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->finding[i];

		if (!finding->count)
			continue;
		fprintf(file, "%s (%s) x %" PRIu64 " at %s, frame %" PRIu32 "\n",
			verdict_name(finding->first.verdict), fault_kind_name(finding->first.kind),
			finding->count, PLAIN_TEXT(finding->place), finding->first.frame);
		fprintf(file, "\tinstruction  %s\n\tdeclared     %s\n",
			PLAIN_TEXT(finding->instruction), PLAIN_TEXT(finding->declared));
		if (finding->first.kind == FAULT_SFRAME_LOSS)
			fprintf(file, "\tloss         %s\n", sframe_loss_name(finding->first.loss));
		if (finding->ignored)
			fprintf(file, "\tignored      %s\n", PLAIN_TEXT(finding->ignored));
		print_cfa(file, &finding->first);
		if (finding->followed)
			fprintf(file,
				"\tguessed      at %" PRIu64 " points by the frame pointer: exact "
				"at %" PRIu64 "; at the first\n",
				finding->followed, finding->followed_exact);
		print_frames(file, finding);
	}
	print_unproven_places(file, findings);
	if (findings->not_kept)
		fprintf(file, "%" PRIu64 " more points at places that were not kept\n",
			findings->not_kept);
}

static void print_program(FILE *file, const struct comparison *comparison)
{
	uint64_t children = comparison->truth.children;
	char ending[128];

	compare_ending_text(comparison, ending, sizeof(ending));
	fprintf(file, "the program %s; %.0f points in a second", ending,
		compare_points_per_second(comparison));
	if (children)
		fprintf(file, "; %" PRIu64 " %s that it made %s not followed", children,
			children == 1 ? "process" : "processes", children == 1 ? "was" : "were");
	fputc('\n', file);
	if (comparison->truth.untraced)
		fprintf(file,
			"%" PRIu64 " threads were made so that no tracer is told (CLONE_UNTRACED): "
			"nothing is known of them\n",
			comparison->truth.untraced);
	if (comparison->truth.group_signals)
		fprintf(file,
			"%" PRIu64
			" signals that the program sent to its process group did not end the run\n",
			comparison->truth.group_signals);
	if (comparison->truth.merged_steps)
		fprintf(file,
			"%" PRIu64
			" instructions are no points: the CPU ran them together with the one "
			"before (mov ss, vsyscall)\n",
			comparison->truth.merged_steps);
	if (comparison->unread)
		fprintf(file,
			"%" PRIu64 " points could not be read: the program was being killed\n",
			comparison->unread);
}

/* What stepping does to a program that looks at the clock or relies on not being interrupted. */
static void print_disturbed(FILE *file, const struct tracer_counters *truth)
{
	if (truth->timer_signals)
		fprintf(file,
			"%" PRIu64 " signals from timers, %" PRIu64
			" of them late: a stepped program is a thousand times as slow\n",
			truth->timer_signals, truth->timer_signals_late);
	if (truth->rseq_aborts)
		fprintf(file, "%" PRIu64 " of %" PRIu64 " restartable sequences were interrupted\n",
			truth->rseq_aborts, truth->rseq_sections);
	if (truth->moved)
		fprintf(file, "%" PRIu64 " steps led where the instruction can't\n", truth->moved);
}

static void print_requirements(FILE *file, const struct comparison *comparison)
{
	static const char *const results[] = {
		[REQUIREMENT_MET] = "met",
		[REQUIREMENT_NOT_MET] = "NOT MET",
		[REQUIREMENT_NOT_JUDGED] = "NOT JUDGED",
	};

	for (size_t i = 0; i < comparison->requirement_count; i++) {
		struct requirement_verdict verdict;
		char text[128];

		requirement_judge(&comparison->requirement[i], comparison, &verdict);
		requirement_text(&comparison->requirement[i], text, sizeof(text));
		fprintf(file, "required %s: %s: %s\n", text, results[verdict.result],
			verdict.message);
	}
}

/* "whole 12, waits 3" */
static void print_burst_ends(FILE *file, const struct tracer_bursts *bursts)
{
	const char *separator = "";

	for (unsigned int end = 0; end < BURST_END_COUNT; end++) {
		if (!bursts->end[end])
			continue;
		fprintf(file, "%s%s %" PRIu64, separator, burst_end_name(end), bursts->end[end]);
		separator = ", ";
	}
}

/* What an attached run has cost the process, and why it has come to no more. */
static void print_bursts(FILE *file, const struct comparison *comparison)
{
	const struct tracer_bursts *bursts = &comparison->truth.bursts;
	double seconds = comparison->elapsed_ns / 1e9, stopped_ms = bursts->stopped_ns / 1e6;

	if (!comparison_in_bursts(comparison))
		return;
	fprintf(file,
		"process %d: %" PRIu64 " bursts; a thread was stopped for %.1f ms of %.1f s "
		"(%.1f of 1000), at most %.1f ms at once\n",
		comparison->pid, bursts->count, stopped_ms, seconds,
		seconds > 0 ? stopped_ms / seconds : 0, bursts->longest_ns / 1e6);
	fputs("the bursts ended: ", file);
	print_burst_ends(file, bursts);
	fprintf(file,
		"\n%" PRIu64 " steps are no points: no caller was known there, because the process "
		"was attached to below it\n",
		bursts->bare);
}

void compare_print_text(FILE *file, const char *program, const struct comparison *comparison)
{
	const struct tracer_counters *truth = &comparison->truth;
	struct utsname kernel;
	struct gate gate;

	uname(&kernel);
	if (run_cut_word(&comparison->cut))
		fprintf(file, "PARTIAL (%s): %s; what follows was found until then\n",
			run_cut_word(&comparison->cut), comparison->cut.early.message);
	if (comparison_is_doubtful(comparison))
		fprintf(file,
			"The truth is in doubt at %.1f %% of the points: they prove nothing.\n",
			percent(comparison->verdict[VERDICT_UNPROVEN], comparison->points));
	fprintf(file, "%s on %s: %" PRIu64 " points of %" PRIu64 " steps, %" PRIu64 " threads",
		PLAIN_TEXT(program), kernel.release, comparison->points, truth->steps,
		truth->threads);
	fprintf(file, ", truth %" PRIu64 " to %" PRIu64 " frames deep", truth->min_frames,
		truth->max_frames);
	fprintf(file, ", %.1f s\n", comparison->elapsed_ns / 1e9);
	print_program(file, comparison);
	print_bursts(file, comparison);
	if (truth->unrooted)
		fprintf(file, "%" PRIu64 " points have a truth that is only a prefix\n",
			truth->unrooted);
	print_disturbed(file, truth);
	print_scores(file, comparison);
	compare_print_ranking(file, comparison);
	compare_external_text(file, comparison);
	print_guesses(file, comparison);
	print_verdicts(file, comparison);
	print_findings(file, &comparison->findings);
	print_requirements(file, comparison);
	comparison_gate(comparison, &gate);
	if (!gate_is_clean(&gate))
		gate_print(&gate, file);
}
