/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_frame_pointer_made.c - what the baseline sends and counts, in a kernel that is made up
 *
 * frame_pointer.bpf.c is compiled for user space; its maps and helpers are here.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "bpf_for_user_space.h"
#include "walk.h"

#define PID 70
#define TID 71

static struct {
	char said[1024];
	size_t length;
	struct task_struct task;
	struct walk_record record[WALK_ENTRY_COUNT];
	struct walk_counters counters;
	long bytes; /* of the next stacks */
	bool no_counters, no_scratch, unknown, full_ring;
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

static void *made_lookup(void *map, const void *key);
static long made_output(void *map, void *data, __u64 size, __u64 flags);

static __u64 made_current(void)
{
	return (uint64_t)&world.task;
}

static __u64 made_ids(void)
{
	return (uint64_t)PID << 32 | TID;
}

static __u32 made_cpu(void)
{
	return 6;
}

static long made_stack(void *ctx, void *buffer, __u32 size, __u64 flags)
{
	uint64_t *pc = buffer;

	ck_assert_uint_eq(size, 8 * WALK_FRAMES_MAX);
	ck_assert_uint_eq(flags, BPF_F_USER_STACK);
	for (long i = 0; i < world.bytes / 8 && i < WALK_FRAMES_MAX; i++)
		pc[i] = 0x1000 + i;
	return world.bytes;
}

#define bpf_map_lookup_elem	 made_lookup
#define bpf_ringbuf_output	 made_output
#define bpf_get_current_task	 made_current
#define bpf_get_current_pid_tgid made_ids
#define bpf_get_smp_processor_id made_cpu
#define bpf_get_stack		 made_stack
/* The session writes it before it loads; here a case does. */
#define const
#include "frame_pointer.bpf.c"
#undef const

static void *made_lookup(void *map, const void *key)
{
	uint32_t number = *(const uint32_t *)key;

	if (map == &fp_counters)
		return world.no_counters || number ? NULL : &world.counters;
	if (map == &fp_processes)
		return world.unknown || number != PID ? NULL : &world.unknown;
	ck_assert_ptr_eq(map, &fp_scratches);
	return world.no_scratch || number >= WALK_ENTRY_COUNT ? NULL : &world.record[number];
}

static long made_output(void *map, void *data, __u64 size, __u64 flags)
{
	const struct walk_record *record = data;

	ck_assert_ptr_eq(map, &fp_records);
	ck_assert(flags == 0 || flags == BPF_RB_NO_WAKEUP);
	ck_assert_uint_eq(size, offsetof(struct walk_record, pc) + 8 * (uint64_t)record->count);
	say("%s%u:%" PRIu64 " of %u/%u on %u, %s, sp %" PRIu64 ", %u", flags ? "" : "wake ",
	    record->entry, (uint64_t)record->sequence, record->pid, record->tid, record->cpu,
	    stop_reason_name(record->stop), (uint64_t)record->sp, record->count);
	for (uint32_t i = 0; i < record->count && i < 3; i++)
		say(" %" PRIx64, (uint64_t)record->pc[i]);
	say("; ");
	return world.full_ring ? -11 : 0;
}

/* ---- cases ------------------------------------------------------------------------------ */

/* Each is run twice. */
static const struct {
	const char *name;
	uint64_t signal; /* 0: it is a sample */
	long bytes;
	bool wakes, no_counters, no_scratch, unknown, full_ring, other_task;
	const char *expect;
} cases[] = {
	{ "sample", .bytes = 24,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 3 1000 1001 1002; 1:2 of 70/71 on 6, helper, "
		    "sp 0, 3 1000 1001 1002; samples 2; stacks 2; frames 6; helper 2; " },
	{ "step", .signal = 5, .bytes = 16,
	  .expect = "0:1 of 70/71 on 6, helper, sp 0, 2 1000 1001; 0:2 of 70/71 on 6, helper, sp "
		    "0, 2 1000 1001; samples 2; stacks 2; frames 4; helper 2; " },
	{ "another_signal", .signal = 6, .bytes = 16, .expect = "" },
	{ "and_one_below", .signal = 4, .bytes = 16, .expect = "" },
	{ "another_s_signal", .signal = 5, .bytes = 16, .other_task = true, .expect = "" },
	{ "wakes", .bytes = 8, .wakes = true,
	  .expect = "wake 1:1 of 70/71 on 6, helper, sp 0, 1 1000; wake 1:2 of 70/71 on 6, helper, "
		    "sp 0, 1 1000; samples 2; stacks 2; frames 2; helper 2; " },
	{ "empty", .bytes = 0,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 0; 1:2 of 70/71 on 6, helper, sp 0, 0; "
		    "samples 2; stacks 2; helper 2; " },
	{ "failed", .bytes = -14, .expect = "samples 2; lost_regs 2; " },
	{ "failed_by_1", .bytes = -1, .expect = "samples 2; lost_regs 2; " },
	{ "whole", .bytes = 8 * WALK_FRAMES_MAX,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 1024 1000 1001 1002; 1:2 of 70/71 on 6, "
		    "helper, sp 0, 1024 1000 1001 1002; samples 2; stacks 2; frames 2048; helper "
		    "2; " },
	{ "almost_whole", .bytes = 8 * WALK_FRAMES_MAX - 8,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 1023 1000 1001 1002; 1:2 of 70/71 on 6, "
		    "helper, sp 0, 1023 1000 1001 1002; samples 2; stacks 2; frames 2046; helper "
		    "2; " },
	{ "more_than_whole", .bytes = 8 * WALK_FRAMES_MAX + 8,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 1024 1000 1001 1002; 1:2 of 70/71 on 6, "
		    "helper, sp 0, 1024 1000 1001 1002; samples 2; stacks 2; frames 2048; helper "
		    "2; " },
	{ "full_ring", .bytes = 8, .full_ring = true,
	  .expect = "1:1 of 70/71 on 6, helper, sp 0, 1 1000; 1:2 of 70/71 on 6, helper, sp 0, 1 "
		    "1000; samples 2; lost_space 2; " },
	{ "unknown", .bytes = 8, .unknown = true, .expect = "" },
	{ "no_counters", .bytes = 8, .no_counters = true, .expect = "" },
	{ "no_scratch", .bytes = 8, .no_scratch = true, .expect = "samples 2; " },
};

static void say_counters(void)
{
	const __u64 *word = (const __u64 *)&world.counters;

	for (size_t i = 0; i < sizeof(world.counters) / sizeof(*word); i++) {
		size_t at = i * sizeof(*word);

		if (!word[i])
			continue;
		if (at >= offsetof(struct walk_counters, stop))
			say("%s ", stop_reason_name(i - offsetof(struct walk_counters, stop) /
								sizeof(*word)));
		else
			say("%s ", at == offsetof(struct walk_counters, samples)      ? "samples"
				   : at == offsetof(struct walk_counters, stacks)     ? "stacks"
				   : at == offsetof(struct walk_counters, frames)     ? "frames"
				   : at == offsetof(struct walk_counters, lost_space) ? "lost_space"
				   : at == offsetof(struct walk_counters, lost_regs)  ? "lost_regs"
										      : "other");
		say("%" PRIu64 "; ", (uint64_t)word[i]);
	}
}

START_TEST(baseline_is_asked)
{
	uint64_t arguments[3] = { cases[_i].signal, 0, (uint64_t)&world.task };
	struct bpf_raw_tracepoint_args *raw = (void *)arguments;

	memset(&world, 0, sizeof(world));
	for (int i = 0; i < WALK_ENTRY_COUNT; i++)
		world.record[i].sp = 9; /* of another time */
	world.bytes = cases[_i].bytes;
	world.no_counters = cases[_i].no_counters;
	world.no_scratch = cases[_i].no_scratch;
	world.unknown = cases[_i].unknown;
	world.full_ring = cases[_i].full_ring;
	arguments[2] += cases[_i].other_task;
	wake_up = cases[_i].wakes;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(cases[_i].signal ? fp_step(raw) : fp_sample(raw), 0);
	say_counters();
	ck_assert_msg(!strcmp(world.said, cases[_i].expect), "%s:\n%s", cases[_i].name, world.said);
}
END_TEST

START_TEST(nobody_is_woken_unless_it_is_asked)
{
	ck_assert_int_eq(wake_up, 0);
}
END_TEST

SUITE(frame_pointer_made, TEST(nobody_is_woken_unless_it_is_asked), LOOP(baseline_is_asked, cases))
