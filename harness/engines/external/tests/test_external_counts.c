/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_counts.c - what an external engine is counted for: reads, bytes, time; to the one
 *
 * Engines are a few lines of sh(1), as in test_external.c. The memory of the points is three pages,
 * and which parts of it were asked for is kept.
 */
#include <sys/resource.h>
#include <time.h>
#include "tests/suite.h"
#include "external_points.h"

#define PAGES_AT  0x7000u
#define PAGES_END 0xa000u
#define LONG_MS	  120000

static char asked[1024];
static time_t later_s, read_takes_s;
static bool time_stands;

/* What a read of memory takes is added: nobody waits for it. Where time stands, no deadline comes. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int status = (int)syscall(SYS_clock_gettime, clock, ret);

	ret->tv_sec += later_s;
	if (time_stands)
		*ret = (struct timespec) { .tv_sec = 1 };
	return status;
}

/* Byte n is n. */
static int read_pages(void *context, uint64_t address, void *ret, size_t size)
{
	size_t used = strlen(asked);

	later_s += read_takes_s;
	if (used < sizeof(asked) - 64)
		snprintf(asked + used, sizeof(asked) - used, "%lx+%zx ", (unsigned long)address,
			 size);
	if (address < PAGES_AT || address > PAGES_END || size > PAGES_END - address)
		return -1;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)ret)[i] = (uint8_t)(address + i);
	return 0;
}

static const struct memory_reader memory = { .read = read_pages };

static struct external *open_engine(const char *command, struct external_options *options)
{
	struct external *ret = NULL;
	struct error error = { 0 };

	*options = (struct external_options) {
		.name = "engine", .command = command, .hello_ms = LONG_MS, .answer_ms = LONG_MS
	};
	ck_assert_msg(!external_open(options, &ret, &error), "%s", error.message);
	ck_assert(!external_mappings(ret, NULL, 0, &error));
	asked[0] = '\0';
	return ret;
}

/* count points, so many of them at once. */
static struct external_report ask_at_once(struct external *external, uint64_t sp, int count,
					  int many)
{
	struct register_values regs = *points_registers();
	struct external_point point[2] = { { &regs, &memory }, { &regs, &memory } };
	struct stack stack[2] = { { 0 } };
	struct external_report report;
	struct error error;

	regs.value[REGISTER_RSP] = sp;
	for (int i = 0; i < count; i += many)
		ck_assert_int_eq(external_ask(external, point, (size_t)many, stack, &error), 0);
	stack_deinit(&stack[0]);
	stack_deinit(&stack[1]);
	external_report(external, &report);
	/* What was answered took time, and no more than all that was waited for. */
	ck_assert_uint_le(report.answered_ns, report.waited_ns);
	if (report.outcome[EXTERNAL_STACK])
		ck_assert_uint_gt(report.answered_ns, 0);
	return report;
}

static struct external_report ask(struct external *external, uint64_t sp, int count)
{
	return ask_at_once(external, sp, count, 1);
}

/* ---- the stack that comes with a point ------------------------------------------------------ */

static const struct {
	unsigned wanted;
	uint64_t sp;
	const char *asked;
	uint64_t bytes;
	const char *begins;
} windows[] = {
	{ 16, 0x7100, "7100+10 ", 16, "000102030405060708090a0b0c0d0e0f" },
	{ 3840, 0x7100, "7100+f00 ", 3840, "0001" },
	{ 3841, 0x7100, "7100+f00 8000+1 ", 3841, "0001" },
	{ 8192, 0x7100, "7100+f00 8000+1000 9000+100 ", 8192, "0001" },
	{ 65536, 0x7100, "7100+f00 8000+1000 9000+1000 a000+1000 ", 0x2f00, "0001" },
	{ 65536, 0x7000, "7000+1000 8000+1000 9000+1000 a000+1000 ", 0x3000, "0001" },
	{ 4096, 0x9fff, "9fff+1 a000+fff ", 1, "ff" },
	{ 4096, 0xa000, "a000+1000 ", 0, "-" },
	{ 4096, 0x6fff, "6fff+1 ", 0, "-" },
	{ 1, 0x7fff, "7fff+1 ", 1, "ff" },
	{ 8, 0x7ffd, "7ffd+3 8000+5 ", 8, "fdfeff0001020304" },
};

