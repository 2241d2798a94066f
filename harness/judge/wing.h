/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - when a stack is wrong, whose fault it is, point by point
 *
 * A program is stepped (stepping). At each point the engines' stacks are held against the truth (compare), and a verdict
 * says what failed; while the truth is in doubt it says unproven. What is disputed becomes a case that can be played
 * again.
 *
 *	verdict/	the truth, the engines' stacks and the referee: exact, or who is at fault, or unproven
 *	compare/	engines over one program's run: points, scores, ranks, findings
 *	stepping/	what commands that step a program share: options, an estimate, what ran
 *	step/		compare in a terminal, point by point
 *	disputes/	a point in question as a file
 *	replay/		recorded points, played on another kernel
 *	witness/	an instrumented program's own account of its calls, and the CPU's shadow stack, against the truth
 */
#ifndef STACKPROOF_JUDGE_WING_H
#define STACKPROOF_JUDGE_WING_H

#endif
