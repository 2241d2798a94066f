/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_rows_held.c - records of what ran, and the facts that they become
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/plugin_rows_held.c"

static const struct code_file files[] = {
	{ .image = { .kind = TRUTH_IMAGE_FILE, .path = "/p" } },
	{ .image = { .kind = TRUTH_IMAGE_ANONYMOUS, .path = "" } },
};

const struct code_file *code_file(uint32_t number)
{
	return &files[number - 1];
}

uint32_t code_files(void)
{
	return 2;
}

/* push rbp; mov rbp, rsp; a jump */
static struct rows_step steps[] = {
	{ .offset = 0 },
	{ .offset = 1, .stores = true, .sp = 8 },
	{ .offset = 4, .stores = true, .bp_is_by_sp = true, .sp = 8, .bp = 8 }
};
static const struct rows_segment segment = { .key = { .count = 3 }, .step = steps, .size = 6 };
static const struct rows_segment exits = {
	.key = { .count = 3 }, .step = steps, .size = 6, .calls_kernel = true
};

static struct thread_rows rows;

/* Of an image's two calls the first is on trial, within its own function. */
static struct rows_trial trial = { .number = 1, .inner = true };

struct rows_trial *rows_trial_by_index(uint32_t index)
{
	return index == 1 ? &trial : NULL;
}

void rows_readings(const struct rows_trial *of, const struct rows_record *record, bool gone,
		   int64_t ret[ROW_FACT_READINGS])
{
	ret[0] = 16;
	ret[1] = ROW_FACT_NO_CALLER;
}

/* A run of a segment at PC 0x1000 on a stack. */
static struct rows_record *run(const struct rows_segment *of, uint64_t stack, uint64_t sp,
			       uint64_t bp)
{
	const struct rows_record key = {
		.segment = of, .stack = stack, .pc = 0x1000, .file = 1, .sp = sp, .bp = bp
	};
	struct rows_record *ret = rows_record(&rows, &key);

	ck_assert_ptr_nonnull(ret);
	ret->runs++;
	if (ret->ran < 3) {
		rows.running = ret;
		rows.running_at = 0x7000;
	}
	return ret;
}

static void setup(void)
{
	rows = (struct thread_rows) { .owner = 1 };
	checked = elsewhere = 0;
}

static void teardown(void)
{
	rows_end(&rows);
	row_facts_deinit(&facts);
}

/* "1000 8/0 3+0, 1001 16/0 3+0, " */
static const char *said(void)
{
	static char text[2000];
	size_t used = 0;

	row_facts_sort(&facts);
	text[0] = '\0';
	for (uint32_t i = 0; i < facts.facts; i++) {
		const struct row_fact *fact = &facts.fact[i];
		char sp[24], bp[24];

		snprintf(sp, sizeof(sp), "%ld", (long)fact->sp);
		snprintf(bp, sizeof(bp), "%ld", (long)fact->bp);
		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%lx%s %s/%s %lu+%lu",
			(unsigned long)fact->pc, fact->kind == ROW_FACT_DOUBT ? "?" : "",
			fact->sp == ROW_FACT_ANY ? "*" : sp, fact->bp == ROW_FACT_ANY ? "*" : bp,
			(unsigned long)fact->proven, (unsigned long)fact->unproven);
		for (size_t k = 0; k < fact->others; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " [%ld/%ld]",
						 (long)fact->other[k].sp, (long)fact->other[k].bp);
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", ");
	}
	return text;
}

/* Where the thread goes on after the kernel, in the process; 0: at the next block. */
static const struct end_case {
	const char *name;
	uint64_t goes_on;
	const char *expected;
} end_cases[] = {
	{ "next_block", 0, "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, " },
	{ "behind_it", 0x7006, "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, " },
	{ "before_it", 0x6000, "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, " },
	{ "fault_at_the_first", 0x7000, "1000 8/0 1+0, " },
	{ "fault_at_the_second", 0x7001, "1000 8/0 1+0, 1001 16/0 1+0, " },
	{ "fault_at_the_third", 0x7004, "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, " },
};

