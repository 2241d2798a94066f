/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_load_record.c - what the verifiers said, held against what they said before
 *
 * Results and records are written here as text, and the command is run over them as a user runs it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "guests/load/load.h"
#include "base/cli/exit_status.h"

/* ---- one program ------------------------------------------------------------------------ */

struct side {
	enum load_outcome outcome;
	uint64_t instructions;
	const char *stack, *method;
};

static const struct {
	const char *name;
	struct side recorded, now;
	bool in_record;
	enum load_verdict verdict;
} cases[] = {
#define YES(instructions, stack)                                                                   \
	{                                                                                          \
		LOAD_YES, instructions, stack, "bpf_loop"                                          \
	}
#define NO(outcome)                                                                                \
	{                                                                                          \
		outcome, 7, "", "bpf_loop"                                                         \
	}
	{ "equal", YES(1000, "40+0"), YES(1000, "40+0"), true, LOAD_AS_RECORDED },
	{ "ten_percent_more_is_allowed", YES(1000, "8"), YES(1100, "8"), true, LOAD_AS_RECORDED },
	{ "more_than_ten_percent_is_not", YES(1000, "8"), YES(1101, "8"), true, LOAD_GREW },
	{ "ten_percent_of_few", YES(44, "8"), YES(48, "8"), true, LOAD_AS_RECORDED },
	{ "more_of_few", YES(44, "8"), YES(49, "8"), true, LOAD_GREW },
	{ "ten_percent_less_is_nothing_new", YES(1100, "8"), YES(1000, "8"), true,
	  LOAD_AS_RECORDED },
	{ "less_by_more_is_better", YES(1101, "8"), YES(1000, "8"), true, LOAD_BETTER },
	{ "stack_of_one_function", YES(1000, "40+8"), YES(1000, "40+16"), true, LOAD_STACK_GREW },
	{ "stack_moved_between_functions", YES(1000, "40+8"), YES(1000, "32+16"), true,
	  LOAD_AS_RECORDED },
	{ "stack_of_a_new_function", YES(1000, "40"), YES(1000, "40+8"), true, LOAD_STACK_GREW },
	{ "less_stack", YES(1000, "40+8"), YES(1000, "40"), true, LOAD_AS_RECORDED },
	{ "both_grew_says_instructions", YES(1000, "8"), YES(2000, "16"), true, LOAD_GREW },
	{ "no_longer_loads", YES(1000, "8"), NO(LOAD_NO), true, LOAD_STOPPED },
	{ "lost_its_helper", YES(1000, "8"), NO(LOAD_NO_HELPER), true, LOAD_STOPPED },
	{ "has_the_helper_and_is_refused", NO(LOAD_NO_HELPER), NO(LOAD_NO), true, LOAD_STOPPED },
	{ "refused_as_before", NO(LOAD_NO), NO(LOAD_NO), true, LOAD_AS_RECORDED },
	{ "no_helper_as_before", NO(LOAD_NO_HELPER), NO(LOAD_NO_HELPER), true, LOAD_AS_RECORDED },
	{ "loads_now", NO(LOAD_NO), YES(1000, "8"), true, LOAD_BETTER },
	{ "has_its_helper_now", NO(LOAD_NO_HELPER), YES(1000, "8"), true, LOAD_BETTER },
	{ "new_and_loads", { 0 }, YES(1000, "8"), false, LOAD_NEW },
	{ "new_and_refused", { 0 }, NO(LOAD_NO), false, LOAD_NEW_REFUSED },
	{ "new_without_helper", { 0 }, NO(LOAD_NO_HELPER), false, LOAD_NEW_REFUSED },
	{ "goes_round_otherwise",
	  YES(1000, "8"),
	  { LOAD_YES, 1000, "8", "tail_calls" },
	  true,
	  LOAD_OTHER_METHOD },
	{ "refused_later_than_before",
	  { LOAD_NO, 10, "8", "plain" },
	  { LOAD_NO, 100000, "64", "plain" },
	  true,
	  LOAD_AS_RECORDED },
	{ "a_million_recorded_as_nothing", YES(0, "0"), YES(1000000, "0"), true, LOAD_GREW },
};

