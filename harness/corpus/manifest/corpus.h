/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus.h - the programs that were built, and what is expected of each
 *
 *	manifest.c	the corpus's manifest.tsv -> binaries
 *	expectation.c	what corpus.tsv expects of a program
 *	corpus_own.h	the corpus by a compiler of the user
 */
#ifndef STACKPROOF_CORPUS_H
#define STACKPROOF_CORPUS_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/report/results.h"

/* ---- manifest.c ------------------------------------------------------------------------- */

struct corpus_binary {
	char *name;	  /* relative to the corpus; of a skipped one PROGRAM.TOOLCHAIN.VARIANT */
	char *path;	  /* absolute; "" if skipped */
	char *guest_path; /* where it is in a guest */
	char *program;
	char *toolchain;
	char *variant;
	char *language;
	char *expected;	   /* see expectation.c; NULL: nothing is said */
	char **file;	   /* absolute: files it needs beside itself */
	char **guest_file; /* where they are in a guest */
	size_t file_count;
	char *skip;    /* typed reason, or NULL */
	char *missing; /* sentence if a file of it isn't there, or NULL */
};

struct manifest {
	struct corpus_binary *binary;
	size_t count;
};

/* Reads FOLDER/manifest.tsv. A line that can't be read is an error: the matrix must be whole. */
int manifest_read(struct manifest *ret, const char *folder, struct error *error);
void manifest_deinit(struct manifest *manifest);
/* Drops binaries whose name, program, toolchain or variant does not match the glob. */
void manifest_filter(struct manifest *manifest, const char *glob);
/* Takes from's binaries, under the names that results_join() gives to those of two runs. 0, or -1: no
 * memory. */
int manifest_join(struct manifest *into, struct manifest *from);

/* ---- expectation.c ---------------------------------------------------------------------- */

/* False if a word is not one of those that expectation.c lists. */
bool expectation_valid(const char *expected);
/* Holds the cell's findings against expected (NULL: nothing is said). 0: as expected. Otherwise
 * ret is the sentence that says which finding was not expected, or which is missing. */
int expectation_check(const char *expected, const struct cell *cell, char *ret, size_t size);
/* Whether one of the words is what a finding says. */
bool expectation_has_finding(const char *expected, const json_t *finding);
/* Whether a walk that stops and says why is expected somewhere. */
bool expectation_has_flag(const char *expected);
/* The truth may be a prefix. */
bool expectation_has_prefix(const char *expected);
/* Some points are unproven, and there may be many. */
bool expectation_has_unproven(const char *expected);
/* Its symbols are to be resolved while it runs. */
bool expectation_is_lazy(const char *expected);
/* Points whose table fault is expected by name, or ignored. */
uint64_t expectation_points(const char *expected, const struct cell *cell);
/* Whether a golden of this binary may hold a diagnostic, or a function with a table fault of kind
 * "malformed" or another. */
bool expectation_has_diagnostic(const char *expected, const char *code);
bool expectation_has_fault(const char *expected, const char *function, bool malformed);
/* Whether this file may lack CFI. */
bool expectation_has_missing(const char *expected, const char *file);

#endif
