/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * put_back.S - a function that takes its return address off the stack, and puts it back
 *
 * Rule: none of it is a return. FORM 1 pushes it again (vfork), FORM 2 only moves rsp back over it and goes
 * on elsewhere (OCaml's caml_c_call), FORM 3 calls while it is in a register. The CFI is right throughout.
 */
	.file	"put_back.S"
#include "bare.h"
begin_program

	function callee
	call	leaf
	nop
	ret
	end callee

#if FORM == 1
	function through
	pop	%r12
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r12
	nop
	push	%r12
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	jmp	callee
	end through
#elif FORM == 2
	function through
	pop	%r12
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r12
	nop
	sub	$8, %rsp
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	jmp	callee
	end through
#else
	function through
	pop	%r12
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r12
	call	callee
	nop
	push	%r12
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	ret
	end through
#endif

	/* r12 is not kept: through() is no function of the psABI, and all() is its only caller. */
	function all
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	call	through
	call	leaf
	call	through
	pop	%r12
	.cfi_def_cfa_offset 8
	.cfi_restore %r12
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
