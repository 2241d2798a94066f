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
#include "score.h"
#include "score_build.h"
#include "score_subject.h"

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
	[SCORE_NO_CODE] = { "no_code", "there is no code at that address" },
	[SCORE_NO_CALL] = { "no_call", "no call returns to that address" },
	[SCORE_CALLEE] = { "callee", "the call that returns there is of another function" },
	[SCORE_OPEN] = { "open", "the truth is known only so far" },
	[SCORE_DOUBT] = { "doubt", "the truth is in doubt there" },
	[SCORE_LEAF_PC] = { "leaf_pc", "it never stood at that instruction of the function" },
	[SCORE_NAMES] = { "names", "names can't decide" },
	[SCORE_GAP] = { "gap", "the truth has not all of the run" },
	[SCORE_EXCHANGE] = { "exchange", "the kernel was exchanging the registers" },
	[SCORE_PROCESS] = { "process", "maybe of another process" },
	[SCORE_PUT] = { "put", "no call returns there, but a signal's handler may let one" },
	[SCORE_UNMAPPED] = { "unmapped", "in a mapping that the profiler did not know" },
	[SCORE_UPROBES] = { "uprobes", "in the kernel's code for uprobes" },
	[SCORE_MOMENT] = { "moment", "at which entry into the kernel it was taken is open" },
	[SCORE_NO_ENTRY] = { "no_entry", "the truth has no entry of its thread at that time" },
	[SCORE_SIGNAL] = { "signal", "a signal may come anywhere" },
	[SCORE_BUILD] = { "build", "maybe of another build" },
	[SCORE_UNSEEN] = { "unseen", "not in the truth's run, but maybe in another" },
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
	if (truth_file_has_entries(truth->file))
		score_set_driven(score, (int32_t)truth_file_number(truth->file, "pid"));
	if ((!truth_file_has_entries(truth->file) ||
	     !score_moments_create(truth, &score->moments, error)) &&
	    (!truth_file_number(truth->file, "driven") ||
	     !score_tally_create(truth, &score->tally, error)) &&
	    !score_code_create(truth, &score->code, error) &&
	    !score_matcher_create(truth, &score->profile, &score->matcher, error))
		return 0;
	score_deinit(score);
	return -1;
}

void score_set_driven(struct score *score, int32_t pid)
{
	score->main_pid = pid;
	score->is_driven_pid = true;
}

void score_deinit(struct score *score)
{
	score_tally_destroy(score->tally);
	score_code_destroy(score->code);
	score_moments_destroy(score->moments);
	score_matcher_destroy(score->matcher);
	profile_deinit(&score->profile);
	for (uint32_t i = 0; i < score->findings; i++)
		free(score->finding[i].frame);
	free(score->finding);
	score_called_deinit(&score->called);
	profile_texts_deinit(&score->finding_key);
	profile_texts_deinit(&score->other_name);
	free(score->other_count);
	free(score->function);
	free(score->image);
	*score = (struct score) { 0 };
}

/* How a stack was held against the truth: the state that it ended in, and before which frame. */
struct verdict {
	struct score_state end;
	uint32_t state, at;
	uint32_t leaf; /* function */
	bool is_open;  /* which frames are the machine's is not known of all that were asked for */
	bool by_code;  /* the truth's frames have no word in it */
};

/* ---- registers in exchange --------------------------------------------------------------------- */

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

/* ---- signals ----------------------------------------------------------------------------------- */

static bool is_signal(const struct score *score, const struct profile_frame *in,
		      const struct score_frame *frame)
{
	return score_frame_is_signal(score->truth, frame) ||
	       !strcmp(profile_text(&score->profile, in->name), "__restore_rt");
}

bool score_is_return(struct score *score, const uint32_t *frame, uint32_t at)
{
	struct error ignored; /* all are known by now */

	for (uint32_t within = at; within--;) {
		const struct profile_frame *in = profile_frame(&score->profile, frame[within]);
		const struct score_frame *resolved = score_matcher_frame(score->matcher,
									 frame[within], &ignored);

		if (!(in->flags & PROFILE_INLINED))
			return !resolved || !is_signal(score, in, resolved);
	}
	return false;
}

