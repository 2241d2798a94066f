/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * checkers.S - functions with right CFI, and with -DFAULT=N one directive or instruction that isn't
 *
 * For holding checkers of CFI against each other: scripts/compare-checkers. RIGHT(n, line) is there unless
 * n is the fault, WRONG(n, line) only if it is. What each fault is stands beside it; docs/LINT.md says who
 * finds it.
 */
#include "bare.h"
#ifndef FAULT
#define FAULT 0
#endif
	.macro right number, line:vararg
	.if FAULT_ - \number
	\line
	.endif
	.endm
	.macro wrong number, line:vararg
	.if FAULT_ == \number
	\line
	.endif
	.endm
	.set FAULT_, FAULT
#define RIGHT(number, ...) right number, __VA_ARGS__
#define WRONG(number, ...) wrong number, __VA_ARGS__

	.text
	.globl	saves
	function saves
	push	%rbx
	RIGHT(1, .cfi_def_cfa_offset 16) /* a push without its directive */
	WRONG(2, .cfi_def_cfa_offset 24) /* with another amount */
	RIGHT(3, .cfi_offset %rbx, -16)	 /* a saved register that is not said */
	WRONG(4, .cfi_offset %rbx, -24)	 /* the wrong word */
	WRONG(5, .cfi_offset %rbp, -16)	 /* another register as well */
	mov	%rdi, %rbx
	sub	$32, %rsp
	WRONG(6, .cfi_remember_state)
	.cfi_def_cfa_offset 48
	WRONG(6, .cfi_restore_state) /* the row of before the subtraction comes back */
	mov	%rbx, 8(%rsp)
	WRONG(7, mov %rdi, 32(%rsp)) /* an instruction that overwrites the saved register */
	call	callee@PLT
	mov	8(%rsp), %rax
	RIGHT(8, add $32, %rsp) /* the instruction is not there, its directive is */
	.cfi_def_cfa_offset 16
	RIGHT(9, pop %rbx)
	WRONG(9, pop %rcx) /* another register is popped */
	RIGHT(10, .cfi_def_cfa_offset 8) /* the epilogue's last directive */
	.cfi_restore %rbx
	ret
	end saves

	.globl	framed
	function framed
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	WRONG(11, .cfi_def_cfa_register %rbp) /* an instruction early */
	mov	%rsp, %rbp
	RIGHT(11, .cfi_def_cfa_register %rbp)
	push	%r12
	RIGHT(12, .cfi_offset %r12, -24) /* a register saved in the frame that is not said */
	mov	%rdi, %r12
	and	$-32, %rsp
	call	callee@PLT
	test	%eax, %eax
	je	1f
	lea	-8(%rbp), %rsp
	RIGHT(13, .cfi_remember_state) /* what the second epilogue needs */
	pop	%r12
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %r12
	.cfi_restore %rbp
	ret
1:
	RIGHT(13, .cfi_restore_state)
	mov	%r12, %rax
	WRONG(14, mov %rax, %rbp) /* the frame pointer is overwritten */
	lea	-8(%rbp), %rsp
	pop	%r12
	pop	%rbp
	RIGHT(15, .cfi_def_cfa %rsp, 8)	 /* the CFA still hangs on rbp */
	WRONG(15, .cfi_def_cfa %rbp, 16)
	.cfi_restore %r12
	.cfi_restore %rbp
	ret
	end framed

	.globl	branches
	function branches
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	callee@PLT
	WRONG(16, add $24, %rsp) /* above the branch, its directives below (LLVM issue 220720) */
	test	%eax, %eax
	jne	1f
	RIGHT(16, add $24, %rsp)
	.cfi_def_cfa_offset 8
	ret
1:
	RIGHT(16, .cfi_def_cfa_offset 32)
	RIGHT(16, add $24, %rsp)
	.cfi_def_cfa_offset 8
	jmp	callee@PLT
	end branches

	.globl	moves
	function moves
	mov	%rbx, %r8
	RIGHT(17, .cfi_register %rbx, %r8) /* where the register is put aside */
	WRONG(18, .cfi_register %rbx, %r9) /* another one */
	xor	%ebx, %ebx
	WRONG(19, mov %rdi, %r8) /* overwritten there */
	lea	1(%rbx,%rdi), %rax
	mov	%r8, %rbx
	.cfi_same_value %rbx
	ret
	end moves

	.globl	parts
	function parts
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	test	%edi, %edi
	jne	parts.cold
1:
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end parts
	function parts.cold
	RIGHT(20, .cfi_def_cfa_offset 16) /* another part's first row */
	call	callee@PLT
	jmp	1b
	end parts.cold

	.globl	late
	function late
	sub	$8, %rsp
	RIGHT(21, .cfi_def_cfa_offset 16) /* the directive comes an instruction late */
	xor	%eax, %eax
	WRONG(21, .cfi_def_cfa_offset 16)
	call	callee@PLT
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end late
