/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow.h - all paths through one function, and what is known on them
 *
 * A function's code is followed from its entry along all paths that its instructions can take. Before each instruction
 * it is known where the CFA and the caller's registers are. lint holds that against the rows; synthesis makes rows
 * from it. In the order of the data:
 *
 *	flow_callees.c	 once per image: which functions never return, certainly return, or pop their arguments
 *	flow_image.c	 once per image: executable bytes, addresses that are taken, languages
 *	flow_walk.c	 the instructions that paths come to, where nothing is known before them
 *	flow_fragment.c	 one FDE: its rows, its instructions, its landing pads
 *	flow_state.c	 what is known before an instruction: the state
 *	flow_effect.c	 how an instruction, or an edge of a branch, changes the state
 *	flow_row.c	 a row against a state
 *	flow.c		 once per function: the paths, and the visit of all states
 *	flow_call.c	 where a call goes, and what is known behind it
 *	flow_jump.c	 where a computed jump goes
 *	flow_fallthrough.c	 whose code lies behind a call that may never come back
 *	flow_proof.c	 a faster way to follow functions whose rows are all right
 *	flow_plain.c	 functions that need not be followed
 *
 *	flow_follow() -> flow_visit() -> flow_learn() -> flow_deinit()
 */
#ifndef STACKPROOF_FLOW_H
#define STACKPROOF_FLOW_H

#include "flow_callees.h"
#include "flow_fragment.h"
#include "flow_image.h"
#include "flow_row.h"

#define FLOW_PARTS_MAX	64	   /* FDEs of one function */
#define FLOW_BLOCKS_MAX (1u << 17) /* of one function */
#define FLOW_TABLES_MAX 256	   /* jump tables of one function */

/* A basic block. */
struct flow_block {
	uint64_t pc;
	struct flow_fragment *fragment;
	struct flow_state state; /* before the first instruction */
	uint64_t from;		 /* one of the instructions that lead here */
	bool weak;		 /* all paths here come from calls that may not come back */
	uint64_t callee;	 /* of the first of these calls */
	uint8_t unsure;		 /* enum flow_doubt: the least of all paths here */
	uint32_t
		fallthrough; /* as in struct flow_path, of one path; 0: it is 0 of some path here */
	uint32_t supposed;   /* as in struct flow_path; 0: paths here differ in it */
	bool begun_wrong; /* its first state was wrong by the row; other paths may be joined to it since */
	bool settled; /* a wrong path's state was replaced once, and isn't again */
	bool queued;
	bool rules_out; /* the state ruled out an edge of its branch */
};

/* Whether a path is ever taken. Only FLOW_SURE accuses. */
enum flow_doubt {
	FLOW_SURE,
	FLOW_MASKED, /* by an entry of a jump table that has one for each value that a mask leaves of the index */
	FLOW_UNSURE, /* by an entry perhaps beyond the table, through padding, or behind an FDE's end */
	FLOW_DOUBTED,  /* ruled out, unless a number in memory has changed; or contradicted */
	FLOW_UNTHROWN, /* by an exception of a call that perhaps never throws */
	FLOW_NEVER, /* ruled out by what is known so far: it brings nothing to code that other paths reach */
};

/* A path, as it comes to an instruction. */
struct flow_path {
	uint64_t from;	 /* the instruction before; 0: none, at the entry */
	bool weak;	 /* from is a call that may not come back, or padding behind such a call */
	uint64_t callee; /* of that call; 0: computed */
	bool stored;	 /* from pushed or stored a word: a return to that word is meant */
	uint8_t unsure;	 /* enum flow_doubt */
	/* The path is behind a call that may never come back, in code that may be another function's: the code's number
	 * in flow.after.code, plus 1. 0: no. */
	uint32_t fallthrough;
	/* The same, in code that is supposed to be the function's: number in flow.after.supposed, plus 1. */
	uint32_t supposed;
};

/* Whose code lies behind a call. */
enum flow_whose {
	FLOW_OWN,
	FLOW_SUPPOSED_OWN, /* the function's; if something contradicts, FLOW_PERHAPS_OWN */
	FLOW_LIKELY_OWN,   /* perhaps; a call with the stack aligned there is enough to show it */
	FLOW_PERHAPS_OWN,
	FLOW_ANOTHERS,
};

struct flow_fallthrough {
	uint64_t pc;
	uint32_t before;   /* fallthrough of the path that came here */
	bool own;	   /* it is the function's */
	bool contradicted; /* something says that it is not */
	bool likely;	   /* FLOW_LIKELY_OWN, and the stack is aligned here */
	bool calls;	   /* it calls something with the stack aligned */
};

