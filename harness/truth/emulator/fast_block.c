/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fast_block.c - which instructions of a block must be seen, and how
 *
 * A block has one entry, and ends with whatever may go on elsewhere. What an instruction does to rsp is read from
 * its bytes (Intel SDM volume 2, appendix A). A run of instructions that raise rsp is of no interest if a ret or
 * call follows it in the block: that one's slot says which frames are gone. If rsp is lowered first, or the block
 * ends otherwise (a tail call), the run may hide that a frame left. Then the rest of the block is stepped, if
 * there is too little room for all of the run.
 */
#include <string.h>
#include "fast.h"

#define RSP 4 /* the encoding's number */

struct opcode {
	const uint8_t *at; /* behind the prefixes */
	bool word;	   /* 16 bits */
	uint8_t rex;
};

static struct opcode find_opcode(const uint8_t *bytes)
{
	struct opcode ret = { .at = bytes };

	for (; ret.at < bytes + INSTRUCTION_BYTES_MAX - 3; ret.at++) {
		uint8_t byte = *ret.at;

		if ((byte & 0xf0) == 0x40) {
			ret.rex = byte;
			continue;
		}
		if (byte != 0x66 && byte != 0xf2 && byte != 0xf3 && byte != 0x2e && byte != 0x36 &&
		    byte != 0x3e && byte != 0x26 && byte != 0x64 && byte != 0x65 && byte != 0x67 &&
		    byte != 0xf0)
			break;
		ret.word |= byte == 0x66;
		ret.rex = 0;
	}
	return ret;
}

static int32_t immediate(const uint8_t *at, bool is_byte)
{
	int32_t ret;

	if (is_byte)
		return (int8_t)*at;
	memcpy(&ret, at, sizeof(ret));
	return ret;
}

/* 81, 83: an operation with a constant. */
static struct sp_effect arithmetic_effect(const struct opcode *opcode)
{
	int64_t value = immediate(opcode->at + 2, opcode->at[0] == 0x83);

	if (!(opcode->rex & 8))
		return (struct sp_effect) { .change = SP_UNKNOWN };
	switch (opcode->at[1] >> 3 & 7) {
	case 0: return (struct sp_effect) { .bytes = value };
	case 5: return (struct sp_effect) { .bytes = -value };
	case 4: return (struct sp_effect) { .change = SP_LOWERED };
	case 7: return (struct sp_effect) { 0 }; /* cmp */
	default: return (struct sp_effect) { .change = SP_UNKNOWN };
	}
}

/* 8D, into rsp */
static struct sp_effect lea_effect(const struct opcode *opcode)
{
	uint8_t mod = opcode->at[1] >> 6;

	if (opcode->rex & 3 || (opcode->at[1] & 7) != 4 || (opcode->at[2] & 0x3f) != 0x24 ||
	    !(opcode->rex & 8))
		return (struct sp_effect) { .change = SP_UNKNOWN };
	return (struct sp_effect) { .bytes = mod ? immediate(opcode->at + 3, mod == 1) : 0 };
}

struct sp_effect fast_sp_effect(const struct fast_instruction *one)
{
	struct opcode opcode = find_opcode(one->bytes);
	int word = opcode.word ? 2 : 8;
	uint8_t modrm = opcode.at[1], reg = (modrm >> 3 & 7) | (opcode.rex & 4) << 1,
		rm = (modrm & 7) | (opcode.rex & 1) << 3;
	bool into_rm = modrm >> 6 == 3 && rm == RSP;

	if (one->instruction.sp_source != SP_MOVED)
		return (struct sp_effect) { .change = SP_UNKNOWN };
	switch (opcode.at[0]) {
	case 0x68:
	case 0x6a:
	case 0x9c: return (struct sp_effect) { .bytes = -word };
	case 0x8f:
	case 0x9d: return (struct sp_effect) { .bytes = word };
	case 0xc8: return (struct sp_effect) { .change = SP_UNKNOWN }; /* enter */
	case 0xff: return (struct sp_effect) { .bytes = (modrm >> 3 & 7) == 6 ? -word : 0 };
	case 0x0f:
		if ((modrm & 0xf7) == 0xa0 || (modrm & 0xf7) == 0xa1)
			return (struct sp_effect) { .bytes = modrm & 1 ? word : -word };
		break;
	case 0x81:
	case 0x83:
		if (into_rm)
			return arithmetic_effect(&opcode);
		break;
	case 0x29: return (struct sp_effect) { .change = into_rm ? SP_LOWERED : SP_BY_CONSTANT };
	case 0x2b: return (struct sp_effect) { .change = reg == RSP ? SP_LOWERED : SP_BY_CONSTANT };
	case 0x8d:
		if (reg == RSP)
			return lea_effect(&opcode);
		break;
	default:
		if ((opcode.at[0] & 0xf8) == 0x50)
			return (struct sp_effect) { .bytes = -word };
		if ((opcode.at[0] & 0xf8) == 0x58)
			return (struct sp_effect) { .bytes = word };
	}
	return (struct sp_effect) {
		.change = one->instruction.writes >> RSP & 1 ? SP_UNKNOWN : SP_BY_CONSTANT,
	};
}

