/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings.h - what lint found: against an earlier run, and for whoever collects findings
 *
 * All of it works on the objects of `lint --json` (docs/JSON.md). A finding is *known* if the baseline,
 * an earlier run's output, has it; else it is *new*. One that only the baseline has is *gone*.
 *
 *	finding_key.c	 what tells a finding from others, in any build
 *	function_name.c	 a symbol's name, without hashes
 *	baseline_read.c	 an earlier run's output
 *	baseline_match.c known, new, gone
 *	baseline_run.c	 a run held against it
 *	findings_case.c	 an image's findings for CI servers
 *	findings_run.c	 --sarif and --page, and all that a run said
 *	findings_sarif.c SARIF 2.1.0
 *	findings_page.c	 a page
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
#include "base/cli/output_file.h"
#include "error.h"
#include "base/cli/exit_status.h"
#include "base/images/image_list.h"
#include "analysis/lint/lint.h"

/* The function without hashes, the id, and the rules without addresses: the same in another build of
 * the same source, and of findings that differ in the place alone. To be freed; NULL: no memory. */
char *finding_key(const json_t *finding);
/* A finding without its evidence: what the key is made of, its place and its name. To be freed. */
json_t *finding_bare(const json_t *finding);

/* ---- baseline_read.c ---------------------------------------------------------------------- */

struct baseline_finding {
	char *text;	/* of finding_bare(): a tree takes ten times as much */
	char *function; /* and offset: where it is */
	uint64_t offset;
	char *key;
	bool used;    /* it is known: another one has it */
	size_t taken; /* of the first of its key: how many from here on nobody is to look at */
};

struct baseline_image {
	json_t *object;			  /* "lint" */
	struct baseline_finding *finding; /* sorted by key, then offset */
	size_t count;
	char *now; /* the image that it is now; NULL: none */
	uint64_t copies,
		held; /* members of an archive that are called so, and of them those held against it */
};

struct baseline {
	const char *path;
	struct baseline_image *image;
	size_t count;
	uint64_t missing; /* images that it doesn't have: baseline_hold() */
};

/* Reads what `lint --json` printed. -1: it can't be read, isn't that, or isn't whole; then there is
 * nothing to destroy. path: kept. */
int baseline_read(const char *path, struct baseline **ret, struct error *error);
void baseline_destroy(struct baseline *baseline);

/* ---- baseline_match.c --------------------------------------------------------------------- */

/* Finds the image that each of the baseline's is now: that of the same path, else one of the same name,
 * with the most folders before it alike; if several are as alike it is none. image: as in the
 * objects. How many of them the baseline has. */
size_t baseline_pair(struct baseline *baseline, const char *const *image, size_t count);
/* NULL: the baseline doesn't have the image. */
struct baseline_image *baseline_image_find(const struct baseline *baseline, const char *image);
/* Sets "known" in each of an array of the image's findings. A finding of the baseline makes one
 * known, the one at the same place if there is one. image: NULL: none is known. How many are. */
size_t baseline_match(struct baseline_image *image, json_t *findings);
typedef bool (*baseline_wanted_fn)(const void *context, const json_t *finding);
/* What is gone of the image, once all were matched, as an array of objects "lint_gone". wanted:
 * which of the baseline's findings were looked for. NULL: no memory. */
json_t *baseline_gone(const struct baseline_image *image, baseline_wanted_fn wanted,
		      const void *context);
/* Images that only the baseline has. */
uint64_t baseline_left(const struct baseline *baseline);
/* One line: what the run has in common with the baseline, by the sums of the images' objects. */
void baseline_print(const struct baseline *baseline, const json_t *counts, FILE *file);
/* The same beside the sums, for the total. */
json_t *baseline_json(const struct baseline *baseline);

/* ---- baseline_run.c ----------------------------------------------------------------------- */

/* baseline_pair() with a list's images. */
size_t baseline_pair_list(struct baseline *baseline, const struct image_list *list);
/* baseline_read() and baseline_pair_list(). -1: it has none of the images, too. */
int baseline_open(const char *path, const struct image_list *list, struct baseline **ret,
		  struct error *error);
/* An image's object, and all its findings: sets what is known of both, and appends what is gone. */
void baseline_hold(struct baseline *baseline, json_t *image, json_t *findings,
		   baseline_wanted_fn wanted, const void *context);

/* ---- findings_case.c ---------------------------------------------------------------------- */

#define FINDINGS_CASE_LINES 20 /* of more it says so */

/* Adds the findings that fail the image to what its case says. */
void findings_case_lines(struct judged_case *judged, const json_t *findings);

/* ---- findings_run.c ----------------------------------------------------------------------- */

/* Zero-initialise; the argp child's input. What is kept is kept only if a file is asked for. */
struct findings_run {
	const char *sarif, *page; /* files; NULL: not asked for */
	json_t *findings; /* "lint_finding" and "lint_gone", of which there may be many: findings_kept() */
	json_t *images;	  /* "lint" */
	json_t *problems; /* texts: what was asked for and could not be done */
	bool opened;
	struct output_file sarif_file,
		page_file; /* once opened; no file: not asked for, or can't be */
};
extern const struct argp findings_argp;
/* What --explain names; and what --only does, a bit for each id (lint_options.only). *only is FINDINGS_ALL
 * before the first one, and each further one adds to it. */
#define FINDINGS_ALL UINT32_MAX
enum lint_id findings_id(struct argp_state *state, const char *text);
void findings_only(struct argp_state *state, const char *argument, uint32_t *only);
/* Any object of the run. */
void findings_keep(struct findings_run *run, json_t *object);
/* One of its findings again. To be freed; NULL: no memory. */
json_t *findings_kept(const struct findings_run *run, size_t number);
void findings_problem(struct findings_run *run, const char *text);
/* Opens the files, so that others that are written before them can say it if they can't be. The command's exit status:
 * what it was, or EXIT_ENVIRONMENT. */
enum exit_status findings_open(struct findings_run *run, enum exit_status status);
/* Writes the files and forgets all. status: with all that was written besides, for SARIF says it. total: NULL if it
 * came to none. The command's exit status: what it was, or EXIT_ENVIRONMENT if a file could not be written. */
enum exit_status findings_finish(struct findings_run *run, const json_t *total,
				 enum exit_status status);

/* ---- findings_sarif.c --------------------------------------------------------------------- */

/* Writes the run as one SARIF log. folder: paths in it are written relative to it; NULL: none is. */
void findings_sarif_print(const struct findings_run *run, const json_t *total,
			  enum exit_status status, const char *folder, FILE *file);

/* ---- findings_page.c ---------------------------------------------------------------------- */

void findings_page_print(const struct findings_run *run, const json_t *total, FILE *file);

#endif
