/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * operations.c - evaluates the operations that libdw decoded
 *
 * A stack machine over Dwarf_Op (DWARF 5, section 2.5), as far as call frame information may use it
 * (6.4.2): constants, registers, memory, arithmetic and branches, DW_OP_call_frame_cfa where libdw
 * puts it itself, and the location descriptions DW_OP_reg* and DW_OP_stack_value. Branch targets
 * are byte offsets in the expression, which each Dwarf_Op carries. Stack and steps are bounded.
 */
#include <dwarf.h>
#include "operations.h"

#define STACK_MAX 64
#define STEPS_MAX 10000

struct machine {
	const struct operations *operations;
	uint64_t stack[STACK_MAX];
	size_t depth;
	size_t at; /* the next operation */
	bool is_value;
};

static bool push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_MAX)
		return false;
	machine->stack[machine->depth++] = value;
	return true;
}

static bool push_register(struct machine *machine, uint64_t reg, uint64_t offset)
{
	const struct register_values *regs = machine->operations->regs;

	if (reg >= REGISTER_COUNT || !(regs->known >> reg & 1))
		return false;
	return push(machine, regs->value[reg] + offset);
}

static bool divide(uint8_t operation, uint64_t *left, uint64_t right)
{
	if (!right)
		return false;
	if (operation == DW_OP_mod)
		*left %= right;
	else if (right == UINT64_MAX) /* INT64_MIN / -1 overflows */
		*left = -*left;
	else
		*left = (uint64_t)((int64_t)*left / (int64_t)right);
	return true;
}

static bool binary(struct machine *machine, uint8_t operation)
{
	uint64_t right, *left;

	if (machine->depth < 2)
		return false;
	right = machine->stack[--machine->depth];
	left = &machine->stack[machine->depth - 1];
	switch (operation) {
	case DW_OP_plus: *left += right; return true;
	case DW_OP_minus: *left -= right; return true;
	case DW_OP_mul: *left *= right; return true;
	case DW_OP_div:
	case DW_OP_mod: return divide(operation, left, right);
	case DW_OP_and: *left &= right; return true;
	case DW_OP_or: *left |= right; return true;
	case DW_OP_xor: *left ^= right; return true;
	case DW_OP_shl: *left = right < 64 ? *left << right : 0; return true;
	case DW_OP_shr: *left = right < 64 ? *left >> right : 0; return true;
	case DW_OP_shra:
		*left = (uint64_t)((int64_t)*left >> (right < 64 ? right : 63));
		return true;
	case DW_OP_ge: *left = (int64_t)*left >= (int64_t)right; return true;
	case DW_OP_gt: *left = (int64_t)*left > (int64_t)right; return true;
	case DW_OP_le: *left = (int64_t)*left <= (int64_t)right; return true;
	case DW_OP_lt: *left = (int64_t)*left < (int64_t)right; return true;
	case DW_OP_eq: *left = *left == right; return true;
	case DW_OP_ne: *left = *left != right; return true;
	default: return false;
	}
}

static bool unary(struct machine *machine, const Dwarf_Op *op)
{
	const struct memory_reader *memory = machine->operations->memory;
	uint64_t *top, value = 0;

	if (!machine->depth)
		return false;
	top = &machine->stack[machine->depth - 1];
	switch (op->atom) {
	case DW_OP_deref: return !memory->read(memory->context, *top, top, sizeof(*top));
	case DW_OP_deref_size:
		if (!op->number || op->number > sizeof(value) ||
		    memory->read(memory->context, *top, &value, op->number))
			return false;
		*top = value;
		return true;
	case DW_OP_plus_uconst: *top += op->number; return true;
	case DW_OP_neg: *top = -*top; return true;
	case DW_OP_not: *top = ~*top; return true;
	case DW_OP_abs: *top = (int64_t)*top < 0 ? -*top : *top; return true;
	case DW_OP_drop: machine->depth--; return true;
	case DW_OP_dup: return push(machine, *top);
	default: return binary(machine, op->atom);
	}
}

/* DW_OP_over, _pick, _swap and _rot. */
static bool shuffle(struct machine *machine, const Dwarf_Op *op)
{
	size_t needs = op->atom == DW_OP_rot ? 3 : op->atom == DW_OP_pick ? op->number + 1 : 2;
	uint64_t *end = machine->stack + machine->depth, top;

	if (needs > machine->depth)
		return false;
	switch (op->atom) {
	case DW_OP_over: return push(machine, end[-2]);
	case DW_OP_pick: return push(machine, *(end - needs));
	case DW_OP_swap:
		top = end[-1];
		end[-1] = end[-2];
		end[-2] = top;
		return true;
	default: /* DW_OP_rot: the top becomes the third */
		top = end[-1];
		end[-1] = end[-2];
		end[-2] = end[-3];
		end[-3] = top;
		return true;
	}
}

/* The operands of DW_OP_skip and DW_OP_bra are relative to the end of the operation: 3 bytes. The
 * DW_OP_call_frame_cfa that libdw puts in front has offset 0 too, and is no target. */
static bool branch(struct machine *machine, const Dwarf_Op *op)
{
	const struct operations *all = machine->operations;
	uint64_t target = op->offset + 3 + (uint64_t)(int16_t)op->number;
	size_t first = all->count && all->op[0].atom == DW_OP_call_frame_cfa;

	if (op->atom == DW_OP_bra) {
		if (!machine->depth)
			return false;
		if (!machine->stack[--machine->depth])
			return true;
	}
	for (size_t i = first; i < all->count; i++)
		if (all->op[i].offset == target) {
			machine->at = i;
			return true;
		}
	return false; /* also a jump to the end: nothing in CFI does that */
}

static bool execute(struct machine *machine, const Dwarf_Op *op)
{
	const uint64_t *cfa = machine->operations->cfa;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		machine->is_value = true;
		return push_register(machine, op->atom - DW_OP_reg0, 0);
	}
	switch (op->atom) {
	case DW_OP_call_frame_cfa: return cfa && push(machine, *cfa);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: return push(machine, op->number);
	case DW_OP_bregx: return push_register(machine, op->number, op->number2);
	case DW_OP_regx: machine->is_value = true; return push_register(machine, op->number, 0);
	case DW_OP_stack_value: machine->is_value = true; return true;
	case DW_OP_nop: return true;
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot: return shuffle(machine, op);
	case DW_OP_skip:
	case DW_OP_bra: return branch(machine, op);
	default: return unary(machine, op);
	}
}

bool operations_evaluate(const struct operations *operations, uint64_t *ret, bool *ret_is_value)
{
	struct machine machine = { .operations = operations };

	for (unsigned int steps = 0; machine.at < operations->count; steps++)
		if (steps == STEPS_MAX || !execute(&machine, &operations->op[machine.at++]))
			return false;
	if (!machine.depth)
		return false;
	*ret = machine.stack[machine.depth - 1];
	*ret_is_value = machine.is_value;
	return true;
}
