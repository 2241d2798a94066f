/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_switches.c - instructions on a thread that is made up -> the stack that it is on
 *
 * A case is a row of instructions, of which each leaves rsp somewhere. What the tracer makes of
 * them is written out: the frames that it has open (by their slots), the stack in use and those
 * that are parked, and what it has counted. There are three stacks in three mappings, A, B and C;
 * the code is real code. Nothing runs: memory is the test's own.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/suite.h"
#include "truth/tracer/tracer.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define STACK_BYTES  0x10000ull
#define PLACE	     0x200000000000ull
#define CODE	     PLACE
#define A(offset)    (PLACE + 0x100000 + (offset))
#define B(offset)    (PLACE + 0x200000 + (offset))
#define C(offset)    (PLACE + 0x300000 + (offset))
#define NOWHERE	     (PLACE + 0x400000)
#define STEPS	     20
#define ENTRY	     (CODE + 0x8000) /* of a function: no call ends there */
#define BEHIND_CALL  (CODE + 0x9000)
#define ELSEWHERE    (CODE + 0xa000)
#define JUMPS_BY     0x100 /* a call */

enum op {
	END,
	CALL,	   /* pushes the address behind it */
	RET,	   /* to the word at rsp */
	RET_TO,	   /* the word at rsp is this now */
	MOVE,	   /* add $n, %rsp */
	SET,	   /* mov %rax, %rsp */
	LEA,	   /* lea -n(%rsp), %rax: what rsp is set to next is computed from it */
	FRAME,	   /* lea -40(%rbp), %rsp */
	LOAD,	   /* mov (%rax), %rsp */
	JUMP,	   /* jmp *%rax, rsp stays */
	PUSH,	   /* push %rbx; the word is this */
	POP,	   /* pop %rbx */
	OVERWRITE, /* no instruction: a word at this address is another one now */
	GROW,	   /* no instruction: the pages above B are a part of its mapping */
};

struct step {
	enum op op;
	uint64_t value;
};

static const struct {
	uint8_t bytes[8], size;
} codes[] = {
	[CALL] = { { 0xe8, 0, 0, 0, 0 }, 5 },
	[RET] = { { 0xc3 }, 1 },
	[RET_TO] = { { 0xc3 }, 1 },
	[MOVE] = { { 0x48, 0x81, 0xc4, 0, 0, 0, 0 }, 7 },
	[SET] = { { 0x48, 0x89, 0xc4 }, 3 },
	[LEA] = { { 0x48, 0x8d, 0x84, 0x24, 0, 0, 0, 0 }, 8 },
	[FRAME] = { { 0x48, 0x8d, 0x65, 0xd8 }, 4 },
	[LOAD] = { { 0x48, 0x8b, 0x20 }, 3 },
	[JUMP] = { { 0xff, 0xe0 }, 2 },
	[PUSH] = { { 0x53 }, 1 },
	[POP] = { { 0x5b }, 1 },
};