/* What is below a signal's frame was interrupted: by a timer, say, anywhere, and in another place in each run. */
static bool is_below_signal(struct score *score, const struct score_subject *subject,
			    const struct verdict *verdict)
{
	struct error ignored; /* all are known by now */

	for (uint32_t i = 0; i < verdict->at; i++) {
		const struct profile_frame *in = profile_frame(&score->profile, subject->frame[i]);
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      subject->frame[i], &ignored);

		if (frame && is_signal(score, in, frame))
			return true;
	}
	return false;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Keeps the sample: its frames, and what the truth has where they part. */
static int keep_finding(struct score *score, const struct score_subject *subject,
			const struct verdict *verdict, struct error *error)
{
	uint32_t at = verdict->at, after = at + 1 < subject->count ? subject->frame[at + 1] : 0;
	struct score_finding *finding;

	if (!ARRAY_GROW(score->finding, score->findings))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for findings");
	finding = &score->finding[score->findings];
	*finding = (struct score_finding) { .reason = verdict->end.reason,
					    .function = verdict->end.function,
					    .frames = subject->count,
					    .agree = at,
					    .place = subject->sample->place };
	finding->frame = calloc(subject->count, sizeof(*finding->frame));
	if (!finding->frame)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for findings");
	score->findings++;
	memcpy(finding->frame, subject->frame, subject->count * sizeof(*finding->frame));
	if (verdict->by_code)
		return 0;
	finding->callers = score_matcher_callers(score->matcher, verdict->end.before,
						 finding->caller, SCORE_CALLERS_MAX);
	finding->repair = score_matcher_repair(score->matcher, verdict->state, after,
					       &finding->left_out, error);
	return 0;
}

/* The finding's number plus one that an impossible stack is counted at; 0: it is not kept. */
static int find_finding(struct score *score, const struct score_subject *subject,
			const struct verdict *verdict, uint32_t *ret, struct error *error)
{
	uint32_t number = subject->frame[verdict->at];
	const struct score_frame *frame = score_matcher_frame(score->matcher, number, error);
	char claimed[512], key[600];
	bool is_new;

	if (!frame)
		return -1;
	score_frame_describe(score->truth, &score->profile, number, frame,
			     score_is_return(score, subject->frame, verdict->at), claimed,
			     sizeof(claimed));
	if (frame->how == FRAME_ADDRESS) /* wherever in the function */
		claimed[strcspn(claimed, "+")] = '\0';
	snprintf(key, sizeof(key), "%d %u %s", verdict->end.reason, verdict->end.function,
		 frame->how == FRAME_FOREIGN ? "" : claimed);
	if (score->finding_key.count == SCORE_FINDINGS_MAX) {
		*ret = profile_texts_find(&score->finding_key, key, strlen(key));
		return 0;
	}
	*ret = profile_texts_add(&score->finding_key, key, strlen(key), &is_new, error);
	if (*ret == UINT32_MAX)
		return -1;
	return is_new ? keep_finding(score, subject, verdict, error) : 0;
}

static int count_finding(struct score *score, const struct score_subject *subject,
			 const struct verdict *verdict, struct error *error)
{
	uint32_t finding = verdict->by_code
				   ? 0
				   : score_matcher_state(score->matcher, verdict->state)->finding;

	if (!finding && find_finding(score, subject, verdict, &finding, error))
		return -1;
	if (!finding) {
		score->findings_not_kept += subject->sample->count;
		return 0;
	}
	/* What it was kept with may have made states. */
	if (!verdict->by_code)
		score_matcher_state(score->matcher, verdict->state)->finding = finding;
	score->finding[finding - 1].count += subject->sample->count;
	return 0;
}

/* ---- one sample ------------------------------------------------------------------------------ */

static void count(struct score *score, const struct score_subject *subject, enum score_class class,
		  enum score_reason reason, uint32_t function)
{
	uint64_t add = subject->sample->count;
	size_t none = truth_file_image_count(score->truth->file);

	score->samples += add;
	if (subject->comm && (reason == SCORE_PROCESS || reason == SCORE_OTHER_PROCESS))
		score->other_count[subject->comm] += add;
	score->all.class[class] += add;
	score->reason[reason] += add;
	if (class == SCORE_SKIPPED)
		return;
	score->function[function].class[class] += add;
	score->image[function ? score->truth->function[function].image : none].class[class] += add;
}

