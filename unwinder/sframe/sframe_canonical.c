/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_canonical.c - a row of SFrame as a canonical row (cfi.h), x86-64 only
 *
 * What SFrame doesn't say is undefined and not unchanged: a walk that goes by such rows must not believe that rbx is
 * what it was. Rules by other registers than rsp and rbp so hold in the innermost frame alone, as the specification
 * demands.
 *
 *	default		cfa=rsp+16 ra=c-8 rbp=c-16
 *	flexible	cfa=exp(breg6-8; deref) ra=c-8 rbp=exp(breg6+0)
 */
#include <assert.h>
#include "cfi/dwarf_op.h"
#include "sframe.h"

/* ---- rules -------------------------------------------------------------------------------- */

/* Writes expressions one behind the other. */
struct writer {
	uint8_t *at;
	uint8_t *end;
};

static void put(struct writer *writer, uint8_t byte)
{
	assert(writer->at < writer->end);
	*writer->at++ = byte;
}

/* DW_OP_bregN or DW_OP_bregx, and the offset. */
static void put_register(struct writer *writer, uint32_t reg, int64_t offset)
{
	bool more = true;

	put(writer, reg < 32 ? (uint8_t)(OP_BREG0 + reg) : OP_BREGX);
	for (uint32_t left = reg; reg >= 32 && more; left >>= 7) {
		more = left > 0x7f;
		put(writer, (left & 0x7f) | (more ? 0x80 : 0));
	}
	for (more = true; more; offset >>= 7) {
		uint8_t byte = offset & 0x7f;

		more = !((offset >> 6) == 0 || (offset >> 6) == -1);
		put(writer, byte | (more ? 0x80 : 0));
	}
}

static struct row_rule expression(struct writer *writer, enum rule_kind kind,
				  const struct sframe_rule *rule, bool deref)
{
	struct row_rule ret = { .kind = kind, .expression = writer->at };

	put_register(writer, rule->reg, rule->offset);
	if (deref)
		put(writer, OP_DEREF);
	ret.expression_bytes = (uint64_t)(writer->at - ret.expression);
	return ret;
}

static struct row_rule cfa_rule(struct writer *writer, const struct sframe_rule *rule)
{
	/* No rule names a register that has no name here; its expression is then evaluated by nobody. */
	if (rule->kind == SFRAME_AT_REGISTER || rule->reg >= REGISTER_COUNT)
		return expression(writer, RULE_CFA_EXPRESSION, rule,
				  rule->kind == SFRAME_AT_REGISTER);
	return (struct row_rule) { .kind = RULE_CFA_REGISTER,
				   .reg = rule->reg,
				   .offset = rule->offset };
}

static struct row_rule register_rule(struct writer *writer, const struct sframe_rule *rule,
				     enum rule_kind without)
{
	switch (rule->kind) {
	case SFRAME_AT_CFA:
		return (struct row_rule) { .kind = RULE_OFFSET, .offset = rule->offset };
	case SFRAME_IS_CFA:
		return (struct row_rule) { .kind = RULE_VAL_OFFSET, .offset = rule->offset };
	case SFRAME_AT_REGISTER: return expression(writer, RULE_EXPRESSION, rule, false);
	case SFRAME_IS_REGISTER:
		if (!rule->offset && rule->reg < REGISTER_COUNT)
			return (struct row_rule) { .kind = RULE_REGISTER, .reg = rule->reg };
		return expression(writer, RULE_VAL_EXPRESSION, rule, false);
	case SFRAME_NO_RULE: break;
	}
	return (struct row_rule) { .kind = without };
}

void sframe_canonical(const struct sframe *sframe, const struct sframe_function *function,
		      const struct sframe_row *row, struct sframe_canonical *ret)
{
	static const uint8_t untold[] = { 3, 12, 13, 14, 15 }; /* rbx, r12 .. r15: psABI */
	struct writer writer = { ret->expression, ret->expression + sizeof(ret->expression) };

	assert(sframe->header[function->header].machine == SFRAME_AMD64);
	ret->row = (struct row) { .signal_frame = function->signal_frame };
	for (size_t i = 0; i < sizeof(untold); i++)
		ret->row.reg[untold[i]].kind = RULE_UNDEFINED;
	if (!row || row->outermost) {
		ret->row.cfa = (struct row_rule) { .kind = RULE_CFA_REGISTER,
						   .reg = REGISTER_RSP,
						   .offset = 8 };
		ret->row.reg[REGISTER_RIP].kind = RULE_UNDEFINED;
		return;
	}
	ret->row.cfa = cfa_rule(&writer, &row->cfa);
	ret->row.reg[REGISTER_RIP] = register_rule(&writer, &row->ra, RULE_UNDEFINED);
	ret->row.reg[REGISTER_RBP] = register_rule(&writer, &row->fp, RULE_UNSPECIFIED);
}

