/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * error.c - what went wrong, as a value
 *
 * Bad input is expected here: a truncated ELF file, an FDE that points nowhere. It is described by
 * a struct error that the caller owns, and never by a message printed from inside the library.
 * The names of all codes and stop reasons live here too, because JSON and tests use them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "error.h"
#include "plain_text.h"

static const char *const code_names[ERROR_CODE_COUNT] = {
	[ERROR_NONE] = "none",
	[ERROR_SYSTEM] = "system",
	[ERROR_MEMORY] = "memory",
	[ERROR_NOT_ELF] = "not_elf",
	[ERROR_THIN_ARCHIVE] = "thin_archive",
	[ERROR_UNSUPPORTED_ELF] = "unsupported_elf",
	[ERROR_ELF_BOUNDS] = "elf_bounds",
	[ERROR_RELOCATION] = "relocation",
	[ERROR_NO_CFI] = "no_cfi",
	[ERROR_CFI_LENGTH] = "cfi_length",
	[ERROR_CFI_TRUNCATED] = "cfi_truncated",
	[ERROR_CIE_POINTER] = "cie_pointer",
	[ERROR_CIE_VERSION] = "cie_version",
	[ERROR_CIE_AUGMENTATION] = "cie_augmentation",
	[ERROR_POINTER_ENCODING] = "pointer_encoding",
	[ERROR_CFI_REGISTER] = "cfi_register",
	[ERROR_CFI_INSTRUCTION] = "cfi_instruction",
	[ERROR_CFI_STATE] = "cfi_state",
	[ERROR_CFI_RANGE] = "cfi_range",
	[ERROR_SEARCH_TABLE] = "search_table",
	[ERROR_EXPRESSION] = "expression",
	[ERROR_EXPRESSION_MEMORY] = "expression_memory",
	[ERROR_EXPRESSION_REGISTER] = "expression_register",
	[ERROR_TABLE_LIMIT] = "table_limit",
	[ERROR_TEXT_SYNTAX] = "text_syntax",
	[ERROR_UNAVAILABLE] = "unavailable",
	[ERROR_PROTOCOL] = "protocol",
	[ERROR_TIMEOUT] = "timeout",
	[ERROR_NO_SFRAME] = "no_sframe",
	[ERROR_SFRAME_VERSION] = "sframe_version",
	[ERROR_SFRAME_HEADER] = "sframe_header",
	[ERROR_SFRAME_BOUNDS] = "sframe_bounds",
	[ERROR_SFRAME_FUNCTION] = "sframe_function",
	[ERROR_SFRAME_ROW] = "sframe_row",
	[ERROR_SFRAME_ORDER] = "sframe_order",
};

/* Messages quote names out of the file, which are any bytes: one must not end the line, nor talk to
 * the terminal. UTF-8 is left as it is. */
static void make_plain(char *text)
{
	plain_text(text, text, strlen(text) + 1);
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
	make_plain(to);
}

#define WHOLE_MAX 2048
#define GAP	  " ... "

/* Of a text that is too long both ends are kept, at whole words if there are any: the reason is
 * often its last word. */
static void fit_text(char *to, size_t size, const char *from)
{
	size_t length = strlen(from), head = size * 3 / 5, tail = size - 1 - head - strlen(GAP);
	const char *end = from + length - tail, *word;

	if (length < size) {
		copy_text(to, size, from);
		return;
	}
	for (size_t i = head; i > head / 2 && from[head] != ' '; i--)
		if (from[i] == ' ')
			head = i;
	word = strchr(end, ' ');
	if (word && word < end + tail / 2)
		end = word + 1;
	snprintf(to, size, "%.*s" GAP "%s", (int)head, from, end);
	make_plain(to);
}

int error_set(struct error *ret, enum error_code code, const char *section, uint64_t offset,
	      const char *format, ...)
{
	ret->code = code;
	ret->system_errno = 0;
	copy_text(ret->section, sizeof(ret->section), section ? section : "");
	ret->offset = offset;

	char whole[WHOLE_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(whole, sizeof(whole), format, arguments);
	va_end(arguments);
	fit_text(ret->message, sizeof(ret->message), whole);
	return -1;
}

int error_set_errno(struct error *ret, const char *format, ...)
{
	int saved = errno;
	ret->code = ERROR_SYSTEM;
	ret->system_errno = saved;
	ret->section[0] = '\0';
	ret->offset = 0;

	va_list arguments;
	va_start(arguments, format);
	char whole[WHOLE_MAX], text[128];
	int length = vsnprintf(whole, sizeof(whole) - sizeof(text), format, arguments);
	va_end(arguments);
	if (length >= 0) {
		size_t used = strlen(whole);
		snprintf(whole + used, sizeof(whole) - used, ": %s",
			 strerror_r(saved, text, sizeof(text)));
	}
	fit_text(ret->message, sizeof(ret->message), whole);
	return -1;
}

bool errno_is_want(int number)
{
	return number == ENOMEM || number == EMFILE || number == ENFILE;
}

bool error_is_want(const struct error *error)
{
	return error->code == ERROR_MEMORY ||
	       (error->code == ERROR_SYSTEM && errno_is_want(error->system_errno));
}

const char *error_code_name(enum error_code code)
{
	return (unsigned int)code < ERROR_CODE_COUNT ? code_names[code] : "unknown";
}

/* "nosuch: nosuch: No such file or directory": what opened it has said its name already. */
static bool names_it(const char *message, const char *path)
{
	size_t length = strlen(path);

	return length && !strncmp(message, path, length) && message[length] == ':';
}

void error_print(FILE *file, const char *path, const struct error *error)
{
	if (path && (error->section[0] || !names_it(error->message, path)))
		fprintf(file, "%s: ", PLAIN_TEXT(path));
	if (error->code == ERROR_ELF_BOUNDS) {
		/* Where a section lies is what is wrong: its own offsets mean nothing. */
		if (error->section[0])
			fprintf(file, "%s: ", error->section);
		fprintf(file, "file offset 0x%" PRIx64 ": ", error->offset);
	} else if (error->section[0]) {
		fprintf(file, "%s+0x%" PRIx64 ": ", error->section, error->offset);
	}
	fprintf(file, "%s\n", error->message);
}

void error_list_add(struct error_list *list, const struct error *error)
{
	if (list->count == ERROR_LIST_MAX || !ARRAY_ADD(list->error, list->count, *error))
		list->dropped++;
}

void error_list_deinit(struct error_list *list)
{
	free(list->error);
	*list = (struct error_list) { 0 };
}
