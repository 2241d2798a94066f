/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file.h - all the true stacks of a run, in a file
 *
 * A program was stepped, and at each instruction its stack was known (docs/TRUTH.md). The file has the
 * calling-context tree: a node is a frame whose parent is its caller; a stack is the path from a node to a
 * root; a node counts the points at which its stack was the thread's. docs/TRUTH_FILE.md has the format.
 *
 *	truth_file_read.c	reads a file, and trusts no byte of it
 *	truth_entries.c		the same of a file of kernel entries, which may still grow
 *	truth_file_find.c	compares a stack with all true stacks
 *	truth_image.c		whether a file is the one that ran
 *
 * There are two roots. Stacks below the whole root are known to their outermost frame, a child of that
 * root. Of stacks below the open root only the inner frames are known: unknown frames may have called a
 * child of that root. All threads share both roots.
 *
 * Points at which the truth could not prove itself are counted at their node, too, but separately. A node's
 * stack is true only if truth_node_is_proven().
 */
#ifndef STACKPROOF_TRUTH_FILE_H
#define STACKPROOF_TRUTH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "image/code_digest.h"
#include "image/image.h"
#include "error.h"

#define TRUTH_FILE_MAGIC       "stackproof truth 2\n"
#define TRUTH_FILE_MAGIC_1     "stackproof truth 1\n" /* without a digest; of the same length */
#define TRUTH_ENTRIES_MAGIC    "stackproof entries 1\n"
#define TRUTH_FILE_DIGEST      4u /* bytes, at the file's end */
#define TRUTH_FILE_IMAGES_MAX  65536u
#define TRUTH_FILE_FIELDS_MAX  65536u	  /* of the header */
#define TRUTH_FILE_FRAMES_MAX  (1u << 20) /* of a stack */
#define TRUTH_FILE_NODES_MAX   (1u << 30)
#define TRUTH_FILE_ENTRIES_MAX (1u << 30)

/* What holds a frame's code. */
enum truth_image_kind {
	TRUTH_IMAGE_NONE,      /* nothing: a call of NULL */
	TRUTH_IMAGE_FILE,      /* an ELF file, perhaps deleted since */
	TRUTH_IMAGE_VDSO,      /* the vDSO, which is only in memory */
	TRUTH_IMAGE_MEMFD,     /* an ELF file in a memfd */
	TRUTH_IMAGE_ANONYMOUS, /* code that the program generated (JIT) */
	TRUTH_IMAGE_OTHER,     /* a mapping that can't be read as ELF */
	TRUTH_IMAGE_KIND_COUNT,
};
/* "file", "vdso". */
const char *truth_image_kind_name(unsigned int kind);

struct truth_image {
	enum truth_image_kind kind;
	const char *path; /* as in the process's mappings; "" if it has none */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: it has none */
	struct code_digest
		digest; /* of an image without build-id; .code is 0: the file doesn't say */
};

/* Whether a file is an image of the truth, wherever it lies. */
enum truth_identity {
	TRUTH_SAME,	/* by its build-id; where neither has one, by its code's digest */
	TRUTH_CHANGED,	/* it is another build */
	TRUTH_UNPROVEN, /* nothing tells: one has no build-id, and the truth has no digest */
};

/* A frame: the number of its image, and an image address; for an image of kind NONE, ANONYMOUS or OTHER the PC
 * itself. The address is that of the next instruction in the innermost frame, else the return address or the
 * interrupted PC. */
struct truth_frame {
	uint32_t image;
	uint64_t address;
};

/* A node of the tree: a frame. The descendants of node n have the numbers n + 1 .. end - 1: its first child is
 * n + 1, its next sibling is end. Siblings ascend by image and address. A root is a node without a frame, of
 * depth 0. */
struct truth_node {
	uint32_t parent; /* its caller's number; of a root its own */
	uint32_t end;
	uint32_t depth; /* how many frames its stack has */
	uint32_t image : 31;
	uint32_t interrupts : 1; /* a signal's frame: its parent's address is no return address */
	uint64_t address;
	uint64_t points;   /* instructions before which the stack was this one, proven */
	uint64_t unproven; /* the same or system calls, with the truth in doubt */
	uint64_t
		in_kernel; /* system calls made with this stack, proven; the PC is behind the instruction */
};

/* Whether the node's stack is a true one. */
static inline bool truth_node_is_proven(const struct truth_node *node)
{
	return node->points || node->in_kernel;
}

/* ---- truth_file_read.c ------------------------------------------------------------------ */

struct truth_file;
/* Reads a file. ERROR_PROTOCOL, with an offset: the file is malformed, cut off, damaged, or of another version.
 * *ret: truth_file_close(). */
int truth_file_open(const char *path, struct truth_file **ret, struct error *error);
/* The same from size bytes in memory, which may be freed afterwards. */
int truth_file_create(const uint8_t *bytes, size_t size, struct truth_file **ret,
		      struct error *error);
void truth_file_close(struct truth_file *file);

/* A field of the header, see docs/TRUTH_FILE.md: a text ("program", "argument", "kernel", "machine",
 * "stackproof", "partial") or a number ("steps", "points", "threads"). */
