/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_subject.c - a sample's frames of user space, and whether it is the program's
 *
 * The name that a profile has (comm) is a thread's, not a process's: a thread may have changed it,
 * and another process may have the same. What tells:
 *
 *	own	the process's number, which the program's first sample has, or which is known (--drive:
 *		another one is another process's); or a frame in the program's
 *		own image, by its address. Or the name is the program's, one that the truth saw a
 *		thread take, or one of --comm; and there are no children, or a number tells them
 *	other	another number, where the program has children or the name is not its own
 *	open	else. What is possible counts; what is not may be another process's, and is unproven;
 *		or, under a strange name, and with a function that no image of the truth has, it is
 */
#include <string.h>
#include "array.h"
#include "profiles/profile/perf_line.h"
#include "score.h"
#include "score_subject.h"

/* As the kernel keeps it, cut. */
static bool is_same_name(struct span name, const char *own)
{
	const size_t kept = sizeof(((struct score_truth *)0)->comm) - 1;
	size_t size = name.size < kept ? name.size : kept;

	return size == strnlen(own, kept) && !memcmp(name.at, own, size);
}

static bool is_own_name(const struct score_truth *truth, struct span name)
{
	if (is_same_name(name, truth->comm))
		return true;
	return ARRAY_ANY(truth->names, i, is_same_name(name, truth->name[i]));
}

bool score_truth_has_name(const struct score_truth *truth, const char *name)
{
	return is_own_name(truth, (struct span) { name, strlen(name) });
}

/* ---- folded stacks ---------------------------------------------------------------------------- */

/* What stackcollapse-perf.pl puts behind a command's name: "-1234" or "-?" with --pid, and with --tid the
 * thread's number behind that, "/1235". Without it name is as it was. *ret_pid: -1, it is not said. */
static struct span take_pid(struct span name, int32_t *ret_pid)
{
	const char *dash = memrchr(name.at, '-', name.size), *slash;
	struct span pid, tid;
	uint64_t process, thread;

	*ret_pid = -1;
	if (!dash || dash == name.at)
		return name;
	pid = (struct span) { dash + 1, name.at + name.size - (dash + 1) };
	slash = memchr(pid.at, '/', pid.size);
	if (slash) {
		tid = (struct span) { slash + 1, pid.at + pid.size - (slash + 1) };
		pid.size = slash - pid.at;
		if (!span_decimal(tid, &thread) || thread > INT32_MAX)
			return name;
	}
	if (!span_is(pid, "?")) {
		if (!span_decimal(pid, &process) || process > INT32_MAX)
			return name;
		*ret_pid = process;
	}
	name.size = dash - name.at;
	return name;
}

/*
 * A command's name as folded stacks have it is one of the program's. A number behind a name tells the
 * process where one behind a name of the program's own was seen before: "worker-2" may be what a thread
 * calls itself.
 */
static bool read_comm(const struct score *score, const char *name, int32_t *ret_pid)
{
	const struct score_truth *truth = score->truth;
	struct span whole = { name, strlen(name) }, rest = take_pid(whole, ret_pid);
	bool is_whole = is_own_name(truth, whole),
	     is_own = rest.size < whole.size && is_own_name(truth, rest);

	if (is_whole && (whole.size < sizeof(truth->comm) || !is_own)) {
		*ret_pid = -1;
		return true;
	}
	if (!is_own && score->main_pid < 0)
		*ret_pid = -1;
	return is_own;
}

/* A function of its name is some true stack's outermost. */
static bool is_outermost(const struct score_truth *truth, const struct score_frame *frame)
{
	uint32_t at = frame->how == FRAME_NAME ? truth->key_first[frame->key] : 0;

	for (; at; at = truth->keyed[at].next)
		if (truth->function[truth->keyed[at].function].is_outermost)
			return true;
	return false;
}

/* 1: the outermost element is a command's name; -1: it is a function; 0: it could be either. */
static int find_comm_first(struct score *score, const struct score_subject *subject, bool is_own,
			   int *ret, struct error *error)
{
	const struct score_frame *resolved;

	*ret = 1;
	if (is_own)
		return 0;
	resolved = score_matcher_frame(score->matcher, subject->frame[subject->count - 1], error);
	if (!resolved)
		return -1;
	*ret = resolved->is_symbol ? -1 : 0;
	if (*ret || subject->count < 2)
		return 0;
	resolved = score_matcher_frame(score->matcher, subject->frame[subject->count - 2], error);
	if (!resolved)
		return -1;
	*ret = is_outermost(score->truth, resolved);
	return 0;
}

/* Folded stacks may begin with the command's name: what the first ones show that can be told
 * counts for all. */
static int take_comm(struct score *score, struct score_subject *subject, struct error *error)
{
	uint32_t outermost = subject->frame[subject->count - 1];
	const struct profile_frame *frame = profile_frame(&score->profile, outermost);
	const char *name = profile_text(&score->profile, frame->name);
	int32_t pid;
	bool is_own;

	if (score->profile.format != PROFILE_FOLDED || score->comm_first < 0 || !frame->name)
		return 0;
	is_own = read_comm(score, name, &pid);
	if (!score->comm_first &&
	    find_comm_first(score, subject, is_own, &score->comm_first, error))
		return -1;
	if (score->comm_first <= 0)
		return 0;
	subject->count--;
	subject->other_name = !is_own;
	subject->comm_text = name;
	subject->pid = pid;
	return 0;
}

/* ---- its frames ------------------------------------------------------------------------------- */

/* Its name is that of a function of the program's own image, and not one that every program has. */
static bool is_main_name(const struct score_truth *truth, const struct score_frame *frame)
{
	uint32_t at = frame->how == FRAME_NAME ? truth->key_first[frame->key] : 0;

	for (; at; at = truth->keyed[at].next) {
		const struct score_function *function = &truth->function[truth->keyed[at].function];

		if (function->image == truth->main_image && strcmp(function->name, "_start") != 0 &&
		    strcmp(function->name, "main") != 0)
			return true;
	}
	return false;
}

/* What this program writes in the place of frames that are missing: in folded stacks it is a text without a name. */
static bool is_marker(const struct profile *profile, const struct profile_frame *frame)
{
	return profile_is_marker(profile_text(profile, frame->text ? frame->text : frame->name));
}

/*
 * What a profiler says of its own walk ("error/unwinder: ..."): a name in an image that is no file, without an address. And
 * perf's last frame where libunwind ended with a return address of 0: it takes one off
 * (tools/perf/util/unwind-libunwind-local.c).
 */
static bool is_remark(const struct profile_frame *frame, const struct score_frame *resolved)
{
	if (frame->kind != PROFILE_NO_ADDRESS && frame->address == UINT64_MAX && !frame->image &&
	    !frame->name)
		return true;
	return resolved->how == FRAME_FOREIGN && frame->image && frame->name &&
	       frame->kind == PROFILE_NO_ADDRESS;
}

/* Takes the remarks off at the outer end, where a walk that ended early has them. */
static int take_remarks(struct score *score, struct score_subject *subject, struct error *error)
{
	for (; subject->count; subject->count--) {
		uint32_t outermost = subject->frame[subject->count - 1];
		const struct profile_frame *frame = profile_frame(&score->profile, outermost);
		const struct score_frame *resolved;

		if (is_marker(&score->profile, frame))
			continue;
		resolved = score_matcher_frame(score->matcher, outermost, error);
		if (!resolved)
			return -1;
		if (!is_remark(frame, resolved))
			return 0;
	}
	return 0;
}

static void add_frame(struct score_subject *subject, const struct score_truth *truth,
		      const struct profile_frame *frame, const struct score_frame *resolved)
{
	subject->main_image |= resolved->has_image && resolved->image == truth->main_image;
	subject->main_name |= is_main_name(truth, resolved);
	subject->other_build |= resolved->other_build;
	subject->repeated |= (frame->flags & PROFILE_REPEATED) != 0;
	subject->foreign |= resolved->how == FRAME_ABSENT ||
			    (resolved->how == FRAME_NAME && !resolved->is_symbol &&
			     !(frame->flags & PROFILE_INLINED));
}

/* ---- whose it is ------------------------------------------------------------------------------ */

#define STARTER "stackproof"

/* In a guest this program executes what is watched (truth/emulator/guest_agent.h). A profile has it under its own name until
 * then, perhaps with a stack of libc's alone, since its memory goes. */
static bool is_starter(const struct score *score, const struct score_subject *subject)
{
	return truth_file_number(score->truth->file, "emulated") && subject->other_name &&
	       !subject->main_image && subject->comm_text && !strcmp(subject->comm_text, STARTER);
}

static enum score_origin origin_of(struct score *score, const struct score_subject *subject)
{
	const struct truth_file *file = score->truth->file;
	int32_t pid = subject->pid;
	bool is_thread = subject->sample->pid_is_tid && truth_file_number(file, "threads") > 1,
	     children = truth_file_number(file, "children") != 0;

	if (is_starter(score, subject))
		return SCORE_ORIGIN_OTHER;
	/* Who starts a program is its process until exec, with that one's name, in files that the program never has. */
	if (pid >= 0 && pid == score->main_pid)
		return (!score->is_driven_pid || (score->moments && !subject->sample->timed)) &&
				       subject->other_name && !subject->main_image &&
				       subject->foreign
			       ? SCORE_ORIGIN_OTHER
			       : SCORE_ORIGIN_OWN;
	if (pid >= 0 && score->is_driven_pid && !is_thread)
		return SCORE_ORIGIN_OTHER;
	if (subject->other_name && !subject->main_image)
		return pid >= 0 && score->main_pid >= 0 && !is_thread ? SCORE_ORIGIN_OTHER
								      : SCORE_ORIGIN_OPEN;
	/* Folded stacks are sorted by names: a child may be the first. */
	if (children && score->profile.format == PROFILE_FOLDED)
		return SCORE_ORIGIN_OPEN;
	if (pid >= 0 && score->main_pid < 0) {
		score->main_pid = pid;
		return SCORE_ORIGIN_OWN;
	}
	/* What the program's children do, the truth has not seen. */
	if (!children)
		return SCORE_ORIGIN_OWN;
	return pid < 0 || is_thread ? SCORE_ORIGIN_OPEN : SCORE_ORIGIN_OTHER;
}

/* Counts samples of a name that is not the program's. */
static int note_name(struct score *score, struct score_subject *subject, struct error *error)
{
	bool is_new;

	if (!subject->other_name || !subject->comm_text)
		return 0;
	if (score->other_name.count == SCORE_OTHER_NAMES_MAX) {
		subject->comm = profile_texts_find(&score->other_name, subject->comm_text,
						   strlen(subject->comm_text));
		return 0;
	}
	subject->comm = profile_texts_add(&score->other_name, subject->comm_text,
					  strlen(subject->comm_text), &is_new, error);
	if (subject->comm == UINT32_MAX)
		return -1;
	if (!is_new)
		return 0;
	if (!ARRAY_RESERVE(score->other_count, score->other_room, subject->comm + 1ul))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	score->other_count[subject->comm] = 0;
	return 0;
}

int score_subject_init(struct score *score, const struct profile_sample *sample,
		       struct score_subject *ret, struct error *error)
{
	const struct profile *profile = &score->profile;
	uint32_t kernel = 0;

	while (kernel < sample->frame_count &&
	       profile_frame(profile, sample->frame[kernel])->flags & PROFILE_KERNEL)
		kernel++;
	*ret = (struct score_subject) {
		.sample = sample,
		.frame = sample->frame + kernel,
		.count = sample->frame_count - kernel,
		.kernel = kernel,
		.pid = sample->pid,
		.comm_text = sample->comm ? profile_text(profile, sample->comm) : NULL,
	};
	ret->other_name = ret->comm_text &&
			  !is_own_name(score->truth,
				       (struct span) { ret->comm_text, strlen(ret->comm_text) });
	if ((ret->count && take_comm(score, ret, error)) || take_remarks(score, ret, error))
		return -1;
	for (uint32_t i = 0; i < ret->count; i++) {
		const struct score_frame *frame = score_matcher_frame(score->matcher, ret->frame[i],
								      error);

		if (!frame)
			return -1;
		add_frame(ret, score->truth, profile_frame(profile, ret->frame[i]), frame);
	}
	ret->origin = origin_of(score, ret);
	return note_name(score, ret, error);
}

enum score_reason score_subject_leave(const struct score *score,
				      const struct score_subject *subject)
{
	if (subject->origin == SCORE_ORIGIN_OTHER ||
	    (subject->origin == SCORE_ORIGIN_OPEN && subject->other_name && !subject->count))
		return SCORE_OTHER_PROCESS;
	if (!subject->sample->frame_count)
		return SCORE_EMPTY;
	if (!subject->count)
		return subject->kernel ? SCORE_KERNEL_ONLY : SCORE_EMPTY;
	return subject->other_build ? SCORE_OTHER_BUILD : SCORE_NO_REASON;
}
