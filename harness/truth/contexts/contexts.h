/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * contexts.h - all true stacks of a run: a calling-context tree, and the truth file of it
 *
 *	commands/truth.c  the command line
 *	context_tree.c	the tree
 *	context_write.c	the tree as a truth file (truth_file.h, docs/TRUTH_FILE.md)
 *	context_file.c	the same at a path
 *	entry_write.h	kernel entries, in a file that grows
 *	contexts_name.c	the frames' names, by the images where they lie now
 *	contexts_text.c	a truth file for people, and as NDJSON
 *	contexts_folded.c	the same as folded stacks
 *
 * compare_contexts.h steps a program, and makes its tree.
 */
#ifndef STACKPROOF_CONTEXTS_H
#define STACKPROOF_CONTEXTS_H

#include <stdio.h>
#include <sys/types.h>
#include "truth/ending/ending.h"
#include "base/gate/gate.h"
#include "truth_file/truth_file.h"

/* ---- context_tree.c --------------------------------------------------------------------- */

#define CONTEXT_ROOT_WHOLE 0u
#define CONTEXT_ROOT_OPEN  1u

/* As struct truth_node, but in the order in which stacks were met. */
struct context_node {
	uint64_t address;
	uint32_t parent;
	uint16_t image;
	bool interrupts;
	bool asked, calls_kernel; /* its instruction is a system call; asked: that is known */
	uint64_t points, unproven, in_kernel;
};

struct context_tree {
	struct truth_image *image; /* the tree owns their strings */
	size_t image_count;
	struct context_node *node; /* the roots first */
	uint32_t node_count;
	size_t capacity;
	uint32_t *slot; /* a hash table of node numbers; 0: empty */
	uint32_t slot_count;
};

/* 0, or -1: ERROR_MEMORY. */
int context_tree_init(struct context_tree *tree, struct error *error);
void context_tree_deinit(struct context_tree *tree);
/* The number of an equal image; if there is none, a copy is added. -1: ERROR_MEMORY or ERROR_TABLE_LIMIT. */
int context_tree_image(struct context_tree *tree, const struct truth_image *image,
		       uint32_t *ret_number, struct error *error);
/* The number of a node's child for a frame; if there is none, it is added. Fails in the same way. */
int context_tree_child(struct context_tree *tree, uint32_t parent, const struct truth_frame *frame,
		       uint32_t *ret_number, struct error *error);

/* ---- context_write.c -------------------------------------------------------------------- */

/* Writes a truth file: the header's fields, and the tree without branches in which nothing counts. 0, or -1: ERROR_MEMORY.
 * What the file couldn't take its ferror() says. */
int context_write_to(const struct context_tree *tree, const struct truth_field *field,
		     size_t field_count, FILE *file, struct error *error);

/* ---- context_file.c --------------------------------------------------------------------- */

/* The same at a path. -1: what was there before still is. */
int context_write(const struct context_tree *tree, const struct truth_field *field,
		  size_t field_count, const char *path, struct error *error);

/* ---- the request, and its result --------------------------------------------------------- */

struct contexts_options {
	const struct tracer_options *tracer;
	const char *
		output; /* the truth file's path; of a run of several processes the others' are OUTPUT.NUMBER */
	const char *version; /* of this program */
	bool strict;
	void (*on_point)(void *context); /* called for each point; or NULL */
	/* Called at the first point, where the process waits; that point's stack is then not in the tree. Non-zero ends
	 * the run with the error that it has set. NULL: none. */
	int (*begin)(void *context, pid_t pid, struct error *error);
	void *context;
};

/* The result of the request. contexts_result_deinit(). */
struct contexts_result {
	struct gate gate;    /* of all processes */
	bool thin;	     /* most of a truth is unproven, or open */
	struct run_cut cut;  /* how the run ended, if it was not whole, or nothing was written */
	const char *partial; /* the same in a word, --limit included; NULL: the file is whole */
	bool written;
	char **path; /* the files, the first process's first */
	size_t paths;
	struct run_processes processes;
};

void contexts_result_deinit(struct contexts_result *result);

/* ---- contexts_name.c -------------------------------------------------------------------- */

/* Names of the frames of a truth file, which is borrowed. NULL: no memory. */
struct context_names;
struct context_names *context_names_create(const struct truth_file *file);
void context_names_destroy(struct context_names *names);
/* The function of a node's frame: "main", "read@plt", "fde@0x1230[libc.so.6]". If the image is gone or is
 * another build, or the code is in no image: "[libc.so.6]", "[anonymous]". returns: the address is a return
 * address. Valid until the next call; NULL: no memory. */
const char *context_name(struct context_names *names, const struct truth_node *node, bool returns);
/* How many images, so far, could not be read or have another build-id. */
size_t context_names_missing(const struct context_names *names);

/* ---- contexts_text.c -------------------------------------------------------------------- */

void contexts_print_text(FILE *file, const char *path, const struct truth_file *truth);
/* gate: of the run that has just made the file; or NULL. */
void contexts_print_json(FILE *file, const char *path, const struct truth_file *truth,
			 const struct gate *gate);
/* The same for a run without a point, which writes no file. */
void contexts_print_none(FILE *file, const char *path, const struct contexts_options *options,
			 const struct contexts_result *result);

/* ---- contexts_folded.c ------------------------------------------------------------------ */

/* Is given the proven stacks with these names, outermost first, and for how many instructions. -1 ends it, and error is
 * set. */
typedef int (*context_stack_fn)(void *context, const char *const *name, size_t depth,
				uint64_t points, struct error *error);
/* Gives fn each of them once. An open stack begins with "[open]". 0, or -1: ERROR_MEMORY, or fn's. *ret_missing: as of
 * context_names_missing(). */
int contexts_fold(const struct truth_file *truth, context_stack_fn fn, void *context,
		  size_t *ret_missing, struct error *error);
/* Writes "_start;main;read 17" for each. */
int contexts_print_folded(FILE *file, const struct truth_file *truth, size_t *ret_missing,
			  struct error *error);

#endif
