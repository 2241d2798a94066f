/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_table.c - other tables than the CFI, held against the same
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_inside.h"
#include "lint_table.h"
#include "table/unwind_table.h"

/* ==== rows of a table ======================================================================= */

/*
 * As the CFI's own rows are held (lint_judge.c): by flow_row_check_terms(), and of several states
 * of an instruction the worst counts. So of each byte of code it is kept what the instruction that begins
 * there came to.
 */

/* From the best to the worst. */
enum {
	STATUS_NONE,
	STATUS_PROVEN,
	STATUS_UNPROVEN,				     /* + enum flow_reason */
	STATUS_MARKED = STATUS_UNPROVEN + FLOW_REASON_COUNT, /* + the mark's number */
	STATUS_MISSING = STATUS_MARKED + ROW_MARKS_MAX,
	STATUS_AS_CFI,
	STATUS_MISMATCH,
	STATUS_COUNT,
};

struct lint_table {
	const struct cfi *cfi;
	const struct row_source *source;
	struct flow_code_map map; /* of executable code */
	uint8_t *status;	  /* of each byte of it */
	struct lint_finding *finding;
	size_t finding_count;
	bool no_memory;
	bool asked;		    /* said is an answer */
	struct row_said said, next; /* at the instruction; where a row begins inside it */
};

int lint_table_create(const struct cfi *cfi, const struct row_source *source,
		      struct lint_table **ret, struct error *error)
{
	struct lint_table *table = calloc(1, sizeof(*table));

	*ret = NULL;
	if (table) {
		table->cfi = cfi;
		table->source = source;
		if (flow_code_map_init(&table->map, cfi->image, error)) {
			lint_table_destroy(table);
			return -1;
		}
		table->status = calloc(table->map.size + 1, 1);
	}
	if (!table || !table->status) {
		lint_table_destroy(table);
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's instructions");
	}
	*ret = table;
	return 0;
}

void lint_table_destroy(struct lint_table *table)
{
	if (!table)
		return;
	flow_code_map_deinit(&table->map);
	free(table->status);
	free(table->finding);
	free(table);
}

const struct row_source *lint_table_source(const struct lint_table *table)
{
	return table->source;
}

static void set_status(struct lint_table *table, uint64_t pc, unsigned int status)
{
	size_t at = flow_code_map_at(&table->map, pc);

	if (at != FLOW_CODE_NONE && status > table->status[at])
		table->status[at] = (uint8_t)status;
}

/* What the table says at pc. */
static const struct row_said *said_at(struct lint_table *table, uint64_t pc)
{
	const struct row_source *source = table->source;

	if (!table->asked || pc < table->said.row.pc || pc >= table->said.row.pc_end)
		source->row_at(source->context, pc, &table->said);
	table->asked = true;
	return &table->said;
}

/* ---- an instruction ----------------------------------------------------------------------- */

static bool is_same(const struct lint_finding *a, const struct lint_finding *b)
{
	return a->id == b->id && a->reg == b->reg && a->function == b->function &&
	       !strcmp(a->declared, b->declared) && !strcmp(a->actual, b->actual);
}

/* One wrong row is one finding, as long as its instructions come one behind the other. */
static void add_finding(struct lint_table *table, const struct lint_finding *finding)
{
	struct lint_finding *last = table->finding_count ? &table->finding[table->finding_count - 1]
							 : NULL;

	set_status(table, finding->pc, STATUS_MISMATCH);
	if (last && last->pc_end == finding->pc && is_same(last, finding)) {
		last->pc_end = finding->pc_end;
		return;
	}
	if (ARRAY_ADD(table->finding, table->finding_count, *finding))
		table->finding[table->finding_count - 1].table = table->source->name;
	else
		table->no_memory = true;
}

/* The CFI is wrong there in the same way. */
static bool is_as_cfi(const struct lint_point *point, const struct flow_row_verdict *verdict)
{
	const struct flow_row_verdict *own = point->verdict;

	return own->outcome == FLOW_ROW_MISMATCH && own->fault == verdict->fault &&
	       own->reg == verdict->reg && own->never_written == verdict->never_written &&
	       own->callers_word == verdict->callers_word && own->on_top == verdict->on_top &&
	       value_equal(&own->actual, &verdict->actual);
}

