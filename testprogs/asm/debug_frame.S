/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_frame.S - a program that has .debug_frame and no .eh_frame
 *
 * Rule: both sections say the same things in nearly the same format (DWARF 5, 6.4.1): CIE id -1,
 * pointers from the section's start, plain addresses. Alpine keeps CFI for libc nowhere else,
 * -fno-asynchronous-unwind-tables -g leaves nothing else. lightswitch reads .eh_frame only; OTel
 * reads no compressed section, which the program debug_compressed has.
 */
	.file	"debug_frame.S"
	.cfi_sections .debug_frame
#include "bare.h"
begin_program

	function saves
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	call	leaf
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end saves

	caller_on r12, on_r12, saves
	caller_on rbx, run, on_r12

	/* Not called: enough FDEs for a linker to compress the section. */
	.rept	12
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 24
	nop
	.cfi_def_cfa_offset 16
	nop
	.cfi_endproc
	.endr