START_TEST(stack_is_read_by_the_page)
{
	struct external_options options;
	char command[512];

	snprintf(command, sizeof(command),
		 "echo hello 1; echo window %u; echo ready; read hello; read mappings; while read "
		 "points; "
		 "do read point id rest; echo ${rest##* } | head -c 32 >&2; "
		 "echo stack $id complete 401234; done",
		 windows[_i].wanted);
	struct external *external = open_engine(command, &options);
	struct external_report report = ask(external, windows[_i].sp, 1);
	ck_assert_str_eq(asked, windows[_i].asked);
	ck_assert_msg(!strncmp(report.said, windows[_i].begins, strlen(windows[_i].begins)), "%s",
		      report.said);
	ck_assert_uint_eq(report.bytes, windows[_i].bytes);
	ck_assert_uint_eq(report.reads, 0);
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 1);
	report = ask(external, windows[_i].sp, 2);
	ck_assert_uint_eq(report.bytes, 3 * windows[_i].bytes);
	/* A run begins: all is 0 again. */
	external_begin(external);
	report = ask(external, windows[_i].sp, 1);
	ck_assert_uint_eq(report.bytes, windows[_i].bytes);
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 1);
	external_close(external);
}
END_TEST

/* ---- what it asks for ----------------------------------------------------------------------- */

#define HELLO "echo hello 1; echo ready; read hello; " MAPPINGS

static const struct {
	const char *read; /* address, bytes */
	const char *answer, *asked;
	uint64_t bytes;
} reads[] = {
	{ "7100 4", "memory 00010203", "7100+4 ", 4 },
	{ "9fff 1", "memory ff", "9fff+1 ", 1 },
	{ "9fff 2", "fault", "9fff+2 ", 0 },
	{ "7000 12288", "memory 0001", "7000+3000 ", 12288 },
	{ "0 65536", "fault", "0+10000 ", 0 },
	{ "fffffffffffffffe 1", "fault", "fffffffffffffffe+1 ", 0 },
	{ "ffffffffffffffff 2", "fault", "", 0 },
};

START_TEST(reads_are_counted)
{
	struct external_options options;
	char command[512], said[64];

	snprintf(command, sizeof(command),
		 HELLO "while read points; do read point id rest; echo read $id %s; read answer; "
		       "echo \"$answer\" | head -c 15 >&2; echo stack $id complete 401234; done",
		 reads[_i].read);
	struct external *external = open_engine(command, &options);
	struct external_report report = ask(external, POINT_SP, 1);
	ck_assert_str_eq(asked, reads[_i].asked);
	ck_assert_uint_eq(report.reads, 1);
	ck_assert_uint_eq(report.bytes, reads[_i].bytes);
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 1);
	report = ask(external, POINT_SP, 2);
	ck_assert_uint_eq(report.reads, 3);
	ck_assert_uint_eq(report.bytes, 3 * reads[_i].bytes);
	snprintf(said, sizeof(said), "%s", reads[_i].answer);
	ck_assert_msg(!strncmp(report.said, said, strlen(said)), "%s", report.said);
	external_begin(external);
	ck_assert_uint_eq(ask(external, POINT_SP, 1).reads, 1);
	external_close(external);
}
END_TEST

/* Takes batches of two, and does the same for each point. */
#define FOR_EACH(each)                                                                             \
	"echo hello 1; echo batch 2; echo ready; read hello; " MAPPINGS                            \
	"while read points count; do ids=; for i in $(seq $count); do read point id rest; "        \
	"ids=\"$ids $id\"; done; for id in $ids; do " each "done; done"
#define STACK "echo stack $id complete 401234; "

/* As many reads as there may be for a point, and one more; the next point has as many again. */
static const struct {
	int points, at_once;
	unsigned int more;
} limits[] = { { 2, 1, 0 }, { 2, 2, 0 }, { 2, 2, 1 } };

