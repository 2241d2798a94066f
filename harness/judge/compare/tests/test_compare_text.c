/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_text.c - what `compare` prints for people, letter by letter
 *
 * The comparisons are made up. All numbers of one are different, so that none can stand in for
 * another. What a name of a file or a function has that a terminal would obey is taken out of it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/compare.h"

static const struct engine bpf = { .name = "bpf" }, cfi = { .name = "cfi" },
			   table = { .name = "table" };

/* The kernel's release is where expected has "%s". */
static void expect_text(const struct comparison *comparison, const char *program,
			const char *expected)
{
	char whole[8192];
	const char *release = strstr(expected, "%s");
	struct utsname kernel;

	ck_assert_ptr_nonnull(release);
	ck_assert_int_eq(uname(&kernel), 0);
	snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(release - expected), expected,
		 kernel.release, release + 2);
	check_printed(program, PRINTED(file, compare_print_text(file, program, comparison)), whole);
}

/* Nothing was wrong, and nothing was left out. */
static struct comparison all_right(void)
{
	struct comparison ret = {
		.points = 100,
		.verdict[VERDICT_EXACT] = 100,
		.elapsed_ns = 2000000000,
		.engine_count = 1,
		.engine[0] = { .engine = &table, .score = { .points = 100 } },
		.truth = { .steps = 101, .threads = 1, .min_frames = 2, .max_frames = 9 },
	};

	ret.engine[0].score.match[MATCH_EXACT] = 100;
	ret.engine[0].score.stop[STOP_COMPLETE] = 100;
	return ret;
}

#define RUN_HEAD "prog on %s: 100 points of 101 steps, 1 threads, truth 2 to 9 frames deep, 2.0 s\n"
#define SCORES                                                                                     \
	"engine      points     exact           truncated   wrong   extra  stops\n"                \
	"table          100       100 100.000 %        0       0       0  complete 100\n"
#define RANKING_HEAD                                                                               \
	"ranking: most exact stacks first, then fewest false claims of a complete one, then "      \
	"cost\n"                                                                                   \
	"rank  engine          exact own frames  false complete    wrong  truncated   ns/stack  "  \
	"bytes/stack\n"
#define RANKING                                                                                    \
	RANKING_HEAD                                                                               \
	"   1  table       100.000 %          -               0        0          0          -   " \
	"         "                                                                                \
	"-\n"
#define VERDICTS                                                                                   \
	"verdicts: exact 100, table_fault 0 (0 missing), reader_fault 0, conversion_loss 0 silent" \
	" 0 flagged, walk_fault 0, unexplained 0"

START_TEST(a_run_that_is_all_right)
{
	struct comparison comparison = all_right();

	expect_text(
		&comparison, "prog",
		RUN_HEAD
		"the program exited with status 0; 50 points in a second\n" SCORES RANKING VERDICTS
		"\n");
}
END_TEST

START_TEST(a_run_of_nothing)
{
	struct comparison comparison = { .engine_count = 1, .engine[0].engine = &table };

	expect_text(
		&comparison, "a\nprog",
		"a?prog on %s: 0 points of 0 steps, 0 threads, truth 0 to 0 frames deep, "
		"0.0 s\n"
		"the program exited with status 0; 0 points in a second\n"
		"engine      points     exact           truncated   wrong   extra  stops\n"
		"table            0         0   0.000 %        0       0       0 \n" RANKING_HEAD
		"   1  table               -          -               0        0          0        "
		"  -        "
		"    -\n"
		"verdicts: exact 0, table_fault 0 (0 missing), reader_fault 0, "
		"conversion_loss 0 silent 0 flagged, walk_fault 0, unexplained 0\n"
		"checked: 0 points; nothing was checked\n");
}
END_TEST

