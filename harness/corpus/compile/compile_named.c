/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_named.c - this program in a compiler's place
 *
 *	ln -s stackproof DIR/gcc; PATH=DIR:$PATH make	a link with a compiler's name, as ccache's are
 *	RUSTC_WRAPPER=stackproof cargo build		called as WRAPPER rustc ARGUMENTS
 *	stackproof -E FILE				crate cc asks so what kind of compiler the first word of CC is
 *
 * All three mean `stackproof cc`. Its options, for which there is no place, are words of STACKPROOF_CC_OPTIONS.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "compile_line.h"

struct words {
	char **word;
	size_t count;
	bool no_memory;
};

static void add(struct words *words, char *word)
{
	words->no_memory |= !word || !ARRAY_ADD(words->word, words->count, word);
}

static void add_options(struct words *words)
{
	const char *value = getenv(COMPILE_OPTIONS_VARIABLE);
	char *copy = value ? strdup(value) : NULL, *word;

	words->no_memory |= value && !copy;
	while (copy && (word = strsep(&copy, " ")))
		if (*word)
			add(words, word);
}

/* Ends them. */
static char **finish(struct words *words)
{
	return !words->no_memory && ARRAY_ADD(words->word, words->count, NULL) ? words->word : NULL;
}

/* A link is named so: the compiler is elsewhere in PATH. */
static bool take_link(struct words *words, const char *name, char **rest)
{
	bool skipped;
	char *compiler = compile_find_other(name, &skipped);

	if (!compiler) {
		fprintf(stderr, "stackproof cc: no other %s in PATH\n", name);
		return false;
	}
	compile_leave_path(name);
	add(words, compiler);
	for (; *rest; rest++)
		add(words, *rest);
	return true;
}

enum compile_named compile_named(char **argv, char ***ret)
{
	const char *name = compile_base_name(argv[0]);
	static char cc[] = "cc";
	struct words words = { NULL };
	bool found = true;

	add(&words, cc);
	add_options(&words);
	if (compile_is_name(name)) {
		found = take_link(&words, name, argv + 1);
	} else if (argv[1] && compile_is_name(compile_base_name(argv[1])) &&
		   strcmp(argv[1], "cc") != 0) {
		for (char **rest = argv + 1; *rest; rest++)
			add(&words, *rest);
	} else if (argv[1] && !strcmp(argv[1], "-E")) {
		char **compiler = compile_of_environment();

		for (char **word = compiler; word && *word; word++)
			add(&words, *word);
		words.no_memory |= !compiler;
		for (char **rest = argv + 1; *rest; rest++)
			add(&words, *rest);
	} else {
		free(words.word);
		return COMPILE_NOT_NAMED;
	}
	*ret = found ? finish(&words) : NULL;
	return *ret ? COMPILE_NAMED : COMPILE_NAMED_NOWHERE;
}
