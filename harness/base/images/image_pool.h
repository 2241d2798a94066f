/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_pool.h - the same work on many images, a process for each, several at once
 */
#ifndef STACKPROOF_IMAGE_POOL_H
#define STACKPROOF_IMAGE_POOL_H

#include "image_list.h"

/* In the image's own process: what is written to output reaches done(). */
typedef void (*image_work_fn)(void *context, const struct image_path *image, FILE *output);

/* What became of the work on one image. */
struct image_outcome {
	FILE *output;	     /* up to where it got, from its begin: image_outcome_line() */
	const char *failure; /* NULL, or "ran longer than 60 s", "died of SIGSEGV" */
	bool is_cut; /* of SIGBUS: its file became shorter (cli/cut_file.h), and nothing said of it is to be believed */
	double seconds;
};

/* Zero-initialise; text is to be freed. */
struct image_line {
	char *text;
	size_t size, room;
};
/* The next line of its output, without its end, in line; NULL: there is no whole one, or none is to be believed. */
char *image_outcome_line(const struct image_outcome *outcome, struct image_line *line);

/* In this process, one image after the other, in the order in which they are ready. */
typedef void (*image_done_fn)(void *context, const struct image_path *image,
			      const struct image_outcome *outcome);

#define IMAGE_POOL_JOBS_MAX 256

struct image_pool {
	unsigned int jobs;	 /* at once: 1 to IMAGE_POOL_JOBS_MAX */
	unsigned int timeout_ms; /* for each image */
	image_work_fn work;
	image_done_fn done;
	void *context;
};

/* The largest images first, so that none is left alone at the end. Fails if no process can be
 * started. */
int image_pool_run(const struct image_pool *pool, const struct image_list *list,
		   struct error *error);

#endif
