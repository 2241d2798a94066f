/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_judge.c - a profile's samples, each held against the truth and counted
 *
 * A sample's count goes to a class, to a reason, and to a function: that of its leaf if it is
 * exact; else that of the last frame that agrees, whose caller is wrong or was not found. That is
 * the function whose unwinding is to be looked at.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "score/score.h"

static const char *const classes[SCORE_CLASS_COUNT] = {
	[SCORE_EXACT] = "exact",	   [SCORE_TRUNCATED] = "truncated",
	[SCORE_IMPOSSIBLE] = "impossible", [SCORE_UNPROVEN] = "unproven",
	[SCORE_SKIPPED] = "not_compared",
};

static const struct {
	const char *name; /* in JSON */
	const char *text;
} reasons[SCORE_REASON_COUNT] = {
	[SCORE_NO_REASON] = { "none", "" },
	[SCORE_LEAF] = { "leaf", "the program never stood in that function" },
	[SCORE_CALLER] = { "caller", "it never had that caller there" },
	[SCORE_BEYOND] = { "beyond", "nobody called that frame" },
	[SCORE_OPEN] = { "open", "the truth is known only so far" },
	[SCORE_DOUBT] = { "doubt", "the truth is in doubt there" },
	[SCORE_LEAF_PC] = { "leaf_pc", "it never stood at that instruction of the function" },
	[SCORE_NAMES] = { "names", "names can't decide" },
	[SCORE_GAP] = { "gap", "the truth has not all of the run" },
	[SCORE_EXCHANGE] = { "exchange", "the kernel was exchanging the registers" },
	[SCORE_EMPTY] = { "empty", "no frames" },
	[SCORE_KERNEL_ONLY] = { "kernel_only", "only frames of the kernel" },
	[SCORE_OTHER_PROCESS] = { "other_process", "of another process" },
	[SCORE_OTHER_BUILD] = { "other_build", "an image of another build" },
};

static const char *const repairs[] = {
	[SCORE_NO_REPAIR] = "none",
	[SCORE_LEFT_OUT] = "left_out",
	[SCORE_PUT_IN] = "put_in",
};

const char *score_class_name(enum score_class class)
{
	return classes[class];
}

const char *score_reason_name(enum score_reason reason)
{
	return reasons[reason].name;
}

const char *score_reason_text(enum score_reason reason)
{
	return reasons[reason].text;
}

const char *score_repair_name(enum score_repair repair)
{
	return repairs[repair];
}

int score_init(struct score *score, struct score_truth *truth, struct error *error)
{
	*score = (struct score) { .truth = truth, .main_pid = -1 };
	profile_init(&score->profile);
	score->function = calloc(truth->functions, sizeof(*score->function));
	score->image = calloc(truth_file_image_count(truth->file) + 1, sizeof(*score->image));
	if (!score->function || !score->image) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a score");
		score_deinit(score);
		return -1;
	}
	if (!score_matcher_create(truth, &score->profile, &score->matcher, error))
		return 0;
	score_deinit(score);
	return -1;
}

void score_deinit(struct score *score)
{
	score_matcher_destroy(score->matcher);
	profile_deinit(&score->profile);
	for (uint32_t i = 0; i < score->findings; i++)
		free(score->finding[i].frame);
	free(score->finding);
	profile_texts_deinit(&score->finding_key);
	free(score->function);
	free(score->image);
	*score = (struct score) { 0 };
}

/* ---- which samples are compared -------------------------------------------------------------- */

/* While these run, the registers are some the old and some the new ones (docs/SAMPLING.md). */
static const char *const exchanging[] = {
	"restore_sigcontext", "__x64_sys_rt_sigreturn", "__do_sys_rt_sigreturn", "setup_rt_frame",
	"x64_setup_rt_frame", "setup_sigcontext",	"handle_signal",	 "begin_new_exec",
	"load_elf_binary",    "start_thread",
};

