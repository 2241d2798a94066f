/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_row.c - a row against a state
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_row.h"
#include "cfi/dwarf_op.h"
#include "cfi/expression.h"

/* ==== DWARF expressions as values =========================================================== */

/*
 * The same operations as in unwinder/cfi/cfi_expression.c, but for those that branch: no producer
 * branches in a row's expression. Anything that comes to no known address or number is unknown.
 */

#define STACK_ENTRIES 32

struct machine {
	struct value stack[STACK_ENTRIES];
	unsigned int depth;
	uint64_t pc;
	const struct flow_state *state;
};

static bool push(struct machine *machine, struct value value)
{
	if (machine->depth == STACK_ENTRIES)
		return false;
	machine->stack[machine->depth++] = value;
	return true;
}

static bool push_number(struct machine *machine, uint64_t number)
{
	return push(machine, value_constant((int64_t)number));
}

static bool push_register(struct machine *machine, uint64_t reg, int64_t offset)
{
	if (reg == REGISTER_RIP)
		return push_number(machine, machine->pc + (uint64_t)offset);
	if (reg >= REGISTER_GPR_COUNT)
		return false;
	return push(machine, value_add(machine->state->reg[reg], offset));
}

static bool dereference(struct machine *machine)
{
	struct value *top = &machine->stack[machine->depth - 1];
	const struct value *word = value_is_stack(top) ? flow_word_find(machine->state, top) : NULL;

	if (!word)
		return false;
	*top = *word;
	return true;
}

/* The frame's own alignment, if it is the same. */
static bool align(const struct machine *machine, struct value *a, const struct value *mask)
{
	if (!value_is_stack(a) || mask->kind != VALUE_CONSTANT)
		return false;
	*a = flow_align_find(machine->state, a, mask->number);
	return a->kind != VALUE_UNKNOWN;
}

static bool binary(struct machine *machine, uint8_t opcode)
{
	struct value b = machine->stack[--machine->depth];
	struct value *a = &machine->stack[machine->depth - 1];
	uint64_t result;

	if (a->kind == VALUE_CONSTANT && b.kind == VALUE_CONSTANT) {
		if (!expression_binary(opcode, (uint64_t)a->number, (uint64_t)b.number, &result))
			return false;
		a->number = (int64_t)result;
		return true;
	}
	if (opcode == OP_AND)
		return align(machine, a, &b);
	if (opcode == OP_PLUS && b.kind == VALUE_CONSTANT)
		*a = value_add(*a, b.number);
	else if (opcode == OP_PLUS && a->kind == VALUE_CONSTANT)
		*a = value_add(b, a->number);
	else if (opcode == OP_MINUS && b.kind == VALUE_CONSTANT)
		*a = value_add(*a, (int64_t)(0 - (uint64_t)b.number));
	else
		return false;
	return true;
}

static bool operate(struct machine *machine, uint8_t opcode, struct reader *reader)
{
	uint64_t number;
	int64_t offset;

	if (machine->depth < expression_operands(opcode))
		return false;
	if (expression_is_constant(opcode))
		return expression_read_constant(reader, opcode, &number) &&
		       push_number(machine, number);
	if (opcode >= OP_BREG0 && opcode <= OP_BREG31)
		return reader_sleb(reader, &offset) &&
		       push_register(machine, opcode - OP_BREG0, offset);
	switch (opcode) {
	case OP_BREGX:
		return reader_uleb(reader, &number) && reader_sleb(reader, &offset) &&
		       push_register(machine, number, offset);
	case OP_DEREF: return dereference(machine);
	case OP_DUP: return push(machine, machine->stack[machine->depth - 1]);
	case OP_DROP: machine->depth--; return true;
	case OP_NOP: return true;
	case OP_PLUS_UCONST:
		if (!reader_uleb(reader, &number))
			return false;
		machine->stack[machine->depth - 1] = value_add(machine->stack[machine->depth - 1],
							       (int64_t)number);
		return true;
	case OP_AND:
	case OP_DIV:
	case OP_MINUS:
	case OP_MOD:
	case OP_MUL:
	case OP_OR:
	case OP_PLUS:
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
	case OP_XOR:
	case OP_EQ:
	case OP_GE:
	case OP_GT:
	case OP_LE:
	case OP_LT:
	case OP_NE: return binary(machine, opcode);
	default: return false;
	}
}

