/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * byhand.h - .eh_frame byte by byte, for what no assembler's .cfi directives can say
 *
 * An entry is begun by cie or fde and ended by end_entry; what is between is the program's affair:
 * pointers, augmentation data, instructions. The section is the program's, too:
 *
 *	.section .eh_frame, "a", @progbits
 *	cie plain, "zR"
 *	.byte	1, 0x1b			augmentation data: pcrel sdata4
 *	initial_rules
 *	end_entry cie_plain
 *	fde_pcrel run, plain		and its instructions
 *	end_entry run
 *
 * Both assemblers give the same bytes, so these programs are built by one toolchain.
 */
#define BY_HAND
#include "bare.h"

	/* Begins a CIE up to its return address column; the augmentation data follow. */
	.macro cie name, augmentation, version=1, code=1, data=-8
.Lcie_\name:
	.long	.Lentry_end_cie_\name - .Lentry_cie_\name
.Lentry_cie_\name:
	.long	0
	.byte	\version
	.asciz	"\augmentation"
	.uleb128 \code
	.sleb128 \data
	.byte	16
	.endm

	/* DW_CFA_def_cfa rsp 8; DW_CFA_offset rip 1 */
	.macro initial_rules
	.byte	0x0c, 7, 8, 0x90, 1
	.endm

	/* Begins an FDE up to its CIE pointer; pointers and augmentation data follow. */
	.macro fde name, cie
	.long	.Lentry_end_\name - .Lentry_\name
.Lentry_\name:
	.long	. - .Lcie_\cie
	.endm

	/* The same with what nearly all FDEs have: pcrel sdata4, no augmentation data. */
	.macro fde_pcrel name, cie
	fde \name, \cie
	.long	\name - ., .Lend_of_\name - \name
	.byte	0
	.endm

	/* Pads with DW_CFA_nop. */
	.macro end_entry name
	.p2align 3, 0
.Lentry_end_\name:
	.endm

	/* The usual CIE, and the FDEs of _start (return address undefined) and leaf. */
	.macro begin_eh_frame
	.section .eh_frame, "a", @progbits
	cie plain, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_plain
	fde_pcrel _start, plain
	.byte	0x07, 16
	end_entry _start
	fde_pcrel leaf, plain
	end_entry leaf
	.endm

	/* DW_CFA_advance_loc1 from one label to another. */
	.macro advance from, to
	.byte	0x02, \to - \from
	.endm

	/* A function with a frame of 32 bytes that calls another one, and the instructions that say so. */
	.macro chain_function name, callee
	function \name
	sub	$24, %rsp
.Lgrown_\name:
	call	\callee
	add	$24, %rsp
.Lshrunk_\name:
	ret
	end \name
	.endm

	.macro chain_rules name
	advance	\name, .Lgrown_\name
	.byte	0x0e, 32
	advance	.Lgrown_\name, .Lshrunk_\name
	.byte	0x0e, 8
	.endm
