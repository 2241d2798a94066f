/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * witness_fixture.h - a program of a few functions, what it reports, and faults in its truth
 *
 * The program is a handful of functions of 0x100 bytes each; the C library, which has no symbols, is
 * at 0x9000. The stack grows down from 0x1000, alternate ones lie from 0x5000 on.
 */
#ifndef STACKPROOF_TESTS_WITNESS_FIXTURE_H
#define STACKPROOF_TESTS_WITNESS_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "judge/witness/witness.h"

#define MAIN	 0x1000
#define OUTER	 0x2000
#define INNER	 0x3000
#define HANDLER	 0x4000
#define CLONE	 0x6000
#define LIBRARY	 0x9000
#define RESTORER 0x9900
#define HOOK	 0x10000

static const struct witness_function program[] = {
	{ .start = MAIN, .end = MAIN + 0x100, .name = "main", .whole = MAIN },
	{ .start = OUTER, .end = OUTER + 0x100, .name = "outer", .whole = OUTER },
	{ .start = INNER, .end = INNER + 0x100, .name = "inner", .whole = INNER },
	{ .start = HANDLER, .end = HANDLER + 0x100, .name = "handler", .whole = HANDLER },
	{ .start = 0x5000, .end = 0x5100, .name = "outer.cold", .whole = OUTER },
	{ .start = CLONE, .end = CLONE + 0x100, .name = "inner.constprop.0", .whole = CLONE },
};

#define FUNCTION_COUNT (sizeof(program) / sizeof(*program))

struct fixture {
	struct witness_function function[FUNCTION_COUNT];
	struct witness_functions functions;
	struct witness_log log;
};

static inline void set_up(struct fixture *fixture)
{
	memset(fixture, 0, sizeof(*fixture));
	memcpy(fixture->function, program, sizeof(program));
	fixture->functions = (struct witness_functions) {
		.function = fixture->function,
		.count = FUNCTION_COUNT,
		.hooks = { HOOK, HOOK + 0x10, HOOK + 0x20, HOOK + 0x30, HOOK + 0x40, HOOK + 0x50 },
	};
}

/* ---- reports ---------------------------------------------------------------------------- */

/* A function's first instruction; who called it has its frame's base at base. */
#define ENTRY(at, is, site, from)                                                                  \
	IN_BRACES(.kind = WITNESS_ENTRY, .sp = (at)-8, .hook_return = (is) + 5, .slot = at,        \
		  .call_site = site, .base = from)
/* pc: in whose code the hook is called; own: its base, which is at its slot - 8. */
#define ENTER(at, is, own, said, site)                                                             \
	IN_BRACES(.kind = WITNESS_ENTER, .sp = at, .hook_return = (is) + 0x10, .base = own,        \
		  .function = said, .call_site = site)
#define EXIT(at, is, own, said, site)                                                              \
	IN_BRACES(.kind = WITNESS_EXIT, .sp = at, .hook_return = (is) + 0xf0, .base = own,         \
		  .function = said, .call_site = site)
#define JUMP_TO_EXIT(at, said, site, from)                                                         \
	IN_BRACES(.kind = WITNESS_EXIT, .sp = at, .hook_return = site, .base = from,               \
		  .function = said, .call_site = site)
#define RESUME(at, is, own)                                                                        \
	IN_BRACES(.kind = WITNESS_RESUME, .sp = at, .hook_return = (is) + 0x80, .base = own)
#define CHANGE(at, is, own, left, reached, linked)                                                 \
	IN_BRACES(.kind = WITNESS_CHANGE, .sp = at, .hook_return = (is) + 0x80, .base = own,       \
		  .from = left, .to = reached, .link = linked)
#define HANDLER_ENTRY(at, pc, from, lowest, end)                                                   \
	IN_BRACES(.kind = WITNESS_ENTRY, .sp = (at)-8, .hook_return = HANDLER + 5, .slot = at,     \
		  .call_site = RESTORER, .signal = { true, pc, from, lowest, end })
/* An entry, and its enter. */
#define CALLED(at, is, site, from) ENTRY(at, is, site, from), ENTER((at)-0x40, is, (at)-8, is, site)

#define MAIN_CALLED  CALLED(0xf00, MAIN, LIBRARY + 0x10, 0)
#define OUTER_CALLED CALLED(0xe00, OUTER, MAIN + 0x20, 0xef8)
#define INNER_CALLED CALLED(0xd00, INNER, OUTER + 0x20, 0xdf8)

/* The log after a case's reports; what the last of them was found to be. */
static inline enum witness_difference_kind report(struct fixture *fixture,
						  const struct witness_event *event, size_t room)
{
	struct witness_difference difference = { .kind = WITNESS_AGREES };

	for (size_t i = 0; i < room && event[i].sp; i++) {
		ck_assert_int_eq(difference.kind, WITNESS_AGREES);
		ck_assert(witness_log_event(&fixture->log, &fixture->functions, &event[i],
					    &difference));
		ck_assert(witness_log_settle(&fixture->log, &event[i]));
	}
	return difference.kind;
}

