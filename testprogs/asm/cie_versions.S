/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cie_versions.S - CIEs of version 3, 4 and 5 in .eh_frame
 *
 * Rule: version 1 has a return address column of one byte, from 3 on it is an ULEB128; 4 and 5 have
 * sizes of addresses and segment selectors behind the augmentation (DWARF 2 to 5, section 6.4.1).
 * .eh_frame has version 1, with some producers 3; readers that take the rest for malformed lose
 * what binutils and libgcc read.
 */
	.file	"cie_versions.S"
#include "byhand.h"
begin_program

	chain_function version_3, leaf
	chain_function version_4, version_3
	chain_function version_5, version_4

	function run
	call	version_5
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run

.Lcie_three:
	.long	.Lentry_end_cie_three - . - 4
	.long	0
	.byte	3
	.asciz	"zR"
	.byte	1, 0x78
	.byte	0x90, 0x00 /* 16, as an ULEB128 of two bytes */
	.byte	1, 0x1b
	initial_rules
	end_entry cie_three

	.macro cie_sized name, version
.Lcie_\name:
	.long	.Lentry_end_cie_\name - . - 4
	.long	0
	.byte	\version
	.asciz	"zR"
	.byte	8, 0 /* addresses, segment selectors */
	.byte	1, 0x78, 16
	.byte	1, 0x1b
	initial_rules
	end_entry cie_\name
	.endm

	cie_sized four, 4
	cie_sized five, 5
	fde_pcrel version_3, three
	chain_rules version_3
	end_entry version_3
	fde_pcrel version_4, four
	chain_rules version_4
	end_entry version_4
	fde_pcrel version_5, five
	chain_rules version_5
	end_entry version_5
	.long	0
