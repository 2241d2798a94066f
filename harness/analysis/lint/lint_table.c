/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_table.c - other tables than the CFI, held against the same
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_begin.h"
#include "lint_judge.h"
#include "lint_table.h"
#include "cfi/expression.h"
#include "table/unwind_table.h"
#include "tables/diff/diff.h"

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
	STATUS_MISSING = STATUS_MARKED + LINT_MARKS_MAX,
	STATUS_AS_CFI,
	STATUS_MISMATCH,
	STATUS_COUNT,
};

struct lint_table {
	const struct cfi *cfi;
	const struct lint_source *source;
	struct flow_code_map map; /* of executable code */
	uint8_t *status;	  /* of each byte of it */
	struct lint_finding *finding;
	size_t finding_count;
	bool no_memory;
	bool asked;		     /* said is an answer */
	struct lint_said said, next; /* at the instruction; where a row begins inside it */
};

int lint_table_create(const struct cfi *cfi, const struct lint_source *source,
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

const struct lint_source *lint_table_source(const struct lint_table *table)
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
static const struct lint_said *said_at(struct lint_table *table, uint64_t pc)
{
	const struct lint_source *source = table->source;

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
	if (!ARRAY_GROW(table->finding, table->finding_count)) {
		table->no_memory = true;
		return;
	}
	table->finding[table->finding_count] = *finding;
	table->finding[table->finding_count++].table = table->source->name;
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
static void judge_row(const struct lint_point *point, const struct lint_said *said,
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
		   flow_popped_agrees(&said->row, point->pc, point->state, &terms)) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
	} else if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_LOST &&
		   point->outcome == FLOW_ROW_UNPROVEN) {
		unproven(ret, point->reason); /* on a path that isn't seen it may be lost */
	} else if (ret->outcome == FLOW_ROW_MISMATCH && point->unsure) {
		unproven(ret, FLOW_JUMP_UNKNOWN);
	}
}

static void hold_row(struct lint_table *table, const struct lint_point *point,
		     const struct lint_said *said)
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
	const struct lint_source *source = table->source;
	const struct lint_said *said = &table->said, *next = &table->next;
	uint64_t pc_end = point->pc + point->length;
	struct lint_finding finding = { .id = LINT_ROW_INSIDE,
					.pc = point->pc,
					.pc_end = pc_end,
					.function = point->function };

	if (said->row.pc_end >= pc_end || point->unsure || !point->row ||
	    point->row->pc_end < pc_end)
		return;
	source->row_at(source->context, said->row.pc_end, &table->next);
	if (next->kind != LINT_SAID_ROW || row_equal(&next->row, &said->row))
		return;
	snprintf(finding.declared, sizeof(finding.declared), "a row begins at %#" PRIx64,
		 next->row.pc);
	snprintf(finding.actual, sizeof(finding.actual),
		 "the instruction has %u bytes from %#" PRIx64, point->length, point->pc);
	add_finding(table, &finding);
}