/* One line each, or a few words: what is 0 is not mentioned. */
START_TEST(what_the_tracer_counted)
{
	struct comparison comparison = all_right();
	struct tracer_counters *truth = &comparison.truth;

	truth->children = 1 + (uint64_t)_i;
	truth->untraced = 3;
	truth->merged_steps = 4;
	comparison.unread = 5;
	truth->unrooted = 6;
	truth->timer_signals = 8;
	truth->timer_signals_late = 7;
	truth->rseq_aborts = 10;
	truth->rseq_sections = 11;
	truth->moved = 12;
	comparison.status = SIGSEGV;
#define COUNTED                                                                                    \
	"3 threads were made so that no tracer is told (CLONE_UNTRACED): nothing is known of "     \
	"them\n"                                                                                   \
	"4 instructions are no points: the CPU ran them together with the one before (mov ss, "    \
	"vsyscall)\n"                                                                              \
	"5 points could not be read: the program was being killed\n"                               \
	"6 points have a truth that is only a prefix\n"                                            \
	"8 signals from timers, 7 of them late: a stepped program is a thousand times as slow\n"   \
	"10 of 11 restartable sequences were interrupted\n"                                        \
	"12 steps led where the instruction can't\n" SCORES RANKING VERDICTS "\n"                  \
	"checked: 100 points; not checked: 5 points that could not be read, 3 threads that are "   \
	"hidden from tracers\n"
#define ENDED "the program was ended by SIGSEGV (Segmentation fault); 50 points in a second; "
	expect_text(&comparison, "prog",
		    _i ? RUN_HEAD ENDED "2 processes that it made were not followed\n" COUNTED
		       : RUN_HEAD ENDED "1 process that it made was not followed\n" COUNTED);
}
END_TEST

START_TEST(what_engines_scored)
{
	struct comparison comparison = all_right();
	struct engine_score *score = &comparison.engine[1].score;

	comparison.engine_count = 3;
	comparison.engine[1].engine = &cfi;
	comparison.engine[2].engine = &bpf;
	comparison.engine[2].skipped = true;
	strcpy(comparison.engine[2].skip.message, "not permitted");
	score->points = 90;
	score->match[MATCH_EXACT] = 60;
	score->match[MATCH_TRUNCATED] = 15;
	score->match[MATCH_WRONG] = 10;
	score->match[MATCH_EXTRA] = 5;
	score->stop[STOP_COMPLETE] = 70;
	score->stop[STOP_NO_ROW] = 19;
	score->stop[STOP_GUESSED] = 1;
	score->false_complete = 75;
	comparison.engine[1].cost = (struct engine_cost) { 4, 4939, 9, 31 };
	score->guesses.match[MATCH_EXACT] = 21;
	score->guesses.match[MATCH_TRUNCATED] = 22;
	score->guesses.match[MATCH_WRONG] = 23;
	score->guesses.match[MATCH_EXTRA] = 24;
	score->guesses.frames = 25;
	score->guesses.frames_right = 20;
	comparison.engine[0].score.guesses.match[MATCH_WRONG] = 2;
	comparison.engine[0].score.guesses.frames = 3;
	expect_text(&comparison, "prog",
		    RUN_HEAD
		    "the program exited with status 0; 50 points in a second\n" SCORES
		    "cfi             90        60  66.667 %       15      10       5  complete 70 "
		    "no_row 19 guessed 1\n"
		    "bpf      skipped: not permitted\n" RANKING
		    "   2  cfi          66.666 %          -              75       10         15    "
		    "   1235      "
		    "      3\n"
		    "table went on by frame pointers at 2 points: exact 0, truncated 0, wrong 2, "
		    "extra 0; 3 frames, 0 right\n"
		    "cfi went on by frame pointers at 90 points: exact 21, truncated 22, wrong 23, "
		    "extra 24; 25 frames, 20 right\n" VERDICTS "\n"
		    "checked: 100 points; not checked: 1 engines\n");
}
END_TEST

/* An engine that said nothing is a finding. */
START_TEST(an_engine_that_was_silent)
{
	struct comparison comparison = all_right();

	comparison.engine[0].score.silent = 3;
	expect_text(&comparison, "prog",
		    RUN_HEAD
		    "the program exited with status 0; 50 points in a second\n"
		    "engine      points     exact           truncated   wrong   extra  stops\n"
		    "table          100       100 100.000 %        0       0       0  complete 100 "
		    "SILENT 3\n" RANKING VERDICTS "\n");
}
END_TEST

