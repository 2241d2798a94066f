/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_truth.c - truth files, for other programs: what is in one, node by node
 *
 * Inside, the two roots are nodes, too. Here they are none: numbers go from 1 on without a gap, and
 * a node says whether it is open.
 */
#include <stdlib.h>
#include "face.h"

_Static_assert((int)STACKPROOF_TRUTH_OTHER == TRUTH_IMAGE_OTHER &&
		       TRUTH_IMAGE_KIND_COUNT == TRUTH_IMAGE_OTHER + 1,
	       "a new kind wants a number of the face");

/* What is wrong with the file is not the kernel's doing. */
static int fail(struct stackproof_error *ret, const struct error *error)
{
	face_fail(ret, error);
	if (ret && error->code == ERROR_PROTOCOL)
		ret->code = STACKPROOF_ERROR_FILE;
	return -1;
}

static int give_info(const struct truth_file *file, struct stackproof_truth_info *ret,
		     struct stackproof_error *error)
{
	const struct stackproof_truth_info info = {
		.partial = truth_file_partial(file),
		.gap = truth_file_gap(file),
		.program = truth_file_text(file, "program"),
		.kernel = truth_file_text(file, "kernel"),
		.machine = truth_file_text(file, "machine"),
		.version = truth_file_text(file, "stackproof"),
		.steps = truth_file_number(file, "steps"),
		.points = truth_file_number(file, "points"),
		.proven = truth_file_number(file, "proven"),
		.unproven = truth_file_number(file, "unproven"),
		.open = truth_file_number(file, "open"),
		.threads = truth_file_number(file, "threads"),
		.elapsed_ns = truth_file_number(file, "elapsed_ns"),
		.images = truth_file_image_count(file),
		.nodes = truth_file_node_count(file) - 2, /* the roots */
	};

	return ret ? face_give(ret, &info, sizeof(info), error) : 0;
}

int stackproof_truth_open(const char *path, struct stackproof_truth **ret,
			  struct stackproof_truth_info *info, struct stackproof_error *error)
{
	struct stackproof_truth *truth = calloc(1, sizeof(*truth));
	struct error inner;

	if (!truth)
		return face_fail_memory(error);
	if (truth_file_open(path, &truth->file, &inner)) {
		free(truth);
		return fail(error, &inner);
	}
	if (give_info(truth->file, info, error)) {
		stackproof_truth_close(truth);
		return -1;
	}
	*ret = truth;
	return 0;
}

void stackproof_truth_close(struct stackproof_truth *truth)
{
	if (truth)
		truth_file_close(truth->file);
	free(truth);
}

int stackproof_truth_image(const struct stackproof_truth *truth, uint32_t number,
			   struct stackproof_truth_image *ret, struct stackproof_error *error)
{
	struct stackproof_truth_image image = { 0 };
	const struct truth_image *known;

	if (number >= truth_file_image_count(truth->file))
		return face_fail_argument(error, "there is no image %u", number);
	known = truth_file_image(truth->file, number);
	image.kind = known->kind;
	image.path = known->path;
	image.build_id = known->build_id;
	image.build_id_size = known->build_id_size;
	return face_give(ret, &image, sizeof(image), error);
}

/* Between a node's number inside and here: the roots are no nodes. */
static uint32_t inner_number(const struct truth_file *file, uint64_t number)
{
	return number < truth_file_open_root(file) ? number : number + 1;
}

static uint32_t outer_number(const struct truth_file *file, uint32_t number)
{
	return number < truth_file_open_root(file) ? number : number - 1;
}

int stackproof_truth_next(const struct stackproof_truth *truth, struct stackproof_truth_node *ret,
			  struct stackproof_error *error)
{
	const struct truth_file *file = truth->file;
	struct stackproof_truth_node node = { 0 };
	const struct truth_node *known;
	uint32_t number;

	if (ret->size < offsetof(struct stackproof_truth_node, parent))
		return face_fail_argument(error, "a node says a size of %zu bytes", ret->size);
	number = inner_number(file, (uint64_t)ret->number + 1);
	if (ret->number >= truth_file_node_count(file) - 2)
		return 0;
	known = truth_file_node(file, number);
	node.number = ret->number + 1;
	node.parent = known->depth > 1 ? outer_number(file, known->parent) : 0;
	node.depth = known->depth;
	node.image = known->image;
	node.address = known->address;
	node.points = known->points;
	node.unproven = known->unproven;
	node.in_kernel = known->in_kernel;
	node.open = truth_file_is_open(file, number);
	node.interrupts = known->interrupts;
	return face_give(ret, &node, sizeof(node), error) ? -1 : 1;
}
