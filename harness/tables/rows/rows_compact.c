/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rows_compact.c - an image's compact table, each rule as a row again
 *
 * What a rule means is docs/TABLE_FORMAT.md's: here it is read from there, and not from what made
 * it, so that a rule that was made wrongly is a wrong row. Which rule holds is asked as a walk asks
 * (table_find()); from where to where, of table_rows().
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "array.h"
#include "cfi/expression.h"
#include "row_source.h"
#include "table/unwind_table.h"

struct stretch {
	uint64_t pc, pc_end;
};

struct compact_rows {
	struct table *table;
	struct stretch *stretch;
	size_t count;
};

/* ---- a rule ------------------------------------------------------------------------------- */

/* Assembles expressions one behind the other into what was said. */
struct assembler {
	struct row_said *said;
	size_t used;
};

__attribute__((format(printf, 4, 5))) static void put(struct assembler *assembler,
						      struct row_rule *rule, enum rule_kind kind,
						      const char *format, ...)
{
	uint8_t *at = assembler->said->expression + assembler->used;
	char text[160];
	va_list arguments;
	size_t size;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	assert(length > 0 && (size_t)length < sizeof(text));
	if (expression_read(text, (size_t)length, at, ROW_SAID_BYTES - assembler->used, &size))
		assert(!"an expression of ours");
	*rule = (struct row_rule) { .kind = kind, .expression = at, .expression_bytes = size };
	assembler->used += size;
}

static void cfa_row(struct assembler *assembler, const struct table_rule *rule)
{
	struct row_rule *cfa = &assembler->said->row.cfa;
	int reg = rule->cfa_register & 15, index = rule->cfa_register >> 4;
	int32_t add = rule->flags & TABLE_RULE_EXTENDED ? rule->cfa_extended_add : rule->cfa_add;
	char scaled[64] = "";

	if (rule->cfa_scale)
		snprintf(scaled, sizeof(scaled), "; breg%d+0; const1u %u; mul; plus", index,
			 rule->cfa_scale);
	switch (rule->cfa_kind) {
	case TABLE_CFA_DEREF:
		put(assembler, cfa, RULE_CFA_EXPRESSION,
		    "breg%d%+" PRId32 "%s; deref; consts%+" PRId32 "; plus", reg, rule->cfa_offset,
		    scaled, add);
		return;
	case TABLE_CFA_PLT:
		put(assembler, cfa, RULE_CFA_EXPRESSION,
		    "breg%d%+" PRId32 "; breg16+0; lit15; and; consts%+" PRId32
		    "; ge; lit3; shl; plus",
		    reg, rule->cfa_offset, add);
		return;
	default: break;
	}
	if (rule->cfa_scale)
		put(assembler, cfa, RULE_CFA_EXPRESSION, "breg%d%+" PRId32 "%s", reg,
		    rule->cfa_offset, scaled);
	else
		*cfa = (struct row_rule) { .kind = RULE_CFA_REGISTER,
					   .reg = (uint32_t)reg,
					   .offset = rule->cfa_offset };
}

static void register_row(struct assembler *assembler, unsigned int reg,
			 const struct table_place *place)
{
	struct row_rule *rule = &assembler->said->row.reg[reg];

	*rule = (struct row_rule) { .kind = RULE_UNSPECIFIED };
	switch (place->kind) {
	case TABLE_SAME: return;
	case TABLE_AT_CFA:
	case TABLE_IS_CFA:
		rule->kind = place->kind == TABLE_AT_CFA ? RULE_OFFSET : RULE_VAL_OFFSET;
		rule->offset = place->offset;
		return;
	case TABLE_UNDEFINED: rule->kind = RULE_UNDEFINED; return;
	case TABLE_AT_ALIGNED:
		put(assembler, rule, RULE_EXPRESSION,
		    "const1u %u; minus; consts%+" PRId64 "; and; consts%+" PRId32 "; plus",
		    place->less, -(INT64_C(1) << (place->reg & 31)), place->offset);
		return;
	case TABLE_IN_REGISTER:
		rule->kind = place->reg == reg ? RULE_SAME_VALUE : RULE_REGISTER;
		rule->reg = place->reg;
		return;
	case TABLE_AT_REGISTER:
	case TABLE_IS_REGISTER:
		put(assembler, rule,
		    place->kind == TABLE_AT_REGISTER ? RULE_EXPRESSION : RULE_VAL_EXPRESSION,
		    "breg%u%+" PRId32, place->reg & 31, place->offset);
		return;
	default: rule->kind = RULE_VAL_EXPRESSION; return;
	}
}

