/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame_spelling.h - a frame, or a process, as people read it: on one line, without a byte that could do harm there
 */
#ifndef STACKPROOF_FRAME_SPELLING_H
#define STACKPROOF_FRAME_SPELLING_H

#include "bytes_out.h"
#include "collected.h"

/*
 * Adds a location's line number line; or, where that has no name, the image and the offset in it, in brackets:
 * "[libc.so.6+0x2724a]", "[vdso+0x99d]", "[kernel.kallsyms]"; or PROFILE_TEXT_UNKNOWN. Each character of a name that is in
 * from becomes ':'. What is no marker, but spelled as one, begins with \x5b.
 */
void frame_spell(const struct collected *collected, const struct collected_location *location,
		 uint32_t line, const char *from, struct bytes_out *out);
/* Adds a task's process's name, or ":7" of one that has none, as perf writes it. The same holds of markers. False:
 * nothing is known of it. */
bool process_spell(const struct collected *collected, uint32_t task, const char *from,
		   struct bytes_out *out);

#endif
