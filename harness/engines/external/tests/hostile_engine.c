/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hostile_engine.c - a shared object that does whatever its argument says: test_external.c
 *
 * It answers with the PC and the word at rsp, and is good so. At its second point it does the other
 * thing. "early" ones do that when they are opened.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engines/external/stackproof_engine.h"

#define REGISTER_RSP 7
#define REGISTER_RIP 16

struct hostile {
	char what[32];
	unsigned int points;
};

static void crash(void)
{
	volatile uintptr_t nowhere = 8;

	*(volatile int *)nowhere = 0;
}

static void loop(void)
{
	for (volatile int i = 0;; i++)
		;
}

void *stackproof_engine_open(uint32_t version, const char *argument,
			     struct stackproof_engine_about *ret)
{
	struct hostile *hostile = calloc(1, sizeof(*hostile));

	if (!hostile || version != STACKPROOF_ENGINE_VERSION || strlen(argument) > 31)
		return NULL;
	strcpy(hostile->what, argument);
	strcpy(ret->version, "hostile 7");
	if (!strcmp(argument, "early_refuse")) {
		puts("not today");
		return NULL;
	}
	if (!strcmp(argument, "early_crash"))
		crash();
	if (!strcmp(argument, "early_loop"))
		loop();
	if (!strcmp(argument, "window"))
		ret->stack_bytes = 64;
	if (!strcmp(argument, "early_window"))
		ret->stack_bytes = 65537;
	if (!strcmp(argument, "early_version"))
		memset(ret->version, 'v', sizeof(ret->version));
	return hostile;
}

/* Whatever lies at both ends of the channel, and beside it. */
static void write_junk(void)
{
	signal(SIGPIPE, SIG_IGN);
	for (int fd = 0; fd < 256; fd++)
		if (write(fd, "junk and more of it", 19) < 0)
			continue;
}

static void open_many(void)
{
	while (open("/dev/null", O_RDONLY) >= 0)
		;
}

static void print_much(void)
{
	for (int i = 0; i < 100000; i++)
		puts("a line that nobody wanted to read, and another one");
}

/* A process that leaves the group, and keeps all that is open. */
static void leave_child(void)
{
	if (fork())
		return;
	setsid();
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void read_for_ever(const struct stackproof_engine_point *point)
{
	char word[8];

	for (uint64_t address = 0;; address += 4096)
		point->read(point->read_context, address, word, sizeof(word));
}

static void misbehave(const char *what, const struct stackproof_engine_point *point,
		      struct stackproof_engine_stack *ret)
{
	if (!strcmp(what, "crash"))
		crash();
	else if (!strcmp(what, "loop"))
		loop();
	else if (!strcmp(what, "exit"))
		exit(5);
	else if (!strcmp(what, "many"))
		ret->count = ret->capacity + 1;
	else if (!strcmp(what, "stop"))
		ret->stop = 99;
	else if (!strcmp(what, "lie"))
		ret->pc[0] = 0xbad;
	else if (!strcmp(what, "junk"))
		write_junk();
	else if (!strcmp(what, "descriptors"))
		open_many();
	else if (!strcmp(what, "print"))
		print_much();
	else if (!strcmp(what, "child"))
		leave_child();
	else if (!strcmp(what, "read"))
		read_for_ever(point);
}

int stackproof_engine_walk(void *engine, const struct stackproof_engine_point *point,
			   struct stackproof_engine_stack *ret)
{
	struct hostile *hostile = engine;
	int status = 0;

	ret->pc[0] = point->reg[REGISTER_RIP];
	if (point->read(point->read_context, point->reg[REGISTER_RSP], &ret->pc[1], 8))
		return -1;
	ret->count = 2;
	ret->stop = STACKPROOF_ENGINE_ZERO_RETURN;
	if (++hostile->points == 2) {
		misbehave(hostile->what, point, ret);
		status = strcmp(hostile->what, "nothing") ? 0 : -1;
	}
	return status;
}

void stackproof_engine_close(void *engine)
{
	struct hostile *hostile = engine;

	if (!strcmp(hostile->what, "late_crash"))
		crash();
	if (!strcmp(hostile->what, "late_loop"))
		loop();
	free(hostile);
}
