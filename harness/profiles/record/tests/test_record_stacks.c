/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_record_stacks.c - made-up stacks of every kind into profiles, what is lost, and the account of it
 *
 * What a profile has is read as folded stacks.
 */
#include "made_space.h"
#include "tests/printed.h"
#include "tests/suite.h"
#include "profiles/record/place_names.c"
#include "profiles/record/record_stacks.c"
#include "profiles/write/write.h"

static struct error error;
static struct stackproof_space space;
static struct collected whole, part;
static struct record_result result;
static struct record_stacks stacks;

static void begin(void)
{
	space = (struct stackproof_space) { 0 };
	memset(&asked, 0, sizeof(asked));
	collected_init(&whole, COLLECTED_CPU);
	collected_init(&part, COLLECTED_CPU);
	memset(&result, 0, sizeof(result));
	stacks = (struct record_stacks) { .result = &result, .period = 10, .sinks = 2 };
	stacks.sink[0].collected = &whole;
	stacks.sink[1].collected = &part;
	stacks.names.kernel = kernel_symbols_read();
	stacks.cgroups = cgroup_paths_create();
}

static void end(void)
{
	kernel_symbols_free(stacks.names.kernel);
	cgroup_paths_destroy(stacks.cgroups);
	record_stacks_deinit(&stacks);
	collected_deinit(&whole);
	collected_deinit(&part);
}

static void add(const struct stackproof_stack *stack)
{
	record_stacks_add(&stacks, stack);
	while (record_stacks_name(&stacks, NULL))
		;
}

/* It must be the profile's text as folded stacks. */
static void check_folded(const char *name, const struct collected *collected, const char *expected)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	char text[4096];

	ck_assert_int_eq(
		profile_write_bytes(collected, PROFILE_FOLDED, false, &bytes, &size, &error), 0);
	ck_assert_uint_lt(size, sizeof(text));
	if (size)
		memcpy(text, bytes, size);
	text[size] = 0;
	free(bytes);
	ck_assert_msg(!strcmp(text, expected), "%s: folded:\n%s\nexpected:\n%s", name, text,
		      expected);
}

/* f_101235 called f_101000. */
static struct stackproof_stack made_stack(unsigned int mode, unsigned int stop)
{
	static const uint64_t pc[] = { 0x1000, 0x1236 };

	return (struct stackproof_stack) {
		.size = sizeof(struct stackproof_stack),
		.mode = mode,
		.stop = stop,
		.pid = 7,
		.tid = 8,
		.generation = 1,
		.times = 3,
		.pc = pc,
		.count = 2,
		.space = &space,
		.thread_name = "thread",
		.process_name = "app",
	};
}

/* f_101236 was interrupted there: it called nothing. */
START_TEST(what_a_signal_interrupted_is_named_where_it_was)
{
	static const uint64_t pc[] = { 0x1000, 0x5160, 0x1236, 0x1300 };
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	stack.pc = pc;
	stack.count = 4;
	add(&stack);
	check_folded("signal", &whole, "app;f_1012ff;f_101236;f_105160;f_101000 3\n");
}
END_TEST

/* ---- every kind --------------------------------------------------------------------------- */

#define COUNTED(member) offsetof(struct record_result, member)
#define STOPPED(name)	COUNTED(stop[STACKPROOF_STOP_##name])

