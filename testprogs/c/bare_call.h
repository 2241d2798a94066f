/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bare_call.h - system calls and signal handlers for programs without a C library
 *
 * bare_call() is inlined: the frame in which the kernel is entered is the caller's. handle_signal()
 * installs a handler with a restorer of our own, whose CFI is a signal frame's as in glibc: the
 * interrupted registers lie in struct ucontext (arch/x86/include/asm/sigframe.h), rsp points to it
 * there, and the FDE begins one byte early since a return address is looked up at PC - 1.
 */
#ifndef TESTPROGS_BARE_CALL_H
#define TESTPROGS_BARE_CALL_H

#include <asm/unistd.h>
#include <linux/signal.h>
#include "testprog.h"

static inline __attribute__((always_inline)) long
bare_call(long number, long first, long second, long third, long fourth, long fifth, long sixth)
{
	register long r10 __asm__("r10") = fourth;
	register long r8 __asm__("r8") = fifth;
	register long r9 __asm__("r9") = sixth;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define CALL(number, first, second, third)                                                         \
	bare_call(number, (long)(first), (long)(second), (long)(third), 0, 0, 0)

#ifdef BARE_SIGNALS
void bare_restorer(void);

__asm__(".text\n"
	"	.cfi_startproc\n"
	"	.cfi_signal_frame\n"
	"	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\n" /* CFA = *(rsp + 160): rsp */
	"	.cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x01\n"    /* rbx at rsp + 128 */
	"	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00\n"    /* rbp at rsp + 120 */
	"	.cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0x00\n"   /* r12 at rsp + 72 */
	"	.cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0x00\n"
	"	.cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0x00\n"
	"	.cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0x00\n"
	"	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\n" /* rip at rsp + 168 */
	"	nop\n"
	".type bare_restorer, @function\n"
	"bare_restorer:\n"
	"	mov $15, %eax\n" /* rt_sigreturn */
	"	syscall\n"
	"	.cfi_endproc\n"
	"	.size bare_restorer, . - bare_restorer\n");

static inline __attribute__((always_inline)) long handle_signal(int signal, void (*handler)(int),
								unsigned long flags)
{
	struct sigaction action = {
		.sa_handler = handler,
		.sa_flags = flags | SA_RESTORER,
		.sa_restorer = bare_restorer,
	};

	return bare_call(__NR_rt_sigaction, signal, (long)&action, 0, sizeof(action.sa_mask), 0, 0);
}
#endif

#endif