static struct load_result result_of(const struct side *side)
{
	struct load_result result = {
		.outcome = side->outcome,
		.statistics.instructions = side->instructions,
	};

	strcpy(result.statistics.stack, side->stack);
	strcpy(result.method, side->method);
	return result;
}

START_TEST(test_compare)
{
	struct load_result recorded = { 0 }, now = result_of(&cases[_i].now);
	enum load_verdict verdict;

	if (cases[_i].in_record)
		recorded = result_of(&cases[_i].recorded);
	verdict = load_compare(cases[_i].in_record ? &recorded : NULL, &now);
	ck_assert_msg(verdict == cases[_i].verdict, "%s: %s, not %s", cases[_i].name,
		      load_verdict_name(verdict), load_verdict_name(cases[_i].verdict));
	ck_assert_int_eq(load_verdict_fails(verdict), verdict >= LOAD_NEW_REFUSED);
}
END_TEST

/* ---- files ------------------------------------------------------------------------------ */

static char directory[] = "/tmp/stackproof-record-XXXXXX";
static char record[sizeof(directory) + 32], results[sizeof(directory) + 32];

static void set_up(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(record, sizeof(record), "%s/verifier.tsv", directory);
	snprintf(results, sizeof(results), "%s/results.ndjson", directory);
}

static void tear_down(void)
{
	unlink(record);
	unlink(results);
	rmdir(directory);
}

/* Standard output and error of load --check, to be freed. */
static char *check_output(bool update, bool json, int *ret_status)
{
	char name[] = "stackproof load", check[] = "--check", against[] = "--record";
	char update_option[] = "--update", json_option[] = "--json";
	char *arguments[8] = { name, check, results, against, record };
	int count = 5;

	if (update)
		arguments[count++] = update_option;
	if (json)
		arguments[count++] = json_option;
	return command_output(command_load, arguments, ret_status);
}

#define LINE(kernel, compiler, program, loads, instructions)                                       \
	kernel "\t" compiler "\twalk\t" program "\tbpf_loop\t" loads "\t" instructions             \
	       "\t8+8\t6.1.2-cloud\n"
#define RESULT(kernel, compiler, program, outcome, instructions)                                   \
	"{\"type\":\"load\",\"kernel\":\"" kernel "\",\"compiler\":\"" compiler                    \
	"\",\"object\":\"walk\",\"program\":\"" program                                            \
	"\",\"method\":\"bpf_loop\",\"outcome\":\"" outcome "\",\"instructions\":" instructions    \
	",\"stack\":\"8+8\",\"log\":\"R0 !read_ok\",\"release\":\"6.1.3-cloud\"}\n"
#define SKIP(name, reason)                                                                         \
	"{\"type\":\"skip\",\"name\":\"" name "\",\"reason\":\"" reason "\",\"message\":\"\"}\n"

