/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text_read.c - the golden text, read back without loss
 *
 * The format is docs/TABLE_TEXT.md's. A text is kept in version control, merged and edited by hand,
 * so nothing about it is believed: a line is either what table_text_write() would have written
 * there, or ERROR_TEXT_SYNTAX with its number. That is checked in the plainest way: the rules that
 * were read are printed again, and must give the characters they came from. So a number with a
 * leading zero, two registers in the wrong order, an operation spelt otherwise are all refused, and
 * reading and writing are each other's inverse by construction.
 *
 * Each different text of rules is parsed once (few are); they are found in a balanced tree, which
 * no choice of texts can make slow.
 */
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "table_text.h"
#include "cfi/expression.h"

/* Characters of a line. */
struct span {
	const char *at;
	const char *end;
};

/* A text of rules met before. at: behind the struct, but of the one that is sought. */
struct known_rules {
	const char *at;
	size_t size;
	uint32_t rules;
};

struct table_text_parser {
	uint64_t line;	  /* number of the last one */
	bool in_function; /* its end has not come */
	bool forgotten;	  /* functions came, and are gone */
	struct table_text *text;
	void *known;	  /* tsearch tree of struct known_rules */
	FILE *again;	  /* rules printed again, into */
	char *again_text; /* these again_size characters */
	size_t again_size;
	struct error *error;
};

static int __attribute__((format(printf, 2, 3)))
fail(struct table_text_parser *parser, const char *format, ...)
{
	char what[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return error_set(parser->error, ERROR_TEXT_SYNTAX, "", parser->line, "line %" PRIu64 ": %s",
			 parser->line, what);
}

/* ---- words ------------------------------------------------------------------------------- */

static size_t left(const struct span *span)
{
	return (size_t)(span->end - span->at);
}

/* Takes word if the span begins with it. */
static bool take(struct span *span, const char *word)
{
	size_t length = strlen(word);
	if (left(span) < length || memcmp(span->at, word, length))
		return false;
	span->at += length;
	return true;
}

/* Hexadecimal or decimal digits, as printf writes them: no leading zero, small letters. */
static bool take_number(struct span *span, unsigned int base, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef";
	const char *start = span->at;
	uint64_t value = 0;
	for (; span->at < span->end; span->at++) {
		const char *digit = memchr(digits, *span->at, base);
		if (!digit)
			break;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(digit - digits), &value))
			return false;
	}
	*ret = value;
	return span->at > start && (*start != '0' || span->at == start + 1);
}