/* The value of a DWARF expression; VALUE_UNKNOWN if it can't be said. cfa: pushed first, unless NULL. pc: the value of
 * rip. */
static struct value flow_expression(const uint8_t *expression, size_t size, uint64_t pc,
				    const struct value *cfa, const struct flow_state *state)
{
	struct machine machine = { .pc = pc, .state = state };
	struct reader reader = { expression, expression + size };
	struct value unknown = { .kind = VALUE_UNKNOWN };
	uint8_t opcode;

	if (cfa)
		push(&machine, *cfa);
	while (reader_u8(&reader, &opcode))
		if (!operate(&machine, opcode, &reader))
			return unknown;
	return machine.depth ? machine.stack[machine.depth - 1] : unknown;
}

/* ==== rules against what is known =========================================================== */

/*
 * First the CFA: if the row's is not the true one, everything that is counted from it is wrong as
 * well, and would only say so again. Then the return address, then each register that a callee
 * preserves (psABI, figure 3.4), then the others that have a rule: without one nobody relies on them.
 * Registers that are not followed, those of vectors, make a row unproven if it has a rule for them.
 */

static const uint8_t preserved[] = { REGISTER_RBX, REGISTER_RBP, REGISTER_R12,
				     REGISTER_R13, REGISTER_R14, REGISTER_R15 };

static const struct value the_cfa = { .kind = VALUE_CFA };

static void unproven(struct flow_row_verdict *ret, enum flow_reason reason)
{
	ret->outcome = FLOW_ROW_UNPROVEN;
	ret->reason = reason;
}

static void mismatch(struct flow_row_verdict *ret, enum flow_fault fault, uint8_t reg,
		     const struct value *actual)
{
	ret->outcome = FLOW_ROW_MISMATCH;
	ret->fault = fault;
	ret->reg = reg;
	ret->actual = actual ? *actual : value_unknown();
	ret->never_written = !actual;
}

static bool is_preserved(uint8_t reg)
{
	return ARRAY_ANY(sizeof(preserved), i, preserved[i] == reg);
}

/* The row's CFA, in terms of the true one. */
static struct value row_cfa(const struct row *row, uint64_t pc, const struct flow_state *state)
{
	if (row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg < REGISTER_GPR_COUNT)
		return value_add(state->reg[row->cfa.reg], row->cfa.offset);
	if (row->cfa.kind == RULE_CFA_EXPRESSION)
		return flow_expression(row->cfa.expression, row->cfa.expression_bytes, pc, NULL,
				       state);
	return value_unknown();
}

_Static_assert(offsetof(struct value, kind) == 0 && offsetof(struct value, reg) == 1,
	       "both are compared at once");

static inline __attribute__((always_inline)) bool is_entry_value(const struct value *value,
								 uint8_t reg)
{
	const uint8_t entry[] = { VALUE_ENTRY, reg };

	return !memcmp(value, entry, sizeof(entry)) && !value->number;
}

/* It is for certain not what the register held: another address, another register, a result. */
static bool is_another(const struct value *value)
{
	return value->kind != VALUE_UNKNOWN;
}

static void check_value(const struct value *value, uint8_t reg, enum flow_fault fault,
			struct flow_row_verdict *ret)
{
	if (is_entry_value(value, reg))
		return;
	/* It would return to elsewhere, and goes by what it has made of the address. */
	if (is_another(value) && !(value_is_argument_again(value) && !is_preserved(reg)) &&
	    !(reg == REGISTER_RIP && (value_is_part(value) || value_is_return(value))))
		mismatch(ret, fault, reg, value);
	else
		unproven(ret, FLOW_VALUE_UNKNOWN);
}

