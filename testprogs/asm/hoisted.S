/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hoisted.S - an epilogue's add moved above a branch, and its CFI left behind
 *
 * Rule: a row must begin where its instruction ends. clang merges two epilogues and hoists `add $8,
 * %rsp` above the branch between them, but .cfi_def_cfa_offset stays below (llvm #220720): for a
 * few instructions the CFA is 8 too high. Only a walk from just there sees it.
 */
	.file	"hoisted.S"
#include "bare.h"
begin_program

	function hoisted
	push	%rax
	.cfi_def_cfa_offset 16
	call	leaf
	test	%rsp, %rsp
	lea	8(%rsp), %rsp
	jne	1f
	.cfi_def_cfa_offset 8
	ret
1:
	.cfi_def_cfa_offset 16
	nop
	.cfi_def_cfa_offset 8
	ret
	end hoisted

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	hoisted
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
