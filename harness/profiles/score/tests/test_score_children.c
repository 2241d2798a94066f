/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_children.c - which process of a profile is held against which truth
 *
 * Truths and stacks are as in score_crafted.h. All truths of a case are of one run.
 */
#include <stdio.h>
#include "tests/suite.h"
#include "score_crafted.h"
#include "profiles/score/score_children.h"

#define TRUTHS 3

static struct score_truth several[TRUTHS];

/* "7: 1 exact 3, 8: nobody 4": by process the truth's number, and what its samples are. */
static const struct {
	const char *name, *truth[TRUTHS], *profile, *said;
} cases[] = {
	{ "by_a_name",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='two\n0:2810 0:2110" },
	  "#7 ~one 0:2810 0:2010\n*3 #8 ~two 0:2810 0:2010\n",
	  "7: 0 exact 1, 8: 1 caller 3, " },
	{ "which_of_two_their_stacks_say",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='one\n0:2810 0:2110" },
	  "#7 ~one 0:2810 0:2110\n*2 #8 ~one 0:2810 0:2010\n",
	  "7: 1 exact 1 of 2, 8: 0 exact 2 of 2, " },
	/* What is possible in one process is not, because another one of its name has had it. */
	{ "one_process_is_one_truth_s",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='one\n0:2810 0:2110" },
	  "*3 #7 ~one 0:2810 0:2110\n#7 ~one 0:2810 0:2010\n",
	  "7: 1 exact 3 caller 1 of 2, " },
	{ "all_names_before_one",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='one thread_name='two\n0:2810 0:2110" },
	  "*2 #7 ~one 0:2810 0:2010\n#7 ~two 0:2810 0:2110\n",
	  "7: 1 exact 1 caller 2, " },
	{ "not_by_what_a_gap_does_not_refute",
	  { "thread_name='one every=2\n0:2810 0:2110", "thread_name='one\n0:2810 0:2010" },
	  "#7 ~one 0:2810 0:2010\n*2 #7 ~one 0:2810 0:2a10\n",
	  "7: 1 exact 1 caller 2 of 2, " },
	{ "nobody_s",
	  { "thread_name='one\n0:2810 0:2010" },
	  "#7 ~one 0:2810 0:2010\n*4 #9 ~perf 0:2810 0:2010\n",
	  "7: 0 exact 1, 9: nobody 4, " },
	{ "without_names_all_are_asked",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='two\n0:2810 0:2110" },
	  "#7 0:2810 0:2110\n",
	  "7: 1 exact 1 of 2, " },
	{ "without_numbers_by_the_name",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='two\n0:2810 0:2110" },
	  "~two 0:2810 0:2110\n*2 ~one 0:2810 0:2010\n",
	  "-1: 1 exact 1, -1: 0 exact 2, " },
	{ "without_numbers_one_name_may_be_several",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='one\n0:2810 0:2110" },
	  "~one 0:2810 0:2110\n*2 ~one 0:2810 0:2010\n",
	  "-1: 0 exact 2 process 1 of 2, " },
	{ "folded_by_the_name_in_front",
	  { "thread_name='one\n0:2810 0:2010", "thread_name='two\n0:2810 0:2110" },
	  "two;f;leaf 5\none;main;leaf 6\nother;x 7\n",
	  "-1: 1 exact 5, -1: 0 exact 6, -1: nobody 7, " },
	/* Beside the profile the number alone says it. */
	{ "of_the_same_run_by_the_number",
	  { "thread_name='one attached=1 pid=7\no 0:2810 0:2010",
	    "thread_name='one attached=1 pid=8\no 0:2810 0:2110" },
	  "#8 ~one 0:2810 0:2110 0:2010\n#9 ~one 0:2810 0:2110\n",
	  "8: 1 open 1, 9: nobody 1, " },
};

static void say(const struct score_children *children, FILE *file)
{
	for (size_t i = 0; i < children->processes; i++) {
		const struct score_process *process = &children->process[i];
		char counts[256];

		fprintf(file, "%d: ", process->pid);
		if (!process->score)
			fprintf(file, "nobody %d", (int)process->samples);
		else
			fprintf(file, "%d %s", (int)(process->score->truth - several),
				crafted_counts(process->score, counts));
		if (process->candidates > 1)
			fprintf(file, " of %zu", process->candidates);
		fputs(", ", file);
	}
}

START_TEST(each_process_has_its_truth)
{
	struct score_children children;
	char *profile = crafted_profile(cases[_i].profile), *said, path[64];
	int file = profile_file(profile, strlen(profile), path);
	struct error error;
	size_t truths = 0, size;
	FILE *stream = open_memstream(&said, &size);

	for (; truths < TRUTHS && cases[_i].truth[truths]; truths++) {
		open_crafted(cases[_i].truth[truths]);
		several[truths] = truth;
		truth = (struct score_truth) { 0 };
		truth_end();
	}
	ck_assert_msg(!score_children(&children, several, truths, path, NULL, PROFILE_ANY, &error),
		      "%s", error.message);
	say(&children, stream);
	fclose(stream);
	ck_assert_msg(!strcmp(said, cases[_i].said), "%s: %s", cases[_i].name, said);
	score_children_deinit(&children);
	while (truths)
		score_truth_close(&several[--truths]);
	close(file);
	free(profile);
	free(said);
}
END_TEST

SUITE(score_children, CRAFTED, LOOP(each_process_has_its_truth, cases))
