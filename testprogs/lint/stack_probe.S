/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_probe.S - rsp is moved to touch the stack's next pages, and moved back
 *
 * OCaml pull request 8848: four instructions without directives, in the run-time's entries to C and to
 * the collector; seen with perf. Right: each says where the CFA is.
 */
#include "bare.h"
	.text
	.globl	stack_probe
	function stack_probe
	sub	$0x8000, %rsp
#ifdef RIGHT
	.cfi_adjust_cfa_offset 0x8000
#endif
	mov	%rax, (%rsp)
	add	$0x8000, %rsp
#ifdef RIGHT
	.cfi_adjust_cfa_offset -0x8000
#endif
	jmp	collect@PLT
	end stack_probe
