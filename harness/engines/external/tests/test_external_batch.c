/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_batch.c - points that are asked about at once: each with its own registers, stack and memory
 */
#include "tests/suite.h"
#include "external_engines.h"

/* Its points are asked about in batches, and one that fails loses one point of its batch. */
START_TEST(batches)
{
	static const char command[] =
		"echo hello 1; echo batch 3; echo ready; read hello; " MAPPINGS
		"while read points count; do n=0; echo $count >&2; "
		"while [ $n -lt $count ]; do read point id rest; n=$((n + 1)); ids=\"$ids $id\"; "
		"done; "
		"for id in $ids; do [ $id -ne 2 ] || exit 1; echo stack $id complete $id; done; "
		"ids=; done";
	struct external_options options = options_of(command, NULL, false);
	struct external_point point[5];
	struct stack stack[5] = { 0 };
	struct external_report report;
	struct external *external;
	struct error error;
	char text[200];

	for (int i = 0; i < 5; i++)
		point[i] = (struct external_point) { points_registers(), &points_memory };
	open_engine(&options, &external);
	ck_assert_int_eq(external_mappings(external, NULL, 0, &error), 0);
	ck_assert_int_eq(external_ask(external, point, 5, stack, &error), 0);
	external_report(external, &report);
	ck_assert_str_eq(report.said, "3\n3\n");
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 4);
	ck_assert_uint_eq(report.outcome[EXTERNAL_DIED], 1);
	for (uint64_t i = 0; i < 5; i++) {
		static const char *const wanted[] = { "complete 1", NONE, "complete 3",
						      "complete 4", "complete 5" };

		write_stack(&stack[i], text, sizeof(text));
		ck_assert_str_eq(text, wanted[i]);
		stack_deinit(&stack[i]);
	}
	external_close(external);
}
END_TEST

START_TEST(objects_are_asked_in_batches_too)
{
	struct external_options options = options_of("", "", false);
	struct external_point point[EXTERNAL_BATCH_MAX + 1];
	static struct stack stack[EXTERNAL_BATCH_MAX + 1];
	struct external_report report;
	struct external *external;
	struct error error;
	char text[200];

	for (unsigned int i = 0; i <= EXTERNAL_BATCH_MAX; i++)
		point[i] = (struct external_point) { points_registers(), &points_memory };
	open_engine(&options, &external);
	ck_assert_int_eq(external_ask(external, point, EXTERNAL_BATCH_MAX + 1, stack, &error), 0);
	external_report(external, &report);
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], EXTERNAL_BATCH_MAX + 1);
	ck_assert_uint_eq(report.reads, EXTERNAL_BATCH_MAX + 1);
	ck_assert_str_eq(report.version, "hostile 7");
	for (unsigned int i = 0; i <= EXTERNAL_BATCH_MAX; i++) {
		write_stack(&stack[i], text, sizeof(text));
		ck_assert_str_eq(text, GOOD);
		stack_deinit(&stack[i]);
	}
	external_close(external);
}
END_TEST

/* As much of its version as there is room for. */
START_TEST(a_version_has_a_limit)
{
	struct external_options options = options_of("", "early_version", false);
	struct external_report report;
	struct external *external;

	open_engine(&options, &external);
	external_report(external, &report);
	ck_assert_uint_eq(strlen(report.version), sizeof(report.version) - 1);
	ck_assert_uint_eq(strspn(report.version, "v"), sizeof(report.version) - 1);
	external_close(external);
}
END_TEST

/* What comes with the point is not read again. */
START_TEST(a_window_saves_reads)
{
	struct external_options options = options_of("", "window", false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	open_engine(&options, &external);
	ask(external, POINTS, answer);
	external_report(external, &report);
	ck_assert_uint_eq(report.reads, 0);
	external_close(external);
}
END_TEST

static int read_u(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, 'U', size);
	return 0;
}

/* Register 1 of the second point is not known, and register 6 is. */
START_TEST(each_point_of_a_batch_has_its_own)
{
	static const char command[] =
		"echo hello 1; echo batch 2; echo window 8; echo ready; read hello; " MAPPINGS
		"read points; read one; read two; echo \"$one\" >&2; echo \"$two\" >&2; "
		"for id in 2 1; do echo read $id 7008 1; read memory; echo $memory >&2; done; "
		"echo stack 1 complete 1; echo stack 2 complete 2; cat >/dev/null";
	struct external_options options = options_of(command, NULL, false);
	struct register_values regs[2] = { *points_registers(), *points_registers() };
	const struct memory_reader u = { .read = read_u };
	const struct external_point point[] = { { &regs[0], &points_memory }, { &regs[1], &u } };
	struct stack stack[2] = { { 0 } };
	struct external_report report;
	struct external *external;
	struct error error;

	regs[1].known = ((1u << REGISTER_COUNT) - 1) & ~2u;
	regs[1].value[REGISTER_RSP] = 0x1000;
	open_engine(&options, &external);
	ck_assert_int_eq(external_mappings(external, NULL, 0, &error), 0);
	ck_assert_int_eq(external_ask(external, point, 2, stack, &error), 0);
	external_report(external, &report);
	ck_assert_str_eq(report.said, "point 1 0 1 2 3 4 5 0 7ff0 8 9 a b c d e f 401234 "
				      "7856400000000000\n"
				      "point 2 0 0 2 3 4 5 6 1000 8 9 a b c d e f 401234 "
				      "5555555555555555\n"
				      "memory 55\nmemory 08\n");
	ck_assert_uint_eq(report.bytes, 8 + 8 + 1 + 1);
	for (int i = 0; i < 2; i++)
		stack_deinit(&stack[i]);
	external_close(external);
}
END_TEST