/* The row's word begins inside one of which is known what it holds. */
static bool cuts_word(const struct flow_state *state, const struct value *at)
{
	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];
		int64_t distance = at->number - word->at.number;

		if (at->kind == VALUE_CFA && word->at.kind == VALUE_CFA && distance &&
		    distance > -8 && distance < 8 && word->value.kind == VALUE_ENTRY)
			return true;
	}
	return false;
}

/* Not in what the rule names. While it is where a call puts it, it is in no register that stands for itself either,
 * and in no word that the caller left. */
static void check_return(const struct flow_state *state, enum flow_reason reason,
			 struct flow_row_verdict *ret)
{
	const struct value *word = flow_word_on_top(state);

	unproven(ret, reason);
	if (state->thread != FLOW_THREAD_NONE || !word || !is_entry_value(word, REGISTER_RIP))
		return;
	mismatch(ret, FLOW_RETURN, REGISTER_RIP, word);
	ret->on_top = true;
}

/* The lowest address of the red zone. */
static int64_t red_zone(const struct value *rsp)
{
	return (int64_t)((uint64_t)rsp->number - FLOW_RED_ZONE_BYTES);
}

/* The word is so far below rsp that a signal's frame may be put there, and so may a debugger's call. */
static bool is_below_red_zone(const struct flow_state *state, const struct value *at)
{
	struct value zone = state->reg[REGISTER_RSP];

	zone.number = red_zone(&zone);
	return value_is_stack(&zone) && flow_align_is_below(state, at, &zone);
}

bool flow_row_has_saved(const struct flow_state *state, uint8_t reg)
{
	return ARRAY_ANY(state->word_count, i,
			 is_entry_value(&state->word[i].value, reg) &&
				 !is_below_red_zone(state, &state->word[i].at));
}

/* Nobody can have saved the register there: who has saved it elsewhere called none to save it once more. */
static bool is_unsaved(const struct flow_state *state, const struct value *at, uint8_t reg)
{
	return flow_word_is_unwritten(state, at) ||
	       (flow_row_has_saved(state, reg) && flow_word_is_untouched(state, at));
}

/* The word at an address that the row says. */
static void check_word(const struct flow_state *state, const struct value *at, uint8_t reg,
		       enum flow_fault fault, struct flow_row_verdict *ret)
{
	static const struct value halves = { .kind = VALUE_OTHER };
	const struct value *word;

	if (!value_is_stack(at)) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
		return;
	}
	word = flow_word_find(state, at);
	if (word && is_entry_value(word, reg) && is_below_red_zone(state, at))
		unproven(ret, FLOW_VALUE_UNKNOWN);
	else if (word)
		check_value(word, reg, fault, ret);
	else if (cuts_word(state, at))
		mismatch(ret, fault, reg, &halves);
	else if (reg == REGISTER_RIP && at->kind == VALUE_CFA && at->number >= 0)
		check_return(state, FLOW_VALUE_UNKNOWN, ret);
	else if ((at->kind == VALUE_CFA && at->number >= 0) || !is_unsaved(state, at, reg) ||
		 state->escaped & 1u << reg ||
		 (state->unlisted == FLOW_UNLISTED_ARGUMENT && !is_preserved(reg)))
		unproven(ret, FLOW_VALUE_UNKNOWN); /* a caller's word may hold anything */
	else
		mismatch(ret, fault, reg, NULL);
}

/* Anywhere in this frame. */
static bool is_kept(const struct flow_state *state, uint8_t reg)
{
	return is_entry_value(&state->reg[reg], reg) || flow_row_has_saved(state, reg);
}

/* Not in one that would have to be saved itself: who has it there means to use it, as a variable that
 * always is in that register (GNU C's global ones). */
static bool is_in_another(const struct flow_state *state, uint8_t reg)
{
	return ARRAY_ANY(REGISTER_GPR_COUNT, i,
			 !is_preserved(i) && is_entry_value(&state->reg[i], reg));
}

/* The code itself has lost what callees keep: it has written over the word that it saved it in, and what it
 * restores from there is wrong, too. Perhaps it does so on no path that can happen (an index that is never so
 * large); no row could say more. */
