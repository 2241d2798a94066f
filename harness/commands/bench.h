/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench.h - the project's own speed figures, each beside its reference, measured in the same run
 *
 *	bench.c		the command line and the output
 *	bench_table.c	building a table, against `readelf -wF`
 *	bench_walk.c	the walk in the kernel, against bpf_get_stack over frame pointers
 *	bench_guest.c	a guest from its start to its first result
 *	../truth/steps_bench.c	the tracer, against a program that single-steps itself
 *
 * Machines are noisy: the two sides alternate, and medians are printed.
 */
#ifndef STACKPROOF_BENCH_H
#define STACKPROOF_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include "unwinder.h"

struct bench_figure {
	const char *name;
	double value;
	const char *unit;
	const char *reference;
	double reference_value;
	double ratio; /* what it means is in the name's description: better by, or cost of */
	unsigned int runs;
	char note[800]; /* what was measured */
};

struct bench_options {
	unsigned int runs;    /* of each side */
	const char *kernel;   /* for the guest */
	const char *programs; /* folder with one.fp, one.nofp, five.fp, five.nofp */
};

/* Each fills one figure; ERROR_UNAVAILABLE: a skip. */
int bench_table_build(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);
int bench_tracer_steps(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error);
int bench_walk_one_image(const struct bench_options *options, struct bench_figure *ret,
			 struct error *error);
int bench_walk_five_images(const struct bench_options *options, struct bench_figure *ret,
			   struct error *error);
int bench_guest_start(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error);

/* The middle value; sorts. count > 0. */
double bench_median(double *values, unsigned int count);
uint64_t bench_now_ns(void);

#define BENCH_RUNS_MAX 50

#endif
