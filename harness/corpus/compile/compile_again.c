/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_again.c - the same once more, with what says more of it
 *
 * Whoever writes assembly wants the line of what is wrong, and mostly assembles it without debug info. The same
 * source with -g has the same code. And of what was linked only the linker's map says of which file a function
 * is. So what something was found in is made again, into files of its own and silently. What would be written
 * beside it (-MD, -save-temps, the linker's -Map) is left out, of files of words (@FILE), too; where that can't be,
 * nothing is made: --coverage of a source writes a file beside the object, and makes other code.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "compile_line.h"

struct words {
	const char **word;
	size_t count;
};

static bool begins_with(const char *text, const char *const *beginnings, size_t count)
{
	return ARRAY_ANY(count, i, !strncmp(text, beginnings[i], strlen(beginnings[i])));
}

/* Options that write or name other files. *ret_two: their argument is the next word. */
static bool writes_beside(const char *text, bool *ret_two)
{
	static const char *const two[] = { "-o", "-MF", "-MT", "-MQ", "-MJ", "--output" };
	static const char *const beginnings[] = {
		"-o",	  "-M",	     "-save-temps", "-Wp,-M", "-gsplit-dwarf",
		"-Wa,-a", "-Wa,-MD", "--output=",
	};

	*ret_two = IS_ONE_OF(text, two);
	return *ret_two ||
	       begins_with(text, beginnings, sizeof(beginnings) / sizeof(beginnings[0]));
}

/* The same of the linker's: ld knows a long option by one dash, too, but for those with an o. */
static bool linker_writes_beside(const char *text, bool *ret_two)
{
	static const char *const two[] = { "-o",	   "--output",	       "-Map",
					   "--Map",	   "-dependency-file", "--dependency-file",
					   "--out-implib", "-reproduce",       "--reproduce" };
	static const char *const beginnings[] = {
		"-o",
		"--output=",
		"-Map=",
		"--Map=",
		"-dependency-file=",
		"--dependency-file=",
		"--out-implib=",
		"-reproduce=",
		"--reproduce=",
	};

	*ret_two = IS_ONE_OF(text, two);
	return *ret_two ||
	       begins_with(text, beginnings, sizeof(beginnings) / sizeof(beginnings[0]));
}

/* The same, where it can't be left out. */
static bool writes_always(const char *text, bool any_source)
{
	static const char *const compilers[] = { "-fstack-usage", "-fcallgraph-info", "-fdump-" };
	static const char *const coverage[] = { "--coverage", "-ftest-coverage", "-fprofile-arcs" };

	return begins_with(text, compilers, sizeof(compilers) / sizeof(compilers[0])) ||
	       (any_source && begins_with(text, coverage, sizeof(coverage) / sizeof(coverage[0])));
}

/* Of several sources that become objects only this one: NULL, all of them. */
static bool is_other_source(const struct compile_outputs *outputs, const char *text,
			    const char *source)
{
	return source &&
	       ARRAY_ANY(outputs->source.count, i,
			 !strcmp(text, outputs->source.path[i]) && strcmp(text, source) != 0);
}

static bool add(struct words *words, const char *text)
{
	return ARRAY_ADD(words->word, words->count, text);
}

/* What is the linker's, of -Wl and -Xlinker; or the linker is called itself. */
struct linker_words {
	bool itself, two; /* what came before is left out, and so is its argument */
};

static bool add_linker(struct words *words, struct linker_words *state, const char *text)
{
	bool left = state->two, two = false;

	if (!left)
		left = linker_writes_beside(text, &two);
	state->two = two;
	if (left)
		return true;
	if (strstr(text, "save-temps"))
		return false;
	return (state->itself || add(words, "-Xlinker")) && add(words, text);
}

/* kept: what holds the words. */
static bool add_linker_words(struct words *words, struct linker_words *state,
			     struct arguments *kept, const char *text)
{
	size_t first = kept->count;
	bool added = !arguments_read(kept, text, 0);

	for (size_t i = first; i < kept->count && added; i++)
		added = add_linker(words, state, kept->text[i]);
	return added;
}

/* With commas between. */
static bool add_linker_list(struct words *words, struct linker_words *state, struct arguments *kept,
			    const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	bool added = copy;

	while (added && (word = strsep(&rest, ",")))
		added = add_linker_words(words, state, kept, word);
	free(copy);
	return added;
}

/* Without what is written beside. false: it can't be made again. */
static bool add_words(const struct arguments *line, const struct compile_outputs *outputs,
		      const char *source, struct linker_words *state, struct words *ret,
		      struct arguments *kept)
{
	for (size_t i = 0; i < line->count; i++) {
		const char *text = line->text[i];
		bool two = false, added = true;

		if (state->itself)
			added = add_linker(ret, state, text);
		else if (!strncmp(text, "-Wl,", 4))
			added = add_linker_list(ret, state, kept, text + 4);
		else if (!strcmp(text, "-Xlinker") && i + 1 < line->count)
			added = add_linker_words(ret, state, kept, line->text[++i]);
		else if (writes_beside(text, &two))
			i += two;
		else if (!is_other_source(outputs, text, source))
			added = !writes_always(text, outputs->source.count) && add(ret, text);
		if (!added)
			return false;
	}
	return true;
}

/* A command line that can be run again, but for where it goes. */
struct again {
	struct words words;
	struct linker_words state;
	struct arguments line, kept; /* which hold them */
	struct error error;
};

static bool read_line(struct again *ret, char *const *argv, const struct compile_outputs *outputs,
		      const char *source)
{
	char *const *compiler = compile_find(argv);
	bool read = compiler[0] != NULL;

	ret->line.error = ret->kept.error = &ret->error;
	ret->state.itself = read && compile_is_linker(compiler[0]);
	for (; argv <= compiler && read; argv++)
		read = add(&ret->words, *argv);
	for (; read && *argv; argv++)
		read = !arguments_read(&ret->line, *argv, 0);
	return read && add_words(&ret->line, outputs, source, &ret->state, &ret->words, &ret->kept);
}

static void end_line(struct again *line)
{
	arguments_deinit(&line->line);
	arguments_deinit(&line->kept);
	free(line->words.word);
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
	return ARRAY_ANY(outputs->source.count, i, compile_is_assembly(outputs->source.path[i]));
}

/* Into a file of its own. map: where the linker's goes, or NULL. NULL: it can't be made. */
static char *make(const struct again *line, const char *map, bool with_lines)
{
	char *path = make_file(".o"), *option = NULL;
	struct words words = { NULL };
	bool made = path && (!map || asprintf(&option, "%s-Map=%s",
					      line->state.itself ? "" : "-Wl,", map) >= 0);

	for (size_t i = 0; i < line->words.count && made; i++)
		made = add(&words, line->words.word[i]);
	made = made && (!with_lines || add(&words, "-g")) && (!option || add(&words, option)) &&
	       add(&words, "-o") && add(&words, path) && add(&words, NULL) && run(&words);
	free(words.word);
	free(option);
	if (made)
		return path;
	remove_file(path);
	return NULL;
}

/* NULL: there is none. */
static char *make_map(const struct again *line, const char *linked)
{
	char *map = make_file(".map"), *path = map ? make(line, map, false) : NULL;

	if (!path || !compile_is_same_image(linked, path)) {
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
	struct again line = { .words = { NULL } };

	*ret = (struct compile_again) { .lines = NULL };
	if (!outputs->not_again && (outputs->linked || lines) &&
	    read_line(&line, argv, outputs, source)) {
		if (outputs->linked)
			ret->map = make_map(&line, outputs->path[number]);
		if (lines)
			ret->lines = make(&line, NULL, true);
	}
	end_line(&line);
}

void compile_again_end(struct compile_again *again)
{
	remove_file(again->lines);
	remove_file(again->map);
	*again = (struct compile_again) { .lines = NULL };
}
