/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * made_guest.h - a watched thread in a guest that is made up: its memory, the kernel's records, and who runs
 *
 * plugin_threads.c and plugin_events.c are included; the rules of a step and the records of a ring are the real ones.
 */
#ifndef STACKPROOF_TESTS_MADE_GUEST_H
#define STACKPROOF_TESTS_MADE_GUEST_H

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/plugin_events.c"
#include "truth/emulator/plugin_threads.c"
#include "truth/emulator/plugin_truth.c"
#include "truth/emulator/plugin_entries.c"
#include "truth/emulator/plugin_code.c"

#define LOW	  0x70000 /* the stack */
#define HIGH	  0x80000
#define SP	  0x78000
#define PC	  0x401000
#define FUNCTION  0x402000
#define PID	  70 /* it and its thread, which has two frames */
#define RING_SIZE 4096

struct watch watch;

static struct {
	uint8_t stack[HIGH - LOW];
	bool endless; /* all memory is readable, and full of ones */
	uint64_t reads;
	struct user_regs_struct regs; /* in the kernel */
	struct guest_task runs;	      /* address 0: can't be read */
	uint8_t ring[2][RING_SIZE];
	bool unreadable_ring;
	char reported[200];
	size_t left; /* threads, by their vCPUs */
	size_t made; /* in processes that are gone; an exec counts one as made before */
} world;

bool plugin_memory_read(uint64_t address, void *ret, size_t size)
{
	world.reads++;
	if (world.endless)
		return memset(ret, 1, size);
	if (address < LOW || address > HIGH || size > HIGH - address)
		return false;
	memcpy(ret, world.stack + (address - LOW), size);
	return true;
}

bool guest_kernel_task(const struct guest_kernel *kernel, uint64_t gs_base, struct guest_task *ret)
{
	ck_assert_uint_eq(gs_base, 0x6500);
	*ret = world.runs;
	return ret->address;
}

bool guest_kernel_mapping(const struct guest_kernel *kernel, uint64_t task, uint64_t address,
			  struct address_range *ret)
{
	*ret = (struct address_range) { LOW, HIGH };
	return address >= LOW && address < HIGH;
}

bool guest_ring_fill(struct guest_kernel *kernel, struct guest_ring *ring)
{
	return !world.unreadable_ring;
}

uint64_t watch_register(enum watch_register number)
{
	return number == WATCH_GS_KERNEL ? 0x6500 : 0;
}

void watch_look_for_agent(void)
{
}

void watch_read_registers(struct user_regs_struct *ret)
{
	*ret = world.regs;
}

bool watch_fast_forget(const struct watched_thread *thread)
{
	return false;
}

void watch_check(const struct watched_thread *thread)
{
}

void watch_rows_hold(struct watched_thread *thread, uint64_t from)
{
}

bool rows_end(struct thread_rows *rows)
{
	return true;
}

bool watch_rows_called(struct watched_thread *thread, unsigned int length)
{
	return true;
}

const struct shadow_observer watch_rows_observer = { .context = NULL };

bool rows_save_begin(void)
{
	return true;
}

bool rows_save_thread(const struct thread_rows *rows)
{
	return true;
}

int rows_save(const char *path, uint64_t first, struct error *error)
{
	return 0;
}

void watch_rows_point(struct watched_thread *thread)
{
}

void watch_thread_leaves(const struct watched_thread *thread)
{
	world.left++;
}

void watch_report_process(const struct watched_process *process, const char *truth)
{
	size_t used = strlen(world.reported);

	world.made += process->threads_made;
	snprintf(world.reported + used, sizeof(world.reported) - used, "-%d ", process->pid);
}

void walks_map(struct watched_process *process, const struct process_mapping *mapping,
	       const char *path)
{
}

void walks_process_empty(struct watched_process *process)
{
}

static inline void put(uint64_t address, uint64_t word)
{
	memcpy(world.stack + (address - LOW), &word, sizeof(word));
}

/* ---- steps ----------------------------------------------------------------------------------- */

static inline int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, 0, size);
	memcpy(ret, context, strlen(context));
	return 0;
}

#define CALL	"\xe8\x11\x11\x11\x11"
#define RET	"\xc3"
#define NOP	"\x90"
#define POP_RBX "\x5b"
#define SYSCALL "\x0f\x05"

static inline void steps(struct watched_thread *thread, uint64_t pc, uint64_t sp, const char *code,
			 struct user_regs_struct regs)
{
	struct memory_reader memory = { read_code, (void *)code };
	struct instruction instruction = decoder_decode(watch.decoder, pc, &memory);

