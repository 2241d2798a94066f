/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text.h - how a saved table is put together: between the reader and what holds it
 *
 * A table has many rows and few different rules: libLLVM's 861,000 rows have some thousands. So a
 * row is an offset and a number, and each text of rules is parsed once. Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_TEXT_H
#define STACKPROOF_TABLE_TEXT_H

#include "saved_table.h"

#define TABLE_TEXT_HEADER "stackproof table text 1"

/* The rules of a row, without those that say nothing. */
struct table_text_rules {
	uint64_t args_size;
	bool ra_signed;
	uint32_t count;
	struct {
		uint32_t column; /* DWARF register number; TABLE_TEXT_CFA */
		struct row_rule rule;
	} column[]; /* and then the expressions' bytes */
};
#define TABLE_TEXT_CFA REGISTER_COUNT

struct table_text *table_text_alloc(struct error *error);
/* Each adds one; 0, or -1 without memory. name is name_size characters, copied. */
int table_text_add_function(struct table_text *text, const char *name, size_t name_size,
			    bool signal, struct error *error);
int table_text_add_row(struct table_text *text, uint64_t offset, uint32_t rules,
		       struct error *error);
int table_text_add_diagnostic(struct table_text *text, enum error_code code, struct error *error);
/* Copies the rules of row, and gives their number. */
int table_text_add_rules(struct table_text *text, const struct row *row, uint32_t *ret,
			 struct error *error);
/* "+0x4 cfa=rsp+8 ra=c-8" -> "cfa=rsp+8 ra=c-8" of rules number rules. */
void table_text_get_rules(const struct table_text *text, uint32_t rules, struct row *ret);

/* ---- table_text_read.c: a text line by line ------------------------------------------------ */

struct table_text_parser;
/* Keeps error, which its functions fill. NULL: no memory. */
struct table_text_parser *table_text_parser_create(struct error *error);
void table_text_parser_destroy(struct table_text_parser *parser);
/* The next line, without its newline. 0, or -1: it is none. */
int table_text_parser_line(struct table_text_parser *parser, const char *line, size_t size);
/* What was read so far; *ret_in_function: its last function goes on. The parser's. */
struct table_text *table_text_parser_text(struct table_text_parser *parser, bool *ret_in_function);
/* Drops the functions read so far, but not what rules are known by which number. */
void table_text_parser_forget(struct table_text_parser *parser);
/* The text is over. *ret is the caller's: table_text_destroy. */
int table_text_parser_end(struct table_text_parser *parser, struct table_text **ret);

#endif
