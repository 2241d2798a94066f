/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_load_check.c - all that is said of one set of results against one record, letter by letter
 *
 * A program for each verdict, a kernel and a compiler that were not measured, and lines of other
 * types: as text, as JSON, as cases; and what the record is after an update.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cases/cases.h"
#include "base/cli/tests/command_output.h"
#include "guests/load/load.h"

static struct load_check_options options;
static char record[64], results[64];
static struct cases *cases;

struct program {
	const char *kernel, *compiler, *program, *method, *outcome;
	unsigned instructions;
	const char *stack;
};

static const struct program recorded_programs[] = {
	{ "6.1", "clang-14", "better", "plain", "yes", 200, "8" },
	{ "6.1", "clang-14", "gone", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "grew", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "loads", "plain", "no", 100, "" },
	{ "6.1", "clang-14", "method", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "same", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "stack", "plain", "yes", 100, "8+8" },
	{ "6.1", "clang-14", "stopped", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "zero", "plain", "yes", 0, "8" },
	{ "6.1", "clang-15", "same", "plain", "yes", 1, "8" },
	{ "7.0", "clang-14", "same", "plain", "yes", 1, "8" },
}, measured_programs[] = {
	{ "6.1", "clang-14", "better", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "grew", "plain", "yes", 150, "8" },
	{ "6.1", "clang-14", "loads", "plain", "yes", 90, "8" },
	{ "6.1", "clang-14", "method", "loop", "yes", 100, "8" },
	{ "6.1", "clang-14", "new", "plain", "yes", 7, "" },
	{ "6.1", "clang-14", "refused", "plain", "no", 3, "" },
	{ "6.1", "clang-14", "same", "plain", "yes", 100, "8" },
	{ "6.1", "clang-14", "stack", "plain", "yes", 100, "8+9" },
	{ "6.1", "clang-14", "stopped", "plain", "no", 4, "" },
	{ "6.1", "clang-14", "zero", "plain", "yes", 5, "8" },
	{ "6.12", "clang-14", "new", "plain", "yes", 5, "8" },
};

static void write_files(void)
{
	FILE *was = fopen(record, "we"), *is = fopen(results, "we");

	ck_assert(was && is);
	fputs("# what was\n\n", was);
	for (int i = 0; i < COUNT(recorded_programs); i++) {
		const struct program *p = &recorded_programs[i];

		fprintf(was, "%s\t%s\twalk\t%s\t%s\t%s\t%u\t%s\t6.1.2\n", p->kernel, p->compiler,
			p->program, p->method, p->outcome, p->instructions,
			*p->stack ? p->stack : "-");
	}
	fputs("{\"type\":\"skip\",\"name\":\"clang-16\",\"reason\":\"no_compiler\"}\n", is);
	for (int i = 0; i < COUNT(measured_programs); i++) {
		const struct program *p = &measured_programs[i];

		fprintf(is,
			"{\"type\":\"load\",\"kernel\":\"%s\",\"compiler\":\"%s\",\"object\":"
			"\"walk\",\"program\":\"%s\",\"method\":\"%s\",\"outcome\":\"%s\","
			"\"instructions\":%u,\"stack\":\"%s\",\"log\":\"%s\",\"release\":\"6.1.3\"}"
			"\n",
			p->kernel, p->compiler, p->program, p->method, p->outcome, p->instructions,
			p->stack, strcmp(p->outcome, "no") ? "" : "R0\\n!read_ok");
	}
	fputs("{\"type\":\"error\",\"name\":\"5.10\",\"reason\":\"no_guest\",\"message\":\"it "
	      "hung\"}\n",
	      is);
	ck_assert(!fclose(was) && !fclose(is));
}

static void set_up(void)
{
	folder_make();
	snprintf(record, sizeof(record), "%s/record", folder);
	snprintf(results, sizeof(results), "%s/results", folder);
	write_files();
	options = (struct load_check_options) { .results = results, .record = record };
	cases = NULL;
}

