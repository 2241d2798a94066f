/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_rustc.c - rustc's command line: which files it will write
 *
 *	--emit=link,...		libNAME.rlib, libNAME.so, libNAME.a or NAME, by --crate-type; default
 *	--emit=obj		NAME.o
 *	--emit=metadata,...	none that has code: asm, dep-info, llvm-bc, llvm-ir, mir
 *	--print, -vV, --help	none
 *
 * NAME is --crate-name's, else the source's, and what -C extra-filename says behind it. It lies in --out-dir,
 * or is what -o names. (The rustc book, "Command-line Arguments" and "Codegen Options".)
 * What a program or a library for other languages is linked of has the standard library's code in it. A file of
 * another system is none that is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "compile_line.h"
#include "freed.h"

struct rust_line {
	const char *source, *name, *extra, *folder, *output, *types[16], *emits[16];
	size_t type_count, emit_count;
	bool none, test;
};

bool compile_is_rustc(const char *compiler)
{
	const char *name = compiler ? compile_base_name(compiler) : "";

	return !strcmp(name, "rustc") || !strcmp(name, "clippy-driver");
}

static void add(const char **list, size_t *count, const char *text)
{
	if (*count < 16)
		list[(*count)++] = text;
}

/* What stops rustc, but for what it says beside its work. */
static bool is_query(const char *print)
{
	static const char *const beside[] = { "link-args", "native-static-libs" };
	size_t length = strcspn(print, "=");

	return !ARRAY_ANY(ARRAY_COUNT(beside), i,
			  strlen(beside[i]) == length && !strncmp(print, beside[i], length));
}

static void take_codegen(struct rust_line *line, const char *value)
{
	if (!strncmp(value, "extra-filename=", 15))
		line->extra = value + 15;
}

static bool is_foreign(const char *target)
{
	return strstr(target, "windows") || strstr(target, "apple") || strstr(target, "wasm") ||
	       strstr(target, "uefi");
}

/* option: without its dashes and its value. */
static void take_value(struct rust_line *line, const char *option, const char *value)
{
	if (!strcmp(option, "crate-name"))
		line->name = value;
	else if (!strcmp(option, "crate-type"))
		add(line->types, &line->type_count, value);
	else if (!strcmp(option, "emit"))
		add(line->emits, &line->emit_count, value);
	else if (!strcmp(option, "out-dir"))
		line->folder = value;
	else if (!strcmp(option, "o"))
		line->output = value;
	else if (!strcmp(option, "C") || !strcmp(option, "codegen"))
		take_codegen(line, value);
	else if (!strcmp(option, "target"))
		line->none |= is_foreign(value);
	else if (!strcmp(option, "print"))
		line->none |= is_query(value);
	else if (!strcmp(option, "explain"))
		line->none = true;
}

/* --option=VALUE, --option VALUE, -xVALUE, -x VALUE. How many words it takes. */
static size_t take_option(struct rust_line *line, const char *text, const char *next)
{
	static const char *const alone[] = { "--test",	  "-g",	       "-O", "-v",
					     "--verbose", "--version", "-V", "-vV",
					     "--help",	  "-h",	       "-Vv" };
	static const char *const queries[] = { "-V", "-vV", "-Vv", "--version", "-h", "--help" };
	char option[32] = "";
	const char *equals = strchr(text, '=');

	line->test |= !strcmp(text, "--test");
	line->none |= IS_ONE_OF(text, queries);
	if (IS_ONE_OF(text, alone))
		return 1;
	if (text[1] != '-') {
		option[0] = text[1];
		take_value(line, option, text[2] ? text + 2 : next ? next : "");
		return text[2] ? 1 : 2;
	}
	snprintf(option, sizeof(option), "%.*s",
		 (int)(equals ? equals - text - 2 : (ptrdiff_t)strlen(text) - 2), text + 2);
	take_value(line, option, equals ? equals + 1 : next ? next : "");
	return equals ? 1 : 2;
}

/* A word of a list with commas is this one, or has a path behind "=": *ret_path. */
static bool has_word(const char *list, const char *word, const char **ret_path, size_t *ret_length)
{
	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ","), name = strcspn(at, ",=");

		if (name == strlen(word) && !strncmp(at, word, name)) {
			*ret_path = name < length ? at + name + 1 : NULL;
			*ret_length = name < length ? length - name - 1 : 0;
			return true;
		}
		at += length + (at[length] == ',');
	}
	return false;
}

