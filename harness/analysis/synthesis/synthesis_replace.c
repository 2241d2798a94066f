/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_replace.c - a function's rows as they were declared, as synthesized ones
 *
 * Where the code proves nothing better they stay. Of some it is known that they are wrong, and by what: the
 * return address may be overwritten, or a new thread goes on there. Those are left out.
 */
#include <string.h>
#include <sys/syscall.h>
#include "synthesis.h"

static bool convert_rule(const struct row_rule *rule, bool is_rip, struct synthesis_place *ret)
{
	*ret = (struct synthesis_place) { .kind = SYNTHESIS_LOST };
	switch (rule->kind) {
	case RULE_UNSPECIFIED:
	case RULE_SAME_VALUE: ret->kind = SYNTHESIS_SAME; return !is_rip;
	case RULE_UNDEFINED: return true;
	case RULE_OFFSET:
		ret->kind = SYNTHESIS_AT_CFA;
		ret->offset = (int32_t)rule->offset;
		return ret->offset == rule->offset && !(ret->offset % 8);
	case RULE_REGISTER:
		ret->kind = SYNTHESIS_IN_REGISTER;
		ret->reg = (uint8_t)rule->reg;
		return rule->reg < REGISTER_GPR_COUNT;
	default: return false;
	}
}

/* The caller's rsp is the CFA, and of no other register anything is said. */
static bool is_plain(const struct row *row)
{
	for (unsigned int i = 0; i < REGISTER_RIP; i++) {
		const struct row_rule *rule = &row->reg[i];
		bool is_column = false;

		for (int column = 0; column < SYNTHESIS_COLUMNS; column++)
			is_column |= synthesis_register[column] == i;
		if (is_column || rule->kind == RULE_UNSPECIFIED)
			continue;
		if (i != REGISTER_RSP || rule->kind != RULE_VAL_OFFSET || rule->offset)
			return false;
	}
	return !row->signal_frame;
}

bool synthesis_row_declared(const struct row *row, struct synthesis_row *ret)
{
	*ret = (struct synthesis_row) { .pc = row->pc,
					.pc_end = row->pc_end,
					.cfa_register = (uint8_t)row->cfa.reg,
					.cfa_offset = (int32_t)row->cfa.offset };
	if (!is_plain(row) || row->cfa.kind != RULE_CFA_REGISTER ||
	    row->cfa.reg >= REGISTER_GPR_COUNT || ret->cfa_offset != row->cfa.offset)
		return false;
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
		if (!convert_rule(&row->reg[synthesis_register[i]],
				  synthesis_register[i] == REGISTER_RIP, &ret->place[i]))
			return false;
	return true;
}

size_t synthesis_restorer_bytes(const struct image *image, uint64_t pc)
{
	static const uint8_t code[][9] = {
		{ 0xb8, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05 },
		{ 0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05 },
	};
	static const size_t size[] = { 7, 9 };

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		const uint8_t *bytes = image_bytes(image, pc, size[i]);

		if (bytes && !memcmp(bytes, code[i], size[i]))
			return size[i];
	}
	return 0;
}
