/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doubted_point.h - a point where the CFI and the truth differ, and a comparer that judges it
 *
 * The thread is compare_world.h's: A was called by B, and that by A, and its first function is B. What
 * the CFI says and what is there instead is the case's. The test includes compare_doubt.c itself.
 */
#ifndef STACKPROOF_TESTS_DOUBTED_POINT_H
#define STACKPROOF_TESTS_DOUBTED_POINT_H

#include <check.h>
#include "compare_world.h"

#define AT	   (CODE_A + 4)
#define IN_B	   (CODE_B + 0x10)
#define IN_A	   (CODE_A + 0x10)
#define NO_REASON  DOUBT_REASON_COUNT
#define PCS_MAX	   5
#define ENGINES	   2
#define BASE	   (STACK + 0x18) /* rsp of the thread's first instruction */
#define ROOT_FRAME NONE		  /* a doubt's slot, if it is about the root's end */

struct doubted {
	struct world w;
	struct comparer comparer;
	struct comparison result;
	uint64_t truth_pc[PCS_MAX], cfi_pc[PCS_MAX];
	struct stack truth;
	struct evidence evidence;
	struct reading readings[2];
	size_t count; /* of readings */
};

static inline void doubt_is_over(void *context, const struct doubt *doubt, enum doubt_end end,
				 enum doubt_reason reason)
{
}

static inline void setup(struct doubted *d)
{
	struct world *w = &d->w;
	struct error error;

	memset(d, 0, sizeof(*d));
	world_init(w, BIAS, world_fdes);
	w->stop.regs.value[REGISTER_RIP] = w->regs.value[REGISTER_RIP] = AT;
	w->stop.regs.value[REGISTER_RSP] = w->regs.value[REGISTER_RSP] = STACK;
	w->stack[0] = IN_B;
	w->stack[1] = IN_A;
	w->stack[2] = CODE_B + 8;
	w->shadow.count = 3;
	w->shadow.id = 9;
	w->shadow.rooted = true;
	w->shadow.base = BASE;
	for (size_t i = 0; i < 3; i++)
		w->frame[2 - i] = (struct shadow_frame) { .slot = STACK + 8 * i,
							  .return_address = w->stack[i],
							  .called = CODE_A };
	memcpy(d->truth_pc, (uint64_t[]) { AT, IN_B, IN_A, CODE_B + 8 }, 4 * sizeof(uint64_t));
	d->truth = (struct stack) { .pc = d->truth_pc, .count = 4, .stop = STOP_COMPLETE };
	d->comparer.cfi.pc = d->cfi_pc;
	d->comparer.result = &d->result;
	d->comparer.engine_count = d->result.engine_count = ENGINES;
	d->comparer.space = w->space;
	d->comparer.decoder = decoder_create(&error);
	d->comparer.referee = referee_create();
	doubts_init(&d->comparer.doubts, ENGINES);
	d->comparer.doubts.on_end = doubt_is_over;
	d->evidence = (struct evidence) { .point = &w->point,
					  .truth = &d->truth,
					  .cfi = &d->comparer.cfi };
}

static inline void set_cfi(struct doubted *d, const uint64_t *pc, enum stop_reason stop)
{
	struct stack *cfi = &d->comparer.cfi;

	cfi->stop = stop;
	for (cfi->count = 0; cfi->count < PCS_MAX && pc[cfi->count]; cfi->count++)
		cfi->pc[cfi->count] = pc[cfi->count];
}

static inline void teardown(struct doubted *d)
{
	doubts_end(&d->comparer.doubts);
	findings_deinit(&d->result.findings);
	free(d->comparer.alternative.pc);
	referee_destroy(d->comparer.referee);
	decoder_destroy(d->comparer.decoder);
	world_deinit(&d->w);
}

/* The only one there is. */
static inline const struct doubt *the_doubt(const struct doubted *d)
{
	const struct doubts *doubts = &d->comparer.doubts;

	ck_assert_uint_eq(doubts->count, 1);
	for (size_t i = 0; i < sizeof(doubts->bucket) / sizeof(doubts->bucket[0]); i++)
		if (doubts->bucket[i])
			return doubts->bucket[i];
	return NULL;
}

