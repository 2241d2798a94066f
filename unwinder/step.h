/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step.h - one step: from one frame's registers to its caller's
 *
 * The same lines are compiled for BPF (bpf/walk.bpf.c) and for user space (walk.c), so that a
 * difference between the two engines is never a difference of source. The includer defines
 *
 *	struct walk_memory;
 *	static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret);
 *
 * and looks the rule up; what is here only applies it.
 *
 * Registers are carried lazily: after `rbx is at cfa-16` the state holds that address, not the
 * value. Most frames' CFAs hang on rsp, which is always known by value, so the saved registers of
 * a frame cost no read unless some outer CFA really needs one. Reading late is sound because the
 * walked thread is stopped: its stack does not change under the walk.
 *
 * What a callee may clobber (rax, rcx, rdx, rsi, rdi, r8 to r11: psABI, figure 3.4) is unknown in
 * the caller's frame unless the CFI says where it is. A CFA that hangs on an unknown register ends
 * the walk with that reason; it is never guessed.
 */
#ifndef STACKPROOF_STEP_H
#define STACKPROOF_STEP_H

#include "table_abi.h"

#ifndef step_inline
#define step_inline static inline __attribute__((always_inline))
#endif

/* The value of a register in this frame: 0, or why it can't be had. */
step_inline unsigned int step_register(struct walk_state *state, struct walk_memory *memory,
				       __u32 reg, __u64 *ret)
{
	__u32 bit;
	__u64 value;

	reg &= REGISTER_GPR_COUNT - 1;
	bit = 1u << reg;
	if (!(state->known & bit))
		return STOP_REGISTER_UNKNOWN;
	value = state->reg[reg];
	if (state->in_memory & bit) {
		if (walk_read(memory, value, &value))
			return STOP_READ_FAULT;
		state->reg[reg] = value;
		state->in_memory &= ~bit;
	}
	*ret = value;
	return STOP_NONE;
}

step_inline void step_set(struct walk_state *state, __u32 reg, __u64 value, int in_memory)
{
	__u32 bit;

	reg &= REGISTER_GPR_COUNT - 1;
	bit = 1u << reg;
	state->reg[reg] = value;
	state->known |= bit;
	if (in_memory)
		state->in_memory |= bit;
	else
		state->in_memory &= ~bit;
}

step_inline unsigned int step_cfa(struct walk_state *state, const struct table_rule *rule,
				  struct walk_memory *memory, __u64 *ret)
{
	unsigned int stop;
	__u64 cfa = 0;

	stop = step_register(state, memory, rule->cfa_register, &cfa);
	if (stop)
		return stop;
	cfa += (__s64)rule->cfa_offset;
	if (rule->cfa_kind == TABLE_CFA_DEREF) {
		if (walk_read(memory, cfa, &cfa))
			return STOP_READ_FAULT;
		cfa += (__s64)rule->cfa_add;
	} else if (rule->cfa_kind == TABLE_CFA_PLT) {
		cfa += (__u64)((__s32)(state->pc & 15) >= rule->cfa_add) << 3;
	}
	*ret = cfa;
	return STOP_NONE;
}

/* The caller's PC by a rule of any kind. TABLE_SAME never gets into a table for it. */
step_inline unsigned int step_return_address(struct walk_state *state, __u32 kind, __u32 reg,
					     __s64 offset, __u64 cfa, struct walk_memory *memory,
					     __u64 *ret)
{
	unsigned int stop;
	__u64 address = cfa;

	if (kind == TABLE_UNDEFINED)
		return STOP_COMPLETE;
	if (kind >= TABLE_IN_REGISTER) {
		stop = step_register(state, memory, reg, &address);
		if (stop)
			return stop;
	}
	if (kind == TABLE_IN_REGISTER) {
		*ret = address;
		return STOP_NONE;
	}
	address += offset;
	if (kind == TABLE_AT_CFA || kind == TABLE_AT_REGISTER) {
		if (walk_read(memory, address, ret))
			return STOP_READ_FAULT;
		return STOP_NONE;
	}
	*ret = address;
	return STOP_NONE;
}

/* One callee-saved register. */
step_inline void step_saved(struct walk_state *state, const struct table_rule *rule, __u32 index,
			    __u32 reg, __u64 cfa)
{
	__u32 kind = rule->saved_kind[index];

	if (kind == TABLE_SAME)
		return;
	if (kind == TABLE_UNDEFINED)
		state->known &= ~(1u << reg);
	else
		step_set(state, reg, cfa + (__s64)rule->saved_offset[index], kind == TABLE_AT_CFA);
}

