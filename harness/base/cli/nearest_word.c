/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * nearest_word.c - "did you mean": the command or option that a word was meant to be
 *
 * Optimal string alignment distance (Damerau 1964), over words of a few letters.
 */
#include <string.h>
#include "nearest_word.h"

#define WORD_MAX 40

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int word_distance(const char *a, const char *b, unsigned int limit)
{
	size_t a_size = strlen(a), b_size = strlen(b);
	unsigned int row[3][WORD_MAX + 1]; /* of i - 2, i - 1 and i, in turn */

	if (a_size > WORD_MAX || b_size > WORD_MAX)
		return limit + 1;
	for (size_t j = 0; j <= b_size; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned int *now = row[i % 3], *above = row[(i + 2) % 3],
			     *before = row[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_size; j++) {
			now[j] = least(least(now[j - 1], above[j]) + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[a_size % 3][b_size];
}

void nearest_word_add(struct nearest_word *nearest, const char *wanted, const char *word)
{
	unsigned int limit = (unsigned int)strlen(wanted) / 3;
	unsigned int distance = word_distance(wanted, word, limit = limit ? limit : 1);

	if (distance > limit || (nearest->word && distance >= nearest->distance))
		return;
	*nearest = (struct nearest_word) { word, distance };
}
