/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * entry_write.c - kernel entries, as they come
 *
 * New nodes and entries are held back in memory, and become an item each when there is a block of them. Then a checkpoint
 * follows: how many entries there are so far, and the digest of all bytes before it.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "clock.h"
#include "crc32.h"
#include "entry_write.h"
#include "leb_write.h"

#define HELD_BYTES 16384
#define HELD_MS	   500

/* An item's content, in memory: its length comes first. */
struct content {
	FILE *file;
	char *bytes;
	size_t size;
};

struct entry_writer {
	FILE *file;
	uint32_t digest;
	struct content node, entry, other;
	uint64_t entries, time_ns, stack;
	pid_t tid;
	uint64_t *bias; /* by image: the last entry's PC less its address */
	size_t bias_room, images;
	uint32_t nodes;	  /* of the tree, that are written or held back */
	bool *interrupts; /* by node: as it was written */
	size_t interrupts_room;
	int64_t checked_ms;
	bool no_memory;
};

/* ---- items --------------------------------------------------------------------------------- */

static bool content_init(struct content *content)
{
	content->file = open_memstream(&content->bytes, &content->size);
	return content->file != NULL;
}

static void content_deinit(struct content *content)
{
	if (content->file)
		fclose(content->file);
	free(content->bytes);
}

static void put(struct entry_writer *writer, const void *bytes, size_t size)
{
	writer->digest = crc32_add(writer->digest, bytes, size);
	fwrite(bytes, 1, size, writer->file);
}

static void put_item(struct entry_writer *writer, char letter, struct content *content)
{
	uint8_t head[11] = { (uint8_t)letter };
	size_t count = 1;

	writer->no_memory |= fflush(content->file) || ferror(content->file);
	for (size_t size = content->size; size >= 0x80; size >>= 7, count++)
		head[count] = (size & 0x7f) | 0x80;
	head[count] = content->size >> 7 * (count - 1);
	put(writer, head, count + 1);
	put(writer, content->bytes, content->size);
	rewind(content->file);
}

static void put_held(struct entry_writer *writer)
{
	if (ftell(writer->node.file) > 0)
		put_item(writer, 'N', &writer->node);
	if (ftell(writer->entry.file) > 0)
		put_item(writer, 'R', &writer->entry);
}

static void put_checkpoint(struct entry_writer *writer, char letter)
{
	uint8_t digest[TRUTH_FILE_DIGEST];

	put_held(writer);
	put_unsigned(writer->other.file, writer->entries);
	put_item(writer, letter, &writer->other);
	for (size_t i = 0; i < sizeof(digest); i++)
		digest[i] = (uint8_t)(writer->digest >> 8 * i);
	put(writer, digest, sizeof(digest));
	fflush(writer->file);
	writer->checked_ms = monotonic_ms();
}

void entry_checkpoint(struct entry_writer *writer)
{
	put_checkpoint(writer, 'K');
}

void entry_write_field(struct entry_writer *writer, const char *name, const char *text,
		       uint64_t number)
{
	put_held(writer);
	put_bytes(writer->other.file, name, strlen(name));
	if (text)
		put_bytes(writer->other.file, text, strlen(text));
	else
		put_unsigned(writer->other.file, number);
	put_item(writer, text ? 'S' : 'C', &writer->other);
}

/* ---- what is new in the tree ----------------------------------------------------------------- */

static void put_image(struct entry_writer *writer, const struct truth_image *image)
{
	put_held(writer);
	put_unsigned(writer->other.file, image->kind);
	put_bytes(writer->other.file, image->path, strlen(image->path));
	put_bytes(writer->other.file, image->build_id, image->build_id_size);
	put_item(writer, 'I', &writer->other);
	if (!image->digest.code)
		return;
	put_unsigned(writer->other.file, writer->images);
	put_unsigned(writer->other.file, image->digest.code);
	put_unsigned(writer->other.file, image->digest.symtab);
	put_unsigned(writer->other.file, image->digest.dynsym);
	put_item(writer, 'd', &writer->other);
}

static void put_node(struct entry_writer *writer, const struct context_node *node)
{
	put_unsigned(writer->node.file, (uint64_t)node->parent << 1 | node->interrupts);
	put_unsigned(writer->node.file, node->image);
	put_unsigned(writer->node.file, node->address);
}

