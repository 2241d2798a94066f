/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * huge_offset.S - offsets that need 32 bits and more
 *
 * Rule: an offset is an ULEB128 and has no bound (DWARF 5, 6.4.2.2). Parca keeps 16 bits and wraps
 * at 32 KiB, lightswitch read its 16 bits as signed until 2026-07 (#527). Here one fits in 31 bits,
 * one in 32 only without a sign and one in neither; the compact table keeps 32 with a sign and must
 * say so of the other two.
 */
	.file	"huge_offset.S"
#include "bare.h"
begin_program

	.macro at_distance name, distance, escape:vararg
	function \name
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	movabs	$\distance, %rax
	lea	16(%rsp), %rbx
	sub	%rax, %rbx
	.cfi_escape 0x0c, 3, \escape
	call	leaf
	nop
	.cfi_def_cfa %rsp, 16
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
	end \name
	.endm

	at_distance fits, 0x7ffffff0, 0xf0, 0xff, 0xff, 0xff, 0x07
	at_distance fits_unsigned, 0x90000000, 0x80, 0x80, 0x80, 0x80, 0x09
	at_distance fits_not, 0x500000000, 0x80, 0x80, 0x80, 0x80, 0x50

	function all
	call	fits
	call	fits_unsigned
	call	fits_not
	xor	%eax, %eax
	ret
	end all

	caller_on rbx, run, all
