/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_entries.c - reads a file of kernel entries, which may still grow
 *
 * docs/TRUTH_FILE.md, "Kernel entries", has the format. It is written while the program runs: what is behind its last
 * checkpoint is not whole yet, and is left. What comes out is a truth file like any other, with the entries beside it: a
 * node counts the entries at which its stack was proven.
 *
 * Nodes are there in the order in which they were met, and get the order of truth_file.h here: children are grouped by
 * parent and sorted by frame, and a walk from each root numbers them anew.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "crc32.h"
#include "freed.h"
#include "truth_parse.h"

enum { ENTRY_OTHER_THREAD = 1, ENTRY_OTHER_STACK = 2, ENTRY_FLAGS = 4 };

/* As it is in the file. */
struct met_node {
	uint64_t address;
	uint32_t parent, image;
	bool interrupts;
};

struct entries {
	struct parse *parse;
	struct met_node *node; /* the roots first */
	size_t node_room;
	uint32_t nodes;
	size_t entry_room;
	uint64_t *stack; /* by entry */
	size_t stack_room;
	uint64_t *bias; /* by image */
	size_t bias_room, biases;
	uint64_t time_ns, last_stack;
	int32_t tid;
	bool ended;
};

#define ROOTS 2u

/* ---- items ------------------------------------------------------------------------------ */

/* A later field of the same name takes the place of an earlier one. */
static void replace_field(struct truth_file *file)
{
	static const char *const several[] = { "argument", "thread_name", "process" };
	struct truth_field last = file->field[file->field_count - 1];

	for (size_t i = 0; i < ARRAY_COUNT(several); i++)
		if (!strcmp(last.name, several[i]))
			return;
	for (size_t i = 0; i + 1 < file->field_count; i++) {
		struct truth_field *field = &file->field[i];

		if (!field->text != !last.text || strcmp(field->name, last.name) != 0)
			continue;
		free((char *)field->name);
		free((char *)field->text);
		*field = last;
		file->field_count--;
		return;
	}
}

static int take_nodes(struct entries *entries)
{
	struct parse *parse = entries->parse;

	while (reader_left(&parse->reader)) {
		uint64_t head, image, address;

		if (truth_take_unsigned(parse, UINT64_MAX, &head) ||
		    truth_take_unsigned(parse, UINT32_MAX, &image) ||
		    truth_take_unsigned(parse, UINT64_MAX, &address))
			return -1;
		if (head / 2 >= entries->nodes)
			return truth_malformed(parse, "a node below one that there is not");
		if (image >= parse->file->image_count)
			return truth_malformed(parse, "an image that there is not");
		if (entries->nodes == TRUTH_FILE_NODES_MAX)
			return truth_malformed(parse, "too many nodes");
		if (!ARRAY_RESERVE(entries->node, entries->node_room, entries->nodes + 1))
			return truth_no_memory(parse);
		entries->node[entries->nodes++] = (struct met_node) { .address = address,
								      .parent = head / 2,
								      .image = image,
								      .interrupts = head & 1 };
	}
	return 0;
}

static int take_interrupting(struct entries *entries)
{
	uint64_t number;

	if (truth_take_unsigned(entries->parse, UINT32_MAX, &number))
		return -1;
	if (number < ROOTS || number >= entries->nodes)
		return truth_malformed(entries->parse, "a node that there is not");
	entries->node[number].interrupts = true;
	return 0;
}

