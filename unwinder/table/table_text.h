/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text.h - makes a saved table: between table_text_read.c and table_text_store.c
 *
 * A table has many rows, but few sets of rules: libLLVM's 861,000 rows have some thousands. So a row is an
 * offset and the number of its rules, and equal texts of rules are parsed once. Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_TEXT_H
#define STACKPROOF_TABLE_TEXT_H

#include "saved_table.h"

#define TABLE_TEXT_HEADER "stackproof table text 1"

/* The rules of a row, without those that say nothing. */
struct table_text_rules {
	uint64_t args_size;
	uint64_t high;
	bool ra_signed;
	uint32_t count;
	struct {
		uint32_t column; /* DWARF register number, or TABLE_TEXT_CFA */
		struct row_rule rule;
	} column[]; /* behind it: the expressions' bytes */
};
#define TABLE_TEXT_CFA REGISTER_COUNT

struct table_text *table_text_alloc(struct error *error);
/* Each adds one element. -1: no memory. name has name_size characters, which are copied. */
int table_text_add_function(struct table_text *text, const char *name, size_t name_size,
			    bool signal, struct error *error);
int table_text_add_row(struct table_text *text, uint64_t offset, uint32_t rules,
		       struct error *error);
int table_text_add_diagnostic(struct table_text *text, enum error_code code, struct error *error);
/* Copies the rules of row. *ret: their number. */
int table_text_add_rules(struct table_text *text, const struct row *row, uint32_t *ret,
			 struct error *error);
/* "+0x4 cfa=rsp+8 ra=c-8" -> "cfa=rsp+8 ra=c-8" of rules number rules. */
void table_text_get_rules(const struct table_text *text, uint32_t rules, struct row *ret);

/* ---- table_text_read.c: a text line by line ------------------------------------------------ */

struct table_text_parser;
/* error is borrowed, and filled by all of the parser's functions. NULL: no memory. */
struct table_text_parser *table_text_parser_create(struct error *error);
void table_text_parser_destroy(struct table_text_parser *parser);
/* Parses the next line, without its newline. -1: it is malformed. */
int table_text_parser_line(struct table_text_parser *parser, const char *line, size_t size);
/* What was read so far, the parser's. *ret_in_function: the last function may go on. */
struct table_text *table_text_parser_text(struct table_text_parser *parser, bool *ret_in_function);
/* Drops the functions that were read so far; the numbers of rules stay. */
void table_text_parser_forget(struct table_text_parser *parser);
/* Ends the text. *ret is the caller's: table_text_destroy(). */
int table_text_parser_end(struct table_text_parser *parser, struct table_text **ret);

#endif
