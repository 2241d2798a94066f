/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rsp_as_pointer.S - rsp as a pointer to data: an array of the caller is filled by push
 *
 * Rule: nothing is taken off by that, and the CFA is at hand by rbp all the time. FORM 1: the array is in
 * the caller's frame, FORM 2: in .bss.
 */
	.file	"rsp_as_pointer.S"
#include "bare.h"
begin_program

	function fill
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	lea	64(%rdi), %rsp
	push	$1
	push	$2
	push	$3
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	end fill

	function all
	sub	$1032, %rsp
	.cfi_def_cfa_offset 1040
#if FORM == 1
	lea	512(%rsp), %rdi
#else
	lea	array(%rip), %rdi
#endif
	call	fill
	call	leaf
	add	$1032, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all

	.local	array
	.comm	array, 4096, 16
