/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.h - code that no FDE covers, and how far it goes on
 */
#ifndef STACKPROOF_LINT_UNCOVERED_H
#define STACKPROOF_LINT_UNCOVERED_H

#include "lint_addresses.h"
#include "lint_judge.h"

/* Padding is there, or nothing; or data, by a symbol, which the instruction at from doesn't lead to for certain (0: it is
 * led to). What a compiler holds to be never reached it lets end in whatever comes behind the function. Linkers fill
 * what lies between with no-ops, or with zeros. */
bool lint_uncovered_is_none(const struct flow_world *world, uint64_t pc, uint64_t from);
/* A call is there. */
bool lint_uncovered_is_call(const struct flow_world *world, uint64_t pc);
/* Where the next FDE begins, or the section's code ends, or that of the file: pc's at the latest. */
uint64_t lint_uncovered_end(const struct flow_world *world, const struct object *object,
			    uint64_t pc);
/* Some FDE's place is a number that the linker is told: it may cover any code. object: or NULL. */
bool lint_uncovered_is_unknown(const struct cfi *cfi, const struct object *object);
/* A finding for each of these addresses, which are in order. object: that the image was made of, or NULL. */
void lint_uncovered_tell(struct lint_judge *judge, const struct flow_world *world,
			 const struct object *object, const struct lint_addresses *uncovered);

#endif
