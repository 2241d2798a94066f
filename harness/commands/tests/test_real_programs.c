/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_real_programs.c - what scripts/real-programs lets pass, and what not
 *
 * One result of compare, as it would be for a run in order. Each case changes it in one or two
 * places, and the script's judge must say so. It is run from the project's folder, as all tests
 * are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define TEXT_MAX     8192

#define SCORE(engine, exact, shared)                                                               \
	"{\"type\":\"score\",\"program\":\"p\",\"kernel\":\"k\",\"engine\":\"" engine              \
	"\",\"points\":20100,\"exact\":20000,\"points_covered\":20000,\"exact_covered\":" exact    \
	",\"points_shared\":19990,\"exact_shared\":" shared ",\"silent\":0}\n"
#define FINDING(kind, place)                                                                       \
	"{\"type\":\"finding\",\"program\":\"p\",\"verdict\":\"table_fault\",\"kind\":\"" kind     \
	"\",\"place\":\"" place "\",\"instruction\":\"call rax\",\"declared\":\"cfa=rsp+8\","      \
	"\"count\":100}\n"

static const char result[] = FINDING("missing", "_init+0x4 (p)") FINDING(
	"wrong", "odd\\\"name+0x9 (libc.so.6)") SCORE("cfi", "20000",
						      "19990") SCORE("bpf", "19999",
								     "19989") SCORE("libdw",
										    "19998",
										    "19989")
	SCORE("libunwind", "19998",
	      "19988") "{\"type\":\"verdicts\",\"program\":\"p\",\"points\":20100,\"exact\":19999,"
		       "\"table_fault\":101,\"reader_fault\":0,\"conversion_loss_silent\":0,\"walk_"
		       "fault\":0,"
		       "\"unexplained\":0,\"uncovered\":100,\"findings_not_kept\":0,\"truth\":{"
		       "\"steps\":402000,"
		       "\"threads\":2,\"unrooted\":0},\"seconds\":12.5,\"status\":0}\n";

