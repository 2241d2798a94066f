/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * nearest_word.h - "did you mean": the command or option that a word was meant to be
 */
#ifndef STACKPROOF_NEAREST_WORD_H
#define STACKPROOF_NEAREST_WORD_H

/* How many letters must be changed, removed, inserted or swapped with the next to make b of a. Above limit:
 * any number above it. */
unsigned int word_distance(const char *a, const char *b, unsigned int limit);

/* The nearest word so far, borrowed. Zero-initialise, then add each candidate. NULL as long as none is near
 * enough: a third of wanted's letters may differ, and one at least. */
struct nearest_word {
	const char *word;
	unsigned int distance;
};
void nearest_word_add(struct nearest_word *nearest, const char *wanted, const char *word);

#endif
