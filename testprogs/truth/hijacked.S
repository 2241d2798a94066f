/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hijacked.S - a return address that somebody replaces while its function runs
 *
 * Rule: runtimes do so to be there when a thread returns. FORM 1: it goes to a trampoline, which goes
 * where the call said. FORM 2: the call's word is back before the function returns. FORM 3: the function returns
 * to another place of its caller for good. FORM 4: one more than what the call said (inline arguments
 * behind a call). The rows say cfa=rsp+8 ra=c-8, and that is where the next ret goes at any moment.
 */
	.file	"hijacked.S"
#include "bare.h"
begin_program

	/* The frame of all(), as trampoline's caller, is where rsp is. */
	function trampoline
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r12
	nop
	jmp	*%r12
	end trampoline

	function hijacked
#if FORM == 1
	mov	(%rsp), %r12
	lea	trampoline(%rip), %rax
	mov	%rax, (%rsp)
	call	leaf
	nop
#elif FORM == 2
	mov	(%rsp), %r12
	lea	trampoline(%rip), %rax
	mov	%rax, (%rsp)
	call	leaf
	mov	%r12, (%rsp)
	nop
#elif FORM == 3
	lea	elsewhere(%rip), %rax
	mov	%rax, (%rsp)
	call	leaf
	nop
#else
	incq	(%rsp)
	call	leaf
	nop
#endif
	ret
	end hijacked

	function all
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	call	hijacked
	nop
#if FORM == 3
	mov	$1, %eax
	jmp	1f
#endif
elsewhere:
	call	leaf
	xor	%eax, %eax
1:
	pop	%r12
	.cfi_def_cfa_offset 8
	.cfi_restore %r12
	ret
	end all

	caller_on rbx, run, all
