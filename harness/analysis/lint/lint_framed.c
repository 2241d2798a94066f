/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_framed.c - FDEs that are entered with a frame that their first row doesn't know
 *
 * A function that is stripped has no name, and its FDE's first row is all that says that it is one. But the part of
 * a function that is rarely run may have such a row by mistake (LLVM issue 211392, BOLT), and then it is right
 * in itself:
 *
 *	f:	push rbx
 *		...
 *		je f.cold	; with a frame
 *	f.cold:			; an FDE whose first row has none
 *		call abort
 *
 * A jump with a frame to a function's begin is also what compilers let a way that never happens end in. So
 * it proves nothing, and accuses nobody. But who is entered in no other way, by a call, a jump without
 * a frame, a pointer, or from outside, is not proven as what nobody makes of it. Nor is he accused: of his rows
 * all may be right but the first.
 */
#include <stdlib.h>
#include "lint_framed.h"
#include "lint_kept.h"

void lint_framed_plain(struct lint_framed *framed, const struct flow_part *part)
{
	for (size_t i = 0; i < part->code_count; i++) {
		const struct code *code = &part->code[i];

		if ((code->flow == CODE_CALL || code->flow == CODE_JUMP ||
		     code->flow == CODE_BRANCH) &&
		    (code->target < part->begin || code->target >= part->end)) {
			lint_addresses_add(&framed->entered, code->target);
			if (code->flow == CODE_CALL)
				lint_addresses_add(&framed->called, code->target);
		}
	}
}

/* Before they are sorted. */
static bool is_among(const struct lint_addresses *list, uint64_t pc)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->address[i] == pc)
			return true;
	return false;
}

bool lint_framed_enters(const struct lint_framed *framed, uint64_t pc)
{
	return is_among(&framed->entered, pc);
}

bool lint_framed_calls(const struct lint_framed *framed, uint64_t pc)
{
	return is_among(&framed->called, pc);
}

struct doubts {
	const struct lint_addresses *framed;
	bool *entered; /* of each of these */
};

static void note_kept(void *context, uint64_t pc)
{
	struct doubts *doubts = context;
	size_t number;

	if (lint_addresses_has(doubts->framed, pc, &number))
		doubts->entered[number] = true;
}

static bool is_entered(const struct lint_framed *framed, const struct cfi *cfi, const bool *called,
		       const struct cfi_fde *fde)
{
	const struct image_symbol *symbol = image_symbol_find(cfi->image, fde->pc_begin);

	return called[fde - cfi->fde] || fde->pc_begin == cfi->image->entry ||
	       (symbol && symbol->pc == fde->pc_begin) ||
	       lint_addresses_has(&framed->entered, fde->pc_begin, NULL);
}

int lint_framed_find(struct lint_framed *framed, const struct cfi *cfi,
		     struct code_decoder *decoder, const bool *called,
		     const struct lint_addresses *among, struct lint_addresses *ret,
		     struct error *error)
{
	struct doubts doubts = { .framed = ret };
	size_t kept = 0;
	int result;

	lint_addresses_sort(&framed->framed);
	lint_addresses_sort(&framed->entered);
	for (size_t i = 0; i < framed->framed.count; i++) {
		uint64_t pc = framed->framed.address[i];
		const struct cfi_fde *fde = cfi_fde_find(cfi, pc);

		if (fde && fde->pc_begin == pc && (!among || lint_addresses_has(among, pc, NULL)) &&
		    !is_entered(framed, cfi, called, fde))
			lint_addresses_add(ret, pc);
	}
	if (ret->count)
		doubts.entered = calloc(ret->count, sizeof(*doubts.entered));
	if (framed->framed.no_memory || framed->entered.no_memory || framed->called.no_memory ||
	    ret->no_memory || (ret->count && !doubts.entered)) {
		free(doubts.entered);
		return error_set(error, ERROR_MEMORY, NULL, 0, "addresses that are jumped to");
	}
	result = ret->count ? lint_kept_which(cfi, decoder, ret, note_kept, &doubts, error) : 0;
	for (size_t i = 0; i < ret->count; i++)
		if (!doubts.entered[i])
			ret->address[kept++] = ret->address[i];
	ret->count = kept;
	free(doubts.entered);
	return result;
}

int lint_framed_take_back(struct lint_judge *judge, struct code_decoder *decoder, uint64_t pc,
			  enum flow_reason why, struct lint_sum *sum, struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(judge->cfi, pc);
	struct flow_part *part;
	enum flow_reason reason;
	int result = 0;

	if (flow_part_create(judge->cfi, fde, &part, &reason, error))
		return -1;
	if (part)
		result = lint_judge_take_back(judge, decoder, part, why, error);
	flow_part_destroy(part);
	sum[fde - judge->cfi->fde].met = true;
	return result;
}

int lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge,
		       struct code_decoder *decoder, const bool *called, struct lint_sum *sum,
		       struct error *error)
{
	struct lint_addresses found = { .count = 0 };
	int result = lint_framed_find(framed, judge->cfi, decoder, called, NULL, &found, error);

	for (size_t i = 0; !result && i < found.count; i++)
		result = lint_framed_take_back(judge, decoder, found.address[i], FLOW_NO_ENTRY, sum,
					       error);
	free(found.address);
	return result;
}

void lint_framed_deinit(struct lint_framed *framed)
{
	free(framed->framed.address);
	free(framed->entered.address);
	free(framed->called.address);
}