START_TEST(reads_have_their_limit)
{
	const unsigned int each = EXTERNAL_READS_MAX + limits[_i].more;
	const int points = limits[_i].points, done = limits[_i].more ? 0 : points;
	struct external_options options;
	char command[512];

	snprintf(command, sizeof(command),
		 FOR_EACH("yes read $id 7000 1 | head -n %u; head -n %u >/dev/null; " STACK), each,
		 each);
	struct external *external = open_engine(command, &options);
	struct external_report report = ask_at_once(external, POINT_SP, points, limits[_i].at_once);
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], done);
	ck_assert_uint_eq(report.outcome[EXTERNAL_FLOOD], points - done);
	ck_assert_uint_eq(report.reads, (uint64_t)points * each);
	ck_assert_int_eq(!report.answered_ns, !done);
	external_close(external);
}
END_TEST

#define OUTCOMES(...) .outcome = { __VA_ARGS__ }

/* Each read takes 70 seconds, an answer may take 120. */
static const struct {
	const char *name, *command;
	int at_once;
	uint64_t total_ms, outcome[EXTERNAL_OUTCOME_COUNT]; /* of two points, in each of two runs */
	uint64_t starts;				    /* in the second run */
	const char *failure;
} times[] = {
#define READ "echo read $id 7000 1; read memory; "
	{ "each_answer_of_a_batch_has_its_time", FOR_EACH(READ STACK), 2, 0,
	  OUTCOMES([EXTERNAL_STACK] = 2), 0, "" },
	{ "reads_are_part_of_it", FOR_EACH(READ READ STACK), 2, 0, OUTCOMES([EXTERNAL_TIMEOUT] = 2),
	  2, "point 1: it did not answer in time" },
	{ "a_run_has_all_its_time", FOR_EACH(READ STACK), 1, 1000000,
	  OUTCOMES([EXTERNAL_STACK] = 2), 0, "" },
	/* Who is not asked any more has ended. */
	{ "what_was_answered_takes_of_it", FOR_EACH(READ STACK), 1, 60000,
	  OUTCOMES([EXTERNAL_STACK] = 1, [EXTERNAL_LATE] = 1), 1,
	  "all answers: they took too long" },
	{ "what_was_not_answered_does_too", FOR_EACH(READ "exit; "), 1, 60000,
	  OUTCOMES([EXTERNAL_DIED] = 1, [EXTERNAL_LATE] = 1), 1, NULL },
	{ "what_came_too_late_does_too", FOR_EACH(READ READ STACK), 1, 100000,
	  OUTCOMES([EXTERNAL_TIMEOUT] = 1, [EXTERNAL_LATE] = 1), 1,
	  "point 1: it did not answer in time" },
};

START_TEST(time_has_its_limits)
{
	struct external_options options;
	struct external_report report;
	struct external *external = open_engine(times[_i].command, &options);

	options.total_ms = times[_i].total_ms;
	read_takes_s = 70;
	for (int run = 0; run < 2; run++) {
		external_begin(external);
		external_report(external, &report);
		ck_assert_str_eq(report.failure, ""); /* the last run's is not this one's */
		report = ask_at_once(external, POINT_SP, 2, times[_i].at_once);
		for (int i = 0; i < EXTERNAL_OUTCOME_COUNT; i++)
			ck_assert_msg(report.outcome[i] == times[_i].outcome[i],
				      "%s, run %d: %s %lu, %s", times[_i].name, run,
				      external_outcome_name(i), report.outcome[i], report.failure);
		if (!run && times[_i].failure)
			ck_assert_str_eq(report.failure, times[_i].failure);
	}
	ck_assert_msg(report.starts == times[_i].starts, "%s: %lu starts", times[_i].name,
		      report.starts);
	external_close(external);
}
END_TEST

/* What a batch took that was not answered to its end is waited for, and is no answer's; nor is another run's. */
START_TEST(answers_have_their_time)
{
	struct external_options options;
	struct external *external =
		open_engine(FOR_EACH(READ STACK "[ $((id % 4)) != 3 ] || exit 1; "), &options);
	const uint64_t second = 1000000000, wait = 70 * second;
	struct external_report report;

	read_takes_s = 70;
	for (int run = 0; run < 2; run++) {
		external_begin(external);
		external_report(external, &report);
		ck_assert_uint_eq(report.waited_ns + report.answered_ns, 0);
		report = ask_at_once(external, POINT_SP, 2, 2);
		ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 2);
		ck_assert_uint_ge(report.answered_ns, 2 * wait);
		ck_assert_uint_lt(report.answered_ns, 3 * wait);
		report = ask_at_once(external, POINT_SP, 2, 2);
		ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 3);
		ck_assert_uint_eq(report.outcome[EXTERNAL_DIED], 1);
		ck_assert_uint_lt(report.answered_ns, 3 * wait);
		ck_assert_uint_ge(report.waited_ns, 3 * wait);
		ck_assert_uint_lt(report.waited_ns, 4 * wait);
		ck_assert_uint_eq(report.reads, 3);
	}
	external_close(external);
}
END_TEST

