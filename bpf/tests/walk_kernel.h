/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_kernel.h - walk.bpf.c, compiled for user space into a kernel that is made up
 *
 * The maps are arrays, the helpers are functions, and a thread's registers and memory are what a
 * test writes. So what the walk does is seen to the last count, which the kernel would not show: how
 * often it looks up and reads, by what it knows a thread, and what it does when a helper fails. That
 * the verifier takes it, and that it is right in the kernel, other tests see.
 *
 * For one test program only: everything is static.
 */
#ifndef STACKPROOF_WALK_KERNEL_H
#define STACKPROOF_WALK_KERNEL_H

#include "tests/suite.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALK_PAGE_SHIFT	 4
#define WALK_ENTRY_SHIFT 14
#define WALK_SHAPE_SHIFT 4
#define WALK_RULE_SHIFT	 4
#include "bpf_for_user_space.h"
#include "walk.h"
#undef bpf_core_enum_value_exists
#define bpf_core_enum_value_exists(type, value) (!world.old_kernel)

#define CODE	     0x400000ull
#define CODE_PAGES   40
#define STACK	     0x7ffff0000000ull
#define STACK_BYTES  0x10000
#define PID	     70
#define TID	     71
#define CPU	     6
#define TIME	     500
#define GENERATION   9
#define COUNTED_MAX  4
#define KERNEL_BYTES 16384
#define KERNEL_CODE  0xffffffff81000000ull
#define USER_CS	     0x33 /* arch/x86/include/asm/segment.h */
#define LEVELS	     40

static struct {
	/* The thread. */
	struct task_struct task, leader, dead;
	struct mm_struct mm;
	struct xol_area trampoline;
	struct uprobe_task utask;
	struct return_instance replaced[4];
	int replaced_count;
	struct {
		struct pid pid;
		struct upid number[LEVELS]; /* behind the first one, which pid has */
	} thread, process;
	struct pid_namespace namespace[LEVELS];
	uint8_t kernel_stack[KERNEL_BYTES];
	struct pt_regs registers;
	uint8_t stack[STACK_BYTES];
	/* The kernel. */
	int old_kernel, no_kernel_read, full_ring, failing_tails;
	int kernel_frames; /* of the kernel's stack; or an error */
	struct kernfs_node folder;
	struct cgroup cgroup;
	struct css_set groups;
	int no_scratch, no_memo, no_counters, no_counts, known, cpu;
	int update_status;	/* of the next updates, if it is not 0 */
	int meanwhile;		/* another CPU does it first */
	int preempts;		/* of a switch from the thread to another */
	int off_max, off_stays; /* so many may be off their CPUs; who is can't be deleted */
	uint64_t now_ns;
	/* What came of it. */
	char said[8192];
	size_t length;
	uint32_t loops, tails_called;
	/* Maps. */
	struct walk_scratch scratch;
	struct rule_memo memo;
	struct walk_counters counters[WALK_ENTRY_COUNT];
	uint32_t space_number;
	struct walk_space space;
	struct walk_mapping_chunk mappings[2];
	struct walk_page_chunk pages[4];
	struct walk_entry_chunk entries;
	struct walk_shape_chunk shapes;
	struct walk_rule_chunk rules[4];
	struct table_place place[8];
	struct {
		struct walk_stack_key key;
		struct walk_stack_count value;
	} counted[COUNTED_MAX];
	int counted_count, counted_max;
	struct {
		__u64 task;
		struct walk_off_thread value;
	} off[2];
	int off_count;
	jmp_buf tail;
} world;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	world.length += vsnprintf(world.said + world.length, sizeof(world.said) - world.length,
				  format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(world.length, sizeof(world.said));
}

/* p3+5 in page 3 of the code, s8 in the stack, or a number. */
static void say_value(uint64_t value)
{
	const char *mark = walk_is_guessed(value) ? "?" : "";

	if (walk_is_guessed(value))
		value = walk_pc(value);
	if (value - CODE < CODE_PAGES * TABLE_PAGE_SIZE)
		say("%sp%u+%u", mark, (unsigned int)((value - CODE) / TABLE_PAGE_SIZE),
		    (unsigned int)(value % TABLE_PAGE_SIZE));
	else if (value - STACK < STACK_BYTES)
		say("%ss%u", mark, (unsigned int)(value - STACK));
	else
		say("%s%" PRIx64, mark, value);
}

