/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * put_aside.S - rbx is kept in another register around cpuid
 *
 * clang's <cpuid.h> does it in inline assembly, which has no directives: for two instructions the caller's
 * rbx is in rsi, and no row says so. Right: .cfi_register.
 */
#include "bare.h"
	.text
	.globl	put_aside
	function put_aside
	mov	%edi, %eax
	xchg	%rbx, %rsi
#ifdef RIGHT
	.cfi_register %rbx, %rsi
#endif
	cpuid
	xchg	%rbx, %rsi
#ifdef RIGHT
	.cfi_same_value %rbx
#endif
	mov	%esi, %eax
	ret
	end put_aside
