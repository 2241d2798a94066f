// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// entry_amd64.s - an entry point for Go's code without Go's runtime
//
// Rules: the linker is told to begin here (-E), so no scheduler, no collector and no second thread are there: a
// thousand instructions instead of half a million. What the compiled code asks of its surroundings is a g (the
// goroutine) whose stack limit, stackguard0, is below rsp: any g of zeros. From assembly, run is called by the
// stack-based convention, ABI0; the wrapper that the linker puts between loads the g from -8(FS).
//
// Go's assembler cannot say that a return address is undefined: its CFI takes argc for one, at the first instruction
// (a table fault). Then there is a 0, which ends a walk without proving that this was the end.
#include "textflag.h"

// What is behind a thread's TLS block, as far as Go uses it: FS points to its end.
DATA ·tls+8(SB)/8, $·g(SB)
GLOBL ·tls(SB), NOPTR, $16
GLOBL ·g(SB), NOPTR, $512

TEXT ·entry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ	$0, 0(SP)
	SUBQ	$16, SP
	MOVL	$0x1002, DI // ARCH_SET_FS
	LEAQ	·tls+16(SB), SI
	MOVL	$158, AX // arch_prctl
	SYSCALL
	CALL	·run(SB)
	MOVQ	0(SP), DI // its result
	MOVL	$60, AX // exit
	SYSCALL
	ADDQ	$16, SP
	RET
