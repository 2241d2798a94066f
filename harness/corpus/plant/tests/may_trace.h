/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * may_trace.h - whether ptrace is permitted here: without it no program is stepped
 */
#ifndef STACKPROOF_TESTS_MAY_TRACE_H
#define STACKPROOF_TESTS_MAY_TRACE_H

#include "truth/tracer/tracer.h"

static inline bool may_trace(struct error *error)
{
	char *argv[] = { "true", NULL };
	struct tracer_options one = { .argv = argv, .from = "_start", .point_limit = 1 };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	int status;

	return !tracer_run(&one, &callbacks, &counters, &status, error) ||
	       error->code != ERROR_UNAVAILABLE;
}

#endif