static const struct {
	const char *name;
	unsigned int mode, stop;
	uint32_t generation, count;
	bool first_code;
	size_t counted; /* the one other member of the result that counts it */
	bool in_kernel;
	const char *folded;
} kinds[] = {
	{ "complete", STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE, 1, 2, false,
	  STOPPED(COMPLETE), false, "app;f_101235;f_101000 3\n" },
	{ "complete_from_the_kernel", STACKPROOF_MODE_KERNEL, STACKPROOF_STOP_COMPLETE, 1, 2, false,
	  STOPPED(COMPLETE), true, "app;f_101235;f_101000 3\n" },
	{ "no_row", STACKPROOF_MODE_USER, STACKPROOF_STOP_NO_ROW, 1, 2, false, STOPPED(NO_ROW),
	  false, "app;[incomplete: no_row];f_101235;f_101000 3\n" },
	{ "first_code", STACKPROOF_MODE_USER, STACKPROOF_STOP_NO_ROW, 1, 2, true,
	  COUNTED(first_code), false, "app;[incomplete: first_code];f_101235;f_101000 3\n" },
	{ "another_stop_in_first_code", STACKPROOF_MODE_USER, STACKPROOF_STOP_READ_FAULT, 1, 2,
	  true, STOPPED(READ_FAULT), false, "app;[incomplete: read_fault];f_101235;f_101000 3\n" },
	{ "no_mapping", STACKPROOF_MODE_KERNEL, STACKPROOF_STOP_NO_MAPPING, 1, 2, false,
	  STOPPED(NO_MAPPING), true, "app;[incomplete: no_mapping];f_101235;f_101000 3\n" },
	{ "guessed_is_not_complete", STACKPROOF_MODE_USER, STACKPROOF_STOP_GUESSED, 1, 2, false,
	  STOPPED(GUESSED), false, "app;[incomplete: guessed];f_101235;f_101000 3\n" },
	{ "process_is_unknown", STACKPROOF_MODE_USER, STACKPROOF_STOP_NO_MAPPING, 0, 1, false,
	  COUNTED(unknown), false, "app;[incomplete: process_unknown];f_101000 3\n" },
	{ "thread_of_the_kernel", STACKPROOF_MODE_KERNEL_THREAD, 0, 0, 0, false,
	  COUNTED(kernel_threads), true, "app 3\n" },
	{ "ending", STACKPROOF_MODE_ENDING, 0, 0, 0, false, COUNTED(ending), true, "app 3\n" },
};

START_TEST(a_stack_is_counted_once)
{
	struct stackproof_stack stack = made_stack(kinds[_i].mode, kinds[_i].stop);
	uint64_t *counted = (uint64_t *)((char *)&result + kinds[_i].counted);
	struct record_result expected = { .stacks = 3, .in_kernel = kinds[_i].in_kernel ? 3 : 0 };

	stack.generation = kinds[_i].generation;
	stack.count = kinds[_i].count;
	asked.first_code = kinds[_i].first_code;
	add(&stack);
	ck_assert_int_eq(stacks.error.code, ERROR_NONE);
	ck_assert_msg(*counted == 3, "%s", kinds[_i].name);
	*(uint64_t *)((char *)&expected + kinds[_i].counted) = 3;
	ck_assert_msg(!memcmp(&result, &expected, sizeof(result)), "%s: counted elsewhere",
		      kinds[_i].name);
	check_folded(kinds[_i].name, &whole, kinds[_i].folded);
	ck_assert_uint_eq(whole.count, 3);
	ck_assert_uint_eq(whole.amount, 30);
}
END_TEST

/* A sum is whole though stacks are equal, and processes are apart. */
START_TEST(equal_stacks_are_one_sample)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	for (int i = 0; i < 4; i++)
		add(&stack);
	ck_assert_uint_eq(whole.samples, 1);
	ck_assert_uint_eq(whole.stacks, 1);
	stack.tid = 9;
	add(&stack);
	ck_assert_uint_eq(whole.samples, 2);
	ck_assert_uint_eq(whole.stacks, 1);
	ck_assert_uint_eq(whole.count, 15);
	ck_assert_uint_eq(result.stacks, 15);
	ck_assert_uint_eq(asked.found, 2);
}
END_TEST

