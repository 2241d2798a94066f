/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * start_no_end.S - an entry point that does not say that it is the outermost frame
 *
 * Rule: the outermost frame's return address is undefined (DWARF 5, 6.4.4; psABI 3.4.1 leaves argc
 * where one would be). Without that the walk takes argc for a caller. Zig's _start is so, and
 * lightswitch "catastrophically" failed on it (#264). The CFI is wrong at every point of this
 * program.
 */
	.file	"start_no_end.S"
#define NO_END
#include "bare.h"
begin_program

	function inner
	call	leaf
	ret
	end inner

	caller_on rbx, run, inner
