/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_tally.c - `plant --check` without a corpus: the order of programs, what is said of the
 * counts, and the exit status
 */
#include "tests/suite.h"
#include "base/cli/tests/command_output.h"
#include "corpus/plant/plant_check.c"

/* ---- the order of programs ------------------------------------------------------------------ */

static const struct order_case {
	uint64_t seed;
	const char *order;
} orders[] = {
	{ 1, "b0 a0 c0 d0 | b1 a1 c1 | a2 " },
	{ 2, "a1 b1 c1 d0 | b0 a0 c0 | a2 " },
	{ 3, "a2 c1 b0 d0 | a1 c0 b1 | a0 " },
};

/* One variant of each program first, then another of those that have one. */
START_TEST(each_program_comes_once_first)
{
	static const char *const binaries[] = { "a0", "a1", "a2", "b0", "b1", "c0", "c1", "d0" };
	static const char *const programs[] = { "a", "a", "a", "b", "b", "c", "c", "d" };
	struct corpus_binary binary[COUNT(binaries)];
	struct manifest manifest = { binary, COUNT(binaries) };
	char order[64] = "", seen[8] = "";
	struct error error;

	for (int i = 0; i < COUNT(binaries); i++)
		binary[i] = (struct corpus_binary) { .name = (char *)binaries[i],
						     .program = (char *)programs[i] };
	ck_assert_int_eq(order_programs(&manifest, orders[_i].seed, &error), 0);
	for (int i = 0; i < COUNT(binaries); i++) {
		if (strchr(seen, *binary[i].program)) {
			strcat(order, "| ");
			*seen = '\0';
		}
		strncat(seen, binary[i].program, 1);
		strcat(order, binary[i].name);
		strcat(order, " ");
	}
	ck_assert_str_eq(order, orders[_i].order);
}
END_TEST

START_TEST(turns_are_in_order)
{
	struct turn first = { .variant = 0, .place = 9 }, second = { .variant = 1, .place = 2 },
		    third = { .variant = 1, .place = 3 };

	ck_assert_int_lt(compare_turns(&first, &second), 0);
	ck_assert_int_gt(compare_turns(&second, &first), 0);
	ck_assert_int_lt(compare_turns(&second, &third), 0);
	ck_assert_int_gt(compare_turns(&third, &second), 0);
	ck_assert_int_eq(compare_turns(&third, &third), 0);
}
END_TEST

/* ---- the status ----------------------------------------------------------------------------- */

#define COUNTS(...) .count = { __VA_ARGS__ }

static const struct status_case {
	const char *name;
	struct plant_count count; /* caught, missed, misblamed, broken, unproven, no effect */
	uint64_t least, skipped, failed, without_bpf;
	bool strict;
	int crashed, status;
	const char *failure; /* what is printed of it */
} statuses[] = {
	{ "all_are_caught", COUNTS(20, 0, 0, 0, 0, 9), .least = 20, .status = EXIT_OK },
	{ "nothing_is_planted", COUNTS(0, 0, 0, 0, 0, 9), .status = EXIT_SKIPPED },
	{ "one_is_missed", COUNTS(20, 1, 0, 0, 0, 0), .status = EXIT_FINDINGS },
	{ "one_is_misblamed", COUNTS(20, 0, 1, 0, 0, 0), .status = EXIT_FINDINGS },
	{ "one_is_broken", COUNTS(20, 0, 0, 1, 0, 0), .status = EXIT_FINDINGS },
	{ "a_tenth_is_unproven", COUNTS(20, 0, 0, 0, 2, 0), .status = EXIT_OK },
	{ "more_than_a_tenth_is", COUNTS(20, 0, 0, 0, 3, 0), .status = EXIT_FINDINGS,
	  .failure = "FAIL 3 plantings stayed unproven, 20 were caught\n" },
	{ "too_few", COUNTS(20, 0, 0, 0, 0, 0), .least = 21, .status = EXIT_FINDINGS,
	  .failure = "FAIL only 20 plantings, at least 21 were to be made\n" },
	{ "a_program_failed", COUNTS(20, 0, 0, 0, 0, 0), .failed = 1, .status = EXIT_FINDINGS },
	{ "a_worker_crashed", COUNTS(20, 0, 0, 0, 0, 0), .crashed = 1, .status = EXIT_FINDINGS },
	{ "some_are_skipped", COUNTS(20, 0, 0, 0, 0, 0), .skipped = 3, .status = EXIT_OK },
	{ "some_are_skipped_strictly", COUNTS(20, 0, 0, 0, 0, 0), .skipped = 3, .strict = true,
	  .status = EXIT_FINDINGS },
	{ "without_an_engine_strictly", COUNTS(20, 0, 0, 0, 0, 0), .without_bpf = 3, .strict = true,
	  .status = EXIT_FINDINGS },
};

