/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * marked.S - a function that was called says that it is a signal frame
 *
 * Rule: behind such a frame the PC is that of an interrupted instruction (DWARF 5, 6.4.4; augmentation S), and its
 * row is looked up there, not one byte before. Where a call is the last before the row changes, that is another
 * row. Who says so is at fault (marked), not who made the call.
 */
	.file	"marked.S"
#include "../asm/bare.h"

begin_program

	function marked
	.cfi_signal_frame
	nop
	call	leaf
	ret	$8
	end marked

	function calls
	push	$1
	.cfi_def_cfa_offset 16
	call	marked
	.cfi_def_cfa_offset 8
	ret
	end calls

	function run
	call	calls
	call	calls
	xor	%eax, %eax
	ret
	end run