START_TEST(every_verdict)
{
	struct comparison comparison = all_right();

	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		comparison.verdict[verdict] = 50 + (uint64_t)verdict;
	comparison.points = 1000; /* 5.8 % are unproven */
	comparison.missing = 7;
	comparison.doubts = 59;
	comparison.unproven[DOUBT_DISTURBED] = 40;
	comparison.unproven[DOUBT_STRAY_RETURN] = 3;
	comparison.unproven[DOUBT_ELSEWHERE] = 15;
	comparison.ignored_findings = 2;
	comparison.ignored[VERDICT_TABLE_FAULT] = 8;
	comparison.ignored[VERDICT_ABSENT] = 1;
	expect_text(
		&comparison, "prog",
		"The truth is in doubt at 5.8 % of the points: they prove nothing.\n"
		"prog on %s: 1000 points of 101 steps, 1 threads, truth 2 to 9 frames deep, 2.0 s\n"
		"the program exited with status 0; 500 points in a second\n" SCORES
		"The ranking rests on 942 of 1000 points: at the others nobody knows who is "
		"right.\n" RANKING
		"verdicts: exact 50, table_fault 54 (7 missing), reader_fault 53, conversion_loss "
		"52 silent 55 flagged, walk_fault 51, unexplained 56, absent 57, unproven 58 (3 "
		"stray_return, 40 disturbed, 15 elsewhere)\n"
		"ignored: 9 points of these, in 2 findings\n"
		"checked: 942 points; not checked: 9 points in the list of --ignore, 58 points "
		"where the truth is unproven\n");
}
END_TEST

START_TEST(a_run_that_was_cut_short)
{
	struct comparison comparison = all_right();

	comparison.cut.ending = TRACER_TIMEOUT;
	strcpy(comparison.cut.early.message, "it took too long");
	expect_text(
		&comparison, "prog",
		"PARTIAL (timeout): it took too long; what follows was found until then\n" RUN_HEAD
		"the program did not come to its end; 50 points in a second\n" SCORES RANKING
			VERDICTS "\n");
}
END_TEST

/* Behind all else that was found. */
START_TEST(what_was_required)
{
	struct comparison comparison = all_right();
	struct requirement requirement[3];
	struct error error;

	ck_assert(!requirement_parse("table.exact >= 100", &requirement[0], &error));
	ck_assert(!requirement_parse("table.exact<99.5", &requirement[1], &error));
	ck_assert(!requirement_parse("table.ns<=10", &requirement[2], &error));
	comparison.requirement = requirement;
	comparison.requirement_count = 3;
	expect_text(
		&comparison, "prog",
		RUN_HEAD
		"the program exited with status 0; 50 points in a second\n" SCORES RANKING VERDICTS
		"\n"
		"required table.exact >= 100: met: it is 100.000000 % (100 of 100 points)\n"
		"required table.exact < 99.5: NOT MET: it is 100.000000 % (100 of 100 points)\n"
		"required table.ns <= 10: NOT JUDGED: the cost is not known\n"
		"checked: 100 points; not checked: 1 requirements that can't be judged\n");
}
END_TEST

/* ---- findings ------------------------------------------------------------------------------- */

#define USUAL_RUN                                                                                  \
	RUN_HEAD "the program exited with status 0; 50 points in a second\n" SCORES RANKING        \
		VERDICTS "\n"

/* Two findings, one with all that can be said. */
START_TEST(findings_with_their_evidence)
{
	static struct finding_frame frames[] = {
		{ .right = true, .function = "ma\tin", .image = "/usr/bin/pr\tog" },
		{ .right = true, .guessed = true, .function = "f", .image = "[vd\tso]" },
		{ .function = "0x10", .image = "" },
		{ .function = "g", .image = "v" },
	};
	struct finding findings[] = {
		{
			.first = { .verdict = VERDICT_TABLE_FAULT,
				   .kind = FAULT_MISSING,
				   .frame = 3,
				   .declared_cfa = 0x7ff0,
				   .actual_cfa = 0x7fe0 },
			.count = 17,
			.ignored = "kno\twn",
			.place = "_in\tit+0x4 (prog)",
			.instruction = "r\tet",
			.declared = "no FDE cov\ters it",
			.followed = 5,
			.followed_exact = 4,
			.frame = frames,
			.frame_count = COUNT(frames),
			.frames_left_out = 6,
		},
		{ .place = "only in doubt" },
		{
			.first = { .verdict = VERDICT_WALK_FAULT, .kind = FAULT_SILENT },
			.count = 2,
			.place = "g",
			.instruction = "nop",
			.declared = "cfa=rsp+8",
		},
	};
	struct comparison comparison = all_right();

	comparison.findings.finding = findings;
	comparison.findings.count = COUNT(findings);
	comparison.findings.not_kept = 9;
	expect_text(&comparison, "prog",
		    USUAL_RUN "table_fault (missing) x 17 at _in?it+0x4 (prog), frame 3\n"
			      "\tinstruction  r?et\n"
			      "\tdeclared     no FDE cov?ers it\n"
			      "\tignored      kno?wn\n"
			      "\tcfa          declared 0x7ff0, actual 0x7fe0\n"
			      "\tguessed      at 5 points by the frame pointer: exact at 4; at the "
			      "first\n"
			      "\t             ma?in (pr?og)\n"
			      "\t             f ([vd?so]) by the frame pointer\n"
			      "\t             0x10 (unmapped), wrong\n"
			      "\t             g (v), wrong\n"
			      "\t             and 6 more\n"
			      "walk_fault (silent) x 2 at g, frame 0\n"
			      "\tinstruction  nop\n"
			      "\tdeclared     cfa=rsp+8\n"
			      "9 more points at places that were not kept\n");
}
END_TEST

