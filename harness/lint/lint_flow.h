/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_flow.h - all ways through one function, and what is known on them
 */
#ifndef STACKPROOF_LINT_FLOW_H
#define STACKPROOF_LINT_FLOW_H

#include "lint/lint_part.h"
#include "lint/lint_row.h"

#define LINT_PARTS_MAX	64	   /* FDEs of one function */
#define LINT_BLOCKS_MAX (1u << 17) /* of one function */
#define LINT_TABLES_MAX 256	   /* jump tables of one function */

/* Instructions behind an address that something jumps to, up to the next such address. */
struct lint_block {
	uint64_t pc;
	struct lint_part *part;
	struct lint_state state; /* before the first */
	uint64_t from;		 /* one of the instructions that lead there */
	bool weak;		 /* only calls do, which may not come back */
	bool unsure;		 /* only entries of jump tables do that may be none of theirs */
	bool begun_wrong; /* its state is of a way that the row doesn't declare, or was joined to it */
	bool settled;	  /* a wrong way's state was replaced once; not again */
	bool queued;
};

/* A way, as it comes to an instruction. */
struct lint_way {
	uint64_t from;
	bool weak;	 /* by a call that may not come back, and padding */
	uint64_t callee; /* of that call; 0: computed */
	bool unsure;	 /* by a jump table's entry that may be none */
};

/* Where a way ended that would be wrong: the call before it never returns, or the row is wrong. */
struct lint_behind {
	uint64_t pc, callee;
};

/* A way into a block that brings what its row doesn't say, while another brings it. */
struct lint_edge {
	uint64_t from, to;
	const struct lint_part *part; /* to's */
	struct lint_row_verdict verdict;
	const struct lint_state *state;
};

struct lint_names;
struct lint_noreturn;
struct lint_proof;

/* What the image's functions have in common. */
struct lint_world {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct lint_names *names;
	struct lint_noreturn *noreturn; /* NULL: what never returns is known by name alone */
	uint64_t *target;		/* of one computed jump: LINT_TARGETS_MAX of them */
	uint64_t
		first; /* where a process begins: argc is on the stack (psABI, 3.4.1); 0: no program */
	/* Called with each address that is reached and that no FDE covers, more than once. */
	void (*uncovered)(void *context, uint64_t pc, uint64_t from);
	/* Called with each address that is called. */
	void (*called)(void *context, uint64_t pc);
	/* The function leads to where a part begins, with a frame that its first row doesn't say.
	 * Whether to follow it: lint_stray.c. NULL: none is. */
	bool (*stray)(void *context, uint64_t function, uint64_t part);
	/* Unless NULL, called with each computed jump of which not all targets are known for certain, and
	 * what is known there, more than once. */
	void (*jumped)(void *context, const struct lint_state *state);
	/* Whose functions preserve none of the registers that those of the psABI do, and so have no rules
	 * for them: Go's in .debug_frame, OCaml's. */
	bool go, ocaml;
	void *context;
};

typedef void (*lint_edge_fn)(void *context, const struct lint_edge *edge);

struct lint_flow {
	struct lint_world *world;
	uint64_t function; /* where it is entered */
	struct lint_part *part[LINT_PARTS_MAX];
	size_t part_count;
	struct lint_block *block;
	size_t block_count;
	uint32_t *queue; /* of blocks */
	size_t queue_count;
	uint64_t calls_not_returning;
	struct lint_behind *behind_call;
	size_t behind_call_count;
	/* Addresses of the jump tables that were met. One whose end is not known ends where another
	 * begins, which may have been met later. */
	uint64_t table[LINT_TABLES_MAX];
	size_t table_count;
	bool met_table, guessed_end; /* in this round */
	bool jump_unknown;	     /* some computed jump's targets */
	bool jump_unread;	     /* the same of one that is no call in place of a return */
	bool followed;		     /* nothing changes any more */
	lint_edge_fn edge;	     /* then: who wants to know of wrong edges, or NULL */
	void *edge_context;
	bool has_return; /* some way comes to a return */
	bool breaks_convention; /* with a register that callees preserve not as it was, or not known to be */
	/* One with rsp elsewhere than at the return address: some way is none of the function's. */
	bool returns_elsewhere;
	bool returns; /* where the row says that there is no caller: with a return, or in another function */
	bool too_large;
	struct lint_proof *proof; /* who keeps what ways bring in place of blocks, or NULL */
};

/* A function of which no way is known yet. first: its FDE, which the flow owns from then on.
 * lint_flow_deinit(). */
void lint_flow_init(struct lint_flow *flow, struct lint_world *world, struct lint_part *first);
/* Forgets the ways, and keeps what is known of jump tables: to follow them again. */
void lint_flow_restart(struct lint_flow *flow);
/* The first round, or one that may come to something else than the one before. */
bool lint_flow_again(const struct lint_flow *flow, int round);
/* Forgets these as well, and all parts but the first. */
void lint_flow_forget(struct lint_flow *flow);
/* Follows all ways from entry, where a call has just come to. 0, or -1: no memory. */
int lint_flow_enter(struct lint_flow *flow, uint64_t entry, struct error *error);
void lint_flow_deinit(struct lint_flow *flow);
/* pc lies in a part that was met. */
bool lint_flow_has(const struct lint_flow *flow, uint64_t pc);
/* One instruction of a block, once all ways have been followed: its effect on the state, and each
 * edge that is wrong, if fn isn't NULL. *ret_on: the way goes on to the next instruction. */
int lint_flow_step(struct lint_flow *flow, struct lint_part *part, const struct code *code,
		   struct lint_state *state, const struct lint_way *way, lint_edge_fn fn,
		   void *context, bool *ret_on, struct error *error);
/* The same while ways are followed: lint_proof.c. */
int lint_flow_go(struct lint_flow *flow, struct lint_part *part, const struct code *code,
		 struct lint_state *state, const struct lint_way *way, bool *ret_on,
		 struct error *error);
/* The way that goes on behind the part's end. */
int lint_flow_fall_out(struct lint_flow *flow, uint64_t pc, const struct lint_state *state,
		       const struct lint_way *way, struct error *error);
/* The way behind that instruction. */
void lint_way_pass(struct lint_way *way, const struct lint_part *part, const struct code *code);
/* The way that goes on to a block's begin. */
int lint_flow_arrive(struct lint_flow *flow, uint64_t pc, const struct lint_state *state,
		     const struct lint_way *way, lint_edge_fn fn, void *context,
		     struct error *error);

/* ---- lint_path.c -------------------------------------------------------------------------- */

/* Sets the finding's path: to pc by way of the instruction at from, which leads there (0: the way begins
 * at pc). All ways have been followed. */
void lint_path_find(const struct lint_flow *flow, uint64_t from, uint64_t pc,
		    struct lint_finding *ret);

/* ---- lint_probe.c ------------------------------------------------------------------------- */

/* Behind the call: rax is what it was, if the function that was called only touches the stack, and
 * that much is taken off rsp then. 0, or -1: no memory. */
int lint_probe_call(struct lint_flow *flow, struct lint_part *part, const struct code *call,
		    const struct value *rax, struct lint_state *state, struct error *error);

/* ---- lint_jump.c -------------------------------------------------------------------------- */

/* The targets of a computed jump, in ret, which has room for LINT_TARGETS_MAX: how many there are,
 * 0 if they are not known. *ret_sure: there are no more, and all of them are. */
#define LINT_TARGETS_MAX 65536u
size_t lint_jump_targets(struct lint_flow *flow, const struct lint_state *state,
			 const struct code *code, uint64_t *ret, bool *ret_sure);

#endif
