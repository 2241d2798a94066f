/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_arguments.c - the words of a command line, with those of files in their place
 *
 * GCC and clang take @FILE for FILE's words, which have quotes as a shell's have (libiberty, argv.c). Of
 * rustc each line of FILE is one word as it is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "freed.h"
#include "array.h"
#include "compile_line.h"

int compile_no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "a compiler's arguments");
}

int arguments_add(struct arguments *arguments, const char *text, size_t length)
{
	char *copy;

	if (arguments->count == COMPILE_ARGUMENTS_MAX)
		return 0;
	copy = strndup(text, length);
	if (!copy || !ARRAY_ADD(arguments->text, arguments->count, copy)) {
		free(copy);
		return compile_no_memory(arguments->error);
	}
	return 0;
}

void arguments_deinit(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->text[i]);
	free(arguments->text);
}

static bool is_blank(char c)
{
	return c && strchr(" \t\n\r\v\f", c);
}

/* To the line's end. */
static const char *read_line(const char *at, char *word)
{
	while (*at && *at != '\n' && *at != '\r')
		*word++ = *at++;
	*word = '\0';
	return at;
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
	FILE_CLOSED FILE *file = stat(path, &status) || !S_ISREG(status.st_mode) ||
						 status.st_size > COMPILE_FILE_BYTES_MAX
					 ? NULL
					 : fopen(path, "re");
	char *text = file ? calloc(1, (size_t)status.st_size + 1) : NULL;

	if (text && fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
		free(text);
		text = NULL;
	}
	return text;
}

static int add_file(struct arguments *arguments, const char *text, unsigned int depth)
{
	FREED char *word = malloc(strlen(text) + 1);
	const char *at = text;
	int result = word ? 0 : compile_no_memory(arguments->error);

	while (!result) {
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		at = arguments->lines ? read_line(at, word) : read_word(at, word);
		result = arguments_read(arguments, word, depth);
	}
	return result;
}

int arguments_read(struct arguments *arguments, const char *text, unsigned int depth)
{
	FREED char *file = text[0] == '@' && depth < COMPILE_FILE_DEPTH_MAX ? read_file(text + 1)
									    : NULL;

	return file ? add_file(arguments, file, depth + 1)
		    : arguments_add(arguments, text, strlen(text));
}