static struct plant_check_options options;
static struct plant_tally tally;
static int crashed;

static int finish_as_command(int count, char **arguments)
{
	return finish(&options, &tally, crashed);
}

/* What finish() says of so many of the first kind, and its status. */
static char *said_of(const struct status_case *test, bool json, struct cases *cases,
		     int *ret_status)
{
	static char name[] = "plant";
	char *arguments[] = { name, NULL };

	options = (struct plant_check_options) { .least = test->least,
						 .json = json,
						 .cases = cases,
						 .gate = { .unit = "plantings",
							   .strict = test->strict } };
	tally = (struct plant_tally) { .kind = { test->count, { .no_effect = 5 } },
				       .skipped = test->skipped,
				       .failed = test->failed,
				       .without_bpf = test->without_bpf,
				       .programs = 11,
				       .points = 1200,
				       .faults = 130,
				       .left_out_long = 1,
				       .left_out_threads = 2,
				       .left_out_status = 3,
				       .left_out_no_cfi = 4,
				       .left_out_overlap = 5,
				       .left_out_faulty = 6,
				       .left_out_doubt = 7 };
	crashed = test->crashed;
	return command_output(finish_as_command, arguments, ret_status);
}

START_TEST(the_status)
{
	const struct status_case *test = &statuses[_i];
	uint64_t failed = test->count.missed + test->count.misblamed + test->count.broken +
			  test->failed + test->crashed + !!test->failure;
	char last[80], *said;
	int status;

	said = said_of(test, false, NULL, &status);
	ck_assert_msg(status == test->status, "%s: %d: %s", test->name, status, said);
	ck_assert_msg(!strncmp(said, "FAIL", 4) == !!test->failure, "%s: %s", test->name, said);
	ck_assert_msg(!test->failure || !strncmp(said, test->failure, strlen(test->failure)),
		      "%s: %s", test->name, said);
	snprintf(last, sizeof(last), "\n%d passed, %d failed, %d skipped\n",
		 (int)test->count.caught, (int)failed, (int)test->skipped);
	ck_assert_msg(strlen(said) > strlen(last) &&
			      !strcmp(said + strlen(said) - strlen(last), last),
		      "%s: %s", test->name, said);
	ck_assert_int_eq(strstr(said, "not checked") != NULL, test->skipped || test->without_bpf);
	ck_assert_int_eq(strstr(said, "\nengine bpf can't run here: engines cfi and table in 3 "
				      "programs\n") != NULL,
			 test->without_bpf > 0);
	free(said);
}
END_TEST

/* ---- what is said --------------------------------------------------------------------------- */

static const struct status_case all_different = { .count = { 40, 1, 2, 3, 4, 5 } };

START_TEST(the_table)
{
	static const char head
		[] = "kind                  planted   caught   missed misblamed   broken unproven  "
		     "no "
		     "effect\n"
		     "cfa-offset-high            46       40        1         2        3        4  "
		     "        "
		     "5\n"
		     "cfa-offset-low              0        0        0         0        0        0  "
		     "        "
		     "5\n",
	    tail[] = "\n"
		     "all                        46       40        1         2        3        4  "
		     "       10\n"
		     "11 programs, 1200 points compared, 130 of them became table faults of what "
		     "was planted\n"
		     "left out: 1 programs that run too long, 2 with threads, 3 that fail or are "
		     "too shallow, 4 without .eh_frame, 5 whose FDEs overlap, 6 whose own CFI is "
		     "wrong, 7 whose truth is in doubt\n"
		     "40 passed, 6 failed, 0 skipped\n";
	int status, lines = 0;
	FREED char *said = said_of(&all_different, false, NULL, &status);

	ck_assert_msg(!strncmp(said, head, strlen(head)), "%s", said);
	ck_assert_msg(!strcmp(said + strlen(said) - strlen(tail), tail), "%s", said);
	for (const char *at = said; (at = strchr(at, '\n')); at++)
		lines++;
	for (size_t i = 0; plant_kind_at(i); i++)
		lines--;
	ck_assert_int_eq(lines, 5);
}
END_TEST