static void *made_lookup(void *map, const void *key);
static long made_update(void *map, const void *key, const void *value, __u64 flags);
static long made_delete(void *map, const void *key);
static long made_output(void *map, void *data, __u64 size, __u64 flags);
static long made_tail_call(void *ctx, void *map, __u32 index);

/* The thread's memory: its stack, and nothing else. */
static long made_read_user(void *to, __u32 size, const void *from)
{
	uint64_t at = (uint64_t)from - STACK;

	say("read ");
	say_value((uint64_t)from);
	say(" %u; ", size);
	if (at >= STACK_BYTES || size > STACK_BYTES - at) {
		memset(to, 0, size);
		return -14;
	}
	memcpy(to, world.stack + at, size);
	return 0;
}

static long made_read_kernel(void *to, __u32 size, const void *from)
{
	if (world.no_kernel_read || !from) {
		memset(to, 0, size);
		return -14;
	}
	memcpy(to, from, size);
	return 0;
}

static long made_read_kernel_text(void *to, __u32 size, const void *from)
{
	if (made_read_kernel(to, size, from))
		return -14;
	((char *)to)[size - 1] = 0;
	return strlen(to) + 1;
}

/* The frames are K0, K1, ... */
static long made_kernel_stack(void *ctx, void *to, __u32 size, __u64 flags)
{
	__u64 *pc = to;

	ck_assert_uint_eq(flags, 0);
	ck_assert_uint_eq(size, WALK_KERNEL_FRAMES_MAX * sizeof(*pc));
	for (int i = 0; i < world.kernel_frames; i++)
		pc[i] = KERNEL_CODE + i;
	return world.kernel_frames < 0 ? world.kernel_frames
				       : world.kernel_frames * (long)sizeof(*pc);
}

static __u64 made_current(void)
{
	return (uint64_t)&world.task;
}

static struct task_struct *made_current_btf(void)
{
	return &world.task;
}

static long made_registers(struct task_struct *task)
{
	ck_assert(task == &world.task);
	return (long)&world.registers;
}

static __u64 made_ids(void)
{
	return (uint64_t)PID << 32 | TID;
}

static __u32 made_cpu(void)
{
	return world.cpu;
}

static __u64 made_time(void)
{
	return world.now_ns;
}

static long made_loop(__u32 rounds, void *fn, void *context, __u64 flags)
{
	long (*round)(__u32 index, void *context) = fn;

	ck_assert_uint_eq(flags, 0);
	for (uint32_t i = 0; i < rounds; i++) {
		world.loops++;
		if (round(i, context))
			return i + 1;
	}
	return rounds;
}

#define bpf_map_lookup_elem	  made_lookup
#define bpf_map_update_elem	  made_update
#define bpf_map_delete_elem	  made_delete
#define bpf_ringbuf_output	  made_output
#define bpf_tail_call		  made_tail_call
#define bpf_probe_read_user	  made_read_user
#define bpf_probe_read_kernel	  made_read_kernel
#define bpf_probe_read_kernel_str made_read_kernel_text
#define bpf_get_stack		  made_kernel_stack
#define bpf_get_current_task	  made_current
#define bpf_get_current_task_btf  made_current_btf
#define bpf_task_pt_regs	  made_registers
#define bpf_get_current_pid_tgid  made_ids
#define bpf_get_smp_processor_id  made_cpu
#define bpf_ktime_get_ns	  made_time
#define bpf_loop		  made_loop
/* The session writes these before it loads; here a case does. */
#define const
#include "own_id.bpf.h"
#include "walk_maps.bpf.h"
#undef const
#include "walk.bpf.c"

/* ---- maps ------------------------------------------------------------------------------- */

static void *value_of(void *values, size_t size, uint32_t key, uint32_t count)
{
	return key < count ? (char *)values + key * size : NULL;
}

static void *counted(const struct walk_stack_key *key)
{
	for (int i = 0; i < world.counted_count; i++)
		if (!memcmp(&world.counted[i].key, key, sizeof(*key)))
			return &world.counted[i].value;
	return NULL;
}

static struct walk_off_thread *off_thread(__u64 task)
{
	for (int i = 0; i < world.off_count; i++)
		if (world.off[i].task == task)
			return &world.off[i].value;
	return NULL;
}

