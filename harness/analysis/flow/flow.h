/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow.h - all paths through one function, and what is known on them
 *
 * A function's code is followed from its entry along all paths that its instructions can take. On the
 * way it is known where the CFA is, and where the caller's registers are. lint holds that against the
 * rows; synthesis makes rows of it. In the order of the data:
 *
 *	flow_callees.c	 once per image: what never returns, certainly returns, pops its arguments, by name and by code
 *	flow_image.c	 the same: executable bytes, addresses that are taken, languages, whether functions pop arguments
 *	flow_fragment.c	 one FDE: its rows, its instructions, its landing pads
 *	flow_state.c	 what is known before an instruction
 *	flow_effect.c	 what an instruction makes of it, and a branch
 *	flow_row.c	 a row against a state
 *	flow.c		 once per function: the paths, and the visit of all states
 *	flow_call.c	 where a call goes, and what is known behind it
 *	flow_jump.c	 where a computed jump goes
 *	flow_fallthrough.c	 whose code lies behind a call that may never come back
 *	flow_proof.c	 the paths of functions that are right, faster
 *
 *	flow_init() -> flow_follow() -> flow_visit() -> flow_deinit()
 */
#ifndef STACKPROOF_FLOW_H
#define STACKPROOF_FLOW_H

#include "flow_clobbers.h"
#include "flow_callees.h"
#include "flow_fragment.h"
#include "flow_row.h"

#define FLOW_PARTS_MAX	64	   /* FDEs of one function */
#define FLOW_BLOCKS_MAX (1u << 17) /* of one function */
#define FLOW_TABLES_MAX 256	   /* jump tables of one function */

/* Instructions behind an address that something jumps to, up to the next such address. */
struct flow_block {
	uint64_t pc;
	struct flow_fragment *fragment;
	struct flow_state state; /* before the first */
	uint64_t from;		 /* one of the instructions that lead there */
	bool weak;		 /* only calls do, which may not come back */
	uint64_t callee;	 /* of the first of these */
	uint8_t unsure;		 /* enum flow_doubt: only such paths do; the least */
	uint32_t
		fallthrough; /* only paths do that are beyond a call; of one, as in struct flow_path */
	uint32_t supposed; /* as in struct flow_path, of all paths that come here; 0: they differ */
	bool begun_wrong; /* its state is of a path that the row doesn't declare, or was joined to it */
	bool settled;	  /* a wrong path's state was replaced once; not again */
	bool queued;
	bool rules_out; /* a branch of it did when it was followed last */
};

/* Whether anybody goes a path. None but FLOW_SURE accuses. */
enum flow_doubt {
	FLOW_SURE,
	FLOW_MASKED, /* it is by an entry of a jump table that is as long as the index's mask allows */
	FLOW_UNSURE,   /* it is by a jump table's entry that may be none, or padding */
	FLOW_DOUBTED,  /* it is ruled out, if what was read is what it was: flow_effect.c */
	FLOW_UNTHROWN, /* it is by an exception of a call that perhaps never throws */
	FLOW_NEVER, /* it is ruled out by what is known so far: it brings nothing to where others come */
};

/* A path, as it comes to an instruction. */
struct flow_path {
	uint64_t from;
	bool weak;	 /* by a call that may not come back, and padding */
	uint64_t callee; /* of that call; 0: computed */
	bool stored; /* the instruction before pushed or stored a word: a return goes there on purpose */
	uint8_t unsure; /* enum flow_doubt */
	/* It is behind a call that may never come back, where it is not known to be the function's: number
	 * + 1 in flow.after.code; 0: it is. */
	uint32_t fallthrough;
	/* The same where it is taken to be, unless something contradicts: number + 1 in flow.after.supposed. */
	uint32_t supposed;
};

/* Whose code lies behind a call. */
enum flow_whose {
	FLOW_OWN,
	FLOW_SUPPOSED_OWN, /* unless something contradicts: then perhaps */
	FLOW_LIKELY_OWN,   /* perhaps, but a call there with the stack aligned is enough */
	FLOW_PERHAPS_OWN,
	FLOW_ANOTHERS,
};