static const struct judge_case {
	const char *name;
	const char *from[2], *to[2];
	int given; /* compare's own status */
	int status;
	const char *says;
} cases[] = {
	{ "a_run_in_order",
	  { NULL },
	  { NULL },
	  1,
	  0,
	  "passed: 402000 instructions, 20100 points, 100 with a frame that no CFI covers, "
	  "2 threads, 12 s" },
	{ "the_share_is_of_covered_points",
	  { NULL },
	  { NULL },
	  1,
	  0,
	  "bpf       exact at 19999 of 20000 covered points: 99.9950 %" },
	{ "what_is_missing_is_named", { NULL }, { NULL }, 1, 0, "\tno CFI: _init+0x4 (p) x 100\n" },
	{ "a_miss_has_its_instruction_and_row",
	  { NULL },
	  { NULL },
	  1,
	  0,
	  "table_fault (wrong) x 100 at odd\\\"name+0x9 (libc.so.6)\n\t\tcall "
	  "rax\n\t\tcfa=rsp+8\n" },
	{ "a_walk_fault", { "\"walk_fault\":0" }, { "\"walk_fault\":1" }, 1, 1, "1 walk_fault" },
	{ "a_reader_fault",
	  { "\"reader_fault\":0" },
	  { "\"reader_fault\":2" },
	  1,
	  1,
	  "2 reader_fault" },
	{ "a_silent_loss",
	  { "loss_silent\":0" },
	  { "loss_silent\":3" },
	  1,
	  1,
	  "3 conversion_loss_silent" },
	{ "something_unexplained",
	  { "\"unexplained\":0" },
	  { "\"unexplained\":4" },
	  1,
	  1,
	  "4 unexplained" },
	{ "an_engine_that_is_silent",
	  { "\"silent\":0" },
	  { "\"silent\":5" },
	  1,
	  1,
	  "cfi had nothing to say at 5 points" },
	{ "libdw_is_better",
	  { "19990,\"exact_shared\":19989" },
	  { "19990,\"exact_shared\":19980" },
	  1,
	  1,
	  "bpf exact at 19980 shared points, libdw at 19989" },
	{ "libunwind_is_better",
	  { "\"exact_shared\":19988" },
	  { "\"exact_shared\":19990" },
	  1,
	  1,
	  "bpf exact at 19989 shared points, libunwind at 19990" },
	{ "exactly_the_least_share",
	  { "\"exact_covered\":19999" },
	  { "\"exact_covered\":19998" },
	  1,
	  0,
	  "99.9900 %" },
	{ "less_than_the_least_share",
	  { "\"exact_covered\":19999" },
	  { "\"exact_covered\":19997" },
	  1,
	  1,
	  "bpf below 99.99 %" },
	{ "places_without_a_name",
	  { "not_kept\":0" },
	  { "not_kept\":6" },
	  1,
	  1,
	  "6 points at places without a name" },
	{ "the_program_failed",
	  { "\"status\":0" },
	  { "\"status\":256" },
	  1,
	  1,
	  "the program ended with 256" },
	{ "a_program_that_failed_whatever_is_said_behind_it",
	  { "\"status\":0}" },
	  { "\"status\":256,\"ending\":\"exited with status 1\",\"unread\":0}" },
	  1,
	  1,
	  "the program ended with 256" },
	{ "compare_failed", { NULL }, { NULL }, 99, 1, "failed: status 99" },
	{ "no_points",
	  { "{\"type\":\"verdicts\"" },
	  { "{\"type\":\"nothing\"" },
	  99,
	  1,
	  "no points" },
	{ "no_libunwind",
	  { "{\"type\":\"score\",\"program\":\"p\",\"kernel\":\"k\",\"engine\":\"libunwind\"" },
	  { "{\"type\":\"skip\",\"engine\":\"libunwind\",\"message\":\"not installed\"" },
	  1,
	  0,
	  "libunwind skipped: not installed" },
	{ "no_bpf",
	  { "{\"type\":\"score\",\"program\":\"p\",\"kernel\":\"k\",\"engine\":\"bpf\"" },
	  { "{\"type\":\"skip\",\"engine\":\"bpf\",\"message\":\"not permitted\"" },
	  1,
	  77,
	  "skip: no_bpf not permitted" },
	{ "a_truth_that_is_a_prefix",
	  { "\"unrooted\":0" },
	  { "\"unrooted\":7" },
	  1,
	  0,
	  "7 points whose truth is a prefix" },
};

/* The first place only. */
static void replace(char *text, const char *from, const char *to)
{
	char *at = strstr(text, from);

	ck_assert_msg(at, "no %s", from);
	char *rest = strdup(at + strlen(from));
	snprintf(at, TEXT_MAX - (at - text), "%s%s", to, rest);
	free(rest);
}

START_TEST(judge)
{
	const struct judge_case *c = &cases[_i];
	char path[] = "/tmp/real-XXXXXX.host.ndjson", command[128];
	char text[TEXT_MAX], output[TEXT_MAX];

	strcpy(text, result);
	for (int i = 0; i < COUNT(c->from) && c->from[i]; i++)
		replace(text, c->from[i], c->to[i]);
	int fd = mkstemps(path, strlen(".host.ndjson"));
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	snprintf(command, sizeof(command), "scripts/real-programs --judge %s %d", path, c->given);
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	output[fread(output, 1, sizeof(output) - 1, pipe)] = '\0';
	int status = pclose(pipe);
	unlink(path);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == c->status,
		      "%s: status 0x%x, not %d\n%s", c->name, status, c->status, output);
	ck_assert_msg(strstr(output, c->says), "%s: it doesn't say \"%s\":\n%s", c->name, c->says,
		      output);
}
END_TEST

SUITE(real_programs, LOOP(judge, cases))