/* Whether after one rsp is only raised until a ret ends the block. */
static bool returns_after(const struct fast_instruction *one, const struct fast_instruction *end)
{
	while (++one < end) {
		struct sp_effect effect = fast_sp_effect(one);

		if (one->instruction.kind == INSTRUCTION_RETURN)
			return one->need != FAST_STEP;
		if (effect.change != SP_BY_CONSTANT || effect.bytes < 0)
			return false;
	}
	return false;
}

static bool is_leave(const struct fast_instruction *one)
{
	return *find_opcode(one->bytes).at == 0xc9 && !find_opcode(one->bytes).word;
}

static void need_return(struct fast_instruction *one)
{
	struct opcode opcode = find_opcode(one->bytes);

	one->need = opcode.word || opcode.at[0] > 0xc3 ? FAST_STEP : FAST_RETURN; /* a far one */
	if (opcode.at[0] == 0xc2)
		memcpy(&one->takes, opcode.at + 1, sizeof(one->takes));
}

static void need_call(struct fast_instruction *one)
{
	struct opcode opcode = find_opcode(one->bytes);
	bool far = opcode.at[0] == 0xff && (opcode.at[1] >> 3 & 7) == 3;

	one->need = opcode.word || far ? FAST_STEP : FAST_CALL;
}

static void decide(struct fast_instruction *one, const struct fast_instruction *end)
{
	struct sp_effect effect = fast_sp_effect(one);

	switch (one->instruction.kind) {
	case INSTRUCTION_CALL: need_call(one); return;
	case INSTRUCTION_RETURN: need_return(one); return;
	case INSTRUCTION_SYSCALL:
	case INSTRUCTION_UNKNOWN: one->need = FAST_STEP; return;
	case INSTRUCTION_TRAP: return;
	case INSTRUCTION_OTHER: break;
	}
	if (effect.change != SP_UNKNOWN ||
	    (one->instruction.sp_source == SP_FROM_FRAME && returns_after(one, end)))
		return;
	one->need = is_leave(one) ? FAST_LEAVE : FAST_STEP;
}

/* The run of instructions from first on raises rsp to peak above where room was set: if that is too much, the block is
 * stepped from there on. */
static void try_run(struct fast_instruction *first, const struct fast_instruction *end,
		    int64_t peak)
{
	if (peak <= 0)
		return;
	first->tries = true;
	first->enough = (uint64_t)peak;
	while (first < end)
		first++->may_step = true;
}

static void note_derived(struct fast_instruction *one, size_t count)
{
	uint16_t derived = 0;

	for (size_t i = 0; i < count; i++) {
		uint16_t writes = one[i].instruction.writes,
			 from = one[i].instruction.computed_from;

		one[i].derived = derived;
		derived = (derived & ~writes) | (from & (derived | 1u << RSP) ? writes : 0);
	}
}

int64_t fast_block(struct fast_instruction *one, size_t count)
{
	struct fast_instruction *end = one + count, *run = NULL;
	int64_t raised = 0;

	note_derived(one, count);
	for (struct fast_instruction *at = end; at-- > one;) {
		at->need = FAST_NOTHING;
		at->tries = at->may_step = false;
		at->takes = 0;
		decide(at, end);
	}
	for (struct fast_instruction *at = one; at < end; at++) {
		struct sp_effect effect = fast_sp_effect(at);
		bool known = effect.change == SP_BY_CONSTANT;

		switch (at->need) {
		case FAST_CALL:
		case FAST_RETURN: return 0;
		case FAST_STEP:
			while (at < end)
				at++->need = FAST_STEP;
			return 0;
		case FAST_LEAVE:
			if (run)
				try_run(run, end, raised);
			raised = 0;
			run = NULL;
			continue;
		case FAST_NOTHING: break;
		}
		if (run && (!known || effect.bytes < 0)) {
			try_run(run, end, raised);
			run = NULL;
		}
		/* leave and ret, with what is between: the ret says what they did */
		if (effect.change == SP_UNKNOWN)
			return 0;
		if (known && effect.bytes > 0 && !run)
			run = at;
		if (known)
			raised += effect.bytes;
	}
	if (run)
		try_run(run, end, raised);
	return raised;
}