static void unproven(struct flow_row_verdict *ret, enum flow_reason reason)
{
	ret->outcome = FLOW_ROW_UNPROVEN;
	ret->reason = reason;
}

/* The row's verdict, with what only the CFI tells: who entered the code. */
static void judge_row(const struct lint_point *point, const struct row_said *said,
		      struct flow_row_verdict *ret)
{
	const struct flow_row_terms terms = { .agreed = point->agreed,
					      .declared = said->declared,
					      .vague = said->vague };
	const struct row *own = point->row;
	bool own_ends = own && own->reg[REGISTER_RIP].kind == RULE_UNDEFINED;

	flow_row_check_terms(&said->row, point->pc, point->state, &terms, ret);
	if (own && own->signal_frame) {
		unproven(ret, FLOW_SIGNAL_FRAME);
	} else if (ret->ends && own_ends) {
		*ret = *point->verdict;
	} else if (ret->ends && point->returns) {
		ret->outcome = FLOW_ROW_MISMATCH;
		ret->fault = FLOW_RETURN;
		ret->reg = REGISTER_RIP;
		ret->actual = value_entry(REGISTER_RIP);
	} else if (ret->ends || (own_ends && point->verdict->outcome != FLOW_ROW_MISMATCH)) {
		unproven(ret, FLOW_RULE_UNKNOWN); /* is there a caller? */
	} else if (ret->callers_stack) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
	} else if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_CFA && point->leaves &&
		   flow_callee_pop_agrees(&said->row, point->pc, point->state, &terms)) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
	} else if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_LOST &&
		   point->outcome == FLOW_ROW_UNPROVEN) {
		unproven(ret, point->reason); /* on a path that isn't seen it may be lost */
	} else if (ret->outcome == FLOW_ROW_MISMATCH && point->unsure) {
		unproven(ret, FLOW_JUMP_UNKNOWN);
	}
}

static void hold_row(struct lint_table *table, const struct lint_point *point,
		     const struct row_said *said)
{
	struct lint_finding finding = { .pc = point->pc,
					.pc_end = point->pc + point->length,
					.function = point->function };
	struct flow_row_verdict verdict;

	judge_row(point, said, &verdict);
	if (verdict.outcome == FLOW_ROW_PROVEN) {
		set_status(table, point->pc, STATUS_PROVEN);
	} else if (verdict.outcome == FLOW_ROW_UNPROVEN) {
		set_status(table, point->pc, STATUS_UNPROVEN + verdict.reason);
	} else if (is_as_cfi(point, &verdict)) {
		set_status(table, point->pc, STATUS_AS_CFI);
	} else {
		finding.id = lint_id_of(verdict.fault);
		finding.reg = verdict.reg;
		flow_row_describe(&said->row, point->state, &verdict, finding.declared,
				  finding.actual);
		add_finding(table, &finding);
	}
}

/* A row that begins inside the instruction, where none of the CFI does. */
static void check_inside(struct lint_table *table, const struct lint_point *point)
{
	const struct row_source *source = table->source;
	const struct row_said *said = &table->said, *next = &table->next;
	uint64_t pc_end = point->pc + point->length;
	struct lint_finding finding = { .id = LINT_ROW_INSIDE,
					.pc = point->pc,
					.pc_end = pc_end,
					.function = point->function };

	if (said->row.pc_end >= pc_end || point->unsure || !point->row ||
	    point->row->pc_end < pc_end)
		return;
	source->row_at(source->context, said->row.pc_end, &table->next);
	if (next->kind != ROW_SAID_ROW || row_equal(&next->row, &said->row))
		return;
	snprintf(finding.declared, sizeof(finding.declared), "a row begins at %#" PRIx64,
		 next->row.pc);
	snprintf(finding.actual, sizeof(finding.actual),
		 "the instruction has %u bytes from %#" PRIx64, point->length, point->pc);
	add_finding(table, &finding);
}

