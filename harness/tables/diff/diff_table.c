/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_table.c - one side of a comparison: functions, and rows as words
 *
 * A saved table or an image comes through struct table_text; a dump fills the table itself, row by
 * row. Some dumps know no functions, only rows by address: those are cut where the other side's
 * functions begin and end. A stretch that no row covers says "no row", which is different from any
 * rule.
 */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "diff.h"

/* ---- words ------------------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *diff_intern(struct diff_words *words, const char *text)
{
	char **found = tfind(text, &words->tree, compare_words);
	if (found)
		return *found;
	char *copy = strdup(text);
	if (copy && tsearch(copy, &words->tree, compare_words))
		return copy;
	free(copy);
	return NULL;
}

void diff_words_deinit(struct diff_words *words)
{
	tdestroy(words->tree, free);
	words->tree = NULL;
}

/* ---- build ------------------------------------------------------------------------------- */

int diff_no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
}

/* ---- names ------------------------------------------------------------------------------- */

/* malloc() for each of a hundred thousand would take as much again. */
struct diff_names {
	struct diff_names *next;
	size_t used;
	size_t size;
	char text[];
};

static int too_many(struct error *error, const char *what, size_t max)
{
	return error_set(error, ERROR_TABLE_LIMIT, "", 0, "more than %zu %s in a table", max, what);
}

/* NULL: error is set. */
static const char *keep_name(struct diff_table *table, const char *name, struct error *error)
{
	size_t bytes = strlen(name) + 1;
	struct diff_names *block = table->names;

	if (bytes > DIFF_NAME_BYTES_MAX - table->name_bytes) {
		too_many(error, "bytes of names", DIFF_NAME_BYTES_MAX);
		return NULL;
	}
	if (!block || block->size - block->used < bytes) {
		size_t size = bytes > 65536 - sizeof(*block) ? bytes : 65536 - sizeof(*block);
		block = malloc(sizeof(*block) + size);
		if (!block) {
			diff_no_memory(error);
			return NULL;
		}
		*block = (struct diff_names) { .next = table->names, .size = size };
		table->names = block;
	}
	char *kept = memcpy(block->text + block->used, name, bytes);
	block->used += bytes;
	table->name_bytes += bytes;
	return kept;
}

const char *diff_function_name(const struct diff_function *function, char buffer[DIFF_NUMBER_BYTES])
{
	if (function->name)
		return function->name;
	if (function->number)
		snprintf(buffer, DIFF_NUMBER_BYTES, "fde.%" PRIu32, function->number);
	else
		snprintf(buffer, DIFF_NUMBER_BYTES, "0x%" PRIx64, function->pc);
	return buffer;
}

/* ---- functions and rows ------------------------------------------------------------------ */

void diff_table_deinit(struct diff_table *table)
{
	for (struct diff_names *block = table->names, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	free(table->function);
	free(table->row);
	*table = (struct diff_table) { 0 };
}

int diff_table_add_function(struct diff_table *table, const char *name,
			    const struct diff_function *function, struct error *error)
{
	if (table->function_count == DIFF_COUNT_MAX)
		return too_many(error, "functions", DIFF_COUNT_MAX);
	if (!ARRAY_GROW(table->function, table->function_count))
		return diff_no_memory(error);
	struct diff_function added = *function;
	added.first_row = (uint32_t)table->row_count;
	added.row_count = 0;
	added.name = name ? keep_name(table, name, error) : NULL;
	if (name && !added.name)
		return -1;
	table->function[table->function_count++] = added;
	return 0;
}

/* words are interned. */
static int add_row(struct diff_table *table, uint64_t offset, const char *words,
		   struct error *error)
{
	struct diff_function *function = &table->function[table->function_count - 1];
	if (!words)
		return diff_no_memory(error);
	if (function->row_count && table->row[table->row_count - 1].offset == offset) {
		table->row_count--;
		function->row_count--;
	}
	if (function->row_count && table->row[table->row_count - 1].words == words)
		return 0;
	if (table->row_count == DIFF_COUNT_MAX)
		return too_many(error, "rows", DIFF_COUNT_MAX);
	if (!ARRAY_ADD(table->row, table->row_count, (struct diff_row) { offset, words }))
		return diff_no_memory(error);
	function->row_count++;
	return 0;
}

int diff_table_add_row(struct diff_table *table, uint64_t offset, const char *text,
		       struct error *error)
{
	return add_row(table, offset, diff_intern(table->words, text), error);
}

/* A row's words in a dialect; NULL without memory. */
static const char *words_of(struct diff_words *words, const struct diff_dialect *dialect,
			    const struct row *row)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	dialect->print(file, row);
	return fclose(file) ? NULL : diff_intern(words, text);
}

