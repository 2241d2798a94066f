/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_ending.c - how a compared program ended, in words, and whether its run was whole
 *
 * A run that was cut short has found something all the same. What it found is said, but never as if
 * it were all: everything that is printed of it is marked, with the reason.
 */
#include <string.h>
#include <sys/wait.h>
#include "compare.h"

void compare_ending_text(const struct comparison *comparison, char *text, size_t size)
{
	int signal = WIFSIGNALED(comparison->status) ? WTERMSIG(comparison->status) : 0;
	const char *name = sigabbrev_np(signal);

	if (comparison_in_bursts(comparison) && (comparison->attach->pid || comparison->number))
		snprintf(text, size, "%s",
			 comparison->process_ended ? "ended meanwhile" : "was let go, and goes on");
	else if (comparison->attach && comparison->cut.ending == TRACER_ENDED &&
		 !comparison_in_bursts(comparison) && !comparison->process_ended)
		snprintf(text, size, "went on unstepped (--only)");
	else if (comparison->attach && comparison->cut.ending == TRACER_LIMIT)
		snprintf(text, size, "was ended (--limit, --duration)");
	else if (comparison->cut.ending == TRACER_LIMIT)
		snprintf(text, size, "was ended after so many points (--limit)");
	else if (run_cut_word(&comparison->cut) && comparison->cut.ending != TRACER_KILLED)
		snprintf(text, size, "did not come to its end");
	else if (!signal)
		snprintf(text, size, "exited with status %d", WEXITSTATUS(comparison->status));
	else if (name)
		snprintf(text, size, "was ended by SIG%s (%s)", name, strsignal(signal));
	else
		snprintf(text, size, "was ended by signal %d", signal);
}

/* One that is missed is a finding. One that can't be judged is no success: what was to be checked
 * could not be. */
static void add_requirements(const struct comparison *comparison, struct gate *gate)
{
	for (size_t i = 0; i < comparison->requirement_count; i++) {
		struct requirement_verdict verdict;

		requirement_judge(&comparison->requirement[i], comparison, &verdict);
		gate->findings += verdict.result == REQUIREMENT_NOT_MET;
		gate_leave(gate, GATE_REQUIREMENTS, verdict.result == REQUIREMENT_NOT_JUDGED);
		gate->environment |= verdict.result == REQUIREMENT_NOT_JUDGED;
	}
}

void comparison_gate(const struct comparison *comparison, struct gate *ret)
{
	*ret = (struct gate) { .unit = "points", .strict = comparison->strict };
	for (size_t i = 0; i < comparison->engine_count; i++)
		gate_leave(ret, GATE_ENGINES, comparison->engine[i].skipped);
	gate_leave(ret, GATE_IGNORED, comparison_ignored(comparison));
	gate_leave(ret, GATE_UNPROVEN, comparison->verdict[VERDICT_UNPROVEN]);
	gate_leave(ret, GATE_LOST_POINTS, comparison->unread);
	gate_leave(ret, GATE_UNTRACED, comparison->truth.untraced);
	ret->environment = run_cut_word(&comparison->cut);
	add_requirements(comparison, ret);
	if (ret->left[GATE_ENGINES] == comparison->engine_count)
		return;
	/* What nobody has judged is not checked. */
	ret->checked = comparison->points > comparison->verdict[VERDICT_UNPROVEN]
			       ? comparison->points - comparison->verdict[VERDICT_UNPROVEN]
			       : 0;
	/* Of a run that was cut short nothing is final: its status is that it was. */
	if (run_cut_word(&comparison->cut))
		return;
	ret->findings += (comparison->points && comparison_is_thin(comparison)) ||
			 comparison_has_findings(comparison);
}

double compare_points_per_second(const struct comparison *comparison)
{
	return comparison->elapsed_ns ? comparison->points * 1e9 / comparison->elapsed_ns : 0;
}
