/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * deep_state.S - eighteen states remembered inside one another, most of them equal
 *
 * Rule: DW_CFA_remember_state pushes, whether or not anything changes before the next one (DWARF 5,
 * 6.4.2.4); no depth is given anywhere. OTel keeps two and loses the whole file's table at the
 * third, perf-agent sixteen.
 */
	.file	"deep_state.S"
#include "bare.h"
begin_program

	/* Saves rbx and r12, on which its callers' CFAs hang, and destroys both. */
	function nested
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	.cfi_remember_state
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	.rept	16
	.cfi_remember_state
	.endr
	sub	$32, %rsp
	.cfi_def_cfa_offset 56
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	.cfi_remember_state
	sub	$8, %rsp
	.cfi_def_cfa_offset 64
	call	leaf
	add	$8, %rsp
	.cfi_restore_state
	call	leaf
	add	$32, %rsp
	.rept	16
	.cfi_restore_state
	.endr
	call	leaf
	pop	%r12
	.cfi_restore_state
	call	leaf
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end nested

	caller_on r12, on_r12, nested
	caller_on rbx, run, on_r12
