/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * negative_offset.S - DW_CFA_GNU_negative_offset_extended
 *
 * Rule: the register is at CFA - N * data alignment (LSB 5, 10.5.2), so with -8 above the CFA, in a
 * slot that the caller left free. 0x2f, two ULEB128. Written by old GCCs where _sf was not there
 * yet; Parca's reader panicked two numbers below (#2181).
 */
	.file	"negative_offset.S"
#include "bare.h"
begin_program

	function saves_above
	mov	%rbx, 16(%rsp)
	.cfi_escape 0x2f, 3, 1 /* rbx at CFA + 8 */
	mov	%r12, 32(%rsp)
	.cfi_escape 0x2f, 12, 3 /* r12 at CFA + 24 */
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	call	leaf
	mov	32(%rsp), %r12
	.cfi_restore %r12
	mov	16(%rsp), %rbx
	.cfi_restore %rbx
	xor	%eax, %eax
	ret
	end saves_above

	caller_on r12, on_r12, saves_above
	caller_on rbx, run, on_r12
