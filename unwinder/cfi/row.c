/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row.c - the canonical row: compare and print
 *
 * A row is one line of the table that DWARF 5, section 6.4.1, describes: for a range of PCs, how
 * the CFA and every register of the caller are found. Two rows with equal rules are equal whatever
 * their PCs. The text is for people and messages; what is saved and compared is table_text.c's.
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "cfi.h"
#include "expression.h"

static bool rule_equal(const struct row_rule *a, const struct row_rule *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case RULE_UNSPECIFIED:
	case RULE_UNDEFINED:
	case RULE_SAME_VALUE: return true;
	case RULE_OFFSET:
	case RULE_VAL_OFFSET: return a->offset == b->offset;
	case RULE_REGISTER: return a->reg == b->reg;
	case RULE_CFA_REGISTER: return a->reg == b->reg && a->offset == b->offset;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
	case RULE_CFA_EXPRESSION:
		return a->expression_bytes == b->expression_bytes &&
		       (!a->expression_bytes || a->expression == b->expression ||
			!memcmp(a->expression, b->expression, a->expression_bytes));
	}
	return false;
}

bool row_equal(const struct row *a, const struct row *b)
{
	if (a->signal_frame != b->signal_frame || a->ra_signed != b->ra_signed ||
	    a->args_size != b->args_size || a->high != b->high || !rule_equal(&a->cfa, &b->cfa))
		return false;
	return !ARRAY_ANY(REGISTER_COUNT, reg, !rule_equal(&a->reg[reg], &b->reg[reg]));
}

static void print_register(FILE *file, uint32_t reg)
{
	const char *name = register_name(reg);
	if (name)
		fputs(name, file);
	else
		fprintf(file, "r%u", reg);
}

static void print_expression(FILE *file, const char *name, const struct row_rule *rule)
{
	fprintf(file, "%s(", name);
	expression_print(file, rule->expression, rule->expression_bytes);
	fputc(')', file);
}

void row_rule_print(FILE *file, const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_UNSPECIFIED: fputs("none", file); break;
	case RULE_UNDEFINED: fputs("undefined", file); break;
	case RULE_SAME_VALUE: fputs("same", file); break;
	case RULE_OFFSET: fprintf(file, "c%+" PRId64, rule->offset); break;
	case RULE_VAL_OFFSET: fprintf(file, "v%+" PRId64, rule->offset); break;
	case RULE_REGISTER: print_register(file, rule->reg); break;
	case RULE_CFA_REGISTER:
		print_register(file, rule->reg);
		fprintf(file, "%+" PRId64, rule->offset);
		break;
	case RULE_EXPRESSION:
	case RULE_CFA_EXPRESSION: print_expression(file, "exp", rule); break;
	case RULE_VAL_EXPRESSION: print_expression(file, "val_exp", rule); break;
	}
}

void row_print(FILE *file, const struct row *row)
{
	fputs("cfa=", file);
	row_rule_print(file, &row->cfa);
	fputs(" ra=", file);
	row_rule_print(file, &row->reg[REGISTER_RIP]);
	for (int reg = 0; reg < REGISTER_RIP; reg++) {
		if (row->reg[reg].kind == RULE_UNSPECIFIED)
			continue;
		fprintf(file, " %s=", register_name(reg));
		row_rule_print(file, &row->reg[reg]);
	}
	if (row->args_size)
		fprintf(file, " args=%" PRIu64, row->args_size);
	if (row->high)
		fprintf(file, " high=%" PRIx64, row->high);
	if (row->signal_frame)
		fputs(" signal", file);
	if (row->ra_signed)
		fputs(" ra-signed", file);
}
