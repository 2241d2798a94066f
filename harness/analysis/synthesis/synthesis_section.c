/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_section.c - rows as a section, as directives, and in a copy of the file
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "leb_write.h"
#include "plain_text.h"
#include "synthesis.h"
#include "analysis/lint/lint_inside.h"
#include "base/child/child.h"
#include "cfi/cfi_instruction.h"
#include "cfi/code_name.h"
#include "cfi/dwarf_op.h"
#include "image/pointer.h"

/* ==== from one row to the next, as call frame instructions ================================== */

/*
 * Both paths to write rows down say changes only: DWARF's instructions (5, 6.4.2) and an assembler's
 * directives. An FDE begins with its CIE's row, as all compilers of x86-64 write it.
 */

static const struct synthesis_row initial = {
	.cfa_register = REGISTER_RSP,
	.cfa_offset = 8,
	.place[SYNTHESIS_COLUMNS - 1] = { .kind = SYNTHESIS_AT_CFA, .offset = -8 },
};

static bool change_cfa(const struct synthesis_row *from, const struct synthesis_row *to,
		       struct synthesis_change *ret)
{
	*ret = (struct synthesis_change) { .kind = CHANGE_DEF_CFA,
					   .reg = to->cfa_register,
					   .offset = to->cfa_offset };
	if (to->cfa_loaded) {
		ret->kind = CHANGE_DEF_CFA_LOADED;
		return !from->cfa_loaded || from->cfa_register != to->cfa_register ||
		       from->cfa_offset != to->cfa_offset;
	}
	if (from->cfa_loaded || from->cfa_offset < 0 || to->cfa_offset < 0)
		return from->cfa_loaded || from->cfa_register != to->cfa_register ||
		       from->cfa_offset != to->cfa_offset;
	if (from->cfa_register == to->cfa_register)
		ret->kind = CHANGE_DEF_CFA_OFFSET;
	else if (from->cfa_offset == to->cfa_offset)
		ret->kind = CHANGE_DEF_CFA_REGISTER;
	return from->cfa_register != to->cfa_register || from->cfa_offset != to->cfa_offset;
}

static struct synthesis_change change_place(uint8_t column, const struct synthesis_place *to)
{
	static const enum synthesis_change_kind kinds[] = {
		[SYNTHESIS_SAME] = CHANGE_RESTORE,
		[SYNTHESIS_AT_CFA] = CHANGE_OFFSET,
		[SYNTHESIS_AT_REGISTER] = CHANGE_AT_REGISTER,
		[SYNTHESIS_IN_REGISTER] = CHANGE_REGISTER,
		[SYNTHESIS_LOST] = CHANGE_UNDEFINED,
	};

	return (struct synthesis_change) { kinds[to->kind], column, to->reg, to->offset };
}

/* What makes to of from, which is NULL at an FDE's begin: rsp+8, the return address below it, and
 * all registers as they were. Returns how many. */
static size_t synthesis_changes(const struct synthesis_row *from, const struct synthesis_row *to,
				struct synthesis_change ret[SYNTHESIS_CHANGES_MAX])
{
	size_t count = 0;

	if (!from)
		from = &initial;
	if (change_cfa(from, to, &ret[0]))
		count++;
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++) {
		const struct synthesis_place *a = &from->place[i], *b = &to->place[i];

		if (a->kind != b->kind || a->reg != b->reg || a->offset != b->offset)
			ret[count++] = change_place(synthesis_register[i], b);
	}
	return count;
}

/* ==== .eh_frame, .debug_frame =============================================================== */

/*
 * The two differ in a few bytes of their entries (LSB 5, 10.6.1; DWARF 5, 6.4.1): .eh_frame counts
 * addresses from where they stand, so it has an address itself, and ends with an empty entry;
 * .debug_frame has whole addresses.
 *
 * One CIE, and another for signal frames: the return address at c-8 and the CFA at rsp+8. Where an
 * instruction has no row the FDE ends, and the next begins with all that is so there.
 */

#define CODE_UNIT 1
#define DATA_UNIT (-8)

struct writer {
	FILE *file;
	bool is_debug;
	uint64_t vaddr;
	long cie[2], entry; /* where they begin; the second CIE is that of signal frames */
	struct error *error;
};

static void put_number(FILE *file, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		putc_unlocked((int)(value >> 8 * i & 0xff), file);
}

static void begin_entry(struct writer *writer)
{
	writer->entry = ftell(writer->file);
	put_number(writer->file, 0, 4);
}

