/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * retpoline.S - a call whose return address is overwritten: an indirect jump that no predictor
 * follows
 *
 * Rule: none. The thunk calls itself, writes the target over the return address and returns there.
 * Compilers' CFI (CFA = rsp + 16) leaves the inner call out; a shadow stack sees a call, until the
 * `ret`, and a return address that is not the pushed one. Both are right in their way: the truth
 * here is what was called, so that the two instructions behind that call are table faults.
 */
	.file	"retpoline.S"
#include "bare.h"
begin_program

	function thunk_rax
	call	2f
1:
	pause
	lfence
	jmp	1b
2:
	.cfi_def_cfa_offset 16
	mov	%rax, (%rsp)
	ret
	end thunk_rax

	/* The target: entered by that ret, returns to the thunk's caller. */
	function target
	call	leaf
	ret
	end target

	function all
	lea	target(%rip), %rax
	call	thunk_rax
	call	leaf
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
