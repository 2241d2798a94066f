/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fde_first.S - FDEs before their CIE, and one far behind it
 *
 * Rule: an FDE's pointer to its CIE is a signed distance back (LSB 5, 10.6.1.2): negative, it leads
 * forward. Parca and others know only CIEs that they have met ("unknown CIE_id"). The far one is
 * 70,000 bytes away, behind an FDE that is nearly all nops.
 */
	.file	"fde_first.S"
#include "byhand.h"
begin_program

	chain_function early, leaf
	chain_function earlier, early
	chain_function wide, earlier
	chain_function distant, wide

	function run
	call	distant
	xor	%eax, %eax
	ret
	end run

	.section .eh_frame, "a", @progbits
	fde_pcrel earlier, late
	chain_rules earlier
	end_entry earlier
	fde_pcrel early, late
	chain_rules early
	end_entry early
	cie late, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_late
	begin_eh_frame
	fde_pcrel wide, late
	chain_rules wide
	.skip	70000, 0
	end_entry wide
	fde_pcrel distant, late
	chain_rules distant
	end_entry distant
	fde_pcrel run, plain
	end_entry run
	.long	0
