/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_plt_rows.S - a PLT that no FDE covers
 *
 * lld and mold write none for it, GNU ld none for that of a static program: every call to another image goes
 * through code at which walks end. Here it is GNU ld with --no-ld-generated-unwind-info. Right: without that
 * option, an expression says where the stub has pushed.
 */
#include "bare.h"
	.text
	.globl	caller
	function caller
	jmp	callee@PLT
	end caller