/*
 * Which of the frames that are alike at one address are the machine's (perf_script.c)? As many
 * functions as the DWARF has inlined there belong to each. Where there is no DWARF, or perf was told
 * not to look for inlined ones, each is a frame of its own; or all are one.
 */
enum repeated { REPEATED_BY_DWARF, REPEATED_EACH, REPEATED_ONE, REPEATED_COUNT };

/* Frames alike, from first to end, of which every unit-th is the machine's. */
struct alike {
	uint32_t first, end, unit;
};

static int find_alike(struct score *score, const struct score_subject *subject, uint32_t first,
		      enum repeated how, struct alike *ret, bool *is_open, struct error *error)
{
	const struct profile *profile = &score->profile;
	const struct profile_frame *frame = profile_frame(profile, subject->frame[first]);
	const struct score_frame *last;
	uint32_t count = 0, inlined;

	*ret = (struct alike) { first, first + 1, 0 };
	while (ret->end < subject->count) {
		const struct profile_frame *next = profile_frame(profile, subject->frame[ret->end]);

		if (!(next->flags & PROFILE_REPEATED) || next->address != frame->address)
			break;
		ret->end++;
	}
	last = score_matcher_frame(score->matcher, subject->frame[ret->end - 1], error);
	if (!last)
		return -1;
	count = ret->end - first;
	inlined = score_matcher_inlined(score->matcher, subject->frame[ret->end - 1]);
	*is_open |= inlined == UINT32_MAX || count % (inlined + 1ul) != 0;
	if (how == REPEATED_ONE && inlined == UINT32_MAX)
		ret->unit = count;
	else if (how != REPEATED_EACH && inlined != UINT32_MAX && count % (inlined + 1ul) == 0)
		ret->unit = inlined + 1;
	return 0; /* unit 0: as the reader has it */
}

static int hold(struct score *score, const struct score_subject *subject, enum repeated how,
		uint32_t start, struct verdict *ret, struct error *error)
{
	struct alike alike = { 0 };

	*ret = (struct verdict) { .state = start };
	for (; ret->at < subject->count; ret->at++) {
		const struct profile_frame *frame = profile_frame(&score->profile,
								  subject->frame[ret->at]);
		const struct score_frame *resolved =
			score_matcher_frame(score->matcher, subject->frame[ret->at], error);
		const struct score_state *state;
		bool inlined;

		if (!resolved)
			return -1;
		/* "f_[i]" may be a function's name. */
		inlined = frame->flags & PROFILE_INLINED && !resolved->other_whole;

		if (frame->flags & PROFILE_REPEATED) {
			if (ret->at >= alike.end &&
			    find_alike(score, subject, ret->at, how, &alike, &ret->is_open, error))
				return -1;
			if (alike.unit)
				inlined = (ret->at - alike.first) % alike.unit != alike.unit - 1;
		}
		if (inlined)
			continue;
		ret->state = score_matcher_next(score->matcher, ret->state, subject->frame[ret->at],
						error);
		if (ret->state == UINT32_MAX)
			return -1;
		state = score_matcher_state(score->matcher, ret->state);
		ret->leaf = ret->leaf ? ret->leaf : state->function;
		if (state->is_end)
			break;
	}
	ret->end = *score_matcher_state(score->matcher, ret->state);
	return 0;
}

/* The first reading of its frames that agrees counts. start: SCORE_START, or that of a stack. */
static int hold_readings(struct score *score, const struct score_subject *subject, uint32_t start,
			 struct verdict *ret, struct error *error)
{
	struct verdict other;

	if (hold(score, subject, REPEATED_BY_DWARF, start, ret, error))
		return -1;
	for (enum repeated how = REPEATED_EACH; subject->repeated && how < REPEATED_COUNT; how++) {
		if (ret->end.class != SCORE_IMPOSSIBLE)
			return 0;
		if (hold(score, subject, how, start, &other, error))
			return -1;
		if (other.end.class != SCORE_IMPOSSIBLE)
			*ret = other;
	}
	if (ret->end.class == SCORE_IMPOSSIBLE && ret->is_open) {
		ret->end.class = SCORE_UNPROVEN;
		ret->end.reason = SCORE_NAMES;
	}
	return 0;
}

