/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_callees.h - what is known of functions that are called, by their names and by their code
 *
 * They are asked once per image. Only here it is said whether a function never returns, certainly returns, pops its
 * arguments, or throws.
 */
#ifndef STACKPROOF_FLOW_CALLEES_H
#define STACKPROOF_FLOW_CALLEES_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"

#define FLOW_NORETURN_CODE_MAX 65536u /* instructions of a function: whether it never returns */
#define FLOW_CERTAIN_CODE_MAX  1024u  /* whether it certainly returns */

struct flow_callees;

/* Borrows cfi and decoder. Without decoder (NULL) no code is followed. is_object: the image is the layout of an object
 * file. Returns NULL without memory. */
struct flow_callees *flow_callees_create(const struct cfi *cfi, struct code_decoder *decoder,
					 bool is_object);
void flow_callees_destroy(struct flow_callees *callees);
/* By its name the function at pc never returns. If its code is this image's own, that must say so, too. */
bool flow_never_returns(struct flow_callees *callees, uint64_t pc);
/* By its code the function at pc never returns: it ends the process, loops for ever, or throws. Without CFI, landing
 * pads are not known. False if that is not certain, and without memory. */
bool flow_never_returns_by_code(struct flow_callees *callees, uint64_t pc);
/* What a function takes off the stack above its return address, by the first path that was seen to return. */
enum flow_takes {
	FLOW_TAKES_NOTHING,
	FLOW_TAKES_PERHAPS, /* it handles its return address, or moves rsp: flow_callee_pop_by() says more */
	FLOW_TAKES_ARGUMENTS, /* as by `ret 8` */
};
enum flow_takes flow_callee_takes(struct flow_callees *callees, uint64_t pc);
/* The function at pc is this image's, and a path of it comes to a return instruction: compilers write none in a
 * function that never returns. */
bool flow_comes_to_return(struct flow_callees *callees, uint64_t pc);
/* The function at pc returns, by certain paths alone: no computed jump, no name. */
bool flow_certainly_returns(struct flow_callees *callees, uint64_t pc);
/* The function at pc is a weak one of an object file: the linker may take another file's. */
bool flow_callee_is_replaced(const struct flow_callees *callees, uint64_t pc);
/* Where control goes when a function is done. */
enum flow_elsewhere {
	FLOW_ELSEWHERE_UNASKED,
	FLOW_BEHIND, /* right behind the call, as far as is seen */
	FLOW_ELSEWHERE,
};
struct flow_done {
	enum flow_elsewhere elsewhere;
	bool returns; /* some path was seen to */
	/* Bytes that these paths take off the stack above the return address, or FLOW_CALLEE_POP_UNKNOWN. As an int32_t
	 * it is negative if rsp is lower behind the call. */
	uint32_t callee_pop;
};
#define FLOW_CALLEE_POP_UNKNOWN UINT32_MAX
/* What is known so far of the function at pc, for the caller to read and set. Valid until another pc is asked for. */
struct flow_done *flow_callee_done(struct flow_callees *callees, uint64_t pc);
/* Whether an exception leaves a function. */
enum flow_throws { FLOW_THROWS_UNASKED, FLOW_THROWS_NEVER, FLOW_THROWS_PERHAPS, FLOW_THROWS };
/* The same of that (flow_call.c). */
enum flow_throws *flow_callee_throwing(struct flow_callees *callees, uint64_t pc);
/* A function of that name only throws: std::__throw_length_error() and the like. */
bool flow_name_throws(const char *name);
/* By its name only landing pads call the function at pc. */
bool flow_lands(struct flow_callees *callees, uint64_t pc);
/* The function at pc makes the stack larger, and calls its caller (GCC's -fsplit-stack). */
bool flow_splits_stack(struct flow_callees *callees, uint64_t pc);
/* cfi_fde_find(), with a cache. */
const struct cfi_fde *flow_callee_fde(struct flow_callees *callees, uint64_t pc);
/* pc lies in a stub of a PLT. */
bool flow_is_stub(struct flow_callees *callees, uint64_t pc);
/* pc lies in a PLT outside of its stubs: there the dynamic linker is called. */
bool flow_is_binder(struct flow_callees *callees, uint64_t pc);
/* The name is that of a fragment that a compiler or a linker cut off: f.cold, f.warm, f.cold.1, f.eh, f.__part.1. */
bool flow_is_fragment_name(const char *name);
/* What begins at pc has such a name. */
bool flow_is_fragment(const struct flow_callees *callees, uint64_t pc);
/* The same, and what begins at function has the name without the suffix. */
bool flow_is_fragment_of(const struct flow_callees *callees, uint64_t pc, uint64_t function);

#endif
