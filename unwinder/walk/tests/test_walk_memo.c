/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_memo.c - states that are the same frame to the memo, though the walks came to them with
 * other rubbish in what is not known
 *
 * A second walk finds fewer functions mapped than the first: what it still finds is the memo's.
 */
#include "tests/suite.h"
#include "cfi/expression.h"
#include "walk/walk_rows.h"
#include "walk_world.h"

typedef int (*walk_fn)(const struct address_space *, const struct register_values *,
		       const struct memory_reader *, struct walk_memo *, struct stack *,
		       struct error *);

static const struct {
	const char *name;
	walk_fn walk;
} walks[] = { { "rows", walk_rows }, { "table", walk_table } };

static struct fake_stack memory;
static const struct memory_reader reader = { read_stack, &memory };
static struct walk_memo *memo;
static struct stack stack;

static void walk(int number, const struct world *world, const struct register_values *regs)
{
	struct error error;

	ck_assert(!walks[number].walk(&world->space, regs, &reader, memo, &stack, &error));
}

/* The value of a register that is not known is no part of the state. */
START_TEST(values_of_unknown_registers)
{
	const struct literal function[] = { NORMAL, END };
	const uint64_t words[] = { B + 1 }, found[] = { A, B + 1 };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct world world;

	memory = (struct fake_stack) { .word = words, .words = COUNT(words) };
	memo = walk_memo_create();
	regs.known &= ~(1u << REGISTER_RAX | 1u << REGISTER_R15);
	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = A;
	world_init(&world, function, COUNT(function), false);
	walk(_i, &world, &regs);
	regs.value[REGISTER_RAX] = 1;
	regs.value[REGISTER_R15] = 15;
	world.space.mapping_count = 0;
	walk(_i, &world, &regs);
	check_stack("unknown", walks[_i].name, &stack, found, COUNT(found), STOP_COMPLETE);
	/* One that is known is. */
	regs.value[REGISTER_RBX] = 3;
	walk(_i, &world, &regs);
	check_stack("known", walks[_i].name, &stack, found, 1, STOP_NO_MAPPING);
	walk_memo_destroy(memo);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

/* Nor is where one lay that is not known any more: A saves rbx, B loses it, and C has the same frame whether A
 * was walked or not. */
START_TEST(places_of_unknown_registers)
{
	const struct literal function[] = { CFI(CFA_def_cfa_offset(16), CFA_offset(RBX, 2)),
					    CFI(CFA_undefined(RBX), CFA_register(R12, R13)), END };
	const uint64_t words[] = { 0, B + 1, C + 1 };
	const uint64_t first[] = { A, B + 1, C + 1 }, second[] = { B, C + 1 };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct world world;

	memory = (struct fake_stack) { .word = words, .words = COUNT(words) };
	memo = walk_memo_create();
	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RIP] = A;
	world_init(&world, function, COUNT(function), false);
	walk(_i, &world, &regs);
	check_stack("first", walks[_i].name, &stack, first, COUNT(first), STOP_COMPLETE);
	world.mapping.end = C;
	regs.value[REGISTER_RSP] = SP + 16;
	regs.value[REGISTER_RIP] = B;
	walk(_i, &world, &regs);
	check_stack("second", walks[_i].name, &stack, second, COUNT(second), STOP_COMPLETE);
	walk_memo_reset(memo);
	walk(_i, &world, &regs);
	check_stack("forgotten", walks[_i].name, &stack, second, COUNT(second), STOP_NO_MAPPING);
	walk_memo_destroy(memo);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

SUITE(walk_memo, LOOP(values_of_unknown_registers, walks), LOOP(places_of_unknown_registers, walks))
