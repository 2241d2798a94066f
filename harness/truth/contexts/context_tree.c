/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * context_tree.c - a calling-context tree that grows
 *
 * A node is found by (parent, frame) in a hash table of node numbers, open addressing, at most half
 * full. Node 0, a root, is never in it, so 0 is an empty slot. It takes 56 bytes for each different
 * stack, however often it was met.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "array.h"
#include "contexts.h"

#define SLOTS_LEAST 1024u

int context_tree_init(struct context_tree *tree, struct error *error)
{
	*tree = (struct context_tree) { .slot_count = SLOTS_LEAST };
	tree->slot = calloc(tree->slot_count, sizeof(*tree->slot));
	if (!tree->slot || !ARRAY_RESERVE(tree->node, tree->capacity, 2)) {
		context_tree_deinit(tree);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	}
	for (uint32_t root = 0; root <= CONTEXT_ROOT_OPEN; root++)
		tree->node[tree->node_count++] = (struct context_node) { .parent = root };
	return 0;
}

void context_tree_deinit(struct context_tree *tree)
{
	for (size_t i = 0; i < tree->image_count; i++) {
		free((char *)tree->image[i].path);
		free((uint8_t *)tree->image[i].build_id);
	}
	free(tree->image);
	free(tree->node);
	free(tree->slot);
	*tree = (struct context_tree) { .image = NULL };
}

/* ---- images ----------------------------------------------------------------------------- */

static bool same_image(const struct truth_image *a, const struct truth_image *b)
{
	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
	       !strcmp(a->path, b->path) && a->digest.code == b->digest.code &&
	       a->digest.symtab == b->digest.symtab && a->digest.dynsym == b->digest.dynsym &&
	       (!a->build_id_size || !memcmp(a->build_id, b->build_id, a->build_id_size));
}

int context_tree_image(struct context_tree *tree, const struct truth_image *image,
		       uint32_t *ret_number, struct error *error)
{
	struct truth_image copy = *image;
	uint8_t *build_id;

	for (*ret_number = 0; *ret_number < tree->image_count; ++*ret_number)
		if (same_image(&tree->image[*ret_number], image))
			return 0;
	if (tree->image_count == TRUTH_FILE_IMAGES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "more than %u images",
				 TRUTH_FILE_IMAGES_MAX);
	copy.path = strdup(image->path);
	copy.build_id = build_id = malloc(image->build_id_size + 1);
	if (!copy.path || !build_id || !ARRAY_ADD(tree->image, tree->image_count, copy)) {
		free((char *)copy.path);
		free(build_id);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	}
	if (image->build_id_size)
		memcpy(build_id, image->build_id, image->build_id_size);
	return 0;
}

/* ---- nodes ------------------------------------------------------------------------------ */

static uint32_t *find_slot(const struct context_tree *tree, uint32_t parent,
			   const struct truth_frame *frame)
{
	uint64_t hash = hash_word(0, frame->address ^ (uint64_t)frame->image << 48);

	for (uint32_t at = hash_word(hash, parent) >> 32;; at++) {
		uint32_t *slot = &tree->slot[at & (tree->slot_count - 1)];
		const struct context_node *node = &tree->node[*slot];

		if (!*slot || (node->parent == parent && node->image == frame->image &&
			       node->address == frame->address))
			return slot;
	}
}

static int grow(struct context_tree *tree, struct error *error)
{
	uint32_t *old = tree->slot;

	if (!ARRAY_RESERVE(tree->node, tree->capacity, tree->node_count + 1))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	if (tree->node_count < tree->slot_count / 2)
		return 0;
	if (tree->node_count >= TRUTH_FILE_NODES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "the program's stacks have more than %u frames in all",
				 TRUTH_FILE_NODES_MAX);
	tree->slot = calloc(2 * (size_t)tree->slot_count, sizeof(*tree->slot));
	if (!tree->slot) {
		tree->slot = old;
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for stacks");
	}
	free(old);
	tree->slot_count *= 2;
	for (uint32_t i = CONTEXT_ROOT_OPEN + 1; i < tree->node_count; i++) {
		const struct context_node *node = &tree->node[i];
		const struct truth_frame frame = { node->image, node->address };

		*find_slot(tree, node->parent, &frame) = i;
	}
	return 0;
}

int context_tree_child(struct context_tree *tree, uint32_t parent, const struct truth_frame *frame,
		       uint32_t *ret_number, struct error *error)
{
	uint32_t *slot = find_slot(tree, parent, frame);

	*ret_number = *slot;
	if (*slot)
		return 0;
	if (grow(tree, error))
		return -1;
	tree->node[tree->node_count] = (struct context_node) { .parent = parent,
							       .image = frame->image,
							       .address = frame->address };
	*ret_number = tree->node_count++;
	*find_slot(tree, parent, frame) = *ret_number;
	return 0;
}