START_TEST(only_what_ran_is_a_fact)
{
	const struct end_case *c = &end_cases[_i];

	run(&segment, 1, 8, 0);
	if (c->goes_on)
		rows_go_on(&rows, c->goes_on);
	else
		rows_finish(&rows);
	ck_assert(rows_end(&rows));
	ck_assert_msg(!strcmp(said(), c->expected), "%s: %s", c->name, said());
}
END_TEST

START_TEST(thread_ends_in_a_system_call_or_by_a_fault)
{
	run(&segment, 1, 8, 0);
	ck_assert(rows_end(&rows));
	ck_assert_str_eq(said(), "1000 8/0 1+0, ");
	row_facts_deinit(&facts);
	rows.owner = 2;
	run(&exits, 1, 8, 0);
	ck_assert(rows_end(&rows));
	ck_assert_str_eq(said(), "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, ");
}
END_TEST

START_TEST(runs_are_counted_once_each)
{
	for (int i = 0; i < 5; i++) {
		run(&segment, 1, 8, 0);
		rows_finish(&rows);
	}
	run(&segment, 1, 8, 24);
	rows_finish(&rows);
	ck_assert_uint_eq(rows.firsts, 1);
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 5+0, 1000 8/24 1+0, 1001 16/0 5+0, 1001 16/24 1+0, "
				 "1004 16/16 6+0, ");
	ck_assert_uint_eq(checked, 18);
}
END_TEST

START_TEST(contradiction_is_of_its_stacks)
{
	struct rows_record *old = run(&segment, 1, 8, 0);

	rows_finish(&rows);
	run(&segment, 2, 8, 0);
	rows_finish(&rows);
	run(&segment, 3, 8, 0);
	rows_finish(&rows);
	ck_assert(rows_contradict(&rows, 1, 3));
	ck_assert_uint_eq(old->owner, 0);
	ck_assert_uint_eq(rows.firsts, 1);
	run(&segment, 2, 8, 0); /* it is found again */
	ck_assert_uint_eq(rows.firsts, 1);
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 2+2, 1001 16/0 2+2, 1004 16/16 2+2, ");
}
END_TEST

/* What varies is kept 8 times, and then it is any. */
static const struct vary_case {
	const char *name;
	int sp, bp; /* by how much each run adds */
	int runs;
	const char *first; /* the first fact */
	uint32_t facts;	   /* of the segment's first instruction */
} vary_cases[] = {
	{ "neither", 0, 0, 30, "1000 64/32 30+0, ", 1 },
	{ "rsp", 16, 0, 30, "1000 */32 22+0, ", 9 },
	{ "rbp", 0, 16, 30, "1000 64/* 22+0, ", 9 },
	{ "both", 16, 16, 30, "1000 */* 22+0, ", 9 },
	{ "as_often_as_is_kept", 16, 0, 8, "1000 64/32 1+0, ", 8 },
};

START_TEST(what_varies_becomes_any)
{
	const struct vary_case *c = &vary_cases[_i];
	uint32_t count = 0;

	for (int i = 0; i < c->runs; i++) {
		run(&segment, 1, (uint64_t)(64 + i * c->sp), (uint64_t)(32 + i * c->bp));
		rows_finish(&rows);
	}
	rows_end(&rows);
	ck_assert_msg(!strncmp(said(), c->first, strlen(c->first)), "%s: %s", c->name, said());
	while (facts.fact[count].pc == 0x1000)
		count++;
	ck_assert_msg(count == c->facts, "%s: %u", c->name, count);
}
END_TEST