/* ---- by the stack at its own entry ------------------------------------------------------------ */

/* The program's leaf, if the profile has its address. */
static const struct score_frame *own_leaf(struct score *score, const struct score_subject *subject,
					  struct error *error)
{
	for (uint32_t i = 0; i < subject->count; i++) {
		const struct profile_frame *in = profile_frame(&score->profile, subject->frame[i]);
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      subject->frame[i], error);

		if (frame && !(in->flags & PROFILE_INLINED))
			return frame->how == FRAME_ADDRESS ? frame : NULL;
	}
	return NULL;
}

int score_sample_at_entry(struct score *score, const struct profile_sample *sample,
			  struct error *error)
{
	struct error none = { 0 };
	struct score_subject subject;
	const struct score_frame *leaf;
	const uint32_t *entry;
	size_t count, at;

	if (!score->moments || !sample->timed || sample->tid <= 0)
		return -1;
	if (score_matcher_trim(score->matcher, error) ||
	    score_subject_init(score, sample, &subject, error))
		return -2;
	leaf = own_leaf(score, &subject, &none);
	if (none.code) {
		*error = none;
		return -2;
	}
	if (!leaf || score_moments_find(score->moments, sample->tid, sample->time_ns,
					sample->within_ns, &entry, &count) == SCORE_MOMENT_NONE)
		return -1;
	at = score_moments_at(score->moments, leaf->image, leaf->address, count);
	return at && score_moments_is_at(score->moments, leaf->image, leaf->address);
}

/* All entries that it may be of must say the same. One in doubt accuses nobody. */
static int hold_entries(struct score *score, const struct score_subject *subject,
			const uint32_t *entry, size_t count, struct verdict *ret,
			struct error *error)
{
	const struct truth_file *file = score->truth->file;
	bool doubt = false, differ = false;

	for (size_t i = 0; i < count; i++) {
		const struct truth_entry *at = truth_file_entry(file, entry[i]);
		uint32_t start = score_matcher_pin(score->matcher, at->node, error);
		struct verdict verdict;

		if (start == UINT32_MAX || hold_readings(score, subject, start, &verdict, error))
			return -1;
		doubt |= at->flags & TRUTH_ENTRY_DOUBT;
		differ |= i && verdict.end.class != ret->end.class;
		if (!i || verdict.end.class < ret->end.class)
			*ret = verdict;
	}
	if (differ || doubt) {
		ret->end.class = SCORE_UNPROVEN;
		ret->end.reason = differ ? SCORE_MOMENT : SCORE_DOUBT;
	}
	return 0;
}

/* 1: its thread was not watched yet; 0: *ret is set. */
static int hold_moment(struct score *score, const struct score_subject *subject,
		       struct verdict *ret, struct error *error)
{
	const struct profile_sample *sample = subject->sample;
	const struct score_frame *leaf;
	const uint32_t *entry;
	size_t count;
	struct error none = { 0 };

	switch (score_moments_find(score->moments, sample->tid, sample->time_ns, sample->within_ns,
				   &entry, &count)) {
	case SCORE_MOMENT_BEFORE: return 1;
	case SCORE_MOMENT_NONE:
		*ret = (struct verdict) { .state = SCORE_START,
					  .end = { .class = SCORE_UNPROVEN,
						   .reason = SCORE_NO_ENTRY } };
		return 0;
	case SCORE_MOMENT_FOUND: break;
	}
	score->at_moments += sample->count;
	leaf = own_leaf(score, subject, &none);
	if (none.code) {
		*error = none;
		return -1;
	}
	if (leaf)
		count = score_moments_at(score->moments, leaf->image, leaf->address, count);
	return hold_entries(score, subject, entry, count, ret, error);
}

/* ---- by the code alone ------------------------------------------------------------------------ */

