/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * coroutine.S - two stacks, one program: a coroutine that is resumed and yields
 *
 * Rule: a CFA may lie anywhere. The coroutine's first frame says, by an expression over the place
 * where the resumer's rsp is kept, who resumed it last, so that a walk goes on from one stack to
 * the other (libc's makecontext ends there instead). The new stack lies below the old one, so that
 * "the stack grows down" stays true. Between switch and `ret` only that place tells which frames
 * are whose: OTel knows such a CFA on rbp and rsp, lightswitch on rsp, Parca none.
 */
	.file	"coroutine.S"
#include "bare.h"
begin_program

	.local	other_rsp
	.comm	other_rsp, 8, 8

	/* DW_CFA_def_cfa_expression: breg15 0; deref; plus_uconst 8. r15 is other_rsp's address all the time. */
	.macro cfa_of_resumer
	.cfi_escape 0x0f, 5, 0x7f, 0, 0x06, 0x23, 8
	.endm

	/* Goes to the coroutine; what yields comes back here. */
	function resume
	xchg	%rsp, (%r15)
	cfa_of_resumer
	ret
	end resume

	/* Goes back: the resumer's frames are found at rsp again. */
	function yield
	xchg	%rsp, (%r15)
	ret
	end yield

	function coroutine
	cfa_of_resumer
	call	leaf
	call	yield
	call	leaf
	call	yield
	ud2
	end coroutine

	function run
	push	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset %r15, -16
	lea	other_rsp(%rip), %r15
	/* 512 bytes below are the coroutine's, with its first address on top. */
	lea	coroutine(%rip), %rax
	mov	%rax, -520(%rsp)
	lea	-520(%rsp), %rax
	mov	%rax, (%r15)
	call	resume
	call	leaf
	call	resume
	pop	%r15
	.cfi_restore %r15
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