struct flow_fallthrough {
	uint64_t pc;
	uint32_t before;   /* the one that the path was beyond when it came here */
	bool own;	   /* the function's */
	bool contradicted; /* it was supposed to be */
	bool likely;	   /* to be, and the stack is aligned there */
	bool calls;	   /* that, with the stack aligned */
};

struct flow_supposed {
	uint64_t pc;
	uint32_t before; /* the one that the path was behind when it came here, or 0 */
};

/* A computed jump of which no target is known, and that is no call in place of a return: it may lead to
 * any instruction of the function. */
struct flow_unread {
	uint64_t pc;
	struct flow_state state;
};

/* Where a path ended that would be wrong: the call before it never returns, or the row is wrong. */
struct flow_behind {
	uint64_t pc, callee;
};

/* A path into a block that brings what its row doesn't say, while another brings it. */
struct flow_edge {
	bool weak;	/* by a call of callee, 0: computed, which perhaps never comes back */
	uint8_t unsure; /* the path's */
	uint64_t callee;
	uint64_t from, to;
	const struct flow_fragment *fragment; /* to's */
	struct flow_row_verdict verdict;
	const struct flow_state *state;
};

struct flow_proof;

/* Where a path leads, for who follows other functions. */
enum flow_lead_kind {
	FLOW_LEADS_UNCOVERED, /* to pc, which no FDE covers */
	FLOW_LEADS_CALL,      /* to pc, which the FDE has, by a call at from */
	/* To an FDE's begin with the frame of a call. doubtful: as flow_jump_is_doubtful() says. */
	FLOW_LEADS_TAIL_CALL,
	/* To an FDE's begin for certain, with a frame of this function, although its first row is another function's: the
	 * path is not followed. */
	FLOW_LEADS_FRAMED,
	/* From a process's first function to an FDE's begin, with its stack as it was; both say that there is no caller. */
	FLOW_LEADS_CONTINUED,
	/* Perhaps to a fragment's begin with another frame than its first row says, in a path that is not followed, and
	 * why it is in doubt. */
	FLOW_LEADS_PERHAPS,
	FLOW_LEADS_JUMP, /* to a computed jump of which not all targets are known for certain */
};

struct flow_lead {
	enum flow_lead_kind kind;
	uint64_t pc, from, function;
	const struct cfi_fde *fde;
	const struct flow_state
		*state; /* of FLOW_LEADS_PERHAPS and FLOW_LEADS_JUMP: what is known there */
	enum flow_reason why;
	bool doubtful;
};

/* What the image's functions have in common. */
struct flow_world {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct flow_callees *callees;
	bool never_by_code; /* else what never returns is known by name alone */
	/* Some functions pop their arguments, or make room on the stack: the fast proof asks which only if the image's bytes
	 * say that there are some. */
	bool pops;
	/* Of some it isn't known how much, or they make room; then nobody knows what a computed call does. */
	bool lowers;
	/* What callees of the image are known not to preserve; NULL: they all preserve what the psABI says. */
	const struct flow_clobbers *clobbers;
	uint64_t *target; /* of one computed jump: FLOW_TARGETS_MAX of them */
	uint64_t
		first; /* where a process begins: argc is on the stack (psABI, 3.4.1); 0: no program */
	/* Told of where paths lead, more than once: of the kinds that are wanted, a bit each. */
	uint32_t leads_wanted;
	void (*leads)(void *context, const struct flow_lead *lead);
	/* The function leads to where a fragment begins, with a frame that its first row doesn't say; falls: it has no
	 * end before that. Whether to follow it: lint_follow.c. NULL: none is. */
	bool (*crossing)(void *context, uint64_t function, uint64_t fragment,
			 const struct flow_state *state, bool falls);
	/* Unless NULL: whose the code at pc is in a function without rows, if only calls that may never come
	 * back lead there, of which the path says the last. It may be the begin of another fragment. */
	enum flow_whose (*fallthrough)(void *context, uint64_t pc, const struct flow_path *path);
	/* Unless NULL: whether what is called, 0: computed, may preserve no register but rbp, and may take its
	 * arguments off the stack. *ret_callee_pop: their bytes, or FLOW_CALLEE_POP_UNKNOWN. */
	bool (*strange)(void *context, uint64_t callee, uint32_t *ret_callee_pop);
	/* Unless NULL: a function begins at pc that may be entered with the return address moved. */
	bool (*enters)(void *context, uint64_t pc);
	/* Whose functions preserve none of the registers that those of the psABI do, and so have no rules
	 * for them: Go's in .debug_frame, OCaml's. */
	bool go, ocaml;
	/* Registers that the image's functions don't keep, as its code says, and those of which that is certain:
	 * code_convention_unkept(). */
	uint32_t unkept, unkept_certain;
	/* Some functions are Swift's, which pass an error in r12 and contexts in r13 and r14. */
	bool swift;
	void *context;
};

