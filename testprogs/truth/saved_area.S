/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * saved_area.S - a program that works where a register is saved, and puts back what was there
 *
 * Rule: the row names the place where the register was saved and from where it is taken back. That another
 * value is there for a while is not the row's fault. The caller's CFA hangs on rbp.
 */
	.file	"saved_area.S"
#include "../asm/bare.h"

begin_program

	function works
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	(%rsp), %rax
	movq	$0x1234, (%rsp)
	xor	%ebp, %ebp
	call	leaf
	nop
	mov	%rax, (%rsp)
	nop
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	end works

	caller_on rbp, hangs, works

	function run
	call	hangs
	xor	%eax, %eax
	ret
	end run
