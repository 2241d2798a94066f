/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_referee.h - our reading of SFrame against libsframe's
 *
 *	sframe_referee.c	all of it
 */
#ifndef STACKPROOF_SFRAME_REFEREE_H
#define STACKPROOF_SFRAME_REFEREE_H

#include "sframe/sframe.h"

struct sframe_referee {
	uint64_t equal; /* rows */
	uint64_t differ;
};

struct sframe_referee_difference {
	uint64_t pc;	  /* where our function begins; 0: of all of them */
	unsigned int row; /* its number in the function */
	const char *
		what; /* "cfa", "fp", "start", "base", "rows", "size", "functions", ...: valid for ever */
	int64_t ours, theirs;
};
typedef void (*sframe_referee_fn)(void *context,
				  const struct sframe_referee_difference *difference);

/* Gives each difference to fn. -1: ERROR_UNAVAILABLE: no libsframe here reads the version; ERROR_PROTOCOL: it can't read
 * the section. What fn got is then void. */
int sframe_referee(const struct sframe *sframe, sframe_referee_fn fn, void *context,
		   struct sframe_referee *ret, struct error *error);

#endif
