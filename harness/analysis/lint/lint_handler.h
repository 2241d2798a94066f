/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_handler.h - functions that go on in an interrupt's handler
 */
#ifndef STACKPROOF_LINT_HANDLER_H
#define STACKPROOF_LINT_HANDLER_H

#include "lint_addresses.h"
#include "lint_judge.h"

/* A function that ends in another one. Both by their begin. */
struct lint_tail {
	uint64_t from, to;
};

/* Zeros are an empty one. lint_handlers_deinit(). */
struct lint_handlers {
	uint64_t function; /* the one at hand */
	struct lint_tail *tail;
	size_t count, room;
	struct lint_addresses begin; /* of handlers, by how they leave */
	bool no_memory;		     /* some are missing */
};

/* The function at hand goes on at pc, as it was entered. */
void lint_handlers_leave(struct lint_handlers *handlers, uint64_t pc);
/* The part has no frame anywhere (lint_judge_plain()). */
void lint_handlers_plain(struct lint_handlers *handlers, const struct flow_part *part);
/* Once all were followed: takes back what was proven of those that nothing calls and that go on in a handler. As of
 * lint_framed_decide(). */
int lint_handlers_decide(struct lint_handlers *handlers, struct lint_judge *judge,
			 struct code_decoder *decoder, const bool *called, struct lint_sum *sum,
			 struct error *error);
void lint_handlers_deinit(struct lint_handlers *handlers);

#endif
