/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk_world.h - a thread, the code that it is in, and scripts for the walk of walk_kernel.h
 *
 * Page p of CODE has one rule from its begin to its end (rule_of_page()). For one test program only:
 * everything is static.
 */
#ifndef STACKPROOF_WALK_WORLD_H
#define STACKPROOF_WALK_WORLD_H

#include <check.h>
#include "walk_kernel.h"

/* ---- the code --------------------------------------------------------------------------- */

enum {
	PAGE_ROOT,	     /* the outermost */
	PAGE_RSP,	     /* c = rsp + 16, ra at c - 8, as of all others */
	PAGE_RBP,	     /* c = rbp + 16, rbp at c - 16 */
	PAGE_SAVE_RBX,	     /* c = rsp + 24, rbx at c - 16 */
	PAGE_SAVE_RBP,	     /* c = rsp + 24, rbp at c - 24 */
	PAGE_LOSE_RBP,	     /* c = rsp + 16, rbp is undefined */
	PAGE_FAR_RBP,	     /* c = rsp + 16, rbp at c - 8 * TABLE_CODE_MAX */
	PAGE_PLACES,	     /* c = rsp + 16, by two places: rbp at c - 16, ra at c - 8 */
	PAGE_SIGNAL,	     /* c = rsp + 16, a signal frame */
	PAGE_NO_ROW,	     /* a marker */
	PAGE_MALFORMED,	     /* another */
	PAGE_REGISTERS = 16, /* 16 of them: c = register + 8 */
};

#define FIRST_PAGE  3
#define FIRST_ENTRY 5
#define FIRST_RULE  2
#define FIRST_PLACE 1

static struct table_rule rule_of_page(uint32_t page)
{
	struct table_rule rule = { .cfa_register = REGISTER_RSP, .cfa_offset = 16 };

	rule.saved[TABLE_COLUMN_RA] = page == PAGE_ROOT ? TABLE_CODE_UNDEFINED : 1;
	if (page == PAGE_RBP) {
		rule.cfa_register = REGISTER_RBP;
		rule.saved[TABLE_COLUMN_RBP] = 2;
	} else if (page == PAGE_SAVE_RBX || page == PAGE_SAVE_RBP) {
		rule.cfa_offset = 24;
		rule.saved[page == PAGE_SAVE_RBX ? TABLE_COLUMN_RBX : TABLE_COLUMN_RBP] =
			page == PAGE_SAVE_RBX ? 2 : 3;
	} else if (page == PAGE_LOSE_RBP) {
		rule.saved[TABLE_COLUMN_RBP] = TABLE_CODE_UNDEFINED;
	} else if (page == PAGE_FAR_RBP) {
		rule.saved[TABLE_COLUMN_RBP] = TABLE_CODE_MAX;
	} else if (page == PAGE_PLACES) {
		rule.flags = TABLE_RULE_EXTENDED | 2u << TABLE_RULE_PLACES_SHIFT;
		rule.codes = 0;
		rule.first_place = 1;
	} else if (page == PAGE_SIGNAL) {
		rule.flags = TABLE_RULE_SIGNAL_FRAME;
	} else if (page >= PAGE_REGISTERS && page < PAGE_REGISTERS + REGISTER_GPR_COUNT) {
		rule.cfa_register = page - PAGE_REGISTERS;
		rule.cfa_offset = 8;
	}
	return rule;
}

static uint32_t number_of_page(uint32_t page)
{
	return page == PAGE_NO_ROW	? TABLE_NO_ROW
	       : page == PAGE_MALFORMED ? TABLE_MALFORMED
					: TABLE_MARKER_COUNT + page;
}

