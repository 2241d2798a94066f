/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_hold.c - one row against one fact
 *
 * The fact says where the CFA was, seen from rsp and rbp. So a CFA is made up, the registers are computed from it, and
 * the row must give it back: whatever its rule is, as long as it asks for nothing else. Expressions are evaluated with
 * two such CFAs, for one may be right by its alignment alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array.h"
#include "cfi/expression.h"
#include "row_judge.h"

#define MADE_UP_CFA UINT64_C(0x7ffc12345010)
#define ANOTHER_CFA UINT64_C(0x7ffd00002020)
#define SLOT_BELOW  8  /* where the return address is: psABI, 3.2.2 */
#define FIRST_WORD  16 /* below the CFA: struct row_fact_registers */

static const char *const reason_names[ROW_REASON_COUNT] = {
	[ROW_CONTRADICTED] = "contradicted",
	[ROW_IN_DOUBT] = "doubt",
	[ROW_PREFIX] = "prefix",
	[ROW_OTHER_REGISTER] = "other_register",
	[ROW_MEMORY] = "memory",
	[ROW_VARIES] = "varies",
	[ROW_SIGNAL] = "signal_frame",
	[ROW_RULE] = "rule",
	[ROW_RETURN_REGISTER] = "return_register",
	[ROW_RETURN_COPIED] = "return_copied",
	[ROW_AS_CFI] = "as_cfi",
	[ROW_MARKED] = "marked",
};

const char *row_reason_name(enum row_reason reason)
{
	return reason_names[reason];
}

static void unjudged(struct row_verdict *ret, enum row_reason reason)
{
	ret->outcome = reason < ROW_OTHER_REGISTER ? ROW_DOUBTED : ROW_UNJUDGED;
	ret->reason = reason;
}

static void wrong(struct row_verdict *ret, enum fault_kind kind, uint32_t registers)
{
	ret->outcome = ROW_WRONG;
	ret->kind = kind;
	ret->registers = registers;
}

/* ---- the CFA --------------------------------------------------------------------------------- */

static int read_nothing(void *context, uint64_t address, void *ret, size_t size)
{
	return -1;
}

/* The registers of which the fact says where they are. */
static struct register_values registers_at(const struct row_fact *fact, uint64_t cfa)
{
	struct register_values ret = { .known = 1u << REGISTER_RIP };

	ret.value[REGISTER_RIP] = fact->pc;
	if (fact->sp != ROW_FACT_ANY && fact->sp != ROW_FACT_ABOVE) {
		ret.value[REGISTER_RSP] = cfa - (uint64_t)fact->sp;
		ret.known |= 1u << REGISTER_RSP;
	}
	if (fact->bp != ROW_FACT_ANY && fact->bp != ROW_FACT_ABOVE) {
		ret.value[REGISTER_RBP] = cfa - (uint64_t)fact->bp;
		ret.known |= 1u << REGISTER_RBP;
	}
	return ret;
}

/* Of an expression with that error, which can't be evaluated. */
static enum row_reason reason_of(const struct row_rule *rule, const struct row_fact *fact,
				 const struct error *error)
{
	uint32_t asked = expression_registers(rule->expression, rule->expression_bytes);

	if (error->code == ERROR_EXPRESSION_MEMORY)
		return ROW_MEMORY;
	if (error->code != ERROR_EXPRESSION_REGISTER)
		return ROW_RULE;
	if ((fact->sp == ROW_FACT_ANY && asked >> REGISTER_RSP & 1) ||
	    (fact->bp == ROW_FACT_ANY && asked >> REGISTER_RBP & 1))
		return ROW_VARIES;
	return ROW_OTHER_REGISTER;
}

/* What the expression gives for one CFA. False: it can't be known. */
static bool evaluate(const struct row_rule *rule, const struct row_fact *fact, uint64_t cfa,
		     bool push_cfa, uint64_t pushed, uint64_t *ret, enum row_reason *ret_reason)
{
	const struct memory_reader memory = { .read = read_nothing };
	struct register_values regs = registers_at(fact, cfa);
	struct error error;

	if (!expression_evaluate(rule->expression, rule->expression_bytes, &regs, push_cfa, pushed,
				 &memory, ret, &error))
		return true;
	*ret_reason = reason_of(rule, fact, &error);
	return false;
}

