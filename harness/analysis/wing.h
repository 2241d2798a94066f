/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - code alone: what is known before each instruction, without running it
 *
 * An instruction is decoded once (code). A function's paths are followed, and each comes to an instruction with a
 * state (flow). lint holds a row against that state, synthesis makes a row out of it. An object file is laid out first
 * (objects).
 *
 *	code/		an instruction: what it reads, writes and does to the stack
 *	objects/	an object file's sections laid out as a linker does, so that the rest sees an image
 *	flow/		the paths through a function, and the state before each instruction
 *	lint/		rows against states; to add a check, add its id in lint.h and its words in lint_ids.c
 *	synthesis/	rows out of states, for code without CFI
 */
#ifndef STACKPROOF_ANALYSIS_WING_H
#define STACKPROOF_ANALYSIS_WING_H

#endif
