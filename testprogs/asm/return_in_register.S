/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * return_in_register.S - the return address in rdi, as while vfork runs, and in rcx
 *
 * Rule: DW_CFA_register for the return address column (DWARF 5, 6.4.2.3). glibc's vfork pops it, so
 * that parent and child don't both return through one slot of the stack. Parca and lightswitch go
 * on to CFA-8 there and say nothing; OTel learned it in 2026-05, for some images.
 */
	.file	"return_in_register.S"
#include "bare.h"
begin_program

	/* glibc's vfork: popped, pushed back. */
	function like_vfork
	pop	%rdi
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rdi
	mov	$39, %eax /* getpid */
	syscall
	push	%rdi
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	ret
	end like_vfork

	/* The same, and it goes back by a jump. */
	function jumps_back
	pop	%r9
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r9
	nop
	nop
	jmp	*%r9
	end jumps_back

	function both
	call	like_vfork
	call	jumps_back
	xor	%eax, %eax
	ret
	end both

	caller_on rbx, run, both
