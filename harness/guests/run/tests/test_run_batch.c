/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_batch.c - whose output is whose, and what a process that dies takes along
 *
 * A case is a list of binaries and the processes that compare is expected to be started as: which
 * binaries each is given, what it writes, how it ends. What it writes is a list of words:
 *
 *	(a  )a  )a=3	begins a; ends it, with status 0 or 3, =t: timed out; on both streams
 *	o(a  e)a	the same on stdout or stderr alone
 *	+		a result on stdout
 *	mTEXT		a message: a line on stderr
 *	sTEXT  pTEXT	a line on stdout that is no result; the same without its newline
 *
 * Each is played whole, and byte by byte: pipes tear what they carry.
 */
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "host_lane.h"

#define RESULT                                                                                     \
	"{\"type\":\"score\",\"engine\":\"cfi\",\"points\":5,\"exact\":5}\n"                       \
	"{\"type\":\"verdicts\",\"points\":5}\n"

#define NOT_STARTED   (-1)
#define PROCESSES_MAX 4

struct process {
	const char *binaries; /* that it is given; NULL: there is no such process */
	const char *script;
	int exit_code;
};

#define RUNS(...) .process = { __VA_ARGS__ }

static const struct batch_case {
	const char *name;
	const char *binaries;
	struct process process[PROCESSES_MAX];
	const char *statuses; /* a letter per binary: Passed Failed Skipped Error */
	const char *about;    /* this binary's ... */
	const char *reason;   /* ... has this in it, and ... */
	const char *message;  /* ... this is its log of stderr, "|" for newlines */
} batch_cases[] = {
	{ "batch_of_one", "a", RUNS({ "a", "(a + )a", 0 }), "P", "a", "", "" },
	{ "each_has_its_own_messages", "a b c",
	  RUNS({ "a b c", "(a + m1 m2 )a (b + )b (c + m3 )c", 0 }), "PPP", "a", "", "1|2|" },
	{ "findings_are_no_early_end", "a b", RUNS({ "a b", "(a + )a (b + )b=1", 1 }), "PP", "", "",
	  "" },
	{ "worst_status_is_an_earlier_ones", "a b", RUNS({ "a b", "(a + )a=3 (b + )b", 3 }), "EP",
	  "a", "ended with status 3", "" },
	{ "third_dies_by_a_signal_and_costs_itself", "a b c d",
	  RUNS({ "a b c d", "(a + )a (b + )b (c + mboom", 139 }, { "d", "(d + )d", 0 }), "PPEP",
	  "c", "killed by signal 11 (Segmentation fault): boom", "boom|" },
	{ "two_die", "a b c d",
	  RUNS({ "a b c d", "(a + )a (b", 139 }, { "c d", "(c", 134 }, { "d", "(d + )d", 0 }),
	  "PEEP", "c", "killed by signal 6", "" },
	{ "one_hangs", "a b c", RUNS({ "a b c", "(a + )a (b", 124 }, { "c", "(c + )c", 0 }), "PEP",
	  "b", "did not end in time", "" },
	{ "its_program_hangs", "a b", RUNS({ "a b", "(a mkilled )a=t (b + )b", 99 }), "EP", "a",
	  "did not end in time: killed", "killed|" },
	{ "last_one_dies", "a b", RUNS({ "a b", "(a + )a (b + ", 134 }), "PE", "b",
	  "killed by signal 6", "" },
	{ "dies_after_the_last_ones_end", "a b", RUNS({ "a b", "(a + )a (b + )b mleak", 139 }),
	  "PE", "b", "killed by signal 11 (Segmentation fault): leak", "leak|" },
	{ "only_one_dies_after_its_end", "a", RUNS({ "a", "(a + )a", 139 }), "E", "a",
	  "killed by signal 11", "" },
	{ "dies_between_two", "a b c",
	  RUNS({ "a b c", "(a + )a mbug", 139 }, { "c", "(c + )c", 0 }), "PEP", "b",
	  "killed by signal 11 (Segmentation fault): bug", "bug|" },
	{ "ends_before_the_first_begins", "a b",
	  RUNS({ "a b", "mno_memory", 99 }, { "b", "(b + )b", 0 }), "EP", "a",
	  "environment failed: no_memory", "no_memory|" },
	{ "is_started_once_for_each_and_no_more", "a b c",
	  RUNS({ "a b c", "", 99 }, { "b c", "", 0 }, { "c", "", 139 }), "EEE", "b", "no verdicts",
	  "" },
	{ "leaves_some_out_and_says_nothing", "a b c",
	  RUNS({ "a b c", "(a + )a (c + )c", 0 }, { "b", "(b + )b", 0 }), "PPP", "", "", "" },
	{ "another_order", "a b", RUNS({ "a b", "(b + )b (a + )a", 0 }), "PP", "", "", "" },
	{ "cannot_be_started", "a b", RUNS({ "a b", "", NOT_STARTED }), "EE", "b", "no such thing",
	  "" },
	{ "cannot_be_started_again", "a b c",
	  RUNS({ "a b c", "(a + )a (b", 139 }, { "c", "", NOT_STARTED }), "PEE", "b", "signal 11",
	  "" },
	{ "end_of_what_has_not_begun", "a b", RUNS({ "a b", "(a + )b )z )a (b + )b", 0 }), "PP", "",
	  "", "" },
	{ "ends_without_beginning", "a b", RUNS({ "a b", ")a )b", 0 }, { "b", "(b + )b", 0 }), "EP",
	  "a", "no verdicts", "" },
	{ "begin_of_another_program", "a b", RUNS({ "a b", "(z + )z (a + )a (b + )b", 0 }), "PP",
	  "", "", "" },
	{ "end_is_not_reported", "a b", RUNS({ "a b", "(a + (b + )b", 0 }), "EP", "a",
	  "(its end was not reported)", "" },
	{ "what_ended_does_not_begin_again", "a b",
	  RUNS({ "a b", "(a + )a (a sjunk )a=3 (b + )b", 0 }), "PE", "b", "junk", "" },
	{ "what_ended_on_one_stream_does_not_begin_again_there", "a b",
	  RUNS({ "a b", "o(a + o)a o(a sjunk o)a=3 e(a e)a (b + )b", 0 }), "PE", "b", "junk", "" },
	{ "messages_come_late", "a b",
	  RUNS({ "a b", "o(a + o)a o(b + e(a m1 e)a e(b m2 o)b e)b", 0 }), "PP", "a", "", "1|" },
	{ "messages_come_early", "a b",
	  RUNS({ "a b", "e(a m1 e)a e(b m2 e)b o(a + o)a o(b + o)b", 0 }), "PP", "b", "", "2|" },
	{ "messages_have_no_marks", "a b", RUNS({ "a b", "o(a + o)a o(b + o)b", 0 }), "PP", "", "",
	  "" },
	{ "early_message_of_one_that_dies", "a b",
	  RUNS({ "a b", "e(a e)a e(b moops o(a + o)a", 139 }), "PE", "b",
	  "signal 11 (Segmentation fault): oops", "oops|" },
	{ "messages_before_the_first", "a b", RUNS({ "a b", "mloading (a + )a (b + )b", 0 }), "PP",
	  "a", "", "loading|" },
	{ "no_result_between_two", "a b", RUNS({ "a b", "(a + )a sjunk (b + )b", 0 }), "PE", "b",
	  "line 1 of compare's output is not a JSON object", "" },
	{ "no_result_inside", "a b", RUNS({ "a b", "(a + sjunk )a (b + )b", 0 }), "EP", "a",
	  "line 3 of compare's output is not a JSON object", "" },
	{ "end_of_the_only_one_is_not_reported", "a", RUNS({ "a", "(a +", 0 }), "E", "a",
	  "(its end was not reported)", "" },
	{ "messages_after_the_last", "a b", RUNS({ "a b", "(a + )a (b + )b mbye", 0 }), "PP", "b",
	  "", "bye|" },
	{ "dies_within_a_line", "a b",
	  RUNS({ "a b", "(a + p{\"type\":", 137 }, { "b", "(b + )b", 0 }), "EP", "a",
	  "killed by signal 9", "" },
	{ "ends_within_a_line", "a b", RUNS({ "a b", "(a + )a (b + pjunk", 0 }), "PE", "b",
	  "line 3 of compare's output is not a JSON object: junk", "" },
	{ "last_mark_without_its_newline", "a",
	  RUNS({ "a", "(a + e)a p{\"type\":\"end\",\"program\":\"@a\",\"status\":0}", 0 }), "P", "",
	  "", "" },
	{ "end_of_nothing", "a b",
	  RUNS({ "a b", "(a + s{\"type\":\"end\",\"program\":7} )a (b + )b", 0 }), "PP", "", "",
	  "" },
	{ "begin_of_nothing", "a b", RUNS({ "a b", "(a + s{\"type\":\"begin\"} )a (b + )b", 0 }),
	  "EP", "a", "(its end was not reported)", "" },
	{ "those_that_bind_lazily_are_apart", "a lb c ld",
	  RUNS({ "lb ld", "(lb + )lb (ld + )ld", 0 }, { "a c", "(a + )a (c + )c", 0 }), "PPPP", "",
	  "", "" },
};