struct truth_field {
	const char *name;
	const char *text; /* NULL: it is a number */
	uint64_t number;
};
size_t truth_file_field_count(const struct truth_file *file);
const struct truth_field *truth_file_field(const struct truth_file *file, size_t index);
/* The first text, or number, of that name. NULL or 0: there is none. */
const char *truth_file_text(const struct truth_file *file, const char *name);
uint64_t truth_file_number(const struct truth_file *file, const char *name);
/* Why the run ended early ("timeout"), or NULL. If it did, the file does not have all stacks of the program, so a
 * missing stack may still be a true one. */
const char *truth_file_partial(const struct truth_file *file);
/* Why a missing stack may still be a true one: the text of truth_file_partial(), or "signal" (a signal ended the
 * program), "attached" (the process ran already, and was stepped in bursts), "every" (not every instruction was a
 * point), "from" (the run's beginning was not stepped), "threads" (some could not be traced), "unread", "merged_steps"
 * (points were lost). NULL: the file has all stacks. */
const char *truth_file_gap(const struct truth_file *file);
/* Of those reasons the ones by which a stack is missing though the program was stepped then: "threads", "unread" or
 * "merged_steps"; or NULL. */
const char *truth_file_lost(const struct truth_file *file);

/* False: the file is of version 1, which has no digest, so damage may go unnoticed. */
bool truth_file_has_digest(const struct truth_file *file);

size_t truth_file_image_count(const struct truth_file *file);
const struct truth_image *truth_file_image(const struct truth_file *file, size_t index);
/* Where the run's files are on this machine: images' paths are looked for below root, which is borrowed. */
void truth_file_set_root(struct truth_file *file, const char *root);
/* Where an image's file is, free() it. NULL: no memory. */
char *truth_file_image_path(const struct truth_file *file, size_t index);

/* With both roots. */
uint32_t truth_file_node_count(const struct truth_file *file);
const struct truth_node *truth_file_node(const struct truth_file *file, uint32_t number);
#define TRUTH_ROOT_WHOLE 0u
/* The number of the open root. */
uint32_t truth_file_open_root(const struct truth_file *file);
/* Whether the node is below the open root. */
bool truth_file_is_open(const struct truth_file *file, uint32_t number);

enum truth_entry_flag {
	TRUTH_ENTRY_DOUBT = 1, /* the truth could not prove itself */
	TRUTH_ENTRY_AFTER =
		2, /* what the kernel has made of the entry before: a handler, a program, a new thread */
};

/* A thread entered the kernel, with the stack of a node; only then a sample of it can be taken. */
struct truth_entry {
	uint64_t time_ns; /* in the clock of perf's events; 0: it is not known */
	uint64_t pc;	  /* of the process, behind the instruction of a system call */
	uint32_t node;
	int32_t tid;
	uint32_t flags; /* enum truth_entry_flag */
};

/* It is a file of kernel entries: points are entries. */
bool truth_file_has_entries(const struct truth_file *file);
size_t truth_file_entry_count(const struct truth_file *file);
/* In the file's order: a thread's entries are in the order of time. */
const struct truth_entry *truth_file_entry(const struct truth_file *file, size_t index);

/* ---- truth_image.c ---------------------------------------------------------------------- */

enum truth_identity truth_image_identity(const struct truth_image *known,
					 const struct image *image);
/* Fills in what tells a file from another build: its build-id, borrowed, else its digest. */
void truth_image_identify(struct truth_image *known, const struct image *image);

/* ---- truth_file_find.c ------------------------------------------------------------------ */

/* Finds the image with that build-id; if its size is 0 or no image has it, the image with that path. False: there
 * is none. */
bool truth_file_find_image(const struct truth_file *file, const uint8_t *build_id,
			   size_t build_id_size, const char *path, uint32_t *ret);
/* The number of the node's child with that frame; 0: there is none. */
uint32_t truth_file_child(const struct truth_file *file, uint32_t parent,
			  const struct truth_frame *frame);

/* How a stack matches the true ones, in ascending order. */
enum truth_match_kind {
	TRUTH_MATCH_NONE,   /* it differs from each of them in a frame */
	TRUTH_MATCH_PREFIX, /* it is the inner frames of a true stack, but not all */
	TRUTH_MATCH_OPEN,   /* it has all known frames of an open stack, and perhaps more */
	TRUTH_MATCH_WHOLE,  /* it is a whole stack, frame by frame */
};

struct truth_match {
	enum truth_match_kind kind;
	bool proven;	 /* false: only stacks in doubt match so */
	uint32_t node;	 /* the nearest true stack; 0: none */
	uint32_t inner;	 /* how many inner frames agree with that one */
	uint32_t outer;	 /* how many outer frames agree with some whole stack */
	bool is_doubted; /* the truth was in doubt at a node with its innermost frame */
};

/* Compares a stack, count frames with the innermost first, with all stacks. Of equal matches it prefers a proven
 * one. */
void truth_file_find(const struct truth_file *file, const struct truth_frame *frame, uint32_t count,
		     struct truth_match *ret);
/* Descends from a root by count frames, from the last one (the outermost) on, as far as there are nodes. Returns
 * how many frames; *ret_node: the node reached. */
uint32_t truth_file_descend(const struct truth_file *file, uint32_t root,
			    const struct truth_frame *frame, uint32_t count, uint32_t *ret_node);
/* Iterates over the nodes that have this frame and a count other than 0: the first such node, and the one behind
 * node. 0: there are no more. */
uint32_t truth_file_first_at(const struct truth_file *file, const struct truth_frame *frame);
uint32_t truth_file_next_at(const struct truth_file *file, uint32_t node);

#endif
