/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_set.c - all the stacks that a program was seen to have, as a tree
 *
 * The tree's root is above every innermost frame, a node is a PC below another, and a stack is a
 * way down. So the first frames of a stack are found as the stack itself is, in one step a frame,
 * and every PC is compared: no digest stands for a stack, and no two can collide. A step is one
 * look-up of (node, PC) in a hash table; where two have one hash, the node behind it decides.
 *
 *	stacks	a b c,  a b d,  e b c		tree	a - b - c
 *							      \ d
 *							e - b - c
 *
 * Nodes are numbered, 0 is the root. A stack of 300 frames costs 300 nodes of 16 bytes, unless
 * another begins alike.
 */
#include <stdlib.h>
#include "hash.h"
#include "sample_set.h"

#define NODES_MAX (1u << 27) /* 2 GiB of nodes: nobody's stacks */

enum {
	NODE_WHOLE = 1, /* a stack ends here */
	NODE_OPEN = 2,	/* one ends here that is only known so far */
	NODE_MET = 4,
};

struct node {
	uint64_t pc;
	uint32_t parent : 28;
	uint32_t flags : 4;
};

struct sample_set {
	struct node *node;
	uint32_t count, capacity;
	uint32_t *slot; /* number of a node, 0: empty; a power of two of them */
	uint32_t slot_count;
	uint64_t stacks, met;
	uint32_t depth;
};

struct sample_set *sample_set_create(void)
{
	struct sample_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->capacity = 1024;
	set->slot_count = 2 * set->capacity;
	set->node = calloc(set->capacity, sizeof(*set->node));
	set->slot = calloc(set->slot_count, sizeof(*set->slot));
	set->count = 1; /* the root */
	if (set->node && set->slot)
		return set;
	sample_set_destroy(set);
	return NULL;
}

void sample_set_destroy(struct sample_set *set)
{
	if (!set)
		return;
	free(set->node);
	free(set->slot);
	free(set);
}

/* The slot that holds the node below parent with that PC, or the empty one where it belongs. */
static uint32_t *find_slot(const struct sample_set *set, uint32_t parent, uint64_t pc)
{
	uint32_t at = hash_word(pc, (uint64_t)parent << 36) & (set->slot_count - 1);

	for (;; at = (at + 1) & (set->slot_count - 1)) {
		uint32_t *slot = &set->slot[at];

		if (!*slot || (set->node[*slot].parent == parent && set->node[*slot].pc == pc))
			return slot;
	}
}

static int grow(struct sample_set *set, struct error *error)
{
	uint32_t capacity = set->capacity * 2;
	struct node *node;
	uint32_t *slot;

	if (capacity > NODES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the program's stacks have more than %u frames in all", NODES_MAX);
	node = realloc(set->node, capacity * sizeof(*node));
	if (!node)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	set->node = node;
	slot = calloc(2 * (size_t)capacity, sizeof(*slot));
	if (!slot)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	free(set->slot);
	set->slot = slot;
	set->slot_count = 2 * capacity;
	set->capacity = capacity;
	for (uint32_t i = 1; i < set->count; i++)
		*find_slot(set, set->node[i].parent, set->node[i].pc) = i;
	return 0;
}

int sample_set_add(struct sample_set *set, const uint64_t *pc, uint32_t count, bool whole,
		   struct error *error)
{
	uint32_t flag = whole ? NODE_WHOLE : NODE_OPEN, at = 0;

	if (!count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *slot;

		if (set->count == set->capacity && grow(set, error))
			return -1;
		slot = find_slot(set, at, pc[i]);
		if (!*slot) {
			set->node[set->count] = (struct node) { .pc = pc[i], .parent = at };
			*slot = set->count++;
		}
		at = *slot;
	}
	set->stacks += !(set->node[at].flags & (NODE_WHOLE | NODE_OPEN));
	set->node[at].flags |= flag;
	if (count > set->depth)
		set->depth = count;
	return 0;
}

static void meet(struct sample_set *set, uint32_t number)
{
	set->met += !(set->node[number].flags & NODE_MET);
	set->node[number].flags |= NODE_MET;
}

enum set_match sample_set_find(struct sample_set *set, const uint64_t *pc, uint32_t count)
{
	uint32_t at = 0, open = 0, i;

	for (i = 0; i < count; i++) {
		uint32_t next = *find_slot(set, at, pc[i]);

		if (!next)
			break;
		at = next;
		if (set->node[at].flags & NODE_OPEN)
			open = at;
	}
	if (i == count && set->node[at].flags & NODE_WHOLE) {
		meet(set, at);
		return SET_WHOLE;
	}
	if (open) {
		meet(set, open);
		return SET_OPEN;
	}
	return i == count ? SET_PREFIX : SET_NONE;
}

uint64_t sample_set_count(const struct sample_set *set)
{
	return set->stacks;
}

uint64_t sample_set_met(const struct sample_set *set)
{
	return set->met;
}

void sample_set_forget_met(struct sample_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		set->node[i].flags &= ~NODE_MET;
	set->met = 0;
}

uint32_t sample_set_depth(const struct sample_set *set)
{
	return set->depth;
}

/* Frames, from the outermost inwards, in which the stack that ends at a node agrees with pc. */
static uint32_t common_outer(const struct sample_set *set, uint32_t at, const uint64_t *pc,
			     uint32_t count)
{
	uint32_t common = 0;

	for (; at && common < count; at = set->node[at].parent, common++)
		if (set->node[at].pc != pc[count - 1 - common])
			break;
	return common;
}

bool sample_set_nearest(const struct sample_set *set, const uint64_t *pc, uint32_t count,
			struct stack *ret, uint32_t *ret_common)
{
	uint32_t best = 0, most = 0, frames = 0;
	struct error ignored;

	for (uint32_t i = 1; i < set->count; i++) {
		uint32_t common;

		if (!(set->node[i].flags & (NODE_WHOLE | NODE_OPEN)))
			continue;
		common = common_outer(set, i, pc, count);
		if (common > most) {
			most = common;
			best = i;
		}
	}
	*ret_common = most;
	stack_clear(ret);
	for (uint32_t at = best; at; at = set->node[at].parent)
		frames++;
	if (stack_reserve(ret, frames, &ignored))
		return false;
	ret->count = frames;
	for (uint32_t at = best; at; at = set->node[at].parent)
		ret->pc[--frames] = set->node[at].pc;
	return most > 0;
}
