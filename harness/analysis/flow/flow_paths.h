/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_paths.h - between the files that follow paths: flow.c, flow_call.c, flow_jump.c, flow_fallthrough.c, flow_proof.c
 */
#ifndef STACKPROOF_FLOW_PATHS_H
#define STACKPROOF_FLOW_PATHS_H

#include "flow.h"

/* Forgets these as well, and all fragments but the first. */
void flow_forget(struct flow *flow);
static inline bool flow_wants(const struct flow_world *world, enum flow_lead_kind kind)
{
	return world->leads_wanted >> kind & 1;
}

static inline void flow_tell(const struct flow_world *world, const struct flow_lead *lead)
{
	if (flow_wants(world, lead->kind))
		world->leads(world->context, lead);
}

/* The instruction at from leads to pc, and no FDE covers it. */
static inline void flow_tell_uncovered(const struct flow_world *world, uint64_t pc, uint64_t from)
{
	const struct flow_lead lead = { .kind = FLOW_LEADS_UNCOVERED, .pc = pc, .from = from };

	flow_tell(world, &lead);
}
/* pc lies in a fragment that was met. */
bool flow_has(const struct flow *flow, uint64_t pc);
/* One instruction while paths are followed: flow_proof.c. */
int flow_go(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	    struct flow_state *state, const struct flow_path *path, bool *ret_on,
	    struct error *error);
/* The path that goes on behind the fragment's end. */
int flow_fall_out(struct flow *flow, uint64_t pc, const struct flow_state *state,
		  const struct flow_path *path, struct error *error);
/* A path comes to pc. */
int flow_come(struct flow *flow, uint64_t pc, const struct flow_state *state,
	      const struct flow_path *path, struct error *error);
/* The row at pc is wrong in that state. */
bool flow_is_mismatch(const struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, struct flow_row_verdict *ret);
/* The paths from the block on are to be followed again. 0, or -1: no memory. */
int flow_enqueue(struct flow *flow, uint32_t number, struct error *error);
/* The path behind that instruction. */
void flow_path_pass(struct flow_path *path, const struct flow_fragment *fragment,
		    const struct code *code);
/* What becomes of a path that comes to a block. */
enum flow_meeting { FLOW_MEET, FLOW_LEAVE_OUT, FLOW_REPLACE };
/* The registers of which a row without a rule accuses nobody in the fragment; and FLOW_ROW_UNRULED(): those of which it
 * claims nothing. Of the fragment's language, or of the image's own convention. */
uint32_t flow_unruled_agreed(const struct flow_world *world, const struct flow_fragment *fragment);
/* Before the instruction, in an image with OCaml's code: if it begins the set-up of an exception's handler
 * in the fragment, a path leads there. 0, or -1: no memory. */
int flow_unruled_trap(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
		      const struct flow_state *state, const struct flow_path *come,
		      struct error *error);
/* The word at rsp is the return address: a return goes where the caller said. */
bool flow_callee_pop_returns(const struct flow_state *state);
/* The path comes to a return that goes there. */
void flow_callee_pop_return(struct flow *flow, const struct code *code,
			    const struct flow_state *state, const struct flow_path *path);
/* It comes to another function's begin. *ret: as if that had been called where rsp is now. False: rsp is
 * where it was, or it is none that is entered so. */
bool flow_callee_pop_move(const struct flow_world *world, uint64_t pc,
			  const struct flow_state *state, struct flow_state *ret);
/* Before the instruction: as many arguments as a loop pushes end where nobody knows, but the return address
 * that comes on top of them is known to be there. */
void flow_callee_pop_push(const struct flow *flow, const struct code *code,
			  struct flow_state *state);
/* The path comes to pc behind a call. *ret_on: it goes on, perhaps beyond. 0, or -1: no memory. */
int flow_fallthrough_pass(struct flow *flow, uint64_t pc, const struct flow_state *state,
			  struct flow_path *path, bool *ret_on, struct error *error);
/* Another path comes to the block. */
void flow_fallthrough_join(const struct flow *flow, struct flow_block *block,
			   const struct flow_path *path);
/* What the path does that code of the function doesn't do behind that call: a call, and a return, or jump to another
 * function, with the frame as it is. 0, or -1: no memory. */
int flow_fallthrough_call(struct flow *flow, const struct code *call,
			  const struct flow_state *state, const struct flow_path *path,
			  struct error *error);
int flow_fallthrough_leave(struct flow *flow, const struct flow_state *state,
			   const struct flow_path *path, struct error *error);
enum flow_meeting flow_fallthrough_meet(struct flow *flow, const struct flow_block *block,
					const struct flow_state *state,
					const struct flow_path *path);
/* The path leaves the function, if all is as it was. */
void flow_fallthrough_return(struct flow *flow, const struct flow_state *state,
			     const struct flow_path *path);
/* Keeps the jump, with what is known there. 0, or -1: no memory. */
int flow_unread_note(struct flow *flow, const struct flow_fragment *fragment,
		     const struct code *jump, const struct flow_state *state, struct error *error);
/* Once nothing is queued: what such paths may bring otherwise is forgotten, and queued is who knew it. 0, or
 * -1: no memory. */
int flow_unread_doubt(struct flow *flow, struct error *error);
/* Code that only such a jump reaches leads there: a block begins. */
bool flow_unread_leads(const struct flow *flow, uint64_t pc);
/* A jump leads where nobody knows, maybe to any branch. 0, or -1: no memory. */
int flow_jump_met(struct flow *flow, struct error *error);
/* Follows the call. *ret_on: the path goes on behind it. 0, or -1: no memory. */
int flow_call(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	      struct flow_state *state, uint8_t unsure, bool *ret_on, struct error *error);
/* What the called function may have written, behind it. */
void flow_call_lend(struct flow_state *state);
/* The path comes to the fragment's begin, whose first row is one, and not with what it says: a call by a jump. */
bool flow_linked_is_call(const struct flow_fragment *fragment, uint64_t pc,
			 const struct flow_state *state);
/* The same of the FDE's begin and a path on which the function knows an address of its own to come back to. */
bool flow_linked_comes_back(const struct flow *flow, const struct cfi_fde *fde,
			    const struct flow_state *state);
/* Follows it: the path goes on where the register leads, if that is the function's. 0, or -1: no memory. */
int flow_linked_call(struct flow *flow, const struct flow_fragment *fragment,
		     const struct flow_state *state, const struct flow_path *path,
		     struct error *error);
/* The same of a fragment that is none of the function's: it is destroyed, and *fragment NULL. */
int flow_linked_leave(struct flow *flow, struct flow_fragment **fragment,
		      const struct flow_state *state, const struct flow_path *path,
		      struct error *error);
/* The path comes to such a jump. */
int flow_jump_go(struct flow *flow, const struct flow_fragment *fragment, const struct code *code,
		 const struct flow_state *state, const struct flow_path *come, struct error *error);
/* It leaves the function as a call in place of a return does, if rsp is at the return address. */
void flow_note_tail_call(struct flow *flow, const struct flow_state *state);
/* Somebody wants to know of such paths, while they are followed. */
static inline bool flow_tells_reached(const struct flow *flow)
{
	return !flow->followed && flow_wants(flow->world, FLOW_LEADS_PERHAPS);
}
/* It calls an address that it makes: in the middle of an FDE a frame of its own comes there. */
void flow_reach_called(const struct flow *flow, const struct code *call,
		       const struct flow_state *state);

#endif