/* How far from the CFA an address is that the expression gives. */
static bool find_offset(const struct row_rule *rule, const struct row_fact *fact, bool push_cfa,
			int64_t cfa_off, int64_t *ret, enum row_reason *ret_reason)
{
	uint64_t one, other;

	if (!evaluate(rule, fact, MADE_UP_CFA, push_cfa, MADE_UP_CFA + (uint64_t)cfa_off, &one,
		      ret_reason) ||
	    !evaluate(rule, fact, ANOTHER_CFA, push_cfa, ANOTHER_CFA + (uint64_t)cfa_off, &other,
		      ret_reason))
		return false;
	*ret = (int64_t)(one - MADE_UP_CFA);
	*ret_reason = ROW_RULE;
	return one - MADE_UP_CFA == other - ANOTHER_CFA;
}

/* How far the row's CFA is from the true one. *ret_any: it is not known, but elsewhere. False: it can't be known. */
static bool hold_cfa(const struct row_rule *rule, const struct row_fact *fact, int64_t *ret,
		     bool *ret_far, enum row_reason *ret_reason)
{
	int64_t below;

	*ret_far = false;
	*ret_reason = ROW_RULE;
	if (rule->kind == RULE_CFA_EXPRESSION)
		return find_offset(rule, fact, false, 0, ret, ret_reason);
	if (rule->kind != RULE_CFA_REGISTER)
		return false;
	*ret_reason = ROW_OTHER_REGISTER;
	if (rule->reg != REGISTER_RSP && rule->reg != REGISTER_RBP)
		return false;
	below = rule->reg == REGISTER_RSP ? fact->sp : fact->bp;
	*ret_reason = ROW_VARIES;
	if (below == ROW_FACT_ANY)
		return false;
	/* How far a register is that isn't near nobody has noted. */
	if (below == ROW_FACT_ABOVE && rule->offset > ROW_FACT_NEAR)
		return false;
	*ret_far = below == ROW_FACT_ABOVE;
	if (__builtin_sub_overflow(rule->offset, below, ret))
		*ret_far = true;
	if (*ret_far)
		*ret = 0;
	return true;
}

/* ---- the return address, registers ------------------------------------------------------------- */

/* Where a rule finds a word, from the true CFA; cfa_off: how far the row's is from that. */
static bool find_word(const struct row_rule *rule, const struct row_fact *fact, int64_t cfa_off,
		      int64_t *ret, enum row_reason *ret_reason)
{
	*ret_reason = ROW_RULE;
	if (rule->kind == RULE_OFFSET)
		return !__builtin_add_overflow(rule->offset, cfa_off, ret);
	return rule->kind == RULE_EXPRESSION &&
	       find_offset(rule, fact, true, cfa_off, ret, ret_reason);
}

static const uint8_t callee_saved[CALLEE_SAVED_COUNT] = {
	REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
};

/* 1: the rule gives the caller's value; 0: another; -1: that is not known. */
static int hold_register(const struct row_rule *rule, const struct row_fact *fact, unsigned int at)
{
	const struct row_fact_registers *known = &fact->registers;
	enum row_reason ignored;
	int64_t offset;

	if (rule->kind == RULE_SAME_VALUE || rule->kind == RULE_UNSPECIFIED)
		return known->same >> at & 1;
	if (!find_word(rule, fact, 0, &offset, &ignored))
		return -1;
	if (offset > -FIRST_WORD || offset <= -FIRST_WORD - 8 * ROW_FACT_WORDS || offset % 8)
		return -1;
	return known->held[at] >> ((-FIRST_WORD - offset) / 8) & 1;
}

static void hold_registers(const struct row_said *said, const struct row_fact *fact,
			   struct row_verdict *ret)
{
	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT && fact->registers.known; i++) {
		unsigned int reg = callee_saved[i];
		int held = said->declared >> reg & 1 ? hold_register(&said->row.reg[reg], fact, i)
						     : -1;

		*(held < 0 ? &ret->registers_unjudged
		  : held   ? &ret->registers_right
			   : &ret->registers) |= 1u << reg;
	}
	if (ret->registers) {
		ret->outcome = ROW_WRONG;
		ret->kind = FAULT_REGISTER;
	}
}

/* Whether the rule gives the return address: 1, 0: another value; -1: that is not known, and why. cfa_off: as of
 * find_word(). */
static int hold_return(const struct row_rule *rule, const struct row_fact *fact, int64_t cfa_off,
		       enum row_reason *ret_reason)
{
	const struct row_fact_return *known = &fact->returns;
	int64_t word, at;