START_TEST(the_json)
{
	static const char head[] =
		"{\"type\":\"plant_check\",\"planted\":46,\"caught\":40,\"missed\":1,\"misblamed\":"
		"2,"
		"\"broken\":3,\"unproven\":4,\"programs\":11,\"points\":1200,\"bpf\":true,"
		"\"kinds\":{"
		"\"cfa-offset-high\":{\"planted\":46,\"caught\":40,\"no_effect\":5},"
		"\"cfa-offset-low\":{\"planted\":0,\"caught\":0,\"no_effect\":5},",
			  tail[] =
				  "\"no_effect\":0}},\"checked\":46,\"checked_unit\":\"plantings\","
				  "\"not_checked\":{},\"exit_status\":1}\n";
	struct status_case without = all_different;
	int status;
	char *said = said_of(&all_different, true, NULL, &status);

	ck_assert_int_eq(status, EXIT_FINDINGS);
	ck_assert_msg(!strncmp(said, head, strlen(head)), "%s", said);
	ck_assert_msg(!strcmp(said + strlen(said) - strlen(tail), tail), "%s", said);
	free(said);
	without.without_bpf = 1;
	said = said_of(&without, true, NULL, &status);
	ck_assert_ptr_nonnull(strstr(said, "\"bpf\":false,"));
	ck_assert_ptr_nonnull(strstr(said, "\"not_checked\":{\"engines\":1}"));
	free(said);
}
END_TEST

/* The child that finish() would run in has its own cases: so here, and its words go nowhere. */
START_TEST(a_kind_is_a_case)
{
	struct cases cases = { 0 };
	size_t count[CASE_STATUS_COUNT];
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size), *silent = fopen("/dev/null", "we"),
	     *out = stdout;

	options = (struct plant_check_options) { .cases = &cases };
	tally = (struct plant_tally) {
		.kind = { { 40, 1, 2, 3, 4, 5 }, { .no_effect = 5 }, { .caught = 7 } }
	};
	cases_suite(&cases, "plant");
	stdout = silent;
	ck_assert_int_eq(finish(&options, &tally, 0), EXIT_FINDINGS);
	stdout = out;
	fclose(silent);
	cases_count(&cases, count);
	cases_print_tap(&cases, file);
	fclose(file);
	ck_assert_uint_eq(count[CASE_FAILED], 1);
	ck_assert_uint_eq(count[CASE_PASSED], 1);
	ck_assert_ptr_nonnull(strstr(text, "40 of 46 caught, 1 missed, 2 misblamed, 3 broken, 4 "
					   "unproven"));
	ck_assert_ptr_nonnull(strstr(text, "nothing of this kind was planted"));
	ck_assert_ptr_nonnull(strstr(text, "cfa-offset-high"));
	ck_assert_ptr_null(strstr(text, "7 of 7"));
	cases_deinit(&cases);
}
END_TEST

/* ---- workers -------------------------------------------------------------------------------- */

