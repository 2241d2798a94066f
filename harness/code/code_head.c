/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_head.c - the bytes by which a form is known
 *
 * Prefixes, opcode, ModRM and SIB (Intel SDM, volume 2, 2.1 and 2.3.5; appendix A for what has a ModRM
 * byte). Which registers an address is made of says nothing of the rest: so `mov rax, [rbx+8]` and
 * `mov rax, [r12+rcx*4+8]` have one key, in which there is no SIB, and no bit of another register.
 * They are read here.
 *
 * Left to Zydis each time: EVEX, XOP, 3DNow!, REX2, moves to control and debug registers, a REX
 * that another prefix follows, and what has no meaning in 64-bit code. Zydis has the last word on the rest,
 * too: a form is kept only where it says the same (code_decode.c), and test_code_head.c holds all opcodes
 * with all registers against it.
 */
#include <string.h>
#include "code/code_form.h"

enum kind {
	UNUSUAL,
	PLAIN,	  /* the opcode ends the head */
	MODRM,	  /* ModRM does, or the SIB behind it */
	PREFIX,	  /* another byte follows */
	REX,	  /* the opcode follows */
	ESCAPE,	  /* 0f: of two_bytes */
	ESCAPE_3, /* 0f 38, 0f 3a: another byte, then ModRM */
	VEX_2,	  /* one more byte, then the opcode */
	VEX_3,
};

static const uint8_t one_byte[256] = {
	[0x00 ... 0x03] = MODRM,  [0x04 ... 0x05] = PLAIN, [0x08 ... 0x0b] = MODRM,
	[0x0c ... 0x0d] = PLAIN,  [0x0f] = ESCAPE,	   [0x10 ... 0x13] = MODRM,
	[0x14 ... 0x15] = PLAIN,  [0x18 ... 0x1b] = MODRM, [0x1c ... 0x1d] = PLAIN,
	[0x20 ... 0x23] = MODRM,  [0x24 ... 0x25] = PLAIN, [0x26] = PREFIX,
	[0x28 ... 0x2b] = MODRM,  [0x2c ... 0x2d] = PLAIN, [0x2e] = PREFIX,
	[0x30 ... 0x33] = MODRM,  [0x34 ... 0x35] = PLAIN, [0x36] = PREFIX,
	[0x38 ... 0x3b] = MODRM,  [0x3c ... 0x3d] = PLAIN, [0x3e] = PREFIX,
	[0x40 ... 0x4f] = REX,	  [0x50 ... 0x5f] = PLAIN, [0x63] = MODRM,
	[0x64 ... 0x67] = PREFIX, [0x68] = PLAIN,	   [0x69] = MODRM,
	[0x6a] = PLAIN,		  [0x6b] = MODRM,	   [0x6c ... 0x7f] = PLAIN,
	[0x80 ... 0x81] = MODRM,  [0x83 ... 0x8e] = MODRM, [0x90 ... 0x99] = PLAIN,
	[0x9b ... 0xbf] = PLAIN,  [0xc0 ... 0xc1] = MODRM, [0xc2 ... 0xc3] = PLAIN,
	[0xc4] = VEX_3,		  [0xc5] = VEX_2,	   [0xc6 ... 0xc7] = MODRM,
	[0xc8 ... 0xcd] = PLAIN,  [0xcf] = PLAIN,	   [0xd0 ... 0xd3] = MODRM,
	[0xd7] = PLAIN,		  [0xd8 ... 0xdf] = MODRM, [0xe0 ... 0xe9] = PLAIN,
	[0xeb ... 0xef] = PLAIN,  [0xf0] = PREFIX,	   [0xf1] = PLAIN,
	[0xf2 ... 0xf3] = PREFIX, [0xf4 ... 0xf5] = PLAIN, [0xf6 ... 0xf7] = MODRM,
	[0xf8 ... 0xfd] = PLAIN,  [0xfe ... 0xff] = MODRM,
};

/* Behind 0f. */
static const uint8_t two_bytes[256] = {
	[0x00 ... 0x03] = MODRM, [0x05 ... 0x09] = PLAIN, [0x0b] = PLAIN,
	[0x0d] = MODRM,		 [0x0e] = PLAIN,	  [0x10 ... 0x1f] = MODRM,
	[0x28 ... 0x2f] = MODRM, [0x30 ... 0x35] = PLAIN, [0x37] = PLAIN,
	[0x38] = ESCAPE_3,	 [0x3a] = ESCAPE_3,	  [0x40 ... 0x76] = MODRM,
	[0x77] = PLAIN,		 [0x78 ... 0x7f] = MODRM, [0x80 ... 0x8f] = PLAIN,
	[0x90 ... 0x9f] = MODRM, [0xa0 ... 0xa2] = PLAIN, [0xa3 ... 0xa7] = MODRM,
	[0xa8 ... 0xaa] = PLAIN, [0xab ... 0xaf] = MODRM, [0xb0 ... 0xc7] = MODRM,
	[0xc8 ... 0xcf] = PLAIN, [0xd0 ... 0xff] = MODRM,
};

