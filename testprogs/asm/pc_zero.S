/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pc_zero.S - an FDE at PC 0 that reaches over the whole program
 *
 * Rule: 0 is what linkers leave of a function that they discarded (--gc-sections); no function of a
 * linked image begins there. Parca and OTel drop such FDEs, libgcc skips them, libdw and gimli take
 * them at their word: with this range every address has two. What it says is wrong.
 */
	.file	"pc_zero.S"
#include "byhand.h"
begin_program

	function inner
	sub	$24, %rsp
.Lgrown:
	call	leaf
	add	$24, %rsp
.Lshrunk:
	ret
	end inner

	function run
	call	inner
	xor	%eax, %eax
	ret
	end run

	.section .eh_frame, "a", @progbits
	cie absolute, "zR"
	.byte	1, 0x00 /* absptr */
	initial_rules
	end_entry cie_absolute
	fde	discarded, absolute
	.quad	0, 0x1000000
	.byte	0
	.byte	0x07, 16, 0x0e, 64 /* undefined rip; def_cfa_offset 64 */
	end_entry discarded
	begin_eh_frame
	fde_pcrel inner, plain
	advance	inner, .Lgrown
	.byte	0x0e, 32
	advance	.Lgrown, .Lshrunk
	.byte	0x0e, 8
	end_entry inner
	fde_pcrel run, plain
	end_entry run
	.long	0
