/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * provisional.h - points at which CFI and truth agree, until no return can refute both
 *
 * CFI and truth share nothing, but they can make the same mistake. The truth has no frame for a return
 * address that was pushed by hand, and a row may leave out just this frame. If a ret later goes through
 * that slot, which no call wrote (shadow_observer.stray_return), the frame was missing at each point since
 * rsp came below the slot. These points are taken back.
 *
 * So a stack's points are kept until rsp has risen above them, in a list of entries with descending rsp.
 * When rsp rises, the entries below it are merged. A stray return through slot takes back all entries
 * with rsp <= slot.
 *
 * A frame may be taken off by a pop, and neither be put back nor end with a jump to its return address:
 * then the call only pushed data. The frame's points are held until that is known. So are the points at
 * which a register has the return address: separately those whose truth has the frame, and those whose
 * truth lacks it.
 *
 * A frame whose return address was put into another slot has moved. Its points are held until it returns
 * through that slot, and so are the points that follow while rsp is below the slot. If the frame ends in
 * another way, they are taken back.
 *
 * After a disturbance (truth.h), returns may be those of another stack in the same place. So the points
 * before it are final, and those held by a frame that has moved are taken back.
 *
 * Where the truth is only a prefix, the CFI goes on alone. The first caller that it names beyond the
 * prefix is its claim; a stray return to the claim proves it, and takes nothing back.
 */
#ifndef STACKPROOF_PROVISIONAL_H
#define STACKPROOF_PROVISIONAL_H

#include "doubt.h"

/* Of a stack. When full, neighbours merge into the one with the lower rsp. */
#define PROVISIONAL_ENTRIES_MAX 512
/* When full, the points of the stack that was used least recently become final. */
#define PROVISIONAL_STACKS_MAX 1024

enum provisional_outcome { PROVISIONAL_FINAL, PROVISIONAL_STRAY_RETURN, PROVISIONAL_TAKEN_OFF };

/* Whether the truth of a point has the frame that was taken off. */
enum provisional_carried {
	CARRIED_NONE,	 /* no such frame, or no register is known to have its return address */
	CARRIED_WITH,	 /* the truth has the frame */
	CARRIED_WITHOUT, /* neither the truth nor the CFI has the frame */
};

/* Where a point lies. */
struct provisional_place {
	uint64_t stack_id;
	size_t region; /* struct shadow_stack's region_count: another stack within it */
	uint64_t sp;
	uint64_t
		claim; /* the CFI's first frame beyond a prefix; 0: none, or the truth is not a prefix */
	enum provisional_carried carried;
};

/* Points of a frame that was taken off, or has moved: with the frame, and without; or NULL. */
struct provisional_held {
	uint64_t slot; /* where the return address was, or where it has moved to */
	bool moved;    /* the frame has been in another slot */
	struct account *with, *without;
};

struct provisional_entry {
	uint64_t sp;
	uint64_t claim;
	bool mixed; /* its points have different claims */
	struct account *account;
};

struct provisional_stack {
	uint64_t stack_id;
	size_t region;
	uint64_t used;			 /* time of the last use */
	struct provisional_entry *entry; /* [0] has the highest rsp */
	size_t count;
	struct provisional_held off; /* the frame that was taken off; slot 0: none */
	/* Open frames that have moved: [0] has the highest slot. */
	struct provisional_held *moved;
	size_t moved_count;
};

struct provisional {
	size_t engine_count;
	struct provisional_stack *stack;
	size_t count;
	size_t last;   /* index of the stack used last */
	uint64_t time; /* counts uses */
	struct account *spare;
	/* Told how an account's points ended: final, or taken back for one of two reasons. account
	 * is valid during the call. */
	void (*on_end)(void *context, const struct account *account, enum provisional_outcome end);
	void *context;
};

void provisional_init(struct provisional *provisional, size_t engine_count);
/* The account for a point at which CFI and truth agree. NULL: no memory, so the point is final. */
struct account *provisional_find(struct provisional *provisional,
				 const struct provisional_place *place);
/* In the functions below, only stack_id and region of place are used. */
/* A ret took target out of slot, which no call had written. */
void provisional_stray_return(struct provisional *provisional,
			      const struct provisional_place *place, uint64_t slot,
			      uint64_t target);
/* The frame with its return address in slot was taken off. Later, settled: whether it was a frame. */
void provisional_taken_off(struct provisional *provisional, const struct provisional_place *place,
			   uint64_t slot);
void provisional_settled(struct provisional *provisional, const struct provisional_place *place,
			 bool was_frame);
/* The frame that was taken off is open again at slot. Later, ended: it returned through slot, or (false)
 * is gone in another way. */
void provisional_moved(struct provisional *provisional, const struct provisional_place *place,
		       uint64_t slot);
void provisional_moved_ended(struct provisional *provisional, const struct provisional_place *place,
			     uint64_t slot, bool returned);
/* The stack was disturbed: later returns say nothing about its points before. */
void provisional_disturbed(struct provisional *provisional, uint64_t stack_id);
/* The program has ended: decides all points, and frees all. provisional is then as after init. */
void provisional_end(struct provisional *provisional);

#endif
