/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * saved_table.h - a table as text, and as its text says it
 *
 *	table_text.c		an image's table as text
 *	table_text_read.c	the text, every byte distrusted
 *	table_text_store.c	what holds it
 *
 * For who compares tables: `diff` and `golden`. A walk needs none of it.
 */
#ifndef STACKPROOF_SAVED_TABLE_H
#define STACKPROOF_SAVED_TABLE_H

#include "cfi/cfi.h"

/* The golden text: address-free, one line a row, grouped by function. Format: docs/TABLE_TEXT.md.
 */
int table_text_write(FILE *file, const struct cfi *cfi, struct error *error);

/* A row of a saved table: rules number rules hold from offset bytes into the function on. Equal
 * numbers are equal rules. */
struct table_text_row {
	uint64_t offset;
	uint32_t rules;
};

struct table_text_function {
	char *name;	  /* as the text has it: bytes that would break a line are \xNN */
	bool signal;	  /* its rows are those of a signal frame */
	bool has_pc;	  /* pc is known: it came from an image, not from a text */
	uint64_t pc;	  /* image address */
	uint64_t length;  /* bytes */
	size_t first_row; /* in table_text.row */
	size_t row_count;
	enum error_code diagnostic; /* the rest of it could not be read; else ERROR_NONE */
};

/* All that a text says. rules is private: table_text_get_row() */
struct table_text {
	struct table_text_function *function;
	size_t function_count;
	struct table_text_row *row;
	size_t row_count;
	struct table_text_rules **rules;
	size_t rules_count;
	enum error_code *diagnostic; /* entries that could not be read */
	size_t diagnostic_count;
	uint64_t diagnostics_dropped; /* and that many more */
};

/*
 * Reads size bytes of golden text, which need not end in a NUL. Only what table_text_write() could
 * have written is accepted, so writing it again gives the same bytes; anything else is
 * ERROR_TEXT_SYNTAX with the line's number as offset. *ret: table_text_destroy.
 */
int table_text_read(const char *text, size_t size, struct table_text **ret, struct error *error);
/* One function that was read: text's last one, until fn returns. Non-zero: error is set, and it
 * ends. */
typedef int (*table_text_function_fn)(void *context, const struct table_text *text,
				      const struct table_text_function *function,
				      struct error *error);
/* The same of an image's CFI, with the functions' addresses. fn is called for each function,
 * which is then forgotten, so that *ret holds none and no more memory is taken than one needs.
 * rules have the same numbers for all of them. fn NULL: all are kept. */
int table_text_each(const struct cfi *cfi, table_text_function_fn fn, void *context,
		    struct table_text **ret, struct error *error);
int table_text_create(const struct cfi *cfi, struct table_text **ret, struct error *error);
void table_text_destroy(struct table_text *text);
/* Writes what was read. */
int table_text_write_saved(FILE *file, const struct table_text *text, struct error *error);
/* Row index of a function as canonical rules: pc .. pc_end are offsets in the function; expressions
 * are valid as long as text is. */
void table_text_get_row(const struct table_text *text, const struct table_text_function *function,
			size_t index, struct row *ret);

#endif
