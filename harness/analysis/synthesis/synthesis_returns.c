/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_returns.c - functions that return for certain
 *
 * Code goes on behind a call of one: no compiler takes what has a return for a function that never comes
 * back. Here it must be seen: a return that is reached from the function's begin by branches, direct jumps,
 * and behind calls of functions that return for certain. So a way never strays into another
 * function, as one behind a call that never comes back would. Not seen is not the opposite.
 *
 * Answers hang on each other, in circles too. They are the least ones, as in flow_noreturn.c: whoever is asked
 * about is followed, with all that stands in its ways, and once more when one of these is seen to return. So it
 * makes no difference who was asked about before, nor how deep a call is.
 */
#include <search.h>
#include <stdlib.h>
#include "array.h"
#include "synthesis.h"

/* OPEN: it was met by a query that was answered without it. */
enum state { OPEN, NOT_SEEN, RETURNS };

struct answer {
	uint64_t pc;
	enum state state;
	uint64_t query; /* the number of the last that met it */
};

/* The function goes on if the callee returns. */
struct wait {
	struct answer *function, *callee; /* callee: NULL: it was followed again since */
};

struct query {
	struct synthesis_returns *returns;
	struct answer **met; /* to be followed, in the order in which they were met */
	size_t met_count;
	struct wait *wait;
	size_t wait_count;
	bool no_memory;
};

struct search {
	uint64_t seen[SYNTHESIS_RETURNS_MAX]; /* where ways begin */
	size_t seen_count, todo;	      /* of them, followed */
	size_t steps;
	struct answer *function;
	size_t waits; /* of the query, before the search */
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

/* The answer about the function at pc, or NULL: no memory. */
static struct answer *answer_of(struct query *query, uint64_t pc)
{
	const struct answer key = { .pc = pc };
	struct answer **found = tfind(&key, &query->returns->root, compare_answers), *answer;

	if (found)
		return *found;
	answer = malloc(sizeof(*answer));
	if (answer)
		*answer = key;
	if (!answer || !tsearch(answer, &query->returns->root, compare_answers)) {
		free(answer);
		query->no_memory = true;
		return NULL;
	}
	return answer;
}

/* It is to be followed, unless it was. */
static void meet(struct query *query, struct answer *answer)
{
	if (answer->state != OPEN || answer->query == query->returns->queries)
		return;
	answer->query = query->returns->queries;
	if (ARRAY_GROW(query->met, query->met_count))
		query->met[query->met_count++] = answer;
	else
		query->no_memory = true;
}

/* Of an object file: another file may have a function in its place, of which nothing is seen. */
static bool is_replaced(const struct synthesis_returns *returns, uint64_t pc)
{
	return returns->noreturn && flow_noreturn_is_replaced(returns->noreturn, pc);
}

/* True: the function at pc is known to return. Else the way waits for that. */
static bool passes(struct query *query, struct search *search, uint64_t pc)
{
	struct answer *callee;

	if (is_replaced(query->returns, pc))
		return false;
	callee = answer_of(query, pc);
	if (!callee || callee->state != OPEN)
		return callee && callee->state == RETURNS;
	if (ARRAY_GROW(query->wait, query->wait_count))
		query->wait[query->wait_count++] = (struct wait) { search->function, callee };
	else
		query->no_memory = true;
	return false;
}

/* True: a return. *ret_pc: where the way goes on, 0: it ends. */
static bool pass(struct query *query, struct search *search, const struct code *code,
		 uint64_t *ret_pc)
{
	*ret_pc = code->pc + code->length;
	switch (code->flow) {
	case CODE_NEXT: return false;
	case CODE_RETURN: return true;
	case CODE_BRANCH:
	case CODE_BEGIN: go(search, code->target); return false;
	case CODE_JUMP: *ret_pc = code->target; return false;
	case CODE_CALL:
		if (code->target != *ret_pc && !passes(query, search, code->target))
			*ret_pc = 0;
		return false;
	case CODE_CALL_INDIRECT:
	case CODE_JUMP_INDIRECT:
	case CODE_STOP:
	case CODE_UNKNOWN: *ret_pc = 0; return false;
	}
	return false;
}

static bool follow(struct query *query, struct search *search, uint64_t pc)
{
	const struct synthesis_returns *returns = query->returns;

	while (pc && search->steps++ < SYNTHESIS_RETURNS_MAX) {
		size_t size;
		const uint8_t *bytes = image_bytes_most(returns->image, pc, CODE_BYTES_MAX, &size);
		struct code code;

		if (!bytes)
			return false;
		code_decode(returns->decoder, pc, bytes, size, &code);
		if (!code.length)
			return false;
		if (pass(query, search, &code, &pc))
			return true;
	}
	return false;
}

/* All ways of the function, as far as is known of those that it calls. */
static void decide(struct query *query, struct answer *function)
{
	struct search *search = calloc(1, sizeof(*search));
	bool result = false;

	if (!search) {
		query->no_memory = true;
		return;
	}
	search->function = function;
	search->waits = query->wait_count;
	/* Else each would let it be followed again, and double. */
	for (size_t i = 0; i < search->waits; i++)
		if (query->wait[i].function == function)
			query->wait[i].callee = NULL;
	go(search, function->pc);
	while (!result && search->todo < search->seen_count)
		result = follow(query, search, search->seen[search->todo++]);
	if (result) {
		function->state = RETURNS;
		query->wait_count = search->waits;
	}
	for (size_t i = search->waits; i < query->wait_count; i++)
		meet(query, query->wait[i].callee);
	free(search);
}

/* Those that wait for what was seen to return since. False: there are none. */
static bool decide_waiting(struct query *query)
{
	bool found = false;

	for (size_t i = query->wait_count; i--;) {
		struct wait *wait = &query->wait[i];
		struct answer *function = wait->function;

		if (!wait->callee || wait->callee->state != RETURNS)
			continue;
		wait->callee = NULL;
		if (function->state != OPEN)
			continue;
		found = true;
		decide(query, function);
	}
	return found;
}

/* Nothing is left that would let one of them return. */
static void close_all(struct query *query)
{
	for (size_t i = 0; i < query->met_count; i++)
		if (query->met[i]->state == OPEN)
			query->met[i]->state = NOT_SEEN;
}

bool synthesis_returns_find(struct synthesis_returns *returns, uint64_t pc)
{
	struct query query = { .returns = returns };
	struct answer *wanted = is_replaced(returns, pc) ? NULL : answer_of(&query, pc);
	size_t followed = 0;

	returns->queries++;
	if (wanted)
		meet(&query, wanted);
	while (wanted && wanted->state == OPEN && !query.no_memory) {
		if (followed < query.met_count)
			decide(&query, query.met[followed++]);
		else if (!decide_waiting(&query))
			break;
	}
	if (wanted && wanted->state == OPEN && !query.no_memory)
		close_all(&query);
	free(query.met);
	free(query.wait);
	return wanted && wanted->state == RETURNS;
}

void synthesis_returns_deinit(struct synthesis_returns *returns)
{
	tdestroy(returns->root, free);
	returns->root = NULL;
}
