/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_sframe.c - an image's SFrame as a side of a comparison
 *
 * Its words are those for the CFA, the return address and rbp, or "outermost". A function has the name of the symbol that
 * it begins at. Of a PLT's block that repeats the rows come as often.
 */
#include <elf.h>
#include "diff.h"
#include "image/image.h"
#include "sframe/sframe.h"

static void print_words(FILE *file, const struct row *row)
{
	if (row->reg[REGISTER_RIP].kind == RULE_UNDEFINED) {
		fputs("outermost", file);
		return;
	}
	fputs("cfa=", file);
	row_rule_print(file, &row->cfa);
	diff_print_rule(file, "ra", &row->reg[REGISTER_RIP]);
	if (row->reg[REGISTER_RBP].kind != RULE_UNSPECIFIED)
		diff_print_rule(file, "rbp", &row->reg[REGISTER_RBP]);
}

const struct diff_dialect diff_dialect_sframe = {
	.name = "sframe",
	.compared = "the CFA, the return address, rbp, and signal frames, as SFrame has them",
	.says_signal = true,
	.registers = 1u << REGISTER_RIP | 1u << REGISTER_RBP,
	.print = print_words,
};

struct adding {
	struct diff_table *table;
	const struct sframe_function *function;
	uint64_t end; /* of the last row */
	struct error *error;
};

static int add_row(void *context, const struct row *row)
{
	struct adding *adding = context;
	uint64_t begin = adding->function->pc_begin;

	if (row->pc > adding->end &&
	    diff_table_add_row(adding->table, adding->end - begin, "no row", adding->error))
		return 1;
	adding->end = row->pc_end;
	return diff_table_add_canonical(adding->table, row->pc - begin, row, adding->error) ? 1 : 0;
}

static int add_function(struct adding *adding, const struct sframe *sframe,
			const struct sframe_function *from)
{
	const struct image_symbol *symbol =
		sframe->image->type == ET_REL ? NULL
					      : image_symbol_at(sframe->image, from->pc_begin);
	struct diff_function function = {
		.named = symbol,
		.has_pc = true,
		.pc = from->pc_begin,
		.length = from->pc_range,
		.signal = from->signal_frame,
	};
	struct error malformed;
	int status;

	adding->function = from;
	adding->end = from->pc_begin;
	if (diff_table_add_function(adding->table, symbol ? symbol->name : NULL, &function,
				    adding->error))
		return -1;
	status = sframe_canonical_rows(sframe, from, add_row, adding, &malformed);
	if (status < 0)
		adding->table->function[adding->table->function_count - 1].diagnostic =
			malformed.code;
	return status > 0 ? -1 : 0;
}

int diff_table_from_sframe(struct diff_table *ret, const struct sframe *sframe, struct error *error)
{
	struct adding adding = { .table = ret, .error = error };

	for (size_t i = 0; i < sframe->by_pc_count; i++)
		if (add_function(&adding, sframe, &sframe->function[sframe->by_pc[i]]))
			return -1;
	return 0;
}
