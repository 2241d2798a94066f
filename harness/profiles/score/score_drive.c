/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_drive.c - a profiler beside a stepped program
 *
 * The profiler is a child of a thread of its own: the tracer waits for its thread's children. That thread runs on all
 * CPUs, while the tracer and what it steps share one.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/child/child_shell.h"
#include "clock.h"
#include "engines/driven/driven.h"
#include "judge/compare/compare_contexts.h"
#include "score_drive.h"

#define LOAD_MS 60000 /* for a profiler to load its BPF program */
#define LOOK_MS 50

struct drive {
	const struct score_making *making;
	const struct score_driving *how;
	const char *profile;
	struct score_made *made;
	struct driven_program *program;
	cpu_set_t cpus;	  /* before the tracer took one */
	int end_fd;	  /* ends the profiler */
	int run_ended_fd; /* the run was ended from outside */
	char *command;
	pthread_t thread;
	bool started;
	atomic_bool ended; /* the profiler */
	bool failed;	   /* begin() */
	struct error begin_error;
	int status;	    /* of score_command_run() in the thread */
	struct error error; /* the same */
};

/* ---- the profiler --------------------------------------------------------------------------- */

static void *run_profiler(void *argument)
{
	static const struct ending_signals none = { .fd = -1 }; /* they are the tracer's */
	struct drive *drive = argument;

	sched_setaffinity(0, sizeof(drive->cpus), &drive->cpus);
	drive->status = score_command_run(
		&(struct child_shell) { .command = drive->command,
					.timeout_ms = drive->making->timeout_ms,
					.signals = &none,
					.end_fd = drive->end_fd },
		drive->profile, &drive->made->said, &drive->made->status, &drive->error);
	atomic_store(&drive->ended, true);
	return NULL;
}

static int start_profiler(struct drive *drive, pid_t pid, struct error *error)
{
	drive->command = score_command_text(drive->making->command, drive->profile,
					    drive->making->program, pid, error);
	if (!drive->command)
		return -1;
	if (pthread_create(&drive->thread, NULL, run_profiler, drive))
		return error_set(error, ERROR_SYSTEM, "", 0, "no thread for the profiler");
	drive->started = true;
	return 0;
}

/* at_once: it is killed. Its result is in drive. */
static void end_profiler(struct drive *drive, bool at_once)
{
	if (!drive->started)
		return;
	eventfd_write(drive->end_fd, at_once ? 2 : 1);
	pthread_join(drive->thread, NULL);
	drive->started = false;
}

/* ---- before the first step ------------------------------------------------------------------ */

/* -1: the profiler has ended, or the run. */
static int wait_ms(const struct drive *drive, int64_t ms, struct error *error)
{
	struct pollfd wake = { .fd = drive->run_ended_fd, .events = POLLIN };
	int64_t deadline = monotonic_ms() + ms;

	while (monotonic_ms() < deadline) {
		if (poll(&wake, 1, LOOK_MS) > 0)
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "the run was ended before its first step");
		if (atomic_load(&drive->ended))
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "the profiler ended before the program's first step");
	}
	return 0;
}

/* Waits until the profiler has loaded its program. */
static int find_program(const struct drive *drive, uint32_t before, uint32_t *ret,
			struct error *error)
{
	int64_t deadline = monotonic_ms() + LOAD_MS;
	uint32_t old = 0;

	for (;;) {
		int status = driven_program_find(drive->how->program, before, ret, error);

		if (status <= 0)
			return status;
		if (monotonic_ms() > deadline)
			break;
		if (wait_ms(drive, LOOK_MS, error))
			return -1;
	}
	if (driven_program_find(drive->how->program, 0, &old, error))
		old = 0;
	if (old)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the profiler has loaded no BPF program %s (%u has that name, and "
				 "was there before: say its number, if that is the one)",
				 drive->how->program, old);
	return error_set(error, ERROR_PROTOCOL, "", 0,
			 "the profiler has loaded no BPF program %s of type perf_event within %u s",
			 drive->how->program, LOAD_MS / 1000);
}

