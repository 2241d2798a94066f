/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external.c - engines that die, hang, flood and lie: each is contained, and its outcomes say so
 *
 * None is asked about a process: there is one point, made by hand.
 */
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "external_engines.h"

#define OUTCOMES(...) .outcome = { __VA_ARGS__ }

/* What becomes of three points. */
static const struct outcome_case {
	const char *name;
	const char *command;
	const char *argument; /* NULL: a command */
	bool hangs;
	uint64_t outcome[EXTERNAL_OUTCOME_COUNT];
	uint64_t starts;
	const char *failure;
	const char *last; /* the third point's answer */
} outcome_cases[] = {
	{ "an_answer_to_each", HELLO POINT ANSWER NEXT ANSWER NEXT ANSWER,
	  OUTCOMES([EXTERNAL_STACK] = 3), .failure = "", .last = GOOD },
	{ "one_that_dies_is_started_again", HELLO POINT ANSWER "exit 4",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_DIED] = 1), .starts = 1,
	  .failure = "point 2: it ended with status 4", .last = GOOD },
	{ "one_that_dies_of_a_signal", HELLO "kill -KILL $$", OUTCOMES([EXTERNAL_DIED] = 3),
	  .starts = 2, .failure = "point 1: it was killed by SIGKILL", .last = NONE },
	{ "what_it_says_before_it_dies_counts", HELLO "echo stack 1 complete 401234; exit 4",
	  OUTCOMES([EXTERNAL_STACK] = 1, [EXTERNAL_DIED] = 1, [EXTERNAL_PROTOCOL_BROKEN] = 1),
	  .starts = 1, .failure = "point 2: it ended with status 4", .last = NONE },
	{ "what_it_did_not_say_to_its_end_is_not_the_next_ones",
	  HELLO POINT
	  "[ $id -ne 1 ] || { printf 'stack 1 complete 401234 401234'; exit 4; }; " ANSWER NEXT
		  ANSWER,
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_DIED] = 1), .starts = 1,
	  .failure = "point 1: it ended with status 4", .last = GOOD },
	{ "one_that_closes_its_output", HELLO "exec >&-; exec sleep 1000",
	  OUTCOMES([EXTERNAL_DIED] = 3), .starts = 2, .failure = "point 1: it closed its output",
	  .last = NONE },
	{ "one_that_hangs", HELLO "exec sleep 1000", .hangs = true,
	  OUTCOMES([EXTERNAL_TIMEOUT] = 3), .starts = 2,
	  .failure = "point 1: it did not answer in time", .last = NONE },
	{ "one_that_reads_nothing_and_says_nothing", HELLO "kill -STOP $$", .hangs = true,
	  OUTCOMES([EXTERNAL_TIMEOUT] = 3), .starts = 2,
	  .failure = "point 1: it did not answer in time", .last = NONE },
	{ "a_line_that_does_not_end", HELLO "exec tr '\\0' a </dev/zero",
	  OUTCOMES([EXTERNAL_FLOOD] = 3), .starts = 2,
	  .failure = "point 1: more than any answer has", .last = NONE },
	{ "lines_that_are_none", HELLO "exec yes", OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3),
	  .starts = 2, .failure = "point 1: no line of the protocol: 'y'", .last = NONE },
	{ "control_characters_are_not_repeated", HELLO "printf 'a\\033[1m\\n'; exec sleep 1000",
	  OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3), .starts = 2,
	  .failure = "point 1: no line of the protocol: 'a?[1m'", .last = NONE },
	{ "reads_without_end", HELLO POINT "exec yes read $id 0 8", OUTCOMES([EXTERNAL_FLOOD] = 3),
	  .starts = 2, .failure = "point 1: more than any answer has", .last = NONE },
	{ "a_read_of_another_point",
	  HELLO POINT "echo read $((id + 1)) 7ff0 8; read answer; exit 9",
	  OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3), .starts = 2,
	  .failure = "point 1: a read for a point that was not asked about", .last = NONE },
	{ "a_read_of_nothing", HELLO POINT "echo read $id 7ff0 0; read answer; exit 9",
	  OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3), .starts = 2,
	  .failure = "point 1: a read of nothing, or of more than 65536 bytes", .last = NONE },
	{ "a_read_of_too_much", HELLO POINT "echo read $id 7ff0 65537; read answer; exit 9",
	  OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3), .starts = 2,
	  .failure = "point 1: a read of nothing, or of more than 65536 bytes", .last = NONE },
	{ "an_answer_to_another_point", HELLO POINT "echo stack 9 complete 401234; exec sleep 1000",
	  OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3), .starts = 2,
	  .failure =
		  "point 1: a stack of a point that was not asked about: 'stack 9 complete 401234'",
	  .last = NONE },
	{ "an_answer_too_many", HELLO POINT ANSWER ANSWER "exec sleep 1000",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_PROTOCOL_BROKEN] = 1), .starts = 1,
	  .failure = "point 2: a stack of a point that was not asked about: 'stack 1 zero_return "
		     "401234 405678'",
	  .last = GOOD },
	{ "a_second_hello", HELLO "echo hello 1; exit 9", OUTCOMES([EXTERNAL_PROTOCOL_BROKEN] = 3),
	  .starts = 2, .failure = "point 1: a line of its hello, after it", .last = NONE },
	{ "standard_error_is_read_while_it_floods",
	  HELLO POINT "head -c 1000000 /dev/zero >&2; " ANSWER NEXT ANSWER NEXT ANSWER,
	  OUTCOMES([EXTERNAL_STACK] = 3), .failure = "", .last = GOOD },
	{ "a_child_that_keeps_its_output", HELLO POINT ANSWER "setsid sleep 1000 & exit 4",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_DIED] = 1), .starts = 1,
	  .failure = "point 2: it ended with status 4", .last = GOOD },

	{ "what_it_leaves_may_end",
	  HELLO POINT "orphan=$(sh -c '(sleep 0.1; exit 7) & echo $!'); "
		      "while kill -0 $orphan 2>/dev/null; do sleep 0.01; done; " ANSWER NEXT ANSWER
		      "sleep 0.1; " NEXT ANSWER,
	  OUTCOMES([EXTERNAL_STACK] = 3), .failure = "", .last = GOOD },

	{ "object_answers", "", .argument = "", OUTCOMES([EXTERNAL_STACK] = 3), .failure = "",
	  .last = GOOD },
	{ "object_with_a_window", "", .argument = "window", OUTCOMES([EXTERNAL_STACK] = 3),
	  .failure = "", .last = GOOD },
	{ "object_crashes", "", .argument = "crash",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_DIED] = 1), .starts = 1,
	  .failure = "point 2: it was killed by SIGSEGV", .last = GOOD },
	{ "object_exits", "", .argument = "exit",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_DIED] = 1), .starts = 1,
	  .failure = "point 2: it ended with status 5", .last = GOOD },
	{ "object_loops", "", .argument = "loop", .hangs = true,
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_TIMEOUT] = 1), .starts = 1,
	  .failure = "point 2: it did not answer in time", .last = GOOD },
	{ "object_says_too_many_frames", "", .argument = "many",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_PROTOCOL_BROKEN] = 1), .starts = 1,
	  .failure = "point 2: it says more frames than there is room for", .last = GOOD },
	{ "object_says_a_stop_that_is_none", "", .argument = "stop",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_PROTOCOL_BROKEN] = 1), .starts = 1,
	  .failure = "point 2: a stop that is none", .last = GOOD },
	{ "object_says_nothing", "", .argument = "nothing", OUTCOMES([EXTERNAL_STACK] = 3),
	  .failure = "", .last = GOOD },
	{ "object_writes_into_the_channel", "", .argument = "junk",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_PROTOCOL_BROKEN] = 1), .starts = 1,
	  .failure = "point 2: something that is no message", .last = GOOD },
	{ "object_reads_without_end", "", .argument = "read",
	  OUTCOMES([EXTERNAL_STACK] = 2, [EXTERNAL_FLOOD] = 1), .starts = 1,
	  .failure = "point 2: more than any answer has", .last = GOOD },
	{ "object_takes_all_descriptors", "", .argument = "descriptors",
	  OUTCOMES([EXTERNAL_STACK] = 3), .failure = "", .last = GOOD },
	{ "object_prints", "", .argument = "print", OUTCOMES([EXTERNAL_STACK] = 3), .failure = "",
	  .last = GOOD },
	{ "object_leaves_a_child", "", .argument = "child", OUTCOMES([EXTERNAL_STACK] = 3),
	  .failure = "", .last = GOOD },
	{ "object_lies", "", .argument = "lie", OUTCOMES([EXTERNAL_STACK] = 3), .failure = "",
	  .last = GOOD },
	{ "object_crashes_at_its_end", "", .argument = "late_crash", OUTCOMES([EXTERNAL_STACK] = 3),
	  .failure = "", .last = GOOD },
	{ "object_never_ends", "", .argument = "late_loop", OUTCOMES([EXTERNAL_STACK] = 3),
	  .failure = "", .last = GOOD },
};

