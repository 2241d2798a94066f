/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * depth_calls.S - DEPTH frames by as many instructions: each calls the one behind it
 *
 *	gcc-12 -static -nostdlib -Wl,--eh-frame-hdr -DDEPTH=1000000 -o depth testprogs/bench/depth_calls.S
 *
 * Rule: no limit on depth loses a run; with ten instructions for a frame, as depth.c has them, a million
 * frames take minutes to step. Nothing returns: the program ends in its innermost frame. Eight bytes of
 * stack for a frame: a million are 8 MB, which is all that there usually is (ulimit -s).
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined %rip
	call	dive
	.cfi_endproc
	.size	_start, . - _start

	.globl	dive
	.type	dive, @function
dive:
	.cfi_startproc
	.rept	DEPTH - 2
	call	. + 5
	.endr
	xor	%edi, %edi
	mov	$60, %eax
	syscall
	.cfi_endproc
	.size	dive, . - dive
	.section .note.GNU-stack, "", @progbits
