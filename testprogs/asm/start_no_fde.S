/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * start_no_fde.S - an entry point without FDE, as musl's crt1.o has it
 *
 * Rule: where no FDE covers a PC nothing is known of a caller (DWARF 5, 6.4.1), and a walk says
 * that it does not know. All frames are right, the end is not proven. A walk that calls every end
 * complete has lost the means to tell a lost stack from a whole one.
 */
	.file	"start_no_fde.S"
#define NO_START_FDE
#include "bare.h"
begin_program

	function inner
	call	leaf
	ret
	end inner

	caller_on rbx, run, inner
