/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * x86_64.h - the registers of x86-64, by their DWARF numbers
 *
 * User space and BPF share them. register_default_rule() (cfi.h) says what a register without a rule has.
 */
#ifndef STACKPROOF_X86_64_H
#define STACKPROOF_X86_64_H

/* DWARF register numbers of x86-64 (System V psABI, figure 3.36). */
#define REGISTER_RAX	   0
#define REGISTER_RDX	   1
#define REGISTER_RCX	   2
#define REGISTER_RBX	   3
#define REGISTER_RSI	   4
#define REGISTER_RDI	   5
#define REGISTER_RBP	   6
#define REGISTER_RSP	   7
#define REGISTER_R8	   8
#define REGISTER_R11	   11
#define REGISTER_R12	   12
#define REGISTER_R13	   13
#define REGISTER_R14	   14
#define REGISTER_R15	   15
#define REGISTER_RIP	   16 /* the return address column */
#define REGISTER_GPR_COUNT 16
#define REGISTER_COUNT	   17
#define CALLEE_SAVED_COUNT 6
/* rbx, rbp, r12, r13, r14, r15: what a function must preserve (psABI, figure 3.4). */
#define CALLEE_SAVED_MASK ((1u << 3) | (1u << 6) | (0xfu << 12))

#endif
