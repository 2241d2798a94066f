/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expression.h - DWARF expressions (DWARF 5, 2.5): recognised (expression_shape.c), written and
 * read
 * (expression_text.c), evaluated (cfi_expression.c)
 */
#ifndef STACKPROOF_EXPRESSION_H
#define STACKPROOF_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "x86_64.h"

struct error;

#define EXPRESSION_BYTES_MAX 256 /* of one whose reading is held against anybody */

/* The shapes that a rule can hold. Anything else is EXPRESSION_OTHER, never approximated. */
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

void expression_recognise(const uint8_t *expression, size_t size, struct expression_shape *ret);
/* The same for a register's expression, which begins with the CFA on the stack. */
void expression_recognise_saved(const uint8_t *expression, size_t size,
				struct expression_shape *ret);
/* The registers whose values it takes, a bit for each DWARF number below REGISTER_COUNT. Of one
 * that can't be decoded, those before that. */
uint32_t expression_registers(const uint8_t *expression, size_t size);

/* What is well-formed, or may be, and is not evaluated here: it takes a register beyond
 * REGISTER_COUNT (psABI, table 3.18: vector registers, segment bases), branches back, or is
 * longer than EXPRESSION_BYTES_MAX. */
bool expression_is_beyond(const uint8_t *expression, size_t size);
/* Whether the operation with that opcode occurs in it. */
bool expression_has(const uint8_t *expression, size_t size, uint8_t opcode);

/* "breg7+8; deref". What can't be decoded is given as bytes: nothing is lost. */
void expression_print(FILE *file, const uint8_t *expression, size_t size);
/* The inverse: assembles size characters of such a text into ret, which has room for capacity
 * bytes. 0, or -1 if it is none. Texts that expression_print() doesn't write may be accepted. */
int expression_read(const char *text, size_t size, uint8_t *ret, size_t capacity, size_t *ret_size);

/* Reads size bytes of the target's memory at address; 0, or -1 if it can't. */
struct memory_reader {
	int (*read)(void *context, uint64_t address, void *ret, size_t size);
	void *context;
};

/* The registers an expression may use: bit n of known says that value[n] is valid. [16] is rip. */
struct register_values {
	uint64_t value[REGISTER_COUNT];
	uint32_t known;
};

/* DWARF 5, 2.5. push_cfa: cfa is on the stack at the start. Bounded stack and steps. */
int expression_evaluate(const uint8_t *expression, size_t size, const struct register_values *regs,
			bool push_cfa, uint64_t cfa, const struct memory_reader *memory,
			uint64_t *ret, struct error *error);

#endif
