/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_inside.h - what the files of lint ask of each other; who lints includes lint.h
 *
 * In the order of the data: a judge holds instructions against rows; entries and calls into the middle say where paths
 * begin; all functions are followed, and what was in doubt is decided; then comes what is beside the rows. Who lacks memory
 * says so to the world, flow_lack().
 */
#ifndef STACKPROOF_LINT_INSIDE_H
#define STACKPROOF_LINT_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analysis/flow/flow.h"
#include "lint.h"
#include "analysis/code/code.h"
#include "analysis/objects/object.h"

/* ==== lint_judge.c: holds every instruction that was reached against its row, and sums up FDEs ==== */

/* ---- lists of addresses ------------------------------------------------------------------ */

/* Zero-initialise. The owner frees address. */
struct lint_addresses {
	uint64_t *address;
	size_t count;
};

void lint_addresses_add(struct lint_addresses *list, uint64_t address,
			const struct flow_world *world);
/* Sorts the list in ascending order, and keeps each address once. */
void lint_addresses_sort(struct lint_addresses *list);
/* The number of the first address at pc or behind it. The list must be sorted. */
size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc);
/* pc is in the list, which must be sorted. *ret: its number; ret may be NULL. */
bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret);
/* pc is in the list, which need not be sorted. */
bool lint_addresses_met(const struct lint_addresses *list, uint64_t pc);

/* ---- findings that are held until all is known ------------------------------------------- */

/* Zero-initialise; lint_findings_deinit(). It owns copies of the findings. */
struct lint_findings {
	struct lint_finding **finding;
	size_t count;
	bool no_memory; /* some findings are missing */
};

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding);
/* Removes places that are NULL. */
void lint_findings_pack(struct lint_findings *list);
/* Sorts by lint_finding_compare(). */
void lint_findings_sort(struct lint_findings *list);
void lint_findings_deinit(struct lint_findings *list);

/* ---- instructions against their rows ----------------------------------------------------- */

/* Whether a function has a caller although its first row says that it has none. */
enum lint_end {
	LINT_END_UNKNOWN,
	LINT_END_CALLED, /* it has: calls lead there, and nothing else does */
	LINT_END_FIRST, /* it has none: a process comes there from its first function, and nothing else does */
};

struct lint_deferrals;
struct lint_contrary;
struct lint_inner;

/* What an FDE's instructions came to. */
struct lint_sum {
	struct lint_fde fde;
	uint32_t instructions, proven; /* counts; proven: of them */
	enum flow_reason none;	       /* the reason for instructions that no path leads to */
	bool made;		       /* false: it was not summed up yet */
	bool met; /* another function was found to lead into it since: it is to be summed up again */
};

/* What is known of an FDE. */
struct lint_known {
	bool called;   /* a call leads to its begin */
	bool doubtful; /* lint_begin_doubtful(), or it would not return where it was called from */
	bool later; /* it perhaps begins inside a function: it is judged once all paths that lead there are known */
	bool again; /* it leads to a fragment that is perhaps another function's: it is followed again */
	struct lint_sum sum;
};

/* All pointers but status and unsettled are borrowed. */
struct lint_judge {
	struct flow_world
		*world; /* without callees a call that a wrong path lies behind never returns */
	const struct lint_watch *watch;
	struct lint_known *known; /* by the FDE's number in cfi->fde */
	const struct flow *flow;  /* the flow that is judged */
	struct lint_deferrals
		*deferrals;		/* gets the paths that end where they are wrong; or NULL */
	struct lint_contrary *contrary; /* gets what each row comes to; or NULL */
	bool doubtful; /* the flow was entered in the middle: what is wrong for it is unproven, */
	enum flow_reason why_doubtful; /* for this reason */
	struct lint_inner *inner;      /* the call into the middle that the flow follows, or NULL */
	enum lint_end end;	       /* of the function that is judged */
	bool trial;		       /* nothing is told or kept but wrong */
	bool wrong;		       /* a row is a mismatch */
	/* A fragment that was proven at once, with no outcome set since; or NULL. */
	const struct flow_fragment *whole;
	struct lint_counts *counts;
	bool holds; /* findings are held, and told at once later */
	struct lint_findings held;
	/* For each byte of world->map: the outcome of the instruction that begins there. */
	uint8_t *status;
	bool *unsettled; /* for each page of these bytes: on a sure path something is not proven */
};

static inline struct lint_known *lint_known_of(const struct lint_judge *judge,
					       const struct cfi_fde *fde)
{
	return &judge->known[fde - judge->world->cfi->fde];
}