START_TEST(a_task_has_its_names)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);
	char executable[4096];
	const struct collected_task *task;

	stack.pid = getpid();
	stack.cgroup = UINT64_MAX; /* there is none: its number is kept */
	add(&stack);
	task = &whole.task[whole.sample[1].task];
	ck_assert_int_eq(task->pid, getpid());
	ck_assert_int_eq(task->tid, 8);
	ck_assert_str_eq(collected_get(&whole, task->comm), "app");
	ck_assert_str_eq(collected_get(&whole, task->thread), "thread");
	ck_assert_str_eq(collected_get(&whole, task->executable),
			 executable_of(getpid(), executable, sizeof(executable)));
	ck_assert_str_ne(executable, "");
	ck_assert_str_eq(collected_get(&whole, task->cgroup), "18446744073709551615");
	ck_assert_uint_eq(task->container, 0);
}
END_TEST

/* ---- losses ------------------------------------------------------------------------------- */

START_TEST(a_loss_is_in_the_profile_by_its_name)
{
	char expected[64];

	record_stacks_lose(&stacks, _i, 0, 0);
	ck_assert_uint_eq(whole.samples, 0);
	record_stacks_lose(&stacks, _i, 4, 0);
	record_stacks_lose(&stacks, _i, 1, 0);
	ck_assert_uint_eq(result.lost[_i], 5);
	ck_assert_uint_eq(record_losses(&result), 5);
	ck_assert_uint_eq(whole.count, 5);
	ck_assert_uint_eq(whole.amount, 50);
	snprintf(expected, sizeof(expected), "[lost: %s] 5\n", record_loss_name(_i));
	ck_assert_str_ne(record_loss_name(_i), "");
	for (int i = 0; i < _i; i++)
		ck_assert_str_ne(record_loss_name(_i), record_loss_name(i));
	check_folded("whole", &whole, expected);
	check_folded("part", &part, expected);
}
END_TEST

/* It may be wrong: it has no frames, but it is known whose it was. */
START_TEST(a_raced_stack_is_lost)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	stack.raced = 1;
	add(&stack);
	ck_assert_uint_eq(result.stacks, 0);
	ck_assert_uint_eq(result.stop[STACKPROOF_STOP_COMPLETE], 0);
	ck_assert_uint_eq(result.lost[RECORD_LOST_RACED], 3);
	check_folded("raced", &whole, "app;[lost: raced] 3\n");
	check_folded("raced", &part, "app;[lost: raced] 3\n");
}
END_TEST

START_TEST(what_can_not_be_named_is_lost)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	space.failing = true;
	add(&stack);
	ck_assert_uint_eq(result.stacks, 0);
	ck_assert_uint_eq(result.lost[RECORD_LOST_MEMORY], 3);
	ck_assert_uint_eq(whole.count, 3);
	ck_assert_str_eq(stacks.error.message, "no memory: made");
}
END_TEST

/* Its addresses are known. */
START_TEST(what_has_no_name_is_no_loss)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	asked.failing = true;
	add(&stack);
	ck_assert_uint_eq(result.stacks, 3);
	ck_assert_str_eq(stacks.error.message, "no memory: made");
}
END_TEST

/* Two images: one at a time, and the stacks when both have names. */
START_TEST(stacks_wait_for_names)
{
	static const uint64_t pc[] = { 0x1000, 0x9001 };
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	record_stacks_add(&stacks, &stack);
	stack.pc = pc;
	record_stacks_add(&stacks, &stack);
	ck_assert_uint_eq(whole.samples, 0);
	ck_assert(record_stacks_name(&stacks, NULL));
	ck_assert_uint_eq(asked.images, 1);
	ck_assert_uint_eq(whole.samples, 0);
	ck_assert(!record_stacks_name(&stacks, NULL));
	ck_assert_uint_eq(asked.images, 2);
	ck_assert_uint_eq(asked.found, 3);
	check_folded("both", &whole, "app;f_101235;f_101000 3\napp;f_109000;f_101000 3\n");
	ck_assert(!record_stacks_name(&stacks, NULL));
	ck_assert_uint_eq(whole.count, 6);
}
END_TEST

/* ---- parts -------------------------------------------------------------------------------- */

