/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * by_register.S - a CFA that hangs on a register by an expression, and a callee that doesn't say where
 * it saved that register
 *
 * Rule: the frame is at fault that brought the register back wrong (inner), not the one whose row takes
 * it (run). FORM 1: DW_OP_bregx rbx 16. FORM 2: DW_OP_regx rbx, DW_OP_plus_uconst 16. FORM 3: DW_OP_lit15
 * first, which is no register.
 *
 * And rows that are right, which not everybody can evaluate: nobody is at fault. FORM 4: a CFA found by
 * DW_OP_deref_size (libdw 0.188 dies of it). FORM 5: one found by DWARF register 58, fs.base. FORM 6: rbx
 * kept in xmm3 by the callee (DWARF register 20).
 */
	.file	"by_register.S"
#include "../asm/bare.h"

begin_program

#if FORM == 6
	function inner
	movq	%rbx, %xmm3
	.cfi_register %rbx, %xmm3
	xor	%ebx, %ebx
	call	leaf
	movq	%xmm3, %rbx
	.cfi_restore %rbx
	ret
	end inner
#else
	function inner
	push	%rbx
	.cfi_def_cfa_offset 16
#if FORM > 3
	.cfi_offset %rbx, -16 /* else it is left out */
#endif
	xor	%ebx, %ebx
	call	leaf
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	end inner
#endif

	function run
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%rsp, %rbx
#if FORM == 1
	.cfi_escape 0x0f, 3, 0x92, 3, 16
#elif FORM == 2
	.cfi_escape 0x0f, 4, 0x90, 3, 0x23, 16
#elif FORM == 3
	.cfi_escape 0x0f, 5, 0x3f, 0x92, 3, 1, 0x22
#elif FORM == 4
	/* rsp + 16 + *(uint64_t *)rsp - that */
	.cfi_escape 0x0f, 9, 0x77, 16, 0x77, 0, 0x94, 8, 0x12, 0x1c, 0x22
#elif FORM == 6
	.cfi_def_cfa %rbx, 16
#elif FORM == 5
	/* rsp + 16 + fs.base - that */
	.cfi_escape 0x0f, 9, 0x77, 16, 0x92, 58, 0, 0x12, 0x1c, 0x22, 0x96
#endif
	call	inner
	pop	%rbx
	.cfi_def_cfa %rsp, 8
	xor	%eax, %eax
	ret
	end run
