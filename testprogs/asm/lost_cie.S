/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lost_cie.S - CIEs that can't be read, among others that can
 *
 * Rule: what a CIE says belongs to its FDEs only; one that nobody can read costs those. Three: a
 * version that does not exist, an augmentation without z that nobody knows, one whose data are
 * longer than itself. Parca ("unknown CIE_id", errors) and OTel lose the file, lightswitch ends the
 * section there and says nothing.
 */
	.file	"lost_cie.S"
#include "byhand.h"
begin_program

	chain_function bad_version, leaf
	chain_function bad_augmentation, leaf
	chain_function bad_length, leaf
	chain_function good, leaf

	function run
	call	good
	call	bad_version
	call	bad_augmentation
	call	bad_length
	call	good
	xor	%eax, %eax
	ret
	end run

	.macro fde_of name
	fde_pcrel \name, \name
	chain_rules \name
	end_entry \name
	.endm

	.section .eh_frame, "a", @progbits
	cie bad_version, "zR", version=7
	.byte	1, 0x1b
	initial_rules
	end_entry cie_bad_version
	fde_of bad_version

	cie bad_augmentation, "armcc+"
	initial_rules
	end_entry cie_bad_augmentation
	fde_of bad_augmentation

	cie bad_length, "zR"
	.byte	100, 0x1b
	initial_rules
	end_entry cie_bad_length
	fde_of bad_length

	begin_eh_frame
	fde_pcrel good, plain
	chain_rules good
	end_entry good
	fde_pcrel run, plain
	end_entry run
	.long	0
