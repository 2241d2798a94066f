/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fp.c - the chain of frame pointers as a shared object, in C that is C++, too
 *
 *	cc -shared -fPIC -o fp.so fp.c
 *	stackproof compare --engine cfi,own=./fp.so -- PROGRAM
 *
 * rbp leads to the caller's rbp, and the word above that is the return address (psABI, figure 3.3).
 * Nothing proves an end, so the stop is never "complete".
 */
#include <stackproof_engine.h>
#include <string.h>

#define REGISTER_RBP 6
#define REGISTER_RIP 16

void *stackproof_engine_open(uint32_t version, const char *argument,
			     struct stackproof_engine_about *ret)
{
	static char engine;

	if (version != STACKPROOF_ENGINE_VERSION || argument[0])
		return NULL;
	strcpy(ret->version, "fp.c 1");
	ret->stack_bytes = 4096;
	return &engine;
}

int stackproof_engine_walk(void *engine, const struct stackproof_engine_point *point,
			   struct stackproof_engine_stack *ret)
{
	uint64_t at = point->reg[REGISTER_RBP], word[2];

	(void)engine;
	ret->pc[ret->count++] = point->reg[REGISTER_RIP];
	ret->stop = STACKPROOF_ENGINE_DEPTH;
	while (ret->count < ret->capacity) {
		/* What came with the point is found there, without a round trip. */
		if (point->read(point->read_context, at, word, sizeof(word))) {
			ret->stop = STACKPROOF_ENGINE_READ_FAULT;
			break;
		}
		if (!word[1]) {
			ret->stop = STACKPROOF_ENGINE_ZERO_RETURN;
			break;
		}
		ret->pc[ret->count++] = word[1];
		if (word[0] <= at) {
			ret->stop = STACKPROOF_ENGINE_NO_PROGRESS;
			break;
		}
		at = word[0];
	}
	return 0;
}

void stackproof_engine_close(void *engine)
{
	(void)engine;
}