/* ---- planted faults --------------------------------------------------------------------- */

/* main calls outer, which calls the library, which calls inner; a handler interrupts that and calls
 * outer. The last is at its first report. */
static const struct witness_event story[] = {
	MAIN_CALLED,
	OUTER_CALLED,
	CALLED(0xc00, INNER, LIBRARY + 0x50, 0),
	HANDLER_ENTRY(0xa00, INNER + 0x40, 0xb80, 0, 0),
	ENTER(0x980, HANDLER, 0x9f8, HANDLER, RESTORER),
	ENTRY(0x900, OUTER, HANDLER + 0x20, 0x9f8),
};

#define STORY_EVENTS (sizeof(story) / sizeof(*story))

enum {
	FRAME_MAIN,
	FRAME_OUTER,
	FRAME_LIBRARY,
	FRAME_INNER,
	FRAME_INTERRUPTED,
	FRAME_HANDLER,
	FRAME_AGAIN,
	FRAME_HOOK,
	FRAMES
};

static const struct shadow_frame right[FRAMES] = {
	[FRAME_MAIN] = { .slot = 0xf00, .return_address = LIBRARY + 0x10 },
	[FRAME_OUTER] = { .slot = 0xe00, .return_address = MAIN + 0x20 },
	[FRAME_LIBRARY] = { .slot = 0xd00, .return_address = OUTER + 0x30 },
	[FRAME_INNER] = { .slot = 0xc00, .return_address = LIBRARY + 0x50 },
	[FRAME_INTERRUPTED] = { .slot = 0xaa8,
				.return_address = INNER + 0x40,
				.interrupted = true },
	[FRAME_HANDLER] = { .slot = 0xa00, .return_address = RESTORER },
	[FRAME_AGAIN] = { .slot = 0x900, .return_address = HANDLER + 0x20 },
	[FRAME_HOOK] = { .slot = 0x8f8, .return_address = OUTER + 5 },
};

enum plant {
	NOTHING,
	LEFT_OUT,
	TWICE,
	STALE,
	SWAPPED,
	RETURN_ADDRESS,
	SLOT,
	CUT_OUTER,
	CUT_INNER,
	CALLED_INSTEAD,
	INTERRUPTED_AGAIN
};

/* Where a call inside a function that is open went, before it returned. */
static inline struct shadow_frame stale_below(const struct shadow_frame *frame, uint64_t owner)
{
	return (struct shadow_frame) { .slot = frame->slot + 0x10, .return_address = owner + 0x60 };
}

static inline size_t plant(enum plant plant, size_t at, struct shadow_frame *frame)
{
	struct shadow_frame swapped;
	size_t behind = FRAMES - at;

	switch (plant) {
	case NOTHING: return FRAMES;
	case LEFT_OUT:
		memmove(frame + at, frame + at + 1, (behind - 1) * sizeof(*frame));
		return FRAMES - 1;
	case TWICE:
	case STALE:
		memmove(frame + at + 1, frame + at, behind * sizeof(*frame));
		if (plant == STALE)
			frame[at] = stale_below(&frame[at + 1],
						frame[at + 1].return_address & ~0xffULL);
		return FRAMES + 1;
	case SWAPPED:
		swapped = frame[at];
		frame[at] = frame[at + 1];
		frame[at + 1] = swapped;
		return FRAMES;
	case RETURN_ADDRESS: frame[at].return_address += 4; return FRAMES;
	case SLOT: frame[at].slot += 8; return FRAMES;
	case CUT_OUTER: memmove(frame, frame + at, behind * sizeof(*frame)); return behind;
	case CUT_INNER: return at;
	case CALLED_INSTEAD: frame[at].interrupted = false; return FRAMES;
	case INTERRUPTED_AGAIN:
		memmove(frame + at + 1, frame + at, behind * sizeof(*frame));
		frame[at] = right[FRAME_INTERRUPTED];
		return FRAMES + 1;
	}
	return 0;
}

/* The story's truth, with what is planted in it, against what was reported: what differs. */
static inline struct witness_difference compare_planted(enum plant planted, size_t at,
							size_t *ret_confirmed)
{
	struct fixture fixture;
	struct shadow_frame frame[FRAMES + 1];
	struct shadow_stack truth = { .frame = frame, .rooted = true };
	struct witness_difference difference;

	set_up(&fixture);
	ck_assert_int_eq(report(&fixture, story, STORY_EVENTS), WITNESS_AGREES);
	memcpy(frame, right, sizeof(right));
	truth.count = plant(planted, at, frame);
	witness_compare(&fixture.log, &fixture.functions, &story[STORY_EVENTS - 1], &truth,
			ret_confirmed, &difference);
	witness_log_deinit(&fixture.log);
	return difference;
}

#endif
