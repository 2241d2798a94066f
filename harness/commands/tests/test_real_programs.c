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
#include "freed.h"

#define TEXT_MAX 8192

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

#define FROM(...) .from = { __VA_ARGS__ }
#define TO(...)	  .to = { __VA_ARGS__ }

static const struct judge_case {
	const char *name;
	const char *from[2], *to[2];
	int given; /* compare's own status */
	int status;
	const char *says;
} cases[] = {
	{ "a_run_in_order", .given = 1,
	  .says = "passed: 402000 instructions, 20100 points, 100 with a frame that no CFI covers, "
		  "2 threads, 12 s" },
	{ "the_share_is_of_covered_points", .given = 1,
	  .says = "bpf       exact at 19999 of 20000 covered points: 99.9950 %" },
	{ "what_is_missing_is_named", .given = 1, .says = "\tno CFI: _init+0x4 (p) x 100\n" },
	{ "a_miss_has_its_instruction_and_row", .given = 1,
	  .says = "table_fault (wrong) x 100 at odd\\\"name+0x9 (libc.so.6)\n\t\tcall "
		  "rax\n\t\tcfa=rsp+8\n" },
	{ "a_walk_fault", FROM("\"walk_fault\":0"), TO("\"walk_fault\":1"), .given = 1, .status = 1,
	  .says = "1 walk_fault" },
	{ "a_reader_fault", FROM("\"reader_fault\":0"), TO("\"reader_fault\":2"), .given = 1,
	  .status = 1, .says = "2 reader_fault" },
	{ "a_silent_loss", FROM("loss_silent\":0"), TO("loss_silent\":3"), .given = 1, .status = 1,
	  .says = "3 conversion_loss_silent" },
	{ "something_unexplained", FROM("\"unexplained\":0"), TO("\"unexplained\":4"), .given = 1,
	  .status = 1, .says = "4 unexplained" },
	{ "an_engine_that_is_silent", FROM("\"silent\":0"), TO("\"silent\":5"), .given = 1,
	  .status = 1, .says = "cfi had nothing to say at 5 points" },
	{ "libdw_is_better", FROM("19990,\"exact_shared\":19989"),
	  TO("19990,\"exact_shared\":19980"), .given = 1, .status = 1,
	  .says = "bpf exact at 19980 shared points, libdw at 19989" },
	{ "libunwind_is_better", FROM("\"exact_shared\":19988"), TO("\"exact_shared\":19990"),
	  .given = 1, .status = 1, .says = "bpf exact at 19989 shared points, libunwind at 19990" },
	{ "exactly_the_least_share", FROM("\"exact_covered\":19999"), TO("\"exact_covered\":19998"),
	  .given = 1, .says = "99.9900 %" },
	{ "less_than_the_least_share", FROM("\"exact_covered\":19999"),
	  TO("\"exact_covered\":19997"), .given = 1, .status = 1, .says = "bpf below 99.99 %" },
	{ "places_without_a_name", FROM("not_kept\":0"), TO("not_kept\":6"), .given = 1,
	  .status = 1, .says = "6 points at places without a name" },
	{ "the_program_failed", FROM("\"status\":0"), TO("\"status\":256"), .given = 1, .status = 1,
	  .says = "the program ended with 256" },
	{ "a_program_that_failed_whatever_is_said_behind_it", FROM("\"status\":0}"),
	  TO("\"status\":256,\"ending\":\"exited with status 1\",\"unread\":0}"), .given = 1,
	  .status = 1, .says = "the program ended with 256" },
	{ "compare_failed", .given = 99, .status = 1, .says = "failed: status 99" },
	{ "no_points", FROM("{\"type\":\"verdicts\""), TO("{\"type\":\"nothing\""), .given = 99,
	  .status = 1, .says = "no points" },
	{ "no_libunwind",
	  FROM("{\"type\":\"score\",\"program\":\"p\",\"kernel\":\"k\",\"engine\":\"libunwind\""),
	  TO("{\"type\":\"skip\",\"engine\":\"libunwind\",\"message\":\"not installed\""),
	  .given = 1, .says = "libunwind skipped: not installed" },
	{ "no_bpf",
	  FROM("{\"type\":\"score\",\"program\":\"p\",\"kernel\":\"k\",\"engine\":\"bpf\""),
	  TO("{\"type\":\"skip\",\"engine\":\"bpf\",\"message\":\"not permitted\""), .given = 1,
	  .status = 77, .says = "skip: no_bpf not permitted" },
	{ "a_truth_that_is_a_prefix", FROM("\"unrooted\":0"), TO("\"unrooted\":7"), .given = 1,
	  .says = "7 points whose truth is a prefix" },
};

/* The first place only. */
static void replace(char *text, const char *from, const char *to)
{
	char *at = strstr(text, from);

	ck_assert_msg(at, "no %s", from);
	FREED char *rest = strdup(at + strlen(from));
	snprintf(at, TEXT_MAX - (at - text), "%s%s", to, rest);
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
