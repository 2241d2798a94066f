/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_arguments.c - a compiler's command line: which files it will write
 *
 *	-E -S -M -MM -fsyntax-only	none that has code
 *	-c				each source's name with .o, here; or -o
 *	otherwise			what the linker writes: -o, or a.out
 *
 * What is for the linker (-Wl, -Xlinker, and @file in them) may name another output: it then has the last word.
 * Where several of the first are given, the one that ends soonest counts. Options that have an argument
 * of their own are listed, so that it is not taken for a source.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "compile/compile.h"

/* ---- all arguments ------------------------------------------------------------------------ */

struct arguments {
	char **text;
	size_t count;
	struct error *error;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "a compiler's arguments");
}

static int add_text(struct arguments *arguments, const char *text, size_t length)
{
	char *copy;

	if (arguments->count == COMPILE_ARGUMENTS_MAX)
		return 0;
	copy = strndup(text, length);
	if (!copy || !ARRAY_GROW(arguments->text, arguments->count)) {
		free(copy);
		return no_memory(arguments->error);
	}
	arguments->text[arguments->count++] = copy;
	return 0;
}

static void arguments_deinit(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->text[i]);
	free(arguments->text);
}

static int add_argument(struct arguments *arguments, const char *text, unsigned int depth);

static bool is_blank(char c)
{
	return c && strchr(" \t\n\r\v\f", c);
}

/* One word of a file: quotes keep blanks, a backslash keeps what follows (libiberty, argv.c). word has
 * room for all of the file. Returns where it ends. */
static const char *read_word(const char *at, char *word)
{
	char quote = 0;

	for (; *at && (quote || !is_blank(*at)); at++) {
		if (*at == '\\' && at[1])
			*word++ = *++at;
		else if (quote ? *at == quote : *at == '\'' || *at == '"')
			quote = quote ? 0 : *at;
		else
			*word++ = *at;
	}
	*word = '\0';
	return at;
}

/* NULL: it is none that can be read, and the argument stands for itself. */
static char *read_file(const char *path)
{
	struct stat status;
	FILE *file = stat(path, &status) || !S_ISREG(status.st_mode) ||
				     status.st_size > COMPILE_FILE_BYTES_MAX
			     ? NULL
			     : fopen(path, "re");
	char *text = file ? calloc(1, (size_t)status.st_size + 1) : NULL;

	if (text && fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static int add_file(struct arguments *arguments, const char *text, unsigned int depth)
{
	char *word = malloc(strlen(text) + 1);
	const char *at = text;
	int result = word ? 0 : no_memory(arguments->error);

	while (!result) {
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		at = read_word(at, word);
		result = add_argument(arguments, word, depth);
	}
	free(word);
	return result;
}

static int add_argument(struct arguments *arguments, const char *text, unsigned int depth)
{
	char *file = text[0] == '@' && depth < COMPILE_FILE_DEPTH_MAX ? read_file(text + 1) : NULL;
	int result = file ? add_file(arguments, file, depth + 1)
			  : add_text(arguments, text, strlen(text));

	free(file);
	return result;
}

/* ---- what they mean ----------------------------------------------------------------------- */

static const char *const with_argument[] = {
	"-A",
	"-B",
	"-D",
	"-F",
	"-G",
	"-I",
	"-L",
	"-MF",
	"-MQ",
	"-MT",
	"-T",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-U",
	"-Xanalyzer",
	"-Xassembler",
	"-Xclang",
	"-Xpreprocessor",
	"-arch",
	"-aux-info",
	"-dumpbase",
	"-dumpbase-ext",
	"-dumpdir",
	"-e",
	"-framework",
	"-h",
	"-idirafter",
	"-imacros",
	"-imultilib",
	"-include",
	"-include-pch",
	"-iprefix",
	"-iquote",
	"-isysroot",
	"-isystem",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-l",
	"-mllvm",
	"-soname",
	"-target",
	"-u",
	"-wrapper",
	"-z",
	"--param",
	"--sysroot",
	"-rpath",
	"-specs",
};

static const char *const without_output[] = {
	"-###",		"--help",     "--version",  "-dumpversion",  "-dumpfullversion",
	"-dumpmachine", "-dumpspecs", "-M",	    "-MM",	     "-E",
	"--preprocess", "-S",	      "--assemble", "-fsyntax-only", "-emit-llvm",
	"--precompile", "--analyze",
};

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(text, list[i]))
			return true;
	return false;
}

#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof(list) / sizeof((list)[0]))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whose first argument is the compiler. */
static bool is_launcher(const char *program)
{
	static const char *const launchers[] = { "ccache", "sccache", "distcc",
						 "icecc",  "nice",    "time" };

	return IS_ONE_OF(base_name(program), launchers);
}

/* What the compiler translates; everything else is the linker's. */
static bool is_source(const char *name)
{
	static const char *const suffixes[] = {
		"c",   "i",   "ii",  "m",   "mi",  "mm",  "M",	 "mii", "cc",  "cp",  "cxx",
		"cpp", "CPP", "c++", "C",   "s",   "S",	  "sx",	 "f",	"for", "ftn", "F",
		"FOR", "fpp", "FPP", "f90", "f95", "f03", "f08", "F90", "F95", "F03", "F08",
		"adb", "ads", "d",   "go",  "mod", "cu",  "ll",	 "bc",
	};
	const char *dot = strrchr(base_name(name), '.');

	return dot && IS_ONE_OF(dot + 1, suffixes);
}

