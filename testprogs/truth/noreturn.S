/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * noreturn.S - a program in which nothing returns
 *
 * A function that never returns need not keep its caller's registers, and compilers don't (GCC 15: no
 * callee-saved registers are saved in noreturn functions). Its caller's CFA hangs on rbp. What the truth
 * says of its frame no return proves; its callers do.
 * FORM 1: the row says that rbp is unchanged, and that is wrong. FORM 2: rbp then points into the stack,
 * at words that look like a frame. FORM 3: the row says that rbp is lost: nobody may be accused.
 * FORM 4: rbp is lost, then the frame is abandoned for its caller's.
 */
	.file	"noreturn.S"
#include "../asm/bare.h"

begin_program

	function gone
#if FORM == 3
	.cfi_undefined %rbp
#endif
#if FORM == 4
	mov	%rbp, %r12
#endif
	lea	-64(%rsp), %rbp
#if FORM != 2
	xor	%ebp, %ebp
#endif
	mov	$50, %ebx
1:	call	leaf
	dec	%ebx
	jnz	1b
#if FORM == 4
	mov	%r12, %rbp
	lea	-48(%rbp), %rsp
	jmp	landing
#endif
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
	end gone

	function within
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	$48, %rsp
	lea	1f(%rip), %rax
	mov	%rax, -40(%rbp)
	mov	%rax, -24(%rbp)
	mov	%rax, -8(%rbp)
	call	gone
1:	nop
	.globl	landing
landing:
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
	end within

	function run
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	call	within
	nop
	end run

	.section .note.GNU-stack, "", @progbits