/* An engine is a process of its own, and of the test nothing is left but itself. */
static void assert_no_child(const char *name)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(text, sizeof(text), file))
		ck_abort_msg("%s: a child is left: %s", name, text);
	fclose(file);
}

START_TEST(outcomes)
{
	const struct outcome_case *c = &outcome_cases[_i];
	struct external_options options = options_of(c->command, c->argument, c->hangs);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;
	struct error error;

	set_engine_host();
	ck_assert_msg(!external_open(&options, &external, &error), "%s: %s", c->name,
		      error.message);
	ck_assert_int_eq(external_mappings(external, NULL, 0, &error), 0);
	external_begin(external);
	ask(external, POINTS, answer);
	external_report(external, &report);
	for (unsigned int i = 0; i < EXTERNAL_OUTCOME_COUNT; i++)
		ck_assert_msg(report.outcome[i] == c->outcome[i], "%s: %s %lu, not %lu; %s",
			      c->name, external_outcome_name(i), report.outcome[i], c->outcome[i],
			      report.failure);
	ck_assert_msg(report.starts == c->starts, "%s: started %lu times", c->name, report.starts);
	ck_assert_msg(!strcmp(report.failure, c->failure), "%s: '%s'", c->name, report.failure);
	ck_assert_msg(!strcmp(answer[POINTS - 1], c->last), "%s: '%s'", c->name,
		      answer[POINTS - 1]);
	external_close(external);
	assert_no_child(c->name);
}
END_TEST

