/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * second_section.S - a linked image with two sections .eh_frame
 *
 * What a tool adds to a file that is linked (objcopy --add-section, --rename-section), or a linker script keeps
 * apart. A run-time begins at the section that PT_GNU_EH_FRAME leads to, and many readers stop at its
 * end. Right: the linker joins them.
 */
#include "byhand.h"
#ifdef RIGHT
#define OTHER .eh_frame
#else
#define OTHER other_frames /* renamed once it is linked */
#endif
	.text
	.globl	first, second
	function first
	ret
	end first
	function second
	ret
	end second

	.macro usual_cie name
	cie \name, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_\name
	.endm

	.section .eh_frame, "a", @progbits
	usual_cie plain
	fde_pcrel first, plain
	end_entry first

	.section OTHER, "a", @progbits
	usual_cie other
	fde_pcrel second, other
	end_entry second
