/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rbp_rules.S - a frame pointer with no rule, with same_value, and undefined
 *
 * Rule: of a callee-saved register without a rule the ABI says that it is kept (DWARF 5, 6.4.1;
 * psABI, figure 3.4). perf-agent took "no rule" for "undefined" and lost 12 to 27 % of every
 * shipped library's code (its #45). undefined means that the value is gone, and matters only to a
 * caller that needs it.
 */
	.file	"rbp_rules.S"
#include "bare.h"
begin_program

	function no_rule
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	leaf
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end no_rule

	function same_value
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	xor	%ebp, %ebp
	call	leaf
	mov	(%rsp), %rbp
	movq	$0, (%rsp)
	.cfi_same_value %rbp
	call	leaf
	pop	%rax
	.cfi_def_cfa_offset 8
	ret
	end same_value

	/* Doesn't give rbp back; its caller knows. */
	function gone
	.cfi_undefined %rbp
	xor	%ebp, %ebp
	call	leaf
	ret
	end gone

	/* Keeps rbp itself, and its CFA hangs on rsp. */
	function keeps_its_own
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	call	gone
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	end keeps_its_own

	caller_on rbp, on_rbp_1, no_rule
	caller_on rbp, on_rbp_2, same_value
	caller_on rbp, on_rbp_3, keeps_its_own

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	on_rbp_1
	call	on_rbp_2
	call	on_rbp_3
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