#define PREFIXES_MOST 12 /* what follows is at hand then */

#define REX_B 1
#define REX_X 2

/* Where things are; 0: nowhere, but for the opcode's last byte and a REX before it. */
struct layout {
	unsigned int opcode, rex, modrm;
	bool has_rex;
};

/* UNUSUAL, or PLAIN or MODRM if the layout is known. */
static enum kind find_layout(const uint8_t *bytes, struct layout *ret)
{
	unsigned int at = 0;
	uint8_t kind = one_byte[bytes[0]];

	while (kind == PREFIX && at < PREFIXES_MOST)
		kind = one_byte[bytes[++at]];
	if (kind == REX) {
		ret->has_rex = true;
		ret->rex = at;
		kind = one_byte[bytes[++at]];
		if (kind > MODRM && kind != ESCAPE)
			return UNUSUAL;
	}
	if (kind == ESCAPE)
		kind = two_bytes[bytes[++at]];
	ret->opcode = at;
	switch (kind) {
	case PLAIN: return PLAIN;
	case MODRM: ret->modrm = at + 1; return MODRM;
	case ESCAPE_3: ret->modrm = at + 2; return at <= PREFIXES_MOST ? MODRM : UNUSUAL;
	case VEX_2:
	case VEX_3: ret->modrm = kind == VEX_2 ? 3 : 4; return at ? UNUSUAL : MODRM;
	default: return UNUSUAL;
	}
}

static uint64_t first_bytes(uint64_t bytes, unsigned int count)
{
	return count >= 8 ? bytes : bytes & ((1ull << 8 * count) - 1);
}

static void take_key(const uint8_t *bytes, struct code_head *ret)
{
	memcpy(ret->key, bytes, sizeof(ret->key));
	ret->key[0] = first_bytes(ret->key[0], ret->bytes);
	ret->key[1] = first_bytes(ret->key[1], ret->bytes > 8 ? ret->bytes - 8 : 0);
}

/* False: not by registers, or nothing is gained. The key is that of an address without them. */
static bool take_registers(const uint8_t *bytes, const struct layout *layout, struct code_head *ret)
{
	uint8_t modrm = bytes[layout->modrm], sib = bytes[layout->modrm + 1];
	uint8_t rex = layout->has_rex ? bytes[layout->rex] : 0;
	bool has_sib = (modrm & 7) == 4;
	unsigned int base = has_sib ? sib & 7 : modrm & 7, index = 4;

	if (layout->modrm >= 8 || bytes[0] == 0xc4 || bytes[0] == 0xc5 ||
	    (modrm < 0x40 && base == 5))
		return false;
	if (has_sib)
		index = (sib >> 3 & 7) | (rex & REX_X ? 8 : 0);
	ret->by_registers = true;
	ret->base = code_dwarf_number[base | (rex & REX_B ? 8 : 0)];
	ret->index = index == 4 ? CODE_NO_REGISTER : code_dwarf_number[index];
	ret->scale = index == 4 ? 0 : (uint8_t)(1u << (sib >> 6));
	ret->left_out = has_sib;
	ret->bytes = (uint8_t)(layout->modrm + 1);
	take_key(bytes, ret);
	ret->key[0] &= ~(7ull << 8 * layout->modrm);
	if (layout->has_rex)
		ret->key[0] &= ~((uint64_t)(REX_B | REX_X) << 8 * layout->rex);
	return true;
}

bool code_head_find(const uint8_t bytes[CODE_HEAD_READ], struct code_head *ret)
{
	struct layout layout = { .has_rex = false };
	enum kind kind = find_layout(bytes, &layout);
	uint8_t modrm = bytes[layout.modrm];

	if (kind == UNUSUAL)
		return false;
	ret->by_registers = false;
	ret->left_out = 0;
	if (kind == PLAIN || (bytes[0] == 0xc5 && bytes[2] == 0x77)) /* vzeroupper */
		ret->bytes = (uint8_t)(layout.opcode + (kind == PLAIN ? 1 : 3));
	else if (modrm >= 0xc0)
		ret->bytes = (uint8_t)(layout.modrm + 1);
	else if (take_registers(bytes, &layout, ret))
		return true;
	else
		ret->bytes = (uint8_t)(layout.modrm + 1 + ((modrm & 7) == 4));
	take_key(bytes, ret);
	return true;
}
