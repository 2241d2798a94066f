/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_expression.c - DWARF expressions (DWARF 5, 2.5) over what is known of registers and words
 *
 * The same operations as in unwinder/cfi/cfi_expression.c, but for those that branch: no producer
 * branches in a row's expression. Anything that comes to no known address or number is unknown.
 */
#include "cfi/dwarf_op.h"
#include "cfi/expression.h"
#include "flow_row.h"

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
	return push(machine, (struct value) { .kind = VALUE_CONSTANT, .number = (int64_t)number });
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

struct value flow_expression(const uint8_t *expression, size_t size, uint64_t pc,
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
