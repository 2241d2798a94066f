/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * set_loc.S - DW_CFA_set_loc
 *
 * Rule: the operand is an address, in the encoding that the CIE's R gives (LSB 5, 10.5), not a
 * distance (DWARF 5, 6.4.2.1): here pcrel sdata4, so it counts from its own place. No assembler
 * writes it. Readers that take it for 8 bytes, or for absolute, lose the FDE.
 */
	.file	"set_loc.S"
#include "byhand.h"
begin_program

	function run
	push	%rbx
.Lpushed:
	xor	%ebx, %ebx
	call	leaf
	sub	$64, %rsp
.Lgrown:
	call	leaf
	add	$64, %rsp
.Lshrunk:
	pop	%rbx
.Lpopped:
	xor	%eax, %eax
	ret
	end run

	.macro set_loc label
	.byte	0x01
	.long	\label - .
	.endm

	begin_eh_frame
	fde_pcrel run, plain
	set_loc	.Lpushed
	.byte	0x0e, 16, 0x83, 2 /* def_cfa_offset 16; offset rbx 2 */
	set_loc	.Lgrown
	.byte	0x0e, 80
	set_loc	.Lshrunk
	.byte	0x0e, 16
	set_loc	.Lpopped
	.byte	0x0e, 8, 0xc3 /* restore rbx */
	end_entry run
	.long	0
