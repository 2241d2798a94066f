/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_path.c - the jumps that lead to an instruction
 *
 * f and g, parts of one function, are of jumps of two bytes: "jmp" at even numbers below 16, then "nop, nop".
 * Blocks are made by hand: a case says for each the byte of f where it begins, and from which it was come to.
 * g is at byte 40. What is expected are the jumps, "..." if there are more.
 */
#include "tests/suite.h"
#include "flow_fixture.h"
#include "flow_world_fixture.h"

#define PARTS                                                                                      \
	".Lf: .rept 10; jmp .Lf; .endr; .rept 20; nop; .endr; fde g; .rept 4; jmp rax; .endr; "    \
	"nop; nop; "

#define BEGIN -1 /* the function's */

struct made_block {
	int pc, from; /* its bytes: up to the next one's */
};

#define BLOCKS(...) .block = { __VA_ARGS__ }

static const struct path_case {
	const char *rule;
	int from, pc;
	struct made_block block[12];
	size_t count;
	const char *expected;
} path_cases[] = {
	{ "it begins there", BEGIN, 0, BLOCKS({ 0, BEGIN }), 1, "known:" },
	{ "a jump", 4, 24, BLOCKS({ 0, BEGIN }), 1, "known: 4" },
	{ "to what is next", 4, 6, BLOCKS({ 0, BEGIN }), 1, "known: 4" },
	{ "it goes on", 24, 25, BLOCKS({ 0, BEGIN }), 1, "known:" },
	{ "it goes on elsewhere", 24, 26, BLOCKS({ 0, BEGIN }), 1, "known: 24" },
	{ "before itself", 24, 23, BLOCKS({ 0, BEGIN }), 1, "known: 24" },
	{ "a computed jump", 40, 20, BLOCKS({ 0, BEGIN }, { 40, 2 }), 2, "known: 2 40" },
	{ "to what is next, too", 40, 42, BLOCKS({ 0, BEGIN }, { 40, 2 }), 2, "known: 2 40" },
	{ "in their order", 8, 20, BLOCKS({ 0, BEGIN }, { 6, 2 }, { 8, 6 }), 3, "known: 2 6 8" },
	{ "with one that goes on", 26, 30, BLOCKS({ 0, BEGIN }, { 24, 4 }, { 26, 25 }), 3,
	  "known: 4 26" },
	{ "as many as are named", 14, 20,
	  BLOCKS({ 0, BEGIN }, { 2, 0 }, { 4, 2 }, { 6, 4 }, { 8, 6 }, { 10, 8 }, { 12, 10 },
		 { 14, 12 }),
	  8, "known: 0 2 4 6 8 10 12 14" },
	{ "one more", 16, 20,
	  BLOCKS({ 0, BEGIN }, { 2, 0 }, { 4, 2 }, { 6, 4 }, { 8, 6 }, { 10, 8 }, { 12, 10 },
		 { 14, 12 }, { 16, 14 }),
	  9, "known: ... 2 4 6 8 10 12 14 16" },
	{ "no block has it", 45, 20, BLOCKS({ 0, BEGIN }), 1, "-:" },
	{ "no fragment has it", 60, 20, BLOCKS({ 0, BEGIN }), 1, "-:" },
	{ "the fragment's last byte", 39, 0, BLOCKS({ 0, BEGIN }), 1, "known: 39" },
	{ "it comes round", 8, 20, BLOCKS({ 0, 8 }, { 4, 2 }), 2, "-:" },
	{ "round by itself", 2, 0, BLOCKS({ 0, 2 }), 1, "-:" },
	{ "round by as many as are named less one", 12, 20,
	  BLOCKS({ 0, 12 }, { 2, 0 }, { 4, 2 }, { 6, 4 }, { 8, 6 }, { 10, 8 }, { 12, 10 }), 7,
	  "-:" },
	{ "round without a jump", 24, 25, BLOCKS({ 0, BEGIN }, { 24, 24 }), 2, "-:" },
};

static void make_blocks(struct flow *flow, const struct path_case *test)
{
	flow->block = calloc(test->count, sizeof(*flow->block));
	flow->block_count = test->count;
	for (size_t i = 0; i < test->count; i++) {
		const struct made_block *made = &test->block[i];
		struct flow_fragment *fragment = flow->fragment[made->pc >= 40];
		uint64_t begin = flow->function + (uint64_t)made->pc;

		flow->block[i].pc = begin;
		flow->block[i].from = made->from < 0 ? 0 : flow->function + (uint64_t)made->from;
		for (uint64_t pc = begin; pc < fragment->end; pc++)
			fragment->block_at[pc - fragment->begin] = (uint32_t)i + 1;
	}
	/* Of g's the last two are nobody's. */
	memset(flow->fragment[1]->block_at + 4, 0, 6 * sizeof(uint32_t));
}

START_TEST(jumps_lead_there)
{
	const struct path_case *test = &path_cases[_i];
	static struct followed followed;
	struct flow *flow = &followed.flow;
	struct flow_trace path = { .known = false };
	enum flow_reason reason;
	struct error error;
	char text[200] = "";

	followed_init(&followed, PARTS);
	ck_assert_int_eq(flow_fragment_create(followed.world.cfi,
					      cfi_fde_find(followed.world.cfi, flow->function + 40),
					      &flow->fragment[1], &reason, &error),
			 0);
	flow->fragment_count = 2;
	ck_assert_uint_eq(flow->fragment[1]->begin, flow->function + 40);
	make_blocks(flow, test);
	flow_trace_find(flow, test->from < 0 ? 0 : flow->function + (uint64_t)test->from,
			flow->function + (uint64_t)test->pc, &path);
	snprintf(text, sizeof(text), "%s:%s", path.known ? "known" : "-", path.cut ? " ..." : "");
	for (size_t i = 0; i < path.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %d",
			 (int)(path.jump[i] - flow->function));
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	followed_deinit(&followed);
}
END_TEST

/* Blocks that only go on: 4096 of them are gone back through. */
START_TEST(a_very_long_way)
{
	static struct followed followed;
	struct flow *flow = &followed.flow;
	struct flow_trace path;

	followed_init(&followed, ".skip 5000, 0x90");
	flow->block = calloc(5000, sizeof(*flow->block));
	flow->block_count = 5000;
	for (uint32_t i = 0; i < 5000; i++) {
		flow->block[i].pc = flow->function + i;
		flow->block[i].from = i ? flow->function + i - 1 : 0;
		flow->fragment[0]->block_at[i] = i + 1;
	}
	for (uint64_t i = 4093; i < 4098; i++) {
		path = (struct flow_trace) { .known = false };
		flow_trace_find(flow, flow->function + i, flow->function + i + 1, &path);
		ck_assert_msg(path.known == (i < 4095), "%d", (int)i);
		ck_assert(!path.cut && !path.count);
	}
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_path, TIMEOUT(300), LOOP(jumps_lead_there, path_cases), TEST(a_very_long_way))
