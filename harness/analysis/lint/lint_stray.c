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
 * So it is asked whose part it is. Once another function comes there with the frame that the row says, the part is
 * that one's, and the stray way ends: it accuses nobody. But linkers fold identical parts of functions with different
 * frames, too, and so what would be wrong for the stray way is unproven, unless the part goes on in the middle of
 * another function. If nobody comes with that frame, the row is wrong, and it is held against the only function that
 * leads there, or against those that the part leads back to.
 */
#include <stdlib.h>
#include "array.h"
#include "lint_aside.h"
#include "lint_stray.h"

#define PART_MAX 16 /* functions that are followed into a part of another's */

static int compare_strays(const void *a, const void *b)
{
	const struct lint_stray *left = a, *right = b;

	if (left->part != right->part)
		return left->part < right->part ? -1 : 1;
	return left->function < right->function ? -1 : left->function > right->function;
}

/* The last is of all ways that come there. */
static void keep_state(struct lint_strays *strays, struct lint_stray *stray,
		       const struct flow_state *state)
{
	if (!stray->state)
		stray->state = malloc(sizeof(*stray->state));
	if (stray->state)
		flow_state_copy(stray->state, state);
	else
		strays->no_memory = true;
}

bool lint_stray_meet(struct lint_strays *strays, uint64_t function, uint64_t part,
		     const struct flow_state *state, bool falls)
{
	struct lint_stray stray = {
		.function = function, .part = part, .falls = falls, .why = FLOW_VALUE_UNKNOWN
	};
	struct lint_stray *found;

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
	if (found && !found->followed)
		keep_state(strays, found, state);
	return found && found->followed;
}

bool lint_stray_has(const struct lint_strays *strays, uint64_t function, uint64_t part)
{
	const struct lint_stray stray = { .function = function, .part = part };

	if (strays->decided)
		return strays->count &&
		       bsearch(&stray, strays->stray, strays->count, sizeof(stray), compare_strays);
	for (size_t i = strays->count; i && strays->stray[i - 1].function == function; i--)
		if (strays->stray[i - 1].part == part)
			return true;
	return false;
}

/* Ways of one function that come with the same rsp are one. */
void lint_stray_doubt(struct lint_strays *strays, uint64_t function, uint64_t part,
		      const struct flow_state *state, enum flow_reason why)
{
	struct lint_stray stray = { .function = function, .part = part, .why = why };

	for (size_t i = strays->doubt_count; i && strays->doubt[i - 1].function == function; i--)
		if (strays->doubt[i - 1].part == part && strays->doubt[i - 1].state &&
		    value_equal(&strays->doubt[i - 1].state->reg[REGISTER_RSP],
				&state->reg[REGISTER_RSP]))
			return;
	keep_state(strays, &stray, state);
	if (ARRAY_GROW(strays->doubt, strays->doubt_count)) {
		strays->doubt[strays->doubt_count++] = stray;
		return;
	}
	strays->no_memory = true;
	free(stray.state);
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
		else
			strays->stray[kept - 1].falls &= strays->stray[i].falls;
	strays->count = kept;
}

/* Whose the part is by where it goes on: it jumps into the function, or into the middle of another. */
struct home {
	bool own, elsewhere;
};

static void note_jump(const struct lint_stray *stray, const struct cfi *cfi,
		      const struct cfi_fde *part, uint64_t target, struct home *ret)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, target);

	if (!fde || fde == part)
		return;
	if (fde == cfi_fde_find(cfi, stray->function))
		ret->own = true;
	else if (fde->pc_begin != target)
		ret->elsewhere = true;
}

static int find_home(const struct lint_stray *stray, const struct cfi *cfi,
		     struct code_decoder *decoder, struct home *ret, struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, stray->part);
	struct flow_part *part;
	enum flow_reason reason;

	*ret = (struct home) { .own = false };
	if (!fde)
		return 0;
	if (flow_part_create(cfi, fde, &part, &reason, error))
		return -1;
	for (uint64_t pc = stray->part; part && pc < part->end;) {
		const struct code *code = flow_part_code(part, decoder, pc);

		if (!code || !code->length)
			break;
		pc += code->length;
		if (code->flow == CODE_JUMP || code->flow == CODE_BRANCH)
			note_jump(stray, cfi, fde, code->target, ret);
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
			struct home home = { .own = true };

			if (next - i > 1 && find_home(stray, judge->cfi, decoder, &home, error))
				return -1;
			stray->followed = home.own && !stray->falls;
		}
	}
	return 0;
}

static int doubt(const struct lint_stray *stray, struct lint_judge *judge,
		 const struct flow_world *world, bool whole, struct lint_sum *sum,
		 struct error *error)
{
	struct lint_aside aside = { .function = stray->function,
				    .pc = stray->part,
				    .why = stray->why };

	flow_state_copy(&aside.state, stray->state);
	return lint_aside_follow(&aside, judge, world, whole, sum, error);
}

/* In the order of parts. */
static int doubt_all(const struct lint_stray *strays, size_t count, struct lint_judge *judge,
		     const struct flow_world *world, struct lint_sum *sum, struct error *error)
{
	int same = 0; /* that were followed into the part */

	for (size_t i = 0; i < count; i++) {
		const struct lint_stray *stray = &strays[i];
		struct home home;

		same = i && stray->part == stray[-1].part ? same : 0;
		if (!stray->state || same > PART_MAX)
			continue;
		if (cfi_fde_begins(world->cfi,
				   stray->part)) { /* or it comes to the middle of one */
			if (!lint_judge_was_reached(judge, stray->part))
				continue;
			if (find_home(stray, world->cfi, world->decoder, &home, error))
				return -1;
			if (home.elsewhere && !home.own)
				continue;
		}
		if (doubt(stray, judge, world, same == PART_MAX, sum, error))
			return -1;
		same++;
	}
	return 0;
}

int lint_strays_doubt(const struct lint_strays *strays, struct lint_judge *judge,
		      const struct flow_world *world, struct lint_sum *sum, struct error *error)
{
	if (strays->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "jumps to other functions' parts");
	if (strays->doubt_count)
		qsort(strays->doubt, strays->doubt_count, sizeof(*strays->doubt), compare_strays);
	if (doubt_all(strays->stray, strays->count, judge, world, sum, error))
		return -1;
	return doubt_all(strays->doubt, strays->doubt_count, judge, world, sum, error);
}

void lint_strays_deinit(struct lint_strays *strays)
{
	for (size_t i = 0; i < strays->count; i++)
		free(strays->stray[i].state);
	for (size_t i = 0; i < strays->doubt_count; i++)
		free(strays->doubt[i].state);
	free(strays->stray);
	free(strays->doubt);
}