static bool is_exchange(const struct profile *profile, const uint32_t *frame, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(exchanging) / sizeof(exchanging[0]); j++)
			if (!strcmp(profile_text(profile, profile->frame[frame[i]].name),
				    exchanging[j]))
				return true;
	return false;
}

/* A sample's frames of user space, and what else is needed to judge it. */
struct subject {
	const struct profile_sample *sample;
	const uint32_t *frame;
	uint32_t count, kernel;
	bool other_name; /* the command is not the program's */
	bool main_image; /* the program's image is among the frames */
	bool any_image;
	bool other_build;
};

/* Folded stacks may begin with the command's name: what the first ones show that can be told
 * counts for all. */
static int take_comm(struct score *score, struct subject *subject, struct error *error)
{
	uint32_t outermost = subject->frame[subject->count - 1];
	const struct profile_frame *frame = profile_frame(&score->profile, outermost);
	const struct score_frame *resolved;
	bool is_comm;

	if (score->profile.format != PROFILE_FOLDED || score->comm_first < 0 || !frame->name)
		return 0;
	is_comm = !strncmp(profile_text(&score->profile, frame->name), score->truth->comm,
			   sizeof(score->truth->comm) - 1);
	if (!score->comm_first) {
		resolved = score_matcher_frame(score->matcher, outermost, error);
		if (!resolved)
			return -1;
		score->comm_first = is_comm ? 1 : resolved->is_symbol ? -1 : 0;
	}
	if (score->comm_first <= 0)
		return 0;
	subject->count--;
	subject->other_name = !is_comm;
	return 0;
}

static int prepare(struct score *score, const struct profile_sample *sample,
		   struct subject *subject, struct error *error)
{
	const struct profile *profile = &score->profile;
	uint32_t kernel = 0;

	while (kernel < sample->frame_count &&
	       profile_frame(profile, sample->frame[kernel])->flags & PROFILE_KERNEL)
		kernel++;
	*subject = (struct subject) {
		.sample = sample,
		.frame = sample->frame + kernel,
		.count = sample->frame_count - kernel,
		.kernel = kernel,
		.other_name = sample->comm &&
			      strcmp(profile_text(profile, sample->comm), score->truth->comm) != 0,
	};
	if (subject->count && take_comm(score, subject, error))
		return -1;
	for (uint32_t i = 0; i < subject->count; i++) {
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      subject->frame[i], error);

		if (!frame)
			return -1;
		subject->main_image |= frame->has_image && frame->image == score->truth->main_image;
		subject->any_image |= profile_frame(profile, subject->frame[i])->image != 0;
		subject->other_build |= frame->other_build;
	}
	return 0;
}

/* Why a sample is not compared, or SCORE_NO_REASON. */
static enum score_reason leave(struct score *score, const struct subject *subject)
{
	int32_t pid = subject->sample->pid;
	bool own = !subject->other_name || subject->main_image;

