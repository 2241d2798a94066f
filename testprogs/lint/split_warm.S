/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * split_warm.S - a function cut into three, and one part's first row is that of a function
 *
 * LLVM issue 211392: BOLT cuts functions into hot, warm and cold parts, each with an FDE. Where
 * saving was moved into the part that needs it, the warm part begins with the CFA of the entry,
 * although the hot one has made its frame already. Right: its first row says that frame.
 */
#include "bare.h"
	.text
	.globl	split_warm
	function split_warm
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	$20, (%rsp)
	test	%esi, %esi
	jne	split_warm.warm
1:
	mov	%rdi, %rax
	add	(%rsp), %rax
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end split_warm

	function split_warm.warm
#ifdef RIGHT
	.cfi_def_cfa_offset 32
#endif
	push	%rbx
#ifdef RIGHT
	.cfi_def_cfa_offset 40
	.cfi_offset %rbx, -40
#else
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
#endif
	mov	%esi, %ebx
	call	callback@PLT
	add	%rbx, %rax
	mov	%rax, %rdi
	pop	%rbx
#ifdef RIGHT
	.cfi_def_cfa_offset 32
#else
	.cfi_def_cfa_offset 8
#endif
	.cfi_restore %rbx
	jmp	1b
	end split_warm.warm
