/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_stacks_fixture.h - a thread with three frames, in one of two mappings
 *
 * The mappings are bytes of the test. rsp is set to somewhere, and what became of the thread and of
 * its stacks is one line of text:
 *
 *	frames, its base, its root; "new" if the next call may show that it goes on; switches so far,
 *	disturbances, parked stacks, and what is presumed gone: kept frames @ landing
 */
#ifndef STACKPROOF_TESTS_STEP_STACKS_FIXTURE_H
#define STACKPROOF_TESTS_STEP_STACKS_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "truth/steps/step_stacks.c"

#define LOW	   0x10000 /* of both mappings; between them nothing is mapped */
#define HIGH	   0x20000
#define OTHER_LOW  0x30000
#define OTHER_HIGH 0x40000
#define RSP	   0x1a000 /* three frames lie above it */
#define CODE	   0x11000
#define PID	   70
#define TID	   77

static uint8_t bytes[OTHER_HIGH - LOW];

static inline int read_bytes(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < LOW || address + size > OTHER_HIGH)
		return -1;
	memcpy(ret, bytes + (address - LOW), size);
	return 0;
}

static bool find_mapping(void *context, uint64_t address, struct address_range *ret)
{
	static const struct address_range mappings[] = { { LOW, HIGH }, { OTHER_LOW, OTHER_HIGH } };

	for (int i = 0; i < COUNT(mappings); i++) {
		if (!in_range(mappings[i], address))
			continue;
		*ret = mappings[i];
		return true;
	}
	return false;
}

static struct error error;

static struct world {
	struct shadow_observer observer;
	struct step_counters counters;
	struct stepped_process process;
	struct stepped_thread thread;
	int ended[FRAME_LOST + 1]; /* frames, by how */
} world;

static inline void see_end(void *context, const struct shadow_stack *stack,
			   const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	world.ended[end]++;
}

static inline void call(struct shadow_stack *shadow, uint64_t slot, uint64_t return_address)
{
	memcpy(bytes + (slot - LOW), &return_address, sizeof(return_address));
	ck_assert(shadow_stack_call(shadow, slot, return_address, NULL));
	shadow->frame[shadow->count - 1].watch = 1;
}

/* What became of it. */
static inline const char *outcome(void)
{
	static char text[200];
	const struct stepped_process *process = &world.process;
	const struct stepped_thread *thread = &world.thread;
	int used;

	used = snprintf(text, sizeof(text),
			"%zu 0x%" PRIx64 " %d%s, %" PRIu64 " switches, %" PRIu64
			" disturbed, %zu parked",
			thread->shadow.count, thread->base, thread->root,
			thread->may_continue ? " new" : "", process->counters->stack_switches,
			process->counters->disturbances, process->stacks.count);
	if (thread->presumed.valid)
		snprintf(text + used, sizeof(text) - used, ", presumed %zu @ 0x%" PRIx64,
			 thread->presumed.kept, thread->presumed.landing);
	return text;
}

static inline struct stepped_thread *setup(pid_t tid)
{
	memset(&world, 0, sizeof(world));
	memset(&error, 0, sizeof(error));
	memset(bytes, 0, sizeof(bytes));
	world.observer.frame_ended = see_end;
	world.process = (struct stepped_process) { .pid = PID,
						   .error = &error,
						   .counters = &world.counters,
						   .observer = &world.observer,
						   .memory = { .read = read_bytes },
						   .find_mapping = find_mapping };
	world.process.decoder = decoder_create(&error);
	world.thread = (struct stepped_thread) { .tid = tid };
	world.thread.regs.rsp = HIGH - 0x800;
	stepped_begin(&world.process, &world.thread, true, tid != PID);
	call(&world.thread.shadow, 0x1f000, 0x401001);
	call(&world.thread.shadow, 0x1e000, 0x401002);
	call(&world.thread.shadow, 0x1d000, 0x401003);
	world.thread.regs.rsp = RSP;
	return &world.thread;
}

static inline void teardown(void)
{
	stepped_end(&world.thread);
	stack_pool_clear(&world.process.stacks);
	decoder_destroy(world.process.decoder);
}

#endif