/* A jump table. end: where it ends at most by a comparison, or as far as it was read. */
struct flow_table {
	uint64_t begin, end;
};

struct flow;

/* Who goes over a function's states once nothing changes any more; each may be NULL, but for context. */
struct flow_visitor {
	/* Before each instruction of a block. One that can't be decoded has no length. */
	void (*instruction)(void *context, const struct flow *flow, const struct flow_block *block,
			    const struct code *code, const struct flow_state *state);
	void (*block_end)(void *context);
	/* Each edge that is wrong. */
	void (*edge)(void *context, const struct flow_edge *edge);
	/* Each edge to a block of the fragment; without edge not from a block that ends where the next begins. */
	void (*step)(void *context, const struct flow_fragment *fragment, uint64_t from,
		     uint64_t to, const struct flow_state *state);
	void *context;
};

/* What the function was seen to do, on its paths of the last round. */
struct flow_found {
	bool has_return;    /* some path comes to a return */
	bool has_tail_call; /* the same to another function's begin, with rsp as it was at the entry */
	/* A path that is sure ends in a jump to what a register held at the entry in which no argument is passed. */
	bool jumps_by_entry;
	bool tail_calls_well; /* a path that is sure ends in a tail call, with all that a callee preserves */
	bool breaks_convention; /* with a register that callees preserve not as it was, or not known to be */
	/* Registers that callees preserve, and that a path that is sure returns without; and those of which nothing is
	 * known on such a path. */
	uint32_t clobbers, perhaps_clobbers;
	bool returns_elsewhere; /* with rsp elsewhere than at the return address: the path is not the function's */
	bool returned_to; /* on a path that is sure, with rsp above that: it was not called, but returned to */
	/* Once nothing changes any more: a path that is sure returns as a function does, with all that a
	 * callee preserves; and one of which that is not known. */
	bool returns_well, returns_unknown;
	/* The same: one returns with rsp elsewhere than at the entry, pops arguments, or returns by another word than
	 * the return address; or nobody knows. */
	bool returns_lost;
	uint32_t
		arguments; /* the same: of these registers the caller's value is used as an address */
	bool pops;	   /* a path that is sure pops arguments as it returns */
	uint32_t callee_pop; /* how many bytes all paths do, or FLOW_CALLEE_POP_UNKNOWN */
	bool returns; /* where the row says that there is no caller: with a return, or in another function */
	bool is_handler; /* a path returns as an interrupt's handler does: the CPU enters it, not a call */
	bool jump_unknown; /* the targets of a computed jump are */
	bool jump_unread;  /* the same of one that is no tail call */
	bool too_large;
	uint64_t calls_not_returning; /* behind which the rows are another path's */
};

/* What a round has come to that says whether another one is to follow. */
struct flow_round {
	bool entered; /* paths were followed since it began */
	bool late;    /* all other paths were followed, and those that are ruled out are now */
	bool met_table, guessed_end;
	bool read_beyond; /* a table was read on into one that was met later */
	size_t guessed_fragments; /* as many fragments were known when an entry led out of them; 0: none did */
	bool jump_unread; /* the targets of a computed jump that is no tail call are unknown */
	bool contradicts; /* contradicted has a new one */
	/* A path that is sure returns with rsp below the return address, by a word that it didn't push for
	 * that; and something was called that nobody can ask whether it pops arguments. */
	bool returns_below, called_unseen;
};

