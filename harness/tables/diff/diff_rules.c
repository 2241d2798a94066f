/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_rules.c - what a dump's words say, as a row
 *
 * A dialect makes words of rows, to compare them as words. Who holds a dump against something else
 * needs the rows again:
 *
 *	cfa=rsp+16 ra=c-8 rbp=c-16	as row_print() writes it
 *	cfa=*(rbp-8)+16 rbp=*(rbp+0)	otel: memory at a register's address
 *	cfa=plt(11)			parca: rsp + 8 + (((rip & 15) >= 11) << 3)
 *	cfa=exp rbp=register		there is a rule, and that is all that is said
 *	no row, stop, signal, invalid	in place of rules
 *
 * Words that are none of these say that there is a rule, and nothing more.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "cfi/expression.h"

#define WORDS_BYTES 1024 /* of one row: 17 rules */

struct rules {
	struct row *row;
	uint8_t *expression;
	size_t used;
	bool has_cfa;
	bool has_return;
};

/* ---- one rule ----------------------------------------------------------------------------- */

static void put(struct rules *rules, struct row_rule *rule, enum rule_kind kind, const char *text)
{
	uint8_t *at = rules->expression + rules->used;
	size_t size;

	if (expression_read(text, strlen(text), at, DIFF_EXPRESSION_BYTES - rules->used, &size))
		return;
	*rule = (struct row_rule) { .kind = kind, .expression = at, .expression_bytes = size };
	rules->used += size;
}

/* "rsp+16": all of text. */
static bool take_sum(const char *text, int *ret_reg, int64_t *ret_offset)
{
	size_t length = strcspn(text, "+-");
	char name[8], *end;

	if (!text[length] || length >= sizeof(name))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	*ret_reg = register_number(name);
	*ret_offset = strtoll(text + length, &end, 10);
	return *ret_reg >= 0 && *ret_reg < REGISTER_GPR_COUNT && end > text + length + 1 && !*end;
}

/* "*(rsp+40)+8", or without the sum behind it. */
static bool take_memory(char *text, char *ret, size_t size)
{
	char *close = strchr(text, ')'), *end;
	int64_t offset, add = 0;
	int reg;

	if (strncmp(text, "*(", 2) || !close)
		return false;
	*close = '\0';
	if (!take_sum(text + 2, &reg, &offset))
		return false;
	if (close[1]) {
		add = strtoll(close + 1, &end, 10);
		if (*end)
			return false;
	}
	snprintf(ret, size, "breg%d%+" PRId64 "|; deref; consts%+" PRId64 "; plus", reg, offset,
		 add);
	return true;
}

static void read_cfa(struct rules *rules, char *text)
{
	struct row_rule *cfa = &rules->row->cfa;
	char expression[128], *bar;
	int64_t offset;
	int reg, length = -1;
	unsigned int from;

	*cfa = (struct row_rule) { .kind = RULE_CFA_EXPRESSION };
	if (take_sum(text, &reg, &offset)) {
		*cfa = (struct row_rule) { .kind = RULE_CFA_REGISTER,
					   .reg = (uint32_t)reg,
					   .offset = offset };
	} else if (take_memory(text, expression, sizeof(expression))) {
		bar = strchr(expression, '|');
		memmove(bar, bar + 1, strlen(bar));
		put(rules, cfa, RULE_CFA_EXPRESSION, expression);
	} else if (sscanf(text, "plt(%2u)%n", &from, &length) == 1 && length > 0 && !text[length]) {
		snprintf(expression, sizeof(expression),
			 "breg7+8; breg16+0; lit15; and; const1u %u; ge; lit3; shl; plus", from);
		put(rules, cfa, RULE_CFA_EXPRESSION, expression);
	}
	rules->has_cfa = cfa->kind == RULE_CFA_REGISTER || cfa->expression_bytes;
}

