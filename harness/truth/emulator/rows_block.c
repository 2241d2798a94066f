/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rows_block.c - what a block does to rsp and rbp (Intel SDM volume 2, appendix A)
 */
#include <string.h>
#include "rows_block.h"

#define RBP 5 /* the encoding's number */

/* mov rbp, rsp; lea rbp, [rsp + n]: rbp becomes rsp + *ret. */
static bool sets_bp_by_sp(const uint8_t *bytes, int64_t *ret)
{
	static const uint8_t stores[] = { 0x48, 0x89, 0xe5 }, loads[] = { 0x48, 0x8b, 0xec },
			     near[] = { 0x48, 0x8d, 0x6c, 0x24 },
			     far[] = { 0x48, 0x8d, 0xac, 0x24 };
	int32_t displacement;

	*ret = 0;
	if (!memcmp(bytes, stores, sizeof(stores)) || !memcmp(bytes, loads, sizeof(loads)))
		return true;
	if (!memcmp(bytes, near, sizeof(near))) {
		*ret = (int8_t)bytes[sizeof(near)];
		return true;
	}
	if (memcmp(bytes, far, sizeof(far)) != 0)
		return false;
	memcpy(&displacement, bytes + sizeof(far), sizeof(displacement));
	*ret = displacement;
	return true;
}

/* ---- what it moves in memory ------------------------------------------------------------------ */

enum { LOADS = 1, STORES = 2 };

static const uint8_t *skip_prefixes(const uint8_t *at)
{
	static const uint8_t prefixes[] = { 0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e,
					    0x26, 0x64, 0x65, 0x67, 0xf0 };

	while ((*at & 0xf0) == 0x40 || memchr(prefixes, *at, sizeof(prefixes)))
		at++;
	return at;
}

/* Whether the instruction may read a word from memory, or write one. What is not known here does both. */
static int moves(const uint8_t *bytes)
{
	const uint8_t *at = skip_prefixes(bytes);
	uint8_t opcode = at[0], modrm = at[1];
	bool memory = modrm >> 6 != 3;

	if ((opcode & 0xf8) == 0x50 || opcode == 0x68 || opcode == 0x6a) /* push */
		return STORES;
	if ((opcode & 0xf8) == 0x58) /* pop */
		return LOADS;
	if ((opcode & 0xf0) == 0x70 || opcode == 0xe9 ||
	    opcode == 0xeb || /* jumps, nop, mov of constants, lea */
	    (opcode & 0xf8) == 0x90 || (opcode & 0xf0) == 0xb0 || opcode == 0x8d)
		return 0;
	if (opcode < 0x40 && (opcode & 7) >= 4 &&
	    (opcode & 7) <= 5) /* arithmetic of rax with a constant */
		return 0;
	if (opcode == 0x0f &&
	    (modrm == 0x1e || modrm == 0x1f || (modrm & 0xf0) == 0x80)) /* endbr, nop, jumps */
		return 0;
	if (opcode == 0x88 || opcode == 0x89 || opcode == 0xc6 || opcode == 0xc7) /* mov */
		return memory ? STORES : 0;
	if (opcode == 0x8a || opcode == 0x8b || opcode == 0x63)
		return memory ? LOADS : 0;
	if (((opcode & 0xfc) == 0x80 && (modrm >> 3 & 7) == 7) || (opcode & 0xfe) == 0x84 ||
	    (opcode < 0x40 && opcode >> 3 == 7)) /* test, cmp */
		return 0;
	if (((opcode < 0x40 && (opcode & 7) < 4) || (opcode & 0xfc) == 0x80 ||
	     (opcode & 0xfe) == 0xc0 || (opcode & 0xfc) == 0xd0 || (opcode & 0xfe) == 0xf6 ||
	     opcode == 0x69 || opcode == 0x6b) &&
	    !memory) /* arithmetic of registers */
		return 0;
	return LOADS | STORES;
}

size_t rows_segment(const struct fast_instruction *one, size_t count, struct rows_step *ret)
{
	struct rows_step at = { .offset = 0 };
	bool loaded = false;

	for (size_t i = 0; i < count; i++) {
		const struct instruction *instruction = &one[i].instruction;
		struct sp_effect effect = fast_sp_effect(&one[i]);
		int moved = moves(one[i].bytes);
		int64_t above;

		ret[i] = at;
		at.offset += instruction->length;
		loaded |= moved & LOADS;
		at.stores |= moved & STORES;
		at.carries |= loaded && moved & STORES;
		if (instruction->kind == INSTRUCTION_UNKNOWN || effect.change != SP_BY_CONSTANT)
			return i + 1;
		if (instruction->writes >> RBP & 1) {
			if (!sets_bp_by_sp(one[i].bytes, &above))
				return i + 1;
			at.bp_is_by_sp = true;
			at.bp = at.sp - above;
		}
		at.sp -= effect.bytes;
	}
	return count;
}