static const struct {
	const char *name, *record, *results;
	int status;
	const char *says, *total;
} checks[] = {
	{ "as_recorded", "# a comment\n\n" LINE("6.1", "clang-14", "a", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100") "{\"type\":\"load_summary\"}\n", EXIT_OK,
	  "1 load, 0 do not", "1 passed, 0 failed, 0 skipped" },
	{ "another_kernels_line_is_not_its", LINE("6.1", "clang-14", "a", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100")
		  RESULT("6.1.oldest", "clang-14", "a", "yes", "900"),
	  EXIT_OK, "passed 6.1.oldest clang-14 walk a: not in the record before",
	  "2 passed, 0 failed, 0 skipped" },
	{ "another_compilers_line_is_not_its", LINE("6.1", "clang-14", "a", "yes", "900"),
	  RESULT("6.1", "clang-14", "a", "yes", "900") RESULT("6.1", "clang-15", "a", "no", "90"),
	  EXIT_FINDINGS, "failed 6.1 clang-15 walk a: does not load on 6.1.3-cloud",
	  "1 passed, 1 failed, 0 skipped" },
	{ "another_objects_line_is_not_its",
	  LINE("6.1", "clang-14", "a", "yes",
	       "100") "6.1\tclang-14\tsample\ta\tplain\tyes\t9\t8\tr\n",
	  RESULT("6.1", "clang-14", "a", "yes",
		 "100") "{\"type\":\"load\",\"kernel\":\"6.1\",\"compiler\":\"clang-14\","
			"\"object\":\"sample\","
			"\"program\":\"a\",\"method\":\"plain\",\"outcome\":\"yes\","
			"\"instructions\":10,\"stack\":"
			"\"8\"}\n",
	  EXIT_FINDINGS, "failed 6.1 clang-14 sample a: 10 instructions, recorded as 9",
	  "1 passed, 1 failed, 0 skipped" },
	{ "grew", LINE("6.1", "clang-14", "a", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "150"), EXIT_FINDINGS,
	  "failed 6.1 clang-14 walk a: 150 instructions, recorded as 100 (+50 %)",
	  "0 passed, 1 failed, 0 skipped" },
	{ "log_of_what_stopped", LINE("6.1", "clang-14", "a", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "no", "10"), EXIT_FINDINGS,
	  "no longer loads on 6.1.3-cloud; the log's end:\nR0 !read_ok\n",
	  "0 passed, 1 failed, 0 skipped" },
	{ "a_program_that_is_gone",
	  LINE("6.1", "clang-14", "a", "yes", "100") LINE("6.1", "clang-14", "b", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100"), EXIT_FINDINGS,
	  "failed 6.1 clang-14 walk b: in the record, and no program any more",
	  "1 passed, 1 failed, 0 skipped" },
	{ "a_kernel_not_measured_is_one_skip",
	  LINE("6.1", "clang-14", "a", "yes", "100") LINE("7.0", "clang-14", "a", "yes", "100")
		  LINE("7.0", "clang-15", "b", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100"), EXIT_OK, "skipped 7.0: not_measured",
	  "1 passed, 0 failed, 1 skipped" },
	{ "a_kernel_that_was_said_to_be_skipped_is_not_said_again",
	  LINE("6.1", "clang-14", "a", "yes", "100") LINE("7.0", "clang-14", "a", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100") SKIP("7.0", "no_kernel"), EXIT_OK,
	  "skipped 7.0: no_kernel", "1 passed, 0 failed, 1 skipped" },
	{ "a_compiler_not_measured_on_a_kernel",
	  LINE("6.1", "clang-14", "a", "yes", "100") LINE("6.1", "clang-15", "a", "yes", "100")
		  LINE("6.1", "clang-15", "b", "yes", "100"),
	  RESULT("6.1", "clang-14", "a", "yes", "100"), EXIT_OK,
	  "skipped 6.1 by clang-15: not_measured", "1 passed, 0 failed, 1 skipped" },
	{ "a_compiler_that_was_said_to_be_skipped_is_not_said_again",
	  LINE("6.1", "clang-14", "a", "yes", "100") LINE("6.1", "clang-15", "a", "yes", "100"),
	  SKIP("clang-15", "no_compiler") RESULT("6.1", "clang-14", "a", "yes", "100"), EXIT_OK,
	  "skipped clang-15: no_compiler", "1 passed, 0 failed, 1 skipped" },
	{ "nothing_but_skips", "", SKIP("7.0", "no_kernel"), EXIT_SKIPPED,
	  "skipped 7.0: no_kernel\n", "0 passed, 0 failed, 1 skipped" },
	{ "a_guest_that_died", "",
	  "{\"type\":\"error\",\"name\":\"7.0\",\"reason\":\"no_guest\",\"message\":\"it hung\"}\n",
	  EXIT_FINDINGS, "failed 7.0: no_guest: it hung\n", "0 passed, 1 failed, 0 skipped" },
	{ "a_guest_that_died_is_not_said_to_be_left_out_too",
	  LINE("7.0", "clang-14", "a", "yes", "1") LINE("6.1", "clang-14", "a", "yes", "1"),
	  RESULT("6.1", "clang-14", "a", "yes",
		 "1") "{\"type\":\"error\",\"name\":\"7.0\",\"reason\":\"no_guest\"}\n",
	  EXIT_FINDINGS, "failed 7.0: no_guest\n", "1 passed, 1 failed, 0 skipped" },
	{ "each_kernel_that_is_not_measured_is_said",
	  LINE("6.1", "clang-14", "a", "yes", "1") LINE("6.1", "clang-15", "a", "yes", "1")
		  LINE("6.1", "clang-16", "a", "yes", "1") LINE("7.0", "clang-14", "a", "yes", "1")
			  LINE("7.1", "clang-14", "a", "yes", "1"),
	  RESULT("6.1", "clang-14", "a", "yes", "1"), EXIT_OK,
	  "skipped 6.1 by clang-16: not_measured", "1 passed, 0 failed, 4 skipped" },
	{ "loads_now", LINE("6.1", "clang-14", "a", "no", "7"),
	  RESULT("6.1", "clang-14", "a", "yes", "150"), EXIT_OK,
	  "passed 6.1 clang-14 walk a: loads now: 150 instructions",
	  "1 passed, 0 failed, 0 skipped" },
};

/* The last line of text, without its newline. */
static const char *last_line(char *text)
{
	size_t length = strlen(text);
	char *last;

	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	last = strrchr(text, '\n');
	return last ? last + 1 : text;
}

START_TEST(test_check)
{
	int status;
	char *output;

	file_write_text(record, checks[_i].record);
	file_write_text(results, checks[_i].results);
	output = check_output(false, false, &status);
	ck_assert_msg(strstr(output, checks[_i].says) != NULL, "%s: %s", checks[_i].name, output);
	ck_assert_msg(!strcmp(last_line(output), checks[_i].total), "%s: %s", checks[_i].name,
		      output);
	ck_assert_msg(status == checks[_i].status, "%s: status %d", checks[_i].name, status);
	free(output);
	output = check_output(false, true, &status);
	ck_assert_msg(status == checks[_i].status, "%s: status %d", checks[_i].name, status);
	ck_assert_msg(strstr(last_line(output), "\"type\":\"load_summary\"") != NULL, "%s", output);
	free(output);
}
END_TEST

/*
 * After an update everything is as recorded; what was not measured stays, what is gone goes. What
 * is refused fails, and its line stays what it was.
 */
START_TEST(test_update)
{
	struct load_record got;
	struct error error = { 0 };
	char *output;
	int status;

	file_write_text(record, LINE("6.1", "clang-14", "a", "yes", "100")
					LINE("6.1", "clang-14", "gone", "yes", "100")
						LINE("6.1", "clang-14", "loaded", "yes", "90")
							LINE("7.0", "clang-14", "a", "yes", "70"));
	file_write_text(results, RESULT("6.12", "clang-14", "a", "yes",
					"1") RESULT("6.1", "clang-14", "a", "yes", "200")
					 RESULT("6.1", "clang-14", "loaded", "no", "3")
						 RESULT("6.1", "clang-14", "new", "no", "3"));
	output = check_output(true, false, &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	ck_assert_ptr_nonnull(strstr(output, "failed 6.1 clang-14 walk loaded: no longer loads"));
	ck_assert_ptr_nonnull(strstr(output, "failed 6.1 clang-14 walk new: does not load"));
	ck_assert_ptr_nonnull(strstr(output, "recorded 6.1 clang-14 walk a: 200 instructions"));
	free(output);
	ck_assert_msg(!load_record_read(&got, record, &error), "%s", error.message);
	ck_assert_uint_eq(got.count, 4);
	/* In the order of kernels: 6.1, 6.12, 7.0. */
	ck_assert_str_eq(got.line[0].program, "a");
	ck_assert_uint_eq(got.line[0].statistics.instructions, 200);
	ck_assert_str_eq(got.line[0].release, "6.1.3-cloud");
	ck_assert_str_eq(got.line[1].program, "loaded");
	ck_assert_int_eq(got.line[1].outcome, LOAD_YES);
	ck_assert_str_eq(got.line[2].kernel, "6.12");
	ck_assert_int_eq(got.line[2].outcome, LOAD_YES);
	ck_assert_str_eq(got.line[3].kernel, "7.0");
	load_record_deinit(&got);
	output = check_output(false, false, &status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	ck_assert_str_eq(last_line(output), "2 passed, 2 failed, 1 skipped");
	free(output);
}
END_TEST

/* The first update makes the record; without --update a missing one is no empty one. */
START_TEST(test_no_record)
{
	char *output;
	int status;

	file_write_text(results, RESULT("6.1", "clang-14", "a", "yes", "200"));
	output = check_output(false, false, &status);
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	ck_assert_ptr_nonnull(strstr(output, "verifier.tsv: can't be opened"));
	free(output);
	free(check_output(true, false, &status));
	ck_assert_int_eq(status, EXIT_OK);
	output = check_output(false, false, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_str_eq(last_line(output), "1 passed, 0 failed, 0 skipped");
	free(output);
}
END_TEST

/* What can't be read to its end is not what ended: a folder opens, and is no empty file. */
START_TEST(test_unreadable)
{
	const char *paths[] = { record, results };
	FREED char *output = NULL;
	int status;

	file_write_text(_i ? record : results, "");
	ck_assert_int_eq(mkdir(paths[_i], 0700), 0);
	output = check_output(false, false, &status);
	rmdir(paths[_i]);
	ck_assert_msg(status == EXIT_BAD_INPUT, "status %d: %s", status, output);
	ck_assert_msg(strstr(output, "can't be read: Is a directory") != NULL, "%s", output);
}
END_TEST

/* By kernel and compiler as their versions are ordered, then by name. A line takes the place of its like. */
START_TEST(test_order)
{
	static const char *const keys[][4] = {
		{ "6.1", "clang-9", "b", "y" },		 { "6.1", "clang-14", "a", "x" },
		{ "6.1", "clang-14", "a", "y" },	 { "6.1", "clang-14", "b", "x" },
		{ "6.9", "clang-14", "a", "x" },	 { "6.12", "clang-14", "a", "x" },
		{ "6.12.oldest", "clang-14", "a", "x" }, { "6.16", "clang-14", "a", "x" },
	};
	struct load_record written = { 0 }, got;
	struct error error = { 0 };

	for (int twice = 0; twice < 2; twice++)
		for (int i = COUNT(keys); i--;) {
			struct load_result line = { .statistics.instructions =
							    (uint64_t)(10 * twice + i),
						    .method = "plain",
						    .release = "r" };

			strcpy(line.kernel, keys[i][0]);
			strcpy(line.compiler, keys[i][1]);
			strcpy(line.object, keys[i][2]);
			strcpy(line.program, keys[i][3]);
			ck_assert(!load_record_set(&written, &line));
		}
	ck_assert_uint_eq(written.count, COUNT(keys));
	ck_assert_msg(!load_record_write(&written, record, &error), "%s", error.message);
	load_record_deinit(&written);
	errno = ERANGE; /* an earlier call's */
	ck_assert_msg(!load_record_read(&got, record, &error), "%s", error.message);
	ck_assert_uint_eq(got.count, COUNT(keys));
	for (int i = 0; i < COUNT(keys); i++) {
		const struct load_result *line = &got.line[i];

		ck_assert_msg(!strcmp(line->kernel, keys[i][0]) &&
				      !strcmp(line->compiler, keys[i][1]) &&
				      !strcmp(line->object, keys[i][2]) &&
				      !strcmp(line->program, keys[i][3]),
			      "%d: %s %s %s %s", i, line->kernel, line->compiler, line->object,
			      line->program);
		ck_assert_uint_eq(line->statistics.instructions, (uint64_t)(10 + i));
		ck_assert_str_eq(line->statistics.stack, "");
	}
	/* What is gone goes only where others of its kernel and its compiler were measured. */
	struct load_result other = got.line[1];
	const struct load_record measured = { .line = &other, .count = 1 };
	strcpy(other.program, "z");
	load_record_drop_gone(&got, &measured);
	ck_assert_uint_eq(got.count, 5);
	ck_assert_str_eq(got.line[0].compiler, "clang-9");
	ck_assert_str_eq(got.line[1].kernel, "6.9");
	ck_assert_str_eq(got.line[4].kernel, "6.16");
	load_record_deinit(&got);
}
END_TEST

static const struct {
	const char *name, *record, *results, *says;
} malformed[] = {
	{ "too_few_fields", "6.1\tclang-14\twalk\n", "", "verifier.tsv: line 1 is not one" },
	{ "too_many_fields", "#\n6.1\tc\to\tp\tm\tyes\t1\t8\tr\tx\n", "",
	  "tsv: line 2 is not one" },
	{ "no_such_outcome", "6.1\tc\to\tp\tm\tmaybe\t1\t8\tr\n", "", "tsv: line 1 is not one" },
	{ "an_empty_number", "6.1\tc\to\tp\tm\tyes\t\t8\tr\n", "", "tsv: line 1 is not one" },
	{ "no_number", "6.1\tc\to\tp\tm\tyes\tmany\t8\tr\n", "", "tsv: line 1 is not one" },
	{ "number_too_large", "6.1\tc\to\tp\tm\tyes\t99999999999999999999\t8\tr\n", "",
	  "tsv: line 1 is not one" },
	{ "name_too_long",
	  "6.1\tcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\to\tp\tm\t"
	  "yes\t1\t8\tr\n",
	  "", "tsv: line 1 is not one" },
	{ "line_twice",
	  LINE("6.1", "clang-14", "a", "yes", "1") LINE("6.1", "clang-14", "a", "no", "2"), "",
	  "tsv: line 2 is there twice" },
	{ "result_is_no_json", "", "load\n", "ndjson: line 1 is not one" },
	{ "empty_line", "", "\n", "ndjson: line 1 is not one" },
	{ "result_is_cut_short", "", RESULT("6.1", "c", "a", "yes", "1") "{\"type\":\"load\",\"ker",
	  "ndjson: line 2 is not one" },
	{ "result_of_another_type", "", "{\"type\":\"kernel\"}\n", "ndjson: line 1 is not one" },
	{ "result_without_its_kernel", "", RESULT("", "c", "a", "yes", "1"),
	  "ndjson: line 1 is not one" },
	{ "result_with_no_such_outcome", "", RESULT("6.1", "c", "a", "perhaps", "1"),
	  "ndjson: line 1 is not one" },
};

START_TEST(test_malformed)
{
	FREED char *output = NULL;
	int status;

	file_write_text(record, malformed[_i].record);
	file_write_text(results, malformed[_i].results);
	output = check_output(false, false, &status);
	ck_assert_msg(status == EXIT_BAD_INPUT, "%s: status %d: %s", malformed[_i].name, status,
		      output);
	ck_assert_msg(strstr(output, malformed[_i].says) != NULL, "%s: %s", malformed[_i].name,
		      output);
}
END_TEST

START_TEST(test_command_line)
{
	static const char *const lines[][6] = {
		{ "--check", "x" }, { "--record", "x" },
		{ "--update" },	    { "--check", "x", "--record", "y", "walk.bpf.o" },
		{ "--kernel", "" },
	};
	char *arguments[8] = { strdup("stackproof load") }, *output;
	int status;

	for (int i = 0; i < 6 && lines[_i][i]; i++)
		arguments[i + 1] = strdup(lines[_i][i]);
	output = command_output(command_load, arguments, &status);
	ck_assert_int_eq(status, EXIT_USAGE);
	free(output);
	for (int i = 0; arguments[i]; i++)
		free(arguments[i]);
}
END_TEST

SUITE(load_record, GROUP(compare), LOOP(test_compare, cases), TIMES(test_command_line, 5),
      GROUP(files), FIXTURE(set_up, tear_down), LOOP(test_check, checks), TEST(test_update),
      TEST(test_order), TEST(test_no_record), TIMES(test_unreadable, 2),
      LOOP(test_malformed, malformed))