START_TEST(a_part_begins_anew)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	for (int i = 0; i < 3; i++) {
		add(&stack);
		check_folded("part", &part, "app;f_101235;f_101000 3\n");
		collected_deinit(&part);
		collected_init(&part, COLLECTED_CPU);
		record_stacks_next_part(&stacks);
	}
	check_folded("whole", &whole, "app;f_101235;f_101000 9\n");
}
END_TEST

START_TEST(without_parts_there_is_the_whole)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_USER, STACKPROOF_STOP_COMPLETE);

	stacks.sinks = 1;
	add(&stack);
	record_stacks_lose(&stacks, RECORD_LOST_BUSY, 2, 0);
	ck_assert_uint_eq(whole.count, 5);
	ck_assert_uint_eq(part.count, 0);
}
END_TEST

/* ---- the account -------------------------------------------------------------------------- */

static void made_result(void)
{
	result = (struct record_result) {
		.ticks = 1000,
		.stacks = 990,
		.in_kernel = 55,
		.kernel_threads = 11,
		.unknown = 22,
		.first_code = 7,
		.ending = 33,
		.sessions = 1,
		.real_time = true,
		.method = "bpf_loop",
	};
	result.lost[RECORD_LOST_BUSY] = 4;
	result.lost[RECORD_LOST_RACED] = 6;
	result.stop[STACKPROOF_STOP_COMPLETE] = 900;
	result.stop[STACKPROOF_STOP_NO_ROW] = 10;
	result.stop[STACKPROOF_STOP_DEPTH] = 7;
}

#define HEAD                                                                                       \
	"1000 ticks: 990 stacks, 10 lost\n"                                                        \
	"walked: 924, 97.4 % complete, 0.8 % to the code that a process begins in\n"               \
	"not walked: 22 of processes not known yet, 33 of ending ones, 11 of the kernel's "        \
	"threads\n"                                                                                \
	"in the kernel: 55\n"                                                                      \
	"incomplete: no_row 10, depth 7\n"                                                         \
	"lost: busy 4, raced 6\n"

START_TEST(the_account_is_printed)
{
	made_result();
	check_printed("plain", PRINTED(file, record_print(file, &result, "ticks")), HEAD);
	result.real_time = false;
	result.sessions = 3;
	strcpy(result.why_larger, "no room\033");
	strcpy(result.why_no_larger, "no memory\n");
	check_printed("all", PRINTED(file, record_print(file, &result, "ticks")),
		      HEAD "without a real-time priority: short processes may be unknown\n"
			   "no larger session: no memory?\n"
			   "3 sessions, each with twice the room of the one before: no room?\n");
}
END_TEST

START_TEST(nothing_is_printed_as_nothing)
{
	result.real_time = true;
	check_printed("nothing", PRINTED(file, record_print(file, &result, "switches")),
		      "0 switches: 0 stacks, 0 lost\n"
		      "walked: 0, 0.0 % complete, 0.0 % to the code that a process begins in\n"
		      "not walked: 0 of processes not known yet, 0 of ending ones, 0 of the "
		      "kernel's threads\n"
		      "in the kernel: 0\n");
}
END_TEST

static json_int_t number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	ck_assert_msg(json_is_integer(value), "%s", name);
	return json_integer_value(value);
}

START_TEST(the_account_as_json_comes_out)
{
	json_t *object;

	made_result();
	object = record_json(&result);
	ck_assert_str_eq(json_string_value(json_object_get(object, "type")), "profile");
	ck_assert_int_eq(number(object, "ticks"), 1000);
	ck_assert_int_eq(number(object, "stacks"),
			 number(object, "walked") + number(object, "unknown") +
				 number(object, "ending") + number(object, "kernel_threads"));
	ck_assert_int_eq(number(object, "complete"), 900);
	ck_assert_int_eq(number(json_object_get(object, "lost"), "raced"), 6);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "lost")), 2);
	ck_assert_int_eq(number(json_object_get(object, "stops"), "depth"), 7);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "stops")), 3);
	ck_assert_ptr_null(json_object_get(object, "why_larger"));
	ck_assert_ptr_null(json_object_get(object, "why_no_larger"));
	json_decref(object);
}
END_TEST

