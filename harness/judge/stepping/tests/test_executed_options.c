/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_executed_options.c - which run a command line names, and what is said where there is none
 *
 * The command here has the options as its child's; it opens the run, and says what it got. What is cut off the
 * command line is test_executed.c's.
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "base/gate/gate.h"
#include "judge/stepping/executed_options.h"
#include "truth/contexts/tests/truth_bytes.h"

static bool no_descriptors;

static void begin(void)
{
	struct truth_bytes truth = { NULL };
	char path[64];
	FILE *results;
	int fd;

	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
	truth_number(&truth, "every", 3);
	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 5 },
		    &(struct truth_frame) { 0, 0x1000 }, 1);
	fd = truth_write(&truth, path);
	ck_assert_int_eq(symlink(path, "truth"), 0); /* of the descriptor, which stays open */
	ck_assert_int_ge(fd, 0);
	ck_assert_ptr_nonnull(results = fopen("results", "w"));
	fputs("{\"type\":\"verdicts\",\"points\":9,\"unproven\":2}\n", results);
	ck_assert_int_eq(fclose(results), 0);
}

static void end(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	folder_remove();
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static int open_run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &executed_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = { .parser = parse, .children = children };
	struct rlimit none = { 0 };
	struct executed_wish wish;
	struct executed run = { .points = 77, .place_count = 77 };
	struct gate gate = { 0 };
	int status;

	argp_err_exit_status = EXIT_USAGE;
	executed_wish_init(&wish, &argc, argv);
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &wish);
	if (no_descriptors)
		setrlimit(RLIMIT_NOFILE, &none);
	status = executed_open(&wish, &run, &gate);
	printf("wanted %d: %s%s%" PRIu64 " points, every %" PRIu64 ", %u places%s\n",
	       executed_is_wanted(&wish), run.stepped ? "stepped, " : "",
	       run.recorded ? "recorded, " : "", run.points, run.every, run.place_count,
	       gate.environment ? "; the environment failed" : "");
	executed_deinit(&run);
	return status;
}

#define ONE	"--executed and --confirm are of one run each"
#define NOTHING " is for --confirm -- PROGRAM: nothing is stepped"
#define NEEDS	"--confirm needs -- PROGRAM [ARGUMENT...]"

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }
#define SAYS(...)      .says = { __VA_ARGS__ }

static const struct {
	const char *name, *argument[6];
	bool no_descriptors;
	enum exit_status status;
	const char *says[2];
} cases[] = {
	{ "nothing_is_wanted", .status = EXIT_OK, SAYS("wanted 0: 0 points, every 0, 0 places\n") },
	{ "a_truth", ARGUMENTS("--executed=truth"), .status = EXIT_OK,
	  SAYS("wanted 1: 5 points, every 3, 1 places\n") },
	{ "results", ARGUMENTS("--confirm=results"), .status = EXIT_OK,
	  SAYS("wanted 1: stepped, recorded, 9 points, every 1, 0 places\n") },
	{ "a_truth_is_no_results", ARGUMENTS("--confirm=truth"), .status = EXIT_BAD_INPUT,
	  SAYS("truth: ") },
	{ "nor_are_results_a_truth", ARGUMENTS("--executed=results"), .status = EXIT_BAD_INPUT,
	  SAYS("results: ") },
	{ "no_truth_is_there", ARGUMENTS("--executed=nowhere"), .status = EXIT_BAD_INPUT,
	  SAYS("nowhere: ", "No such file") },
	{ "nor_results", ARGUMENTS("--confirm=nowhere"), .status = EXIT_BAD_INPUT,
	  SAYS("nowhere: ", "No such file") },
	/* That is not the file's fault. */
	{ "a_truth_that_can_t_be_opened_now", ARGUMENTS("--executed=truth"), .no_descriptors = true,
	  .status = EXIT_ENVIRONMENT, SAYS("truth: ", "Too many open files") },
	{ "results_that_can_t_be", ARGUMENTS("--confirm=results"), .no_descriptors = true,
	  .status = EXIT_ENVIRONMENT, SAYS("results: ", "Too many open files") },
	{ "a_program_that_is_not_there", ARGUMENTS("--confirm", "--", "/no/such/program"),
	  .status = EXIT_BAD_INPUT,
	  SAYS("/no/such/program: ",
	       "wanted 1: stepped, 0 points, every 1, 0 places; the environment failed\n") },
	{ "each_of_two", ARGUMENTS("--executed=truth", "--confirm=results"), .status = EXIT_USAGE,
	  SAYS(ONE) },
	{ "the_other_two", ARGUMENTS("--executed=truth", "--confirm", "--", "true"),
	  .status = EXIT_USAGE, SAYS(ONE) },
	{ "and_these", ARGUMENTS("--confirm=results", "--confirm", "--", "true"),
	  .status = EXIT_USAGE, SAYS(ONE) },
	{ "no_program", ARGUMENTS("--confirm"), .status = EXIT_USAGE, SAYS(NEEDS) },
	{ "none_behind_it", ARGUMENTS("--confirm", "--"), .status = EXIT_USAGE, SAYS(NEEDS) },
	{ "every_of_nothing", ARGUMENTS("--step-every=2"), .status = EXIT_USAGE,
	  SAYS("--step-every" NOTHING) },
	{ "every_of_a_truth", ARGUMENTS("--step-every=2", "--executed=truth"), .status = EXIT_USAGE,
	  SAYS("--step-every" NOTHING) },
	{ "a_time_of_results", ARGUMENTS("--confirm=results", "--step-timeout=2"),
	  .status = EXIT_USAGE, SAYS("--step-timeout" NOTHING) },
	{ "of_both_the_last_is_named", ARGUMENTS("--step-timeout=2", "--step-every=2"),
	  .status = EXIT_USAGE, SAYS("--step-every" NOTHING) },
	{ "a_truth_of_no_name", ARGUMENTS("--executed="), .status = EXIT_USAGE,
	  SAYS("--executed: the value is empty") },
	{ "results_of_none", ARGUMENTS("--confirm="), .status = EXIT_USAGE,
	  SAYS("--confirm: the value is empty") },
	{ "every_none", ARGUMENTS("--confirm", "--step-every=0", "--", "true"),
	  .status = EXIT_USAGE, SAYS("--step-every is between 1 and ") },
	{ "no_time", ARGUMENTS("--confirm", "--step-timeout=0", "--", "true"), .status = EXIT_USAGE,
	  SAYS("--step-timeout is between 1 and ") },
};

START_TEST(a_run_is_named)
{
	char *arguments[8] = { "it" }, *said;
	int status;

	no_descriptors = cases[_i].no_descriptors;
	for (int i = 0; i < COUNT(cases[_i].argument) && cases[_i].argument[i]; i++)
		arguments[i + 1] = (char *)cases[_i].argument[i];
	said = command_output(open_run, arguments, &status);
	ck_assert_msg(status == (int)cases[_i].status, "%s: %d: %s", cases[_i].name, status, said);
	output_says(cases[_i].name, said, cases[_i].says, COUNT(cases[_i].says), NULL, 0);
	ck_assert_msg(status != EXIT_OK || !strcmp(said, cases[_i].says[0]), "%s: %s",
		      cases[_i].name, said);
	free(said);
}
END_TEST

SUITE(executed_options, FIXTURE(begin, end), LOOP(a_run_is_named, cases))
