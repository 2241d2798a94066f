/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hooks.S - where an instrumented program reports entries and exits, and nothing else happens
 *
 * Linked to what was compiled with -finstrument-functions -pg -mfentry -fno-omit-frame-pointer. Each
 * hook draws the event's number into r11, which nobody expects to keep, and is at its mark then. Who
 * steps the program finds all there: the number in r11, rsp at the slot of the hook's own return
 * address, rbp as the reporting function has it, rdi and rsi as gcc(1) says of -finstrument-functions.
 * There is no buffer to fill and no lock: threads, handlers, longjmp and exceptions are no cases.
 *
 * With -Wl,-e,witness_start the program asks for the CPU's own shadow stack before its first call. A
 * kernel that has none says no, and that is all.
 */
#define SYS_arch_prctl	   158
#define ARCH_SHSTK_ENABLE  0x5001 /* arch/x86/include/uapi/asm/prctl.h */
#define ARCH_SHSTK_SHSTK   1

	.macro hook name, mark
	.globl	\name, \mark
	.type	\name, @function
	.type	\mark, @function
\name:
	.cfi_startproc
	mov	$1, %r11d
	lock xadd %r11, witness_events(%rip)
	.size	\name, . - \name
\mark:
	ret
	.cfi_endproc
	.size	\mark, . - \mark
	.endm

	.text
	hook	__fentry__, witness_entry
	hook	__cyg_profile_func_enter, witness_enter
	hook	__cyg_profile_func_exit, witness_exit

	/* The same in front of a function of a library, for what is linked with -Wl,--wrap=NAME. */
	.macro wrap name, mark
	.weak	__real_\name
	.globl	__wrap_\name, \mark
	.type	__wrap_\name, @function
	.type	\mark, @function
__wrap_\name:
	.cfi_startproc
	mov	$1, %r11d
	lock xadd %r11, witness_events(%rip)
	.size	__wrap_\name, . - __wrap_\name
\mark:
	jmp	*__real_\name@GOTPCREL(%rip)
	.cfi_endproc
	.size	\mark, . - \mark
	.endm

	wrap	_Unwind_Resume, witness_resume
	wrap	swapcontext, witness_switch

	.globl	witness_start
	.type	witness_start, @function
witness_start:
	.cfi_startproc
	.cfi_undefined %rip
	mov	%rdx, %r8 /* the dynamic loader's function for atexit */
	mov	$SYS_arch_prctl, %eax
	mov	$ARCH_SHSTK_ENABLE, %edi
	mov	$ARCH_SHSTK_SHSTK, %esi
	syscall
	mov	%r8, %rdx
	jmp	_start
	.cfi_endproc
	.size	witness_start, . - witness_start

	.bss
	.balign	8
	.globl	witness_events
	.type	witness_events, @object
witness_events:
	.zero	8
	.size	witness_events, 8

	.section .note.GNU-stack, "", @progbits
