/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_world.c - what following paths keeps from round to round, its limits, and conventions
 */
#include "tests/suite.h"
#include "flow_fixture.h"
#include "flow_world_fixture.h"
#include "analysis/flow/flow_paths.h"

/* f, and g, a part of it. */
#define TWO "nop; nop; nop; ret; fde g; cfa 16; nop; hlt; "

static struct followed followed;
static struct flow *const flow = &followed.flow;

/* A pointer that nobody may free lies behind the last fragment. */
static void init_two(void)
{
	static struct flow_fragment none;

	followed_init(&followed, TWO);
	flow->fragment[flow->fragment_count++] = followed_fragment(&followed, "g");
	flow->fragment[2] = flow->fragment[3] = &none;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* All of it, as a round may leave it. */
static void fill(void)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		memset(flow->fragment[i]->block_at, 0xff,
		       (flow->fragment[i]->end - flow->fragment[i]->begin) * sizeof(uint32_t));
	flow->block_count = flow->queue_count = flow->behind_call_count = 1;
	flow->unread.count = flow->unread.back_count = 1;
	flow->found.calls_not_returning = 1;
	flow->after.count = 1;
	flow->after.rounds = 1;
	flow->tables.count = 1;
	flow->found.callee_pop = 1;
	flow->round.met_table = flow->round.guessed_end = flow->round.read_past = true;
	flow->found.jump_unknown = flow->found.jump_unread = true;
	flow->round.guessed_fragments = 1;
	flow->found.is_handler = flow->found.returned_to = flow->found.has_tail_call =
		flow->found.tail_calls_well = true;
	flow->found.returns = flow->found.has_return = flow->found.breaks_convention = true;
	flow->found.returns_elsewhere = flow->found.returns_well = flow->found.returns_unknown =
		true;
	flow->found.too_large = flow->found.pops = flow->round.entered = true;
}

static void check_forgotten(void)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		for (uint64_t k = 0; k < flow->fragment[i]->end - flow->fragment[i]->begin; k++)
			ck_assert_uint_eq(flow->fragment[i]->block_at[k], 0);
	ck_assert_uint_eq(flow->block_count + flow->queue_count + flow->behind_call_count, 0);
	ck_assert_uint_eq(
		flow->unread.count + flow->unread.back_count + flow->found.calls_not_returning, 0);
	ck_assert_uint_eq(flow->found.callee_pop, 0);
	ck_assert(!flow->round.met_table && !flow->round.guessed_end && !flow->round.read_past);
	ck_assert_uint_eq(flow->round.guessed_fragments, 0);
	ck_assert(!flow->found.jump_unknown && !flow->found.jump_unread);
	ck_assert(!flow->found.is_handler && !flow->found.returned_to);
	ck_assert(!flow->found.has_tail_call && !flow->found.tail_calls_well);
	ck_assert(!flow->found.returns && !flow->found.has_return &&
		  !flow->found.breaks_convention);
	ck_assert(!flow->found.returns_elsewhere && !flow->found.returns_well &&
		  !flow->found.returns_unknown);
	ck_assert(!flow->found.too_large && !flow->found.pops && !flow->round.entered);
	ck_assert_uint_eq(flow->after.count, 1);
	ck_assert_int_eq(flow->after.rounds, 1);
}

START_TEST(a_round_begins_anew)
{
	struct flow_fragment *first;

	init_two();
	first = flow->fragment[0];
	fill();
	flow_restart(flow);
	check_forgotten();
	ck_assert_uint_eq(flow->fragment_count, 2);
	ck_assert_uint_eq(flow->tables.count, 1);
	fill();
	flow_forget(flow);
	check_forgotten();
	ck_assert_uint_eq(flow->fragment_count, 1);
	ck_assert_ptr_eq(flow->fragment[0], first);
	ck_assert_uint_eq(flow->tables.count, 0);
	followed_deinit(&followed);
}
END_TEST

/* Another round comes if tables were met, some table's end was a guess, and the next round would guess better. */
START_TEST(another_round_for_tables)
{
	init_two();
	for (int round = 0; round < 6; round++)
		for (int i = 0; i < 24; i++) {
			const bool guessed = (i & 3) == 3, better = i & 4 || i / 8 == 1;

			flow->round.met_table = i & 1;
			flow->round.guessed_end = i & 2;
			flow->round.read_past = i & 4;
			flow->round.guessed_fragments = (size_t)i / 8; /* of two */
			ck_assert(flow_again(flow, round) ==
				  (!round || (guessed && better && round < 4)));
		}
	followed_deinit(&followed);
}
END_TEST

