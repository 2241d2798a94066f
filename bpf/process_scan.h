/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_scan.h - the processes that there are
 */
#ifndef STACKPROOF_PROCESS_SCAN_H
#define STACKPROOF_PROCESS_SCAN_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

/* Gives every process of /proc or, unless root is 0, root and its descendants, in no order. What
 * ends or begins meanwhile may be missing. ERROR_SYSTEM: /proc can't be read, there is no root. */
int process_scan(pid_t root, void (*fn)(void *context, pid_t pid), void *context,
		 struct error *error);
/* A thread of the process beside its leader, or 0. */
pid_t process_other_thread(pid_t pid);
/* True: its first thread sleeps, and so holds no lock of its mappings. */
bool process_is_asleep(pid_t pid);
/* True: no thread of it will run again. One that is about to end may not have yet, and one that is
 * about to execute a program, by another thread than its leader, has not. False, too, where there is
 * no file descriptor to look by. */
bool process_has_ended(pid_t pid);

#endif