static bool put_tree(struct entry_writer *writer, const struct context_tree *tree)
{
	if (!ARRAY_RESERVE(writer->bias, writer->bias_room, tree->image_count + 1) ||
	    !ARRAY_RESERVE(writer->interrupts, writer->interrupts_room, tree->node_count))
		return false;
	for (; writer->images < tree->image_count; writer->images++) {
		writer->bias[writer->images] = 0;
		put_image(writer, &tree->image[writer->images]);
	}
	for (; writer->nodes < tree->node_count; writer->nodes++) {
		writer->interrupts[writer->nodes] = tree->node[writer->nodes].interrupts;
		put_node(writer, &tree->node[writer->nodes]);
	}
	return true;
}

/* A node that is there already was met below a signal's frame. */
static void put_interrupting(struct entry_writer *writer, const struct context_tree *tree,
			     uint32_t number)
{
	for (; number > CONTEXT_ROOT_OPEN; number = tree->node[number].parent) {
		if (tree->node[number].interrupts == writer->interrupts[number])
			continue;
		writer->interrupts[number] = true;
		put_held(writer);
		put_unsigned(writer->other.file, number);
		put_item(writer, 'J', &writer->other);
	}
}

/* ---- entries --------------------------------------------------------------------------------- */

static void put_entry(struct entry_writer *writer, const struct context_node *node,
		      const struct context_entry *entry)
{
	FILE *file = writer->entry.file;
	bool other_thread = entry->tid != writer->tid;
	bool other_stack = other_thread || entry->stack != writer->stack;
	uint64_t bias = entry->pc - node->address;

	put_unsigned(file, (uint64_t)entry->flags << 2 | (unsigned)other_stack << 1 | other_thread);
	if (other_thread)
		put_unsigned(file, (uint64_t)entry->tid);
	if (other_stack)
		put_unsigned(file, entry->stack);
	put_signed(file, entry->time_ns - writer->time_ns);
	put_unsigned(file, entry->node);
	put_signed(file, bias - writer->bias[node->image]);
	writer->tid = entry->tid;
	writer->stack = entry->stack;
	writer->time_ns = entry->time_ns;
	writer->bias[node->image] = bias;
	writer->entries++;
}

void entry_write(struct entry_writer *writer, const struct context_tree *tree,
		 const struct context_entry *entry)
{
	if (!put_tree(writer, tree)) {
		writer->no_memory = true;
		return;
	}
	put_interrupting(writer, tree, entry->node);
	put_entry(writer, &tree->node[entry->node], entry);
	if (ftell(writer->entry.file) + ftell(writer->node.file) > HELD_BYTES ||
	    monotonic_ms() - writer->checked_ms > HELD_MS)
		entry_checkpoint(writer);
}

void entry_withdraw(struct entry_writer *writer, pid_t tid, uint64_t from, uint64_t to)
{
	put_held(writer);
	put_unsigned(writer->other.file, (uint64_t)tid);
	put_unsigned(writer->other.file, from);
	put_unsigned(writer->other.file, to);
	put_item(writer, 'W', &writer->other);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void writer_destroy(struct entry_writer *writer)
{
	if (writer->file)
		fclose(writer->file);
	content_deinit(&writer->node);
	content_deinit(&writer->entry);
	content_deinit(&writer->other);
	free(writer->bias);
	free(writer->interrupts);
	free(writer);
}

int entry_writer_open(const char *path, struct entry_writer **ret, struct error *error)
{
	struct entry_writer *writer = calloc(1, sizeof(*writer));

	if (!writer || !content_init(&writer->node) || !content_init(&writer->entry) ||
	    !content_init(&writer->other)) {
		if (writer)
			writer_destroy(writer);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for kernel entries");
	}
	writer->nodes = CONTEXT_ROOT_OPEN + 1;
	writer->file = fopen(path, "we");
	if (!writer->file) {
		writer_destroy(writer);
		return error_set_errno(error, "%s", path);
	}
	put(writer, TRUTH_ENTRIES_MAGIC, strlen(TRUTH_ENTRIES_MAGIC));
	*ret = writer;
	return 0;
}

int entry_writer_close(struct entry_writer *writer, bool whole, struct error *error)
{
	int status = 0;

	put_checkpoint(writer, whole ? 'E' : 'K');
	if (writer->no_memory)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for kernel entries");
	else if (ferror(writer->file))
		status = error_set(error, ERROR_SYSTEM, "", 0, "kernel entries can't be written");
	writer_destroy(writer);
	return status;
}