static int take_entry(struct entries *entries)
{
	struct parse *parse = entries->parse;
	struct truth_file *file = parse->file;
	uint64_t head, value, time_ns, number, bias;
	const struct met_node *node;

	if (truth_take_unsigned(parse, UINT64_MAX, &head))
		return -1;
	if (head & ENTRY_OTHER_THREAD) {
		if (truth_take_unsigned(parse, INT32_MAX, &value))
			return -1;
		entries->tid = (int32_t)value;
	}
	if (head & ENTRY_OTHER_STACK &&
	    truth_take_unsigned(parse, UINT64_MAX, &entries->last_stack))
		return -1;
	if (truth_take_signed(parse, &time_ns) || truth_take_unsigned(parse, UINT32_MAX, &number) ||
	    truth_take_signed(parse, &bias))
		return -1;
	if (number < ROOTS || number >= entries->nodes)
		return truth_malformed(parse, "an entry at a node that there is not");
	if (file->entry_count == TRUTH_FILE_ENTRIES_MAX)
		return truth_malformed(parse, "too many entries");
	node = &entries->node[number];
	if (!ARRAY_RESERVE(file->entry, entries->entry_room, file->entry_count + 1) ||
	    !ARRAY_RESERVE(entries->stack, entries->stack_room, file->entry_count + 1) ||
	    !ARRAY_RESERVE(entries->bias, entries->bias_room, file->image_count))
		return truth_no_memory(parse);
	while (entries->biases < file->image_count)
		entries->bias[entries->biases++] = 0;
	entries->time_ns += time_ns;
	entries->bias[node->image] += bias;
	entries->stack[file->entry_count] = entries->last_stack;
	file->entry[file->entry_count++] = (struct truth_entry) {
		.time_ns = entries->time_ns,
		.pc = node->address + entries->bias[node->image],
		.node = (uint32_t)number,
		.tid = entries->tid,
		.flags = (uint32_t)(head / ENTRY_FLAGS),
	};
	return 0;
}

static int take_entries(struct entries *entries)
{
	while (reader_left(&entries->parse->reader))
		if (take_entry(entries))
			return -1;
	return 0;
}

static int take_withdrawn(struct entries *entries)
{
	struct truth_file *file = entries->parse->file;
	uint64_t tid, from, to;

	if (truth_take_unsigned(entries->parse, INT32_MAX, &tid) ||
	    truth_take_unsigned(entries->parse, UINT64_MAX, &from) ||
	    truth_take_unsigned(entries->parse, UINT64_MAX, &to))
		return -1;
	for (size_t i = file->entry_count; i-- > 0;) {
		if (file->entry[i].tid == (int32_t)tid &&
		    (entries->stack[i] == from || entries->stack[i] == to))
			file->entry[i].flags |= TRUTH_ENTRY_DOUBT;
	}
	return 0;
}

static int take_checkpoint(struct entries *entries)
{
	uint64_t count;

	if (truth_take_unsigned(entries->parse, UINT64_MAX, &count))
		return -1;
	return count == entries->parse->file->entry_count
		       ? 0
		       : truth_malformed(entries->parse, "other entries than it says");
}

static int take_item(struct entries *entries, uint8_t letter)
{
	struct parse *parse = entries->parse;

	switch (letter) {
	case 'S':
	case 'C':
		if (truth_take_field(parse, letter == 'S'))
			return -1;
		replace_field(parse->file);
		return 0;
	case 'I': return truth_take_image(parse);
	case 'd': return truth_take_code_digest(parse);
	case 'N': return take_nodes(entries);
	case 'J': return take_interrupting(entries);
	case 'R': return take_entries(entries);
	case 'W': return take_withdrawn(entries);
	case 'K': return take_checkpoint(entries);
	case 'E': entries->ended = true; return take_checkpoint(entries);
	default:
		if (letter < 'a' || letter > 'z')
			return truth_malformed(parse, "an item of an unknown kind");
		parse->reader.at = parse->reader.end;
		return 0;
	}
}

/* Where the last whole checkpoint ends, whose digest is that of all bytes before it; NULL: there is none. -1 in
 * *ret_status: the digest is another one. */