/* The last page has no rows. */
static void make_table(void)
{
	for (int chunk = 0; chunk < COUNT(world.pages); chunk++)
		for (int i = 0; i < COUNT(world.pages[0].page); i++) {
			int page = chunk * (int)WALK_CHUNK_PAGES + i - 1 - FIRST_PAGE;

			world.pages[chunk].page[i] = FIRST_ENTRY + (page > 0 ? page : 0);
		}
	for (uint32_t page = 0; page < CODE_PAGES - 1; page++) {
		uint32_t number = number_of_page(page), at = FIRST_RULE + number;

		world.entries.entry[FIRST_ENTRY + page + 1] = table_entry_pack(0, TABLE_DIRECT |
											  number);
		if (number >= TABLE_MARKER_COUNT)
			world.rules[at / WALK_CHUNK_RULES].rule[at % WALK_CHUNK_RULES] =
				rule_of_page(page);
	}
	world.place[FIRST_PLACE + 1] = (struct table_place) { .column = REGISTER_RBP,
							      .kind = TABLE_AT_CFA,
							      .offset = -16 };
	world.place[FIRST_PLACE + 2] =
		(struct table_place) { .column = REGISTER_RIP, .kind = TABLE_AT_CFA, .offset = -8 };
}

/* Mappings 5 to 9 of the second chunk. Those beside the code have no rows; 4 and 10 are another
 * process's. */
#define MAPPING_FIRST 5
#define MAPPING_COUNT 5

static void make_mappings(void)
{
	struct walk_mapping *mapping = &world.mappings[1].mapping[MAPPING_FIRST - 1];

	for (uint32_t i = 0; i < MAPPING_COUNT + 2; i++)
		mapping[i] = (struct walk_mapping) {
			.start = 0x100000 * (i + 1),
			.end = 0x100000 * (i + 1) + 0x1000,
			.page_shift = TABLE_PAGE_SHIFT,
		};
	mapping[3] = (struct walk_mapping) {
		.start = CODE,
		.end = CODE + CODE_PAGES * TABLE_PAGE_SIZE,
		.first_page = FIRST_PAGE,
		.page_count = CODE_PAGES - 1,
		.first_rule = FIRST_RULE,
		.first_place = FIRST_PLACE,
		.first_entry = FIRST_ENTRY,
		.page_shift = TABLE_PAGE_SHIFT,
	};
	world.space_number = 3;
	world.space = (struct walk_space) { .first = WALK_CHUNK_MAPPINGS + MAPPING_FIRST,
					    .count = MAPPING_COUNT,
					    .generation = GENERATION };
}

/* The thread is so many PID name spaces deep: they are number 10, 11 ... In the first its numbers are
 * PID and TID, in each other one a hundred more. */
static void set_level(uint32_t last)
{
	world.thread.pid.level = world.process.pid.level = last;
	for (uint32_t level = 0; level < LEVELS - 1; level++) {
		struct pid_namespace *in = &world.namespace[level];

		in->ns.inum = 10 + level;
		(&world.process.pid.numbers[0])[level].nr = PID + 100 * level;
		(&world.thread.pid.numbers[0])[level].nr = TID + 100 * level;
		(&world.process.pid.numbers[0])[level].ns = in;
		(&world.thread.pid.numbers[0])[level].ns = in;
	}
}

static void begin_world(void)
{
	memset(&world, 0, sizeof(world));
	make_table();
	make_mappings();
	world.folder.id = 4242;
	world.cgroup.kn = &world.folder;
	world.groups.dfl_cgrp = &world.cgroup;
	world.task = (struct task_struct) { .stack = world.kernel_stack,
					    .pid = TID,
					    .cgroups = &world.groups,
					    .mm = &world.mm,
					    .utask = &world.utask,
					    .group_leader = &world.leader,
					    .thread_pid = &world.thread.pid };
	world.leader.thread_pid = &world.process.pid;
	set_level(1);
	world.known = PID;
	world.cpu = CPU;
	world.now_ns = TIME;
	world.counted_max = COUNTED_MAX;
	world.registers.orig_ax = -1;
	world.registers.cs = USER_CS;
	world.task.__state = 1; /* TASK_INTERRUPTIBLE */
	world.dead.__state = 0x80;
	world.off_max = COUNT(world.off);
	off_cpu = 0;
	off_least_ns = 0;
	count_stacks = frame_pointers = no_memo = wake_up = kernel_stacks = every_tick = 0;
	pid_namespace = 0;
}

