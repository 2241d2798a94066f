/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness_print.c - a difference between the truth and a witness, as text and as JSON; a result
 *
 * The findings are made up: one of the program's log, one of the CPU's words. A return address is
 * described by the byte before it, a function's own address and an interrupted PC by themselves: each
 * is the first or the last byte of a mapping here, so that a byte to the side is in another.
 */
#include "tests/printed.h"
#include "tests/suite.h"
#include "base/cli/tests/command_output.h"
#include "commands/witness.c"

static struct mapping mappings[] = {
	{ 0x1000, 0x2000, 0x1000, 0, NULL, (char *)"/a/one", 0 },
	{ 0x2000, 0x3000, 0x2000, 0, NULL, (char *)"/a/two", 0 },
	{ 0x3000, 0x4000, 0x3000, 0, NULL, (char *)"/a/three", 0 },
};
static const struct address_space space = { .mapping = mappings, .mapping_count = 3 };

static struct shadow_frame frames[] = {
	{ .slot = 0x7008, .return_address = 0x2000 },
	{ .slot = 0x7000, .return_address = 0x3000, .interrupted = true },
};
static struct shadow_stack shadow = { .frame = frames, .count = 2 };
static const struct trace_stop stop = { .tid = 42,
					.regs.value = { [REGISTER_RIP] = 0x2000 },
					.shadow = &shadow };
static struct witness_open opened[] = { { .slot = 0x7008, .function = 0x3000 },
					{ .slot = 0x7000, .function = 0x2000 } };
static const struct witness_log log_now = { .now = { .open = opened, .count = 2 } };
static const struct witness_event event = { .kind = WITNESS_EXIT, .number = 7 };
static const uint64_t words[] = { 0x2000, 0x3000, 0 };

static const struct witness_finding findings[] = {
	{ .difference = { WITNESS_CALL_SITE, 1, 0x7000, 0x3000, 0x2fff },
	  .event = &event,
	  .stop = &stop,
	  .log = &log_now,
	  .space = &space },
	{ .difference = { WITNESS_WORD, 0, 0x7008, 0x2000, 0x3000 },
	  .stop = &stop,
	  .word = words,
	  .word_count = 3,
	  .space = &space },
};

static bool as_json;
static int number;

static int print_finding(int argc, char **argv)
{
	if (as_json)
		print_json(&findings[number], "a\"program");
	else
		print_text(&findings[number]);
	return 0;
}

static const char *const expected[][2] = {
	{ "difference call_site at exit of thread 42, 0x2000 (two), event 7\n"
	  "    slot 0x7000: the truth has 0x3000, the witness 0x2fff\n"
	  "    the truth\n"
	  "         1  0x000000007000  returns to 0x3000 (three), interrupted\n"
	  "         0  0x000000007008  returns to 0x1fff (one)\n"
	  "    the witness\n"
	  "            0x000000007000  0x2000 (two)\n"
	  "            0x000000007008  0x3000 (three)\n",
	  "{\"type\":\"difference\",\"program\":\"a\\\"program\",\"kind\":\"call_site\",\"event\":"
	  "\"exit\",\"number\":7,\"thread\":42,\"place\":\"0x2000 "
	  "(two)\",\"slot\":\"0x7000\",\"truth\":\"0x3000\",\"said\":\"0x2fff\",\"truth_frames\":[{"
	  "\"slot\":\"0x7000\",\"pc\":\"0x3000\",\"place\":\"0x3000 "
	  "(three)\"},{\"slot\":\"0x7008\",\"pc\":\"0x2000\",\"place\":\"0x1fff "
	  "(one)\"}],\"said_frames\":[{\"slot\":\"0x7000\",\"pc\":\"0x2000\",\"place\":\"0x2000 "
	  "(two)\"},{\"slot\":\"0x7008\",\"pc\":\"0x3000\",\"place\":\"0x3000 (three)\"}]}\n" },
	{ "difference word at cpu of thread 42, 0x2000 (two)\n"
	  "    slot 0x7008: the truth has 0x2000, the witness 0x3000\n"
	  "    the truth\n"
	  "         1  0x000000007000  returns to 0x3000 (three), interrupted\n"
	  "         0  0x000000007008  returns to 0x1fff (one)\n"
	  "    the witness\n"
	  "            0x000000000000  0x1fff (one)\n"
	  "            0x000000000000  0x2fff (two)\n"
	  "            0x000000000000  0x0 (unmapped)\n",
	  "{\"type\":\"difference\",\"program\":\"a\\\"program\",\"kind\":\"word\",\"event\":"
	  "\"cpu\",\"number\":0,\"thread\":42,\"place\":\"0x2000 "
	  "(two)\",\"slot\":\"0x7008\",\"truth\":\"0x2000\",\"said\":\"0x3000\",\"truth_frames\":[{"
	  "\"slot\":\"0x7000\",\"pc\":\"0x3000\",\"place\":\"0x3000 "
	  "(three)\"},{\"slot\":\"0x7008\",\"pc\":\"0x2000\",\"place\":\"0x1fff "
	  "(one)\"}],\"said_frames\":[{\"slot\":\"0x0\",\"pc\":\"0x2000\",\"place\":\"0x1fff "
	  "(one)\"},{\"slot\":\"0x0\",\"pc\":\"0x3000\",\"place\":\"0x2fff "
	  "(two)\"},{\"slot\":\"0x0\",\"pc\":\"0x0\",\"place\":\"0x0 (unmapped)\"}]}\n" }
};

