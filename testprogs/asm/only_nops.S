/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * only_nops.S - FDEs that have no instructions of their own
 *
 * Rule: such an FDE says that the CIE's rules hold all through it (DWARF 5, 6.4.1: padding is
 * DW_CFA_nop). libunwind took it for "no CFI" and fell back to the frame pointer (#285), which here
 * belongs to another function and is destroyed.
 */
	.file	"only_nops.S"
#include "bare.h"
begin_program

	function nothing_but_nops
	nop
	nop
	nop
	ret
	end nothing_but_nops

	function falls_back
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	$1, %ebp
	call	nothing_but_nops
	lea	-64(%rsp), %rbp
	call	nothing_but_nops
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end falls_back

	caller_on rbp, run, falls_back
