/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_returns.c - functions that return for certain
 *
 * Code goes on behind a call of one: no compiler takes what has a return for a function that never comes
 * back. Here it must be seen: a return that is reached from the function's begin by branches, direct jumps,
 * and behind calls of functions that return for certain. So a way never strays into another
 * function, as one behind a call that never comes back would. Not seen is not the opposite.
 */
#include <search.h>
#include <stdlib.h>
#include "synthesis/synthesis.h"

struct answer {
	uint64_t pc;
	bool returns; /* false, too, while it is looked for: a recursion proves nothing */
};

struct search {
	uint64_t seen[SYNTHESIS_RETURNS_MAX]; /* where ways begin */
	size_t seen_count, todo;	      /* of them, followed */
	size_t steps;
};

static int compare_answers(const void *left, const void *right)
{
	const struct answer *a = left, *b = right;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static void go(struct search *search, uint64_t pc)
{
	for (size_t i = 0; i < search->seen_count; i++)
		if (search->seen[i] == pc)
			return;
	if (search->seen_count < SYNTHESIS_RETURNS_MAX)
		search->seen[search->seen_count++] = pc;
}

/* True: a return. *ret_pc: where the way goes on, 0: it ends. */
static bool pass(struct synthesis_returns *returns, struct search *search, const struct code *code,
		 unsigned int depth, uint64_t *ret_pc)
{
	*ret_pc = code->pc + code->length;
	switch (code->flow) {
	case CODE_NEXT: return false;
	case CODE_RETURN: return true;
	case CODE_BRANCH:
	case CODE_BEGIN: go(search, code->target); return false;
	case CODE_JUMP: *ret_pc = code->target; return false;
	case CODE_CALL:
		if (code->target != *ret_pc &&
		    !synthesis_returns_find(returns, code->target, depth + 1))
			*ret_pc = 0;
		return false;
	case CODE_CALL_INDIRECT:
	case CODE_JUMP_INDIRECT:
	case CODE_STOP:
	case CODE_UNKNOWN: *ret_pc = 0; return false;
	}
	return false;
}

static bool follow(struct synthesis_returns *returns, struct search *search, uint64_t pc,
		   unsigned int depth)
{
	while (pc && search->steps++ < SYNTHESIS_RETURNS_MAX) {
		size_t size;
		const uint8_t *bytes = image_bytes_most(returns->image, pc, CODE_BYTES_MAX, &size);
		struct code code;

		if (!bytes)
			return false;
		code_decode(returns->decoder, pc, bytes, size, &code);
		if (!code.length)
			return false;
		if (pass(returns, search, &code, depth, &pc))
			return true;
	}
	return false;
}

bool synthesis_returns_find(struct synthesis_returns *returns, uint64_t pc, unsigned int depth)
{
	const struct answer key = { .pc = pc };
	struct answer **found = tfind(&key, &returns->root, compare_answers), *answer;
	struct search *search;
	bool result = false;

	if (found)
		return (*found)->returns;
	answer = malloc(sizeof(*answer));
	search = calloc(1, sizeof(*search));
	if (depth < SYNTHESIS_RETURNS_DEPTH_MAX && answer && search) {
		*answer = key;
		if (!tsearch(answer, &returns->root, compare_answers)) {
			free(answer);
			free(search);
			return false;
		}
		go(search, pc);
		while (!result && search->todo < search->seen_count)
			result = follow(returns, search, search->seen[search->todo++], depth);
		answer->returns = result;
	} else {
		free(answer);
	}
	free(search);
	return result;
}

void synthesis_returns_deinit(struct synthesis_returns *returns)
{
	tdestroy(returns->root, free);
	returns->root = NULL;
}
