/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bench_lookup.c - which rows are looked up, that both sides agree first, and what is timed
 *
 * The clock and the other side are made up; the image is the C library.
 */
#include <limits.h>
#include <math.h>
#include "tests/suite.h"
#include "clock.h"

static uint64_t now; /* nanoseconds */

static uint64_t made_up_ns(void)
{
	return now;
}
#define monotonic_ns made_up_ns
#include "lab/bench/bench_lookup.c"

/* ---- rows ----------------------------------------------------------------------------------- */

static const struct row_case {
	const char *name;
	bool usable;
	struct row_rule cfa, ra;
} rows[] = {
	{ "rsp_plus_8",
	  true,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "rax",
	  true,
	  { RULE_CFA_REGISTER, .reg = 0, .offset = 8 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "r15",
	  true,
	  { RULE_CFA_REGISTER, .reg = 15, .offset = 8 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "rip",
	  false,
	  { RULE_CFA_REGISTER, .reg = 16, .offset = 8 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "an_expression", false, { .kind = RULE_CFA_EXPRESSION }, { RULE_OFFSET, .offset = -8 } },
	{ "a_megabyte_less_one",
	  true,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 1048575 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "a_megabyte",
	  false,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 1048576 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "below_by_a_megabyte_less_one",
	  true,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = -1048575 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "below_by_a_megabyte",
	  false,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = -1048576 },
	  { RULE_OFFSET, .offset = -8 } },
	{ "another_slot",
	  false,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { RULE_OFFSET, .offset = -16 } },
	{ "a_value",
	  false,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { RULE_VAL_OFFSET, .offset = -8 } },
	{ "no_return_address",
	  false,
	  { RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { .kind = RULE_UNDEFINED } },
};

START_TEST(rows_that_all_sides_can_do)
{
	struct row row = { .cfa = rows[_i].cfa };

	row.reg[REGISTER_RIP] = rows[_i].ra;
	ck_assert_msg(usable(&row) == rows[_i].usable, "%s", rows[_i].name);
}
END_TEST

/* ---- the other side ------------------------------------------------------------------------- */

static struct {
	unsigned int wrong; /* the point that it has wrong; UINT_MAX: none */
	bool refuses;
	unsigned int calls, overheads, closed;
	unsigned int begin[512], count[512];
	bool cold;
} other;

static int other_open(struct bench_lookup *lookup, const struct bench_points *points, bool cold,
		      struct error *error)
{
	other.cold = cold;
	snprintf(lookup->note, sizeof(lookup->note), "%s", cold ? "cold" : "warm");
	return other.refuses ? error_set(error, ERROR_UNAVAILABLE, "", 0, "it will not") : 0;
}

static uint64_t other_run(struct bench_lookup *lookup, const struct bench_points *points,
			  unsigned int begin, unsigned int count)
{
	ck_assert_uint_lt(other.calls, 512);
	other.begin[other.calls] = begin;
	other.count[other.calls++] = count;
	now += 5 * count;
	return count != 1 ? 1 : points->cfa[begin] + (begin == other.wrong);
}

static uint64_t other_overhead(struct bench_lookup *lookup, const struct bench_points *points,
			       unsigned int begin, unsigned int count)
{
	ck_assert_uint_eq(begin, other.begin[other.calls - 1]);
	ck_assert_uint_eq(count, other.count[other.calls - 1]);
	other.overheads++;
	now += 2 * count;
	return 1;
}

static void other_close(struct bench_lookup *lookup)
{
	other.closed++;
}

static struct bench_lookup other_lookup(void)
{
	return (struct bench_lookup) {
		.name = "another", .open = other_open, .run = other_run, .close = other_close
	};
}

START_TEST(each_point_is_held_against_its_row)
{
	uint64_t vaddr[] = { 0x1000, 0x1001, 0x1002 }, cfa[] = { 0x7000, 0x7008, 0x7010 };
	const struct bench_points points = { .vaddr = vaddr, .cfa = cfa, .count = 3 };
	struct bench_lookup lookup = other_lookup();
	struct error error = { 0 };

	other.wrong = UINT_MAX;
	ck_assert_int_eq(check(&lookup, &points, &error), 0);
	ck_assert_uint_eq(other.calls, 3);
	for (unsigned int i = 0; i < 3; i++) {
		ck_assert_uint_eq(other.begin[i], i);
		ck_assert_uint_eq(other.count[i], 1);
		other.calls = 0;
		other.wrong = i;
		ck_assert_int_eq(check(&lookup, &points, &error), -1);
		ck_assert_uint_eq(other.calls, i + 1);
		ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	}
	ck_assert_str_eq(error.message, "another: CFA 0x7011 at 0x1002, where the row says 0x7010");
}
END_TEST

/* ---- what is timed -------------------------------------------------------------------------- */

START_TEST(few_points_again_and_again)
{
	const struct bench_points points = { .count = POINTS };
	struct bench_lookup lookup = other_lookup();

	ck_assert(fabs(measure(&lookup, &points, NULL, 3) - 5) < 1e-9);
	ck_assert_uint_eq(other.calls, 100);
	for (int i = 0; i < 100; i++)
		ck_assert(other.begin[i] == 0 && other.count[i] == 64);
	ck_assert_uint_eq(other.overheads, 0);
	/* What it does besides is taken off. */
	lookup.overhead = other_overhead;
	other.calls = 0;
	ck_assert(fabs(measure(&lookup, &points, NULL, 0) - 3) < 1e-9);
	ck_assert_uint_eq(other.calls, 100);
	ck_assert_uint_eq(other.overheads, 100);
}
END_TEST

START_TEST(other_points_behind_swept_caches)
{
	static char buffer[256];
	const struct bench_points points = { .count = POINTS };
	const struct bench_sweep sweep = { buffer, sizeof(buffer) };
	struct bench_lookup lookup = other_lookup();

	for (unsigned int run = 0; run < 3; run++) {
		other.calls = 0;
		ck_assert(fabs(measure(&lookup, &points, &sweep, run) - 5) < 1e-9);
		ck_assert_uint_eq(other.calls, 4);
		for (unsigned int i = 0; i < 4; i++) {
			ck_assert_uint_eq(other.begin[i], (run * 4 + i) * 512 % 4096);
			ck_assert_uint_eq(other.count[i], 512);
		}
		ck_assert_int_eq(buffer[0], 4 * (run + 1));
	}
	ck_assert_int_eq(buffer[192], 12);
	ck_assert_int_eq(buffer[1], 0);
}
END_TEST

/* ---- the whole ------------------------------------------------------------------------------ */

static char libc[4096];
static struct shared shared;

static int both(struct bench_lookup *theirs, bool cold, unsigned int runs)
{
	const struct bench_options options = { .runs = runs };
	struct error error;

	ck_assert_msg(!bench_image_find("libc", libc, &error), "%s", error.message);
	shared = (struct shared) { .status = -1, .ours = { -1, -1, -1 }, .theirs = { -1, -1, -1 } };
	return measure_both(&options, libc, theirs, cold, &shared);
}

START_TEST(both_sides_in_turn)
{
	struct bench_lookup theirs = other_lookup();

	other.wrong = UINT_MAX;
	/* All points are asked once, first: more than the list has room for. */
	theirs.run = ours_run;
	ck_assert_msg(!both(&theirs, _i, 2), "%s", shared.error.message);
	ck_assert_int_eq(shared.status, 0);
	ck_assert_str_eq(shared.note, _i ? "cold" : "warm");
	ck_assert_int_eq(other.cold, _i);
	ck_assert_uint_eq(other.closed, 1);
	/* The clock stands. */
	for (int i = 0; i < 3; i++)
		ck_assert(shared.ours[i] == (i < 2 ? 0 : -1) &&
			  shared.theirs[i] == (i < 2 ? 0 : -1));
}
END_TEST

START_TEST(a_side_that_is_wrong)
{
	struct bench_lookup theirs = other_lookup();

	other.wrong = 0;
	ck_assert_int_eq(both(&theirs, false, 1), -1);
	ck_assert_int_eq(shared.status, -1);
	ck_assert_uint_eq(other.closed, 1);
	ck_assert(!strncmp(shared.error.message, "another: CFA ", 13));
	ck_assert(shared.ours[0] == -1);
}
END_TEST

START_TEST(a_side_that_is_not_there)
{
	struct bench_lookup theirs = other_lookup();

	other.refuses = true;
	ck_assert_int_eq(both(&theirs, false, 1), -1);
	ck_assert_uint_eq(other.closed, 0);
	ck_assert_str_eq(shared.error.message, "it will not");
}
END_TEST

START_TEST(a_figure)
{
	const struct bench_options options = { .runs = 1 };
	struct bench_lookup theirs = other_lookup();
	struct bench_figure figure = { .subject = "libc" };
	struct error error = { 0 };

	theirs.run = ours_run;
	ck_assert_msg(!bench(&options, &theirs, _i, &figure, &error), "%s", error.message);
	ck_assert_str_eq(figure.unit, "ns/PC");
	ck_assert_str_eq(figure.reference, "another");
	ck_assert(figure.value == 0 && figure.reference_value == 0);
	ck_assert(!strncmp(figure.note, _i ? "4096 random PCs of /" : "64 random PCs of /",
			   _i ? 20 : 18));
	ck_assert_ptr_nonnull(
		strstr(figure.note, _i ? "libc.so.6, caches swept; cold" : "libc.so.6; warm"));
	other.refuses = true;
	ck_assert_int_eq(bench(&options, &theirs, _i, &figure, &error), -1);
	ck_assert_str_eq(error.message, "it will not");
	figure.subject = "nothing";
	ck_assert_int_eq(bench(&options, &theirs, _i, &figure, &error), -1);
	ck_assert_str_eq(error.message, "no image is called 'nothing'");
}
END_TEST

static uint64_t dies(struct bench_lookup *lookup, const struct bench_points *points,
		     unsigned int begin, unsigned int count)
{
	raise(SIGKILL);
	return 0;
}

START_TEST(a_side_that_dies)
{
	const struct bench_options options = { .runs = 1 };
	struct bench_lookup theirs = other_lookup();
	struct bench_figure figure = { .subject = "libc" };
	struct error error = { 0 };

	theirs.run = dies;
	ck_assert_int_eq(bench(&options, &theirs, false, &figure, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_str_eq(error.message, "looking up ended by signal 9");
}
END_TEST

/* ---- addresses ------------------------------------------------------------------------------ */

/* Made-up FDEs: each of their bytes is as likely, and no other is drawn. */
START_TEST(addresses_are_drawn_evenly)
{
	struct cfi_fde fde[] = { { .pc_begin = 0x1000, .pc_range = 3 },
				 { .pc_begin = 0x2000, .pc_range = 0 },
				 { .pc_begin = 0x3000, .pc_range = 1 },
				 { .pc_begin = 0x4000, .pc_range = 4 } };
	struct cfi cfi = { .fde = fde, .fde_count = COUNT(fde) };
	uint64_t covered[] = { 0, 3, 3, 4, 8 };
	struct bench_drawer drawer = { &cfi, covered, 1 };
	static const uint64_t bytes[] = { 0x1000, 0x1001, 0x1002, 0x3000,
					  0x4000, 0x4001, 0x4002, 0x4003 };
	unsigned int drawn[COUNT(bytes)] = { 0 }, all = 0;

	for (int i = 0; i < 8000; i++) {
		uint64_t vaddr = bench_draw(&drawer);

		for (int j = 0; j < COUNT(bytes); j++)
			drawn[j] += bytes[j] == vaddr;
	}
	for (int j = 0; j < COUNT(bytes); j++) {
		all += drawn[j];
		ck_assert_msg(drawn[j] > 850 && drawn[j] < 1150, "%d: %u", j, drawn[j]);
	}
	ck_assert_uint_eq(all, 8000);
}
END_TEST

START_TEST(points_of_an_image)
{
	struct bench_points points = { 0 };
	struct bench_drawer drawer;
	struct error error;
	struct cfi *cfi;

	ck_assert(!bench_image_find("libc", libc, &error));
	ck_assert(!image_create(libc, &points.image, &error));
	ck_assert_msg(!make_points(&points, &error), "%s", error.message);
	ck_assert_uint_eq(points.count, 4096);
	for (int i = 1; i < REGISTER_GPR_COUNT; i++)
		ck_assert_uint_eq(points.reg[i], points.reg[i - 1] + 4096);
	/* A return address is wherever an offset of up to a megabyte leads. */
	for (int i = 0; i < REGISTER_GPR_COUNT; i += REGISTER_GPR_COUNT - 1) {
		ck_assert_uint_eq(*(uint64_t *)(points.reg[i] - OFFSET_MAX), RETURN_ADDRESS);
		ck_assert_uint_eq(*(uint64_t *)(points.reg[i] + OFFSET_MAX), RETURN_ADDRESS);
	}
	ck_assert(!cfi_create(points.image, &cfi, &error));
	for (unsigned int i = 0; i < points.count; i += 64) {
		struct row row;

		ck_assert_int_eq(cfi_row_find(cfi, points.vaddr[i], &row, &error), 1);
		ck_assert(usable(&row));
		ck_assert_uint_eq(points.cfa[i], points.reg[row.cfa.reg] + row.cfa.offset);
	}
	cfi_destroy(cfi);
	/* The same each time. */
	ck_assert(!bench_drawer_init(&drawer, points.image, &error));
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t vaddr = bench_draw(&drawer);

		while (vaddr != points.vaddr[i])
			vaddr = bench_draw(&drawer);
	}
	bench_drawer_deinit(&drawer);
	image_destroy(points.image);
}
END_TEST

SUITE(bench_lookup, TIMEOUT(300), LOOP(rows_that_all_sides_can_do, rows),
      TEST(each_point_is_held_against_its_row), TEST(few_points_again_and_again),
      TEST(other_points_behind_swept_caches), TIMES(both_sides_in_turn, 2),
      TEST(a_side_that_is_wrong), TEST(a_side_that_is_not_there), TIMES(a_figure, 2),
      TEST(a_side_that_dies), TEST(addresses_are_drawn_evenly), TEST(points_of_an_image))
