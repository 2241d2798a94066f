/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vdso.c - a call into the vDSO, found as vdso(7) says
 *
 * Rule: the vDSO is an image that no file holds; its CFI is the running kernel's, another one in
 * each guest. ClickHouse crashed on one kernel and not on another for its tables (#16846, #56063),
 * libunwind where it had none (#965, on arm64).
 */
#include <elf.h>
#include "bare.h"

typedef long (*time_function)(long *);

static const void *find_vdso(const unsigned long *stack)
{
	const unsigned long *at = stack + 1 + stack[0] + 1; /* argc, argv, NULL */

	while (*at++)
		; /* the environment */
	for (; at[0]; at += 2)
		if (at[0] == AT_SYSINFO_EHDR)
			return (const void *)at[1];
	return 0;
}

/* "__vdso_time"; looked for by hand, for each step is one of the truth's. */
static int is_time(const char *name)
{
	return name[0] == '_' && name[7] == 't' && name[8] == 'i' && name[11] == 0;
}

static const void *find_time(const char *base)
{
	const Elf64_Ehdr *header = (const void *)base;
	const Elf64_Phdr *segment = (const void *)(base + header->e_phoff);
	const Elf64_Sym *symbol = 0;
	const char *names = 0;
	const Elf64_Dyn *dynamic;

	while (segment->p_type != PT_DYNAMIC)
		segment++;
	for (dynamic = (const void *)(base + segment->p_offset); dynamic->d_tag; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbol = (const void *)(base + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_STRTAB)
			names = base + dynamic->d_un.d_ptr;
	}
	/* The names lie behind the symbols. */
	for (; (const char *)symbol < names; symbol++)
		if (is_time(names + symbol->st_name))
			return base + symbol->st_value;
	return 0;
}

FRAME long call(time_function function)
{
	long now = 0;
	long same = function(&now);

	return now != same || now <= 0;
}

int run(const unsigned long *stack)
{
	const char *base = find_vdso(stack);
	time_function function = base ? (time_function)find_time(base) : 0;

	return function ? (int)call(function) : 2;
}