/* A worker passes over what can't be run, and takes no more than are wanted. */
START_TEST(a_worker_counts_what_it_skips)
{
	static char why[] = "no_compiler", name[] = "a";
	struct corpus_binary binary[] = { { .name = name, .skip = why },
					  { .name = name, .missing = why },
					  { .name = name, .skip = why, .missing = why } };
	struct manifest manifest = { binary, COUNT(binary) };
	struct plant_check_options wanted = { .programs = 1 };
	struct plant_tally counts = { 0 };

	ck_assert_int_eq(run_worker(&wanted, &manifest, &counts), 0);
	ck_assert_uint_eq(counts.skipped, 3);
	ck_assert_uint_eq(counts.failed, 0);
	counts = (struct plant_tally) { .taken = 1 };
	ck_assert_int_eq(run_worker(&wanted, &manifest, &counts), 0);
	ck_assert_uint_eq(counts.skipped, 0);
	ck_assert_uint_eq(counts.next, 0);
	wanted.programs = 2;
	ck_assert_int_eq(run_worker(&wanted, &manifest, &counts), 0);
	ck_assert_uint_eq(counts.skipped, 3);
}
END_TEST

static struct corpus_binary unreadable[2];

static int work_as_command(int count, char **arguments)
{
	struct manifest manifest = { unreadable, 2 };
	int status;

	options = (struct plant_check_options) { .programs = 9 };
	tally = (struct plant_tally) { 0 };
	status = run_worker(&options, &manifest, &tally);
	printf("%d failed, %d skipped\n", (int)tally.failed, (int)tally.skipped);
	return status;
}

/* What fails is named and counted, the others are tried, and no folder is left behind. */
START_TEST(a_program_that_can_not_be_read)
{
	static char first[] = "one", second[] = "two", path[] = "/nonexistent/program", none[] = "",
		    name[] = "plant";
	char folder[] = "/tmp/test_plant_tally.XXXXXX", *arguments[] = { name, NULL }, *said;
	int status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	unreadable[0] = (struct corpus_binary) { .name = first, .path = path, .program = none };
	unreadable[1] = (struct corpus_binary) { .name = second, .path = path, .program = none };
	said = command_output(work_as_command, arguments, &status);
	ck_assert_int_eq(status, 1);
	ck_assert_msg(!strncmp(said, "FAIL one: ", 10) && strstr(said, "\nFAIL two: ") &&
			      strstr(said, "\n2 failed, 0 skipped\n"),
		      "%s", said);
	free(said);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* Each of so many workers shares the list: nothing is taken twice. */
START_TEST(workers_share_the_list)
{
	static const unsigned int jobs[] = { 0, 1, 3, PLANT_JOBS_MAX + 1 };
	static char why[] = "no_compiler", name[] = "a";
	struct corpus_binary binary[50];
	struct manifest manifest = { binary, COUNT(binary) };
	struct plant_tally *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct plant_check_options wanted = { .programs = 1, .jobs = jobs[_i] };

	for (int i = 0; i < COUNT(binary); i++)
		binary[i] = (struct corpus_binary) { .name = name, .skip = why };
	ck_assert_int_eq(run_workers(&wanted, &manifest, shared), 0);
	ck_assert_uint_eq(shared->skipped, COUNT(binary));
	/* Each looks once behind the last one. */
	ck_assert_uint_eq(shared->next,
			  COUNT(binary) + (jobs[_i] < 1		       ? 1
					   : jobs[_i] > PLANT_JOBS_MAX ? PLANT_JOBS_MAX
								       : jobs[_i]));
	munmap(shared, sizeof(*shared));
}
END_TEST

/* The workers are apart, as far as there are CPUs. */
START_TEST(a_worker_has_a_cpu)
{
	cpu_set_t allowed, one;
	int cpu[CPU_SETSIZE], count = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed))
			cpu[count++] = i;
	for (int number = 0; number < count + 1; number++) {
		ck_assert_int_eq(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
		pin_worker(number);
		ck_assert_int_eq(sched_getaffinity(0, sizeof(one), &one), 0);
		ck_assert_int_eq(CPU_COUNT(&one), 1);
		ck_assert(CPU_ISSET(cpu[number % count], &one));
	}
}
END_TEST

SUITE(plant_tally, TIMEOUT(300), LOOP(each_program_comes_once_first, orders),
      TEST(turns_are_in_order), LOOP(the_status, statuses), TEST(the_table), TEST(the_json),
      TEST(a_kind_is_a_case), TEST(a_worker_counts_what_it_skips),
      TEST(a_program_that_can_not_be_read), TIMES(workers_share_the_list, 4),
      TEST(a_worker_has_a_cpu))
