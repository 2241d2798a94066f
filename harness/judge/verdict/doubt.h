/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doubt.h - accusations wait until the truth they rest on has proven itself
 *
 * Where the CFI and the truth name different callers, one of them is wrong. It may be the truth: it saw
 * calls, but not return addresses that were pushed by hand, put back, moved, replaced or copied. So the
 * point is put to a doubt, together with the two things that can decide it:
 *
 *	the truth's frame	the frame that the CFI does not name: (slot, return address)
 *	the claim		what the CFI names instead: (slot, PC) of a caller
 *
 * What the program then does decides the doubt (struct shadow_observer):
 *
 *	the frame returned			the truth was right: the accusation stands. If the claim could
 *						be a frame, the ret must be the accused function's own: the
 *						ret of another does not show where the accused one would
 *						have gone (GHC's code jumps to the claim, and its runtime
 *						returns in the end)
 *	the frame returned, but the claim
 *	only inserts frames before it		unproven: these may be popped and jumped to
 *	a ret went through the claim's slot
 *	to the claim's PC			the CFI was right: the point counts as if the truth had
 *						known the claim's frame
 *	the frame's ret went elsewhere, or
 *	the frame was taken off			unproven
 *	the frame was moved to another slot	the accusation stands only if the accused function's ret
 *						goes through that slot
 *	another ret went through a slot
 *	between rsp and the frame's slot	the truth lacks frames: unproven
 *	the stack was disturbed, or given up	unproven
 *	the frame is open at the end, or was
 *	abandoned with others			the accusation stands if the return address was in its slot,
 *						the stack was not disturbed, the claim can't be a frame, and
 *						the accused function was entered with rsp at the frame's
 *						slot; else unproven. (A function that is jumped to with
 *						another word on top of the stack has that word for its
 *						return address, for instance a mark for the end of the
 *						stack.) Also unproven if the CFI only says that there is no
 *						caller, or one at 0: a function that never returns has none.
 *						Also if the function was called into its middle: the call
 *						may only have pushed an address
 *
 * Both readings of a point are scored when it is met, each in its own account. When the doubt ends, at
 * most one of the two is added to the result.
 *
 * If the CFI restores a callee-saved register wrong, the accusation rests on the register's value at the
 * call. That is proven when the frame returns and restores the value. For a frame that is open when the
 * program ends, its callers prove it: with the value at the call, their CFI names the truth's frames,
 * each at its slot; and the row at fault says that the register is unchanged. A row may also read words
 * of memory, for such a register, the CFA or the return address, and a callee may have changed the words
 * for a while. That is not the row's fault, so the step is made again when the frame returns, with the
 * same registers. If it comes out right then: unproven.
 *
 * Findings that need no truth do not wait: no FDE covers a PC, a row can't be read, engines that read
 * the same memory differ. Where the CFI and the truth agree, the point is proven until a return refutes
 * both (provisional.h).
 */
#ifndef STACKPROOF_DOUBT_H
#define STACKPROOF_DOUBT_H

#include "marks.h"
#include "verdict.h"

const char *doubt_reason_name(enum doubt_reason reason);

#define DOUBTS_MAX 4096

/* The result of a run with a larger share of unproven points begins with a warning; a run of the corpus
 * fails. */
#define UNPROVEN_SHARE_MAX 0.05

/* A finding's points in an account. */
struct finding_count {
	size_t finding; /* its index in struct findings */
	uint64_t count, followed, followed_exact;
};

/* The sums over a number of points. */
struct account {
	uint64_t points;
	uint64_t verdict[VERDICT_COUNT];
	uint64_t missing, uncovered;
	uint64_t sframe_loss[SFRAME_LOSS_COUNT];
	struct engine_score *score; /* one for each engine */
	struct finding_count *finding;
	size_t finding_count;
	struct marks marks; /* of the points that have one */
};
/* NULL: no memory. */
struct account *account_create(size_t engine_count);
void account_destroy(struct account *account);
/* Adds add's sums, but not its findings, and moves add's marks. */
void account_add(struct account *account, struct account *add, size_t engine_count);
/* False: no memory. */
bool account_add_finding(struct account *account, const struct finding_count *count);
/* Adds one engine's score to another. */
void score_add(struct engine_score *score, const struct engine_score *add);