static void print_cases(void)
{
	static const char letter[CASE_STATUS_COUNT] = "PFSE";

	for (size_t i = 0; i < cases->suite[0].count; i++) {
		const struct judged_case *judged = &cases->suite[0].judged[i];

		printf("%c %s %s: %s: %s\n", letter[judged->status], judged->class_name,
		       judged->name, judged->message, judged->output ? judged->output : "");
	}
	cases_deinit(cases);
}

/* In a child: what is printed is a process's. */
static int check(int argc, char **argv)
{
	struct cases all = { 0 };

	if (argc > 1) {
		cases_suite(&all, "load");
		options.cases = cases = &all;
	}
	int status = load_check(&options);
	if (cases)
		print_cases();
	return status;
}

static void expect(const char *expected, int status, bool with_cases)
{
	char name[] = "load", *arguments[] = { name, with_cases ? name : NULL, NULL };
	int got;
	FREED char *said = command_output(check, arguments, &got);

	ck_assert_str_eq(said, expected);
	ck_assert_int_eq(got, status);
}

static const char as_text[] =
	"skipped clang-16: no_compiler\n"
	"failed 5.10: no_guest: it hung\n"
	"passed 6.1 clang-14 walk better: 100 instructions, recorded as 200 (-50 %)\n"
	"failed 6.1 clang-14 walk grew: 150 instructions, recorded as 100 (+50 %)\n"
	"passed 6.1 clang-14 walk loads: loads now: 90 instructions, recorded as 100 (-10 %)"
	"\n"
	"failed 6.1 clang-14 walk method: loop, recorded as plain\n"
	"passed 6.1 clang-14 walk new: not in the record before\n"
	"failed 6.1 clang-14 walk refused: does not load on 6.1.3; the log's end:\n"
	"R0\n"
	"!read_ok\n"
	"failed 6.1 clang-14 walk stack: stack 8+9, recorded as 8+8\n"
	"failed 6.1 clang-14 walk stopped: no longer loads on 6.1.3; the log's end:\n"
	"R0\n"
	"!read_ok\n"
	"failed 6.1 clang-14 walk zero: 5 instructions, recorded as 0 (+0 %)\n"
	"passed 6.12 clang-14 walk new: not in the record before\n"
	"failed 6.1 clang-14 walk gone: in the record, and no program any more\n"
	"skipped 6.1 by clang-15: not_measured: it is in the record, but not in the results\n"
	"skipped 7.0: not_measured: it is in the record, but not in the results\n"
	"6.1          6.1.3                      clang-14   8 load, 2 do not, 0 lack a helper"
	"; at most 150 instructions (grew)\n"
	"6.12         6.1.3                      clang-14   1 load, 0 do not, 0 lack a helper"
	"; at most 5 instructions (new)\n"
	"checked: 13 programs; not checked: 3 skipped\n"
	"5 passed, 8 failed, 3 skipped\n";

#define VERDICT(passed, verdict, kernel, program, now, was, stack, stack_was, log)                 \
	"{\"type\":\"load_verdict\",\"passed\":" passed ",\"verdict\":\"" verdict                  \
	"\",\"kernel\":\"" kernel "\",\"kernel_name\":\"" kernel                                   \
	"\",\"compiler\":\"clang-14\",\"object\":\"walk\",\"program\":\"" program                  \
	"\",\"instructions\":" now ",\"recorded_instructions\":" was ",\"stack\":\"" stack         \
	"\",\"recorded_stack\":\"" stack_was "\",\"log\":\"" log "\"}\n"

