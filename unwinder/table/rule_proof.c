/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rule_proof.c - one row and one rule: do they lead to the same caller?
 *
 * Both are evaluated on the same made-up registers and memory, many times over. The row is
 * evaluated here as DWARF 5, section 6.4, says it, by a few lines that share nothing with the walk:
 * expressions by expression_evaluate(), what is unspecified by the psABI. The rule is applied by
 * step.h itself, the lines that run in the kernel. Memory is endless: its words are a hash of their
 * address, so that two readings of a register can only agree if they read the same place.
 *
 * Equal means: the CFA, the return address and each of the sixteen registers, known in one where
 * it is known in the other and of one value, or an outermost frame in both, or no caller in both.
 * A draw has all registers known, or only those that a frame knows that called another, or some at
 * random; values are anything, or small. The PC's low 4 bits take every value in turn, since PLT
 * rules look at them. That the walk then refuses to go down the stack is a decision about the
 * values and not about the rule: it is switched off, so that every register is compared always.
 */
#include <inttypes.h>
#include <string.h>
#include "hash.h"
#include "cfi/expression.h"
#include "unwind_table.h"

#define DRAWS	    64
#define PC_LOW_BITS 15
#define GPR_MASK    ((1u << REGISTER_GPR_COUNT) - 1)

/* What step.h needs of its includer. */
struct walk_memory {
	const struct table *table;
};

/* The 8 bytes at an address. That of 0 is not 0: a return address of 0 is an end. Overlapping reads don't
 * agree: a rule has none of a part of a word. */
static uint64_t memory_word(uint64_t address)
{
	return hash_mix(address);
}

static int memory_read(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = memory_word(address);

	if (size > sizeof(word))
		return -1;
	memcpy(ret, &word, size);
	return 0;
}

static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	*ret = memory_word(address);
	return 0;
}

static inline const struct table_place *walk_place(struct walk_memory *memory, __u32 number)
{
	return number < memory->table->place_count ? &memory->table->place[number] : NULL;
}

#include "step.h"

/* ---- the caller, by either ---------------------------------------------------------------- */

struct caller {
	bool none;	/* it can't be had: something it hangs on is not known */
	bool outermost; /* there is none, and that is said */
	uint64_t cfa;
	struct register_values regs;
};

static const struct memory_reader hashed_memory = { .read = memory_read };

/* True if the CFI says what the caller's value is, and what that hangs on is known. */
static bool row_value(const struct row_rule *rule, unsigned int reg,
		      const struct register_values *regs, uint64_t cfa, uint64_t *ret)
{
	enum rule_kind kind = rule->kind == RULE_UNSPECIFIED ? register_default_rule(reg)
							     : rule->kind;
	unsigned int from = kind == RULE_REGISTER ? rule->reg : reg;
	struct error error;

	switch (kind) {
	case RULE_SAME_VALUE:
	case RULE_REGISTER:
		if (from >= REGISTER_COUNT || !(regs->known >> from & 1))
			return false;
		*ret = regs->value[from];
		return true;
	case RULE_OFFSET: *ret = memory_word(cfa + rule->offset); return true;
	case RULE_VAL_OFFSET:
		*ret = cfa + (rule->kind == RULE_UNSPECIFIED ? 0 : rule->offset);
		return true;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		if (expression_evaluate(rule->expression, rule->expression_bytes, regs, true, cfa,
					&hashed_memory, ret, &error))
			return false;
		if (kind == RULE_EXPRESSION)
			*ret = memory_word(*ret);
		return true;
	default: return false;
	}
}

static bool row_cfa(const struct row_rule *rule, const struct register_values *regs, uint64_t *ret)
{
	struct error error;

	if (rule->kind == RULE_CFA_EXPRESSION)
		return !expression_evaluate(rule->expression, rule->expression_bytes, regs, false,
					    0, &hashed_memory, ret, &error);
	if (rule->kind != RULE_CFA_REGISTER || rule->reg >= REGISTER_COUNT ||
	    !(regs->known >> rule->reg & 1))
		return false;
	*ret = regs->value[rule->reg] + rule->offset;
	return true;
}

static void caller_by_row(const struct row *row, const struct register_values *regs,
			  struct caller *ret)
{
	*ret = (struct caller) { .none = true };
	if (!row_cfa(&row->cfa, regs, &ret->cfa))
		return;
	if (row->reg[REGISTER_RIP].kind == RULE_UNDEFINED) {
		*ret = (struct caller) { .outermost = true };
		return;
	}
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		if (row_value(&row->reg[reg], reg, regs, ret->cfa, &ret->regs.value[reg]))
			ret->regs.known |= 1u << reg;
	/* Without the one there is nothing to go on with, without the other nothing to stand on. */
	ret->none = !(ret->regs.known >> REGISTER_RIP & 1) ||
		    !(ret->regs.known >> REGISTER_RSP & 1);
}