void lint_table_point(struct lint_table *table, const struct lint_point *point)
{
	const struct lint_said *said = said_at(table, point->pc);

	switch (said->kind) {
	case LINT_SAID_MARK: set_status(table, point->pc, STATUS_MARKED + said->mark); return;
	case LINT_SAID_NOTHING:
		if (point->row && !point->unsure)
			set_status(table, point->pc, STATUS_MISSING);
		else
			set_status(table, point->pc,
				   STATUS_UNPROVEN +
					   (point->unsure ? FLOW_JUMP_UNKNOWN : FLOW_MALFORMED));
		return;
	case LINT_SAID_ROW: break;
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
static bool is_beyond(const struct cfi *cfi, uint64_t pc, uint64_t pc_end)
{
	return !cfi_fde_find(cfi, pc) && lint_begin_next(cfi, pc) >= pc_end;
}

static uint64_t count_beyond(struct lint_table *table)
{
	const struct lint_source *source = table->source;
	const struct row *row = &table->next.row;
	uint64_t count = 0;

	for (uint64_t pc = 0; pc != UINT64_MAX; pc = row->pc_end) {
		source->row_at(source->context, pc, &table->next);
		count += table->next.kind == LINT_SAID_ROW &&
			 is_beyond(table->cfi, row->pc, row->pc_end);
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
	for (int i = 0; i < LINT_MARKS_MAX; i++)
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
	ret->rows_beyond = count_beyond(table);
	for (size_t i = 0; i < table->finding_count; i++) {
		ret->findings[table->finding[i].id]++;
		finding(context, &table->finding[i]);
	}
	return 0;
}

/* ==== the compact table ===================================================================== */

/*
 * What a rule means is docs/TABLE_FORMAT.md's: here it is read from there, and not from what made
 * it, so that a rule that was made wrongly is a wrong row. Which rule holds is asked as a walk asks
 * (table_find()); from where to where, of table_rows().
 */

struct stretch {
	uint64_t pc, pc_end;
};

struct lint_compact {
	struct table *table;
	struct stretch *stretch;
	size_t count;
};

/* ---- a rule ------------------------------------------------------------------------------- */

/* Assembles expressions one behind the other into what was said. */
struct assembler {
	struct lint_said *said;
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
	if (expression_read(text, (size_t)length, at, LINT_SAID_BYTES - assembler->used, &size))
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
static void lint_compact_row(const struct table_rule *rule, const struct table_place *place,
			     struct lint_said *ret)
{
	struct assembler assembler = { .said = ret };

	ret->kind = LINT_SAID_ROW;
	ret->declared = UINT32_MAX;
	ret->vague = 0;
	ret->row.args_size = 0;
	ret->row.high_rules = ret->row.ra_signed = false;
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
	struct lint_compact *compact = context;

	if (!ARRAY_GROW(compact->stretch, compact->count))
		return 1;
	compact->stretch[compact->count++] = (struct stretch) { pc, pc_end };
	return 0;
}

int lint_compact_create(const struct image *image, struct lint_compact **ret, struct error *error)
{
	struct lint_compact *compact = calloc(1, sizeof(*compact));

	*ret = NULL;
	if (!compact)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's rows");
	if (table_build(image, &compact->table, error)) {
		lint_compact_destroy(compact);
		return -1;
	}
	if (table_rows(compact->table, add_stretch, compact)) {
		lint_compact_destroy(compact);
		return error_set(error, ERROR_MEMORY, NULL, 0, "a table's rows");
	}
	*ret = compact;
	return 0;
}

void lint_compact_destroy(struct lint_compact *compact)
{
	if (!compact)
		return;
	table_destroy(compact->table);
	free(compact->stretch);
	free(compact);
}

/* From where to where the rule at pc holds. */
static void find_stretch(const struct lint_compact *compact, uint64_t pc, struct row *ret)
{
	size_t low = ARRAY_BEFORE(compact->count, i, compact->stretch[i].pc_end <= pc);

	ret->pc = low ? compact->stretch[low - 1].pc_end : 0;
	ret->pc_end = low < compact->count ? compact->stretch[low].pc : UINT64_MAX;
	if (low < compact->count && compact->stretch[low].pc <= pc) {
		ret->pc = compact->stretch[low].pc;
		ret->pc_end = compact->stretch[low].pc_end;
	}
}

static void row_at(void *context, uint64_t pc, struct lint_said *ret)
{
	const struct lint_compact *compact = context;
	const struct table *table = compact->table;
	uint32_t number = table_find(table, pc), count;

	if (number == TABLE_NO_ROW) {
		ret->kind = LINT_SAID_NOTHING;
	} else if (number < TABLE_MARKER_COUNT) {
		ret->kind = LINT_SAID_MARK;
		ret->mark = (uint8_t)number;
	} else {
		lint_compact_row(&table->rule[number], table_rule_places(table, number, &count),
				 ret);
	}
	find_stretch(compact, pc, &ret->row);
}

struct lint_source lint_compact_source(struct lint_compact *compact)
{
	struct lint_source source = {
		.name = LINT_COMPACT,
		.row_at = row_at,
		.context = compact,
	};

	_Static_assert(TABLE_MARKER_COUNT <= LINT_MARKS_MAX, "each marker is a mark");
	for (int i = 0; i < TABLE_MARKER_COUNT; i++)
		source.mark[i] = table_marker_name((enum table_marker)i);
	return source;
}

/* ==== what another tool printed ============================================================= */

/*
 * Read as `diff` reads it (diff/diff.h): functions with rows, in words. Here they lie one behind the
 * other, each address in one: where functions overlap, the one that begins last has it, as of FDEs
 * (cfi_fde_find()). Words become a row when somebody asks for it.
 */

struct entry {
	uint64_t pc, pc_end;
	const char *words;
	bool signal;
};

struct lint_dump {
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
static int add_rows(struct lint_dump *dump, const struct diff_table *table, const struct span *span,
		    uint64_t from, uint64_t to)
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
		if (!ARRAY_GROW(dump->entry, dump->count))
			return -1;
		dump->entry[dump->count++] = entry;
	}
	return 0;
}

/* Those that are open at an address lie on a stack, the one that began last on top. */
static int lay_out(struct lint_dump *dump, const struct diff_table *table, struct span *span,
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

static int make_entries(struct lint_dump *dump, const struct diff_table *table, struct error *error)
{
	struct span *span = calloc(table->function_count + 1, sizeof(*span));
	const struct span **open = calloc(table->function_count + 1, sizeof(*open));
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
	free(span);
	free(open);
	return result ? diff_no_memory(error) : 0;
}

/* ---- read --------------------------------------------------------------------------------- */

static int read_dump(struct lint_dump *dump, const char *from, struct error *error)
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

int lint_dump_create(const char *path, const char *from, struct lint_dump **ret,
		     struct error *error)
{
	struct lint_dump *dump = calloc(1, sizeof(*dump));

	*ret = NULL;
	if (!dump)
		return diff_no_memory(error);
	dump->path = path;
	if (read_dump(dump, from, error)) {
		lint_dump_destroy(dump);
		return -1;
	}
	*ret = dump;
	return 0;
}

void lint_dump_destroy(struct lint_dump *dump)
{
	if (!dump)
		return;
	diff_words_deinit(&dump->words);
	free(dump->entry);
	free(dump);
}

/* ---- rows --------------------------------------------------------------------------------- */

_Static_assert(DIFF_DECLARES_CFA == FLOW_ROW_CFA, "the same bit says it");
_Static_assert(DIFF_EXPRESSION_BYTES <= LINT_SAID_BYTES, "a row's expressions have room");
_Static_assert(DIFF_SAID_COUNT <= LINT_MARKS_MAX, "each command is a mark");

static void dump_row_at(void *context, uint64_t pc, struct lint_said *ret)
{
	const struct lint_dump *dump = context;
	size_t low = ARRAY_BEFORE(dump->count, i, dump->entry[i].pc_end <= pc);
	const struct entry *entry;
	enum diff_said said;

	entry = &dump->entry[low];
	if (low == dump->count || entry->pc > pc) {
		ret->kind = LINT_SAID_NOTHING;
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
	ret->kind = said == DIFF_SAYS_RULES    ? LINT_SAID_ROW
		    : said == DIFF_SAYS_NO_ROW ? LINT_SAID_NOTHING
					       : LINT_SAID_MARK;
}

struct lint_source lint_dump_source(struct lint_dump *dump)
{
	struct lint_source source = { .name = dump->path, .row_at = dump_row_at, .context = dump };

	for (int i = 0; i < DIFF_SAID_COUNT; i++)
		source.mark[i] = diff_said_name((enum diff_said)i);
	return source;
}