static bool emits(const struct rust_line *line, const char *kind, const char **ret_path,
		  size_t *ret_length)
{
	*ret_path = NULL;
	*ret_length = 0;
	return ARRAY_ANY(line->emit_count, i,
			 has_word(line->emits[i], kind, ret_path, ret_length)) ||
	       (!line->emit_count && !strcmp(kind, "link"));
}

static const struct {
	const char *type, *prefix, *suffix;
	bool linked;
} types[] = {
	{ "bin", "", "", true },
	{ "lib", "lib", ".rlib", false },
	{ "rlib", "lib", ".rlib", false },
	{ "dylib", "lib", ".so", true },
	{ "cdylib", "lib", ".so", true },
	{ "proc-macro", "lib", ".so", true },
	{ "staticlib", "lib", ".a", true },
};

/* The crate's, or the source's without its suffix and with "_" for "-". To be freed; NULL: no memory. */
static char *crate_name(const struct rust_line *line)
{
	const char *name = line->name	  ? line->name
			   : line->source ? compile_base_name(line->source)
					  : "rust_out";
	size_t length = line->name ? strlen(name) : strcspn(name, ".");
	char *ret;

	if (!line->name && !strcmp(name, "-"))
		return strdup("rust_out");
	ret = strndup(name, length);
	for (char *at = ret; ret && *at; at++)
		if (*at == '-')
			*at = '_';
	return ret;
}

static int add_file(const struct rust_line *line, struct compile_outputs *ret, const char *prefix,
		    const char *suffix, struct error *error)
{
	FREED char *name = crate_name(line), *path = NULL;

	if (!name || asprintf(&path, "%s%s%s%s%s%s", line->folder ? line->folder : "",
			      line->folder ? "/" : "", prefix, name, line->extra ? line->extra : "",
			      suffix) < 0)
		return compile_no_memory(error);
	if (ret->count && !strcmp(ret->path[ret->count - 1], path))
		return 0; /* lib and rlib are the same */
	return compile_output_add(ret, path, strlen(path), "", error);
}

/* *ret_others: all of it has others' code in it. */
static int add_linked(const struct rust_line *line, struct compile_outputs *ret, bool *ret_others,
		      struct error *error)
{
	const char *path;
	size_t length;
	int result = 0;

	*ret_others = true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !result; i++) {
		bool wanted = !i && (line->test || !line->type_count);

		for (size_t j = 0; j < line->type_count && !line->test; j++)
			wanted |= has_word(line->types[j], types[i].type, &path, &length);
		*ret_others &= !wanted || types[i].linked;
		if (wanted && !line->output)
			result = add_file(line, ret, types[i].prefix, types[i].suffix, error);
	}
	return result;
}

static int decide(const struct rust_line *line, struct compile_outputs *ret, struct error *error)
{
	const char *path, *object_path;
	size_t length, object_length;
	bool links = emits(line, "link", &path, &length);
	bool object = emits(line, "obj", &object_path, &object_length), others = false;
	int result = 0;

	ret->none = line->none || !line->source || (!links && !object) ||
		    (line->output && !strcmp(line->output, "-"));
	if (ret->none)
		return 0;
	if (line->output && !path && !object_path)
		result = compile_output_add(ret, line->output, strlen(line->output), "", error);
	if (!result && links && path)
		result = compile_output_add(ret, path, length, "", error);
	else if (!result && links)
		result = add_linked(line, ret, &others, error);
	if (!result && object && object_path)
		result = compile_output_add(ret, object_path, object_length, "", error);
	else if (!result && object && !line->output)
		result = add_file(line, ret, "", ".o", error);
	ret->linked = others && !object;
	return result;
}

int compile_rustc_outputs(const struct arguments *arguments, struct compile_outputs *ret,
			  struct error *error)
{
	struct rust_line line = { .source = NULL };

	for (size_t i = 0; i < arguments->count;) {
		const char *text = arguments->text[i];

		if (text[0] == '-' && text[1]) {
			i += take_option(&line, text,
					 i + 1 < arguments->count ? arguments->text[i + 1] : NULL);
		} else {
			line.source = line.source ? line.source : text;
			i++;
		}
	}
	return decide(&line, ret, error);
}
