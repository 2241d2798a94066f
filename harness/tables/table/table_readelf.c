/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_readelf.c - `table --format readelf`: the lines of `readelf -wF` of binutils 2.40
 *
 * An independent tool prints the same tables, so equality with it, line for line, is the first
 * proof that CIEs, FDEs and call frame instructions are read right. What its format is like:
 *
 *	00000048 0000000000000024 0000001c FDE cie=00000030 pc=000000000002f020..000000000002fe00
 *	   LOC           CFA      rbx   ra
 *	000000000002f020 rsp+16   u     c-8
 *
 * One row for every advance, one column for every register that the entry's or its CIE's
 * instructions mention (u: no rule), no rows for an entry of nothing but DW_CFA_nop. Offsets are
 * printed as 32-bit numbers. readelf also follows the link to a separate debug file, and then says
 * of every section where it was loaded from. A run of zero bytes is one "ZERO terminator" line. On
 * malformed entries this doesn't imitate: they are left out here and reported.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/images/debug_link.h"
#include "cfi/cfi_section.h"
#include "image/eh_frames.h"
#include "table.h"
#include "plain_text.h"

/* Names of DWARF registers above REGISTER_RIP (psABI, figure 3.36), as binutils has them. */
static const char *high_register_name(uint32_t reg, char text[16])
{
	static const struct {
		uint32_t first;
		uint32_t last;
		const char *prefix;
		uint32_t first_number;
	} ranges[] = {
		{ 17, 32, "xmm", 0 },  { 33, 40, "st", 0 },  { 41, 48, "mm", 0 },
		{ 67, 82, "xmm", 16 }, { 118, 125, "k", 0 }, { 126, 129, "bnd", 0 },
	};
	static const char *const singles[] = {
		"rflags",  "es",      "cs", "ss", "ds", "fs",	"gs",	 NULL,	NULL,
		"fs.base", "gs.base", NULL, NULL, "tr", "ldtr", "mxcsr", "fcw", "fsw",
	};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (reg >= ranges[i].first && reg <= ranges[i].last) {
			snprintf(text, 16, "%s%u", ranges[i].prefix,
				 reg - ranges[i].first + ranges[i].first_number);
			return text;
		}
	if (reg >= 49 && reg < 49 + sizeof(singles) / sizeof(singles[0]))
		return singles[reg - 49];
	return NULL;
}

/* "rbx", or "r200" for a register without a name; long: "r3 (rbx)". */
static const char *register_text(uint32_t reg, bool long_form, char text[32])
{
	char high[16];
	const char *name = reg < REGISTER_COUNT ? register_name(reg)
						: high_register_name(reg, high);
	if (!name)
		snprintf(text, 32, "r%u", reg);
	else if (long_form)
		snprintf(text, 32, "r%u (%s)", reg, name);
	else
		snprintf(text, 32, "%s", name);
	return text;
}

struct printer {
	FILE *file;
	const struct cfi_cie *cie;
	bool mentioned[CFI_REGISTER_MAX + 1];
	int highest;
	bool header_done;
};

static void print_header(struct printer *printer)
{
	char text[32];
	fprintf(printer->file, "%-*s CFA      ", printer->cie->address_bytes * 2, "   LOC");
	for (int reg = 0; reg <= printer->highest; reg++) {
		if (!printer->mentioned[reg])
			continue;
		bool is_return = (uint64_t)reg == printer->cie->return_register;
		fprintf(printer->file, "%-5s ", is_return ? "ra" : register_text(reg, false, text));
	}
	fputc('\n', printer->file);
}

