/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step.h - one step: from one frame's registers to its caller's
 *
 * The same source is compiled for BPF (bpf/walk.bpf.c) and for user space (walk.c), so that it is never
 * the reason when the two engines differ. The includer defines
 *
 *	struct walk_memory;
 *	static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret);
 *	static inline const struct table_place *walk_place(struct walk_memory *memory,
 *							   __u32 number);
 *
 * and looks up the rule, which the functions here apply. walk_read() reads 8 bytes: 0, or other than 0 if it
 * can't. walk_place() gives a place of the image, or NULL if there is no such number; only extended rules
 * have places.
 *
 * Registers are read lazily: after `rbx is at cfa-16` the state holds that address, not the value. Most
 * CFAs depend on rsp, whose value is always known. So a saved register costs no read unless the CFA of an
 * outer frame needs it. A late read is sound because the walked thread is stopped: its stack does not
 * change during the walk.
 *
 * Caller-saved registers (rax, rcx, rdx, rsi, rdi, r8 to r11: psABI, figure 3.4) are unknown in the
 * caller's frame unless the CFI says where they are. A CFA that depends on an unknown register ends the
 * walk with STOP_REGISTER_UNKNOWN; it is never guessed.
 */
#ifndef STACKPROOF_STEP_H
#define STACKPROOF_STEP_H

#include "table_abi.h"

#ifndef step_inline
#define step_inline static inline __attribute__((always_inline))
#endif

/* The value of a register in this frame. Returns STOP_NONE, or why the value can't be had. */
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

/* The same for a place's register, which may be rip: the frame's PC, not adjusted. */
step_inline unsigned int step_place_register(struct walk_state *state, struct walk_memory *memory,
					     __u32 reg, __u64 *ret)
{
	if (reg == REGISTER_RIP) {
		*ret = state->pc;
		return STOP_NONE;
	}
	return step_register(state, memory, reg, ret);
}

/* Sets a register to a value, or, if in_memory, to the address of its value. */
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

/* The CFA. add: the rule's cfa_add or cfa_extended_add. */
step_inline unsigned int step_cfa(struct walk_state *state, const struct table_rule *rule,
				  __s32 add, struct walk_memory *memory, __u64 *ret)
{
	unsigned int stop;
	__u64 cfa = 0, index = 0;

	stop = step_register(state, memory, rule->cfa_register, &cfa);
	if (stop)
		return stop;
	cfa += (__s64)rule->cfa_offset;
	if (rule->cfa_scale) {
		stop = step_register(state, memory, rule->cfa_register >> 4, &index);
		if (stop)
			return stop;
		cfa += index * rule->cfa_scale;
	}
	if (rule->cfa_kind == TABLE_CFA_DEREF) {
		if (walk_read(memory, cfa, &cfa))
			return STOP_READ_FAULT;
		cfa += (__s64)add;
	} else if (rule->cfa_kind == TABLE_CFA_PLT) {
		cfa += (__u64)((__s32)(state->pc & 15) >= add) << 3;
	}
	*ret = cfa;
	return STOP_NONE;
}

/* The caller's PC from its place, which is never TABLE_SAME. */
step_inline unsigned int step_return_address(struct walk_state *state,
					     const struct table_place *place, __u64 cfa,
					     struct walk_memory *memory, __u64 *ret)
{
	unsigned int stop;
	__u64 address = cfa;
	__u32 kind = place->kind;

	if (kind == TABLE_UNDEFINED)
		return STOP_COMPLETE;
	if (kind == TABLE_AT_ALIGNED)
		return STOP_BAD_TABLE;
	if (kind >= TABLE_IN_REGISTER) {
		stop = step_place_register(state, memory, place->reg, &address);
		if (stop)
			return stop;
	}
	if (kind != TABLE_IN_REGISTER)
		address += (__s64)place->offset;
	if ((kind == TABLE_AT_CFA || kind == TABLE_AT_REGISTER) &&
	    walk_read(memory, address, &address))
		return STOP_READ_FAULT;
	*ret = address;
	return STOP_NONE;
}

/* The caller's PC from saved[]: the only read of most rules. */
step_inline unsigned int step_return_code(__u64 codes, __u64 cfa, struct walk_memory *memory,
					  __u64 *ret_pc)
{
	__u32 code = (codes >> (8 * TABLE_COLUMN_RA)) & 255;

	if (code - 1 >= TABLE_CODE_MAX)
		return code == TABLE_CODE_UNDEFINED ? STOP_COMPLETE : STOP_BAD_TABLE;
	return walk_read(memory, cfa - 8 * (__u64)code, ret_pc) ? STOP_READ_FAULT : STOP_NONE;
}

