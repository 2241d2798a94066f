/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_outputs.c - a compiler's command line: which files it will write
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
#include <unistd.h>
#include "array.h"
#include "compile_line.h"

static const char *const with_argument[] = {
	"-A",
	"-B",
	"-D",
	"-F",
	"-G",
	"-I",
	"-L",
	"-MF",
	"-MJ",
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

/* Who says this wants tables after all. */
static const char *const with_tables[] = {
	"-fasynchronous-unwind-tables",
	"-funwind-tables",
};

/* Who says this wants no tables of what is compiled; it does nothing to assembly. */
static const char *const without_tables[] = {
	"-fno-asynchronous-unwind-tables",
	"-fno-unwind-tables",
	"-fno-dwarf2-cfi-asm",
};

/* Who says this builds what has none at all. */
static const char *const kernels[] = { "-mcmodel=kernel", "-D__KERNEL__" };

static bool is_header(const char *name)
{
	static const char *const suffixes[] = { "h", "H", "hh", "hp", "hxx", "hpp", "h++", "tcc" };
	const char *dot = strrchr(compile_base_name(name), '.');

	return dot && IS_ONE_OF(dot + 1, suffixes);
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
	const char *dot = strrchr(compile_base_name(name), '.');

	return dot && IS_ONE_OF(dot + 1, suffixes);
}

/* -Wl,WORD,WORD */
static int add_linker_words(struct compile_line *line, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	int result = copy ? 0 : compile_no_memory(line->linker.error);

	while (!result && (word = strsep(&rest, ",")))
		result = arguments_read(&line->linker, word, 0);
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

/* NULL: none. A header is not compiled, but kept as the compiler has read it. */
static void take_language(struct compile_line *line, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	line->language = name && strcmp(name, "none") != 0;
	line->assembler = name && !strncmp(name, "assembler", 9);
	line->header |= length > 7 && !strcmp(name + length - 7, "-header");
}

/* Its argument is the next one. */
static bool takes_next(struct compile_line *line, const char *text, const char *next)
{
	if (!strcmp(text, "-o") || !strcmp(text, "--output")) {
		line->output = next;
		return true;
	}
	if (!strcmp(text, "-x")) {
		take_language(line, next);
		return true;
	}
	if (!strcmp(text, "--sysroot"))
		line->sysroot = next;
	return IS_ONE_OF(text, with_argument);
}

/* Another machine's code, or none before it is linked. */
static void take_unchecked(struct compile_line *line, const char *text)
{
	static const char *const machines[] = { "-m32", "-mx32", "-m16" };

	line->foreign |= IS_ONE_OF(text, machines);
	line->foreign &= strcmp(text, "-m64") != 0;
	line->later |= !strncmp(text, "-flto", 5);
	line->later &= strcmp(text, "-fno-lto") && strcmp(text, "-ffat-lto-objects");
}

static void take_option(struct compile_line *line, const char *text)
{
	line->none |= IS_ONE_OF(text, without_output) || !strncmp(text, "-print-", 7) ||
		      !strncmp(text, "--print-", 8);
	line->bare |= IS_ONE_OF(text, without_tables);
	line->kernel |= IS_ONE_OF(text, kernels);
	if (IS_ONE_OF(text, with_tables))
		line->bare = line->kernel = false;
	take_unchecked(line, text);
	line->compile_only |= !strcmp(text, "-c") || !strcmp(text, "--compile");
	if (!strncmp(text, "-o", 2) && text[2])
		line->output = text + 2;
	else if (!strncmp(text, "--output=", 9))
		line->output = text + 9;
	else if (!strncmp(text, "-x", 2) && text[2])
		take_language(line, text + 2);
	else if (!strncmp(text, "--sysroot=", 10))
		line->sysroot = text + 10;
	else if (!strncmp(text, "-l", 2))
		line->libraries = true;
}

static int take(struct compile_line *line, const struct arguments *arguments, size_t first)
{
	for (size_t i = first; i < arguments->count; i++) {
		const char *text = arguments->text[i];
		const char *next = i + 1 < arguments->count ? arguments->text[i + 1] : NULL;

		if (!strcmp(text, "-Xlinker")) {
			if (next && arguments_read(&line->linker, next, 0))
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
			line->compiled |= line->language ? !line->assembler
							 : !compile_is_assembly(text);
			if (arguments_add(&line->sources, text, strlen(text)))
				return -1;
		} else if (is_header(text)) {
			line->header = true;
		} else if (arguments_add(&line->inputs, text, strlen(text))) {
			return -1;
		}
	}
	return 0;
}

/* ---- outputs ------------------------------------------------------------------------------ */

int compile_output_add(struct compile_outputs *outputs, const char *path, size_t length,
		       const char *suffix, struct error *error)
{
	char *copy;

	if (asprintf(&copy, "%.*s%s", (int)length, path, suffix) < 0)
		return compile_no_memory(error);
	if (!ARRAY_GROW(outputs->path, outputs->count)) {
		free(copy);
		return compile_no_memory(error);
	}
	outputs->path[outputs->count++] = copy;
	return 0;
}

/* "src/f.c" becomes "f.o", standard input "-.o". */
static int add_object(struct compile_outputs *outputs, const char *source, struct error *error)
{
	const char *name = compile_base_name(source), *dot = strrchr(name, '.');

	return compile_output_add(outputs, name,
				  dot && dot != name ? (size_t)(dot - name) : strlen(name), ".o",
				  error);
}

static int decide(struct compile_line *line, struct error *error)
{
	struct compile_outputs *outputs = line->outputs;

	outputs->none = line->none || line->header ||
			(line->output && !strcmp(line->output, "-")) ||
			(!line->sources.count && !line->compile_only && !line->inputs.count &&
			 !line->libraries);
	if (outputs->none || (!line->sources.count && line->compile_only))
		return 0;
	outputs->linked = !line->compile_only;
	if (outputs->linked && linker_output(&line->linker))
		line->output = linker_output(&line->linker);
	if (line->output)
		return compile_output_add(outputs, line->output, strlen(line->output), "", error);
	if (!line->compile_only)
		return compile_output_add(outputs, "a.out", strlen("a.out"), "", error);
	for (size_t i = 0; i < line->sources.count; i++)
		if (add_object(outputs, line->sources.text[i], error))
			return -1;
	return 0;
}

bool compile_is_assembly(const char *name)
{
	static const char *const suffixes[] = { "s", "S", "sx" };
	const char *dot = strrchr(compile_base_name(name), '.');

	return dot && IS_ONE_OF(dot + 1, suffixes);
}

static void keep(struct arguments *arguments, struct compile_paths *ret)
{
	*ret = (struct compile_paths) { .path = arguments->text, .count = arguments->count };
	*arguments = (struct arguments) { .text = NULL };
}

static int find_outputs(const struct arguments *arguments, struct compile_outputs *ret,
			struct error *error)
{
	struct compile_line line = { .outputs = ret,
				     .sources = { .error = error },
				     .inputs = { .error = error },
				     .linker = { .error = error } };
	int result = take(&line, arguments, 0);

	if (!result)
		result = decide(&line, error);
	ret->probe = !result && !ret->none && compile_is_probe(&line);
	ret->bare = line.kernel || (line.bare && (line.compiled || !line.sources.count));
	ret->unchecked = ret->bare || line.foreign || (line.later && line.compile_only);
	ret->not_again = line.compile_only && (line.language || line.inputs.count);
	ret->sysroot = line.sysroot ? realpath(line.sysroot, NULL) : NULL;
	keep(&line.sources, &ret->source);
	arguments_deinit(&line.inputs);
	arguments_deinit(&line.linker);
	return result;
}

int compile_outputs_find(char *const *argv, struct compile_outputs *ret, struct error *error)
{
	char *const *compiler = compile_find(argv);
	bool rustc = compile_is_rustc(compiler[0]);
	struct arguments arguments = { .error = error, .lines = rustc };
	int result = 0;

	*ret = (struct compile_outputs) { .path = NULL };
	for (size_t i = 1; compiler[0] && compiler[i] && !result; i++)
		result = arguments_read(&arguments, compiler[i], 0);
	if (!result)
		result = rustc ? compile_rustc_outputs(&arguments, ret, error)
			       : find_outputs(&arguments, ret, error);
	ret->prefix = compiler[0] ? compile_prefix(compiler[0]) : NULL;
	if (!result && rustc)
		ret->probe = !ret->none && compile_is_asked(getppid());
	ret->not_again |= rustc;
	arguments_deinit(&arguments);
	return result;
}

static void free_paths(char **path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(path[i]);
	free(path);
}

void compile_outputs_deinit(struct compile_outputs *outputs)
{
	free_paths(outputs->path, outputs->count);
	free_paths(outputs->source.path, outputs->source.count);
	free(outputs->prefix);
	free(outputs->sysroot);
	free(outputs->before);
	*outputs = (struct compile_outputs) { .path = NULL };
}
