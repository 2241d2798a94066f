/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_fixture.h - a truth made of bytes, a profile of bytes, and what the one makes of the other
 */
#ifndef STACKPROOF_TESTS_SCORE_FIXTURE_H
#define STACKPROOF_TESTS_SCORE_FIXTURE_H

#include <check.h>
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/score/score.h"
#include "truth/contexts/tests/truth_bytes.h"

/* The first class that was counted; -1: none. */
static inline int32_t class_of(const struct score *score)
{
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		if (score->all.class[i])
			return i;
	return -1;
}

static inline int32_t reason_of(const struct score *score)
{
	for (int i = 0; i < SCORE_REASON_COUNT; i++)
		if (score->reason[i])
			return i;
	return -1;
}

static inline void open_truth(struct truth_bytes *bytes, struct score_truth *truth)
{
	char path[64];
	int file = truth_write(bytes, path);
	struct error error;

	ck_assert_msg(!score_truth_open(truth, path, &error), "%s", error.message);
	close(file);
}

static inline void score_bytes(struct score *score, struct score_truth *truth, const void *data,
			       size_t size)
{
	char path[64];
	int file = profile_file(data, size, path);
	struct error error;

	ck_assert_msg(!score_init(score, truth, &error), "%s", error.message);
	ck_assert_msg(!score_profile(score, path, PROFILE_ANY, &error), "%s", error.message);
	close(file);
}

#endif
