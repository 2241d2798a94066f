/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * opcode_26.S - a call frame instruction that nobody has defined
 *
 * Rule: an instruction whose number is not known has operands of unknown length, so that nothing
 * behind it can be read: its FDE ends there. No other one does. 0x26 was found at a customer's:
 * Parca lost the whole file (#2459), OTel still does, lightswitch the FDE's rest without a word.
 */
	.file	"opcode_26.S"
#include "bare.h"
begin_program

	function unknown
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	leaf
	nop
	.cfi_escape 0x26
	call	leaf
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end unknown

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	unknown
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
