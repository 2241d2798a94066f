/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_world.h - what the image says of all of its functions
 */
#ifndef STACKPROOF_FLOW_WORLD_H
#define STACKPROOF_FLOW_WORLD_H

#include "flow.h"

/* Where a process begins, which languages' functions the image has, and whether some pop their arguments. */
void flow_world_note(struct flow_world *world);
/* Whether some code of the image takes arguments off the stack, or makes room on it for its caller, as far as its
 * returns say. */
void flow_world_note_popping(struct flow_world *world);

#endif