struct command_line {
	struct compile_outputs *outputs;
	struct arguments sources, linker; /* the words of -Wl and -Xlinker */
	const char *output;		  /* -o */
	bool none, compile_only, language, others;
};

/* -Wl,WORD,WORD */
static int add_linker_words(struct command_line *line, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	int result = copy ? 0 : no_memory(line->linker.error);

	while (!result && (word = strsep(&rest, ",")))
		result = add_argument(&line->linker, word, 0);
	free(copy);
	return result;
}

/* As ld has it: -o FILE, -oFILE, --output FILE, --output=FILE. NULL: the compiler's own. */
static const char *linker_output(const struct arguments *linker)
{
	const char *output = NULL;

	for (size_t i = 0; i < linker->count; i++) {
		const char *text = linker->text[i];

		if (!strcmp(text, "-o") || !strcmp(text, "--output"))
			output = i + 1 < linker->count ? linker->text[++i] : NULL;
		else if (!strncmp(text, "--output=", 9))
			output = text + 9;
		else if (!strncmp(text, "-o", 2))
			output = text + 2;
	}
	return output;
}

/* Its argument is the next one. */
static bool takes_next(struct command_line *line, const char *text, const char *next)
{
	if (!strcmp(text, "-o") || !strcmp(text, "--output")) {
		line->output = next;
		return true;
	}
	if (!strcmp(text, "-x")) {
		line->language = next && strcmp(next, "none");
		return true;
	}
	return IS_ONE_OF(text, with_argument);
}

static void take_option(struct command_line *line, const char *text)
{
	line->none |= IS_ONE_OF(text, without_output) || !strncmp(text, "-print-", 7) ||
		      !strncmp(text, "--print-", 8);
	line->compile_only |= !strcmp(text, "-c") || !strcmp(text, "--compile");
	if (!strncmp(text, "-o", 2) && text[2])
		line->output = text + 2;
	else if (!strncmp(text, "--output=", 9))
		line->output = text + 9;
	else if (!strncmp(text, "-x", 2) && text[2])
		line->language = strcmp(text + 2, "none") != 0;
	else if (!strncmp(text, "-l", 2))
		line->others = true;
}

static int take(struct command_line *line, const struct arguments *arguments, size_t first)
{
	for (size_t i = first; i < arguments->count; i++) {
		const char *text = arguments->text[i];
		const char *next = i + 1 < arguments->count ? arguments->text[i + 1] : NULL;

		if (!strcmp(text, "-Xlinker")) {
			if (next && add_argument(&line->linker, next, 0))
				return -1;
			i++;
		} else if (!strncmp(text, "-Wl,", 4)) {
			if (add_linker_words(line, text + 4))
				return -1;
		} else if (takes_next(line, text, next)) {
			i++;
		} else if (text[0] == '-' && text[1]) {
			take_option(line, text);
		} else if (line->language || is_source(text)) {
			if (add_text(&line->sources, text, strlen(text)))
				return -1;
		} else {
			line->others = true;
		}
	}
	return 0;
}

/* ---- outputs ------------------------------------------------------------------------------ */

static int add_output(struct compile_outputs *outputs, const char *path, size_t length,
		      const char *suffix, struct error *error)
{
	char *copy;

	if (asprintf(&copy, "%.*s%s", (int)length, path, suffix) < 0)
		return no_memory(error);
	if (!ARRAY_GROW(outputs->path, outputs->count)) {
		free(copy);
		return no_memory(error);
	}
	outputs->path[outputs->count++] = copy;
	return 0;
}

/* "src/f.c" becomes "f.o", standard input "-.o". */
static int add_object(struct compile_outputs *outputs, const char *source, struct error *error)
{
	const char *name = base_name(source), *dot = strrchr(name, '.');

	return add_output(outputs, name, dot && dot != name ? (size_t)(dot - name) : strlen(name),
			  ".o", error);
}

static int decide(struct command_line *line, struct error *error)
{
	struct compile_outputs *outputs = line->outputs;

	outputs->none = line->none || (line->output && !strcmp(line->output, "-")) ||
			(!line->sources.count && !line->compile_only && !line->others);
	if (outputs->none || (!line->sources.count && line->compile_only))
		return 0;
	outputs->linked = !line->compile_only;
	if (outputs->linked && linker_output(&line->linker))
		line->output = linker_output(&line->linker);
	if (line->output)
		return add_output(outputs, line->output, strlen(line->output), "", error);
	if (!line->compile_only)
		return add_output(outputs, "a.out", strlen("a.out"), "", error);
	for (size_t i = 0; i < line->sources.count; i++)
		if (add_object(outputs, line->sources.text[i], error))
			return -1;
	return 0;
}

int compile_outputs_find(char *const *argv, struct compile_outputs *ret, struct error *error)
{
	struct arguments arguments = { .error = error };
	struct command_line line = { .outputs = ret,
				     .sources = { .error = error },
				     .linker = { .error = error } };
	int result = 0;
	size_t first = 1;

	*ret = (struct compile_outputs) { .path = NULL };
	while (argv[first] && is_launcher(argv[first - 1]))
		first++;
	for (size_t i = first; argv[i] && !result; i++)
		result = add_argument(&arguments, argv[i], 0);
	if (!result)
		result = take(&line, &arguments, 0);
	if (!result)
		result = decide(&line, error);
	arguments_deinit(&line.sources);
	arguments_deinit(&line.linker);
	arguments_deinit(&arguments);
	return result;
}

void compile_outputs_deinit(struct compile_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		free(outputs->path[i]);
	free(outputs->path);
	free(outputs->before);
	*outputs = (struct compile_outputs) { .path = NULL };
}