/* Says each line that it is told, but for points; those it answers. */
#define TELLS(at_a_point)                                                                          \
	"while read word id rest; do case $word in point) " at_a_point                             \
	"echo stack $id complete $id;; *) echo $word $id $rest >&2;; esac; done"

/* What its first process wanted is not what the second one gets; what that one is told is all. */
START_TEST(one_that_is_started_again_says_anew_what_it_wants)
{
	char folder[] = "/tmp/external.XXXXXX", command[400];
	struct external_options options = options_of(command, NULL, false);
	struct external_point point[3];
	struct stack stack[3] = { { 0 } };
	struct external_report report;
	struct external *external;
	struct error error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "echo hello 1; if rmdir %s 2>/dev/null; then echo window 16; echo batch 2; fi; "
		 "echo ready; " TELLS("[ $id -ne 1 ] || exit 1; "),
		 folder);
	for (int i = 0; i < 3; i++)
		point[i] = (struct external_point) { points_registers(), &points_memory };
	open_engine(&options, &external);
	ck_assert_int_eq(external_mappings(external, NULL, 0, &error), 0);
	ck_assert_int_eq(external_ask(external, point, 3, stack, &error), 0);
	external_report(external, &report);
	ck_assert_str_eq(report.said, "hello 1\nmappings 0\npoints 2\n"
				      "hello 1\nmappings 0\npoints 1\npoints 1\n");
	ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], 2);
	ck_assert_uint_eq(report.bytes, 2 * 16);
	for (int i = 0; i < 3; i++)
		stack_deinit(&stack[i]);
	external_close(external);
}
END_TEST

/* From then on it knows of no others; and is told of them once. */
START_TEST(mappings_take_the_place_of_those_before)
{
	struct external_options options = options_of("echo hello 1; echo ready; " TELLS(""), NULL,
						     false);
	struct external_mapping mapping = { .start = 0x1000, .end = 0x2000, .path = "/a" };
	struct external_report report;
	struct external *external;
	char answer[POINTS][200];
	struct error error;

	open_engine(&options, &external);
	for (int i = 0; i < 2; i++) {
		mapping.start += 0x100;
		ck_assert_int_eq(external_mappings(external, &mapping, 1, &error), 0);
		ask(external, 2, answer);
	}
	ck_assert_str_eq(answer[1], "complete 4");
	external_report(external, &report);
	ck_assert_str_eq(report.said,
			 "hello 1\nmappings 1\nmapping 1100 2000 0 0 - /a\npoints 1\npoints 1\n"
			 "mappings 1\nmapping 1200 2000 0 0 - /a\npoints 1\npoints 1\n");
	external_close(external);
}
END_TEST

/* Points' numbers rise from run to run, and what it says of itself stays; what it failed at is the run's. */
START_TEST(numbers_rise_from_run_to_run)
{
	struct external_options options =
		options_of("echo hello 1; echo version of one; echo window 8; echo ready; " TELLS(
				   "[ $id -ne 4 ] || exit 6; echo read $id 7000 4; read memory; "),
			   NULL, false);
	static const char *const answers[][3] = { { "complete 1", "complete 2", "complete 3" },
						  { NONE, "complete 5", "complete 6" },
						  { "complete 7", "complete 8", "complete 9" } };
#define FIRST_RUN  "hello 1\nmappings 0\npoints 1\npoints 1\npoints 1\n"
#define SECOND_RUN FIRST_RUN "points 1\nhello 1\nmappings 0\npoints 1\npoints 1\n"
	static const char *const said[] = { FIRST_RUN, SECOND_RUN,
					    SECOND_RUN "points 1\npoints 1\npoints 1\n" };
	struct external_report report;
	struct external *external;
	char answer[POINTS][200];
	struct error error;

	open_engine(&options, &external);
	ck_assert_int_eq(external_mappings(external, NULL, 0, &error), 0);
	for (int run = 0; run < COUNT(answers); run++) {
		external_begin(external);
		external_report(external, &report);
		for (int i = 0; i < EXTERNAL_OUTCOME_COUNT; i++)
			ck_assert_uint_eq(report.outcome[i], 0);
		ck_assert(!report.starts && !report.reads && !report.bytes && !report.failure[0]);
		ck_assert(!report.waited_ns && !report.answered_ns);
		ask(external, 3, answer);
		for (int i = 0; i < 3; i++)
			ck_assert_str_eq(answer[i], answers[run][i]);
		external_report(external, &report);
		ck_assert_uint_eq(report.reads, run == 1 ? 2 : 3);
		ck_assert_uint_eq(report.bytes, 3 * 8 + 4 * report.reads);
		ck_assert_uint_eq(report.outcome[EXTERNAL_STACK], report.reads);
		ck_assert_uint_gt(report.answered_ns, 0);
		ck_assert((run == 1) == (report.waited_ns > report.answered_ns));
		ck_assert_str_eq(report.version, "of one");
		ck_assert_str_eq(report.failure, run == 1 ? "point 4: it ended with status 6" : "");
		ck_assert_uint_eq(report.starts, run == 1);
		/* Of mappings that have not changed each process is told once. */
		ck_assert_str_eq(report.said, said[run]);
		if (run == 1)
			ck_assert_uint_eq(report.outcome[EXTERNAL_DIED], 1);
	}
	external_close(external);
}
END_TEST

SUITE(external_batch, TIMEOUT(300), TEST(batches), TEST(objects_are_asked_in_batches_too),
      TEST(a_version_has_a_limit), TEST(a_window_saves_reads),
      TEST(each_point_of_a_batch_has_its_own),
      TEST(one_that_is_started_again_says_anew_what_it_wants),
      TEST(mappings_take_the_place_of_those_before), TEST(numbers_rise_from_run_to_run))
