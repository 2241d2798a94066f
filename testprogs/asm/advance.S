/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * advance.S - rows that lie far apart: DW_CFA_advance_loc1, 2 and 4
 *
 * Rule: an advance is 6 bits, 1, 2 or 4 bytes, times the code alignment; all are unsigned (DWARF 5,
 * 6.4.2.1). A reader that takes 16 bits for signed goes back by 200 from 65,336 on. The compact
 * table keeps rows that far apart in entries of their own.
 */
	.file	"advance.S"
#include "bare.h"
begin_program

	function far_apart
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	jmp	1f
	.skip	200, 0x90 /* advance_loc1: more than 63, and than 127 */
1:
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	jmp	1f
	.skip	50000, 0x90 /* advance_loc2: more than 255, and than 32,767 */
1:
	push	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset %r13, -32
	jmp	1f
	.skip	70000, 0x90 /* advance_loc4: more than 65,535 */
1:
	push	%r14
	.cfi_def_cfa_offset 40
	.cfi_offset %r14, -40
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	call	leaf
	pop	%r14
	.cfi_restore %r14
	.cfi_def_cfa_offset 32
	pop	%r13
	.cfi_restore %r13
	.cfi_def_cfa_offset 24
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end far_apart

	caller_on r12, on_r12, far_apart
	caller_on rbx, run, on_r12