/* The rule as a row, which is in force at no address yet. place: its places, or NULL. */
static void compact_row(const struct table_rule *rule, const struct table_place *place,
			struct row_said *ret)
{
	struct assembler assembler = { .said = ret };

	ret->kind = ROW_SAID_ROW;
	ret->declared = UINT32_MAX;
	ret->vague = 0;
	ret->row.args_size = 0;
	ret->row.high = 0;
	ret->row.ra_signed = false;
	ret->row.signal_frame = rule->flags & TABLE_RULE_SIGNAL_FRAME;
	cfa_row(&assembler, rule);
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++) {
		struct table_place at = table_rule_place(rule, place, reg);

		register_row(&assembler, reg, &at);
	}
}

/* ---- the table ---------------------------------------------------------------------------- */

static int add_stretch(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct compact_rows *compact = context;

	return !ARRAY_ADD(compact->stretch, compact->count, (struct stretch) { pc, pc_end });
}

int compact_rows_create(const struct image *image, struct compact_rows **ret, struct error *error)
{
	struct compact_rows *compact = calloc(1, sizeof(*compact));

	*ret = NULL;
	if (!compact)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's rows");
	if (table_build(image, &compact->table, error)) {
		compact_rows_destroy(compact);
		return -1;
	}
	if (table_rows(compact->table, add_stretch, compact)) {
		compact_rows_destroy(compact);
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's rows");
	}
	*ret = compact;
	return 0;
}

void compact_rows_destroy(struct compact_rows *compact)
{
	if (!compact)
		return;
	table_destroy(compact->table);
	free(compact->stretch);
	free(compact);
}

/* From where to where the rule at pc holds. */
static void find_stretch(const struct compact_rows *compact, uint64_t pc, struct row *ret)
{
	size_t low = ARRAY_BEFORE(compact->count, i, compact->stretch[i].pc_end <= pc);

	ret->pc = low ? compact->stretch[low - 1].pc_end : 0;
	ret->pc_end = low < compact->count ? compact->stretch[low].pc : UINT64_MAX;
	if (low < compact->count && compact->stretch[low].pc <= pc) {
		ret->pc = compact->stretch[low].pc;
		ret->pc_end = compact->stretch[low].pc_end;
	}
}

static void row_at(void *context, uint64_t pc, struct row_said *ret)
{
	const struct compact_rows *compact = context;
	const struct table *table = compact->table;
	uint32_t number = table_find(table, pc), count;

	if (number == TABLE_NO_ROW) {
		ret->kind = ROW_SAID_NOTHING;
	} else if (number < TABLE_MARKER_COUNT) {
		ret->kind = ROW_SAID_MARK;
		ret->mark = (uint8_t)number;
	} else {
		compact_row(&table->rule[number], table_rule_places(table, number, &count), ret);
	}
	find_stretch(compact, pc, &ret->row);
}

struct row_source compact_rows_source(struct compact_rows *compact)
{
	struct row_source source = {
		.name = ROWS_COMPACT,
		.row_at = row_at,
		.context = compact,
	};

	_Static_assert(TABLE_MARKER_COUNT <= ROW_MARKS_MAX, "each marker is a mark");
	for (int i = 0; i < TABLE_MARKER_COUNT; i++)
		source.mark[i] = table_marker_name((enum table_marker)i);
	return source;
}
