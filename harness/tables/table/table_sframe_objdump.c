/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sframe_objdump.c - `table --sframe --format objdump`: the lines of `objdump --sframe`
 *
 * Each version as the binutils prints it that writes it: version 1 as 2.40, version 2 as 2.44 (with the flag
 * FUNC_START_PCREL as 2.45 and later), version 3 as 2.47. What these programs say is kept even where it says little:
 *
 *	2.40		has no word for a fixed return address: "u", as if it were not saved
 *	2.40, 2.44	resolve no relocations: all functions of an object file begin at 0
 *	2.47		a flexible row that leaves the return address to the header has it as "U", one that says nothing "f";
 *			a register's value and the memory at an address by the CFA look alike
 *	all		of several headers in a section only the first
 */
#include <inttypes.h>
#include <string.h>
#include "table_sframe.h"

struct dumping {
	FILE *file;
	const struct sframe_header *header;
	const struct sframe_function *function;
	uint64_t pc; /* of the function, as objdump has it */
};

static const char *file_format(const struct sframe_header *header)
{
	switch (header->machine) {
	case SFRAME_AARCH64_BIG: return "elf64-bigaarch64";
	case SFRAME_AARCH64: return "elf64-littleaarch64";
	case SFRAME_AMD64: return "elf64-x86-64";
	default: return "elf64-s390";
	}
}

static bool is_new(const struct sframe_header *header)
{
	return header->version == 3 || header->flags & SFRAME_START_PCREL;
}

static void print_flags(FILE *file, const struct sframe_header *header)
{
	static const struct {
		uint8_t flag;
		const char *name;
	} names[] = {
		{ SFRAME_SORTED, "SFRAME_F_FDE_SORTED" },
		{ SFRAME_FRAME_POINTER, "SFRAME_F_FRAME_POINTER" },
		{ SFRAME_START_PCREL, "SFRAME_F_FDE_FUNC_START_PCREL" },
	};
	const char *before = "    Flags: ";
	uint8_t left = header->flags;

	if (!is_new(header)) { /* which have one line for one name, the last of the two */
		fprintf(file, "    Flags: %s\n",
			!left			      ? "NONE"
			: left & SFRAME_FRAME_POINTER ? names[1].name
			: left & SFRAME_SORTED	      ? names[0].name
						      : "");
		return;
	}
	if (!left)
		fputs("    Flags: NONE\n", file);
	for (size_t i = 0; i < 3; i++) {
		if (!(left & names[i].flag) ||
		    (header->version == 3 && names[i].flag == SFRAME_FRAME_POINTER))
			continue;
		left &= (uint8_t)~names[i].flag;
		fprintf(file, "%s%s%s\n", before, names[i].name, left ? "," : "");
		before = "           ";
	}
	if (left)
		fprintf(file, "%s%d\n", before, left);
}

static void print_header(const struct dumping *dumping, const char *path)
{
	const struct sframe_header *header = dumping->header;
	FILE *file = dumping->file;

	fprintf(file, "\n%s:     file format %s\n\nContents of the SFrame section .sframe:\n", path,
		file_format(header));
	fprintf(file, "  Header :\n\n    Version: SFRAME_VERSION_%u\n", header->version);
	print_flags(file, header);
	if (header->version > 1 && header->fixed_fp)
		fprintf(file, "    CFA fixed FP offset: %d\n", header->fixed_fp);
	if (header->version > 1 && header->fixed_ra)
		fprintf(file, "    CFA fixed RA offset: %d\n", header->fixed_ra);
	fprintf(file, "    Num FDEs: %d\n    Num FREs: %d\n\n  Function Index :\n",
		(int)header->function_count, (int)header->row_count);
}

/* ---- rows --------------------------------------------------------------------------------- */

static void print_rule(const struct dumping *dumping, const struct sframe_rule *rule, char ret[40])
{
	bool by_cfa = rule->kind == SFRAME_AT_CFA || rule->kind == SFRAME_IS_CFA;
	bool in_brackets = rule->kind == SFRAME_AT_REGISTER;
	uint8_t machine = dumping->header->machine;
	char name[16];

	if (by_cfa)
		snprintf(name, sizeof(name), "c");
	else if (rule->reg == sframe_sp(machine) || rule->reg == sframe_fp(machine))
		snprintf(name, sizeof(name), "%s", rule->reg == sframe_sp(machine) ? "sp" : "fp");
	else
		snprintf(name, sizeof(name), "r%u", rule->reg);
	if (dumping->function->flexible || by_cfa)
		snprintf(ret, 40, "%s%s%+d%s", in_brackets ? "(" : "", name, rule->offset,
			 in_brackets ? ")" : "");
	else /* version 2 for s390x */
		snprintf(ret, 40, "%s", name);
}

