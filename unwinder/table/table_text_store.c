/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text_store.c - a saved table in memory: build, look at, write
 *
 * What it holds is table_text.h's; who fills it is table_text_read.c. An image's CFI gets here
 * through its own text: the text is all that two tables are compared by, so nothing can come in
 * that the text does not say, and every image that is compared proves the reader again. The text is
 * read as it is written, a line at a time: all of it would be ten times as long as the section.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/cfi_section.h"
#include "table_text.h"

/* ---- build ------------------------------------------------------------------------------- */

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table's text");
}

struct table_text *table_text_alloc(struct error *error)
{
	struct table_text *text = calloc(1, sizeof(*text));
	if (!text)
		no_memory(error);
	return text;
}

int table_text_add_function(struct table_text *text, const char *name, size_t name_size,
			    bool signal, struct error *error)
{
	if (!ARRAY_GROW(text->function, text->function_count))
		return no_memory(error);
	char *copy = malloc(name_size + 1);
	if (!copy)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a function's name");
	memcpy(copy, name, name_size);
	copy[name_size] = '\0';
	text->function[text->function_count++] = (struct table_text_function) {
		.name = copy,
		.signal = signal,
		.first_row = text->row_count,
	};
	return 0;
}

int table_text_add_row(struct table_text *text, uint64_t offset, uint32_t rules,
		       struct error *error)
{
	if (!ARRAY_ADD(text->row, text->row_count, (struct table_text_row) { offset, rules }))
		return no_memory(error);
	text->function[text->function_count - 1].row_count++;
	return 0;
}

int table_text_add_diagnostic(struct table_text *text, enum error_code code, struct error *error)
{
	return ARRAY_ADD(text->diagnostic, text->diagnostic_count, code) ? 0 : no_memory(error);
}

static const struct row_rule *column_of(const struct row *row, uint32_t column)
{
	return column == TABLE_TEXT_CFA ? &row->cfa : &row->reg[column];
}

int table_text_add_rules(struct table_text *text, const struct row *row, uint32_t *ret,
			 struct error *error)
{
	size_t count = 0;
	uint64_t expression_bytes = 0;
	for (uint32_t column = 0; column <= TABLE_TEXT_CFA; column++) {
		count += column_of(row, column)->kind != RULE_UNSPECIFIED;
		expression_bytes += column_of(row, column)->expression_bytes;
	}
	if (text->rules_count == UINT32_MAX || !ARRAY_GROW(text->rules, text->rules_count))
		return no_memory(error);
	struct table_text_rules *rules =
		malloc(sizeof(*rules) + count * sizeof(rules->column[0]) + expression_bytes);
	if (!rules)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for rules");
	uint8_t *bytes = (uint8_t *)&rules->column[count];
	*rules = (struct table_text_rules) { .args_size = row->args_size,
					     .high = row->high,
					     .ra_signed = row->ra_signed };
	for (uint32_t column = 0; column <= TABLE_TEXT_CFA; column++) {
		struct row_rule rule = *column_of(row, column);
		if (rule.kind == RULE_UNSPECIFIED)
			continue;
		if (rule.expression_bytes)
			memcpy(bytes, rule.expression, rule.expression_bytes);
		rule.expression = bytes; /* never NULL: it may be read, though it be empty */
		bytes += rule.expression_bytes;
		rules->column[rules->count].column = column;
		rules->column[rules->count++].rule = rule;
	}
	*ret = (uint32_t)text->rules_count;
	text->rules[text->rules_count++] = rules;
	return 0;
}

void table_text_destroy(struct table_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < text->function_count; i++)
		free(text->function[i].name);
	for (size_t i = 0; i < text->rules_count; i++)
		free(text->rules[i]);
	free(text->function);
	free(text->row);
	free(text->rules);
	free(text->diagnostic);
	free(text);
}

/* ---- look at ----------------------------------------------------------------------------- */

void table_text_get_rules(const struct table_text *text, uint32_t rules, struct row *ret)
{
	const struct table_text_rules *from = text->rules[rules];
	*ret = (struct row) { .args_size = from->args_size,
			      .high = from->high,
			      .ra_signed = from->ra_signed };
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t column = from->column[i].column;
		*(column == TABLE_TEXT_CFA ? &ret->cfa : &ret->reg[column]) = from->column[i].rule;
	}
}

void table_text_get_row(const struct table_text *text, const struct table_text_function *function,
			size_t index, struct row *ret)
{
	const struct table_text_row *row = &text->row[function->first_row + index];
	table_text_get_rules(text, row->rules, ret);
	ret->pc = row->offset;
	ret->pc_end = index + 1 < function->row_count ? row[1].offset : function->length;
	ret->signal_frame = function->signal;
}

/* ---- write ------------------------------------------------------------------------------- */

