/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_start.c - a program becomes a process that is watched, from its entry point on
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/ending_signals.h"
#include "clock.h"
#include "proc_file.h"
#include "target_start.h"

#define CS_64_BIT 0x33 /* __USER_CS, arch/x86/include/asm/segment.h */

/* ---- in the child ----------------------------------------------------------------------- */

static void silence(void)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0)
		return;
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

void target_prepare(const struct target_program *program)
{
	child_give_back();
	ending_signals_give_back();
	if (program->silence_output)
		silence();
}

/* As execvpe(3), but what the kernel refuses is refused: no shell is given it. errno says why. */
static void execute(char *const *argv, char *const *envp)
{
	const char *path = getenv("PATH"), *end;
	bool denied = false;
	char file[PATH_MAX];

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, envp);
		return;
	}
	for (path = path ? path : "/bin:/usr/bin";; path = end + 1) {
		end = strchrnul(path, ':');
		if (snprintf(file, sizeof(file), "%.*s%s%s", (int)(end - path), path,
			     end > path ? "/" : "", argv[0]) < (int)sizeof(file))
			execve(file, argv, envp);
		else
			errno = ENAMETOOLONG;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG)
			return;
		denied |= errno == EACCES;
		if (!*end)
			break;
	}
	errno = denied ? EACCES : ENOENT;
}

static void __attribute__((noreturn)) say_failure(int fail_fd)
{
	int failure = errno;
	ssize_t told = write(fail_fd, &failure, sizeof(failure));

	(void)told; /* whoever does not hear it sees the status */
	_exit(CHILD_NOT_RUN);
}

void target_become(const struct target_program *program, int fail_fd)
{
	if (!program->randomize)
		personality(ADDR_NO_RANDOMIZE);
	execute(program->argv, program->envp ? program->envp : environ);
	say_failure(fail_fd);
}

/* ---- the entry point -------------------------------------------------------------------- */

bool target_is_64_bit(const struct user_regs_struct *regs, struct error *error)
{
	if (regs->cs == CS_64_BIT)
		return true;
	error_set(error, ERROR_UNAVAILABLE, "", 0, "the program is not 64-bit x86 code");
	return false;
}

uint64_t target_auxv(pid_t pid, uint64_t type)
{
	FILE_CLOSED FILE *file = proc_file_open(pid, "auxv");
	Elf64_auxv_t entry;
	uint64_t value = 0;

	while (file && fread(&entry, sizeof(entry), 1, file) == 1 && entry.a_type != AT_NULL)
		if (entry.a_type == type)
			value = entry.a_un.a_val;
	return value;
}

int target_exchange_byte(int memory_fd, uint64_t address, uint8_t *byte, struct error *error)
{
	uint8_t before;

	if (pread(memory_fd, &before, 1, address) != 1)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "the program's entry point 0x%llx can't be read",
				 (unsigned long long)address);
	/* Writing through /proc/PID/mem makes a private copy of a read-only page, as ptrace does. */
	if (pwrite(memory_fd, byte, 1, address) != 1)
		return error_set_errno(error, "the breakpoint at the entry point");
	*byte = before;
	return 0;
}

/* ---- a program that then runs untraced -------------------------------------------------- */

static void __attribute__((noreturn)) be_traced(const struct target_program *program, int fail_fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	target_prepare(program);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		say_failure(fail_fd);
	target_become(program, fail_fd);
}

/* Waits until the child stops by SIGTRAP. Other signals are passed on. */
static int wait_trap(pid_t pid, uint64_t deadline_ns, struct error *error)
{
	int status;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got < 0 && errno != EINTR)
			return error_set_errno(error, "waitpid");
		if (got == pid && !WIFSTOPPED(status))
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "the program ended before its entry point");
		if (got == pid && WSTOPSIG(status) == SIGTRAP)
			return 0;
		if (got == pid && ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(status)))
			return error_set_errno(error, "PTRACE_CONT");
		if (monotonic_ns() > deadline_ns)
			return error_set(error, ERROR_TIMEOUT, "", 0,
					 "the program did not reach its entry point in time");
		if (got != pid)
			usleep(200);
	}
}

/* From the breakpoint's setting to its end; memory_fd as above. */
static int run_to(pid_t pid, uint64_t entry, int memory_fd, uint64_t deadline_ns,
		  struct error *error)
{
	uint8_t byte = TARGET_BREAKPOINT;
	struct user_regs_struct regs;

	if (target_exchange_byte(memory_fd, entry, &byte, error))
		return -1;
	if (ptrace(PTRACE_CONT, pid, NULL, 0))
		return error_set_errno(error, "PTRACE_CONT");
	if (wait_trap(pid, deadline_ns, error))
		return -1;
	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return error_set_errno(error, "PTRACE_GETREGS");
	if (regs.rip != entry + 1)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "a trap at 0x%llx before the entry point",
				 (unsigned long long)regs.rip);
	regs.rip = entry;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &regs))
		return error_set_errno(error, "PTRACE_SETREGS");
	return target_exchange_byte(memory_fd, entry, &byte, error);
}

/* From the stop after exec to the one at the entry point. */
static int run_to_entry(pid_t pid, uint64_t deadline_ns, struct error *error)
{
	struct user_regs_struct regs;
	FD_CLOSED int memory_fd = -1;
	uint64_t entry;

	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return error_set_errno(error, "ptrace");
	if (!target_is_64_bit(&regs, error))
		return -1;
	entry = target_auxv(pid, AT_ENTRY);
	memory_fd = proc_file_descriptor(pid, "mem", O_RDWR);
	if (memory_fd < 0)
		return error_set_errno(error, "/proc/%d/mem", pid);
	return run_to(pid, entry, memory_fd, deadline_ns, error);
}

/* The child's errno, if it could not be executed. */
static int start_failure(int fail_fd)
{
	int failure;

	return read(fail_fd, &failure, sizeof(failure)) == sizeof(failure) ? failure : 0;
}

int target_start(const struct target_program *program, unsigned int timeout_ms, pid_t *ret_pid,
		 struct error *error)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1000000ull;
	int fail[2], failure;
	pid_t pid;

	if (pipe2(fail, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	fflush(NULL);
	pid = fork();
	if (!pid)
		be_traced(program, fail[1]);
	close(fail[1]);
	if (pid < 0) {
		close(fail[0]);
		return error_set_errno(error, "fork");
	}
	failure = start_failure(fail[0]); /* exec closes the other end */
	close(fail[0]);
	if (failure) {
		waitpid(pid, NULL, 0);
		errno = failure;
		return error_set_errno(error, "%s", program->argv[0]);
	}
	if (wait_trap(pid, deadline_ns, error) || run_to_entry(pid, deadline_ns, error)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	*ret_pid = pid;
	return 0;
}

int target_release(pid_t pid, struct error *error)
{
	if (ptrace(PTRACE_DETACH, pid, NULL, 0))
		return error_set_errno(error, "PTRACE_DETACH");
	return 0;
}
