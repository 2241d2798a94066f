/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_session.c - `sample`, but for the clock: what it asks for at each rate, and what it makes
 * of what came
 *
 * A program of 18 instructions is stepped; sample_run() is this test's: it says what it was asked for,
 * and gives what the variable SAMPLED wants, a word for each rate, the last for all others:
 *
 *	enough		as many stacks as were asked for, all exact
 *	few		one less
 *	outside, cut	enough, but two of them are that
 *	broken		one that was sent did not come
 *	fails, lacks	none: an error, of the system's or of what is not available
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "commands/sample.c"

#include "corpus/plant/tests/may_trace.h"
#include "transcript.h"

static const struct sample_clock clocks[] = { { "cpu", 0, 0 }, { "task", 0, 1 } };

const struct sample_clock *sample_clock_find(const char *name)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clocks[i].name, name))
			return &clocks[i];
	return NULL;
}

static bool is_wanted(const char *word)
{
	static char rest[256];
	static const char *wanted;
	static unsigned int last;
	char *at;

	if (!word) { /* the next rate */
		if (!last++)
			snprintf(rest, sizeof(rest), "%s", getenv("SAMPLED"));
		at = strchr(rest, ' ');
		if (wanted && at)
			memmove(rest, at + 1, strlen(at));
		wanted = rest;
		return true;
	}
	return !strncmp(wanted, word, strlen(word));
}

int sample_run(const struct sample_options *asked, const struct sample_truth *truth,
	       struct image_store *store, struct sample_score *score, struct error *error)
{
	uint64_t records = asked->samples;

	is_wanted(NULL);
	fprintf(stderr,
		"run %s: clock %s, %u Hz, %llu samples, %llu runs, %u ms, drained each %u ms, "
		"method %d%s%s; %u stepped runs\n",
		asked->argv[0], asked->clock->name, score->rate_hz,
		(unsigned long long)asked->samples, (unsigned long long)asked->run_limit,
		asked->timeout_ms, asked->drain_ms, asked->method,
		asked->children ? ", children" : "", asked->profile ? ", profile" : "",
		truth->runs);
	if (asked->profile)
		fprintf(asked->profile, "%u Hz\n", score->rate_hz);
	if (is_wanted("fails") || is_wanted("lacks"))
		return error_set(error, is_wanted("fails") ? ERROR_MEMORY : ERROR_UNAVAILABLE, "",
				 0, "no %s", is_wanted("fails") ? "memory" : "clock");
	records -= is_wanted("few");
	score->runs = 3;
	score->records = records - is_wanted("broken");
	score->class[SAMPLE_EXACT] = score->records;
	for (int i = SAMPLE_CUT; i <= SAMPLE_OUTSIDE; i++)
		if (is_wanted(i == SAMPLE_CUT ? "cut" : "outside")) {
			score->class[SAMPLE_EXACT] -= 2;
			score->class[i] = 2;
		}
	score->counters.samples = score->counters.stacks = records;
	score->counters.stop[STOP_COMPLETE] = records;
	return 0;
}

/* ---- arguments -------------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *word[5];
} texts[] = {
	{ "", { "program" } },
	{ "one", { "program", "one" } },
	{ "one two", { "program", "one", "two" } },
	{ "  one\t two ", { "program", "one", "two" } },
	{ "a b c", { "program", "a", "b", "c" } },
};

static void check_words(int number)
{
	char *program[] = { "program", "other", NULL }, *words, **argv;
	size_t i = 0;

	argv = truth_arguments(program, texts[number].text, &words);
	ck_assert_ptr_nonnull(argv);
	for (; texts[number].word[i]; i++)
		ck_assert_str_eq(argv[i], texts[number].word[i]);
	ck_assert_ptr_null(argv[i]);
	free(words);
	free(argv);
}

static const char *const names[] = { "sample" };

static const struct command commands[] = { { "sample", command_sample, "" }, { 0 } };

START_TEST(session_is_as_written)
{
	int cases = sizeof(texts) / sizeof(texts[0]);

	if (_i < cases)
		check_words(_i);
	else
		transcript_check(names[_i - cases]);
}
END_TEST

SUITE_MAIN(sample_session)
{
	struct error error = { 0 };
	bool may = argc > 1 || may_trace(&error);

	if (!may)
		printf("SKIP: %s\n", error.message);
	return transcript_play(argc, argv, "sample_session", commands, session_is_as_written,
			       sizeof(texts) / sizeof(texts[0]) +
				       (may ? sizeof(names) / sizeof(names[0]) : 0));
}
