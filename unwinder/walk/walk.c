/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * walk.c - the walk in user space, twice
 *
 * walk_rows() is the reader's word: it finds the FDE of each PC, executes it, and evaluates the
 * canonical row, expressions and all. walk_table() is the compact table's word: it looks a rule up
 * and applies step.h, exactly as the BPF walk does. Where the two differ the conversion lost
 * something; where walk_table() and the kernel differ the walk is at fault.
 *
 * A PC that is a return address is looked up at PC - 1: the call may be the last instruction of
 * its function (DWARF 5, 6.4.4). A PC that was interrupted, the top one or one below a signal
 * frame, is looked up as it is.
 */
#include <string.h>
#include "walk_rows.h"
#include "walk_memo.h"

struct walk_memory {
	const struct memory_reader *reader;
	const struct table *table; /* of the frame at hand */
	walk_table_fn choose;	   /* NULL: the table of the image's CFI */
	void *context;
};

static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	return memory->reader->read(memory->reader->context, address, ret, sizeof(*ret));
}

static inline const struct table_place *walk_place(struct walk_memory *memory, __u32 number)
{
	return number < memory->table->place_count ? &memory->table->place[number] : NULL;
}

#include "table/step.h"

/* ---- canonical rows --------------------------------------------------------------------- */

static bool register_get(const struct register_values *regs, uint32_t reg, uint64_t *ret)
{
	if (reg >= REGISTER_COUNT || !(regs->known >> reg & 1))
		return false;
	*ret = regs->value[reg];
	return true;
}

static enum stop_reason expression_stop(const struct error *error)
{
	switch (error->code) {
	case ERROR_EXPRESSION_MEMORY: return STOP_READ_FAULT;
	case ERROR_EXPRESSION_REGISTER: return STOP_REGISTER_UNKNOWN;
	default: return STOP_UNSUPPORTED_EXPRESSION;
	}
}

static enum stop_reason row_cfa(const struct row *row, const struct register_values *regs,
				const struct memory_reader *memory, uint64_t *ret)
{
	struct error error;

	if (row->cfa.kind == RULE_CFA_REGISTER) {
		if (!register_get(regs, row->cfa.reg, ret))
			return STOP_REGISTER_UNKNOWN;
		*ret += row->cfa.offset;
		return STOP_NONE;
	}
	if (row->cfa.kind != RULE_CFA_EXPRESSION)
		return STOP_UNSUPPORTED_REGISTER;
	if (expression_evaluate(row->cfa.expression, row->cfa.expression_bytes, regs, false, 0,
				memory, ret, &error))
		return expression_stop(&error);
	return STOP_NONE;
}

/* The caller's value of one register. */
static enum stop_reason row_register(const struct row_rule *rule, uint32_t reg,
				     const struct register_values *regs, uint64_t cfa,
				     const struct memory_reader *memory, uint64_t *ret)
{
	bool dereference = rule->kind == RULE_OFFSET || rule->kind == RULE_EXPRESSION;
	struct error error;

	switch (rule->kind) {
	case RULE_UNSPECIFIED:
		if (reg == REGISTER_RSP) {
			*ret = cfa;
			return STOP_NONE;
		}
		if (!(CALLEE_SAVED_MASK >> reg & 1))
			return STOP_REGISTER_UNKNOWN;
		return register_get(regs, reg, ret) ? STOP_NONE : STOP_REGISTER_UNKNOWN;
	case RULE_SAME_VALUE:
		return register_get(regs, reg, ret) ? STOP_NONE : STOP_REGISTER_UNKNOWN;
	case RULE_UNDEFINED: return STOP_COMPLETE;
	case RULE_REGISTER:
		return register_get(regs, rule->reg, ret) ? STOP_NONE : STOP_REGISTER_UNKNOWN;
	case RULE_OFFSET:
	case RULE_VAL_OFFSET: *ret = cfa + rule->offset; break;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		if (expression_evaluate(rule->expression, rule->expression_bytes, regs, true, cfa,
					memory, ret, &error))
			return expression_stop(&error);
		break;
	default: return STOP_UNSUPPORTED_REGISTER;
	}
	if (dereference && memory->read(memory->context, *ret, ret, sizeof(*ret)))
		return STOP_READ_FAULT;
	return STOP_NONE;
}

