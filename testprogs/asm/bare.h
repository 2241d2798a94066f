/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bare.h - a program without a C library, for cases that need a few hundred instructions
 *
 * Linked with -static -nostdlib. _start calls run, which returns 0 in eax if the program did what
 * it should: that is the exit status. _start's return address is undefined, so that the walk's end
 * is proven. Functions need not keep rsp aligned: nothing here uses SSE.
 *
 * Programs about _start itself define one of NO_END, NO_START_FDE and ZERO_RETURN. Defining BY_HAND
 * leaves _start's CFI to the program, which writes all of .eh_frame itself (byhand.h).
 */
	.macro function name
	.type	\name, @function
\name:
#ifndef BY_HAND
	.cfi_startproc
#endif
	.endm

	.macro end name
#ifndef BY_HAND
	.cfi_endproc
#endif
.Lend_of_\name:
	.size	\name, . - \name
	.endm

	.macro begin_program
	.text
	.globl	_start
#ifdef NO_START_FDE
	.type	_start, @function
_start:
#else
	function _start
#endif
#if !defined(BY_HAND) && !defined(NO_START_FDE) && !defined(NO_END) && !defined(ZERO_RETURN)
	.cfi_undefined %rip
#endif
#ifdef ZERO_RETURN
	.cfi_undefined %rip
	push	$0
	.cfi_offset %rip, -8
#endif
	call	run
	mov	%eax, %edi
	mov	$60, %eax /* exit */
	syscall
#ifdef NO_START_FDE
	.size	_start, . - _start
#else
	end _start
#endif
	/* What is called last: it has nothing but a return address. */
	function leaf
	nop
	ret
	end leaf
	.endm

#ifndef BY_HAND
	/* A function whose CFA hangs on REG while it calls: the walk needs the value that the
	 * callee's CFI gives back. */
	.macro caller_on reg, name, callee
	function \name
	push	%\reg
	.cfi_def_cfa_offset 16
	.cfi_offset %\reg, -16
	mov	%rsp, %\reg
	.cfi_def_cfa_register %\reg
	and	$-64, %rsp
	sub	$64, %rsp
	call	\callee
	mov	%\reg, %rsp
	.cfi_def_cfa_register %rsp
	pop	%\reg
	.cfi_restore %\reg
	.cfi_def_cfa_offset 8
	ret
	end \name
	.endm
#endif

	.section .note.GNU-stack, "", @progbits
