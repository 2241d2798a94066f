/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_callees.h - what is known of functions that are called, by their names and by their code
 *
 * Once per image. Whether a function never returns, certainly returns, pops its arguments, or throws is answered here
 * alone.
 */
#ifndef STACKPROOF_FLOW_CALLEES_H
#define STACKPROOF_FLOW_CALLEES_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"

#define FLOW_NORETURN_CODE_MAX 65536u /* instructions of one function */
#define FLOW_CERTAIN_CODE_MAX  1024u  /* of one that is to be seen to return */

struct flow_callees;

/* All borrowed. decoder: NULL: nobody's code is asked. is_object: the image was made of an object file. NULL: no
 * memory. */
struct flow_callees *flow_callees_create(const struct cfi *cfi, struct code_decoder *decoder,
					 bool is_object);
void flow_callees_destroy(struct flow_callees *callees);
/* Go's linker made it. */
bool flow_is_go(const struct image *image);
/* The same, or the code of its own function that is named so says it, too. */
bool flow_never_returns(struct flow_callees *callees, uint64_t pc);
/* The code at pc, called, never returns: it ends, goes round for ever, or leaves by an exception. No CFI is needed: where
 * there is some, landing pads are read from it. False if that is not certain, and without memory. */
bool flow_never_returns_by_code(struct flow_callees *callees, uint64_t pc);
/* What a function takes off the stack beside its return address, by the first path that was seen to come back. */
enum flow_takes {
	FLOW_TAKES_NOTHING,
	FLOW_TAKES_PERHAPS, /* it handles its return address, or moves rsp: flow_callee_pop_by() looks closer */
	FLOW_TAKES_ARGUMENTS, /* `ret 8` */
};
enum flow_takes flow_callee_takes(struct flow_callees *callees, uint64_t pc);
/* The function at pc is this image's, and some path of it comes to a return instruction: no compiler writes one in a
 * function that never returns. */
bool flow_comes_to_return(struct flow_callees *callees, uint64_t pc);
/* The function at pc is seen to return, by what is certain alone. */
bool flow_certainly_returns(struct flow_callees *callees, uint64_t pc);
/* The image was made of an object file, and the function there is a weak one: another's may come in its place. */
bool flow_callee_is_replaced(const struct flow_callees *callees, uint64_t pc);
/* Where a function goes on when it is done. */
enum flow_elsewhere {
	FLOW_ELSEWHERE_UNASKED,
	FLOW_BEHIND, /* right behind its call, as far as is seen */
	FLOW_ELSEWHERE,
};
struct flow_done {
	enum flow_elsewhere elsewhere;
	bool returns; /* some path was seen to */
	/* Bytes that these take off the stack above the return address, or FLOW_CALLEE_POP_UNKNOWN. As an int32_t it
	 * is less than 0 if they leave some beneath where that was. */
	uint32_t callee_pop;
};
#define FLOW_CALLEE_POP_UNKNOWN UINT32_MAX
/* What is known of that, of the function there: to be read and set, and forgotten when others are asked for. */
struct flow_done *flow_callee_done(struct flow_callees *callees, uint64_t pc);
/* Whether an exception comes out of a function. */
enum flow_throws { FLOW_THROWS_UNASKED, FLOW_THROWS_NEVER, FLOW_THROWS_PERHAPS, FLOW_THROWS };
/* The same of that: flow_call.c. */
enum flow_throws *flow_callee_throwing(struct flow_callees *callees, uint64_t pc);
/* It is named like std::__throw_length_error(). */
bool flow_name_throws(const char *name);
/* Nothing but a landing pad calls the function there. */
bool flow_lands(struct flow_callees *callees, uint64_t pc);
/* The function there makes the stack larger, and calls its caller (GCC's -fsplit-stack). */
bool flow_splits_stack(struct flow_callees *callees, uint64_t pc);
/* cfi_fde_find(), for what is asked often. */
const struct cfi_fde *flow_callee_fde(struct flow_callees *callees, uint64_t pc);
/* pc lies in a stub of a PLT. */
bool flow_is_stub(struct flow_callees *callees, uint64_t pc);
/* The same of what all its stubs lead to: from there the dynamic linker is called. */
bool flow_is_binder(struct flow_callees *callees, uint64_t pc);
/* A fragment that a compiler or a linker cut off of a function is named so: f.cold, f.warm, f.cold.1, f.eh, f.__part.1. */
bool flow_is_fragment_name(const char *name);
/* Of what begins there, by that. */
bool flow_is_fragment(const struct flow_callees *callees, uint64_t pc);
/* The same of the function that begins there. */
bool flow_is_fragment_of(const struct flow_callees *callees, uint64_t pc, uint64_t function);

#endif
