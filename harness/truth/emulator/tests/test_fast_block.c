/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_fast_block.c - which instructions of a block must be seen
 *
 * A block is bytes, and what is expected one letter an instruction: . nothing, C a call's store, R a ret's load, L
 * a leave's load, S registers; small s: registers if the rest of the block is stepped, which t begins (and "tN" if
 * room is less than N).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/fast.h"

#define PUSH	0x53
#define POP	0x5b
#define RET	0xc3
#define LEAVE	0xc9
#define NOP	0x90
#define CALL	0xe8, 0, 0, 0, 0
#define JMP	0xeb, 0
#define ADD(n)	0x48, 0x83, 0xc4, (n)
#define SUB(n)	0x48, 0x83, 0xec, (n)
#define LEA(n)	0x48, 0x8d, 0x64, 0x24, (n) /* rsp, [rsp + n] */
#define ALIGN	0x48, 0x83, 0xe4, 0xf0
#define TO_RBP	0x48, 0x89, 0xec /* mov rsp, rbp */
#define TO_RCX	0x48, 0x89, 0xcc
#define SYSCALL 0x0f, 0x05

static const struct block_case {
	const char *name;
	uint8_t bytes[32];
	const char *expected;
	int64_t raised;
} cases[] = {
	{ "prologue_and_call", { PUSH, SUB(16), CALL }, "..C", 0 },
	{ "epilogue_needs_only_its_ret", { ADD(16), POP, RET }, "..R", 0 },
	{ "ret_takes_arguments_off", { 0xc2, 24, 0 }, "R+24", 0 },
	{ "far_ret_is_stepped", { 0xcb }, "S", 0 },
	{ "block_lowers_rsp", { PUSH, SUB(24), JMP }, "...", -32 },
	{ "tail_call_after_pops", { NOP, POP, POP, JMP }, ".t16sss", 16 },
	{ "tail_call_after_add", { ADD(8), JMP }, "t8ss", 8 },
	{ "tail_call_after_lea", { LEA(8), JMP }, "t8ss", 8 },
	{ "what_was_pushed_is_popped", { PUSH, POP, JMP }, "...", 0 },
	{ "pushed_less_than_popped", { PUSH, ADD(24), JMP }, ".t16ss", 16 },
	{ "lowered_behind_a_rise", { POP, PUSH, CALL }, "t8ssCs", 0 },
	{ "put_back_before_a_jump", { POP, SUB(8), JMP }, "t8sss", 0 },
	{ "two_runs", { POP, PUSH, ADD(32), JMP }, "t8sst32ss", 32 },
	{ "second_run_is_less", { POP, PUSH, POP, JMP }, "t8sst8ss", 8 },
	{ "lowered_by_an_unknown_amount", { ALIGN, CALL }, ".C", 0 },
	{ "unknown_amount_is_no_room", { ALIGN, POP, JMP }, ".t8ss", 8 },
	{ "leave_before_ret", { LEAVE, RET }, ".R", 0 },
	{ "frame_pointer_before_pops_and_ret", { TO_RBP, POP, RET }, "..R", 0 },
	{ "rise_before_leave_and_ret", { ADD(16), LEAVE, RET }, "t16ssRs", 0 },
	{ "leave_before_a_jump", { LEAVE, JMP }, "L.", 0 },
	{ "rise_before_leave_and_a_jump", { POP, LEAVE, JMP }, "t8sLss", 0 },
	{ "leave_sets_room", { PUSH, LEAVE, POP, JMP }, ".Lt8ss", 8 },
	{ "frame_pointer_before_a_call", { TO_RBP, CALL }, "SS", 0 },
	{ "another_stack", { PUSH, TO_RCX, POP, RET }, ".SSS", 0 },
	{ "system_call", { NOP, SYSCALL }, ".S", 0 },
	{ "pop_rsp", { 0x5c, RET }, "SS", 0 },
	{ "enter", { 0xc8, 16, 0, 0, JMP }, "SS", 0 },
	{ "added_register", { 0x48, 0x01, 0xc4, CALL }, "SS", 0 },
	{ "subtracted_register", { 0x48, 0x29, 0xc4, CALL }, ".C", 0 },
	{ "not_rsp_but_r12", { 0x49, 0x83, 0xc4, 8, JMP }, "..", 0 },
	{ "words_of_16_bits", { 0x66, 0x53, JMP }, "..", -2 },
	{ "popped_into_memory", { 0x8f, 0x03, SUB(8), JMP }, "t8sss", 0 },
	{ "call_through_memory", { 0xff, 0x53, 0x10 }, "C", 0 },
};

static int read_bytes(void *context, uint64_t address, void *ret, size_t size)
{
	memcpy(ret, (const uint8_t *)context + address, size);
	return 0;
}

static size_t decode(const uint8_t *bytes, struct fast_instruction *ret)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	uint8_t padded[64] = { 0 };
	struct memory_reader memory = { read_bytes, padded };
	size_t count = 0;

	memcpy(padded, bytes, 32);
	for (uint64_t at = 0; at < 32 && padded[at]; count++) {
		memset(&ret[count], 0, sizeof(ret[count]));
		ret[count].instruction = decoder_decode(decoder, at, &memory);
		memcpy(ret[count].bytes, padded + at, ret[count].instruction.length);
		at += ret[count].instruction.length;
	}
	decoder_destroy(decoder);
	return count;
}

START_TEST(needs_are_found)
{
	static const char letters[] = { [FAST_NOTHING] = '.',
					[FAST_CALL] = 'C',
					[FAST_RETURN] = 'R',
					[FAST_LEAVE] = 'L',
					[FAST_STEP] = 'S' };
	const struct block_case *c = &cases[_i];
	struct fast_instruction block[32];
	size_t count = decode(c->bytes, block);
	int64_t raised = fast_block(block, count);
	char text[100] = "";
	int used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct fast_instruction *one = &block[i];

		if (one->tries)
			used += sprintf(text + used, "t%d", (int)one->enough);
		if (one->need != FAST_NOTHING || !one->may_step)
			text[used++] = letters[one->need];
		if (one->may_step)
			text[used++] = 's';
		if (one->takes)
			used += sprintf(text + used, "+%d", one->takes);
	}
	ck_assert_msg(!strcmp(text, c->expected), "%s: %s, not %s", c->name, text, c->expected);
	ck_assert_msg(raised == c->raised, "%s: raised by %d", c->name, (int)raised);
}
END_TEST

SUITE(fast_block, LOOP(needs_are_found, cases))
