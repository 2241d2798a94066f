/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove.h - the parts of `stackproof prove`
 *
 *	commands/prove.c  the command line, the images, the totals
 *	prove_image.c	one image, in a process of its own: everything as JSON
 *	prove_sframe.c	its SFrame against its CFI (sframe_proof.h)
 *	sframe_referee.c	our reading of it against libsframe's
 *	prove_readelf.c	our lines against readelf's and objdump's
 *	prove_text.c	what a person reads
 */
#ifndef STACKPROOF_PROVE_H
#define STACKPROOF_PROVE_H

#include <jansson.h>
#include "base/images/image_list.h"

#define PROVE_FINDINGS_MAX 10 /* findings shown for each check of an image; all are counted */

struct prove_options {
	bool json;
	bool referee; /* asks libdw */
	bool readelf;
	bool sframe;
	const char *objdump; /* the program that is asked for SFrame's lines; NULL: none */
	bool libsframe;	     /* libsframe is asked, too */
	char **object;	     /* files that the images were linked from */
	size_t object_count;
	unsigned int jobs;
	unsigned int timeout_ms; /* of one image */
	unsigned int every;
	char **path;
	int path_count;
};

/* ---- prove_image.c ---------------------------------------------------------------------- */

/* Writes the image's findings and its "proof" object, one JSON object a line. */
void prove_image(const struct prove_options *options, const struct image_path *image, FILE *output);

/* ---- prove_readelf.c -------------------------------------------------------------------- */

struct readelf_difference {
	uint64_t line;	    /* its number in our output */
	const char *ours;   /* "" if there is none */
	const char *theirs; /* "" if there is none */
};
typedef void (*readelf_difference_fn)(void *context, const struct readelf_difference *difference);

struct readelf_proof {
	uint64_t lines;	 /* equal lines */
	uint64_t differ; /* lines that only one output has */
};

/* What is compared: the option that makes the program print its lines, and ours. */
struct line_source {
	const char *option;
	int (*write)(FILE *file, const struct image *image, struct error *error);
};
/* `table --format readelf` and `readelf -wF`. */
extern const struct line_source prove_readelf_source;
/* `table --sframe --format objdump` and `objdump --sframe`. */
extern const struct line_source prove_sframe_source;

/* Compares our lines with the program's, one by one. -1: ERROR_UNAVAILABLE: it can't be run; ERROR_PROTOCOL: it died,
 * or failed without a word. The differences that fn got are then void. */
int prove_lines(const struct image *image, const char *program, const struct line_source *lines,
		readelf_difference_fn fn, void *context, struct readelf_proof *ret,
		struct error *error);

/* ---- prove.c, prove_text.c -------------------------------------------------------------- */

/* The sums over all images so far. */
struct prove_totals {
	uint64_t images;
	uint64_t proven;    /* all checks were made, whatever they found */
	uint64_t no_cfi;    /* those of proven that have no CFI */
	uint64_t unchecked; /* with CFI, no row of which could be compared */
	uint64_t unread;    /* of another machine, or not readable */
	uint64_t failed;    /* crashed, hung, or a check could not be done */
	uint64_t with_findings;
	json_t *counts; /* sums over the "proof" objects: rows, equal, flagged{}, silent, ..., referee{}, readelf{} */
	double seconds;
};

/* proof: an image's "proof" object. */
void prove_text_image(FILE *file, const json_t *proof);
void prove_text_finding(FILE *file, const json_t *finding);
void prove_text_summary(FILE *file, const struct prove_options *options,
			const struct prove_totals *totals);

#endif