/* world, watch and counts must be set. False: no memory. lint_judge_deinit() in both cases. */
bool lint_judge_init(struct lint_judge *judge);
void lint_judge_deinit(struct lint_judge *judge);
/* If the fragment is plain (flow_plain()), all of it is proven. Returns whether it is. */
bool lint_judge_plain(struct lint_judge *judge, struct flow_fragment *fragment);
/* Judges all blocks of the flow. called: it is called, although its first row is not a function's. */
void lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called);
/* Some row would be a mismatch. Nothing is told or kept. */
bool lint_judge_try(struct lint_judge *judge, struct flow *flow);
/* The fragment's instructions that flow_proof_try() has reached are proven. */
void lint_judge_proven(struct lint_judge *judge, const struct flow_fragment *fragment);
/* Why no path leads to instructions of the fragment. flow: its function's, or NULL. */
enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_fragment *fragment);
/* Sums up the FDE. sum->none and sum->fde.unruled must be set. tell: calls watch->judged for each instruction. */
void lint_judge_fde(struct lint_judge *judge, struct flow_fragment *fragment, bool tell,
		    struct lint_sum *sum);
/* Counts the sum, and tells its FDE. Once all paths into it were judged. */
void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum);
/* What was proven of the fragment becomes unproven: why. For it is in doubt whether its begin is entered as its first
 * row says. */
void lint_judge_take_back(struct lint_judge *judge, struct flow_fragment *fragment,
			  enum flow_reason why);
/* The sum of an FDE that can't be followed. */
void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret);
/* A path came to the instruction at pc. */
bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc);
/* The same, by a path that does not begin at a call into the middle. */
bool lint_judge_has_paths(const struct lint_judge *judge, uint64_t pc);
/* Some instruction that begins in begin .. end has a wrong row. */
bool lint_judge_is_wrong(const struct lint_judge *judge, uint64_t begin, uint64_t end);
/* Holds the finding; or counts it, and tells it. */
void lint_judge_report(struct lint_judge *judge, const struct lint_finding *finding);
/* Counts and tells all that are held, and holds none from now on. */
void lint_judge_tell(struct lint_judge *judge);

/* These report a finding. */
void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde);
void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end);
void lint_judge_search_table(struct lint_judge *judge);
/* Only if the fragment's CFI breaks off. */
void lint_judge_program(struct lint_judge *judge, const struct flow_fragment *fragment);

/* ---- findings that an accused path contradicts -------------------------------------------- */

struct lint_right_edge {
	uint64_t from, to;
};

/* What an accused path comes to that is followed by itself. Zero-initialise; lint_contrary_deinit(). */
struct lint_contrary {
	struct lint_addresses right, wrong; /* instructions whose row is right for it, or not */
	struct lint_right_edge *edge;	    /* edges that bring what the row there declares */
	size_t edge_count;
};

/* Takes back those of the held findings, from that number on, whose rows are right for the path. Their places become
 * NULL until lint_findings_pack(), and the rows unproven. */
void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number);
void lint_contrary_deinit(struct lint_contrary *contrary);

/* ==== lint_begin.c: where functions begin, and where FDEs are entered ========================= */

/* ---- whether a function begins where an FDE does ----------------------------------------- */

/* The FDE of that number in cfi->by_pc perhaps begins where no function does: another FDE covers its begin, or code
 * that no FDE covers goes on into it. */
bool lint_begin_doubtful(const struct flow_world *world, size_t number);
/* The state at the begin of the FDE of that number, if `from` was called and the instructions in between go straight on.
 * False: they don't, or another FDE covers them. */
bool lint_begin_state(const struct flow_world *world, size_t number, uint64_t from,
		      struct flow_state *ret);

/* A function's symbol begins at pc. */
bool lint_begin_is_named(const struct image *image, uint64_t pc);
/* Code outside of this image may call pc. Hidden symbols are not seen outside; a program keeps them as global symbols,
 * a shared object as local ones (gABI, chapter 4, "Symbol Visibility"). */
bool lint_begin_is_exported(const struct image *image, uint64_t pc);

/* ---- where an FDE is entered besides its begin ------------------------------------------- */

struct lint_entries {
	bool stubs; /* each stub of a PLT */
	/* Each function's symbol that no path has reached, where the row is that of a function that was just called. */
	bool functions;
	bool others; /* each function that lies behind the end of the FDE's own: lint_extent_next() */
};

