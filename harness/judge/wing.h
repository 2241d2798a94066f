/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - when a stack is wrong, whose fault it is, point by point
 *
 * A program is stepped. At each point the engines' stacks are compared with the truth, and a verdict says what failed.
 * While the truth is in doubt, the verdict is unproven. A disputed point can be written to a file, a case, on which the
 * engines can be asked again.
 *
 *	verdict/	truth, engines' stacks and referee -> exact, a fault, or unproven
 *	compare/	engines over one program's run: points, scores, ranks, findings
 *	rows/		rows of any table that ran in an emulated guest, against the truth's frames
 *	stepping/	what commands that step a program share: options, a time estimate, which code ran
 *	step/		compare in a terminal, point by point
 *	disputes/	a disputed point as a file
 *	replay/		recorded points, played on another kernel
 *	witness/	an instrumented program's log of its calls, and the CPU's shadow stack, against the truth
 */
#ifndef STACKPROOF_JUDGE_WING_H
#define STACKPROOF_JUDGE_WING_H

#endif
