/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flags.S - rows that take the flags for a return address, where stepping has left its own in them
 *
 * pushf pushes the trap flag that the tracer has set, and syscall puts it into r11. The tracer takes it
 * out again, after the trap: the walk in the kernel was at the trap. So what is read for a point must be
 * what that walk saw, or it looks as if it were at fault, and whose row is wrong is hidden.
 * FORM 1: the row does not know of a pushfq, and so names the flags. FORM 2: the same, pushfw and padding.
 * FORM 3: behind a syscall the return address is said to be in r11. FORM 4: mov ss and pushfq, in one step.
 * FORM 5: no row is wrong, and none may be accused; what is in memory and in r11 is looked at: 0 if the
 * flag is in none of them. FORM 6: the same of a process that is made by fork, FORM 7 of a thread.
 */
	.file	"flags.S"
#include "../asm/bare.h"

#define TRAP_FLAG 0x100

begin_program

	function flags
#if FORM == 1
	pushfq			/* .cfi_adjust_cfa_offset 8 is missing */
	add	$8, %rsp
#elif FORM == 2
	sub	$6, %rsp
	.cfi_adjust_cfa_offset 6
	pushfw			/* .cfi_adjust_cfa_offset 2 is missing, and 6 too much */
	.cfi_adjust_cfa_offset -6
	add	$8, %rsp
#elif FORM == 3
	mov	$39, %eax /* getpid */
	mov	(%rsp), %r11
	.cfi_register %rip, %r11
	syscall
	nop
	.cfi_offset %rip, -8
#elif FORM == 4
	mov	%ss, %eax
	mov	%eax, %ss
	pushfq
	add	$8, %rsp
#elif FORM == 6
	mov	$57, %eax /* fork */
	syscall
	mov	%r11d, %edi
	test	%eax, %eax
	jz	exit
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	mov	%eax, %edi
	mov	%rsp, %rsi
	xor	%edx, %edx
	xor	%r10d, %r10d
	mov	$61, %eax /* wait4 */
	syscall
	pop	%rax
	.cfi_adjust_cfa_offset -8
	ret
exit:
	.cfi_undefined %rip
	and	$TRAP_FLAG, %edi
	shr	$8, %edi
	mov	$60, %eax
	syscall
#elif FORM == 7
	movl	$-1, seen(%rip)
	mov	$0x50f00, %edi /* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM */
	lea	stack_end(%rip), %rsi
	mov	$56, %eax /* clone */
	syscall
	test	%eax, %eax
	jz	thread
1:	pause
	mov	seen(%rip), %eax
	test	%eax, %eax
	js	1b
	ret
thread:
	.cfi_undefined %rip
	and	$TRAP_FLAG, %r11d
	mov	%r11d, seen(%rip)
	mov	$60, %eax
	syscall
	.local	seen, stack
	.comm	seen, 4, 4
	.comm	stack, 4096, 16
	.set	stack_end, stack + 4096
#else
	pushfq
	.cfi_adjust_cfa_offset 8
	mov	$39, %eax
	syscall
	or	(%rsp), %r11
	pushfw
	.cfi_adjust_cfa_offset 2
	or	(%rsp), %r11w
	add	$10, %rsp
	.cfi_adjust_cfa_offset -10
	mov	%ss, %eax
	mov	%eax, %ss
	pushfq
	.cfi_adjust_cfa_offset 8
	or	(%rsp), %r11
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	mov	%r11d, %eax
	and	$TRAP_FLAG, %eax
	ret
#endif
	xor	%eax, %eax
	ret
	end flags

	function run
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	mov	$20, %ebx
1:	call	flags
	test	%eax, %eax
	jnz	2f
	dec	%ebx
	jnz	1b
2:	test	%eax, %eax
	setne	%al
	movzbl	%al, %eax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	end run

	.section .note.GNU-stack, "", @progbits