static bool is_lost_by_code(const struct row *row, const struct flow_state *state,
			    const struct flow_row_verdict *verdict)
{
	if (verdict->never_written || verdict->actual.kind == VALUE_ENTRY ||
	    row->reg[verdict->reg].kind == RULE_REGISTER)
		return false;
	return !ARRAY_ANY(REGISTER_GPR_COUNT, i, is_entry_value(&state->reg[i], verdict->reg)) &&
	       !flow_row_has_saved(state, verdict->reg);
}

/* A CIE may have the return address in another register's column (DWARF 5, 6.4.1): what the row says of that register is
 * said of the return address. None that callees keep is taken for one. */
static bool is_return_column(const struct row *row, uint8_t reg)
{
	const struct row_rule *own = &row->reg[reg], *ra = &row->reg[REGISTER_RIP];

	return reg != REGISTER_RIP && !is_preserved(reg) && own->kind == RULE_OFFSET &&
	       ra->kind == RULE_OFFSET && own->offset == ra->offset;
}

static void check_register(const struct row *row, uint8_t reg, uint64_t pc,
			   const struct flow_state *state, struct flow_row_verdict *ret)
{
	const struct row_rule *rule = &row->reg[reg];
	enum flow_fault fault = reg == REGISTER_RIP ? FLOW_RETURN : FLOW_NOT_SAVED;
	struct value at = { .kind = VALUE_CFA, .number = rule->offset };

	switch (rule->kind) {
	case RULE_UNDEFINED: return; /* claims nothing: check_lost() */
	case RULE_VAL_OFFSET:
		if (flow_word_find(state, &at) && is_entry_value(flow_word_find(state, &at), reg))
			mismatch(ret, fault, reg, flow_word_find(state, &at));
		else if (reg == REGISTER_RIP)
			check_return(state, FLOW_RULE_UNKNOWN, ret);
		else
			unproven(ret, FLOW_RULE_UNKNOWN);
		return;
	case RULE_UNSPECIFIED:
	case RULE_SAME_VALUE:
		if (reg == REGISTER_RIP)
			check_return(state, FLOW_RULE_UNKNOWN, ret);
		else
			check_value(&state->reg[reg], reg, FLOW_OVERWRITTEN, ret);
		ret->unspecified = rule->kind == RULE_UNSPECIFIED;
		return;
	case RULE_OFFSET:
		if (!is_return_column(row, reg))
			check_word(state, &at, reg, fault, ret);
		return;
	case RULE_REGISTER:
		if (rule->reg < REGISTER_GPR_COUNT)
			check_value(&state->reg[rule->reg], reg, fault, ret);
		else if (reg == REGISTER_RIP && rule->reg == REGISTER_RIP)
			check_return(state, FLOW_RULE_UNKNOWN, ret);
		else
			unproven(ret, FLOW_RULE_UNKNOWN);
		return;
	case RULE_EXPRESSION:
		at = flow_expression(rule->expression, rule->expression_bytes, pc, &the_cfa, state);
		if (reg != REGISTER_RIP && at.kind == VALUE_ENTRY && is_preserved(at.reg) &&
		    is_entry_value(&state->reg[reg], reg)) {
			mismatch(ret, fault, reg, &at);
			ret->callers_word = true;
		} else {
			check_word(state, &at, reg, fault, ret);
		}
		return;
	default: unproven(ret, FLOW_RULE_UNKNOWN); return;
	}
}

/* What an overwritten register accuses nobody of. Without a rule it is unchanged by the psABI, and
 * undefined by DWARF (6.4.1): a function that does not preserve it may be one of another convention
 * (OCaml's, Go's, inner routines of assembly). Where it is not lost, either reading is wrong. */
static bool is_excused(const struct flow_row_terms *terms, const struct flow_row_verdict *verdict,
		       const struct flow_state *state)
{
	if (terms->agreed & 1u << verdict->reg)
		return true;
	return (terms->vague & 1u << verdict->reg || verdict->unspecified) &&
	       !is_kept(state, verdict->reg) && !is_in_another(state, verdict->reg);
}

bool flow_row_preserves(const struct flow_state *state)
{
	return !ARRAY_ANY(sizeof(preserved), i,
			  !is_entry_value(&state->reg[preserved[i]], preserved[i]));
}