/* What the truth left open. */
static bool may_be_refuted(const struct score *score, const struct score_subject *subject,
			   const struct score_state *end)
{
	return score_truth_attached(score->truth) && end->class == SCORE_UNPROVEN &&
	       !subject->repeated && subject->origin == SCORE_ORIGIN_OWN &&
	       (end->reason == SCORE_OPEN || end->reason == SCORE_GAP ||
		end->reason == SCORE_LEAF_PC);
}

static uint32_t function_of(const struct score *score, const struct score_frame *frame,
			    bool is_leaf)
{
	return frame->how == FRAME_ADDRESS
		       ? score_truth_function(score->truth, frame->image, frame->address - !is_leaf)
		       : 0;
}

static void set_open(struct score_state *end, enum score_reason reason)
{
	end->class = SCORE_UNPROVEN;
	end->reason = reason;
}

/* Looks for two frames that the code can't have one above the other, or that only a signal's handler can. */
static int refute(struct score *score, const struct score_subject *subject, struct verdict *verdict,
		  enum score_reason *ret, struct error *error)
{
	uint32_t callee = UINT32_MAX, leaf = UINT32_MAX;

	*ret = SCORE_NO_REASON;
	if (score_truth_symbols(score->truth, error)) /* stubs lead by names */
		return -1;
	for (uint32_t at = 0; at < subject->count; at++) {
		const struct profile_frame *in = profile_frame(&score->profile, subject->frame[at]);
		const struct score_frame *within, *caller;
		enum score_reason reason;

		if (in->flags & PROFILE_INLINED)
			continue;
		if (leaf == UINT32_MAX) {
			leaf = callee = at;
			continue;
		}
		caller = score_matcher_frame(score->matcher, subject->frame[at], error);
		within = score_matcher_frame(score->matcher, subject->frame[callee], error);
		if (!caller || !within)
			return -1;
		reason = score_code_refutes(score->code, within, caller, in);
		if (reason != SCORE_NO_REASON)
			*ret = reason;
		if (reason != SCORE_NO_REASON && reason != SCORE_PUT) {
			verdict->by_code = true;
			verdict->end.class = SCORE_IMPOSSIBLE;
			verdict->end.reason = reason;
			verdict->end.function = function_of(score, within, callee == leaf);
			verdict->at = at;
			return 0;
		}
		callee = at;
	}
	return 0;
}

/* What the truth left open the code may refute. */
static int refute_open(struct score *score, const struct score_subject *subject,
		       struct verdict *verdict, struct error *error)
{
	enum score_reason reason;

	if (refute(score, subject, verdict, &reason, error))
		return -1;
	if (reason == SCORE_PUT)
		verdict->end.reason = reason;
	return 0;
}

/*
 * What the truth doesn't have, another run may: with other arguments, at another time, by another thread's pace. Only what
 * the code refutes, too, no run has. Where both do at one frame, what the truth has there is shown.
 */
static int confirm(struct score *score, const struct score_subject *subject,
		   struct verdict *verdict, struct error *error)
{
	struct verdict by_code = *verdict;
	enum score_reason reason = SCORE_NO_REASON;

	if (!subject->repeated && refute(score, subject, &by_code, &reason, error))
		return -1;
	if (reason == SCORE_NO_REASON || reason == SCORE_PUT)
		set_open(&verdict->end, reason == SCORE_PUT ? SCORE_PUT : SCORE_UNSEEN);
	else if (by_code.at != verdict->at)
		*verdict = by_code;
	else
		verdict->end.reason = reason;
	return 0;
}

/* What its frames are called. Below a signal's frame an address is the one that was interrupted. */
static int ask_names(struct score *score, const struct score_subject *subject, struct error *error)
{
	bool is_caller = false, contradicts = false;

	for (uint32_t i = 0; i < subject->count; i++) {
		const struct profile_frame *in = profile_frame(&score->profile, subject->frame[i]);
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      subject->frame[i], error);
		int status = frame ? score_called_ask(&score->called, score->truth, score->code,
						      &score->profile, subject->frame[i], frame,
						      is_caller, error)
				   : -1;

		if (status < 0)
			return -1;
		contradicts |= status;
		if (!(in->flags & PROFILE_INLINED))
			is_caller = !is_signal(score, in, frame);
	}
	score->called.samples += contradicts ? subject->sample->count : 0;
	return 0;
}

