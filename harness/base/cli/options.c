/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.c - what several commands' option parsers need
 *
 * A value is taken whole or refused: strtoul(3) alone takes " -1x" for a number. Every parser gets
 * its numbers, texts and lists from here, so that none accepts what another one refuses.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "exit_status.h"

const char *option_name(const struct argp_option *options, int key)
{
	for (const struct argp_option *option = options; option->name; option++)
		if (option->key == key)
			return option->name;
	return NULL;
}

uint64_t option_number(struct argp_state *state, const char *text, const char *what)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	/* strtoull() lets blanks and a sign come first. */
	if (errno || *end || !isdigit((unsigned char)*text))
		argp_error(state, "%s takes a whole number, not '%s'", what, text);
	return value;
}

uint64_t option_between(struct argp_state *state, const char *text, const char *what,
			uint64_t first, uint64_t last)
{
	uint64_t value = option_number(state, text, what);

	if (value < first || value > last)
		argp_error(state, "%s is between %llu and %llu, not %s", what,
			   (unsigned long long)first, (unsigned long long)last, text);
	return value;
}

unsigned int option_seconds(struct argp_state *state, const char *text, const char *what)
{
	return 1000 * (unsigned int)option_between(state, text, what, 1, OPTION_SECONDS_MAX);
}

uint64_t option_address(struct argp_state *state, const char *text, const char *what)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || *end || !isdigit((unsigned char)*text))
		argp_error(state, "%s takes an address, not '%s'", what, text);
	return value;
}

double option_percent(struct argp_state *state, const char *text, const char *what)
{
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	/* Neither "nan" nor "0x1p3" is one. */
	if (errno || *end || strspn(text, "0123456789.") != strlen(text) || !*text || value > 100)
		argp_error(state, "%s takes a number from 0 to 100, not '%s'", what, text);
	return value;
}

char *option_text(struct argp_state *state, char *text, const char *what)
{
	if (!*text)
		argp_error(state, "%s: the value is empty", what);
	return text;
}

char *option_file(struct argp_state *state, char *text, const char *what)
{
	if (!strcmp(text, "-"))
		argp_error(state, "%s takes a file: standard output has other lines (./- is one)",
			   what);
	return option_text(state, text, what);
}

size_t option_words(struct argp_state *state, char *text, const char *what, char **ret, size_t max)
{
	size_t count = 0;
	char *word;

	while ((word = strsep(&text, ","))) {
		if (!*word)
			argp_error(state, "%s: a value of the list is empty", what);
		for (size_t i = 0; i < count; i++)
			if (!strcmp(ret[i], word))
				argp_error(state, "%s: '%s' is named twice", what, word);
		if (count == max)
			argp_error(state, "%s: more than %zu values", what, max);
		ret[count++] = word;
	}
	return count;
}

void option_bind_now(struct argp_state *state)
{
	if (setenv("LD_BIND_NOW", "1", 1))
		argp_failure(state, EXIT_ENVIRONMENT, errno, "LD_BIND_NOW");
}

enum walk_method option_method(struct argp_state *state, const char *text)
{
	if (strcmp(text, "loop") == 0)
		return WALK_METHOD_LOOP;
	if (strcmp(text, "chain") != 0)
		argp_error(state, "--method takes loop or chain");
	return WALK_METHOD_CHAIN;
}

error_t option_into(int key, char *value, struct argp_state *state,
		    const struct argp_option *options)
{
	void *into = (char *)state->input + (key & ((1 << OPTION_KIND_SHIFT) - 1));
	const struct argp_option *option = options;
	char what[64];

	while (option->name && option->key != key)
		option++;
	if (!option->name)
		return ARGP_ERR_UNKNOWN;
	snprintf(what, sizeof(what), "--%s", option->name);
	switch (key >> OPTION_KIND_SHIFT) {
	case OPTION_KIND_FLAG: *(bool *)into = true; return 0;
	case OPTION_KIND_TEXT: *(char **)into = option_text(state, value, what); return 0;
	case OPTION_KIND_SECONDS:
		*(unsigned int *)into = option_seconds(state, value, what);
		return 0;
	case OPTION_KIND_NUMBER: *(uint64_t *)into = option_number(state, value, what); return 0;
	case OPTION_KIND_COUNT:
		*(unsigned int *)into = option_between(state, value, what, 1, UINT32_MAX);
		return 0;
	case OPTION_KIND_COUNT64:
		*(uint64_t *)into = option_between(state, value, what, 1, UINT64_MAX);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}
