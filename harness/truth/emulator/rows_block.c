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

size_t rows_segment(const struct fast_instruction *one, size_t count, struct rows_step *ret)
{
	struct rows_step at = { .offset = 0 };

	for (size_t i = 0; i < count; i++) {
		const struct instruction *instruction = &one[i].instruction;
		struct sp_effect effect = fast_sp_effect(&one[i]);
		int64_t above;

		ret[i] = at;
		at.offset += instruction->length;
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
