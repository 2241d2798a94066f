/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_children.c - whose a sample is, and which truth it is held against
 *
 * Which truths may be a process's is known when all of its samples have been seen. So the profile is read once, its
 * samples are kept, and each process's are judged afterwards.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "score_build.h"
#include "score_children.h"
#include "score_subject.h"

struct score_stored {
	struct profile_sample sample;
	size_t process, frame; /* where they are in the arrays */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a profile's processes");
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* The name that a sample has: the thread's, or in folded stacks what is outermost. 0: none. */
static uint32_t comm_of(const struct profile *profile, const struct profile_sample *sample)
{
	if (sample->comm || profile->format != PROFILE_FOLDED || !sample->frame_count)
		return sample->comm;
	return profile_frame(profile, sample->frame[sample->frame_count - 1])->name;
}

static bool is_of(const struct score_process *process, int32_t pid, uint32_t comm)
{
	return pid >= 0 ? process->pid == pid
			: process->pid < 0 && process->comms && process->comm[0].text == comm;
}

static struct score_process *find_process(struct score_children *children, int32_t pid,
					  uint32_t comm)
{
	if (children->last < children->processes &&
	    is_of(&children->process[children->last], pid, comm))
		return &children->process[children->last];
	for (children->last = 0; children->last < children->processes; children->last++)
		if (is_of(&children->process[children->last], pid, comm))
			return &children->process[children->last];
	if (!ARRAY_ADD(children->process, children->processes,
		       (struct score_process) { .pid = pid < 0 ? -1 : pid }))
		return NULL;
	return &children->process[children->last];
}

static int count_comm(struct score_process *process, uint32_t text, uint64_t count)
{
	struct score_comm *comm = ARRAY_FIRST(process->comm, process->comms, one,
					      one->text == text);

	process->samples += count;
	if (comm)
		comm->count += count;
	else if (!ARRAY_ADD(process->comm, process->comms, (struct score_comm) { text, count }))
		return -1;
	return 0;
}

static int store(void *context, const struct profile *profile, const struct profile_sample *sample,
		 struct error *error)
{
	struct score_children *children = context;
	uint32_t comm = comm_of(profile, sample);
	struct score_process *process = find_process(children, sample->pid, comm);
	struct score_stored stored = { .sample = *sample, .frame = children->frames };

	if (!process || count_comm(process, comm, sample->count) ||
	    !ARRAY_RESERVE(children->frame, children->frame_room,
			   children->frames + sample->frame_count) ||
	    !ARRAY_RESERVE(children->stored, children->stored_room, children->storeds + 1))
		return no_memory(error);
	stored.process = children->last;
	if (sample->frame_count)
		memcpy(children->frame + children->frames, sample->frame,
		       sample->frame_count * sizeof(*sample->frame));
	children->frames += sample->frame_count;
	children->stored[children->storeds++] = stored;
	return 0;
}

/* ---- which truth -------------------------------------------------------------------------------- */

/* Of the process's samples, those under a name that the truth's process had. */
static uint64_t covered(const struct score_children *children, const struct score_process *process,
			const struct score_truth *truth)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < process->comms; i++)
		if (score_truth_has_name(truth,
					 profile_text(&children->profile, process->comm[i].text)))
			ret += process->comm[i].count;
	return ret;
}

static bool is_same_run(const struct score_process *process, const struct score_truth *truth)
{
	return process->pid > 0 && truth_file_number(truth->file, "pid") == (uint64_t)process->pid;
}

/* The process may be the truth's. most: what any truth covers of it. */
static bool is_candidate(const struct score_children *children, const struct score_process *process,
			 const struct score_truth *truth, uint64_t most)
{
	if (score_truth_attached(truth) ||
	    (truth_file_has_entries(truth->file) && process->pid > 0))
		return is_same_run(process, truth);
	/* Where the profile has no names, stacks alone decide. */
	if (process->comms == 1 && !process->comm[0].text)
		return true;
	return most && covered(children, process, truth) == most;
}

static void destroy(struct score *score)
{
	if (!score)
		return;
	profile_init(&score->profile); /* it is children->profile */
	score_deinit(score);
	free(score);
}

/*
 * Whether the profile's times are of the clock of the truth's entries. Then nearly all samples are at an entry with their
 * leaf's address. In another clock (perf record -k, times that are made up), or without the guest's, hardly any is.
 */
static int check_clock(const struct score_children *children, size_t number, struct score *score,
		       struct error *error)
{
	uint64_t timed = 0, at = 0, elsewhere = 0;