static int attach(struct drive *drive, uint32_t id, pid_t pid, struct error *error)
{
	return driven_program_open(id, &drive->program, error) ||
			       driven_program_attach(drive->program, pid, error)
		       ? -1
		       : 0;
}

static int begin(void *context, pid_t pid, struct error *error)
{
	struct drive *drive = context;
	bool ours = drive->how->program[0]; /* the event */
	uint32_t before = ours ? driven_program_last() : 0, id = 0;

	drive->made->driven.pid = pid;
	drive->failed = start_profiler(drive, pid, error) ||
			(ours && find_program(drive, before, &id, error)) ||
			wait_ms(drive, drive->how->settle_ms, error) ||
			(ours && attach(drive, id, pid, error));
	if (drive->failed)
		drive->begin_error = *error;
	return drive->failed ? -1 : 0;
}

/* The process is not stopped yet. */
static int begin_beside(struct drive *drive, pid_t pid, struct error *error)
{
	drive->made->driven.pid = pid;
	return tracer_process_check(pid, error) || start_profiler(drive, pid, error) ||
			       wait_ms(drive, drive->how->settle_ms, error)
		       ? -1
		       : 0;
}

/* ---- the run -------------------------------------------------------------------------------- */

static int drive_init(struct drive *drive, struct error *error)
{
	drive->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	drive->run_ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (drive->end_fd < 0 || drive->run_ended_fd < 0)
		return error_set_errno(error, "eventfd");
	if (sched_getaffinity(0, sizeof(drive->cpus), &drive->cpus))
		return error_set_errno(error, "sched_getaffinity");
	return 0;
}

static void drive_deinit(struct drive *drive)
{
	driven_program_close(drive->program);
	if (drive->end_fd >= 0)
		close(drive->end_fd);
	if (drive->run_ended_fd >= 0)
		close(drive->run_ended_fd);
	free(drive->command);
}

static int step(struct drive *drive, const char *truth, struct contexts_result *ret_written,
		struct error *error)
{
	const struct tracer_attach *attach = drive->how->attach;
	const struct tracer_options tracer = { .argv = drive->making->program,
					       .attach = attach,
					       .from = attach ? NULL : drive->how->from,
					       .point_limit = drive->how->limit,
					       .timeout_ms = attach ? 0 : drive->making->timeout_ms,
					       .silence_output = true,
					       .ended_fd = drive->run_ended_fd,
					       .ended_by_signals = true };
	const struct contexts_options contexts = { .tracer = &tracer,
						   .output = truth,
						   .version = drive->making->version,
						   .begin = attach ? NULL : begin,
						   .context = drive };

	if (attach && begin_beside(drive, attach->pid, error))
		return -1;
	if (score_step(&contexts, ret_written, error))
		return -1;
	*error = drive->begin_error; /* of its one point there is a truth all the same */
	return drive->failed ? -1 : 0;
}

int score_drive(const struct score_making *making, const char *profile, const char *truth,
		struct score_made *ret, struct contexts_result *ret_written, struct error *error)
{
	struct drive drive = { .making = making,
			       .how = making->driving,
			       .profile = profile,
			       .made = ret,
			       .end_fd = -1,
			       .run_ended_fd = -1 };
	int status = drive_init(&drive, error) || step(&drive, truth, ret_written, error);
	bool early = atomic_load(&drive.ended);

	if (drive.program)
		ret->driven.counted = driven_program_cost(drive.program, &ret->driven.runs,
							  &ret->driven.ns);
	end_profiler(&drive, status != 0);
	/* What ended the profiler early is why the run failed. */
	if (drive.status && (!status || early)) {
		*error = drive.error;
		status = -1;
	}
	drive_deinit(&drive);
	return status ? -1 : 0;
}
