/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * corpus.h - the programs that were built, and what is expected of each
 *
 *	manifest.c	the corpus's manifest.tsv -> binaries
 *	expectation.c	what corpus.tsv expects of a program
 *	corpus_own.h	the corpus built by a user's compilers
 */
#ifndef STACKPROOF_CORPUS_H
#define STACKPROOF_CORPUS_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/report/results.h"

/* ---- manifest.c ------------------------------------------------------------------------- */

struct corpus_binary {
	char *name;	  /* relative to the corpus; if skipped PROGRAM.TOOLCHAIN.VARIANT */
	char *path;	  /* absolute; "" if skipped */
	char *guest_path; /* its path in a guest */
	char *program;
	char *toolchain;
	char *variant;
	char *language;
	char *expected;	   /* words of expectation.c; NULL: nothing is expected */
	char **file;	   /* absolute paths of further files that it needs */
	char **guest_file; /* their paths in a guest */
	size_t file_count;
	char *skip;    /* why it was skipped, in a fixed word; or NULL */
	char *missing; /* a sentence if one of its files is missing; or NULL */
};

struct manifest {
	struct corpus_binary *binary;
	size_t count;
};

/* Reads FOLDER/manifest.tsv. A line that can't be read is an error: the matrix must be whole. */
int manifest_read(struct manifest *ret, const char *folder, struct error *error);
/* The binary of this name; or NULL. */
const struct corpus_binary *manifest_find(const struct manifest *manifest, const char *name);
void manifest_deinit(struct manifest *manifest);
/* Drops binaries whose name, program, toolchain or variant does not match the glob. */
void manifest_filter(struct manifest *manifest, const char *glob);
/* Moves from's binaries to into, and renames all as results_join() does. -1: no memory. */
int manifest_join(struct manifest *into, struct manifest *from);

/* ---- expectation.c ---------------------------------------------------------------------- */

/* In all of these, expected NULL: nothing is expected. */
/* False if a word is not one of those that expectation.c lists. */
bool expectation_valid(const char *expected);
/* Compares the cell's findings with expected. 0: as expected. -1: ret says in a sentence which finding
 * was not expected, or which is missing. */
int expectation_check(const char *expected, const struct cell *cell, char *ret, size_t size);
/* True if a word expects the finding. */
bool expectation_has_finding(const char *expected, const struct finding_record *finding);
/* True if a walk may stop at a row that it can't read, or that has a marker ("flagged:"). */
bool expectation_has_flag(const char *expected);
/* True if the truth is to be a prefix at some points. */
bool expectation_has_prefix(const char *expected);
/* True if some points are to be unproven, in any number. */
bool expectation_has_unproven(const char *expected);
/* True if the program's symbols are to be resolved while it runs. */
bool expectation_is_lazy(const char *expected);
/* The number of points whose table fault is expected (other than by "startup"), or ignored. */
uint64_t expectation_points(const char *expected, const struct cell *cell);
/* True if a golden of the binary may have the diagnostic; or the function, with a table fault.
 * malformed: of kind "malformed", else of another kind. */
bool expectation_has_diagnostic(const char *expected, const char *code);
bool expectation_has_fault(const char *expected, const char *function, bool malformed);
/* True if a file, by its base name, may lack CFI. */
bool expectation_has_missing(const char *expected, const char *file);

#endif
