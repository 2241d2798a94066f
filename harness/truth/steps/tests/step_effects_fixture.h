/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_effects_fixture.h - a thread with three frames, on a stack of the test's
 *
 * What step_stacks.c does of a step is made up and written down; the shadow stack is a real one.
 * step_apply.c is included.
 */
#ifndef STACKPROOF_TESTS_STEP_EFFECTS_FIXTURE_H
#define STACKPROOF_TESTS_STEP_EFFECTS_FIXTURE_H

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define stepped_follow_stack	say_follow
#define stepped_continue_stack	say_continue
#define stepped_unswitch_stack	say_unswitch
#define stepped_enter_array	say_array
#define stepped_settle_presumed say_settle
#include "truth/steps/step_apply.c"

#define PC     0x401000
#define LOW    0x7000 /* of the stack */
#define RSP    0x7800
#define A      0x7a00 /* slots of the frames, the outermost first */
#define B      0x7900
#define C      0x7800
#define RETURN 0x402000 /* of the outermost; then one more */

static struct world {
	char said[200];
	const char *fails;
	uint8_t stack[0x1000]; /* from LOW on */
	uint8_t code[64];      /* from PC on */
	struct step_counters counters;
	struct stepped_process process;
	struct stepped_thread thread;
	struct user_regs_struct regs; /* after the step */
} world;

static struct error error;

static inline int __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	size_t begin = strlen(world.said), used;
	va_list arguments;
	bool fails;

	va_start(arguments, format);
	vsnprintf(world.said + begin, sizeof(world.said) - begin, format, arguments);
	va_end(arguments);
	fails = world.fails && !strcmp(world.said + begin, world.fails);
	used = strlen(world.said);
	snprintf(world.said + used, sizeof(world.said) - used, " ");
	return fails ? -1 : 0;
}

int say_follow(struct stepped_process *process, struct stepped_thread *thread, uint64_t sp)
{
	return say("follow(%" PRIx64 ")", sp);
}

int say_continue(struct stepped_process *process, struct stepped_thread *thread)
{
	return say("continue(%zu)", thread->shadow.count);
}

bool say_unswitch(struct stepped_process *process, struct stepped_thread *thread, uint64_t slot,
		  uint64_t target)
{
	say("unswitch(%" PRIx64 ",%" PRIx64 ")", slot, target);
	return true;
}

int say_array(struct stepped_process *process, struct stepped_thread *thread, uint64_t slot,
	      uint64_t target)
{
	return say("array(%" PRIx64 ",%" PRIx64 ")", slot, target);
}

void say_settle(struct stepped_thread *thread)
{
	say("settle");
}

static inline int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	if (address >= LOW && address + size <= LOW + sizeof(world.stack))
		memcpy(ret, world.stack + (address - LOW), size);
	else if (address >= PC && address + size <= PC + sizeof(world.code))
		memcpy(ret, world.code + (address - PC), size);
	else
		return -1;
	return 0;
}

static inline void put_word(uint64_t address, uint64_t word)
{
	memcpy(world.stack + (address - LOW), &word, sizeof(word));
}

static struct instruction decode(void *context, uint64_t pc)
{
	return decoder_decode(world.process.decoder, pc, &world.process.memory);
}

static inline struct stepped_thread *setup(void)
{
	struct stepped_thread *thread = &world.thread;

	memset(&world, 0, sizeof(world));
	memset(&error, 0, sizeof(error));
	memset(world.code, 0x90, sizeof(world.code));
	world.process = (struct stepped_process) { .error = &error,
						   .counters = &world.counters,
						   .memory = { .read = read_memory },
						   .decode = decode };
	world.process.decoder = decoder_create(&error);
	ck_assert_ptr_nonnull(world.process.decoder);
	*thread = (struct stepped_thread) { .tid = 77 };
	thread->stack = (struct address_range) { LOW, LOW + 0x1000 };
	thread->base = LOW + 0xf00;
	shadow_stack_init(&thread->shadow, true);
	for (int i = 0; i < 3; i++) {
		ck_assert(shadow_stack_call(&thread->shadow, A - 0x100 * i, RETURN + i, NULL));
		put_word(A - 0x100 * i, RETURN + i);
	}
	thread->regs.rip = world.regs.rip = PC;
	thread->regs.rsp = world.regs.rsp = RSP;
	thread->next.length = 3;
	return thread;
}

static inline void teardown(void)
{
	shadow_stack_deinit(&world.thread.shadow);
	decoder_destroy(world.process.decoder);
}

#endif
