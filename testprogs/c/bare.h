/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bare.h - a C program without a C library: _start, with an undefined return address, and exit(2)
 *
 * For programs linked with -static -nostdlib. They define run(), which gets the stack pointer as
 * _start found it (argc, argv, the environment, auxv: psABI, figure 3.9) and returns the exit
 * status.
 */
#ifndef TESTPROGS_BARE_H
#define TESTPROGS_BARE_H

#include "testprog.h"

int run(const unsigned long *stack) __attribute__((used));

__asm__(".text\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	mov %rsp, %rdi\n"
	"	call run\n"
	"	mov %eax, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size _start, . - _start\n");

#endif
