/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * contexts_folded.c - a truth file as folded stacks: names, outermost first, and how often
 *
 *	_start;main;read 17
 *
 * Instructions of one function are one line. So a second tree is made, of names in place of
 * addresses. A node has two names there: as a caller it is looked up one byte before its return
 * address; where the thread stood, or was interrupted, at its address itself.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "contexts.h"
#include "number_map.h"
#include "plain_text.h"

struct folding {
	const struct truth_file *truth;
	struct context_names *names;
	char **name; /* number 1 is the first */
	uint32_t name_count;
	struct number_map by_name;
	const char *sought;
	struct context_tree tree; /* a frame's address is its name's number */
	/* By depth, of the way to the node at hand: where it is in that tree, as either. */
	uint32_t *exact, *returns;
	size_t exact_room, returns_room;
	const char **line; /* of the stack at hand, names, the outermost first */
	size_t line_room;
	context_stack_fn fn;
	void *context;
};

static bool has_name(void *context, uint32_t number)
{
	const struct folding *folding = context;

	return !strcmp(folding->name[number - 1], folding->sought);
}

/* The number of a name. 0: no memory. */
static uint32_t intern(struct folding *folding, const char *name)
{
	uint32_t *slot;

	folding->sought = name;
	slot = number_map_find(&folding->by_name, number_hash(0, name, strlen(name)), has_name,
			       folding);
	if (!slot || *slot)
		return slot ? *slot : 0;
	if (!ARRAY_GROW(folding->name, folding->name_count) ||
	    !(folding->name[folding->name_count] = strdup(name)))
		return 0;
	return *slot = ++folding->name_count;
}

/* The node of a name below another. */
static int add_name(struct folding *folding, const char *name, uint32_t parent, uint32_t *ret,
		    struct error *error)
{
	struct truth_frame frame = { .address = name ? intern(folding, name) : 0 };

	if (!frame.address)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	return context_tree_child(&folding->tree, parent, &frame, ret, error);
}

static int add_node(struct folding *folding, uint32_t number, struct error *error)
{
	const struct truth_node *node = truth_file_node(folding->truth, number);
	uint32_t depth = node->depth, parent;

	if (!ARRAY_RESERVE(folding->exact, folding->exact_room, depth + 1u) ||
	    !ARRAY_RESERVE(folding->returns, folding->returns_room, depth + 1u))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
	if (!depth) {
		parent = CONTEXT_ROOT_WHOLE;
		if (truth_file_is_open(folding->truth, number) &&
		    add_name(folding, "[open]", CONTEXT_ROOT_OPEN, &parent, error))
			return -1;
		folding->exact[0] = folding->returns[0] = parent;
		return 0;
	}
	parent = node->interrupts ? folding->exact[depth - 1] : folding->returns[depth - 1];
	if (add_name(folding, context_name(folding->names, node, false), parent,
		     &folding->exact[depth], error))
		return -1;
	folding->tree.node[folding->exact[depth]].points += node->points;
	folding->returns[depth] = folding->exact[depth];
	return node->interrupts ? 0
				: add_name(folding, context_name(folding->names, node, true),
					   parent, &folding->returns[depth], error);
}

/* A name in a line: neither the blank before the count nor the mark between frames. */
static void print_name(FILE *file, const char *name)
{
	char text[PLAIN_BYTES];
	size_t used;

	/* In parts, however long it is: a name that is cut is another function's. */
	for (; *name; name += used) {
		used = strnlen(name, PLAIN_BYTES - 1);
		while (name[used] && used > 1 && (name[used] & 0xc0) == 0x80)
			used--;
		snprintf(text, sizeof(text), "%.*s", (int)used, name);
		for (char *at = plain_text(text, text, sizeof(text)); *at; at++)
			fputc(*at == ';' ? ':' : *at, file);
	}
}

static int give_stack(struct folding *folding, uint32_t number, struct error *error)
{
	const struct context_node *node = folding->tree.node;
	size_t depth = 0, at = number;

	for (; at > CONTEXT_ROOT_OPEN; at = node[at].parent)
		depth++;
	if (!ARRAY_RESERVE(folding->line, folding->line_room, depth))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
	at = number;
	for (size_t i = depth; i--; at = node[at].parent)
		folding->line[i] = folding->name[node[at].address - 1];
	return folding->fn(folding->context, folding->line, depth, node[number].points, error);
}

static int fold(struct folding *folding, struct error *error)
{
	for (uint32_t i = 0; i < truth_file_node_count(folding->truth); i++)
		if (add_node(folding, i, error))
			return -1;
	for (uint32_t i = CONTEXT_ROOT_OPEN + 1; i < folding->tree.node_count; i++)
		if (folding->tree.node[i].points && give_stack(folding, i, error))
			return -1;
	return 0;
}

int contexts_fold(const struct truth_file *truth, context_stack_fn fn, void *context,
		  size_t *ret_missing, struct error *error)
{
	struct folding folding = {
		.truth = truth, .names = context_names_create(truth), .fn = fn, .context = context
	};
	int status;

	*ret_missing = 0;
	if (!folding.names)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for names");
	status = context_tree_init(&folding.tree, error);
	if (!status)
		status = fold(&folding, error);
	*ret_missing = context_names_missing(folding.names);
	for (uint32_t i = 0; i < folding.name_count; i++)
		free(folding.name[i]);
	free(folding.name);
	number_map_deinit(&folding.by_name);
	context_tree_deinit(&folding.tree);
	free(folding.exact);
	free(folding.returns);
	free(folding.line);
	context_names_destroy(folding.names);
	return status;
}

static int print_line(void *context, const char *const *name, size_t depth, uint64_t points,
		      struct error *error)
{
	FILE *file = context;

	for (size_t i = 0; i < depth; i++) {
		print_name(file, name[i]);
		fputc(i + 1 < depth ? ';' : ' ', file);
	}
	fprintf(file, "%" PRIu64 "\n", points);
	return 0;
}

int contexts_print_folded(FILE *file, const struct truth_file *truth, size_t *ret_missing,
			  struct error *error)
{
	return contexts_fold(truth, print_line, file, ret_missing, error);
}
