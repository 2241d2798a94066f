/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * start_files.S - the first function of a process, and .init, both without CFI
 *
 * musl has none for _start; glibc's crti.o and crtn.o have none to this day: .init is put together from
 * pieces of several files. Right: _start says that there is no caller, and .init's pieces are inside
 * one FDE.
 */
#include "bare.h"
	.text
	.globl	_start
	.type	_start, @function
_start:
#ifdef RIGHT
	.cfi_startproc
	.cfi_undefined %rip
#endif
	xor	%ebp, %ebp
	mov	(%rsp), %rdi
	call	other
	hlt
#ifdef RIGHT
	.cfi_endproc
#endif
	.size	_start, . - _start

	function other
	ret
	end other

	.section .init, "ax", @progbits
	.globl	_init
	.type	_init, @function
_init:
#ifdef RIGHT
	.cfi_startproc
#endif
	sub	$8, %rsp
#ifdef RIGHT
	.cfi_def_cfa_offset 16
#endif
	call	other
	add	$8, %rsp
#ifdef RIGHT
	.cfi_def_cfa_offset 8
#endif
	ret
#ifdef RIGHT
	.cfi_endproc
#endif
	.size	_init, . - _init
