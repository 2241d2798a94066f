/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * long_expression.S - expressions of 41 operations, one of them 21 entries deep
 *
 * Rule: DWARF bounds neither (2.5.1). bpftrace's interpreter has room for 32 operations and 16
 * entries. Both are right, so the reader must walk through them. The first is a sum, which a rule of the
 * compact table holds; the second is more than the table's builder looks at, and it must say so.
 */
	.file	"long_expression.S"
#include "bare.h"
begin_program

	function adds
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	leaf
	nop
	/* breg7 12; 20 times lit1; plus */
	.cfi_escape 0x0f, 42, 0x77, 12
	.rept	20
	.cfi_escape 0x31, 0x22
	.endr
	nop
	call	leaf
	.cfi_def_cfa %rsp, 32
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end adds

	function piles
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	nop
	/* breg7 32; 20 times lit7, 20 times drop */
	.cfi_escape 0x0f, 42, 0x77, 32
	.rept	20
	.cfi_escape 0x37
	.endr
	.rept	20
	.cfi_escape 0x13
	.endr
	call	leaf
	.cfi_def_cfa %rsp, 32
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	end piles

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	adds
	call	piles
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
