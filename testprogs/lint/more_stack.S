/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * more_stack.S - a routine's first rows hide its caller on purpose
 *
 * libgcc's __morestack is called by a function before that has a frame, and its first row says
 * CFA=rsp+16: the caller's caller. Unwinders that begin there skip a function. Right, for who asks where
 * the stack is: CFA=rsp+8.
 */
#include "bare.h"
	.text
	.globl	user
	function user
	cmp	%fs:0x70, %rsp
	jae	1f
	call	more_stack
	ret
1:
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	body@PLT
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end user

	function more_stack
#ifndef RIGHT
	.cfi_def_cfa_offset 16
#endif
	push	%rbp
#ifdef RIGHT
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
#else
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
#endif
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	call	grow@PLT
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
	end more_stack
