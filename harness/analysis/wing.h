/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - code alone: what is known before each instruction, without running it
 *
 * In the order of the data:
 *
 *	code/		an instruction: what it reads, writes and does to the stack
 *	objects/	an object file's sections laid out as a linker does, so that the rest sees an image
 *	flow/		the paths through a function, and the state before each instruction
 *	lint/		rows against states; to add a check, add its id in lint.h and its words in lint_ids.c
 *	synthesis/	rows out of states, for code without CFI
 *
 * What is asked once per image, each question answered in one place:
 *
 *	flow_callees_create()		flow_never_returns(), flow_never_returns_by_code(), flow_certainly_returns(),
 *					flow_callee_takes(): what a call of a function does, by names and by one fixpoint
 *					for each question
 *	flow_world_note()		where a process begins, languages, whether functions pop their arguments
 *	flow_address_taken_words()	addresses that something keeps
 *
 * Once per function:
 *
 *	flow_init()	an FDE's fragment, and where it is entered
 *	flow_follow()	its paths: basic blocks, edges, and a worklist of blocks until no state changes
 *	flow_visit()	the state before each instruction, in one order, and each edge that is wrong
 *	flow_proof_try() the same, faster, for a function whose rows are all right: it says so, or nothing
 *	flow_deinit()
 *
 * Then lint holds a row against a state (flow_row_check()), and synthesis makes a row of one (synthesis_row_of()).
 */
#ifndef STACKPROOF_ANALYSIS_WING_H
#define STACKPROOF_ANALYSIS_WING_H

#endif
