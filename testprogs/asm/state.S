/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * state.S - remember_state and restore_state around epilogues in the middle of a function
 *
 * Rules: DW_CFA_remember_state pushes all rules and the CFA, restore_state takes them back; three deep
 * (OTel keeps two and then loses the whole file's table); code after a mid-function `ret` is
 * still inside the frame (Parca #841 had it wrong, coreclr's stubs forget it).
 */
	.file	"state.S"
	.text

/* top(depth): depth + 1 */
	.type	top, @function
top:
	.cfi_startproc
	lea	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	top, . - top

/* early(depth): a frame with two registers and two epilogues; the first is in the middle. */
	.type	early, @function
early:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	sub	$8, %rsp
	.cfi_def_cfa_offset 32
	mov	%edi, %ebx
	test	%edi, %edi
	jns	1f
	mov	%edi, %eax
	.cfi_remember_state
	add	$8, %rsp
	.cfi_def_cfa_offset 24
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
1:
	.cfi_restore_state
	call	top
	lea	1(%rax), %edi
	call	top
	add	$8, %rsp
	.cfi_def_cfa_offset 24
	pop	%r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	early, . - early

/* nested(depth): three states remembered inside one another, each with a deeper frame. */
	.type	nested, @function
nested:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%edi, %ebx
	.cfi_remember_state
	push	%r13
	.cfi_def_cfa_offset 24
	.cfi_offset %r13, -24
	.cfi_remember_state
	push	%r14
	.cfi_def_cfa_offset 32
	.cfi_offset %r14, -32
	.cfi_remember_state
	sub	$64, %rsp
	.cfi_def_cfa_offset 96
	lea	1(%rbx), %edi
	call	early
	mov	%eax, %ebx
	add	$64, %rsp
	.cfi_restore_state
	mov	%ebx, %edi
	pop	%r14
	.cfi_restore_state
	nop
	pop	%r13
	.cfi_restore_state
	call	early
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	nested, . - nested

	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$-7, %edi
	call	early
	mov	%eax, %ebx
	mov	$1, %edi
	call	nested
	/* nested(1) = early(early(2)) = early(5) = 8; 8 + early(-7) = 1 */
	add	%ebx, %eax
	dec	%eax
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, . - main
	.section .note.GNU-stack, "", @progbits
