/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_stacks.h - internal: what step_apply.c asks of step_stacks.c
 */
#ifndef STACKPROOF_STEP_STACKS_H
#define STACKPROOF_STEP_STACKS_H

#include "steps.h"

int stepped_out_of_memory(struct stepped_process *process); /* -1, with the error */
/* thread->next was executed, and rsp is now sp: finds the thread's stack. */
int stepped_follow_stack(struct stepped_process *process, struct stepped_thread *thread,
			 uint64_t sp);
/* The function that switched stacks makes a call: the frames that were parked last are open below it. */
int stepped_continue_stack(struct stepped_process *process, struct stepped_thread *thread);
/* A ret went through no open frame's slot. If it went through one of the stack before, there was no switch:
 * takes that stack back, and returns true. */
bool stepped_unswitch_stack(struct stepped_process *process, struct stepped_thread *thread,
			    uint64_t slot, uint64_t target);
/* A ret went through no open frame's slot. If it is the first entry of a stack that is an array in an open
 * frame, the thread is put on that stack. */
int stepped_enter_array(struct stepped_process *process, struct stepped_thread *thread,
			uint64_t slot, uint64_t target);
/* A frame returned: frames further in that were presumed gone are so for certain now. */
void stepped_settle_presumed(struct stepped_thread *thread);

#endif
