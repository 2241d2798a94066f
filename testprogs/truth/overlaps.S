/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * overlaps.S - two FDEs cover the same code, and say different things
 *
 * Rule: nothing says which of the two holds. A reader that takes the wrong one is not at fault. FORM 1: the one
 * that lies within the other is wrong; 2: it alone is right; 3: of two of the same range the second is wrong; 4: the
 * first.
 */
	.file	"overlaps.S"
#include "../asm/byhand.h"

begin_program

	function covered
	nop
	nop
inside:
	nop
	nop
.Lend_of_inside:
	nop
	call	leaf
	ret
	end covered

	function run
	call	covered
	call	covered
	xor	%eax, %eax
	ret
	end run

	/* An FDE whose CFA is rsp plus that. */
	.macro fde_of label, name, offset
	fde \label, plain
	.long	\name - ., .Lend_of_\name - \name
	.byte	0
	.byte	0x0e, \offset
	end_entry \label
	.endm

begin_eh_frame
fde_pcrel run, plain
end_entry run
#if FORM == 1
fde_of outer, covered, 8
fde_of inner, inside, 24
#elif FORM == 2
fde_of outer, covered, 24
fde_of inner, inside, 8
#elif FORM == 3
fde_of first, covered, 8
fde_of second, covered, 24
#elif FORM == 4
fde_of first, covered, 24
fde_of second, covered, 8
#endif
