/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_bytes.h - truth files made of stacks that a test thinks of (docs/TRUTH_FILE.md)
 *
 *	struct truth_bytes truth = { 0 };
 *	truth_text(&truth, "program", "/bin/a");
 *	truth_image(&truth, TRUTH_IMAGE_FILE, "/bin/a", "", 0);
 *	truth_stack(&truth, &(struct truth_stack){ .points = 1 }, frames, 3);
 *	truth_write(&truth, path);
 */
#ifndef STACKPROOF_TESTS_TRUTH_BYTES_H
#define STACKPROOF_TESTS_TRUTH_BYTES_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "array.h"
#include "truth_file/truth_file.h"

/* What a stack's node counts. */
struct truth_stack {
	uint64_t points, unproven, in_kernel;
	bool open;
	uint32_t interrupts; /* this frame, counted from the leaf, interrupted the next; 0: none */
};

struct truth_bytes_node {
	struct truth_frame frame;
	uint32_t parent, depth;
	struct truth_stack counts;
	bool interrupts;
};

struct truth_bytes {
	uint8_t *header; /* items before the trees */
	size_t header_size, header_room;
	struct truth_bytes_node *node; /* 0: the whole root, 1: the open one */
	uint32_t nodes, images;
	uint64_t sum;
};

struct bytes_out {
	uint8_t **data;
	size_t *size, *room;
};

static inline void out_bytes(struct bytes_out out, const void *data, size_t size)
{
	ck_assert(ARRAY_RESERVE(*out.data, *out.room, *out.size + size + 1));
	memcpy(*out.data + *out.size, data, size);
	*out.size += size;
}

static inline void out_unsigned(struct bytes_out out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		out_bytes(out, &(uint8_t) { 0x80 | value }, 1);
	out_bytes(out, &(uint8_t) { value }, 1);
}

static inline void out_signed(struct bytes_out out, int64_t value)
{
	for (; value < -64 || value > 63; value >>= 7)
		out_bytes(out, &(uint8_t) { 0x80 | (value & 0x7f) }, 1);
	out_bytes(out, &(uint8_t) { value & 0x7f }, 1);
}

static inline void out_text(struct bytes_out out, const void *data, size_t size)
{
	out_unsigned(out, size);
	out_bytes(out, data, size);
}

static inline void out_item(struct bytes_out out, char letter, const uint8_t *data, size_t size)
{
	out_bytes(out, &letter, 1);
	out_text(out, data, size);
}

/* An item of the header: two parts. */
static inline void truth_item(struct truth_bytes *truth, char letter, const uint8_t *item,
			      size_t size)
{
	out_item((struct bytes_out) { &truth->header, &truth->header_size, &truth->header_room },
		 letter, item, size);
}

static inline void truth_text(struct truth_bytes *truth, const char *name, const char *text)
{
	uint8_t *item = NULL;
	size_t size = 0, room = 0;
	struct bytes_out out = { &item, &size, &room };

	out_text(out, name, strlen(name));
	out_text(out, text, strlen(text));
	truth_item(truth, 'S', item, size);
	free(item);
}

static inline void truth_number(struct truth_bytes *truth, const char *name, uint64_t number)
{
	uint8_t *item = NULL;
	size_t size = 0, room = 0;
	struct bytes_out out = { &item, &size, &room };

	out_text(out, name, strlen(name));
	out_unsigned(out, number);
	truth_item(truth, 'C', item, size);
	free(item);
}

/* Without a digest. */
static inline void truth_bare_image(struct truth_bytes *truth, enum truth_image_kind kind,
				    const char *path, const void *build_id, size_t build_id_size)
{
	uint8_t *item = NULL;
	size_t size = 0, room = 0;
	struct bytes_out out = { &item, &size, &room };

	out_unsigned(out, kind);
	out_text(out, path, strlen(path));
	out_text(out, build_id, build_id_size);
	truth_item(truth, 'I', item, size);
	truth->images++;
	free(item);
}

/* Of the last image. */
static inline void truth_digest(struct truth_bytes *truth, const struct code_digest *digest)
{
	uint8_t *item = NULL;
	size_t size = 0, room = 0;
	struct bytes_out out = { &item, &size, &room };

	out_unsigned(out, truth->images - 1);
	out_unsigned(out, digest->code);
	out_unsigned(out, digest->symtab);
	out_unsigned(out, digest->dynsym);
	truth_item(truth, 'd', item, size);
	free(item);
}

/* As the tracer writes it: a file that is there, and has no build-id, gets a digest. */
static inline void truth_image(struct truth_bytes *truth, enum truth_image_kind kind,
			       const char *path, const void *build_id, size_t build_id_size)
{
	struct image *image;
	struct error ignored;

	truth_bare_image(truth, kind, path, build_id, build_id_size);
	if (build_id_size || kind != TRUTH_IMAGE_FILE || image_create(path, &image, &ignored))
		return;
	truth_digest(truth, &(struct code_digest) { image_code_digest(image).code,
						    image_code_digest(image).symtab,
						    image_code_digest(image).dynsym });
	image_destroy(image);
}

