/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * nearest_word.c - "did you mean": the command or option that a word was meant to be
 *
 * Optimal string alignment distance (Damerau 1964), over words of a few letters. argp knows the
 * options but not how near one is, so long options are looked at before it sees them; what is not
 * certainly a misspelled option is left to it: values of options, and all behind "--" or, where the
 * command's arguments are a command themselves, behind the first argument.
 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/nearest_word.h"
#include "harness.h"
#include "plain_text.h"

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

/* ---- long options ----------------------------------------------------------------------- */

/* The option of that name, or that it is an abbreviation of; NULL: there is none. */
static const struct argp_option *find_long(const struct argp_option *option, const char *name,
					   size_t size)
{
	for (; option && (option->name || option->key || option->doc); option++)
		if (option->name && !strncmp(option->name, name, size))
			return option;
	return NULL;
}

/* "-f": the option whose value is the next word; NULL: it has none, or its value is behind it. */
static const struct argp_option *find_short(const struct argp_option *option, const char *word)
{
	for (; option && (option->name || option->key || option->doc); option++)
		if (word[1] && !word[2] && option->key == word[1])
			return option;
	return NULL;
}

static bool is_argps_own(const char *name, size_t size)
{
	static const char *const own[] = { "help", "usage", "version", "program-name" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(own[i], name, size))
			return true;
	return false;
}

static void refuse(const struct argp_option *options, const char *program, const char *name,
		   size_t size)
{
	struct nearest_word nearest = { NULL, 0 };
	char wanted[WORD_MAX + 1];

	/* No option is as long as what is cut. */
	snprintf(wanted, sizeof(wanted), "%.*s", (int)size, name);
	for (const struct argp_option *o = options; o->name || o->key || o->doc; o++)
		if (o->name)
			nearest_word_add(&nearest, wanted, o->name);
	if (!nearest.word)
		return;
	fprintf(stderr, "%s: unrecognized option '--%s': did you mean '--%s'?\n",
		PLAIN_TEXT(program), PLAIN_TEXT(wanted), nearest.word);
	exit(EXIT_USAGE);
}

void command_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	for (int i = 1; i < argc && argp->options && strcmp(argv[i], "--"); i++) {
		bool is_long = argv[i][0] == '-' && argv[i][1] == '-';
		/* Of another word there may be no byte 2. */
		const char *name = is_long ? argv[i] + 2 : "";
		size_t size = strcspn(name, "=");
		const struct argp_option *option;

		if (argv[i][0] != '-' && flags & ARGP_IN_ORDER)
			break;
		if (argv[i][0] != '-')
			continue;
		option = is_long ? find_long(argp->options, name, size)
				 : find_short(argp->options, argv[i]);
		if (!option && is_long && !is_argps_own(name, size))
			refuse(argp->options, argv[0], name, size);
		/* Its value, whatever that looks like. */
		i += option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL) &&
		     (!is_long || !name[size]);
	}
	/* What was not read to its end is not obeyed. */
	int error = argp_parse(argp, argc, argv, flags, NULL, input);

	if (error) {
		fprintf(stderr, "%s: the command line: %s\n", PLAIN_TEXT(argv[0]), strerror(error));
		exit(EXIT_USAGE);
	}
}