static void check_registers(const struct row *row, uint64_t pc, const struct flow_state *state,
			    const struct flow_row_terms *terms, struct flow_row_verdict *ret)
{
	if (terms->declared & 1u << REGISTER_RIP)
		check_register(row, REGISTER_RIP, pc, state, ret);
	if (ret->unspecified && terms->vague & 1u << REGISTER_RIP) {
		unproven(ret, FLOW_RULE_UNKNOWN); /* or there is no caller */
		ret->on_top = false;
	}
	for (size_t i = 0; i < sizeof(preserved) && ret->outcome != FLOW_ROW_MISMATCH; i++) {
		if (!(terms->declared & 1u << preserved[i]) ||
		    (flow_row_unruled(terms->agreed) & 1u << preserved[i] &&
		     row->reg[preserved[i]].kind == RULE_UNSPECIFIED))
			continue;
		check_register(row, preserved[i], pc, state, ret);
		if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_OVERWRITTEN &&
		    is_excused(terms, ret, state))
			unproven(ret, ret->unspecified ? FLOW_NOT_KEPT : FLOW_RULE_UNKNOWN);
		if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_NOT_SAVED &&
		    is_lost_by_code(row, state, ret))
			unproven(ret, FLOW_NOT_KEPT);
	}
}

/* What is declared lost could be declared, if nothing else is wrong. */
static void check_lost(const struct row *row, const struct flow_state *state,
		       const struct flow_row_terms *terms, struct flow_row_verdict *ret)
{
	for (size_t i = 0; i < sizeof(preserved) && ret->outcome != FLOW_ROW_MISMATCH; i++)
		if (terms->declared & 1u << preserved[i] &&
		    row->reg[preserved[i]].kind == RULE_UNDEFINED && is_kept(state, preserved[i]))
			mismatch(ret, FLOW_LOST, preserved[i], &the_cfa);
}

/* Registers that no callee preserves, of which the row claims something nevertheless. */
static bool claims(const struct row *row, uint8_t reg)
{
	return !(FLOW_PRESERVED & 1u << reg) && row->reg[reg].kind != RULE_UNSPECIFIED &&
	       row->reg[reg].kind != RULE_UNDEFINED;
}

bool flow_row_has_others(const struct row *row)
{
	return ARRAY_ANY(REGISTER_GPR_COUNT, reg, claims(row, reg)) || row->high;
}

static void check_others(const struct row *row, uint64_t pc, const struct flow_state *state,
			 const struct flow_row_terms *terms, struct flow_row_verdict *ret)
{
	for (uint8_t reg = 0; reg < REGISTER_GPR_COUNT && ret->outcome != FLOW_ROW_MISMATCH;
	     reg++) {
		if (!(terms->declared & 1u << reg) || !claims(row, reg))
			continue;
		check_register(row, reg, pc, state, ret);
		if (ret->outcome == FLOW_ROW_MISMATCH && terms->agreed & 1u << reg)
			unproven(ret, FLOW_RULE_UNKNOWN);
		/* Of an argument the caller may count on a part alone, and that may be there. */
		if (ret->outcome == FLOW_ROW_MISMATCH && ret->fault == FLOW_NOT_SAVED &&
		    !ret->never_written && ret->actual.kind == VALUE_OTHER)
			unproven(ret, FLOW_VALUE_UNKNOWN);
	}
	if (row->high && ret->outcome == FLOW_ROW_PROVEN)
		unproven(ret, FLOW_RULE_UNKNOWN);
}

/* The caller's rsp is the CFA, if no rule says something else. */
static bool is_usual_rsp(const struct row *row)
{
	const struct row_rule *rule = &row->reg[REGISTER_RSP];

	return rule->kind == RULE_UNSPECIFIED || (rule->kind == RULE_VAL_OFFSET && !rule->offset);
}