/* What the CFI names where the truth names something else. */
struct claim {
	uint64_t slot;	/* of the caller's return address; 0: no caller, or not in memory */
	uint64_t pc;	/* 0: the CFI names no caller */
	bool plausible; /* pc lies in mapped code */
};

/* A step to be made again when the frame returns. */
struct reread {
	bool asked; /* false: none is to be made */
	bool exact_pc;
	struct register_values regs;  /* before the step */
	struct register_values right; /* the step is right if it gives all values known here */
};

/* A point about to be put to a doubt. */
struct doubt_key {
	struct shadow_stack *stack;
	size_t frame; /* index of the truth's frame; SIZE_MAX: the end of the stack */
	uint64_t sp;  /* rsp at the point */
	struct claim claim;
	bool intact;		       /* the frame's return address is in its slot now */
	uint64_t code_begin, code_end; /* the accused function's FDE; equal: not known */
	bool registers; /* in question are the frame's callee-saved registers, not its caller */
	bool ends;	/* the CFI says that there is no caller */
	/* With the registers as they were at the call, the callers' CFI names the truth's frames,
	 * and the row at fault does not read the registers from memory. */
	bool confirmed;
	struct reread reread;
};

/* How a doubt ended. */
enum doubt_end {
	DOUBT_TRUTH_STANDS, /* the reading by the truth counts */
	DOUBT_CLAIM_STANDS, /* the reading by the claim counts */
	DOUBT_UNPROVEN,
};

struct doubt {
	uint64_t watch; /* the truth's frame's; 0: the end of the stack */
	uint64_t stack_id;
	uint64_t slot;	 /* the frame's highest; UINT64_MAX: the end of the stack */
	uint64_t lowest; /* lowest rsp of its points */
	uint64_t epoch;	 /* the stack's at the first point */
	struct claim claim;
	uint64_t code_begin, code_end;
	bool intact, registers;
	bool must_return;      /* only the frame's return can prove the truth */
	bool not_entered;      /* at some point the accused function was not entered at the slot */
	bool ends;	       /* set in some point's key */
	bool confirmed;	       /* set in every point's key, and the function was entered */
	bool inserts;	       /* the claim has the truth's frame, too, behind others */
	struct reread reread;  /* of the first point */
	struct account *told;  /* readings by the truth */
	struct account *other; /* readings by the claim; NULL: none */
	struct doubt *next;
};

struct doubts {
	size_t engine_count;
	size_t count;
	uint64_t last_watch;
	struct doubt *bucket[256]; /* by watch */
	/* True if the step comes out right with the process's memory as it is now. May be NULL. */
	bool (*comes_out_right)(void *context, const struct reread *reread);
	/* Told how a doubt ended. doubt and its accounts are valid during the call. */
	void (*on_end)(void *context, const struct doubt *doubt, enum doubt_end end,
		       enum doubt_reason reason);
	void *context;
};

void doubts_init(struct doubts *doubts, size_t engine_count);
/* Finds the open doubt of a point, or makes one. NULL: *ret_reason says why there is none. */
struct doubt *doubts_find(struct doubts *doubts, const struct doubt_key *key,
			  enum doubt_reason *ret_reason);
/* The program's word; struct shadow_observer's functions, context is the doubts. */
void doubts_frame_ended(void *context, const struct shadow_stack *stack,
			const struct shadow_frame *frame, enum frame_end end, uint64_t target);
void doubts_stray_return(void *context, const struct shadow_stack *stack, uint64_t slot,
			 uint64_t target);
void doubts_disturbed(void *context, const struct shadow_stack *stack);
/* The program has ended: ends every doubt. */
void doubts_end(struct doubts *doubts);

/* ---- alternative.c ---------------------------------------------------------------------- */

/*
 * The truth if the CFI is right. The first frames frames agree; then the CFI leaves out or inserts a few,
 * and then has the truth's again, to the end of either. False: it does not, or no memory. ret: zeroed or
 * filled before; the caller's to deinit.
 */
bool alternative_truth(const struct stack *cfi, const struct stack *truth, uint32_t frames,
		       bool rooted, struct stack *ret);

#endif
