/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ifunc_bare.c - a function chosen at run time (STT_GNU_IFUNC), its resolver run by the program
 * itself
 *
 * Rule: a static program's start-up code calls each resolver that R_X86_64_IRELATIVE names (psABI
 * 4.4.1) and stores what it returns; the function is then called through an .iplt entry, which the
 * linker makes, with or without CFI of its own. The symbol's value is the resolver, not the
 * function: a symbolizer that takes it for the function is wrong.
 */
#include <elf.h>
#include "bare.h"

extern const Elf64_Rela __rela_iplt_start[], __rela_iplt_end[];

static volatile int wanted = 2;

__attribute__((used)) static FRAME int times_one(int value)
{
	KEEP(value);
	return value;
}

__attribute__((used)) static FRAME int times_two(int value)
{
	KEEP(value);
	return value * 2;
}

typedef int (*function_type)(int);

__attribute__((used)) static function_type resolve_times(void)
{
	return wanted == 2 ? times_two : times_one;
}

int times(int value) __attribute__((ifunc("resolve_times")));

FRAME int caller(int value)
{
	value = times(value + 1);
	KEEP(value);
	return value + 1;
}

FRAME int relocate(void)
{
	int count = 0;

	for (const Elf64_Rela *at = __rela_iplt_start; at < __rela_iplt_end; at++) {
		unsigned long (*resolver)(void) = (unsigned long (*)(void))at->r_addend;

		if (ELF64_R_TYPE(at->r_info) != R_X86_64_IRELATIVE)
			return -1;
		*(unsigned long *)at->r_offset = resolver();
		count++;
	}
	return count;
}

int run(const unsigned long *stack)
{
	return relocate() != 1 || caller(20) != 43;
}
