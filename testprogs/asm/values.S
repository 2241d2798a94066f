/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * values.S - registers that are computed and not loaded: DW_CFA_val_expression, DW_CFA_val_offset,
 * DW_CFA_register
 *
 * Rule: the caller's register is the expression's value, CFA + N, or another register (DWARF 5,
 * 6.4.2.3). OTel takes val_expression for "undefined", Parca for "unchanged"; Parca and lightswitch
 * know no rbp by expression. Here the callers' CFAs hang on what comes out.
 */
	.file	"values.S"
#include "bare.h"
begin_program

	/* rbp = rbx - 24 */
	function by_val_expression
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	lea	24(%rbp), %rbx
	.cfi_escape 0x16, 6, 2, 0x73, 0x68 /* val_expression rbp: breg3 -24 */
	xor	%ebp, %ebp
	call	leaf
	lea	-24(%rbx), %rbp
	.cfi_restore %rbp
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end by_val_expression

	/* rbp = the place where rbp + 16 is kept, read by an expression that has the CFA on its stack */
	function by_cfa_expression
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push	$0
	.cfi_def_cfa_offset 24
	mov	%rbp, (%rsp)
	movq	$0, 8(%rsp)
	.cfi_escape 0x10, 6, 2, 0x77, 0 /* expression rbp: breg7 0 */
	xor	%ebp, %ebp
	nop
	nop
	mov	(%rsp), %rbp
	.cfi_restore %rbp
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	end by_cfa_expression

	/* Entered with rbx = CFA - 32. */
	function by_val_offset
	.cfi_escape 0x14, 3, 4 /* val_offset rbx 4: CFA - 32 */
	xor	%ebx, %ebx
	call	leaf
	lea	-24(%rsp), %rbx
	.cfi_restore %rbx
	ret
	end by_val_offset

	/* rbp in r12 while it calls, rbx in rax where it does not. */
	function by_register
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	mov	%rbp, %r12
	.cfi_register %rbp, %r12
	xor	%ebp, %ebp
	call	leaf
	mov	%rbx, %rax
	.cfi_register %rbx, %rax
	xor	%ebx, %ebx
	nop
	mov	%rax, %rbx
	.cfi_restore %rbx
	mov	%r12, %rbp
	.cfi_restore %rbp
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
	end by_register

	/* Its CFA is rbx + 48, which the callee computes from its own. */
	function needs_rbx
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	lea	-32(%rsp), %rbx
	.cfi_def_cfa %rbx, 48
	call	by_val_offset
	lea	32(%rbx), %rsp
	.cfi_def_cfa %rsp, 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end needs_rbx

	caller_on rbp, on_rbp_1, by_val_expression
	caller_on rbp, on_rbp_2, by_cfa_expression
	caller_on rbp, on_rbp_3, by_register
	caller_on rbx, on_rbx, on_rbp_3

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	on_rbp_1
	call	on_rbp_2
	call	on_rbx
	call	needs_rbx
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
