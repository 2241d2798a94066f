/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * restorer.S - what a signal handler returns to: with augmentation S, without it (-DPLAIN), without
 * any CFI (-DBARE)
 *
 * Rule: the frame below a signal frame was interrupted, not calling, so its PC is looked up as it
 * is and not at PC - 1 (DWARF 5, 6.4.4; the S is GCC's). The signal comes at the first instruction
 * of a function here: PC - 1 lies in the function before. musl has no CFI for its restorer at all
 * (llvm #103473), where walks end; Parca says that it does not support S, bpftrace subtracts 1
 * anyway.
 */
	.file	"restorer.S"
#include "bare.h"
begin_program

	/* As the kernel does, the walk looks the restorer up at its address less 1: the nop is its FDE's. */
	.type	restorer, @function
restorer:
#ifndef BARE
	.cfi_startproc
#ifndef PLAIN
	.cfi_signal_frame
#endif
	/* rsp is at a struct ucontext; its gregs begin at 40. */
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06	/* CFA = *(rsp + 160): rsp */
	.cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x01	/* rbx at rsp + 128 */
	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00	/* rbp at rsp + 120 */
	.cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0x00	/* r12 at rsp + 72 */
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01	/* rip at rsp + 168 */
#endif
	nop
.Lrestorer:
	mov	$15, %eax /* rt_sigreturn */
	syscall
#ifndef BARE
	.cfi_endproc
#endif
	.size	restorer, . - restorer

	/* (signal, info, ucontext): goes on behind the two bytes of ud2. */
	function handler
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	xor	%ebx, %ebx
	addq	$2, 168(%rdx)
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end handler

	/* Ends where the next one begins; its last row is another frame's. */
	function before
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	leaf
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_def_cfa_offset 32
	nop
	end before

	function interrupted
	ud2
	nop
	ret
	end interrupted

	caller_on rbx, on_rbx, interrupted

	function run
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	/* struct kernel_sigaction: handler, SA_RESTORER | SA_SIGINFO, restorer, mask */
	lea	handler(%rip), %rax
	mov	%rax, (%rsp)
	movq	$0x04000004, 8(%rsp)
	lea	.Lrestorer(%rip), %rax
	mov	%rax, 16(%rsp)
	movq	$0, 24(%rsp)
	mov	$13, %eax /* rt_sigaction */
	mov	$4, %edi /* SIGILL */
	mov	%rsp, %rsi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	call	before
	call	on_rbx
	call	leaf
	call	before
	call	before
	add	$40, %rsp
	.cfi_def_cfa_offset 8
	xor	%eax, %eax
	ret
	end run
