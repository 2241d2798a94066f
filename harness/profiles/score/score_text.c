/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_text.c - a profile's score for people: a table, the worst functions, findings
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "plain_text.h"
#include "score.h"

#define FRAME_TEXT_BYTES       600
#define OTHER_NAMES_SHOWN      5
#define IMAGES_SHOWN	       5
#define NAMES_SHOWN	       5
#define TRUTH_UNPROVEN_PERCENT 10 /* more is said first */

/* What makes a truth say little: why its points are unproven. */
static void print_unproven(FILE *file, const char *path, const struct score_truth *truth)
{
	static const char prefix[] = "unproven_";
	const char *separator = "";

	if (score_truth_unproven(truth) <= TRUTH_UNPROVEN_PERCENT)
		return;
	fprintf(file, "truth %s: %.2f %% of its points are unproven, and accuse nobody: ",
		PLAIN_TEXT(path), score_truth_unproven(truth));
	for (size_t i = 0; i < truth_file_field_count(truth->file); i++) {
		const struct truth_field *field = truth_file_field(truth->file, i);

		if (field->text || strncmp(field->name, prefix, strlen(prefix)) != 0)
			continue;
		fprintf(file, "%s%" PRIu64 " %s", separator, field->number,
			PLAIN_TEXT(field->name + strlen(prefix)));
		separator = ", ";
	}
	fprintf(file, "%s\n", *separator ? "" : "no reason is known");
}

/* What the truth of a process that ran already is worth, and what it has cost that. */
static void print_bursts(FILE *file, const struct score_truth *truth)
{
	fprintf(file,
		", in %" PRIu64 " bursts, which stopped it for %.1f ms of %.1f s, at most %.1f ms "
		"without a break: what they did not see is unproven, unless the code refutes it\n",
		truth_file_number(truth->file, "bursts"),
		truth_file_number(truth->file, "stopped_ns") / 1e6,
		truth_file_number(truth->file, "elapsed_ns") / 1e9,
		truth_file_number(truth->file, "stopped_longest_ns") / 1e6);
}

void score_print_truth_text(FILE *file, const char *path, const struct score_truth *truth)
{
	const char *gap = score_truth_gap(truth);
	size_t images = truth_file_image_count(truth->file);

	print_unproven(file, path, truth);
	fprintf(file, "truth %s: %s, %" PRIu64 " points, %u stacks", PLAIN_TEXT(path),
		PLAIN_TEXT(truth->program), truth_file_number(truth->file, "points"),
		truth->stacks);
	if (score_truth_attached(truth))
		print_bursts(file, truth);
	else
		fprintf(file, "%s%s\n",
			gap ? ", not all of the run, so that nothing is impossible: " : "",
			gap ? gap : "");
	for (size_t i = 0; i < images; i++)
		if (truth->image[i].other_build || truth->image[i].is_unproven)
			fprintf(file,
				"truth %s: %s is %s: its functions have no names, and what differs "
				"there is unproven\n",
				PLAIN_TEXT(path), PLAIN_TEXT(truth->image[i].truth->path),
				truth->image[i].other_build ? "another build by now"
							    : "not proven to be what ran");
}

/* ---- the table -------------------------------------------------------------------------------- */

static void print_share(FILE *file, uint64_t count, uint64_t all)
{
	fprintf(file, " %10" PRIu64 " %6.2f %%", count, all ? 100.0 * count / all : 0);
}

static void print_table(FILE *file, const struct score *score, const struct score_shown *shown)
{
	fprintf(file, "%s: %s", PLAIN_TEXT(shown->profile),
		profile_format_name(score->profile.format));
	if (profile_scale(&score->profile) > 1)
		fprintf(file, ", whose counts are fractions: in parts of %" PRIu64 " here",
			profile_scale(&score->profile));
	fputc('\n', file);
	fprintf(file, "%10s %19s %19s %19s %19s %19s\n", "samples", "exact", "truncated",
		"impossible", "unproven", "not compared");
	fprintf(file, "%10" PRIu64, score->samples);
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		print_share(file, score->all.class[i], score -> samples);
	fputc('\n', file);
}

/* "  unproven: names 3 (names can't decide)": what a class is made of. */
static void print_reasons(FILE *file, const struct score *score, enum score_reason first,
			  enum score_reason last, const char *class)
{
	const char *separator = "  ";

