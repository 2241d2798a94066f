/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_memo.h - call frame instructions that were met before are not interpreted again
 *
 * The instructions of an FDE are cut where a row is too far from the last one to be in its run, at
 * an advance of more than RUN_GAP_MAX. What lies between two cuts is met again and again:
 * libLLVM-14 has 180,000 such pieces, and 4,007 different ones. The memo is a tree of them. A node
 * is a state (the rule in force, the remembered ones, the rows of the run so far); an edge is up to
 * 40 bytes of whole instructions, and leads to the state behind them:
 *
 *	root of "cfa=rsp+8" --- 41 0e 10 86 02 ---> rows (0: cfa=rsp+8) (1: cfa=rsp+16 rbp=c-16)
 *
 * Following an edge is one look-up in a hash. Every edge leads to a node of its own, so the two are
 * one record, a cache line long: what was met before touches nothing else. Only new bytes are
 * interpreted, here, and only the instructions that nearly all programs consist of; for others the
 * memo says that it can't, and the FDE goes the plain way (builder_fde). Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_MEMO_H
#define STACKPROOF_TABLE_MEMO_H

#include "table_builder.h"

#define MEMO_EDGE_BYTES	 40 /* what gcc and clang write for a prologue has 34 to 36 */
#define MEMO_AHEAD_BYTES 48 /* are read at once: a multiple of 16 */

/* A rule and the ones remembered before it, as DW_CFA_remember_state stacks them. 0: none. */
struct memo_cell {
	uint32_t rule;
	uint32_t parent;
};

/* A state, and the edge that leads to it. A root has no edge. */
struct memo_node {
	uint8_t byte[MEMO_EDGE_BYTES]; /* of the edge; first, because more are read at once */
	uint32_t key;		       /* of the edge: key_of() */
	uint32_t from;		       /* the node that the edge leaves */
	uint32_t root;		       /* the node where a run begins in this state */
	uint32_t what; /* what an entry holds for the run that ends here, if an FDE follows */
	uint32_t tail; /* the same if no row follows; all three 0: not known yet */
	uint8_t bytes; /* of the edge: at least 1 */
	uint8_t row_count;
	uint8_t distance; /* of the last row */
	uint8_t closed;	  /* rows that end on the way from the root */
};
_Static_assert(sizeof(struct memo_node) == 64, "a cache line");

/* What a state consists of: asked for where something is new. */
struct memo_detail {
	uint32_t rule;	  /* in force */
	uint32_t stack;	  /* a cell */
	uint32_t initial; /* the rule after the CIE: what DW_CFA_restore goes back to */
	uint32_t row[TABLE_SHAPE_ROWS]; /* of the run: distance, above rule */
};

/* What an entry holds for a run that is followed by no row n bytes behind its last one: [n]. 0: not
 * known yet, or no single entry can. One node of five needs it. */
struct memo_tail {
	uint32_t what[RUN_GAP_MAX + 1];
};

struct memo {
	struct table_builder *builder;
	struct memo_node *node;	    /* [0] is none */
	struct memo_detail *detail; /* of each node */
	struct memo_tail *tail;	    /* [0] is none, all 0 */
	struct memo_cell *cell;	    /* [0] is none */
	uint32_t node_count, node_capacity, detail_capacity;
	uint32_t edge_count; /* of the nodes, and one */
	uint32_t tail_count, tail_capacity;
	uint32_t cell_count, cell_capacity;
	struct number_map roots, cells;
	uint32_t *bucket; /* edges by (node, first bytes): open addressing, at most half full */
	uint32_t bucket_bits;
};

/* As many nodes as a section of so many bytes mostly makes, or more: a power of two. */
uint32_t memo_nodes(uint64_t section_bytes);
/* What a node takes, with its share of all the memo has, and of the builder's shapes and rules. */
#define MEMO_BYTES_A_NODE 192
/* False: no memory. It has room for so many nodes, lies in the builder's scratch memory, and ends
 * with it. */
bool memo_init(struct memo *memo, struct table_builder *builder, uint32_t nodes);
/* The node where a run begins in a state. 0: no memory. */
uint32_t memo_root(struct memo *memo, uint32_t rule, uint32_t stack, uint32_t initial);

/* One FDE. MEMO_AHEAD_BYTES bytes may be read from any of its instructions on, and its header lies
 * before them. */
struct memo_fde {
	uint64_t pc, pc_end;
	uint64_t next_pc; /* where the next FDE begins: at pc_end or behind it */
	const uint8_t *instructions, *end;
};
/* Appends the FDE's entries, from a root on. False: not this way; entries may have been
 * appended. */
bool memo_run(struct memo *memo, uint32_t root, const struct memo_fde *fde);

#endif
