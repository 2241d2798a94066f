/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * words.c - how often each word of a file is in it, by a C library alone
 *
 * For musl: stdio, qsort with a callback, regular expressions, printf of floating-point numbers.
 */
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 200
#define LINES_MAX 12

struct word {
	char text[32];
	unsigned int count;
};

static int compare_words(const void *a, const void *b)
{
	const struct word *one = a, *other = b;

	if (one->count != other->count)
		return one->count < other->count ? 1 : -1;
	return strcmp(one->text, other->text);
}

static size_t add(struct word *words, size_t count, const char *text, size_t length)
{
	char word[sizeof(words->text)] = "";

	for (size_t i = 0; i < length && i < sizeof(word) - 1; i++)
		word[i] = (char)tolower((unsigned char)text[i]);
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i].text, word) == 0) {
			words[i].count++;
			return count;
		}
	if (count == WORDS_MAX)
		return count;
	memcpy(words[count].text, word, sizeof(word));
	words[count].count = 1;
	return count + 1;
}

int main(int argc, char **argv)
{
	static struct word words[WORDS_MAX];
	unsigned int lines = 0;
	size_t count = 0, all = 0;
	regmatch_t match;
	char line[256];
	regex_t regex;
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!file || regcomp(&regex, "[A-Za-z][A-Za-z'-]*", REG_EXTENDED))
		return 1;
	while (lines++ < LINES_MAX && fgets(line, sizeof(line), file))
		for (const char *at = line; regexec(&regex, at, 1, &match, 0) == 0;
		     at += match.rm_eo, all++)
			count = add(words, count, at + match.rm_so,
				    (size_t)(match.rm_eo - match.rm_so));
	qsort(words, count, sizeof(words[0]), compare_words);
	for (size_t i = 0; i < count && i < 10; i++)
		printf("%-16s %4u %6.2f %%\n", words[i].text, words[i].count,
		       100.0 * words[i].count / all);
	regfree(&regex);
	return fclose(file) != 0;
}
