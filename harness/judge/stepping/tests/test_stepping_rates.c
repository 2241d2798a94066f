/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_rates.c - how many instructions a second are made of what a clock says
 *
 * The clock is made up: each loop takes as long as a case says, whatever this machine does.
 * test_stepping_estimate.c counts the loops' instructions.
 */
#include <stdlib.h>
#include <time.h>
#include "tests/suite.h"

static int made_up_clock(clockid_t clock, struct timespec *ret);
#define clock_gettime made_up_clock
#include "judge/stepping/stepping_native.c"

#define LOOPS (2 * RATE_TRIES) /* a tight one and a waiting one each time */

/* Of each loop, in milliseconds; 0: as the one of its kind before. */
static const struct {
	const char *name;
	unsigned int ms[LOOPS];
	bool broken;		  /* the clock says nothing */
	unsigned int most, least; /* whose time counts; 0: none */
} cases[] = {
	{ "the_quickest_and_the_slowest", { 30, 90, 20, 70, 40, 120, 25, 80 }, false, 20, 120 },
	{ "be_it_the_first_one", { 20, 120, 30, 90 }, false, 20, 120 },
	{ "be_it_the_last_one", { 30, 90, [LOOPS - 2] = 20, [LOOPS - 1] = 120 }, false, 20, 120 },
	{ "a_clock_that_says_nothing", { 0 }, true, 0, 0 },
};

static int which, asked;
static uint64_t now_ms;

/* It is asked before a loop and behind it. */
static int made_up_clock(clockid_t clock, struct timespec *ret)
{
	static unsigned int last[2];
	int loop = asked / 2;

	ck_assert_int_eq(clock, CLOCK_THREAD_CPUTIME_ID);
	ck_assert_int_lt(loop, LOOPS);
	if (cases[which].ms[loop])
		last[loop % 2] = cases[which].ms[loop];
	now_ms += asked++ % 2 ? last[loop % 2] : 1000;
	*ret = (struct timespec) { .tv_sec = (time_t)(now_ms / 1000),
				   .tv_nsec = (long)(now_ms % 1000) * 1000000 };
	return cases[which].broken ? -1 : 0;
}

static void check_rate(double rate, const struct native_loop *loop, unsigned int ms)
{
	double steps = (double)loop->rounds * (double)loop->steps;

	ck_assert_msg(ms ? rate > 0.999 * steps * 1000 / ms && rate < 1.001 * steps * 1000 / ms
			 : !rate,
		      "%s: %f", cases[which].name, rate);
}

START_TEST(rates_of_a_clock)
{
	struct native_rates rates = { .most = 1, .least = 1 };
	struct error error;

	which = _i;
	ck_assert_int_eq(stepping_native_rates(&rates, &error), 0);
	check_rate(rates.most, &native_tight, cases[_i].most);
	check_rate(rates.least, &native_waiting, cases[_i].least);
	ck_assert_int_eq(asked, 2 * LOOPS);
}
END_TEST

SUITE(stepping_rates, LOOP(rates_of_a_clock, cases))
