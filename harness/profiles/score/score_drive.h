/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_drive.h - a profiler beside a stepped program, sampling at each of its stops
 *
 * A stopped thread is switched out. Where an event that counts context switches, with period 1, fires a profiler's BPF
 * program at that moment, the profile has a sample for each instruction, and the truth says how often each stack was.
 * The event is ours, for a program that the profiler has loaded; or it is the profiler's own (perf record -e
 * context-switches -c 1, bpftrace's software:context-switches:1).
 *
 * Beside a process that runs already, and is stepped in bursts, a profiler samples as it likes.
 *
 *	score_drive.c	starts the profiler at the first point, attaches, ends it behind the last
 *	score_tally.h	how often each stack is in the profile, and was
 */
#ifndef STACKPROOF_SCORE_DRIVE_H
#define STACKPROOF_SCORE_DRIVE_H

#include "score_made.h"

#define SCORE_SETTLE_MS 3000 /* by default */

/*
 * Steps the program as making says, with the profiler beside it, and writes its truth to the path truth. The
 * profiler's command is started at the first point, and gets SIGINT behind the last one, unless it has ended.
 * profile: the path for {out}. Of an attached process it is started before the first burst, and may end when it likes
 * from then on. ret_written: the caller's to deinit. 0: both files are there. -1: the errors of contexts_step(),
 * score_command_run() and driven_program_find(), and ERROR_PROTOCOL if the profiler ended before the first step.
 */
int score_drive(const struct score_making *making, const char *profile, const char *truth,
		struct score_made *ret, struct contexts_result *ret_written, struct error *error);

#endif
