/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elsewhere.S - return addresses that are not where a call left them, and returns that are jumps
 *
 * Rule: the CFI may name a caller that no open call knows, and be right. FORM 1: the return address is kept
 * on a stack of its own, by r15. FORM 2: it comes in a register, from who jumps there. FORM 3: the innermost
 * function returns into an outer one for good, with rsp still deep (Free Pascal's exit). FORM 4: who makes a
 * thread leaves return addresses on its stack, and it begins by ret.
 */
	.file	"elsewhere.S"
#include "../asm/bare.h"

#define THREAD	  0x50f00 /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
#define SYS_YIELD 24
#define SYS_CLONE 56
#define SYS_EXIT  60

	.data
	.balign 16
kept:	.zero	64
done:	.long	0
	.balign 16
	.zero	4096
#if FORM == 4
planted:
	.quad	begins
	.quad	ends
#endif

begin_program

#if FORM == 1
	function keeps
	pop	(%r15)
	.cfi_def_cfa_offset 0
	.cfi_escape 0x10, 16, 2, 0x7f, 0 /* the return address: at r15 */
	add	$8, %r15
	.cfi_escape 0x10, 16, 2, 0x7f, 0x78 /* at r15 - 8 */
	.cfi_escape 0x16, 15, 2, 0x7f, 0x78 /* r15: r15 - 8 */
	nop
	call	leaf
	nop
	sub	$8, %r15
	.cfi_escape 0x10, 16, 2, 0x7f, 0
	.cfi_same_value %r15
	jmp	*(%r15)
	end keeps

	function run
	push	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset %r15, -16
	lea	kept(%rip), %r15
	call	keeps
	call	leaf
	xor	%eax, %eax
	pop	%r15
	.cfi_def_cfa_offset 8
	.cfi_restore %r15
	ret
	end run
#elif FORM == 2
	function linked
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r10
	nop
	push	%r10
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	call	leaf
	pop	%r10
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r10
	jmp	*%r10
	end linked

	function run
	lea	1f(%rip), %r10
	jmp	linked
1:
	call	leaf
	xor	%eax, %eax
	ret
	end run
#elif FORM == 3
	function halt
	pop	%rdx
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rdx
	lea	resumed(%rip), %rdx
	push	%rdx
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	ret
	end halt

	function deeper
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	call	halt
	hlt
	end deeper

	function run
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	deeper
resumed:
	nop
	nop
	xor	%edi, %edi
	mov	$SYS_EXIT, %eax
	syscall
	end run
#else
	function begins
	nop
	call	leaf
	movl	$1, done(%rip)
	ret
	end begins

	function ends
	.cfi_undefined %rip
	xor	%edi, %edi
	mov	$SYS_EXIT, %eax
	syscall
	end ends

	function run
	mov	$THREAD, %edi
	lea	planted(%rip), %rsi
	xor	%edx, %edx
	xor	%r10d, %r10d
	xor	%r8d, %r8d
	mov	$SYS_CLONE, %eax
	syscall
	test	%eax, %eax
	jz	2f
1:
	mov	$SYS_YIELD, %eax
	syscall
	cmpl	$0, done(%rip)
	je	1b
	xor	%eax, %eax
2:
	ret
	end run
#endif
