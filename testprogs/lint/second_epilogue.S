/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * second_epilogue.S - rows follow addresses: behind a return they still have what it left
 *
 * Stubs of .NET's coreclr, and of whoever writes two epilogues without remembering the state of the first
 * (OTel eBPF profiler, issues 1825, 1892: CFAs below rsp). Right: remember_state and restore_state.
 */
#include "bare.h"
	.text
	.globl	second_epilogue
	function second_epilogue
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%edi, %ebx
	call	work@PLT
	test	%eax, %eax
	jne	1f
#ifdef RIGHT
	.cfi_remember_state
#endif
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
1:
#ifdef RIGHT
	.cfi_restore_state
#endif
	lea	1(%rbx), %eax
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end second_epilogue