static const uint8_t *find_end(struct parse *parse, int *ret_status)
{
	struct reader all = parse->reader;
	const uint8_t *end = NULL, *summed = parse->begin;
	uint32_t digest = 0;
	uint8_t letter = 0;

	*ret_status = 0;
	while (letter != 'E') {
		const uint8_t *says;
		uint64_t size;

		if (!reader_u8(&all, &letter) || !reader_uleb(&all, &size) ||
		    !reader_skip(&all, size))
			return end;
		if (letter != 'K' && letter != 'E')
			continue;
		digest = crc32_add(digest, summed, (size_t)(all.at - summed));
		summed = all.at;
		if (!reader_block(&all, TRUTH_FILE_DIGEST, &says))
			return end;
		if (truth_digest_at(says) != digest) {
			parse->reader.at = says;
			*ret_status = truth_malformed(
				parse, "another digest than its bytes have: it is damaged");
			return NULL;
		}
		end = all.at;
	}
	if (reader_left(&all)) {
		parse->reader.at = all.at;
		*ret_status = truth_malformed(parse, "bytes behind the end");
	}
	return end;
}

static int take_items(struct entries *entries)
{
	struct parse *parse = entries->parse;
	int status;
	const uint8_t *end = find_end(parse, &status);
	struct reader all = { parse->reader.at, end ? end : parse->reader.at };

	while (!status && reader_left(&all)) {
		uint8_t letter = 0;
		uint64_t size = 0;

		reader_u8(&all, &letter);
		reader_uleb(&all, &size);
		parse->reader = (struct reader) { all.at, all.at + size };
		all.at += size;
		status = take_item(entries, letter);
		if (!status && reader_left(&parse->reader))
			status = truth_malformed(parse, "bytes that are left over in an item");
		if (letter == 'K' || letter == 'E')
			all.at += TRUTH_FILE_DIGEST;
	}
	return status;
}

/* ---- order ------------------------------------------------------------------------------ */

static int by_frame(const void *a, const void *b, void *context)
{
	const struct met_node *node = context;
	const struct met_node *one = &node[*(const uint32_t *)a];
	const struct met_node *other = &node[*(const uint32_t *)b];

	if (one->image != other->image)
		return one->image < other->image ? -1 : 1;
	return (one->address > other->address) - (one->address < other->address);
}

/* By parent: where its children begin in child; one more than nodes. */
struct grouped {
	uint32_t *first, *child, *number; /* number: the new one, by the old one */
};

static void grouped_deinit(struct grouped *grouped)
{
	free(grouped->first);
	free(grouped->child);
	free(grouped->number);
}

static bool group(const struct entries *entries, struct grouped *ret)
{
	uint32_t count = 0;

	*ret = (struct grouped) { calloc(entries->nodes + 1ul, sizeof(*ret->first)),
				  calloc(entries->nodes + 1ul, sizeof(*ret->child)),
				  calloc(entries->nodes + 1ul, sizeof(*ret->number)) };
	if (!ret->first || !ret->child || !ret->number)
		return false;
	for (uint32_t i = ROOTS; i < entries->nodes; i++)
		ret->first[entries->node[i].parent]++;
	for (uint32_t i = 0; i <= entries->nodes; i++)
		ret->first[i] = count += ret->first[i];
	for (uint32_t i = entries->nodes; i-- > ROOTS;)
		ret->child[--ret->first[entries->node[i].parent]] = i;
	for (uint32_t i = 0; i < entries->nodes; i++)
		qsort_r(ret->child + ret->first[i], ret->first[i + 1] - ret->first[i],
			sizeof(*ret->child), by_frame, entries->node);
	return true;
}

