/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * forgotten_state.S - a second epilogue behind a first one, and no remember_state between
 *
 * Rule: rows follow addresses, not the flow of control: behind a `ret` the CFI still has what the
 * epilogue left, unless it says otherwise. The stubs of .NET's coreclr forget it; OTel decoded a
 * CFA below rsp there, reported such stacks as complete until 2026-09 and drops them since. The
 * table is wrong here, and must be called wrong.
 */
	.file	"forgotten_state.S"
#include "bare.h"
begin_program

	function stub
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	movq	$0, (%rsp)
	call	leaf
	test	%rsp, %rsp
	jne	1f
	add	$16, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
1:
	/* The frame still stands; the CFI says that it is gone. */
	call	leaf
	add	$16, %rsp
	pop	%rbx
	ret
	end stub

	function run
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	stub
	call	leaf
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