/* The caller's rsp by the row's own rule, where cfa is what the row comes to. */
static struct value callers_rsp(const struct row *row, uint64_t pc, const struct flow_state *state,
				const struct value *cfa)
{
	const struct row_rule *rule = &row->reg[REGISTER_RSP];

	if (rule->kind == RULE_VAL_OFFSET)
		return value_add(*cfa, rule->offset);
	if (rule->kind == RULE_VAL_EXPRESSION)
		return flow_expression(rule->expression, rule->expression_bytes, pc, cfa, state);
	return value_unknown();
}

/* A row with a rule for rsp counts from wherever it likes (GHC's StgRun: `cfa=rsp+0`, and rsp by an expression): that
 * rule says what the caller's rsp is, and the others where its registers are. */
static void check_moved(const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_terms *terms, const struct value *cfa,
			struct flow_row_verdict *ret)
{
	const struct value rsp = callers_rsp(row, pc, state, cfa);
	struct row moved = *row;

	if (rsp.kind == VALUE_CFA && rsp.number) {
		mismatch(ret, FLOW_CFA, 0, &rsp);
		return;
	}
	for (size_t i = 0; i < sizeof(moved.reg) / sizeof(moved.reg[0]); i++) {
		struct row_rule *rule = &moved.reg[i];

		if (rule->kind == RULE_OFFSET)
			rule->offset = (int64_t)((uint64_t)rule->offset + (uint64_t)cfa->number);
		if (rule->kind == RULE_EXPRESSION || rule->kind == RULE_VAL_OFFSET)
			rule->kind = RULE_UNDEFINED; /* nothing is said of it */
	}
	check_registers(&moved, pc, state, terms, ret);
	if (ret->outcome == FLOW_ROW_PROVEN)
		unproven(ret, FLOW_RULE_UNKNOWN);
}

/* rsp itself comes from there: by convention the caller keeps an address of the stack in it, perhaps this frame's (a path
 * out of an error, `mov rsp, r12; ret`). */
static bool is_callers_stack(const struct flow_state *state, uint8_t reg)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	return rsp->kind == VALUE_ENTRY && rsp->reg == reg;
}

static void check_all(const struct row *row, uint64_t pc, const struct flow_state *state,
		      const struct flow_row_terms *terms, struct flow_row_verdict *ret)
{
	struct value cfa = row_cfa(row, pc, state);

	*ret = (struct flow_row_verdict) { .outcome = FLOW_ROW_PROVEN };
	if (row->signal_frame) {
		unproven(ret, FLOW_SIGNAL_FRAME);
		return;
	}
	if (terms->declared & 1u << REGISTER_RIP && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED) {
		ret->ends = true;
		return;
	}
	if (state->thread == FLOW_THREAD_EITHER) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
		return;
	}
	if (!(terms->declared & ROW_DECLARES_CFA)) {
		unproven(ret, FLOW_RULE_UNKNOWN);
		return;
	}
	if (cfa.kind == VALUE_CFA && cfa.number && !is_usual_rsp(row)) {
		check_moved(row, pc, state, terms, &cfa, ret);
		return;
	}
	if (cfa.kind == VALUE_CFA && cfa.number) {
		mismatch(ret, FLOW_CFA, 0, &cfa);
		return;
	}
	if (cfa.kind == VALUE_ENTRY && is_preserved(cfa.reg)) {
		mismatch(ret, FLOW_CFA, 0,
			 &cfa); /* what the caller keeps there is its own affair */
		ret->callers_stack = is_callers_stack(state, cfa.reg);
		return;
	}
	if (cfa.kind != VALUE_CFA) {
		unproven(ret, FLOW_VALUE_UNKNOWN);
		return;
	}
	check_registers(row, pc, state, terms, ret);
	check_others(row, pc, state, terms, ret);
	if (ret->outcome == FLOW_ROW_PROVEN && !is_usual_rsp(row))
		unproven(ret, FLOW_RULE_UNKNOWN);
	check_lost(row, state, terms, ret);
}

static __attribute__((noinline)) int64_t lowest_by_base(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const int64_t highest = state->aligned ? flow_align_highest(state, rsp) : INT64_MIN;

	return highest < INT64_MIN + FLOW_RED_ZONE_BYTES ? INT64_MIN
							 : highest - FLOW_RED_ZONE_BYTES;
}