static enum stop_reason row_apply(const struct row *row, struct register_values *regs,
				  const struct memory_reader *memory)
{
	struct register_values caller = { .known = 0 };
	enum stop_reason stop, sp_stop = STOP_NONE;
	uint64_t cfa = 0;

	stop = row_cfa(row, regs, memory, &cfa);
	if (stop)
		return stop;
	for (uint32_t reg = 0; reg < REGISTER_COUNT; reg++) {
		stop = row_register(&row->reg[reg], reg, regs, cfa, memory, &caller.value[reg]);
		if (reg == REGISTER_RIP && stop)
			return stop;
		if (reg == REGISTER_RSP)
			sp_stop = stop == STOP_COMPLETE ? STOP_REGISTER_UNKNOWN : stop;
		if (!stop)
			caller.known |= 1u << reg;
	}
	/* Where the CFI has a rule of its own for rsp, the CFA would be a guess. */
	if (sp_stop)
		return sp_stop;
	if (!row->signal_frame && (regs->known >> REGISTER_RSP & 1)) {
		uint64_t old_sp = regs->value[REGISTER_RSP];

		if (caller.value[REGISTER_RSP] < old_sp ||
		    (caller.value[REGISTER_RSP] == old_sp &&
		     caller.value[REGISTER_RIP] == regs->value[REGISTER_RIP]))
			return STOP_NO_PROGRESS;
	}
	if (caller.value[REGISTER_RIP] == 0)
		return STOP_ZERO_RETURN;
	*regs = caller;
	return STOP_NONE;
}

enum stop_reason walk_rows_step(const struct address_space *space, struct register_values *regs,
				bool *exact_pc, const struct memory_reader *memory)
{
	uint64_t pc = regs->value[REGISTER_RIP] - !*exact_pc;
	const struct mapping *mapping = address_space_find(space, pc);
	enum stop_reason stop;
	const struct row *row;
	struct error error;
	int found;

	if (!mapping || !mapping->entry)
		return STOP_NO_MAPPING;
	found = image_entry_row(mapping->entry, pc - mapping->bias, &row, &error);
	if (found < 0)
		return STOP_MALFORMED;
	if (!found)
		return STOP_NO_ROW;
	stop = row_apply(row, regs, memory);
	*exact_pc = row->signal_frame;
	return stop;
}

/* A frame's state for the memo: what is not known is zero, so that equal states are equal bytes. */
static void rows_state(const struct register_values *regs, bool exact_pc,
		       uint64_t ret[MEMO_STATE_WORDS])
{
	memset(ret, 0, MEMO_STATE_WORDS * sizeof(*ret));
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		if (regs->known >> reg & 1)
			ret[reg] = regs->value[reg];
	ret[REGISTER_COUNT] = regs->known | (uint64_t)exact_pc << 32;
}

int walk_rows(const struct address_space *space, const struct register_values *regs,
	      const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
	      struct error *error)
{
	struct register_values frame = *regs;
	uint64_t state[MEMO_STATE_WORDS];
	uint32_t limit = stack_limit(ret);
	bool exact_pc = true;

	if (memo)
		memory = memo_begin(memo, memory);
	stack_clear(ret);
	while (!ret->stop) {
		if (ret->count == limit) {
			ret->stop = STOP_DEPTH;
			break;
		}
		if (memo) {
			rows_state(&frame, exact_pc, state);
			if (memo_finish(memo, state, frame.value[REGISTER_RSP], ret))
				return 0;
			memo_note(memo, state, frame.value[REGISTER_RSP],
				  frame.value[REGISTER_RIP]);
		}
		if (stack_push(ret, frame.value[REGISTER_RIP], error))
			return -1;
		ret->stop = walk_rows_step(space, &frame, &exact_pc, memory);
	}
	if (memo)
		memo_end(memo, ret->stop);
	return 0;
}

/* ---- compact tables --------------------------------------------------------------------- */

/* The rule number for a PC, or a stop reason. */
static unsigned int walk_find(const struct address_space *space, uint64_t pc,
			      struct walk_memory *memory, uint32_t *ret_rule)
{
	const struct mapping *mapping = address_space_find(space, pc);

