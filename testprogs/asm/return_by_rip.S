/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * return_by_rip.S - the return address is rip and a distance
 *
 * Rule: DW_CFA_val_expression for the return address column, of DW_OP_breg16: the register rip of the
 * frame itself, as it was found. The low-level locks of nptl until glibc 2.19 say it so: code out of line
 * goes back to a place that the assembler knew. The distance changes with each instruction; inside of a
 * call it changes once more, because a return address points behind the call and is looked up before its
 * end. Some distances here are spelled with constants behind them.
 */
	.file	"return_by_rip.S"
#include "byhand.h"
begin_program

	/* Each is called from one place only. */
	function like_lock
	nop
.Llock_calls:
	call	leaf
.Llock_called:
	ret
	end like_lock

	function jumps_home
	pop	%r9
.Lhome_popped:
	nop
.Lhome_jumps:
	jmp	*%r9
	end jumps_home

	function both
	call	like_lock
.Llock_home:
	call	jumps_home
.Lhome:
	xor	%eax, %eax
	ret
	end both

	chain_function run, both

	/* rip + distance from here to home, as an expression; more is added and taken off again. */
	.macro return_by_rip here, home
	.byte	0x16, 16, 8f - 7f
7:	.byte	0x80
	.sleb128 \home - \here
8:
	.endm
	.macro return_by_rip_and_more here, home, more
	.byte	0x16, 16, 8f - 7f
7:	.byte	0x80
	.sleb128 \home - \here + \more
	.byte	0x0d /* const4s; minus */
	.long	2 * \more
	.byte	0x1c, 0x0d /* const4s; plus */
	.long	\more
	.byte	0x22
8:
	.endm

	begin_eh_frame
	fde_pcrel like_lock, plain
	return_by_rip like_lock, .Llock_home
	advance	like_lock, .Llock_calls
	return_by_rip_and_more .Llock_calls, .Llock_home, 0x1000
	.byte	0x41 /* advance_loc 1 */
	return_by_rip .Llock_called, .Llock_home
	advance	(.Llock_calls + 1), .Llock_called
	return_by_rip .Llock_called, .Llock_home
	end_entry like_lock

	fde_pcrel jumps_home, plain
	advance	jumps_home, .Lhome_popped
	.byte	0x0e, 0
	return_by_rip .Lhome_popped, .Lhome
	advance	.Lhome_popped, .Lhome_jumps
	return_by_rip .Lhome_jumps, .Lhome
	end_entry jumps_home

	fde_pcrel both, plain
	end_entry both
	fde_pcrel run, plain
	chain_rules run
	end_entry run
