/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat_census.c - what an image's CFI is made of
 *
 * Expressions decide whether a compact table can hold a row, and which forms are worth a place in
 * it only a census of real images can tell. Each is counted once where an instruction sets it, not
 * once for every row in which it is in force.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "stat.h"
#include "cfi/expression.h"

static void add(json_t *counts, const char *key, json_int_t number)
{
	json_int_t before = json_integer_value(json_object_get(counts, key));

	json_object_set_new(counts, key, json_integer(before + number));
}

/* ---- expressions -------------------------------------------------------------------------- */

/* Texts of expressions of no form: their number and length are the file's to choose. What comes
 * beyond that is counted without its text. */
#define OTHER_BYTES_MAX (1u << 20)

struct expressions {
	json_t *forms;
	json_t *other;
	size_t other_bytes;    /* of all texts that are kept */
	json_int_t other_more; /* expressions whose text is not */
	const uint8_t
		*last[REGISTER_COUNT + 1]; /* in force in the row before; the CFA's comes last */
};

static void count_expression(struct expressions *expressions, const char *role,
			     const struct row_rule *rule)
{
	static const char *const forms[] = {
		[EXPRESSION_OTHER] = "other",	  [EXPRESSION_REGISTER] = "register",
		[EXPRESSION_DEREF] = "deref",	  [EXPRESSION_PLT] = "plt",
		[EXPRESSION_ALIGNED] = "aligned",
	};
	struct expression_shape shape;
	char key[32], *text = NULL;
	size_t size;
	FILE *file;

	if (rule->kind == RULE_CFA_EXPRESSION)
		expression_recognise(rule->expression, rule->expression_bytes, &shape);
	else
		expression_recognise_saved(rule->expression, rule->expression_bytes, &shape);
	snprintf(key, sizeof(key), "%s_%s", role, forms[shape.form]);
	add(expressions->forms, key, 1);
	if (shape.form != EXPRESSION_OTHER)
		return;
	file = open_memstream(&text, &size);
	if (!file)
		return;
	fprintf(file, "%s: ", role);
	expression_print(file, rule->expression, rule->expression_bytes);
	fclose(file);
	bool known = json_object_get(expressions->other, text);
	if (!known && expressions->other_bytes + size > OTHER_BYTES_MAX) {
		expressions->other_more++;
	} else {
		expressions->other_bytes += known ? 0 : size;
		add(expressions->other, text, 1);
	}
	free(text);
}

static void count_rule(struct expressions *expressions, unsigned int column,
		       const struct row_rule *rule)
{
	const uint8_t *last = expressions->last[column];

	expressions->last[column] = NULL;
	if (rule->kind != RULE_EXPRESSION && rule->kind != RULE_VAL_EXPRESSION &&
	    rule->kind != RULE_CFA_EXPRESSION)
		return;
	expressions->last[column] = rule->expression;
	if (rule->expression == last)
		return;
	count_expression(expressions,
			 rule->kind == RULE_CFA_EXPRESSION ? "cfa"
			 : rule->kind == RULE_EXPRESSION   ? "at"
							   : "val",
			 rule);
}

static int count_row(void *context, const struct row *row)
{
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		count_rule(context, reg, &row->reg[reg]);
	count_rule(context, REGISTER_COUNT, &row->cfa);
	return 0;
}

void stat_expressions(const struct cfi *cfi, json_t *object)
{
	struct expressions expressions = { .forms = json_object(), .other = json_object() };

	for (size_t i = 0; cfi && i < cfi->fde_count; i++) {
		struct error ignored; /* the rows before count; the FDE is reported elsewhere */

		memset(expressions.last, 0, sizeof(expressions.last));
		cfi_rows(cfi, &cfi->fde[i], count_row, &expressions, &ignored);
	}
	JSON_SET(object, "expressions", expressions.forms, "expressions_other", expressions.other);
	if (expressions.other_more)
		JSON_SET(object, "expressions_other_more", expressions.other_more);
}