/* Those that never get as far as a point: a skip, by the reason. */
static const struct skip_case {
	const char *name;
	const char *command, *argument;
	bool hangs;
	const char *message;
} skip_cases[] = {
	{ "no_such_program", "/nowhere/engine", NULL, false,
	  "no hello: it ended with status 127: /bin/sh: 1: /nowhere/engine: not found" },
	{ "it_says_why", "echo no such table >&2; echo and more >&2; exit 2", NULL, false,
	  "no hello: it ended with status 2: no such table" },
	{ "it_says_nothing", "exec sleep 1000", NULL, true, "no hello: it did not answer in time" },
	{ "another_version", "echo hello 2; echo ready", NULL, false,
	  "no hello: it speaks another version of the protocol" },
	{ "no_hello_first", "echo ready", NULL, false, "no hello: its first word is not hello" },
	{ "two_hellos", "echo hello 1; echo hello 1; echo ready", NULL, false,
	  "no hello: a second hello" },
	{ "a_hello_without_end", "echo hello 1; exec yes version x", NULL, true,
	  "no hello: it did not answer in time" },
	{ "a_hello_that_ends_before_it_is_ready", "echo hello 1; echo window 8; exit 3", NULL,
	  false, "no hello: it ended with status 3" },
	{ "a_hello_that_it_closes", "echo hello 1; exec >&-; exec sleep 1000", NULL, false,
	  "no hello: it closed its output" },
	{ "a_window_too_large", "echo hello 1; echo window 65537; echo ready", NULL, false,
	  "no hello: a window too large" },
	{ "a_window_too_large_by_far", "echo hello 1; echo window 4294967312; echo ready", NULL,
	  false, "no hello: a window too large" },
	{ "a_batch_of_none", "echo hello 1; echo batch 0; echo ready", NULL, false,
	  "no hello: a batch too large, or of none" },
	{ "a_batch_too_large", "echo hello 1; echo batch 257; echo ready", NULL, false,
	  "no hello: a batch too large, or of none" },
	{ "a_batch_too_large_by_far", "echo hello 1; echo batch 4294967297; echo ready", NULL,
	  false, "no hello: a batch too large, or of none" },
	{ "an_answer_in_the_hello", "echo hello 1; echo stack 1 complete 0; echo ready", NULL,
	  false, "no hello: no line of the protocol: 'stack 1 complete 0'" },
	{ "a_read_in_the_hello", "echo hello 1; echo read 1 0 8; echo ready", NULL, false,
	  "no hello: it was not asked about any point yet" },
	{ "object_refuses", "", "early_refuse", false,
	  "no hello: it ended with status 3: not today" },
	{ "object_crashes", "", "early_crash", false, "no hello: it was killed by SIGSEGV" },
	{ "object_loops", "", "early_loop", true, "no hello: it did not answer in time" },
	{ "object_wants_too_much", "", "early_window", false, "no hello: a window too large" },
};