/* Follows paths from these entries, too, in the flow's first fragment. */
void lint_enter_more(struct flow *flow, const struct lint_entries *entries);

/* ---- whether an FDE's code is a function that is called, by how it ends ------------------ */

/* What an FDE's code does if it was just called, whatever its rows say. */
struct lint_as_called {
	/* All paths return as a called function does, or end in a tail call. So a first row with more on the stack than
	 * the return address is wrong, whatever leads there. */
	bool returns;
	bool returns_itself; /* the same, and some path returns */
	/* The code doesn't end as a called function does. Perhaps something else enters it, as its rows may say: the
	 * CPU with an error code, or a PLT's stub that pushed words. */
	bool refuted;
	bool handler; /* it ends as an interrupt's handler does */
};

/* Follows the FDE's code without its rows. world's callbacks are called as ever. */
void lint_as_called_find(struct flow_world *world, const struct cfi_fde *fde,
			 struct lint_as_called *ret);

/* ---- functions without an FDE whose address is taken ------------------------------------- */

#define LINT_KEPT_BYTES_MAX (1u << 20) /* of one function */

/* Tells, in order, which of these ascending addresses a word holds, or an instruction of an FDE makes. */
void lint_kept_which(const struct flow_world *world, const struct lint_addresses *addresses,
		     flow_address_fn fn, void *context);
/* Tells, in order, each function between FDEs whose address is taken, and not only to read there. */
void lint_kept_find(const struct flow_world *world, flow_address_fn fn, void *context);

/* ---- FDEs that are entered with a frame that their first row doesn't declare ------------- */

/* Zero-initialise; lint_framed_deinit(). */
struct lint_framed {
	struct lint_addresses framed;  /* begins of FDEs that a path leads to with a frame */
	struct lint_addresses entered; /* addresses that a path leads to without a frame */
	struct lint_addresses called;  /* addresses that a plain fragment calls */
};

/* Adds what a plain fragment (lint_judge_plain()) calls and jumps to: it has no frame anywhere. */
void lint_framed_plain(struct lint_framed *framed, const struct flow_fragment *fragment,
		       const struct flow_world *world);
/* Finds the FDEs' begins (among these; NULL: among all) that a path leads to with a frame, and nothing as to a
 * function: no call, no path without a frame, no symbol, and its address is not taken. The caller frees
 * ret->address. */
void lint_framed_find(struct lint_framed *framed, const struct lint_judge *judge,
		      const struct lint_addresses *among, struct lint_addresses *ret);
/* Calls lint_framed_take_back() for all that lint_framed_find() finds, with FLOW_NO_ENTRY. */
void lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge);
/* What was proven of the FDE that begins at pc becomes unproven, for that reason. */
void lint_framed_take_back(struct lint_judge *judge, uint64_t pc, enum flow_reason why);
void lint_framed_deinit(struct lint_framed *framed);

/* ==== lint_middle.c: calls into the middle of an FDE ========================================== */

/*
 * Assembly calls inner routines of a function. Such a call enters the FDE with a frame of its own, for which the
 * row there may be wrong.
 */

/* ---- what is called in the middle of an FDE ---------------------------------------------- */

/* Bytes that look like a call of target; or, if from is NULL, a function's symbol at target. */
struct lint_call {
	uint64_t target;
	const struct cfi_fde *from; /* the FDE that has the bytes */
	uint64_t at;		    /* the distance of the bytes from its begin */
	uint64_t behind; /* the same of the first instruction at or behind them; 0: not known yet */
	enum { LINT_CALL_UNASKED, LINT_CALL_IS_ONE, LINT_CALL_IS_NONE } is;
};

struct lint_target {
	uint64_t pc;
	struct lint_call *call;
	uint64_t
		from; /* a call of pc that a sure path comes to, or 0; only in the first element of that pc */
};

struct lint_middle {
	const struct flow_world *world; /* borrowed */
	struct lint_call *call;		/* by address; then those by symbols */
	struct lint_target *target;	/* the target of each, by address */
	size_t count, room;
};

/* Finds all such calls. A doubtful begin of an FDE counts as its middle. */
void lint_middle_init(struct lint_middle *middle, const struct lint_judge *judge);
void lint_middle_deinit(struct lint_middle *middle);
/* The first target in begin .. end that is really called; 0: none. fragment: NULL, or the one that covers begin .. end,
 * so that it is decoded only once. */
uint64_t lint_middle_next(struct lint_middle *middle, struct flow_fragment *fragment,
			  uint64_t begin, uint64_t end);

