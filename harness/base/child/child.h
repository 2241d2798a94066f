/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child.h - processes that end with this one
 *
 * Each leads a process group of its own: what it starts ends with it. Programs under ptrace are
 * not started here (truth/tracer/target_start.c).
 *
 *	child.c			starting one, and its end
 *	child_find.c		which file a name means
 *	child_beside.c		what lies beside this program
 *	child_shell.h		a command of /bin/sh's, heard and ended in time
 *	ending_signals.h	this process asked to end, meanwhile
 */
#ifndef STACKPROOF_CHILD_H
#define STACKPROOF_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "ending_signals.h"
#include "error.h"

#define CHILD_NOT_RUN 127 /* the exit status where a program could not be executed */

/* Whoever ignores SIGCHLD never hears how a child ended, and exec(3) hands that on. The first thing that a
 * program does which waits for any. */
void child_ends_are_kept(void);

/* From now on a write beyond RLIMIT_FSIZE is EFBIG, as setrlimit(2) says of a process that ignores SIGXFSZ: it is
 * said, and the rest is cleared away. What is started has the signal as we found it: */
void child_full_file_is_an_error(void);
void child_give_back(void);		    /* in a child, before what it is for */
void child_spawn_gives_back(sigset_t *ret); /* for posix_spawnattr_setsigdefault(3) */

/* fork(2) with a group, no signal held back, and SIGKILL when the caller ends. 0: in the child. */
pid_t child_fork(void);

/* In a child whose exec(3) failed: says why on standard error, by calls that a child of a process with threads may
 * make (signal-safety(7)), and ends with CHILD_NOT_RUN. */
void child_not_run(const char *program) __attribute__((noreturn));

struct child_command {
	const char *const
		*argv;	       /* NULL-terminated; [0] is found in PATH, or in /usr/sbin or /sbin */
	const char *directory; /* NULL: here */
	bool errors;	       /* its standard error goes where its output goes; else nowhere */
};

/*
 * Starts a program with nothing to read and LC_ALL=C. *ret_output: what it writes comes from there,
 * the caller's to close; ret_output NULL: it goes nowhere. Returns its number, to child_end(), or
 * -1. If it can't be executed it says why on standard error and ends with CHILD_NOT_RUN.
 */
pid_t child_start(const struct child_command *command, int *ret_output, struct error *error);

/* The file that a program's name means: what has no slash is looked for in PATH. -1: there is none, and *ret
 * is not said. */
int child_find(const char *name, char *ret, size_t size);

/* The path of this program, or of what took its place since. */
int child_self(char *ret, size_t size, struct error *error);
/* FOLDER/name, where FOLDER holds this program, even if that was replaced since. 0, or -1: /proc says nothing, or
 * it is longer than size; *ret is "./name" then, as far as it fits. */
int child_beside(const char *name, char *ret, size_t size, struct error *error);

/* Waits for its end (at_once: kills it), then kills what is left of its group. Returns the status,
 * as waitpid(2); that of one who was killed if nobody can say it any more. */
int child_end(pid_t pid, bool at_once);

/* The same, or -1: one of the signals came, which are held: it was killed with its group, as error says. */
int child_end_or_signal(pid_t pid, const struct ending_signals *signals, int *ret_status,
			struct error *error);

/* 0: it ran and came to its end, with whatever status. ERROR_UNAVAILABLE: there is no such program.
 * ERROR_PROTOCOL: it died of a signal. */
int child_check(const char *program, int status, struct error *error);

#endif