static void print_rule(FILE *file, const struct row_rule *rule)
{
	char text[32] = "n/a";
	switch (rule->kind) {
	case RULE_UNSPECIFIED:
	case RULE_UNDEFINED: strcpy(text, "u"); break;
	case RULE_SAME_VALUE: strcpy(text, "s"); break;
	case RULE_OFFSET: snprintf(text, sizeof(text), "c%+d", (int)rule->offset); break;
	case RULE_VAL_OFFSET: snprintf(text, sizeof(text), "v%+d", (int)rule->offset); break;
	case RULE_REGISTER: register_text(rule->reg, true, text); break;
	case RULE_EXPRESSION: strcpy(text, "exp"); break;
	case RULE_VAL_EXPRESSION: strcpy(text, "vexp"); break;
	case RULE_CFA_REGISTER:
	case RULE_CFA_EXPRESSION: break;
	}
	fprintf(file, "%-5s ", text);
}

static int print_row(void *context, const struct cfi_raw_row *raw)
{
	struct printer *printer = context;
	const struct row *row = raw->row;
	if (!printer->header_done)
		print_header(printer);
	printer->header_done = true;

	char cfa[64] = "exp";
	if (row->cfa.kind != RULE_CFA_EXPRESSION) {
		char text[32];
		snprintf(cfa, sizeof(cfa), "%s%+d", register_text(row->cfa.reg, false, text),
			 (int)row->cfa.offset);
	}
	fprintf(printer->file, "%0*" PRIx64 " %-8s ", printer->cie->address_bytes * 2, row->pc,
		cfa);
	static const struct row_rule none = { .kind = RULE_UNSPECIFIED };
	for (int reg = 0; reg <= printer->highest; reg++) {
		if (!printer->mentioned[reg])
			continue;
		if (reg < REGISTER_COUNT)
			print_rule(printer->file, &row->reg[reg]);
		else
			print_rule(printer->file,
				   raw->high ? &raw->high[reg - REGISTER_COUNT] : &none);
	}
	fputc('\n', printer->file);
	return 0;
}

static void print_rows(FILE *file, const struct cfi *cfi, const struct cfi_cie *cie,
		       const struct cfi_fde *fde, struct error_list *diagnostics)
{
	struct printer printer = { .file = file, .cie = cie };
	printer.highest = cfi_registers(cfi, cie, fde, printer.mentioned);
	struct error error;
	if (cfi_raw_rows(cfi, cie, fde, print_row, &printer, &error))
		error_list_add(diagnostics, &error);
}

static void print_cie(FILE *file, const struct cfi *cfi, const struct cfi_cie *cie,
		      struct error_list *diagnostics)
{
	unsigned int id_bytes = cie->is_64bit && !cfi->is_eh_frame ? 8 : 4;
	uint64_t id = cfi->is_eh_frame ? 0 : id_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	fprintf(file, "\n%08" PRIx32 " %0*" PRIx32 " %0*" PRIx64, cie->offset,
		cie->address_bytes * 2, cie->length, id_bytes * 2, id);
	fprintf(file, " CIE \"%s\" cf=%d df=%d ra=%d\n", cie->augmentation,
		(int)cie->code_alignment, (int)cie->data_alignment, (int)cie->return_register);
	print_rows(file, cfi, cie, NULL, diagnostics);
}

static void print_fde(FILE *file, const struct cfi *cfi, const struct cfi_fde *fde,
		      struct error_list *diagnostics)
{
	const struct cfi_cie *cie = &cfi->cie[fde->cie];
	struct cfi_entry head; /* of 64 bits or not, which its CIE need not be */
	struct error never;
	cfi_entry_read(cfi->section, cfi->is_eh_frame, fde->offset, &head, &never);
	unsigned int id_bytes = head.is_64bit && !cfi->is_eh_frame ? 8 : 4;
	uint64_t id = cie->offset;
	if (cfi->is_eh_frame)
		id = (uint32_t)(head.body - id_bytes - cfi->section->data - cie->offset);
	unsigned int digits = cie->address_bytes * 2;
	fprintf(file, "\n%08" PRIx32 " %0*" PRIx32 " %0*" PRIx64, fde->offset, digits, fde->length,
		id_bytes * 2, id);
	fprintf(file, " FDE cie=%08" PRIx32 " pc=%0*" PRIx64 "..%0*" PRIx64 "\n", cie->offset,
		digits, fde->pc_begin, digits, fde->pc_begin + fde->pc_range);
	print_rows(file, cfi, cie, fde, diagnostics);
}

