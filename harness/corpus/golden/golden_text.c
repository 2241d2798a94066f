/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_text.c - two tables' texts -> their differences, function by function
 *
 * A line-by-line diff of two tables says little when a function has moved or one was added. So each
 * line is known by its function and its offset there, and lines of the same name are held against
 * each other: "a1 +0x1b: expected cfa=rsp+8 ra=c-8, actual cfa=rsp+16 ra=c-8". Two static functions
 * of one name are told apart by their order. The format is that of docs/TABLE_TEXT.md; goldens are
 * edited by hand and by merges, so nothing about it is taken for granted.
 */
#include <stdlib.h>
#include <string.h>
#include "golden.h"
#include "array.h"

#define MAGIC "stackproof table text 1"

static int compare_keys(const struct golden_line *a, const struct golden_line *b)
{
	int order = strcmp(a->function, b->function);

	if (order)
		return order;
	if (a->occurrence != b->occurrence)
		return a->occurrence < b->occurrence ? -1 : 1;
	return strcmp(a->key, b->key);
}

static int compare_lines(const void *a, const void *b)
{
	const struct golden_line *left = a, *right = b;
	int order = compare_keys(left, right);

	return order ? order : strcmp(left->rule, right->rule);
}

static void add_line(struct golden_text *text, char *line, const char **function)
{
	static const char prefix[] = "function ";
	char *key = line + strspn(line, " ");
	char *rule = key + strlen(key);

	if (!strncmp(line, prefix, strlen(prefix))) {
		*function = key + strlen(prefix);
		rule = key + strlen(prefix) + strcspn(*function, " ");
		key[strlen(prefix) - 1] = '\0';
	} else if (*key == '+') {
		rule = key + strcspn(key, " ");
	}
	if (*rule)
		*rule++ = '\0';
	text->line[text->count++] = (struct golden_line) { *function, 0, key, rule };
}

static bool is_function(const struct golden_line *line)
{
	return !strcmp(line->key, "function");
}

/* Names point into one copy of the text: of equal names the lower one came first. */
static int compare_headers(const void *a, const void *b)
{
	const struct golden_line *left = *(struct golden_line *const *)a;
	const struct golden_line *right = *(struct golden_line *const *)b;
	int order = strcmp(left->function, right->function);

	return order ? order : left->function < right->function ? -1 : 1;
}

/* Numbers the functions of one name, and gives their lines the number. */
static int number_functions(struct golden_text *text)
{
	FREED struct golden_line **header = calloc(text->count + 1, sizeof(struct golden_line *));
	size_t headers = 0;

	if (!header)
		return -1;
	for (size_t i = 0; i < text->count; i++)
		if (is_function(&text->line[i]))
			header[headers++] = &text->line[i];
	qsort(header, headers, sizeof(struct golden_line *), compare_headers);
	for (size_t i = 1; i < headers; i++)
		if (!strcmp(header[i]->function, header[i - 1]->function))
			header[i]->occurrence = header[i - 1]->occurrence + 1;
	for (size_t i = 1; i < text->count; i++)
		if (!is_function(&text->line[i]))
			text->line[i].occurrence = text->line[i - 1].occurrence;
	return 0;
}

int golden_text_parse(struct golden_text *ret, const char *text, size_t size, struct error *error)
{
	const char *function = "";
	size_t lines = 1;

	*ret = (struct golden_text) { 0 };
	if (size < strlen(MAGIC) || memcmp(text, MAGIC, strlen(MAGIC)) || memchr(text, 0, size))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 1, "not a table text");
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	ret->copy = strndup(text, size);
	ret->line = calloc(lines, sizeof(*ret->line));
	ret->sorted = calloc(lines, sizeof(*ret->sorted));
	if (!ret->copy || !ret->line || !ret->sorted)
		goto out_of_memory;
	for (char *line, *rest = ret->copy; (line = strsep(&rest, "\n"));)
		if (*line)
			add_line(ret, line, &function);
	if (number_functions(ret))
		goto out_of_memory;
	memcpy(ret->sorted, ret->line, ret->count * sizeof(*ret->line));
	qsort(ret->sorted, ret->count, sizeof(*ret->sorted), compare_lines);
	return 0;