void score_called_found(const struct score *score, const struct score_called_frame *called,
			char *text, size_t size)
{
	struct error ignored; /* it was asked before */
	const struct score_frame *frame = score_matcher_frame(score->matcher, called->frame,
							      &ignored);

	*text = '\0';
	if (frame)
		score_truth_describe(score->truth, frame->image, frame->address, called->is_caller,
				     text, size);
}

/* Of a stack that agrees with all that the truth knows of it: how far that is. */
static void count_known(struct score *score, const struct score_subject *subject,
			const struct score_state *end)
{
	if (end->reason != SCORE_OPEN)
		return;
	score->open_frames += (uint64_t)subject->count * subject->sample->count;
	score->open_known += (uint64_t)end->frames * subject->sample->count;
}

/* The stack is refuted by its frames up to that one: what is further out has no part in it. */
static bool is_open_build(struct score *score, const struct score_subject *subject, uint32_t at,
			  bool at_moment)
{
	struct error ignored; /* all are known by now */

	for (uint32_t i = 0; i <= at && i < subject->count; i++) {
		const struct score_frame *frame = score_matcher_frame(score->matcher,
								      subject->frame[i], &ignored);

		if (frame && (score_build_is_open(score->truth, frame) ||
			      (!at_moment && score_build_is_unsaid(score->truth, frame))))
			return true;
	}
	return false;
}

int score_sample(void *context, const struct profile *profile, const struct profile_sample *sample,
		 struct error *error)
{
	struct score *score = context;
	struct score_subject subject;
	struct verdict verdict;
	struct score_state *end = &verdict.end;
	enum score_reason reason;
	bool at_moment;

	if (score_matcher_trim(score->matcher, error) ||
	    score_subject_init(score, sample, &subject, error))
		return -1;
	reason = score_subject_leave(score, &subject);
	if (reason != SCORE_NO_REASON) {
		count(score, &subject, SCORE_SKIPPED, reason, 0);
		return 0;
	}
	at_moment = score->moments && !score->other_clock && sample->timed && sample->tid > 0;
	if (at_moment) {
		int status = hold_moment(score, &subject, &verdict, error);

		if (status < 0)
			return -1;
		if (status) {
			count(score, &subject, SCORE_SKIPPED, SCORE_OTHER_PROCESS, 0);
			return 0;
		}
	}
	if (ask_names(score, &subject, error) ||
	    (!at_moment && hold_readings(score, &subject, SCORE_START, &verdict, error)))
		return -1;
	if (subject.origin == SCORE_ORIGIN_OPEN &&
	    (end->class == SCORE_IMPOSSIBLE || (subject.other_name && !subject.main_name))) {
		bool foreign = subject.other_name && subject.foreign;

		count(score, &subject, foreign ? SCORE_SKIPPED : SCORE_UNPROVEN,
		      foreign ? SCORE_OTHER_PROCESS : SCORE_PROCESS, foreign ? 0 : end->function);
		return 0;
	}
	/* Frames that tell nothing may be an address of the program before: registers in exchange are the better reason. */
	if ((end->class == SCORE_IMPOSSIBLE ||
	     (end->class == SCORE_UNPROVEN && end->reason == SCORE_NAMES)) &&
	    is_exchange(profile, sample->frame, subject.kernel))
		set_open(end, SCORE_EXCHANGE);
	if (end->class == SCORE_IMPOSSIBLE) {
		reason = score_subject_unmapped(score, &subject, verdict.at,
						end->reason == SCORE_LEAF);
		if (reason != SCORE_NO_REASON)
			set_open(end, reason);
	}
	if (end->class == SCORE_IMPOSSIBLE && !at_moment &&
	    is_below_signal(score, &subject, &verdict))
		set_open(end, SCORE_SIGNAL);
	if (end->class == SCORE_IMPOSSIBLE && score->is_of_several)
		set_open(end, SCORE_PROCESS);
	if (end->class == SCORE_IMPOSSIBLE && is_open_build(score, &subject, verdict.at, at_moment))
		set_open(end, SCORE_BUILD);
	if (end->class == SCORE_IMPOSSIBLE && !at_moment && !score->truth->same.run &&
	    confirm(score, &subject, &verdict, error))
		return -1;
	/* The code may have refuted it further out. */
	if (end->class == SCORE_IMPOSSIBLE && verdict.by_code &&
	    is_open_build(score, &subject, verdict.at, at_moment))
		set_open(end, SCORE_BUILD);
	if (may_be_refuted(score, &subject, end) && refute_open(score, &subject, &verdict, error))
		return -1;
	count_known(score, &subject, end);
	count(score, &subject, end->class, end->reason,
	      end->class == SCORE_EXACT ? verdict.leaf : end->function);
	if (score->tally && end->class == SCORE_EXACT)
		score_tally_count(score->tally, score->matcher, verdict.state, sample->count);
	return end->class == SCORE_IMPOSSIBLE ? count_finding(score, &subject, &verdict, error) : 0;
}