	*ret_reason = ROW_RETURN_REGISTER;
	if (rule->kind == RULE_REGISTER) {
		/* Where a stack pointer or frame pointer points to is no code. */
		if (rule->reg == REGISTER_RSP || (rule->reg == REGISTER_RBP && fact->bp > 0))
			return 0;
		if (!known->registers_known || rule->reg > REGISTER_R15)
			return -1;
		return known->registers >> rule->reg & 1;
	}
	if (!find_word(rule, fact, cfa_off, &word, ret_reason))
		return -1;
	if (word == -SLOT_BELOW)
		return 1;
	/* Half of it is no copy. */
	if (word > -2 * SLOT_BELOW && word < 0)
		return 0;
	*ret_reason = ROW_RETURN_COPIED;
	at = ROW_RETURN_ABOVE - word;
	if (!known->known || at < 0 || at % 8 || at / 8 >= ROW_RETURN_WORDS)
		return -1;
	if (known->has >> at / 8 & 1)
		return 1;
	return known->lacks >> at / 8 & 1 ? 0 : -1;
}

/* How far the caller's rsp is from the true one: at the CFA, if no rule says something else (x86_64.c). False: that
 * is not known. */
static bool hold_sp(const struct row_said *said, const struct row_fact *fact, int64_t cfa_off,
		    int64_t *ret, enum row_reason *ret_reason)
{
	const struct row_rule *rule = &said->row.reg[REGISTER_RSP];
	uint64_t one, other;

	*ret = cfa_off;
	*ret_reason = ROW_RULE;
	if (!(said->declared >> REGISTER_RSP & 1) || rule->kind == RULE_UNSPECIFIED)
		return true;
	if (rule->kind == RULE_VAL_OFFSET)
		return !__builtin_add_overflow(cfa_off, rule->offset, ret);
	if (rule->kind != RULE_VAL_EXPRESSION || !rule->expression_bytes) {
		*ret_reason = rule->kind == RULE_OFFSET || rule->kind == RULE_EXPRESSION
				      ? ROW_MEMORY
				      : ROW_RULE;
		return false;
	}
	if (!evaluate(rule, fact, MADE_UP_CFA, true, MADE_UP_CFA + (uint64_t)cfa_off, &one,
		      ret_reason) ||
	    !evaluate(rule, fact, ANOTHER_CFA, true, ANOTHER_CFA + (uint64_t)cfa_off, &other,
		      ret_reason))
		return false;
	*ret = (int64_t)(one - MADE_UP_CFA);
	return one - MADE_UP_CFA == other - ANOTHER_CFA;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static bool ends(const struct row_said *said)
{
	enum rule_kind kind = said->row.reg[REGISTER_RIP].kind;

	return said->declared >> REGISTER_RIP & 1 &&
	       (kind == RULE_UNDEFINED ||
		(kind == RULE_UNSPECIFIED && !(said->vague >> REGISTER_RIP & 1)));
}

/* The CFA is known. */
static void hold_caller(const struct row_said *said, const struct row_fact *fact, int64_t cfa_off,
			struct row_verdict *ret)
{
	bool has_return = said->declared >> REGISTER_RIP & 1;
	enum row_reason reason, reason_of_sp;
	int64_t sp_off;
	int found = has_return ? hold_return(&said->row.reg[REGISTER_RIP], fact, cfa_off, &reason)
			       : 1;

	if (!hold_sp(said, fact, cfa_off, &sp_off, &reason_of_sp)) {
		if (found)
			unjudged(ret, reason_of_sp);
		else
			wrong(ret, FAULT_WRONG, 1u << REGISTER_RIP);
	} else if (!found || (sp_off && (found < 0 || !has_return))) {
		wrong(ret, FAULT_WRONG,
		      (uint32_t)!found << REGISTER_RIP | (uint32_t) !!sp_off << REGISTER_RSP);
	} else if (sp_off) {
		wrong(ret, FAULT_REGISTER, 1u << REGISTER_RSP);
	} else if (found < 0) {
		unjudged(ret, reason);
	} else {
		ret->outcome = ROW_RIGHT;
		hold_registers(said, fact, ret);
	}
}

static void hold_frame(const struct row_said *said, const struct row_fact *fact,
		       struct row_verdict *ret)
{
	bool has_return = said->declared >> REGISTER_RIP & 1, far;
	const struct row_rule *rip = &said->row.reg[REGISTER_RIP];
	enum row_reason reason;
	int64_t cfa_off;

	if (has_return && rip->kind == RULE_UNSPECIFIED && said->vague >> REGISTER_RIP & 1)
		unjudged(ret, ROW_RULE);
	else if (ends(said))
		wrong(ret, FAULT_EARLY_END, 1u << REGISTER_RIP);
	else if (!(said->declared & ROW_DECLARES_CFA))
		unjudged(ret, ROW_RULE);
	else if (!hold_cfa(&said->row.cfa, fact, &cfa_off, &far, &reason))
		unjudged(ret, reason);
	else if (far)
		wrong(ret, FAULT_WRONG, 1u << REGISTER_RSP | 1u << REGISTER_RIP);
	else
		hold_caller(said, fact, cfa_off, ret);
}

static void hold_outermost(const struct row_said *said, struct row_verdict *ret)
{
	if (ends(said))
		ret->outcome = ROW_RIGHT;
	else if (said->declared >> REGISTER_RIP & 1)
		wrong(ret, FAULT_NO_END, 1u << REGISTER_RIP);
	else
		unjudged(ret, ROW_RULE);
}

/* A call may have opened no frame: then the row may go on with one of those further out. Which registers are whose
 * is not known. */
static void hold_readings(const struct row_said *said, const struct row_fact *fact,
			  struct row_verdict *ret)
{
	struct row_fact one = *fact;

	one.registers.known = !fact->others && fact->registers.known;
	hold_frame(said, &one, ret);
	one.returns = (struct row_fact_return) { .known = false };
	for (size_t i = 0; i < fact->others && ret->outcome == ROW_WRONG; i++) {
		struct row_verdict other = { .outcome = ROW_NEVER };

		one.sp = fact->other[i].sp;
		one.bp = fact->other[i].bp;
		if (one.sp == ROW_FACT_NO_CALLER)
			hold_outermost(said, &other);
		else
			hold_frame(said, &one, &other);
		if (other.outcome != ROW_WRONG)
			*ret = other;
	}
}

void row_hold(const struct row_said *said, const struct row_fact *fact, struct row_verdict *ret)
{
	*ret = (struct row_verdict) { .outcome = ROW_NEVER };
	if (fact->kind == ROW_FACT_DOUBT)
		unjudged(ret, ROW_IN_DOUBT);
	else if (fact->kind == ROW_FACT_PREFIX)
		unjudged(ret, ROW_PREFIX);
	else if (!fact->proven)
		unjudged(ret, ROW_CONTRADICTED);
	else if (said->kind == ROW_SAID_MARK)
		unjudged(ret, ROW_MARKED);
	else if (said->kind == ROW_SAID_NOTHING && fact->kind == ROW_FACT_SIGNAL)
		unjudged(ret, ROW_SIGNAL); /* unwinders know the code of restorers */
	else if (said->kind == ROW_SAID_NOTHING)
		wrong(ret, FAULT_MISSING, 0);
	else if (fact->kind == ROW_FACT_SIGNAL && !said->row.signal_frame &&
		 said->declared == UINT32_MAX)
		wrong(ret, FAULT_SIGNAL_FLAG, 0);
	else if (fact->kind == ROW_FACT_SIGNAL || said->row.signal_frame)
		unjudged(ret, ROW_SIGNAL);
	else if (fact->kind == ROW_FACT_FRAME)
		hold_readings(said, fact, ret);
	else
		hold_outermost(said, ret);
}

void row_actual_print(const struct row_fact *fact, const struct row_verdict *verdict, char *text,
		      size_t size)
{
	int used = 0;

	if (verdict->kind == FAULT_REGISTER && !(verdict->registers >> REGISTER_RSP & 1)) {
		used = snprintf(text, size, "not the caller's:");
		for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
			if (verdict->registers >> callee_saved[i] & 1)
				used += snprintf(text + used, size - (size_t)used, " %s",
						 register_name(callee_saved[i]));
		return;
	}
	if (fact->kind == ROW_FACT_SIGNAL) {
		snprintf(text, size, "a signal's frame");
		return;
	}
	if (fact->kind == ROW_FACT_OUTERMOST) {
		snprintf(text, size, "no caller");
		return;
	}
	if (fact->sp != ROW_FACT_ANY && fact->sp != ROW_FACT_ABOVE)
		used = snprintf(text, size, "cfa=rsp%+" PRId64, fact->sp);
	if (fact->bp != ROW_FACT_ANY && fact->bp != ROW_FACT_ABOVE)
		used += snprintf(text + used, size - (size_t)used, "%scfa=rbp%+" PRId64,
				 used ? ", " : "", fact->bp);
	snprintf(text + used, size - (size_t)used, "%sra=c-8", used ? " " : "");
}
