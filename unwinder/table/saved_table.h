/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * saved_table.h - a table as text, and that text read back
 *
 *	table_text.c		an image's table as text
 *	table_text_read.c	parses the text, and trusts no byte of it
 *	table_text_store.c	struct table_text
 *
 * For commands that compare tables: `diff` and `golden`. A walk needs none of it.
 */
#ifndef STACKPROOF_SAVED_TABLE_H
#define STACKPROOF_SAVED_TABLE_H

#include "cfi/cfi.h"

/* Writes the golden text: rows grouped by function, one per line, without addresses. docs/TABLE_TEXT.md has
 * the format. */
int table_text_write(FILE *file, const struct cfi *cfi, struct error *error);

/* A row of a saved table: from offset bytes into the function on, the set of rules with the number `rules`
 * holds. Equal numbers are equal rules. */
struct table_text_row {
	uint64_t offset;
	uint32_t rules;
};

struct table_text_function {
	char *name;	  /* as the text has it: bytes that would break a line are \xNN */
	bool signal;	  /* its rows are those of a signal frame */
	bool has_pc;	  /* pc is known: the function is from an image, not from a text */
	uint64_t pc;	  /* image address */
	uint64_t length;  /* bytes */
	size_t first_row; /* in table_text.row */
	size_t row_count;
	enum error_code diagnostic; /* why the rest could not be read; else ERROR_NONE */
};

/* All that a text says. rules is private to table_text_get_row(). */
struct table_text {
	struct table_text_function *function;
	size_t function_count;
	struct table_text_row *row;
	size_t row_count;
	struct table_text_rules **rules;
	size_t rules_count;
	enum error_code *diagnostic; /* of entries that could not be read */
	size_t diagnostic_count;
	uint64_t diagnostics_dropped; /* how many more such entries */
};

/*
 * Reads size bytes of golden text, which need not end in a NUL. Accepts only what table_text_write() can
 * write, so writing it again gives the same bytes. Anything else is ERROR_TEXT_SYNTAX, with the line's
 * number as offset. *ret: table_text_destroy().
 */
int table_text_read(const char *text, size_t size, struct table_text **ret, struct error *error);
/* Is given a function, the last of text, valid until the callback returns. Non-zero stops, and error must be
 * set. */
typedef int (*table_text_function_fn)(void *context, const struct table_text *text,
				      const struct table_text_function *function,
				      struct error *error);
/* Makes the same from an image's CFI, with the functions' addresses. fn is called for each function, which is
 * then dropped: so the memory of one function is enough, and *ret has no functions. The numbers of rules are the
 * same for all functions. fn NULL: all functions are kept. *ret: table_text_destroy(). */
int table_text_each(const struct cfi *cfi, table_text_function_fn fn, void *context,
		    struct table_text **ret, struct error *error);
/* table_text_each() without fn. */
int table_text_create(const struct cfi *cfi, struct table_text **ret, struct error *error);
void table_text_destroy(struct table_text *text);
/* Writes a text that was read. */
int table_text_write_saved(FILE *file, const struct table_text *text, struct error *error);
/* Row number index of a function as canonical rules. ret's pc and pc_end are offsets in the function; its
 * expressions are valid as long as text. */
void table_text_get_row(const struct table_text *text, const struct table_text_function *function,
			size_t index, struct row *ret);

#endif
