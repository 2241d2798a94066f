/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * c_stack.S - a runtime that calls C on another stack, and is called back from there
 *
 * Rule: OCaml 5 (runtime/amd64.S), and others with small stacks of their own, keep C's stack
 * pointer in a link: two words on top of C's stack, of which one is the runtime's rsp. While C
 * runs, the CFA is *(rsp + 8) + 8, an expression that reads memory at the switched rsp; a callback
 * makes another link. Readers that know only a register and an offset end there. What OCaml does
 * when a stack is full can't be shown: the frames themselves move then, and no truth that knows
 * them by their address can follow.
 *
 * The runtime's stack is the one that _start has; C's lies 2 KiB below, and calls back on one below
 * that.
 */
	.file	"c_stack.S"
#include "bare.h"
begin_program

	/* DW_CFA_def_cfa_expression: breg7 8; deref; plus_uconst 8 */
	.macro cfa_behind_link
	.cfi_escape 0x0f, 5, 0x77, 8, 0x06, 0x23, 8
	.endm

	/* Calls *rax with rsp on the stack that ends at r14: the link, then the call. */
	function call_on_c_stack
	mov	%rsp, %r11
	.cfi_def_cfa_register %r11
	lea	-16(%r14), %rsp
	mov	%r11, 8(%rsp)
	cfa_behind_link
	movq	$0, (%rsp)
	call	*%rax
	mov	8(%rsp), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end call_on_c_stack

	/* C: needs a register for itself, and calls. */
	function c_function
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	sub	$32, %rsp
	.cfi_def_cfa_offset 48
	lea	1(%rdi), %rbx
	call	leaf
	mov	%ebx, %eax
	add	$32, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end c_function

	/* C that calls the runtime back, on a stack that begins below C's frame. */
	function c_that_calls_back
	push	%r14
	.cfi_def_cfa_offset 16
	.cfi_offset %r14, -16
	lea	-1024(%rsp), %r14
	lea	called_back(%rip), %rax
	call	call_on_c_stack
	pop	%r14
	.cfi_restore %r14
	.cfi_def_cfa_offset 8
	ret
	end c_that_calls_back

	/* The runtime's own code again: goes to C once more. */
	function called_back
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	lea	-512(%rsp), %r14
	lea	c_function(%rip), %rax
	call	call_on_c_stack
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end called_back

	caller_on rbx, on_rbx, enter

	function enter
	push	%r14
	.cfi_def_cfa_offset 16
	.cfi_offset %r14, -16
	lea	-2048(%rsp), %r14
	mov	$5, %edi
	lea	c_function(%rip), %rax
	call	call_on_c_stack
	lea	c_that_calls_back(%rip), %rax
	call	call_on_c_stack
	pop	%r14
	.cfi_restore %r14
	.cfi_def_cfa_offset 8
	ret
	end enter

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	on_rbx
	sub	$6, %eax
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end run