	if (!mapping || !mapping->entry)
		return STOP_NO_MAPPING;
	memory->table = memory->choose ? memory->choose(memory->context, mapping->entry)
				       : mapping->entry->table;
	if (!memory->table)
		return STOP_NO_MAPPING;
	*ret_rule = table_find(memory->table, pc - mapping->bias);
	if (*ret_rule < TABLE_MARKER_COUNT)
		return step_marker_stop(*ret_rule);
	return STOP_NONE;
}

/* guessed is part of it: the frame's PC in the memo has that mark. */
static void table_state(const struct walk_state *state, uint64_t guessed,
			uint64_t ret[MEMO_STATE_WORDS])
{
	struct walk_state canonical = *state;

	_Static_assert(sizeof(canonical) == MEMO_STATE_WORDS * sizeof(*ret),
		       "a walk_state fits exactly");
	for (unsigned int reg = 0; reg < REGISTER_GPR_COUNT; reg++)
		if (!(state->known >> reg & 1))
			canonical.reg[reg] = 0;
	canonical.in_memory &= canonical.known;
	canonical.stop = guessed != 0; /* which a walk under way does not need */
	memcpy(ret, &canonical, sizeof(canonical));
}

/*
 * To the caller's frame, or a stop. *guessed: WALK_PC_GUESSED if the caller was found by the frame
 * pointer, which is followed if that is wanted, and where there is no CFI.
 */
static unsigned int table_step(const struct address_space *space, struct walk_state *state,
			       struct walk_memory *memory, bool follow, uint64_t *guessed)
{
	uint32_t number = 0;
	unsigned int stop = walk_find(space, state->pc - !state->exact_pc, memory, &number);

	*guessed = 0;
	if (!stop)
		return step(state, &memory->table->rule[number], memory);
	if (!follow || !stop_is_without_cfi(stop) || step_by_frame_pointer(state, memory))
		return stop;
	*guessed = WALK_PC_GUESSED;
	return STOP_NONE;
}

static int table_walk(const struct address_space *space, const struct register_values *regs,
		      struct walk_memory memory, struct walk_memo *memo, bool follow,
		      struct stack *ret, struct error *error)
{
	struct walk_state state = {
		.pc = regs->value[REGISTER_RIP],
		.known = regs->known & ((1u << REGISTER_GPR_COUNT) - 1),
		.exact_pc = 1,
	};
	uint64_t words[MEMO_STATE_WORDS];
	uint32_t limit = stack_limit(ret);
	uint64_t guessed = 0;

	if (memo)
		memory.reader = memo_begin(memo, memory.reader);
	memcpy(state.reg, regs->value, sizeof(state.reg));
	stack_clear(ret);
	ret->has_marks = follow;
	while (!ret->stop) {
		if (ret->count == limit) {
			ret->stop = STOP_DEPTH;
			break;
		}
		if (memo) {
			table_state(&state, guessed, words);
			if (memo_finish(memo, words, state.reg[REGISTER_RSP], ret))
				return 0;
			memo_note(memo, words, state.reg[REGISTER_RSP], state.pc | guessed);
		}
		if (stack_push(ret, state.pc | guessed, error))
			return -1;
		ret->stop = table_step(space, &state, &memory, follow, &guessed);
	}
	if (memo)
		memo_end(memo, ret->stop);
	return 0;
}

int walk_table(const struct address_space *space, const struct register_values *regs,
	       const struct memory_reader *reader, struct walk_memo *memo, struct stack *ret,
	       struct error *error)
{
	struct walk_memory memory = { .reader = reader };

	return table_walk(space, regs, memory, memo, false, ret, error);
}

int walk_table_of(const struct address_space *space, const struct register_values *regs,
		  const struct memory_reader *reader, walk_table_fn choose, void *context,
		  struct stack *ret, struct error *error)
{
	struct walk_memory memory = { .reader = reader, .choose = choose, .context = context };

	return table_walk(space, regs, memory, NULL, false, ret, error);
}

int walk_table_following(const struct address_space *space, const struct register_values *regs,
			 const struct memory_reader *reader, struct walk_memo *memo,
			 struct stack *ret, struct error *error)
{
	struct walk_memory memory = { .reader = reader };

	if (table_walk(space, regs, memory, memo, true, ret, error))
		return -1;
	for (uint32_t i = 0; ret->stop == STOP_COMPLETE && i < ret->count; i++)
		if (stack_is_guessed(ret, i))
			ret->stop = STOP_GUESSED;
	return 0;
}
