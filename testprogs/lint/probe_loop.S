/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * probe_loop.S - a large frame made page by page, and rows that know of none of it
 *
 * clang 13 with -fstack-clash-protection: rsp moves by up to 40 KiB in the loop, and the row counts from
 * it as before. Right: the CFA hangs on the register that has the loop's end, as from clang 14 on.
 */
#include "bare.h"
	.text
	.globl	probe_loop
	function probe_loop
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	lea	-0xa000(%rsp), %r11
#ifdef RIGHT
	.cfi_def_cfa %r11, 0xa010
#endif
1:
	sub	$0x1000, %rsp
	movq	$0, (%rsp)
	cmp	%r11, %rsp
	jne	1b
#ifdef RIGHT
	.cfi_def_cfa_register %rsp
#else
	.cfi_def_cfa_offset 0xa010
#endif
	mov	%edi, %ebx
	mov	%rsp, %rdi
	call	fill@PLT
	add	$0xa000, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	end probe_loop