static const char as_json[] =
	"{\"type\":\"skip\",\"name\":\"clang-16\",\"reason\":\"no_compiler\"}\n"
	"{\"type\":\"error\",\"name\":\"5.10\",\"reason\":\"no_guest\",\"message\":\"it "
	"hung\"}\n" VERDICT("true", "better", "6.1", "better", "100", "200", "8", "8", "") VERDICT(
		"false", "grew", "6.1", "grew", "150", "100", "8", "8",
		"") VERDICT("true", "better", "6.1", "loads", "90", "100", "8", "",
			    "") VERDICT("false", "other_method", "6.1", "method", "100", "100", "8",
					"8", "") VERDICT("true", "new", "6.1", "new", "7", "0", "",
							 "", "") VERDICT("false", "new_refused",
									 "6.1", "refused", "3", "0",
									 "", "", "R0\\n!read_ok")
		VERDICT("true", "as_recorded", "6.1", "same", "100", "100", "8", "8", "") VERDICT(
			"false", "stack_grew", "6.1", "stack", "100", "100",
			"8+9", "8+8", "") VERDICT("false", "stopped_loading", "6.1", "stopped", "4",
						  "100", "", "8",
						  "R0\\n!read_ok") VERDICT("false", "grew", "6.1",
									   "zero", "5", "0", "8",
									   "8", "")
			VERDICT("true", "new", "6.12", "new", "5", "0", "8", "", "") VERDICT(
				"false", "gone",
				"6.1", "gone", "0",
				"100", "", "8",
				"") "{\"type\":\"skip\",\"name\":\"6.1 by "
				    "clang-15\",\"reason\":\"not_measured\",\"message\":\"it is in "
				    "the record, but not in the results\"}\n"
				    "{\"type\":\"skip\",\"name\":\"7.0\",\"reason\":\"not_"
				    "measured\",\"message\":\"it is in the record, but not in the "
				    "results\"}\n"
				    "{\"type\":\"load_summary\",\"passed\":5,\"failed\":8,"
				    "\"skipped\":3,\"checked\":13,\"checked_unit\":\"programs\","
				    "\"not_checked\":{\"skipped\":3},\"exit_status\":1}\n";

static const char as_cases[] =
	"S load clang-16: no_compiler: \n"
	"E load 5.10: no_guest: it hung\n"
	"\n"
	"P 6.1.clang-14.walk better: : \n"
	"F 6.1.clang-14.walk grew: grew: \n"
	"P 6.1.clang-14.walk loads: : \n"
	"F 6.1.clang-14.walk method: other_method: \n"
	"P 6.1.clang-14.walk new: : \n"
	"F 6.1.clang-14.walk refused: new_refused: R0\n"
	"!read_ok\n"
	"\n"
	"P 6.1.clang-14.walk same: : \n"
	"F 6.1.clang-14.walk stack: stack_grew: \n"
	"F 6.1.clang-14.walk stopped: stopped_loading: R0\n"
	"!read_ok\n"
	"\n"
	"F 6.1.clang-14.walk zero: grew: \n"
	"P 6.12.clang-14.walk new: : \n"
	"F 6.1.clang-14.walk gone: gone: \n"
	"S load 6.1 by clang-15: not_measured: it is in the record, but not in the results\n"
	"\n"
	"S load 7.0: not_measured: it is in the record, but not in the results\n"
	"\n";

START_TEST(everything_as_text)
{
	expect(as_text, 1, false);
}
END_TEST

START_TEST(everything_as_json)
{
	options.json = true;
	expect(as_json, 1, false);
}
END_TEST

START_TEST(everything_as_cases)
{
	char both[sizeof(as_text) + sizeof(as_cases)];

	snprintf(both, sizeof(both), "%s%s", as_text, as_cases);
	expect(both, 1, true);
}
END_TEST

/* Nothing failed, and something was skipped. */
START_TEST(strict)
{
	char name[] = "load", *arguments[] = { name, NULL };
	int status;

	for (int i = 0; i < 2; i++) {
		file_write_text(
			results,
			"{\"type\":\"skip\",\"name\":\"6.1\",\"reason\":\"no_kernel\"}\n"
			"{\"type\":\"load\",\"kernel\":\"7.0\",\"compiler\":\"clang-14\","
			"\"object\":"
			"\"walk\",\"program\":\"same\",\"method\":\"plain\",\"outcome\":\"yes\","
			"\"instructions\":1,\"stack\":\"8\",\"log\":\"\",\"release\":\"7.0.1\"}\n");
		options.strict = i;
		FREED char *said = command_output(check, arguments, &status);
		ck_assert_msg(strstr(said, i ? "not checked: 1 skipped; that fails with --strict\n"
					     : "not checked: 1 skipped\n"),
			      "%s", said);
		ck_assert(strstr(said, "\n1 passed, 0 failed, 1 skipped\n"));
		ck_assert_int_eq(status, i);
	}
}
END_TEST

