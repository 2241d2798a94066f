/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * overlap.S - FDEs that cover the same addresses
 *
 * Rule: no standard allows it. libgcc and the search table go by the highest first PC; so does this
 * reader, and where that FDE does not reach the PC it goes back to one that does
 * (docs/CFI_READING.md). OTel sorts the rows of both into one list. Here the outer FDE is right in
 * what it has alone, behind the inner ones too, and wrong inside them; of two with one first PC the
 * later is right.
 */
	.file	"overlap.S"
#include "byhand.h"
begin_program

	function outer
	call	leaf
	jmp	.Lbehind
	end outer

	function inner
	sub	$24, %rsp
.Linner_grown:
	call	leaf
	add	$24, %rsp
.Linner_shrunk:
	ret
	end inner

	function twice
	push	%rbx
.Ltwice_pushed:
	call	inner
	pop	%rbx
.Ltwice_popped:
	ret
	end twice

.Lbehind:
	call	twice
	ret
.Lbehind_end:

	function run
	call	outer
	call	inner
	xor	%eax, %eax
	ret
	end run

	begin_eh_frame
	fde_pcrel inner, plain
	advance	inner, .Linner_grown
	.byte	0x0e, 32
	advance	.Linner_grown, .Linner_shrunk
	.byte	0x0e, 8
	end_entry inner
	fde	outer, plain
	.long	outer - ., .Lbehind_end - outer
	.byte	0
	end_entry outer
	fde	wrong_twice, plain
	.long	twice - ., .Lend_of_twice - twice
	.byte	0
	.byte	0x0e, 64 /* def_cfa_offset 64 */
	end_entry wrong_twice
	fde_pcrel twice, plain
	advance	twice, .Ltwice_pushed
	.byte	0x0e, 16
	advance	.Ltwice_pushed, .Ltwice_popped
	.byte	0x0e, 8
	end_entry twice
	fde_pcrel run, plain
	end_entry run
	.long	0
