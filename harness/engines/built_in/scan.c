/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * scan.c - engine scan: every word of the stack that could be a return address
 *
 * The heuristic of last resort, for code of which nothing is known: debuggers of crash dumps and
 * the kernel's own oops messages ("?" frames) do it. A word counts if it is aligned, points into
 * executable memory, and an instruction that ends there may be a call. It needs no CFI, no frame
 * pointer and no register but rsp.
 *
 * It finds all return addresses of calls that are open, above rsp, and so is hardly ever truncated.
 * But it also finds those of calls that have returned, as long as nothing has overwritten them, and
 * addresses that were data. So its stacks have frames too many, nearly always, and it can't say
 * which: none is ever complete.
 *
 * From rsp to the end of the stack's mapping, SCAN_BYTES_MAX at most. What lies below rsp is no
 * open call's.
 */
#include <stdlib.h>
#include "engine.h"
#include "truth/steps/decoder.h"

#define SCAN_BYTES_MAX (256u << 10)
#define PAGE_BYTES     4096u

struct scan_engine {
	struct decoder *decoder;
	struct stack_mapping stack;
};

static int scan_open(struct bpf_records *records, void **ret, struct error *error)
{
	struct scan_engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for engine scan");
	engine->decoder = decoder_create(error);
	if (!engine->decoder) {
		free(engine);
		return -1;
	}
	*ret = engine;
	return 0;
}

static void scan_close(void *context)
{
	struct scan_engine *engine = context;

	decoder_destroy(engine->decoder);
	free(engine);
}

static int scan_mappings(void *context, const struct address_space *space, struct error *error)
{
	struct scan_engine *engine = context;

	decoder_flush(engine->decoder);
	engine->stack = (struct stack_mapping) { 0 };
	return 0;
}

static bool is_return_address(const struct scan_engine *engine, const struct point *point,
			      uint64_t word)
{
	return address_space_find(point->space, word) &&
	       decoder_call_before(engine->decoder, word, point->memory);
}

/* The words of [from, to), which lie in one page. STOP_NONE: all were looked at. -1: error is set. */
static int scan_page(const struct scan_engine *engine, const struct point *point, uint64_t from,
		     uint64_t to, struct stack *stack, struct error *error)
{
	const struct memory_reader *memory = point->memory;
	uint64_t word[PAGE_BYTES / sizeof(uint64_t)];

	if (memory->read(memory->context, from, word, to - from))
		return STOP_READ_FAULT;
	for (size_t i = 0; i < (to - from) / sizeof(word[0]); i++) {
		if (!is_return_address(engine, point, word[i]))
			continue;
		if (stack->count == stack_limit(stack))
			return STOP_DEPTH;
		if (stack_push(stack, word[i], error))
			return -1;
	}
	return STOP_NONE;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static enum engine_answer scan_walk(void *context, const struct point *point, struct stack *ret,
				    struct error *error)
{
	struct scan_engine *engine = context;
	uint64_t sp = point->regs->value[REGISTER_RSP];
	uint64_t at = (sp + sizeof(uint64_t) - 1) & -sizeof(uint64_t), end, next;
	int stop = STOP_NONE;

	stack_clear(ret);
	if (stack_push(ret, point->regs->value[REGISTER_RIP], error))
		return ENGINE_ERROR;
	ret->stop = STOP_READ_FAULT;
	if (!stack_mapping_of(&engine->stack, point, sp))
		return ENGINE_STACK;
	end = least(engine->stack.end, at + SCAN_BYTES_MAX);
	for (; !stop && at < end; at = next) {
		next = least(end, (at & -(uint64_t)PAGE_BYTES) + PAGE_BYTES);
		stop = scan_page(engine, point, at, next, ret, error);
	}
	if (stop < 0)
		return ENGINE_ERROR;
	ret->stop = stop ? (uint32_t)stop : end < engine->stack.end ? STOP_DEPTH : STOP_GUESSED;
	return ENGINE_STACK;
}

const struct engine engine_scan = {
	.name = "scan",
	.summary = "every word of the stack behind a call",
	.on_request = true,
	.open = scan_open,
	.close = scan_close,
	.mappings = scan_mappings,
	.walk = scan_walk,
};
