/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_rows_block.c - where rsp and rbp are in the middle of a block
 *
 * A block is bytes. What is expected, one word an instruction: how far rsp is below where it was at the segment's begin; if rbp
 * counts from there, "/" and how far it is below. "|" is before each segment.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/emulator/rows_block.h"

#define PUSH	 0x53
#define PUSH_RBP 0x55
#define POP	 0x5b
#define POP_R13	 0x41, 0x5d /* rbp's number, with a REX prefix */
#define POP_RBP	 0x5d
#define RET	 0xc3
#define LEAVE	 0xc9
#define NOP	 0x90
#define CALL	 0xe8, 0, 0, 0, 0
#define ADD(n)	 0x48, 0x83, 0xc4, (n)
#define SUB(n)	 0x48, 0x83, 0xec, (n)
#define SUB_FAR	 0x48, 0x81, 0xec, 0, 1, 0, 0
#define SUB_RAX	 0x48, 0x29, 0xc4
#define ALIGN	 0x48, 0x83, 0xe4, 0xf0
#define TO_RSP	 0x48, 0x89, 0xec /* mov rsp, rbp */
#define TO_RBP	 0x48, 0x89, 0xe5 /* mov rbp, rsp */
#define TO_RBP_2 0x48, 0x8b, 0xec
#define LEA(n)	 0x48, 0x8d, 0x6c, 0x24, (n) /* rbp, [rsp + n] */
#define LEA_FAR	 0x48, 0x8d, 0xac, 0x24, 0, 1, 0, 0
#define LEA_RSP	 0x48, 0x8d, 0x64, 0x24, 8
#define XCHG	 0x48, 0x87, 0xec /* rsp, rbp */
#define RBP_RDI	 0x48, 0x89, 0xfd
#define EBP_ESP	 0x89, 0xe5
#define ADD_RBP	 0x48, 0x83, 0xc5, 8
#define RBX_RBP	 0x48, 0x89, 0xeb
#define SYSCALL	 0x0f, 0x05

static const struct block_case {
	const char *name;
	uint8_t bytes[40];
	const char *expected;
} cases[] = {
	{ "prologue", { PUSH_RBP, TO_RBP, PUSH, SUB(24), CALL }, "|0 8 8/8 16/8 40/8" },
	{ "without_frame_pointer", { PUSH, POP_R13, SUB(8), ADD(16), NOP }, "|0 8 0 8 -8" },
	{ "pushes_of_callee_saved", { PUSH_RBP, PUSH, SUB_FAR, NOP }, "|0 8 16 272" },
	{ "epilogue", { ADD(8), POP, POP_RBP, RET }, "|0 -8 -16 |0" },
	{ "leave", { NOP, LEAVE, RET }, "|0 0 |0" },
	{ "other_way_to_encode_it", { TO_RBP_2, NOP }, "|0 0/0" },
	{ "inside_of_the_frame", { SUB(64), LEA(32), NOP }, "|0 64 64/32" },
	{ "far_inside_of_it", { SUB_FAR, LEA_FAR, NOP }, "|0 256 256/0" },
	{ "below_it", { LEA(0x80), NOP }, "|0 0/128" },
	{ "lea_of_rsp", { LEA_RSP, NOP }, "|0 -8" },
	{ "room_of_unknown_size", { PUSH, SUB_RAX, NOP, NOP }, "|0 8 |0 0" },
	{ "aligned", { PUSH_RBP, TO_RBP, ALIGN, PUSH }, "|0 8 8/8 |0" },
	{ "from_rbp", { NOP, TO_RSP, POP }, "|0 0 |0" },
	{ "exchanged", { NOP, XCHG, NOP }, "|0 0 |0" },
	{ "rbp_is_a_variable", { PUSH_RBP, RBP_RDI, PUSH, NOP }, "|0 8 |0 8" },
	{ "half_of_rbp", { EBP_ESP, NOP }, "|0 |0" },
	{ "rbp_moves", { TO_RBP, ADD_RBP, NOP }, "|0 0/0 |0" },
	{ "rbp_is_read", { RBX_RBP, NOP }, "|0 0" },
	{ "system_call", { NOP, SYSCALL }, "|0 0" },
};

static int read_bytes(void *context, uint64_t address, void *ret, size_t size)
{
	const uint8_t *bytes = context;

	memset(ret, 0, size);
	memcpy(ret, bytes + address, size < 40 - address ? size : 40 - address);
	return 0;
}

