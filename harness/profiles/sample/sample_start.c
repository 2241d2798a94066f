/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_start.c - a program that is stopped at its entry point, and then runs untraced
 *
 * What is sampled must run as it would by itself, but the walk must know its images before its
 * first instruction. So the dynamic loader runs under ptrace(2) up to a breakpoint at the entry
 * point (AT_ENTRY): by then the libraries that the program was linked with are mapped. The caller
 * reads the mappings, starts the clock, and lets go. Address-space randomisation is off, as in the
 * stepped run (truth/tracer/tracer_start.c), so addresses can be compared.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/ending_signals.h"
#include "clock.h"
#include "sample.h"

#define BREAKPOINT    0xcc
#define CS_64_BIT     0x33 /* __USER_CS, arch/x86/include/asm/segment.h */
#define EXIT_NO_START 127

static void __attribute__((noreturn)) become(char *const *argv, int fail_fd)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), failure;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	personality(ADDR_NO_RANDOMIZE);
	child_give_back();
	ending_signals_give_back();
	if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		execvp(argv[0], argv);
	failure = errno;
	if (write(fail_fd, &failure, sizeof(failure)) != sizeof(failure))
		_exit(EXIT_NO_START);
	_exit(EXIT_NO_START);
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

static int read_entry(pid_t pid, uint64_t *ret, struct error *error)
{
	char path[64];
	Elf64_auxv_t entry;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "re");
	if (!file)
		return error_set_errno(error, "%s", path);
	*ret = 0;
	while (!*ret && fread(&entry, sizeof(entry), 1, file) == 1)
		if (entry.a_type == AT_ENTRY)
			*ret = entry.a_un.a_val;
	fclose(file);
	return *ret ? 0 : error_set(error, ERROR_PROTOCOL, "", 0, "%s has no AT_ENTRY", path);
}

/* Puts a byte in place of the one at address, which is given back. */
static int exchange_byte(pid_t pid, uint64_t address, uint8_t *byte, struct error *error)
{
	char path[64];
	uint8_t before;
	int fd, status = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return error_set_errno(error, "%s", path);
	if (pread(fd, &before, 1, address) != 1 || pwrite(fd, byte, 1, address) != 1)
		status = error_set_errno(error, "the breakpoint at the entry point");
	*byte = before;
	close(fd);
	return status;
}

/* From the stop after exec to the one at the entry point. */
static int run_to_entry(pid_t pid, uint64_t deadline_ns, struct error *error)
{
	struct user_regs_struct regs;
	uint8_t byte = BREAKPOINT;
	uint64_t entry;

	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return error_set_errno(error, "ptrace");
	if (regs.cs != CS_64_BIT)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the program is not 64-bit x86 code");
	if (read_entry(pid, &entry, error) || exchange_byte(pid, entry, &byte, error))
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
	return exchange_byte(pid, entry, &byte, error);
}

/* The child's errno, if it could not be executed. */
static int start_failure(int fail_fd)
{
	int failure;

	return read(fail_fd, &failure, sizeof(failure)) == sizeof(failure) ? failure : 0;
}

int sample_start(char *const *argv, unsigned int timeout_ms, pid_t *ret_pid, struct error *error)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1000000ull;
	int fail[2], failure;
	pid_t pid;

	if (pipe2(fail, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(argv, fail[1]);
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
		return error_set_errno(error, "%s", argv[0]);
	}
	if (wait_trap(pid, deadline_ns, error) || run_to_entry(pid, deadline_ns, error)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	*ret_pid = pid;
	return 0;
}

int sample_release(pid_t pid, struct error *error)
{
	if (ptrace(PTRACE_DETACH, pid, NULL, 0))
		return error_set_errno(error, "PTRACE_DETACH");
	return 0;
}
