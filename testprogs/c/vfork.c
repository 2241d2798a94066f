/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vfork.c - vfork, and exec in the child
 *
 * Rule: vfork returns twice on the same stack, so the C library takes its return address off the
 * stack into rdi for the time of the system call (DW_CFA_register: rip in rdi). The parent stands
 * still until the child executes another program (here: this one, which then only ends), in memory
 * that both share.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "testprog.h"

#define STATUS 23

static FRAME pid_t start(const char *path)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(path, path, "child", (char *)0);
		_exit(1);
	}
	KEEP(pid);
	return pid;
}

static FRAME int run_child(const char *path)
{
	pid_t pid = start(path);
	int status = 0;

	KEEP(pid);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									       : -1;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return STATUS;
	return run_child(argv[0]) != STATUS;
}