out_of_memory:
	golden_text_deinit(ret);
	return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
}

void golden_text_deinit(struct golden_text *text)
{
	free(text->copy);
	free(text->line);
	free(text->sorted);
	*text = (struct golden_text) { 0 };
}

bool golden_text_has_function(const struct golden_text *text, const char *function)
{
	return ARRAY_ANY(text->count, i,
			 is_function(&text->line[i]) && !strcmp(text->line[i].function, function));
}

static bool has_occurrence(const struct golden_text *text, const struct golden_line *wanted)
{
	return ARRAY_ANY(text->count, i,
			 is_function(&text->line[i]) &&
				 text->line[i].occurrence == wanted->occurrence &&
				 !strcmp(text->line[i].function, wanted->function));
}

/* Of lines in any order. Returns how many are left. */
static size_t keep_lines(struct golden_line *line, size_t count, const struct golden_text *of)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!*line[i].function || has_occurrence(of, &line[i]))
			line[kept++] = line[i];
	return kept;
}

void golden_text_keep(struct golden_text *text, const struct golden_text *of)
{
	keep_lines(text->sorted, text->count, of);
	text->count = keep_lines(text->line, text->count, of);
}

const char *golden_text_diagnostic(const struct golden_text *text, const char *expected)
{
	static const char prefix[] = "diagnostic ";

	for (size_t i = 0; i < text->count; i++) {
		const char *key = text->line[i].key;

		if (!strncmp(key, prefix, strlen(prefix)) &&
		    !expectation_has_diagnostic(expected, key + strlen(prefix)))
			return key;
	}
	return NULL;
}

/* The line of another text with the same function and key. */
static const struct golden_line *find(const struct golden_text *text,
				      const struct golden_line *wanted)
{
	size_t low = ARRAY_BEFORE(text->count, i, compare_keys(&text->sorted[i], wanted) < 0);
	return low < text->count && !compare_keys(&text->sorted[low], wanted) ? &text->sorted[low]
									      : NULL;
}

bool golden_key_offset(const char *key, uint64_t *ret)
{
	char *end;

	if (strncmp(key, "+0x", 3))
		return false;
	*ret = strtoull(key + 1, &end, 16);
	return !*end;
}

const struct golden_line *golden_text_row_at(const struct golden_text *text, const char *function,
					     unsigned occurrence, uint64_t offset)
{
	const struct golden_line *found = NULL;
	uint64_t at, found_at = 0;

	for (size_t i = 0; i < text->count; i++) {
		const struct golden_line *line = &text->line[i];

		if (line->occurrence != occurrence || strcmp(line->function, function) ||
		    !golden_key_offset(line->key, &at) || at > offset || (found && at < found_at))
			continue;
		found = line;
		found_at = at;
	}
	return found;
}

size_t golden_text_diff(const struct golden_text *expected, const struct golden_text *actual,
			void (*fn)(void *context, const struct golden_difference *difference),
			void *context)
{
	size_t count = 0;

	for (size_t i = 0; i < expected->count; i++) {
		const struct golden_line *line = &expected->line[i];
		const struct golden_line *other = find(actual, line);

		if (other && !strcmp(other->rule, line->rule))
			continue;
		count++;
		if (fn)
			fn(context, &(struct golden_difference) { line->function, line->occurrence,
								  line->key, line->rule,
								  other ? other->rule : NULL });
	}
	for (size_t i = 0; i < actual->count; i++) {
		const struct golden_line *line = &actual->line[i];

		if (find(expected, line))
			continue;
		count++;
		if (fn)
			fn(context, &(struct golden_difference) { line->function, line->occurrence,
								  line->key, NULL, line->rule });
	}
	return count;
}
