/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_compact.c - `table --format compact`: the arrays that BPF is given
 *
 *	rule 7 cfa=rsp+16 ra=c-8 rbx=c-16
 *	segment 0x4000 pages 0..20
 *	page 3 0x7000 rows 412..530
 *	0x7010 rule 7
 *	0x7031 no_row
 *
 * Rules first, since rows only number them; markers stand by their names. With --func or --pc only
 * the rows that are in force there.
 */
#include <inttypes.h>
#include "table.h"

static void print_register(FILE *file, const char *name, unsigned int kind, unsigned int reg,
			   int32_t offset)
{
	switch (kind) {
	case TABLE_SAME: break;
	case TABLE_AT_CFA: fprintf(file, " %s=c%+d", name, offset); break;
	case TABLE_IS_CFA: fprintf(file, " %s=v%+d", name, offset); break;
	case TABLE_UNDEFINED: fprintf(file, " %s=u", name); break;
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
	const char *name = register_name(rule->cfa_register);
	switch (rule->cfa_kind) {
	case TABLE_CFA_REGISTER: fprintf(file, " cfa=%s%+d", name, rule->cfa_offset); break;
	case TABLE_CFA_DEREF:
		fprintf(file, " cfa=*(%s%+d)%+d", name, rule->cfa_offset, rule->cfa_add);
		break;
	case TABLE_CFA_PLT:
		fprintf(file, " cfa=%s%+d+(((rip&15)>=%d)<<3)", name, rule->cfa_offset,
			rule->cfa_add);
		break;
	default: fprintf(file, " cfa=?%u", rule->cfa_kind);
	}
}

static void print_rule(FILE *file, const struct table *table, uint32_t number)
{
	/* In the order of table_rule.saved_kind[]. */
	static const char *const saved[CALLEE_SAVED_COUNT] = { "rbx", "rbp", "r12",
							       "r13", "r14", "r15" };
	const struct table_rule *rule = &table->rule[number];
	fprintf(file, "rule %u", number);
	print_cfa(file, rule);
	if (rule->flags & TABLE_RULE_WIDE) {
		const struct table_wide_rule *wide = &table->wide[rule->wide];
		for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
			print_register(file, register_name(reg), wide->reg[reg].kind,
				       wide->reg[reg].reg, wide->reg[reg].offset);
		fputs(" wide", file);
	} else {
		print_register(file, "ra", rule->ra_kind, (unsigned int)rule->ra_offset,
			       rule->ra_offset);
		for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
			print_register(file, saved[i], rule->saved_kind[i], 0,
				       rule->saved_offset[i]);
	}
	if (rule->flags & TABLE_RULE_SIGNAL_FRAME)
		fputs(" signal", file);
	fputc('\n', file);
}

static void print_row(FILE *file, uint64_t pc, uint32_t rule)
{
	fprintf(file, "0x%" PRIx64, pc);
	if (rule < TABLE_MARKER_COUNT)
		fprintf(file, " %s\n", table_marker_name(rule));
	else
		fprintf(file, " rule %u\n", rule);
}

static void print_page(FILE *file, const struct table *table, uint32_t number, uint64_t vaddr,
		       const struct table_filter *filter)
{
	const struct table_page *page = &table->page[number];
	fprintf(file, "page %u 0x%" PRIx64 " rows %u..%u\n", number, vaddr, page->first_row,
		page->first_row + page->row_count);
	for (uint32_t i = 0; i < page->row_count; i++) {
		uint32_t row = table->row[page->first_row + i];
		uint64_t pc = vaddr + table_row_offset(row);
		uint64_t pc_end = vaddr + TABLE_PAGE_SIZE;
		if (i + 1 < page->row_count)
			pc_end = vaddr + table_row_offset(table->row[page->first_row + i + 1]);
		if (table_filter_shows(filter, pc, pc_end))
			print_row(file, pc, table_row_rule(row));
	}
}

int table_compact(FILE *file, const struct image *image, const struct table_filter *filter,
		  struct error_list *diagnostics, struct error *error)
{
	struct cfi *cfi;
	struct table *table = NULL;
	int result = filter->section ? cfi_create_section(image, filter->section, &cfi, error)
				     : cfi_create(image, &cfi, error);
	if (!result)
		result = table_create(image, cfi, &table, error);
	if (result)
		goto out;
	cfi_check(cfi, diagnostics);

	for (uint32_t i = TABLE_MARKER_COUNT; i < table->rule_count; i++)
		print_rule(file, table, i);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		const struct table_segment *segment = &table->segment[i];
		fprintf(file, "segment 0x%" PRIx64 " pages %u..%u\n", segment->vaddr,
			segment->first_page, segment->first_page + segment->page_count);
		for (uint32_t page = 0; page < segment->page_count; page++) {
			uint64_t vaddr = segment->vaddr + (uint64_t)page * TABLE_PAGE_SIZE;
			if (table_filter_shows(filter, vaddr, vaddr + TABLE_PAGE_SIZE))
				print_page(file, table, segment->first_page + page, vaddr, filter);
		}
	}
out:
	table_destroy(table);
	cfi_destroy(cfi);
	return result;
}
