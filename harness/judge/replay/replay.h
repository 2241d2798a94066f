/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * replay.h - a recording played on this kernel: the walk in BPF at each of its points
 *
 * This process stands in for the one that was recorded. Its memory gets the words that the walks
 * read, at the addresses where they were; its mappings, as BPF is told them, are those of the
 * recording. Images themselves need not be mapped: a walk reads tables and stacks, no code. Then
 * BPF walks it by the recorded registers (bpf_session_replay), and the stack must be the recorded
 * one.
 */
#ifndef STACKPROOF_REPLAY_H
#define STACKPROOF_REPLAY_H

#include "recording.h"
#include "session.h"
#include "judge/verdict/verdict.h"

/* A point at which the stack was another one. */
struct replay_difference {
	uint64_t point; /* its number, from 0 */
	uint64_t pc;
	char place[256];
	bool lost; /* there was no record; actual is empty */
	const struct recording_point *recorded;
	const struct stack *actual;
	/* What the compact table gives here and now. If that is not what was recorded, the
	 * tables are others. */
	const struct stack *expected;
	bool same_table;
	/* The recording has the truth, and it stood: what the stack is to it. */
	bool has_truth;
	enum match truth_match;
	uint32_t truth_right; /* the innermost frames that are the truth's */
};

struct replay_result {
	uint64_t points;
	uint64_t same, different, lost; /* add up to points */
	uint64_t frames;
	uint64_t elapsed_ns;
	/* The walk's stacks held against the truth, where the recording has it and it stood. */
	uint64_t truth_points, truth_unproven;
	uint64_t truth_match[MATCH_COUNT];
};

/* BPF loaded and images with their tables, for any number of recordings one after the other. */
struct replayer;
/* ERROR_UNAVAILABLE: no BPF here. *ret: replayer_destroy(). */
int replayer_create(enum walk_method method, struct replayer **ret, struct error *error);
void replayer_destroy(struct replayer *replayer);
const char *replayer_method(const struct replayer *replayer);
/*
 * Plays one. -1: it could not be played to its end; what is in *ret is of the points before.
 * ERROR_UNAVAILABLE: addresses that this process uses itself (another one may have them free).
 */
typedef void (*replay_difference_fn)(void *context, const struct replay_difference *difference);
int replayer_play(struct replayer *replayer, struct recording *recording, replay_difference_fn fn,
		  void *context, struct replay_result *ret, struct error *error);

#endif
