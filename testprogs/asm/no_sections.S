/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_sections.S - a whole ELF file with program headers and no section headers
 *
 * Rule: what runs is described by program headers; section headers may be stripped (sstrip,
 * packers). Then PT_GNU_EH_FRAME leads to .eh_frame_hdr, and that to .eh_frame (LSB 5, 10.6.2).
 * Parca finds no table in such a file, lightswitch none until 2026 (#528). Linked with
 * --oformat=binary: the bytes below are the file.
 */
	.file	"no_sections.S"

	.macro function name
\name:
	.endm

	.macro end name
.Lend_of_\name:
	.endm

	.set	base, 0x400000

	.text
.Lfile:
	.ascii	"\177ELF"
	.byte	2, 1, 1, 0 /* 64 bits, little-endian, version, System V */
	.quad	0
	.short	2, 62 /* ET_EXEC, EM_X86_64 */
	.long	1
	.quad	base + _start - .Lfile
	.quad	.Lprogram_headers - .Lfile
	.quad	0 /* section headers */
	.long	0
	.short	64, 56, 2, 64, 0, 0
.Lprogram_headers:
	.long	1, 5 /* PT_LOAD, readable and executable */
	.quad	0, base, base, .Lfile_end - .Lfile, .Lfile_end - .Lfile, 4096
	.long	0x6474e550, 4 /* PT_GNU_EH_FRAME */
	.quad	.Lheader - .Lfile, base + .Lheader - .Lfile, base + .Lheader - .Lfile
	.quad	.Lheader_end - .Lheader, .Lheader_end - .Lheader, 4

	.globl	_start
_start:
	call	run
	mov	%eax, %edi
	mov	$60, %eax /* exit */
	syscall
.Lend_of__start:

	function leaf
	nop
	ret
	end leaf

	function inner
	push	%rbx
.Lpushed:
	xor	%ebx, %ebx
	call	leaf
	pop	%rbx
.Lpopped:
	ret
	end inner

	/* Its CFA hangs on rbx. */
	function run
	push	%rbx
.Lrun_pushed:
	mov	%rsp, %rbx
.Lon_rbx:
	and	$-64, %rsp
	call	inner
	mov	%rbx, %rsp
.Lon_rsp:
	pop	%rbx
.Lrun_popped:
	xor	%eax, %eax
	ret
	end run

	/* Sorted by address, as libgcc's search wants it. */
	.p2align 2, 0
.Lheader:
	.byte	1, 0x1b, 0x03, 0x3b /* .eh_frame: pcrel sdata4; count: udata4; table: datarel sdata4 */
	.long	.Lcie - .
	.long	4
	.long	_start - .Lheader, .Lfde__start - .Lheader
	.long	leaf - .Lheader, .Lfde_leaf - .Lheader
	.long	inner - .Lheader, .Lfde_inner - .Lheader
	.long	run - .Lheader, .Lfde_run - .Lheader
.Lheader_end:

	.macro fde name
.Lfde_\name:
	.long	.Lfde_end_\name - . - 4
	.long	. - .Lcie
	.long	\name - ., .Lend_of_\name - \name
	.byte	0
	.endm

	.macro end_fde name
	.p2align 3, 0
.Lfde_end_\name:
	.endm

	.macro advance from, to
	.byte	0x02, \to - \from
	.endm

	.p2align 3, 0
.Lcie:
	.long	.Lcie_end - . - 4
	.long	0
	.byte	1
	.asciz	"zR"
	.byte	1, 0x78, 16
	.byte	1, 0x1b
	.byte	0x0c, 7, 8, 0x90, 1 /* def_cfa rsp 8; offset rip 1 */
	.p2align 3, 0
.Lcie_end:
	fde _start
	.byte	0x07, 16 /* undefined rip */
	end_fde _start
	fde leaf
	end_fde leaf
	fde inner
	advance inner, .Lpushed
	.byte	0x0e, 16, 0x83, 2 /* def_cfa_offset 16; offset rbx 2 */
	advance .Lpushed, .Lpopped
	.byte	0x0e, 8, 0xc3 /* restore rbx */
	end_fde inner
	fde run
	advance run, .Lrun_pushed
	.byte	0x0e, 16, 0x83, 2
	advance .Lrun_pushed, .Lon_rbx
	.byte	0x0d, 3 /* def_cfa_register rbx */
	advance .Lon_rbx, .Lon_rsp
	.byte	0x0d, 7
	advance .Lon_rsp, .Lrun_popped
	.byte	0x0e, 8, 0xc3
	end_fde run
	.long	0
.Lfile_end:
	.section .note.GNU-stack, "", @progbits