struct flow_supposed {
	uint64_t pc;
	uint32_t before; /* supposed of the path that came here */
};

/* A computed jump without a known target that is no tail call: it may lead to any instruction of the function. */
struct flow_unread {
	uint64_t pc;
	struct flow_state state;
};

/* A path behind a call was left out, since the row at pc is wrong for it. So the call never returns, or the row is to
 * blame. */
struct flow_behind {
	uint64_t pc, callee; /* callee 0: computed */
};

/* An edge to a block that brings what the block's row doesn't declare, while another edge brings what it does. */
struct flow_edge {
	bool weak;	 /* from a call of callee that perhaps never comes back */
	bool doubtful;	 /* flow_jump_is_doubtful() */
	uint8_t unsure;	 /* enum flow_doubt */
	uint64_t callee; /* 0: computed */
	uint64_t from, to;
	struct flow_fragment *fragment; /* that to lies in */
	struct flow_row_verdict verdict;
	const struct flow_state *state;
};

struct flow_proof;

/* Where a path leads: told to those who follow other functions. */
enum flow_lead_kind {
	FLOW_LEADS_UNCOVERED, /* to pc, which no FDE covers, by the instruction at from */
	FLOW_LEADS_CALL,      /* to pc, which fde covers, by a call at from */
	/* To an FDE's begin with a frame as behind a call. doubtful: flow_jump_is_doubtful(). */
	FLOW_LEADS_TAIL_CALL,
	/* To an FDE's begin for certain, with a frame of this function, although the FDE's first row is that of a
	 * function that was called. The path is not followed. */
	FLOW_LEADS_FRAMED,
	/* From the first function of a process to an FDE's begin, with the stack as it was. The rows of both say that
	 * there is no caller. */
	FLOW_LEADS_CONTINUED,
	/* Perhaps into the middle of an FDE, or to its begin with another frame than its first row says. The path is
	 * not followed; why is the reason of the doubt. */
	FLOW_LEADS_PERHAPS,
	FLOW_LEADS_JUMP, /* to a computed jump whose targets are not all known for certain */
};

struct flow_lead {
	enum flow_lead_kind kind;
	uint64_t pc, from, function;
	const struct cfi_fde *fde;
	const struct flow_state
		*state; /* of FLOW_LEADS_PERHAPS and FLOW_LEADS_JUMP: at pc, or at the jump */
	enum flow_reason why;
	bool doubtful;
	bool entered; /* of FLOW_LEADS_JUMP: as a function is that was called */
};

/* What the image's functions have in common. flow_world_init() sets the members up to target, and owns all but the first
 * two; the caller sets what it wants to be told and asked. */
struct flow_world {
	const struct cfi *cfi;
	const struct object *object; /* that the image is the layout of; NULL: a linked file */
	struct code_decoder *decoder;
	struct flow_callees *callees;
	struct flow_code_map map;
	/* What callees are known not to preserve. NULL: all preserve what the psABI says. */
	struct flow_clobbers *clobbers;
	struct flow_proof *proof;
	uint64_t *target;   /* room for FLOW_TARGETS_MAX targets of a computed jump */
	bool never_by_code; /* what never returns is known by code, too; else by name alone */
	/* The image's bytes say that some functions pop arguments, or make room on the stack for their callers. Only
	 * then the fast proof asks for each callee. */
	bool pops;
	/* Some of these lower rsp, or by an unknown number: then a computed call may change rsp by any number. */
	bool lowers;
	uint64_t
		first; /* where a process begins: argc is on the stack (psABI, 3.4.1); 0: no program */
	/* Is told where paths lead, perhaps repeatedly. leads_wanted: a bit for each enum flow_lead_kind. */
	uint32_t leads_wanted;
	void (*leads)(void *context, const struct flow_lead *lead);
	/* The function leads to the begin of fragment, with a frame that the first row there doesn't declare. falls: it
	 * falls into fragment. Returns whether to follow the path (lint_follow.c). NULL: never. */
	bool (*crossing)(void *context, uint64_t function, uint64_t fragment,
			 const struct flow_state *state, bool falls);
	/* NULL, or says whose the code at pc is, in a function without rows: only calls that may never come back lead
	 * there, and path has the last of them. pc may be another fragment's begin. */
	enum flow_whose (*fallthrough)(void *context, uint64_t pc, const struct flow_path *path);
	/* NULL, or says whether callee (0: computed) may preserve no register but rbp, and may pop its arguments.
	 * *ret_callee_pop: their bytes, or FLOW_CALLEE_POP_UNKNOWN. */
	bool (*strange)(void *context, uint64_t callee, uint32_t *ret_callee_pop);
	/* NULL, or says whether a function begins at pc that may be entered with the return address moved. */
	bool (*enters)(void *context, uint64_t pc);
	/* What memory was short for first: flow_lack(). Then something that was seen is missing, and what comes of the
	 * rest is told to nobody. ERROR_NONE: for nothing. Borrowed from who calls flow_world_init(). */
	struct error *error;
	/* The image has functions that preserve none of the psABI's registers, and so have no rules for them: Go's in
	 * .debug_frame, OCaml's. */
	bool go, ocaml;
	/* Registers that the image's functions do not preserve, by their code; and those of them of which that is
	 * certain: code_convention_unkept(). */
	uint32_t unkept, unkept_certain;
	/* Some functions are Swift's, which pass an error in r12 and contexts in r13 and r14. */
	bool swift;
	void *context;
};

