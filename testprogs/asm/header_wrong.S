/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * header_wrong.S - an .eh_frame_hdr that says nothing true, or (-DNO_TABLE) has no search table
 *
 * Rule: the header is an index (LSB 5, 10.6.2); .eh_frame says the same without it. Its table here
 * is not sorted, leads to no FDE, and counts one entry too many. libunwind aborted where there is
 * no table (#161); after BOLT the header stood behind .eh_frame and `perf script` took an hour
 * (llvm #201701).
 */
	.file	"header_wrong.S"
#include "byhand.h"
begin_program

	chain_function inner, leaf
	chain_function outer, inner

	function run
	call	outer
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run
	fde_pcrel inner, plain
	chain_rules inner
	end_entry inner
	fde_pcrel outer, plain
	chain_rules outer
	end_entry outer
	.long	0

	.section .eh_frame_hdr, "a", @progbits
.Lheader:
#ifdef NO_TABLE
	.byte	1, 0x1b, 0xff, 0xff /* version; .eh_frame: pcrel sdata4; count and table: omit */
	.long	.Lcie_plain - .
#else
	.byte	1, 0x1b, 0x03, 0x3b /* count: udata4; table: datarel sdata4 */
	.long	.Lcie_plain - .
	.long	6
	.long	outer - .Lheader, .Lentry_inner - .Lheader
	.long	inner - .Lheader, .Lentry_run - .Lheader
	.long	run - .Lheader, 0x7fffffff
	.long	_start - .Lheader, -0x7fffffff
	.long	leaf - .Lheader, .Lheader - .Lheader
	.long	0, 0
#endif
