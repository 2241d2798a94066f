/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * unnamed_saves.S - pushes without directives, in a loop written by hand
 *
 * What GMP's mpn routines do (gperftools' unwind-check lists __mpn_addmul_1): registers are saved and
 * used, and the only row is that of the entry. Right: a directive behind each push and pop.
 */
#include "bare.h"
	.text
	.globl	unnamed_saves
	function unnamed_saves
	push	%rbx
#ifdef RIGHT
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
#endif
	mov	%rdx, %rbx
1:
	add	(%rsi,%rbx,8), %rax
	dec	%rbx
	jne	1b
	pop	%rbx
#ifdef RIGHT
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
#endif
	ret
	end unnamed_saves
