/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * zero_length.S - FDEs of no length at the address of a function that has one
 *
 * Rule: an FDE covers pc_begin up to pc_begin + pc_range, so with 0 nothing (DWARF 5, 6.4.1). lld
 * and mold left such FDEs behind and put them into the search table before the real one, which was
 * never found again (llvm #61434, #218124, mold #1648). What they say here is wrong. GNU ld drops
 * them from a section that it can parse: the zero word in the middle keeps it from that, and the
 * search table is lld's as it was.
 */
	.file	"zero_length.S"
#include "byhand.h"
begin_program

	chain_function shadowed_before, leaf
	chain_function shadowed_twice, shadowed_before
	chain_function shadowed_behind, shadowed_twice

	function run
	call	shadowed_behind
	xor	%eax, %eax
	ret
	end run

	.macro of_no_length name, function
	fde	\name, plain
	.long	\function - ., 0
	.byte	0
	.byte	0x0e, 64, 0x07, 16 /* def_cfa_offset 64; undefined rip */
	end_entry \name
	.endm

	begin_eh_frame
	of_no_length first, shadowed_before
	fde_pcrel shadowed_before, plain
	chain_rules shadowed_before
	end_entry shadowed_before
	of_no_length second, shadowed_twice
	fde_pcrel shadowed_twice, plain
	chain_rules shadowed_twice
	end_entry shadowed_twice
	of_no_length third, shadowed_twice
	fde_pcrel shadowed_behind, plain
	chain_rules shadowed_behind
	end_entry shadowed_behind
	of_no_length fourth, shadowed_behind
	.long	0
	fde_pcrel run, plain
	end_entry run
	.long	0

	.section .eh_frame_hdr, "a", @progbits
.Lheader:
	.byte	1, 0x1b, 0x03, 0x3b /* .eh_frame: pcrel sdata4; count: udata4; table: datarel sdata4 */
	.long	.Lcie_plain - .
	.long	6
	.macro entry function, fde
	.long	\function - .Lheader, .Lentry_\fde - 4 - .Lheader
	.endm
	entry	_start, _start
	entry	leaf, leaf
	entry	shadowed_before, first
	entry	shadowed_twice, second
	entry	shadowed_behind, fourth
	entry	run, run