START_TEST(difference_is_printed)
{
	char *arguments[] = { NULL };
	int status;

	number = _i / 2;
	as_json = _i % 2;
	char *output = command_output(print_finding, arguments, &status);
	ck_assert_str_eq(output, expected[number][as_json]);
	free(output);
}
END_TEST

/* ---- the result ------------------------------------------------------------------------- */

#define RESULT(...) .result = { __VA_ARGS__ }

static const struct result_case {
	const char *name;
	struct witness_result result;
	uint64_t checked, skipped, findings; /* of the gate */
	int passed, failed, left;	     /* of the cases */
	const char *text, *json;	     /* parts; NULL: the CPU's part is the machine's */
} results[] = {
	{ "nothing_was_asked", RESULT(.truth = { .steps = 11, .threads = 2 }), .checked = 0,
	  .skipped = 2, .left = 2,
	  .text = "p: 11 steps, 2 threads; 0 entries (0 of handlers), 0 enters, 0 exits, 0 mute, 0 "
		  "lost; 0 "
		  "frames "
		  "confirmed, 0 findings\nlog: skipped: the program is not linked to "
		  "testprogs/witness/hooks.S\ncpu: skipped: ",
	  .json = "{\"type\":\"skip\",\"program\":\"p\",\"witness\":\"log\",\"reason\":\"not_"
		  "instrumented\","
		  "\"message\":\"the program is not linked to testprogs/witness/hooks.S\"}\n"
		  "{\"type\":\"skip\",\"program\":\"p\",\"witness\":\"cpu\"," },
	{ "it_has_hooks_and_says_nothing",
	  RESULT(.instrumented = true, .event = { [WITNESS_ENTER] = 3 }), .checked = 0,
	  .skipped = 2, .left = 2, .text = "log: skipped: the program reported nothing\n",
	  .json = "\"message\":\"the program reported nothing\"" },
	{ "the_log_alone",
	  RESULT(.instrumented = true,
		 .event = { [WITNESS_ENTRY] = 5,
			    [WITNESS_ENTER] = 4,
			    [WITNESS_EXIT] = 3,
			    [WITNESS_RESUME] = 2,
			    [WITNESS_CHANGE] = 1 },
		 .mute = 6, .handlers = 7, .frames = 8, .programs = 9, .status = 256,
		 .truth = { .steps = 21, .threads = 1 }),
	  .checked = 12, .skipped = 1, .passed = 1, .left = 1,
	  .text = "p: 21 steps, 1 threads; 5 entries (7 of handlers), 4 enters, 3 exits, 6 mute, 0 "
		  "lost; 8 "
		  "frames "
		  "confirmed, 0 findings\ncpu: skipped: ",
	  .json = "\"status\":256,\"steps\":21,\"threads\":1,\"entries\":5,\"enters\":4,\"exits\":"
		  "3,"
		  "\"resumes\":2,"
		  "\"changes\":1,\"mute\":6,\"handlers\":7,\"frames\":8,\"programs\":9,\"lost\":0,"
		  "\"cpu_points\":0,\"cpu_words\":0,\"differences\":{\"hook\":0," },
	{ "both",
	  RESULT(.instrumented = true, .event = { [WITNESS_ENTRY] = 1 }, .cpu = true,
		 .cpu_points = 10, .cpu_words = 20),
	  .checked = 11, .passed = 2, .text = "0 findings\ncpu: 10 points, 20 words\n",
	  .json = "{\"type\":\"witness\",\"program\":\"p\"," },
	{ "the_cpu_alone", RESULT(.cpu = true, .cpu_points = 10), .checked = 10, .skipped = 1,
	  .passed = 1, .left = 1, .text = "cpu: 10 points, 0 words\nlog: skipped: ",
	  .json = "\"cpu_points\":10,\"cpu_words\":0," },
	{ "differences",
	  RESULT(.instrumented = true, .event = { [WITNESS_ENTRY] = 1 }, .cpu = true,
		 .differences = { [WITNESS_AGREES] = 9, [WITNESS_HOOK] = 1, [WITNESS_DEPTH] = 2 },
		 .lost = 4),
	  .checked = 1, .findings = 7, .failed = 2,
	  .text = "4 lost; 0 frames confirmed, 7 findings\ncpu: 0 points, 0 words\ndifferences: "
		  "hook 1\n"
		  "differences: depth 2\n",
	  .json = "\"lost\":4,\"cpu_points\":0,\"cpu_words\":0,\"differences\":{\"hook\":1," },
};

