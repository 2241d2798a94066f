/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table.c - canonical rows -> the compact table, and the look-up
 *
 * The rows of all FDEs, sorted by PC, become one list of (address, rule number) changes. Equal
 * neighbours are merged, gaps between FDEs get the marker TABLE_NO_ROW, and the list is cut into
 * pages (table_abi.h shows the layout and a worked look-up). Each distinct set of rules is stored
 * once: an image with a million rows has a few hundred rules, so a rule may be large and carry
 * every callee-saved register while a row is four bytes.
 *
 * A rule holds a row exactly or not at all. A row that it can't hold becomes a marker that says
 * why; nothing is ever rounded, clipped or taken for something similar.
 *
 * Where FDEs overlap, an address belongs to the FDE with the highest start among those that cover
 * it, as in cfi_fde_find(): an outer FDE goes on where an inner one ends.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "unwinder.h"

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

static const uint8_t callee_saved[CALLEE_SAVED_COUNT] = {
	REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
};

static bool fits_s32(int64_t value)
{
	return value == (int32_t)value;
}

static enum table_marker rule_cfa(const struct row_rule *cfa, struct table_rule *rule)
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
	if (shape.reg >= REGISTER_GPR_COUNT)
		return TABLE_UNSUPPORTED_REGISTER;
	if (!fits_s32(shape.a) || !fits_s32(shape.b))
		return TABLE_OFFSET_RANGE;
	rule->cfa_register = shape.reg;
	rule->cfa_offset = shape.a;
	rule->cfa_add = shape.form == EXPRESSION_REGISTER ? 0 : shape.b;
	return 0;
}

/* One register's rule in the general form. */
static enum table_marker rule_register(const struct row_rule *from, unsigned int reg,
				       struct table_wide_register *to)
{
	bool value = from->kind == RULE_VAL_EXPRESSION;
	struct expression_shape shape;

	memset(to, 0, sizeof(*to));
	switch (from->kind) {
	case RULE_UNSPECIFIED: to->kind = TABLE_SAME; return 0;
	case RULE_SAME_VALUE:
		/* TABLE_SAME leaves the ABI to decide, and a scratch register would be lost. */
		if (reg < REGISTER_GPR_COUNT && !(CALLEE_SAVED_MASK >> reg & 1)) {
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
		if (from->reg >= REGISTER_GPR_COUNT)
			return TABLE_UNSUPPORTED_REGISTER;
		to->kind = TABLE_IN_REGISTER;
		to->reg = from->reg;
		return 0;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		expression_recognise(from->expression, from->expression_bytes, &shape);
		if (shape.form != EXPRESSION_REGISTER || shape.reg >= REGISTER_GPR_COUNT)
			return TABLE_UNSUPPORTED_EXPRESSION;
		if (!fits_s32(shape.a))
			return TABLE_OFFSET_RANGE;
		to->kind = value ? TABLE_IS_REGISTER : TABLE_AT_REGISTER;
		to->reg = shape.reg;
		to->offset = shape.a;
		return 0;
	default: return TABLE_UNSUPPORTED_REGISTER;
	}
}

/* step_wide() goes up the numbers and writes as it goes: no rule may read what it has written. */
static bool reads_what_was_written(const struct table_wide_rule *wide)
{
	uint32_t written = 0;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		const struct table_wide_register *reg = &wide->reg[i];

		if (reg->kind == TABLE_SAME || reg->kind == TABLE_UNDEFINED)
			continue;
		if (reg->kind >= TABLE_IN_REGISTER && written >> reg->reg & 1)
			return true;
		if (reg->kind == TABLE_IN_REGISTER && reg->reg == i)
			continue;      /* its own value: nothing changes */
		if (i != REGISTER_RSP) /* it is written last of all */
			written |= 1u << i;
	}
	return false;
}

/* Is a rule without the wide part enough? Then moves the registers there. */
static bool rule_narrow(const struct table_wide_rule *wide, struct table_rule *rule)
{
	const struct table_wide_register *ra = &wide->reg[REGISTER_RIP];

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		uint8_t kind = wide->reg[i].kind;

		if (kind == TABLE_SAME)
			continue;
		/* What a callee may clobber is unknown afterwards, whether or not the CFI says so.
		 */
		if (!(CALLEE_SAVED_MASK >> i & 1) && kind != TABLE_UNDEFINED)
			return false;
		if (kind >= TABLE_IN_REGISTER)
			return false;
	}
	if (ra->kind > TABLE_IN_REGISTER)
		return false;
	rule->ra_kind = ra->kind;
	rule->ra_offset = ra->kind == TABLE_IN_REGISTER ? ra->reg : ra->offset;
	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++) {
		rule->saved_kind[i] = wide->reg[callee_saved[i]].kind;
		rule->saved_offset[i] = wide->reg[callee_saved[i]].offset;
	}
	return true;
}