	for (enum score_reason i = first; i <= last; i++) {
		if (!score->reason[i])
			continue;
		fprintf(file, "%s%s%s%" PRIu64 " %s", separator, *separator == ' ' ? class : "",
			*separator == ' ' ? ": " : "", score->reason[i], score_reason_text(i));
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', file);
}

/* Files that came where the truth has an image after the profile was written. */
static void print_builds(FILE *file, const struct score *score)
{
	const struct score_truth *truth = score->truth;

	for (size_t i = 0; i < truth_file_image_count(truth->file); i++)
		if (score->reason[SCORE_BUILD] && truth->image[i].is_newer)
			fprintf(file, "  %s is newer than the profile\n",
				PLAIN_TEXT(truth->image[i].truth->path));
	if (score->reason[SCORE_BUILD] && !truth->same.build)
		fputs("  of some images the profile has no build-id (perf record --buildid-mmap "
		      "has); "
		      "--same build, if it is of the files that are here\n",
		      file);
	if (score->reason[SCORE_UNSEEN] && !truth->same.run)
		fputs("  --same run, if the program does the same in each run\n", file);
}

/* Of an attached process's samples that agree: how much of them the truth knows. */
static void print_known(FILE *file, const struct score *score)
{
	uint64_t open = score->reason[SCORE_OPEN];

	if (open && score_truth_attached(score->truth))
		fprintf(file,
			"  agree as far as the truth is known: %" PRIu64
			" samples, in %.1f of their %.1f frames\n",
			open, (double)score->open_known / open, (double)score->open_frames / open);
}

/* Names of which it is not known that a thread of the program had them. */
static void print_other_names(FILE *file, const struct score *score)
{
	struct error error;
	uint32_t count;
	FREED uint32_t *name = score_other_names(score, &count, &error);

	if (!name)
		error_print(stderr, NULL, &error);
	for (uint32_t i = 0; i < count && i < OTHER_NAMES_SHOWN; i++)
		fprintf(file, "%s%" PRIu64 " %s", i ? ", " : "  names that are not the program's: ",
			score->other_count[name[i]],
			PLAIN_TEXT(profile_texts_get(&score->other_name, name[i])));
	if (count > OTHER_NAMES_SHOWN)
		fprintf(file, " and %u more", count - OTHER_NAMES_SHOWN);
	if (count)
		fputs(" (--comm NAME, if a thread of it has it)\n", file);
}

/* Frames that are called what their addresses are not. */
static void print_said(FILE *file, const struct score *score)
{
	const struct score_called *called = &score->called;
	char text[FRAME_TEXT_BYTES];

	if (!called->contradict)
		return;
	fprintf(file,
		"  names that contradict their addresses: of %" PRIu64 " different frames (%" PRIu64
		" checked, of %" PRIu64 " that have both), in %" PRIu64 " samples\n",
		called->contradict, called->checked, called->frames, called->samples);
	for (size_t i = 0; i < called->contradict && i < NAMES_SHOWN; i++) {
		const struct profile_frame *in = profile_frame(&score->profile,
							       called->first[i].frame);

		score_called_found(score, &called->first[i], text, sizeof(text));
		fprintf(file, "    0x%" PRIx64 ": it says %s", in->address,
			PLAIN_TEXT(profile_text(&score->profile, in->name)));
		fprintf(file, ", there is %s\n", PLAIN_TEXT(text));
	}
}

static void print_lost(FILE *file, const struct score *score)
{
	const struct profile *profile = &score->profile;

	if (profile->dropped)
		fprintf(file, "  lost by the profiler, as it says itself: %" PRIu64 " events\n",
			profile->dropped);
	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		if (profile->lost[i])
			fprintf(file, "  not read: %" PRIu64 " with %s\n", profile->lost[i],
				profile_loss_text(i));
	if (profile->errors.count)
		fprintf(file, "  not read: the first at %s %" PRIu64 ": %s\n",
			profile_place_word(profile->format), profile->errors.error[0].offset,
			PLAIN_TEXT(profile->errors.error[0].message));
}

/* Which of the samples have one stack that they must have. */
static void print_moments(FILE *file, const struct score *score)
{
	if (!score->moments)
		return;
	if (score->other_clock)
		fputs("  its times are of another clock than the truth's: any true stack agrees\n",
		      file);
	else
		fprintf(file, "  held against the stack at that very moment: %" PRIu64 "\n",
			score->at_moments);
}

/* ---- images ----------------------------------------------------------------------------------- */

static void print_images(FILE *file, const struct score *score)
{
	struct error error;
	uint32_t count;
	FREED uint32_t *worst = score_worst_images(score, &count, &error);
	size_t images = truth_file_image_count(score->truth->file);

	if (!worst)
		error_print(stderr, NULL, &error);
	if (count)
		fprintf(file, "%10s %10s %10s %10s  in which image\n", "impossible", "truncated",
			"unproven", "exact");
	for (uint32_t i = 0; i < count && i < IMAGES_SHOWN; i++) {
		const uint64_t *class = score->image[worst[i]].class;
		const char *none = class[SCORE_IMPOSSIBLE] ? "none: no frame agrees"
							   : "none for certain";

		fprintf(file, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s\n",
			class[SCORE_IMPOSSIBLE], class[SCORE_TRUNCATED], class[SCORE_UNPROVEN],
			class[SCORE_EXACT],
			worst[i] < images ? PLAIN_TEXT(score->truth->image[worst[i]].name) : none);
	}
	if (count > IMAGES_SHOWN)
		fprintf(file, "%45s and %u more\n", "", count - IMAGES_SHOWN);
}

/* ---- functions -------------------------------------------------------------------------------- */

static void function_text(const struct score *score, uint32_t number, char *text, size_t size)
{
	const struct score_truth *truth = score->truth;
	const struct score_function *function = &truth->function[number];

	if (!number)
		snprintf(text, size,
			 score->function[0].class[SCORE_IMPOSSIBLE]
				 ? "where the program never stood"
				 : "in no one function for certain");
	else
		snprintf(text, size, "%s (%s)", function->name, truth->image[function->image].name);
}

static void print_functions(FILE *file, const struct score *score, const struct score_shown *shown)
{
	struct error error;
	uint32_t count;
	FREED uint32_t *worst = score_worst_functions(score, &count, &error);
	char text[FRAME_TEXT_BYTES];

	if (!worst)
		error_print(stderr, NULL, &error);
	if (count)
		fprintf(file, "%10s %10s %10s %10s  where the walk ended or went wrong\n",
			"impossible", "truncated", "unproven", "exact");
	for (uint32_t i = 0; i < count && i < shown->functions; i++) {
		const uint64_t *class = score->function[worst[i]].class;

		function_text(score, worst[i], text, sizeof(text));
		fprintf(file, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s\n",
			class[SCORE_IMPOSSIBLE], class[SCORE_TRUNCATED], class[SCORE_UNPROVEN],
			class[SCORE_EXACT], PLAIN_TEXT(text));
	}
	if (count > shown->functions)
		fprintf(file, "%45s and %" PRIu64 " more\n", "", count - shown->functions);
}

/* ---- a driven profiler ------------------------------------------------------------------------- */

#define LOST_SHOWN 5

/* Functions in whose stacks points have no sample. */
static void print_lost_points(FILE *file, const struct score *score)
{
	struct score_tally_function lost[LOST_SHOWN];
	size_t count = score_tally_lost(score->tally, lost, LOST_SHOWN);
	char text[FRAME_TEXT_BYTES];

	if (count)
		fprintf(file, "%10s %10s  points without an exact sample, in which function\n",
			"without", "points");
	for (size_t i = 0; i < count; i++) {
		function_text(score, lost[i].function, text, sizeof(text));
		fprintf(file, "%10" PRIu64 " %10" PRIu64 "  %s\n", lost[i].lost, lost[i].points,
			PLAIN_TEXT(text));
	}
}

static void print_driven(FILE *file, const struct score *score, const struct score_driven *driven)
{
	uint64_t absent = score_absent(score);
	struct score_tally_sums sums;

	if (!score->tally)
		return;
	sums = score_tally_sums(score->tally);
	fprintf(file,
		"driven at %" PRIu64 " points: %" PRIu64 " have an exact sample (%.2f %%), %" PRIu64
		" another one, %" PRIu64 " none\n",
		sums.points, sums.counted, sums.points ? 100.0 * sums.counted / sums.points : 0,
		sums.lost - absent, absent);
	if (sums.unproven + sums.open)
		fprintf(file,
			"  and at %" PRIu64 " whose truth is in doubt, %" PRIu64
			" where it is known only so far\n",
			sums.unproven, sums.open);
	if (sums.surplus + sums.in_kernel)
		fprintf(file,
			"  exact samples beyond their stack's points: %" PRIu64 ", and %" PRIu64
			" in system calls\n",
			sums.surplus, sums.in_kernel);
	if (sums.undecided)
		fprintf(file, "  exact samples whose names mean several stacks: %" PRIu64 "\n",
			sums.undecided);
	if (driven && driven->counted)
		fprintf(file, "  the BPF program ran %" PRIu64 " times, %.1f us each\n",
			driven->runs, driven->runs ? driven->ns / 1e3 / driven->runs : 0);
	print_lost_points(file, score);
}

/* ---- findings --------------------------------------------------------------------------------- */

static void print_frames(FILE *file, struct score *score, const struct score_finding *finding)
{
	char text[FRAME_TEXT_BYTES];
	struct error error;
	uint32_t last = finding->agree + 3; /* some of what follows */

	for (uint32_t i = 0; i < finding->frames && i <= last; i++) {
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      finding->frame[i], &error);
		bool inlined = score->profile.frame[finding->frame[i]].flags & PROFILE_INLINED;

		if (!frame)
			return;
		if (finding->agree > 5 && i >= 2 && i + 2 < finding->agree) {
			if (i == 2)
				fprintf(file, "        ... %u more that agree\n",
					finding->agree - 4);
			continue;
		}
		score_frame_describe(score->truth, &score->profile, finding->frame[i], frame,
				     score_is_return(score, finding->frame, i), text, sizeof(text));
		fprintf(file, "    %s %3u  %s%s\n", i == finding->agree ? "->" : "  ", i,
			PLAIN_TEXT(text), inlined ? " (inlined)" : "");
	}
	if (finding->frames > last + 1)
		fprintf(file, "        ... %u more\n", finding->frames - last - 1);
}