/* A jump table. end: its end by a comparison, or how far it was read, whichever is greater. */
struct flow_table {
	uint64_t begin, end;
};

struct flow;

/* Is called once no state changes any more. Each function may be NULL. */
struct flow_visitor {
	/* Before each instruction of a block, and between the rounds of one that is repeated. If it can't be decoded,
	 * code has no length. */
	void (*instruction)(void *context, const struct flow *flow, const struct flow_block *block,
			    const struct code *code, const struct flow_state *state);
	void (*block_end)(void *context);
	/* Each edge that is wrong. */
	void (*edge)(void *context, const struct flow_edge *edge);
	/* Each edge to code that was reached. If edge is NULL, without those by which a block goes on into the next. */
	void (*step)(void *context, const struct flow_fragment *fragment, uint64_t from,
		     uint64_t to, const struct flow_state *state);
	void *context;
};

/* What the function was seen to do, on its paths of the last round. */
struct flow_found {
	bool has_return;    /* a path comes to a return */
	bool has_tail_call; /* a path leaves by a jump, with rsp as it was at the entry */
	/* A sure path ends in a jump to the value that a register had at the entry, not one of FLOW_ARGUMENTS. */
	bool jumps_by_entry;
	bool tail_calls_well; /* a sure path ends in a tail call, and has preserved all that callees preserve */
	bool breaks_convention; /* a path leaves, and has perhaps changed a register that callees preserve */
	/* Registers of FLOW_PRESERVED that a sure path returns with changed, or with a value that isn't known. */
	uint32_t clobbers, perhaps_clobbers;
	bool returns_elsewhere; /* a path returns with rsp not at the return address: it is not the function's */
	bool returned_to; /* a sure path returns with rsp above that: the code was not called, but returned to */
	/* The next four are set by flow_visit(). A sure path returns as a called function does; and some path perhaps
	 * does not. */
	bool returns_well, returns_unknown;
	/* Some path perhaps returns with rsp elsewhere than at the entry, by another word than the return address, or
	 * pops arguments. */
	bool returns_lost;
	uint32_t
		arguments; /* registers of FLOW_PRESERVED whose value at the entry is used as an address */
	bool pops;	   /* a sure path pops arguments as it returns */
	uint32_t callee_pop; /* the bytes that each path pops, or FLOW_CALLEE_POP_UNKNOWN */
	bool returns; /* a path returns where the row says that there is no caller, or ends in a function with one */
	bool is_handler;   /* a path ends as an interrupt's handler does, which the CPU enters */
	bool jump_unknown; /* the targets of a computed jump are unknown */
	bool jump_unread;  /* those of one that is no tail call are */
	bool too_large;
	uint64_t calls_not_returning; /* paths behind calls that were left out */
};

/* What says, at a round's end, whether another round is to follow. */
struct flow_round {
	bool entered; /* the round has followed a path */
	bool late;    /* all other paths were followed: now those that are ruled out are */
	bool met_table, guessed_end; /* a new jump table was met; the end of one was guessed */
	bool read_past;		     /* a table was read on into another that was met later */
	size_t guessed_fragments; /* fragments known when an entry first led out of them; 0: none did */
	bool contradicts;	  /* flow.contradicted has a new address */
	/* A sure path returns by a word below the return address that it didn't push for that. And a callee was called
	 * whose code is not seen, so that it may pop arguments. */
	bool returns_below, called_unseen;
};

/* Jump tables that were met, in any round. A table whose end is not known ends where another begins, which may be
 * met later. */
