/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * operations.h - evaluates the operations that libdw decoded
 *
 * libdw gives the rule of a CFA or a register as an array of Dwarf_Op. It is evaluated here on a frame's registers,
 * without cfi_expression.c: the referee must not share the faults of our reader.
 */
#ifndef STACKPROOF_OPERATIONS_H
#define STACKPROOF_OPERATIONS_H

#include <elfutils/libdw.h>
#include "cfi/expression.h"

struct operations {
	const Dwarf_Op *op;
	size_t count;
	const struct register_values *regs;
	const struct memory_reader *memory;
	const uint64_t *cfa; /* NULL: DW_OP_call_frame_cfa is an error */
};

/* True: *ret is the result. *ret_is_value: it is the value itself (DW_OP_stack_value, DW_OP_reg*); false: it
 * is the value's address. False: an operation is malformed or unknown, or there are too many. */
bool operations_evaluate(const struct operations *operations, uint64_t *ret, bool *ret_is_value);

#endif
