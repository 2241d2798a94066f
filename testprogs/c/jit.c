/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * jit.c - code that the program writes itself, into memory that is executable
 *
 * Rule: no file has a table for it. A walk from inside it, and one that comes back to it through a
 * caller, must end there and say so: the frame pointer may be anything. What a program registers
 * with __register_frame is in its own memory, known to its own unwinder and to nobody outside: for
 * a walk that is the same case. The memory is a memfd's, mapped once to write and once to execute,
 * as JITs do for which no page may be both.
 */
#include <linux/mman.h>
#include "bare.h"
#include "bare_call.h"

#define PAGE 4096

typedef long (*function_type)(long);

static const unsigned char code[] = {
	0x53,			/* push %rbx */
	0x48, 0x83, 0xec, 0x10, /* sub $16, %rsp */
	0x31, 0xdb,		/* xor %ebx, %ebx */
	0xff, 0xd7,		/* call *%rdi */
	0x48, 0x01, 0xd8,	/* add %rbx, %rax */
	0x48, 0x83, 0xc4, 0x10, /* add $16, %rsp */
	0x5b,			/* pop %rbx */
	0xc3,			/* ret */
};

FRAME long called_back(long value)
{
	KEEP(value);
	return 42;
}

FRAME const void *compile(void)
{
	long file = CALL(__NR_memfd_create, "jit", 0, 0);
	unsigned char *writable;

	if (file < 0 || CALL(__NR_ftruncate, file, PAGE, 0))
		return 0;
	writable = (unsigned char *)bare_call(__NR_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
					      MAP_SHARED, file, 0);
	for (unsigned long i = 0; i < sizeof(code); i++)
		writable[i] = code[i];
	return (const void *)bare_call(__NR_mmap, 0, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, file,
				       0);
}

FRAME long call_compiled(const void *function)
{
	long value = ((function_type)function)((long)called_back);

	KEEP(value);
	return value;
}

int run(const unsigned long *stack)
{
	const void *function = compile();

	return !function || call_compiled(function) != 42;
}