static size_t decode(const uint8_t *bytes, struct fast_instruction *ret)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct memory_reader memory = { read_bytes, (void *)bytes };
	size_t count = 0;

	ck_assert_ptr_nonnull(decoder);
	for (uint64_t at = 0; bytes[at];) {
		ret[count].instruction = decoder_decode(decoder, at, &memory);
		memset(ret[count].bytes, 0, sizeof(ret->bytes));
		memcpy(ret[count].bytes, bytes + at, ret[count].instruction.length);
		at += ret[count++].instruction.length;
	}
	decoder_destroy(decoder);
	return count;
}

START_TEST(registers_are_known)
{
	const struct block_case *c = &cases[_i];
	struct fast_instruction one[40];
	struct rows_step step[40];
	char said[200] = "";
	size_t count = decode(c->bytes, one), used = 0;

	for (size_t at = 0, size; at < count; at += size) {
		uint32_t offset = 0;

		size = rows_segment(one + at, count - at, step);
		ck_assert_uint_gt(size, 0);
		used += (size_t)sprintf(said + used, "%s|", at ? " " : "");
		for (size_t i = 0; i < size; i++) {
			ck_assert_uint_eq(step[i].offset, offset);
			offset += one[at + i].instruction.length;
			used += (size_t)sprintf(said + used, "%s%" PRId64, i ? " " : "",
						step[i].sp);
			if (step[i].bp_is_by_sp)
				used += (size_t)sprintf(said + used, "/%" PRId64, step[i].bp);
		}
	}
	ck_assert_msg(!strcmp(said, c->expected), "%s: %s, not %s", c->name, said, c->expected);
}
END_TEST

/* Before each instruction: "." nothing was written to memory, "s" something, "c" perhaps what was read from there. */
static const struct move_case {
	const char *name;
	uint8_t bytes[40];
	const char *expected;
} move_cases[] = {
	{ "prologue", { PUSH_RBP, TO_RBP, PUSH, SUB(24), NOP }, ".ssss" },
	{ "nothing",
	  { ADD(8), SUB(8), LEA(8), TO_RBP_2, 0x90, 0xb8, 1, 1, 1, 1, 0x90 },
	  "......." },
	{ "store", { 0x48, 0x89, 0x44, 0x24, 0xf0, NOP, NOP }, ".ss" },
	{ "register_to_register", { 0x48, 0x89, 0xc3, NOP }, ".." },
	{ "copy_of_a_word", { 0x48, 0x8b, 0x04, 0x24, 0x48, 0x89, 0x44, 0x24, 0xf0, NOP }, "..c" },
	{ "popped_and_pushed", { POP, PUSH, NOP }, "..c" },
	{ "read_behind_it", { PUSH, 0x48, 0x8b, 0x04, 0x24, NOP, PUSH, NOP }, ".sssc" },
	{ "pushed_from_memory", { 0xff, 0x34, 0x24, NOP }, ".c" },
	{ "by_a_vector", { 0x0f, 0x10, 0x04, 0x24, 0x0f, 0x11, 0x44, 0x24, 0xf0, NOP }, ".cc" },
	{ "string", { 0xf3, 0x48, 0xa5, NOP }, ".c" },
	{ "compared", { 0x48, 0x83, 0x3c, 0x24, 1, 0x48, 0x39, 0x04, 0x24, 0x75, 0x10 }, "..." },
	{ "tested", { 0x48, 0x85, 0x04, 0x24, 0x48, 0x39, 0x04, 0x24, NOP }, "..." },
	{ "arithmetic", { 0x48, 0x01, 0xd8, 0x48, 0xc1, 0xe0, 4, 0x48, 0xf7, 0xd0, NOP }, "...." },
	{ "added_to_memory", { 0x48, 0x01, 0x04, 0x24, NOP }, ".c" },
	{ "exchanged", { 0x48, 0x87, 0x04, 0x24, NOP }, ".c" },
	{ "nops", { 0xf3, 0x0f, 0x1e, 0xfa, 0x66, 0x0f, 0x1f, 0x44, 0x01, 0x01, NOP }, "..." },
};

START_TEST(what_is_moved_in_memory)
{
	const struct move_case *c = &move_cases[_i];
	struct fast_instruction one[40];
	struct rows_step step[40];
	char said[41] = "";
	size_t count = decode(c->bytes, one), at = 0;

	while (at < count) {
		size_t size = rows_segment(one + at, count - at, step);

		for (size_t i = 0; i < size; i++)
			said[at + i] = step[i].carries ? 'c' : step[i].stores ? 's' : '.';
		at += size;
	}
	ck_assert_msg(!strcmp(said, c->expected), "%s: %s, not %s", c->name, said, c->expected);
}
END_TEST

SUITE(rows_block, LOOP(registers_are_known, cases), LOOP(what_is_moved_in_memory, move_cases))