/* "left out, reached, let in" of each of a fragment's pads */
static void add_pads(struct flow_fragment *fragment, const char *marks)
{
	fragment->pad_count = strlen(marks);
	fragment->pad = calloc(fragment->pad_count, sizeof(*fragment->pad));
	for (size_t i = 0; i < fragment->pad_count; i++) {
		fragment->pad[i].left_out = marks[i] != '-' && marks[i] != 'r';
		fragment->pad[i].reached = strchr("rR", marks[i]);
		fragment->pad[i].let_in = marks[i] == 'L';
	}
}

static void check_pads(const struct flow_fragment *fragment, const char *let_in)
{
	for (size_t i = 0; i < fragment->pad_count; i++)
		ck_assert_int_eq(fragment->pad[i].let_in, let_in[i] == 'L');
}

/* l: left out; R: reached, too; L: let in; r: reached; -: none of it. */
static const struct pad_case {
	const char *rule, *first, *second;
	int round;
	bool unknown, behind, again;
	const char *first_in, *second_in;
} pad_cases[] = {
	{ "one that was left out", "l", "", 1, false, false, true, "L", "" },
	{ "the last one", "--l", "", 1, false, false, true, "--L", "" },
	{ "another fragment's", "-", "-l", 3, false, false, true, "-", "-L" },
	{ "more", "lRl", "l", 1, false, false, true, "L-L", "L" },
	{ "another way came there", "R", "r", 1, false, false, false, "-", "-" },
	{ "nobody was left out", "-", "r", 1, false, false, false, "-", "-" },
	{ "it was let in before", "L", "L", 1, false, false, false, "L", "L" },
	{ "a jump may lead there", "l", "", 1, true, false, false, "-", "" },
	{ "calls may not come back", "l", "", 1, false, true, false, "-", "" },
	{ "there were too many rounds", "l", "", 4, false, false, false, "-", "" },
};

START_TEST(another_round_for_pads)
{
	const struct pad_case *test = &pad_cases[_i];

	init_two();
	add_pads(flow->fragment[0], test->first);
	add_pads(flow->fragment[1], test->second);
	flow->found.jump_unknown = test->unknown;
	flow->behind_call_count = test->behind;
	ck_assert_msg(flow_again(flow, test->round) == test->again, "%s", test->rule);
	check_pads(flow->fragment[0], test->first_in);
	check_pads(flow->fragment[1], test->second_in);
	followed_deinit(&followed);
}
END_TEST

/* Own ones that were found, and others that are open, before the round; what becomes of it. */
static const struct beyond_case {
	bool settled, found, open;
	int rounds;
	bool again, then_settled;
	int then_rounds;
} beyond_cases[] = {
	{ false, false, false, 0, false, false, 0 }, { false, true, false, 0, true, false, 1 },
	{ false, false, true, 0, true, true, 0 },    { false, true, true, 3, true, false, 4 },
	{ false, true, false, 14, true, false, 15 }, { false, true, true, 15, true, true, 16 },
	{ true, true, true, 3, false, true, 3 },     { true, false, true, 3, false, true, 3 },
};

START_TEST(another_round_for_code_beyond_calls)
{
	const struct beyond_case *test = &beyond_cases[_i];

	init_two();
	flow->after.code = calloc(3, sizeof(*flow->after.code));
	flow->after.count = 3;
	flow->after.code[0].own = flow->after.code[1].own = true;
	flow->after.code[2].own = !test->open;
	flow->after.settled = test->settled;
	flow->after.found = test->found;
	flow->after.rounds = test->rounds;
	flow->found.has_return = true;
	ck_assert_int_eq(flow_fallthrough_again(flow), test->again);
	ck_assert_int_eq(flow->after.settled, test->then_settled);
	ck_assert_int_eq(flow->after.rounds, test->then_rounds);
	ck_assert_int_eq(flow->after.found, test->again ? false : test->found);
	/* What was known is forgotten, but for whose the code is. */
	ck_assert_int_eq(flow->found.has_return, !test->again);
	ck_assert_uint_eq(flow->fragment_count, test->again ? 1 : 2);
	ck_assert_uint_eq(flow->after.count, 3);
	followed_deinit(&followed);
}
END_TEST

static enum flow_whose perhaps_own(void *context, uint64_t pc, const struct flow_path *path)
{
	return FLOW_PERHAPS_OWN;
}