/* The zero bytes at offset: one line. Returns where they end. */
static uint64_t print_zeros(FILE *file, const struct cfi *cfi, uint64_t offset)
{
	fprintf(file, "\n%08" PRIx64 " ZERO terminator\n\n", offset);
	while (offset < cfi->section->size && !cfi->section->data[offset])
		offset++;
	return offset;
}

/* Where the next entry begins that could be read: behind one whose length is bad, nothing else
 * tells. cie, fde: the first not before offset. */
static uint64_t next_known(const struct cfi *cfi, size_t cie, size_t fde, uint64_t offset)
{
	uint64_t next = cfi->section->size;
	for (; cie < cfi->cie_count && next == cfi->section->size; cie++)
		if (cfi->cie[cie].offset > offset)
			next = cfi->cie[cie].offset;
	for (; fde < cfi->fde_count; fde++)
		if (cfi->fde[fde].offset > offset)
			return cfi->fde[fde].offset < next ? cfi->fde[fde].offset : next;
	return next;
}

/* CIEs, FDEs and terminators in the section's order. */
static void print_section(FILE *file, const struct cfi *cfi, const char *loaded_from,
			  const struct table_filter *filter, struct error_list *diagnostics)
{
	const struct image_section *section = cfi->section;
	/* Several .eh_frame have numbers only here. */
	fprintf(file, "Contents of the %.*s section", (int)strcspn(section->name, "["),
		section->name);
	if (loaded_from)
		fprintf(file, " (loaded from %s)", PLAIN_TEXT(loaded_from));
	fputs(":\n\n", file);
	size_t cie = 0;
	size_t fde = 0;
	uint64_t offset = 0;
	while (offset + 4 <= section->size) {
		struct cfi_entry head;
		struct error ignored; /* the next entry's place is known all the same, or 0 */
		cfi_entry_read(section, cfi->is_eh_frame, offset, &head, &ignored);
		if (!head.length && !head.is_64bit) {
			uint64_t end = print_zeros(file, cfi, offset);
			/* An entry whose length ends in zero bytes begins among them. */
			offset = offset + (end - offset) / 4 * 4;
			continue;
		}
		while (cie < cfi->cie_count && cfi->cie[cie].offset < offset)
			cie++;
		while (fde < cfi->fde_count && cfi->fde[fde].offset < offset)
			fde++;
		if (cie < cfi->cie_count && cfi->cie[cie].offset == offset) {
			if (!filter->by_pc)
				print_cie(file, cfi, &cfi->cie[cie], diagnostics);
		} else if (fde < cfi->fde_count && cfi->fde[fde].offset == offset) {
			const struct cfi_fde *entry = &cfi->fde[fde];
			if (table_filter_shows(filter, entry->pc_begin,
					       entry->pc_begin + entry->pc_range)) {
				table_filter_count(filter, 1);
				print_fde(file, cfi, entry, diagnostics);
			}
		}
		uint64_t known = next_known(cfi, cie, fde, offset);
		offset = !head.end || known < head.end ? known : head.end;
	}
	fputc('\n', file);
}

/* What there is to say about a section without bytes. */
static bool print_absence(FILE *file, const struct image_section *section)
{
	if (!section->name)
		return false;
	if (section->size)
		fprintf(file, "section '%s' has the NOBITS type - its contents are unreliable.\n",
			section->name);
	else
		fprintf(file, "\nSection '%s' has no debugging data.\n", section->name);
	return true;
}

struct sections {
	const struct image_section *section[1 + EH_FRAMES_MAX + 1]; /* .debug_frame, too */
	size_t count;
};

