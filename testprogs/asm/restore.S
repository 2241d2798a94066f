/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * restore.S - DW_CFA_restore of registers for which the CIE has no rule
 *
 * Rule: restore goes back to the rule that the CIE's instructions left (DWARF 5, 6.4.2.3). If they
 * left none, it is none: for a callee-saved register "still there", by the ABI. Compilers write it
 * in every epilogue. Both numbers: 0xc0 and restore_extended, 0x06.
 */
	.file	"restore.S"
#include "bare.h"
begin_program

	function restores
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	call	leaf
	mov	(%rsp), %r12
	movq	$0, (%rsp)
	.cfi_escape 0x06, 12 /* restore_extended */
	call	leaf
	pop	%rax
	.cfi_def_cfa_offset 16
	mov	(%rsp), %rbx
	movq	$0, (%rsp)
	.cfi_restore %rbx
	call	leaf
	.cfi_restore %r13 /* has never had a rule */
	call	leaf
	pop	%rax
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end restores

	caller_on r12, on_r12, restores
	caller_on rbx, run, on_r12
