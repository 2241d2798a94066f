/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * new_thread.S - a wrapper of a system call whose CFI ends before its code does
 *
 * glibc's clone and clone3: a thread begins behind the system call with an empty stack, so the FDE was ended
 * before; what the parent does behind it is not covered either (unwind-check lists clone; clone3 of 2.36 has
 * no FDE at all). Right: the FDE covers all, and the child's part says that there is no caller.
 */
#include "bare.h"
	.text
	.globl	new_thread
	.type	new_thread, @function
new_thread:
	.cfi_startproc
	mov	$56, %eax /* clone */
#ifndef RIGHT
	.cfi_endproc
#endif
	syscall
	test	%eax, %eax
	je	1f
	ret
1:
#ifdef RIGHT
	.cfi_undefined %rip
#endif
	xor	%ebp, %ebp
	pop	%rax
#ifdef RIGHT
	.cfi_def_cfa_offset 0
#endif
	call	*%rax
	hlt
#ifdef RIGHT
	.cfi_endproc
#endif
	.size	new_thread, . - new_thread