/* The point is unproven, for that reason, and what was in question is filed with it. Or it isn't. */
static inline void check_unproven(const struct doubted *d, const struct judgement *before,
				  enum doubt_reason reason, const char *name)
{
	for (int i = 0; i < DOUBT_REASON_COUNT; i++)
		ck_assert_msg(d->result.unproven[i] == ((enum doubt_reason)i == reason), "%s: %d",
			      name, i);
	ck_assert_msg(d->result.findings.count == (reason != NO_REASON), "%s", name);
	if (reason == NO_REASON) {
		ck_assert_msg(d->readings[0].judgement.verdict == before->verdict, "%s", name);
		return;
	}
	ck_assert_msg(d->result.findings.finding[0].first.pc == before->pc, "%s", name);
	ck_assert_msg(d->result.findings.finding[0].unproven[reason] == 1, "%s", name);
	ck_assert_msg(d->result.findings.finding[0].count == 0, "%s", name);
	ck_assert_msg(d->readings[0].judgement.verdict == VERDICT_UNPROVEN, "%s", name);
	ck_assert_msg(d->readings[0].judgement.pc == 0, "%s", name);
	ck_assert_msg(d->readings[0].account == NULL, "%s", name);
	ck_assert_msg(d->comparer.doubts.count == 0, "%s", name);
}

enum trick {
	NOTHING,
	IN_TRANSIT,
	UNREADABLE_CALLER,
	PLANTED,
	EDITED,
	PATCHED,
	REPLACED,	  /* the word in the inner frame's slot is another */
	REPLACED_OUTER,	  /* that in the next one's */
	UNREADABLE_SLOT,  /* of the inner frame */
	UNREADABLE_OUTER, /* of the next one */
	UNKEPT,		  /* the image's functions don't keep rbx */
	TOO_MANY,	  /* doubts are open */
	NO_FRAMES,	  /* the truth is the first function alone, which A is; rsp is BASE */
	ENTERED_BEHIND,	  /* that, and A was entered behind its end */
	ENTERED_LAST,	  /* that, and A was entered at its last byte */
	BASE_ABOVE,	  /* that, and the claim's slot is below base */
};

/* The truth has no call: A is the thread's first function. What the CFI finds is in [3]. */
static inline void leave_no_frames(struct doubted *d, uint64_t entered)
{
	struct world *w = &d->w;

	d->truth.count = 1;
	w->shadow.count = 0;
	w->stop.regs.value[REGISTER_RSP] = BASE - 8; /* it has pushed */
	w->regs.value[REGISTER_RSP] = BASE;
	w->shadow.entered = entered;
	w->stack[3] = d->comparer.cfi.pc[1];
}

/* As if that had been found in its code. */
static inline void leave_unkept(struct doubted *d)
{
	uint32_t id = d->w.mapping[0].entry->id;
	typeof(&d->comparer.convention[0]) slot = &d->comparer.convention[id % CONVENTION_SLOTS];

	slot->known = true;
	slot->id = id;
	slot->unkept = 1u << REGISTER_RBX;
}

static inline void play(struct doubted *d, enum trick trick)
{
	struct world *w = &d->w;

	switch (trick) {
	case NOTHING: break;
	case IN_TRANSIT: w->shadow.in_transit = true; break;
	case UNREADABLE_CALLER: w->unreadable = IN_B; break;
	case PLANTED: w->frame[2].planted = true; break;
	case EDITED:
		w->frame[2].interrupted = true;
		w->frame[2].interrupted_sum = 1;
		break;
	case PATCHED: w->page[w->file_bytes - 1] ^= 1; break; /* near enough to AT */
	case REPLACED: w->stack[0]++; break;
	case REPLACED_OUTER: w->stack[1]++; break;
	case UNREADABLE_SLOT: w->unreadable = STACK; break;
	case UNREADABLE_OUTER: w->unreadable = STACK + 8; break;
	case UNKEPT: leave_unkept(d); break;
	case TOO_MANY: d->comparer.doubts.count = DOUBTS_MAX; break;
	case NO_FRAMES: leave_no_frames(d, CODE_A); break;
	case ENTERED_BEHIND: leave_no_frames(d, CODE_B); break;
	case ENTERED_LAST: leave_no_frames(d, CODE_B - 1); break;
	case BASE_ABOVE:
		leave_no_frames(d, CODE_A);
		w->shadow.base++;
		break;
	}
}

#endif
