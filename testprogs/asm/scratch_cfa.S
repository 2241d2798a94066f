/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * scratch_cfa.S - a CFA that hangs on rax, rsi or r11
 *
 * Rule: DW_CFA_def_cfa takes any register (DWARF 5, 6.4.2.2). Cryptographic assembly keeps the old
 * rsp in one that its callers do not need kept, which is right in the topmost frame and nowhere
 * else. OTel knows rax, r9, r11 and r15, and only in images of certain names; Parca and lightswitch
 * know rsp and rbp.
 */
	.file	"scratch_cfa.S"
#include "bare.h"
begin_program

	.macro on_scratch reg, name
	function \name
	lea	-40(%rsp), %\reg
	.cfi_def_cfa %\reg, 48
	sub	$200, %rsp
	and	$-128, %rsp
	nop
	lea	40(%\reg), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end \name
	.endm

	on_scratch rax, on_rax
	on_scratch rsi, on_rsi
	on_scratch r11, on_r11

	function all
	call	on_rax
	call	on_rsi
	call	on_r11
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