static void end_entry(struct writer *writer)
{
	long end = ftell(writer->file);

	for (; (end - writer->entry - 4) % 8 != 4; end++) /* the next begins at a multiple of 8 */
		putc_unlocked(CFA_NOP, writer->file);
	fseek(writer->file, writer->entry, SEEK_SET);
	put_number(writer->file, (uint64_t)(end - writer->entry - 4), 4);
	fseek(writer->file, end, SEEK_SET);
}

static void write_cie(struct writer *writer, bool is_signal)
{
	FILE *file = writer->file;

	writer->cie[is_signal] = ftell(file);
	begin_entry(writer);
	put_number(file, writer->is_debug ? UINT32_MAX : 0, 4);
	putc_unlocked(1, file); /* version */
	fputs(writer->is_debug ? "" : "zR", file);
	fputs(is_signal ? "S" : "", file);
	putc_unlocked(0, file);
	put_unsigned(file, CODE_UNIT);
	put_signed(file, (uint64_t)(int64_t)DATA_UNIT);
	putc_unlocked(REGISTER_RIP, file);
	if (!writer->is_debug) {
		put_unsigned(file, 1);
		putc_unlocked(POINTER_PCREL | POINTER_SDATA4, file);
	}
	putc_unlocked(CFA_DEF_CFA, file);
	put_unsigned(file, REGISTER_RSP);
	put_unsigned(file, 8);
	putc_unlocked(CFA_OFFSET | REGISTER_RIP, file);
	put_unsigned(file, 1);
	end_entry(writer);
}

/* *(reg + offset) as a DWARF expression, behind its length. With load its value, else the address. */
static void put_address(FILE *file, uint8_t reg, int32_t offset, bool load)
{
	FREED char *text = NULL;
	size_t size;
	FILE *block = open_memstream(&text, &size);

	if (!block)
		return; /* the section would be too short: write_section() sees that */
	putc_unlocked(OP_BREG0 + reg, block);
	put_signed(block, (uint64_t)(int64_t)offset);
	if (load)
		putc_unlocked(OP_DEREF, block);
	fclose(block);
	put_bytes(file, text, size);
}

static void put_offset(FILE *file, uint8_t column, int32_t offset)
{
	int64_t factored = offset / DATA_UNIT;

	if (factored >= 0) {
		putc_unlocked(CFA_OFFSET | column, file);
		put_unsigned(file, (uint64_t)factored);
	} else {
		putc_unlocked(CFA_OFFSET_EXTENDED_SF, file);
		put_unsigned(file, column);
		put_signed(file, (uint64_t)factored);
	}
}

/* A CFA below the register is rare: a callee-saved one that points into the caller's frame. */
static void put_cfa(FILE *file, const struct synthesis_change *change)
{
	if (change->offset < 0) {
		putc_unlocked(CFA_DEF_CFA_EXPRESSION, file);
		put_address(file, change->reg, change->offset, false);
	} else if (change->kind == CHANGE_DEF_CFA) {
		putc_unlocked(CFA_DEF_CFA, file);
		put_unsigned(file, change->reg);
		put_unsigned(file, (uint64_t)change->offset);
	} else {
		putc_unlocked(CFA_DEF_CFA_OFFSET, file);
		put_unsigned(file, (uint64_t)change->offset);
	}
}

static void put_change(FILE *file, const struct synthesis_change *change)
{
	switch (change->kind) {
	case CHANGE_DEF_CFA:
	case CHANGE_DEF_CFA_OFFSET: put_cfa(file, change); return;
	case CHANGE_DEF_CFA_REGISTER:
		putc_unlocked(CFA_DEF_CFA_REGISTER, file);
		put_unsigned(file, change->reg);
		return;
	case CHANGE_DEF_CFA_LOADED:
		putc_unlocked(CFA_DEF_CFA_EXPRESSION, file);
		put_address(file, change->reg, change->offset, true);
		return;
	case CHANGE_OFFSET: put_offset(file, change->column, change->offset); return;
	case CHANGE_AT_REGISTER:
		putc_unlocked(CFA_EXPRESSION, file);
		put_unsigned(file, change->column);
		put_address(file, change->reg, change->offset, false);
		return;
	case CHANGE_REGISTER:
		putc_unlocked(CFA_REGISTER, file);
		put_unsigned(file, change->column);
		put_unsigned(file, change->reg);
		return;
	case CHANGE_RESTORE: putc_unlocked(CFA_RESTORE | change->column, file); return;
	case CHANGE_UNDEFINED:
		putc_unlocked(CFA_UNDEFINED, file);
		put_unsigned(file, change->column);
		return;
	}
}

