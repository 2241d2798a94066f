/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_exchange.c - what a sample finds while the kernel exchanges a thread's registers
 *
 * The kernel writes a thread's registers one after the other: when it has built a handler's frame,
 * and in rt_sigreturn. A clock may tick in between, and the registers that it finds are in part the
 * old ones and in part the new. No walk from there can be right. In which order they are written is
 * the compiler's affair; so all mixtures of the two are tried, and what the table says of each is
 * remembered. In execve and execveat the memory is exchanged before the registers: there the first PC is all
 * that is known.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "sample.h"
#include "walk/walk_rows.h"

/* What the kernel changes to start a handler, and to end it, and a CFA may hang on: by DWARF
 * number.
 */
#define REGISTERS_OF_ENTRY  (1u << REGISTER_RSP | 1u << REGISTER_RIP)
#define REGISTERS_OF_RETURN (REGISTERS_OF_ENTRY | 1u << 3 | 1u << 6 | 0xfu << 12)

int sample_walk_behind(sample_walk_fn *walk, const struct point *point,
		       const struct register_values *regs, struct stack *ret, struct error *error)
{
	struct register_values before = *regs;

	before.value[REGISTER_RIP]--;
	if (walk(point->space, &before, point->memory, NULL, ret, error))
		return -1;
	ret->pc[0]++;
	return 0;
}

static int add_mixture(struct sample_set *mixtures, struct stack *stack, struct error *error)
{
	if (sample_end_nowhere(stack, error))
		return -1;
	return sample_set_add(mixtures, stack->pc, stack->count, true, error);
}

/*
 * A signal may come between two of the instructions that load the other thread's registers. Then
 * each register in mask (by DWARF number) is still from's, or already to's. Adds the table's stack
 * for each such mixture.
 */
static int add_mixtures(struct sample_set *mixtures, const struct point *point,
			const struct register_values *from, const struct register_values *to,
			uint32_t mask, struct error *error)
{
	struct stack stack = { .limit = WALK_FRAMES_MAX };
	int status = 0;

	/* Every subset, by counting in the bits of mask alone. */
	for (uint32_t taken = (0 - mask) & mask; !status && taken != mask;
	     taken = (taken - mask) & mask) {
		struct register_values regs = *from;

		for (int number = 0; number < REGISTER_COUNT; number++)
			if (taken >> number & 1)
				regs.value[number] = to->value[number];
		status = walk_table(point->space, &regs, point->memory, NULL, &stack, error) ||
			 add_mixture(mixtures, &stack, error) ||
			 sample_walk_behind(walk_table, point, &regs, &stack, error) ||
			 add_mixture(mixtures, &stack, error);
	}
	stack_deinit(&stack);
	return status ? -1 : 0;
}

/* The registers in the ucontext_t at address; false if they can't be read. */
static bool read_context(const struct memory_reader *memory, uint64_t address,
			 struct register_values *ret)
{
	/* By DWARF number (psABI, figure 3.36). */
	static const uint8_t order[REGISTER_COUNT] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	gregset_t saved;

	if (memory->read(memory->context, address + offsetof(ucontext_t, uc_mcontext.gregs), saved,
			 sizeof(saved)))
		return false;
	for (int number = 0; number < REGISTER_COUNT; number++)
		ret->value[number] = saved[order[number]];
	ret->known = (1u << REGISTER_COUNT) - 1;
	return true;
}

int sample_exchange_add(struct sample_set *mixtures, const struct point *point,
			unsigned int syscall, struct error *error)
{
	const struct register_values *regs = point->regs;
	uint64_t sp = regs->value[REGISTER_RSP];
	struct register_values context, behind = *regs;

	if (!point->stop->trapped && point->stop->shadow->count > 1 &&
	    point->stop->shadow->frame[point->stop->shadow->count - 2].interrupted) {
		/* A handler's first instruction: its frame begins with the restorer's address. */
		if (!read_context(point->memory, sp + sizeof(uint64_t), &context))
			return 0;
		return add_mixtures(mixtures, point, &context, regs, REGISTERS_OF_ENTRY, error);
	}
	if (syscall && (regs->value[0] == SYS_execve || regs->value[0] == SYS_execveat)) {
		/* From the exchange of memory to that of registers, anything may lie there. */
		uint64_t pc = regs->value[REGISTER_RIP] + syscall;

		return sample_set_add(mixtures, &pc, 1, false, error);
	}
	if (!syscall || regs->value[0] != SYS_rt_sigreturn ||
	    !read_context(point->memory, sp, &context))
		return 0;
	behind.value[REGISTER_RIP] += syscall;
	return add_mixtures(mixtures, point, &behind, &context, REGISTERS_OF_RETURN, error);
}