/* As they were recorded: of each compiler the largest, and no log of what nobody expected to load. */
START_TEST(each_compiler_has_its_line)
{
	static const struct {
		const char *compiler, *program, *outcome, *log;
		unsigned int instructions;
	} lines[] = { { "clang-14", "a", "yes", "", 100 },
		      { "clang-14", "b", "yes", "", 150 },
		      { "clang-14", "c", "yes", "", 120 },
		      { "clang-14", "d", "no", "R0 !read_ok", 3 },
		      { "clang-15", "a", "yes", "", 90 },
		      { "clang-15", "b", "no_helper", "lacks it", 9 },
		      { "clang-15", "c", "no_helper", "lacks it", 8 } };
	FILE *was = fopen(record, "we"), *is = fopen(results, "we");

	ck_assert(was && is);
	for (int i = 0; i < COUNT(lines); i++) {
		fprintf(was, "6.1\t%s\twalk\t%s\tplain\t%s\t%u\t8\t6.1.2\n", lines[i].compiler,
			lines[i].program, lines[i].outcome, lines[i].instructions);
		fprintf(is,
			"{\"type\":\"load\",\"kernel\":\"6.1\",\"compiler\":\"%s\",\"object\":"
			"\"walk\",\"program\":\"%s\",\"method\":\"plain\",\"outcome\":\"%s\","
			"\"instructions\":%u,\"stack\":\"8\",\"log\":\"%s\",\"release\":\"6.1.3\"}"
			"\n",
			lines[i].compiler, lines[i].program, lines[i].outcome,
			lines[i].instructions, lines[i].log);
	}
	ck_assert(!fclose(was) && !fclose(is));
	expect("6.1          6.1.3                      clang-14   3 load, 1 do not, 0 lack a "
	       "helper"
	       "; at most 150 instructions (b)\n"
	       "6.1          6.1.3                      clang-15   1 load, 0 do not, 2 lack a "
	       "helper"
	       "; at most 90 instructions (a)\n"
	       "7 passed, 0 failed, 0 skipped\n"
	       "P 6.1.clang-14.walk a: : \nP 6.1.clang-14.walk b: : \nP 6.1.clang-14.walk c: : \n"
	       "P 6.1.clang-14.walk d: : \nP 6.1.clang-15.walk a: : \n"
	       "P 6.1.clang-15.walk b: : \nP 6.1.clang-15.walk c: : \n",
	       0, true);
}
END_TEST

/* ---- updates ------------------------------------------------------------------------------ */

static const struct {
	const char *refused; /* NULL: nothing is expected to be */
	bool is_recorded[2]; /* "refused", "stopped" */
	const char *total;
} updates[] = {
	{ NULL, { false, false }, "10 passed, 3 failed, 3 skipped\n" },
	{ "none", { false, false }, "10 passed, 3 failed, 3 skipped\n" },
	{ "stopped", { false, true }, "11 passed, 2 failed, 3 skipped\n" },
	{ "6.1/clang-14/walk/refused", { true, false }, "11 passed, 2 failed, 3 skipped\n" },
	{ "6.1/clang-14/*", { true, true }, "12 passed, 1 failed, 3 skipped\n" },
	{ "6.1/clang-15/*", { false, false }, "10 passed, 3 failed, 3 skipped\n" },
};