int diff_table_add_canonical(struct diff_table *table, uint64_t offset, const struct row *row,
			     struct error *error)
{
	return add_row(table, offset, words_of(table->words, table->dialect, row), error);
}

/* ---- from a saved table ------------------------------------------------------------------ */

/* "fde.12": a name that counts, and says nothing. */
static bool is_named(const char *name)
{
	if (strncmp(name, "fde.", 4) || !name[4])
		return true;
	return name[4 + strspn(name + 4, "0123456789")] != '\0';
}

/* The number of "fde.12"; 0: it is none, or not written as we write it. */
static uint32_t fde_number(const char *name)
{
	unsigned long number;

	if (is_named(name) || name[4] == '0' || strlen(name) > 4 + 9)
		return 0;
	number = strtoul(name + 4, NULL, 10);
	return (uint32_t)number;
}

/* Functions of a text on their way into a table. */
struct source {
	struct diff_table *table;
	const char *
		*cache; /* words of the rules of each number, twice: of signal frames the second */
	size_t cache_count;
};

static int make_cache(struct source *source, size_t rules, struct error *error)
{
	if (2 * rules <= source->cache_count)
		return 0;
	const char **moved = reallocarray(source->cache, 4 * rules, sizeof(*moved));
	if (!moved)
		return diff_no_memory(error);
	memset(moved + source->cache_count, 0, (4 * rules - source->cache_count) * sizeof(*moved));
	source->cache = moved;
	source->cache_count = 4 * rules;
	return 0;
}

/* Rules of one number are put into words once, for signal frames and for others. */
static int add_text_rows(struct source *source, const struct table_text *text,
			 const struct table_text_function *from, struct error *error)
{
	struct diff_table *table = source->table;
	if (make_cache(source, text->rules_count, error))
		return -1;
	for (size_t i = 0; i < from->row_count; i++) {
		size_t number = text->row[from->first_row + i].rules;
		const char **words = &source->cache[2 * number + from->signal];
		if (!*words) {
			struct row row;
			table_text_get_row(text, from, i, &row);
			*words = words_of(table->words, table->dialect, &row);
		}
		if (add_row(table, text->row[from->first_row + i].offset, *words, error))
			return -1;
	}
	return 0;
}

static int add_text_function(void *context, const struct table_text *text,
			     const struct table_text_function *from, struct error *error)
{
	struct source *source = context;
	struct diff_table *table = source->table;
	struct diff_function function = {
		.named = is_named(from->name),
		.number = fde_number(from->name),
		.has_pc = from->has_pc,
		.signal = table->dialect->says_signal && from->signal,
		.pc = from->pc,
		.length = from->length,
		/* No dump says what it could not read. */
		.diagnostic = table->dialect == &diff_dialect_text ? from->diagnostic : ERROR_NONE,
	};
	if (diff_table_add_function(table, function.number ? NULL : from->name, &function, error))
		return -1;
	return add_text_rows(source, text, from, error);
}

int diff_table_from_text(struct diff_table *ret, const struct table_text *text, struct error *error)
{
	struct source source = { .table = ret };
	int result = 0;
	for (size_t i = 0; !result && i < text->function_count; i++)
		result = add_text_function(&source, text, &text->function[i], error);
	free(source.cache);
	return result;
}

int diff_table_from_cfi(struct diff_table *ret, const struct cfi *cfi, struct error *error)
{
	struct source source = { .table = ret };
	struct table_text *text = NULL;
	int result = table_text_each(cfi, add_text_function, &source, &text, error);
	table_text_destroy(text);
	free(source.cache);
	return result;
}

/* ---- cut --------------------------------------------------------------------------------- */

/* The last row of a flat table at or before pc; DIFF_NONE: none. */
static size_t row_before(const struct diff_table *flat, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(flat->row_count, i, flat->row[i].offset <= pc);
	return low ? low - 1 : DIFF_NONE;
}

