/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_names.h - what is known of a called function by its name alone
 */
#ifndef STACKPROOF_FLOW_NAMES_H
#define STACKPROOF_FLOW_NAMES_H

#include "cfi/cfi.h"

struct flow_names;
struct flow_noreturn;

/* cfi: borrowed. NULL: no memory. */
struct flow_names *flow_names_create(const struct cfi *cfi);
void flow_names_destroy(struct flow_names *names);
/* Go's linker made it. */
bool flow_is_go(const struct image *image);
/* Of functions that are named so and are this image's own, their code is asked from now on. noreturn: borrowed. */
void flow_names_ask(struct flow_names *names, struct flow_noreturn *noreturn);
/* By the name alone the function there, or behind the stub there, never returns. *ret_own: its code is here, and no
 * other's comes in its place. */
bool flow_never_by_name(const struct flow_names *names, uint64_t pc, bool *ret_own);
/* The function there, or behind the stub there, is known not to return. */
bool flow_never_returns(struct flow_names *names, uint64_t pc);
/* Where a function goes on when it is done. */
enum flow_elsewhere {
	FLOW_ELSEWHERE_UNASKED,
	FLOW_BEHIND, /* right behind its call, as far as is seen */
	FLOW_ELSEWHERE,
};
struct flow_done {
	enum flow_elsewhere elsewhere;
	bool returns; /* some way was seen to */
	/* Bytes that these take off the stack above the return address, or FLOW_POPPED_UNKNOWN. As an int32_t it
	 * is less than 0 if they leave some beneath where that was. */
	uint32_t popped;
};
#define FLOW_POPPED_UNKNOWN UINT32_MAX
/* What is known of that, of the function there: to be read and set, and forgotten when others are asked for. */
struct flow_done *flow_names_done(struct flow_names *names, uint64_t pc);
/* Whether an exception comes out of a function. */
enum flow_throws { FLOW_THROWS_UNASKED, FLOW_THROWS_NEVER, FLOW_THROWS_PERHAPS, FLOW_THROWS };
/* The same of that: flow_throw.c. */
enum flow_throws *flow_names_throwing(struct flow_names *names, uint64_t pc);
/* It is named like std::__throw_length_error(). */
bool flow_names_throws(const char *name);
/* Nothing but a landing pad calls the function there. */
bool flow_lands(struct flow_names *names, uint64_t pc);
/* The function there makes the stack larger, and calls its caller (GCC's -fsplit-stack). */
bool flow_splits_stack(struct flow_names *names, uint64_t pc);
/* cfi_fde_find(), for what is asked often. */
const struct cfi_fde *flow_names_fde(struct flow_names *names, uint64_t pc);
/* pc lies in a stub of a PLT. */
bool flow_is_stub(struct flow_names *names, uint64_t pc);
/* The same of what all its stubs lead to: from there the dynamic linker is called. */
bool flow_is_binder(struct flow_names *names, uint64_t pc);
/* A part that a compiler or a linker cut off of a function is named so: f.cold, f.warm, f.cold.1, f.eh, f.__part.1. */
bool flow_is_fragment_name(const char *name);
/* Of what begins there, by that. */
bool flow_is_fragment(const struct flow_names *names, uint64_t pc);
/* The same of the function that begins there. */
bool flow_is_fragment_of(const struct flow_names *names, uint64_t pc, uint64_t function);

#endif
