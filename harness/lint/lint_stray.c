/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_stray.c - whose part is it?
 *
 * What is run rarely lies elsewhere, with an FDE of its own, whose first row says what frame its
 * function has then. A jump there from a function with another frame is either a wrong row or none that
 * happens: GCC lets the way that it holds to be unreachable (__builtin_unreachable(), a switch that has no
 * default) end in a cold part without any instruction, and there the next function's cold part begins.
 *
 *	f:	cmp al, 23
 *		ja f.cold	; never
 *		...
 *	f.cold:			; nothing, and so it is g.cold
 *	g.cold:	xor eax, eax	; with g's frame
 *		jmp back_in_g
 *
 * So it is asked whose part it is. Once another function comes there with the frame that the row says,
 * the part is that one's, and the stray way ends. If nobody does, the row is wrong, and it is held
 * against the only function that leads there, or against those that the part leads back to.
 */
#include <stdlib.h>
#include "array.h"
#include "lint/lint_stray.h"

static int compare_strays(const void *a, const void *b)
{
	const struct lint_stray *left = a, *right = b;

	if (left->part != right->part)
		return left->part < right->part ? -1 : 1;
	return left->function < right->function ? -1 : left->function > right->function;
}

bool lint_stray_meet(struct lint_strays *strays, uint64_t function, uint64_t part)
{
	struct lint_stray stray = { .function = function, .part = part };
	const struct lint_stray *found;

	if (!strays->decided) {
		if (ARRAY_GROW(strays->stray, strays->count))
			strays->stray[strays->count++] = stray;
		else
			strays->no_memory = true;
		return false;
	}
	if (!strays->count)
		return false;
	found = bsearch(&stray, strays->stray, strays->count, sizeof(stray), compare_strays);
	return found && found->followed;
}

static void sort_strays(struct lint_strays *strays)
{
	size_t kept = 0;

	if (!strays->count)
		return;
	qsort(strays->stray, strays->count, sizeof(*strays->stray), compare_strays);
	for (size_t i = 0; i < strays->count; i++)
		if (!i || compare_strays(&strays->stray[i], &strays->stray[kept - 1]))
			strays->stray[kept++] = strays->stray[i];
	strays->count = kept;
}

/* The part jumps into the function. */
static int leads_back(const struct lint_stray *stray, const struct cfi *cfi,
		      struct code_decoder *decoder, bool *ret, struct error *error)
{
	const struct cfi_fde *function = cfi_fde_find(cfi, stray->function);
	const struct cfi_fde *fde = cfi_fde_find(cfi, stray->part);
	struct flow_part *part;
	enum flow_reason reason;

	*ret = false;
	if (!function || !fde || flow_part_create(cfi, fde, &part, &reason, error))
		return function && fde ? -1 : 0;
	for (uint64_t pc = stray->part; part && pc < part->end && !*ret;) {
		const struct code *code = flow_part_code(part, decoder, pc);

		if (!code || !code->length)
			break;
		pc += code->length;
		*ret = (code->flow == CODE_JUMP || code->flow == CODE_BRANCH) &&
		       code->target >= function->pc_begin &&
		       code->target - function->pc_begin < function->pc_range;
	}
	flow_part_destroy(part);
	return 0;
}

int lint_strays_decide(struct lint_strays *strays, const struct lint_judge *judge,
		       struct code_decoder *decoder, struct error *error)
{
	size_t next;

	if (strays->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "jumps to other functions' parts");
	sort_strays(strays);
	strays->decided = true;
	for (size_t i = 0; i < strays->count; i = next) {
		for (next = i + 1;
		     next < strays->count && strays->stray[next].part == strays->stray[i].part;)
			next++;
		if (lint_judge_was_reached(judge, strays->stray[i].part))
			continue;
		for (size_t j = i; j < next; j++) {
			struct lint_stray *stray = &strays->stray[j];

			if (next - i == 1)
				stray->followed = true;
			else if (leads_back(stray, judge->cfi, decoder, &stray->followed, error))
				return -1;
		}
	}
	return 0;
}

void lint_strays_deinit(struct lint_strays *strays)
{
	free(strays->stray);
}