static void *made_lookup(void *map, const void *key)
{
	uint32_t number = *(const uint32_t *)key;

	if (map == &off_threads)
		return off_thread(*(const __u64 *)key);

#define ARRAY(name, values)                                                                        \
	if (map == &(name))                                                                        \
	return value_of(values, sizeof((values)[0]), number, COUNT(values))
#define ONE(name, value, there)                                                                    \
	if (map == &(name))                                                                        \
	return (there) && number < WALK_ENTRY_COUNT ? &(value) : NULL
	ARRAY(mappings, world.mappings);
	ARRAY(pages, world.pages);
	ARRAY(rules, world.rules);
	ARRAY(places, world.place);
	ONE(entries, world.entries, !number);
	ONE(shapes, world.shapes, !number);
	ONE(scratches, world.scratch, !world.no_scratch);
	ONE(memos, world.memo, !world.no_memo);
	ONE(counters, world.counters[number], !world.no_counters);
	if (map == &processes)
		return number && number == (uint32_t)world.known ? &world.space_number : NULL;
	if (map == &spaces)
		return number == world.space_number ? &world.space : NULL;
	if (map == &counts)
		return world.no_counts || number ? NULL : &counts_even;
	ck_assert_ptr_eq(map, &counts_even);
	return counted(key);
#undef ARRAY
#undef ONE
}

static void add_counted(const void *key, const void *value)
{
	ck_assert_int_lt(world.counted_count, COUNTED_MAX);
	memcpy(&world.counted[world.counted_count].key, key, sizeof(world.counted[0].key));
	memcpy(&world.counted[world.counted_count++].value, value, sizeof(world.counted[0].value));
}

static long made_off(__u64 task, const struct walk_off_thread *value, __u64 flags)
{
	ck_assert(flags == BPF_NOEXIST);
	if (off_thread(task))
		return -EEXIST;
	if (world.off_count >= world.off_max)
		return -7;
	world.off[world.off_count].task = task;
	world.off[world.off_count++].value = *value;
	return 0;
}

static long made_delete(void *map, const void *key)
{
	ck_assert(map == &off_threads && off_thread(*(const __u64 *)key));
	if (world.off_stays)
		return -EBUSY;
	world.off_count--;
	ck_assert_int_eq(world.off_count, 0);
	return 0;
}

static long made_update(void *map, const void *key, const void *value, __u64 flags)
{
	if (map == &off_threads)
		return made_off(*(const __u64 *)key, value, flags);
	ck_assert(map == &counts_even && flags == BPF_NOEXIST);
	if (world.meanwhile) {
		struct walk_stack_count others = { .count = 5 };

		add_counted(key, &others);
		return -EEXIST;
	}
	if (world.update_status)
		return world.update_status;
	if (world.counted_count == world.counted_max)
		return -7;
	add_counted(key, value);
	return 0;
}

static long made_output(void *map, void *data, __u64 size, __u64 flags)
{
	const struct walk_record *record = data;

	ck_assert_ptr_eq(map, &records);
	ck_assert(flags == 0 || flags == BPF_RB_NO_WAKEUP);
	if (world.full_ring) {
		say("no room; ");
		return -11;
	}
	ck_assert_uint_eq(size, walk_record_bytes(record));
	say("%s%u:%" PRIu64, flags ? "" : "wake ", record->entry, (uint64_t)record->sequence);
	if (record->thread_name[0])
		say(" %s of %s in %" PRIu64, record->thread_name, record->process_name,
		    (uint64_t)record->cgroup);
	if (record->pid != PID || record->tid != TID)
		say(" of %u/%u", record->pid, record->tid);
	if (record->cpu != CPU || record->time != TIME || record->generation != GENERATION)
		say(" on %u at %" PRIu64 " by %u", record->cpu, (uint64_t)record->time,
		    record->generation);
	say(" ");
	say_value(record->sp);
	say(":");
	for (uint32_t i = 0; i < record->count && i < 12; i++) {
		say(" ");
		say_value(record->pc[i]);
	}
	for (uint32_t i = 0; i < record->kernel_count && i < 3; i++)
		say(" K%u", (unsigned int)(record->pc[record->count + i] - KERNEL_CODE));
	if (record->kernel_count > 3)
		say(" .. K%u", (unsigned int)(record->pc[record->count + record->kernel_count - 1] -
					      KERNEL_CODE));
	if (record->entry == WALK_ENTRY_SAMPLE && record->mode)
		say(" (%s)", record->mode == WALK_MODE_KERNEL ? "kernel" : "kernel thread");
	say(" %s; ", stop_reason_name(record->stop));
	return 0;
}

/* If it succeeds it does not return. */
static long made_tail_call(void *ctx, void *map, __u32 index)
{
	ck_assert_uint_eq(index, 0);
	world.tails_called++;
	if (world.failing_tails || world.tails_called > 33)
		return -1;
	longjmp(world.tail, 1);
}

#endif