/* ---- scripts ---------------------------------------------------------------------------- */

static uint64_t value_of_text(const char *text)
{
	unsigned long page = 0, offset = 0;

	if (text[0] == 'p') {
		sscanf(text, "p%lu+%lu", &page, &offset);
		return CODE + page * TABLE_PAGE_SIZE + offset;
	}
	return text[0] == 's' ? STACK + strtoul(text + 1, NULL, 10) : strtoul(text, NULL, 16);
}

static unsigned long *register_of(const char *name)
{
	static const struct {
		const char *name;
		size_t at;
	} names[] = {
#define NAME(name) { #name, offsetof(struct pt_regs, name) }
		NAME(ax),  NAME(dx),  NAME(cx), NAME(bx),      NAME(si),  NAME(di),  NAME(bp),
		NAME(sp),  NAME(r8),  NAME(r9), NAME(r10),     NAME(r11), NAME(r12), NAME(r13),
		NAME(r14), NAME(r15), NAME(ip), NAME(orig_ax), NAME(cs),
#undef NAME
	};

	for (int i = 0; i < COUNT(names); i++)
		if (!strcmp(names[i].name, name))
			return (unsigned long *)((char *)&world.registers + names[i].at);
	return NULL;
}

static int *setting_of(const char *name)
{
	static const struct {
		const char *name;
		int *at;
	} names[] = {
		{ "count", (int *)&count_stacks },
		{ "follow", (int *)&frame_pointers },
		{ "look_up", (int *)&no_memo },
		{ "wake", (int *)&wake_up },
		{ "kernel_stacks", (int *)&kernel_stacks },
		{ "every_tick", (int *)&every_tick },
		{ "off_cpu", (int *)&off_cpu },
		{ "off_least", (int *)&off_least_ns },
		{ "preempts", &world.preempts },
		{ "state", (int *)&world.task.__state },
		{ "off_max", &world.off_max },
		{ "off_stays", &world.off_stays },
		{ "kernel_frames", &world.kernel_frames },
		{ "pid", &world.task.pid },
		{ "namespace", (int *)&pid_namespace },
		{ "old_kernel", &world.old_kernel },
		{ "no_kernel_read", &world.no_kernel_read },
		{ "full_ring", &world.full_ring },
		{ "failing_tails", &world.failing_tails },
		{ "no_scratch", &world.no_scratch },
		{ "no_memo", &world.no_memo },
		{ "no_counters", &world.no_counters },
		{ "no_counts", &world.no_counts },
		{ "known", &world.known },
		{ "cpu", &world.cpu },
		{ "time", (int *)&world.now_ns },
		{ "update_status", &world.update_status },
		{ "meanwhile", &world.meanwhile },
		{ "counted_max", &world.counted_max },
		{ "busy", (int *)&world.scratch.busy },
		{ "generation", (int *)&world.space.generation },
		{ "mappings", (int *)&world.space.count },
		{ "flags", (int *)&world.task.flags },
		{ "space", (int *)&world.space.first },
	};

	for (int i = 0; i < COUNT(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].at;
	return NULL;
}

static const struct {
	const char *name;
	int (*loop)(void *context), (*chain)(void *context), (*tail)(void *context);
} programs[WALK_ENTRY_COUNT] = {
	{ "step", step_loop, step_chain, step_tail },
	{ "sample", sample_loop, sample_chain, sample_tail },
	{ "uprobe", uprobe_loop, uprobe_chain, uprobe_tail },
	{ "tracepoint", tracepoint_loop, tracepoint_chain, tracepoint_tail },
	{ "replay", replay_loop, replay_chain, replay_tail },
};

static void run(int entry, bool chain, void *context)
{
	if (!chain)
		ck_assert_int_eq(programs[entry].loop(context), 0);
	else if (!setjmp(world.tail))
		ck_assert_int_eq(programs[entry].chain(context), 0);
	else
		ck_assert_int_eq(programs[entry].tail(context), 0);
}

static const char *say_off(uint64_t off_ns)
{
	static char text[32];

	snprintf(text, sizeof(text), " for %" PRIu64, off_ns);
	return off_ns ? text : "";
}

static void say_counters(void)
{
	static const char *const names[] = {
		"samples",   "unknown",	   "kernel_threads", "idle",	   "ending",
		"stacks",    "frames",	   "lost_busy",	     "lost_space", "lost_regs",
		"lost_full", "lost_count", "tail_failed",    "windows",	   "singles",
		"lookups",   "guesses",	   "lost_return",    "off_short",  "off_short_ns",
	};

	for (int entry = 0; entry < WALK_ENTRY_COUNT; entry++) {
		const __u64 *word = (const __u64 *)&world.counters[entry];

		for (size_t i = 0; i < sizeof(world.counters[0]) / sizeof(*word); i++) {
			if (!word[i])
				continue;
			say("%s ",
			    i < COUNT(names) ? names[i] : stop_reason_name(i - COUNT(names)));
			say("%" PRIu64 ", ", (uint64_t)word[i]);
		}
	}
	for (int i = 0; i < world.counted_count; i++)
		say("met %" PRIu64 "%s%s, ", (uint64_t)world.counted[i].value.count,
		    world.counted[i].value.sent ? " sent" : "",
		    say_off(world.counted[i].value.off_ns));
	for (int i = 0; i < world.off_count; i++)
		say("%s since %" PRIu64 ", ", world.off[i].value.since ? "off" : "back",
		    (uint64_t)world.off[i].value.since);
	if (world.scratch.applied) /* frames whose registers had to be looked at */
		say("applied %u, ", world.scratch.applied);
	say("busy %u; ", world.scratch.busy);
	memset(world.counters, 0, sizeof(world.counters));
}

/* An entry's name, and how: loop or chain. Of a switch "out" of the thread, or, from one that has ended, "in" again. */
static void do_run(const char *verb, const char *how, const char *signal)
{
	bool number = signal[0] >= '0' && signal[0] <= '9';
	uint64_t arguments[3] = { number ? strtoul(signal, NULL, 10) : 5, 0,
				  (uint64_t)&world.task };
	struct sample_context sample = { .regs = world.registers };

	for (int entry = 0; entry < WALK_ENTRY_COUNT; entry++) {
		if (strcmp(verb, programs[entry].name) != 0)
			continue;
		if (!strcmp(signal, "other"))
			arguments[2]++;
		if (!strcmp(signal, "out") || !strcmp(signal, "in")) {
			bool out = signal[0] == 'o';

			arguments[0] = out && world.preempts;
			arguments[1] = (uint64_t)(out ? &world.task : &world.dead);
			arguments[2] = (uint64_t)(out ? &world.leader : &world.task);
		}
		if (entry == WALK_ENTRY_REPLAY) {
			arguments[0] = value_of_text(signal);
			if (arguments[0] - STACK <= STACK_BYTES - sizeof(world.registers))
				memcpy(world.stack + (arguments[0] - STACK), &world.registers,
				       sizeof(world.registers));
		}
		world.tails_called = world.loops = 0;
		memcpy(world.kernel_stack + KERNEL_BYTES - sizeof(world.registers),
		       &world.registers, sizeof(world.registers));
		run(entry, !strcmp(how, "chain"),
		    entry == WALK_ENTRY_SAMPLE ? (void *)&sample : arguments);
		if (world.loops + world.tails_called)
			say("%u rounds, %u tails; ", world.loops, world.tails_called);
		return;
	}
	ck_abort_msg("no such step: %s", verb);
}

/* Frames of PAGE_RSP, but for one that saves rbx; the last one's CFA hangs on it. */
static void make_saved(uint64_t saver, uint64_t last)
{
	uint64_t at = 8;

	for (uint64_t i = 1; i <= last; i++) {
		uint64_t page = i == saver  ? PAGE_SAVE_RBX
				: i == last ? PAGE_REGISTERS + 3
					    : PAGE_RSP;
		uint64_t value = CODE + page * TABLE_PAGE_SIZE + 1, saved = STACK + 60000;

		memcpy(world.stack + at, &value, sizeof(value));
		if (i == saver) {
			memcpy(world.stack + at + 16, &saved, sizeof(saved));
			at += 8;
		}
		at += 16;
	}
}

/* A uretprobe has put its trampoline where a return address was. */
static void replace_return(uint64_t slot, uint64_t real)
{
	struct return_instance *replaced = &world.replaced[world.replaced_count++];

	*replaced = (struct return_instance) { slot, real, world.utask.return_instances };
	world.utask.return_instances = replaced;
	world.trampoline.vaddr = 0x7000;
	world.mm.uprobes_state.xol_area = &world.trampoline;
	memcpy(world.stack + (slot - STACK), &world.trampoline.vaddr, 8);
}

/* All mappings of the first chunk, the first of them the code, and the others that, too. */
static void make_many(void)
{
	struct walk_mapping *mapping = world.mappings[0].mapping;

	for (uint32_t i = 0; i < WALK_CHUNK_MAPPINGS; i++) {
		mapping[i] = world.mappings[1].mapping[MAPPING_FIRST + 2];
		mapping[i].start = i ? 0x10000000 + 0x100000ull * i : CODE;
		mapping[i].end = mapping[i].start + CODE_PAGES * TABLE_PAGE_SIZE;
	}
	world.space.first = 0;
	world.space.count = WALK_CHUNK_MAPPINGS;
}

/* "sp s8" sets a register, "count 1" what the session or the kernel is told, "s8 p1+1" a word;
 * "chain N" makes frames of PAGE_RSP from s0 on, the last of them PAGE_ROOT's; "level", "saved", "many", "replace"
 * as above. */
static void do_step(const char *verb, const char *first, const char *second)
{
	uint64_t value = value_of_text(first);

	if (register_of(verb)) {
		*register_of(verb) = value;
	} else if (setting_of(verb)) {
		*setting_of(verb) = atoi(first);
	} else if (!strcmp(verb, "no_mm")) {
		world.task.mm = NULL;
	} else if (!strcmp(verb, "level")) {
		set_level(atoi(first));
	} else if (!strcmp(verb, "names")) {
		strcpy(world.task.comm, first);
		strcpy(world.leader.comm, second);
	} else if (!strcmp(verb, "no_process")) {
		world.leader.thread_pid = NULL;
	} else if (!strcmp(verb, "no_thread")) {
		world.task.thread_pid = NULL;
	} else if (!strcmp(verb, "saved")) {
		make_saved(atoi(first), atoi(second));
	} else if (!strcmp(verb, "replace")) {
		replace_return(value, value_of_text(second));
	} else if (!strcmp(verb, "out_of_line")) {
		world.utask.xol_vaddr = value;
		world.utask.vaddr = value_of_text(second);
	} else if (!strcmp(verb, "many")) {
		make_many();
	} else if (!strcmp(verb, "counters")) {
		say_counters();
	} else if (!strcmp(verb, "chain")) {
		for (uint64_t i = 0; i < strtoul(first, NULL, 10); i++) {
			value = CODE + (i + 2 < strtoul(first, NULL, 10) ? 0x1001 : 1);
			memcpy(world.stack + 8 + 16 * i, &value, sizeof(value));
		}
	} else if (verb[0] == 's' && verb[1] >= '0' && verb[1] <= '9') {
		memcpy(world.stack + (value_of_text(verb) - STACK), &value, sizeof(value));
	} else {
		do_run(verb, first, second);
	}
}

static void run_script(const char *script)
{
	char step[128], verb[16], first[32], second[32];
	int used;

	for (; *script; script += strspn(script, "; ")) {
		ck_assert_int_eq(sscanf(script, "%127[^;]%n", step, &used), 1);
		script += used;
		first[0] = second[0] = 0;
		sscanf(step, "%15s %31s %31s", verb, first, second);
		do_step(verb, first, second);
	}
}

#endif