START_TEST(skips)
{
	const struct skip_case *c = &skip_cases[_i];
	struct external_options options = options_of(c->command, c->argument, false);
	struct external *external;
	struct error error;

	set_engine_host();
	if (c->hangs)
		options.hello_ms = SHORT_MS;
	ck_assert_msg(external_open(&options, &external, &error) == -1, "%s", c->name);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(!strcmp(error.message, c->message), "%s: '%s'", c->name, error.message);
	assert_no_child(c->name);
}
END_TEST

/* What is loaded, or how its loader is called; and why that is no engine. */
static const struct {
	const char *name, *object, *call, *message;
} no_objects[] = {
	{ "it_is_not_there", "/nowhere/engine.so", NULL,
	  "no hello: it ended with status 3: /nowhere/engine.so: cannot open shared object file: "
	  "No such file or directory" },
	{ "it_has_no_such_functions", "libm.so.6", NULL,
	  "no hello: it ended with status 3: it has no stackproof_engine_open()" },
	{ "without_an_object", NULL, "",
	  "no hello: it ended with status 3: usage: engine_host FILE.so ARGUMENT" },
	{ "without_an_argument", NULL, "/nowhere/engine.so",
	  "no hello: it ended with status 3: usage: engine_host FILE.so ARGUMENT" },
	{ "with_one_too_many", NULL, "/nowhere/engine.so an argument",
	  "no hello: it ended with status 3: usage: engine_host FILE.so ARGUMENT" },
};

