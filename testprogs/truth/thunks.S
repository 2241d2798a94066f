/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * thunks.S - calls that never were: their return address is overwritten, dropped, or read
 *
 * Rule: compilers' CFI leaves the inner call of a thunk out. FORM 1: the thunk of an indirect call. FORM 2: of a
 * return. FORM 3: call of the next instruction and pop, where the PC is asked for.
 */
	.file	"thunks.S"
#include "bare.h"
begin_program

	function target
	call	leaf
	nop
#if FORM == 2
	jmp	thunk
#elif FORM == 3
	call	1f
1:
	.cfi_def_cfa_offset 16
	nop
	pop	%rcx
	.cfi_def_cfa_offset 8
	nop
	ret
#else
	ret
#endif
	end target

	function thunk
	call	2f
1:
	pause
	lfence
	jmp	1b
2:
	.cfi_def_cfa_offset 16
#if FORM == 2
	lea	8(%rsp), %rsp
	.cfi_def_cfa_offset 8
#else
	mov	%rax, (%rsp)
#endif
	ret
	end thunk

	function all
#if FORM == 1
	lea	target(%rip), %rax
	call	thunk
#else
	call	target
#endif
	call	leaf
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