/* What is the record's now, of what stays, what is new and what is gone. */
START_TEST(record_is_updated)
{
	char name[] = "load", *arguments[] = { name, NULL }, line[256];
	int status;

	options.update = true;
	options.refused = updates[_i].refused;
	FREED char *said = command_output(check, arguments, &status);
	ck_assert_msg(strstr(said, updates[_i].total), "%s", said);
	ck_assert_int_eq(status, 1); /* a guest died */
	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "\n%s 6.1 clang-14 walk %s: ",
			 updates[_i].is_recorded[i] ? "recorded" : "failed",
			 i ? "stopped" : "refused");
		ck_assert_msg(strstr(said, line), "%s", said);
	}
	ck_assert(strstr(said, "\nrecorded 6.1 clang-14 walk gone: in the record, and no program"));
	const char *text = file_text(record);
	snprintf(line, sizeof(line), "%s%s",
		 updates[_i].is_recorded[1]
			 ? "6.1\tclang-14\twalk\tstopped\tplain\tno\t4\t-\t6.1.3\n"
			 : "6.1\tclang-14\twalk\tstopped\tplain\tyes\t100\t8\t6.1.2\n",
		 "6.1\tclang-14\twalk\tzero\tplain\tyes\t5\t8\t6.1.3\n"
		 "6.1\tclang-15\twalk\tsame\tplain\tyes\t1\t8\t6.1.2\n"
		 "6.12\tclang-14\twalk\tnew\tplain\tyes\t5\t8\t6.1.3\n"
		 "7.0\tclang-14\twalk\tsame\tplain\tyes\t1\t8\t6.1.2\n");
	ck_assert_msg(strstr(text, line) && !strcmp(strstr(text, line), line), "%s", text);
	ck_assert(!strstr(text, "\tgone\t") && strstr(text, "\tnew\tplain\tyes\t7\t-\t"));
	ck_assert_int_eq(!!strstr(text, "\trefused\tplain\tno\t3\t-\t6.1.3\n"),
			 updates[_i].is_recorded[0]);
}
END_TEST

/* Of nothing there is nothing to record. */
START_TEST(nothing_measured_leaves_the_record)
{
	char name[] = "load", *arguments[] = { name, NULL };
	int status;

	file_write_text(results, "{\"type\":\"skip\",\"name\":\"6.1\",\"reason\":\"no_kernel\"}\n");
	ck_assert(!unlink(record));
	options.update = true;
	FREED char *said = command_output(check, arguments, &status);
	ck_assert_str_eq(said, "skipped 6.1: no_kernel\n"
			       "checked: 0 programs; not checked: 1 skipped; nothing was checked\n"
			       "0 passed, 0 failed, 1 skipped\n");
	ck_assert_int_eq(status, 77);
	ck_assert(access(record, F_OK));
	write_files();
}
END_TEST

/* It is mended by hand: what it said is in nothing else. */
START_TEST(damaged_record_is_not_overwritten)
{
	static const char damaged[] = "6.1\tclang-14\n";
	char name[] = "load", *arguments[] = { name, NULL };
	int status;

	file_write_text(record, damaged);
	options.update = true;
	FREED char *said = command_output(check, arguments, &status);
	ck_assert_msg(strstr(said, "line 1 is not one of a record"), "%s", said);
	ck_assert_int_eq(status, 3);
	ck_assert_str_eq(file_text(record), damaged);
}
END_TEST

/* A record that can't be written is said, and nothing else then. */
START_TEST(record_that_cannot_be_written)
{
	char name[] = "load", *arguments[] = { name, NULL }, path[128];
	int status;

	snprintf(path, sizeof(path), "%s/none/record", folder);
	options.record = path;
	options.update = true;
	FREED char *said = command_output(check, arguments, &status);
	ck_assert_msg(strstr(said, "/none/record: ") && !strstr(said, " passed, "), "%s", said);
	ck_assert_int_eq(status, 3);
}
END_TEST

SUITE(load_check, FIXTURE(set_up, folder_remove), TEST(everything_as_text),
      TEST(everything_as_json), TEST(everything_as_cases), TEST(strict),
      TEST(each_compiler_has_its_line), LOOP(record_is_updated, updates),
      TEST(nothing_measured_leaves_the_record), TEST(damaged_record_is_not_overwritten),
      TEST(record_that_cannot_be_written))
