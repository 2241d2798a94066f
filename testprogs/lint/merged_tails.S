/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * merged_tails.S - two ends that never return, with different frames, made into one
 *
 * The second case of LLVM issue 220720: code of both is the same, so clang keeps it once; the rows
 * are those of one of them. Here the way that has pushed an argument ends in the block of the one
 * that has not. Right: both have an end of their own.
 */
#include "bare.h"
	.text
	.globl	merged_tails
	function merged_tails
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%edi, %ebx
	test	%edi, %edi
	je	1f
	test	%esi, %esi
	je	2f
	mov	%ebx, %eax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
1:
	.cfi_def_cfa_offset 16
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	movq	$1, (%rsp)
#ifdef RIGHT
	xor	%edi, %edi
	call	abort@PLT
#else
	jmp	2f
#endif
2:
	.cfi_def_cfa_offset 16
	xor	%edi, %edi
	call	abort@PLT
	end merged_tails
