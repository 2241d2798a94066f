/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_memo.h - call frame instructions that were met before are not interpreted again
 *
 * The instructions of an FDE are cut where a row is too far from the last one to be in its run, at
 * an advance of more than RUN_GAP_MAX. What lies between two cuts is met again and again:
 * libLLVM-14 has 180,000 such pieces, and 4,007 different ones. The memo is a tree of them. A node
 * is a state (the rule in force, the remembered ones, the rows of the run so far); an edge is up to
 * 48 bytes of whole instructions, and leads to the state behind them:
 *
 *	root of "cfa=rsp+8" --- 41 0e 10 86 02 ---> rows (0: cfa=rsp+8) (1: cfa=rsp+16 rbp=c-16)
 *
 * Following an edge is one look-up in a hash. Only new bytes are interpreted, here, and only the
 * instructions that nearly all programs consist of; for others the memo says that it can't, and
 * the FDE goes the plain way (builder_fde). Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_MEMO_H
#define STACKPROOF_TABLE_MEMO_H

#include "table_builder.h"

#define MEMO_EDGE_BYTES 48 /* what gcc and clang write for a prologue has 34 to 36 */

/* A rule and the ones remembered before it, as DW_CFA_remember_state stacks them. 0: none. */
struct memo_cell {
	uint32_t rule;
	uint32_t parent;
};

struct memo_node {
	uint32_t rule;	  /* in force */
	uint32_t stack;	  /* a cell */
	uint32_t initial; /* the rule after the CIE: what DW_CFA_restore goes back to */
	uint32_t root;	  /* the node where a run begins in this state; 0: not known yet */
	/* What an entry holds for the run that ends here: [0] if another FDE follows at once,
	 * [n] if no row follows n bytes behind the last. 0: not known yet, or no single entry
	 * can. */
	uint32_t what[RUN_GAP_MAX + 1];
	uint32_t row[TABLE_SHAPE_ROWS]; /* of the run: distance, above rule */
	uint8_t row_count;
	uint8_t distance; /* of the last row */
	uint8_t closed;	  /* rows that end on the way from the root */
};

struct memo_edge {
	uint8_t byte[MEMO_EDGE_BYTES];
	uint32_t key;
	uint32_t bytes;	   /* at least 1 */
	uint32_t from, to; /* nodes */
	uint32_t next;	   /* in the same bucket */
};

struct memo {
	struct table_builder *builder;
	struct memo_node *node; /* [0] is none */
	struct memo_edge *edge; /* [0] is none */
	struct memo_cell *cell; /* [0] is none */
	uint32_t node_count, node_capacity;
	uint32_t edge_count, edge_capacity;
	uint32_t cell_count, cell_capacity;
	struct number_map roots, cells;
	uint32_t *bucket; /* edges by (node, first bytes), 0: none */
	uint32_t bucket_bits;
};

/* False: no memory. section_bytes: how long the section is, to begin with arrays that rarely
 * have to grow. */
bool memo_init(struct memo *memo, struct table_builder *builder, uint64_t section_bytes);
void memo_deinit(struct memo *memo);
/* The node where a run begins in a state. 0: no memory. */
uint32_t memo_root(struct memo *memo, uint32_t rule, uint32_t stack, uint32_t initial);

/* One FDE. MEMO_EDGE_BYTES bytes may be read from any of its instructions on. */
struct memo_fde {
	uint64_t pc, pc_end;
	uint64_t next_pc; /* where the next FDE begins: at pc_end or behind it */
	const uint8_t *instructions, *end;
};
/* Appends the FDE's entries, from a root on. False: not this way; entries may have been
 * appended. */
bool memo_run(struct memo *memo, uint32_t root, const struct memo_fde *fde);

#endif
