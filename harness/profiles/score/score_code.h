/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_code.h - frames that no stack can have one above the other, by the program's code alone
 *
 * The truth of another run, or of a process that ran already, can't say that no run ever has a stack. The code can, of
 * two frames: who returns to an address was called by the instruction before it.
 *
 *	no code		the caller's address is no address of a process; or of an attached one, it is in none of the
 *			executable mappings, which were the same at each burst
 *	beyond		by the CFI nobody calls the frame within, its return address is undefined; the truth has it for an
 *			outermost one, too; and the call before the caller's address is of another function
 *	no call		no call instruction ends at the caller's address, at no way to read the bytes before it
 *	callee		a call of one function ends there, and neither that function nor any that it jumps to, and so on, is
 *			that of the frame within. A stub of the PLT leads to each function of that name. The truth's run came
 *			to the frame's function by calls alone
 *
 * Nothing is said where anything is open: of code that no FDE covers, or whose bytes can be read in several ways; of
 * signals' frames, and of what they interrupt; near a function's begin, to which who makes a stack by hand returns
 * (__start_context, Go's goexit), or to an address that the truth has for a caller, that no call is before it; of a callee
 * with a jump to an address that is computed, or that no function begins at; of one that returns to what it has written
 * (retpolines), or has landing pads; of a caller's address that code or data of the image has; of a function that saves
 * the registers of a landing pad, to which it returns; of what an IFUNC has chosen; and of the dynamic linker, into
 * which a stub leads the first time. It goes by the images' files: of code that the program has changed since it is wrong.
 */
#ifndef STACKPROOF_SCORE_CODE_H
#define STACKPROOF_SCORE_CODE_H

#include "score_match.h"

struct score_code;

/* truth is borrowed. -1: ERROR_MEMORY. */
int score_code_create(const struct score_truth *truth, struct score_code **ret,
		      struct error *error);
void score_code_destroy(struct score_code *code);

/* Why no stack has caller, the profile's frame in, above callee: SCORE_NO_CODE, SCORE_BEYOND, SCORE_NO_CALL or SCORE_CALLEE.
 * SCORE_PUT: only where a signal's handler has put it there. SCORE_NO_REASON: one may. */
enum score_reason score_code_refutes(struct score_code *code, const struct score_frame *callee,
				     const struct score_frame *caller,
				     const struct profile_frame *in);

/* Whether the image's code or data has the address, so that who makes a stack by hand may put it there. Without memory
 * it may be. */
bool score_code_is_taken(struct score_code *code, uint32_t image, uint64_t address);

#endif
