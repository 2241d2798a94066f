/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_image.c - all rows of an image against all facts about it
 *
 * Each fact gets an outcome; an instruction has the one that counts most of its facts, a row that of its instructions,
 * an FDE that of its rows. A row that is right each time that it ran, but once in doubt, is right.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "freed.h"
#include "row_judge.h"

/* One table's. */
struct holding {
	struct row_holding given;
	const struct row_verdict *own; /* the CFI's; NULL: it is the CFI */
	struct row_verdict *verdict;   /* of each fact */
	struct row_said said;
	struct row_coverage *coverage;
};

static uint32_t before(const struct holding *holding, uint64_t pc)
{
	return (uint32_t)ARRAY_BEFORE(holding->given.count, i, holding->given.fact[i].pc < pc);
}

/* ---- findings ---------------------------------------------------------------------------------- */

/* Code that no row covers may be many functions'. */
static bool is_one_function(const struct holding *holding, uint64_t a, uint64_t b)
{
	struct code_name one, other;

	code_name_find(holding->given.cfi->image, holding->given.cfi, a, &one);
	code_name_find(holding->given.cfi->image, holding->given.cfi, b, &other);
	return one.start == other.start;
}

/* Whether a row's fault at two facts is one. A wrong CFA may give the return address by chance, and another
 * register each time. */
static bool is_same(const struct holding *holding, uint32_t a, uint32_t b)
{
	const struct row_verdict *one = &holding->verdict[a], *other = &holding->verdict[b];
	const uint32_t caller = 1u << REGISTER_RSP | 1u << REGISTER_RIP;

	if (one->outcome != ROW_WRONG || other->outcome != ROW_WRONG)
		return false;
	if (one->kind == FAULT_MISSING || other->kind == FAULT_MISSING)
		return one->kind == other->kind &&
		       (holding->given.fact[a].kind == ROW_FACT_OUTERMOST) ==
			       (holding->given.fact[b].kind == ROW_FACT_OUTERMOST) &&
		       is_one_function(holding, holding->given.fact[a].pc,
				       holding->given.fact[b].pc);
	return one->kind == other->kind ||
	       (one->registers & caller && other->registers & caller && one->kind != FAULT_NO_END &&
		other->kind != FAULT_NO_END);
}

/* Adds the fact to the finding, which begins with the fact of number first. */
static void add_fact(const struct holding *holding, uint32_t at, struct row_verdict *verdict,
		     struct row_finding *finding)
{
	const struct row_fact *fact = &holding->given.fact[at];
	const struct row_verdict *one = &holding->verdict[at];

	finding->instructions += fact->pc + 1 != finding->pc_end;
	finding->pc_end = fact->pc + 1;
	finding->runs += fact->proven;
	/* Where it is wrong in more, that is said. */
	if (one->kind != verdict->kind && one->kind == FAULT_WRONG) {
		verdict->kind = one->kind;
		finding->fact = fact;
	}
	verdict->registers |= one->registers;
}

/* Tells those of the facts from first to before end, which one row is asked about. */
static void tell_findings(const struct holding *holding, uint32_t first, uint32_t end)
{
	FREED bool *told = calloc(end - first + 1, sizeof(*told));

	for (uint32_t i = first; i < end; i++) {
		struct row_verdict verdict = holding->verdict[i];
		struct row_finding finding = { .said = &holding->said,
					       .fact = &holding->given.fact[i],
					       .verdict = &verdict,
					       .pc = holding->given.fact[i].pc };

		if (verdict.outcome != ROW_WRONG || (told && told[i - first]))
			continue;
		for (uint32_t k = i; k < end; k++) {
			if (told && told[k - first])
				continue;
			if (!is_same(holding, i, k)) {
				if (verdict.kind == FAULT_MISSING) /* another function's */
					break;
				continue;
			}
			add_fact(holding, k, &verdict, &finding);
			if (told)
				told[k - first] = true;
		}
		holding->given.finding(holding->given.context, &finding);
	}
}

/* ---- outcomes ------------------------------------------------------------------------------------ */

static uint32_t bits(uint32_t set)
{
	return (uint32_t)__builtin_popcount(set);
}

static void count_registers(const struct holding *holding, uint32_t at)
{
	const struct row_verdict *verdict = &holding->verdict[at];

	holding->coverage->registers_right += bits(verdict->registers_right);
	holding->coverage->registers_unjudged += bits(verdict->registers_unjudged);
	if (verdict->kind == FAULT_REGISTER)
		holding->coverage->registers_wrong += bits(verdict->registers & CALLEE_SAVED_MASK);
}

