/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_entries.c - where a thread was when it entered the kernel, when, and what is written of it
 */
#include <unistd.h>
#include "made_guest.h"

#define KERNEL_SP                                                                                  \
	0x71000 /* in the made memory; what is at USER_ADDRESSES and above would be a kernel's */
#define USER_CS	  0x33
#define KERNEL_CS 0x10

static char path[] = "/tmp/stackproof-watched-XXXXXX";

static struct watched_thread *watched(void)
{
	return watch.process[0]->thread[0];
}

static void begin(void)
{
	setup();
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	close(mkstemp(path));
	watch.truth = path;
	watch.fast = true;
	watch.clock =
		(struct guest_clock) { .bytes = sizeof(watch.clock), .mult = 1 << 10, .shift = 10 };
}

static void end(void)
{
	teardown();
	unlink(path);
}

/* ---- where ------------------------------------------------------------------------------------- */

START_TEST(a_system_call_is_told_by_its_registers)
{
	struct kernel_entry *entered = &watched()->entered;

	world.regs = (struct user_regs_struct) { .rcx = FUNCTION + 2, .rsp = SP - 16 };
	watch_kernel_entered(watched());
	ck_assert(entered->valid);
	ck_assert(entered->calls);
	ck_assert_uint_eq(entered->pc, FUNCTION + 2);
	ck_assert_uint_eq(entered->sp, SP - 16);
	ck_assert_uint_gt(entered->ticks, 0);
}
END_TEST

/* The CPU's frame lies at the stack's alignment; with an error code one word is below it. */
static const struct {
	const char *name;
	uint64_t sp, cs;
	bool valid;
} frames[] = {
	{ "without_an_error_code", KERNEL_SP + 8, USER_CS, true },
	{ "with_one", KERNEL_SP, USER_CS, true },
	{ "of_the_kernel", KERNEL_SP + 8, KERNEL_CS, false },
	{ "unreadable", 0x60008, USER_CS, false },
};

START_TEST(an_interrupt_has_pushed_a_frame)
{
	struct kernel_entry entered = { 0 };
	uint64_t at = KERNEL_SP + 8;

	put(at, FUNCTION);
	put(at + 8, frames[_i].cs);
	put(at + 24, SP - 16);
	ck_assert_msg(read_frame(frames[_i].sp, &entered) == frames[_i].valid, "%s",
		      frames[_i].name);
	if (!frames[_i].valid)
		return;
	ck_assert_uint_eq(entered.pc, FUNCTION);
	ck_assert_uint_eq(entered.sp, SP - 16);
}
END_TEST

/* ---- when --------------------------------------------------------------------------------------- */

START_TEST(time_is_the_guest_s)
{
	struct guest_clock clock = { sizeof(clock), 0, 5000, 3, 1 };

	watch.clock = (struct guest_clock) { 0 };
	ck_assert_uint_eq(time_of(1000), 0); /* nobody has told it */
	clock.ticks = __rdtsc() + 1000000;
	memcpy(world.stack, &clock, sizeof(clock));
	watch_clock(LOW);
	ck_assert_uint_le(watch.clock_ahead, 1000000);
	watch.clock_ahead = 100;
	ck_assert_uint_eq(time_of(1000), 5000 + 1100 * 3 / 2);
	/* A later one that took longer does not count; other factors do. */
	clock.ticks = 0;
	clock.mult = 4;
	memcpy(world.stack, &clock, sizeof(clock));
	watch_clock(LOW);
	ck_assert_uint_eq(watch.clock_ahead, 100);
	ck_assert_uint_eq(time_of(1000), 5000 + 1100 * 4 / 2);
}
END_TEST

/* ---- what is written ------------------------------------------------------------------------------ */

static struct truth_file *ends(void)
{
	struct truth_file *file;
	struct error error;

	watch_process_empty(watch.process[0]);
	ck_assert(watch_entries_end(watch.process[0]));
	ck_assert_msg(!truth_file_open(path, &file, &error), "%s", error.message);
	return file;
}

