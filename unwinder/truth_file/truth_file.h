/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file.h - all the true stacks of a run, in a file
 *
 * A program was stepped, and at each instruction its stack was known (docs/TRUTH.md). What is kept
 * is the calling-context tree: a node is a frame below its caller, a stack is the way from a node
 * out to a root, and a node says how often the thread stood there. docs/TRUTH_FILE.md has the
 * format, byte by byte.
 *
 *	truth_file_read.c	reads one, distrusting every byte
 *	truth_file_find.c	a stack held against all of them
 *
 * There are two roots. Below the whole one lie stacks of which every frame is known: its children
 * are outermost frames. Below the open one lie stacks of which the truth is only a prefix: others
 * may have called its children. All threads share both.
 *
 * Points at which the truth could not prove itself are counted where they would lie, and prove
 * nothing: a node has a true stack if it is proven, truth_node_is_proven().
 */
#ifndef STACKPROOF_TRUTH_FILE_H
#define STACKPROOF_TRUTH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

#define TRUTH_FILE_MAGIC      "stackproof truth 2\n"
#define TRUTH_FILE_MAGIC_1    "stackproof truth 1\n" /* without a digest; as long */
#define TRUTH_FILE_DIGEST     4u		     /* bytes at the end */
#define TRUTH_FILE_IMAGES_MAX 65536u
#define TRUTH_FILE_FIELDS_MAX 65536u	 /* of the header */
#define TRUTH_FILE_FRAMES_MAX (1u << 20) /* of a stack */
#define TRUTH_FILE_NODES_MAX  (1u << 30)

/* What holds a frame's code. */
enum truth_image_kind {
	TRUTH_IMAGE_NONE,      /* nothing: a call of NULL */
	TRUTH_IMAGE_FILE,      /* an ELF file; also one that was deleted since */
	TRUTH_IMAGE_VDSO,      /* the kernel's, which is in memory only */
	TRUTH_IMAGE_MEMFD,     /* an ELF file without a name in any folder */
	TRUTH_IMAGE_ANONYMOUS, /* code that the program made: a JIT's */
	TRUTH_IMAGE_OTHER,     /* a mapping of what can't be read as ELF */
	TRUTH_IMAGE_KIND_COUNT,
};
/* "file", "vdso". */
const char *truth_image_kind_name(unsigned int kind);

struct truth_image {
	enum truth_image_kind kind;
	const char *path; /* as the process had it mapped; "" if it has none */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: it has none */
};

/* A frame. Its address is the image's own (what symbols have, the ELF file's virtual address); in
 * an image of kind NONE, ANONYMOUS or OTHER it is the PC itself. Of the innermost frame it is the
 * next instruction, of the others the return address, or the interrupted one. */
struct truth_frame {
	uint32_t image;
	uint64_t address;
};

/* A frame of the tree. Nodes are numbered so that a node's descendants are those behind it, up to
 * end: its first child is its number plus one, its next sibling its end. Siblings ascend by image
 * and address. A root is a node with no frame (depth 0). */
struct truth_node {
	uint32_t parent; /* of a root: itself */
	uint32_t end;
	uint32_t depth; /* frames of its stack */
	uint32_t image : 31;
	uint32_t interrupts : 1; /* a signal's frame: its parent's address is no return address */
	uint64_t address;
	uint64_t points;   /* instructions before which the stack was this one, proven */
	uint64_t unproven; /* the same and system calls, but the truth was in doubt */
	uint64_t
		in_kernel; /* system calls that were about to be made, proven: the PC is behind them */
};

/* The stack that ends at the node is a true one. */
static inline bool truth_node_is_proven(const struct truth_node *node)
{
	return node->points || node->in_kernel;
}

/* ---- truth_file_read.c ------------------------------------------------------------------ */

struct truth_file;
/* Reads the file. ERROR_PROTOCOL with an offset: malformed, cut off, damaged, or of another version.
 * *ret: truth_file_close(). */
int truth_file_open(const char *path, struct truth_file **ret, struct error *error);
/* The same of bytes, which it does not need afterwards. */
int truth_file_create(const uint8_t *bytes, size_t size, struct truth_file **ret,
		      struct error *error);
