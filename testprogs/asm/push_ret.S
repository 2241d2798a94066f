/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push_ret.S - `push $L; ret`, a jump in the shape of a return
 *
 * Rule: the CFI counts what was pushed, so that its rows are right all along. A shadow stack that
 * takes every `ret` for the end of a frame loses one here. gdb's amd64-push-ret test case;
 * protectors and old trampolines have it.
 */
	.file	"push_ret.S"
#include "bare.h"
begin_program

	function pushes_and_returns
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	lea	1f(%rip), %rax
	push	%rax
	.cfi_def_cfa_offset 24
	ret
	ud2
1:
	.cfi_def_cfa_offset 16
	call	leaf
	lea	leaf(%rip), %rax
	mov	%rax, (%rsp)
	.cfi_def_cfa_offset 16
	ret /* into leaf, which returns to our caller */
	end pushes_and_returns

	function all
	call	pushes_and_returns
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