int score_profile(struct score *score, const char *path, enum profile_format format,
		  struct error *error)
{
	score_build_of_profile(score->truth, path);
	return profile_read(&score->profile, path, format, score_sample, score, error);
}

uint64_t score_compared(const struct score *score)
{
	const uint64_t *class = score->all.class;

	return class[SCORE_EXACT] + class[SCORE_TRUNCATED] + class[SCORE_IMPOSSIBLE] +
	       (score_truth_attached(score->truth) ? score->reason[SCORE_OPEN] : 0);
}

uint64_t score_unproven(const struct score *score)
{
	return score->all.class[SCORE_UNPROVEN] -
	       (score_truth_attached(score->truth) ? score->reason[SCORE_OPEN] : 0);
}

bool score_is_thin(const struct score *score)
{
	return score_unproven(score) > score_compared(score);
}

uint64_t score_absent(const struct score *score)
{
	const uint64_t *class = score->all.class;
	uint64_t lost = score->tally ? score_tally_sums(score->tally).lost : 0;
	uint64_t others = class[SCORE_TRUNCATED] + class[SCORE_IMPOSSIBLE] + class[SCORE_UNPROVEN];

	return lost > others ? lost - others : 0;
}

/* ---- what is worst ---------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b, void *context)
{
	const struct score_counts *counts = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	static const enum score_class order[] = { SCORE_IMPOSSIBLE, SCORE_TRUNCATED,
						  SCORE_UNPROVEN };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint64_t x = counts[one].class[order[i]], y = counts[other].class[order[i]];

		if (x != y)
			return x < y ? 1 : -1;
	}
	return (one > other) - (one < other);
}

/* Numbers of what is not only exact, the worst first. */
static uint32_t *find_worst(struct score_counts *counts, size_t all, uint32_t *ret_count,
			    struct error *error)
{
	uint32_t *ret = calloc(all, sizeof(*ret));

	*ret_count = 0;
	if (!ret) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for functions");
		return NULL;
	}
	for (uint32_t i = 0; i < all; i++)
		if (counts[i].class[SCORE_IMPOSSIBLE] || counts[i].class[SCORE_TRUNCATED] ||
		    counts[i].class[SCORE_UNPROVEN])
			ret[(*ret_count)++] = i;
	qsort_r(ret, *ret_count, sizeof(*ret), compare_counts, counts);
	return ret;
}

uint32_t *score_worst_functions(const struct score *score, uint32_t *ret_count, struct error *error)
{
	return find_worst(score->function, score->truth->functions, ret_count, error);
}

uint32_t *score_worst_images(const struct score *score, uint32_t *ret_count, struct error *error)
{
	return find_worst(score->image, truth_file_image_count(score->truth->file) + 1, ret_count,
			  error);
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct score *score = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint64_t x = score->other_count[one], y = score->other_count[other];

	return x != y ? (x < y ? 1 : -1) : (one > other) - (one < other);
}

uint32_t *score_other_names(const struct score *score, uint32_t *ret_count, struct error *error)
{
	uint32_t *ret = calloc(score->other_name.count + 1ul, sizeof(*ret));

	*ret_count = 0;
	if (!ret) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
		return NULL;
	}
	for (uint32_t i = 1; i <= score->other_name.count; i++)
		if (score->other_count[i])
			ret[(*ret_count)++] = i;
	qsort_r(ret, *ret_count, sizeof(*ret), compare_names, (void *)score);
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