	if (!own && (subject->any_image || !subject->count))
		return SCORE_OTHER_PROCESS;
	if (own && pid >= 0 && score->main_pid < 0)
		score->main_pid = pid;
	/* What the program's children do, the truth has not seen. */
	if (pid >= 0 && pid != score->main_pid && truth_file_number(score->truth->file, "children"))
		return SCORE_OTHER_PROCESS;
	if (!subject->sample->frame_count)
		return SCORE_EMPTY;
	if (!subject->count)
		return subject->kernel ? SCORE_KERNEL_ONLY : SCORE_EMPTY;
	return subject->other_build ? SCORE_OTHER_BUILD : SCORE_NO_REASON;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Keeps the sample: its frames, and what the truth has where they part. */
static int keep_finding(struct score *score, const struct subject *subject, uint32_t at,
			uint32_t number, struct error *error)
{
	const struct score_state *state = score_matcher_state(score->matcher, number);
	uint32_t after = at + 1 < subject->count ? subject->frame[at + 1] : 0;
	struct score_finding *finding;

	if (!ARRAY_GROW(score->finding, score->findings))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for findings");
	finding = &score->finding[score->findings];
	*finding = (struct score_finding) { .reason = state->reason,
					    .function = state->function,
					    .frames = subject->count,
					    .agree = at,
					    .place = subject->sample->place };
	finding->frame = calloc(subject->count, sizeof(*finding->frame));
	if (!finding->frame)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for findings");
	score->findings++;
	memcpy(finding->frame, subject->frame, subject->count * sizeof(*finding->frame));
	finding->callers = score_matcher_callers(score->matcher, state->before, finding->caller,
						 SCORE_CALLERS_MAX);
	finding->repair = score_matcher_repair(score->matcher, number, after, &finding->left_out,
					       error);
	return 0;
}

/* The finding's number plus one that a state of an impossible stack is counted at; 0: it is not
 * kept. at: the frame where they part. */
static int find_finding(struct score *score, const struct subject *subject, uint32_t at,
			uint32_t number, uint32_t *ret, struct error *error)
{
	const struct score_state *state = score_matcher_state(score->matcher, number);
	const struct score_frame *frame = score_matcher_frame(score->matcher, subject->frame[at],
							      error);
	char claimed[512], key[600];
	bool is_new;

	if (!frame)
		return -1;
	score_frame_describe(score->truth, &score->profile, subject->frame[at], frame, at > 0,
			     claimed, sizeof(claimed));
	if (frame->how == FRAME_ADDRESS) /* wherever in the function */
		claimed[strcspn(claimed, "+")] = '\0';
	snprintf(key, sizeof(key), "%d %u %s", state->reason, state->function,
		 frame->how == FRAME_FOREIGN ? "" : claimed);
	if (score->finding_key.count == SCORE_FINDINGS_MAX) {
		*ret = profile_texts_find(&score->finding_key, key, strlen(key));
		return 0;
	}
	*ret = profile_texts_add(&score->finding_key, key, strlen(key), &is_new, error);
	if (*ret == UINT32_MAX)
		return -1;
	return is_new ? keep_finding(score, subject, at, number, error) : 0;
}

static int count_finding(struct score *score, const struct subject *subject, uint32_t at,
			 uint32_t number, struct error *error)
{
	uint32_t finding = score_matcher_state(score->matcher, number)->finding;

	if (!finding && find_finding(score, subject, at, number, &finding, error))
		return -1;
	if (!finding) {
		score->findings_not_kept += subject->sample->count;
		return 0;
	}
	/* What it was kept with may have made states. */
	score_matcher_state(score->matcher, number)->finding = finding;
	score->finding[finding - 1].count += subject->sample->count;
	return 0;
}

/* ---- one sample ------------------------------------------------------------------------------ */

static void count(struct score *score, const struct subject *subject, enum score_class class,
		  enum score_reason reason, uint32_t function)
{
	uint64_t add = subject->sample->count;
	size_t none = truth_file_image_count(score->truth->file);

	score->samples += add;
	score->all.class[class] += add;
	score->reason[reason] += add;
	if (class == SCORE_SKIPPED)
		return;
	score->function[function].class[class] += add;
	score->image[function ? score->truth->function[function].image : none].class[class] += add;
}

/*
 * Names and inlined frames leave it open which frames are the machine's. A name that is no symbol
 * of the truth's images may be another name of one that is (an alias that only a debug file has);
 * and where perf prints text, the frames of one PC are the machine's and those inlined there, in
 * several orders, marked or not.
 */
static bool is_undecided(struct score *score, const struct subject *subject, struct error *error)
{
	const struct profile *profile = &score->profile;

	for (uint32_t i = 0; i < subject->count; i++) {
		const struct profile_frame *frame = profile_frame(profile, subject->frame[i]);
		const struct profile_frame *inner =
			i ? profile_frame(profile, subject->frame[i - 1]) : NULL;
		const struct score_frame *resolved = score_matcher_frame(score->matcher,
									 subject->frame[i], error);

		if (!resolved || (resolved->how == FRAME_NAME && !resolved->is_symbol))
			return true;
		if (profile->format == PROFILE_PERF_SCRIPT &&
		    (frame->flags & PROFILE_INLINED || resolved->how == FRAME_OFFSET ||
		     (inner && inner->kind == frame->kind && inner->address == frame->address &&
		      frame->kind != PROFILE_NO_ADDRESS)))
			return true;
	}
	return false;
}

static int judge(void *context, const struct profile *profile, const struct profile_sample *sample,
		 struct error *error)
{
	struct score *score = context;
	struct subject subject;
	uint32_t at, state = SCORE_START, leaf = 0;
	struct score_state end;
	enum score_reason reason;

