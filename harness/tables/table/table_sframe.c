/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe.c - `table --sframe`: headers, functions and rows as they are stored
 *
 *	header .sframe+0x0 version 3 amd64 sorted pcrel ra=c-8 functions 5 rows 13
 *	function 0x1026..0x1031 f
 *	  +0x0 cfa=sp+8 ra=c-8
 *	  +0x1 cfa=sp+16 ra=c-8 fp=c-16
 *	function 0x1010..0x1040 block 16
 *
 * SP and FP are the machine's, other registers are DWARF numbers. The rows of a block that repeats are printed once.
 */
#include <inttypes.h>
#include "plain_text.h"
#include "table/unwind_table.h"
#include "table_sframe.h"

const char *sframe_machine_name(uint8_t machine)
{
	switch (machine) {
	case SFRAME_AARCH64_BIG: return "aarch64be";
	case SFRAME_AARCH64: return "aarch64";
	case SFRAME_AMD64: return "amd64";
	default: return "s390x";
	}
}

static void print_register(FILE *file, uint8_t machine, uint32_t reg)
{
	if (reg == sframe_sp(machine))
		fputs("sp", file);
	else if (reg == sframe_fp(machine))
		fputs("fp", file);
	else
		fprintf(file, "r%" PRIu32, reg);
}

void sframe_rule_print(FILE *file, uint8_t machine, const struct sframe_rule *rule, bool is_cfa)
{
	bool deref = rule->kind == SFRAME_AT_REGISTER;

	switch (rule->kind) {
	case SFRAME_NO_RULE: fputs("none", file); return;
	case SFRAME_AT_CFA: fprintf(file, "c%+" PRId32, rule->offset); return;
	case SFRAME_IS_CFA: fprintf(file, "v%+" PRId32, rule->offset); return;
	case SFRAME_AT_REGISTER:
	case SFRAME_IS_REGISTER:
		fputs(deref ? "*(" : "", file);
		print_register(file, machine, rule->reg);
		if (rule->offset || deref || is_cfa)
			fprintf(file, "%+" PRId32, rule->offset);
		fputs(deref ? ")" : "", file);
		return;
	}
}

void sframe_row_print(FILE *file, uint8_t machine, const struct sframe_row *row)
{
	if (row->outermost) {
		fputs("outermost", file);
		return;
	}
	fputs("cfa=", file);
	sframe_rule_print(file, machine, &row->cfa, true);
	if (row->ra.kind != SFRAME_NO_RULE) {
		fputs(" ra=", file);
		sframe_rule_print(file, machine, &row->ra, false);
	}
	if (row->fp.kind != SFRAME_NO_RULE) {
		fputs(" fp=", file);
		sframe_rule_print(file, machine, &row->fp, false);
	}
	if (row->ra_signed)
		fputs(" signed", file);
}

const char *table_sframe_name(const struct table_sframe *table,
			      const struct sframe_function *function)
{
	const struct image_symbol *symbol = NULL;

	if (table->image && table->image->type != ET_REL)
		symbol = image_symbol_at(table->image, function->pc_begin);
	return symbol ? symbol->name : NULL;
}

static void print_header(FILE *file, const struct sframe_header *header)
{
	fprintf(file, "header %s+0x%" PRIx32 " version %u %s%s%s%s", header->section->name,
		header->offset, header->version, sframe_machine_name(header->machine),
		header->flags & SFRAME_SORTED ? " sorted" : "",
		header->flags & SFRAME_FRAME_POINTER ? " frame-pointers" : "",
		header->flags & SFRAME_START_PCREL ? " pcrel" : "");
	if (header->fixed_ra)
		fprintf(file, " ra=c%+d", header->fixed_ra);
	if (header->fixed_fp)
		fprintf(file, " fp=c%+d", header->fixed_fp);
	fprintf(file, " functions %" PRIu32 " rows %" PRIu32 "\n", header->function_count,
		header->row_count);
}

struct printing {
	FILE *file;
	uint8_t machine;
};

static int print_row(void *context, const struct sframe_row *row)
{
	const struct printing *printing = context;

	fprintf(printing->file, "  +0x%" PRIx32 " ", row->start);
	sframe_row_print(printing->file, printing->machine, row);
	putc('\n', printing->file);
	return 0;
}

static void print_function(FILE *file, const struct table_sframe *table,
			   const struct sframe_function *function)
{
	struct printing printing = { file, table->sframe->header[function->header].machine };
	const char *name = table_sframe_name(table, function);
	struct error error;

	fprintf(file, "function 0x%" PRIx64 "..0x%" PRIx64, function->pc_begin,
		function->pc_begin + function->pc_range);
	if (function->repeats)
		fprintf(file, " block %" PRIu32, sframe_repeat(function));
	fprintf(file, "%s%s%s", function->signal_frame ? " signal" : "",
		function->flexible ? " flexible" : "", function->key_b ? " key-b" : "");
	fprintf(file, "%s%s\n", name ? " " : "", name ? PLAIN_TEXT(name) : "");
	if (function->outermost)
		fputs("  +0x0 outermost\n", file);
	/* What is malformed is among the diagnostics. */
	sframe_rows(table->sframe, function, print_row, &printing, &error);
}

int table_sframe_text(FILE *file, const struct table_sframe *table,
		      const struct table_filter *filter, struct error *error)
{
	const struct sframe *sframe = table->sframe;
	uint32_t header = UINT32_MAX;

	for (size_t i = 0; i < sframe->function_count; i++) {
		const struct sframe_function *function = &sframe->function[i];

		if (!table_filter_shows(filter, function->pc_begin,
					function->pc_begin + function->pc_range))
			continue;
		for (; header != function->header; header++)
			print_header(file, &sframe->header[header + 1]);
		print_function(file, table, function);
		table_filter_count(filter, 1);
	}
	return 0;
}

int table_sframe_compact(FILE *file, const struct table_sframe *table,
			 const struct table_filter *filter, struct error *error)
{
	struct table *made DEINIT(table_destroy_at) = NULL;

	if (!table->image)
		return error_set(error, ERROR_UNSUPPORTED_ELF, NULL, 0,
				 "a compact table is for x86-64 alone");
	if (table_build_sframe(table->image, table->sframe, &made, error))
		return -1;
	table_compact_print(file, made, filter);
	return 0;
}
