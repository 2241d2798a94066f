/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_files.h - findings of files without CFI: a line for each file, not for each function
 */
#ifndef STACKPROOF_LINT_FILES_H
#define STACKPROOF_LINT_FILES_H

#include <jansson.h>
#include <stdint.h>
#include "base/finding/finding_record.h"
#include "base/images/image_list.h"

#define LINT_FILES_FULL	 3  /* up to so many findings of a file are shown one by one */
#define LINT_FILES_SHOWN 20 /* of a file with CFI so many functions without are shown */

/* Zero-initialise; lint_files_deinit(). */
struct lint_files {
	json_t *file; /* counts and first findings by path; an archive's members count as one file */
	bool summed;  /* some file's findings were not all shown */
	uint64_t uncovered; /* functions without CFI in the image at hand, which has CFI */
};

/* Adds a finding of an image without CFI. */
void lint_files_add(struct lint_files *files, const struct image_path *path,
		    const struct finding_record *finding);
/* For people: tells a file that is no archive, once all its findings were added. True: in one line. */
bool lint_files_tell(struct lint_files *files, const struct image_path *path, FILE *output,
		     bool colour);
/* Of an image with CFI. True: the finding is a function without, behind LINT_FILES_SHOWN others: it is only counted. */
bool lint_files_is_more(struct lint_files *files, const struct finding_record *finding);
/* Tells how many of those there were, and counts from 0 again. image: its object. output: NULL: all were shown. */
void lint_files_tell_more(struct lint_files *files, const json_t *image, FILE *output, bool colour);
/* For people: tells all files that were not told yet, by path, and how to see each finding. */
void lint_files_tell_all(struct lint_files *files, FILE *output, bool colour);
/* For programs: an object for each file, by path. */
void lint_files_json(const struct lint_files *files, FILE *output);
void lint_files_deinit(struct lint_files *files);

#endif
