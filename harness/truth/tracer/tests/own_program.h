/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_program.h - the test's own program, as one that it steps
 *
 * Under the sanitizers that is another build of it, without them (the Makefile's PLAIN_TESTS):
 * their run-time's beginning and end are millions of instructions of which nothing is to be learnt.
 */
#ifndef STACKPROOF_TESTS_OWN_PROGRAM_H
#define STACKPROOF_TESTS_OWN_PROGRAM_H

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Its path: static, the same in every call. */
static inline const char *own_program(void)
{
#ifdef __SANITIZE_ADDRESS__
	static char ret[PATH_MAX + sizeof(".plain")];
	ssize_t length = readlink("/proc/self/exe", ret, PATH_MAX);

	if (length < 0) /* no such program then */
		length = 0;
	snprintf(ret + length, sizeof(ret) - (size_t)length, ".plain");
	return ret;
#else
	return "/proc/self/exe";
#endif
}

#endif
