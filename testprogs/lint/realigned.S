/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * realigned.S - an epilogue whose registers are still said to be in the frame that rbp points to
 *
 * GCC 11 to 16 with a realigned stack (gperftools issue 1225 is a crash by it): behind pop %rbp, rbp
 * is the caller's again, and the rows still count both registers from it. Right: both are restored.
 */
#include "bare.h"
	.text
	.globl	realigned
	function realigned
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0 /* DW_CFA_expression rbp: rbp + 0 */
	push	%r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06 /* DW_CFA_def_cfa_expression: *(rbp - 8) */
	push	%rbx
	.cfi_escape 0x10, 3, 2, 0x76, 0x70 /* DW_CFA_expression rbx: rbp - 16 */
	mov	%edi, %ebx
	sub	$64, %rsp
	call	work@PLT
	lea	-16(%rbp), %rsp
	pop	%rbx
#ifdef RIGHT
	.cfi_restore %rbx
#endif
	pop	%r10
	.cfi_def_cfa %r10, 0
	pop	%rbp
#ifdef RIGHT
	.cfi_restore %rbp
#endif
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end realigned
