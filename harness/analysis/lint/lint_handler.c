/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_handler.c - functions that go on in an interrupt's handler
 *
 * A vector has a stub of its own, which goes on in what all handlers have in common:
 *
 *	stub:	push rax
 *		...
 *		jmp common
 *	common:	add rsp, 8		; an error code, which the CPU pushed
 *		iretq
 *
 * Nobody calls common, which leaves as a handler does, and so nobody calls the stub: what is on the stack where that
 * begins, the CPU knows. Its rows may be wrong though each agrees with the first.
 */
#include <stdlib.h>
#include "array.h"
#include "lint_framed.h"
#include "lint_handler.h"

void lint_handlers_leave(struct lint_handlers *handlers, uint64_t pc)
{
	const struct lint_tail *last = handlers->count ? &handlers->tail[handlers->count - 1]
						       : NULL;

	if (last && last->from == handlers->function && last->to == pc)
		return;
	if (ARRAY_RESERVE(handlers->tail, handlers->room, handlers->count + 1))
		handlers->tail[handlers->count++] = (struct lint_tail) { handlers->function, pc };
	else
		handlers->no_memory = true;
}

void lint_handlers_plain(struct lint_handlers *handlers, const struct flow_part *part)
{
	for (size_t i = 0; i < part->code_count; i++) {
		const struct code *code = &part->code[i];

		if ((code->flow == CODE_JUMP || code->flow == CODE_BRANCH) &&
		    (code->target < part->begin || code->target >= part->end))
			lint_handlers_leave(handlers, code->target);
	}
}

static bool is_called(const struct lint_judge *judge, const bool *called, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(judge->cfi, pc);

	return !fde || fde->pc_begin != pc || called[fde - judge->cfi->fde];
}

/* Those that go on in one that is known. False: there are none any more. */
static bool spread(struct lint_handlers *handlers, const struct lint_judge *judge,
		   const bool *called)
{
	const size_t known = handlers->begin.count;
	struct lint_addresses found = { .count = 0 };

	for (size_t i = 0; i < handlers->count; i++) {
		const struct lint_tail *tail = &handlers->tail[i];

		if (lint_addresses_has(&handlers->begin, tail->to, NULL) &&
		    !lint_addresses_has(&handlers->begin, tail->from, NULL) &&
		    !is_called(judge, called, tail->from))
			lint_addresses_add(&found, tail->from);
	}
	for (size_t i = 0; i < found.count; i++)
		lint_addresses_add(&handlers->begin, found.address[i]);
	handlers->no_memory |= found.no_memory;
	free(found.address);
	lint_addresses_sort(&handlers->begin);
	return handlers->begin.count > known;
}

int lint_handlers_decide(struct lint_handlers *handlers, struct lint_judge *judge,
			 struct code_decoder *decoder, const bool *called, struct lint_sum *sum,
			 struct error *error)
{
	struct lint_addresses *begin = &handlers->begin;
	int result = 0;

	lint_addresses_sort(begin);
	while (begin->count && spread(handlers, judge, called))
		;
	for (size_t i = 0; !result && i < begin->count; i++)
		result = lint_framed_take_back(judge, decoder, begin->address[i], FLOW_SIGNAL_FRAME,
					       sum, error);
	if (!result && (handlers->no_memory || begin->no_memory))
		result = error_set(error, ERROR_MEMORY, NULL, 0, "functions that are jumped to");
	return result;
}

void lint_handlers_deinit(struct lint_handlers *handlers)
{
	free(handlers->tail);
	free(handlers->begin.address);
}
