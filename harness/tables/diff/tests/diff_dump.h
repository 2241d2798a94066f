/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_dump.h - a dump's text read in a dialect, and all that it became as text
 *
 *	0x1000+10 signal:	a function, its length, and what it is
 *	 0 cfa=rsp+8 ra=c-8	its rows
 *	flat			functions are not known
 *	line 3: not a row	why it can't be read
 */
#ifndef STACKPROOF_TESTS_DIFF_DUMP_H
#define STACKPROOF_TESTS_DIFF_DUMP_H

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tables/diff/diff.h"

struct dump_case {
	const char *name;
	const struct diff_dialect *dialect;
	const char *text, *said;
};

static inline void diff_table_say(FILE *file, const struct diff_table *table)
{
	if (table->flat)
		fputs("flat\n", file);
	for (size_t i = 0; i < table->function_count; i++) {
		const struct diff_function *function = &table->function[i];
		char number[DIFF_NUMBER_BYTES];

		ck_assert(function->has_pc && !function->named && !function->diagnostic);
		fprintf(file, "%s+%" PRIx64 "%s:\n", diff_function_name(function, number),
			function->length, function->signal ? " signal" : "");
		for (uint32_t j = 0; j < function->row_count; j++) {
			const struct diff_row *row = &table->row[function->first_row + j];

			fprintf(file, " %" PRIx64 " %s\n", row->offset, row->words);
		}
	}
}

/* To be freed. */
static inline char *diff_dump_said(const struct diff_dialect *dialect, const char *text)
{
	struct diff_words words = { 0 };
	struct diff_table table = { .dialect = dialect, .words = &words };
	struct error error = { 0 };
	char *said = NULL, *copy = strdup(text);
	size_t size;
	FILE *file = open_memstream(&said, &size);
	int status = dialect->read(copy, &table, &error);

	ck_assert(!status || status == -1);
	if (status) {
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		fprintf(file, "%s\n", error.message);
	} else {
		diff_table_say(file, &table);
	}
	fclose(file);
	diff_table_deinit(&table);
	diff_words_deinit(&words);
	free(copy);
	return said;
}

static inline void diff_dump_check(const struct dump_case *test)
{
	char *said = diff_dump_said(test->dialect, test->text);

	ck_assert_msg(!strcmp(said, test->said), "%s:\n%s", test->name, said);
	free(said);
}

#endif