/* The lowest word of the CFA's that is not below the red zone. */
static int64_t lowest_word(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	return rsp->kind == VALUE_CFA ? red_zone(rsp) : lowest_by_base(state);
}

static __attribute__((noinline)) bool has_anywhere(const struct flow_state *state, int64_t offset,
						   uint8_t reg)
{
	const struct value at = { .kind = VALUE_CFA, .number = offset };
	const struct value *word = flow_word_find(state, &at);

	return word && is_entry_value(word, reg);
}

/* Registers are mostly saved in the order in which words are, from the CFA down. */
static inline __attribute__((always_inline)) bool has_saved(const struct flow_state *state,
							    int64_t offset, uint8_t reg)
{
	const struct value at = { .kind = VALUE_CFA, .number = offset };
	const uint64_t guess = (0 - (uint64_t)offset) / 8 - 1;

	if (guess < state->word_count && value_equal(&state->word[guess].at, &at))
		return is_entry_value(&state->word[guess].value, reg);
	return has_anywhere(state, offset, reg);
}

static inline __attribute__((always_inline)) bool
holds_usual(const struct row *row, const struct flow_state *state, int64_t lowest, uint8_t reg)
{
	const struct row_rule *rule = &row->reg[reg];

	if (rule->kind == RULE_OFFSET)
		return rule->offset >= lowest && has_saved(state, rule->offset, reg);
	return (rule->kind == RULE_UNSPECIFIED || rule->kind == RULE_SAME_VALUE) &&
	       is_entry_value(&state->reg[reg], reg);
}

bool flow_row_holds_usual(const struct row *row, const struct flow_state *state)
{
	const struct value *base = &state->reg[row->cfa.reg % REGISTER_GPR_COUNT];
	const int64_t lowest = lowest_word(state);

	if (row->signal_frame || state->thread || !is_usual_rsp(row) ||
	    row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg >= REGISTER_GPR_COUNT ||
	    base->kind != VALUE_CFA || (uint64_t)base->number + (uint64_t)row->cfa.offset ||
	    row->reg[REGISTER_RIP].kind != RULE_OFFSET || row->reg[REGISTER_RIP].offset < lowest ||
	    !has_saved(state, row->reg[REGISTER_RIP].offset, REGISTER_RIP))
		return false;
	return holds_usual(row, state, lowest, REGISTER_RBX) &&
	       holds_usual(row, state, lowest, REGISTER_RBP) &&
	       holds_usual(row, state, lowest, REGISTER_R12) &&
	       holds_usual(row, state, lowest, REGISTER_R13) &&
	       holds_usual(row, state, lowest, REGISTER_R14) &&
	       holds_usual(row, state, lowest, REGISTER_R15);
}

/* True only if the row is right in all: the usual rules against the usual states, and nothing else. */
static bool flow_row_holds(const struct row *row, const struct flow_state *state)
{
	return !flow_row_has_others(row) && flow_row_holds_usual(row, state);
}

void flow_row_check_terms(const struct row *row, uint64_t pc, const struct flow_state *state,
			  const struct flow_row_terms *terms, struct flow_row_verdict *ret)
{
	if (terms->declared == UINT32_MAX && !terms->vague && flow_row_holds(row, state))
		*ret = (struct flow_row_verdict) { .outcome = FLOW_ROW_PROVEN };
	else
		check_all(row, pc, state, terms, ret);
}

bool flow_state_is_entry(const struct flow_state *state)
{
	struct flow_state entry;
	const struct value *word = flow_word_on_top(state);
	static const uint8_t same[] = { REGISTER_RSP, REGISTER_RBX, REGISTER_RBP, REGISTER_R12,
					REGISTER_R13, REGISTER_R14, REGISTER_R15 };

	flow_state_enter(&entry);
	return !ARRAY_ANY(sizeof(same), i,
			  !value_equal(&state->reg[same[i]], &entry.reg[same[i]])) &&
	       word && value_equal(word, &entry.word[0].value);
}

