/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame_text.h - a frame, or a count, as profilers write it in text
 *
 * Folded stacks, the maps of bpftrace and the frames of speedscope have the same spelling:
 *
 *	main+0x1f		an offset after the name, with or without an image
 *	libc.so.6!read		the image before the name (as Windows); libc.so.6`read (as DTrace)
 *	read+0x10 [libc.so.6]	the image after the name (as bcc); [kernel] is the kernel
 *	0x401000		an address of the process
 *	[libc.so.6]  [unknown]	only an image, or nothing
 *	read_[k]		a mark of the FlameGraph project: kernel, inlined, ...
 */
#ifndef STACKPROOF_FRAME_TEXT_H
#define STACKPROOF_FRAME_TEXT_H

#include "perf_line.h"

#define FRAME_TEXT_THOUSANDTHS 1000 /* the scale of fractional counts */

/* Adds a frame and returns its number; UINT32_MAX: ERROR_MEMORY. decimal_offset: "main+31" has an
 * offset, too. */
uint32_t frame_text_add(struct profile *profile, struct span text, bool decimal_offset,
			struct error *error);
/* Cuts "+0x1f", or with decimal also "+31", off the end of *text and returns it; PROFILE_NO_OFFSET:
 * there is none. */
uint64_t frame_text_take_offset(struct span *text, bool decimal);
/* True if user space enters the kernel in a function of this name. */
bool frame_text_enters_kernel(const char *name);
/*
 * Marks the kernel's frames of a stack, innermost first: all frames up to the last one that is already
 * marked, or enters the kernel. Replaces their numbers in frame. -1: ERROR_MEMORY.
 */
int frame_text_mark_kernel(struct profile *profile, uint32_t *frame, size_t count,
			   struct error *error);

/*
 * Reads "12", "12.0" or "0.25", and multiplies it by scale. Rounds, but a count above 0 never to 0.
 * False: not a count, or too large. *ret_fraction: the count in the text is not a whole number.
 */
bool count_text_read(struct span text, uint64_t scale, uint64_t *ret, bool *ret_fraction);

#endif
