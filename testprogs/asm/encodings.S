/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * encodings.S - an FDE for each way to write its first PC
 *
 * Rule: a DW_EH_PE byte is a format, a base and "indirect" (LSB 5, 10.5.1); the range has the
 * format only. Compilers for x86-64 write pcrel sdata4 and nothing else. Parca knows neither
 * textrel nor indirect; OTel none of LEB, textrel, funcrel, aligned and indirect. Not here: an
 * absolute udata2 can't reach code above 64 KiB, where Linux maps none below.
 */
	.file	"encodings.S"
#include "byhand.h"

	.text
.Ltext:
begin_program

	chain_function absptr, leaf
	chain_function udata4, absptr
	chain_function sdata8_pcrel, udata4
	chain_function sdata2_pcrel, sdata8_pcrel
	chain_function udata2_textrel, sdata2_pcrel
	chain_function uleb_textrel, udata2_textrel
	chain_function sleb_textrel, uleb_textrel
	chain_function sdata8_datarel, sleb_textrel
	chain_function aligned, sdata8_datarel
	chain_function indirect, aligned
	chain_function indirect_pcrel, indirect

	function run
	call	indirect_pcrel
	xor	%eax, %eax
	ret
	end run

	/* The base of datarel; the linker's --defsym=datarel_distance=sdata8_datarel-got is what lies between. */
	.section .got, "aw", @progbits
	.globl	got, sdata8_datarel
got:
.Lcell:
	.quad	indirect
.Lcell_2:
	.quad	indirect_pcrel

	.macro cie_encoded name, encoding
	cie \name, "zR"
	.byte	1, \encoding
	initial_rules
	end_entry cie_\name
	.endm

	.macro end_fde name
	.byte	0
	chain_rules \name
	end_entry \name
	.endm

	begin_eh_frame
	fde_pcrel run, plain
	end_entry run

	cie_encoded absptr, 0x00
	fde	absptr, absptr
	.quad	absptr, .Lend_of_absptr - absptr
	end_fde absptr

	cie_encoded udata4, 0x03
	fde	udata4, udata4
	.long	udata4, .Lend_of_udata4 - udata4
	end_fde udata4

	cie_encoded sdata8_pcrel, 0x1c
	fde	sdata8_pcrel, sdata8_pcrel
	.quad	sdata8_pcrel - ., .Lend_of_sdata8_pcrel - sdata8_pcrel
	end_fde sdata8_pcrel

	cie_encoded sdata2_pcrel, 0x1a
	fde	sdata2_pcrel, sdata2_pcrel
	.short	sdata2_pcrel - ., .Lend_of_sdata2_pcrel - sdata2_pcrel
	end_fde sdata2_pcrel

	cie_encoded udata2_textrel, 0x22
	fde	udata2_textrel, udata2_textrel
	.short	udata2_textrel - .Ltext, .Lend_of_udata2_textrel - udata2_textrel
	end_fde udata2_textrel

	cie_encoded uleb_textrel, 0x21
	fde	uleb_textrel, uleb_textrel
	.uleb128 uleb_textrel - .Ltext, .Lend_of_uleb_textrel - uleb_textrel
	end_fde uleb_textrel

	cie_encoded sleb_textrel, 0x29
	fde	sleb_textrel, sleb_textrel
	.sleb128 sleb_textrel - .Ltext
	.uleb128 .Lend_of_sleb_textrel - sleb_textrel
	end_fde sleb_textrel

	cie_encoded sdata8_datarel, 0x3c
	fde	sdata8_datarel, sdata8_datarel
	.quad	datarel_distance, .Lend_of_sdata8_datarel - sdata8_datarel
	end_fde sdata8_datarel

	cie_encoded aligned, 0x50
	fde	aligned, aligned
	.p2align 3, 0
	.quad	aligned, .Lend_of_aligned - aligned
	end_fde aligned

	cie_encoded indirect, 0x80
	fde	indirect, indirect
	.quad	.Lcell, .Lend_of_indirect - indirect
	end_fde indirect

	cie_encoded indirect_pcrel, 0x9b
	fde	indirect_pcrel, indirect_pcrel
	.long	.Lcell_2 - ., .Lend_of_indirect_pcrel - indirect_pcrel
	end_fde indirect_pcrel
	.long	0