/*
 * Applies the code of one callee-saved register. No branch depends on the code: the CPU would mispredict it
 * more often than any other, and the verifier would follow both edges.
 */
step_inline void step_saved(struct walk_state *state, __u64 codes, enum table_column column,
			    __u32 reg, __u64 cfa, __u32 *saved, __u32 *gone)
{
	__u64 code = (codes >> (8 * column)) & 255;
	__u64 is_saved = (code + 255) >> 8; /* or undefined: 1 for every code but 0 */

	barrier_var(is_saved); /* or the compiler makes branches of what is 0 or 1 */
	state->reg[reg] ^= (state->reg[reg] ^ (cfa - 8 * code)) & -is_saved;
	*saved |= (__u32)is_saved << reg;
	*gone |= (__u32)((code + 255 - TABLE_CODE_MAX) >> 8) << reg;
}

/*
 * Applies the codes of a rule that is not extended; caller-saved registers become unknown. Most CFAs depend
 * on rsp alone, so this may be deferred: the walk in the kernel notes codes and CFA, and applies them later,
 * in the order of the frames, when a register is needed.
 */
step_inline void step_registers(struct walk_state *state, __u64 codes, __u64 cfa)
{
	__u32 saved = 0, gone = 0;

	step_saved(state, codes, TABLE_COLUMN_RBX, REGISTER_RBX, cfa, &saved, &gone);
	step_saved(state, codes, TABLE_COLUMN_RBP, REGISTER_RBP, cfa, &saved, &gone);
	step_saved(state, codes, TABLE_COLUMN_R12, REGISTER_R12, cfa, &saved, &gone);
	step_saved(state, codes, TABLE_COLUMN_R13, REGISTER_R13, cfa, &saved, &gone);
	step_saved(state, codes, TABLE_COLUMN_R14, REGISTER_R14, cfa, &saved, &gone);
	step_saved(state, codes, TABLE_COLUMN_R15, REGISTER_R15, cfa, &saved, &gone);
	state->in_memory |= saved;
	state->known = ((state->known & CALLEE_SAVED_MASK) | saved | 1u << REGISTER_RSP) & ~gone;
}

/* Applies one place. The caller's rsp goes to *ret_sp, because the state's rsp must change last. */
step_inline unsigned int step_place(struct walk_state *state, const struct table_place *place,
				    __u64 cfa, struct walk_memory *memory, __u64 *ret_sp,
				    __u32 *keep)
{
	__u32 reg = place->column & (REGISTER_GPR_COUNT - 1), kind = place->kind;
	int in_memory = kind == TABLE_AT_CFA || kind == TABLE_AT_REGISTER ||
			kind == TABLE_AT_ALIGNED;
	unsigned int stop;
	__u64 value = cfa;

	if (kind == TABLE_SAME)
		return STOP_NONE;
	if (kind == TABLE_AT_ALIGNED)
		value = (cfa - place->less) & ~0ull << (place->reg & 63);
	*keep &= ~(1u << reg);
	if (kind == TABLE_UNDEFINED)
		return STOP_NONE;
	if (kind >= TABLE_IN_REGISTER) {
		stop = step_place_register(state, memory, place->reg, &value);
		if (stop) /* only this register is lost; it may never be needed */
			return reg == REGISTER_RSP ? stop : STOP_NONE;
	}
	if (kind != TABLE_IN_REGISTER)
		value += (__s64)place->offset;
	if (reg == REGISTER_RSP) {
		if (in_memory && walk_read(memory, value, &value))
			return STOP_READ_FAULT;
		*ret_sp = value;
		return STOP_NONE;
	}
	step_set(state, reg, value, in_memory);
	*keep |= 1u << reg;
	return STOP_NONE;
}

/*
 * Applies all places of an extended rule. They are in an order in which no place reads a register that an
 * earlier one wrote; the return address comes last. The caller's rsp is the CFA unless it has a place (as in
 * longjmp).
 */
step_inline unsigned int step_places(struct walk_state *state, const struct table_rule *rule,
				     __u64 cfa, struct walk_memory *memory, __u64 *ret_pc,
				     __u64 *ret_sp)
{
	__u32 count = rule->flags >> TABLE_RULE_PLACES_SHIFT, first = rule->first_place;
	__u32 keep = CALLEE_SAVED_MASK;
	const struct table_place *place;
	unsigned int stop;
	__u32 i;

	if (!count || count > TABLE_PLACES_MAX)
		return STOP_BAD_TABLE;
	place = walk_place(memory, first + count - 1);
	if (!place || place->column != REGISTER_RIP || place->kind == TABLE_SAME)
		return STOP_BAD_TABLE;
	stop = step_return_address(state, place, cfa, memory, ret_pc);
	if (stop)
		return stop;
	for (i = 0; i < TABLE_PLACES_MAX - 1; i++) {
		if (i + 1 >= count)
			break;
		place = walk_place(memory, first + i);
		if (!place || place->column >= REGISTER_RIP)
			return STOP_BAD_TABLE;
		stop = step_place(state, place, cfa, memory, ret_sp, &keep);
		if (stop)
			return stop;
	}
	state->known = (state->known & keep) | 1u << REGISTER_RSP;
	return STOP_NONE;
}

