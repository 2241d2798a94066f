/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pushed_data.S - a call that pushes an address to be used as data, and frames that only look like some
 *
 * Rule: whoever is right, a word that a call has pushed proves no frame until something returns there.
 *
 *	FORM 1	a call over an inline string, by a function that was jumped to with a mark (77) on top and
 *		never returns. Its rows count the word: right
 *	FORM 2	a call to the next instruction, its word popped later. The rows count it: right
 *	FORM 3	the same, and the rows leave it out: wrong. The truth has the same false frame
 *	FORM 4	a frame pushed by hand, left by pop and jmp; the row of who is jumped to leaves it out: wrong
 *	FORM 5	a last function that pushes 0 for the end of the stack, and says so: right
 */
	.file	"pushed_data.S"
#include "../asm/bare.h"

begin_program

#if FORM == 1
	function last
	call	1f
	.asciz	"an inline string"
	.cfi_adjust_cfa_offset 8
1:	mov	(%rsp), %rdi
	call	leaf
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
	end last
#elif FORM == 2 || FORM == 3
	function counts
	call	1f
#if FORM == 2
	.cfi_adjust_cfa_offset 8
#endif
1:	nop
	call	leaf
	nop
	pop	%rax
#if FORM == 2
	.cfi_adjust_cfa_offset -8
#endif
	nop
	ret
	end counts
#elif FORM == 4
	function jumped_to
	.cfi_def_cfa_offset 16 /* the pushed frame is left out */
	nop
	call	leaf
	nop
	pop	%rcx
	.cfi_def_cfa_offset 8
	jmp	*%rcx
	end jumped_to

	function jumps
	lea	1f(%rip), %rax
	push	%rax
	.cfi_adjust_cfa_offset 8
	jmp	jumped_to
	nop
	.cfi_adjust_cfa_offset -8
1:	nop
	ret
	end jumps
#elif FORM == 5
	function last
	push	$0
	.cfi_def_cfa_offset 8 /* the return address is 0 */
	call	leaf
	nop
	xor	%edi, %edi
	mov	$60, %eax /* exit */
	syscall
	end last
#endif

	function run
#if FORM == 1
	push	$77
	.cfi_adjust_cfa_offset 8
	jmp	last
#else
#if FORM == 2 || FORM == 3
	call	counts
#elif FORM == 4
	call	jumps
#elif FORM == 5
	call	last
#endif
	nop
	xor	%eax, %eax
	ret
#endif
	end run
