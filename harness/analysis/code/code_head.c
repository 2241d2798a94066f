/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_head.c - the bytes by which a form is known
 *
 * Prefixes, opcode, ModRM and SIB (Intel SDM, volume 2, 2.1 and 2.3.5; appendix A for what has a ModRM
 * byte). Which registers an address is made of says nothing of the rest: so `mov rax, [rbx+8]` and
 * `mov rax, [r12+rcx*4+8]` have one key, in which there is no SIB, and no bit of another register.
 * They are read here. So are the registers of the commonest opcodes, but for those of 8 bits, of which
 * some are another's second byte. An instruction with one register twice (`xor eax, eax`) is another
 * form than one with two, and has a key of its own. Products with a number keep theirs: with 1 they are moves,
 * for which the form names them.
 *
 * Left to Zydis each time: EVEX, XOP, 3DNow!, REX2, moves to control and debug registers, a REX
 * that another prefix follows, and what has no meaning in 64-bit code. Zydis has the last word on the rest,
 * too: a form is kept only where it says the same (code_decode.c), and test_code_head.c holds all opcodes
 * with all registers against it.
 */
#include <string.h>
#include "code_head.h"

/* add, or, adc, sbb, and, sub, xor, cmp. */
#define ARITHMETIC(opcode)                                                                         \
	[opcode] = MODRM, [(opcode) + 1] = MODRM_BOTH, [(opcode) + 2] = MODRM,                     \
	[(opcode) + 3] = MODRM_BOTH, [(opcode) + 4 ...(opcode) + 5] = PLAIN

const uint8_t code_one_byte[256] = {
	ARITHMETIC(0x00),	  ARITHMETIC(0x08),	    ARITHMETIC(0x10),
	ARITHMETIC(0x18),	  ARITHMETIC(0x20),	    ARITHMETIC(0x28),
	ARITHMETIC(0x30),	  ARITHMETIC(0x38),	    [0x0f] = ESCAPE,
	[0x26] = PREFIX,	  [0x2e] = PREFIX,	    [0x36] = PREFIX,
	[0x3e] = PREFIX,	  [0x40 ... 0x4f] = REX,    [0x50 ... 0x5f] = IN_OPCODE,
	[0x63] = MODRM_BOTH,	  [0x64 ... 0x67] = PREFIX, [0x68] = PLAIN,
	[0x69] = MODRM,		  [0x6a] = PLAIN,	    [0x6b] = MODRM,
	[0x6c ... 0x7f] = PLAIN,  [0x80] = MODRM,	    [0x81] = MODRM_RM,
	[0x83] = MODRM_RM,	  [0x84] = MODRM,	    [0x85] = MODRM_BOTH,
	[0x86] = MODRM,		  [0x87] = MODRM_BOTH,	    [0x88] = MODRM,
	[0x89] = MODRM_BOTH,	  [0x8a] = MODRM,	    [0x8b] = MODRM_BOTH,
	[0x8c] = MODRM,		  [0x8d] = MODRM_REG,	    [0x8e] = MODRM,
	[0x90 ... 0x99] = PLAIN,  [0x9b ... 0xb7] = PLAIN,  [0xb8 ... 0xbf] = IN_OPCODE,
	[0xc0] = MODRM,		  [0xc1] = MODRM_RM,	    [0xc2 ... 0xc3] = PLAIN,
	[0xc4] = VEX_3,		  [0xc5] = VEX_2,	    [0xc6 ... 0xc7] = MODRM,
	[0xc8 ... 0xcd] = PLAIN,  [0xcf] = PLAIN,	    [0xd0] = MODRM,
	[0xd1] = MODRM_RM,	  [0xd2] = MODRM,	    [0xd3] = MODRM_RM,
	[0xd7] = PLAIN,		  [0xd8 ... 0xdf] = MODRM,  [0xe0 ... 0xe9] = PLAIN,
	[0xeb ... 0xef] = PLAIN,  [0xf0] = PREFIX,	    [0xf1] = PLAIN,
	[0xf2 ... 0xf3] = PREFIX, [0xf4 ... 0xf5] = PLAIN,  [0xf6 ... 0xf7] = MODRM,
	[0xf8 ... 0xfd] = PLAIN,  [0xfe ... 0xff] = MODRM,
};

