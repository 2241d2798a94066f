/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sibling.S - jumps from function to function with the caller's frame left standing
 *
 * Rule: a jump is no call: the function that was left is on no stack, and the one that is entered
 * has its caller's return address (a tail call, DWARF 5, section 3.4). A shadow stack must not drop
 * anything there. One jump goes into the middle of an FDE, where a frame stands already.
 */
	.file	"sibling.S"
#include "bare.h"
begin_program

	function last
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	xor	%ebx, %ebx
.Linto_last:
	call	leaf
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end last

	function jumps
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	call	leaf
	add	$40, %rsp
	.cfi_def_cfa_offset 8
	jmp	last
	end jumps

	/* With a frame just as that of last. */
	function jumps_into
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$1, %ebx
	call	leaf
	test	%ebx, %ebx
	jne	.Linto_last
	ud2
	end jumps_into

	function all
	call	jumps
	call	jumps_into
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
