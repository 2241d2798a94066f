/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cold.S - a function in two pieces, each with an FDE of its own
 *
 * Rule: an FDE begins with its CIE's rules and nothing else (DWARF 5, 6.4.3). What
 * -freorder-blocks-and-partition moves to .text.unlikely must say the whole frame again, and the
 * jump between the two pieces must not change the stack. The states of the hot piece's
 * remember_state are none of the cold one's.
 */
	.file	"cold.S"
#include "bare.h"
begin_program

	.section .text.unlikely, "ax", @progbits
	function hot.cold
	.cfi_def_cfa_offset 48
	.cfi_offset %rbx, -16
	.cfi_offset %r12, -24
	call	leaf
	nop
	jmp	.Lback
	end hot.cold

	.text
	function hot
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	sub	$24, %rsp
	.cfi_def_cfa_offset 48
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	test	%rsp, %rsp
	.cfi_remember_state
	jne	hot.cold
	add	$24, %rsp
	.cfi_def_cfa_offset 24
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
.Lback:
	.cfi_restore_state
	call	leaf
	add	$24, %rsp
	.cfi_def_cfa_offset 24
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end hot

	caller_on r12, on_r12, hot
	caller_on rbx, run, on_r12