static bool take_word(const char *text, struct row_rule *ret)
{
	static const struct {
		const char *word;
		enum rule_kind kind;
	} words[] = { { "none", RULE_UNSPECIFIED },
		      { "undefined", RULE_UNDEFINED },
		      { "u", RULE_UNDEFINED },
		      { "same", RULE_SAME_VALUE } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, text)) {
			*ret = (struct row_rule) { .kind = words[i].kind };
			return true;
		}
	return false;
}

static void read_rule(struct rules *rules, unsigned int reg, char *text)
{
	struct row_rule *rule = &rules->row->reg[reg];
	char expression[128], *end;
	int other = register_number(text);
	int64_t offset;

	*rule = (struct row_rule) { .kind = RULE_VAL_EXPRESSION };
	if (take_word(text, rule))
		return;
	if (other >= 0) {
		*rule = (struct row_rule) { .kind = RULE_REGISTER, .reg = (uint32_t)other };
	} else if ((*text == 'c' || *text == 'v') && (text[1] == '+' || text[1] == '-')) {
		offset = strtoll(text + 1, &end, 10);
		if (end > text + 2 && !*end)
			*rule = (struct row_rule) { .kind = *text == 'c' ? RULE_OFFSET
									 : RULE_VAL_OFFSET,
						    .offset = offset };
	} else if (take_memory(text, expression, sizeof(expression))) {
		*strchr(expression, '|') = '\0';
		put(rules, rule, RULE_EXPRESSION, expression);
	}
}

/* ---- a row -------------------------------------------------------------------------------- */

static const char *const names[DIFF_SAID_COUNT] = {
	[DIFF_SAYS_RULES] = "",
	[DIFF_SAYS_NO_ROW] = "no row",
	[DIFF_SAYS_INVALID] = "invalid",
	[DIFF_SAYS_PLT] = "plt",
	[DIFF_SAYS_FRAMEPOINTER] = "framepointer",
	[DIFF_SAYS_OTHER] = "other",
};

const char *diff_said_name(enum diff_said said)
{
	return names[said];
}

static enum diff_said command_of(const char *words, struct row *ret, uint32_t *ret_declared)
{
	for (int i = DIFF_SAYS_NO_ROW; i < DIFF_SAYS_OTHER; i++)
		if (!strcmp(words, names[i]))
			return (enum diff_said)i;
	*ret_declared = 1u << REGISTER_RIP;
	if (!strcmp(words, "signal"))
		ret->signal_frame = true;
	else if (!strcmp(words, "stop"))
		ret->reg[REGISTER_RIP].kind = RULE_UNDEFINED;
	else
		return DIFF_SAYS_OTHER;
	return DIFF_SAYS_RULES;
}

static void read_pair(struct rules *rules, char *pair)
{
	char *value = strchr(pair, '=');
	int reg;

	if (!value)
		return;
	*value++ = '\0';
	reg = strcmp(pair, "ra") ? register_number(pair) : REGISTER_RIP;
	if (!strcmp(pair, "cfa"))
		read_cfa(rules, value);
	else if (reg >= 0)
		read_rule(rules, (unsigned int)reg, value);
	rules->has_return |= reg == REGISTER_RIP;
}

enum diff_said diff_rules_read(const struct diff_dialect *dialect, const char *words,
			       struct row *ret, uint32_t *ret_declared,
			       uint8_t expression[DIFF_EXPRESSION_BYTES])
{
	struct rules rules = { .row = ret, .expression = expression };
	char text[WORDS_BYTES], *rest;

	*ret = (struct row) { .pc = ret->pc, .pc_end = ret->pc_end };
	*ret_declared = 0;
	if (strncmp(words, "cfa=", 4))
		return command_of(words, ret, ret_declared);
	if (strlen(words) >= sizeof(text))
		return DIFF_SAYS_OTHER;
	memcpy(text, words, strlen(words) + 1);
	for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
		read_pair(&rules, pair);
	*ret_declared = dialect->registers;
	if (rules.has_cfa)
		*ret_declared |= ROW_DECLARES_CFA;
	if (!rules.has_return && dialect->registers & 1u << REGISTER_RIP)
		ret->reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	return DIFF_SAYS_RULES;
}
