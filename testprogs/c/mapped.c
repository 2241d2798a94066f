/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mapped.c - code at addresses where no loader put it: its own file once more, and one address with
 * two pieces of code one after the other
 *
 * Rules: the same file may be mapped twice, with two biases (address minus address in the file);
 * and an address whose mapping was replaced has another table at once, as after dlclose and dlopen.
 * Whoever keeps tables by address is wrong here.
 *
 * The file is read from argv[0]. The code to be mapped lies on pages of its own and refers to
 * nothing outside.
 */
#include <linux/mman.h>
#include "bare.h"
#include "bare_call.h"

#define PAGE	4096
#define ADDRESS 0x10000000L
#define FIRST	__attribute__((section(".first"), aligned(PAGE)))
#define SECOND	__attribute__((section(".second"), aligned(PAGE)))

typedef long (*function_type)(long);

/* Calls back into the program through a register, from a frame of its own size. */
FIRST FRAME long small_frame(long function)
{
	long value = ((function_type)function)(1);

	KEEP(value);
	return value + 10;
}

SECOND FRAME long large_frame(long function)
{
	long array[50];
	long *pointer = array;

	KEEP_MEMORY(pointer);
	pointer[7] = ((function_type)function)(2);
	KEEP_MEMORY(pointer);
	return pointer[7] + 20;
}

FRAME long called_back(long value)
{
	KEEP(value);
	return value + 100;
}

/* A page of the file at an address, whatever was there. The linker aligns offsets as addresses. */
FRAME long map(long file, const void *code, long address)
{
	extern const char __executable_start[];
	long offset = (long)code - (long)__executable_start;

	return bare_call(__NR_mmap, address, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			 file, offset) != address;
}

FRAME long run_at(long address, const void *code)
{
	function_type function = (function_type)(address + ((long)code & (PAGE - 1)));
	long value = function((long)called_back);

	KEEP(value);
	return value;
}

int run(const unsigned long *stack)
{
	long file = CALL(__NR_open, stack[1], 0 /* O_RDONLY */, 0);

	if (file < 0)
		return 2;
	/* The same file twice. */
	if (map(file, (const void *)small_frame, ADDRESS) ||
	    run_at(ADDRESS, (const void *)small_frame) != 111)
		return 3;
	/* Other code at the same address, without a moment of nothing there. */
	if (map(file, (const void *)large_frame, ADDRESS) ||
	    run_at(ADDRESS, (const void *)large_frame) != 122)
		return 4;
	/* And the first once more, where nothing was for a moment. */
	if (CALL(__NR_munmap, ADDRESS, PAGE, 0) || map(file, (const void *)small_frame, ADDRESS) ||
	    run_at(ADDRESS, (const void *)small_frame) != 111)
		return 5;
	return 0;
}
