/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_frames.c - what a verdict asks of a single frame: was its slot overwritten?
 */
#include <check.h>
#include <stdlib.h>
#include "verdict/verdict.c"
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define SLOT  0x7000
#define CALLS 3

struct words {
	uint64_t word[CALLS]; /* at SLOT; the outermost call's is the highest */
	int unreadable;	      /* -1: none */
};

static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const struct words *words = context;
	uint64_t at = (address - SLOT) / 8;

	if (address < SLOT || at >= CALLS || (int)at == words->unreadable)
		return -1;
	memcpy(ret, &words->word[at], size);
	return 0;
}

static const struct overwritten_case {
	const char *name;
	int changed;	 /* the word; -1: none */
	int unreadable;	 /* the same */
	int interrupted; /* the frame of the shadow stack, from the outermost; -1: none */
	bool in_transit;
	bool overwritten[CALLS + 1]; /* of frame 0, the innermost, on */
} overwritten_cases[] = {
	{ "none", -1, -1, -1, false, { false } },
	{ "innermost", 0, -1, -1, false, { true } },
	{ "middle", 1, -1, -1, false, { false, true } },
	{ "outermost", 2, -1, -1, false, { false, false, true } },
	{ "in_transit", 0, -1, -1, true, { false } },
	{ "can_not_be_read", 0, 0, -1, false, { false } },
	{ "interrupted_frame_has_no_slot", 0, -1, 2, false, { false } },
	{ "another_is_interrupted", 0, -1, 1, false, { true } },
};

START_TEST(overwritten_slot_is_of_its_frame)
{
	const struct overwritten_case *c = &overwritten_cases[_i];
	struct words words = { .unreadable = c->unreadable };
	struct shadow_frame frame[CALLS] = { 0 };
	struct shadow_stack shadow = { .frame = frame,
				       .count = CALLS,
				       .in_transit = c->in_transit };
	struct trace_stop stop = { .shadow = &shadow };
	struct memory_reader memory = { .read = read_words, .context = &words };
	struct point point = { .stop = &stop, .memory = &memory };

	for (int i = 0; i < CALLS; i++) {
		int at = CALLS - 1 - i;

		frame[i].slot = SLOT + 8 * at;
		frame[i].return_address = words.word[at] = 0x400000 + i;
		frame[i].interrupted = i == c->interrupted;
	}
	if (c->changed >= 0)
		words.word[c->changed]++;
	for (uint32_t i = 0; i <= CALLS; i++)
		ck_assert_msg(is_overwritten(&point, i) == c->overwritten[i], "%s: frame %u",
			      c->name, i);
	ck_assert(!is_overwritten(&point, UINT32_MAX));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verdict_frames");
	TCase *tcase = tcase_create("verdict_frames");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, overwritten_slot_is_of_its_frame, 0, COUNT(overwritten_cases));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
