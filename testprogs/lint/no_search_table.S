/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_search_table.S - a shared object without PT_GNU_EH_FRAME
 *
 * A linker that is called without --eh-frame-hdr. dl_iterate_phdr(3) then shows an unwinder in the process no
 * way to .eh_frame: exceptions end the program, and walks end there. Right: with it.
 */
#include "bare.h"
	.text
	.globl	alone
	function alone
	ret
	end alone
