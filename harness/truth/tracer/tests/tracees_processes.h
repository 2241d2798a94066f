/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracees_processes.h - programs that make processes in every way, for test_tracer.c
 *
 * The tracer counts a new process and lets it go. Neither side may notice: each child says by its
 * exit status that nobody traces it, and whoever made it sees that status, and may trace it at
 * once.
 */
#ifndef STACKPROOF_TRACEES_PROCESSES_H
#define STACKPROOF_TRACEES_PROCESSES_H

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include "tracees.h"

#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define CHILD_STATUS 5
/* Its parent and a shell's $$: 0 if that one is nobody. */
#define CHILD_SCRIPT "grep -q '^TracerPid:\t0$' /proc/$$/status && exit 5"

extern char **environ;

static KEPT int status_of(pid_t child)
{
	int status = 0;

	if (child <= 0 || waitpid(child, &status, __WALL) != child)
		return 1;
	MARK(FRAME);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* vfork's child may only execute. */
static KEPT int run_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", CHILD_SCRIPT, NULL);
		_exit(1);
	}
	return status_of(child);
}

static KEPT int run_spawn(void)
{
	char *argv[] = { "sh", "-c", CHILD_SCRIPT, NULL };
	pid_t child;

	if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ))
		return 1;
	return status_of(child);
}

/* Forks twice: the grandchild is nobody's any more, and must have run all the same. */
static KEPT int run_daemon(void)
{
	int ends[2], status;
	pid_t child;
	char said = 0;

	if (pipe(ends))
		return 1;
	child = fork();
	if (child == 0) {
		setsid();
		if (fork() == 0)
			_exit(write(ends[1], "d", 1) != 1);
		_exit(CHILD_STATUS);
	}
	status = status_of(child);
	return read(ends[0], &said, 1) == 1 && said == 'd' ? status : 3;
}

static int write_memory(void *argument)
{
	*(volatile int *)argument = 3;
	return CHILD_STATUS;
}

/* A process of its own, in the same memory. Its exit status here: what it wrote there, as a
 * signal's number. */
static KEPT int clone_sharing(int flags)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	static volatile int shared;
	pid_t child = clone(write_memory, stack + sizeof(stack), flags, (void *)&shared);

	if (status_of(child) != CHILD_STATUS)
		return 1;
	signal(shared, SIG_DFL);
	raise(shared);
	return 2;
}

static KEPT int run_clone_with_memory(void)
{
	return clone_sharing(CLONE_VM | SIGCHLD);
}

static KEPT int run_clone_without_signal(void)
{
	return clone_sharing(CLONE_VM);
}

static int mark_in_thread(void *argument)
{
	self->claim.count = 0;
	self->claim.bottom = CLAIM_OPEN;
	marker(&self->claim);
	return 0;
}

/* The kernel tells of it as of a vfork, but it is a thread. */
static KEPT int run_thread_by_vfork(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_VFORK;

	if (clone(mark_in_thread, stack + sizeof(stack), flags, NULL) <= 0)
		return 1;
	MARK(FRAME);
	return 0;
}

/* The child is traced by its parent, from its first moment on. */
static KEPT int run_debugger(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		for (;;)
			pause();
	if (ptrace(PTRACE_SEIZE, child, NULL, NULL) || ptrace(PTRACE_INTERRUPT, child, NULL, NULL))
		_exit(6);
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		_exit(7);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	MARK(FRAME);
	return WTERMSIG(status) == SIGKILL ? CHILD_STATUS : 8;
}

static KEPT void *make_children(void *argument)
{
	for (int i = 0; i < 2; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0)
			_exit(CHILD_STATUS);
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != CHILD_STATUS)
			abort();
	}
	return NULL;
}

static KEPT int run_children_of_threads(void)
{
	pthread_t thread[THREADS];

	MARK(FRAME);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, make_children, NULL);
	MARK(FRAME);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	MARK(FRAME);
	return 0;
}

#pragma GCC pop_options

#endif
