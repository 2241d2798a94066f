/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_begin.c - whether a function begins where an FDE does
 *
 * Mostly it does. But an FDE may begin too early, on the last instructions of another, or too late, behind
 * its function's first ones: `.cfi_startproc` behind a push is a common slip. Who takes such a begin
 * for an entry accuses all rows that are right. It shows where the FDE before covers the begin,
 * or where code that no FDE covers goes on into it.
 *
 * That code is decoded from the end of the FDE before. What lies there may be data, which decodes as
 * anything: so this is a doubt, and who calls the begin, or a function's symbol there, takes it away.
 */
#include <elf.h>
#include "lint_begin.h"

#define GAP_BYTES_MAX 4096 /* between two FDEs: what is longer is a function of its own, or data */

/* The instruction at pc, of what lies before end. */
static bool decode(const struct cfi *cfi, struct code_decoder *decoder, uint64_t pc, uint64_t end,
		   struct code *ret)
{
	const uint8_t *bytes = image_bytes(cfi->image, pc, end - pc);

	if (!bytes)
		return false;
	code_decode(decoder, pc, bytes, end - pc, ret);
	return ret->length;
}

/* Linkers fill with zeros, too. */
static bool is_filler(const struct cfi *cfi, uint64_t pc, uint64_t begin)
{
	const uint8_t *bytes = image_bytes(cfi->image, pc, begin - pc);

	return bytes && !bytes[0] && (begin - pc == 1 || !bytes[1]);
}

/* No-ops end at begin, wherever data before them may let a decoder be. */
static bool is_aligned(const struct cfi *cfi, struct code_decoder *decoder, uint64_t pc,
		       uint64_t begin)
{
	struct code code;

	if (begin - pc > CODE_BYTES_MAX)
		pc = begin - CODE_BYTES_MAX;
	for (; pc < begin; pc++)
		if (decode(cfi, decoder, pc, begin, &code) && code.is_padding &&
		    pc + code.length == begin)
			return true;
	return false;
}

/* From pc on there is code that goes on into begin. */
static bool goes_into(const struct cfi *cfi, struct code_decoder *decoder, uint64_t pc,
		      uint64_t begin)
{
	bool on = false;
	struct code code;

	for (; pc < begin; pc += code.length) {
		if (is_filler(cfi, pc, begin)) {
			code.length = 1;
			on = false;
			continue;
		}
		if (!decode(cfi, decoder, pc, begin, &code))
			return false;
		on = code.flow == CODE_NEXT || code.flow == CODE_BRANCH ||
		     code.flow == CODE_BEGIN || code.flow == CODE_CALL ||
		     code.flow == CODE_CALL_INDIRECT;
	}
	return on;
}

uint64_t lint_begin_gap(const struct cfi *cfi, size_t number)
{
	const struct cfi_fde *before = number ? &cfi->fde[cfi->by_pc[number - 1]] : NULL;

	return before ? before->pc_begin + before->pc_range : 0;
}

/* The number of the first FDE that begins at pc or behind it. */
static size_t number_from(const struct cfi *cfi, uint64_t pc)
{
	size_t low = 0, high = cfi->by_pc_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->fde[cfi->by_pc[middle]].pc_begin < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct cfi_fde *lint_begin_before(const struct cfi *cfi, uint64_t pc)
{
	size_t number = number_from(cfi, pc);

	return number ? &cfi->fde[cfi->by_pc[number - 1]] : NULL;
}

uint64_t lint_begin_next(const struct cfi *cfi, uint64_t pc)
{
	size_t number = number_from(cfi, pc);

	return number < cfi->by_pc_count ? cfi->fde[cfi->by_pc[number]].pc_begin : UINT64_MAX;
}

bool lint_begin_doubtful(const struct cfi *cfi, struct code_decoder *decoder, size_t number)
{
	uint64_t begin = cfi->fde[cfi->by_pc[number]].pc_begin, end = lint_begin_gap(cfi, number);

	if (!number)
		return false;
	if (end > begin)
		return cfi->fde[cfi->by_pc[number - 1]].pc_begin != begin;
	return end < begin && begin - end <= GAP_BYTES_MAX && goes_into(cfi, decoder, end, begin) &&
	       !is_aligned(cfi, decoder, end, begin);
}

bool lint_begin_state(const struct cfi *cfi, struct code_decoder *decoder, uint64_t from,
		      uint64_t begin, struct flow_state *ret)
{
	struct code code;

	flow_state_enter(ret);
	for (uint64_t pc = from; pc < begin; pc += code.length) {
		if (!decode(cfi, decoder, pc, begin, &code) || code.flow != CODE_NEXT)
			return false;
		flow_effect(ret, &code, (uint32_t)(pc - begin));
	}
	return true;
}

bool lint_begin_is_exported(const struct image *image, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_find(image, pc);

	return pc == image->entry ||
	       (symbol && symbol->pc == pc && symbol->type == STT_FUNC &&
		symbol->binding != STB_LOCAL && symbol->visibility != STV_HIDDEN &&
		symbol->visibility != STV_INTERNAL);
}

bool lint_begin_hides_caller(const struct flow_part *part)
{
	for (size_t i = 0; i < part->row_count; i++) {
		const struct row *row = &part->row[i];

		if (row->reg[REGISTER_RIP].kind != RULE_OFFSET ||
		    (row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
		     row->cfa.offset == 8))
			return false;
	}
	return true;
}
