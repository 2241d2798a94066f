/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_processes.c - what the processes of a run that were not judged come to, with --strict and without
 */
#include <string.h>
#include "base/gate/gate.h"
#include "tests/suite.h"
#include "truth/ending/ending.h"

#define LEFT(reason) .tracer = { .met = 2, .left[reason] = 1 }

static const struct {
	const char *name;
	struct run_processes processes;
	const char *left; /* a reason of the gate's; NULL: nothing is left */
	enum exit_status strictly;
} cases[] = {
	{ "all_judged", { .tracer = { .met = 1 } }, NULL, EXIT_OK },
	{ "only_names_others", { LEFT(PROCESS_NOT_NAMED) }, NULL, EXIT_OK },
	{ "refused", { LEFT(PROCESS_REFUSED) }, "left_processes", EXIT_FINDINGS },
	{ "too_many", { LEFT(PROCESS_TOO_MANY) }, "left_processes", EXIT_FINDINGS },
	{ "brief", { LEFT(PROCESS_BRIEF) }, "left_processes", EXIT_FINDINGS },
	{ "hidden", { LEFT(PROCESS_UNTRACED) }, "hidden_processes", EXIT_FINDINGS },
	{ "called_ptrace", { .tracer.called_ptrace = 1 }, "ptrace_callers", EXIT_FINDINGS },
	{ "idle", { LEFT(PROCESS_IDLE) }, "idle_processes", EXIT_OK },
	{ "without_a_point", { .without_points = 1 }, "idle_processes", EXIT_OK },
};

START_TEST(who_was_not_judged)
{
	struct gate gate = { .unit = "processes", .checked = 1 };

	run_processes_gate(&cases[_i].processes, &gate);
	for (enum gate_reason i = 0; i < GATE_REASON_COUNT; i++)
		ck_assert_msg(gate.left[i] == (cases[_i].left &&
					       !strcmp(gate_reason_name(i), cases[_i].left)),
			      "%s: %s %lu", cases[_i].name, gate_reason_name(i), gate.left[i]);
	ck_assert_int_eq(gate_status(&gate), EXIT_OK);
	gate.strict = true;
	ck_assert_int_eq(gate_status(&gate), cases[_i].strictly);
	gate.checked = 0;
	gate.strict = false;
	ck_assert_int_eq(gate_status(&gate), EXIT_SKIPPED);
}
END_TEST

SUITE(run_processes, LOOP(who_was_not_judged, cases))
