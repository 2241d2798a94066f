/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_rows.c - a function's rows, as they are stored
 *
 * A row is its start (1, 2 or 4 bytes, from the function's begin), an info byte, and words of 1, 2 or 4 bytes:
 *
 *	info	bit 0: the CFA's base is SP (1) or FP (0); bits 1 to 4: how many words; bits 5 and 6: their size;
 *		bit 7: the return address is signed (AArch64)
 *
 * No row has an end: it holds until the next begins, and the last one until the function ends. No words at all mean
 * that the RA is undefined: the end of the stack (version 2, erratum 2).
 *
 * Words of a default function are offsets: the CFA's from its base; then the RA's from the CFA, unless the header has a
 * fixed one; then the FP's, likewise. A flexible function's are pairs of a control word and an offset, for CFA, RA and
 * FP in this order. A control word of 0 stands alone: the row has no rule for that one. (The specification's appendix
 * counts them wrongly; its prose, and what assemblers write, are as here.)
 */
#include <inttypes.h>
#include "array.h"
#include "sframe.h"
#include "sframe_number.h"

/* s390x: the CFA is stored as (offset - 160) / 8, and in version 2 an odd offset is a register. */
#define S390X_CFA_ADD	160
#define S390X_CFA_SCALE 8

#define REPEAT_V1 16u /* of a PLT */

enum {
	INFO_BY_SP = 0x01,
	INFO_WORDS_SHIFT = 1,
	INFO_WORDS = 0x0f,
	INFO_SIZE_SHIFT = 5,
	INFO_SIZE = 0x03,
	INFO_RA_SIGNED = 0x80,
};

/* Bits of a control word. */
enum {
	CONTROL_REGISTER = 0x1,
	CONTROL_DEREF = 0x2,
	CONTROL_NUMBER_SHIFT = 3,
};

unsigned int sframe_sp(uint8_t machine)
{
	return machine == SFRAME_AMD64 ? 7 : machine == SFRAME_S390X ? 15 : 31;
}

unsigned int sframe_fp(uint8_t machine)
{
	return machine == SFRAME_AMD64 ? 6 : machine == SFRAME_S390X ? 11 : 29;
}

uint32_t sframe_repeat(const struct sframe_function *function)
{
	return function->repeat ? function->repeat : REPEAT_V1;
}

/* ---- the words ---------------------------------------------------------------------------- */

struct decoding {
	const struct sframe_header *header;
	const struct sframe_function *function;
	struct error *error;
};

static int row_bad(const struct decoding *decoding, const struct sframe_row *row, const char *what,
		   uint64_t number)
{
	return error_set(decoding->error, ERROR_SFRAME_ROW, decoding->header->section->name,
			 row->offset, "%s %" PRIu64, what, number);
}

/* RA or FP from a word of a default row. */
static struct sframe_rule at_cfa(const struct decoding *decoding, int32_t word)
{
	/* Version 2 for s390x: the register that it is in. */
	if (decoding->header->machine == SFRAME_S390X && decoding->header->version == 2 && word & 1)
		return (struct sframe_rule) { .kind = SFRAME_IS_REGISTER,
					      .reg = (uint32_t)(word >> 1) };
	return (struct sframe_rule) { .kind = SFRAME_AT_CFA, .offset = word };
}

static int default_rules(const struct decoding *decoding, struct sframe_row *row)
{
	const struct sframe_header *header = decoding->header;
	bool s390x = header->machine == SFRAME_S390X;
	unsigned int used = 1;

	row->cfa = (struct sframe_rule) {
		.kind = SFRAME_IS_REGISTER,
		.reg = row->by_sp ? sframe_sp(header->machine) : sframe_fp(header->machine),
		.offset = row->word[0],
	};
	if (s390x && __builtin_add_overflow((int64_t)row->word[0] * S390X_CFA_SCALE, S390X_CFA_ADD,
					    &row->cfa.offset))
		return row_bad(decoding, row,
			       "a CFA's offset that is too large:", (uint64_t)row->word[0]);
	if (!header->fixed_ra && used < row->word_count) {
		row->ra = at_cfa(decoding, row->word[used]);
		row->ra.padded = s390x && !row->word[used];
		if (row->ra.padded)
			row->ra.kind = SFRAME_NO_RULE;
		used++;
	}
	if (!header->fixed_fp && used < row->word_count)
		row->fp = at_cfa(decoding, row->word[used++]);
	if (used < row->word_count)
		return row_bad(decoding, row, "more words than it has a use for:", row->word_count);
	return 0;
}

/* The rule that begins at word *used; behind the last word there is none. */
static int flexible_rule(const struct decoding *decoding, struct sframe_row *row,
			 unsigned int *used, struct sframe_rule *ret)
{
	unsigned int bits = 8u * row->word_bytes;
	uint32_t control;

	if (*used == row->word_count)
		return 0;
	control = (uint32_t)row->word[(*used)++] & (uint32_t)((UINT64_C(1) << bits) - 1);
	if (!control) {
		ret->padded = true;
		return 0;
	}
	if (*used == row->word_count)
		return row_bad(decoding, row, "a control word without an offset:", control);
	ret->fixed = ret->padded = false;
	ret->offset = row->word[(*used)++];
	ret->reg = control >> CONTROL_NUMBER_SHIFT;
	if (control & CONTROL_REGISTER && ret->reg > CFI_REGISTER_MAX)
		return row_bad(decoding, row, "a register that no machine has:", ret->reg);
	if (control & CONTROL_REGISTER)
		ret->kind = control & CONTROL_DEREF ? SFRAME_AT_REGISTER : SFRAME_IS_REGISTER;
	else
		ret->kind = control & CONTROL_DEREF ? SFRAME_AT_CFA : SFRAME_IS_CFA;
	return 0;
}

static int flexible_rules(const struct decoding *decoding, struct sframe_row *row)
{
	unsigned int used = 0;

	if (flexible_rule(decoding, row, &used, &row->cfa) ||
	    flexible_rule(decoding, row, &used, &row->ra) ||
	    flexible_rule(decoding, row, &used, &row->fp))
		return -1;
	if (used < row->word_count)
		return row_bad(decoding, row, "more words than it has a use for:", row->word_count);
	if (row->cfa.kind != SFRAME_IS_REGISTER && row->cfa.kind != SFRAME_AT_REGISTER)
		return row_bad(decoding, row, "a CFA that is by no register: control word",
			       (uint32_t)row->word[0]);
	if (decoding->header->machine == SFRAME_S390X &&
	    __builtin_add_overflow((int64_t)row->cfa.offset * S390X_CFA_SCALE, S390X_CFA_ADD,
				   &row->cfa.offset))
		return row_bad(decoding, row,
			       "a CFA's offset that is too large:", (uint32_t)row->word[1]);
	return 0;
}

static int read_rules(const struct decoding *decoding, struct sframe_row *row)
{
	const struct sframe_header *header = decoding->header;

	row->cfa = row->ra = row->fp = (struct sframe_rule) { .kind = SFRAME_NO_RULE };
	row->outermost = !row->word_count;
	if (row->outermost && header->version == 1)
		return row_bad(decoding, row, "a row without words, in version", header->version);
	if (row->outermost)
		return 0;
	if (header->fixed_ra)
		row->ra = (struct sframe_rule) { SFRAME_AT_CFA, 0, header->fixed_ra, true, false };
	if (header->fixed_fp)
		row->fp = (struct sframe_rule) { SFRAME_AT_CFA, 0, header->fixed_fp, true, false };
	return decoding->function->flexible ? flexible_rules(decoding, row)
					    : default_rules(decoding, row);
}

/* ---- a row -------------------------------------------------------------------------------- */

/* Reads the row at row->offset but for its end. end: where all rows end. *ret_next: where the next row begins. */
static int read_row(const struct decoding *decoding, uint32_t end, struct sframe_row *row,
		    uint32_t *ret_next)
{
	const struct sframe_header *header = decoding->header;
	const uint8_t *at = header->section->data + row->offset;
	unsigned int start_bytes = decoding->function->start_bytes;
	uint32_t left = end - row->offset, bytes;

	if (left < start_bytes + 1)
		return row_bad(decoding, row, "the row reaches past the rows' end, at", end);
	row->start = sframe_number(at, start_bytes, header->big_endian);
	row->info = at[start_bytes];
	if ((row->info >> INFO_SIZE_SHIFT & INFO_SIZE) > 2)
		return row_bad(decoding, row, "words of a size that is not known:",
			       row->info >> INFO_SIZE_SHIFT & INFO_SIZE);
	row->by_sp = row->info & INFO_BY_SP;
	row->ra_signed = row->info & INFO_RA_SIGNED;
	row->word_count = row->info >> INFO_WORDS_SHIFT & INFO_WORDS;
	row->word_bytes = (uint8_t)(1u << (row->info >> INFO_SIZE_SHIFT & INFO_SIZE));
	bytes = (uint32_t)row->word_count * row->word_bytes;
	if (left - start_bytes - 1 < bytes)
		return row_bad(decoding, row, "the row's words reach past the rows' end, at", end);
	at += start_bytes + 1;
	for (unsigned int i = 0; i < row->word_count; i++, at += row->word_bytes)
		row->word[i] = sframe_signed(at, row->word_bytes, header->big_endian);
	*ret_next = row->offset + start_bytes + 1 + bytes;
	return read_rules(decoding, row);
}

/* Where the row behind this one begins, without reading it; last: the end of the function or block. */
static uint32_t next_start(const struct decoding *decoding, uint32_t next, uint32_t end,
			   bool is_last, uint32_t last)
{
	unsigned int bytes = decoding->function->start_bytes;

	if (is_last || end - next < bytes)
		return last;
	return sframe_number(decoding->header->section->data + next, bytes,
			     decoding->header->big_endian);
}

int sframe_rows(const struct sframe *sframe, const struct sframe_function *function,
		sframe_row_fn fn, void *context, struct error *error)
{
	const struct sframe_header *header = &sframe->header[function->header];
	struct decoding decoding = { header, function, error };
	uint32_t end = header->rows_offset + header->rows_bytes, next = function->rows_offset;
	uint32_t last = function->repeats ? sframe_repeat(function) : function->pc_range;
	struct sframe_row row;

	for (uint32_t i = 0; i < function->row_count; i++) {
		int status;

		row.offset = next;
		if (read_row(&decoding, end, &row, &next))
			return -1;
		if (row.start >= last)
			return row_bad(&decoding, &row,
				       "a row that begins behind its function:", row.start);
		row.end = next_start(&decoding, next, end, i + 1 == function->row_count, last);
		if (row.end > last)
			row.end = last; /* the next row says so itself */
		if (row.end < row.start)
			return row_bad(&decoding, &row, "the next row begins before this one, at",
				       row.end);
		status = fn(context, &row);
		if (status)
			return status;
	}
	return 0;
}