struct flow_tables {
	struct flow_table table[FLOW_TABLES_MAX];
	size_t count;
	bool any; /* a table was read, perhaps by the proof */
	/* The table read last has an entry for each value that a mask leaves of its index. (The values of one or two
	 * whole bytes say nothing of the table.) */
	bool read_whole;
};

/* Code behind calls that may never return: flow_fallthrough.c. */
struct flow_after {
	struct flow_fallthrough *code;
	size_t count;
	int rounds;
	bool found;			/* in this round: some of it is the function's, or is not */
	bool settled;			/* what is not known to be the function's is not */
	struct flow_supposed *supposed; /* in this round, in no order */
	size_t supposed_count;
};

/* Computed jumps whose targets are not known: flow_jump.c. */
struct flow_unread_jumps {
	struct flow_unread *jump;
	size_t count;
	struct flow_state all; /* what is known at all of them, once nothing changes any more */
	uint64_t *back;	       /* where code that only such jumps reach leads back to */
	size_t back_count;
};

struct flow {
	struct flow_world *world;
	uint64_t function; /* where it is entered */
	/* It was entered with a state for which rows may be wrong: a wrong row is no sign then that no path comes. */
	bool doubtful;
	struct flow_proof *proof; /* NULL, or takes what paths bring, in place of blocks */
	bool proven; /* all rows were shown to be right by flow_proof.c: there are no blocks */
	struct flow_world quiet; /* the world of a flow that tells no leads */

	struct flow_fragment *fragment[FLOW_PARTS_MAX]; /* owned */
	size_t fragment_count;
	struct flow_block *block;
	size_t block_count;
	uint32_t *queue; /* the worklist: numbers of blocks */
	size_t queue_count;
	bool falls;    /* the path that comes now is sure, and goes on behind a fragment's end */
	bool followed; /* no state changes any more */

	struct flow_behind *behind_call;
	size_t behind_call_count;
	struct flow_after after;
	struct flow_unread_jumps unread;
	struct flow_tables tables;
	/* Addresses behind calls that perhaps never return: the row is right for that path alone, and a sure path comes
	 * with another frame. */
	uint64_t *contradicted;
	size_t contradicted_count;
	bool unseen_pop; /* a round has shown that callees whose code is not here perhaps pop arguments */

	struct flow_round round;
	struct flow_found found;

	const struct flow_visitor *visitor; /* during flow_visit(), or NULL */
};

/* There was no memory for what. Who follows paths goes on with less, and ends soon: flow_lacks(). */
static inline void flow_lack(const struct flow_world *world, const char *what)
{
	if (world->error->code == ERROR_NONE)
		error_set(world->error, ERROR_MEMORY, NULL, 0, "%s", what);
}

/* For something there was no memory. */
static inline bool flow_lacks(const struct flow_world *world)
{
	return world->error->code != ERROR_NONE;
}

/* flow_fragment_create(), which also sets of which registers a missing rule claims nothing, by the fragment's language
 * (FLOW_ROW_UNRULED()). fde may be NULL, and ret_reason. NULL: it can't be followed, or there is no memory. */
struct flow_fragment *flow_fragment_of(const struct flow_world *world, const struct cfi_fde *fde,
				       enum flow_reason *ret_reason);
/* How a function is followed. Zero-initialise; fde or fragment must be set. */
struct flow_plan {
	const struct cfi_fde *fde;	/* the first, or NULL: nothing is followed */
	struct flow_fragment *fragment; /* the same: the flow owns it then */
	uint64_t function;		/* 0: the FDE's begin */
	uint64_t entry;			/* the same */
	const struct flow_state *state; /* at entry; NULL: as behind a call */
	/* Calls flow_enter() for all entries, once in each round, in place of that of entry. What was told in the round
	 * before may be told again. */
	void (*enter)(void *context, struct flow *flow);
	void *context;
	bool proves;   /* the proof is tried first: flow.proven */
	bool silent;   /* the rows are forgotten, as if there were no CFI */
	bool doubtful; /* flow.doubtful */
	bool quiet;    /* what paths lead to is not told */
};

/* Follows all paths of a function, in as many rounds as needed. Borrows world. If there is nothing to follow, the flow
 * has no fragments. flow_deinit() in both cases. */