/* The world of one case. */
struct world {
	struct run_backend backend; /* first: a child finds its world by it */
	const struct batch_case *c;
	const char *folder;
	size_t piece; /* bytes at once */
	size_t processes;
	const struct child_options *options; /* of the process at hand */
};

static struct world *world_of(const struct child_options *options)
{
	const struct batch *batch = options->context;

	return (struct world *)batch->run->backend;
}

/* "@" stands for the corpus's folder. */
static void play_text(const struct world *world, enum run_stream stream, const char *text)
{
	char expanded[512] = "";
	const char *at = strchr(text, '@');

	if (at)
		snprintf(expanded, sizeof(expanded), "%.*s%s/%s", (int)(at - text), text,
			 world->folder, at + 1);
	else
		snprintf(expanded, sizeof(expanded), "%s", text);
	for (size_t i = 0, size = strlen(expanded); i < size;) {
		size_t piece = world->piece < size - i ? world->piece : size - i;

		world->options->on_output(world->options->context, stream, expanded + i, piece);
		i += piece;
	}
}

static void play_mark(const struct world *world, enum run_stream stream, const char *mark)
{
	char name[64], text[256];
	const char *equals = strchr(mark, '=');

	snprintf(name, sizeof(name), "%s", mark + 1);
	name[strcspn(name, "=")] = '\0';
	if (mark[0] == '(')
		snprintf(text, sizeof(text), "{\"type\":\"begin\",\"program\":\"@%s\"}\n", name);
	else if (equals && equals[1] == 't')
		snprintf(text, sizeof(text),
			 "{\"type\":\"end\",\"program\":\"@%s\",\"status\":99,"
			 "\"timed_out\":true}\n",
			 name);
	else
		snprintf(text, sizeof(text),
			 "{\"type\":\"end\",\"program\":\"@%s\",\"status\":%s,"
			 "\"timed_out\":false}\n",
			 name, equals ? equals + 1 : "0");
	play_text(world, stream, text);
}

