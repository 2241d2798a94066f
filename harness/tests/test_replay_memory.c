/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_replay_memory.c - what the walk in user space may read while a recording is played
 *
 * The recorded pages, and nothing else of this process: what lies between them is mapped here, too.
 */
#include <check.h>
#include <stdlib.h>
#include "replay/replay.c"

#define PAGES 4u

/* Of the four pages the first two and the last were recorded. */
static const struct {
	const char *rule;
	uint64_t offset;
	size_t size;
	bool is_read;
} reads[] = {
	{ "a word", 8, 8, true },
	{ "the last of a page", PAGE_SET_PAGE - 8, 8, true },
	{ "one that lies in two", PAGE_SET_PAGE - 4, 8, true },
	{ "one of which the second half was not recorded", 2 * PAGE_SET_PAGE - 4, 8, false },
	{ "or the first", 3 * PAGE_SET_PAGE - 4, 8, false },
	{ "nor any of it", 2 * PAGE_SET_PAGE + 8, 8, false },
	{ "two pages", 0, 2 * PAGE_SET_PAGE, true },
	{ "a byte more", 0, 2 * PAGE_SET_PAGE + 1, false },
	{ "more than two, the first and the last of which were recorded", 8, 3 * PAGE_SET_PAGE,
	  false },
};

START_TEST(what_was_recorded_is_read)
{
	struct replayer replayer = { .store = NULL };
	uint8_t *bytes = aligned_alloc(PAGE_SET_PAGE, PAGES * PAGE_SET_PAGE);
	uint8_t *got = malloc(PAGES * PAGE_SET_PAGE);
	uint64_t base = (uint64_t)(uintptr_t)bytes;

	for (size_t i = 0; i < PAGES * PAGE_SET_PAGE; i++)
		bytes[i] = (uint8_t)(i * 7);
	for (unsigned int page = 0; page < PAGES; page++)
		if (page != 2)
			ck_assert(page_set_add(&replayer.memory, base + page * PAGE_SET_PAGE,
					       bytes + page * PAGE_SET_PAGE));
	ck_assert_msg(read_memory(&replayer, base + reads[_i].offset, got, reads[_i].size) ==
			      (reads[_i].is_read ? 0 : -1),
		      "%s", reads[_i].rule);
	if (reads[_i].is_read)
		ck_assert_mem_eq(got, bytes + reads[_i].offset, reads[_i].size);
	page_set_deinit(&replayer.memory);
	free(got);
	free(bytes);
}
END_TEST

/* No end of it is before its begin. */
START_TEST(an_address_that_goes_round_is_not_read)
{
	struct replayer replayer = { .store = NULL };
	uint64_t got;

	ck_assert_int_eq(read_memory(&replayer, UINT64_MAX - 3, &got, sizeof(got)), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay_memory");
	TCase *tcase = tcase_create("memory");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, what_was_recorded_is_read, 0,
			    (int)(sizeof(reads) / sizeof(reads[0])));
	tcase_add_test(tcase, an_address_that_goes_round_is_not_read);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