/* Those with data, in the file's order: old compilers' objects have .debug_frame first. */
static void add_section(struct sections *sections, const struct image_section *section)
{
	size_t at = sections->count;

	if (!section || !section->data)
		return;
	for (; at && sections->section[at - 1]->file_offset > section->file_offset; at--)
		sections->section[at] = sections->section[at - 1];
	sections->section[at] = section;
	sections->count++;
}

/* Those that the filter shows. What has no bytes, in debug files, has no place in the file: it
 * is said before. */
static bool find_sections(FILE *file, const struct image *image, const struct table_filter *filter,
			  struct sections *ret)
{
	const char *only = filter->section;
	const struct image_section *section;
	bool any = false;

	*ret = (struct sections) { .count = 0 };
	if (!only || !strcmp(only, ".eh_frame")) {
		for (unsigned int empty = 0; empty < image->empty_eh_frames; empty++)
			fputs("\nSection '.eh_frame' has no debugging data.\n", file);
		if (!image->eh_frame.data)
			any |= print_absence(file, &image->eh_frame);
		for (size_t i = 0; (section = image_eh_frame(image, i)); i++)
			add_section(ret, section);
	} else if (strcmp(only, ".debug_frame")) {
		add_section(ret, image_cfi_section(image, only));
	}
	if (!only || !strcmp(only, ".debug_frame")) {
		if (!image->debug_frame.data && !image->debug_frame_error.code)
			any |= print_absence(file, &image->debug_frame);
		add_section(ret, &image->debug_frame);
	}
	return any || ret->count;
}

/* One with bytes. */
static int print_one(FILE *file, const struct image *image, const struct image_section *section,
		     const char *loaded_from, const struct table_filter *filter,
		     struct error_list *diagnostics, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;

	if (cfi_create_alone(image, section, 1, &cfi, error))
		return -1;
	print_section(file, cfi, loaded_from, filter, diagnostics);
	table_add_diagnostics(diagnostics, cfi);
	return 0;
}

/* All sections of one file. loaded_from: its path if there are two files, else NULL. */
static int print_image(FILE *file, const struct image *image, const char *loaded_from,
		       const struct table_filter *filter, struct error_list *diagnostics,
		       struct error *error)
{
	bool asked = !filter->section || !strcmp(filter->section, ".debug_frame");
	bool bad = asked && image->debug_frame_error.code; /* and so it has no data */
	struct sections sections;
	bool any = find_sections(file, image, filter, &sections);

	if (!any && bad)
		*error = image->debug_frame_error;
	else if (!any)
		error_set(error, ERROR_NO_CFI, NULL, 0, "the image has no %s",
			  filter->section ? filter->section : ".eh_frame and no .debug_frame");
	else if (bad)
		error_list_add(diagnostics, &image->debug_frame_error);
	if (!any)
		return -1;
	for (size_t i = 0; i < sections.count; i++)
		if (print_one(file, image, sections.section[i], loaded_from, filter, diagnostics,
			      error))
			return -1;
	if (!filter->section || !strcmp(filter->section, ".eh_frame"))
		image_eh_frame_errors(image, diagnostics);
	return 0;
}

int table_readelf_alone(FILE *file, const struct image *image, struct error_list *diagnostics,
			struct error *error)
{
	struct table_filter all = { .section = NULL };

	return print_image(file, image, NULL, &all, diagnostics, error);
}

int table_readelf(FILE *file, const struct image *image, const struct table_filter *filter,
		  struct error_list *diagnostics, struct error *error)
{
	FREED char *path = debug_link_find(image);
	struct image *debug DEINIT(image_destroy_at) = NULL;
	struct error ignored; /* a debug file that can't be read is as good as none */
	if (path && image_create(path, &debug, &ignored))
		debug = NULL;
	int result = print_image(file, image, debug ? image->path : NULL, filter, diagnostics,
				 error);
	/* What only the debug file has is there. */
	if (debug && !print_image(file, debug, path, filter, diagnostics, &ignored) && result &&
	    error->code == ERROR_NO_CFI)
		result = 0;
	return result;
}