/* The walk below a root: way is by depth, the next child. */
static int walk(const struct entries *entries, struct grouped *grouped, uint32_t root)
{
	struct truth_file *file = entries->parse->file;
	FREED uint32_t *way = NULL;
	FREED uint32_t *path = NULL; /* by depth: the old number */
	size_t way_room = 0, path_room = 0;
	uint32_t depth = 0, number = file->node_count++;

	file->node[number] = (struct truth_node) { .parent = number };
	grouped->number[root] = number;
	if (!ARRAY_RESERVE(way, way_room, 1) || !ARRAY_RESERVE(path, path_room, 1))
		return truth_no_memory(entries->parse);
	path[0] = root;
	way[0] = grouped->first[root];
	for (;;) {
		uint32_t at = way[depth], old;
		const struct met_node *met;

		if (at == grouped->first[path[depth] + 1]) {
			file->node[grouped->number[path[depth]]].end = file->node_count;
			if (!depth--)
				return 0;
			continue;
		}
		way[depth]++;
		old = grouped->child[at];
		met = &entries->node[old];
		if (at > grouped->first[met->parent] &&
		    !by_frame(&grouped->child[at - 1], &old, (void *)entries->node))
			return truth_malformed(entries->parse, "a node that is there twice");
		if (++depth > TRUTH_FILE_FRAMES_MAX)
			return truth_malformed(entries->parse, "a stack that is too deep");
		if (!ARRAY_RESERVE(way, way_room, depth + 1u) ||
		    !ARRAY_RESERVE(path, path_room, depth + 1u))
			return truth_no_memory(entries->parse);
		number = file->node_count++;
		file->node[number] = (struct truth_node) { .parent = grouped->number[met->parent],
							   .depth = depth,
							   .image = met->image,
							   .interrupts = met->interrupts,
							   .address = met->address };
		grouped->number[old] = number;
		path[depth] = old;
		way[depth] = grouped->first[old];
	}
}

static int sort_nodes(struct entries *entries)
{
	struct truth_file *file = entries->parse->file;
	struct grouped grouped;
	int status = 0;

	file->node = calloc(entries->nodes, sizeof(*file->node));
	if (!file->node || !group(entries, &grouped))
		status = truth_no_memory(entries->parse);
	status = status || walk(entries, &grouped, 0);
	file->open_root = file->node_count;
	status = status || walk(entries, &grouped, 1);
	for (size_t i = 0; i < file->entry_count && !status; i++) {
		struct truth_entry *entry = &file->entry[i];
		struct truth_node *node = &file->node[grouped.number[entry->node]];

		entry->node = grouped.number[entry->node];
		*(entry->flags & TRUTH_ENTRY_DOUBT ? &node->unproven : &node->points) += 1;
	}
	if (file->node)
		grouped_deinit(&grouped);
	return status ? -1 : 0;
}

/* ---- the file --------------------------------------------------------------------------- */

static int add_field(struct parse *parse, const char *name, const char *text, uint64_t number)
{
	struct truth_field field = { strdup(name), text ? strdup(text) : NULL, number };

	if (field.name && (field.text || !text) &&
	    ARRAY_ADD(parse->file->field, parse->file->field_count, field)) {
		replace_field(parse->file);
		return 0;
	}
	free((char *)field.name);
	free((char *)field.text);
	return truth_no_memory(parse);
}

/* What a reader of truth files asks for. */
static int add_fields(const struct entries *entries)
{
	struct parse *parse = entries->parse;
	const struct truth_file *file = parse->file;
	uint64_t open = 0, unproven = 0;

	for (size_t i = 0; i < file->entry_count; i++) {
		open += file->entry[i].node > file->open_root;
		unproven += file->entry[i].flags & TRUTH_ENTRY_DOUBT;
	}
	if (!entries->ended && add_field(parse, "partial", "unfinished", 0))
		return -1;
	return add_field(parse, "points", NULL, file->entry_count) ||
			       add_field(parse, "proven", NULL, file->entry_count - unproven) ||
			       add_field(parse, "unproven", NULL, unproven) ||
			       add_field(parse, "open", NULL, open)
		       ? -1
		       : 0;
}

int truth_entries_take(struct parse *parse)
{
	struct entries entries = { .parse = parse, .nodes = ROOTS };
	int status;

	parse->file->has_entries = parse->file->has_digest = true;
	if (!ARRAY_RESERVE(entries.node, entries.node_room, ROOTS))
		return truth_no_memory(parse);
	memset(entries.node, 0, ROOTS * sizeof(*entries.node));
	status = take_items(&entries) || sort_nodes(&entries) || add_fields(&entries) ? -1 : 0;
	free(entries.node);
	free(entries.stack);
	free(entries.bias);
	return status;
}