static void write_function(FILE *file, const struct table_text *text,
			   const struct table_text_function *function)
{
	fprintf(file, "function %s%s\n", function->name, function->signal ? " signal" : "");
	for (size_t i = 0; i < function->row_count; i++) {
		struct row row;
		table_text_get_row(text, function, i, &row);
		row.signal_frame = false; /* the function's line says it */
		fprintf(file, "  +0x%" PRIx64 " ", row.pc);
		row_print(file, &row);
		fputc('\n', file);
	}
	if (function->diagnostic)
		fprintf(file, "  diagnostic %s\n", error_code_name(function->diagnostic));
	fprintf(file, "  +0x%" PRIx64 " end\n", function->length);
}

int table_text_write_saved(FILE *file, const struct table_text *text, struct error *error)
{
	fputs(TABLE_TEXT_HEADER "\n", file);
	for (size_t i = 0; i < text->diagnostic_count; i++)
		fprintf(file, "diagnostic %s\n", error_code_name(text->diagnostic[i]));
	if (text->diagnostics_dropped)
		fprintf(file, "diagnostics %" PRIu64 " more\n", text->diagnostics_dropped);
	for (size_t i = 0; i < text->function_count; i++)
		write_function(file, text, &text->function[i]);
	if (ferror(file))
		return error_set_errno(error, "cannot write the table's text");
	return 0;
}

/* ---- from an image ----------------------------------------------------------------------- */

/* A stream that reads what is written to it, line by line. */
struct sink {
	const struct cfi *cfi;
	struct table_text_parser *parser;
	table_text_function_fn fn; /* NULL: all is kept */
	void *context;
	char *line; /* the part of one that has come */
	size_t size;
	size_t capacity;
	size_t by_pc;	    /* functions so far, of those of by_pc */
	size_t covers_none; /* the next FDE to look at, of those that cover nothing */
	struct error *error;
	int result;
};

/* The text's functions are those of by_pc, then those that cover nothing. */
static uint64_t next_pc(struct sink *sink)
{
	const struct cfi *cfi = sink->cfi;
	if (sink->by_pc < cfi->by_pc_count)
		return cfi->fde[cfi->by_pc[sink->by_pc++]].pc_begin;
	while (sink->covers_none < cfi->fde_count &&
	       cfi_fde_covers(cfi->image, &cfi->fde[sink->covers_none]))
		sink->covers_none++;
	return sink->covers_none < cfi->fde_count ? cfi->fde[sink->covers_none++].pc_begin : 0;
}

/* Images have some thousands of different rules. Each takes half a KiB here, and four bytes of a
 * section that was written for nothing else. */
#define RULES_MAX (1u << 17)

static int take_line(struct sink *sink)
{
	bool before, after;
	struct table_text *text = table_text_parser_text(sink->parser, &before);
	if (table_text_parser_line(sink->parser, sink->line, sink->size))
		return -1;
	if (text->rules_count > RULES_MAX)
		return error_set(sink->error, ERROR_MEMORY, sink->cfi->section->name, 0,
				 "more than %u different rules", RULES_MAX);
	text = table_text_parser_text(sink->parser, &after);
	if (!before || after)
		return 0;
	struct table_text_function *function = &text->function[text->function_count - 1];
	function->has_pc = true;
	function->pc = next_pc(sink);
	if (!sink->fn)
		return 0;
	int result = sink->fn(sink->context, text, function, sink->error);
	table_text_parser_forget(sink->parser);
	return result;
}

static int append(struct sink *sink, const char *data, size_t size)
{
	if (!ARRAY_RESERVE(sink->line, sink->capacity, sink->size + size))
		return no_memory(sink->error);
	if (size)
		memcpy(sink->line + sink->size, data, size);
	sink->size += size;
	return 0;
}

static ssize_t write_sink(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	for (size_t at = 0; at < size && !sink->result;) {
		const char *newline = memchr(data + at, '\n', size - at);
		size_t length = newline ? (size_t)(newline - data) - at : size - at;
		sink->result = append(sink, data + at, length);
		at += length + 1;
		if (newline && !sink->result) {
			sink->result = take_line(sink);
			sink->size = 0;
		}
	}
	return sink->result ? 0 : (ssize_t)size;
}

static int read_cfi(struct sink *sink, struct table_text **ret)
{
	static const cookie_io_functions_t functions = { .write = write_sink };
	struct error ignored; /* the sink has said it before */
	FILE *file = fopencookie(sink, "w", functions);
	if (!file)
		return error_set_errno(sink->error, "cannot write the table's text");
	int result = table_text_write(file, sink->cfi, &ignored);
	result |= fclose(file);
	if (sink->result)
		return -1;
	if (result)
		return error_set_errno(sink->error, "cannot write the table's text");
	return table_text_parser_end(sink->parser, ret);
}

int table_text_each(const struct cfi *cfi, table_text_function_fn fn, void *context,
		    struct table_text **ret, struct error *error)
{
	struct sink sink = { .cfi = cfi, .fn = fn, .context = context, .error = error };
	*ret = NULL;
	sink.parser = table_text_parser_create(error);
	int result = sink.parser ? read_cfi(&sink, ret) : -1;
	table_text_parser_destroy(sink.parser);
	free(sink.line);
	return result;
}

int table_text_create(const struct cfi *cfi, struct table_text **ret, struct error *error)
{
	return table_text_each(cfi, NULL, NULL, ret, error);
}
