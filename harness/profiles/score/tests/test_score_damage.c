/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_damage.c - one stack in a hundred is damaged: each that is no true one any more is found
 *
 * A program is drawn: two threads' trees of calls, 4,000 stacks. 20,000 samples are taken of them;
 * of one in a hundred a frame is left out, two are swapped, or the callers are another stack's. A
 * damaged stack may be a true one, or the first frames of one; whether it is, is asked here of a
 * list of all stacks, and not of what is tested.
 */
#include "tests/suite.h"
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/score/score.h"
#include "truth/contexts/tests/truth_bytes.h"

#define STACKS	4000
#define SAMPLES 20000
#define DEPTH	24

struct drawn {
	struct truth_frame frame[DEPTH + 1];
	uint32_t count;
};

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % below;
}

/* Callers are few, so that functions have several, and stacks begin alike. */
static void draw_stack(uint64_t *state, struct drawn *ret)
{
	uint32_t thread = draw(state, 2);

	ret->count = 2 + draw(state, DEPTH - 2);
	for (uint32_t i = 0; i < ret->count; i++)
		ret->frame[i] = (struct truth_frame) { .address = 0x1000 + 16 * draw(state, 30) };
	ret->frame[0].address += 0x800;
	ret->frame[ret->count - 1].address = 0x100 + 16 * thread;
}

static bool begins(const struct drawn *stack, const struct drawn *with)
{
	if (with->count > stack->count)
		return false;
	for (uint32_t i = 0; i < with->count; i++)
		if (stack->frame[i].address != with->frame[i].address)
			return false;
	return true;
}

static bool is_possible(const struct drawn *stack, const struct drawn *wanted)
{
	for (uint32_t i = 0; i < STACKS; i++)
		if (begins(&stack[i], wanted))
			return true;
	return false;
}

static void damage(uint64_t *state, const struct drawn *stack, struct drawn *ret)
{
	const struct drawn *other = &stack[draw(state, STACKS)];
	uint32_t at = draw(state, ret->count - 1);
	struct truth_frame frame = ret->frame[at];

	switch (draw(state, 3)) {
	case 0: /* left out */
		memmove(&ret->frame[at], &ret->frame[at + 1],
			(--ret->count - at) * sizeof(*ret->frame));
		break;
	case 1:
		ret->frame[at] = ret->frame[at + 1];
		ret->frame[at + 1] = frame;
		break;
	default: /* from there on another's callers */
		if (at + 1 >= other->count)
			break;
		ret->count = other->count;
		memcpy(&ret->frame[at + 1], &other->frame[at + 1],
		       (other->count - at - 1) * sizeof(*ret->frame));
	}
}

static void print_stack(FILE *file, const struct drawn *stack)
{
	fprintf(file, "{\"type\":\"profile_stack\",\"count\":1,\"frames\":[");
	for (uint32_t i = 0; i < stack->count; i++)
		fprintf(file, "%s{\"image\":1,\"vaddr\":\"0x%" PRIx64 "\"}", i ? "," : "",
			stack->frame[i].address);
	fprintf(file, "]}\n");
}

/* Writes all samples. *ret_impossible: of how many no true stack begins so. */
static void print_samples(FILE *file, uint64_t *state, const struct drawn *stack,
			  uint64_t *ret_damaged, uint64_t *ret_impossible)
{
	fprintf(file, "{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/a\"}\n");
	*ret_damaged = *ret_impossible = 0;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct drawn sample = stack[draw(state, STACKS)];

		if (i % 100 == 99) {
			damage(state, stack, &sample);
			++*ret_damaged;
			*ret_impossible += !is_possible(stack, &sample);
		}
		print_stack(file, &sample);
	}
}

START_TEST(each_damaged_stack_is_found)
{
	struct drawn *stack = calloc(STACKS, sizeof(*stack));
	struct truth_bytes bytes = { 0 };
	uint64_t state = _i + 1, damaged, impossible;
	struct score_truth truth;
	struct score score;
	struct error error;
	char path[64], *input;
	size_t size;
	FILE *file = open_memstream(&input, &size);
	int truth_file, profile;

	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/a", "", 0);
	for (uint32_t i = 0; i < STACKS; i++) {
		draw_stack(&state, &stack[i]);
		truth_stack(&bytes, &(struct truth_stack) { .points = 1 }, stack[i].frame,
			    stack[i].count);
	}
	print_samples(file, &state, stack, &damaged, &impossible);
	fclose(file);
	truth_file = truth_write(&bytes, path);
	ck_assert_msg(!score_truth_open(&truth, path, &error), "%s", error.message);
	truth.same = (struct score_same) { .build = true, .run = true };
	profile = profile_file(input, size, path);
	ck_assert_int_eq(score_init(&score, &truth, &error), 0);
	ck_assert_msg(!score_profile(&score, path, PROFILE_ANY, &error), "%s", error.message);
	ck_assert_uint_eq(damaged, SAMPLES / 100);
	ck_assert_uint_gt(impossible, damaged * 3 / 4);
	ck_assert_uint_eq(score.samples, SAMPLES);
	ck_assert_uint_eq(score.all.class[SCORE_IMPOSSIBLE], impossible);
	ck_assert_uint_eq(score.all.class[SCORE_EXACT] + score.all.class[SCORE_TRUNCATED],
			  SAMPLES - impossible);
	score_deinit(&score);
	score_truth_close(&truth);
	close(truth_file);
	close(profile);
	free(input);
	free(stack);
}
END_TEST

SUITE(score_damage, TIMES(each_damaged_stack_is_found, 3))
