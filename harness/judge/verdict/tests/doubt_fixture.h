/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doubt_fixture.h - a shadow stack of three calls, and doubts about its frames
 *
 * The calls are 0x100 bytes apart. What becomes of a doubt is written down in a log.
 */
#ifndef STACKPROOF_TESTS_DOUBT_FIXTURE_H
#define STACKPROOF_TESTS_DOUBT_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "judge/verdict/doubt.h"

#define FRAMES	    3
#define MIDDLE	    1
#define ROOT	    SIZE_MAX
#define TOP	    0x8000
#define SLOT(frame) (TOP - 0x100 * ((frame) + 1)) /* 0 is the outermost */
#define RETURN(at)  (0x400000 + 0x10 * (at))
#define SP	    (SLOT(2) - 0x40) /* at the point */
#define CLAIM_SLOT  (SLOT(MIDDLE) - 0x20)
#define CLAIM_PC    0x500000
#define BESIDE	    7	     /* another stack, of which nothing is told */
#define CODE	    0x400800 /* the accused function */
#define CODE_BYTES  0x40

/* What became of doubts. */
struct log {
	int ended;
	int others;	      /* of BESIDE's stack, that have ended */
	bool comes_out_right; /* what is answered when a step is made again */
	enum doubt_end end;
	enum doubt_reason reason;
	uint64_t points;
};

static inline void on_end(void *context, const struct doubt *doubt, enum doubt_end end,
			  enum doubt_reason reason)
{
	struct log *log = context;

	if (doubt->stack_id == BESIDE) {
		log->others++;
		return;
	}
	log->ended++;
	log->end = end;
	log->reason = reason;
	log->points += doubt->told->points;
}

static inline bool comes_out_right(void *context, const struct reread *reread)
{
	const struct log *log = context;

	ck_assert(reread->asked);
	return log->comes_out_right;
}

struct fixture {
	struct doubts doubts;
	struct shadow_observer observer;
	struct shadow_stack stack, beside;
	struct log log;
};

static inline void fixture_stack(struct fixture *f, struct shadow_stack *stack, uint64_t id)
{
	static const uint64_t saved[CALLEE_SAVED_COUNT];

	shadow_stack_init(stack, true);
	stack->id = id;
	stack->observer = &f->observer;
	for (int i = 0; i < FRAMES; i++)
		ck_assert(shadow_stack_call(stack, SLOT(i), RETURN(i), saved));
	stack->entered = stack->frame[MIDDLE].entered = stack->at = CODE;
}

static inline void fixture_init(struct fixture *f)
{

	memset(f, 0, sizeof(*f));
	doubts_init(&f->doubts, 2);
	f->doubts.on_end = on_end;
	f->doubts.comes_out_right = comes_out_right;
	f->doubts.context = &f->log;
	f->observer = (struct shadow_observer) { .context = &f->doubts,
						 .frame_ended = doubts_frame_ended,
						 .stray_return = doubts_stray_return,
						 .disturbed = doubts_disturbed };
	fixture_stack(f, &f->stack, 1);
	fixture_stack(f, &f->beside, BESIDE);
}

static inline void fixture_deinit(struct fixture *f)
{
	doubts_end(&f->doubts);
	shadow_stack_deinit(&f->stack);
	shadow_stack_deinit(&f->beside);
}

static inline struct doubt *find_on(struct fixture *f, struct shadow_stack *stack, size_t frame,
				    struct claim claim, bool registers, bool ends, bool asked)
{
	const struct doubt_key key = { .stack = stack,
				       .frame = frame,
				       .sp = SP,
				       .claim = claim,
				       .intact = true,
				       .code_begin = CODE,
				       .code_end = CODE + CODE_BYTES,
				       .registers = registers,
				       .ends = ends,
				       .reread = { .asked = asked } };
	enum doubt_reason reason;

	return doubts_find(&f->doubts, &key, &reason);
}

static inline struct doubt *find_asking(struct fixture *f, size_t frame, struct claim claim,
					bool registers, bool ends, bool asked)
{
	return find_on(f, &f->stack, frame, claim, registers, ends, asked);
}

static inline struct doubt *find(struct fixture *f, size_t frame, struct claim claim,
				 bool registers)
{
	return find_asking(f, frame, claim, registers, false, false);
}

#define CLAIMED	    IN_BRACES(CLAIM_SLOT, CLAIM_PC, true)
#define IMPLAUSIBLE IN_BRACES(CLAIM_SLOT, CLAIM_PC, false)

#endif
