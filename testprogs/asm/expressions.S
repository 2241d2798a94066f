/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expressions.S - a CFA in memory, and saved registers found by expressions
 *
 * Rules: DW_CFA_def_cfa_expression *(rsp+a)+b, as OpenSSL's assembly has it (lightswitch's first reason of
 * failure; it packs a and b in 8 bits each without looking, so one function has both above 255);
 * *(rbp-8), as gcc writes it after a realignment; DW_CFA_expression for rbx and rbp. Bytes are given with
 * .cfi_escape: 0x0f def_cfa_expression, 0x10 expression, 0x77 breg7 (rsp), 0x76 breg6 (rbp), 0x06 deref,
 * 0x23 plus_uconst.
 */
	.file	"expressions.S"
	.text

/* Destroys rbx and rbp, on which its callers' CFAs hang. */
	.type	clobbers, @function
clobbers:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset %rbx, -24
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	lea	1(%rdi), %eax
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	clobbers, . - clobbers

/* The old rsp is in the frame at rsp+56; CFA = *(rsp+56)+8. */
	.type	cfa_in_memory, @function
cfa_in_memory:
	.cfi_startproc
	mov	%rsp, %rax
	.cfi_def_cfa %rax, 8
	sub	$64, %rsp
	and	$-64, %rsp
	mov	%rax, 56(%rsp)
	.cfi_escape 0x0f, 0x05, 0x77, 0x38, 0x06, 0x23, 0x08
	inc	%edi
	call	clobbers
	mov	56(%rsp), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	cfa_in_memory, . - cfa_in_memory

/*
 * The same with 320 (sleb c0 02) and 264 (uleb 88 02): *(rsp+320)+264. rbx is at CFA-16, the value
 * kept is CFA-264.
 */
	.type	cfa_in_memory_far, @function
cfa_in_memory_far:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	sub	$640, %rsp
	and	$-64, %rsp
	lea	-248(%rbx), %rax
	mov	%rax, 320(%rsp)
	.cfi_escape 0x0f, 0x07, 0x77, 0xc0, 0x02, 0x06, 0x23, 0x88, 0x02
	xor	%ebx, %ebx
	inc	%edi
	call	cfa_in_memory
	mov	320(%rsp), %rsp
	.cfi_def_cfa %rsp, 264
	add	$248, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	cfa_in_memory_far, . - cfa_in_memory_far

/* After gcc's DRAP: CFA = *(rbp-8), rbp at *(rbp+0), rbx at *(rbp-16). */
	.type	drap, @function
drap:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
	push	%r10
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
	push	%rbx
	.cfi_escape 0x10, 0x03, 0x02, 0x76, 0x70
	sub	$64, %rsp
	xor	%ebx, %ebx
	inc	%edi
	call	cfa_in_memory_far
	add	$64, %rsp
	pop	%rbx
	.cfi_restore %rbx
	pop	%r10
	.cfi_def_cfa %r10, 0
	pop	%rbp
	.cfi_restore %rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	drap, . - drap

/* Its CFA hangs on rbx, which all below have saved or destroyed. */
	.type	on_rbx, @function
on_rbx:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	lea	-16(%rsp), %rbx
	.cfi_def_cfa %rbx, 32
	sub	$32, %rsp
	inc	%edi
	call	drap
	lea	16(%rbx), %rsp
	.cfi_def_cfa %rsp, 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	on_rbx, . - on_rbx

	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	mov	$1, %edi
	call	on_rbx
	/* 1, +1 in each of on_rbx, drap, cfa_in_memory_far, cfa_in_memory and clobbers */
	sub	$6, %eax
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, . - main
	.section .note.GNU-stack, "", @progbits
