/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * comparer.h - a comparer's inside, shared by compare_run.c and compare_point.c only
 */
#ifndef STACKPROOF_COMPARER_H
#define STACKPROOF_COMPARER_H

#include "compare.h"

struct comparer {
	struct compare_options options;
	struct compare_engine engine[COMPARE_ENGINES_MAX]; /* open */
	size_t engine_count;
	struct image_store *store;
	struct target_memory *memory;
	struct bpf_records *records;
	struct referee *referee;
	struct decoder *decoder;
	struct walk_memo *rows_memo, *table_memo, *followed_memo;
	/* Of the program at hand. */
	struct comparison *result;
	struct address_space space;
	struct error mapping_error; /* on_mappings can't end the run; the next point does */
	bool mappings_failed;
	/* Of the point at hand. */
	enum engine_answer bpf_answer;
	struct stack truth, cfi, table, bpf, other;
	struct stack followed; /* only if frame pointers are followed */
};

/* The tracer's on_stop; context is the comparer. */
int compare_point(void *context, const struct trace_stop *stop, struct error *error);

#endif