	regs.rip = pc;
	regs.rsp = sp;
	watch_step(thread, &regs, &instruction);
}

static const struct user_regs_struct registers = {
	.rax = 1, .rbx = 3, .rbp = 5, .r12 = 12, .r13 = 13, .r14 = 14, .r15 = 15
};

static inline struct watched_thread *enter(pid_t pid, pid_t tid)
{
	world.runs = (struct guest_task) { 0x5000, tid, pid };
	return watch_enter();
}

/* PID has executed a program, whose only thread is behind two calls, at a nop. */
static inline void setup(void)
{
	struct watched_process *process;
	struct watched_thread *thread;

	memset(&world, 0, sizeof(world));
	memset(&watch, 0, sizeof(watch));
	watch.told = true;
	watch.decoder = decoder_create(&watch.error);
	ck_assert_ptr_nonnull(watch.decoder);
	watch.kernel.told.rings = 2;
	for (int i = 0; i < 2; i++) {
		watch.kernel.ring[i].copy.data = world.ring[i];
		watch.kernel.ring[i].copy.bytes = RING_SIZE;
	}
	process = watch_process_make(PID);
	process->executed = true;
	watch_thread_make(process, PID)->executes = true;
	thread = enter(PID, PID);
	ck_assert_ptr_nonnull(thread);
	for (int i = 0; i < 2; i++) {
		steps(thread, PC + i * 0x10, SP - i * 8, CALL, registers);
		put(SP - (i + 1) * 8, PC + i * 0x10 + 5);
	}
	steps(thread, FUNCTION, SP - 16, NOP, registers);
	ck_assert_uint_eq(thread->steps.shadow.count, 2);
}

static inline void teardown(void)
{
	watch_forget_all();
	free(watch.process);
	decoder_destroy(watch.decoder);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Records in the kernel's form, each in one of two rings. */
struct made_event {
	uint32_t type; /* 0: there are no more */
	uint16_t misc;
	int ring;
	uint64_t time;
	uint32_t pid, tid, parent, maker;
};

#define FORK(ring, time, pid, tid, parent, maker)                                                  \
	{                                                                                          \
		PERF_RECORD_FORK, 0, ring, time, pid, tid, parent, maker                           \
	}
#define EXIT(ring, time, pid, tid)                                                                 \
	{                                                                                          \
		PERF_RECORD_EXIT, 0, ring, time, pid, tid, 1, 1                                    \
	}
#define EXEC(ring, time, pid)                                                                      \
	{                                                                                          \
		PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, ring, time, pid, pid, 0, 0           \
	}
#define SHORT 4711 /* a record that has no body */

static inline void write_event(const struct made_event *event)
{
	struct guest_ring *ring = &watch.kernel.ring[event->ring];
	struct perf_event_header header = { .type = event->type, .misc = event->misc };
	uint8_t *at = world.ring[event->ring] + ring->head;
	uint32_t task[] = { event->pid, event->parent, event->tid, event->maker, 0, 0 };
	uint64_t lost[] = { 1, event->pid };
	size_t size = sizeof(task);

	if (event->type == PERF_RECORD_COMM) {
		task[1] = event->tid;
	} else if (event->type == PERF_RECORD_LOST) {
		memcpy(task, lost, sizeof(lost));
		size = sizeof(lost);
	} else if (event->type == SHORT) {
		header.type = PERF_RECORD_FORK;
		size = 0;
	}
	header.size = sizeof(header) + size + sizeof(event->time);
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), task, size);
	memcpy(at + sizeof(header) + size, &event->time, sizeof(event->time));
	ring->head += header.size;
}

/* "80 80:i2, -70 ": a process with its threads, each with its frames and what else is known of it; one that is gone. */
static inline const char *state(void)
{
	static char said[400];

	said[0] = '\0';
	for (size_t i = 0; i < watch.processes; i++) {
		const struct watched_process *process = watch.process[i];

		sprintf(said + strlen(said), "%d%s", process->pid, process->executed ? "" : "?");
		for (size_t k = 0; k < process->threads; k++) {
			const struct watched_thread *thread = process->thread[k];

			sprintf(said + strlen(said), " %d:%s%s%s%s%zu", thread->steps.tid,
				thread->begun ? "b" : "", thread->executes ? "x" : "",
				thread->inherits ? "i" : "", thread->stranger ? "s" : "",
				thread->steps.shadow.count);
		}
		strcat(said, ", ");
	}
	strcat(said, world.reported);
	if (watch.counters.lost_events)
		sprintf(said + strlen(said), "lost %" PRIu64, watch.counters.lost_events);
	return said;
}

#endif
