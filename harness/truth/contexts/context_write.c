/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * context_write.c - a calling-context tree as a truth file
 *
 * docs/TRUTH_FILE.md has the format. Nodes are written as a walk from the root meets them, siblings
 * in order, so that a node costs three or four bytes: how many frames are left, how far its address
 * is from its elder sibling's, and its points. Nodes are grouped by parent first (a counting sort).
 */
#include <stdlib.h>
#include <string.h>
#include "contexts.h"
#include "crc32.h"
#include "leb_write.h"

enum {
	NODE_OF_IMAGE = 1,
	NODE_COUNTS = 2,
	NODE_INTERRUPTS = 4,
	NODE_UP = 8,
};

struct writer {
	const struct context_tree *tree;
	uint32_t *first; /* by node: where its children begin in child; one more than nodes */
	uint32_t *child; /* numbers of nodes */
	uint32_t *way;	 /* by depth: where the walk is in child */
	uint32_t *end;	 /* by depth: where it ends there */
	uint64_t sum;	 /* of all counts */
	FILE *file;
	uint32_t digest; /* of all that was written to it */
	/* An item's content, in memory: its length comes first. */
	FILE *content;
	char *bytes;
	size_t size;
};

/* ---- order ------------------------------------------------------------------------------ */

static int by_frame(const void *a, const void *b, void *context)
{
	const struct context_tree *tree = context;
	const struct context_node *one = &tree->node[*(const uint32_t *)a];
	const struct context_node *other = &tree->node[*(const uint32_t *)b];

	if (one->image != other->image)
		return one->image < other->image ? -1 : 1;
	return (one->address > other->address) - (one->address < other->address);
}

/* Nodes that count something, or have such a one below them. A child has a higher number. */
static bool *find_needed(const struct context_tree *tree)
{
	bool *needed = calloc(tree->node_count, sizeof(*needed));

	for (uint32_t i = tree->node_count; needed && i-- > CONTEXT_ROOT_OPEN + 1;) {
		const struct context_node *node = &tree->node[i];

		needed[i] |= node->points || node->unproven || node->in_kernel;
		needed[node->parent] |= needed[i];
	}
	return needed;
}

/* Fills first and child. False: no memory. */
static bool group_children(struct writer *writer)
{
	const struct context_tree *tree = writer->tree;
	FREED bool *needed = find_needed(tree);
	uint32_t count = 0;

	if (!needed)
		return false;
	/* How many each has; then where the next one's begin; then, as they are put in, its own. */
	for (uint32_t i = CONTEXT_ROOT_OPEN + 1; i < tree->node_count; i++)
		writer->first[tree->node[i].parent] += needed[i];
	for (uint32_t i = 0; i <= tree->node_count; i++)
		writer->first[i] = count += writer->first[i];
	for (uint32_t i = tree->node_count; i-- > CONTEXT_ROOT_OPEN + 1;)
		if (needed[i])
			writer->child[--writer->first[tree->node[i].parent]] = i;
	for (uint32_t i = 0; i < tree->node_count; i++)
		qsort_r(writer->child + writer->first[i], writer->first[i + 1] - writer->first[i],
			sizeof(*writer->child), by_frame, (void *)tree);
	return true;
}

/* ---- items ------------------------------------------------------------------------------ */

static void put_node(struct writer *writer, const struct context_node *node,
		     const struct context_node *base, uint64_t up)
{
	bool of_image = node->image != base->image, counts = node->unproven || node->in_kernel;
	FILE *file = writer->content;

	put_unsigned(file, (of_image ? NODE_OF_IMAGE : 0) | (counts ? NODE_COUNTS : 0) |
				   (node->interrupts ? NODE_INTERRUPTS : 0) | NODE_UP * up);
	if (of_image) {
		put_unsigned(file, node->image);
		put_unsigned(file, node->address);
	} else {
		put_signed(file, node->address - base->address);
	}
	put_unsigned(file, node->points);
	if (counts) {
		put_unsigned(file, node->unproven);
		put_unsigned(file, node->in_kernel);
	}
	writer->sum += node->points + node->unproven + node->in_kernel;
}

/* All nodes below a root. */
static void put_nodes(struct writer *writer, uint32_t root)
{
	const struct context_node *node = writer->tree->node;
	uint32_t depth = 0;
	uint64_t up = 0;

	writer->way[0] = writer->first[root];
	writer->end[0] = writer->first[root + 1];
	while (true) {
		uint32_t at = writer->way[depth], number;
		const struct context_node *base;

		if (at == writer->end[depth]) {
			if (!depth)
				return;
			depth--;
			up++;
			continue;
		}
		number = writer->child[at];
		base = at > writer->first[node[number].parent] ? &node[writer->child[at - 1]]
							       : &node[node[number].parent];
		put_node(writer, &node[number], base, up);
		up = 0;
		writer->way[depth++]++;
		writer->way[depth] = writer->first[number];
		writer->end[depth] = writer->first[number + 1];
	}
}

