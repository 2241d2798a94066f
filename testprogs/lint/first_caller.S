/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * first_caller.S - the first function of a process, said to have a caller
 *
 * Go 1.19's _rt0_amd64_linux, Zig's _start (lightswitch issue 264): rows like those of any
 * function, where argc is on top of the stack (psABI, 3.4.1). Walks go on into the arguments, and no stack
 * has a proven end. Right: the return address is undefined.
 */
#include "bare.h"
	.text
	.globl	_start
	function _start
#ifdef RIGHT
	.cfi_undefined %rip
#endif
	mov	(%rsp), %rdi
	lea	8(%rsp), %rsi
	jmp	go
	end _start

	function go
#ifdef RIGHT
	.cfi_undefined %rip
#endif
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	mov	%rdi, 24(%rsp)
	mov	$60, %eax /* exit */
	syscall
	hlt
	end go
