/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_options.c - each option of stepping sets what it says, and that only
 *
 * The command here has the options as its child's, and prints all that they can set.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "judge/stepping/stepping.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static int say_options(int argc, char **argv)
{
	static const struct argp_child children[] = { { &stepping_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = { .parser = parse, .children = children };
	struct stepping stepping = { .tracer = STEPPING_TRACER };
	const struct tracer_options *tracer = &stepping.tracer;
	const char *bound;

	unsetenv("LD_BIND_NOW");
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &stepping);
	bound = getenv("LD_BIND_NOW");
	printf("given %s;%s every %" PRIu64 " limit %" PRIu64 " ms %u from %s%s%s%s%s",
	       stepping.given ?: "-", stepping.estimate ? " estimate" : "", tracer->every,
	       tracer->point_limit, tracer->timeout_ms, tracer->from ?: "-",
	       tracer->randomize ? " random" : "", bound && *bound ? " bound" : "",
	       tracer->silence_output ? "" : " loud",
	       tracer->ended_by_signals ? "" : " not ended by signals");
	return EXIT_OK;
}

#define PLAIN "every 0 limit 0 ms 600000 from -"

static const struct {
	const char *argument[3], *said;
} cases[] = {
	{ { NULL }, "given -; " PLAIN },
	{ { "--aslr=on" }, "given aslr; " PLAIN " random" },
	{ { "--aslr=off" }, "given aslr; " PLAIN },
	{ { "--bind-now" }, "given bind-now; " PLAIN " bound" },
	{ { "--estimate" }, "given estimate; estimate " PLAIN },
	{ { "--every=7" }, "given every; every 7 limit 0 ms 600000 from -" },
	{ { "--from=main" }, "given from; every 0 limit 0 ms 600000 from main" },
	{ { "--limit=8" }, "given limit; every 0 limit 8 ms 600000 from -" },
	{ { "--timeout=9" }, "given timeout; every 0 limit 0 ms 9000 from -" },
	/* Several at once keep out of each other's way. */
	{ { "--every=7", "--limit=8", "--timeout=9" },
	  "given timeout; every 7 limit 8 ms 9000 from -" },
	{ { "--aslr=on", "--from=f", "--bind-now" },
	  "given bind-now; every 0 limit 0 ms 600000 from f random bound" },
	{ { "--every=18446744073709551615", "--limit=18446744073709551615", "--estimate" },
	  "given estimate; estimate every 18446744073709551615 limit 18446744073709551615 ms "
	  "600000 from -" },
};

START_TEST(options_set_what_they_say)
{
	char *arguments[5] = { "it" }, *said;
	int status;

	for (int i = 0; i < COUNT(cases[_i].argument) && cases[_i].argument[i]; i++)
		arguments[i + 1] = (char *)cases[_i].argument[i];
	said = command_output(say_options, arguments, &status);
	ck_assert_msg(status == EXIT_OK && !strcmp(said, cases[_i].said), "%s: %s",
		      cases[_i].argument[0] ?: "none", said);
	free(said);
}
END_TEST

static const struct {
	const char *argument, *message;
} refused[] = {
	{ "--aslr=perhaps", "--aslr takes on or off, not 'perhaps'" },
	{ "--aslr=o", "--aslr takes on or off, not 'o'" },
	{ "--aslr=offon", "--aslr takes on or off, not 'offon'" },
	{ "--every=0", "--every is between 1 and" },
	{ "--every=x", "--every takes a whole number" },
	{ "--from=", "--from: the value is empty" },
	{ "--limit=0", "--limit is between 1 and" },
	{ "--timeout=0", "--timeout is between 1 and" },
};

START_TEST(options_are_refused)
{
	char *arguments[] = { "it", (char *)refused[_i].argument, NULL }, *said;
	int status;

	said = command_output(say_options, arguments, &status);
	ck_assert_msg(status == EXIT_USAGE && strstr(said, refused[_i].message), "%s: %d: %s",
		      refused[_i].argument, status, said);
	free(said);
}
END_TEST

/* From there on a signal waits, until it is forgotten: what is begun in between is ended by it alone. */
START_TEST(signals_are_held)
{
	struct ending_signals signals;

	stepping_hold(&signals);
	raise(SIGINT);
	ck_assert_int_eq(ending_signals_take(&signals), SIGINT);
	ending_signals_release(&signals);
}
END_TEST

SUITE(stepping_options, LOOP(options_set_what_they_say, cases), LOOP(options_are_refused, refused),
      TEST(signals_are_held))
