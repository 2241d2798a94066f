/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_walk.c - which instructions paths come to, in which order, and where each path ends
 */
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_fragment.h"
#include "analysis/flow/flow_walk.h"

static struct assembled assembled;
static struct flow_world world;
static struct flow_walk walk;

/* The range is f's FDE. */
static void setup(const char *body)
{
	const struct cfi_fde *fde;
	static struct error error;

	assembled_open_function(&assembled, body);
	fde = cfi_fde_find(assembled.cfi, image_symbol_address(assembled.image, "f"));
	ck_assert_int_eq(flow_world_init(&world, assembled.cfi, NULL, &error), 0);
	walk = (struct flow_walk) { .world = &world,
				    .begin = fde->pc_begin,
				    .end = fde->pc_begin + fde->pc_range,
				    .bytes = flow_fde_bytes(assembled.image, fde),
				    .size = fde->pc_range };
	ck_assert(walk.bytes);
}

static void teardown(void)
{
	flow_walk_deinit(&walk);
	flow_world_deinit(&world);
	assembled_close(&assembled);
}

/* Each path's instructions by their distance from begin, `?` behind what is none; and `.` where it ends, `>` where it
 * leaves the range. */
static const char *walked(void)
{
	static char text[256];
	size_t used = 0;

	flow_walk_add(&walk, walk.begin);
	while (flow_walk_path(&walk)) {
		while (flow_walk_step(&walk))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%d%s ",
						 (int)(walk.code.pc - walk.begin),
						 walk.code.flow == CODE_UNKNOWN ? "?" : "");
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ",
					 walk.on ? ">" : ".");
	}
	text[used ? used - 1 : 0] = '\0';
	ck_assert(!flow_lacks(&world));
	return text;
}

#define OTHER(body) "	.cfi_endproc\n9:	.cfi_startproc\n" body

static const struct walk_case {
	const char *rule, *body, *expected;
} cases[] = {
	{ "straight to a return", "nop\n xor eax, eax\n ret\n nop\n", "0 1 3 ." },
	{ "behind a branch, then where it leads", "je 1f\n nop\n ret\n1: ret\n", "0 2 3 . 4 ." },
	{ "the last branch first", "je 1f\n je 2f\n ret\n1: ret\n2: ret\n", "0 2 4 . 6 . 5 ." },
	{ "a transaction has two ways", "xbegin 1f\n ret\n1: ret\n", "0 6 . 7 ." },
	{ "not behind a jump", "jmp 1f\n nop\n1: ret\n", "0 . 3 ." },
	{ "each instruction once", "1: nop\n je 1b\n ret\n", "0 1 3 . ." },
	{ "a path ends in another", "je 1f\n nop\n1: nop\n ret\n", "0 2 3 4 . ." },
	{ "behind a call, not where it leads", "call 1f\n ret\n1: ret\n", "0 5 ." },
	{ "not behind one that never returns", "call 9f\n nop\n" OTHER("hlt\n jmp 9b\n"), "0 ." },
	{ "not where computed jumps lead", "call rax\n jmp rax\n nop\n", "0 2 ." },
	{ "to what stops", "ud2\n nop\n", "0 ." },
	{ "to what is no instruction", "nop\n .byte 6\n nop\n", "0 1? ." },
	{ "to what leads nobody knows where", "nop\n iretq\n nop\n", "0 1? ." },
	{ "no path begins before the range", "je f - 1\n ret\n", "0 2 ." },
	{ "nor at its end", "je 9f\n ret\n" OTHER("ret\n"), "0 2 ." },
	{ "to the range's end", "je 1f\n ret\n1: nop\n" OTHER("ret\n"), "0 2 . 3 >" },
	{ "into an instruction", "je 1f + 1\n1: mov eax, 0xc3c3c3c3\n ret\n", "0 2 7 . 3 ." },
};

START_TEST(paths_come_to_instructions)
{
	const struct walk_case *test = &cases[_i];
	const char *text;

	setup(test->body);
	text = walked();
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	teardown();
}
END_TEST

START_TEST(each_byte_has_its_bits)
{
	static const uint8_t expected[] = { 1, 2, 1, 3, 2, 2, 2, 1, 0 };

	setup("je 1f + 1\n1: mov eax, 0xc3c3c3c3\n ret\n nop\n");
	walked();
	ck_assert_uint_eq(walk.size, sizeof(expected));
	ck_assert_mem_eq(walk.met, expected, sizeof(expected));
	teardown();
}
END_TEST

/* What can't be decoded, or leads nobody knows where, is no instruction that was met. */
START_TEST(what_is_no_instruction_is_not_met)
{
	static const uint8_t expected[] = { 1, 0, 0, 0 };

	setup("nop\n iretq\n nop\n");
	walked();
	ck_assert_mem_eq(walk.met, expected, sizeof(expected));
	teardown();
}
END_TEST

/* Whether an instruction may go on behind the range's end, the bytes say. */
START_TEST(the_last_instruction_has_the_bytes)
{
	for (int i = 0; i < 2; i++) {
		setup("nop\n mov eax, 5\n ret\n");
		walk.end = walk.begin + 3;
		walk.size = i ? 7 : 3;
		ck_assert_str_eq(walked(), i ? "0 1 >" : "0 1? .");
		ck_assert_uint_eq(walk.pc, walk.begin + (i ? 6 : 1));
		ck_assert(walk.met[1] == i && walk.met[2] == (i ? FLOW_WALK_INSIDE : 0));
		teardown();
	}
}
END_TEST

START_TEST(outside_of_the_range_is_no_path)
{
	setup("ret\n");
	flow_walk_add(&walk, walk.begin - 1);
	flow_walk_add(&walk, walk.end);
	ck_assert(!flow_walk_path(&walk) && !walk.on && !walk.met);
	teardown();
}
END_TEST

SUITE(flow_walk, LOOP(paths_come_to_instructions, cases), TEST(each_byte_has_its_bits),
      TEST(what_is_no_instruction_is_not_met), TEST(the_last_instruction_has_the_bytes),
      TEST(outside_of_the_range_is_no_path))
