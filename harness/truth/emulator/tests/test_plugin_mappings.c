/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plugin_mappings.c - which mapping an address is in, by the trees of a guest's kernel, sound and damaged
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "array.h"
#include "made_memory.h"

/* Physical addresses. */
#define TASK	    (1 * PAGE_BYTES)
#define MM	    (2 * PAGE_BYTES)
#define NODE(n)	    ((2 + (uint64_t)(n)) * PAGE_BYTES) /* from 1 on */
#define AREA(n)	    ((20 + (uint64_t)(n)) * PAGE_BYTES)
#define READS_BOUND 500

static const struct guest_layout layout = {
	.task_mm = 0x88,
	.mm_tree = 0x48,
	.tree_root = 0x10,
	.vma_start = 0x20,
	.vma_end = 0x28,
	.vma_rb = 0x40,
	.rb_left = 0x10,
	.rb_right = 0x8,
	.range_pivots = 0x8,
	.range_slots = 0x28,
	.range_count = 5,
	.arange_pivots = 0x18,
	.arange_slots = 0x30,
	.arange_count = 4,
};

/* The areas of maple trees, from 1 on. */
static const struct address_range areas[] = {
	{ 0x5000, 0x6000 },
	{ 0x2000, 0x3000 },
	{ 0x8000, 0x9000 },
	{ 0x7000, 0x8000 },
};

#define RED_BLACK    0
#define UNKNOWN_KIND 5

static const struct node {
	const char *tree;
	int number; /* 1: the root */
	int kind;
	uint64_t key[4]; /* pivots; of RED_BLACK the area */
	int child[5];	 /* nodes; left and right; areas of a leaf */
} nodes[] = {
	{ "red_black", 1, RED_BLACK, { 0x5000, 0x6000 }, { 2, 3 } },
	{ "red_black", 2, RED_BLACK, { 0x2000, 0x3000 }, { 0, 0 } },
	{ "red_black", 3, RED_BLACK, { 0x8000, 0x9000 }, { 4, 0 } },
	{ "red_black", 4, RED_BLACK, { 0x7000, 0x8000 }, { 0, 0 } },
	{ "red_black_cycle", 1, RED_BLACK, { 0x5000, 0x6000 }, { 2, 2 } },
	{ "red_black_cycle", 2, RED_BLACK, { 0x2000, 0x3000 }, { 1, 1 } },
	{ "leaf", 1, MAPLE_LEAF, { 0x1fff, 0x2fff, 0x4fff, 0x5fff }, { 0, 2, 0, 1, 3 } },
	{ "leaf_that_ends_early", 1, MAPLE_LEAF, { 0x1fff, 0x2fff }, { 0, 2, 1, 3, 3 } },
	{ "range", 1, MAPLE_RANGE, { 0x4fff, 0x6fff }, { 2, 3, 4 } },
	{ "range", 2, MAPLE_LEAF, { 0x1fff, 0x2fff }, { 0, 2, 0 } },
	{ "range", 3, MAPLE_LEAF, { 0x5fff }, { 1, 0 } },
	{ "range", 4, MAPLE_LEAF, { 0x7fff }, { 4, 3 } },
	{ "arange", 1, MAPLE_ARANGE, { 0x6fff }, { 2, 3 } },
	{ "arange", 2, MAPLE_LEAF, { 0x1fff, 0x2fff, 0x4fff }, { 0, 2, 0, 1 } },
	{ "arange", 3, MAPLE_LEAF, { 0x7fff }, { 4, 3 } },
	{ "maple_of_an_unknown_kind", 1, UNKNOWN_KIND, { 0 }, { 2, 2, 2, 2, 2 } },
	{ "maple_of_an_unknown_kind", 2, MAPLE_LEAF, { 0 }, { 1, 1, 1, 1, 1 } },
	{ "maple_cycle", 1, MAPLE_RANGE, { 0 }, { 1, 1, 1, 1, 1 } },
};