enum table_marker table_rule_from_row(const struct row *row, struct table_rule *rule,
				      struct table_wide_rule *wide)
{
	enum table_marker marker;

	memset(rule, 0, sizeof(*rule));
	marker = rule_cfa(&row->cfa, rule);
	if (marker)
		return marker;
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		marker = rule_register(&row->reg[i], i, &wide->reg[i]);
		if (marker)
			return marker;
	}
	if (row->reg[REGISTER_RSP].kind == RULE_SAME_VALUE ||
	    wide->reg[REGISTER_RSP].kind == TABLE_UNDEFINED ||
	    wide->reg[REGISTER_RIP].kind == TABLE_SAME || reads_what_was_written(wide))
		return TABLE_UNSUPPORTED_REGISTER;
	if (row->signal_frame)
		rule->flags |= TABLE_RULE_SIGNAL_FRAME;
	if (!rule_narrow(wide, rule))
		rule->flags |= TABLE_RULE_WIDE;
	return 0;
}

/* ---- building --------------------------------------------------------------------------- */

struct change {
	uint64_t vaddr;
	uint32_t rule;
};

struct builder {
	struct table *table;
	struct change *change;
	size_t change_count, change_capacity;
	uint32_t *bucket; /* rule numbers by hash, 0 empty; a power of two */
	uint32_t bucket_count;
	uint32_t rule_capacity, wide_capacity;
	uint64_t from, to; /* the part of the FDE at hand that is wanted */
	uint64_t decoded;  /* where its last row ended */
	bool first_time;   /* its rows are not counted yet */
	bool out_of_memory;
};

static bool grow(void *array, uint32_t *capacity, uint32_t count, size_t size)
{
	void **at = array;
	uint32_t wanted = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return true;
	grown = realloc(*at, wanted * size);
	if (!grown)
		return false;
	*at = grown;
	*capacity = wanted;
	return true;
}

static void builder_change(struct builder *builder, uint64_t vaddr, uint32_t rule)
{
	struct change *last = builder->change + builder->change_count;

	if (builder->change_count && last[-1].vaddr == vaddr) {
		last[-1].rule = rule;
		return;
	}
	if (builder->change_count && last[-1].rule == rule)
		return;
	if (builder->change_count == builder->change_capacity) {
		size_t capacity = builder->change_capacity ? builder->change_capacity * 2 : 1024;
		struct change *grown = realloc(builder->change, capacity * sizeof(*grown));

		if (!grown) {
			builder->out_of_memory = true;
			return;
		}
		builder->change = grown;
		builder->change_capacity = capacity;
	}
	builder->change[builder->change_count++] = (struct change) { vaddr, rule };
}

/* FNV-1a over 64-bit words; rules are small and few. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (; size; at += 8, size -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}

static bool rule_equal(const struct table *table, uint32_t number, const struct table_rule *rule,
		       const struct table_wide_rule *wide)
{
	struct table_rule known = table->rule[number];

	if ((rule->flags & TABLE_RULE_WIDE) != (known.flags & TABLE_RULE_WIDE))
		return false;
	if (rule->flags & TABLE_RULE_WIDE &&
	    memcmp(&table->wide[known.wide], wide, sizeof(*wide)) != 0)
		return false;
	known.wide = 0;
	return memcmp(&known, rule, sizeof(known)) == 0;
}

static bool builder_rehash(struct builder *builder)
{
	uint32_t count = builder->bucket_count ? builder->bucket_count * 2 : 1024;
	uint32_t *bucket = calloc(count, sizeof(*bucket));

	if (!bucket)
		return false;
	for (uint32_t number = TABLE_MARKER_COUNT; number < builder->table->rule_count; number++) {
		struct table_rule rule = builder->table->rule[number];
		uint64_t hash = 0;
		uint32_t at;

		if (rule.flags & TABLE_RULE_WIDE)
			hash = hash_bytes(hash, &builder->table->wide[rule.wide],
					  sizeof(struct table_wide_rule));
		rule.wide = 0;
		hash = hash_bytes(hash, &rule, sizeof(rule));
		for (at = hash & (count - 1); bucket[at]; at = (at + 1) & (count - 1))
			;
		bucket[at] = number;
	}
	free(builder->bucket);
	builder->bucket = bucket;
	builder->bucket_count = count;
	return true;
}

/* The number of a rule, adding it if it is new; or a marker. */
static uint32_t builder_intern(struct builder *builder, struct table_rule *rule,
			       const struct table_wide_rule *wide)
{
	struct table *table = builder->table;
	uint64_t hash = 0;
	uint32_t at;

	if (table->rule_count * 2 >= builder->bucket_count && !builder_rehash(builder))
		goto no_memory;
	if (rule->flags & TABLE_RULE_WIDE)
		hash = hash_bytes(hash, wide, sizeof(*wide));
	hash = hash_bytes(hash, rule, sizeof(*rule));
	for (at = hash & (builder->bucket_count - 1); builder->bucket[at];
	     at = (at + 1) & (builder->bucket_count - 1))
		if (rule_equal(table, builder->bucket[at], rule, wide))
			return builder->bucket[at];
	if (table->rule_count == TABLE_RULE_MAX ||
	    (rule->flags & TABLE_RULE_WIDE && table->wide_count > UINT16_MAX))
		return TABLE_TOO_MANY_RULES;
	if (!grow(&table->rule, &builder->rule_capacity, table->rule_count, sizeof(*rule)))
		goto no_memory;
	if (rule->flags & TABLE_RULE_WIDE) {
		if (!grow(&table->wide, &builder->wide_capacity, table->wide_count, sizeof(*wide)))
			goto no_memory;
		rule->wide = table->wide_count;
		table->wide[table->wide_count++] = *wide;
	}
	builder->bucket[at] = table->rule_count;
	table->rule[table->rule_count] = *rule;
	return table->rule_count++;
no_memory:
	builder->out_of_memory = true;
	return TABLE_TOO_MANY_RULES;
}