static void print_finding(FILE *file, struct score *score, const struct score_finding *finding)
{
	char text[FRAME_TEXT_BYTES];

	fprintf(file, "impossible x %" PRIu64 ": %s (frame %u; the first at %s %" PRIu64 ")\n",
		finding->count, score_reason_text(finding->reason), finding->agree,
		profile_place_word(score->profile.format), finding->place);
	print_frames(file, score, finding);
	if (finding->callers)
		fputs("    the truth has there: ", file);
	for (size_t i = 0; i < finding->callers; i++) {
		function_text(score, finding->caller[i], text, sizeof(text));
		fprintf(file, "%s%s", PLAIN_TEXT(text),
			i + 1 < finding->callers     ? ", "
			: i + 1 == SCORE_CALLERS_MAX ? ", ...\n"
						     : "\n");
	}
	if (finding->repair == SCORE_LEFT_OUT) {
		function_text(score, finding->left_out, text, sizeof(text));
		fprintf(file, "    with %s between them it would agree: a frame was left out\n",
			PLAIN_TEXT(text));
	} else if (finding->repair == SCORE_PUT_IN) {
		fprintf(file, "    without that frame it would agree\n");
	}
}

static void print_thin(FILE *file, const struct score *score, const struct score_shown *shown)
{
	uint64_t unproven = score_unproven(score),
		 subjects = score->samples - score->all.class[SCORE_SKIPPED];

	if (score_is_thin(score))
		fprintf(file,
			"%s: %" PRIu64 " of %" PRIu64 " samples (%.2f %%) are unproven: what "
			"follows says little of this profile\n",
			PLAIN_TEXT(shown->profile), unproven, subjects,
			100.0 * unproven / subjects);
}

void score_print_text(FILE *file, struct score *score, const struct score_shown *shown)
{
	score_sort_findings(score);
	print_thin(file, score, shown);
	print_table(file, score, shown);
	print_reasons(file, score, SCORE_LEAF, SCORE_CALLEE, "impossible");
	print_reasons(file, score, SCORE_OPEN, SCORE_NO_ENTRY, "unproven");
	print_builds(file, score);
	print_known(file, score);
	print_moments(file, score);
	print_reasons(file, score, SCORE_EMPTY, SCORE_OTHER_BUILD, "not compared");
	print_other_names(file, score);
	print_said(file, score);
	print_lost(file, score);
	print_driven(file, score, shown->driven);
	print_images(file, score);
	print_functions(file, score, shown);
	for (uint32_t i = 0; i < score->findings && i < shown->findings; i++)
		print_finding(file, score, &score->finding[i]);
	if (score->findings > shown->findings)
		fprintf(file, "and %" PRIu64 " more findings\n", score->findings - shown->findings);
	if (score->findings_not_kept)
		fprintf(file, "and %" PRIu64 " impossible samples of further findings\n",
			score->findings_not_kept);
}