static const struct {
	uint64_t declared, actual;
	const char *line;
} cfas[] = {
	{ 0x10, 0, "\tcfa          declared 0x10\n" },
	{ 0, 0x20, "\tcfa          actual 0x20\n" },
};

START_TEST(a_cfa_that_is_half_known)
{
	struct finding finding = {
		.first = { .verdict = VERDICT_READER_FAULT,
			   .kind = FAULT_WRONG,
			   .declared_cfa = cfas[_i].declared,
			   .actual_cfa = cfas[_i].actual },
		.count = 1,
		.place = "g",
		.instruction = "nop",
		.declared = "cfa=rsp+8",
	};
	struct comparison comparison = all_right();
	char expected[2048];

	comparison.findings.finding = &finding;
	comparison.findings.count = 1;
	strcpy(expected, USUAL_RUN "reader_fault (wrong) x 1 at g, frame 0\n"
				   "\tinstruction  nop\n"
				   "\tdeclared     cfa=rsp+8\n");
	strcat(expected, cfas[_i].line);
	expect_text(&comparison, "prog", expected);
}
END_TEST

/* Those with the most points first, and of two with as many the one that was found first. */
START_TEST(places_in_doubt_are_sorted)
{
	struct finding findings[] = {
		{ .place = "one\033[2J", .unproven[DOUBT_OPEN] = 2, .first.kind = FAULT_WRONG },
		{ .place = "two", .unproven[DOUBT_OPEN] = 5 },
		{ .place = "three" },
		{ .place = "four", .unproven = { [DOUBT_OPEN] = 1, [DOUBT_DISTURBED] = 1 } },
		{ .place = "five", .unproven[DOUBT_LOST] = 9, .first.kind = FAULT_MISSING },
	};
	struct comparison comparison = all_right();

	comparison.findings.finding = findings;
	comparison.findings.count = COUNT(findings);
	expect_text(&comparison, "prog",
		    USUAL_RUN "unproven (missing) x 9 at five: 9 lost\n"
			      "unproven (taken back) x 5 at two: 5 open\n"
			      "unproven (wrong) x 2 at one?[2J: 2 open\n"
			      "unproven (taken back) x 2 at four: 1 disturbed, 1 open\n");
}
END_TEST

/* A text has twenty. */
START_TEST(not_all_places_in_doubt_are_shown)
{
	enum { SHOWN = 20 };
	struct finding *findings = calloc(SHOWN + 2, sizeof(*findings));
	struct comparison comparison = all_right();
	char expected[4096] = USUAL_RUN;
	size_t used = strlen(expected);
	int count = SHOWN + 2 * _i;

	ck_assert_ptr_nonnull(findings);
	for (int i = 0; i < count; i++) {
		sprintf(findings[i].place, "p%d", i);
		findings[i].unproven[DOUBT_OPEN] = (uint64_t)(100 - i);
		if (i < SHOWN)
			used += (size_t)sprintf(expected + used,
						"unproven (taken back) x %d at p%d: %d open\n",
						100 - i, i, 100 - i);
	}
	if (_i)
		strcpy(expected + used, "and 2 more places where points are unproven\n");
	comparison.findings.finding = findings;
	comparison.findings.count = (size_t)count;
	expect_text(&comparison, "prog", expected);
	free(findings);
}
END_TEST

SUITE(compare_text, TEST(a_run_that_is_all_right), TEST(a_run_of_nothing),
      TIMES(what_the_tracer_counted, 2), TEST(what_engines_scored), TEST(an_engine_that_was_silent),
      TEST(every_verdict), TEST(a_run_that_was_cut_short), TEST(what_was_required),
      TEST(findings_with_their_evidence), LOOP(a_cfa_that_is_half_known, cfas),
      TEST(places_in_doubt_are_sorted), TIMES(not_all_places_in_doubt_are_shown, 2))
