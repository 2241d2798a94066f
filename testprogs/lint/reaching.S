/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * reaching.S - an FDE that goes on behind its function's end
 *
 * Its length is that of two functions: a .cfi_endproc behind the wrong one, or a size that a tool computed. The
 * second function has an FDE of its own, so that two cover it; -DALONE: it has none, and pushes, which the
 * first one's rows don't know; -DCODE: the length of the second's leads out of the code; -DNOWHERE: the first's begins where the file has
 * nothing; -DDATA: in data, which whoever maps the file may make code of. Right: the function's length, or, with -DALONE, a second
 * function for which the first one's rows are right.
 */
#include "byhand.h"
	.text
	.globl	first, second
	function first
	mov	%rdi, %rax
	ret
	end first

	function second
#if !defined(ALONE) || !defined(RIGHT)
	push	%rbx
.Lpushed:
	mov	%rdi, %rbx
	mov	%rbx, %rax
	pop	%rbx
.Lpopped:
#endif
	ret
	end second

	.data
data:
	.quad	0

	.section .eh_frame, "a", @progbits
	cie plain, "zR"
	.byte	1, 0x1b
	initial_rules
	end_entry cie_plain
#if defined(DATA) && !defined(RIGHT)
	fde	first, plain
	.long	data - ., 8
	.byte	0
#elif defined(NOWHERE) && !defined(RIGHT)
	fde	first, plain
	.long	first + 0x1000000 - ., 8
	.byte	0
#elif defined(CODE) || (defined(RIGHT) && !defined(ALONE))
	fde_pcrel first, plain
#else
	fde	first, plain
	.long	first - ., .Lend_of_second - first
	.byte	0
#endif
	end_entry first
#ifndef ALONE
	fde	second, plain
	.long	second - .
#if defined(CODE) && !defined(RIGHT)
	.long	0x100000
#else
	.long	.Lend_of_second - second
#endif
	.byte	0
	advance	second, .Lpushed
	.byte	0x0e, 16, 0x83, 2
	advance	.Lpushed, .Lpopped
	.byte	0x0e, 8, 0xc3
	end_entry second
#endif
