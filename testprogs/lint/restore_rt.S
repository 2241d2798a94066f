/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * restore_rt.S - what a signal handler returns to, without CFI
 *
 * musl has none for __restore_rt (LLVM issue 103473): walks from a handler end there. Right: an FDE
 * with the S augmentation that begins an instruction early, since walkers look it up at the return
 * address less one. Where registers are in the kernel's frame is not shown by the code: unproven.
 */
#include "bare.h"
	.text
#ifdef RIGHT
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa %rsp, 168
	.cfi_offset %rip, 0
	nop
#endif
	.globl	__restore_rt
	.type	__restore_rt, @function
__restore_rt:
	mov	$15, %eax /* rt_sigreturn */
	syscall
#ifdef RIGHT
	.cfi_endproc
#endif
	.size	__restore_rt, . - __restore_rt
	/* Only an image with some .eh_frame is one whose code could be covered. */
	function other
	ret
	end other
