/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_follow.c - a program that is traced at its entry point and at its system calls, and not between
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "target_follow.h"

#define TURN_MS	     20
#define SYSCALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define TRACE_OPTIONS                                                                              \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

struct traced {
	const struct target_follower *follower;
	pid_t pid;
	int memory_fd;
	bool to_entry; /* a breakpoint is at: */
	uint64_t entry;
	uint8_t entry_byte;
	bool over;
	int status;
	struct error *error;
};

/* The process has executed a program: it goes on to its entry point. */
static int go_to_entry(struct traced *traced)
{
	char path[64];

	if (traced->memory_fd >= 0)
		close(traced->memory_fd);
	snprintf(path, sizeof(path), "/proc/%d/mem", traced->pid);
	traced->memory_fd = open(path, O_RDWR | O_CLOEXEC);
	if (traced->memory_fd < 0)
		return error_set_errno(traced->error, "the program's memory");
	traced->entry = target_auxv(traced->pid, AT_ENTRY);
	traced->entry_byte = TARGET_BREAKPOINT;
	traced->to_entry = true;
	if (target_exchange_byte(traced->memory_fd, traced->entry, &traced->entry_byte,
				 traced->error))
		return -1;
	return traced->follower->on_exec(traced->follower->context);
}

/* Whether it stopped at the breakpoint, which is then gone. */
static int leave_entry(struct traced *traced, pid_t tid, bool *ret)
{
	struct user_regs_struct regs;

	*ret = false;
	if (!traced->to_entry || tid != traced->pid || ptrace(PTRACE_GETREGS, tid, NULL, &regs) ||
	    regs.rip - 1 != traced->entry)
		return 0;
	*ret = true;
	traced->to_entry = false;
	regs.rip = traced->entry;
	if (ptrace(PTRACE_SETREGS, tid, NULL, &regs))
		return error_set_errno(traced->error, "PTRACE_SETREGS at the entry point");
	if (target_exchange_byte(traced->memory_fd, traced->entry, &traced->entry_byte,
				 traced->error))
		return -1;
	return traced->follower->on_mappings(traced->follower->context);
}

/* A system call begins or has ended. */
static int on_call(struct traced *traced, pid_t tid)
{
	struct user_regs_struct regs;

	if (traced->to_entry || ptrace(PTRACE_GETREGS, tid, NULL, &regs) ||
	    (long)regs.rax == -ENOSYS)
		return 0;
	switch (regs.orig_rax) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_munmap:
	case SYS_mremap: return traced->follower->on_mappings(traced->follower->context);
	default: return 0;
	}
}

/* A thread has stopped. -1: the program is to be ended. */
static int on_stop(struct traced *traced, pid_t tid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	bool at_entry = false;
	if (event == PTRACE_EVENT_EXEC && go_to_entry(traced))
		return -1;
	if (!event && signal == SYSCALL_STOP && on_call(traced, tid))
		return -1;
	if (!event && signal == SIGTRAP && leave_entry(traced, tid, &at_entry))
		return -1;
	if (event || signal == SYSCALL_STOP || at_entry)
		signal = 0;
	/* It may be gone: then its end comes. */
	ptrace(traced->to_entry ? PTRACE_CONT : PTRACE_SYSCALL, tid, NULL, signal);
	return 0;
}

/* Takes what has stopped or ended. False: nothing more has, for now. */
static bool take_one(struct traced *traced, int *ret_failed)
{
	int status;
	pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);

	if (tid <= 0)
		return false;
	if (WIFSTOPPED(status)) {
		*ret_failed |= on_stop(traced, tid, status);
	} else if (tid == traced->pid) {
		traced->over = true;
		traced->status = status;
	}
	return true;
}

static void note_child(int signal)
{
}

static int wait_for_end(struct traced *traced, unsigned timeout_ms)
{
	const struct sigaction noted = { .sa_handler = note_child };
	const struct target_follower *follower = traced->follower;
	uint64_t end = monotonic_ns() + timeout_ms * 1000000ull;
	struct sigaction before;
	struct epoll_event event;
	sigset_t child, mask;
	int failed = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigaction(SIGCHLD, &noted, &before);
	sigprocmask(SIG_BLOCK, &child, &mask);
	while (!traced->over && !failed) {
		if (follower->on_turn(follower->context)) {
			failed = -1;
		} else if (timeout_ms && monotonic_ns() > end) {
			failed = error_set(traced->error, ERROR_TIMEOUT, "", 0,
					   "the program did not end in time");
		} else if (!take_one(traced, &failed)) {
			epoll_pwait(follower->wake_fd, &event, 1, TURN_MS, &mask);
		}
	}
	if (failed)
		kill(traced->pid, SIGKILL);
	while (!traced->over && (take_one(traced, &(int) { 0 }) || errno != ECHILD))
		;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGCHLD, &before, NULL);
	return failed;
}

/* Forks a child that waits at a pipe until it is watched. */
static int fork_program(struct traced *traced, const struct target_program *program, int *ret_go,
			int *ret_fail)
{
	int go[2], fail[2];
	char byte;

	if (pipe2(go, O_CLOEXEC))
		return error_set_errno(traced->error, "pipe");
	if (pipe2(fail, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_set_errno(traced->error, "pipe");
	}
	traced->pid = fork();
	if (!traced->pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		target_prepare(program);
		target_become(program, fail[1]);
	}
	close(go[0]);
	close(fail[1]);
	*ret_go = go[1];
	*ret_fail = fail[0];
	return traced->pid < 0 ? error_set_errno(traced->error, "fork") : 0;
}

static int run(struct traced *traced, const struct target_program *program, unsigned timeout_ms)
{
	const struct target_follower *follower = traced->follower;
	int go = -1, fail = -1, failure = 0;
	int status = fork_program(traced, program, &go, &fail);

	if (!status && ptrace(PTRACE_SEIZE, traced->pid, NULL, TRACE_OPTIONS))
		status = error_set_errno(traced->error, "ptrace");
	if (!status)
		status = follower->on_start(follower->context, traced->pid);
	if (traced->pid > 0 && (status || write(go, "", 1) != 1))
		kill(traced->pid, SIGKILL);
	if (traced->pid > 0) {
		int ended = wait_for_end(traced, timeout_ms);

		status = status ? status : ended;
	}
	if (!status && read(fail, &failure, sizeof(failure)) == sizeof(failure)) {
		errno = failure;
		status = error_set_errno(traced->error, "%s", program->argv[0]);
	}
	if (go >= 0)
		close(go);
	if (fail >= 0)
		close(fail);
	return status;
}

int target_follow(const struct target_program *program, unsigned timeout_ms,
		  const struct target_follower *follower, int *ret_status, struct error *error)
{
	struct traced traced = { .follower = follower, .memory_fd = -1, .error = error };
	int status = run(&traced, program, timeout_ms);

	if (traced.memory_fd >= 0)
		close(traced.memory_fd);
	*ret_status = traced.status;
	return status;
}