/*
 * Every register by its own rule. Table building guarantees that none reads what another wrote.
 * rsp's caller's value goes to ret_sp and is the CFA unless the CFI says otherwise (longjmp does).
 */
step_inline unsigned int step_wide(struct walk_state *state, const struct table_wide_rule *wide,
				   __u64 cfa, struct walk_memory *memory, __u64 *ret_sp)
{
	__u32 lost = 0;
	unsigned int stop;
	__u32 i;

	for (i = 0; i < REGISTER_GPR_COUNT; i++) {
		__u32 kind = wide->reg[i].kind;
		__u64 value = cfa;

		if (kind == TABLE_UNDEFINED ||
		    (kind == TABLE_SAME && !(CALLEE_SAVED_MASK >> i & 1)))
			lost |= 1u << i;
		if (kind == TABLE_UNDEFINED || kind == TABLE_SAME)
			continue;
		if (kind >= TABLE_IN_REGISTER) {
			stop = step_register(state, memory, wide->reg[i].reg, &value);
			if (stop && i == REGISTER_RSP)
				return stop;
			if (stop) { /* only this one is lost; it may never be needed */
				lost |= 1u << i;
				continue;
			}
		}
		if (kind != TABLE_IN_REGISTER)
			value += (__s64)wide->reg[i].offset;
		if (i == REGISTER_RSP) {
			*ret_sp = value;
			if ((kind == TABLE_AT_CFA || kind == TABLE_AT_REGISTER) &&
			    walk_read(memory, value, ret_sp))
				return STOP_READ_FAULT;
			continue;
		}
		step_set(state, i, value, kind == TABLE_AT_CFA || kind == TABLE_AT_REGISTER);
	}
	state->known &= ~lost;
	return STOP_NONE;
}

/*
 * Makes state the caller's. wide may be NULL when the rule is not wide. Returns STOP_NONE, or why
 * there is no caller; state is then not to be used.
 */
step_inline unsigned int step(struct walk_state *state, const struct table_rule *rule,
			      const struct table_wide_rule *wide, struct walk_memory *memory)
{
	__u64 old_sp = state->reg[REGISTER_RSP];
	__u64 cfa = 0, pc = 0, sp;
	unsigned int stop;

	stop = step_cfa(state, rule, memory, &cfa);
	if (stop)
		return stop;
	sp = cfa;
	if (rule->flags & TABLE_RULE_WIDE) {
		if (!wide)
			return STOP_BAD_TABLE;
		stop = step_return_address(state, wide->reg[REGISTER_RIP].kind,
					   wide->reg[REGISTER_RIP].reg,
					   wide->reg[REGISTER_RIP].offset, cfa, memory, &pc);
		if (!stop)
			stop = step_wide(state, wide, cfa, memory, &sp);
		if (stop)
			return stop;
	} else {
		stop = step_return_address(state, rule->ra_kind, rule->ra_offset, rule->ra_offset,
					   cfa, memory, &pc);
		if (stop)
			return stop;
		step_saved(state, rule, 0, REGISTER_RBX, cfa);
		step_saved(state, rule, 1, REGISTER_RBP, cfa);
		step_saved(state, rule, 2, REGISTER_R12, cfa);
		step_saved(state, rule, 3, REGISTER_R13, cfa);
		step_saved(state, rule, 4, REGISTER_R14, cfa);
		step_saved(state, rule, 5, REGISTER_R15, cfa);
		state->known &= CALLEE_SAVED_MASK;
	}
	step_set(state, REGISTER_RSP, sp, 0);

	/* The stack grows down: a caller's frame is above. Only a signal may come from elsewhere.
	 */
	if (!(rule->flags & TABLE_RULE_SIGNAL_FRAME) &&
	    (sp < old_sp || (sp == old_sp && pc == state->pc)))
		return STOP_NO_PROGRESS;
	if (pc == 0)
		return STOP_ZERO_RETURN;
	state->pc = pc;
	state->exact_pc = !!(rule->flags & TABLE_RULE_SIGNAL_FRAME);
	return STOP_NONE;
}

/* The stop reason of a marker. */
step_inline unsigned int step_marker_stop(__u32 marker)
{
	return marker < TABLE_MARKER_COUNT ? STOP_NO_ROW + marker : STOP_BAD_TABLE;
}

#endif