static int print_result(int argc, char **argv)
{
	const struct gate gate = { .unit = "reports" };

	if (as_json)
		print_result_json("p", &results[number].result, &gate);
	else
		print_result_text("p", &results[number].result);
	return 0;
}

START_TEST(result_is_printed_and_counted)
{
	const struct result_case *test = &results[_i];
	struct arguments arguments = { .gate = { .unit = "reports" } };
	const struct gate *gate = &arguments.gate;
	char *none[] = { NULL }, *text;
	size_t count[CASE_STATUS_COUNT];
	int status;

	number = _i;
	for (int json = 0; json < 2; json++) {
		as_json = json;
		text = command_output(print_result, none, &status);
		ck_assert_msg(strstr(text, json ? test->json : test->text), "%s: %s", test->name,
			      text);
		free(text);
	}
	gate_result(&arguments.gate, &test->result);
	ck_assert_msg(gate->checked == test->checked && gate->findings == test->findings &&
			      gate->left[GATE_SKIPPED] == test->skipped,
		      "%s: %d %d %d", test->name, (int)gate->checked, (int)gate->findings,
		      (int)gate->left[GATE_SKIPPED]);
	cases_suite(&arguments.cases.cases, "witness");
	add_cases(&arguments, "p", &test->result);
	cases_count(&arguments.cases.cases, count);
	ck_assert_msg((int)count[CASE_PASSED] == test->passed &&
			      (int)count[CASE_FAILED] == test->failed &&
			      (int)count[CASE_SKIPPED] == test->left && !count[CASE_ERROR],
		      "%s", test->name);
	if (test->failed) {
		char *tap = PRINTED(file, cases_print_tap(&arguments.cases.cases, file));
		ck_assert_msg(strstr(tap, "not ok 1 - witness.log: p") != NULL, "%s", tap);
		ck_assert_msg(strstr(tap, "not ok 2 - witness.cpu: p") != NULL, "%s", tap);
		ck_assert_msg(strstr(tap, "\"7 differences, 4 lost\"") != NULL, "%s", tap);
		free(tap);
	}
	cases_deinit(&arguments.cases.cases);
}
END_TEST

/* So many differences are shown, in whichever way. */
static int print_many(int argc, char **argv)
{
	struct arguments arguments = { .json = as_json };

	arguments.witness.tracer.argv = argv;
	for (int i = 0; i < FINDINGS_SHOWN + 3; i++)
		on_finding(&arguments, &findings[0]);
	return 0;
}

START_TEST(ten_differences_are_shown)
{
	char *named[] = { "prog", NULL };
	int status, shown = 0;

	as_json = _i;
	char *text = command_output(print_many, named, &status);
	for (const char *at = text; (at = strstr(at, "call_site")); at++)
		shown++;
	ck_assert_int_eq(shown, 10);
	ck_assert_int_eq(strstr(text, "\"program\":\"prog\"") != NULL, _i);
	free(text);
}
END_TEST

SUITE(witness_print, TIMES(difference_is_printed, 4), LOOP(result_is_printed_and_counted, results),
      TIMES(ten_differences_are_shown, 2))
