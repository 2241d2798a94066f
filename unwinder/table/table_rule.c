/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_rule.c - one canonical row -> one rule of a table
 *
 * A rule holds a row exactly or not at all. A row that it can't hold becomes a marker that says
 * why; nothing is ever rounded, clipped or taken for something similar.
 *
 *	cfa=rsp+48 ra=c-8 rbp=c-16 rbx=c-24	saved[] = { rbx 3, rbp 2, ra 1 }: 16 bytes
 *	cfa=r10+0 ra=c-8 rbp=exp(breg6+0)	extended: places { rbp: at rbp+0 }, { ra: at cfa-8 }
 *	cfa=rsp+0 ra=val_exp(breg16+9)		extended: places { ra: rip+9 }
 */
#include <assert.h>
#include <string.h>
#include "array.h"
#include "cfi/expression.h"
#include "unwind_table.h"

static const char *const marker_names[TABLE_MARKER_COUNT] = {
	[TABLE_NO_ROW] = "no_row",
	[TABLE_UNSUPPORTED_EXPRESSION] = "unsupported_expression",
	[TABLE_UNSUPPORTED_REGISTER] = "unsupported_register",
	[TABLE_OFFSET_RANGE] = "offset_range",
	[TABLE_MALFORMED] = "malformed",
	[TABLE_TOO_MANY_RULES] = "too_many_rules",
};

const char *table_marker_name(enum table_marker marker)
{
	assert(marker < TABLE_MARKER_COUNT);
	return marker_names[marker];
}

/* ---- one row -> one rule ---------------------------------------------------------------- */

/* The registers of saved[]. */
static const uint8_t column_register[TABLE_COLUMN_COUNT] = {
	REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13,
	REGISTER_R14, REGISTER_R15, REGISTER_RIP,
};

static bool fits_s32(int64_t value)
{
	return value == (int32_t)value;
}

/* Everything but what is added after a dereference, which goes to ret_add. */
static enum table_marker rule_cfa(const struct row_rule *cfa, struct table_rule *rule,
				  int32_t *ret_add)
{
	struct expression_shape shape = { .form = EXPRESSION_REGISTER,
					  .reg = cfa->reg,
					  .a = cfa->offset };

	if (cfa->kind == RULE_CFA_EXPRESSION)
		expression_recognise(cfa->expression, cfa->expression_bytes, &shape);
	else if (cfa->kind != RULE_CFA_REGISTER)
		return TABLE_UNSUPPORTED_REGISTER;
	switch (shape.form) {
	case EXPRESSION_REGISTER: rule->cfa_kind = TABLE_CFA_REGISTER; break;
	case EXPRESSION_DEREF: rule->cfa_kind = TABLE_CFA_DEREF; break;
	case EXPRESSION_PLT: rule->cfa_kind = TABLE_CFA_PLT; break;
	default: return TABLE_UNSUPPORTED_EXPRESSION;
	}
	if (shape.reg >= REGISTER_GPR_COUNT || shape.index >= REGISTER_GPR_COUNT)
		return TABLE_UNSUPPORTED_REGISTER;
	if (!fits_s32(shape.a) || !fits_s32(shape.b) || shape.scale > UINT8_MAX)
		return TABLE_OFFSET_RANGE;
	rule->cfa_register = shape.reg | (shape.scale ? shape.index << 4 : 0);
	rule->cfa_scale = shape.scale;
	rule->cfa_offset = shape.a;
	*ret_add = shape.form == EXPRESSION_REGISTER ? 0 : shape.b;
	return 0;
}

/* A register that is at an expression, or (is_value) is one. */
static enum table_marker rule_expression(const struct row_rule *from, bool is_value,
					 struct table_place *to)
{
	struct expression_shape shape;

