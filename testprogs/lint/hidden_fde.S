/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hidden_fde.S - an FDE of no length in the search table, in front of the one that has code
 *
 * LLVM issue 218124 (lld kept one entry an address), mold issue 1648 (-DBOTH: it kept both, the
 * empty one behind: a search for the last entry that begins at the PC or before finds that). GCC
 * leaves such FDEs for cold parts that came to nothing. Right: none in the table.
 */
#define BY_HAND
#include "byhand.h"
	.text
	.globl	thrower
	function thrower
	ret
	end thrower

	.section .eh_frame, "a", @progbits
	cie plain, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_plain
	fde_pcrel thrower, plain
	end_entry thrower
	fde	empty, plain
	.long	thrower - ., 0
	.byte	0
	end_entry empty
	.long	0

	.section .eh_frame_hdr, "a", @progbits
.Lheader:
	.byte	1, 0x1b, 0x03, 0x3b /* .eh_frame: pcrel sdata4; count: udata4; table: datarel sdata4 */
	.long	.Lcie_plain - .
	.macro entry fde
	.long	thrower - .Lheader, .Lentry_\fde - 4 - .Lheader
	.endm
#if defined(RIGHT)
	.long	1
	entry	thrower
#elif defined(BOTH)
	.long	2
	entry	thrower
	entry	empty
#else
	.long	1
	entry	empty
#endif
