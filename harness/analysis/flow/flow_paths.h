/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_paths.h - what the files that follow paths call of each other
 *
 * These are flow.c, flow_call.c, flow_jump.c, flow_fallthrough.c and flow_proof.c.
 */
#ifndef STACKPROOF_FLOW_PATHS_H
#define STACKPROOF_FLOW_PATHS_H

#include "flow.h"

/* A bit for each register of FLOW_PRESERVED that the function there is seen not to preserve. */
struct flow_clobber {
	uint64_t pc;
	uint32_t registers;
};

/* Zero-initialise. */
struct flow_clobbers {
	struct flow_clobber *known; /* sorted: what callers are told */
	size_t known_count;
	struct flow_clobber *found; /* since the last flow_world_learn() */
	size_t found_count;
};

void flow_clobbers_destroy(struct flow_clobbers *clobbers);
/* The fragment leaves such registers alone: it may jump to a function that does not. */
void flow_clobbers_pass(struct flow_world *world, const struct flow_fragment *fragment);
/* Adds what the function was seen to do, once its paths have been followed. */
void flow_clobbers_note(const struct flow *flow);
/* The state is that behind the call: registers that the callee is known not to preserve become unknown. */
void flow_clobbers_call(const struct flow_world *world, const struct code *call,
			struct flow_state *state);
/* The path comes to a return, with rsp at the return address. */
void flow_clobbers_return(struct flow *flow, const struct flow_state *state,
			  const struct flow_path *path);
/* The path ends in a tail call of the function at pc. */
void flow_clobbers_leave(struct flow *flow, uint64_t pc, const struct flow_path *path);

/* There was no memory for one of them: as of flow_lack(). */
static inline void flow_lack_ways(const struct flow *flow)
{
	flow_lack(flow->world, "the ways through a function");
}

/* Begins with a function of which no path is known. The flow owns first, and borrows world. */
void flow_init(struct flow *flow, struct flow_world *world, struct flow_fragment *first);
/* Forgets the paths, so that they can be followed again, but not what is known of jump tables. */
void flow_restart(struct flow *flow);
/* True for round 0, and if another round may come to something else than the last one. */
bool flow_again(struct flow *flow, int round);
/* The system call of that number never comes back: exit(2), exit_group(2), rt_sigreturn(2). */
bool flow_thread_ends_by(int64_t number);
/* The instruction is a system call that never comes back. */
bool flow_thread_exits(const struct flow_state *state, const struct code *code);
/* The instruction is a system call that also begins a new thread behind it. */
bool flow_thread_begins(const struct code *code, const struct flow_state *state);
/* Makes state, before such a system call, the state behind it. */
void flow_thread_begin(struct flow_state *state);
/* The bytes that callee takes off the stack above its return address. FLOW_CALLEE_POP_UNKNOWN: its paths differ, or
 * none was seen to come back and takes says that it pops. */
uint32_t flow_callee_pop_by(const struct flow_world *world, uint64_t callee, enum flow_takes takes);
/* True: all paths are to be followed again, and are forgotten. */
bool flow_fallthrough_again(struct flow *flow);
/* Reads an entry of a jump table. scale: its bytes; 4: the distance from the table, 8: the target. False: the image has
 * no such bytes. */
bool flow_jump_entry(const struct image *image, uint64_t table, uint8_t scale, uint64_t index,
		     uint64_t *ret);
/* The edge is by a jump table, or goes past a table by the comparison before it. Where a compiler holds a case to be
 * unreachable, or a switch has no default, such an edge leads to whatever comes behind. */
bool flow_jump_is_doubtful(const struct flow *flow, uint64_t from, uint64_t to);
/* The row says that the CFA is rsp, and that the return address is in a register. */
bool flow_row_is_linked(const struct row *row);
/* As flow_restart(), and forgets jump tables and all fragments but the first. */
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
/* pc lies in one of the flow's fragments. */
bool flow_has(const struct flow *flow, uint64_t pc);
/* Follows one instruction. Returns whether the path goes on to the next. */
bool flow_go(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	     struct flow_state *state, const struct flow_path *come);
/* The path goes on behind the fragment's end, at pc. */
void flow_fall_out(struct flow *flow, uint64_t pc, const struct flow_state *state,
		   const struct flow_path *path);
/* A path comes to pc. */
void flow_come(struct flow *flow, uint64_t pc, const struct flow_state *state,
	       const struct flow_path *path);
/* The row at pc is wrong in that state. */
bool flow_is_mismatch(const struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, struct flow_row_verdict *ret);
/* Puts the block of that number on the worklist. */
void flow_enqueue(struct flow *flow, uint32_t number);
/* Makes path, before the instruction, the path behind it. */
void flow_path_pass(struct flow_path *path, const struct flow_fragment *fragment,
		    const struct code *code);
/* What becomes of a path that comes to a block: its state is joined, ignored, or replaces the block's. */
enum flow_meeting { FLOW_MEET, FLOW_LEAVE_OUT, FLOW_REPLACE };
/* Registers of which a row of the fragment accuses nobody if it has no rule; with FLOW_ROW_UNRULED(). By the fragment's
 * language, or the image's own convention. */
uint32_t flow_unruled_agreed(const struct flow_world *world, const struct flow_fragment *fragment);
/* Before the instruction, in an image with OCaml's code: if it begins to set up an exception's handler, a path leads to
 * that. */
