/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_growth.S - code for the function's beginning, written at its end
 *
 * OCaml issue 15037: every function looks whether its stack is large enough before it makes a frame.
 * What makes it larger stands behind the function, where the rows still have the frame.
 * Right: the directives bring the CFA back before it.
 */
#include "bare.h"
	.text
	.globl	stack_growth
	function stack_growth
	lea	-328(%rsp), %r10
	cmp	40(%r14), %r10
	jb	2f
1:
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	body@PLT
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
#ifndef RIGHT
	.cfi_adjust_cfa_offset 8
#endif
2:
	push	$41
	.cfi_adjust_cfa_offset 8
	call	grow@PLT
	pop	%r10
	.cfi_adjust_cfa_offset -8
	jmp	1b
	end stack_growth
