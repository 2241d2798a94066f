/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * late_restore.S - one instruction at which no row is true, and a routine without CFI
 *
 * OpenSSL pull request 8109, found by BoringSSL's tests that single-step: a short cut's last
 * instruction stood behind the directives of the epilogue, and inner routines had no
 * .cfi_startproc. Right: the directives stand behind the instruction, and all is covered.
 */
#include "bare.h"
	.text
	.globl	late_restore
	function late_restore
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	sub	$160, %rsp
	.cfi_adjust_cfa_offset 160
	call	inner
	mov	%eax, %ebx
	shr	$1, %ebx
#ifndef RIGHT
	.cfi_adjust_cfa_offset -160
#endif
	add	$160, %rsp
#ifdef RIGHT
	.cfi_adjust_cfa_offset -160
#endif
	mov	%ebx, %eax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	end late_restore

	.type	inner, @function
inner:
#ifdef RIGHT
	.cfi_startproc
#endif
	lea	1(%rdi), %eax
	ret
#ifdef RIGHT
	.cfi_endproc
#endif
	.size	inner, . - inner
