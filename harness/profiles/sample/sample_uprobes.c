/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_uprobes.c - what the kernel puts into a program that has uprobes
 *
 * Whoever traces the whole machine may have a probe in the program. Then the kernel has changed what the walk
 * reads, and no table is at fault:
 *
 *	an instruction	its first byte is a breakpoint (int3). While that is handled the PC is behind it, and then
 *			behind the instruction, which is executed elsewhere or is emulated
 *	a return	of a function with a uretprobe: the address on the stack is that of "[uprobes]". The true
 *	address		one is in the kernel only (task->utask->return_instances)
 *			When the function has returned the kernel puts it into rip, and then rsp where it belongs
 *	a mapping	"[uprobes]", where instructions are executed, made when the first probe is met; from Linux
 *			6.18 on "[uprobes-trampoline]", too. No event tells of it
 *
 * The stepped run shows where; the probes must be there in both.
 */
#include <stdlib.h>
#include "array.h"
#include "sample.h"

#define BREAKPOINT	  0xcc
#define INSTRUCTION_BYTES 15u /* the longest: Intel SDM 2.3.11 */

void sample_uprobes_deinit(struct sample_uprobes *uprobes)
{
	free(uprobes->code);
	free(uprobes->breakpoints.pc);
	free(uprobes->returns.pc);
	*uprobes = (struct sample_uprobes) { .code_count = 0 };
}

static bool is_in_code(const struct sample_uprobes *uprobes, uint64_t pc)
{
	return ARRAY_ANY(uprobes->code_count, i,
			 pc >= uprobes->code[i].start && pc < uprobes->code[i].end);
}

static int add_pc(struct probed_pcs *pcs, uint64_t pc, struct error *error)
{
	for (size_t i = 0; i < pcs->count; i++)
		if (pcs->pc[i] == pc)
			return 0;
	if (!ARRAY_ADD(pcs->pc, pcs->count, pc))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for uprobes");
	return 0;
}

/* pc is one of these, or up to so many bytes behind. */
static bool is_near(const struct probed_pcs *pcs, uint64_t pc, uint64_t bytes)
{
	return ARRAY_ANY(pcs->count, i, pc - pcs->pc[i] <= bytes);
}

static int add_code(struct sample_uprobes *uprobes, const struct mapping *mapping,
		    struct error *error)
{
	if (is_in_code(uprobes, mapping->start))
		return 0;
	if (!ARRAY_ADD(uprobes->code, uprobes->code_count,
		       (struct mapped_code) { mapping->start, mapping->end }))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for uprobes");
	return 0;
}

/* The memory has one, and the file has another byte. */
static int add_breakpoint(struct sample_uprobes *uprobes, const struct point *point,
			  struct error *error)
{
	uint64_t pc = point->regs->value[REGISTER_RIP];
	const struct mapping *mapping = address_space_find(point->space, pc);
	const uint8_t *file = mapping && mapping->entry
				      ? image_bytes(mapping->entry->image, pc - mapping->bias, 1)
				      : NULL;
	uint8_t byte;

	if (!file || *file == BREAKPOINT ||
	    point->memory->read(point->memory->context, pc, &byte, 1) || byte != BREAKPOINT)
		return 0;
	return add_pc(&uprobes->breakpoints, pc, error);
}

int sample_uprobes_add(struct sample_uprobes *uprobes, const struct evidence *evidence,
		       bool *ret_ends, struct error *error)
{
	const struct point *point = evidence->point;
	const struct stack *table = evidence->table, *truth = evidence->truth;
	uint64_t last = table->count ? stack_pc(table, table->count - 1) : 0;

	*ret_ends = table->stop == STOP_NO_MAPPING && address_space_is_uprobes(point->space, last);
	if (*ret_ends && (add_code(uprobes, address_space_find(point->space, last), error) ||
			  (table->count > 1 && table->count <= truth->count &&
			   add_pc(&uprobes->returns, stack_pc(truth, table->count - 1), error))))
		return -1;
	return add_breakpoint(uprobes, point, error);
}

bool sample_uprobes_explain(const struct sample_uprobes *uprobes, struct sample_set *stacks,
			    const struct stack *stack)
{
	if (!stack->count)
		return false;
	/* A true one would have been found: the kernel is exchanging the registers. */
	if (is_near(&uprobes->breakpoints, stack->pc[0] - 1, INSTRUCTION_BYTES - 1) ||
	    is_near(&uprobes->returns, stack->pc[0], 0) || is_in_code(uprobes, stack->pc[0]))
		return true;
	/* What comes before must be right: the walk has come to the kernel's address on its way. */
	if (stack->stop == STOP_URETPROBE)
		return sample_set_find(stacks, stack->pc, stack->count) >= SET_PREFIX;
	return stack->stop == STOP_NO_MAPPING && is_in_code(uprobes, stack->pc[stack->count - 1]) &&
	       sample_set_find(stacks, stack->pc, stack->count - 1) >= SET_PREFIX;
}
