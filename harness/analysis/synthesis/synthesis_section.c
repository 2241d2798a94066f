/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_section.c - the rows as .eh_frame or as .debug_frame
 *
 * The two differ in a few bytes of their entries (LSB 5, 10.6.1; DWARF 5, 6.4.1): .eh_frame counts
 * addresses from where they stand, so it has an address itself, and ends with an empty entry;
 * .debug_frame has whole addresses.
 *
 * One CIE, and another for signal frames: the return address at c-8 and the CFA at rsp+8. Where an
 * instruction has no row the FDE ends, and the next begins with all that is so there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "cfi/cfi_instruction.h"
#include "cfi/dwarf_op.h"
#include "leb_write.h"
#include "image/pointer.h"
#include "synthesis.h"

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
	char *text = NULL;
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
	free(text);
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
	for (size_t i = 0; i < synthesis->row_count; i++)
		if (synthesis->row[i].signal_frame)
			return true;
	return false;
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