static int builder_row(void *context, const struct row *row)
{
	struct builder *builder = context;
	struct table_wide_rule wide;
	struct table_rule rule;
	uint32_t number;

	builder->decoded = row->pc_end;
	builder->table->cfi_row_count += builder->first_time;
	number = table_rule_from_row(row, &rule, &wide);
	if (!number)
		number = builder_intern(builder, &rule, &wide);
	if (number < TABLE_MARKER_COUNT)
		builder->table->lost[number] += builder->first_time;
	if (row->pc < builder->to && row->pc_end > builder->from)
		builder_change(builder, row->pc > builder->from ? row->pc : builder->from, number);
	return builder->out_of_memory;
}

/* The rows of one FDE for addresses from .. to. */
static void builder_fde(struct builder *builder, const struct cfi *cfi, const struct cfi_fde *fde,
			uint64_t from, uint64_t to, bool first_time)
{
	struct error ignored;

	builder->from = builder->decoded = from;
	builder->to = to;
	builder->first_time = first_time;
	if (cfi_rows(cfi, fde, builder_row, builder, &ignored) >= 0)
		return;
	/* What follows a bad instruction must not look as if the last row went on. */
	builder->table->lost[TABLE_MALFORMED] += first_time;
	if (builder->decoded < from)
		builder->decoded = from;
	if (builder->decoded < to)
		builder_change(builder, builder->decoded, TABLE_MALFORMED);
}

static void builder_fdes(struct builder *builder, const struct cfi *cfi)
{
	for (size_t i = 0; i < cfi->by_pc_count && !builder->out_of_memory; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		uint64_t next = UINT64_MAX, end;

		if (!table_segment_find(builder->table, fde->pc_begin)) {
			builder->table->lost_fdes++;
			continue;
		}
		if (i + 1 < cfi->by_pc_count)
			next = cfi->fde[cfi->by_pc[i + 1]].pc_begin;
		end = fde->pc_begin + fde->pc_range;
		end = end < next ? end : next;
		builder->table->fde_count++;
		builder_fde(builder, cfi, fde, fde->pc_begin, end, true);
		/* An FDE around this one goes on until the next begins. */
		while (cfi->overlapping && end < next) {
			const struct cfi_fde *outer = cfi_fde_find(cfi, end);
			uint64_t from = end;

			if (!outer)
				break;
			end = outer->pc_begin + outer->pc_range;
			end = end < next ? end : next;
			builder_fde(builder, cfi, outer, from, end, false);
		}
		if (end < next)
			builder_change(builder, end, TABLE_NO_ROW);
	}
}

/* Cuts the changes into pages; both are in order of address. */
static int builder_pages(struct builder *builder, struct error *error)
{
	struct table *table = builder->table;
	size_t rows = builder->change_count + table->page_count;
	size_t at = 0;

	if (rows > UINT32_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "%zu rows are too many", rows);
	table->row = malloc(rows * sizeof(*table->row) + 1);
	if (!table->row)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for %zu rows", rows);
	for (uint32_t s = 0; s < table->segment_count; s++) {
		struct table_segment *segment = &table->segment[s];
		uint32_t rule = TABLE_NO_ROW;

		for (; at < builder->change_count && builder->change[at].vaddr < segment->vaddr;
		     at++)
			rule = builder->change[at].rule;
		for (uint32_t p = 0; p < segment->page_count; p++) {
			struct table_page *page = &table->page[segment->first_page + p];
			uint64_t vaddr = segment->vaddr + (uint64_t)p * TABLE_PAGE_SIZE;

			page->first_row = table->row_count;
			if (at == builder->change_count || builder->change[at].vaddr != vaddr)
				table->row[table->row_count++] = table_row_pack(0, rule);
			for (; at < builder->change_count &&
			       builder->change[at].vaddr < vaddr + TABLE_PAGE_SIZE;
			     at++) {
				rule = builder->change[at].rule;
				table->row[table->row_count++] =
					table_row_pack(builder->change[at].vaddr - vaddr, rule);
			}
			page->row_count = table->row_count - page->first_row;
		}
	}
	return 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct table_segment *left = a, *right = b;

	return left->vaddr < right->vaddr ? -1 : left->vaddr > right->vaddr;
}