/* pop rcx at the entry: then the return address is in no slot. */
START_TEST(popped_return_address_is_in_doubt)
{
	static struct rows_step pops[] = { { .offset = 0 }, { .offset = 1, .sp = -8 } };
	static const struct rows_segment popping = { .key = { .count = 2 },
						     .step = pops,
						     .size = 3 };

	run(&popping, 1, 8, 0)->ran = 2;
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 1+0, 1001? 0/0 1+0, ");
}
END_TEST

/* Where rsp is on another stack than the caller's frame, or a huge frame is made. */
START_TEST(far_is_not_counted_on)
{
	run(&segment, 1, ROW_FACT_ABOVE, 32);
	rows_finish(&rows);
	run(&segment, 1, ROW_FACT_NEAR, 0);
	rows_finish(&rows);
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 0/32 1+0, 1000 16777216/0 1+0, 1001 0/0 1+0, 1001 0/32 1+0, "
				 "1004 0/0 2+0, ");
}
END_TEST

START_TEST(code_in_no_file_is_counted)
{
	const struct rows_record key = { .segment = &segment, .stack = 1, .file = 2 };

	rows_record(&rows, &key)->runs = 7;
	rows_end(&rows);
	ck_assert_str_eq(said(), "");
	ck_assert_uint_eq(elsewhere, 7);
}
END_TEST

/* ---- calls on trial -------------------------------------------------------------------------------- */

/* A run above a call on trial, rbp is 8 bytes above its CFA. */
static struct rows_record *try(uint64_t sp)
{
	const struct rows_record key = { .segment = &segment,
					 .stack = 1,
					 .pc = 0x1000,
					 .file = 1,
					 .call = 1,
					 .sp = sp,
					 .bp = (uint64_t)-8 };
	struct rows_record *ret = rows_record(&rows, &key);

	ret->runs++;
	ret->ran = 3;
	return ret;
}

static const struct decide_case {
	const char *name;
	int64_t outer[ROW_FACT_READINGS];
	const char *expected;
} decide_cases[] = {
	{ "it_is_a_call", { 0, 0 }, "1000 8/0 2+0, 1001 16/0 2+0, 1004 16/16 2+0, " },
	{ "it_may_be_none",
	  { 16, 0 },
	  "1000 8/0 1+0, 1000 8/0 1+0 [24/8], 1001 16/0 1+0, 1001 16/0 1+0 [32/8], 1004 16/16 1+0, "
	  "1004 16/16 1+0 [32/32], " },
	{ "without_a_caller",
	  { ROW_FACT_NO_CALLER, 0 },
	  "1000 8/0 1+0, 1000 8/0 1+0 [-1/0], 1001 16/0 1+0, 1001 16/0 1+0 [-1/0], 1004 16/16 1+0, "
	  "1004 16/16 1+0 [-1/0], " },
};

/* There is an ordinary record already. */
START_TEST(record_becomes_what_the_call_was)
{
	const struct decide_case *c = &decide_cases[_i];
	struct rows_record *tried;

	run(&segment, 1, 8, 0);
	rows_finish(&rows);
	tried = try(8);
	ck_assert_ptr_eq(try(8), tried);
	tried->runs--;
	rows.running = tried;
	ck_assert(rows_decide(&rows, tried, c->outer));
	ck_assert_ptr_ne(rows.running, tried);
	ck_assert_uint_eq(tried->owner, 0);
	ck_assert_uint_eq(tried->made, 0);
	rows_end(&rows);
	ck_assert_msg(!strcmp(said(), c->expected), "%s: %s", c->name, said());
}
END_TEST

/* Where the thread ends before the call does. */
START_TEST(call_that_is_not_over_has_its_readings)
{
	try(8);
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 1+0 [24/8] [-1/0], 1001 16/0 1+0 [32/8] [-1/0], "
				 "1004 16/16 1+0 [32/32] [-1/0], ");
}
END_TEST