bool flow_row_is_entry(const struct row *row)
{
	struct flow_state entry;
	struct flow_row_verdict verdict;
	struct value cfa;

	flow_state_enter(&entry);
	flow_row_check(row, row->pc, &entry, 0, &verdict);
	if (verdict.ends) { /* of its CFA nothing was said */
		cfa = row_cfa(row, row->pc, &entry);
		return value_equal(&cfa, &the_cfa);
	}
	return verdict.outcome == FLOW_ROW_PROVEN;
}

/* ---- for people --------------------------------------------------------------------------- */

static void print_value(const struct value *value, char *text, size_t size)
{
	switch (value->kind) {
	case VALUE_CFA: snprintf(text, size, "cfa%+" PRId64, value->number); break;
	case VALUE_ENTRY:
		if (value->reg == REGISTER_RIP)
			snprintf(text, size, "the return address");
		else if (value->number)
			snprintf(text, size, "the caller's %s%+" PRId64, register_name(value->reg),
				 value->number);
		else
			snprintf(text, size, "the caller's %s", register_name(value->reg));
		break;
	case VALUE_BASE: snprintf(text, size, "an address of this frame"); break;
	case VALUE_CONSTANT: snprintf(text, size, "%#" PRIx64, (uint64_t)value->number); break;
	default: snprintf(text, size, "another value"); break;
	}
}

static void print_rule(const struct row_rule *rule, const char *name, char *text, size_t size)
{
	FREED char *rule_text = NULL;
	size_t rule_size;
	FILE *file = open_memstream(&rule_text, &rule_size);

	if (!file) {
		snprintf(text, size, "%s", name);
		return;
	}
	row_rule_print(file, rule);
	fclose(file);
	snprintf(text, size, "%s=%s", name, rule_text);
}

/* Where the true CFA is, in the terms of a register that is known: rsp if it is. */
static void print_cfa(const struct row *row, const struct flow_state *state, char *text,
		      size_t size)
{
	static const uint8_t order[] = { REGISTER_RSP, REGISTER_RBP };
	uint8_t named = row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg < REGISTER_GPR_COUNT
				? (uint8_t)row->cfa.reg
				: REGISTER_RSP;

	if (state->reg[named].kind == VALUE_CFA) {
		snprintf(text, size, "cfa=%s%+" PRId64, register_name(named),
			 -state->reg[named].number);
		return;
	}
	for (size_t i = 0; i < sizeof(order); i++)
		if (state->reg[order[i]].kind == VALUE_CFA) {
			snprintf(text, size, "cfa=%s%+" PRId64, register_name(order[i]),
				 -state->reg[order[i]].number);
			return;
		}
	snprintf(text, size, "another");
}

void flow_row_describe(const struct row *row, const struct flow_state *state,
		       const struct flow_row_verdict *verdict, char declared[FLOW_TEXT_BYTES],
		       char actual[FLOW_TEXT_BYTES])
{
	char value[48];

	if (verdict->fault == FLOW_CFA) {
		print_rule(&row->cfa, "cfa", declared, FLOW_TEXT_BYTES);
		print_cfa(row, state, actual, FLOW_TEXT_BYTES);
		return;
	}
	print_rule(&row->reg[verdict->reg],
		   verdict->reg == REGISTER_RIP ? "ra" : register_name(verdict->reg), declared,
		   FLOW_TEXT_BYTES);
	print_value(&verdict->actual, value, sizeof(value));
	if (verdict->callers_word)
		snprintf(actual, FLOW_TEXT_BYTES, "it is in %s, and that word counts from %.60s",
			 register_name(verdict->reg), value);
	else if (verdict->on_top)
		snprintf(actual, FLOW_TEXT_BYTES, "it is at c-8");
	else if (verdict->never_written)
		snprintf(actual, FLOW_TEXT_BYTES,
			 state->unlisted ? "it was never written there"
					 : "nothing was written there");
	else if (verdict->fault == FLOW_LOST)
		snprintf(actual, FLOW_TEXT_BYTES, "this frame still has it");
	else
		snprintf(actual, FLOW_TEXT_BYTES, "%s %s",
			 verdict->fault == FLOW_OVERWRITTEN ? "it is" : "there is", value);
}
