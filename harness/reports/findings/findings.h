/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings.h - lint's findings: compared with an earlier run, and in other formats
 *
 * Findings are those of `lint --json` (docs/JSON.md). One is *known* if the baseline, an earlier run's
 * output, has it; else it is *new*. One that only the baseline has is *gone*.
 *
 *	finding_key.c	 a finding's key: the same in every build
 *	function_name.c	 a symbol's name, without hashes
 *	baseline_read.c	 reads a baseline
 *	baseline_match.c finds what is known, new, gone
 *	baseline_run.c	 compares a run with a baseline
 *	findings_case.c	 an image's findings for CI servers
 *	findings_run.c	 --sarif and --page, and all findings of a run
 *	findings_sarif.c SARIF 2.1.0
 *	findings_page.c	 a page of HTML
 */
#ifndef STACKPROOF_FINDINGS_H
#define STACKPROOF_FINDINGS_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/cases/cases.h"
#include "base/finding/finding_record.h"
#include "base/cli/output_file.h"
#include "error.h"
#include "base/cli/exit_status.h"
#include "base/images/image_list.h"
#include "analysis/lint/lint.h"

/* ---- finding_key.c ------------------------------------------------------------------------ */

/* The key: the id, the function without hashes, and the rules without addresses. Other builds of the same
 * source give the same key, and so do findings that differ only in place. free() it. */
char *finding_key(const struct finding_record *finding);

/* ---- baseline_read.c ---------------------------------------------------------------------- */

struct baseline_image {
	json_t *object;		     /* the image's "lint" object */
	struct finding_set findings; /* sorted; in order of their keys */
	char *now;		     /* path of the image in the new run; NULL: none */
	uint64_t copies,
		held; /* archive members of this name in the baseline; and compared so far */
};

struct baseline {
	const char *path; /* borrowed */
	struct baseline_image *image;
	size_t count;
	uint64_t missing; /* images of the new run that it lacks; counted by baseline_hold() */
};

/* Reads what `lint --json` printed. -1: it can't be read, isn't that, or isn't whole; *ret is not set.
 * path must outlive *ret. */
int baseline_read(const char *path, struct baseline **ret, struct error *error);
void baseline_destroy(struct baseline *baseline);

/* ---- baseline_match.c --------------------------------------------------------------------- */

/* Pairs the new run's images, named as in its objects, with the baseline's: by the same path, else by the
 * same name with the most equal folders before it; if several have as many, with none. Returns how many
 * were paired. */
size_t baseline_pair(struct baseline *baseline, const char *const *image, size_t count);
/* The baseline's image that is paired with image; or NULL. */
struct baseline_image *baseline_image_find(const struct baseline *baseline, const char *image);
/* Sets known in each of an image's findings, which have their keys. A finding of the baseline makes one finding
 * known, if possible that at the same place. image NULL: none is known. Returns how many became known. */
size_t baseline_match(struct baseline_image *image, struct finding_set *findings);
/* True if the new run looked for this finding of the baseline. */
typedef bool (*baseline_wanted_fn)(const void *context, const struct finding_record *finding);
/* The image's wanted findings (NULL: none is) that are gone, after all were matched: an array of "lint_gone"
 * objects. The caller's to release. */
json_t *baseline_gone(const struct baseline_image *image, baseline_wanted_fn wanted,
		      const void *context);
/* The number of images that only the baseline has. */
uint64_t baseline_left(const struct baseline *baseline);
/* Prints a line: how many findings are known, new, gone, by counts, and which images are on one side. */
void baseline_print(const struct baseline *baseline, const json_t *counts, FILE *file);
/* For the run's total: the baseline's file, and the numbers of images on one side. The caller's. */
json_t *baseline_json(const struct baseline *baseline);

/* ---- baseline_run.c ----------------------------------------------------------------------- */

/* baseline_pair() with a list's images. */
size_t baseline_pair_list(struct baseline *baseline, const struct image_list *list);
/* baseline_read() and baseline_pair_list(). -1 also if the baseline has none of the images. */
int baseline_open(const char *path, const struct image_list *list, struct baseline **ret,
		  struct error *error);
/* Compares an image with the baseline: sets the counts in image, its "lint" object, and known in its findings.
 * Returns baseline_gone(), or NULL. */
json_t *baseline_hold(struct baseline *baseline, json_t *image, struct finding_set *findings,
		      baseline_wanted_fn wanted, const void *context);

/* ---- findings_case.c ---------------------------------------------------------------------- */

#define FINDINGS_CASE_LINES 20 /* then "..." */

/* Adds to the case's output a line for each finding that fails the image. */
void findings_case_lines(struct judged_case *judged, const struct finding_set *findings);

/* ---- findings_run.c ----------------------------------------------------------------------- */

/* The argp child's input. Zero-initialise. Objects are kept only if a file is asked for. */
struct findings_run {
	const char *sarif, *page; /* paths; NULL: not asked for */
	json_t *findings; /* "lint_finding" and "lint_gone" objects, packed: findings_kept() */
	json_t *images;	  /* "lint" objects */
	json_t *problems; /* texts: what was asked for and could not be done */
	bool opened;
	struct output_file sarif_file,
		page_file; /* once opened; without a file if not asked for, or on failure */
};
extern const struct argp findings_argp;
#define FINDINGS_ALL UINT32_MAX
/* The id that --explain's text names. */
enum lint_id findings_id(struct argp_state *state, const char *text);
/* Adds --only's ids to *only, a bit for each (lint_options.only). FINDINGS_ALL: no --only so far. */
void findings_only(struct argp_state *state, const char *argument, uint32_t *only);
/* Keeps an object of the run, by a reference or a copy. */
void findings_keep(struct findings_run *run, json_t *object);
/* The kept finding at an index. The caller's to release; NULL: no memory. */
json_t *findings_kept(const struct findings_run *run, size_t number);
void findings_problem(struct findings_run *run, const char *text);
/* Opens the files, early enough for other outputs to report a failure. Returns status, or
 * EXIT_ENVIRONMENT if a file can't be opened. */
enum exit_status findings_open(struct findings_run *run, enum exit_status status);
/* Writes the files and frees all. status: the command's, which SARIF contains. total: NULL if the run has
 * none. Returns status, or EXIT_ENVIRONMENT if a file could not be written. */
enum exit_status findings_finish(struct findings_run *run, const json_t *total,
				 enum exit_status status);

/* ---- findings_sarif.c --------------------------------------------------------------------- */

/* Writes the run as a SARIF log. Paths in folder are written relative to folder; NULL: none are. */
void findings_sarif_print(const struct findings_run *run, const json_t *total,
			  enum exit_status status, const char *folder, FILE *file);

/* ---- findings_page.c ---------------------------------------------------------------------- */

void findings_page_print(const struct findings_run *run, const json_t *total, FILE *file);

#endif
