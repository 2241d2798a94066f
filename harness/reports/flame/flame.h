/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame.h - stacks of named frames with values, and what they are on a page: a flame graph, a table of functions
 *
 *	flame.c		names and stacks, each name kept once
 *	flame_rows.c	what each function has: itself, and with all that it called
 *	flame_nodes.c	the stacks as a tree, of which narrow frames are left out, counted
 *	flame_html.c	the parts of a page; what the browser draws from
 *	flame_truth.c	a truth file's stacks as a page
 *	flame.js	the browser's side: flame graph and table
 *	flame.css	how they look, beside the style of html.c
 *
 * Who has stacks adds them; who wants a page writes flame_page_begin(), its own words, flame_graph_print() and html_end().
 * A group is whom a stack is of, a process or a thread: the frame below the root, by which readers choose.
 *
 * Names are hostile bytes. What is no plain text (plain_text.h) the caller escapes as it likes; here it becomes U+FFFD.
 */
#ifndef STACKPROOF_FLAME_H
#define STACKPROOF_FLAME_H

#include <stdint.h>
#include <stdio.h>
#include "error.h"
#include "number_map.h"

/* A frame, or a node, narrower than one in so many of the whole is left out. */
#define FLAME_LEAST_SHARE 5000

enum flame_kind {
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_INLINED, /* in the machine's frame of the next outer one */
	FLAME_MARKER,  /* no frame: it says what is missing, and is never left out of its parent */
	FLAME_GROUP,
	FLAME_OTHERS, /* frames that are left out, as one */
	FLAME_KIND_COUNT,
};

struct flame_name {
	size_t text; /* in flame.text */
	enum flame_kind kind;
};

struct flame_group {
	uint32_t name; /* of kind FLAME_GROUP */
	uint32_t set;  /* a name: what it belongs to, as a container; 0: nothing */
};

struct flame_stack {
	uint64_t first; /* in flame.frame */
	uint32_t frames, group;
	uint64_t value;
};

/* Zero-initialise. Numbers begin at 1: element 0 of name and group is not used. */
struct flame {
	char *text;
	size_t text_size, text_room;
	struct flame_name *name;
	uint32_t names, name_room;
	struct flame_group *group;
	uint32_t groups, group_room;
	uint32_t *frame; /* numbers of names, of all stacks, outermost first */
	uint64_t frames, frame_room;
	struct flame_stack *stack;
	size_t stacks, stack_room;
	uint64_t value; /* the sum; never more than INT64_MAX */
	struct number_map name_map, group_map;
};

void flame_deinit(struct flame *flame);
/* The number of what was added, or is there already; UINT32_MAX: ERROR_MEMORY. set: may be "". */
uint32_t flame_name(struct flame *flame, const char *text, enum flame_kind kind,
		    struct error *error);
uint32_t flame_group(struct flame *flame, const char *name, const char *set, struct error *error);
/* Adds a stack of names, outermost first. Equal ones may be added again. -1: ERROR_MEMORY; ERROR_TABLE_LIMIT: the sum
 * would be above INT64_MAX, and nothing was added. */
int flame_add(struct flame *flame, uint32_t group, const uint32_t *name, uint32_t names,
	      uint64_t value, struct error *error);
static inline const char *flame_text(const struct flame *flame, uint32_t name)
{
	return flame->text + flame->name[name].text;
}

/* What is less is narrow. */
static inline uint64_t flame_least(const struct flame *flame)
{
	return flame->value / FLAME_LEAST_SHARE + !!(flame->value % FLAME_LEAST_SHARE);
}

/* ---- functions ---------------------------------------------------------------------------- */

/* A function in a group: the values of stacks that it is the innermost of, and of those that it is in. */
struct flame_row {
	uint32_t name, group;
	uint64_t self, total;
};

/* All of them, which the caller frees: by self, then by total, the largest first. of_all: over all groups, and group is
 * 0. -1: ERROR_MEMORY. */
int flame_rows(const struct flame *flame, bool of_all, struct flame_row **ret, size_t *ret_rows,
	       struct error *error);

/* ---- the tree ----------------------------------------------------------------------------- */

struct flame_node {
	uint32_t name;	/* of depth 1 the group; 0: FLAME_OTHERS */
	uint32_t depth; /* from 1 */
	uint64_t value;
};

struct flame_nodes {
	struct flame_node *
		node; /* the root's children and all below: each before its children, the widest of these first */
	size_t nodes, room;
	uint64_t left_out; /* frames that are not among them */
};

/* The caller frees ret->node. -1: ERROR_MEMORY. */
int flame_nodes(const struct flame *flame, struct flame_nodes *ret, struct error *error);

/* ---- the page ----------------------------------------------------------------------------- */

/* As html_begin(), for a page that flame_graph_print() follows on: its script may run there, and no other. */
void flame_page_begin(FILE *file, const char *title);
/* The flame graph, and the table of functions. unit: what values are, as "ticks"; one: what a group is, as "process".
 * -1: ERROR_MEMORY; then nothing was written. */
int flame_graph_print(const struct flame *flame, const char *unit, const char *one, FILE *file,
		      struct error *error);

struct truth_file;
/* A truth file's proven stacks as such a page, at path, which is there whole or not at all: values are instructions. -1:
 * ERROR_SYSTEM, ERROR_MEMORY, ERROR_TABLE_LIMIT. *ret_missing: images that are not there any more, so that their functions
 * have no names. */
int flame_truth_write(const struct truth_file *truth, const char *path, size_t *ret_missing,
		      struct error *error);

#endif
