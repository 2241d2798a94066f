/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * length64.S - entries with lengths of 64 bits
 *
 * Rule: a length of 0xffffffff says that the real one follows in 8 bytes (DWARF 5, 7.4). In
 * .eh_frame the CIE id and pointer keep their 4 bytes (LSB 5, 10.6.1, "Extended Length"); in
 * .debug_frame they have 8. Parca reads no such entries, others disagree on the width.
 */
	.file	"length64.S"
#include "byhand.h"
begin_program

	chain_function long_long, leaf
	chain_function long_short, long_long
	chain_function short_long, long_short

	function run
	call	short_long
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run

.Lcie_long:
	.long	-1
	.quad	.Lentry_end_cie_long - . - 8
	.long	0
	.byte	1
	.asciz	"zR"
	.byte	1, 0x78, 16
	.byte	1, 0x1b
	initial_rules
	end_entry cie_long

	.macro fde_long name, cie
	.long	-1
	.quad	.Lentry_end_\name - . - 8
	.long	. - .Lcie_\cie
	.long	\name - ., .Lend_of_\name - \name
	.byte	0
	chain_rules \name
	end_entry \name
	.endm

	fde_long long_long, long
	fde_long short_long, plain
	fde_pcrel long_short, long
	chain_rules long_short
	end_entry long_short
	.long	0
