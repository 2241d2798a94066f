/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * args_size.S - DW_CFA_GNU_args_size
 *
 * Rule: it says how many bytes of arguments a landing pad must drop; a walk goes past it (LSB 5,
 * 10.5.2). 0x2e, one ULEB128. OTel reads and forgets it.
 */
	.file	"args_size.S"
#include "bare.h"
begin_program

	/* Its frame grows by pushes; nobody but the CFI counts them. */
	function pushes
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	xor	%ebp, %ebp
	push	$1
	.cfi_adjust_cfa_offset 8
	.cfi_escape 0x2e, 8
	push	$2
	.cfi_adjust_cfa_offset 8
	.cfi_escape 0x2e, 16
	call	leaf
	sub	$248, %rsp
	.cfi_adjust_cfa_offset 248
	.cfi_escape 0x2e, 0x88, 0x02 /* 264 */
	call	leaf
	add	$264, %rsp
	.cfi_adjust_cfa_offset -264
	.cfi_escape 0x2e, 0
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end pushes

	caller_on rbp, run, pushes