void flow_unruled_trap(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
		       const struct flow_state *state, const struct flow_path *come);
/* The word at rsp is the return address. */
bool flow_callee_pop_returns(const struct flow_state *state);
/* The path comes to a return: notes what it pops. */
void flow_callee_pop_return(struct flow *flow, const struct code *code,
			    const struct flow_state *state, const struct flow_path *path);
/* The path comes to the begin of a function that may be entered with the return address moved (flow_world.enters).
 * *ret: the state as if it had been called with rsp as it is now. False: rsp has not moved, or pc is no such begin. */
bool flow_callee_pop_move(const struct flow_world *world, uint64_t pc,
			  const struct flow_state *state, struct flow_state *ret);
/* Before the instruction: if it pushes while rsp is not known, as behind a loop that pushes arguments, a base begins.
 * So the return address that is pushed then is known to be there. */
void flow_callee_pop_push(const struct flow *flow, const struct code *code,
			  struct flow_state *state);
/* The path comes to pc behind a call: sets its fallthrough and supposed. Returns whether it goes on. */
bool flow_fallthrough_pass(struct flow *flow, uint64_t pc, const struct flow_state *state,
			   struct flow_path *path);
/* Another path comes to the block: updates its supposed. */
void flow_fallthrough_join(const struct flow *flow, struct flow_block *block,
			   const struct flow_path *path);
/* The path calls; or it returns, or jumps to another function, with the frame still set up. Notes if the function's own
 * code wouldn't do so behind a call. */
void flow_fallthrough_call(struct flow *flow, const struct code *call,
			   const struct flow_state *state, const struct flow_path *path);
void flow_fallthrough_leave(struct flow *flow, const struct flow_state *state,
			    const struct flow_path *path);
/* A path comes to the block. If only one of both lies beyond a call, the frame decides. */
enum flow_meeting flow_fallthrough_meet(struct flow *flow, const struct flow_block *block,
					const struct flow_state *state,
					const struct flow_path *path);
/* The path leaves the function. If all is as at the entry, the code beyond the call is the function's. */
void flow_fallthrough_return(struct flow *flow, const struct flow_state *state,
			     const struct flow_path *path);
/* Keeps the jump, whose targets are unknown, and its state. */
void flow_unread_note(struct flow *flow, const struct flow_fragment *fragment,
		      const struct code *jump, const struct flow_state *state);
/* When the worklist is empty: forgets in blocks what jumps with unknown targets may bring otherwise, and puts these
 * blocks on the worklist. */
void flow_unread_doubt(struct flow *flow);
/* Code that only such a jump reaches leads to pc: a block begins. */
bool flow_unread_leads(const struct flow *flow, uint64_t pc);
/* A jump with unknown targets was met. It may lead to any branch, so edges that were ruled out are only doubted. */
void flow_jump_met(struct flow *flow);
/* Follows the call. Returns whether the path goes on behind it. */
bool flow_call(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	       struct flow_state *state, uint8_t unsure);
/* Behind a call: notes which words the callee may have written. */
void flow_call_lend(struct flow_state *state);
/* The path comes to the begin of a fragment whose first row is linked (flow_row_is_linked()) and is wrong for the
 * state: the jump is a call. */
bool flow_linked_is_call(const struct flow_fragment *fragment, uint64_t pc,
			 const struct flow_state *state);
/* The same of the FDE's begin; and a register has an address of this function, to come back to. */
bool flow_linked_comes_back(const struct flow *flow, const struct cfi_fde *fde,
			    const struct flow_state *state);
/* Follows such a call: the path goes on where the register leads, if that is in this function. */
void flow_linked_call(struct flow *flow, const struct flow_fragment *fragment,
		      const struct flow_state *state, const struct flow_path *path);
/* The path comes to a computed jump. */
void flow_jump_go(struct flow *flow, const struct flow_fragment *fragment, const struct code *code,
		  const struct flow_state *state, const struct flow_path *come);
/* The path leaves the function by a jump: notes that, if rsp is at the return address. */
void flow_note_tail_call(struct flow *flow, const struct flow_state *state);
/* Paths are being followed, and FLOW_LEADS_PERHAPS is wanted. */
static inline bool flow_tells_reached(const struct flow *flow)
{
	return !flow->followed && flow_wants(flow->world, FLOW_LEADS_PERHAPS);
}
/* A computed call of a known address. In the middle of an FDE a path comes there with a frame of its own. */
void flow_reach_called(const struct flow *flow, const struct code *call,
		       const struct flow_state *state);

/* ---- flow_proof.c: a function whose rows are all right, shown in one pass over its code ---- */

/* The caller frees it: flow_proof_destroy(). NULL: no memory. It serves any number of functions. */
struct flow_proof *flow_proof_create(void);
void flow_proof_destroy(struct flow_proof *proof);
/* Follows the function's paths as long as all rows are right. True: all instructions of its first fragment were reached,
 * and all that was reached is proven. False: nothing is known, and the flow is as flow_init() left it. */
bool flow_proof_try(struct flow_proof *proof, struct flow *flow);

/* While flow->proof is set: */

/* A path comes to pc, in the fragment. */
void flow_proof_arrive(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		       const struct flow_state *state, const struct flow_path *path);
/* A path does what this proof doesn't follow: it fails. */
void flow_proof_fail(struct flow *flow);
/* Follows all paths that have come to a label. */
void flow_proof_follow(struct flow *flow);

#endif