static const struct switch_case {
	const char *name;
	struct step step[STEPS];
	const char *expected;
	bool other; /* not the first thread: where its stack ends is not known */
} cases[] = {
	{ .name = "two_calls",
	  .step = { { CALL, 0 }, { MOVE, -0x20ull }, { CALL, 0 } },
	  .expected = "A+eff8 A+efd0 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "a_return",
	  .step = { { CALL, 0 }, { CALL, 0 }, { RET, 0 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1" },
	{ .name = "a_return_to_elsewhere",
	  .step = { { CALL, 0 }, { CALL, 0 }, { RET_TO, BEHIND_CALL } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1 replaced 1" },
	{ .name = "a_return_that_takes_arguments",
	  .step = { { CALL, 0 }, { PUSH, 5 }, { CALL, 0 }, { RET, 8 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1" },
	{ .name = "a_stray_return",
	  .step = { { CALL, 0 }, { PUSH, ELSEWHERE }, { RET, 0 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1 stray 1" },
	{ .name = "a_stray_return_above_the_root",
	  .step = { { MOVE, 8 }, { MOVE, 8 }, { MOVE, -8ull }, { RET_TO, BEHIND_CALL } },
	  .expected = "prefix | A+0..A+10000 base A+10000 of 1 | returns 1 stray 1" },
	{ .name = "a_frame_is_taken_off",
	  .step = { { CALL, 0 }, { CALL, 0 }, { POP, 0 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | taken_off 1" },
	{ .name = "a_frame_is_put_back",
	  .step = { { CALL, 0 }, { CALL, 0 }, { POP, 0 }, { MOVE, -8ull } },
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 | taken_off 1 "
		      "put_back 1" },
	{ .name = "a_frame_is_not_put_back",
	  .step = { { CALL, 0 },
		    { CALL, 0 },
		    { POP, 0 },
		    { OVERWRITE, A(0xeff0) },
		    { MOVE, -8ull } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | taken_off 1" },
	{ .name = "a_frame_that_was_taken_off_returns",
	  .step = { { CALL, 0 }, { CALL, 0 }, { POP, 0 }, { JUMP, CODE + 0x10a } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | taken_off 1" },
	{ .name = "several_are_abandoned",
	  .step = { { CALL, 0 }, { CALL, 0 }, { CALL, 0 }, { MOVE, 0x18 } },
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned "
		      "3" },
	{ .name = "several_are_abandoned_and_jumped_from",
	  .step = { { CALL, 0 }, { CALL, 0 }, { CALL, 0 }, { MOVE, 0x18 }, { JUMP, 0 } },
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1 abandoned 3" },
	{ .name = "an_array_of_variable_length",
	  .step = { { CALL, 0 }, { LEA, 0 }, { SET, A(0x8000) }, { CALL, 0 } },
	  .expected = "A+eff8 A+7ff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "set_further_down_on_the_first_threads_stack",
	  .step = { { CALL, 0 }, { SET, A(0x8000) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ .name = "set_down_within_the_slack",
	  .step = { { CALL, 0 }, { SET, A(0xef78) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "set_down_beyond_the_slack",
	  .step = { { CALL, 0 }, { SET, A(0xef70) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ .name = "set_up_within_what_is_known",
	  .step = { { CALL, 0 }, { MOVE, -0x100ull }, { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "another_thread_sets_it_down",
	  .step = { { CALL, 0 }, { SET, A(0x8000) } },
	  .expected = "prefix | A+0..A+10000 base A+8000 new | parked A+eff8 A+0..A+10000 base "
		      "A+f000 of 2 with 1 | switches 1 disturbed 1",
	  .other = true },
	{ .name = "another_thread_sets_it_down_and_calls",
	  .step = { { CALL, 0 }, { SET, A(0x8000) }, { JUMP, 0 }, { CALL, 0 } },
	  .expected = "A+7ff8 prefix | A+0..A+10000 base A+8000 | parked A+eff8 A+0..A+10000 "
		      "base A+f000 of 2 with 1 | switches 1 disturbed 1",
	  .other = true },
	{ .name = "another_thread_computes_it",
	  .step = { { CALL, 0 }, { LEA, 0 }, { SET, A(0x8000) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 |",
	  .other = true },
	{ .name = "another_thread_goes_on_in_a_call",
	  .step = { { CALL, 0 }, { SET, A(0x8000) }, { CALL, 0 } },
	  .expected = "A+eff8 A+7ff8 rooted region 1 A+0..A+8000 from A+eff8..A+f000 | "
		      "A+0..A+10000 base A+8000 | switches 1 disturbed 1",
	  .other = true },
	{ .name = "another_thread_comes_back_from_the_call",
	  .step = { { CALL, 0 }, { SET, A(0x8000) }, { CALL, 0 }, { RET, 0 }, { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 | switches 1 disturbed 2 "
		      "returns 1",
	  .other = true },
	{ .name = "another_thread_sets_it_just_above_its_base",
	  .step = { { CALL, 0 }, { SET, A(0xf080) }, { CALL, 0 } },
	  .expected = "A+f078 rooted | A+0..A+10000 base A+f080 of 2 | disturbed 1 abandoned 1",
	  .other = true },
	{ .name = "another_thread_sets_it_far_above_its_base",
	  .step = { { CALL, 0 }, { SET, A(0xf088) }, { JUMP, 0 }, { CALL, 0 } },
	  .expected = "A+f080 prefix | A+0..A+10000 base A+f088 | parked A+eff8 A+0..A+10000 "
		      "base A+f000 of 2 with 1 | switches 1 disturbed 1",
	  .other = true },
	{ .name = "to_another_mapping",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) } },
	  .expected = "prefix | B+0..B+10000 base B+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ .name = "to_another_mapping_and_a_jump",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { JUMP, 0 }, { CALL, 0 } },
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 "
		      "base A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ .name = "to_another_mapping_and_a_call",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 } },
	  .expected = "A+eff8 B+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | "
		      "B+0..B+10000 base B+fff0 | switches 1 disturbed 1" },
	{ .name = "to_another_mapping_and_a_call_that_returns",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 }, { RET, 0 } },
	  .expected = "A+eff8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | B+0..B+10000 "
		      "base B+fff0 | switches 1 disturbed 1 returns 1" },
	{ .name = "back_from_the_call",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 }, { RET, 0 }, { LOAD, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ .name = "back_from_a_call_by_a_leave",
	  .step = { { CALL, 0 },
		    { SET, B(0xfff0) },
		    { CALL, 0 },
		    { RET, 0 },
		    { FRAME, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ .name = "back_from_a_call_too_low",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 }, { RET, 0 }, { LOAD, A(0xef70) } },
	  .expected = "prefix | A+0..A+10000 base A+ef70 new | parked B+fff0 B+0..B+10000 base "
		      "B+fff0 with 1 | switches 2 disturbed 2 returns 1" },
	{ .name = "back_from_a_call_a_little_lower",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 }, { RET, 0 }, { LOAD, A(0xef78) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ .name = "back_from_a_call_further_out",
	  .step = { { CALL, 0 },
		    { CALL, 0 },
		    { SET, B(0xfff0) },
		    { CALL, 0 },
		    { RET, 0 },
		    { LOAD, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | switches 1 "
		      "disturbed 2 returns 1 abandoned 1" },
	{ .name = "a_call_on_a_third_stack",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { CALL, 0 }, { SET, C(0xfff0) }, { CALL, 0 } },
	  .expected = "A+eff8 B+ffe8 C+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 "
		      "region 2 C+0..C+10000 from B+ffe8..B+fff0 | C+0..C+10000 base C+fff0 | "
		      "switches 2 disturbed 2" },
	{ .name = "back_from_a_third_stack",
	  .step = { { CALL, 0 },
		    { SET, B(0xfff0) },
		    { CALL, 0 },
		    { SET, C(0xfff0) },
		    { CALL, 0 },
		    { RET, 0 },
		    { SET, B(0xffe8) } },
	  .expected = "A+eff8 B+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | "
		      "B+0..B+10000 base B+fff0 | switches 2 disturbed 3 returns 1" },
	{ .name = "back_from_a_third_stack_to_the_first",
	  .step = { { CALL, 0 },
		    { SET, B(0xfff0) },
		    { CALL, 0 },
		    { SET, C(0xfff0) },
		    { CALL, 0 },
		    { RET, 0 },
		    { LOAD, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | switches 2 "
		      "disturbed 3 returns 1 abandoned 1" },
	{ .name = "away_and_back_at_once",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ .name = "away_and_back",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { JUMP, 0 }, { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | parked B+fff0 "
		      "B+0..B+10000 base B+fff0 with 0 | switches 2 disturbed 3" },
	{ .name = "away_and_back_and_away",
	  .step = { { CALL, 0 },
		    { SET, B(0xfff0) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { SET, A(0xeff8) },
		    { SET, B(0xffe8) } },
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 "
		      "base A+10000 of 1 with 1 | switches 3 disturbed 5" },
	{ .name = "away_and_back_to_what_was_overwritten",
	  .step = { { CALL, 0 },
		    { CALL, 0 },
		    { SET, B(0xfff0) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { SET, A(0xeff0) },
		    { OVERWRITE, B(0xffe8) },
		    { SET, B(0xffe8) } },
	  .expected = "prefix | B+0..B+10000 base B+ffe8 new | parked A+eff0 A+0..A+10000 base "
		      "A+10000 of 1 with 2 | switches 3 disturbed 4" },
	{ .name = "away_and_back_far_up",
	  .step = { { CALL, 0 },
		    { CALL, 0 },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, B(0xfff0) },
		    { JUMP, 0 },
		    { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | parked B+fff0 "
		      "B+0..B+10000 base B+fff0 with 0 | switches 2 disturbed 4 abandoned 3" },
	{ .name = "away_and_a_third_at_once",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { SET, C(0xfff0) } },
	  .expected = "prefix | C+0..C+10000 base C+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 2" },
	{ .name = "away_and_a_third",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { JUMP, 0 }, { SET, C(0xfff0) } },
	  .expected = "prefix | C+0..C+10000 base C+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | parked B+fff0 B+0..B+10000 base B+fff0 with 0 | "
		      "switches 2 disturbed 2" },
	{ .name = "to_where_nothing_is_mapped",
	  .step = { { CALL, 0 }, { SET, NOWHERE } },
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned "
		      "1" },
	{ .name = "to_where_nothing_is_mapped_below",
	  .step = { { CALL, 0 }, { SET, PLACE + 0xff123 } },
	  .expected = "A+eff8 rooted | 0x2000000ff000..A+10000 base A+10000 of 1 |" },
	{ .name = "to_the_end_of_the_mapping",
	  .step = { { CALL, 0 }, { SET, A(0x10000) } },
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned "
		      "1" },
	{ .name = "a_mapping_that_grew",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { JUMP, 0 }, { GROW, 0 }, { MOVE, 0x1010 } },
	  .expected = "prefix | B+0..B+14000 base B+11000 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ .name = "a_leave_up",
	  .step = { { CALL, 0 }, { CALL, 0 }, { MOVE, -0x40ull }, { FRAME, A(0xeff0) } },
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "a_leave_over_frames",
	  .step = { { CALL, 0 }, { CALL, 0 }, { CALL, 0 }, { FRAME, A(0xeff0) } },
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 transit | "
		      "taken_off 1" },
	{ .name = "a_leave_down",
	  .step = { { CALL, 0 }, { CALL, 0 }, { FRAME, A(0xe000) } },
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ .name = "a_leave_above_the_base",
	  .step = { { CALL, 0 }, { FRAME, A(0xf020) } },
	  .expected = "rooted | A+0..A+10000 base A+f020 of 2 transit | disturbed 1 abandoned 1",
	  .other = true },
	{ .name = "a_pop_above_the_base",
	  .step = { { CALL, 0 }, { RET, 0 }, { MOVE, 0x20 } },
	  .expected = "rooted | A+0..A+10000 base A+f020 of 2 | returns 1",
	  .other = true },
	{ .name = "a_longjmp",
	  .step = { { CALL, 0 }, { CALL, 0 }, { CALL, 0 }, { SET, A(0xeff8) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit presumed 1 "
		      "A+eff8 | disturbed 1 abandoned 2" },
	{ .name = "a_longjmp_and_a_return",
	  .step = { { CALL, 0 }, { CALL, 0 }, { CALL, 0 }, { SET, A(0xeff8) }, { RET, 0 } },
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1 returns 1 "
		      "abandoned 2" },
	{ .name = "a_longjmp_that_drops_nothing",
	  .step = { { CALL, 0 }, { MOVE, -0x40ull }, { SET, A(0xeff0) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ .name = "an_array_in_a_frame",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit presumed 1 "
		      "A+ef00 | disturbed 1 abandoned 2" },
	{ .name = "an_array_in_a_frame_and_back",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { SET, A(0xede8) } },
	  .expected = "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked "
		      "A+eef8 A+0..A+10000 base A+ef00 with 1 | switches 1 disturbed 3 "
		      "abandoned 2" },
	{ .name = "an_array_in_a_frame_whose_frames_were_overwritten",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { OVERWRITE, A(0xedf0) },
		    { SET, A(0xede8) } },
	  .expected = "A+eff8 A+eef8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 "
		      "| disturbed 2 abandoned 2" },
	{ .name = "an_array_in_a_frame_and_below",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { SET, A(0xed68) } },
	  .expected = "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked "
		      "A+eef8 A+0..A+10000 base A+ef00 with 1 | switches 1 disturbed 3 "
		      "abandoned 2" },
	{ .name = "an_array_in_a_frame_and_far_below",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { JUMP, 0 },
		    { CALL, 0 },
		    { SET, A(0xed60) } },
	  .expected = "A+eff8 A+eef8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 "
		      "| disturbed 2 abandoned 2" },
	{ .name = "an_array_in_a_frame_by_its_first_entry",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { PUSH, ENTRY },
		    { RET, 0 } },
	  .expected = "prefix | A+0..A+10000 base A+ef00 | parked A+ede8 A+0..A+10000 base "
		      "A+10000 of 1 with 3 | switches 1 disturbed 2 returns 1 stray 1 "
		      "abandoned 2" },
	{ .name = "no_first_entry_behind_a_call",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { PUSH, BEHIND_CALL },
		    { RET, 0 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 1 returns 1 stray 1 abandoned 2" },
	{ .name = "no_first_entry_above_the_landing",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { MOVE, 8 },
		    { MOVE, -8ull },
		    { RET_TO, ENTRY } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 1 returns 1 stray 1 abandoned 2" },
	{ .name = "the_array_s_stack_is_left",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { PUSH, ENTRY },
		    { RET, 0 },
		    { CALL, 0 },
		    { SET, A(0xede8) } },
	  .expected = "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked "
		      "A+eef8 A+0..A+10000 base A+ef00 with 1 | switches 2 disturbed 4 returns "
		      "1 stray 1 abandoned 2" },
	{ .name = "the_array_s_stack_is_left_and_entered",
	  .step = { { CALL, 0 },
		    { MOVE, -0x200ull },
		    { CALL, 0 },
		    { CALL, 0 },
		    { SET, A(0xef00) },
		    { PUSH, ENTRY },
		    { RET, 0 },
		    { CALL, 0 },
		    { SET, A(0xede8) },
		    { SET, A(0xeef0) } },
	  .expected = "A+eef8 prefix | A+0..A+10000 base A+ef00 | parked A+ede8 A+0..A+10000 "
		      "base A+10000 of 1 with 3 | switches 3 disturbed 6 returns 1 stray 1 "
		      "abandoned 2" },
	{ .name = "a_switch_that_was_none",
	  .step = { { CALL, 0 }, { CALL, 0 }, { SET, A(0x8000) }, { SET, A(0xeff0) }, { RET, 0 } },
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 | disturbed 1 returns 1",
	  .other = true },
	{ .name = "a_switch_that_was_none_by_its_return",
	  .step = { { CALL, 0 },
		    { PUSH, 1 },
		    { SET, A(0x8000) },
		    { JUMP, 0 },
		    { FRAME, A(0xeff8) },
		    { RET, 0 } },
	  .expected = "rooted | A+0..A+10000 base A+f000 of 2 | disturbed 2 returns 1",
	  .other = true },
	{ .name = "a_return_on_a_new_stack",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { PUSH, ENTRY }, { RET, 0 } },
	  .expected = "prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1 returns 1 stray 1" },
	{ .name = "a_return_on_a_new_stack_and_a_call",
	  .step = { { CALL, 0 }, { SET, B(0xfff0) }, { PUSH, ENTRY }, { RET, 0 }, { CALL, 0 } },
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 "
		      "base A+10000 of 1 with 1 | switches 1 disturbed 1 returns 1 stray 1" },
};

/* ---- the thread ---------------------------------------------------------------------------- */

static int read_own(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t stacks[] = { CODE, A(0), B(0), C(0) };

	for (int i = 0; i < COUNT(stacks); i++)
		if (address >= stacks[i] && address + size <= stacks[i] + STACK_BYTES) {
			memcpy(ret, (const void *)address, size);
			return 0;
		}
	return -1;
}

static void map(uint64_t address, size_t bytes)
{
	void *got = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_msg(got == (void *)address, "0x%" PRIx64 " is taken", address);
}

struct fixture {
	struct tracer_callbacks callbacks;
	struct tracer tracer;
	struct thread thread;
	struct error error;
	char text[600];
};

static void setup(struct fixture *f, bool other)
{
	static const uint8_t call[] = { 0xe8, 0, 0, 0, 0 };

	map(CODE, STACK_BYTES);
	map(A(0), STACK_BYTES);
	map(B(0), STACK_BYTES);
	map(C(0), STACK_BYTES);
	memcpy((void *)(BEHIND_CALL - sizeof(call)), call, sizeof(call));
	*f = (struct fixture) { .tracer = { .pid = 1, .at = getpid(), .memory_fd = -1 } };
	f->tracer.error = &f->error;
	f->tracer.callbacks = &f->callbacks;
	f->tracer.memory.read = read_own;
	f->tracer.decoder = decoder_create(&f->error);
	ck_assert_ptr_nonnull(f->tracer.decoder);
	f->thread = (struct thread) { .tid = other ? 2 : 1, .state = THREAD_STEPPED };
	f->thread.regs = (struct user_regs_struct) { .rip = CODE, .rsp = A(0xf000) };
	thread_begin_stack(&f->tracer, &f->thread, true);
}

static void teardown(struct fixture *f)
{
	thread_end_stacks(&f->thread);
	stack_pool_clear(&f->tracer.stacks);
	decoder_destroy(f->tracer.decoder);
	munmap((void *)CODE, STACK_BYTES);
	munmap((void *)A(0), STACK_BYTES);
	munmap((void *)B(0), STACK_BYTES + 0x4000);
	munmap((void *)C(0), STACK_BYTES);
}

static void run(struct fixture *f, const struct step *step)
{
	struct user_regs_struct after = f->thread.regs;
	uint64_t *top = (uint64_t *)after.rsp;

	if (step->op == OVERWRITE) {
		*(uint64_t *)step->value ^= 1;
		return;
	}
	if (step->op == GROW) {
		map(B(STACK_BYTES), 0x4000);
		return;
	}
	memcpy((void *)after.rip, codes[step->op].bytes, codes[step->op].size);
	decoder_flush(f->tracer.decoder);
	f->thread.next = tracer_decode(&f->tracer, after.rip);
	ck_assert_uint_eq(f->thread.next.length, codes[step->op].size);
	after.rip += codes[step->op].size;
	switch (step->op) {
	case END:
	case OVERWRITE:
	case GROW:
	case LEA: break;
	case CALL:
		*--top = after.rip;
		after.rsp -= 8;
		after.rip += JUMPS_BY;
		break;
	case RET_TO: *top = step->value; /* fall through */
	case RET:
		after.rip = *top;
		after.rsp += 8 + (step->op == RET ? step->value : 0);
		break;
	case MOVE: after.rsp += step->value; break;
	case SET:
	case FRAME:
	case LOAD: after.rsp = step->value; break;
	case JUMP: after.rip = step->value ? step->value : ELSEWHERE; break;
	case PUSH:
		*--top = step->value;
		after.rsp -= 8;
		break;
	case POP: after.rsp += 8; break;
	}
	ck_assert_int_eq(thread_step(&f->tracer, &f->thread, &after), 0);
}

/* ---- what it came to ------------------------------------------------------------------------ */

static void say(struct fixture *f, const char *format, ...)
{
	size_t used = strlen(f->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(f->text + used, sizeof(f->text) - used, format, arguments);
	va_end(arguments);
}

/* "A+ff8" */
static void say_place(struct fixture *f, uint64_t address)
{
	uint64_t stack = (address - PLACE) >> 20;

	if (address < A(0) || stack > 3)
		say(f, "0x%" PRIx64, address);
	else
		say(f, "%c+%" PRIx64, (char)('A' + stack - 1), (address - PLACE) & 0xfffff);
}

static void say_stack(struct fixture *f, struct address_range range, uint64_t base, pid_t root)
{
	say_place(f, range.low);
	say(f, "..");
	say_place(f, range.high);
	say(f, " base ");
	say_place(f, base);
	if (root)
		say(f, " of %d", root);
}

static void say_count(struct fixture *f, const char *name, uint64_t count)
{
	if (count)
		say(f, " %s %" PRIu64, name, count);
}

static void say_shadow(struct fixture *f, const struct shadow_stack *shadow)
{
	for (size_t i = 0; i < shadow->count; i++) {
		say_place(f, shadow->frame[i].slot);
		say(f, " ");
	}
	say(f, shadow->rooted ? "rooted" : "prefix");
	for (size_t i = 0; i < shadow->region_count; i++) {
		const struct shadow_region *region = &shadow->region[i];

		say(f, " region %zu ", region->first);
		say_place(f, region->low);
		say(f, "..");
		say_place(f, region->high);
		say(f, " from ");
		say_place(f, region->left.sp);
		say(f, "..");
		say_place(f, region->left.high);
	}
}

static const char *outcome(struct fixture *f)
{
	const struct thread *thread = &f->thread;
	const struct tracer_counters *counters = &f->tracer.counters;

	say_shadow(f, &thread->shadow);
	say(f, " | ");
	say_stack(f, thread->stack, thread->base, thread->root);
	say(f, "%s%s", thread->may_continue ? " new" : "",
	    thread->shadow.in_transit ? " transit" : "");
	if (thread->presumed.valid) {
		say(f, " presumed %zu ", thread->presumed.kept);
		say_place(f, thread->presumed.landing);
	}
	for (size_t i = 0; i < f->tracer.stacks.count; i++) {
		const struct parked_stack *parked = &f->tracer.stacks.parked[i];

		say(f, " | parked ");
		say_place(f, parked->sp);
		say(f, " ");
		say_stack(f, parked->range, parked->base, parked->root);
		say(f, " with %zu", parked->shadow.count);
	}
	say(f, " |");
	say_count(f, "switches", counters->stack_switches);
	say_count(f, "disturbed", counters->disturbances);
	say_count(f, "returns", counters->returns);
	say_count(f, "replaced", counters->returns_replaced);
	say_count(f, "stray", counters->returns_stray);
	say_count(f, "doubled", counters->returns_doubled);
	say_count(f, "taken_off", counters->taken_off);
	say_count(f, "put_back", counters->put_back);
	say_count(f, "abandoned", counters->abandoned);
	say_count(f, "stale", counters->stale_instructions);
	return f->text;
}

START_TEST(thread_is_on_its_stack)
{
	struct fixture f;

	setup(&f, cases[_i].other);
	for (int i = 0; i < STEPS && cases[_i].step[i].op; i++)
		run(&f, &cases[_i].step[i]);
	outcome(&f);
	ck_assert_msg(!strcmp(f.text, cases[_i].expected), "%s: %s", cases[_i].name, f.text);
	ck_assert_uint_eq(f.tracer.counters.call_mismatches, 0);
	teardown(&f);
}
END_TEST

SUITE(tracer_switches, LOOP(thread_is_on_its_stack, cases))
