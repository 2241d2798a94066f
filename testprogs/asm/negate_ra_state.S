/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * negate_ra_state.S - number 0x2d on a machine that does not have it
 *
 * Rule: DW_CFA_AARCH64_negate_ra_state and SPARC's DW_CFA_GNU_window_save share 0x2d; on x86-64 it
 * is nothing. From it on its FDE can't be read, the rows before it and all other FDEs can. Parca's
 * reader panicked (#2181), gimli asked which machine (#667), libdw takes it for the one with
 * registers 16 to 31, the return address among them.
 */
	.file	"negate_ra_state.S"
#include "bare.h"
begin_program

	function signs
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	leaf
	nop
	.cfi_escape 0x2d
	nop
	nop
	.cfi_escape 0x2d
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end signs

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	signs
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
