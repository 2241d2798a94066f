/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hash_rounds.S - the CFA is in a word of the stack, and rsp moves on
 *
 * OpenSSL issue 8853 and pull requests 9624, 10674: SHA-2 with AVX2 aligns rsp, keeps the old one in a
 * word of its frame, and says so by an expression that counts from rsp. In its rounds it moves rsp by
 * 64 and says nothing. Which word the row then reads is known, but not what it holds: unproven, not
 * found. Right: an expression for the moved rsp.
 */
#include "bare.h"
	.text
	.globl	hash_rounds
	function hash_rounds
	mov	%rsp, %rax
	.cfi_def_cfa_register %rax
	push	%rbx
	.cfi_offset %rbx, -16
	sub	$192, %rsp
	and	$-64, %rsp
	mov	%rax, 120(%rsp)
	/* DW_CFA_def_cfa_expression: *(rsp + 120) + 8 */
	.cfi_escape 0x0f, 6, 0x77, 0xf8, 0x00, 0x06, 0x23, 0x08
	mov	$7, %ebx
	lea	-64(%rsp), %rsp
#ifdef RIGHT
	.cfi_escape 0x0f, 6, 0x77, 0xb8, 0x01, 0x06, 0x23, 0x08
#endif
	mov	%ebx, (%rsp)
	lea	64(%rsp), %rsp
#ifdef RIGHT
	.cfi_escape 0x0f, 6, 0x77, 0xf8, 0x00, 0x06, 0x23, 0x08
#endif
	mov	120(%rsp), %rsi
	.cfi_def_cfa %rsi, 8
	mov	-8(%rsi), %rbx
	.cfi_restore %rbx
	lea	(%rsi), %rsp
	.cfi_def_cfa_register %rsp
	ret
	end hash_rounds
