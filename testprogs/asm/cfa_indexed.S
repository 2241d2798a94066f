/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfa_indexed.S - a CFA in memory behind an index: *(rsp + 8 * r9 + 16) + 8
 *
 * Rule: DW_CFA_def_cfa_expression with two registers, as OpenSSL's Montgomery multiplication has it
 * (bn_mul_mont: the old rsp is kept behind an array whose length is in r9). OTel recognises the
 * form and drops it, Parca and lightswitch have no row. r9 is nobody's to keep, so this is right in
 * the topmost frame only.
 */
	.file	"cfa_indexed.S"
#include "bare.h"
begin_program

	function montgomery
	mov	%rsp, %rax
	.cfi_def_cfa %rax, 8
	mov	$5, %r9d
	sub	$256, %rsp
	and	$-64, %rsp
	mov	%rax, 16(%rsp,%r9,8)
	/* breg7 16; breg9 0; lit8; mul; plus; deref; plus_uconst 8 */
	.cfi_escape 0x0f, 10, 0x77, 16, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8
	xor	%eax, %eax
	nop
	nop
	mov	16(%rsp,%r9,8), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	end montgomery

	caller_on rbp, run, montgomery