/* Jump tables that were met, in any round. One whose end is not known ends where another begins, which may have
 * been met later. */
struct flow_tables {
	struct flow_table table[FLOW_TABLES_MAX];
	size_t count;
	bool any; /* one was read, also by the proof */
	/* Of the table that was read last: as many entries as a mask leaves values of its index, each perhaps of one that
	 * never comes. (A byte has as many as its type, which says nothing of the table.) */
	bool read_whole;
};

/* Code behind calls that may never return: flow_fallthrough.c. */
struct flow_after {
	struct flow_fallthrough *code;
	size_t count;
	int rounds;
	bool found;			/* in this round: that some of them is the function's */
	bool settled;			/* the others are not */
	struct flow_supposed *supposed; /* in this round, in no order */
	size_t supposed_count;
};

/* Computed jumps whose targets nobody knows: flow_jump.c. */
struct flow_unread_jumps {
	struct flow_unread *jump;
	size_t count;
	uint64_t *back; /* where code that such jumps alone reach leads back to */
	size_t back_count;
};

struct flow {
	struct flow_world *world;
	uint64_t function; /* where it is entered */
	/* It was entered where rows are perhaps wrong for it: none says that nobody comes so. */
	bool doubtful;
	struct flow_proof *proof; /* who keeps what paths bring in place of blocks, or NULL */

	struct flow_fragment *fragment[FLOW_PARTS_MAX];
	size_t fragment_count;
	struct flow_block *block;
	size_t block_count;
	uint32_t *queue; /* of blocks: the worklist */
	size_t queue_count;
	bool falls;    /* the path that comes now is sure, and goes on behind a fragment's end */
	bool followed; /* nothing changes any more */

	struct flow_behind *behind_call;
	size_t behind_call_count;
	struct flow_after after;
	struct flow_unread_jumps unread;
	struct flow_tables tables;
	/* Where sure paths come with another frame than a path behind a call that perhaps never returns, for which
	 * alone the row is right. */
	uint64_t *contradicted;
	size_t contradicted_count;
	bool unseen_pop; /* a round has shown that callees nobody can ask perhaps pop arguments */

	struct flow_round round;
	struct flow_found found;

	const struct flow_visitor *visitor; /* once followed; or NULL */
};

/* flow_fragment_create(). Go's rows say where the caller is, and nothing of registers: its functions preserve rsp and
 * rbp alone. So having no rule claims nothing in them (FLOW_ROW_UNRULED()). */
int flow_fragment_of(const struct flow_world *world, const struct cfi_fde *fde,
		     struct flow_fragment **ret, enum flow_reason *ret_reason, struct error *error);
/* A function of which no path is known yet. first: its FDE, which the flow owns from then on.
 * flow_deinit(). */
void flow_init(struct flow *flow, struct flow_world *world, struct flow_fragment *first);
/* Forgets the paths, and keeps what is known of jump tables: to follow them again. */
void flow_restart(struct flow *flow);
/* The first round, or one that may come to something else than the one before. */
bool flow_again(struct flow *flow, int round);
/* All rounds from entry: where a call has just come to, or with that state, unless it is NULL. 0, or -1: no memory. */
int flow_follow(struct flow *flow, uint64_t entry, const struct flow_state *state,
		struct error *error);
/* Follows all paths from entry, where a call has just come to. 0, or -1: no memory. */
int flow_enter(struct flow *flow, uint64_t entry, struct error *error);
/* The same from where that is known. */
int flow_enter_knowing(struct flow *flow, uint64_t entry, const struct flow_state *state,
		       struct error *error);
void flow_deinit(struct flow *flow);
/* The fragment that was met and has pc, or NULL. */
struct flow_fragment *flow_known_fragment(const struct flow *flow, uint64_t pc);
/* All blocks once more, and what the visitor, or NULL, wants to know of them: how paths return is known then. 0, or
 * -1: no memory. */