/* One that has no time at all is late, however quick it is. */
static const struct {
	unsigned int hello_ms, answer_ms;
	bool opens;
	enum external_outcome outcome;
} own_times[] = {
	{ 0, LONG_MS, false, EXTERNAL_TIMEOUT },
	{ LONG_MS, 0, true, EXTERNAL_TIMEOUT },
	{ LONG_MS, LONG_MS, true, EXTERNAL_STACK },
};

START_TEST(hello_and_answer_have_each_their_own)
{
	struct external_options options = { .name = "engine",
					    .command = FOR_EACH(STACK),
					    .hello_ms = own_times[_i].hello_ms,
					    .answer_ms = own_times[_i].answer_ms };
	struct external *external = NULL;
	struct error error = { 0 };

	ck_assert_int_eq(!external_open(&options, &external, &error), own_times[_i].opens);
	if (own_times[_i].opens) {
		ck_assert(!external_mappings(external, NULL, 0, &error));
		ck_assert_uint_eq(ask(external, POINT_SP, 1).outcome[own_times[_i].outcome], 1);
	} else {
		ck_assert_ptr_nonnull(strstr(error.message, "no hello: it did not answer in time"));
	}
	external_close(external);
}
END_TEST

/* One that is let go may still do what it does at its end. */
START_TEST(who_is_let_go_ends_by_itself)
{
	char folder[] = "/tmp/external.XXXXXX", command[512];
	struct external_options options;
	struct external *external;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof(command), FOR_EACH(STACK) "; rmdir %s", folder);
	external = open_engine(command, &options);
	ck_assert_uint_eq(ask(external, PAGES_AT, 1).outcome[EXTERNAL_STACK], 1);
	time_stands = true;
	external_close(external);
	time_stands = false;
	ck_assert_int_eq(access(folder, F_OK), -1);
}
END_TEST

/* ---- where memory is short ------------------------------------------------------------------- */

static struct rlimit address_space;

/* From here on nothing large can be had. */
static void take_memory_away(void)
{
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &address_space), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit) { 1, address_space.rlim_max }), 0);
}

static void give_memory_back(void)
{
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &address_space), 0);
}

/* As many bytes in its first answer as in its second, which has many more frames. */
#define LONG_WORDS "yes 0000000000000001 | head -n 30000"
#define MANY_WORDS "yes 1 | head -n 200000"

static const struct {
	const char *name, *command;
	int before, points; /* so many are asked about while there is memory; and then, at once */
} short_memories[] = {
	{ "for_what_it_says", FOR_EACH("yes 1 | head -n 4000000 | tr '\\n' ' '; " STACK), 0, 1 },
	{ "for_its_stack",
	  FOR_EACH("printf 'stack %s complete ' $id; if [ $id = 1 ]; then " LONG_WORDS
		   "; else " MANY_WORDS "; fi | tr '\\n' ' '; echo 1; "),
	  1, 1 },
	{ "for_what_it_is_told",
	  "echo hello 1; echo batch 256; echo window 65536; echo ready; read hello; " MAPPINGS
	  "while read points count; do for id in $(seq $count); do " STACK "done; done",
	  0, EXTERNAL_BATCH_MAX },
};

