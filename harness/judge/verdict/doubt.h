/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doubt.h - accusations wait until the truth they rest on has proven itself
 *
 * Where the CFI names another caller than the truth, one of the two is wrong, and the truth may be:
 * it saw calls, and not what was pushed by hand, put back, moved, replaced or copied. So nothing is
 * said yet. The point is put to a doubt, together with the two things that can decide it:
 *
 *	the truth's frame	the one that the CFI does not name: (slot, return address)
 *	the claim		what the CFI names instead: (slot, PC) of a caller
 *
 * and the program decides (struct shadow_observer brings its word):
 *
 *	the frame returned			the truth was right: the accusation stands. If the claim could
 *						be a frame, only by a ret of the accused function: another's
 *						says nothing of where that one would have gone (GHC's code
 *						jumps to the claim, and its runtime returns in the end)
 *	 ... but the claim only puts
 *	frames in before it			unproven: those may be popped and jumped to
 *	a ret went through the claim's slot
 *	to the claim's PC			the CFI was right: the point is what it would have been
 *						had the truth known that frame
 *	the frame's ret went elsewhere,
 *	or it was taken off			neither: unproven
 *	it was moved to another slot		only the accused function's ret through there lets the
 *						accusation stand
 *	another ret went through a slot
 *	between rsp and the frame's		frames are missing in the truth: unproven
 *	the stack was disturbed, or given up	unproven
 *	the frame is open to the end, or was
 *	abandoned with others			stands, if the frame was there and never disturbed, the
 *						claim can't have been a frame, and the accused function
 *						was entered with rsp at the frame's slot; else unproven.
 *						Who is jumped to with another word on top has that word
 *						for its return address, whatever it is (a mark for the
 *						end of the stack). Unproven, too, if the CFI only says
 *						that there is no caller, or one at 0: for who never
 *						returns there is none. And if it was called into its
 *						middle: that may have been to push an address
 *
 * Both readings of a point are scored when it is met, each in an account of its own; one of them is
 * added to the result when the doubt ends.
 *
 * A callee-saved register that the CFI brings back wrong rests on what the register was at the
 * call. That is proven when the frame returns, and brings it back; or, of a frame that is open when the
 * program ends, by its callers: with the register as it was at the call their CFI names the truth's frames, each at its
 * slot, and the row that has lost it says that it is unchanged. A row may also read words of
 * memory, for such a register, for the CFA or for the return address, and a callee may have written
 * others there for a while: it is not the row's author. So the step is made again when the frame
 * returns, with the registers that it was made with. If it comes out right now: unproven.
 *
 * What needs no truth waits for nothing: that no FDE covers a PC, that a row can't be read, that
 * engines which read the same memory differ. Where the CFI and the truth agree, two witnesses that
 * share nothing have found the same return addresses: the point is proven, until a return refutes
 * both
 * (provisional.h).
 */
#ifndef STACKPROOF_DOUBT_H
#define STACKPROOF_DOUBT_H

#include "marks.h"
#include "verdict.h"

const char *doubt_reason_name(enum doubt_reason reason);

#define DOUBTS_MAX 4096

/* A run with a larger share of unproven points says so first; one of the corpus fails. */
#define UNPROVEN_SHARE_MAX 0.05

/* Points at one place: a finding's part of an account. */
struct finding_count {
	size_t finding; /* its index in struct findings */
	uint64_t count, followed, followed_exact;
};

/* What a number of points came to. */
struct account {
	uint64_t points;
	uint64_t verdict[VERDICT_COUNT];
	uint64_t missing, uncovered;
	struct score *score; /* one for each engine */
	struct finding_count *finding;
	size_t finding_count;
	struct marks marks; /* of the points, if they are given some */
};
/* NULL: no memory. */
struct account *account_create(size_t engine_count);
void account_destroy(struct account *account);
/* Adds what another came to, but for its findings. Its marks are taken from it. */
void account_add(struct account *account, struct account *add, size_t engine_count);
/* False: no memory. */
bool account_add_finding(struct account *account, const struct finding_count *count);
/* Adds one engine's score to another. */
void score_add(struct score *score, const struct score *add);

