/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * target_start.h - a program becomes a process that is watched, from its entry point on
 *
 * What steps a program and what samples it begin alike, so that addresses can be compared: address-space
 * randomisation is off, and the kernel alone says what can be executed. The entry point (AT_ENTRY) is reached
 * with a breakpoint: the dynamic loader runs free, and then the libraries that the program was linked with are mapped.
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

/* Gives back what this process holds of signals and descriptors, and silences the output if that is asked for. */
void target_prepare(const struct target_program *program);
/* Executes the program. Where that fails it writes errno, an int, to fail_fd, and ends. */
void __attribute__((noreturn)) target_become(const struct target_program *program, int fail_fd);

/* ---- the entry point -------------------------------------------------------------------- */

/* Whether a thread with these registers runs 64-bit code; false: error is set, ERROR_UNAVAILABLE. */
bool target_is_64_bit(const struct user_regs_struct *regs, struct error *error);
/* One entry of a process's auxiliary vector, getauxval(3). 0 if it can't be read. */
uint64_t target_auxv(pid_t pid, uint64_t type);
#define TARGET_BREAKPOINT 0xcc
/* Puts *byte in place of the one at address, which is given back; memory_fd: /proc/PID/mem, for writing. */
int target_exchange_byte(int memory_fd, uint64_t address, uint8_t *byte, struct error *error);

/* ---- a program that then runs untraced -------------------------------------------------- */

/* Starts the program and stops it at its entry point: nothing of it has run. It's a child, is traced by this thread
 * and ends with it. Fails with the kernel's reason if it can't be executed, with ERROR_TIMEOUT, and with
 * ERROR_PROTOCOL if it ended before. */
int target_start(const struct target_program *program, unsigned int timeout_ms, pid_t *ret_pid,
		 struct error *error);
/* Lets it go. */
int target_release(pid_t pid, struct error *error);

#endif