/* A sure path comes to the instruction at from, which calls pc. */
void lint_middle_called(struct lint_middle *middle, uint64_t pc, uint64_t from);

/* Once all was followed: tells calls into the middle of an instruction that paths came to (flow_reach()). */
void lint_middle_hidden(const struct lint_middle *middle, const struct lint_judge *judge);

/* ---- inner functions: only calls into the middle of an FDE enter them -------------------- */

#define LINT_INNER_JUMPS_MAX 8 /* jumps back to its begin */

/* What such a call leads to. */
struct lint_inner {
	uint64_t pc;
	const struct cfi_fde *fde;
	const struct lint_middle *middle;
	bool accuses;			     /* nothing is in doubt: wrong rows are findings */
	bool found;			     /* some row is wrong */
	bool doubted;			     /* something else perhaps enters it */
	uint64_t jump[LINT_INNER_JUMPS_MAX]; /* what looks like jumps to pc: its own code? */
	size_t jump_count;
};

/* Zero-initialise; lint_inners_deinit(). */
struct lint_inners {
	struct lint_inner *inner;
	size_t count;
};

/* Judges the paths from inner->pc, which accuse nobody yet, and keeps inner if it may accuse later. own: the flow of
 * the FDE's function. */
void lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		      struct lint_judge *judge);
/* Once all else was followed: if only calls enter an inner function, its wrong rows are findings. */
void lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge);
void lint_inners_deinit(struct lint_inners *inners);

/* judge->inner accuses the row, which is wrong by the verdict. False if there is no inner. */
bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_fragment *fragment,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict);
/* A path to the block; with judge->inner it begins at a call of that. */
void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_trace *ret);

/* ==== lint_follow.c: follows all functions of an image, and decides what was in doubt ========= */

/* ---- deferred paths: they end where another path meets them for which the row is right ---- */

/*
 * A deferred path is followed by itself later, and accuses nobody: where rows are wrong for it they become unproven.
 */

#define LINT_DEFERRALS_MAX 64 /* of one function */

/* The path of the function that comes to pc with that state. */
struct lint_deferral {
	uint64_t function, pc;
	enum flow_reason why; /* of rows that are wrong for it */
	size_t accused; /* the number in held, plus 1, of the finding that accuses it; 0: none does */
	struct flow_state state;
};

/* Zero-initialise. */
struct lint_deferrals {
	struct lint_deferral *deferral;
	size_t count;
};

/* To the judge's. False: there are too many, or no memory. */
bool lint_deferrals_add(const struct lint_judge *judge, const struct lint_deferral *deferral);

/* ---- crossings: jumps to a fragment's begin with another frame than its first row declares --- */

/*
 * The fragment is another function's, or its row is wrong. Which, is decided once all functions are known.
 */

struct lint_crossing {
	uint64_t function, fragment; /* their begins */
	bool falls;		     /* all paths fall into the fragment */
	bool followed;		     /* the path is followed: the row is held against it */
	enum flow_reason why;	     /* of rows that are wrong for a path that is not followed */
	struct flow_state *state;    /* of such a path, once it is decided; or NULL */
};

struct lint_crossings {
	struct lint_crossing *crossing;
	size_t count;
	struct lint_crossing *doubt; /* other paths that perhaps lead there: FLOW_LEADS_PERHAPS */
	size_t doubt_count;
	bool decided;
};

/* ---- functions whose first row says that they have no caller ----------------------------- */

/* Zero-initialise. */
struct lint_ends {
	struct lint_addresses begin; /* of their FDEs */
	bool *kept;		     /* by the number in begin: its address is taken */
	struct lint_addresses first; /* where a process goes on from its first function */
};

/* The row says that there is no caller. Sets the verdict: whether that is true. */
void lint_end_judge(const struct lint_judge *judge, const struct flow *flow,
		    const struct flow_state *state, struct flow_row_verdict *verdict);

/* ---- functions that end in an interrupt's handler ---------------------------------------- */

/* A function that ends in a jump to another. Both by their begins. */
struct lint_tail {
	uint64_t from, to;
};

/* Zero-initialise. */
struct lint_handlers {
	uint64_t function; /* that is followed now */
	struct lint_tail *tail;
	size_t count;
	struct lint_addresses begin; /* of handlers, by how they return */
};

/* ---- all functions of an image, each followed once --------------------------------------- */

