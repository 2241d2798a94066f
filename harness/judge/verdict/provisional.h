/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * provisional.h - points at which CFI and truth agree, until no return can refute both
 *
 * Two witnesses that share nothing can make the same mistake. A return address that was pushed by
 * hand is no frame of the truth; a row that leaves just that frame out agrees with it. Then a ret
 * goes through the slot, which no call wrote (shadow_observer.stray_return), and says that a frame
 * was missing at each point since rsp came below that slot: those points are taken back.
 *
 * So a stack's points are kept as long as rsp has not been above them. They are entries of a list
 * with descending rsp: where rsp rises, what lies below it is added together. A stray return
 * through slot takes all entries with rsp <= slot.
 *
 * The same holds of a frame that was taken off by a pop, and neither put back nor ended by a jump
 * to its return address: what the call pushed was data. Its points are pending until that is known.
 * So are points meanwhile, as long as a register has the return address: those whose truth has the
 * frame, and, for the opposite reason, those whose truth has not.
 *
 * If it was put into another slot, the frame has moved, and no more is known than that somebody
 * pushed the word: its points are held until it returns through there. So is what comes after, as
 * long as rsp is below the slot: if the frame ends otherwise, it is taken back.
 *
 * Where a stack is disturbed (truth.h), what returns afterwards may be another stack's in the same
 * place: the points before are final, and those that are held are taken back.
 *
 * Where the truth is only a prefix, the CFI goes on alone. The caller that it names first beyond
 * the prefix is its claim; a stray return to just there proves it, and takes nothing back.
 */
#ifndef STACKPROOF_PROVISIONAL_H
#define STACKPROOF_PROVISIONAL_H

#include "doubt.h"

#define PROVISIONAL_ENTRIES_MAX 512 /* of a stack: then neighbours become one, with the lower rsp */
#define PROVISIONAL_STACKS_MAX	1024 /* then what the one that was longest not in use has is final */

enum provisional_outcome { PROVISIONAL_FINAL, PROVISIONAL_STRAY_RETURN, PROVISIONAL_TAKEN_OFF };

/* Whether the truth of a point has the frame that was taken off. */
enum provisional_carried {
	CARRIED_NONE,	 /* there is none, or nobody knows where its return address is */
	CARRIED_WITH,	 /* it has */
	CARRIED_WITHOUT, /* it has not, and the CFI agrees */
};

/* Where a point lies. */
struct provisional_place {
	uint64_t stack_id;
	size_t region; /* struct shadow_stack's region_count: another stack within it */
	uint64_t sp;
	uint64_t
		claim; /* the CFI's first frame beyond a prefix; 0: the truth is whole, or it has none */
	enum provisional_carried carried;
};

/* Points of a frame that was taken off, or has moved. NULL: there are none. */
struct provisional_held {
	uint64_t slot; /* where its return address was, or is now */
	bool moved;    /* it has been in another slot */
	struct account *with, *without;
};

struct provisional_entry {
	uint64_t sp;
	uint64_t claim;
	bool mixed; /* not all its points have that claim */
	struct account *account;
};

struct provisional_stack {
	uint64_t stack_id;
	size_t region;
	uint64_t used;			 /* the time, for who is to go */
	struct provisional_entry *entry; /* [0] has the highest rsp */
	size_t count;
	struct provisional_held off; /* a frame that was taken off; slot 0: there is none */
	/* Those that have moved, and are open: [0] has the highest slot. */
	struct provisional_held *moved;
	size_t moved_count;
};

struct provisional {
	size_t engine_count;
	struct provisional_stack *stack;
	size_t count;
	size_t last; /* in use */
	uint64_t time;
	struct account *spare;
	/* Takes the points of an account: they are final (PROVISIONAL_FINAL), or taken back for
	 * one of two reasons. The account is not its own. */
	void (*on_end)(void *context, const struct account *account, enum provisional_outcome end);
	void *context;
};

void provisional_init(struct provisional *provisional, size_t engine_count);
/* The account that a point at which CFI and truth agree goes to. NULL: no memory, so it is
 * final. */
struct account *provisional_find(struct provisional *provisional,
				 const struct provisional_place *place);
/* A ret took target out of slot, which no call had written. place: of the stack; sp and claim
 * unused. */
void provisional_stray_return(struct provisional *provisional,
			      const struct provisional_place *place, uint64_t slot,
			      uint64_t target);
/* The frame with its return address in slot was taken off; then: it was a frame, or none. */
void provisional_taken_off(struct provisional *provisional, const struct provisional_place *place,
			   uint64_t slot);
void provisional_settled(struct provisional *provisional, const struct provisional_place *place,
			 bool was_frame);
/* The frame that was taken off is open again at slot; then: it has returned through there, or is gone
 * otherwise. */
void provisional_moved(struct provisional *provisional, const struct provisional_place *place,
		       uint64_t slot);
void provisional_moved_ended(struct provisional *provisional, const struct provisional_place *place,
			     uint64_t slot, bool returned);
/* Which frames of a stack are open is not certain any more, or the thread is on another one in
 * the same place: what returns from now on says nothing of the points before. They are final, but
 * those that are held. */
void provisional_disturbed(struct provisional *provisional, uint64_t stack_id);
/* The program has ended: what is left is final. It is as after init then. */
void provisional_end(struct provisional *provisional);

#endif