static const struct truth_entry *expect(const struct truth_file *file, size_t index, uint64_t pc,
					uint32_t depth, unsigned int flags)
{
	const struct truth_entry *entry = truth_file_entry(file, index);

	ck_assert_uint_lt(index, truth_file_entry_count(file));
	ck_assert_int_eq(entry->tid, PID);
	ck_assert_uint_eq(entry->pc, pc);
	ck_assert_uint_eq(entry->flags, flags);
	ck_assert_uint_eq(truth_file_node(file, entry->node)->depth, depth);
	return entry;
}

static void enters(uint64_t ticks, uint64_t pc, uint64_t sp)
{
	watched()->entered = (struct kernel_entry) { true, false, ticks, pc, sp };
}

START_TEST(entries_have_time_stack_and_what_came_of_them)
{
	struct truth_file *file;

	enters(500, FUNCTION, SP - 16);
	watch_entry(watched(), FUNCTION, SP - 16);
	watch_entry_after(watched(), FUNCTION + 0x40, SP - 16);
	watched()->entered.valid = false;
	file = ends();
	ck_assert_uint_eq(truth_file_entry_count(file), 2);
	ck_assert_uint_eq(expect(file, 0, FUNCTION, 3, 0)->time_ns, 500);
	ck_assert_uint_eq(expect(file, 1, FUNCTION + 0x40, 3, TRUTH_ENTRY_AFTER)->time_ns, 500);
	ck_assert_str_eq(truth_file_text(file, "machine"), "x86_64");
	ck_assert_uint_eq(truth_file_number(file, "pid"), PID);
	ck_assert_ptr_null(truth_file_partial(file));
	truth_file_close(file);
}
END_TEST

static const struct {
	const char *name;
	bool valid;
	uint64_t pc, sp;
} doubts[] = {
	{ "nobody_saw_it_enter", false, FUNCTION, SP - 16 },
	{ "it_was_elsewhere", true, FUNCTION + 1, SP - 16 },
	{ "its_stack_was", true, FUNCTION, SP - 24 },
};

START_TEST(what_differs_is_in_doubt)
{
	struct truth_file *file;

	enters(500, doubts[_i].pc, doubts[_i].sp);
	watched()->entered.valid = doubts[_i].valid;
	watch_entry(watched(), FUNCTION, SP - 16);
	watched()->entered.valid = false;
	file = ends();
	expect(file, 0, FUNCTION, 3, TRUTH_ENTRY_DOUBT);
	truth_file_close(file);
}
END_TEST

/* Killed in user code, or by exit(2): it never goes on. */
START_TEST(the_last_entry_is_there)
{
	struct truth_file *file;

	enters(500, FUNCTION, SP - 8); /* by now one frame is gone */
	file = ends();
	expect(file, 0, FUNCTION, 2, 0);
	truth_file_close(file);
}
END_TEST

START_TEST(a_wrong_return_takes_entries_back)
{
	struct truth_file *file;

	enters(500, FUNCTION, SP - 16);
	watch_entry(watched(), FUNCTION, SP - 16);
	watch_entry_contradict(watched());
	watch.process[0]->counters.returns_stray++;
	watch_entry_contradict(watched());
	watch_entry(watched(), FUNCTION, SP - 16);
	watched()->entered.valid = false;
	file = ends();
	expect(file, 0, FUNCTION, 3, TRUTH_ENTRY_DOUBT);
	expect(file, 1, FUNCTION, 3, 0);
	truth_file_close(file);
}
END_TEST

SUITE(plugin_entries, FIXTURE(begin, end), TEST(a_system_call_is_told_by_its_registers),
      LOOP(an_interrupt_has_pushed_a_frame, frames), TEST(time_is_the_guest_s),
      TEST(entries_have_time_stack_and_what_came_of_them), LOOP(what_differs_is_in_doubt, doubts),
      TEST(the_last_entry_is_there), TEST(a_wrong_return_takes_entries_back))
