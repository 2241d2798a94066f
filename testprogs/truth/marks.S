/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * marks.S - functions that never return, and a row that leaves out what the truth can't see
 *
 * Rule: who never returns has no caller that could be wrong. FORM 1: a mark for the end of the stack (0) is
 * pushed, and the last function jumped to. FORM 2: the same, a mark that is not 0, from the program's first
 * function. FORM 3: the last function is called, and says that nobody calls it. The CFI is right in these.
 * FORM 4: a call made of push and jmp, and the row of who is jumped to leaves just that frame out. That the
 * truth does not have it either proves nothing.
 */
	.file	"marks.S"
#include "../asm/bare.h"

#if FORM == 2
	.text
	.globl	_start
	function _start
	.cfi_undefined %rip
	push	$0x1234
	jmp	last
	end _start

	function leaf
	nop
	ret
	end leaf
#else
begin_program
#endif

#if FORM <= 3
	function last
#if FORM == 3
	.cfi_undefined %rip
#endif
	nop
	push	%rbx
#if FORM != 3
	.cfi_def_cfa_offset 16
#endif
	call	leaf
	nop
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
	end last
#endif

#if FORM == 1
	function run
	push	$0
	.cfi_def_cfa_offset 16
	jmp	last
	end run
#elif FORM == 3
	function run
	call	last
	nop
	end run
#elif FORM == 4
	function skips
	.cfi_def_cfa_offset 16
	mov	$3, %eax
	call	leaf
	nop
	ret
	end skips

	function by_hand
	lea	1f(%rip), %rax
	push	%rax
	.cfi_def_cfa_offset 16
	jmp	skips
	.cfi_def_cfa_offset 8
	nop /* return addresses are looked up at PC - 1 */
1:
	ret
	end by_hand

	function all
	call	by_hand
	call	by_hand
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
#endif
