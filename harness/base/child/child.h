/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child.h - processes that end with this one
 *
 * Each child leads a process group of its own, so that the processes that it starts end with it. Programs under
 * ptrace are started elsewhere (truth/tracer/target_start.c).
 *
 *	child.c			starts and ends a child
 *	child_find.c		which file a program's name stands for
 *	child_library.c		where the dynamic linker finds a library
 *	child_beside.c		files beside this program's own
 *	child_shell.h		runs a command of /bin/sh with a time-out
 *	ending_signals.h	SIGINT, SIGTERM and SIGHUP, held meanwhile
 *	interrupt.h		the same, waited for in a thread
 */
#ifndef STACKPROOF_CHILD_H
#define STACKPROOF_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "ending_signals.h"
#include "error.h"

#define CHILD_NOT_RUN 127 /* the exit status where a program could not be executed */

/* Sets SIGCHLD to its default: a process that ignores it, or inherited that through exec(3), never learns
 * how a child ended. To be called first. */
void child_ends_are_kept(void);

/* Ignores SIGXFSZ, so that a write beyond RLIMIT_FSIZE fails with EFBIG (setrlimit(2)) and can be reported.
 * Children get back the action that this process was started with: */
void child_full_file_is_an_error(void);
void child_give_back(void);		    /* in a child, before exec(3) */
void child_spawn_gives_back(sigset_t *ret); /* for posix_spawnattr_setsigdefault(3) */

/* fork(2). The child leads a process group, has no signal blocked, and gets SIGKILL when the calling thread
 * ends. 0: in the child. -1: errno. */
pid_t child_fork(void);

/* For a child whose exec(3) failed: prints the reason by errno on stderr, and ends with CHILD_NOT_RUN. It
 * makes only calls of signal-safety(7), since the parent may have threads. */
void child_not_run(const char *program) __attribute__((noreturn));

struct child_command {
	const char *const
		*argv;	       /* NULL-terminated; [0] is found in PATH, or in /usr/sbin or /sbin */
	const char *directory; /* NULL: the current one */
	bool errors;	       /* its stderr goes where its stdout goes; else to /dev/null */
	bool takes_interrupts; /* SIGINT is not ignored, as it is for what a script starts in the background */
};

/*
 * Starts a program with LC_ALL=C and without input. *ret_output: a descriptor to read its stdout from, the caller's
 * to close. ret_output NULL: stdout goes to /dev/null. Returns the process ID, for child_end(), or -1. If the program
 * can't be executed, the child says why on its stderr and ends with CHILD_NOT_RUN.
 */
pid_t child_start(const struct child_command *command, int *ret_output, struct error *error);

/* Finds the file of a program as execvp(3) does: a name without a slash is searched in PATH. 0; or -1: there
 * is none, and ret is undefined. */
int child_find(const char *name, char *ret, size_t size);

/* Finds a library's path in the output of `ldconfig -p`. False: it is not listed. */
bool ldconfig_parse(const char *ldconfig, const char *soname, char path[4096]);
/* Finds the x86-64 library of that name ("libc.so.6") as the dynamic linker does. ERROR_UNAVAILABLE: it is not
 * installed. */
int child_find_library(const char *soname, char path[4096], struct error *error);

/* The path of this program, even if its file was replaced since. */
int child_self(char *ret, size_t size, struct error *error);
/* The path of name in the folder of this program, even if its file was replaced since. 0, or -1: /proc can't
 * be read, or the path is longer than size. ret is then "./name", as far as it fits. */
int child_beside(const char *name, char *ret, size_t size, struct error *error);

/* Waits for the child's end, or kills its group at once, and then kills what is left of the group. Returns
 * the status of waitpid(2). If that fails, returns the status of a process that SIGKILL ended. */
int child_end(pid_t pid, bool at_once);

/* The same, with the status in *ret_status. 0, or -1: one of the held signals arrived, and the child was
 * killed with its group. */
int child_end_or_signal(pid_t pid, const struct ending_signals *signals, int *ret_status,
			struct error *error);

/* 0: a program with this status of waitpid(2) has exited by itself. -1: ERROR_UNAVAILABLE: it could not be
 * executed; ERROR_PROTOCOL: a signal killed it. */
int child_check(const char *program, int status, struct error *error);

#endif