/* What the CFI names where the truth names something else. */
struct claim {
	uint64_t slot;	/* of its return address; 0: it names none, or has none in memory */
	uint64_t pc;	/* 0: it ends there */
	bool plausible; /* it is in its slot, and behind a call */
};

/* A step to be made again when the frame returns. */
struct reread {
	bool asked;
	bool exact_pc;
	struct register_values regs;  /* before it */
	struct register_values right; /* what is known here it must come to */
};

/* A point about to be put to a doubt. */
struct doubt_key {
	struct shadow_stack *stack;
	size_t frame; /* index of the truth's frame; SIZE_MAX: it is the root's end */
	uint64_t sp;  /* at the point */
	struct claim claim;
	bool intact;		       /* the frame's return address is in its slot now */
	uint64_t code_begin, code_end; /* the accused function's FDE; equal: not known */
	bool registers; /* it is about the frame's callee-saved registers, not about its caller */
	bool ends;	/* the CFI says that there is no caller */
	/* Of registers: with what they were at the call the callers' CFI names the truth's frames, and it
	 * is not by a word of memory that the row has others. */
	bool confirmed;
	struct reread reread;
};

/* How a doubt ended. */
enum doubt_end {
	DOUBT_TRUTH_STANDS, /* what was said by the truth counts */
	DOUBT_CLAIM_STANDS, /* what was said by the claim counts */
	DOUBT_UNPROVEN,
};

struct doubt {
	uint64_t watch; /* the frame's; 0: the root */
	uint64_t stack_id;
	uint64_t slot;	 /* the frame's; UINT64_MAX: the root */
	uint64_t lowest; /* rsp at its points */
	uint64_t epoch;	 /* the stack's at its first point */
	struct claim claim;
	uint64_t code_begin, code_end;
	bool intact, registers;
	bool must_return;      /* nothing but the frame's return proves it */
	bool not_entered;      /* with rsp at the slot: the accused function, at a point */
	bool ends;	       /* a point's key has it */
	bool confirmed;	       /* every point's key has it, and the function was entered */
	bool inserts;	       /* the claim has the truth's frame, too, behind others */
	struct reread reread;  /* of the first point */
	struct account *told;  /* by the truth */
	struct account *other; /* by the claim; NULL: it has no reading of its own */
	struct doubt *next;
};

struct doubts {
	size_t engine_count;
	size_t count;
	uint64_t last_watch;
	struct doubt *bucket[256]; /* by watch */
	/* Whether a step comes out right by the process's memory as it is now; NULL: not known. */
	bool (*comes_out_right)(void *context, const struct reread *reread);
	/* Takes what a doubt came to. The accounts are the doubts' own. */
	void (*on_end)(void *context, const struct doubt *doubt, enum doubt_end end,
		       enum doubt_reason reason);
	void *context;
};

void doubts_init(struct doubts *doubts, size_t engine_count);
/* The doubt of a point, a new one or one that is open. NULL: *ret_reason says why there is none. */
struct doubt *doubts_find(struct doubts *doubts, const struct doubt_key *key,
			  enum doubt_reason *ret_reason);
/* The program's word; struct shadow_observer's functions, context is the doubts. */
void doubts_frame_ended(void *context, const struct shadow_stack *stack,
			const struct shadow_frame *frame, enum frame_end end, uint64_t target);
void doubts_stray_return(void *context, const struct shadow_stack *stack, uint64_t slot,
			 uint64_t target);
void doubts_disturbed(void *context, const struct shadow_stack *stack);
/* The program has ended: so does every doubt. */
void doubts_end(struct doubts *doubts);

/* ---- alternative.c ---------------------------------------------------------------------- */

/*
 * The truth as the CFI has it: where the two part, after frames that agree, the CFI leaves out or
 * names a few frames, and then goes on with the truth's to the end of either. False: it does not,
 * or there is no memory. ret: zeroed, or filled before.
 */
bool alternative_truth(const struct stack *cfi, const struct stack *truth, uint32_t frames,
		       bool rooted, struct stack *ret);

#endif
