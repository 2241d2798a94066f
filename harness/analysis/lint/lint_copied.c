/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_copied.c - addresses of code that an instruction makes to read what is there
 *
 *	lea	rsi, [rip + template]
 *	mov	ecx, 24
 *	rep movsb
 *
 * Nobody reads a function. What begins there is a table among code, or a template that is executed where it is copied
 * to. So the instructions behind are passed, to the first that reads by the register, or by one that was made of it,
 * or that does something else with it by which somebody could get to call it. Whoever is called with it, and has an FDE
 * here, is passed in the same way, and so are words of a frame that keep it: unoptimized code has all there.
 */
#include <string.h>
#include "cfi/code_name.h"
#include "analysis/flow/flow_part.h"
#include "analysis/flow/flow_state.h"
#include "lint_copied.h"

#define LOOK_AHEAD 256 /* instructions */

static uint32_t bit(uint8_t reg)
{
	return reg == CODE_NO_REGISTER ? 0 : 1u << reg;
}

/* It reads by rsi, though it writes, too. */
static bool is_movs(const uint8_t *bytes, const struct code *code)
{
	static const uint8_t prefix[] = { 0x48, 0x66, 0xf2, 0xf3 };
	unsigned int at = 0;

	while (at + 1 < code->length && memchr(prefix, bytes[at], sizeof(prefix)))
		at++;
	return at + 1 == code->length && (bytes[at] == 0xa4 || bytes[at] == 0xa5);
}

/* syscall: its arguments are the kernel's then. */
static bool is_system_call(const uint8_t *bytes, const struct code *code)
{
	return code->length == 2 && bytes[0] == 0x0f && bytes[1] == 0x05;
}

/* It copies from where its second argument says. */
static bool copies(const struct cfi *cfi, uint64_t pc)
{
	static const char
		*const copier[] = {
			"memcpy",	"memmove",	  "mempcpy",
			"__memcpy_chk", "__memmove_chk",  "__mempcpy_chk",
			"__new_memcpy", "__libc_memmove", "__mempcpy", /* glibc's own names */
		};
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
	if (registers & bit(REGISTER_RSI) && is_movs(bytes, code))
		return true;
	if (code->flow == CODE_CALL || code->flow == CODE_JUMP)
		return registers & bit(REGISTER_RSI) && copies(cfi, code->target);
	return code->has_memory && !code->writes_memory && code->effect != EFFECT_ADDRESS &&
	       code->flow == CODE_NEXT && registers & (bit(code->base) | bit(code->index));
}

/* ---- the way of an address ------------------------------------------------------------------ */

#define DEPTH_MAX 3 /* functions, one called by the other */
#define SLOTS_MAX 4

/* What comes of it. */
enum fate {
	FATE_GIVEN,   /* somebody else may have it, or it was not followed to its end */
	FATE_DROPPED, /* nobody has it any more */
	FATE_READ,    /* what is there is read */
};

struct passing {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	const struct cfi_fde *fde;
	uint32_t registers;	 /* that have the address, or one made of it */
	int64_t slot[SLOTS_MAX]; /* words that do, by their distance from rbp */
	size_t slots;
	int depth;
	int *left; /* instructions */
};

/* Behind it somebody else may have the address: in a word that is not this frame's. */
static bool gives(struct passing *passing, const struct code *code)
{
	if (!code->writes_memory || !(passing->registers & bit(code->source)))
		return false;
	if (code->effect != EFFECT_STORE || code->base != REGISTER_RBP ||
	    code->index != CODE_NO_REGISTER || passing->slots == SLOTS_MAX)
		return true;
	passing->slot[passing->slots++] = code->displacement;
	return false;
}

static bool is_slot(const struct passing *passing, const struct code *code)
{
	if (code->effect != EFFECT_LOAD || code->base != REGISTER_RBP ||
	    code->index != CODE_NO_REGISTER)
		return false;
	for (size_t i = 0; i < passing->slots; i++)
		if (passing->slot[i] == code->displacement)
			return true;
	return false;
}

