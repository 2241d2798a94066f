/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * untyped.S - functions as assembly has them that never heard of .type and .size
 *
 * Rule: a symbol of no type and of no size is a function's name, from where it stands to the next symbol
 * or the end of its FDE. One here has CFI, and its table has its name. One has none: the fault is its
 * own, and neither of the function before it nor of the one behind.
 */
	.file	"untyped.S"
#include "bare.h"
begin_program

with_cfi:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	leaf
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

without_cfi:
	push	%rbx
	call	leaf
	pop	%rbx
	ret

	function all
	call	with_cfi
	call	without_cfi
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