	for (size_t i = 0; i < children->storeds && score->moments; i++) {
		struct profile_sample sample = children->stored[i].sample;
		int status;

		sample.frame = children->frame + children->stored[i].frame;
		if (children->stored[i].process != number || !sample.timed)
			continue;
		timed++;
		status = score_sample_at_entry(score, &sample, error);
		if (status < -1)
			return -1;
		at += status > 0;
		elsewhere += !status;
	}
	score->other_clock = timed && (!at || elsewhere > at);
	return 0;
}

/* All samples of the process against a truth. NULL: error is set. */
static struct score *judge(const struct score_children *children, size_t number,
			   struct score_truth *truth, struct error *error)
{
	struct score *score = malloc(sizeof(*score));

	if (!score || score_init(score, truth, error)) {
		free(score);
		no_memory(error);
		return NULL;
	}
	score->profile = children->profile;
	if (!truth_file_has_entries(truth->file))
		score->main_pid = children->process[number].pid;
	score->is_of_several = score->main_pid < 0 && children->process[number].candidates > 1;
	if (check_clock(children, number, score, error)) {
		destroy(score);
		return NULL;
	}
	for (size_t i = 0; i < children->storeds; i++) {
		struct profile_sample sample = children->stored[i].sample;

		sample.frame = children->frame + children->stored[i].frame;
		if (children->stored[i].process != number ||
		    !score_sample(score, &children->profile, &sample, error))
			continue;
		destroy(score);
		return NULL;
	}
	return score;
}

/* A truth with a gap refutes nothing: so what agrees counts before what does not. */
static bool agrees_better(const struct score *score, const struct score *than)
{
	const uint64_t *one = score->all.class, *other = than->all.class;
	uint64_t agree = one[SCORE_EXACT] + one[SCORE_TRUNCATED],
		 others = other[SCORE_EXACT] + other[SCORE_TRUNCATED];

	if (agree != others)
		return agree > others;
	if (one[SCORE_IMPOSSIBLE] != other[SCORE_IMPOSSIBLE])
		return one[SCORE_IMPOSSIBLE] < other[SCORE_IMPOSSIBLE];
	return one[SCORE_EXACT] > other[SCORE_EXACT];
}

static int find_truth(struct score_children *children, size_t number, struct error *error)
{
	struct score_process *process = &children->process[number];
	uint64_t most = 0;

	for (size_t i = 0; i < children->truths; i++) {
		uint64_t here = covered(children, process, &children->truth[i]);

		most = here > most ? here : most;
	}
	for (size_t i = 0; i < children->truths; i++)
		process->candidates += is_candidate(children, process, &children->truth[i], most);
	for (size_t i = 0; i < children->truths; i++) {
		struct score *score;

		if (!is_candidate(children, process, &children->truth[i], most))
			continue;
		score = judge(children, number, &children->truth[i], error);
		if (!score)
			return -1;
		if (process->score && !agrees_better(score, process->score)) {
			destroy(score);
			continue;
		}
		destroy(process->score);
		process->score = score;
	}
	return 0;
}

int score_children(struct score_children *children, struct score_truth *truth, size_t truths,
		   const char *path, const char *root, enum profile_format format,
		   struct error *error)
{
	*children = (struct score_children) { .truth = truth, .truths = truths };
	for (size_t i = 0; i < truths; i++)
		score_build_of_profile(&truth[i], path);
	profile_init(&children->profile);
	children->profile.root = root;
	if (profile_read(&children->profile, path, format, store, children, error))
		return -1;
	for (size_t i = 0; i < children->processes; i++)
		if (find_truth(children, i, error))
			return -1;
	return 0;
}

void score_children_deinit(struct score_children *children)
{
	for (size_t i = 0; i < children->processes; i++) {
		destroy(children->process[i].score);
		free(children->process[i].comm);
	}
	free(children->process);
	free(children->stored);
	free(children->frame);
	profile_deinit(&children->profile);
}

uint64_t score_children_nobody(const struct score_children *children)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < children->processes; i++)
		ret += children->process[i].score ? 0 : children->process[i].samples;
	return ret;
}

void score_process_names(const struct score_children *children, const struct score_process *process,
			 char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < process->comms && at < size; i++)
		if (process->comm[i].text)
			at += snprintf(text + at, size - at, "%s%s", at ? ", " : "",
				       profile_text(&children->profile, process->comm[i].text));
}
