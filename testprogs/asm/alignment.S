/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * alignment.S - code alignment 4; data alignments 1, 0 and -4096
 *
 * Rule: every advance is multiplied by the one, every factored offset by the other (DWARF 5,
 * 6.4.1), whatever they are. On x86-64 producers write 1 and -8, so that readers could be built
 * that never multiply; unwind-check rejects the others. With data alignment 0 a factored offset is
 * 0, whatever its operand.
 */
	.file	"alignment.S"
#include "byhand.h"
begin_program

	.p2align 4, 0x90
	/* Where the stack changes is at multiples of 4. */
	function code_four
	nopl	(%rax)
	push	%rbx
	call	leaf
	nopl	(%rax)
	nopl	(%rax)
	pop	%rbx
	ret
	end code_four

	/* Saves rbx in a slot that the caller left free. */
	function data_one
	mov	%rbx, 16(%rsp)
.Lone_saved:
	xor	%ebx, %ebx
	call	leaf
	mov	16(%rsp), %rbx
.Lone_restored:
	ret
	end data_one

	function data_zero
	sub	$24, %rsp
.Lzero_grown:
	mov	%rbx, 32(%rsp)
.Lzero_saved:
	xor	%ebx, %ebx
	call	leaf
	mov	32(%rsp), %rbx
.Lzero_restored:
	add	$24, %rsp
.Lzero_shrunk:
	ret
	end data_zero

	function data_large
	sub	$4088, %rsp
.Llarge_grown:
	mov	%rbx, (%rsp)
.Llarge_saved:
	xor	%ebx, %ebx
	call	leaf
	mov	(%rsp), %rbx
.Llarge_restored:
	add	$4088, %rsp
.Llarge_shrunk:
	ret
	end data_large

	/* Its CFA hangs on rbx. */
	function run
	push	%rbx
.Lrun_pushed:
	mov	%rsp, %rbx
.Lrun_on_rbx:
	sub	$48, %rsp
	call	code_four
	call	data_one
	call	data_zero
	call	data_large
	mov	%rbx, %rsp
.Lrun_on_rsp:
	pop	%rbx
.Lrun_popped:
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel run, plain
	advance	run, .Lrun_pushed
	.byte	0x0e, 16, 0x83, 2 /* def_cfa_offset 16; offset rbx 2 */
	advance	.Lrun_pushed, .Lrun_on_rbx
	.byte	0x0d, 3 /* def_cfa_register rbx */
	advance	.Lrun_on_rbx, .Lrun_on_rsp
	.byte	0x0d, 7
	advance	.Lrun_on_rsp, .Lrun_popped
	.byte	0x0e, 8, 0xc3 /* restore rbx */
	end_entry run

	cie four, "zR", code=4
	.byte	1, 0x1b
	initial_rules
	end_entry cie_four
	fde_pcrel code_four, four
	.byte	0x41, 0x0e, 16 /* advance_loc 1: 4 bytes */
	.byte	0x43, 0x0e, 8 /* 3: 12 bytes */
	end_entry code_four

	cie one, "zR", data=1
	.byte	1, 0x1b
	.byte	0x0c, 7, 8, 0x11, 16, 0x78 /* def_cfa rsp 8; offset_extended_sf rip -8 */
	end_entry cie_one
	fde_pcrel data_one, one
	advance	data_one, .Lone_saved
	.byte	0x83, 8 /* offset rbx 8: CFA + 8 */
	advance	.Lone_saved, .Lone_restored
	.byte	0xc3
	end_entry data_one

	/* The return address can't be said by a factored offset. */
	cie zero, "zR", data=0
	.byte	1, 0x1b
	.byte	0x0c, 7, 8, 0x10, 16, 2, 0x77, 0 /* def_cfa rsp 8; expression rip: breg7 0 */
	end_entry cie_zero
	fde_pcrel data_zero, zero
	advance	data_zero, .Lzero_grown
	.byte	0x0e, 32, 0x10, 16, 2, 0x77, 24
	advance	.Lzero_grown, .Lzero_saved
	.byte	0x83, 5 /* offset rbx 5: CFA + 0 */
	advance	.Lzero_saved, .Lzero_restored
	.byte	0xc3
	advance	.Lzero_restored, .Lzero_shrunk
	.byte	0x0e, 8, 0x10, 16, 2, 0x77, 0
	end_entry data_zero

	cie large, "zR", data=-4096
	.byte	1, 0x1b
	.byte	0x0c, 7, 8, 0x10, 16, 2, 0x77, 0
	end_entry cie_large
	fde_pcrel data_large, large
	advance	data_large, .Llarge_grown
	.byte	0x13, 0x7f /* def_cfa_offset_sf -1: 4096 */
	.byte	0x10, 16, 3, 0x77, 0xf8, 0x1f /* expression rip: breg7 4088 */
	advance	.Llarge_grown, .Llarge_saved
	.byte	0x83, 1 /* offset rbx 1: CFA - 4096 */
	advance	.Llarge_saved, .Llarge_restored
	.byte	0xc3
	advance	.Llarge_restored, .Llarge_shrunk
	.byte	0x0e, 8, 0x10, 16, 2, 0x77, 0
	end_entry data_large
	.long	0
