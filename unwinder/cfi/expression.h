/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expression.h - DWARF expressions (DWARF 5, 2.5)
 *
 *	expression_shape.c	recognises those that a rule can hold
 *	expression_text.c	as text, and back
 *	cfi_expression.c	evaluates them
 */
#ifndef STACKPROOF_EXPRESSION_H
#define STACKPROOF_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "x86_64.h"

struct error;

#define EXPRESSION_BYTES_MAX 256 /* a longer one is not evaluated: expression_is_beyond() */

/* The forms that a rule can hold. Any other expression is EXPRESSION_OTHER: nothing is approximated. */
enum expression_form {
	EXPRESSION_OTHER,
	EXPRESSION_REGISTER, /* reg + index * scale + a                  (breg) */
	EXPRESSION_DEREF, /* *(reg + index * scale + a) + b           (breg, deref, plus_uconst) */
	EXPRESSION_PLT,	  /* reg + a + (((rip & 15) >= b) << 3) */
	EXPRESSION_ALIGNED, /* ((cfa - b) & -scale) + a; only by expression_recognise_saved() */
};

struct expression_shape {
	enum expression_form form;
	uint32_t reg;
	uint32_t index; /* a register, if scale is not 0 */
	uint64_t scale;
	int64_t a;
	int64_t b;
};

/* Finds the form of a CFA's expression. */
void expression_recognise(const uint8_t *expression, size_t size, struct expression_shape *ret);
/* The same for a register's expression, which begins with the CFA on the stack. */
void expression_recognise_saved(const uint8_t *expression, size_t size,
				struct expression_shape *ret);
/* The registers that the expression reads: bit n for DWARF number n, below REGISTER_COUNT. Stops at an operation
 * that can't be decoded. */
uint32_t expression_registers(const uint8_t *expression, size_t size);

/* Whether the expression may be well-formed, but is not evaluated here: it reads a register that is not below
 * REGISTER_COUNT (psABI, table 3.18: vector registers, segment bases), branches back, or is longer than
 * EXPRESSION_BYTES_MAX. */
bool expression_is_beyond(const uint8_t *expression, size_t size);
/* Whether the expression has an operation with that opcode. */
bool expression_has(const uint8_t *expression, size_t size, uint8_t opcode);

/* Writes "breg7+8; deref". Bytes that can't be decoded are written as bytes: nothing is lost. */
void expression_print(FILE *file, const uint8_t *expression, size_t size);
/* The inverse: assembles size characters of text into ret, which has room for capacity bytes. -1: the text is
 * malformed or too long. Texts that expression_print() never writes may be accepted. */
int expression_read(const char *text, size_t size, uint8_t *ret, size_t capacity, size_t *ret_size);

/* Memory of the walked process. read copies size bytes at address to ret: 0, or -1 if it can't. */
struct memory_reader {
	int (*read)(void *context, uint64_t address, void *ret, size_t size);
	void *context;
};

/* Register values by DWARF number; [16] is rip. value[n] is valid if bit n of known is set. */
struct register_values {
	uint64_t value[REGISTER_COUNT];
	uint32_t known;
};

/* Evaluates an expression (DWARF 5, 2.5). push_cfa: cfa is on the stack at the start. Stack and steps are
 * bounded. */
int expression_evaluate(const uint8_t *expression, size_t size, const struct register_values *regs,
			bool push_cfa, uint64_t cfa, const struct memory_reader *memory,
			uint64_t *ret, struct error *error);

#endif