static void put_advance(FILE *file, uint64_t bytes)
{
	if (bytes <= CFI_LOW_BITS) {
		putc_unlocked(CFA_ADVANCE_LOC | (int)bytes, file);
	} else if (bytes <= UINT8_MAX) {
		putc_unlocked(CFA_ADVANCE_LOC1, file);
		put_number(file, bytes, 1);
	} else if (bytes <= UINT16_MAX) {
		putc_unlocked(CFA_ADVANCE_LOC2, file);
		put_number(file, bytes, 2);
	} else {
		putc_unlocked(CFA_ADVANCE_LOC4, file);
		put_number(file, bytes, 4);
	}
}

static int put_begin(struct writer *writer, uint64_t pc, uint64_t bytes)
{
	uint64_t here = writer->vaddr + (uint64_t)ftell(writer->file);
	int64_t distance = (int64_t)(pc - here);

	if (writer->is_debug) {
		put_number(writer->file, pc, 8);
		put_number(writer->file, bytes, 8);
		return 0;
	}
	if (distance != (int32_t)distance)
		return error_set(writer->error, ERROR_CFI_RANGE, ".eh_frame", 0,
				 "%#" PRIx64 " is too far from %#" PRIx64, pc, here);
	put_number(writer->file, (uint64_t)distance, 4);
	put_number(writer->file, bytes, 4);
	putc_unlocked(0, writer->file); /* augmentation data: none */
	return 0;
}

/* Rows that follow each other without a gap. early: bytes that the FDE begins before them. */
static int write_fde(struct writer *writer, const struct synthesis_row *row, size_t count,
		     uint64_t early)
{
	struct synthesis_change change[SYNTHESIS_CHANGES_MAX];
	bool is_signal = row[0].signal_frame;
	long at, cie;

	begin_entry(writer);
	at = ftell(writer->file);
	cie = writer->cie[is_signal];
	put_number(writer->file, (uint64_t)(writer->is_debug ? cie : at - cie), 4);
	if (put_begin(writer, row[0].pc - early, row[count - 1].pc_end - row[0].pc + early))
		return -1;
	for (size_t i = 0; is_signal && i < SYNTHESIS_SIGNAL_WORDS; i++)
		put_change(writer->file, &(struct synthesis_change) {
						 .kind = CHANGE_AT_REGISTER,
						 .column = synthesis_signal_word[i].reg,
						 .reg = REGISTER_RSP,
						 .offset = synthesis_signal_word[i].offset });
	for (size_t i = 0; i < count; i++) {
		size_t changes = synthesis_changes(i ? &row[i - 1] : NULL, &row[i], change);

		if (i)
			put_advance(writer->file, row[i].pc - row[i - 1].pc);
		for (size_t j = 0; j < changes; j++)
			put_change(writer->file, &change[j]);
	}
	end_entry(writer);
	return 0;
}

static bool has_signals(const struct synthesis *synthesis)
{
	return ARRAY_ANY(synthesis->row_count, i, synthesis->row[i].signal_frame);
}

static int write_section(struct writer *writer, const struct synthesis *synthesis)
{
	const struct synthesis_row *before = NULL;

	write_cie(writer, false);
	if (has_signals(synthesis))
		write_cie(writer, true);
	for (size_t f = 0; f < synthesis->function_count; f++) {
		const struct synthesis_function *function = &synthesis->function[f];
		const struct synthesis_row *row = &synthesis->row[function->first_row];

		/* In .debug_frame nobody would find them: .eh_frame has the word. */
		if (writer->is_debug && function->loaded)
			continue;
		for (size_t i = 0, end; i < function->row_count; i = end) {
			for (end = i + 1;
			     end < function->row_count && row[end - 1].pc_end == row[end].pc; end++)
				;
			if (write_fde(writer, &row[i], end - i,
				      row[i].signal_frame &&
					      (!before || before->pc_end < row[i].pc)))
				return -1;
			before = &row[end - 1];
		}
	}
	if (!writer->is_debug)
		put_number(writer->file, 0, 4);
	return 0;
}

int synthesis_section(const struct synthesis *synthesis, bool is_debug, uint64_t vaddr,
		      const struct image_section *before, uint8_t **ret, size_t *ret_size,
		      struct error *error)
{
	struct writer writer = { .is_debug = is_debug, .vaddr = vaddr, .error = error };
	char *bytes = NULL;
	int result, bad;

	*ret = NULL;
	writer.file = open_memstream(&bytes, ret_size);
	if (!writer.file)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a section");
	if (before)
		fwrite_unlocked(before->data, 1, before->size, writer.file);
	result = write_section(&writer, synthesis);
	bad = ferror(writer.file);
	if ((fclose(writer.file) || bad) && !result)
		result = error_set(error, ERROR_MEMORY, NULL, 0, "a section");
	if (result)
		free(bytes);
	else
		*ret = (uint8_t *)bytes;
	return result;
}