/* "+16", "-8": all 64 bits. */
static bool take_signed(struct span *span, int64_t *ret)
{
	uint64_t value;
	bool negative = take(span, "-");
	if ((!negative && !take(span, "+")) || !take_number(span, 10, &value) ||
	    value > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = (int64_t)(negative ? -value : value);
	return true;
}

/* "rbx", or "r17" for a register without a name. Stops at what follows a name. */
static bool take_register(struct span *span, uint32_t *ret)
{
	char name[12];
	size_t length = 0;
	while (length < left(span) && length < sizeof(name) - 1 &&
	       !strchr(" +-=", span->at[length])) {
		name[length] = span->at[length];
		length++;
	}
	name[length] = '\0';
	int known = register_number(name);
	struct span number = { name + 1, name + length };
	uint64_t value = (uint64_t)known;
	if (known < 0 && (name[0] != 'r' || !take_number(&number, 10, &value) || left(&number) ||
			  value > UINT32_MAX))
		return false;
	*ret = (uint32_t)value;
	span->at += length;
	return true;
}

static enum error_code take_code(struct span *span)
{
	for (enum error_code code = ERROR_NONE + 1; code < ERROR_CODE_COUNT; code++) {
		const char *name = error_code_name(code);
		if (left(span) == strlen(name) && take(span, name))
			return code;
	}
	return ERROR_NONE;
}

/* ---- rules ------------------------------------------------------------------------------- */

/* Up to the closing parenthesis: no operation has one. Bytes follow those read before. */
static bool take_expression(struct span *span, struct span *bytes, struct row_rule *rule)
{
	const char *end = memchr(span->at, ')', left(span));
	size_t size = 0;
	if (!end || expression_read(span->at, (size_t)(end - span->at), (uint8_t *)bytes->at,
				    left(bytes), &size))
		return false;
	rule->expression = (const uint8_t *)bytes->at;
	rule->expression_bytes = size;
	bytes->at += size;
	span->at = end + 1;
	return true;
}

static bool take_cfa(struct span *span, struct span *bytes, struct row_rule *rule)
{
	if (take(span, "none"))
		return true;
	if (take(span, "exp(")) {
		rule->kind = RULE_CFA_EXPRESSION;
		return take_expression(span, bytes, rule);
	}
	rule->kind = RULE_CFA_REGISTER;
	return take_register(span, &rule->reg) && take_signed(span, &rule->offset);
}

static bool take_rule(struct span *span, struct span *bytes, struct row_rule *rule)
{
	if (take(span, "none"))
		return true;
	if (take(span, "undefined")) {
		rule->kind = RULE_UNDEFINED;
		return true;
	}
	if (take(span, "same")) {
		rule->kind = RULE_SAME_VALUE;
		return true;
	}
	if (take(span, "exp(") || take(span, "val_exp(")) {
		rule->kind = span->at[-5] == '_' ? RULE_VAL_EXPRESSION : RULE_EXPRESSION;
		return take_expression(span, bytes, rule);
	}
	if (take(span, "c") || take(span, "v")) {
		rule->kind = span->at[-1] == 'v' ? RULE_VAL_OFFSET : RULE_OFFSET;
		return take_signed(span, &rule->offset);
	}
	rule->kind = RULE_REGISTER;
	return take_register(span, &rule->reg);
}

/* One "NAME=WHERE". Which may come where, and in what order, printing it again tells. */
static bool take_column(struct span *span, struct span *bytes, struct row *row)
{
	uint32_t reg = REGISTER_RIP;
	if (take(span, "cfa="))
		return row->cfa.kind == RULE_UNSPECIFIED && take_cfa(span, bytes, &row->cfa);
	if (take(span, "args="))
		return take_number(span, 10, &row->args_size);
	if (take(span, "high="))
		return take_number(span, 16, &row->high);
	if (take(span, "ra-signed"))
		return row->ra_signed = true;
	if (!take(span, "ra=") &&
	    (!take_register(span, &reg) || reg >= REGISTER_RIP || !take(span, "=")))
		return false;
	return row->reg[reg].kind == RULE_UNSPECIFIED && take_rule(span, bytes, &row->reg[reg]);
}

static int check_again(struct table_text_parser *parser, const struct span *rules,
		       const struct row *row)
{
	rewind(parser->again);
	row_print(parser->again, row);
	if (fflush(parser->again))
		return error_set_errno(parser->error, "cannot print rules");
	if ((size_t)ftell(parser->again) != left(rules) ||
	    memcmp(parser->again_text, rules->at, left(rules)))
		return fail(parser, "rules are not spelt as they are written");
	return 0;
}

static int parse_rules(struct table_text_parser *parser, const struct span *rules, uint32_t *ret)
{
	/* No operation is longer than twice its text and the room of one 64-bit operand. */
	size_t capacity = 2 * left(rules) + 16;
	FREED uint8_t *expressions = malloc(capacity);
	if (!expressions)
		return error_set(parser->error, ERROR_MEMORY, "", 0, "no memory for expressions");
	struct span bytes = { (char *)expressions, (char *)expressions + capacity };
	struct span at = *rules;
	struct row row = { 0 };
	int result = 0;
	do {
		if (!take_column(&at, &bytes, &row))
			result = fail(parser, "column %td: not a rule", at.at - rules->at + 1);
	} while (!result && take(&at, " "));
	if (!result && left(&at))
		result = fail(parser, "column %td: no rule ends like this", at.at - rules->at + 1);
	if (!result)
		result = check_again(parser, rules, &row);
	if (!result)
		result = table_text_add_rules(parser->text, &row, ret, parser->error);
	return result;
}

static int compare_known(const void *a, const void *b)
{
	const struct known_rules *left_rules = a;
	const struct known_rules *right_rules = b;
	if (left_rules->size != right_rules->size)
		return left_rules->size < right_rules->size ? -1 : 1;
	return memcmp(left_rules->at, right_rules->at, left_rules->size);
}

/* The number of a text of rules, parsed if it is new. */
static int find_rules(struct table_text_parser *parser, const struct span *rules, uint32_t *ret)
{
	struct known_rules wanted = { rules->at, left(rules), 0 };
	struct known_rules **found = tfind(&wanted, &parser->known, compare_known);
	if (found) {
		*ret = (*found)->rules;
		return 0;
	}
	if (parse_rules(parser, rules, ret))
		return -1;
	struct known_rules *known = malloc(sizeof(*known) + left(rules));
	if (known) {
		known->at = memcpy(known + 1, rules->at, left(rules));
		known->size = left(rules);
		known->rules = *ret;
	}
	if (!known || !tsearch(known, &parser->known, compare_known)) {
		free(known);
		return error_set(parser->error, ERROR_MEMORY, "", 0, "no memory for rules");
	}
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* As table_text.c writes names: \xNN for what would break a line, and for nothing else. */
static bool is_name(const struct span *span)
{
	struct span at = *span;
	while (left(&at)) {
		unsigned char byte = (unsigned char)*at.at;
		if (byte <= ' ' || byte == 0x7f)
			return false;
		if (byte != '\\') {
			at.at++;
			continue;
		}
		if (left(&at) < 4 || !take(&at, "\\x"))
			return false;
		struct span digits = { at.at, at.at + 2 };
		uint64_t value;
		take(&digits, "0"); /* it has two digits always */
		if (!take_number(&digits, 16, &value) || left(&digits) || !value ||
		    (value > ' ' && value < 0x7f && value != '\\'))
			return false;
		at.at += 2;
	}
	return left(span) > 0;
}

static struct table_text_function *last_function(const struct table_text_parser *parser)
{
	return &parser->text->function[parser->text->function_count - 1];
}

static int parse_function(struct table_text_parser *parser, struct span line)
{
	static const char suffix[] = " signal";
	size_t suffix_size = sizeof(suffix) - 1;
	bool is_signal = left(&line) > suffix_size &&
			 !memcmp(line.end - suffix_size, suffix, suffix_size);
	if (parser->in_function)
		return fail(parser, "the function before has no end");
	if (is_signal)
		line.end -= suffix_size;
	if (!is_name(&line))
		return fail(parser, "not a function's name");
	parser->in_function = true;
	return table_text_add_function(parser->text, line.at, left(&line), is_signal,
				       parser->error);
}

/* Before the first function: "diagnostic CODE", "diagnostics N more". */
static int parse_lost_entry(struct table_text_parser *parser, struct span line)
{
	uint64_t more;
	if (parser->text->function_count || parser->forgotten)
		return fail(parser, "a diagnostic of the section after a function");
	if (parser->text->diagnostics_dropped)
		return fail(parser, "a diagnostic after those that are only counted");
	if (take(&line, "s ")) {
		if (!take_number(&line, 10, &more) || !more || !take(&line, " more") || left(&line))
			return fail(parser, "not a number of diagnostics");
		parser->text->diagnostics_dropped = more;
		return 0;
	}
	enum error_code code = take(&line, " ") ? take_code(&line) : ERROR_NONE;
	if (!code)
		return fail(parser, "not an error's name");
	return table_text_add_diagnostic(parser->text, code, parser->error);
}

static int parse_end(struct table_text_parser *parser, uint64_t offset)
{
	struct table_text_function *function = last_function(parser);
	const struct table_text *text = parser->text;
	if (function->row_count && text->row[text->row_count - 1].offset >= offset)
		return fail(parser, "the function ends before its last row");
	function->length = offset;
	parser->in_function = false;
	return 0;
}

/* A line of a function, after its two spaces: a row, a diagnostic, or the end. */
static int parse_inside(struct table_text_parser *parser, struct span line)
{
	uint64_t offset;
	uint32_t rules;
	if (!parser->in_function)
		return fail(parser, "a row outside of a function");
	struct table_text_function *function = last_function(parser);
	if (take(&line, "diagnostic ")) {
		if (function->diagnostic)
			return fail(parser, "a function has one diagnostic at most");
		function->diagnostic = take_code(&line);
		return function->diagnostic ? 0 : fail(parser, "not an error's name");
	}
	if (!take(&line, "+0x") || !take_number(&line, 16, &offset) || !take(&line, " "))
		return fail(parser, "not an offset in the function");
	if (left(&line) == 3 && take(&line, "end"))
		return parse_end(parser, offset);
	if (function->diagnostic)
		return fail(parser, "a row after the function's diagnostic");
	if (function->row_count && parser->text->row[parser->text->row_count - 1].offset >= offset)
		return fail(parser, "rows are not in order");
	if (find_rules(parser, &line, &rules))
		return -1;
	return table_text_add_row(parser->text, offset, rules, parser->error);
}

static int parse_line(struct table_text_parser *parser, struct span line)
{
	parser->line++;
	if (parser->line == 1)
		return left(&line) == strlen(TABLE_TEXT_HEADER) && take(&line, TABLE_TEXT_HEADER)
			       ? 0
			       : fail(parser, "not a table's text, or of another version");
	if (take(&line, "  "))
		return parse_inside(parser, line);
	if (take(&line, "function "))
		return parse_function(parser, line);
	if (parser->in_function)
		return fail(parser, "the function has no end");
	if (take(&line, "diagnostic"))
		return parse_lost_entry(parser, line);
	return fail(parser, "neither a function nor a row");
}

/* ---- a whole text ------------------------------------------------------------------------ */

struct table_text_parser *table_text_parser_create(struct error *error)
{
	struct table_text_parser *parser = calloc(1, sizeof(*parser));
	if (!parser) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory to read a table's text");
		return NULL;
	}
	parser->error = error;
	parser->again = open_memstream(&parser->again_text, &parser->again_size);
	if (!parser->again)
		error_set_errno(error, "cannot print rules");
	else
		parser->text = table_text_alloc(error);
	if (parser->text)
		return parser;
	table_text_parser_destroy(parser);
	return NULL;
}

int table_text_parser_line(struct table_text_parser *parser, const char *line, size_t size)
{
	return parse_line(parser, (struct span) { line, line + size });
}

struct table_text *table_text_parser_text(struct table_text_parser *parser, bool *ret_in_function)
{
	*ret_in_function = parser->in_function;
	return parser->text;
}

void table_text_parser_forget(struct table_text_parser *parser)
{
	struct table_text *text = parser->text;
	for (size_t i = 0; i < text->function_count; i++)
		free(text->function[i].name);
	text->function_count = 0;
	text->row_count = 0;
	parser->forgotten = true;
}

int table_text_parser_end(struct table_text_parser *parser, struct table_text **ret)
{
	if (!parser->line) {
		parser->line++;
		return fail(parser, "the text is empty");
	}
	if (parser->in_function)
		return fail(parser, "the text ends inside of a function");
	*ret = parser->text;
	parser->text = NULL;
	return 0;
}

void table_text_parser_destroy(struct table_text_parser *parser)
{
	if (!parser)
		return;
	table_text_destroy(parser->text);
	tdestroy(parser->known, free);
	if (parser->again)
		fclose(parser->again);
	free(parser->again_text);
	free(parser);
}

int table_text_read(const char *text, size_t size, struct table_text **ret, struct error *error)
{
	struct table_text_parser *parser = table_text_parser_create(error);
	const char *at = text, *end = text + size;
	int result = parser ? 0 : -1;

	*ret = NULL;
	while (!result && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		if (newline) {
			result = table_text_parser_line(parser, at, (size_t)(newline - at));
			at = newline + 1;
		} else {
			parser->line++;
			result = fail(parser, "the line does not end");
		}
	}
	if (!result)
		result = table_text_parser_end(parser, ret);
	table_text_parser_destroy(parser);
	return result;
}
