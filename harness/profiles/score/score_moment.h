/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_moment.h - the very entry into the kernel at which a sample was taken
 *
 * A sample can be taken only while its thread is in the kernel. Where the truth has all entries with their times, in the
 * clock of the profile, a sample's thread and time say which it was: the last one before. The stack at that entry is the
 * one that the sample must have, and not any other of the program's.
 *
 *	entries of the thread	a        b               c
 *	sample			              ^ b's
 *
 * The clock is not known to the nanosecond, so a sample near an entry may be of the one before. Then the leaf's address
 * decides, if only one of them has it. What the kernel has made of an entry (TRUTH_ENTRY_AFTER) may be seen from the entry
 * on.
 */
#ifndef STACKPROOF_SCORE_MOMENT_H
#define STACKPROOF_SCORE_MOMENT_H

#include "score_truth.h"

#define SCORE_MOMENT_NEAR_NS 20000

struct score_moments;
/* truth is borrowed, and has entries. -1: ERROR_MEMORY. */
int score_moments_create(const struct score_truth *truth, struct score_moments **ret,
			 struct error *error);
void score_moments_destroy(struct score_moments *moments);

enum score_moment_kind {
	SCORE_MOMENT_FOUND,
	SCORE_MOMENT_BEFORE, /* the thread had not begun to be watched */
	SCORE_MOMENT_NONE,   /* no such thread, or the time of its entries is not known */
};
/* The entries at which a thread can have been sampled between time_ns and within_ns later: numbers of the truth's
 * entries, valid until the next call. */
enum score_moment_kind score_moments_find(struct score_moments *moments, int32_t tid,
					  uint64_t time_ns, uint64_t within_ns,
					  const uint32_t **ret, size_t *ret_count);
/* Of these, those whose innermost frame is at an address of an image; all, if none is. Returns how many. */
size_t score_moments_at(struct score_moments *moments, uint32_t image, uint64_t address,
			size_t count);

/* Whether the first of those that were found is at it. */
bool score_moments_is_at(const struct score_moments *moments, uint32_t image, uint64_t address);

#endif
