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

#define STACK_BYTES 0x10000ull
#define PLACE	    0x200000000000ull
#define CODE	    PLACE
#define A(offset)   (PLACE + 0x100000 + (offset))
#define B(offset)   (PLACE + 0x200000 + (offset))
#define C(offset)   (PLACE + 0x300000 + (offset))
#define NOWHERE	    (PLACE + 0x400000)
#define ENTRY	    (CODE + 0x8000) /* of a function: no call ends there */
#define BEHIND_CALL (CODE + 0x9000)
#define ELSEWHERE   (CODE + 0xa000)
#define JUMPS_BY    0x100 /* a call */

enum op { CALL, RET, RET_TO, MOVE, SET, LEA, FRAME, LOAD, JUMP, PUSH, POP, OVERWRITE, GROW };

/* What an instruction is called in a case, and if a value is behind it: a place, or so many bytes. */
static const struct {
	const char *name;
	enum { NEVER, MAY, MUST } value;
	uint8_t bytes[8], size;
} codes[] = {
	[CALL] = { "call", NEVER, { 0xe8, 0, 0, 0, 0 }, 5 }, /* pushes the address behind it */
	[RET] = { "ret", MAY, { 0xc3 }, 1 }, /* to the word at rsp; takes so many bytes more */
	[RET_TO] = { "ret to", MUST, { 0xc3 }, 1 }, /* the word at rsp is this now */
	[MOVE] = { "move", MUST, { 0x48, 0x81, 0xc4, 0, 0, 0, 0 }, 7 }, /* add $n, %rsp */
	[SET] = { "set", MUST, { 0x48, 0x89, 0xc4 }, 3 },		/* mov %rax, %rsp */
	/* lea -n(%rsp), %rax: what rsp is set to next is computed from it */
	[LEA] = { "lea", NEVER, { 0x48, 0x8d, 0x84, 0x24, 0, 0, 0, 0 }, 8 },
	[FRAME] = { "frame", MUST, { 0x48, 0x8d, 0x65, 0xd8 }, 4 }, /* lea -40(%rbp), %rsp */
	[LOAD] = { "load", MUST, { 0x48, 0x8b, 0x20 }, 3 },	    /* mov (%rax), %rsp */
	[JUMP] = { "jump", MAY, { 0xff, 0xe0 }, 2 },		    /* jmp *%rax, rsp stays */
	[PUSH] = { "push", MUST, { 0x53 }, 1 }, /* push %rbx; the word is this */
	[POP] = { "pop", NEVER, { 0x5b }, 1 },	/* pop %rbx */
	/* No instructions: the word at an address is another one now; the pages above B are a part of its mapping. */
	[OVERWRITE] = { "overwrite", MUST, { 0 }, 0 },
	[GROW] = { "grow", NEVER, { 0 }, 0 },
};

struct step {
	enum op op;
	uint64_t value;
};