static const struct {
	const char *tree;
	uint64_t address, low, high; /* high 0: nothing is found */
	uint64_t hole;
} searches[] = {
	{ "red_black", 0x5000, 0x5000, 0x6000, NONE },
	{ "red_black", 0x2fff, 0x2000, 0x3000, NONE },
	{ "red_black", 0x8000, 0x8000, 0x9000, NONE },
	{ "red_black", 0x7fff, 0x7000, 0x8000, NONE },
	{ "red_black", 0x6000, 0, 0, NONE },
	{ "red_black", 0x1000, 0, 0, NONE },
	{ "red_black", UINT64_MAX, 0, 0, NONE },
	{ "red_black", 0x5000, 0x5000, 0x6000, 4 }, /* on other pages */
	{ "red_black", 0x2000, 0, 0, 4 },
	{ "red_black", 0x5000, 0, 0, 2 }, /* struct mm_struct */
	{ "red_black", 0x5000, 0, 0, 1 }, /* the task */
	{ "red_black_empty", 0x5000, 0, 0, NONE },
	{ "red_black_cycle", 0x5000, 0x5000, 0x6000, NONE },
	{ "red_black_cycle", 0x4000, 0, 0, NONE },
	{ "red_black_cycle", 0x9000, 0, 0, NONE },
	{ "no_memory", 0x5000, 0, 0, NONE },
	{ "leaf", 0x2000, 0x2000, 0x3000, NONE },
	{ "leaf", 0x5fff, 0x5000, 0x6000, NONE },
	{ "leaf", 0x8fff, 0x8000, 0x9000, NONE }, /* in the last child, which has no pivot */
	{ "leaf", 0x3000, 0, 0, NONE },
	{ "leaf", 0x6000, 0, 0, NONE },
	{ "leaf", 0x5000, 0, 0, 21 }, /* its area */
	{ "leaf_that_ends_early", 0x2fff, 0x2000, 0x3000, NONE },
	{ "leaf_that_ends_early", 0x5000, 0x5000, 0x6000, NONE },
	{ "leaf_that_ends_early", 0x8000, 0, 0, NONE },
	{ "range", 0x2000, 0x2000, 0x3000, NONE },
	{ "range", 0x5000, 0x5000, 0x6000, NONE },
	{ "range", 0x7000, 0x7000, 0x8000, NONE },
	{ "range", 0x8000, 0x8000, 0x9000, NONE },
	{ "range", 0x6000, 0, 0, NONE },
	{ "range", 0x2000, 0, 0, 4 },
	{ "arange", 0x5000, 0x5000, 0x6000, NONE },
	{ "arange", 0x7fff, 0x7000, 0x8000, NONE },
	{ "arange", 0x9000, 0, 0, NONE },
	{ "maple_empty", 0x5000, 0, 0, NONE },
	{ "maple_of_an_unknown_kind", 0x5000, 0, 0, NONE },
	{ "maple_cycle", 0x5000, 0, 0, NONE },
};

static const struct node *find_node(const char *tree, int number)
{
	return ARRAY_FIRST(nodes, ARRAY_COUNT(nodes), one,
			   !strcmp(one->tree, tree) && one->number == number);
}

/* As the kernel has it: of a maple tree's node also the kind, and a bit of its own. */
static uint64_t pointer(const char *tree, int number)
{
	const struct node *node = find_node(tree, number);

	if (!node)
		return 0;
	return DIRECT + NODE(number) +
	       (node->kind == RED_BLACK ? layout.vma_rb : (unsigned)node->kind << 3 | 2);
}

static void put_area(uint64_t at, const struct address_range *range)
{
	put(at + layout.vma_start, range->low);
	put(at + layout.vma_end, range->high);
}

static void put_maple(const struct node *node)
{
	bool arange = node->kind == MAPLE_ARANGE, leaf = node->kind == MAPLE_LEAF;
	uint64_t at = NODE(node->number), count = arange ? layout.arange_count : layout.range_count;

	for (uint64_t i = 0; i < count; i++) {
		if (i + 1 < count)
			put(at + (arange ? layout.arange_pivots : layout.range_pivots) + i * 8,
			    node->key[i]);
		put(at + (arange ? layout.arange_slots : layout.range_slots) + i * 8,
		    !leaf	     ? pointer(node->tree, node->child[i])
		    : node->child[i] ? DIRECT + AREA(node->child[i])
				     : 0);
	}
}

static void build(struct guest_kernel *kernel, const char *tree)
{
	kernel->told.layout = layout;
	kernel->told.layout.is_maple = strncmp(tree, "red_black", 9) != 0;
	put(TASK + layout.task_mm, strcmp(tree, "no_memory") ? DIRECT + MM : 0);
	put(MM + layout.mm_tree + (kernel->told.layout.is_maple ? layout.tree_root : 0),
	    pointer(tree, 1));
	for (int i = 0; i < COUNT(areas); i++)
		put_area(AREA(i + 1), &areas[i]);
	for (int i = 0; i < COUNT(nodes); i++) {
		const struct node *node = &nodes[i];
		uint64_t at = NODE(node->number);

		if (strcmp(node->tree, tree))
			continue;
		if (kernel->told.layout.is_maple) {
			put_maple(node);
			continue;
		}
		put_area(at, &(struct address_range) { node->key[0], node->key[1] });
		put(at + layout.vma_rb + layout.rb_left, pointer(tree, node->child[0]));
		put(at + layout.vma_rb + layout.rb_right, pointer(tree, node->child[1]));
	}
}

START_TEST(mapping_is_found)
{
	static struct guest_kernel kernel;
	const char *tree = searches[_i].tree;
	struct address_range found = { 0 };
	bool got;

	memory_clear();
	build(&kernel, tree);
	hole = searches[_i].hole;
	got = guest_kernel_mapping(&kernel, DIRECT + TASK, searches[_i].address, &found);
	ck_assert_msg(got == (searches[_i].high != 0), "%s: %" PRIx64, tree, searches[_i].address);
	if (got)
		ck_assert_msg(found.low == searches[_i].low && found.high == searches[_i].high,
			      "%s: %" PRIx64 " in %" PRIx64, tree, searches[_i].address, found.low);
	ck_assert_msg(reads < READS_BOUND, "%s: %" PRIu64 " reads", tree, reads);
}
END_TEST

SUITE(plugin_mappings, LOOP(mapping_is_found, searches))