uint64_t synthesis_vaddr(const struct image *image)
{
	uint64_t end = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		uint64_t last = image->segment[i].vaddr + image->segment[i].memory_bytes;

		end = last > end ? last : end;
	}
	return (end + 0xfff) & ~0xfffull;
}

/* ==== .cfi_ directives for an assembler ===================================================== */

/*
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
					function->unwritten[r], synthesis_reasons[r].title);
		print_function(&printer, synthesis, function);
	}
	code_decoder_destroy(printer.decoder);
	return 0;
}

/* ==== an image that has the rows, for a walk ================================================ */

/*
 * They become a section of the image in memory, as if its file had one section .eh_frame more. So all that
 * read CFI of an image (the walk by rows, the compact table, BPF) have them, and none knows of it.
 */

int synthesis_attach(void *context, struct image *image, struct error *error)
{
	struct synthesis_sums *sums = context;
	struct synthesis synthesis;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	bool others;
	uint64_t vaddr = synthesis_vaddr(image);
	uint8_t *bytes;
	size_t size;
	int result = 0;

	/* Who reads the CFI says what is wrong with it. If there is more code than is followed, there are no rows. */
	if ((cfi_create(image, &cfi, error) && error->code != ERROR_NO_CFI) ||
	    synthesis_of(cfi, NULL, &synthesis, error))
		return error->code == ERROR_MEMORY ? -1 : 0;
	for (size_t i = 0; i < synthesis.function_count; i++) {
		const struct synthesis_function *function = &synthesis.function[i];

		sums->functions += !function->replaced;
		sums->written += !function->replaced && function->row_count;
		sums->replaced += function->replaced && function->row_count;
	}
	if (synthesis.row_count) {
		sums->images++;
		result = synthesis_section(&synthesis, false, vaddr, NULL, &bytes, &size, error);
		if (!result)
			result = image_add_eh_frame(image, bytes, size, vaddr,
						    synthesis_has_loaded(&synthesis, &others),
						    error);
	}
	synthesis_deinit(&synthesis);
	return result;
}

/* ==== a copy of the ELF file that has the section, by objcopy =============================== */

/*
 * objcopy can add a section but no segment. So unwinders of other processes (profilers, debuggers, our
 * own) find what it adds, by the section's name; one in the program itself does not, for it begins with the
 * program header PT_GNU_EH_FRAME.
 */

/* A path that begins with '-' is no option. */
static const char *path_word(const char *path, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s", path[0] == '-' ? "./" : "", path);
	return ret;
}

void synthesis_command(const struct synthesis_target *target, const char *section_path,
		       const char *input, const char *output, struct synthesis_command *ret)
{
	const char *name = target->is_debug ? ".debug_frame" : ".eh_frame";
	size_t count = 0;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->section, sizeof(ret->section), "%s=%s", name, section_path);
	ret->argv[count++] = "objcopy";
	if (target->is_joined) /* with the sections that may be compressed */
		ret->argv[count++] = "--decompress-debug-sections";
	if (!target->is_debug) { /* linkers leave an empty one */
		ret->argv[count++] = "--remove-section";
		ret->argv[count++] = name;
	}
	ret->argv[count++] = target->is_joined ? "--update-section" : "--add-section";
	ret->argv[count++] = ret->section;
	if (!target->is_debug) {
		snprintf(ret->flags, sizeof(ret->flags), "%s=alloc,readonly", name);
		snprintf(ret->address, sizeof(ret->address), "%s=%#" PRIx64, name, target->vaddr);
		ret->argv[count++] = "--set-section-flags";
		ret->argv[count++] = ret->flags;
		ret->argv[count++] = "--change-section-address";
		ret->argv[count++] = ret->address;
	}
	ret->argv[count++] = path_word(input, ret->input, sizeof(ret->input));
	ret->argv[count++] = path_word(output, ret->output, sizeof(ret->output));
}

int synthesis_command_run(const struct synthesis_command *command, struct error *error)
{
	struct child_command child = { .argv = command->argv, .errors = false };
	pid_t pid = child_start(&child, NULL, error);
	int status;

	if (pid < 0)
		return -1;
	status = child_end(pid, false);
	if (child_check("objcopy", status, error))
		return -1;
	return status ? error_set(error, ERROR_PROTOCOL, NULL, 0, "objcopy fails") : 0;
}