START_TEST(objects_that_are_no_engines)
{
	struct external_options options = options_of("", NULL, false);
	char host[PATH_MAX], command[2 * PATH_MAX];
	struct external *external;
	struct error error;

	set_engine_host();
	snprintf(command, sizeof(command), "'%s' %s", in_build("engine_host", host),
		 no_objects[_i].call ?: "");
	options.command = no_objects[_i].object ?: command;
	options.argument = no_objects[_i].object ? "" : NULL;
	ck_assert_int_eq(external_open(&options, &external, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(!strcmp(error.message, no_objects[_i].message), "%s: '%s'",
		      no_objects[_i].name, error.message);
	assert_no_child(no_objects[_i].name);
}
END_TEST

/* An object lacks one of the three functions; what else is missing is said, too. */
static const struct {
	const char *functions, *message;
} parts[] = {
	{ "-DOPEN -DWALK", "it has no stackproof_engine_close()" },
	{ "-DOPEN -DCLOSE", "it has no stackproof_engine_walk()" },
	{ "-DWALK -DCLOSE", "it has no stackproof_engine_open()" },
	{ "-DCLOSE", "it has no stackproof_engine_open()\nit has no stackproof_engine_walk()" },
	{ "-DOPEN -DWALK -DCLOSE -DNEEDS", NULL }, /* all, and a function that nobody has */
};

/* An engine may have taken it away. */
static void folder_left(void)
{
	shell("rm -rf %s", folder);
}

START_TEST(objects_that_lack_something)
{
	char path[FOLDER_PATH], wanted[300];
	struct external_options options = options_of("", "", false);
	struct external *external;
	struct error error;

	folder_path(path, "engine.so");
	ck_assert(!shell("printf '%%s\\n' '#ifdef OPEN' 'int stackproof_engine_open;' '#endif' "
			 "'#ifdef WALK' 'int stackproof_engine_walk;' '#endif' '#ifdef CLOSE' "
			 "'int stackproof_engine_close;' '#endif' '#ifdef NEEDS' "
			 "'void nobody(void); void f(void) { nobody(); }' '#endif' | "
			 "gcc-12 -shared -fPIC -Wl,-z,lazy %s -xc - -o %s",
			 parts[_i].functions, path));
	set_engine_host();
	options.command = path;
	ck_assert_int_eq(external_open(&options, &external, &error), -1);
	snprintf(wanted, sizeof(wanted), "no hello: it ended with status 3: %.*s",
		 (int)strcspn(parts[_i].message ?: "", "\n"), parts[_i].message ?: "");
	ck_assert_msg(!strncmp(error.message, wanted, strlen(wanted)), "%s", error.message);
	if (!parts[_i].message)
		ck_assert_ptr_nonnull(strstr(error.message, "undefined symbol: nobody"));
}
END_TEST

/* After so many starts it is not asked any more, until a new run begins. */
START_TEST(one_that_always_fails_is_gone)
{
	struct external_options options = options_of(HELLO "exit", NULL, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;
	struct error error;

	ck_assert_int_eq(external_open(&options, &external, &error), 0);
	for (unsigned int run = 0; run < 2; run++) {
		if (run) /* of the first run's starts, the one that opened it is the first */
			external_begin(external);
		for (int i = 0; i < 3; i++)
			ask(external, POINTS, answer);
		external_report(external, &report);
		ck_assert_uint_eq(report.outcome[EXTERNAL_DIED], EXTERNAL_STARTS_MAX);
		ck_assert_uint_eq(report.outcome[EXTERNAL_GONE], 9 - EXTERNAL_STARTS_MAX);
		/* The first run's first start is the one that opened it. */
		ck_assert_uint_eq(report.starts, EXTERNAL_STARTS_MAX - 1 + run);
	}
	external_close(external);
}
END_TEST

/* It dies in the first run; in the second, %s is a folder no more. */
static const struct {
	const char *command, *argument;
	enum external_outcome outcome;
	const char *failure;
} again_cases[] = {
	{ "rmdir %s 2>/dev/null || exec echo ready; " HELLO "exit", NULL, EXTERNAL_PROTOCOL_BROKEN,
	  "its hello: its first word is not hello" },
	{ "rmdir %s 2>/dev/null || exit 2; " HELLO "exit", NULL, EXTERNAL_DIED,
	  "its hello: it ended with status 2" },
	{ "", "exit", EXTERNAL_DIED,
	  "a start: what loads shared objects, /nowhere/host (STACKPROOF_ENGINE_HOST), is not "
	  "there" },
};

START_TEST(why_it_does_not_start_again_is_said)
{
	char command[200];
	struct external_options options = options_of(command, again_cases[_i].argument, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	snprintf(command, sizeof(command), again_cases[_i].command, folder);
	open_engine(&options, &external);
	ask(external, again_cases[_i].argument ? 2 : 1, answer);
	setenv("STACKPROOF_ENGINE_HOST", "/nowhere/host", 1);
	external_begin(external);
	ask(external, 2, answer);
	external_report(external, &report);
	ck_assert_str_eq(report.failure, again_cases[_i].failure);
	/* Who has not said hello is not asked: the second point is another start. */
	ck_assert_uint_eq(report.outcome[again_cases[_i].outcome], 2);
	ck_assert_uint_eq(report.starts, 2);
	for (int i = 0; i < 2; i++)
		ck_assert_str_eq(answer[i], NONE);
	external_close(external);
}
END_TEST

SUITE(external, TIMEOUT(300), FIXTURE(folder_make, folder_left), LOOP(outcomes, outcome_cases),
      LOOP(skips, skip_cases), LOOP(objects_that_are_no_engines, no_objects),
      LOOP(objects_that_lack_something, parts), TEST(one_that_always_fails_is_gone),
      LOOP(why_it_does_not_start_again_is_said, again_cases))
