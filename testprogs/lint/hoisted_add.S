/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hoisted_add.S - clang moves what two epilogues have in common above their branch
 *
 * LLVM issue 220720: the addition to rsp goes, its directive stays behind in each of both. Between
 * them the CFA is declared 8 bytes too high. Right: the directive stands behind the addition.
 */
#include "bare.h"
	.text
	.globl	hoisted_add
	function hoisted_add
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset %rbx, -24
	push	%rax
	.cfi_def_cfa_offset 32
	mov	%esi, %ebp
	mov	%rdi, %rbx
	call	first@PLT
	mov	%rbx, %rdi
	add	$8, %rsp
#ifdef RIGHT
	.cfi_def_cfa_offset 24
#endif
	test	%ebp, %ebp
	je	1f
	.cfi_def_cfa_offset 24
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	jmp	second@PLT
1:
	.cfi_def_cfa_offset 24
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	jmp	third@PLT
	end hoisted_add