int flow_visit(struct flow *flow, const struct flow_visitor *visitor, struct error *error);

/* The system call of that number never comes back: exit(2), exit_group(2), rt_sigreturn(2). */
bool flow_thread_ends_by(int64_t number);
/* The instruction is one of these. */
bool flow_thread_exits(const struct flow_state *state, const struct code *code);
/* The instruction is a system call behind which a new thread goes on, too. */
bool flow_thread_begins(const struct code *code, const struct flow_state *state);
/* Behind it. */
void flow_thread_begin(struct flow_state *state);
/* The bytes that the function there takes off the stack above its return address, or FLOW_CALLEE_POP_UNKNOWN: paths of it
 * differ, or none was seen to come back, and it takes some. */
uint32_t flow_callee_pop_by(const struct flow_world *world, uint64_t callee, enum flow_takes takes);
/* From pc on the way goes straight to a return, and so it does with rsp elsewhere than at the entry. */
bool flow_callee_pop_leaves(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
			    const struct flow_state *state);
/* The row is not wrong for a function that was called where rsp is now. */
bool flow_callee_pop_agrees(const struct row *row, uint64_t pc, const struct flow_state *state,
			    const struct flow_row_terms *terms);
/* All paths are to be followed again; those that were are forgotten. */
bool flow_fallthrough_again(struct flow *flow);

#define FLOW_TRACE_MAX 8 /* jumps of one path that are named */

/* The jumps that lead to an instruction on one path from the function's entry, in their order; of more
 * the last. */
struct flow_trace {
	bool known, cut;
	uint8_t count;
	uint64_t jump[FLOW_TRACE_MAX];
};

/* To pc by way of the instruction at from, which leads there (0: the path begins
 * at pc). All paths have been followed. */
void flow_trace_find(const struct flow *flow, uint64_t from, uint64_t pc, struct flow_trace *ret);

/* The more doubtful one. */
static inline uint8_t flow_doubt_more(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* Why nobody is accused of what only such paths bring. */
enum flow_reason flow_doubt_reason(uint8_t doubt);
/* The same of a path that is wrong where another isn't. */
static inline enum flow_reason flow_edge_reason(const struct flow_edge *edge)
{
	return flow_doubt_reason(flow_doubt_more(edge->unsure, FLOW_DOUBTED));
}

/* A call of the FDE, before next, that only leaves next on the stack: what it leads to, further on in the FDE,
 * takes that off first. */
bool flow_call_is_push(const struct cfi_fde *fde, const struct image *image,
		       struct code_decoder *decoder, uint64_t next, uint64_t target);

/* The row says that the CFA is rsp, and that the return address is in a register. */
bool flow_row_is_linked(const struct row *row);
/* As such a row says. */
void flow_linked_enter(const struct row *row, struct flow_state *ret);

/* A jump table's entry: of 4 bytes the distance from the table, of 8 (scale) the target. False: there are no such bytes. */
bool flow_jump_entry(const struct image *image, uint64_t table, uint8_t scale, uint64_t index,
		     uint64_t *ret);
/* The targets of a computed jump, in ret, which has room for FLOW_TARGETS_MAX: how many there are,
 * 0 if they are not known. *ret_sure: there are no more, and all of them are. */
#define FLOW_TARGETS_MAX 65536u
/* The path from there is by a jump table, or past one, by the comparison before it. Of cases that a compiler holds
 * to be unreachable, and of a switch without default, such paths end in whatever comes behind. */
bool flow_jump_is_doubtful(const struct flow *flow, uint64_t from, uint64_t to);

/* A path of the function perhaps comes to pc, or to where code that no FDE covers goes on from there. */
void flow_reach(const struct flow_world *world, uint64_t function, uint64_t pc,
		const struct flow_state *state, enum flow_reason why);
/* Computed jumps of which nothing is known perhaps lead to addresses that the function makes. Once it was followed. */
void flow_reach_made(const struct flow *flow);

#endif