	expression_recognise_saved(from->expression, from->expression_bytes, &shape);
	if (shape.form == EXPRESSION_REGISTER && !shape.scale) {
		to->kind = is_value ? TABLE_IS_REGISTER : TABLE_AT_REGISTER;
		to->reg = shape.reg; /* rip, too */
	} else if (shape.form == EXPRESSION_ALIGNED && shape.scale == 1) {
		to->kind = is_value ? TABLE_IS_CFA : TABLE_AT_CFA;
		shape.a = (int64_t)((uint64_t)shape.a - (uint64_t)shape.b);
	} else if (shape.form == EXPRESSION_ALIGNED && !is_value && to->column != REGISTER_RIP &&
		   shape.b >= 0 && shape.b <= UINT8_MAX) {
		to->kind = TABLE_AT_ALIGNED;
		to->reg = __builtin_ctzll(shape.scale);
		to->less = shape.b;
	} else {
		return TABLE_UNSUPPORTED_EXPRESSION;
	}
	if (!fits_s32(shape.a))
		return TABLE_OFFSET_RANGE;
	to->offset = shape.a;
	return 0;
}

/* One register's rule in the general form. */
static enum table_marker rule_register(const struct row_rule *from, unsigned int reg,
				       struct table_place *to)
{
	*to = (struct table_place) { .column = reg };
	switch (from->kind) {
	case RULE_UNSPECIFIED: to->kind = TABLE_SAME; return 0;
	case RULE_SAME_VALUE:
		/* TABLE_SAME leaves the ABI to decide: a scratch register would be lost, and rip
		 * has no such rule. */
		if (!(CALLEE_SAVED_MASK >> reg & 1)) {
			to->kind = TABLE_IN_REGISTER;
			to->reg = reg;
		}
		return 0;
	case RULE_UNDEFINED: to->kind = TABLE_UNDEFINED; return 0;
	case RULE_OFFSET:
	case RULE_VAL_OFFSET:
		if (!fits_s32(from->offset))
			return TABLE_OFFSET_RANGE;
		to->kind = from->kind == RULE_OFFSET ? TABLE_AT_CFA : TABLE_IS_CFA;
		to->offset = from->offset;
		return 0;
	case RULE_REGISTER:
		if (from->reg >= REGISTER_COUNT)
			return TABLE_UNSUPPORTED_REGISTER;
		to->kind = TABLE_IN_REGISTER;
		to->reg = from->reg;
		return 0;
	case RULE_EXPRESSION: return rule_expression(from, false, to);
	case RULE_VAL_EXPRESSION: return rule_expression(from, true, to);
	default: return TABLE_UNSUPPORTED_REGISTER;
	}
}

/* What a callee may clobber is unknown afterwards, whether or not the CFI says so. */
static bool says_nothing(const struct table_place *place)
{
	return place->kind == TABLE_SAME ||
	       (place->kind == TABLE_UNDEFINED && place->column < REGISTER_GPR_COUNT &&
		!(CALLEE_SAVED_MASK >> place->column & 1));
}

/* True if column may not be written yet: a place that is left over reads it. */
static bool is_read(const struct table_place *place, uint32_t left, unsigned int column)
{
	if (column == REGISTER_RSP || place[column].kind == TABLE_UNDEFINED ||
	    (place[column].kind == TABLE_IN_REGISTER && place[column].reg == column))
		return false; /* written last of all, or not changed */
	return ARRAY_ANY(REGISTER_GPR_COUNT, i,
			 i != column && left >> i & 1 && place[i].kind >= TABLE_IN_REGISTER &&
				 place[i].reg == column);
}

/*
 * Lists the places in the order in which step.h may write them: what others read comes after these.
 * Functions that realign the stack have rbx and r12 to r15 at an offset from rbp, and rbp at rbp
 * itself. Returns how many, or -1 if there is a circle: no order serves it.
 */
static int list_places(const struct table_place *place, struct table_place *ret)
{
	uint32_t left = 0;
	int count = 0;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!says_nothing(&place[i]))
			left |= 1u << i;
	while (left) {
		unsigned int i = 0;

		while (i < REGISTER_GPR_COUNT && (!(left >> i & 1) || is_read(place, left, i)))
			i++;
		if (i == REGISTER_GPR_COUNT)
			return -1;
		ret[count++] = place[i];
		left &= ~(1u << i);
	}
	ret[count++] = place[REGISTER_RIP];
	return count;
}

