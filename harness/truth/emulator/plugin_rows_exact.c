/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows_exact.c - facts about rows where all registers are known at each instruction
 *
 * Then it is known, too, which callee-saved registers are as at the call, and in which words of the frame their values
 * are.
 */
#include "plugin_watch.h"

static struct rows_step one_step;
static const struct rows_segment one_instruction = { .key = { .count = 1 },
						     .step = &one_step,
						     .size = 1 };

static void look_for(struct row_fact_registers *ret, const uint64_t at_call[CALLEE_SAVED_COUNT],
		     const uint64_t now[CALLEE_SAVED_COUNT], const uint64_t *word, size_t words)
{
	*ret = (struct row_fact_registers) { .known = true };
	for (size_t i = 0; i < CALLEE_SAVED_COUNT; i++) {
		ret->same |= (uint8_t)((now[i] == at_call[i]) << i);
		for (size_t k = 0; k < words; k++)
			ret->held[i] |= (uint64_t)(word[words - 1 - k] == at_call[i]) << k;
	}
}

/* What is known of the registers that the innermost function must preserve; false: nothing. Words below the red zone
 * (psABI, 3.2.2) may change at any time. */
static bool find_registers(const struct watched_thread *thread, uint64_t cfa,
			   struct row_fact_registers *ret)
{
	const struct user_regs_struct *regs = &thread->steps.regs;
	const struct shadow_stack *shadow = &thread->steps.shadow;
	const struct shadow_frame *top = &shadow->frame[shadow->count - 1];
	/* The kernel enters a handler with what the interrupted code had. */
	bool is_handler = shadow->count > 1 && top[-1].interrupted;
	const struct memory_reader *memory = &thread->process->steps.memory;
	uint64_t now[CALLEE_SAVED_COUNT], word[ROW_FACT_WORDS], end = cfa - sizeof(word[0]);
	uint64_t low = (regs->rsp - 128 + 7) & -(uint64_t)sizeof(word[0]);
	size_t words;

	if (top->planted || top->put_back || top->moved)
		return false;
	callee_saved_of(regs, now);
	words = low < end ? (end - low) / sizeof(word[0]) : 0;
	if (words > ROW_FACT_WORDS)
		words = ROW_FACT_WORDS;
	if (words && memory->read(memory->context, end - words * sizeof(word[0]), word,
				  words * sizeof(word[0])))
		return false;
	look_for(ret, is_handler ? top[-1].callee_saved : top->callee_saved, now, word, words);
	return true;
}

/* Registers by DWARF number, of a mask by the encoding's. */
static uint16_t dwarf_mask(uint16_t mask)
{
	static const uint8_t number[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint16_t ret = 0;

	for (size_t i = 0; i < sizeof(number); i++)
		ret |= (uint16_t)((mask >> i & 1) << number[i]);
	return ret;
}

/* Where the return address is, at each look. */
static struct row_fact_return find_returns(const struct watched_thread *thread, uint64_t cfa)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;
	uint64_t wanted = shadow->frame[shadow->count - 1].return_address;
	struct row_fact_return ret = watch_rows_returns(&thread->process->steps.memory, cfa,
							wanted);

	ret.registers_known = true;
	ret.registers = dwarf_mask(registers_with(&thread->steps.regs, wanted));
	return ret;
}

void watch_rows_point(struct watched_thread *thread)
{
	const struct user_regs_struct *regs = &thread->steps.regs;
	const struct code_range *range = code_map_find(&thread->process->truth.code, regs->rip);
	struct rows_record key = { .segment = &one_instruction, .pc = regs->rip }, *record;
	struct row_fact_registers registers;
	uint64_t cfa;

	key.kind = watch_rows_kind(thread, thread->steps.shadow.count, false, &cfa);
	if (range) {
		key.file = range->file;
		key.pc = regs->rip - range->bias;
	}
	record = watch_rows_record(thread, thread->steps.shadow.count, &key, cfa, regs->rsp,
				   regs->rbp);
	if (!record) {
		watch_fail();
		return;
	}
	if (watch.registers && key.kind == ROW_FACT_FRAME) {
		struct row_fact_return returns = find_returns(thread, cfa);

		if (!record->runs)
			record->returns = returns;
		else
			row_fact_return_join(&record->returns, &returns);
		if (find_registers(thread, cfa, &registers))
			row_fact_registers_join(&record->registers, &registers);
	}
	record->runs++;
}
