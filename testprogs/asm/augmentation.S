/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * augmentation.S - augmentation strings in unusual orders, unknown letters, none, and "eh"
 *
 * Rule: behind z the letters' data come in the letters' order, and the length says where they end,
 * so that a letter nobody knows costs nothing (LSB 5, 10.6.1.1). Without z there are no data:
 * pointers are plain addresses. "eh" is GCC 2's: an address more before the alignments. Parca and
 * OTel give the file up at letters that they do not know (B, G); readers that take R for the first
 * letter read a personality's encoding in its place.
 */
	.file	"augmentation.S"
#include "byhand.h"
begin_program

	chain_function zplr, leaf
	chain_function zrlp, zplr
	chain_function zlr, zrlp
	chain_function zbgr, zlr
	chain_function zrq, zbgr
	chain_function no_r, zrq
	chain_function empty, no_r
	chain_function eh, empty

	function run
	call	eh
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run

	cie zplr, "zPLR"
	.byte	7, 0x03 /* P: udata4 */
	.long	leaf
	.byte	0x1b, 0x1b /* L and R: pcrel sdata4 */
	initial_rules
	end_entry cie_zplr
	fde	zplr, zplr
	.long	zplr - ., .Lend_of_zplr - zplr
	.byte	4
	.long	0 /* no LSDA */
	chain_rules zplr
	end_entry zplr

	cie zrlp, "zRLP"
	.byte	11, 0x1b, 0x04 /* R: pcrel sdata4; L: udata8 */
	.byte	0x04 /* P: udata8 */
	.quad	leaf
	initial_rules
	end_entry cie_zrlp
	fde	zrlp, zrlp
	.long	zrlp - ., .Lend_of_zrlp - zrlp
	.byte	8
	.quad	0
	chain_rules zrlp
	end_entry zrlp

	cie zlr, "zLR"
	.byte	2, 0xff, 0x1b /* L: omit */
	initial_rules
	end_entry cie_zlr
	fde_pcrel zlr, zlr
	chain_rules zlr
	end_entry zlr

	/* AArch64's B and G have no data. */
	cie zbgr, "zBGR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_zbgr
	fde_pcrel zbgr, zbgr
	chain_rules zbgr
	end_entry zbgr

	/* Behind R a letter that nobody has defined, with three bytes of data. */
	cie zrq, "zRQ"
	.byte	4, 0x1b, 1, 2, 3
	initial_rules
	end_entry cie_zrq
	fde_pcrel zrq, zrq
	chain_rules zrq
	end_entry zrq

	cie no_r, "z"
	.byte	0
	initial_rules
	end_entry cie_no_r
	fde	no_r, no_r
	.quad	no_r, .Lend_of_no_r - no_r
	.byte	0
	chain_rules no_r
	end_entry no_r

	cie empty, ""
	initial_rules
	end_entry cie_empty
	fde	empty, empty
	.quad	empty, .Lend_of_empty - empty
	chain_rules empty
	end_entry empty

	/* The address stands between string and alignments, where the macro has no place for it. */
.Lcie_eh:
	.long	.Lentry_end_cie_eh - . - 4
	.long	0
	.byte	1
	.asciz	"eh"
	.quad	leaf
	.byte	1, 0x78, 16
	initial_rules
	end_entry cie_eh
	fde	eh, eh
	.quad	eh, .Lend_of_eh - eh
	chain_rules eh
	end_entry eh
	.long	0
