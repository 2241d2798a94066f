/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * other_stack.S - rsp goes to another stack, and the rows count from it on
 *
 * Go's systemstack, mcall, morestack and gogo load rsp from a structure that they got an address of. From
 * there on the row's rsp+8 is a word of another stack, most likely; the code doesn't show it: unproven, not
 * found. Right: the CFA hangs on a register that still has the old one.
 */
#include "bare.h"
	.text
	.globl	other_stack
	function other_stack
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
#ifdef RIGHT
	.cfi_def_cfa_register %rbp
#endif
	mov	64(%r14), %rsp
	call	work@PLT
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	end other_stack