void lint_table_point(struct lint_table *table, const struct lint_point *point)
{
	const struct row_said *said = said_at(table, point->pc);

	switch (said->kind) {
	case ROW_SAID_MARK: set_status(table, point->pc, STATUS_MARKED + said->mark); return;
	case ROW_SAID_NOTHING:
		if (point->row && !point->unsure)
			set_status(table, point->pc, STATUS_MISSING);
		else
			set_status(table, point->pc,
				   STATUS_UNPROVEN +
					   (point->unsure ? FLOW_JUMP_UNKNOWN : FLOW_MALFORMED));
		return;
	case ROW_SAID_ROW: break;
	}
	hold_row(table, point, said);
	check_inside(table, point);
}

void lint_table_judged(struct lint_table *table, uint64_t pc, enum flow_reason reason)
{
	size_t at = flow_code_map_at(&table->map, pc);

	/* No state was told of it. */
	if (at != FLOW_CODE_NONE && !table->status[at])
		set_status(table, pc,
			   STATUS_UNPROVEN +
				   (reason == FLOW_REASON_COUNT ? FLOW_REACHED_BY_NONE : reason));
}

/* ---- the sum ------------------------------------------------------------------------------ */

/* No FDE has any of pc .. pc_end. */
static bool is_outside(const struct cfi *cfi, uint64_t pc, uint64_t pc_end)
{
	return !cfi_fde_find(cfi, pc) && cfi_next_begin(cfi, pc) >= pc_end;
}

static uint64_t count_outside(struct lint_table *table)
{
	const struct row_source *source = table->source;
	const struct row *row = &table->next.row;
	uint64_t count = 0;

	for (uint64_t pc = 0; pc != UINT64_MAX; pc = row->pc_end) {
		source->row_at(source->context, pc, &table->next);
		count += table->next.kind == ROW_SAID_ROW &&
			 is_outside(table->cfi, row->pc, row->pc_end);
		if (row->pc_end <= pc)
			break;
	}
	return count;
}

static void count_status(const struct lint_table *table, struct lint_table_counts *ret)
{
	uint64_t count[STATUS_COUNT] = { 0 };

	for (size_t i = 0; i < table->map.size; i++)
		count[table->status[i]]++;
	ret->proven = count[STATUS_PROVEN];
	ret->mismatch = count[STATUS_MISMATCH];
	ret->as_cfi = count[STATUS_AS_CFI];
	ret->missing = count[STATUS_MISSING];
	for (int i = 0; i < ROW_MARKS_MAX; i++)
		ret->marked[i] = count[STATUS_MARKED + i];
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		ret->unproven[i] = count[STATUS_UNPROVEN + i];
}

static int compare_findings(const void *a, const void *b)
{
	return lint_finding_compare(a, b);
}

/* In order, and each row's in one, whatever the order of its instructions was. */
static void join_findings(struct lint_table *table)
{
	struct lint_finding *finding = table->finding;
	size_t kept = 0;

	if (!table->finding_count)
		return;
	qsort(finding, table->finding_count, sizeof(*finding), compare_findings);
	for (size_t i = 1; i < table->finding_count; i++) {
		if (finding[i].pc > finding[kept].pc_end || !is_same(&finding[i], &finding[kept]))
			finding[++kept] = finding[i];
		else if (finding[i].pc_end > finding[kept].pc_end)
			finding[kept].pc_end = finding[i].pc_end;
	}
	table->finding_count = kept + 1;
}

int lint_table_end(struct lint_table *table,
		   void (*finding)(void *context, const struct lint_finding *finding),
		   void *context, struct lint_table_counts *ret, struct error *error)
{
	memset(ret, 0, sizeof(*ret));
	if (table->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "findings");
	join_findings(table);
	count_status(table, ret);
	ret->rows_beyond = count_outside(table);
	for (size_t i = 0; i < table->finding_count; i++) {
		ret->findings[table->finding[i].id]++;
		finding(context, &table->finding[i]);
	}
	return 0;
}
