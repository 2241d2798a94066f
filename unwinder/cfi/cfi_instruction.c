/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_instruction.c - the list of call frame instructions, to be looked up
 *
 * For messages, which name an instruction, and for who writes one. Who reads or executes them has
 * the list's constants: cfi_instruction.h.
 */
#include "cfi_instruction.h"

#define FORM(constant, opcode, first, second, text)                                                \
	[opcode] = { "DW_CFA_" text, CFI_OPERAND_##first, CFI_OPERAND_##second },

static const struct cfi_instruction_form forms[] = { CFI_INSTRUCTIONS(FORM) };

const struct cfi_instruction_form *cfi_instruction_form(uint8_t opcode)
{
	const struct cfi_instruction_form *form = &forms[cfi_opcode(opcode)];

	return form->name ? form : NULL;
}
