/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engine.c - the least engine that there can be, twice: what `bench engine_so` and `engine_protocol` ask
 *
 * It answers with the PC and the word at rsp, which came with the point. As a shared object by
 * stackproof_engine.h, and with -DLINES as a program that reads and writes lines (docs/ENGINES.md).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 4096

#ifdef LINES

#define WORDS_BEFORE_RIP 18 /* "point", the number, 16 registers */

/* "point ID R0 ... R16 WINDOW" */
static void answer(const char *line)
{
	const char *id = line + strlen("point "), *at = line;
	uint64_t word = 0;

	for (int i = 0; i < WORDS_BEFORE_RIP; i++)
		at = strchr(at, ' ') + 1;
	const char *window = strchr(at, ' ') + 1;

	for (int i = 7; i >= 0; i--) {
		char digits[3] = { window[2 * i], window[2 * i + 1], 0 };

		word = word << 8 | strtoul(digits, NULL, 16);
	}
	printf("stack %.*s foreign %.*s %lx\n", (int)strcspn(id, " "), id, (int)(window - 1 - at), at,
	       word);
}

int main(void)
{
	static char input[1 << 18];
	char *line = NULL;
	size_t capacity = 0;

	setvbuf(stdin, input, _IOFBF, sizeof(input));
	while (getline(&line, &capacity, stdin) > 0) {
		unsigned long count = 0;

		if (!strcmp(line, "hello 1\n"))
			printf("hello 1\nwindow %d\nbatch 64\nready\n", WINDOW);
		if (sscanf(line, "points %lu", &count) == 1) {
			/* All are read before anything is said: what is said lies in the buffer. */
			while (count-- && getline(&line, &capacity, stdin) > 0)
				answer(line);
		}
		fflush(stdout);
	}
	free(line);
	return 0;
}

#else

#include <stackproof_engine.h>

void *stackproof_engine_open(uint32_t version, const char *argument,
			     struct stackproof_engine_about *ret)
{
	(void)argument;
	ret->stack_bytes = WINDOW;
	return version == STACKPROOF_ENGINE_VERSION ? ret : NULL;
}

int stackproof_engine_walk(void *engine, const struct stackproof_engine_point *point,
			   struct stackproof_engine_stack *ret)
{
	(void)engine;
	ret->pc[0] = point->reg[16];
	memcpy(&ret->pc[1], point->stack, sizeof(ret->pc[1]));
	ret->count = 2;
	return 0;
}

void stackproof_engine_close(void *engine)
{
	(void)engine;
}

#endif
