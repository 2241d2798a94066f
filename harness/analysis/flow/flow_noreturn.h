/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_noreturn.h - does a call of a function ever come back? By its code
 *
 * Needs no CFI: where there is some, landing pads are read from it.
 */
#ifndef STACKPROOF_FLOW_NORETURN_H
#define STACKPROOF_FLOW_NORETURN_H

#include "cfi/cfi.h"
#include "analysis/code/code.h"
#include "flow_names.h"

#define FLOW_NORETURN_CODE_MAX 65536u /* instructions of one function */

struct flow_noreturn;

/* All borrowed. NULL: no memory. flow_noreturn_destroy(). */
struct flow_noreturn *flow_noreturn_create(const struct cfi *cfi, struct code_decoder *decoder,
					   struct flow_names *names);
/* The image was made of an object file: a weak function's place may be another's when it is linked. */
void flow_noreturn_is_object(struct flow_noreturn *noreturn);
/* It is, and the function there is a weak one. */
bool flow_noreturn_is_replaced(const struct flow_noreturn *noreturn, uint64_t pc);
void flow_noreturn_destroy(struct flow_noreturn *noreturn);
/* The code at pc, called, never returns: it ends, goes round for ever, or leaves by an exception.
 * False if that is not certain, and without memory. */
bool flow_noreturn_find(struct flow_noreturn *noreturn, uint64_t pc);
/* What a function takes off the stack beside its return address, by the first way that was seen to come back. */
enum flow_takes {
	FLOW_TAKES_NOTHING,
	FLOW_TAKES_PERHAPS, /* it handles its return address, or moves rsp: flow_popped_by() looks closer */
	FLOW_TAKES_ARGUMENTS, /* `ret 8` */
};
/* The same, and that. */
bool flow_noreturn_ask(struct flow_noreturn *noreturn, uint64_t pc, enum flow_takes *ret_takes);

/* The function at pc is this image's, and some way of it comes to a return instruction: no compiler writes one in a
 * function that never returns. */
bool flow_noreturn_is_seen(struct flow_noreturn *noreturn, uint64_t pc);

#endif
