/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_points.h - points that were never a process's: registers, and a page of memory
 */
#ifndef STACKPROOF_TESTS_EXTERNAL_POINTS_H
#define STACKPROOF_TESTS_EXTERNAL_POINTS_H

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engines/external/external.h"
#include "table/table_abi.h"

#define POINT_PC   0x401234u
#define POINT_SP   0x7ff0u /* 16 bytes below the end of what can be read */
#define POINT_WORD 0x405678u
#define MEMORY_AT  0x7000u
#define MEMORY_END 0x8000u

/* An engine of sh(1) takes the mappings. One that is told something else ends: it would wait for what never comes. */
#define MAPPINGS "read mappings; case $mappings in mappings*) ;; *) exit 9;; esac; "

/* Byte n of the memory is n, but for the word at POINT_SP. */
static inline int points_read(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = POINT_WORD;

	if (address < MEMORY_AT || address > MEMORY_END || size > MEMORY_END - address)
		return -1;
	for (size_t i = 0; i < size; i++) {
		uint64_t at = address + i;

		((uint8_t *)ret)[i] = at >= POINT_SP && at < POINT_SP + 8
					      ? ((uint8_t *)&word)[at - POINT_SP]
					      : (uint8_t)at;
	}
	return 0;
}

static const struct memory_reader points_memory = { .read = points_read };

/* Register n holds n, but for rsp and rip. */
static inline const struct register_values *points_registers(void)
{
	static struct register_values regs;

	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		regs.value[i] = i;
	regs.value[REGISTER_RSP] = POINT_SP;
	regs.value[REGISTER_RIP] = POINT_PC;
	regs.known = ((1u << REGISTER_COUNT) - 1) & ~(1u << REGISTER_RBP);
	return &regs;
}

/* A file of the build that this test is of: "engine_host". */
static inline const char *in_build(const char *name, char ret[PATH_MAX])
{
	char self[PATH_MAX] = "", *harness = NULL;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	for (char *at = self; (at = strstr(at, "/harness/")); at++)
		harness = at;
	if (!harness ||
	    snprintf(ret, PATH_MAX, "%.*s/%s", (int)(harness - self), self, name) >= PATH_MAX)
		abort();
	return ret;
}

static inline void set_engine_host(void)
{
	char path[PATH_MAX];

	setenv("STACKPROOF_ENGINE_HOST", in_build("engine_host", path), 1);
}

/* One that anybody may ignore, and the two that the C library keeps to itself: what starts the
 * tests may have ignored those. */
static inline void ignore_signals(void)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} ignored = { .handler = SIG_IGN };

	signal(SIGUSR2, SIG_IGN);
	for (int number = 32; number <= 33; number++)
		ck_assert_int_eq(
			syscall(SYS_rt_sigaction, number, &ignored, NULL, sizeof(ignored.mask)), 0);
}

#endif
