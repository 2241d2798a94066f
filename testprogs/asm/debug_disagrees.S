/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * debug_disagrees.S - .debug_frame says otherwise than .eh_frame
 *
 * Rule: .eh_frame is what is loaded and what exceptions use; .debug_frame may be stale (BOLT leaves
 * it so, llvm #115067). Parca falls back to it, OTel sorts the rows of both together and takes
 * whichever comes last. Here everything in it is wrong.
 */
	.file	"debug_disagrees.S"
#include "bare.h"
begin_program

	function inner
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end inner

	caller_on rbx, run, inner

	.section .debug_frame, "", @progbits
.Lcie:
	.long	.Lcie_end - . - 4
	.long	-1
	.byte	3, 0, 1, 0x78, 16 /* version, no augmentation, alignments 1 and -8, return address column */
	.byte	0x0c, 7, 8, 0x90, 1 /* def_cfa rsp 8; offset rip 1 */
	.p2align 3, 0
.Lcie_end:
	.long	.Lfde_end - . - 4
	.long	.Lcie
	.quad	inner, .Lend_of_inner - inner
	.byte	0x0e, 0xe7, 0x07 /* def_cfa_offset 999 */
	.byte	0x07, 3 /* undefined rbx */
	.p2align 3, 0
.Lfde_end:
	.long	.Lfde2_end - . - 4
	.long	.Lcie
	.quad	run, .Lend_of_run - run
	.byte	0x07, 16 /* undefined rip */
	.p2align 3, 0
.Lfde2_end:
