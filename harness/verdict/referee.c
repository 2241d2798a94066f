/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * referee.c - libdw's reading of the CFI alone
 *
 * When our reader and the truth disagree, a second reader decides whether the CFI or our reading of
 * it is wrong. dwarf_cfi_addrframe() gives libdw's decoded operations for the CFA and each register
 * at a PC; they are evaluated here on the frame's registers. Nothing is guessed: where libdw has no
 * CFI, or an operation is not evaluated here, the referee says so.
 *
 * libdw's frame for a PC is looked up in the image's file; a vDSO has none, and there the referee
 * can't say.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "verdict.h"

#define OPERATION_STACK 64

struct refereed_image {
	const struct image_entry *entry;
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi; /* owned by libdw, freed with dwarf_cfi_end */
};

struct referee {
	struct refereed_image *image;
	size_t count;
};

struct referee *referee_create(void)
{
	elf_version(EV_CURRENT);
	return calloc(1, sizeof(struct referee));
}

void referee_destroy(struct referee *referee)
{
	if (!referee)
		return;
	for (size_t i = 0; i < referee->count; i++) {
		if (referee->image[i].cfi)
			dwarf_cfi_end(referee->image[i].cfi);
		elf_end(referee->image[i].elf);
		if (referee->image[i].fd >= 0)
			close(referee->image[i].fd);
	}
	free(referee->image);
	free(referee);
}

static Dwarf_CFI *image_cfi(struct referee *referee, const struct image_entry *entry)
{
	struct refereed_image *grown;
	struct refereed_image image = { .entry = entry };

	for (size_t i = 0; i < referee->count; i++)
		if (referee->image[i].entry == entry)
			return referee->image[i].cfi;
	grown = realloc(referee->image, (referee->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	referee->image = grown;
	image.fd = open(entry->image->path, O_RDONLY | O_CLOEXEC);
	image.elf = image.fd >= 0 ? elf_begin(image.fd, ELF_C_READ_MMAP, NULL) : NULL;
	image.cfi = image.elf ? dwarf_getcfi_elf(image.elf) : NULL;
	referee->image[referee->count++] = image;
	return image.cfi;
}

/* ---- evaluating libdw's operations ------------------------------------------------------ */

struct machine {
	uint64_t stack[OPERATION_STACK];
	size_t depth;
	const struct register_values *regs;
	const struct memory_reader *memory;
	uint64_t cfa;
	bool has_cfa;
	bool is_value; /* DW_OP_stack_value, DW_OP_reg*: the result is the value itself */
};

static bool push(struct machine *machine, uint64_t value)
{
	if (machine->depth == OPERATION_STACK)
		return false;
	machine->stack[machine->depth++] = value;
	return true;
}

static bool push_register(struct machine *machine, uint64_t reg, uint64_t offset)
{
	if (reg >= REGISTER_COUNT || !(machine->regs->known >> reg & 1))
		return false;
	return push(machine, machine->regs->value[reg] + offset);
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
	case DW_OP_and: *left &= right; return true;
	case DW_OP_or: *left |= right; return true;
	case DW_OP_xor: *left ^= right; return true;
	case DW_OP_shl: *left = right < 64 ? *left << right : 0; return true;
	case DW_OP_shr: *left = right < 64 ? *left >> right : 0; return true;
	case DW_OP_ge: *left = (int64_t)*left >= (int64_t)right; return true;
	case DW_OP_gt: *left = (int64_t)*left > (int64_t)right; return true;
	case DW_OP_le: *left = (int64_t)*left <= (int64_t)right; return true;
	case DW_OP_lt: *left = (int64_t)*left < (int64_t)right; return true;
	case DW_OP_eq: *left = *left == right; return true;
	case DW_OP_ne: *left = *left != right; return true;
	default: return false;
	}
}

static bool execute(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t *top = machine->depth ? &machine->stack[machine->depth - 1] : NULL;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		machine->is_value = true;
		return push_register(machine, op->atom - DW_OP_reg0, 0);
	}
	switch (op->atom) {
	case DW_OP_call_frame_cfa: return machine->has_cfa && push(machine, machine->cfa);
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
	case DW_OP_dup: return top && push(machine, *top);
	case DW_OP_drop:
		if (!top)
			return false;
		machine->depth--;
		return true;
	case DW_OP_deref:
		return top && machine->memory->read(machine->memory->context, *top, top,
						    sizeof(*top)) == 0;
	case DW_OP_plus_uconst:
		if (!top)
			return false;
		*top += op->number;
		return true;
	case DW_OP_neg:
		if (!top)
			return false;
		*top = -*top;
		return true;
	case DW_OP_stack_value: machine->is_value = true; return true;
	case DW_OP_nop: return true;
	default: return binary(machine, op->atom);
	}
}

static bool evaluate(struct machine *machine, const Dwarf_Op *ops, size_t count, uint64_t *ret)
{
	machine->depth = 0;
	machine->is_value = false;
	for (size_t i = 0; i < count; i++)
		if (!execute(machine, &ops[i]))
			return false;
	if (!machine->depth)
		return false;
	*ret = machine->stack[machine->depth - 1];
	return true;
}

/* ---- one step --------------------------------------------------------------------------- */

void referee_step(struct referee *referee, const struct address_space *space,
		  const struct register_values *regs, uint64_t lookup_pc,
		  const struct memory_reader *memory, struct referee_step *ret)
{
	const struct mapping *mapping = address_space_find(space, lookup_pc);
	struct machine machine = { .regs = regs, .memory = memory };
	Dwarf_Op scratch[3], *ops = NULL;
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi;
	size_t count = 0;

	*ret = (struct referee_step) { .known = false };
	cfi = mapping && mapping->entry ? image_cfi(referee, mapping->entry) : NULL;
	if (!cfi)
		return;
	if (dwarf_cfi_addrframe(cfi, lookup_pc - mapping->bias, &frame)) {
		ret->known = ret->no_cfi = true;
		return;
	}
	if (dwarf_frame_cfa(frame, &ops, &count) || !count ||
	    !evaluate(&machine, ops, count, &ret->cfa))
		goto out;
	machine.cfa = ret->cfa;
	machine.has_cfa = true;
	if (dwarf_frame_register(frame, REGISTER_RIP, scratch, &ops, &count))
		goto out;
	if (count == 0) {
		/* libdw: no operations at scratch means undefined, no operations at NULL the same
		 * value. */
		ret->known = ret->outermost = ops == scratch;
		goto out;
	}
	if (!evaluate(&machine, ops, count, &ret->return_address))
		goto out;
	if (!machine.is_value && memory->read(memory->context, ret->return_address,
					      &ret->return_address, sizeof(uint64_t)))
		ret->unreadable = true;
	ret->known = true;
out:
	free(frame);
}