static int builder_segments(struct builder *builder, const struct image *image, struct error *error)
{
	struct table *table = builder->table;
	uint64_t pages = 0, next = 0;

	table->segment = calloc(image->segment_count + 1, sizeof(*table->segment));
	if (!table->segment)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for segments");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *from = &image->segment[i];
		uint64_t start = from->vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
		uint64_t bytes = from->vaddr - start + from->file_bytes;

		if (!from->executable || !from->file_bytes)
			continue;
		table->segment[table->segment_count++] = (struct table_segment) {
			.vaddr = start,
			.page_count = (bytes + TABLE_PAGE_SIZE - 1) >> TABLE_PAGE_SHIFT,
		};
	}
	qsort(table->segment, table->segment_count, sizeof(*table->segment), by_vaddr);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		struct table_segment *segment = &table->segment[i];

		if (i && segment->vaddr < next) { /* two segments in one page: the first has it */
			uint64_t skip = (next - segment->vaddr) >> TABLE_PAGE_SHIFT;

			if (skip > segment->page_count)
				skip = segment->page_count;
			segment->vaddr = next;
			segment->page_count -= skip;
		}
		segment->first_page = pages;
		pages += segment->page_count;
		next = segment->vaddr + (uint64_t)segment->page_count * TABLE_PAGE_SIZE;
	}
	if (pages > UINT32_MAX / 2)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "%llu pages are too many",
				 (unsigned long long)pages);
	table->page_count = pages;
	table->page = calloc(pages + 1, sizeof(*table->page));
	if (!table->page)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for pages");
	return 0;
}

int table_create(const struct image *image, const struct cfi *cfi, struct table **ret,
		 struct error *error)
{
	struct builder builder = { .table = calloc(1, sizeof(*builder.table)) };
	int status = -1;

	if (!builder.table)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	if (builder_segments(&builder, image, error))
		goto out;
	builder.rule_capacity = 256;
	builder.table->rule = calloc(builder.rule_capacity, sizeof(*builder.table->rule));
	builder.table->rule_count = TABLE_MARKER_COUNT;
	if (!builder.table->rule || !builder_rehash(&builder))
		builder.out_of_memory = true;
	if (cfi && !builder.out_of_memory) {
		builder.table->lost_fdes = cfi->diagnostics.count + cfi->diagnostics.dropped;
		builder_fdes(&builder, cfi);
	}
	if (builder.out_of_memory) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for the table's rows");
		goto out;
	}
	status = builder_pages(&builder, error);
out:
	free(builder.change);
	free(builder.bucket);
	if (status)
		table_destroy(builder.table);
	else
		*ret = builder.table;
	return status;
}

void table_destroy(struct table *table)
{
	if (!table)
		return;
	free(table->segment);
	free(table->page);
	free(table->row);
	free(table->rule);
	free(table->wide);
	free(table);
}

/* ---- look-up ---------------------------------------------------------------------------- */

uint64_t table_bytes(const struct table *table)
{
	return table->page_count * sizeof(*table->page) + table->row_count * sizeof(*table->row) +
	       table->rule_count * sizeof(*table->rule) + table->wide_count * sizeof(*table->wide);
}

const struct table_segment *table_segment_find(const struct table *table, uint64_t vaddr)
{
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];

		if (vaddr >= segment->vaddr &&
		    (vaddr - segment->vaddr) >> TABLE_PAGE_SHIFT < segment->page_count)
			return segment;
	}
	return NULL;
}

uint32_t table_find(const struct table *table, uint64_t vaddr)
{
	uint32_t offset = vaddr & (TABLE_PAGE_SIZE - 1);
	const struct table_segment *segment = table_segment_find(table, vaddr);
	const struct table_page *page;
	const uint32_t *row;
	uint32_t count;

	if (!segment)
		return TABLE_NO_ROW;
	page = &table->page[segment->first_page + ((vaddr - segment->vaddr) >> TABLE_PAGE_SHIFT)];
	row = table->row + page->first_row;
	count = page->row_count;
	while (count > 1) {
		uint32_t half = count / 2;

		if (table_row_offset(row[half]) <= offset)
			row += half;
		count -= half;
	}
	return table_row_rule(*row);
}
