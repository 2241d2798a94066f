/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mov_ss.S - a call behind mov ss
 *
 * Rule: the processor holds the trap back for one instruction behind mov ss (Intel SDM volume 3, 6.8.3), so
 * the two run in one step, and the call must be seen all the same.
 */
	.file	"mov_ss.S"
#include "bare.h"
begin_program

	function callee
	call	leaf
	ret
	end callee

	function all
	mov	%ss, %eax
	mov	%eax, %ss
	call	callee
	mov	%ss, %eax
	mov	%eax, %ss
	nop
	call	callee
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
