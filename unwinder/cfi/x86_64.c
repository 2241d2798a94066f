/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * x86_64.c - what the System V psABI says about registers
 *
 * Names and numbers are those of figure 3.36 (DWARF register number mapping). They are not the
 * numbers of the instruction encoding: rdx is 1 and rcx is 2 here. What a register is worth when
 * the CFI has no rule for it follows from figure 3.4 (register usage): the callee preserves rbx,
 * rbp and r12 to r15, and the caller's rsp is the CFA by the CFA's definition on this machine
 * (section 3.7: "the value of %rsp at the call site in the previous frame").
 */
#include <string.h>
#include "cfi.h"

static const char *const names[REGISTER_COUNT] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
};

const char *register_name(unsigned int reg)
{
	return reg < REGISTER_COUNT ? names[reg] : NULL;
}

int register_number(const char *name)
{
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		if (!strcmp(name, names[reg]))
			return reg;
	return -1;
}

enum rule_kind register_default_rule(unsigned int reg)
{
	if (reg == REGISTER_RSP)
		return RULE_VAL_OFFSET;
	if (reg < REGISTER_COUNT && (CALLEE_SAVED_MASK >> reg & 1))
		return RULE_SAME_VALUE;
	return RULE_UNDEFINED;
}
