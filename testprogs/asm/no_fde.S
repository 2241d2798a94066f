/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_fde.S - functions without CFI, one with a frame pointer and one without
 *
 * Rule: where no FDE covers a PC there is no caller; a frame pointer that happens to be there is a
 * guess. Rust with panic=abort and hand-written assembly have such code (OTel #1069 wants the
 * guess). The truth names the holes.
 */
	.file	"no_fde.S"
#include "bare.h"
begin_program

	.type	with_frame_pointer, @function
with_frame_pointer:
	push	%rbp
	mov	%rsp, %rbp
	call	leaf
	pop	%rbp
	ret
	.size	with_frame_pointer, . - with_frame_pointer

	.type	without_frame_pointer, @function
without_frame_pointer:
	sub	$24, %rsp
	call	leaf
	add	$24, %rsp
	ret
	.size	without_frame_pointer, . - without_frame_pointer

	function all
	call	with_frame_pointer
	call	without_frame_pointer
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