static const struct switch_case {
	const char *name, *steps, *expected;
	bool other; /* not the first thread: where its stack ends is not known */
} cases[] = {
	{ "two_calls", "call, move -20, call",
	  .expected = "A+eff8 A+efd0 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "a_return", "call, call, ret",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1" },
	{ "a_return_to_elsewhere", "call, call, ret to BEHIND_CALL",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1 replaced 1" },
	{ "a_return_that_takes_arguments", "call, push 5, call, ret 8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1" },
	{ "a_stray_return", "call, push ELSEWHERE, ret",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | returns 1 stray 1" },
	{ "a_stray_return_above_the_root", "move +8, move +8, move -8, ret to BEHIND_CALL",
	  .expected = "prefix | A+0..A+10000 base A+10000 of 1 | returns 1 stray 1" },
	{ "a_frame_is_taken_off", "call, call, pop",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | taken_off 1" },
	{ "a_frame_is_put_back", "call, call, pop, move -8",
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 | taken_off 1 "
		      "put_back 1" },
	{ "a_frame_is_not_put_back", "call, call, pop, overwrite A+eff0, move -8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | taken_off 1" },
	{ "a_frame_that_was_taken_off_returns", "call, call, pop, jump CODE+10a",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | taken_off 1" },
	{ "several_are_abandoned", "call, call, call, move +18",
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned 3" },
	{ "several_are_abandoned_and_jumped_from", "call, call, call, move +18, jump",
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1 abandoned 3" },
	{ "an_array_of_variable_length", "call, lea, set A+8000, call",
	  .expected = "A+eff8 A+7ff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "set_further_down_on_the_first_threads_stack", "call, set A+8000",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ "set_down_within_the_slack", "call, set A+ef78",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "set_down_beyond_the_slack", "call, set A+ef70",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ "set_up_within_what_is_known", "call, move -100, set A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "another_thread_sets_it_down", "call, set A+8000", .other = true,
	  .expected = "prefix | A+0..A+10000 base A+8000 new | parked A+eff8 A+0..A+10000 base "
		      "A+f000 of 2 with 1 | switches 1 disturbed 1" },
	{ "another_thread_sets_it_down_and_calls", "call, set A+8000, jump, call", .other = true,
	  .expected = "A+7ff8 prefix | A+0..A+10000 base A+8000 | parked A+eff8 A+0..A+10000 base "
		      "A+f000 of 2 with 1 | switches 1 disturbed 1" },
	{ "another_thread_computes_it", "call, lea, set A+8000", .other = true,
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 |" },
	{ "another_thread_goes_on_in_a_call", "call, set A+8000, call", .other = true,
	  .expected = "A+eff8 A+7ff8 rooted region 1 A+0..A+8000 from A+eff8..A+f000 | "
		      "A+0..A+10000 base A+8000 | switches 1 disturbed 1" },
	{ "another_thread_comes_back_from_the_call", "call, set A+8000, call, ret, set A+eff8",
	  .other = true,
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 | switches 1 disturbed 2 "
		      "returns 1" },
	{ "another_thread_sets_it_just_above_its_base", "call, set A+f080, call", .other = true,
	  .expected = "A+f078 rooted | A+0..A+10000 base A+f080 of 2 | disturbed 1 abandoned 1" },
	{ "another_thread_sets_it_far_above_its_base", "call, set A+f088, jump, call",
	  .other = true,
	  .expected = "A+f080 prefix | A+0..A+10000 base A+f088 | parked A+eff8 A+0..A+10000 base "
		      "A+f000 of 2 with 1 | switches 1 disturbed 1" },
	{ "to_another_mapping", "call, set B+fff0",
	  .expected = "prefix | B+0..B+10000 base B+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ "to_another_mapping_and_a_jump", "call, set B+fff0, jump, call",
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ "to_another_mapping_and_a_call", "call, set B+fff0, call",
	  .expected = "A+eff8 B+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | "
		      "B+0..B+10000 base B+fff0 | switches 1 disturbed 1" },
	{ "to_another_mapping_and_a_call_that_returns", "call, set B+fff0, call, ret",
	  .expected = "A+eff8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | B+0..B+10000 "
		      "base B+fff0 | switches 1 disturbed 1 returns 1" },
	{ "back_from_the_call", "call, set B+fff0, call, ret, load A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ "back_from_a_call_by_a_leave", "call, set B+fff0, call, ret, frame A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ "back_from_a_call_too_low", "call, set B+fff0, call, ret, load A+ef70",
	  .expected = "prefix | A+0..A+10000 base A+ef70 new | parked B+fff0 B+0..B+10000 base "
		      "B+fff0 with 1 | switches 2 disturbed 2 returns 1" },
	{ "back_from_a_call_a_little_lower", "call, set B+fff0, call, ret, load A+ef78",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | switches 1 disturbed 2 "
		      "returns 1" },
	{ "back_from_a_call_further_out", "call, call, set B+fff0, call, ret, load A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | switches 1 "
		      "disturbed 2 returns 1 abandoned 1" },
	{ "a_call_on_a_third_stack", "call, set B+fff0, call, set C+fff0, call",
	  .expected = "A+eff8 B+ffe8 C+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 "
		      "region 2 C+0..C+10000 from B+ffe8..B+fff0 | C+0..C+10000 base C+fff0 | "
		      "switches 2 disturbed 2" },
	{ "back_from_a_third_stack", "call, set B+fff0, call, set C+fff0, call, ret, set B+ffe8",
	  .expected = "A+eff8 B+ffe8 rooted region 1 B+0..B+10000 from A+eff8..A+10000 | "
		      "B+0..B+10000 base B+fff0 | switches 2 disturbed 3 returns 1" },
	{ "back_from_a_third_stack_to_the_first",
	  "call, set B+fff0, call, set C+fff0, call, ret, load A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | switches 2 "
		      "disturbed 3 returns 1 abandoned 1" },
	{ "away_and_back_at_once", "call, set B+fff0, set A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ "away_and_back", "call, set B+fff0, jump, set A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 | parked B+fff0 B+0..B+10000 "
		      "base B+fff0 with 0 | switches 2 disturbed 3" },
	{ "away_and_back_and_away", "call, set B+fff0, jump, call, set A+eff8, set B+ffe8",
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 3 disturbed 5" },
	{ "away_and_back_to_what_was_overwritten",
	  "call, call, set B+fff0, jump, call, set A+eff0, overwrite B+ffe8, set B+ffe8",
	  .expected = "prefix | B+0..B+10000 base B+ffe8 new | parked A+eff0 A+0..A+10000 base "
		      "A+10000 of 1 with 2 | switches 3 disturbed 4" },
	{ "away_and_back_far_up", "call, call, call, call, set B+fff0, jump, set A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit | parked B+fff0 "
		      "B+0..B+10000 base B+fff0 with 0 | switches 2 disturbed 4 abandoned 3" },
	{ "away_and_a_third_at_once", "call, set B+fff0, set C+fff0",
	  .expected = "prefix | C+0..C+10000 base C+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 2" },
	{ "away_and_a_third", "call, set B+fff0, jump, set C+fff0",
	  .expected = "prefix | C+0..C+10000 base C+fff0 new | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | parked B+fff0 B+0..B+10000 base B+fff0 with 0 | "
		      "switches 2 disturbed 2" },
	{ "to_where_nothing_is_mapped", "call, set NOWHERE",
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned 1" },
	{ "to_where_nothing_is_mapped_below", "call, set CODE+ff123",
	  .expected = "A+eff8 rooted | 0x2000000ff000..A+10000 base A+10000 of 1 |" },
	{ "to_the_end_of_the_mapping", "call, set A+10000",
	  .expected = "rooted | A+0..A+10000 base A+10000 of 1 transit | disturbed 1 abandoned 1" },
	{ "a_mapping_that_grew", "call, set B+fff0, jump, grow, move +1010",
	  .expected = "prefix | B+0..B+14000 base B+11000 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1" },
	{ "a_leave_up", "call, call, move -40, frame A+eff0",
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "a_leave_over_frames", "call, call, call, frame A+eff0",
	  .expected =
		  "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 transit | taken_off 1" },
	{ "a_leave_down", "call, call, frame A+e000",
	  .expected = "A+eff8 A+eff0 rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1" },
	{ "a_leave_above_the_base", "call, frame A+f020", .other = true,
	  .expected = "rooted | A+0..A+10000 base A+f020 of 2 transit | disturbed 1 abandoned 1" },
	{ "a_pop_above_the_base", "call, ret, move +20", .other = true,
	  .expected = "rooted | A+0..A+10000 base A+f020 of 2 | returns 1" },
	{ "a_longjmp", "call, call, call, set A+eff8",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit presumed 1 A+eff8 | "
		      "disturbed 1 abandoned 2" },
	{ "a_longjmp_and_a_return", "call, call, call, set A+eff8, ret",
	  .expected =
		  "rooted | A+0..A+10000 base A+10000 of 1 | disturbed 1 returns 1 abandoned 2" },
	{ "a_longjmp_that_drops_nothing", "call, move -40, set A+eff0",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 |" },
	{ "an_array_in_a_frame", "call, move -200, call, call, set A+ef00",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 transit presumed 1 A+ef00 | "
		      "disturbed 1 abandoned 2" },
	{ "an_array_in_a_frame_and_back",
	  "call, move -200, call, call, set A+ef00, jump, call, set A+ede8",
	  .expected =
		  "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked A+eef8 "
		  "A+0..A+10000 base A+ef00 with 1 | switches 1 disturbed 3 abandoned 2" },
	{ "an_array_in_a_frame_whose_frames_were_overwritten",
	  "call, move -200, call, call, set A+ef00, jump, call, overwrite A+edf0, set A+ede8",
	  .expected = "A+eff8 A+eef8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 2 abandoned 2" },
	{ "an_array_in_a_frame_and_below",
	  "call, move -200, call, call, set A+ef00, jump, call, set A+ed68",
	  .expected =
		  "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked A+eef8 "
		  "A+0..A+10000 base A+ef00 with 1 | switches 1 disturbed 3 abandoned 2" },
	{ "an_array_in_a_frame_and_far_below",
	  "call, move -200, call, call, set A+ef00, jump, call, set A+ed60",
	  .expected = "A+eff8 A+eef8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 2 abandoned 2" },
	{ "an_array_in_a_frame_by_its_first_entry",
	  "call, move -200, call, call, set A+ef00, push ENTRY, ret",
	  .expected = "prefix | A+0..A+10000 base A+ef00 | parked A+ede8 A+0..A+10000 base A+10000 "
		      "of 1 with 3 | switches 1 disturbed 2 returns 1 stray 1 abandoned 2" },
	{ "no_first_entry_behind_a_call",
	  "call, move -200, call, call, set A+ef00, push BEHIND_CALL, ret",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 1 returns 1 stray 1 abandoned 2" },
	{ "no_first_entry_above_the_landing",
	  "call, move -200, call, call, set A+ef00, move +8, move -8, ret to ENTRY",
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+10000 of 1 presumed 1 A+ef00 | "
		      "disturbed 1 returns 1 stray 1 abandoned 2" },
	{ "the_array_s_stack_is_left",
	  "call, move -200, call, call, set A+ef00, push ENTRY, ret, call, set A+ede8",
	  .expected = "A+eff8 A+edf0 A+ede8 rooted | A+0..A+10000 base A+10000 of 1 | parked "
		      "A+eef8 A+0..A+10000 base A+ef00 with 1 | switches 2 disturbed 4 returns 1 "
		      "stray 1 abandoned 2" },
	{ "the_array_s_stack_is_left_and_entered",
	  "call, move -200, call, call, set A+ef00, push ENTRY, ret, call, set A+ede8, set A+eef0",
	  .expected =
		  "A+eef8 prefix | A+0..A+10000 base A+ef00 | parked A+ede8 A+0..A+10000 base "
		  "A+10000 of 1 with 3 | switches 3 disturbed 6 returns 1 stray 1 abandoned 2" },
	{ "a_switch_that_was_none", "call, call, set A+8000, set A+eff0, ret", .other = true,
	  .expected = "A+eff8 rooted | A+0..A+10000 base A+f000 of 2 | disturbed 1 returns 1" },
	{ "a_switch_that_was_none_by_its_return",
	  "call, push 1, set A+8000, jump, frame A+eff8, ret", .other = true,
	  .expected = "rooted | A+0..A+10000 base A+f000 of 2 | disturbed 2 returns 1" },
	{ "a_return_on_a_new_stack", "call, set B+fff0, push ENTRY, ret",
	  .expected = "prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 base A+10000 "
		      "of 1 with 1 | switches 1 disturbed 1 returns 1 stray 1" },
	{ "a_return_on_a_new_stack_and_a_call", "call, set B+fff0, push ENTRY, ret, call",
	  .expected = "B+ffe8 prefix | B+0..B+10000 base B+fff0 | parked A+eff8 A+0..A+10000 base "
		      "A+10000 of 1 with 1 | switches 1 disturbed 1 returns 1 stray 1" },
};

/* ---- a row of instructions ------------------------------------------------------------------ */

/* "B+fff0", "CODE+10a", "ENTRY", "-20", "8": an address, or so many bytes. All numbers are hexadecimal. */
static uint64_t read_value(const char *text)
{
	static const struct {
		const char *name;
		uint64_t address;
	} places[] = { { "A", A(0) },
		       { "B", B(0) },
		       { "C", C(0) },
		       { "CODE", CODE },
		       { "ENTRY", ENTRY },
		       { "BEHIND_CALL", BEHIND_CALL },
		       { "NOWHERE", NOWHERE },
		       { "ELSEWHERE", ELSEWHERE },
		       { "", 0 } };
	size_t length = strcspn(text, "+-0123456789abcdef");
	uint64_t value;
	char *end;

	for (int i = 0; i < COUNT(places); i++) {
		if (strncmp(places[i].name, text, length) || places[i].name[length])
			continue;
		value = places[i].address + strtoull(text + length, &end, 16);
		if (!*end)
			return value;
	}
	ck_abort_msg("'%s' is no place and no number", text);
}

/* Takes the first of those that are left. */
static bool next_step(const char **text, struct step *ret)
{
	char word[40];
	int used = 0;

	if (sscanf(*text, "%39[^,]%n", word, &used) < 1)
		return false;
	*text += used + strspn(*text + used, ", ");
	for (int i = COUNT(codes) - 1; i >= 0; i--) { /* "ret to" before "ret" */
		size_t length = strlen(codes[i].name);
		const char *value = word + length + (word[length] == ' ');

		if (strncmp(word, codes[i].name, length) || (word[length] && word[length] != ' '))
			continue;
		ck_assert_msg(codes[i].value == (*value ? MUST : NEVER) || codes[i].value == MAY,
			      "'%s'", word);
		*ret = (struct step) { (enum op)i, *value ? read_value(value) : 0 };
		return true;
	}
	ck_abort_msg("'%s' is no instruction", word);
}

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
	*f = (struct fixture) { 0 };
	tracer_init(&f->tracer, NULL, &f->callbacks, 1, &f->error);
	f->tracer.at = getpid();
	f->tracer.core.memory.read = read_own;
	f->tracer.core.decoder = decoder_create(&f->error);
	ck_assert_ptr_nonnull(f->tracer.core.decoder);
	f->thread = (struct thread) { .core.tid = other ? 2 : 1, .state = THREAD_STEPPED };
	f->thread.core.regs = (struct user_regs_struct) { .rip = CODE, .rsp = A(0xf000) };
	thread_begin_stack(&f->tracer, &f->thread, true);
}

static void teardown(struct fixture *f)
{
	stepped_end(&f->thread.core);
	stack_pool_clear(&f->tracer.core.stacks);
	decoder_destroy(f->tracer.core.decoder);
	munmap((void *)CODE, STACK_BYTES);
	munmap((void *)A(0), STACK_BYTES);
	munmap((void *)B(0), STACK_BYTES + 0x4000);
	munmap((void *)C(0), STACK_BYTES);
}

static void run(struct fixture *f, const struct step *step)
{
	struct user_regs_struct after = f->thread.core.regs;
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
	decoder_flush(f->tracer.core.decoder);
	f->thread.core.next = tracer_decode(&f->tracer, after.rip);
	ck_assert_uint_eq(f->thread.core.next.length, codes[step->op].size);
	after.rip += codes[step->op].size;
	switch (step->op) {
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

	say_shadow(f, &thread->core.shadow);
	say(f, " | ");
	say_stack(f, thread->core.stack, thread->core.base, thread->core.root);
	say(f, "%s%s", thread->core.may_continue ? " new" : "",
	    thread->core.shadow.in_transit ? " transit" : "");
	if (thread->core.presumed.valid) {
		say(f, " presumed %zu ", thread->core.presumed.kept);
		say_place(f, thread->core.presumed.landing);
	}
	for (size_t i = 0; i < f->tracer.core.stacks.count; i++) {
		const struct parked_stack *parked = &f->tracer.core.stacks.parked[i];

		say(f, " | parked ");
		say_place(f, parked->sp);
		say(f, " ");
		say_stack(f, parked->range, parked->base, parked->root);
		say(f, " with %zu", parked->shadow.count);
	}
	say(f, " |");
	say_count(f, "switches", counters->rules.stack_switches);
	say_count(f, "disturbed", counters->rules.disturbances);
	say_count(f, "returns", counters->rules.returns);
	say_count(f, "replaced", counters->rules.returns_replaced);
	say_count(f, "stray", counters->rules.returns_stray);
	say_count(f, "doubled", counters->rules.returns_doubled);
	say_count(f, "taken_off", counters->rules.taken_off);
	say_count(f, "put_back", counters->rules.put_back);
	say_count(f, "abandoned", counters->rules.abandoned);
	say_count(f, "stale", counters->stale_instructions);
	return f->text;
}

START_TEST(thread_is_on_its_stack)
{
	const char *steps = cases[_i].steps;
	struct fixture f;
	struct step step;

	setup(&f, cases[_i].other);
	while (next_step(&steps, &step))
		run(&f, &step);
	outcome(&f);
	ck_assert_msg(!strcmp(f.text, cases[_i].expected), "%s: %s", cases[_i].name, f.text);
	ck_assert_uint_eq(f.tracer.counters.rules.call_mismatches, 0);
	teardown(&f);
}
END_TEST

SUITE(tracer_switches, LOOP(thread_is_on_its_stack, cases))
