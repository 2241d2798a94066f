/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * coroutines.S - code that is jumped to with rsp elsewhere, and left the same way
 *
 * Rule: who was not entered with rsp at the slot of the truth's frame did not inherit that frame. Its rows may tell
 * of a stack of its own, and all of them are right here. FORM 1: a coroutine in its maker's frame, whose first
 * function has no caller; 2: one that is entered in the middle of a function, with a return address prepared; 3:
 * return addresses on a stack besides rsp's, by rbp (threaded code); 4: the same within the maker's frame.
 */
	.file	"coroutines.S"
#include "../asm/bare.h"

begin_program

#if FORM <= 2
	function first
	.cfi_undefined %rip
	nop
	call	leaf
	nop
	jmp	back
	end first

	function prepared
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
prepared_inside:
	nop
	call	leaf
	nop
	jmp	back
	end prepared

	function ends
	.cfi_undefined %rip
	call	prepared
after_prepared:
	hlt
	end ends

	function maker
	sub	$4096, %rsp
	.cfi_def_cfa_offset 4104
#if FORM == 1
	jmp	first
#else
	lea	after_prepared(%rip), %rax
	mov	%rax, 24(%rsp)
	jmp	prepared_inside
#endif
back:
	add	$4096, %rsp
	.cfi_def_cfa_offset 8
	ret
	end maker
#else
	function maker
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
	mov	%rsp, %r12
	.cfi_def_cfa_register %r12
#if FORM == 3
	lea	returns_end(%rip), %rbp
#else
	sub	$512, %rsp
	lea	256(%rsp), %rbp
#endif
	lea	1f(%rip), %rax
	sub	$8, %rbp
	mov	%rax, (%rbp)
	jmp	outer_word
	nop /* 1f - 1 is the maker's, too */
1:	mov	%r12, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 16
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
	end maker

	function outer_word
	.cfi_def_cfa %rbp, 8
	call	leaf
	lea	1f(%rip), %rax
	sub	$8, %rbp
	.cfi_def_cfa %rbp, 16
	mov	%rax, (%rbp)
	jmp	inner_word
	.cfi_def_cfa %rbp, 8
	nop
1:	add	$8, %rbp
	.cfi_def_cfa %rbp, 0
	jmp	*-8(%rbp)
	end outer_word

	function inner_word
	.cfi_def_cfa %rbp, 8
	.cfi_val_offset %rbp, 0
	nop
	call	leaf
	add	$8, %rbp
	.cfi_def_cfa %rbp, 0
	jmp	*-8(%rbp)
	end inner_word

	.bss
	.skip	256
returns_end:
	.text
#endif

	function run
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$10, %ebx
1:	call	maker
	dec	%ebx
	jnz	1b
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
