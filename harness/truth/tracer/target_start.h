/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_start.h - starts a program as a traced process, stopped at its entry point
 *
 * A program that is stepped and one that is sampled start in the same way, so that addresses can be compared:
 * address-space randomisation is off, and what the kernel can't execute is not given to a shell. The entry point
 * (AT_ENTRY) is reached with a breakpoint. The dynamic loader runs unstepped until then, and has mapped the libraries
 * that the program was linked with.
 */
#ifndef STACKPROOF_TARGET_START_H
#define STACKPROOF_TARGET_START_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include "error.h"

struct target_program {
	char *const *argv;
	char *const *envp;   /* NULL: environ */
	bool silence_output; /* its stdout and stderr go to /dev/null */
	bool randomize;	     /* keep address-space randomisation */
};

/* ---- in the child ----------------------------------------------------------------------- */

/* Restores the signal actions and the mask that this process has changed, and silences the output if asked to. */
void target_prepare(const struct target_program *program);
/* Executes the program, which is searched in PATH. If that fails, writes errno, an int, to fail_fd, and exits. */
void __attribute__((noreturn)) target_become(const struct target_program *program, int fail_fd);

/* ---- the entry point -------------------------------------------------------------------- */

/* Whether a thread with these registers runs 64-bit code; false: error is set, ERROR_UNAVAILABLE. */
bool target_is_64_bit(const struct user_regs_struct *regs, struct error *error);
/* An entry of a process's auxiliary vector, getauxval(3). 0: it has none, or it can't be read. */
uint64_t target_auxv(pid_t pid, uint64_t type);
#define TARGET_BREAKPOINT 0xcc
/* Swaps *byte with the process's byte at address. memory_fd: /proc/PID/mem, open for reading and writing. */
int target_exchange_byte(int memory_fd, uint64_t address, uint8_t *byte, struct error *error);

/* ---- a program that then runs untraced -------------------------------------------------- */

/* Starts the program as a child and stops it at its entry point: nothing of it has run. This thread traces
 * it, and it ends with this thread. -1: the kernel's reason if it can't be executed; ERROR_UNAVAILABLE if it
 * is not 64-bit code; ERROR_TIMEOUT; ERROR_PROTOCOL if it ended before. */
int target_start(const struct target_program *program, unsigned int timeout_ms, pid_t *ret_pid,
		 struct error *error);
/* Detaches from the process, which runs on. */
int target_release(pid_t pid, struct error *error);

#endif
