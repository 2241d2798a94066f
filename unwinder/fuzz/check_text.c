/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * check_text.c - a table's text is read back without loss (docs/TABLE_TEXT.md)
 *
 * Whatever table_text_read() accepts must come out of table_text_write_saved() byte for byte. What
 * it holds in between must make sense by itself: rows in order, inside their function.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "table/saved_table.h"

static void check_function(const struct table_text *text,
			   const struct table_text_function *function)
{
	uint64_t pc = 0;

	fuzz_require(function->name && *function->name && !strchr(function->name, '\n'),
		     "a function's name is \"%s\"", function->name);
	fuzz_require(function->first_row <= text->row_count &&
			     function->row_count <= text->row_count - function->first_row,
		     "%s has rows that are none", function->name);
	for (size_t i = 0; i < function->row_count; i++) {
		struct row row;

		table_text_get_row(text, function, i, &row);
		fuzz_require(row.pc < row.pc_end && row.pc_end <= function->length,
			     "%s: row %zu is not inside", function->name, i);
		fuzz_require(!i || row.pc == pc, "%s: row %zu is not where the last one ended",
			     function->name, i);
		fuzz_require(row.signal_frame == function->signal, "%s: row %zu: signal_frame",
			     function->name, i);
		pc = row.pc_end;
	}
}

void fuzz_check_text(const char *text, size_t size, bool ours)
{
	struct table_text *table = NULL;
	struct error error = { 0 };
	char *again = NULL;
	size_t again_size = 0;

	if (table_text_read(text, size, &table, &error)) {
		fuzz_require(!table, "failed, and left a table");
		fuzz_require(!ours, "our own text: %s", error.message);
		fuzz_require(error.code == ERROR_TEXT_SYNTAX, "%s", error_code_name(error.code));
		fuzz_require(error.offset >= 1 && error.offset <= size + 1, "line %llu",
			     (unsigned long long)error.offset);
		fuzz_check_error(&error, NULL, UINT64_MAX);
		return;
	}
	for (size_t i = 0; i < table->function_count; i++)
		check_function(table, &table->function[i]);
	FILE *file = open_memstream(&again, &again_size);
	if (!file)
		abort();
	fuzz_require(!table_text_write_saved(file, table, &error), "%s", error.message);
	if (fclose(file))
		abort();
	fuzz_require(again_size == size && !memcmp(again, text, size),
		     "%zu bytes were read, and these written:\n%s", size, again);
	free(again);
	table_text_destroy(table);
}