/* What counts most of the facts from first to before end. *ret_reason: of ROW_UNJUDGED and ROW_DOUBTED. */
static enum row_outcome worst(const struct holding *holding, uint32_t first, uint32_t end,
			      enum row_reason *ret_reason)
{
	enum row_outcome ret = ROW_NEVER;

	for (uint32_t i = first; i < end; i++) {
		if (holding->verdict[i].outcome <= ret)
			continue;
		ret = holding->verdict[i].outcome;
		*ret_reason = holding->verdict[i].reason;
	}
	return ret;
}

static void count_instructions(const struct holding *holding, uint32_t first, uint32_t end)
{
	enum row_reason ignored;

	for (uint32_t i = first, next; i < end; i = next) {
		for (next = i + 1;
		     next < end && holding->given.fact[next].pc == holding->given.fact[i].pc;)
			next++;
		holding->coverage->instruction.count[worst(holding, i, next, &ignored)]++;
	}
}

static bool is_as_cfi(const struct row_verdict *own, const struct row_verdict *verdict)
{
	return verdict->outcome == ROW_WRONG && own->outcome == ROW_WRONG &&
	       own->kind == verdict->kind && own->registers == verdict->registers;
}

/* Asks the row at pc of all facts from first to before end. */
static void hold_row(struct holding *holding, uint32_t first, uint32_t end)
{
	struct row_coverage *coverage = holding->coverage;
	enum row_outcome outcome;
	enum row_reason reason = 0;

	for (uint32_t i = first; i < end; i++) {
		row_hold(&holding->said, &holding->given.fact[i], &holding->verdict[i]);
		if (holding->own && is_as_cfi(&holding->own[i], &holding->verdict[i]))
			holding->verdict[i] = (struct row_verdict) { .outcome = ROW_UNJUDGED,
								     .reason = ROW_AS_CFI };
		count_registers(holding, i);
		coverage->runs += holding->given.fact[i].proven;
	}
	tell_findings(holding, first, end);
	count_instructions(holding, first, end);
	outcome = worst(holding, first, end, &reason);
	if (holding->said.kind != ROW_SAID_ROW)
		return;
	coverage->row.count[outcome]++;
	if (outcome == ROW_UNJUDGED || outcome == ROW_DOUBTED)
		coverage->unjudged[reason]++;
}

static void hold_rows(struct holding *holding, const struct row_source *source)
{
	uint64_t end;

	for (uint64_t pc = 0; pc != UINT64_MAX; pc = end) {
		uint32_t first;

		source->row_at(source->context, pc, &holding->said);
		end = holding->said.row.pc_end;
		if (end <= pc)
			break;
		first = before(holding, pc);
		hold_row(holding, first, before(holding, end));
	}
}

/* ---- FDEs ----------------------------------------------------------------------------------------- */

struct fde_rows {
	const struct holding *holding;
	bool whole;
};

/* Whether the row ran, and was right. */
static int look_at_row(void *context, const struct row *row)
{
	struct fde_rows *rows = context;
	enum row_reason ignored;
	uint32_t first = before(rows->holding, row->pc), end = before(rows->holding, row->pc_end);

	rows->whole = worst(rows->holding, first, end, &ignored) == ROW_RIGHT;
	return !rows->whole;
}

static void count_fdes(const struct holding *holding, const struct cfi *cfi)
{
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint32_t first = before(holding, fde->pc_begin);
		uint32_t end = before(holding, fde->pc_begin + fde->pc_range);
		enum row_reason ignored;
		enum row_outcome outcome = worst(holding, first, end, &ignored);
		struct fde_rows rows = { .holding = holding };
		struct error error;

		holding->coverage->fde.count[outcome]++;
		if (outcome == ROW_RIGHT && !cfi_rows(cfi, fde, look_at_row, &rows, &error))
			holding->coverage->fdes_whole += rows.whole;
	}
}

void row_image_hold(const struct row_holding *given, const struct row_source *source,
		    const struct row_verdict *own, struct row_verdict *ret_verdict,
		    struct row_coverage *ret)
{
	struct holding holding = {
		.given = *given, .own = own, .verdict = ret_verdict, .coverage = ret
	};

	*ret = (struct row_coverage) { .runs = 0 };
	hold_rows(&holding, source);
	count_fdes(&holding, given->cfi);
}
