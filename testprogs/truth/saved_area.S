/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * saved_area.S - words that rows read, changed for a while by who did not write the rows
 *
 * Rule: the row names the place where a value was saved and from where it is taken back. That another
 * value is there for a while is not the row's fault. FORM 1: a function works where it saved rbp, by which its
 * caller's CFA hangs; 2: its callee does that, and the place is named by an expression; 3: a callee changes the word
 * in which a function that realigned its stack keeps its CFA.
 */
	.file	"saved_area.S"
#include "../asm/bare.h"

begin_program

	/* rdi: the word */
	function meddles
	mov	(%rdi), %rax
	addq	$16, (%rdi)
	call	leaf
	mov	%rax, (%rdi)
	nop
	ret
	end meddles

#if FORM == 3
	function works
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-64, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0 /* rbp: DW_OP_breg6 0 */
	push	%r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6 /* CFA: DW_OP_breg6 -8, DW_OP_deref */
	lea	-8(%rbp), %rdi
	call	meddles
	mov	-8(%rbp), %r10
	.cfi_def_cfa %r10, 0
	leave
	.cfi_restore %rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end works
#else
	function works
	push	%rbp
	.cfi_def_cfa_offset 16
#if FORM == 1
	.cfi_offset %rbp, -16
	mov	(%rsp), %rax
	movq	$0x1234, (%rsp)
	xor	%ebp, %ebp
	call	leaf
	nop
	mov	%rax, (%rsp)
#else
	.cfi_escape 0x10, 6, 2, 0x77, 0 /* rbp: DW_OP_breg7 0 */
	xor	%ebp, %ebp
	mov	%rsp, %rdi
	call	meddles
#endif
	nop
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	end works
#endif

	caller_on rbp, hangs, works

	function run
	call	hangs
	xor	%eax, %eax
	ret
	end run