static int cut_one(struct diff_table *ret, const struct diff_table *flat, bool *used,
		   const struct diff_function *from, struct error *error)
{
	struct diff_function function = { .has_pc = true, .pc = from->pc, .length = from->length };
	if (diff_table_add_function(ret, NULL, &function, error))
		return -1;
	if (!from->length)
		return 0;
	size_t first = row_before(flat, from->pc);
	size_t next = first == DIFF_NONE ? 0 : first + 1;
	if (diff_table_add_row(ret, 0, first == DIFF_NONE ? "no row" : flat->row[first].words,
			       error))
		return -1;
	if (first != DIFF_NONE)
		used[first] = true;
	for (; next < flat->row_count && flat->row[next].offset - from->pc < from->length; next++) {
		used[next] = true;
		if (add_row(ret, flat->row[next].offset - from->pc, flat->row[next].words, error))
			return -1;
	}
	return 0;
}

/* Words of a row that says: nothing known here. */
static bool is_end(const char *words)
{
	return !strcmp(words, "no row") || !strcmp(words, "invalid") || !strcmp(words, "stop");
}

/* Rows that lie in no function, one stretch after another. */
static int add_strays(struct diff_table *ret, const struct diff_table *flat, const bool *used,
		      struct error *error)
{
	bool open = false;
	for (size_t i = 0; i < flat->row_count; i++) {
		const struct diff_row *row = &flat->row[i];
		if (used[i] || is_end(row->words)) {
			open = false;
			continue;
		}
		struct diff_function function = { .has_pc = true, .pc = row->offset };
		if (!open && diff_table_add_function(ret, NULL, &function, error))
			return -1;
		open = true;
		struct diff_function *last = &ret->function[ret->function_count - 1];
		last->length = (i + 1 < flat->row_count ? row[1].offset : row->offset) - last->pc;
		if (add_row(ret, row->offset - last->pc, row->words, error))
			return -1;
	}
	return 0;
}

int diff_table_cut(struct diff_table *ret, const struct diff_table *flat,
		   const struct diff_table *other, struct error *error)
{
	FREED bool *used = calloc(flat->row_count + 1, sizeof(*used));
	int result = used ? 0 : diff_no_memory(error);
	ret->dialect = flat->dialect;
	ret->words = flat->words;
	for (size_t i = 0; !result && i < other->function_count; i++)
		result = cut_one(ret, flat, used, &other->function[i], error);
	if (!result)
		result = add_strays(ret, flat, used, error);
	return result;
}

/* ---- dialects ---------------------------------------------------------------------------- */

/* All that the CFI says: the function says whether it is a signal frame. */
static void print_all(FILE *file, const struct row *row)
{
	struct row rules = *row;
	rules.signal_frame = false;
	row_print(file, &rules);
}

const struct diff_dialect diff_dialect_text = {
	.name = "text",
	.compared = "everything",
	.says_signal = true,
	.print = print_all,
};

static const struct diff_dialect *const dialects[] = {
	&diff_dialect_readelf,
	&diff_dialect_parca,
	&diff_dialect_parca_rows,
	&diff_dialect_otel,
};
#define DIALECT_COUNT (sizeof(dialects) / sizeof(dialects[0]))

const struct diff_dialect *diff_dialect_find(const char *name)
{
	for (size_t i = 0; i < DIALECT_COUNT; i++)
		if (!strcmp(dialects[i]->name, name))
			return dialects[i];
	return NULL;
}

/* A dump may begin with a few lines of something else: warnings, empty ones. */
const struct diff_dialect *diff_dialect_detect(const char *text)
{
	for (int line = 0; line < 64 && text; line++) {
		for (size_t i = 0; i < DIALECT_COUNT; i++)
			if (dialects[i]->detect(text))
				return dialects[i];
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

int diff_syntax(struct error *error, uint64_t line, const char *what)
{
	return error_set(error, ERROR_TEXT_SYNTAX, "", line, "line %" PRIu64 ": %s", line, what);
}

void diff_print_rule(FILE *file, const char *name, const struct row_rule *rule)
{
	fprintf(file, " %s=", name);
	row_rule_print(file, rule);
}
