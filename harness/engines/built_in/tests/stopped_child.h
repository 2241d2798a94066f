/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stopped_child.h - a child that is stopped in a function of the test, on a stack of the test's
 *
 * The child is the test's copy, so that what the test has put in memory is there. What the engines
 * want of it is read as in a real run.
 */
#ifndef STACKPROOF_STOPPED_CHILD_H
#define STACKPROOF_STOPPED_CHILD_H

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engines/built_in/engine.h"
#include "user_registers.h"

struct stopped_child {
	struct trace_stop stop;
	struct register_values regs;
	struct target_memory *memory;
	struct memory_reader reader;
	struct image_store *store;
	struct address_space space;
	struct point point;
};

/* Jumps to the function with rdi and rsi set; rsp is sp, or the child's own if that is 0. It runs
 * into an int3. False: it must not be traced. */
static inline bool stopped_child_init(struct stopped_child *child, const void *function,
				      uint64_t rdi, uint64_t rsi, uint64_t sp)
{
	struct error error;
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		__asm__ volatile("test %%rax, %%rax\n\tcmovnz %%rax, %%rsp\n\t"
				 "xor %%ebp, %%ebp\n\tjmp *%%rdx"
				 :
				 : "a"(sp), "d"(function), "D"(rdi), "S"(rsi));
		__builtin_unreachable();
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return false;
	ck_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	memset(child, 0, sizeof(*child));
	child->stop = (struct trace_stop) { .pid = pid, .tid = pid };
	struct user_regs_struct user;
	ck_assert(!ptrace(PTRACE_GETREGS, pid, NULL, &user));
	child->stop.regs = child->regs = register_values_from_user(&user);
	child->memory = target_memory_create();
	target_memory_reset(child->memory, pid);
	child->reader = target_memory_reader(child->memory);
	child->store = image_store_create();
	ck_assert_msg(!address_space_read(&child->space, child->store, pid, &error), "%s",
		      error.message);
	child->point = (struct point) { .stop = &child->stop,
					.space = &child->space,
					.regs = &child->regs,
					.memory = &child->reader };
	return true;
}

static inline void stopped_child_deinit(struct stopped_child *child)
{
	kill(child->stop.pid, SIGKILL);
	waitpid(child->stop.pid, NULL, 0);
	address_space_deinit(&child->space);
	image_store_destroy(child->store);
	target_memory_destroy(child->memory);
}

#endif
