/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_directives.c - the rows as an assembler's directives
 *
 *	f:	# 0x1139, 6 bytes
 *		.cfi_startproc
 *		# +0x0 push rbx
 *		.cfi_def_cfa_offset 16
 *		.cfi_offset rbx, -16
 *		# +0x5 pop rbx
 *		...
 *		.cfi_endproc
 *
 * A directive says what is so behind the instruction above it. Only instructions that change something are
 * shown. Where rows are missing a comment says so; .cfi_startproc begins what follows. Of an object file the place
 * is a section's, ".text.f+0x10", and the instruction has its relocation's name.
 */
#include <inttypes.h>
#include "cfi/code_name.h"
#include "analysis/lint/lint_place.h"
#include "plain_text.h"
#include "synthesis.h"

#define NAME_BYTES 512

struct printer {
	FILE *file;
	const struct cfi *cfi;
	const struct object *object; /* that the image was made of; or NULL */
	struct code_decoder *decoder;
};

static void print_instruction(const struct printer *printer, uint64_t begin, uint64_t pc)
{
	char text[NAME_BYTES];

	lint_place_code(printer->object, printer->cfi->image, printer->decoder, pc, text,
			sizeof(text));
	fprintf(printer->file, "\t# +0x%" PRIx64 " %s\n", pc - begin, PLAIN_TEXT(text));
}

/* The last instruction that begins before pc: rows are known for each, so it is found by decoding from
 * the row's begin on. */
static uint64_t instruction_before(const struct printer *printer, uint64_t from, uint64_t pc)
{
	uint64_t last = from;
	struct code code;

	while (from < pc) {
		const uint8_t *bytes = image_bytes(printer->cfi->image, from, pc - from);

		last = from;
		if (!bytes)
			break;
		code_decode(printer->decoder, from, bytes, pc - from, &code);
		if (!code.length)
			break;
		from += code.length;
	}
	return last;
}

/* .cfi_escape of DWARF's instruction; an SLEB of a number that small has up to five bytes. */
static void print_escape(FILE *file, int opcode, int column, uint8_t reg, int32_t offset, bool load)
{
	uint8_t leb[8];
	size_t size = 0;
	int64_t value = offset;

	for (; value >= 0x40 || value < -0x40; value >>= 7)
		leb[size++] = (uint8_t)((value & 0x7f) | 0x80);
	leb[size++] = (uint8_t)(value & 0x7f);
	fprintf(file, "\t.cfi_escape %#x", opcode);
	if (column >= 0)
		fprintf(file, ", %#x", column);
	fprintf(file, ", %#zx, %#x", size + 1 + load, 0x70 + reg);
	for (size_t i = 0; i < size; i++)
		fprintf(file, ", 0x%x", leb[i]);
	fprintf(file, "%s", load ? ", 0x6" : "");
	fprintf(file, "\t# %s = *(%s%+" PRId32 ")\n",
		column >= 0 ? register_name((unsigned int)column) : "cfa", register_name(reg),
		offset);
}

static void print_change(FILE *file, const struct synthesis_change *change)
{
	const char *column = register_name(change->column);
	const char *reg = register_name(change->reg);

	switch (change->kind) {
	case CHANGE_DEF_CFA:
		fprintf(file, "\t.cfi_def_cfa %s, %" PRId32 "\n", reg, change->offset);
		return;
	case CHANGE_DEF_CFA_REGISTER: fprintf(file, "\t.cfi_def_cfa_register %s\n", reg); return;
	case CHANGE_DEF_CFA_OFFSET:
		fprintf(file, "\t.cfi_def_cfa_offset %" PRId32 "\n", change->offset);
		return;
	case CHANGE_DEF_CFA_LOADED:
		print_escape(file, 0x0f, -1, change->reg, change->offset, true);
		return;
	case CHANGE_OFFSET:
		fprintf(file, "\t.cfi_offset %s, %" PRId32 "\n", column, change->offset);
		return;
	case CHANGE_AT_REGISTER:
		print_escape(file, 0x10, change->column, change->reg, change->offset, false);
		return;
	case CHANGE_REGISTER: fprintf(file, "\t.cfi_register %s, %s\n", column, reg); return;
	case CHANGE_RESTORE: fprintf(file, "\t.cfi_restore %s\n", column); return;
	case CHANGE_UNDEFINED: fprintf(file, "\t.cfi_undefined %s\n", column); return;
	}
}

