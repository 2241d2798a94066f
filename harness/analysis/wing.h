/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - code alone: what is known before each instruction, without running it
 *
 * In the order of the data:
 *
 *	code/		an instruction: what it reads, writes and does to the stack
 *	objects/	an object file's sections laid out as a linker does, so that the rest sees an image
 *	flow/		the paths through a function, and the state before each instruction
 *	lint/		rows held against states; a new check needs its id in lint.h and its words in lint_ids.c
 *	synthesis/	rows made from states, for code without CFI
 *
 * The face: what other wings, commands and the lab call. All else of the headers is between the rooms.
 *
 *	code/code.h		code_decoder_create(), _destroy(), code_decode(), code_print(): an instruction
 *				code_convention_unkept(): registers that an image's functions don't preserve
 *	objects/object.h	object_create(), _destroy(), object_section_find()
 *	lint/lint.h		lint_file(): a file as JSON; lint_image(): of who wants each point, or no JSON
 *				lint_text_print(), lint_warning_print(): these objects for people
 *				lint_files_take(), _end_image(), _end(): a line for a file, in place of its functions
 *				lint_ids, lint_reasons, lint_id_find(), lint_finding_compare()
 *	synthesis/synthesis.h	synthesis_file(), synthesis_text_image(): the same of rows for code without CFI
 *				synthesis_attach(): rows for an image that is about to be walked
 *
 * Once per image flow_world_init() begins what lint and synthesis share, and flow_world_deinit() ends it. Questions that
 * are asked once per image. Each is answered in one place:
 *
 *	flow_callees_create()		what a call of a function does, by names and by one fixpoint for each question:
 *					flow_never_returns(), flow_never_returns_by_code(), flow_certainly_returns(),
 *					flow_callee_takes()
 *	flow_world_note()		where a process begins, languages, whether functions pop their arguments
 *	flow_address_taken_words()	which addresses of code are taken
 *	flow_world_learn()		which functions don't preserve what callees do, once all were followed
 *
 * Where functions begin. Each place that is known is asked for by one function, for lint and synthesis alike:
 *
 *	cfi_fde_begins(), cfi_next_begin()	by an FDE; lint_begin_doubtful(): perhaps one begins elsewhere
 *	image_symbol_at()			by a symbol
 *	flow_walk_step()			where code calls and jumps, if nothing else is known of it
 *	flow_address_taken_words(), _by()	an address that is taken; flow_function_may_begin(): it looks like one
 *
 * Once per function:
 *
 *	flow_plain()	need it be followed?
 *	flow_follow()	its paths, as struct flow_plan says: basic blocks, edges, and a worklist of blocks until no state
 *			changes. A proof may be tried first, which is faster if all rows are right; else it says nothing
 *	flow_enter()	for those that are entered elsewhere than at their begin
 *	flow_visit()	visits each instruction with the state before it, and each edge that is wrong
 *	flow_learn()	what those must know who call it
 *	flow_deinit()
 *
 * Then lint holds a row against a state (flow_row_check()), or synthesis makes a row from it (synthesis_row_of()).
 */
#ifndef STACKPROOF_ANALYSIS_WING_H
#define STACKPROOF_ANALYSIS_WING_H

#endif
