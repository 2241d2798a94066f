/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_rows.c - a dump as a source of rows
 *
 * diff_file_table() has functions with rows, in words. Here they lie one behind the
 * other, each address in one: where functions overlap, the one that begins last has it, as of FDEs
 * (cfi_fde_find()). Words become a row when somebody asks for it.
 */
#include <stdlib.h>
#include "array.h"
#include "diff.h"

struct entry {
	uint64_t pc, pc_end;
	const char *words;
	bool signal;
};

struct dumped_rows {
	const char *path;
	const struct diff_dialect *dialect;
	struct diff_words words;
	struct entry *entry; /* in order; none overlap */
	size_t count;
};

/* ---- functions one behind the other ------------------------------------------------------- */

struct span {
	uint64_t pc, end;
	const struct diff_function *function;
};

ARRAY_ORDER_TWO(compare_spans, struct span, pc, function)

/* The function's rows for from .. to. */
static int add_rows(struct dumped_rows *dump, const struct diff_table *table,
		    const struct span *span, uint64_t from, uint64_t to)
{
	const struct diff_function *function = span->function;
	const struct diff_row *row = table->row + function->first_row;
	size_t low = ARRAY_BEFORE(function->row_count, i, row[i].offset <= from - function->pc);

	for (size_t i = low ? low - 1 : 0; i < function->row_count; i++) {
		struct entry entry = { .pc = function->pc + row[i].offset,
				       .pc_end = to,
				       .words = row[i].words,
				       .signal = function->signal };

		if (row[i].offset >= to - function->pc)
			break;
		if (entry.pc < from)
			entry.pc = from;
		if (i + 1 < function->row_count && row[i + 1].offset < to - function->pc)
			entry.pc_end = function->pc + row[i + 1].offset;
		if (!ARRAY_ADD(dump->entry, dump->count, entry))
			return -1;
	}
	return 0;
}

/* Those that are open at an address lie on a stack, the one that began last on top. */
static int lay_out(struct dumped_rows *dump, const struct diff_table *table, struct span *span,
		   size_t count, const struct span **open)
{
	size_t depth = 0;
	uint64_t at = 0;

	for (size_t i = 0; i <= count; i++) {
		uint64_t next = i < count ? span[i].pc : UINT64_MAX;

		for (; depth && open[depth - 1]->end <= next; depth--) {
			if (at < open[depth - 1]->end) {
				if (add_rows(dump, table, open[depth - 1], at,
					     open[depth - 1]->end))
					return -1;
				at = open[depth - 1]->end;
			}
		}
		if (i == count)
			break;
		if (depth && at < next && add_rows(dump, table, open[depth - 1], at, next))
			return -1;
		at = next;
		open[depth++] = &span[i];
	}
	return 0;
}

static int make_entries(struct dumped_rows *dump, const struct diff_table *table,
			struct error *error)
{
	FREED struct span *span = calloc(table->function_count + 1, sizeof(*span));
	FREED const struct span **open = calloc(table->function_count + 1, sizeof(*open));
	size_t count = 0;
	int result = -1;

	for (size_t i = 0; span && i < table->function_count; i++) {
		const struct diff_function *function = &table->function[i];

		if (!function->length)
			continue;
		span[count++] = (struct span) {
			.pc = function->pc,
			.end = function->length > UINT64_MAX - function->pc
				       ? UINT64_MAX
				       : function->pc + function->length,
			.function = function,
		};
	}
	if (span && open) {
		qsort(span, count, sizeof(*span), compare_spans);
		result = lay_out(dump, table, span, count, open);
	}
	return result ? diff_no_memory(error) : 0;
}

/* ---- read --------------------------------------------------------------------------------- */

static int read_dump(struct dumped_rows *dump, const char *from, struct error *error)
{
	struct diff_file file = { .path = dump->path };
	struct diff_table table = { .words = &dump->words };
	int result = diff_file_read(&file, from, error);

	if (!result && !file.dialect)
		result = error_set(error, ERROR_TEXT_SYNTAX, "", 1,
				   diff_file_is_elf(&file)
					   ? "an ELF file, and no tool's dump"
					   : "a saved table, which has no addresses");
	if (!result)
		result = diff_file_table(&file, &table, error);
	if (!result)
		result = make_entries(dump, &table, error);
	dump->dialect = file.dialect;
	diff_file_forget(&file);
	diff_table_deinit(&table);
	return result;
}

int dumped_rows_create(const char *path, const char *from, struct dumped_rows **ret,
		       struct error *error)
{
	struct dumped_rows *dump = calloc(1, sizeof(*dump));

	*ret = NULL;
	if (!dump)
		return diff_no_memory(error);
	dump->path = path;
	if (read_dump(dump, from, error)) {
		dumped_rows_destroy(dump);
		return -1;
	}
	*ret = dump;
	return 0;
}

void dumped_rows_destroy(struct dumped_rows *dump)
{
	if (!dump)
		return;
	diff_words_deinit(&dump->words);
	free(dump->entry);
	free(dump);
}

/* ---- rows --------------------------------------------------------------------------------- */

_Static_assert(DIFF_EXPRESSION_BYTES <= ROW_SAID_BYTES, "a row's expressions have room");
_Static_assert(DIFF_SAID_COUNT <= ROW_MARKS_MAX, "each command is a mark");

static void dump_row_at(void *context, uint64_t pc, struct row_said *ret)
{
	const struct dumped_rows *dump = context;
	size_t low = ARRAY_BEFORE(dump->count, i, dump->entry[i].pc_end <= pc);
	const struct entry *entry;
	enum diff_said said;

	entry = &dump->entry[low];
	if (low == dump->count || entry->pc > pc) {
		ret->kind = ROW_SAID_NOTHING;
		ret->row.pc = low ? entry[-1].pc_end : 0;
		ret->row.pc_end = low == dump->count ? UINT64_MAX : entry->pc;
		return;
	}
	said = diff_rules_read(dump->dialect, entry->words, &ret->row, &ret->declared,
			       ret->expression);
	ret->row.pc = entry->pc;
	ret->row.pc_end = entry->pc_end;
	ret->row.signal_frame |= entry->signal;
	ret->vague = UINT32_MAX;
	ret->mark = (uint8_t)said;
	ret->kind = said == DIFF_SAYS_RULES    ? ROW_SAID_ROW
		    : said == DIFF_SAYS_NO_ROW ? ROW_SAID_NOTHING
					       : ROW_SAID_MARK;
}

struct row_source dumped_rows_source(struct dumped_rows *dump)
{
	struct row_source source = { .name = dump->path, .row_at = dump_row_at, .context = dump };

	for (int i = 0; i < DIFF_SAID_COUNT; i++)
		source.mark[i] = diff_said_name((enum diff_said)i);
	return source;
}
