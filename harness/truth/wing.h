/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - what really happened: which instructions a program executed, and its stack at each
 *
 * The tracer steps a program and keeps a shadow stack. contexts gathers all stacks of a run; executed records which
 * instructions ran. judge (verdict/doubt.c) decides whether the truth is believed at a point.
 *
 *	steps/		one executed instruction -> the shadow stack: of every source of truth
 *	tracer/		ptrace, and what stepping disturbs: the stack at every instruction
 *	ending/		how a run that is not whole ended, and how far it had come
 *	contexts/	all true stacks of a run as a tree, and the truth file of it
 *	emulator/	plugins of QEMU's, which see each instruction of a whole guest
 *	rows/		where the caller's frame was at each instruction: facts that any unwind table must fit
 *	executed/	a run as a record for lint: which instructions ran, and the rows that it has proven wrong
 */
#ifndef STACKPROOF_TRUTH_WING_H
#define STACKPROOF_TRUTH_WING_H

#endif