/* A sure path comes to the instruction at from, which calls pc, in that FDE. */
struct lint_sure_call {
	const struct cfi_fde *fde;
	uint64_t pc, from;
};

/* An image that is linted. */
struct linting {
	struct flow_world *world; /* borrowed: it stays when functions are followed again */
	struct lint_judge judge;
	struct lint_sure_call *calls; /* of the function that is followed, not noted in judge yet */
	size_t call_count, call_room;
	struct lint_addresses uncovered; /* led to by a path, a symbol or a taken address; no FDE */
	struct lint_addresses entered;	 /* those of them that not only jumps lead to */
	struct lint_framed framed;
	struct lint_handlers handlers;
	struct lint_addresses
		open; /* numbers in by_pc of FDEs with wrong rows that are perhaps never entered */
	struct lint_addresses tails; /* what calls of plain fragments, or tail calls, lead to */
	struct lint_addresses
		fragments; /* begins of FDEs that perhaps begin inside a function (lint_known.later) */
	struct lint_ends ends;
	struct lint_crossings crossings;
	struct lint_deferrals deferrals; /* of the function that is followed */
	struct lint_middle middle;
	struct lint_inners inners;
};

/* ==== lint_uncovered.c: code that no FDE covers, and FDEs that cover more than their function ==== */

/* ---- code that no FDE covers, and how far it goes on ------------------------------------- */

/* There is code at pc: the file has bytes there, and they are no padding and no zeros. What a symbol says to be data is
 * none, unless the instruction at from calls it or jumps there: compilers let a path that they hold to be unreachable
 * end in whatever comes behind the function. from 0: of data that is not asked. *ret_entered: the instruction at from is
 * a call, or from is 0. */
bool lint_uncovered_is_code(const struct flow_world *world, uint64_t pc, uint64_t from,
			    bool *ret_entered);
/* Only the linker will know the place of some FDE, so it may cover any code. */
bool lint_uncovered_is_unknown(const struct flow_world *world);
/* Reports a finding for each of these ascending addresses. */
void lint_uncovered_tell(struct lint_judge *judge, const struct lint_addresses *uncovered);

/* ---- functions without an FDE, by their symbols ------------------------------------------ */

/* Why no function can be named in a file without CFI. */
enum lint_bare {
	LINT_BARE_FOUND,	/* one can */
	LINT_BARE_NO_CODE,	/* the file has no code */
	LINT_BARE_NO_SYMBOLS,	/* its code has no symbols */
	LINT_BARE_UNTYPED,	/* no symbol says that it is a function's */
	LINT_BARE_UNFOLLOWED,	/* what its functions' symbols name is no function as a whole */
	LINT_BARE_OTHER_TABLES, /* it is unwound by other tables */
	LINT_BARE_NOT_UNWOUND,	/* there is no unwinder where it runs */
	LINT_BARE_COUNT,
};

/* Tells each such function, in no order. */
void lint_symbols_find(const struct flow_world *world, flow_address_fn fn, void *context);
/* Why none was told, of an image without CFI. */
enum lint_bare lint_symbols_why(const struct image *image);
/* "untyped". Not of LINT_BARE_FOUND. */
const char *lint_bare_name(enum lint_bare why);
/* "no symbol says that it is a function's"; NULL: no reason has that name. */
const char *lint_bare_title_of(const char *name);

/* ---- FDEs that reach beyond their function, and sections that unwinders don't find ------- */

/* The first function from pc on in the FDE that lies behind the end of the FDE's own function, is not local, and has no
 * FDE of its own; 0: none. */
uint64_t lint_extent_next(const struct flow_world *world, const struct cfi_fde *fde, uint64_t pc);
/* Once all instructions were judged: reports FDEs that overlap, or reach beyond their function or the code. */
void lint_extent_check(struct lint_judge *judge);

/* ---- lint_uncovered.c ---------------------------------------------------------------------- */

/* Reports sections .eh_frame of a linked image that unwinders are not led to. */
void lint_sections_check(struct lint_judge *judge);

/* ==== lint_json.c: an object file's addresses, as sections and offsets ======================== */

/* Prints the instruction at pc as the file has it, with its relocation's symbol: "call 0x9 (f)". "": there is none. */
void lint_place_code(const struct object *object, const struct image *image,
		     struct code_decoder *decoder, uint64_t pc, char *text, size_t size);
/* Prints the section and the offset in it: ".text.f+0x3d". "": vaddr is in no section. object is not NULL. */
void lint_place_print(const struct object *object, uint64_t vaddr, char *text, size_t size);

#endif
