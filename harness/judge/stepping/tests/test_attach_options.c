/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_attach_options.c - each option of attached runs sets what it says, and those that don't fit together are refused
 */
#include <inttypes.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "judge/stepping/attach_options.h"
#include "judge/stepping/stepping.h"

struct input {
	struct stepping stepping;
	struct attach_options attach;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct input *input = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &input->stepping;
		state->child_inputs[1] = &input->attach;
		return 0;
	case ARGP_KEY_END:
		attach_options_apply(state, &input->attach, input->stepping.estimate,
				     &input->stepping.tracer);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static int say_options(int argc, char **argv)
{
	static const struct argp_child children[] = { { &stepping_argp, 0, NULL, 0 },
						      { &attach_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = { .parser = parse, .children = children };
	struct input input = { .stepping.tracer = STEPPING_TRACER };
	const struct tracer_attach *attach = &input.attach.attach;
	const struct tracer_options *tracer = &input.stepping.tracer;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &input);
	printf("%s %s pid %d%s%s only %s burst %" PRIu64 " stop %u share %u ms %u of %u",
	       tracer->attach ? "attached" : "-", tracer->argv ? tracer->argv[0] : "-", attach->pid,
	       attach->children ? " children" : "", attach->whole ? " whole" : "",
	       attach->only ?: "-", attach->burst_steps, attach->burst_ms, attach->share,
	       attach->duration_ms, tracer->timeout_ms);
	return EXIT_OK;
}

#define NOBODY	"1073741823"
#define PID	"--pid=" NOBODY
#define PROCESS "attached process " NOBODY " pid " NOBODY

static const struct {
	const char *argument[3], *said;
	int status;
} cases[] = {
	{ { NULL }, "- - pid 0 only - burst 0 stop 0 share 0 ms 0 of 600000", 0 },
	{ { PID }, PROCESS " only - burst 1000 stop 20 share 50 ms 10000 of 0", 0 },
	{ { PID, "--burst=7" }, PROCESS " only - burst 7 stop 20 share 50 ms 10000 of 0", 0 },
	{ { PID, "--stop=1000" },
	  PROCESS " only - burst 1000 stop 1000 share 50 ms 10000 of 0",
	  0 },
	{ { PID, "--share=900" }, PROCESS " only - burst 1000 stop 20 share 900 ms 10000 of 0", 0 },
	{ { PID, "--duration=3" }, PROCESS " only - burst 1000 stop 20 share 50 ms 3000 of 0", 0 },
	{ { PID, "--timeout=3" },
	  PROCESS " only - burst 1000 stop 20 share 50 ms 10000 of 3000",
	  0 },
	{ { PID, "--children", "--only=x" },
	  PROCESS " children only x burst 1000 stop 20 share 50 ms 10000 of 0",
	  0 },
	{ { "--children" },
	  "attached - pid 0 children whole only - burst 1000 stop 20 share 50 ms 0 of 600000",
	  0 },
	{ { "--children", "--from=main", "--duration=2" },
	  "attached - pid 0 children whole only - burst 1000 stop 20 share 50 ms 2000 of 600000",
	  0 },
	{ { "--children", "--share=9" },
	  "attached - pid 0 children only - burst 1000 stop 20 share 9 ms 0 of 600000",
	  0 },
	{ { "--share=3", "--only=x" }, "--only is for --pid or --children", 2 },
	{ { "--children", "--burst=9", "--from=x" }, "--from is for what is stepped whole", 2 },
	{ { "--children", "--estimate" }, "--estimate is of one program that is stepped alone", 2 },
	{ { PID, "--share=901" }, "--share", 2 },
	{ { PID, "--share=0" }, "--share", 2 },
	{ { PID, "--stop=1001" }, "--stop", 2 },
	{ { PID, "--burst=0" }, "--burst", 2 },
	{ { "--pid=0" }, "--pid", 2 },
	{ { "--pid=2147483648" }, "--pid", 2 },
	{ { PID, "--from=main" }, "--from is for what is stepped whole", 2 },
	{ { PID, "--aslr=on" }, "--aslr is for what is stepped whole", 2 },
	{ { PID, "--estimate" }, "--estimate is of one program that is stepped alone", 2 },
};

START_TEST(option_sets_what_it_says)
{
	char *arguments[5] = { "test" }, *said;
	int status;

	for (int i = 0; i < 3; i++)
		arguments[i + 1] = (char *)cases[_i].argument[i];
	said = command_output(say_options, arguments, &status);
	ck_assert_msg(status == cases[_i].status && strstr(said, cases[_i].said), "%s: %d: %s",
		      cases[_i].said, status, said);
	if (!status)
		ck_assert_str_eq(said, cases[_i].said);
	free(said);
}
END_TEST

SUITE(attach_options, LOOP(option_sets_what_it_says, cases))
