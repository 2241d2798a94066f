/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * report_toolchains.h - the toolchain report's model, read from a results folder and its binaries
 */
#ifndef STACKPROOF_REPORT_TOOLCHAINS_H
#define STACKPROOF_REPORT_TOOLCHAINS_H

#include "function_profile.h"
#include "corpus/manifest/corpus.h"

/* A binary of the results, and its tables. */
struct report_subject {
	const struct corpus_binary *binary; /* NULL: the corpus does not list it */
	const struct cell *cell;	    /* the binary's first cell */
	struct code_profile profile;
	bool read;
	char reason[64]; /* why it was not read: "no_file", "not_in_corpus", an error's code */
};

struct toolchain_report {
	struct toolchains model;
	struct manifest manifest;
	struct diff_words words;
	bool joined;			/* the results are those of two runs */
	struct report_subject *subject; /* one for each binary that was not skipped */
	size_t subject_count;
};

/*
 * Reads the results' binaries from the folder corpus, and fills the model. corpus NULL: no tables are
 * read. other: the corpus of a second run whose results were joined (results_join.c), so that tables are
 * compared only across the two; else NULL. Marks the results' findings that the corpus expects. -1: a
 * corpus has no manifest, or no memory. toolchain_report_deinit() frees ret in either case. results must
 * outlive ret.
 */
int toolchain_report_read(struct toolchain_report *ret, struct results *results, const char *corpus,
			  const char *other, struct error *error);
void toolchain_report_deinit(struct toolchain_report *report);

/* ---- report_pairs.c ---------------------------------------------------------------------- */

/* Compares the tables of neighbouring toolchains into the model's pairs. */
int toolchain_report_compare(struct toolchain_report *report, struct error *error);

#endif