void truth_file_close(struct truth_file *file);

/* The header's fields, as docs/TRUTH_FILE.md lists them: texts ("program", "argument", "kernel",
 * "machine", "stackproof", "partial") and numbers ("steps", "points", "threads"). */
struct truth_field {
	const char *name;
	const char *text; /* NULL: it is a number */
	uint64_t number;
};
size_t truth_file_field_count(const struct truth_file *file);
const struct truth_field *truth_file_field(const struct truth_file *file, size_t index);
/* The first text, or number, of that name; NULL, 0: there is none. */
const char *truth_file_text(const struct truth_file *file, const char *name);
uint64_t truth_file_number(const struct truth_file *file, const char *name);
/* Why the run did not come to its end ("timeout"): then not all of the program's stacks are there,
 * and one that is missing says nothing. NULL: it is whole. */
const char *truth_file_partial(const struct truth_file *file);
/* Why a stack that is missing says nothing, if the run did not look everywhere: as before, or
 * "signal" (which ended the program), "every" (not at each instruction), "from" (not from the first
 * one on), "threads" (some could not be traced), "unread", "merged_steps" (points were lost). NULL:
 * all of the run's stacks are there. */
const char *truth_file_gap(const struct truth_file *file);

/* False: it is of the first version, which has no digest. What is damaged in it may not show. */
bool truth_file_has_digest(const struct truth_file *file);

size_t truth_file_image_count(const struct truth_file *file);
const struct truth_image *truth_file_image(const struct truth_file *file, size_t index);

/* Roots included. */
uint32_t truth_file_node_count(const struct truth_file *file);
const struct truth_node *truth_file_node(const struct truth_file *file, uint32_t number);
#define TRUTH_ROOT_WHOLE 0u
/* The other root's number. */
uint32_t truth_file_open_root(const struct truth_file *file);
/* The node's stack is known only so far: it lies below the open root. */
bool truth_file_is_open(const struct truth_file *file, uint32_t number);

/* ---- truth_file_find.c ------------------------------------------------------------------ */

/* The image with that build-id; with none (size 0), or none known by it, that of the path. False:
 * there is none. */
bool truth_file_find_image(const struct truth_file *file, const uint8_t *build_id,
			   size_t build_id_size, const char *path, uint32_t *ret);
/* The child of a node by its frame; 0: it has none such. */
uint32_t truth_file_child(const struct truth_file *file, uint32_t parent,
			  const struct truth_frame *frame);

/* What a stack is to the true ones, from the least to the most. */
enum truth_match_kind {
	TRUTH_MATCH_NONE,   /* it parts from all of them */
	TRUTH_MATCH_PREFIX, /* the innermost frames of one, not all of them */
	TRUTH_MATCH_OPEN,   /* all frames of one that is only known so far, or those and more */
	TRUTH_MATCH_WHOLE,  /* a whole one, frame by frame */
};

struct truth_match {
	enum truth_match_kind kind;
	bool proven;	 /* false: it is so of stacks only that are in doubt */
	uint32_t node;	 /* the stack that it is held against, the nearest one; 0: none */
	uint32_t inner;	 /* its innermost frames that agree with that one */
	uint32_t outer;	 /* the outermost frames that agree with a whole one, any of them */
	bool is_doubted; /* the truth was in doubt at points of its innermost frame */
};

/* Holds frames, innermost first, against all stacks. Of several that match alike, a proven one is
 * taken. */
void truth_file_find(const struct truth_file *file, const struct truth_frame *frame, uint32_t count,
		     struct truth_match *ret);
/* Goes from a root inwards by frames, innermost first, as far as they agree with a stack: the
 * number of frames. *ret_node: where that is. */
uint32_t truth_file_descend(const struct truth_file *file, uint32_t root,
			    const struct truth_frame *frame, uint32_t count, uint32_t *ret_node);
/* The nodes whose stacks have that innermost frame: the first, and the one behind another; 0: there
 * is none (more). Only nodes with a count: where the thread stood. */
uint32_t truth_file_first_at(const struct truth_file *file, const struct truth_frame *frame);
uint32_t truth_file_next_at(const struct truth_file *file, uint32_t node);

#endif
