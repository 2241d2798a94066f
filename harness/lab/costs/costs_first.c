/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_first.c - how long a new process has no stack in the profile
 *
 * The stack of testprogs/bench/phases.c says itself how old its process is: in the function until_P_N the probe P is at
 * most N milliseconds behind its exec(3). So no profile needs times, only names. A sample of a probe is its first if no
 * other has a smaller N; it is a whole stack if main is in it. The probes have the highest priority that there is: with
 * that of the work they would wait for a CPU, and no profiler would be to blame.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/child/child.h"
#include "clock.h"
#include "costs.h"
#include "profiles/profile/profile.h"

#define PROBE_MS  2000 /* the last phase's end */
#define PHASE	  "until_"
#define PRIORITY  (-20)
#define BEHIND_MS 100 /* between two */

/* ---- probes --------------------------------------------------------------------------------- */

static pid_t start(const char *path, unsigned int probe, struct error *error)
{
	char number[16], start_ns[24];
	char *const argv[] = { (char *)path, number, start_ns, NULL };
	pid_t pid;

	snprintf(number, sizeof(number), "%u", probe);
	pid = child_fork();
	if (pid < 0)
		return error_set_errno(error, "a process for %s", path);
	if (pid)
		return pid;
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* without that right it waits for a CPU longer */
	snprintf(start_ns, sizeof(start_ns), "%ju", (uintmax_t)monotonic_ns());
	execv(path, argv);
	_exit(CHILD_NOT_RUN);
}

int costs_probes_run(struct costs_work *work, const char *programs,
		     const struct ending_signals *signals, struct error *error)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/phases", programs);
	if (access(path, X_OK))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built", path);
	for (unsigned int i = 0; i < COSTS_PROBES; i++) {
		pid_t pid = start(path, i, error);

		if (pid < 0)
			return -1;
		work->probe[i] = pid;
		if (costs_sleep(signals, PROBE_MS + BEHIND_MS, error))
			return -1;
	}
	return 0;
}

void costs_probes_kill(struct costs_work *work)
{
	for (unsigned int i = 0; i < COSTS_PROBES; i++)
		if (work->probe[i])
			child_end(work->probe[i], true);
	memset(work->probe, 0, sizeof(work->probe));
}

/* ---- the profile ---------------------------------------------------------------------------- */

static void least(unsigned int *ms, unsigned int other)
{
	if (*ms == COSTS_FIRST_NONE || other < *ms)
		*ms = other;
}

static int take(void *context, const struct profile *profile, const struct profile_sample *sample,
		struct error *error)
{
	unsigned int probe = 0, ms = 0;
	struct costs_first *first = context;
	bool in_main = false, in_phase = false;

	for (uint32_t i = 0; i < sample->frame_count; i++) {
		const char *name = profile_text(profile,
						profile_frame(profile, sample->frame[i])->name);

		if (!strncmp(name, PHASE, strlen(PHASE)))
			in_phase = sscanf(name + strlen(PHASE), "%u_%u", &probe, &ms) == 2 &&
				   probe < COSTS_PROBES && ms;
		in_main |= !strcmp(name, "main");
	}
	if (!in_phase)
		return 0;
	least(&first->sample_ms[probe], ms);
	if (in_main)
		least(&first->stack_ms[probe], ms);
	return 0;
}

int costs_first_read(const char *path, struct costs_first *ret, struct error *error)
{
	struct profile profile;
	struct error unread;

	*ret = (struct costs_first) { 0 };
	profile_init(&profile);
	if (profile_read(&profile, path, PROFILE_ANY, take, ret, &unread))
		snprintf(ret->unread, sizeof(ret->unread), "%s", unread.message);
	ret->samples = profile.weight / profile_scale(&profile);
	profile_deinit(&profile);
	if (!ret->unread[0] && !ret->samples)
		return error_set(error, ERROR_PROTOCOL, "", 0, "its profile has no sample");
	return 0;
}

static int none_last(const void *left, const void *right)
{
	unsigned int a = *(const unsigned int *)left - 1, b = *(const unsigned int *)right - 1;

	return (a > b) - (a < b);
}

unsigned int costs_first_median(unsigned int ms[COSTS_PROBES])
{
	qsort(ms, COSTS_PROBES, sizeof(*ms), none_last);
	return ms[COSTS_PROBES / 2];
}