/* Checks the caller's PC and rsp, and puts them into state. flags: the rule's. */
step_inline unsigned int step_finish(struct walk_state *state, __u32 flags, __u64 sp, __u64 pc)
{
	__u64 old_sp = state->reg[REGISTER_RSP];

	/* Known, and by value: it has been since the first frame. */
	state->reg[REGISTER_RSP] = sp;
	/* The stack grows down: a caller's frame is above. Only a signal handler may have another stack. */
	if (!(flags & TABLE_RULE_SIGNAL_FRAME) &&
	    (sp < old_sp || (sp == old_sp && pc == state->pc)))
		return STOP_NO_PROGRESS;
	if (pc == 0)
		return STOP_ZERO_RETURN;
	state->pc = pc;
	state->exact_pc = !!(flags & TABLE_RULE_SIGNAL_FRAME);
	return STOP_NONE;
}

/* step() for rules that are not extended, and for those that are. */
step_inline unsigned int step_plain(struct walk_state *state, const struct table_rule *rule,
				    struct walk_memory *memory)
{
	__u64 cfa = 0, pc = 0;
	unsigned int stop;

	stop = step_cfa(state, rule, rule->cfa_add, memory, &cfa);
	if (!stop)
		stop = step_return_code(rule->codes, cfa, memory, &pc);
	if (stop)
		return stop;
	step_registers(state, rule->codes, cfa);
	return step_finish(state, rule->flags, cfa, pc);
}

step_inline unsigned int step_extended(struct walk_state *state, const struct table_rule *rule,
				       struct walk_memory *memory)
{
	__u64 cfa = 0, pc = 0, sp;
	unsigned int stop;

	stop = step_cfa(state, rule, rule->cfa_extended_add, memory, &cfa);
	sp = cfa;
	if (!stop)
		stop = step_places(state, rule, cfa, memory, &pc, &sp);
	return stop ? stop : step_finish(state, rule->flags, sp, pc);
}

/*
 * step_plain() for nearly all rules: the CFA is base, a register's value, plus the rule's offset. The caller
 * is to call step_registers(), with *ret_cfa.
 */
step_inline unsigned int step_near(struct walk_state *state, const struct table_rule *rule,
				   __u64 base, struct walk_memory *memory, __u64 *ret_cfa)
{
	__u64 cfa = base + (__s64)rule->cfa_offset, pc = 0;
	unsigned int stop;

	*ret_cfa = cfa;
	stop = step_return_code(rule->codes, cfa, memory, &pc);
	return stop ? stop : step_finish(state, 0, cfa, pc);
}

/*
 * For code without CFI: takes rbp for a frame pointer (psABI, figure 3.3), as it is behind the prologue in
 * code built with -fno-omit-frame-pointer. Nothing proves that it is one. The caller's other registers are
 * unknown. Anything but STOP_NONE: rbp is no frame pointer, and state stays.
 */
step_inline unsigned int step_by_frame_pointer(struct walk_state *state, struct walk_memory *memory)
{
	__u64 frame = 0, saved = 0, pc = 0;
	unsigned int stop;

	stop = step_register(state, memory, REGISTER_RBP, &frame);
	if (stop)
		return stop;
	if ((frame & 7) || frame < state->reg[REGISTER_RSP])
		return STOP_NO_PROGRESS;
	if (walk_read(memory, frame, &saved) || walk_read(memory, frame + 8, &pc))
		return STOP_READ_FAULT;
	if (pc == 0)
		return STOP_ZERO_RETURN;
	step_set(state, REGISTER_RBP, saved, 0);
	state->known = 1u << REGISTER_RBP | 1u << REGISTER_RSP;
	return step_finish(state, 0, frame + 16, pc);
}

/* Replaces state by the caller's. Returns STOP_NONE, or why the walk ends; state is then invalid. */
step_inline unsigned int step(struct walk_state *state, const struct table_rule *rule,
			      struct walk_memory *memory)
{
	return rule->flags & TABLE_RULE_EXTENDED ? step_extended(state, rule, memory)
						 : step_plain(state, rule, memory);
}

/* The stop reason of a marker. */
step_inline unsigned int step_marker_stop(__u32 marker)
{
	return marker < TABLE_MARKER_COUNT ? STOP_NO_ROW + marker : STOP_BAD_TABLE;
}

#endif
