/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * registers.S - the CFA on registers other than rsp and rbp, and saved registers in unusual places
 *
 * Rules: DW_CFA_def_cfa on rbx, r12 and r10; a chain in which each frame's CFA hangs on a register that
 * the next one saved (peers that drop rbx and r12 to r15 lose the whole stack here); DW_CFA_same_value;
 * DW_CFA_val_offset (the caller's rbp is a distance from the CFA), on which the caller's CFA hangs.
 */
	.file	"registers.S"
	.text

/* Clobbers every callee-saved register that its callers' CFAs hang on, having saved them out of order. */
	.type	clobbers, @function
clobbers:
	.cfi_startproc
	sub	$56, %rsp
	.cfi_def_cfa_offset 64
	mov	%r12, 8(%rsp)
	.cfi_offset %r12, -56
	mov	%rbx, 40(%rsp)
	.cfi_offset %rbx, -24
	mov	%rbp, 16(%rsp)
	.cfi_offset %rbp, -48
	.cfi_same_value %r15
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	xor	%ebp, %ebp
	lea	1(%rdi), %eax
	mov	8(%rsp), %r12
	.cfi_restore %r12
	mov	40(%rsp), %rbx
	.cfi_restore %rbx
	mov	16(%rsp), %rbp
	.cfi_restore %rbp
	add	$56, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	clobbers, . - clobbers

/* rsp is moved by an amount that only the machine knows; the CFA hangs on rbx. */
	.type	on_rbx, @function
on_rbx:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	and	$-256, %rsp
	inc	%edi
	call	clobbers
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	on_rbx, . - on_rbx

/* The same on r12, with an offset that is not that of the push. */
	.type	on_r12, @function
on_r12:
	.cfi_startproc
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	lea	-24(%rsp), %r12
	.cfi_def_cfa %r12, 40
	and	$-512, %rsp
	sub	$512, %rsp
	inc	%edi
	call	on_rbx
	lea	24(%r12), %rsp
	.cfi_def_cfa %rsp, 16
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	on_r12, . - on_r12

/* A leaf whose CFA hangs on a register that nobody saves: valid only in the topmost frame. */
	.type	on_r10, @function
on_r10:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-128, %rsp
	sub	$128, %rsp
	lea	1(%rdi), %eax
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	on_r10, . - on_r10

/* Entered with rbp = CFA + 16. DW_CFA_val_offset_sf (0x15) rbp (6), -2 * data alignment -8 = 16. */
	.type	rbp_is_distance, @function
rbp_is_distance:
	.cfi_startproc
	.cfi_escape 0x15, 0x06, 0x7e
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	xor	%ebp, %ebp
	inc	%edi
	call	on_r10
	lea	32(%rsp), %rbp
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	rbp_is_distance, . - rbp_is_distance

/* Its CFA hangs on rbp, which rbp_is_distance has destroyed and says how to compute. */
	.type	on_rbp, @function
on_rbp:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub	$64, %rsp
	.cfi_def_cfa_offset 80
	lea	16(%rsp), %rbp
	.cfi_def_cfa %rbp, 64
	inc	%edi
	call	rbp_is_distance
	lea	48(%rbp), %rsp
	.cfi_def_cfa %rsp, 16
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	on_rbp, . - on_rbp

	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$1, %edi
	call	on_r12
	mov	%eax, %ebx
	mov	$1, %edi
	call	on_rbp
	/* on_r12(1) = 4, on_rbp(1) = 4 */
	add	%ebx, %eax
	sub	$8, %eax
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, . - main
	.section .note.GNU-stack, "", @progbits
