/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame_text.h - a frame, or a count, as profilers write it in one word of text
 *
 * Folded stacks, the maps of bpftrace and the frames of speedscope are spelled alike:
 *
 *	main+0x1f		an offset behind the name, also without a name's image
 *	libc.so.6!read		the image in front (Windows's way), or libc.so.6`read (DTrace's)
 *	read+0x10 [libc.so.6]	the image behind (bcc's way); [kernel] is the kernel
 *	0x401000		an address of the process
 *	[libc.so.6]  [unknown]	an image only, or nothing
 *	read_[k]		with a mark of the FlameGraph project: kernel, inlined, ...
 */
#ifndef STACKPROOF_FRAME_TEXT_H
#define STACKPROOF_FRAME_TEXT_H

#include "perf_line.h"

#define FRAME_TEXT_THOUSANDTHS 1000 /* what fractional counts are counted in */

/* The frame's number; UINT32_MAX and ERROR_MEMORY. decimal_offset: "main+31" has an offset, too. */
uint32_t frame_text_add(struct profile *profile, struct span text, bool decimal_offset,
			struct error *error);
/* Takes "+0x1f", or with decimal "+31", off a name's end; PROFILE_NO_OFFSET: there is none. */
uint64_t frame_text_take_offset(struct span *text, bool decimal);
/* A function of that name is where the kernel is entered from user space. */
bool frame_text_enters_kernel(const char *name);
/*
 * Marks the kernel's frames of a stack, the innermost first: all up to the last one that has the
 * mark already, or that enters the kernel. -1: ERROR_MEMORY.
 */
int frame_text_mark_kernel(struct profile *profile, uint32_t *frame, size_t count,
			   struct error *error);

/*
 * "12", "12.0", or "0.25" times scale, rounded; above 0 never 0. False: it is no count, or does not
 * fit. *ret_fraction: it is no whole number.
 */
bool count_text_read(struct span text, uint64_t scale, uint64_t *ret, bool *ret_fraction);

#endif
