/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_again.c - the same once more, with what says more of it
 *
 * Whoever writes assembly wants the line of what is wrong, and mostly assembles it without debug info. The same
 * source with -g has the same code. And of what was linked only the linker's map says of which file a function
 * is. So what something was found in is made again, into files of its own and silently. What would be written
 * beside it (-MD, -save-temps) is left out; where that can't be told from the rest, nothing is made.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child/child.h"
#include "compile/compile_line.h"

#define WORDS_MORE 5 /* -g, -Wl,-Map, -o, its name, and the end */

struct words {
	const char **word;
	size_t count;
};

static bool begins_with(const char *text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* Options that write or name other files. *ret_two: their argument is the next word. */
static bool writes_beside(const char *text, bool *ret_two)
{
	static const char *const two[] = { "-o", "-MF", "-MT", "-MQ", "-MJ", "--output" };
	static const char *const beginnings[] = {
		"-o",	  "-M",	     "-save-temps", "-Wp,-M",	"-gsplit-dwarf",
		"-Wa,-a", "-Wa,-MD", "--output=",   "-Wl,-Map", "-Wl,--dependency-file",
	};

	*ret_two = IS_ONE_OF(text, two);
	return *ret_two ||
	       begins_with(text, beginnings, sizeof(beginnings) / sizeof(beginnings[0]));
}

/* The same, where it can't be left out. */
static bool writes_always(const char *text)
{
	static const char *const compilers[] = { "--coverage",	  "-ftest-coverage",
						 "-fstack-usage", "-fcallgraph-info",
						 "-fdump-",	  "-fprofile-arcs" };

	return begins_with(text, compilers, sizeof(compilers) / sizeof(compilers[0])) ||
	       strstr(text, "-Map") || strstr(text, "--dependency-file") ||
	       strstr(text, "--out-implib");
}

/* Of several sources that become objects only this one: NULL, all of them. */
static bool is_other_source(const struct compile_outputs *outputs, const char *text,
			    const char *source)
{
	for (size_t i = 0; source && i < outputs->source.count; i++)
		if (!strcmp(text, outputs->source.path[i]) && strcmp(text, source) != 0)
			return true;
	return false;
}

/* -1: it can't be made again. */
static int copy(char *const *argv, const struct compile_outputs *outputs, const char *source,
		struct words *ret)
{
	size_t count = 0;

	while (argv[count])
		count++;
	ret->count = 0;
	ret->word = calloc(count + WORDS_MORE, sizeof(*ret->word));
	for (size_t i = 0; ret->word && i < count; i++) {
		bool two;

		if (is_other_source(outputs, argv[i], source))
			continue;
		if (writes_beside(argv[i], &two)) {
			i += two;
			continue;
		}
		if ((argv[i][0] == '@' && outputs->source.count) || writes_always(argv[i])) {
			free(ret->word);
			ret->word = NULL;
			break;
		}
		ret->word[ret->count++] = argv[i];
	}
	return ret->word ? 0 : -1;
}

static bool run(const struct words *words)
{
	const struct child_command command = { .argv = words->word };
	struct error error;
	pid_t pid = child_start(&command, NULL, &error);
	int status = pid < 0 ? -1 : child_end(pid, false);

	return status == 0;
}

/* A file that is there, and empty. NULL: there is none. */
static char *make_file(const char *suffix)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int fd;

	if (asprintf(&path, "%s/stackproof-XXXXXX%s", folder && *folder ? folder : "/tmp", suffix) <
	    0)
		return NULL;
	fd = mkstemps(path, (int)strlen(suffix));
	if (fd >= 0) {
		close(fd);
		return path;
	}
	free(path);
	return NULL;
}

static void remove_file(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

static bool any_assembly(const struct compile_outputs *outputs)
{
	for (size_t i = 0; i < outputs->source.count; i++)
		if (compile_is_assembly(outputs->source.path[i]))
			return true;
	return false;
}

/* What the linker made before and now has its code at the same addresses, as far as its length says. */
static bool is_as_long(const char *a, const char *b)
{
	struct stat first, second;

	return !stat(a, &first) && !stat(b, &second) && first.st_size == second.st_size;
}

/* Into a file of its own. map: where the linker's goes, or NULL. NULL: it can't be made. */
static char *make(struct words words, const char *map, bool with_lines)
{
	char *path = make_file(".o"), *option = NULL;
	bool made = path && (!map || asprintf(&option, "-Wl,-Map=%s", map) >= 0);

	if (with_lines)
		words.word[words.count++] = "-g";
	if (option)
		words.word[words.count++] = option;
	words.word[words.count++] = "-o";
	words.word[words.count++] = path;
	words.word[words.count] = NULL;
	if (made && run(&words)) {
		free(option);
		return path;
	}
	free(option);
	remove_file(path);
	return NULL;
}

/* NULL: there is none. */
static char *make_map(struct words words, const char *linked)
{
	char *map = make_file(".map"), *path = map ? make(words, map, false) : NULL;

	if (!path || !is_as_long(linked, path)) {
		remove_file(map);
		map = NULL;
	}
	remove_file(path);
	return map;
}

void compile_again(char *const *argv, const struct compile_outputs *outputs, size_t number,
		   struct compile_again *ret)
{
	const char *source = !outputs->linked && number < outputs->source.count
				     ? outputs->source.path[number]
				     : NULL;
	bool lines = outputs->linked ? any_assembly(outputs)
				     : source && compile_is_assembly(source);
	struct words words;

	*ret = (struct compile_again) { .lines = NULL };
	if (outputs->not_again || (!outputs->linked && !lines) ||
	    copy(argv, outputs, source, &words))
		return;
	if (outputs->linked)
		ret->map = make_map(words, outputs->path[number]);
	if (lines)
		ret->lines = make(words, NULL, true);
	free(words.word);
}

void compile_again_end(struct compile_again *again)
{
	remove_file(again->lines);
	remove_file(again->map);
	*again = (struct compile_again) { .lines = NULL };
}