/* A path that is beyond one call comes beyond another. What leads to the function's is the function's. */
START_TEST(a_call_beyond_a_call)
{
	struct flow_path path = { .fallthrough = 2 };
	struct flow_state state;

	followed_init(&followed, TWO);
	followed.world.fallthrough = perhaps_own;
	state_read(&state, "");
	flow->after.code = calloc(4, sizeof(*flow->after.code));
	flow->after.count = 4;
	for (uint64_t i = 0; i < 4; i++)
		flow->after.code[i].pc = flow->function + i;
	ck_assert(flow_fallthrough_pass(flow, flow->function, &state, &path));
	ck_assert_uint_eq(path.fallthrough, 1);
	ck_assert_uint_eq(flow->after.code[0].before, 2);
	/* And round to the same one. */
	ck_assert(flow_fallthrough_pass(flow, flow->function, &state, &path));
	ck_assert_uint_eq(path.fallthrough, 1);
	ck_assert_uint_eq(flow->after.code[0].before, 2);
	ck_assert(!flow->after.found);
	flow->after.code[2].own = true;
	state_read(&state, "rsp=c-16");
	flow_fallthrough_return(flow, &state, &path);
	ck_assert(!flow->after.code[0].own);
	state_read(&state, "");
	flow_fallthrough_return(flow, &state, &path);
	ck_assert(flow->after.code[0].own && flow->after.code[1].own && flow->after.found);
	ck_assert(!flow->after.code[3].own);
	flow->after.found = false;
	flow_fallthrough_return(flow, &state, &path);
	ck_assert(!flow->after.found);
	followed_deinit(&followed);
}
END_TEST

/* ---- limits: docs/LIMITS.md ----------------------------------------------------------------- */

/* rsp is lower by 8. */
static void come_with_frame(const char *name)
{
	struct flow_path path = { .from = flow->function };
	struct flow_state state;

	state_read(&state, "rsp=c-16");
	flow_come(flow, image_symbol_address(followed.world.cfi->image, name), &state, &path);
}

START_TEST(so_many_parts)
{
	followed_init(&followed, TWO);
	for (size_t i = 0; i < 64; i++)
		flow->fragment[i] = flow->fragment[0];
	flow->fragment_count = 64;
	come_with_frame("g");
	ck_assert(flow->found.too_large);
	ck_assert_uint_eq(flow->fragment_count, 64);
	flow->found.too_large = false;
	flow->fragment_count = 63;
	come_with_frame("g");
	ck_assert(!flow->found.too_large);
	ck_assert_uint_eq(flow->fragment_count, 64);
	ck_assert_uint_eq(flow->fragment[63]->order, 63);
	flow->fragment[1] = flow->fragment[63];
	flow->fragment_count = 2;
	followed_deinit(&followed);
}
END_TEST

START_TEST(so_many_blocks)
{
	followed_init(&followed, TWO);
	flow->block_count = 131072;
	come_with_frame("f");
	ck_assert(flow->found.too_large);
	ck_assert_uint_eq(flow->block_count, 131072);
	/* The array would grow only then: it has one more than is needed. */
	flow->found.too_large = false;
	flow->block = calloc(131072, sizeof(*flow->block));
	flow->block_count = 131071;
	come_with_frame("f");
	ck_assert(!flow->found.too_large);
	ck_assert_uint_eq(flow->block_count, 131072);
	ck_assert_uint_eq(flow->block[131071].pc, flow->function);
	followed_deinit(&followed);
}
END_TEST

START_TEST(a_block_is_queued_once)
{
	followed_init(&followed, TWO);
	come_with_frame("f");
	ck_assert_uint_eq(flow->queue_count, 1);
	flow_enqueue(flow, 0);
	ck_assert_uint_eq(flow->queue_count, 1);
	ck_assert_uint_eq(flow->queue[0], 0);
	flow->block[0].queued = false;
	flow->queue_count = 0;
	flow_enqueue(flow, 0);
	ck_assert_uint_eq(flow->queue_count, 1);
	ck_assert(flow->block[0].queued);
	followed_deinit(&followed);
}
END_TEST

/* ---- edges ---------------------------------------------------------------------------------- */

static void count_edge(void *context, const struct flow_edge *edge)
{
	unsigned int *count = context;

	ck_assert_uint_eq(edge->from, flow->function + 2);
	ck_assert_uint_eq(edge->to, flow->function);
	ck_assert_int_eq(edge->verdict.fault, FLOW_CFA);
	ck_assert(edge->weak == (*count == 1) && edge->callee == (edge->weak ? 7 : 0));
	++*count;
}