/* The code in saved[] for a place, or -1. */
static int place_code(const struct table_place *place)
{
	if (place->kind == TABLE_SAME)
		return TABLE_CODE_SAME;
	if (place->kind == TABLE_UNDEFINED)
		return TABLE_CODE_UNDEFINED;
	if (place->kind != TABLE_AT_CFA || place->offset >= 0 || place->offset % 8 ||
	    place->offset < -8 * TABLE_CODE_MAX)
		return -1;
	return place->offset / -8;
}

/* Fits the rule into 16 bytes, if it does. */
static bool rule_short(const struct table_place *place, int32_t add, struct table_rule *rule)
{
	struct table_rule tried = *rule;

	for (unsigned int i = 0, column = 0; i < REGISTER_COUNT; i++) {
		if (column < TABLE_COLUMN_COUNT && column_register[column] == i) {
			int code = place_code(&place[i]);

			if (code < 0)
				return false;
			tried.saved[column++] = code;
		} else if (!says_nothing(&place[i])) {
			return false;
		}
	}
	if (add != (int8_t)add)
		return false;
	tried.cfa_add = add;
	*rule = tried;
	return true;
}

enum table_marker table_rule_from_row(const struct row *row, struct table_rule_full *ret)
{
	struct table_place place[REGISTER_COUNT];
	struct table_rule *rule = &ret->rule;
	enum table_marker marker;
	int32_t add;
	int count;

	memset(rule, 0, sizeof(*rule));
	marker = rule_cfa(&row->cfa, rule, &add);
	if (marker)
		return marker;
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		marker = rule_register(&row->reg[i], i, &place[i]);
		if (marker)
			return marker;
	}
	if (row->reg[REGISTER_RSP].kind == RULE_SAME_VALUE ||
	    place[REGISTER_RSP].kind == TABLE_UNDEFINED || place[REGISTER_RIP].kind == TABLE_SAME)
		return TABLE_UNSUPPORTED_REGISTER;
	if (row->signal_frame)
		rule->flags |= TABLE_RULE_SIGNAL_FRAME;
	if (rule_short(place, add, rule))
		return 0;
	count = list_places(place, ret->place);
	if (count < 0)
		return TABLE_UNSUPPORTED_REGISTER;
	rule->flags |= TABLE_RULE_EXTENDED | (unsigned int)count << TABLE_RULE_PLACES_SHIFT;
	rule->cfa_extended_add = add;
	return 0;
}

/* ---- what a rule says ------------------------------------------------------------------- */

const struct table_place *table_rule_places(const struct table *table, uint32_t number,
					    uint32_t *ret_count)
{
	const struct table_rule *rule = &table->rule[number];

	*ret_count = 0;
	if (!(rule->flags & TABLE_RULE_EXTENDED))
		return NULL;
	*ret_count = rule->flags >> TABLE_RULE_PLACES_SHIFT;
	return table->place + rule->first_place;
}

struct table_place table_rule_place(const struct table_rule *rule, const struct table_place *place,
				    unsigned int column)
{
	struct table_place found = { .column = column, .kind = TABLE_SAME };

	if (rule->flags & TABLE_RULE_EXTENDED) {
		for (unsigned int i = 0; i < rule->flags >> TABLE_RULE_PLACES_SHIFT; i++)
			if (place[i].column == column)
				return place[i];
		return found;
	}
	for (unsigned int i = 0; i < TABLE_COLUMN_COUNT; i++) {
		uint8_t code = rule->saved[i];

		if (column_register[i] != column || code == TABLE_CODE_SAME)
			continue;
		found.kind = code == TABLE_CODE_UNDEFINED ? TABLE_UNDEFINED : TABLE_AT_CFA;
		found.offset = code == TABLE_CODE_UNDEFINED ? 0 : -8 * code;
	}
	return found;
}