/* The return address, without its mark. */
static void print_ra(const struct dumping *dumping, const struct sframe_row *row, char ret[40])
{
	const struct sframe_header *header = dumping->header;
	const char *word = NULL;

	if (dumping->function->flexible) {
		if (row->word_count <= 2)
			word = header->fixed_ra ? "f" : "u";
		else if (row->ra.padded)
			word = "U";
	} else if (header->fixed_ra) {
		word = header->version == 1 ? "u" : "f";
	} else if (row->ra.padded) {
		word = "U";
	} else if (row->ra.kind == SFRAME_NO_RULE) {
		word = "u";
	}
	if (word)
		snprintf(ret, 40, "%s", word);
	else
		print_rule(dumping, &row->ra, ret);
}

static int print_row(void *context, const struct sframe_row *row)
{
	const struct dumping *dumping = context;
	char cfa[40], fp[40], ra[40];

	fprintf(dumping->file, "\n    %016" PRIx64,
		(dumping->function->repeats ? 0 : dumping->pc) + row->start);
	if (row->outermost && is_new(dumping->header)) {
		fputs("  RA undefined", dumping->file);
		return 0;
	}
	if (dumping->function->flexible) {
		print_rule(dumping, &row->cfa, cfa);
	} else {
		snprintf(cfa, sizeof(cfa), "%s+%d", row->by_sp ? "sp" : "fp", row->cfa.offset);
	}
	if (row->fp.kind == SFRAME_NO_RULE || (row->fp.fixed && dumping->function->flexible))
		snprintf(fp, sizeof(fp), "u");
	else
		print_rule(dumping, &row->fp, fp);
	print_ra(dumping, row, ra);
	snprintf(ra + strlen(ra), sizeof(ra) - strlen(ra), "%s", row->ra_signed ? "[s]" : "   ");
	fprintf(dumping->file, "  %-10s%-10s%-13s", cfa, fp, ra);
	return 0;
}

static void print_function(struct dumping *dumping, const struct sframe *sframe, uint32_t number)
{
	const struct sframe_function *function = dumping->function;
	FILE *file = dumping->file;
	struct error error;

	fprintf(file, "\n    func idx [%u]: pc = 0x%" PRIx64 ", size = %d bytes", number,
		dumping->pc, (int)function->pc_range);
	if (function->signal_frame || function->flexible)
		fprintf(file, ", attr = \"%s%s\"", function->signal_frame ? "S" : "",
			function->flexible ? "F" : "");
	if (function->key_b && (dumping->header->machine == SFRAME_AARCH64 ||
				dumping->header->machine == SFRAME_AARCH64_BIG))
		fputs(", pauth = B key", file);
	fprintf(file, "\n    STARTPC%-8s %-10s%-10s%-13s", function->repeats ? "[m]" : "   ", "CFA",
		"FP", "RA");
	sframe_rows(sframe, function, print_row, dumping, &error);
	putc('\n', file);
}

int table_sframe_objdump(FILE *file, const struct table_sframe *table,
			 const struct table_filter *filter, struct error *error)
{
	const struct sframe *sframe = table->sframe;
	struct dumping dumping = { .file = file, .header = &sframe->header[0] };
	bool unresolved = table->image && table->image->type == ET_REL && !is_new(dumping.header);

	print_header(&dumping, table->path);
	for (size_t i = 0; i < sframe->function_count; i++) {
		const struct sframe_function *function = &sframe->function[i];

		if (function->header ||
		    !table_filter_shows(filter, function->pc_begin,
					function->pc_begin + function->pc_range))
			continue;
		dumping.function = function;
		dumping.pc = unresolved ? 0 : function->pc_begin;
		print_function(&dumping, sframe,
			       (function->offset - dumping.header->index_offset) /
				       sframe_index_bytes(dumping.header->version));
		table_filter_count(filter, 1);
	}
	return 0;
}