/* What it makes of the address is one, too. */
static bool makes_another(const struct passing *passing, const struct code *code)
{
	switch (code->effect) {
	case EFFECT_MOVE: return passing->registers & bit(code->source);
	case EFFECT_LOAD: return is_slot(passing, code);
	case EFFECT_ADD: return passing->registers & bit(code->reg);
	case EFFECT_ADD_REGISTER: return passing->registers & (bit(code->reg) | bit(code->source));
	case EFFECT_ADDRESS: return passing->registers & (bit(code->base) | bit(code->index));
	default: return false;
	}
}

static enum fate follow(struct passing *passing, uint64_t pc);

/* Of a function that is called with it. */
static enum fate follow_callee(const struct passing *passing, uint64_t target)
{
	struct passing callee = *passing;

	callee.fde = cfi_fde_find(passing->cfi, target);
	callee.registers &= FLOW_ARGUMENTS;
	callee.slots = 0;
	callee.depth++;
	if (callee.fde && callee.fde->pc_begin == target && callee.depth < DEPTH_MAX &&
	    follow(&callee, target) == FATE_READ)
		return FATE_READ;
	return FATE_GIVEN;
}

/* Of two ways, both of which can be gone. */
static enum fate of_both(enum fate a, enum fate b)
{
	if (a == FATE_READ || b == FATE_READ)
		return FATE_READ;
	return a == FATE_GIVEN ? a : b;
}

/* True: it goes on at *pc; else *ret is what comes of it. */
static bool goes_on(struct passing *passing, const struct code *code, uint64_t *pc, enum fate *ret)
{
	struct passing other = *passing;
	bool inside = code->target - passing->fde->pc_begin < passing->fde->pc_range;

	*ret = FATE_GIVEN;
	switch (code->flow) {
	case CODE_NEXT: return true;
	case CODE_STOP: *ret = FATE_DROPPED; return false;
	case CODE_BRANCH:
		*ret = of_both(follow(&other, code->target), follow(passing, *pc));
		return false;
	case CODE_JUMP:
		*pc = code->target;
		if (!inside)
			*ret = follow_callee(passing, code->target);
		return inside;
	case CODE_CALL:
		if (passing->registers & FLOW_ARGUMENTS)
			*ret = follow_callee(passing, code->target);
		if (passing->registers & FLOW_ARGUMENTS)
			return false;
		passing->registers &= FLOW_PRESERVED; /* it is no argument, and none else is left */
		return true;
	default: return false;
	}
}

static enum fate follow(struct passing *passing, uint64_t pc)
{
	const struct cfi_fde *fde = passing->fde;
	const uint8_t *bytes = flow_fde_bytes(passing->cfi->image, fde);
	enum fate fate;

	while (passing->registers || passing->slots) {
		uint64_t at = pc - fde->pc_begin;
		struct code code;

		if (!bytes || at >= fde->pc_range || --*passing->left < 0)
			return FATE_GIVEN;
		code_decode(passing->decoder, pc, bytes + at, fde->pc_range - at, &code);
		if (!code.length)
			return FATE_GIVEN;
		if (reads(passing->cfi, bytes + at, &code, passing->registers))
			return FATE_READ;
		pc += code.length;
		if (!goes_on(passing, &code, &pc, &fate))
			return fate;
		if (code.flow != CODE_NEXT)
			continue;
		if (gives(passing, &code) ||
		    (is_system_call(bytes + at, &code) && passing->registers & FLOW_ARGUMENTS))
			return FATE_GIVEN;
		if (makes_another(passing, &code))
			passing->registers |= bit(code.reg);
		else
			passing->registers &= ~code.written;
	}
	return FATE_DROPPED;
}

bool lint_copied_by(const struct cfi *cfi, struct code_decoder *decoder, const struct cfi_fde *fde,
		    const struct code *maker)
{
	int left = LOOK_AHEAD;
	struct passing passing = { .cfi = cfi,
				   .decoder = decoder,
				   .fde = fde,
				   .registers = bit(maker->reg),
				   .left = &left };

	return follow(&passing, maker->pc + maker->length) != FATE_GIVEN;
}
