/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * replay.h - a recording played on this kernel: the walk in BPF at each of its points
 *
 * This process stands in for the recorded one. The words that the walks read are written into its
 * memory at their recorded addresses, and BPF is given the recorded mappings. Images need not be
 * mapped: a walk reads tables and stacks, but no code. Then BPF walks this process by the recorded
 * registers (bpf_session_replay), and the stack must be the recorded one.
 */
#ifndef STACKPROOF_REPLAY_H
#define STACKPROOF_REPLAY_H

#include "recording.h"
#include "session.h"
#include "judge/verdict/verdict.h"

/* A point at which the stack differs from the recorded one. Pointers are valid during the call. */
struct replay_difference {
	uint64_t point; /* counted from 0 */
	uint64_t pc;
	char place[256];
	bool lost; /* BPF sent no stack; actual is empty */
	const struct recording_point *recorded;
	const struct stack *actual;
	/* The stack by the compact table as it is built now. same_table false: it is not the
	 * recorded stack, so the tables have changed. */
	const struct stack *expected;
	bool same_table;
	/* has_truth: the recording has the point's truth, and it stood; then actual's match. */
	bool has_truth;
	enum match truth_match;
	uint32_t truth_right; /* number of innermost frames that are the truth's */
};

struct replay_result {
	uint64_t points;
	uint64_t same, different, lost; /* add up to points */
	uint64_t frames;
	uint64_t elapsed_ns;
	/* Points whose stacks were matched with the truth; points whose truth was unproven. */
	uint64_t truth_points, truth_unproven;
	uint64_t truth_match[MATCH_COUNT];
};

/* The loaded BPF programs, and images with their tables, for any number of recordings in turn. */
struct replayer;
/* ERROR_UNAVAILABLE: no BPF here. replayer_destroy() frees *ret. */
int replayer_create(enum walk_method method, struct replayer **ret, struct error *error);
void replayer_destroy(struct replayer *replayer);
const char *replayer_method(const struct replayer *replayer);
typedef void (*replay_difference_fn)(void *context, const struct replay_difference *difference);
/*
 * Plays a recording. -1: it could not be played to its end, and *ret is of the points before.
 * ERROR_UNAVAILABLE: this process uses the recorded addresses itself (another process may not).
 */
int replayer_play(struct replayer *replayer, struct recording *recording, replay_difference_fn fn,
		  void *context, struct replay_result *ret, struct error *error);

#endif
