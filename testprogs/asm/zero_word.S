/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * zero_word.S - zero words between entries, and none at the end
 *
 * Rule: an entry of length 0 ends the section for who registers it by its start (LSB 5, 10.6.1),
 * but linkers join inputs, and crtend.o's zero may stand in the middle; the search table still
 * leads to what is behind it. Parca goes on, OTel and libdw stop. The section's own end needs no
 * zero.
 */
	.file	"zero_word.S"
#include "byhand.h"
begin_program

	chain_function before, leaf
	chain_function between, before
	chain_function behind, between

	function run
	call	behind
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run
	fde_pcrel before, plain
	chain_rules before
	end_entry before
	.long	0
	fde_pcrel between, plain
	chain_rules between
	end_entry between
	.long	0, 0, 0
	cie another, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_another
	fde_pcrel behind, another
	chain_rules behind
	end_entry behind
