/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text.c - the golden text: an image's rows, without an address
 *
 * A golden must change when a rule changes, and must not when the linker moves a function. So a
 * function is named, its rows are given as distances from its start, and whatever counts bytes of
 * the section or of the address space is left out. Worked example (docs/TABLE_TEXT.md has the
 * format):
 *
 *	function a1
 *	  +0x0 cfa=rsp+8 ra=c-8
 *	  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16
 *	  +0x2b end
 *
 * Rows come from cfi_rows, so they are those that the walk uses; equal neighbours are merged, since
 * "the same rules again" says nothing.
 */
#include <inttypes.h>
#include "cfi/cfi_section.h"
#include "plain_text.h"
#include "saved_table.h"

/* ---- functions --------------------------------------------------------------------------- */

struct text {
	FILE *file;
	const struct cfi *cfi;
	uint64_t start;	   /* of the FDE */
	struct row before; /* the row printed last */
	bool any;
	size_t unnamed; /* FDEs without a symbol so far */
};

/* A symbol's name is whatever the file says: what would break a line, or is not for a terminal's
 * eyes, is given as \xNN. */
static void print_escaped(FILE *file, const char *name)
{
	for (const char *at = name; *at;) {
		size_t bytes = *at == ' ' || *at == '\\' ? 0 : plain_character(at);

		if (bytes)
			fwrite(at, 1, bytes, file);
		else
			fprintf(file, "\\x%02x", (unsigned char)*at);
		at += bytes ? bytes : 1;
	}
}

/*
 * The symbol at the FDE's start; inside a symbol name+0xOFFSET; else fde.N, counted among those.
 * Which of several names it is does not depend on the linker: elf_symbol.c sees to that.
 */
static void print_name(struct text *text, const struct cfi_fde *fde)
{
	const struct image_symbol *symbol = cfi_fde_symbol(text->cfi, fde);
	uint64_t inside = symbol ? text->start - symbol->pc : 0;

	if (symbol) {
		print_escaped(text->file, symbol->name);
		if (inside)
			fprintf(text->file, "+0x%" PRIx64, inside);
	} else {
		fprintf(text->file, "fde.%zu", ++text->unnamed);
	}
}

static int on_row(void *context, const struct row *row)
{
	struct text *text = context;
	struct row rules = *row;

	if (!text->any || !row_equal(&text->before, row)) {
		rules.signal_frame = false; /* the function's line says it */
		fprintf(text->file, "  +0x%" PRIx64 " ", row->pc - text->start);
		row_print(text->file, &rules);
		fputc('\n', text->file);
	}
	text->before = *row;
	text->any = true;
	return 0;
}

static int write_fde(struct text *text, const struct cfi_fde *fde, struct error *ret)
{
	const struct cfi *cfi = text->cfi;
	struct error error = { 0 };

	text->start = fde->pc_begin;
	text->any = false;
	fputs("function ", text->file);
	print_name(text, fde);
	if (cfi->cie[fde->cie].signal_frame)
		fputs(" signal", text->file);
	fputc('\n', text->file);
	if (cfi_rows(cfi, fde, on_row, text, &error)) {
		if (error.code == ERROR_MEMORY) {
			*ret = error;
			return -1;
		}
		fprintf(text->file, "  diagnostic %s\n", error_code_name(error.code));
	}
	fprintf(text->file, "  +0x%" PRIx64 " end\n", fde->pc_range);
	return 0;
}

int table_text_write(FILE *file, const struct cfi *cfi, struct error *error)
{
	struct text text = { .file = file, .cfi = cfi };

	fprintf(file, "stackproof table text 1\n");
	/* Where an entry lies in the section, and what its message quotes, a relink changes. */
	for (size_t i = 0; i < cfi->diagnostics.count; i++)
		fprintf(file, "diagnostic %s\n", error_code_name(cfi->diagnostics.error[i].code));
	if (cfi->diagnostics.dropped)
		fprintf(file, "diagnostics %zu more\n", cfi->diagnostics.dropped);
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (write_fde(&text, &cfi->fde[cfi->by_pc[i]], error))
			return -1;
	for (size_t i = 0; i < cfi->fde_count; i++) /* by_pc leaves out those that cover nothing */
		if (!cfi_fde_covers(cfi->image, &cfi->fde[i]) &&
		    write_fde(&text, &cfi->fde[i], error))
			return -1;
	if (ferror(file))
		return error_set_errno(error, "cannot write the table's text");
	return 0;
}
