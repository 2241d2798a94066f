/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * freed.h - what a case holds is freed where its block ends
 *
 *	FREED char *said = command_output(command_stat, arguments, &status);
 *	struct results results DEINIT(results_deinit);
 *
 * By the end of the block the variable must have been made, or be NULL.
 */
#ifndef STACKPROOF_TESTS_FREED_H
#define STACKPROOF_TESTS_FREED_H

#include <stdlib.h>

#define DEINIT(function) __attribute__((cleanup(function)))
#define FREED		 DEINIT(free_pointed_at)

static inline void free_pointed_at(void *pointer)
{
	free(*(void **)pointer);
}

#endif