static void put(struct writer *writer, const void *bytes, size_t size)
{
	writer->digest = crc32_add(writer->digest, bytes, size);
	fwrite_unlocked(bytes, 1, size, writer->file);
}

/* The letter and the content's length. */
static void put_head(struct writer *writer, char letter, uint64_t size)
{
	uint8_t bytes[11] = { (uint8_t)letter };
	size_t count = 1;

	for (; size >= 0x80; size >>= 7)
		bytes[count++] = 0x80 | (size & 0x7f);
	bytes[count++] = size;
	put(writer, bytes, count);
}

static void put_digest(struct writer *writer)
{
	const uint32_t digest = writer->digest;
	const uint8_t bytes[TRUTH_FILE_DIGEST] = { digest, digest >> 8, digest >> 16,
						   digest >> 24 };

	put(writer, bytes, sizeof(bytes));
}

/* What was put into content is the next item's. -1: there was no memory for it. */
static int end_item(struct writer *writer, char letter)
{
	int status = fflush(writer->content);

	put_head(writer, letter, writer->size);
	put(writer, writer->bytes, writer->size);
	status |= ferror(writer->content);
	rewind(writer->content);
	return status ? -1 : 0;
}

static int put_items(struct writer *writer, const struct truth_field *field, size_t field_count)
{
	const struct context_tree *tree = writer->tree;
	int status = 0;

	for (size_t i = 0; i < field_count; i++) {
		put_bytes(writer->content, field[i].name, strlen(field[i].name));
		if (field[i].text)
			put_bytes(writer->content, field[i].text, strlen(field[i].text));
		else
			put_unsigned(writer->content, field[i].number);
		status |= end_item(writer, field[i].text ? 'S' : 'C');
	}
	for (size_t i = 0; i < tree->image_count; i++) {
		const struct truth_image *image = &tree->image[i];

		put_unsigned(writer->content, image->kind);
		put_bytes(writer->content, image->path, strlen(image->path));
		put_bytes(writer->content, image->build_id, image->build_id_size);
		status |= end_item(writer, 'I');
		if (!image->digest.code)
			continue;
		put_unsigned(writer->content, i);
		put_unsigned(writer->content, image->digest.code);
		put_unsigned(writer->content, image->digest.symtab);
		put_unsigned(writer->content, image->digest.dynsym);
		status |= end_item(writer, 'd');
	}
	put_nodes(writer, CONTEXT_ROOT_WHOLE);
	status |= end_item(writer, 'T');
	put_nodes(writer, CONTEXT_ROOT_OPEN);
	status |= end_item(writer, 'O');
	put_unsigned(writer->content, writer->sum);
	status |= end_item(writer, 'E');
	return status;
}

/* ---- the file --------------------------------------------------------------------------- */

static bool writer_init(struct writer *writer, const struct context_tree *tree)
{
	size_t count = tree->node_count + 1u;

	*writer = (struct writer) {
		.tree = tree,
		.first = calloc(count, sizeof(*writer->first)),
		.child = calloc(count, sizeof(*writer->child)),
		.way = calloc(count, sizeof(*writer->way)),
		.end = calloc(count, sizeof(*writer->end)),
		.content = open_memstream(&writer->bytes, &writer->size),
	};
	return writer->first && writer->child && writer->way && writer->end && writer->content;
}

static void writer_deinit(struct writer *writer)
{
	if (writer->content)
		fclose(writer->content);
	free(writer->bytes);
	free(writer->first);
	free(writer->child);
	free(writer->way);
	free(writer->end);
}

int context_write_to(const struct context_tree *tree, const struct truth_field *field,
		     size_t field_count, FILE *file, struct error *error)
{
	struct writer writer;
	int status = -1;

	if (writer_init(&writer, tree) && group_children(&writer)) {
		writer.file = file;
		put(&writer, TRUTH_FILE_MAGIC, strlen(TRUTH_FILE_MAGIC));
		status = put_items(&writer, field, field_count);
		put_digest(&writer);
	}
	writer_deinit(&writer);
	return status ? error_set(error, ERROR_MEMORY, "", 0, "no memory for a truth file") : 0;
}
