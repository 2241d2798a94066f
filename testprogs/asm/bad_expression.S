/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bad_expression.S - expressions with operations that nobody has defined
 *
 * Rule: an operation whose number is not known ends the expression's meaning, not the FDE's: the
 * length in front says where the next instruction is (DWARF 5, 6.4.2.2). Where it is the CFA's
 * there is no caller; where it is a register's, only that register is lost. Peers lose the row or
 * the whole file.
 */
	.file	"bad_expression.S"
#include "bare.h"
begin_program

	function bad_cfa
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	leaf
	nop
	.cfi_escape 0x0f, 3, 0x77, 16, 0xff /* breg7 16; DW_OP_hi_user */
	nop
	nop
	.cfi_def_cfa %rsp, 16
	call	leaf
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end bad_cfa

	/* Nobody needs its rbx, and the reader walks on; a rule of the compact table can't say so. */
	function bad_rbx
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	leaf
	nop
	.cfi_escape 0x10, 3, 3, 0x77, 0, 0x01 /* expression rbx: breg7 0; no operation has the number 1 */
	nop
	.cfi_offset %rbx, -16
	call	leaf
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end bad_rbx

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	bad_cfa
	call	bad_rbx
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