void flow_follow(struct flow *flow, struct flow_world *world, const struct flow_plan *plan);
/* Follows all paths from entry, in this round. state: at entry; NULL: as behind a call. */
void flow_enter(struct flow *flow, uint64_t entry, const struct flow_state *state);
/* The flow's fragment that covers pc; NULL: none that was met. */
static inline struct flow_fragment *flow_known_fragment(const struct flow *flow, uint64_t pc)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		if (pc >= flow->fragment[i]->begin && pc < flow->fragment[i]->end)
			return flow->fragment[i];
	return NULL;
}

/* Goes through all blocks once more, calls the visitor (or NULL), and sets how paths return: before the visitor is called
 * that is known of all. */
void flow_visit(struct flow *flow, const struct flow_visitor *visitor);
/* Once its paths were followed: what those must know who call it, or whose fragments it perhaps leads to. entered: it
 * was entered as a function is. */
void flow_learn(struct flow *flow, bool entered);
/* The fragment is *plain*: it has one row, that of a function that was just called, and writes neither registers of
 * FLOW_PRESERVED nor the stack. So the row is right whichever edges are taken. All its instructions are decoded then,
 * and no others, and what its callers must know is learned. *ret_state: what is known at all of them alike; it may be
 * NULL. */
bool flow_plain(struct flow_world *world, struct flow_fragment *fragment,
		struct flow_state *ret_state);
void flow_deinit(struct flow *flow);

/* From pc on the code goes straight to a return, by the return address, but with rsp elsewhere than at the entry. */
bool flow_callee_pop_leaves(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
			    const struct flow_state *state);
/* The row says that the CFA is rsp+8, and is not wrong for a function that was called with rsp as it is now. */
bool flow_callee_pop_agrees(const struct row *row, uint64_t pc, const struct flow_state *state,
			    const struct flow_row_terms *terms);

/* Makes the state at `to`, if `from` was called and the instructions in between go straight on. False: they don't. */
bool flow_effect_straight(const struct flow_world *world, uint64_t from, uint64_t to,
			  struct flow_state *ret);
/* The code before pc makes a new thread, which goes on there. */
bool flow_begins_thread(const struct flow_world *world, uint64_t pc);

/* A path comes to the instruction. Of a flow that is proven. */
static inline bool flow_proof_reached(const struct flow_fragment *fragment, const struct code *code)
{
	return fragment->block_at[code->pc - fragment->begin] != 0;
}

#define FLOW_TRACE_MAX 8 /* jumps of one path that are kept */

/* The jumps on one path from the function's entry to an instruction, in their order. cut: only the last are kept. */
struct flow_trace {
	bool known, cut;
	uint8_t count;
	uint64_t jump[FLOW_TRACE_MAX];
};

/* A path to pc by way of the instruction at from, which leads there (0: the path begins at pc). *ret must be zero;
 * it stays so if no path is known. Only once all paths have been followed. */
void flow_trace_find(const struct flow *flow, uint64_t from, uint64_t pc, struct flow_trace *ret);

/* The greater doubt. */
static inline uint8_t flow_doubt_more(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* Why a row that is wrong only for paths of that doubt is unproven. */
static inline enum flow_reason flow_doubt_reason(uint8_t doubt)
{
	switch ((enum flow_doubt)doubt) {
	case FLOW_DOUBTED: return FLOW_VALUE_UNKNOWN;
	case FLOW_UNTHROWN: return FLOW_THROW_UNKNOWN;
	case FLOW_NEVER: return FLOW_REACHED_BY_NONE;
	default: return FLOW_JUMP_UNKNOWN;
	}
}

/* The same of an edge that is wrong while another edge to its block is not. */
static inline enum flow_reason flow_edge_reason(const struct flow_edge *edge)
{
	return flow_doubt_reason(flow_doubt_more(edge->unsure, FLOW_DOUBTED));
}

/* A call of target, which ends at next, in the FDE, only pushes next: target is next, or lies behind it in the FDE and
 * takes that address off the stack first. */
bool flow_call_is_push(const struct cfi_fde *fde, const struct image *image,
		       struct code_decoder *decoder, uint64_t next, uint64_t target);

/* Makes the state at the entry of a function whose first row says that the CFA is rsp, and the return address in a
 * register. False: the row says something else. */
bool flow_linked_enter(const struct row *row, struct flow_state *ret);

#define FLOW_TARGETS_MAX 65536u /* targets of one computed jump */

/* Tells FLOW_LEADS_PERHAPS: a path of the function perhaps comes to pc, or to where uncovered code goes on from pc.
 * state: NULL: as behind a call. */
void flow_reach(const struct flow_world *world, uint64_t function, uint64_t pc,
		const struct flow_state *state, enum flow_reason why);

#endif