static void caller_by_rule(const struct table *table, uint32_t number,
			   const struct register_values *regs, struct caller *ret)
{
	struct walk_memory memory = { .table = table };
	struct walk_state state = { .pc = regs->value[REGISTER_RIP],
				    .known = regs->known & GPR_MASK,
				    .exact_pc = 1 };
	struct table_rule rule = table->rule[number];
	struct walk_state before;
	unsigned int stop;
	__u64 value;

	*ret = (struct caller) { .none = true };
	memcpy(state.reg, regs->value, sizeof(state.reg));
	before = state;
	rule.flags |= TABLE_RULE_SIGNAL_FRAME; /* may go down the stack */
	stop = step(&state, &rule, &memory);
	ret->outermost = stop == STOP_COMPLETE;
	ret->none = stop != STOP_NONE && stop != STOP_COMPLETE;
	if (stop ||
	    step_cfa(&before, &rule,
		     rule.flags & TABLE_RULE_EXTENDED ? rule.cfa_extended_add : rule.cfa_add,
		     &memory, &value))
		return;
	ret->cfa = value;
	ret->regs.value[REGISTER_RIP] = state.pc;
	ret->regs.known = 1u << REGISTER_RIP;
	for (unsigned int reg = 0; reg < REGISTER_GPR_COUNT; reg++)
		if (!step_register(&state, &memory, reg, &value)) {
			ret->regs.value[reg] = value;
			ret->regs.known |= 1u << reg;
		}
}

/* ---- many draws --------------------------------------------------------------------------- */

static void draw_registers(unsigned int draw, struct register_values *ret)
{
	uint64_t random = hash_mix(draw);
	unsigned int kind = draw / (PC_LOW_BITS + 1) % 4;

	*ret = (struct register_values) { .known = (1u << REGISTER_COUNT) - 1 };
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++) {
		random = hash_mix(random);
		ret->value[reg] = kind == 3 ? random & 0xff : random;
	}
	if (kind == 1)
		ret->known = CALLEE_SAVED_MASK;
	else if (kind == 2)
		ret->known = hash_mix(random) & GPR_MASK;
	ret->known |= 1u << REGISTER_RSP | 1u << REGISTER_RIP;
	ret->value[REGISTER_RIP] = (ret->value[REGISTER_RIP] & ~(uint64_t)PC_LOW_BITS) |
				   (draw & PC_LOW_BITS);
}

static const char *outcome_name(const struct caller *caller)
{
	return caller->none ? "no caller" : caller->outermost ? "the outermost frame" : "a caller";
}

static bool callers_equal(const struct caller *row, const struct caller *rule, char *ret_why,
			  size_t why_size)
{
	if (row->none != rule->none || row->outermost != rule->outermost) {
		snprintf(ret_why, why_size, "%s by the row, %s by the rule", outcome_name(row),
			 outcome_name(rule));
		return false;
	}
	if (row->none || row->outermost)
		return true;
	if (row->cfa != rule->cfa) {
		snprintf(ret_why, why_size, "the CFAs differ by %" PRId64,
			 (int64_t)(rule->cfa - row->cfa));
		return false;
	}
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++) {
		bool known = row->regs.known >> reg & 1;

		if (known != (rule->regs.known >> reg & 1)) {
			snprintf(ret_why, why_size, "%s is known by the %s only",
				 register_name(reg), known ? "row" : "rule");
			return false;
		}
		if (known && row->regs.value[reg] != rule->regs.value[reg]) {
			snprintf(ret_why, why_size, "%s differs", register_name(reg));
			return false;
		}
	}
	return true;
}

bool table_rule_proves(const struct row *row, const struct table *table, uint32_t rule,
		       char *ret_why, size_t why_size)
{
	bool signal_frame;

	if (rule < TABLE_MARKER_COUNT || rule >= table->rule_count) {
		snprintf(ret_why, why_size, "there is no rule %" PRIu32, rule);
		return false;
	}
	signal_frame = table->rule[rule].flags & TABLE_RULE_SIGNAL_FRAME;
	if (signal_frame != row->signal_frame) {
		snprintf(ret_why, why_size, "a signal frame by the %s only",
			 signal_frame ? "rule" : "row");
		return false;
	}
	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		struct register_values regs;
		struct caller by_row, by_rule;

		draw_registers(draw, &regs);
		caller_by_row(row, &regs, &by_row);
		caller_by_rule(table, rule, &regs, &by_rule);
		/* An address of 0 is a caller in the row, and looks like an end to the walk. */
		if (!by_row.none && !by_row.outermost && !by_row.regs.value[REGISTER_RIP])
			by_row.none = true;
		if (!callers_equal(&by_row, &by_rule, ret_why, why_size))
			return false;
	}
	return true;
}