/* Nothing was stepped before. */
START_TEST(a_wrong_way_arrives)
{
	struct flow_path path;
	struct flow_state state;
	unsigned int count = 0;
	const struct flow_visitor visitor = { .edge = count_edge, .context = &count };

	followed_init(&followed, TWO);
	flow_enter(flow, flow->function, NULL);
	state_read(&state, "rsp=c-16");
	flow->followed = true;
	flow->visitor = &visitor;
	for (int i = 0; i < 3; i++) {
		path = (struct flow_path) { .from = flow->function + 2,
					    .weak = i == 1,
					    .callee = i == 1 ? 7 : 0,
					    .unsure = i == 2 ? FLOW_UNSURE : FLOW_SURE };
		flow_come(flow, flow->function, &state, &path);
		ck_assert_uint_eq(count, i ? 2 : 1); /* not one that is unsure */
	}
	/* Into the middle of a block, nobody asks. */
	path = (struct flow_path) { .from = flow->function + 2 };
	flow_come(flow, flow->function + 1, &state, &path);
	flow->visitor = NULL;
	flow_come(flow, flow->function, &state, &path);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(flow->block_count, 1);
	ck_assert(flow_has(flow, flow->function) && !flow_has(flow, flow->function + 4));
	followed_deinit(&followed);
}
END_TEST

/* ---- conventions ---------------------------------------------------------------------------- */

#define NAMED(name) "endproc; \"" name "\": startproc; ret; "
/* By hand: a CIE whose data are aligned so, and an FDE of the function, whose CIE is said so. */
#define FRAME(id, alignment, cie, address)                                                         \
	"1: .long 3f-2f; 2: .long " id "; .byte 1, 0, 1, " alignment                               \
	", 16, 0x0c, 7, 8, 0, 0, 0, 0; 3: .long 5f-4f; 4: .long " cie "; .quad " address           \
	", 1; 5: "

static const char conventions[] = "nop; ret; " NAMED("camlA") NAMED("camlZ_1") NAMED("caml@") NAMED(
	"caml[") NAMED("camla") NAMED("camA") NAMED("CamlA")
	NAMED("camlAB") "nop; endproc; go4: ret; go8: ret; .section .debug_frame; 6: " FRAME(
		"-1", "0x7c", "1b-6b", "go4")
		FRAME("-1", "0x78", "1b-6b", "go8") ".text; startproc; nop";

static const struct convention_case {
	const char *name;
	bool ocaml, go, unruled;
} convention_cases[] = {
	{ "camlA", true, false, true },	  { "camlA", false, true, false },
	{ "camlZ_1", true, false, true }, { "camlAB", true, true, true },
	{ "caml@", true, true, false },	  { "caml[", true, true, false },
	{ "camla", true, true, false },	  { "camA", true, true, false },
	{ "CamlA", true, true, false },	  { "f", true, true, false },
	{ "go4", false, true, true },	  { "go4", true, false, false },
	{ "go8", true, true, false },
};

START_TEST(conventions_have_no_rules)
{
	const struct convention_case *test = &convention_cases[_i];
	struct flow_fragment *fragment;

	followed_init(&followed, conventions);
	followed.world.ocaml = test->ocaml;
	followed.world.go = test->go;
	fragment = followed_fragment(&followed, test->name);
	ck_assert_msg(
		fragment->agreed ==
			(test->unruled ? FLOW_ROW_UNRULED(FLOW_PRESERVED) | FLOW_PRESERVED : 0),
		"%s", test->name);
	flow_fragment_destroy(fragment);
	followed_deinit(&followed);
}
END_TEST

/* Only a function's begin is named so, and only the linker's frames are Go's. */
START_TEST(nothing_else_is_of_a_convention)
{
	struct flow_fragment *fragment;

	followed_init(&followed,
		      "nop; ret; endproc; camlA: nop; m: startproc; ret; endproc; .type camlA, "
		      "@function; .size camlA, 2; eh4: ret; .section .eh_frame, \"a\"; 1: .long "
		      "3f-2f; 2: .long 0; .byte 1; .asciz \"zR\"; .byte 1, 0x7c, 16, 1, 0x1b, "
		      "0x0c, 7, 8; .balign 4, 0; 3: .long 5f-4f; 4: .long .-1b, eh4-., 1; .byte 0; "
		      ".balign 4, 0; 5: .text; startproc; nop");
	followed.world.ocaml = followed.world.go = true;
	for (int i = 0; i < 2; i++) {
		fragment = followed_fragment(&followed, i ? "eh4" : "m");
		ck_assert_uint_eq(fragment->agreed, 0);
		flow_fragment_destroy(fragment);
	}
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_world, GROUP(rounds), TIMEOUT(300), TEST(a_round_begins_anew),
      TEST(another_round_for_tables), LOOP(another_round_for_pads, pad_cases),
      LOOP(another_round_for_code_beyond_calls, beyond_cases), TEST(a_call_beyond_a_call),
      GROUP(limits), TIMEOUT(300), TEST(so_many_parts), TEST(so_many_blocks),
      TEST(a_block_is_queued_once), TEST(a_wrong_way_arrives),
      LOOP(conventions_have_no_rules, convention_cases), TEST(nothing_else_is_of_a_convention))
