// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_pprof_go.c - Go's pprof, which shares nothing with this program, reads what is written
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/subprocess.h"
#include "collected_fixture.h"
#include "tests/suite.h"

static struct error error;

/* What `go tool pprof` prints, to be freed; NULL: it can't be had here. */
static char *run_pprof(const struct collected *collected)
{
	char path[] = "/tmp/stackproof-pprof-XXXXXX", go[4096], *output;
	int file, status;

	if (child_find("go", go, sizeof(go))) {
		printf("SKIP: no go\n");
		return NULL;
	}
	/* A newer Go builds it first. */
	status = subprocess_run((char *[]) { go, "tool", "-n", "pprof", NULL }, "/", &output,
				&error);
	free(output);
	if (status) {
		printf("SKIP: no pprof in go\n");
		return NULL;
	}
	file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	ck_assert_int_eq(profile_write(collected, PROFILE_PPROF, path, &error), 0);
	status = subprocess_run(
		(char *[]) { go, "tool", "pprof", "-symbolize=none", "-raw", path, NULL }, "/",
		&output, &error);
	unlink(path);
	ck_assert_msg(!status, "%s", output);
	return output;
}

START_TEST(go_reads_all)
{
	static const char *const expected[] = {
		"PeriodType: cpu nanoseconds\n",
		"Period: 1000000\n",
		"Duration: 10s\n",
		"samples/count cpu/nanoseconds",
		" 3    3000000: 3 4 5 \n",
		" 2    2000001: 6 4 1 \n",
		"comm:[bash] container_id:[c0ffee] stop:[no_row]\n",
		"pid:[7] tid:[8]\n",
		" 1    1000000: 7 8 \n",
		" 4    4000000: 2 \n",
		" 3: 0x555500001234 M=1 inner ",
		"\n             work ",
		" 7: 0xffffffff810001a7 M=2 do_syscall_64 ",
		" 1: 0x0 [incomplete: no_row] ",
		" 2: 0x0 [lost: no_space] ",
		"1: 0x555500001000/0x555500101000/0x1000 /usr/bin/bash 5c9a [FN][IN]\n",
	};
	struct collected collected;
	char *text;

	collected_fixture(&collected, COLLECTED_CPU);
	text = run_pprof(&collected);
	for (size_t i = 0; text && i < sizeof(expected) / sizeof(expected[0]); i++)
		ck_assert_msg(strstr(text, expected[i]), "not in it: %s\n%s", expected[i], text);
	free(text);
	collected_deinit(&collected);
}
END_TEST

START_TEST(go_reads_what_is_extreme)
{
	struct collected collected;
	uint32_t location;
	char *text;

	collected_init(&collected, COLLECTED_ALLOCATIONS);
	location = add_location(&collected, COLLECTED_IN_USER, 0, UINT64_MAX,
				NAMES("a\xff\n\x01"
				      "b"));
	add_sample(&collected, STACK(&collected, NULL, location), 0, PROFILE_COUNT_MAX,
		   PROFILE_COUNT_MAX);
	add_sample(&collected, add_stack(&collected, "depth", 0, NULL), 0, 0, 0);
	text = run_pprof(&collected);
	if (text) {
		ck_assert_ptr_nonnull(strstr(text, "9223372036854775807 9223372036854775807: 2"));
		ck_assert_ptr_nonnull(strstr(text, " a\\xff\n\x01"
						   "b "));
	}
	free(text);
	collected_deinit(&collected);
	collected_init(&collected, COLLECTED_CPU);
	text = run_pprof(&collected);
	if (text)
		ck_assert_ptr_nonnull(strstr(text, "samples/count cpu/nanoseconds"));
	free(text);
	collected_deinit(&collected);
}
END_TEST

SUITE(pprof_go, TIMEOUT(600), TEST(go_reads_all), TEST(go_reads_what_is_extreme))