/* ---- off the CPU -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t off, still_off;
	const char *folded;
	uint64_t preempted, still;
} offs[] = {
	{ "blocked", STACKPROOF_OFF_BLOCKED, 0, "app;f_101235;f_101000 700\n", 0, 0 },
	{ "preempted", STACKPROOF_OFF_PREEMPTED, 0, "app;f_101235;f_101000;[off: preempted] 700\n",
	  3, 0 },
	{ "still_blocked", STACKPROOF_OFF_BLOCKED, 1,
	  "app;f_101235;f_101000;[off: still_blocked] 700\n", 0, 3 },
	{ "still_preempted", STACKPROOF_OFF_PREEMPTED, 1,
	  "app;f_101235;f_101000;[off: still_preempted] 700\n", 3, 3 },
};

/* What counts are nanoseconds, each time by itself, whatever the period. */
START_TEST(off_the_cpu)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_KERNEL,
						   STACKPROOF_STOP_COMPLETE);

	collected_init(&whole, COLLECTED_OFF_CPU);
	collected_init(&part, COLLECTED_OFF_CPU);
	stack.off = offs[_i].off;
	stack.still_off = offs[_i].still_off;
	stack.off_ns = 700;
	add(&stack);
	check_folded(offs[_i].name, &whole, offs[_i].folded);
	check_folded(offs[_i].name, &part, offs[_i].folded);
	ck_assert_uint_eq(whole.count, 3);
	ck_assert_uint_eq(result.stop[STACKPROOF_STOP_COMPLETE], 3);
	ck_assert_uint_eq(result.off_ns, 700);
	ck_assert_uint_eq(result.preempted, offs[_i].preempted);
	ck_assert_uint_eq(result.still_off, offs[_i].still);
	ck_assert_uint_eq(result.still_off_ns, offs[_i].still ? 700 : 0);
}
END_TEST

/* Of a lost stack its time stays; of a time that was too short its sum. */
START_TEST(times_without_a_stack)
{
	struct stackproof_stack stack = made_stack(STACKPROOF_MODE_KERNEL,
						   STACKPROOF_STOP_COMPLETE);

	collected_init(&whole, COLLECTED_OFF_CPU);
	stacks.period = 0;
	stack.off = STACKPROOF_OFF_BLOCKED;
	stack.off_ns = 700;
	stack.raced = 1;
	add(&stack);
	record_stacks_lose(&stacks, RECORD_LOST_SHORT, 4, 90);
	ck_assert_uint_eq(result.lost[RECORD_LOST_RACED], 3);
	ck_assert_uint_eq(result.lost[RECORD_LOST_SHORT], 4);
	ck_assert_uint_eq(result.off_ns, 790);
	ck_assert_uint_eq(whole.count, 7);
	check_folded("lost", &whole, "app;[lost: raced] 700\n[lost: short] 90\n");
}
END_TEST

SUITE(record_stacks, FIXTURE(begin, end), TEST(what_a_signal_interrupted_is_named_where_it_was),
      LOOP(a_stack_is_counted_once, kinds), TEST(equal_stacks_are_one_sample),
      TEST(a_task_has_its_names), TIMES(a_loss_is_in_the_profile_by_its_name, RECORD_LOSS_COUNT),
      TEST(a_raced_stack_is_lost), TEST(what_can_not_be_named_is_lost),
      TEST(what_has_no_name_is_no_loss), TEST(stacks_wait_for_names), TEST(a_part_begins_anew),
      TEST(without_parts_there_is_the_whole), TEST(the_account_is_printed),
      TEST(nothing_is_printed_as_nothing), TEST(the_account_as_json_comes_out),
      LOOP(off_the_cpu, offs), TEST(times_without_a_stack))
