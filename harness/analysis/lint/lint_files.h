/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_files.h - what is said of files without CFI: not each function, but a line a file
 */
#ifndef STACKPROOF_LINT_FILES_H
#define STACKPROOF_LINT_FILES_H

#include <jansson.h>
#include <stdint.h>
#include "base/images/image_list.h"

#define LINT_FILES_FULL	 3  /* so many findings of a file are shown as others are */
#define LINT_FILES_SHOWN 20 /* of a file that has CFI so many functions without are */

/* Zero-initialise. */
struct lint_files {
	json_t *file; /* by path, an archive's members as one: "images", "findings", "known_findings", "held" */
	bool summed;	    /* of some file not each finding was shown */
	uint64_t uncovered; /* functions without CFI of an image that has some, so far */
};

/* A finding of an image without CFI. */
void lint_files_add(struct lint_files *files, const struct image_path *path, json_t *finding);
/* For people, of an image that is no archive's member, once all its findings are known. True: its line was said. */
bool lint_files_tell(struct lint_files *files, const struct image_path *path, FILE *output,
		     bool colour);
/* Of an image that has CFI: this is one of so many functions without it that it is only counted. */
bool lint_files_is_more(struct lint_files *files, const json_t *finding);
/* How many those were, and begins anew. image: its object. output: NULL: each was shown. */
void lint_files_tell_more(struct lint_files *files, const json_t *image, FILE *output, bool colour);
/* The same of all that were not told, by path, and how to see each finding. */
void lint_files_tell_all(struct lint_files *files, FILE *output, bool colour);
/* For programs: an object for each file, by path. */
void lint_files_json(const struct lint_files *files, FILE *output);
void lint_files_deinit(struct lint_files *files);

#endif
