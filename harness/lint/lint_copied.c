/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_copied.c - addresses of code that an instruction makes to read what is there
 *
 *	lea	rsi, [rip + template]
 *	mov	ecx, 24
 *	rep movsb
 *
 * Nobody reads a function. What begins there is a table among code, or a template that is executed where it is copied
 * to. So the instructions behind are passed straight on, to the first that reads by the register, or by one that it
 * was moved to, or that does something else with it by which somebody could get to call it.
 */
#include <string.h>
#include "code_name.h"
#include "flow/flow_part.h"
#include "lint/lint_copied.h"

#define LOOK_AHEAD 64 /* instructions */

static uint32_t bit(uint8_t reg)
{
	return reg == CODE_NO_REGISTER ? 0 : 1u << reg;
}

/* movs, cmps, lods: they read by rsi. */
static bool is_string(const uint8_t *bytes, const struct code *code)
{
	static const uint8_t prefix[] = { 0x48, 0x66, 0xf2, 0xf3 };
	unsigned int at = 0;

	while (at + 1 < code->length && memchr(prefix, bytes[at], sizeof(prefix)))
		at++;
	return at + 1 == code->length &&
	       (bytes[at] == 0xa4 || bytes[at] == 0xa5 || bytes[at] == 0xa6 || bytes[at] == 0xa7 ||
		bytes[at] == 0xac || bytes[at] == 0xad);
}

/* It copies from where its second argument says. */
static bool copies(const struct cfi *cfi, uint64_t pc)
{
	static const char *const copier[] = { "memcpy",	      "memmove",       "mempcpy",
					      "__memcpy_chk", "__memmove_chk", "__mempcpy_chk" };
	struct code_name name;

	code_name_find(cfi->image, cfi, pc, &name);
	for (size_t i = 0; name.name && name.start == pc && i < sizeof(copier) / sizeof(copier[0]);
	     i++)
		if (!strcmp(copier[i], name.name))
			return true;
	return false;
}

static bool reads(const struct cfi *cfi, const uint8_t *bytes, const struct code *code,
		  uint32_t registers)
{
	if (registers & bit(REGISTER_RSI) && is_string(bytes, code))
		return true;
	if (code->flow == CODE_CALL || code->flow == CODE_JUMP)
		return registers & bit(REGISTER_RSI) && copies(cfi, code->target);
	return code->has_memory && !code->writes_memory && code->effect != EFFECT_ADDRESS &&
	       registers & (bit(code->base) | bit(code->index));
}

/* Behind it somebody else may have the address. */
static bool gives(const struct code *code, uint32_t registers)
{
	return code->flow != CODE_NEXT || ((code->writes_memory || code->effect == EFFECT_PUSH) &&
					   registers & bit(code->source));
}

bool lint_copied_by(const struct cfi *cfi, struct code_decoder *decoder, const struct cfi_fde *fde,
		    const struct code *maker)
{
	const uint8_t *bytes = flow_fde_bytes(cfi->image, fde);
	uint64_t at = maker->pc + maker->length - fde->pc_begin;
	uint32_t registers = bit(maker->reg);

	for (int i = 0; bytes && registers && i < LOOK_AHEAD && at < fde->pc_range; i++) {
		struct code code;

		code_decode(decoder, fde->pc_begin + at, bytes + at, fde->pc_range - at, &code);
		if (!code.length)
			return false;
		if (reads(cfi, bytes + at, &code, registers))
			return true;
		if (gives(&code, registers))
			return false;
		if (code.effect == EFFECT_MOVE && registers & bit(code.source))
			registers |= bit(code.reg);
		else
			registers &= ~code.written;
		at += code.length;
	}
	return false;
}
