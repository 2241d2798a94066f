/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_scan.h - the processes in /proc, and their states
 */
#ifndef STACKPROOF_PROCESS_SCAN_H
#define STACKPROOF_PROCESS_SCAN_H

#include <stdbool.h>
#include <sys/types.h>
#include "error.h"

/* Gives fn every process, or, unless root is 0, root and its descendants, in no order. Processes that begin or end
 * meanwhile may be missing. ERROR_SYSTEM: /proc can't be read, or root does not exist. */
int process_scan(pid_t root, void (*fn)(void *context, pid_t pid), void *context,
		 struct error *error);
/* A thread of the process that is not its leader, or 0. */
pid_t process_other_thread(pid_t pid);
/* Its parent; 0: it has ended. */
pid_t process_parent(pid_t pid);
/* Whether its leader sleeps, and so holds no lock of its mappings. */
bool process_is_asleep(pid_t pid);
/* Whether no thread of the process will run again. False while the process is ending, while a thread other than the
 * leader executes a program, and if there is no memory or no file descriptor to find out. */
bool process_has_ended(pid_t pid);

#endif
