/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_shield.c - a process that is stepped survives the death of who steps it
 *
 * Who is killed in the middle of a burst detaches from nobody. The kernel lets the thread go as it is: with the trap
 * flag, which only PTRACE_DETACH takes out, and often with a trap that nobody has taken. So it gets SIGTRAP, which ends
 * the process. A handler is all that is between: to enter one, the kernel takes a tracer's flag out.
 *
 * So a process without a handler of SIGTRAP has one from its first burst to the end of the run, the *shield*. It does
 * nothing: it is a ret in the process's own code, which returns to the restorer of its C library (rt_sigreturn(2)). The
 * process sets it by itself: a thread that is stopped goes through rt_sigaction(2), by the system call instruction of that
 * restorer, and stands then where it stood. Who dies in these microseconds, twice in a run, ends the process still.
 *
 * A process with a filter of system calls (seccomp(2)) gets none: the filter might end it.
 *
 * What the process may notice: sigaction(2) says that there is a handler; a child that it forks meanwhile keeps it, until
 * it executes a program; int3 does nothing. A handler that the process sets by itself stays.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach.h"

#define CALL_STOP   (SIGTRAP | 0x80)
#define RED_ZONE    128u /* psABI, 3.2.2 */
#define BLOCK_BYTES 65536u
#define SEEN_BYTES  (8u << 20) /* bytes of a mapping that are looked at */
#define RETURN	    0xc3
#define SYSCALL_AT  7 /* in restorer */

/* mov rax, 15; syscall */
static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };

/* As rt_sigaction(2) has it, not sigaction(3). */
struct action {
	uint64_t handler, flags, restorer, mask;
};

#define ACTION_RESTORER 0x04000000ull /* SA_RESTORER */

struct tracer_shields *tracer_shields_create(void)
{
	struct tracer_shields *shields = mmap(NULL, sizeof(*shields), PROT_READ | PROT_WRITE,
					      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shields == MAP_FAILED ? NULL : shields;
}

void tracer_shields_destroy(struct tracer_shields *shields)
{
	if (shields)
		munmap(shields, sizeof(*shields));
}

/* ---- where ------------------------------------------------------------------------------ */

static bool find_in(int memory_fd, uint64_t start, uint64_t end, struct shield *ret)
{
	uint8_t *block = malloc(BLOCK_BYTES);
	const uint8_t *found = NULL, *back;
	ssize_t size;

	for (; block && !found && start < end; start += BLOCK_BYTES - sizeof(restorer)) {
		uint64_t left = end - start;

		size = pread(memory_fd, block, left < BLOCK_BYTES ? left : BLOCK_BYTES,
			     (off_t)start);
		if (size <= 0)
			break;
		found = memmem(block, (size_t)size, restorer, sizeof(restorer));
		back = found ? memchr(block, RETURN, (size_t)size) : NULL;
		if (!back) {
			found = NULL;
			continue;
		}
		ret->restorer = start + (uint64_t)(found - block);
		ret->handler = start + (uint64_t)(back - block);
	}
	free(block);
	return found != NULL;
}

bool shield_find(int memory_fd, pid_t pid, struct shield *ret)
{
	char path[64], line[512], flags[5];
	uint64_t start, end;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, flags) == 3 &&
		    !strcmp(flags, "r-xp") && strchr(line, '/'))
			found = find_in(memory_fd, start,
					end - start < SEEN_BYTES ? end : start + SEEN_BYTES, ret);
	if (file)
		fclose(file);
	return found;
}

/* ---- the call --------------------------------------------------------------------------- */

/* True: it came to a system call's begin or end. */
static bool goes_on_to_call(pid_t tid, int *ret_signal)
{
	int status;

	*ret_signal = 0;
	if (ptrace(PTRACE_SYSCALL, tid, NULL, 0) || !burst_wait_stop(tid, &status))
		return false;
	if (!(status >> 16) && WSTOPSIG(status) != CALL_STOP)
		*ret_signal = WSTOPSIG(status);
	return status >> 16 == 0 && !*ret_signal;
}

/* It is still where it was found. */
static bool has_restorer(int memory_fd, const struct shield *shield)
{
	uint8_t bytes[sizeof(restorer)];

	return pread(memory_fd, bytes, sizeof(bytes), (off_t)shield->restorer) == sizeof(bytes) &&
	       !memcmp(bytes, restorer, sizeof(bytes));
}

/* Sends the thread, which is stopped at regs, through rt_sigaction(2). action[0] is set, action[1] what was there. */
static bool set_action(pid_t tid, const struct user_regs_struct *regs, int memory_fd,
		       const struct shield *shield, struct action action[2], int *ret_signal)
{
	uint64_t at = (regs->rsp - RED_ZONE - 2 * sizeof(*action)) & ~15ull;
	struct user_regs_struct call = *regs;
	uint64_t mask, all = UINT64_MAX; /* signals wait meanwhile */
	struct action before[2];
	bool well;

	*ret_signal = 0;
	if (task_is_filtered(tid) || !has_restorer(memory_fd, shield) ||
	    ptrace(PTRACE_GETSIGMASK, tid, sizeof(mask), &mask) ||
	    pread(memory_fd, before, sizeof(before), (off_t)at) != sizeof(before) ||
	    pwrite(memory_fd, action, sizeof(before), (off_t)at) != sizeof(before))
		return false;
	call.rip = shield->restorer + SYSCALL_AT;
	call.orig_rax = UINT64_MAX; /* what was interrupted is not to be restarted here */
	call.rax = SYS_rt_sigaction;
	call.rdi = SIGTRAP;
	call.rsi = at;
	call.rdx = at + sizeof(*action);
	call.r10 = sizeof(uint64_t); /* of a mask */
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(all), &all);
	well = !ptrace(PTRACE_SETREGS, tid, NULL, &call) && goes_on_to_call(tid, ret_signal) &&
	       goes_on_to_call(tid, ret_signal) && !ptrace(PTRACE_GETREGS, tid, NULL, &call) &&
	       !call.rax && pread(memory_fd, action, sizeof(before), (off_t)at) == sizeof(before);
	ptrace(PTRACE_SETREGS, tid, NULL, regs);
	ptrace(PTRACE_SETSIGMASK, tid, sizeof(mask), &mask);
	if (pwrite(memory_fd, before, sizeof(before), (off_t)at) != sizeof(before))
		return false; /* the process is gone */
	return well;
}

int shield_put_on(pid_t tid, const struct user_regs_struct *regs, int memory_fd,
		  struct shield *shield)
{
	struct action action[2] = { { shield->handler, ACTION_RESTORER | SA_RESTART | SA_ONSTACK,
				      shield->restorer, 0 } };
	int signal;

	/* It is noted before it is there: taking off what is not there does no harm. */
	shield->is_on = true;
	if (!set_action(tid, regs, memory_fd, shield, action, &signal))
		shield->is_on = false;
	return signal;
}

int shield_take_off(pid_t tid, const struct user_regs_struct *regs, int memory_fd,
		    struct shield *shield)
{
	struct action action[2] = { { (uint64_t)SIG_DFL, 0, 0, 0 } };
	int signal;

	if (!set_action(tid, regs, memory_fd, shield, action, &signal))
		return signal;
	/* What the process has set by itself meanwhile it keeps. */
	if (action[1].handler != shield->handler && action[1].handler != (uint64_t)SIG_DFL) {
		action[0] = action[1];
		if (!set_action(tid, regs, memory_fd, shield, action, &signal))
			return signal;
	}
	shield->is_on = false;
	return 0;
}
