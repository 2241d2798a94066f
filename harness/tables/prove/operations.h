/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * operations.h - evaluates the operations that libdw decoded
 *
 * libdw says how a CFA or a register is found as an array of Dwarf_Op. This evaluates them on a
 * frame's registers, independently of cfi_expression.c: the referee must not share our reading.
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

/* True, and *ret is the result; *ret_is_value: it is the value itself (DW_OP_stack_value,
 * DW_OP_reg*), not where the value lies. False: malformed, unknown, or too long. */
bool operations_evaluate(const struct operations *operations, uint64_t *ret, bool *ret_is_value);

#endif