	if (score_matcher_trim(score->matcher, error) || prepare(score, sample, &subject, error))
		return -1;
	reason = leave(score, &subject);
	if (reason != SCORE_NO_REASON) {
		count(score, &subject, SCORE_SKIPPED, reason, 0);
		return 0;
	}
	for (at = 0; at < subject.count; at++) {
		if (profile_frame(profile, subject.frame[at])->flags & PROFILE_INLINED)
			continue;
		state = score_matcher_next(score->matcher, state, subject.frame[at], error);
		if (state == UINT32_MAX)
			return -1;
		leaf = leaf ? leaf : score_matcher_state(score->matcher, state)->function;
		if (score_matcher_state(score->matcher, state)->is_end)
			break;
	}
	end = *score_matcher_state(score->matcher, state);
	if (end.class == SCORE_IMPOSSIBLE && subject.other_name && !subject.main_image) {
		count(score, &subject, SCORE_SKIPPED, SCORE_OTHER_PROCESS, 0);
		return 0;
	}
	if (end.class == SCORE_IMPOSSIBLE && is_exchange(profile, sample->frame, subject.kernel)) {
		end.class = SCORE_UNPROVEN;
		end.reason = SCORE_EXCHANGE;
	}
	if (end.class == SCORE_IMPOSSIBLE && is_undecided(score, &subject, error)) {
		end.class = SCORE_UNPROVEN;
		end.reason = SCORE_NAMES;
	}
	count(score, &subject, end.class, end.reason,
	      end.class == SCORE_EXACT ? leaf : end.function);
	return end.class == SCORE_IMPOSSIBLE ? count_finding(score, &subject, at, state, error) : 0;
}

int score_profile(struct score *score, const char *path, enum profile_format format,
		  struct error *error)
{
	return profile_read(&score->profile, path, format, judge, score, error);
}

/* ---- what is worst ---------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct score *score = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	static const enum score_class order[] = { SCORE_IMPOSSIBLE, SCORE_TRUNCATED,
						  SCORE_UNPROVEN };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint64_t x = score->function[one].class[order[i]],
			 y = score->function[other].class[order[i]];

		if (x != y)
			return x < y ? 1 : -1;
	}
	return (one > other) - (one < other);
}

uint32_t *score_worst_functions(const struct score *score, uint32_t *ret_count, struct error *error)
{
	uint32_t *ret = calloc(score->truth->functions, sizeof(*ret));

	*ret_count = 0;
	if (!ret) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for functions");
		return NULL;
	}
	for (uint32_t i = 0; i < score->truth->functions; i++) {
		const struct score_counts *counts = &score->function[i];

		if (counts->class[SCORE_IMPOSSIBLE] || counts->class[SCORE_TRUNCATED] ||
		    counts->class[SCORE_UNPROVEN])
			ret[(*ret_count)++] = i;
	}
	qsort_r(ret, *ret_count, sizeof(*ret), compare_functions, (void *)score);
	return ret;
}

static int compare_findings(const void *a, const void *b)
{
	const struct score_finding *one = a, *other = b;

	if (one->count != other->count)
		return one->count < other->count ? 1 : -1;
	return (one->place > other->place) - (one->place < other->place);
}

void score_sort_findings(struct score *score)
{
	if (score->findings)
		qsort(score->finding, score->findings, sizeof(*score->finding), compare_findings);
}