const uint8_t code_two_bytes[256] = {
	[0x00 ... 0x03] = MODRM,
	[0x05 ... 0x09] = PLAIN,
	[0x0b] = PLAIN,
	[0x0d] = MODRM,
	[0x0e] = PLAIN,
	[0x10 ... 0x17] = MODRM_REG,
	[0x18 ... 0x1f] = MODRM,
	[0x28 ... 0x2f] = MODRM_REG,
	[0x30 ... 0x35] = PLAIN,
	[0x37] = PLAIN,
	[0x38] = ESCAPE_3,
	[0x3a] = ESCAPE_3,
	[0x40 ... 0x4f] = MODRM_BOTH,
	[0x50 ... 0x70] = MODRM_REG,
	[0x71 ... 0x73] = MODRM,
	[0x74 ... 0x76] = MODRM_REG,
	[0x77] = PLAIN,
	[0x78 ... 0x7b] = MODRM,
	[0x7c ... 0x7f] = MODRM_REG,
	[0x80 ... 0x8f] = PLAIN,
	[0x90 ... 0x9f] = MODRM,
	[0xa0 ... 0xa2] = PLAIN,
	[0xa3] = MODRM_BOTH,
	[0xa4 ... 0xa7] = MODRM,
	[0xa8 ... 0xaa] = PLAIN,
	[0xab] = MODRM_BOTH,
	[0xac ... 0xae] = MODRM,
	[0xaf] = MODRM_BOTH,
	[0xb0 ... 0xb2] = MODRM,
	[0xb3] = MODRM_BOTH,
	[0xb4 ... 0xb5] = MODRM,
	[0xb6] = MODRM_REG,
	[0xb7 ... 0xb8] = MODRM_BOTH,
	[0xb9 ... 0xba] = MODRM,
	[0xbb ... 0xbd] = MODRM_BOTH,
	[0xbe] = MODRM_REG,
	[0xbf] = MODRM_BOTH,
	[0xc0 ... 0xc1] = MODRM,
	[0xc2] = MODRM_REG,
	[0xc3 ... 0xc5] = MODRM,
	[0xc6] = MODRM_REG,
	[0xc7] = MODRM,
	[0xc8 ... 0xcf] = PLAIN,
	[0xd0 ... 0xf6] = MODRM_REG,
	[0xf7] = MODRM,
	[0xf8 ... 0xfe] = MODRM_REG,
	[0xff] = MODRM,
};

#define REX_B 1
#define REX_X 2
#define REX_R 4

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
static bool take_registers(const uint8_t *bytes, const struct code_layout *layout,
			   struct code_head *ret)
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

static void clear_bits(struct code_head *head, unsigned int byte, unsigned int bits)
{
	head->key[0] &= ~((uint64_t)bits << 8 * byte);
}

/* The key is one without the registers that ModRM names. One that is named twice stays: and the key of two
 * has two. */
static void leave_out_modrm(const uint8_t *bytes, const struct code_layout *layout,
			    enum code_kind kind, struct code_head *ret)
{
	uint8_t modrm = bytes[layout->modrm], rex = layout->has_rex ? bytes[layout->rex] : 0;
	unsigned int reg = (modrm >> 3 & 7) | (rex & REX_R ? 8 : 0);
	unsigned int rm = (modrm & 7) | (rex & REX_B ? 8 : 0);
	bool two = modrm >= TWO_REGISTERS;

	if (kind == MODRM || layout->modrm >= 8 || (kind == MODRM_RM ? !two : two && reg == rm))
		return;
	if (two && kind != MODRM_REG) {
		ret->operand[HEAD_RM] = code_dwarf_number[rm];
		clear_bits(ret, layout->modrm, 7);
		if (layout->has_rex)
			clear_bits(ret, layout->rex, REX_B);
		modrm &= (uint8_t)~7;
	}
	if (kind == MODRM_RM)
		return;
	ret->operand[HEAD_REG] = code_dwarf_number[reg];
	clear_bits(ret, layout->modrm, 7 << 3);
	if (layout->has_rex)
		clear_bits(ret, layout->rex, REX_R);
	if (two)
		ret->key[0] |= (uint64_t)((modrm & 7) ^ 1) << (8 * layout->modrm + 3);
}

/* The same of the register that the opcode's last bits name. push and pop move rsp beside. */
static void leave_out_opcode(const uint8_t *bytes, const struct code_layout *layout,
			     struct code_head *ret)
{
	uint8_t rex = layout->has_rex ? bytes[layout->rex] : 0;
	unsigned int number = (bytes[layout->opcode] & 7) | (rex & REX_B ? 8 : 0);

	if (layout->opcode >= 8 || code_dwarf_number[number] == REGISTER_RSP)
		return;
	ret->operand[HEAD_OPCODE] = code_dwarf_number[number];
	clear_bits(ret, layout->opcode, 7);
	if (layout->has_rex)
		clear_bits(ret, layout->rex, REX_B);
}

bool code_head_find(const uint8_t bytes[CODE_HEAD_READ], struct code_head *ret)
{
	struct code_layout layout = { .has_rex = false };
	enum code_kind kind = code_layout_find(bytes, &layout);
	uint8_t modrm;

	if (kind == UNUSUAL)
		return false;
	modrm = bytes[layout.modrm];
	ret->by_registers = false;
	ret->left_out = 0;
	memset(ret->operand, CODE_NO_REGISTER, sizeof(ret->operand));
	if (kind == PLAIN || kind == IN_OPCODE) {
		ret->bytes = (uint8_t)(layout.opcode + 1);
		take_key(bytes, ret);
		if (kind == IN_OPCODE)
			leave_out_opcode(bytes, &layout, ret);
		return true;
	}
	if (bytes[0] == 0xc5 && bytes[2] == 0x77) { /* vzeroupper */
		ret->bytes = (uint8_t)(layout.opcode + 3);
		take_key(bytes, ret);
		return true;
	}
	if (modrm >= TWO_REGISTERS || !take_registers(bytes, &layout, ret)) {
		ret->bytes = (uint8_t)(layout.modrm + 1 + code_has_sib(modrm));
		take_key(bytes, ret);
	}
	leave_out_modrm(bytes, &layout, kind, ret);
	return true;
}
