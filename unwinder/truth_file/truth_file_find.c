/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file_find.c - a stack held against all true ones
 *
 * Outermost first it is a walk down from a root, one look-up a frame. But a stack that was cut off
 * lacks its outermost frames. So it is also held, innermost first, against each of the stacks that
 * have its innermost frame.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "truth_file_data.h"

#define INDEX_LEAST 256u

static uint32_t hash_frame(uint32_t parent, uint32_t image, uint64_t address)
{
	return hash_word(hash_word(0, address ^ (uint64_t)image << 48), parent) >> 32;
}

/* ---- the tables ------------------------------------------------------------------------- */

static bool index_create(struct truth_index *index, uint32_t count)
{
	uint32_t size = INDEX_LEAST;

	while (size < count)
		size *= 2;
	index->mask = size - 1;
	index->head = calloc(size, sizeof(*index->head));
	index->next = calloc(count, sizeof(*index->next));
	return index->head && index->next;
}

static void index_add(struct truth_index *index, uint32_t hash, uint32_t number)
{
	uint32_t *head = &index->head[hash & index->mask];

	index->next[number] = *head;
	*head = number;
}

static bool has_count(const struct truth_node *node)
{
	return node->points || node->unproven || node->in_kernel;
}

bool truth_file_index(struct truth_file *file)
{
	if (!index_create(&file->children, file->node_count) ||
	    !index_create(&file->places, file->node_count))
		return false;
	for (uint32_t i = file->node_count; i-- > 1;) {
		const struct truth_node *node = &file->node[i];

		if (!node->depth)
			continue;
		index_add(&file->children, hash_frame(node->parent, node->image, node->address), i);
		if (has_count(node))
			index_add(&file->places, hash_frame(0, node->image, node->address), i);
	}
	return true;
}

void truth_file_index_deinit(struct truth_file *file)
{
	free(file->children.head);
	free(file->children.next);
	free(file->places.head);
	free(file->places.next);
}

/* ---- look-ups --------------------------------------------------------------------------- */

bool truth_file_find_image(const struct truth_file *file, const uint8_t *build_id,
			   size_t build_id_size, const char *path, uint32_t *ret)
{
	for (size_t i = 0; build_id_size && i < file->image_count; i++) {
		const struct truth_image *image = &file->image[i];

		if (image->build_id_size == build_id_size &&
		    !memcmp(image->build_id, build_id, build_id_size)) {
			*ret = i;
			return true;
		}
	}
	for (size_t i = 0; path && i < file->image_count; i++) {
		const struct truth_image *image = &file->image[i];

		/* Of two files with a build-id each, the name says nothing. */
		if (!strcmp(image->path, path) && !(image->build_id_size && build_id_size)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool has_frame(const struct truth_node *node, const struct truth_frame *frame)
{
	return node->image == frame->image && node->address == frame->address;
}

uint32_t truth_file_child(const struct truth_file *file, uint32_t parent,
			  const struct truth_frame *frame)
{
	uint32_t hash = hash_frame(parent, frame->image, frame->address);
	uint32_t at = file->children.head[hash & file->children.mask];

	while (at && (file->node[at].parent != parent || !has_frame(&file->node[at], frame)))
		at = file->children.next[at];
	return at;
}

/* The first in a chain, from at on. */
static uint32_t find_place(const struct truth_file *file, uint32_t at,
			   const struct truth_frame *frame)
{
	while (at && !has_frame(&file->node[at], frame))
		at = file->places.next[at];
	return at;
}

uint32_t truth_file_first_at(const struct truth_file *file, const struct truth_frame *frame)
{
	uint32_t hash = hash_frame(0, frame->image, frame->address);

	return find_place(file, file->places.head[hash & file->places.mask], frame);
}

uint32_t truth_file_next_at(const struct truth_file *file, uint32_t number)
{
	const struct truth_node *node = &file->node[number];
	const struct truth_frame frame = { .image = node->image, .address = node->address };

	return find_place(file, file->places.next[number], &frame);
}

uint32_t truth_file_descend(const struct truth_file *file, uint32_t root,
			    const struct truth_frame *frame, uint32_t count, uint32_t *ret_node)
{
	uint32_t agree = 0;

	*ret_node = root;
	while (agree < count) {
		uint32_t child = truth_file_child(file, *ret_node, &frame[count - 1 - agree]);

		if (!child)
			break;
		*ret_node = child;
		agree++;
	}
	return agree;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* The frames held against one stack. */
static void match_one(const struct truth_file *file, uint32_t number,
		      const struct truth_frame *frame, uint32_t count, struct truth_match *ret)
{
	uint32_t depth = file->node[number].depth, at = number, agree = 0;
	bool open = truth_file_is_open(file, number);

	for (; agree < count && agree < depth; agree++, at = file->node[at].parent)
		if (!has_frame(&file->node[at], &frame[agree]))
			break;
	ret->node = number;
	ret->inner = agree;
	ret->proven = truth_node_is_proven(&file->node[number]);
	if (agree == depth && (open || agree == count))
		ret->kind = open ? TRUTH_MATCH_OPEN : TRUTH_MATCH_WHOLE;
	else
		ret->kind = agree == count ? TRUTH_MATCH_PREFIX : TRUTH_MATCH_NONE;
}

static bool is_better(const struct truth_match *a, const struct truth_match *b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind;
	if (a->kind == TRUTH_MATCH_NONE && a->inner != b->inner)
		return a->inner > b->inner;
	if (a->proven != b->proven)
		return a->proven;
	return a->inner > b->inner;
}

void truth_file_find(const struct truth_file *file, const struct truth_frame *frame, uint32_t count,
		     struct truth_match *ret)
{
	struct truth_match one = { 0 };
	uint32_t node;

	*ret = (struct truth_match) { .kind = TRUTH_MATCH_NONE };
	if (!count)
		return;
	for (uint32_t at = truth_file_first_at(file, frame); at;
	     at = truth_file_next_at(file, at)) {
		match_one(file, at, frame, count, &one);
		one.is_doubted = ret->is_doubted || file->node[at].unproven;
		if (is_better(&one, ret))
			*ret = one;
		ret->is_doubted = one.is_doubted;
	}
	ret->outer = truth_file_descend(file, TRUTH_ROOT_WHOLE, frame, count, &node);
}
