/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_memo.h - does not interpret call frame instructions again that were met before
 *
 * The instructions of an FDE are cut at each advance by more than RUN_GAP_MAX bytes, which ends a run. The
 * same pieces between two cuts recur: libLLVM-14 has 180,000 of them, 4,007 of which differ. The memo is a
 * tree of pieces. A node is a state (the rule in force, the remembered rules, the rows of the run so far);
 * an edge is up to 40 bytes of whole instructions, and leads to the state behind them:
 *
 *	root of "cfa=rsp+8" --- 41 0e 10 86 02 ---> rows (0: cfa=rsp+8) (1: cfa=rsp+16 rbp=c-16)
 *
 * To follow an edge takes one look-up in a hash table. Every edge leads to a node of its own, so a node and
 * its edge are one record, a cache line long, and known pieces touch nothing else. Only new pieces are
 * interpreted, and only common instructions: for others memo_run() fails, and the FDE is interpreted by
 * builder_fde(). Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_MEMO_H
#define STACKPROOF_TABLE_MEMO_H

#include "table_builder.h"

#define MEMO_EDGE_BYTES	 40 /* a prologue by gcc or clang has 34 to 36 */
#define MEMO_AHEAD_BYTES 48 /* read at once; a multiple of 16 */

/* The stack of DW_CFA_remember_state: a rule, and the cell of the one remembered before it. 0: none. */
struct memo_cell {
	uint32_t rule;
	uint32_t parent;
};

/* A state, and the edge that leads to it. A root has no edge. */
struct memo_node {
	uint8_t byte[MEMO_EDGE_BYTES]; /* of the edge; first member, because reads go beyond it */
	uint32_t key;		       /* hash of the edge: key_of() */
	uint32_t from;		       /* the node that the edge leaves */
	uint32_t root; /* the node where a run begins in this state; 0: not known yet */
	uint32_t what; /* an entry's content for the run that ends here; 0: not known, or none */
	uint32_t tail; /* a memo_tail: the same if no FDE follows; 0: not known yet */
	uint8_t bytes; /* length of the edge, at least 1 */
	uint8_t row_count;
	uint8_t distance; /* of the last row, from the run's first */
	uint8_t closed;	  /* how many rows end between the root and here */
};
_Static_assert(sizeof(struct memo_node) == 64, "a cache line");

/* The whole state of a node: needed only for new pieces. */
struct memo_detail {
	uint32_t rule;	  /* in force */
	uint32_t stack;	  /* number of a memo_cell */
	uint32_t initial; /* the rule after the CIE's instructions, for DW_CFA_restore */
	uint32_t row[TABLE_SHAPE_ROWS]; /* of the run: distance (high bits) and rule */
};

/* what[n]: content of an entry for a run that ends with TABLE_NO_ROW n bytes behind its last row. 0: not known yet,
 * or no single entry can hold the run. One node of five needs this. */
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

/* An estimate of how many nodes a section of so many bytes needs: a power of two. */
uint32_t memo_nodes(uint64_t section_bytes);
/* Memory for a node, with its share of the memo's other arrays and of the builder's shapes and rules. */
#define MEMO_BYTES_A_NODE 192
/* Makes a memo with room for so many nodes, in the builder's scratch memory, with which it is freed. False: no
 * memory. */
bool memo_init(struct memo *memo, struct table_builder *builder, uint32_t nodes);
/* The node where a run begins in the state of these three: memo_detail. 0: no memory. */
uint32_t memo_root(struct memo *memo, uint32_t rule, uint32_t stack, uint32_t initial);

/* One FDE. From each of its instructions on MEMO_AHEAD_BYTES must be readable, and 8 bytes before any of them:
 * its header is there. */
struct memo_fde {
	uint64_t pc, pc_end;
	uint64_t next_pc; /* where the next FDE begins; not below pc_end */
	const uint8_t *instructions, *end;
};
/* Appends the FDE's entries, beginning at a root. False: the memo can't; entries may have been appended
 * (builder_reset()). */
bool memo_run(struct memo *memo, uint32_t root, const struct memo_fde *fde);

#endif