/* call 1f; 1: pop rax */
START_TEST(behind_a_popped_return_address_the_next_frame_is_known)
{
	static struct rows_step pops[] = { { .offset = 0 }, { .offset = 1, .sp = -8 } };
	static const struct rows_segment popping = { .key = { .count = 2 },
						     .step = pops,
						     .size = 2 };
	const int64_t outer[ROW_FACT_READINGS] = { 16, ROW_FACT_NO_CALLER };
	const struct rows_record key = { .segment = &popping,
					 .stack = 1,
					 .pc = 0x1000,
					 .file = 1,
					 .call = 1,
					 .sp = 8,
					 .bp = ROWS_FAR };
	struct rows_record *tried = rows_record(&rows, &key);

	tried->runs = 1;
	tried->ran = 2;
	ck_assert(rows_decide(&rows, tried, outer));
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 1+0 [24/0] [-1/0], 1001 16/0 1+0 [-1/0], ");
}
END_TEST

/* What is saved is as if the thread ended, and goes on. */
START_TEST(saved_facts_are_those_so_far)
{
	char path[] = "/tmp/rows_saved.XXXXXX", line[200] = "";
	struct error error;
	FILE *file;

	ck_assert_int_ge(mkstemp(path), 0);
	run(&segment, 1, 8, 0);
	rows_finish(&rows);
	ck_assert(rows_save_begin());
	ck_assert(rows_save_thread(&rows));
	ck_assert_int_eq(rows_save(path, 64, &error), 0);
	file = fopen(path, "re");
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	ck_assert_str_eq(line, "partial\n");
	while (fgets(line, sizeof(line), file))
		;
	fclose(file);
	remove(path);
	ck_assert_str_eq(line, "E 3\n");
	rows_end(&rows);
	ck_assert_str_eq(said(), "1000 8/0 1+0, 1001 16/0 1+0, 1004 16/16 1+0, ");
}
END_TEST

/* Behind what is written a word may have the return address, or another one, if it may have been read before. */
START_TEST(return_address_is_known_until_it_is_moved)
{
	static struct rows_step moves[] = { { .offset = 0 },
					    { .offset = 1, .stores = true },
					    { .offset = 2, .stores = true, .carries = true } };
	static const struct rows_segment moving = { .key = { .count = 3 },
						    .step = moves,
						    .size = 3 };
	const struct rows_record key = {
		.segment = &moving, .stack = 1, .pc = 0x1000, .file = 1, .sp = 8
	};
	struct rows_record *record = rows_record(&rows, &key);

	record->returns = (struct row_fact_return) { .known = true, .has = 4, .lacks = 3 };
	record->runs = 1;
	record->ran = 3;
	ck_assert_uint_eq(fact_of(record, &moves[0]).returns.has, 4);
	ck_assert(fact_of(record, &moves[1]).returns.known);
	ck_assert_uint_eq(fact_of(record, &moves[1]).returns.has, 0);
	ck_assert_uint_eq(fact_of(record, &moves[1]).returns.lacks, 3);
	ck_assert(!fact_of(record, &moves[2]).returns.known);
	record->carried = true;
	ck_assert(!fact_of(record, &moves[1]).returns.known);
	ck_assert(fact_of(record, &moves[0]).returns.known);
}
END_TEST

SUITE(plugin_rows_held, FIXTURE(setup, teardown), LOOP(only_what_ran_is_a_fact, end_cases),
      TEST(thread_ends_in_a_system_call_or_by_a_fault), TEST(runs_are_counted_once_each),
      TEST(contradiction_is_of_its_stacks), LOOP(what_varies_becomes_any, vary_cases),
      TEST(popped_return_address_is_in_doubt), TEST(far_is_not_counted_on),
      TEST(code_in_no_file_is_counted), LOOP(record_becomes_what_the_call_was, decide_cases),
      TEST(call_that_is_not_over_has_its_readings),
      TEST(behind_a_popped_return_address_the_next_frame_is_known),
      TEST(saved_facts_are_those_so_far), TEST(return_address_is_known_until_it_is_moved))