static void play_word(const struct world *world, const char *word)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s", word + 1, word[0] == 'p' ? "" : "\n");
	switch (word[0]) {
	case '(':
	case ')':
		play_mark(world, RUN_STDOUT, word);
		play_mark(world, RUN_STDERR, word);
		return;
	case 'o': play_mark(world, RUN_STDOUT, word + 1); return;
	case 'e': play_mark(world, RUN_STDERR, word + 1); return;
	case '+': play_text(world, RUN_STDOUT, RESULT); return;
	case 'm': play_text(world, RUN_STDERR, line); return;
	case 's':
	case 'p': play_text(world, RUN_STDOUT, line); return;
	default: ck_abort_msg("what is %s?", word);
	}
}

/* The names of the binaries in argv, with spaces between. */
static void given(char *const *argv, char *ret, size_t size)
{
	bool bind_now = false;
	size_t used = 0;

	for (; strcmp(*argv, "--") != 0; argv++)
		bind_now |= !strcmp(*argv, "--bind-now");
	ret[0] = '\0';
	for (argv++; *argv; argv++) {
		const char *name = strrchr(*argv, '/') + 1;

		ck_assert_int_eq(bind_now, name[0] != 'l');
		used += snprintf(ret + used, size - used, "%s%s", used ? " " : "", name);
		ck_assert_uint_lt(used, size);
	}
}

static int fake_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	struct world *world = world_of(options);
	const struct process *process = &world->c->process[world->processes];
	char binaries[256], script[512], *save = NULL;

	ck_assert_msg(world->processes < PROCESSES_MAX && process->binaries,
		      "%s: one process more than expected", world->c->name);
	world->processes++;
	world->options = options;
	given(options->argv, binaries, sizeof(binaries));
	ck_assert_msg(!strcmp(binaries, process->binaries), "%s: given \"%s\", not \"%s\"",
		      world->c->name, binaries, process->binaries);
	if (process->exit_code == NOT_STARTED)
		return error_set(error, ERROR_SYSTEM, "", 0, "no such thing");
	snprintf(script, sizeof(script), "%s", process->script);
	for (char *at = strtok_r(script, " ", &save); at; at = strtok_r(NULL, " ", &save))
		play_word(world, at);
	*ret_exit = process->exit_code;
	return 0;
}

static void run_case(const struct batch_case *c, size_t piece)
{
	char corpus[] = "/tmp/test_run.XXXXXX", folder[] = "/tmp/test_run.XXXXXX";
	char statuses[LANE_BINARIES_MAX + 1];
	struct results results DEINIT(results_deinit);
	size_t expected = 0;

	make_corpus(corpus, c->binaries);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	struct world world = {
		.backend = { .compare = fake_compare }, .c = c, .folder = corpus, .piece = piece
	};

	run_host(&results, corpus, folder, &world.backend);
	letters(&results, statuses);
	ck_assert_msg(!strcmp(statuses, c->statuses), "%s: %s, not %s", c->name, statuses,
		      c->statuses);
	while (expected < PROCESSES_MAX && c->process[expected].binaries)
		expected++;
	ck_assert_msg(world.processes == expected, "%s: %zu processes", c->name, world.processes);
	if (c->about[0]) {
		const char *reason = cell_of(&results, c->about)->reason;

		ck_assert_msg(strstr(reason, c->reason), "%s: \"%s\"", c->name, reason);
		check_message(c->name, c->about, folder, c->message);
	}
	remove_tree(corpus);
	remove_tree(folder);
}

START_TEST(test_batch)
{
	run_case(&batch_cases[_i], SIZE_MAX);
}
END_TEST

START_TEST(test_batch_byte_by_byte)
{
	run_case(&batch_cases[_i], 1);
}
END_TEST

SUITE(run_batch, LOOP(test_batch, batch_cases), LOOP(test_batch_byte_by_byte, batch_cases))
