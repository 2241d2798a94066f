/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * untraced.S - a thread that is made so that no tracer is told (CLONE_UNTRACED)
 *
 * Rule: what can't be followed is counted. The program waits until the thread has written its word.
 */
	.file	"untraced.S"
#include "../asm/bare.h"

#define FLAGS 0x00810f00 /* CLONE_UNTRACED | THREAD | SIGHAND | FILES | FS | VM */

	.bss
	.balign 16
	.skip	4096
stack_end:
word:	.skip	4

begin_program

	function run
	mov	$56, %eax /* clone */
	mov	$FLAGS, %edi
	lea	stack_end(%rip), %rsi
	xor	%edx, %edx
	xor	%r10d, %r10d
	xor	%r8d, %r8d
	syscall
	test	%eax, %eax
	jz	2f
	js	3f
1:	mov	$24, %eax /* sched_yield */
	syscall
	cmpl	$1, word(%rip)
	jne	1b
	xor	%eax, %eax
3:	ret
2:	movl	$1, word(%rip)
	mov	$60, %eax /* exit, of the thread */
	xor	%edi, %edi
	syscall
	end run
