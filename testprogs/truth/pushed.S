/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pushed.S - return addresses that no call has pushed
 *
 * Rule: a ret goes wherever a word says, and whoever wrote the word has called. FORM 1: push and jmp (an
 * interpreter's continuation). FORM 2: a function moves its return address to a lower slot, to leave room
 * above it for its caller (arguments of a variable number do). FORM 3: push and ret, which is a jump. FORM
 * 4: pushed by hand, popped by who was jumped to, and jumped back to.
 * The CFI is right throughout.
 */
	.file	"pushed.S"
#include "bare.h"
begin_program

	function callee
	nop
	call	leaf
	nop
	ret
	end callee

#if FORM == 1
	function by_hand
	lea	1f(%rip), %rax
	push	%rax
	.cfi_def_cfa_offset 16
	jmp	callee
	.cfi_def_cfa_offset 8
	nop /* return addresses are looked up at PC - 1 */
1:
	call	leaf
	ret
	end by_hand
#elif FORM == 2
	/* Leaves 16 bytes on its caller's stack. */
	function leaves_room
	pop	%rax
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rax
	sub	$16, %rsp
	.cfi_def_cfa_offset 16
	push	%rax
	.cfi_def_cfa_offset 24
	.cfi_offset %rip, -24
	call	leaf
	nop
	ret
	end leaves_room

	function by_hand
	call	leaves_room
	.cfi_def_cfa_offset 24
	call	leaf
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	end by_hand
#elif FORM == 3
	function by_hand
	lea	1f(%rip), %rax
	push	%rax
	.cfi_def_cfa_offset 16
	nop
	ret
	.cfi_def_cfa_offset 8
	nop /* return addresses are looked up at PC - 1 */
1:
	call	callee
	ret
	end by_hand
#else
	function pops
	nop
	call	leaf
	pop	%rcx
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rcx
	nop
	jmp	*%rcx
	end pops

	function by_hand
	lea	1f(%rip), %rax
	push	%rax
	.cfi_def_cfa_offset 16
	jmp	pops
	.cfi_def_cfa_offset 8
	nop /* return addresses are looked up at PC - 1 */
1:
	call	leaf
	ret
	end by_hand
#endif

	function all
	call	by_hand
	call	leaf
	call	by_hand
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
