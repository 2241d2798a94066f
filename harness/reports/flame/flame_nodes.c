/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame_nodes.c - the stacks as a tree, of which narrow frames are left out, counted
 *
 * The tree is never in memory: stacks are brought into order, by group and then by frames from the outermost one. Then
 * a node is a range of them, those that begin alike, and its children are the ranges that go on alike. So a million
 * stacks take 16 bytes each beside their frames, and only nodes that are wide enough are made.
 */
#include <stdlib.h>
#include "array.h"
#include "flame.h"

/* A node that is still to be made: of stacks first up to, but not, behind. */
struct range {
	size_t first, behind;
	uint32_t
		depth; /* so many elements of a stack, its group and then its frames, are common to all */
	uint64_t value;
	bool others; /* what is left out */
};

struct growing {
	const struct flame *flame;
	uint32_t *order;  /* numbers of stacks */
	uint64_t *before; /* the values of those before */
	struct range *range;
	size_t ranges, range_room;
	uint64_t least;
	struct flame_nodes *nodes;
};

static uint32_t length(const struct growing *growing, size_t at)
{
	return growing->flame->stack[growing->order[at]].frames + 1;
}

/* Element i of a stack: its group, then names. */
static uint32_t element(const struct growing *growing, size_t at, uint32_t i)
{
	const struct flame_stack *stack = &growing->flame->stack[growing->order[at]];

	return i ? growing->flame->frame[stack->first + i - 1] : stack->group;
}

static int by_frames(const void *left, const void *right, void *context)
{
	const struct flame *flame = context;
	const struct flame_stack *a = &flame->stack[*(const uint32_t *)left],
				 *b = &flame->stack[*(const uint32_t *)right];

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	for (uint32_t i = 0; i < a->frames && i < b->frames; i++) {
		uint32_t one = flame->frame[a->first + i], other = flame->frame[b->first + i];

		if (one != other)
			return one < other ? -1 : 1;
	}
	return a->frames < b->frames ? -1 : a->frames > b->frames;
}

static bool put_in_order(struct growing *growing)
{
	const struct flame *flame = growing->flame;

	growing->order = calloc(flame->stacks + 1, sizeof(*growing->order));
	growing->before = calloc(flame->stacks + 1, sizeof(*growing->before));
	if (!growing->order || !growing->before)
		return false;
	for (size_t i = 0; i < flame->stacks; i++)
		growing->order[i] = i;
	qsort_r(growing->order, flame->stacks, sizeof(*growing->order), by_frames, (void *)flame);
	for (size_t i = 0; i < flame->stacks; i++)
		growing->before[i + 1] = growing->before[i] + flame->stack[growing->order[i]].value;
	return true;
}

/* The nodes that a range would have been, itself included. */
static uint64_t count_nodes(const struct growing *growing, const struct range *range)
{
	uint64_t nodes = length(growing, range->first) - range->depth + 1;

	for (size_t at = range->first + 1; at < range->behind; at++) {
		uint32_t same = range->depth, size = length(growing, at);

		while (same < size && same < length(growing, at - 1) &&
		       element(growing, at, same) == element(growing, at - 1, same))
			same++;
		nodes += size - same;
	}
	return nodes;
}

static bool is_kept(const struct growing *growing, const struct range *child)
{
	uint32_t name = element(growing, child->first, child->depth - 1);

	return child->value >= growing->least ||
	       (child->depth > 1 && growing->flame->name[name].kind == FLAME_MARKER);
}

/* The narrowest first: the last one is made next. What is left out comes last of all. */
static int by_value(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->others != b->others)
		return a->others ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->first > b->first ? -1 : 1;
}

/* False: no memory. */
static bool add_children(struct growing *growing, const struct range *parent)
{
	struct range others = { .depth = parent->depth + 1, .others = true };
	size_t at = parent->first, ranges = growing->ranges;

	while (at < parent->behind && length(growing, at) == parent->depth)
		at++; /* they end here */
	while (at < parent->behind) {
		struct range child = { .first = at, .depth = parent->depth + 1 };

		while (at < parent->behind && element(growing, at, parent->depth) ==
						      element(growing, child.first, parent->depth))
			at++;
		child.behind = at;
		child.value = growing->before[at] - growing->before[child.first];
		if (!ARRAY_RESERVE(growing->range, growing->range_room, growing->ranges + 2))
			return false;
		if (is_kept(growing, &child)) {
			growing->range[growing->ranges++] = child;
		} else {
			others.value += child.value;
			growing->nodes->left_out += count_nodes(growing, &child);
		}
	}
	if (others.value)
		growing->range[growing->ranges++] = others;
	if (growing->ranges > ranges)
		qsort(growing->range + ranges, growing->ranges - ranges, sizeof(struct range),
		      by_value);
	return true;
}

static bool grow(struct growing *growing)
{
	struct flame_nodes *nodes = growing->nodes;
	const struct range root = { .behind = growing->flame->stacks };
	bool whole = put_in_order(growing) && add_children(growing, &root);

	while (whole && growing->ranges) {
		const struct range range = growing->range[--growing->ranges];

		whole = ARRAY_RESERVE(nodes->node, nodes->room, nodes->nodes + 1);
		if (!whole)
			break;
		nodes->node[nodes->nodes++] = (struct flame_node) {
			.name = range.others ? 0 : element(growing, range.first, range.depth - 1),
			.depth = range.depth,
			.value = range.value,
		};
		whole = range.others || add_children(growing, &range);
	}
	return whole;
}

int flame_nodes(const struct flame *flame, struct flame_nodes *ret, struct error *error)
{
	struct growing growing = { .flame = flame, .nodes = ret, .least = flame_least(flame) };
	bool whole;

	*ret = (struct flame_nodes) { 0 };
	whole = flame->stacks <= UINT32_MAX && grow(&growing);
	free(growing.order);
	free(growing.before);
	free(growing.range);
	if (whole)
		return 0;
	free(ret->node);
	*ret = (struct flame_nodes) { 0 };
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a flame graph");
}
