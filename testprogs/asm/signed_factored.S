/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * signed_factored.S - the _sf forms with negative operands, whose results are of the other sign
 *
 * Rule: the operand is a SLEB128 times the data alignment (DWARF 5, 6.4.2.2 and 6.4.2.3), here -8:
 * 4 makes a CFA 32 below the register, -1 puts a register 8 above the CFA. Readers that keep
 * unsigned offsets have a CFA 4 GiB away. clang writes a negative .cfi_def_cfa as an ULEB128 of ten
 * bytes, so the bytes are given.
 */
	.file	"signed_factored.S"
#include "bare.h"
begin_program

	/* Its CFA lies below rbx, its rbx and r12 above the CFA. */
	function below_rbx
	mov	%rbx, 24(%rsp)
	.cfi_escape 0x11, 3, 0x7e /* offset_extended_sf rbx -2: CFA + 16 */
	mov	%r12, 16(%rsp)
	.cfi_escape 0x11, 12, 0x7f /* offset_extended_sf r12 -1: CFA + 8 */
	xor	%r12d, %r12d
	lea	40(%rsp), %rbx
	.cfi_escape 0x12, 3, 4 /* def_cfa_sf rbx 4: rbx - 32 */
	and	$-64, %rsp
	call	leaf
	add	$8, %rbx
	.cfi_escape 0x13, 5 /* def_cfa_offset_sf 5: rbx - 40 */
	call	leaf
	lea	-48(%rbx), %rsp
	.cfi_escape 0x12, 7, 0x7f /* def_cfa_sf rsp -1: rsp + 8 */
	mov	16(%rsp), %r12
	.cfi_restore %r12
	mov	24(%rsp), %rbx
	.cfi_restore %rbx
	xor	%eax, %eax
	ret
	end below_rbx

	caller_on r12, on_r12, below_rbx
	caller_on rbx, run, on_r12