/* ---- rows --------------------------------------------------------------------------------- */

struct enumeration {
	const struct sframe *sframe;
	const struct sframe_function *function;
	uint64_t base; /* of the block at hand */
	uint64_t end;  /* of the function */
	cfi_row_fn fn;
	void *context;
};

static int give_row(void *context, const struct sframe_row *row)
{
	struct enumeration *all = context;
	struct sframe_canonical canonical;

	if (row->start == row->end || all->base + row->start >= all->end)
		return 0;
	sframe_canonical(all->sframe, all->function, row, &canonical);
	canonical.row.pc = all->base + row->start;
	canonical.row.pc_end = all->base + row->end;
	if (canonical.row.pc_end > all->end)
		canonical.row.pc_end = all->end;
	return all->fn(all->context, &canonical.row);
}

int sframe_canonical_rows(const struct sframe *sframe, const struct sframe_function *function,
			  cfi_row_fn fn, void *context, struct error *error)
{
	struct enumeration all = {
		sframe, function, function->pc_begin, function->pc_begin + function->pc_range,
		fn,	context
	};
	struct sframe_canonical canonical;
	int status;

	if (function->outermost) {
		if (!function->pc_range)
			return 0;
		sframe_canonical(sframe, function, NULL, &canonical);
		canonical.row.pc = all.base;
		canonical.row.pc_end = all.end;
		return fn(context, &canonical.row);
	}
	do {
		status = sframe_rows(sframe, function, give_row, &all, error);
		all.base += function->repeats ? sframe_repeat(function) : function->pc_range;
	} while (!status && function->row_count && all.base < all.end);
	return status;
}

struct search {
	const struct sframe *sframe;
	const struct sframe_function *function;
	uint32_t at;	/* in the function or block */
	uint64_t base;	/* of that */
	uint64_t first; /* where the first row begins */
	struct sframe_canonical *ret;
};

static int found_row(void *context, const struct sframe_row *row)
{
	struct search *search = context;

	if (search->first == UINT64_MAX)
		search->first = search->base + row->start;
	if (search->at < row->start || search->at >= row->end)
		return 0;
	sframe_canonical(search->sframe, search->function, row, search->ret);
	search->ret->row.pc = search->base + row->start;
	search->ret->row.pc_end = search->base + row->end;
	return 1;
}

/* Where no function is. */
static void set_gap(const struct sframe *sframe, uint64_t pc, struct row *ret)
{
	*ret = (struct row) { .pc = pc, .pc_end = sframe_next_begin(sframe, pc) };
}

int sframe_canonical_in(const struct sframe *sframe, const struct sframe_function *function,
			uint64_t pc, struct sframe_canonical *ret, struct error *error)
{
	uint64_t end = function->pc_begin + function->pc_range;
	struct search search = {
		sframe,	    function, (uint32_t)(pc - function->pc_begin), function->pc_begin,
		UINT64_MAX, ret
	};
	int status;

	if (function->repeats) {
		search.base += search.at - search.at % sframe_repeat(function);
		search.at %= sframe_repeat(function);
	}
	if (function->outermost) {
		sframe_canonical(sframe, function, NULL, ret);
		ret->row.pc = function->pc_begin;
		ret->row.pc_end = end;
		return 1;
	}
	ret->row = (struct row) { .pc = pc, .pc_end = end };
	status = sframe_rows(sframe, function, found_row, &search, error);
	if (!status && search.first != UINT64_MAX && search.first > pc)
		ret->row.pc_end = search.first; /* before the first row */
	if (ret->row.pc_end > end)
		ret->row.pc_end = end;
	return status;
}

int sframe_canonical_find(const struct sframe *sframe, uint64_t pc, struct sframe_canonical *ret,
			  struct error *error)
{
	const struct sframe_function *function = sframe_function_find(sframe, pc);
	uint64_t next;
	int status;

	if (!function) {
		set_gap(sframe, pc, &ret->row);
		return 0;
	}
	status = sframe_canonical_in(sframe, function, pc, ret, error);
	/* A function inside of this one begins before the row ends. */
	next = sframe_next_begin(sframe, pc);
	if (next < ret->row.pc_end)
		ret->row.pc_end = next;
	return status;
}