static inline uint32_t truth_child(struct truth_bytes *truth, uint32_t parent,
				   const struct truth_frame *frame, bool interrupts)
{
	for (uint32_t i = parent + 1; i < truth->nodes; i++)
		if (truth->node[i].parent == parent && truth->node[i].depth &&
		    truth->node[i].frame.image == frame->image &&
		    truth->node[i].frame.address == frame->address)
			return i;
	ck_assert(ARRAY_GROW(truth->node, truth->nodes));
	truth->node[truth->nodes] =
		(struct truth_bytes_node) { .frame = *frame,
					    .parent = parent,
					    .depth = truth->node[parent].depth + 1,
					    .interrupts = interrupts };
	return truth->nodes++;
}

static inline void truth_roots(struct truth_bytes *truth)
{
	while (truth->nodes < 2) {
		ck_assert(ARRAY_GROW(truth->node, truth->nodes));
		truth->node[truth->nodes] = (struct truth_bytes_node) { .parent = truth->nodes };
		truth->nodes++;
	}
}

/* Frames: innermost first. */
static inline void truth_stack(struct truth_bytes *truth, const struct truth_stack *stack,
			       const struct truth_frame *frame, uint32_t count)
{
	uint32_t at = stack->open;

	truth_roots(truth);
	for (uint32_t i = count; i-- > 0;)
		at = truth_child(truth, at, &frame[i], i && i == stack->interrupts);
	truth->node[at].counts.points += stack->points;
	truth->node[at].counts.unproven += stack->unproven;
	truth->node[at].counts.in_kernel += stack->in_kernel;
	truth->sum += stack->points + stack->unproven + stack->in_kernel;
}

/* The next child of parent behind a frame; NULL: the first. */
static inline uint32_t truth_next(const struct truth_bytes *truth, uint32_t parent,
				  const struct truth_frame *behind)
{
	uint32_t best = 0;

	for (uint32_t i = 2; i < truth->nodes; i++) {
		const struct truth_bytes_node *node = &truth->node[i], *so_far = &truth->node[best];

		if (node->parent != parent ||
		    (behind && (node->frame.image < behind->image ||
				(node->frame.image == behind->image &&
				 node->frame.address <= behind->address))))
			continue;
		if (!best || node->frame.image < so_far->frame.image ||
		    (node->frame.image == so_far->frame.image &&
		     node->frame.address < so_far->frame.address))
			best = i;
	}
	return best;
}

static inline void out_node(struct bytes_out out, const struct truth_bytes_node *node,
			    const struct truth_frame *base, uint32_t left)
{
	const struct truth_stack *counts = &node->counts;
	bool image = node->frame.image != base->image,
	     other = counts->unproven || counts->in_kernel;

	out_unsigned(out, (uint64_t)left << 3 | node->interrupts << 2 | other << 1 | image);
	if (image) {
		out_unsigned(out, node->frame.image);
		out_unsigned(out, node->frame.address);
	} else {
		out_signed(out, node->frame.address - base->address);
	}
	out_unsigned(out, counts->points);
	if (other) {
		out_unsigned(out, counts->unproven);
		out_unsigned(out, counts->in_kernel);
	}
}

/* The nodes below parent. *depth: of the node that was written last. */
static inline void out_children(struct bytes_out out, const struct truth_bytes *truth,
				uint32_t parent, uint32_t *depth)
{
	const struct truth_frame *base = &truth->node[parent].frame;

	for (uint32_t at = truth_next(truth, parent, NULL); at;
	     at = truth_next(truth, parent, &truth->node[at].frame)) {
		out_node(out, &truth->node[at], base, *depth + 1 - truth->node[at].depth);
		*depth = truth->node[at].depth;
		base = &truth->node[at].frame;
		out_children(out, truth, at, depth);
	}
}

/* All of it into a file without a name, whose path goes into path. */
static inline int truth_write(struct truth_bytes *truth, char path[64])
{
	uint8_t *data = NULL, *item = NULL;
	size_t size = 0, room = 0, item_size = 0, item_room = 0;
	struct bytes_out out = { &data, &size, &room }, in = { &item, &item_size, &item_room };
	int file = memfd_create("truth", 0);

	truth_roots(truth);
	out_bytes(out, TRUTH_FILE_MAGIC_1, strlen(TRUTH_FILE_MAGIC_1));
	if (truth->header_size)
		out_bytes(out, truth->header, truth->header_size);
	for (uint32_t root = 0; root < 2; root++) {
		uint32_t depth = 0;

		item_size = 0;
		out_bytes(in, "", 0);
		out_children(in, truth, root, &depth);
		out_item(out, "TO"[root], item, item_size);
	}
	item_size = 0;
	out_unsigned(in, truth->sum);
	out_item(out, 'E', item, item_size);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, data, size), size);
	snprintf(path, 64, "/proc/self/fd/%d", file);
	free(data);
	free(item);
	free(truth->header);
	free(truth->node);
	*truth = (struct truth_bytes) { 0 };
	return file;
}

#endif