/* What its row has beyond the others'. */
static void print_signal(FILE *file)
{
	fprintf(file,
		"\t# with a nop before the label, behind .cfi_startproc\n\t.cfi_signal_frame\n");
	for (size_t i = 0; i < SYNTHESIS_SIGNAL_WORDS; i++)
		print_escape(file, 0x10, synthesis_signal_word[i].reg, REGISTER_RSP,
			     synthesis_signal_word[i].offset, false);
}

static void print_row(const struct printer *printer, uint64_t begin,
		      const struct synthesis_row *last, const struct synthesis_row *row)
{
	struct synthesis_change change[SYNTHESIS_CHANGES_MAX];
	size_t count = synthesis_changes(last, row, change);

	if (row->signal_frame)
		print_signal(printer->file);
	if (last)
		print_instruction(printer, begin, instruction_before(printer, last->pc, row->pc));
	for (size_t i = 0; i < count; i++)
		print_change(printer->file, &change[i]);
}

static void print_function(const struct printer *printer, const struct synthesis *synthesis,
			   const struct synthesis_function *function)
{
	const struct synthesis_row *row = &synthesis->row[function->first_row], *last = NULL;
	FILE *file = printer->file;

	for (size_t i = 0; i < function->row_count; i++) {
		bool follows = last && last->pc_end == row[i].pc;

		if (last && !follows)
			fprintf(file, "\t# +0x%" PRIx64 "\n\t.cfi_endproc\n",
				last->pc_end - function->begin);
		if (!follows && row[i].pc != function->begin)
			fprintf(file, "\t# +0x%" PRIx64 "\n", row[i].pc - function->begin);
		if (!follows)
			fprintf(file, "\t.cfi_startproc\n");
		print_row(printer, function->begin, follows ? last : NULL, &row[i]);
		last = &row[i];
	}
	if (last)
		fprintf(file, "\t# +0x%" PRIx64 "\n\t.cfi_endproc\n",
			last->pc_end - function->begin);
}

static void print_name(const struct printer *printer, const struct synthesis_function *function)
{
	char text[NAME_BYTES], place[NAME_BYTES / 2];
	struct code_name name;

	snprintf(place, sizeof(place), "%#" PRIx64, function->begin);
	if (printer->object)
		lint_place_print(printer->object, function->begin, place, sizeof(place));
	code_name_find(printer->cfi->image, printer->cfi, function->begin, &name);
	code_name_print(&name, text, sizeof(text));
	if (name.kind == CODE_GAP || name.start != function->begin)
		snprintf(text, sizeof(text), "code@%s", place);
	fprintf(printer->file,
		"%s:\t# %s, %" PRIu64 " bytes, %" PRIu64 " of %" PRIu64 " instructions\n",
		PLAIN_TEXT(text), PLAIN_TEXT(place), function->end - function->begin,
		function->written, function->instructions);
}

int synthesis_directives(const struct synthesis *synthesis, const struct cfi *cfi,
			 const struct object *object, FILE *file, struct error *error)
{
	struct printer printer = { file, cfi, object, code_decoder_create() };

	if (!printer.decoder)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	for (size_t i = 0; i < synthesis->function_count; i++) {
		const struct synthesis_function *function = &synthesis->function[i];

		print_name(&printer, function);
		for (int r = 0; r < SYNTHESIS_REASON_COUNT; r++)
			if (function->unwritten[r])
				fprintf(file, "\t# no row for %" PRIu64 " (%s)\n",
					function->unwritten[r],
					synthesis_reason_title((enum synthesis_reason)r));
		print_function(&printer, synthesis, function);
	}
	code_decoder_destroy(printer.decoder);
	return 0;
}
