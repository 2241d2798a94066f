/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_compact.c - `table --format compact`: the arrays that BPF is given
 *
 *	rule 7 cfa=rsp+16 ra=c-8 rbx=c-16
 *	shape 31 +0x0 rule 6; +0x1 rule 7; +0x8 rule 9
 *	segment 0x4000 pages 0..20
 *	page 3 0x7000 entries 412..530
 *	0x7010 shape 31
 *	0x7031 no_row
 *
 * Rules and shapes first, since entries only number them; markers stand by their names. With --func
 * or --pc only the entries that are in force there.
 */
#include <inttypes.h>
#include "table.h"
#include "table/unwind_table.h"

static void print_register(FILE *file, const char *name, const struct table_place *place)
{
	unsigned int kind = place->kind, reg = place->reg;
	int32_t offset = place->offset;

	switch (kind) {
	case TABLE_SAME: break;
	case TABLE_AT_CFA: fprintf(file, " %s=c%+d", name, offset); break;
	case TABLE_IS_CFA: fprintf(file, " %s=v%+d", name, offset); break;
	case TABLE_UNDEFINED: fprintf(file, " %s=u", name); break;
	case TABLE_AT_ALIGNED:
		fprintf(file, " %s=*(((cfa-%u)&-%llu)%+d)", name, place->less, 1ull << (reg & 63),
			offset);
		break;
	case TABLE_IN_REGISTER: fprintf(file, " %s=%s", name, register_name(reg)); break;
	case TABLE_AT_REGISTER:
		fprintf(file, " %s=*(%s%+d)", name, register_name(reg), offset);
		break;
	case TABLE_IS_REGISTER: fprintf(file, " %s=%s%+d", name, register_name(reg), offset); break;
	default: fprintf(file, " %s=?%u", name, kind);
	}
}

static void print_cfa(FILE *file, const struct table_rule *rule)
{
	int add = rule->flags & TABLE_RULE_EXTENDED ? rule->cfa_extended_add : rule->cfa_add;
	char base[64];
	int size = snprintf(base, sizeof(base), "%s", register_name(rule->cfa_register & 15));

	if (rule->cfa_scale)
		size += snprintf(base + size, sizeof(base) - size, "+%s*%u",
				 register_name(rule->cfa_register >> 4), rule->cfa_scale);
	snprintf(base + size, sizeof(base) - size, "%+d", rule->cfa_offset);
	switch (rule->cfa_kind) {
	case TABLE_CFA_REGISTER: fprintf(file, " cfa=%s", base); break;
	case TABLE_CFA_DEREF: fprintf(file, " cfa=*(%s)%+d", base, add); break;
	case TABLE_CFA_PLT: fprintf(file, " cfa=%s+(((rip&15)>=%d)<<3)", base, add); break;
	default: fprintf(file, " cfa=?%u", rule->cfa_kind);
	}
}

void table_rule_print(FILE *file, const struct table *table, uint32_t number)
{
	const struct table_rule *rule = &table->rule[number];
	uint32_t count;
	const struct table_place *places = table_rule_places(table, number, &count);

	fprintf(file, "rule %u", number);
	print_cfa(file, rule);
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		unsigned int reg = i ? i - 1 : REGISTER_RIP; /* the return address first */
		struct table_place place = table_rule_place(rule, places, reg);

		print_register(file, reg == REGISTER_RIP ? "ra" : register_name(reg), &place);
	}
	if (rule->flags & TABLE_RULE_EXTENDED)
		fputs(" extended", file);
	if (rule->flags & TABLE_RULE_SIGNAL_FRAME)
		fputs(" signal", file);
}

static void print_number(FILE *file, uint32_t rule)
{
	if (rule < TABLE_MARKER_COUNT)
		fputs(table_marker_name(rule), file);
	else
		fprintf(file, "rule %u", rule);
}

/* Every shape that begins at a row: one ends where a distance is 0. Row 0 is none. */
static void print_shapes(FILE *file, const struct table *table)
{
	for (uint32_t first = 1, last; first < table->shape_count; first = last + 1) {
		for (last = first; table_shape_distance(table->shape[last]); last++)
			;
		fprintf(file, "shape %u", first);
		for (uint32_t i = last + 1; i-- > first;) {
			fprintf(file, " +0x%x ", table_shape_distance(table->shape[i]));
			print_number(file, table_shape_rule(table->shape[i]));
			fputs(i > first ? ";" : "\n", file);
		}
	}
}

static void print_entry(FILE *file, uint64_t pc, uint32_t entry)
{
	fprintf(file, "0x%" PRIx64 " ", pc);
	if (entry & TABLE_DIRECT)
		print_number(file, table_entry_number(entry));
	else
		fprintf(file, "shape %u", table_entry_number(entry));
	fputc('\n', file);
}

/* Page number p of a segment, which begins at vaddr. */
static void print_page(FILE *file, const struct table *table, const struct table_segment *segment,
		       uint32_t p, uint64_t vaddr, const struct table_filter *filter)
{
	uint32_t number = segment->first_page + p;
	const uint32_t *page = &table->page[number], *entry = table->entry;

	fprintf(file, "page %u 0x%" PRIx64 " entries %u..%u\n", number, vaddr, page[0], page[1]);
	for (uint32_t i = page[0]; i < page[1]; i++) {
		uint64_t pc = table_entry_vaddr(table, segment, p, entry[i]);
		uint64_t pc_end = vaddr + (1u << table->page_shift);

		if (i + 1 < page[1])
			pc_end = table_entry_vaddr(table, segment, p, entry[i + 1]);
		if (!table_filter_shows(filter, pc, pc_end))
			continue;
		table_filter_count(filter, 1);
		print_entry(file, pc, entry[i]);
	}
}

void table_compact_print(FILE *file, const struct table *table, const struct table_filter *filter)
{
	for (uint32_t i = TABLE_MARKER_COUNT; i < table->rule_count; i++) {
		table_rule_print(file, table, i);
		fputc('\n', file);
	}
	print_shapes(file, table);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];
		fprintf(file, "segment 0x%" PRIx64 " pages %u..%u\n", segment->vaddr,
			segment->first_page, segment->first_page + segment->page_count);
		for (uint32_t page = 0; page < segment->page_count; page++) {
			uint64_t vaddr = segment->vaddr + ((uint64_t)page << table->page_shift);
			if (table_filter_shows(filter, vaddr, vaddr + (1u << table->page_shift)))
				print_page(file, table, segment, page, vaddr, filter);
		}
	}
}

int table_compact(FILE *file, const struct image *image, const struct table_filter *filter,
		  struct error_list *diagnostics, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct table *table DEINIT(table_destroy_at) = NULL;
	int result = filter->section ? cfi_create_section(image, filter->section, &cfi, error)
				     : cfi_create(image, &cfi, error);
	if (!result)
		result = filter->section ? table_create(image, cfi, &table, error)
					 : table_build(image, &table, error);
	if (result)
		return result;
	cfi_check(cfi, diagnostics);
	table_compact_print(file, table, filter);
	return 0;
}
