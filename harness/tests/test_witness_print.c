/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness_print.c - a difference between the truth and a witness, as text and as JSON
 *
 * The findings are made up: one of the program's log, one of the CPU's words. A return address is
 * described by the byte before it, a function's own address and an interrupted PC by themselves: each
 * is the first or the last byte of a mapping here, so that a byte to the side is in another.
 */
#include <check.h>
#include "command_output.h"
#include "commands/witness.c"

static struct mapping mappings[] = {
	{ 0x1000, 0x2000, 0x1000, NULL, (char *)"/a/one", 0 },
	{ 0x2000, 0x3000, 0x2000, NULL, (char *)"/a/two", 0 },
	{ 0x3000, 0x4000, 0x3000, NULL, (char *)"/a/three", 0 },
};
static const struct address_space space = { .mapping = mappings, .mapping_count = 3 };

static struct shadow_frame frames[] = {
	{ .slot = 0x7008, .return_address = 0x2000 },
	{ .slot = 0x7000, .return_address = 0x3000, .interrupted = true },
};
static struct shadow_stack shadow = { .frame = frames, .count = 2 };
static const struct trace_stop stop = { .tid = 42, .regs = { .rip = 0x2000 }, .shadow = &shadow };
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

int main(void)
{
	Suite *suite = suite_create("witness_print");
	TCase *tcase = tcase_create("witness_print");

	tcase_add_loop_test(tcase, difference_is_printed, 0, 4);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
