/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* overwritten.S - two libraries (-DOTHER) with one function of the same size, and other CFI */
	.text
	.globl work
	.type work, @function
work:
	.cfi_startproc
#ifdef OTHER
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov %edi, %ebx
	nop
	nop
	lea 1(%rbx), %eax
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
#else
	sub $40, %rsp
	.cfi_adjust_cfa_offset 40
	nop
	nop
	nop
	lea 2(%rdi), %eax
	add $40, %rsp
	.cfi_adjust_cfa_offset -40
	ret
#endif
	.cfi_endproc
	.size work, .-work
	.section .note.GNU-stack, "", @progbits