/* Where there is no memory here, that is not the engine's failure, nor an outcome. */
START_TEST(short_memory_is_not_its_fault)
{
	static struct external_point point[EXTERNAL_BATCH_MAX];
	static struct stack stack[EXTERNAL_BATCH_MAX];
	const int before = short_memories[_i].before, points = short_memories[_i].points;
	struct register_values regs = *points_registers();
	struct external_options options;
	struct external *external = open_engine(short_memories[_i].command, &options);
	struct external_report report;
	struct error error;
	int status;

#ifdef __SANITIZE_ADDRESS__
	external_close(external);
	return; /* its own memory has no bounds */
#endif
	regs.value[REGISTER_RSP] = PAGES_AT;
	for (int i = 0; i < points; i++)
		point[i] = (struct external_point) { &regs, &memory };
	ck_assert_int_eq(external_ask(external, point, (size_t)before, stack, &error), 0);
	take_memory_away();
	status = external_ask(external, point, (size_t)points, stack, &error);
	give_memory_back();
	ck_assert_msg(status == -1, "%s", short_memories[_i].name);
	ck_assert_int_eq(error.code, ERROR_MEMORY);
	external_report(external, &report);
	ck_assert_str_eq(report.failure, "");
	for (int i = 0; i < EXTERNAL_OUTCOME_COUNT; i++)
		ck_assert_uint_eq(report.outcome[i], i == EXTERNAL_STACK ? (uint64_t)before : 0);
	/* Who was in the middle of it has ended; the next one has all the memory that there is. */
	ck_assert_int_eq(external_ask(external, point, 1, stack, &error), 0);
	external_report(external, &report);
	ck_assert_msg(report.starts == 1, "%s", short_memories[_i].name);
	for (int i = 0; i < points; i++)
		stack_deinit(&stack[i]);
	external_close(external);
}
END_TEST

/* It is told of all mappings, or that there is no memory for them is said. */
START_TEST(mappings_that_have_no_room_are_an_error)
{
	static char path[1u << 22];
	const struct external_mapping mapping = { .start = 0x1000, .end = 0x2000, .path = path };
	struct external_options options;
	struct external *external = open_engine(FOR_EACH(STACK), &options);
	struct error error = { 0 };
	int status;

#ifdef __SANITIZE_ADDRESS__
	external_close(external);
	return;
#endif
	memset(path, 'a', sizeof(path) - 1);
	take_memory_away();
	status = external_mappings(external, &mapping, 1, &error);
	give_memory_back();
	ck_assert_int_eq(status, -1);
	ck_assert_int_eq(error.code, ERROR_MEMORY);
	/* Those that have room are told. */
	ck_assert_int_eq(external_mappings(external, &mapping, 0, &error), 0);
	ck_assert_uint_eq(ask(external, PAGES_AT, 1).outcome[EXTERNAL_STACK], 1);
	external_close(external);
}
END_TEST

/* The new run's first start is the engine that the last run left: the others are its own. */
START_TEST(starts_are_given_back_to_one_that_runs)
{
	struct external_options options;
	struct external *external = open_engine(
		HELLO "read points; read point id rest; echo stack $id complete 401234; "
		      "read points; read point id rest; exit",
		&options);
	struct external_report report;

	external_begin(external);
	for (unsigned int run = 0; run < 2; run++) {
		if (run)
			external_begin(external);
		report = ask(external, PAGES_AT, 2 * (int)EXTERNAL_STARTS_MAX - 1 - (int)run);
		ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], EXTERNAL_STARTS_MAX - run);
		ck_assert_uint_eq(report.outcome[EXTERNAL_DIED], EXTERNAL_STARTS_MAX - 1);
		ck_assert_uint_eq(report.outcome[EXTERNAL_GONE], 0);
		ck_assert_uint_eq(report.starts, EXTERNAL_STARTS_MAX - 1);
	}
	report = ask(external, PAGES_AT, 2);
	ck_assert_uint_eq(report.outcome[EXTERNAL_GONE], 1);
	external_close(external);
}
END_TEST

SUITE(external_counts, TIMEOUT(300), LOOP(stack_is_read_by_the_page, windows),
      TEST(starts_are_given_back_to_one_that_runs), LOOP(reads_are_counted, reads),
      LOOP(reads_have_their_limit, limits), LOOP(time_has_its_limits, times),
      TEST(answers_have_their_time), LOOP(hello_and_answer_have_each_their_own, own_times),
      TEST(who_is_let_go_ends_by_itself), LOOP(short_memory_is_not_its_fault, short_memories),
      TEST(mappings_that_have_no_room_are_an_error))
