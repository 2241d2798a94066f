/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * moved.S - return addresses that are popped, and pushed into another slot
 *
 * Rule: the frame is where its return address is, and it returns through there. Its caller counts from rbp,
 * for its rsp is another when the call is over. The CFI is right, but for FORMs 12 to 14.
 *
 *	FORM 1	a trampoline inserts an argument beneath its return address, and jumps on
 *	FORM 2	a function takes its arguments off by hand
 *	FORM 3	the same, and jumps to its return address
 *	FORM 4	arguments are pushed in a loop, and taken off by hand by who was jumped to (V8's builtins)
 *	FORM 5	the return address is stored by mov, through a copy in another register
 *	FORM 6	return address and arguments are copied further down, more behind them; `ret n` takes all off
 *	FORM 7	the same, taken off by hand beyond where the return address was first
 *	FORM 8	the return address is read by mov, and dropped with the arguments by lea
 *	FORM 9	a call of the next instruction, whose word is popped and passed as an argument
 *	FORM 10	a return address that is passed as an argument, and never leaves its slot for good
 *	FORM 11	one that is passed as an argument while a register keeps it, and is jumped to from there
 *	FORM 12	a call over inline data whose word is popped and passed as an argument. The rows have a frame
 *		there: wrong
 *	FORM 13	as FORM 2, but the function's row leads to an argument: wrong
 *	FORM 14	as FORM 1, but the rows leave the caller out while a register has the return address: wrong
 *	FORM 15	as FORM 1, and the program ends before the frame returns
 *	FORM 16	the return address is pushed from its slot in memory, which an argument takes then
 */
	.file	"moved.S"
#include "../asm/bare.h"

begin_program

	/* A caller whose CFA hangs on rbp. */
	.macro calls name
	function \name
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.endm

	.macro called name
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	end \name
	.endm

	/* The return address goes into a register, and rsp is as at the call. */
	.macro pop_return reg
	pop	%\reg
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %\reg
	.endm

	/* As of a function's beginning. */
	.macro returns_by_stack
	.cfi_def_cfa %rsp, 8
	.cfi_offset %rip, -8
	.endm

	/* Takes off so many bytes of arguments by hand, and returns. */
	.macro drop_and_return bytes
	pop_return rcx
	lea	\bytes(%rsp), %rsp
	push	%rcx
	returns_by_stack
	ret
	.endm

#if FORM == 1 || FORM == 14 || FORM == 15
	function callee
	nop
#if FORM == 15
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
#endif
	call	leaf
	nop
	ret	$8
	end callee

	function through
	nop
#if FORM == 14
	pop	%rax
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
#else
	pop_return rax
#endif
	push	$77
#if FORM != 14
	.cfi_def_cfa_offset 8
#endif
	push	%rax
	returns_by_stack
	.cfi_same_value %rbp
	jmp	callee
	end through

	calls	inserts
	call	through
	call	leaf
	called	inserts
#elif FORM == 2 || FORM == 3 || FORM == 13
	function pops
#if FORM == 13
	.cfi_def_cfa_offset 16
#endif
	nop
	call	leaf
	nop
#if FORM == 3
	pop_return rcx
	add	$16, %rsp
	jmp	*%rcx
#else
	drop_and_return 16
#endif
	end pops

	calls	inserts
	push	$1
	push	$2
	call	pops
	call	leaf
	called	inserts
#elif FORM == 4
	function callee
	nop
	call	leaf
	nop
	drop_and_return 40
	end callee

	function through
	pop_return rcx
	mov	$4, %edx
1:	push	%rdx /* the CFA goes with rsp: nobody needs it */
	dec	%edx
	jnz	1b
	push	%rcx
	returns_by_stack
	jmp	callee
	end through

	calls	inserts
	push	$1
	call	through
	call	leaf
	called	inserts
#elif FORM == 5
	function callee
	nop
	call	leaf
	ret	$24
	end callee

	function through
	pop_return rcx
	mov	%rcx, %r9
	xor	%ecx, %ecx
	.cfi_register %rip, %r9
	sub	$32, %rsp
	.cfi_def_cfa_offset 32
	mov	%r9, (%rsp)
	returns_by_stack
	jmp	callee
	end through

	calls	inserts
	call	through
	call	leaf
	called	inserts
#elif FORM == 6 || FORM == 7
	function callee
	nop
	call	leaf
#if FORM == 6
	ret	$40
#else
	drop_and_return 40
#endif
	end callee

	/* The return address and one argument, 24 bytes further down. */
	function adapts
	mov	%rsp, %r8
	.cfi_def_cfa %r8, 8
	sub	$24, %rsp
	xor	%edx, %edx
1:	mov	(%r8,%rdx,8), %r10
	mov	%r10, (%rsp,%rdx,8)
	inc	%edx
	cmp	$2, %edx
	jne	1b
	movq	$0, 16(%rsp)
	returns_by_stack
	jmp	callee
	end adapts

	calls	inserts
	push	$1
	push	$2
	call	adapts
	call	leaf
	called	inserts
#elif FORM == 16
	function callee
	nop
	call	leaf
	ret	$24
	end callee

	function through
	push	$1
	.cfi_def_cfa_offset 16
	push	$2
	.cfi_def_cfa_offset 24
	push	16(%rsp)
	.cfi_def_cfa_offset 32
	movq	$3, 24(%rsp)
	returns_by_stack
	jmp	callee
	end through

	calls	inserts
	call	through
	call	leaf
	called	inserts
#elif FORM == 8
	function pops
	nop
	mov	(%rsp), %rdx
	lea	24(%rsp), %rsp
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rdx
	nop
	push	%rdx
	returns_by_stack
	ret
	end pops

	calls	inserts
	push	$1
	push	$2
	call	pops
	call	leaf
	called	inserts
#elif FORM == 9
	function inserts
	call	1f
	.cfi_adjust_cfa_offset 8
1:	pop	%rax
	.cfi_adjust_cfa_offset -8
	push	$1
	.cfi_adjust_cfa_offset 8
	push	%rax
	.cfi_adjust_cfa_offset 8
	call	leaf
	nop
	add	$16, %rsp
	.cfi_adjust_cfa_offset -16
	ret
	end inserts
#elif FORM == 10
	function inserts
	mov	(%rsp), %rax
	push	%rax
	.cfi_adjust_cfa_offset 8
	call	leaf
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	mov	(%rsp), %rax
	push	$1
	.cfi_adjust_cfa_offset 8
	push	%rax
	.cfi_adjust_cfa_offset 8
	call	leaf
	add	$16, %rsp
	.cfi_adjust_cfa_offset -16
	ret
	end inserts
#elif FORM == 11
	function passes
	pop_return r12
	push	$1
	.cfi_def_cfa_offset 8
	push	%r12
	.cfi_def_cfa_offset 16
	call	leaf
	nop
	add	$16, %rsp
	.cfi_def_cfa_offset 0
	nop
	jmp	*%r12
	end passes

	calls	inserts
	call	passes
	call	leaf
	called	inserts
#elif FORM == 12
	function inserts
	call	1f
	.asciz	"an inline string"
	/* As if a function began here, and ran to the ret. */
1:	pop_return rdi
	push	$1
	.cfi_def_cfa_offset 8
	push	%rdi
	.cfi_def_cfa_offset 16
	.cfi_offset %rip, -16
	call	leaf
	nop
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	ret
	end inserts
#endif

	function run
	call	inserts
	call	inserts
	xor	%eax, %eax
	ret
	end run
