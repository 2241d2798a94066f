/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_pool.h - the same work on many images, a process for each, several at once
 */
#ifndef STACKPROOF_IMAGE_POOL_H
#define STACKPROOF_IMAGE_POOL_H

#include "image_list.h"

/* Called in the image's own process. What it writes to output is what done() reads. */
typedef void (*image_work_fn)(void *context, const struct image_path *image, FILE *output);

/* What became of the work on one image. */
struct image_outcome {
	FILE *output;	     /* what the work wrote, for image_outcome_line(); NULL: it was lost */
	const char *failure; /* NULL, or "ran longer than 60 s", "died of SIGSEGV" */
	bool is_cut; /* its file became shorter (cli/cut_file.h): the output is not to be used */
	double seconds;
};

/* Zero-initialise. The caller frees text. */
struct image_line {
	char *text;
	size_t size, room;
};
/* Reads the next line of the output into line, and returns its text without the newline. NULL: no complete
 * line is left, or the file was cut. */
char *image_outcome_line(const struct image_outcome *outcome, struct image_line *line);

/* Called in this process for one image at a time, in the order in which they end. image and outcome are
 * borrowed. */
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

/* Begins with the largest images, so that no large one runs alone at the end. 0, or -1: a process could not
 * be started. */
int image_pool_run(const struct image_pool *pool, const struct image_list *list,
		   struct error *error);

#endif
