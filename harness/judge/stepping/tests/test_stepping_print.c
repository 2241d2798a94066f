/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_print.c - what is said of an estimate, to the letter
 *
 * Each field has a value of its own, so that none is said in another's place.
 * test_stepping_estimate.c has what follows from what.
 */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/stepping/stepping.h"

#define NATIVE IN_BRACES(.seconds = 1.5, .cpu_seconds = 0.25, .status = 0x300)
#define COSTS                                                                                      \
	.measured = true, .step_ns = 2500, .point_ns = 7500, .every = 4, .limit = 9, .points = 12, \
	.seconds = 33, .seconds_low = 22, .limit_minute = 55

#define GIVEN(...) .given = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct stepping_estimate given;
	const char *text, *json;
} said[] = {
	{ "stepped_to_its_end",
	  GIVEN(.native = NATIVE, .by = ESTIMATE_STEPPED, .status = 0x300, .steps = 101,
		.steps_low = 101, .stepped = 101, .stepped_seconds = 3.5, .threads = 5,
		.every_minute = 6, .every_minute_low = 6, COSTS),
	  "a?b: unstepped 1.500 s, 0.250 s of CPU time\n"
	  "steps: 101, counted in 3.5 s\n"
	  "a step takes 2.5 us here, a point 7.5 us more\n"
	  "it would take about 33.0 s: 12 points, --every=4\n"
	  "ends in a minute: --every=6; --limit=55 with --every=4\n",
	  "{\"type\":\"estimate\",\"program\":\"a\\tb\",\"native_seconds\":1.5,"
	  "\"native_cpu_seconds\":0.25,\"native_status\":768,\"steps_by\":\"stepped\","
	  "\"steps\":101,\"steps_low\":101,\"steps_high\":101,\"steps_counted\":101,"
	  "\"counted_seconds\":3.5,\"threads\":5,\"children\":0,\"step_ns\":2500.0,"
	  "\"point_ns\":7500.0,\"every\":4,\"points\":12,\"seconds\":33.0,\"seconds_low\":22.0,"
	  "\"seconds_high\":33.0,\"every_for_a_minute\":6,\"every_for_a_minute_low\":6,"
	  "\"limit_for_a_minute\":55,\"unknown\":[],\"exit_status\":0}\n" },
	{ "guessed_with_all_that_can_be_unknown_then",
	  GIVEN(.native = { .seconds = 1.5, .cpu_seconds = 0.25, .status = SIGSEGV },
		.by = ESTIMATE_TIME, .status = 0x100, .steps = 101, .steps_low = 77, .stepped = 44,
		.stepped_seconds = 3.5, .threads = 5, .children = 8, .from_missed = true,
		.input_is_empty = true, .every_minute = 6, .every_minute_low = 2, COSTS),
	  "a?b: unstepped 1.500 s, 0.250 s of CPU time\n"
	  "steps: 77 to 101; the first 44 were counted in 3.5 s\n"
	  "a step takes 2.5 us here, a point 7.5 us more\n"
	  "it would take 22.0 to 33.0 s: at most 12 points, --every=4\n"
	  "ends in a minute: --every=6, perhaps --every=2; --limit=55 with --every=4\n"
	  "not known: how many steps there are is between what a loop that never waits makes in "
	  "its CPU time, and one that waits for each load; fewer if it waits for memory itself, "
	  "more if it copies with rep, of which each element is a step\n"
	  "not known: standard input can't be read twice: the program had none\n"
	  "not known: processes that it makes run unstepped: their time comes on top\n"
	  "not known: the unstepped run was ended by a signal\n"
	  "not known: what --from names was not come to\n",
	  "{\"type\":\"estimate\",\"program\":\"a\\tb\",\"native_seconds\":1.5,"
	  "\"native_cpu_seconds\":0.25,\"native_status\":11,\"steps_by\":\"time\","
	  "\"steps\":101,\"steps_low\":77,\"steps_high\":101,\"steps_counted\":44,"
	  "\"counted_seconds\":3.5,\"threads\":5,\"children\":8,\"step_ns\":2500.0,"
	  "\"point_ns\":7500.0,\"every\":4,\"points\":12,\"seconds\":33.0,\"seconds_low\":22.0,"
	  "\"seconds_high\":33.0,\"every_for_a_minute\":6,\"every_for_a_minute_low\":2,"
	  "\"limit_for_a_minute\":55,\"unknown\":[\"guessed\",\"input\",\"children\",\"died\","
	  "\"from\"],\"exit_status\":0}\n" },
	{ "no_end_is_known",
	  GIVEN(.native = { .seconds = 1.5,
			    .cpu_seconds = 0.25,
			    .endless = true,
			    .status = SIGKILL },
		.by = ESTIMATE_NONE, .steps = 44, .steps_low = 44, .stepped = 44,
		.stepped_seconds = 3.5, .threads = 5, COSTS,
		.cut = { .ending = TRACER_TIMEOUT,
			 .early = { .message = "why" },
			 .steps = 43,
			 .place = "there" }),
	  "a?b: unstepped 1.500 s, 0.250 s of CPU time\n"
	  "steps: not known; the first 44 were counted in 3.5 s\n"
	  "a step takes 2.5 us here, a point 7.5 us more\n"
	  "ends in a minute: no --every that is known; --limit=55 with --every=4\n"
	  "not known: the unstepped run did not end in time: how long it is nobody knows\n",
	  "{\"type\":\"estimate\",\"program\":\"a\\tb\",\"native_seconds\":1.5,"
	  "\"native_cpu_seconds\":0.25,\"native_status\":null,\"steps_by\":\"none\","
	  "\"steps\":43,\"steps_low\":null,\"steps_high\":null,\"steps_counted\":44,"
	  "\"counted_seconds\":3.5,\"threads\":5,\"children\":0,\"step_ns\":2500.0,"
	  "\"point_ns\":7500.0,\"every\":4,\"points\":null,\"seconds\":null,\"seconds_low\":null,"
	  "\"seconds_high\":null,\"every_for_a_minute\":null,\"every_for_a_minute_low\":null,"
	  "\"limit_for_a_minute\":55,\"unknown\":[\"endless\"],\"partial\":\"timeout\","
	  "\"partial_message\":\"why\",\"ended_at\":\"there\",\"exit_status\":99}\n" },
	{ "a_signal_came_before_costs_were_measured",
	  GIVEN(.native = { .seconds = 1.5,
			    .cpu_seconds = 0.25,
			    .interrupted = true,
			    .status = SIGKILL },
		.by = ESTIMATE_NONE,
		.cut = { .ending = TRACER_INTERRUPTED, .early = { .message = "why" } }),
	  NULL,
	  "{\"type\":\"estimate\",\"program\":\"a\\tb\",\"native_seconds\":1.5,"
	  "\"native_cpu_seconds\":0.25,\"native_status\":null,\"steps_by\":\"none\","
	  "\"steps\":0,\"steps_low\":null,\"steps_high\":null,\"steps_counted\":0,"
	  "\"counted_seconds\":0.0,\"threads\":0,\"children\":0,\"unknown\":[],"
	  "\"partial\":\"interrupted\",\"partial_message\":\"why\",\"exit_status\":99}\n" },
	{ "another_end_than_without_steps",
	  GIVEN(.native = NATIVE, .by = ESTIMATE_STEPPED, .status = 0x100, .every = 1),
	  "a?b: unstepped 1.500 s, 0.250 s of CPU time\n"
	  "steps: 0, counted in 0.0 s\n"
	  "a step takes 0.0 us here, a point 0.0 us more\n"
	  "it would take about 0.0 s: 0 points, --every=1\n"
	  "ends in a minute: no --every, the steps alone take longer; --limit=0\n"
	  "not known: the stepped run ended otherwise than the unstepped one\n",
	  "{\"type\":\"estimate\",\"program\":\"a\\tb\",\"native_seconds\":1.5,"
	  "\"native_cpu_seconds\":0.25,\"native_status\":768,\"steps_by\":\"stepped\","
	  "\"steps\":0,\"steps_low\":0,\"steps_high\":0,\"steps_counted\":0,"
	  "\"counted_seconds\":0.0,\"threads\":0,\"children\":0,\"unknown\":[\"differs\"],"
	  "\"exit_status\":0}\n" },
};

START_TEST(to_the_letter)
{
	const struct stepping_estimate *given = &said[_i].given;

	if (said[_i].text)
		check_printed(said[_i].name,
			      PRINTED(file, stepping_print_text(file, "a\tb", given)),
			      said[_i].text);
	check_printed(said[_i].name, PRINTED(file, stepping_print_json(file, "a\tb", given)),
		      said[_i].json);
}
END_TEST

SUITE(stepping_print, LOOP(to_the_letter, said))
