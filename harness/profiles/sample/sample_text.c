/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_text.c - samples against the truth, for people
 */
#include <inttypes.h>
#include "sample.h"
#include "plain_text.h"

void sample_print_truth_text(FILE *file, const struct sample_report *report)
{
	const struct sample_truth *truth = report->truth;

	fprintf(file,
		"%s: %" PRIu64 " points stepped in %.1f s, %" PRIu64 " different stacks, "
		"up to %" PRIu32 " frames deep\n",
		PLAIN_TEXT(report->program), truth->points, truth->seconds,
		sample_set_count(truth->stacks), truth->max_frames);
	if (truth->execs)
		fprintf(file, "%" PRIu64 " programs replaced the one before\n", truth->execs);
	if (truth->open_points)
		fprintf(file, "%" PRIu64 " points have a truth that is only a prefix\n",
			truth->open_points);
	if (truth->fault_points)
		fprintf(file, "at %" PRIu64 " points the CFI is wrong or missing\n",
			truth->fault_points);
	if (truth->suspect)
		fprintf(file,
			"at %" PRIu64 " points it is not the CFI that is wrong: see `compare`\n",
			truth->suspect);
}

static void print_frame(FILE *file, const struct sample_score *score, uint64_t pc, uint32_t number)
{
	char place[320], plain[320];

	/* A return address may be the next function's first byte. */
	address_space_describe(&score->space, pc - (number > 0), place, sizeof(place));
	fprintf(file, "\t%3" PRIu32 " 0x%012" PRIx64 " %s\n", number, pc,
		plain_text(place, plain, sizeof(plain)));
}

static void print_finding(FILE *file, const struct sample_report *report,
			  const struct sample_finding *finding)
{
	const struct stack *stack = &finding->stack;
	struct stack near = { 0 };
	uint32_t common;

	fprintf(file, "  %s x %" PRIu64 ", %" PRIu32 " frames, stop %s:\n",
		sample_class_name(finding->class), finding->count, stack->count,
		stop_reason_name(stack->stop));
	for (uint32_t i = 0; i < stack->count; i++)
		print_frame(file, report->score, stack->pc[i], i);
	if (sample_set_nearest(report->truth->stacks, stack->pc, stack->count, &near, &common)) {
		fprintf(file,
			"    the nearest true stack has %" PRIu32 " frames, the outer %" PRIu32
			" the same:\n",
			near.count, common);
		for (uint32_t i = 0; i < near.count; i++)
			print_frame(file, report->score, near.pc[i], i);
	}
	stack_deinit(&near);
}

static void print_account(FILE *file, const struct sample_score *score)
{
	const struct walk_counters *counters = &score->counters;
	struct sample_balance broken;

	fprintf(file,
		"  account: %llu samples = %llu stacks + %llu busy + %llu no room + %llu no "
		"registers",
		counters->samples, counters->stacks, counters->lost_busy, counters->lost_space,
		counters->lost_regs);
	if (counters->unknown || counters->ending)
		fprintf(file, "; %llu more in unknown processes, %llu in ending ones",
			counters->unknown, counters->ending);
	if (score->entries_known)
		fprintf(file, "; the kernel counts %" PRIu64, score->entries);
	fputc('\n', file);
	if (sample_account_broken(score, &broken))
		fprintf(file, "  ACCOUNT BROKEN (%s): %s: %" PRIu64 " and %" PRIu64 "\n",
			broken.name, broken.explanation, broken.left, broken.right);
}

void sample_print_text(FILE *file, const struct sample_report *report)
{
	const struct sample_score *score = report->score;

	if (report->cut)
		fprintf(file, "PARTIAL: %s\n", PLAIN_TEXT(report->cut->early.message));
	fprintf(file, "%u Hz (%s): %" PRIu64 " stacks of %" PRIu64 " runs, %.0f in a CPU second%s",
		score->rate_hz, report->clock, score->records, score->runs, sample_actual_hz(score),
		sample_is_throttled(score) ? " (THROTTLED)" : "");
	fprintf(file, ", %" PRIu64 " of %" PRIu64 " true stacks met\n ", score->met,
		sample_set_count(report->truth->stacks));
	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++)
		fprintf(file, " %s %" PRIu64, sample_class_name(class), score->class[class]);
	fputs("; stops", file);
	for (unsigned int stop = STOP_COMPLETE; stop < STOP_REASON_COUNT; stop++)
		if (score->counters.stop[stop])
			fprintf(file, " %s %llu", stop_reason_name(stop),
				score->counters.stop[stop]);
	fputc('\n', file);
	print_account(file, score);
	for (size_t i = 0; i < score->finding_count; i++)
		print_finding(file, report, &score->finding[i]);
	if (score->findings_not_kept)
		fprintf(file, "  %" PRIu64 " more such samples were not kept\n",
			score->findings_not_kept);
}
