/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_head.h - where an instruction's head ends
 *
 * The functions are in the header, since they are called for each instruction.
 */
#ifndef STACKPROOF_CODE_HEAD_H
#define STACKPROOF_CODE_HEAD_H

#include "code_form.h"

enum code_kind {
	UNUSUAL,
	PLAIN,	   /* the opcode ends the head */
	IN_OPCODE, /* the same; the opcode's last bits are a register */
	MODRM,	   /* ModRM ends the head, or the SIB behind it */
	/* As MODRM, but the key leaves out */
	MODRM_REG,  /* ModRM.reg: a vector register, or a general one of more than 8 bits */
	MODRM_RM,   /* ModRM.rm, if it is a general register */
	MODRM_BOTH, /* both */
	ESCAPE,	    /* 0f: the next byte is looked up in code_two_bytes */
	PREFIX,	    /* another byte follows */
	REX,	    /* the opcode follows */
	ESCAPE_3,   /* 0f 38, 0f 3a: another byte, then ModRM */
	VEX_2,	    /* one more byte, then the opcode */
	VEX_3,	    /* two more bytes, then the opcode */
};

/* The enum code_kind of each first byte, and of each byte behind 0f. */
extern const uint8_t code_one_byte[256], code_two_bytes[256];

#define PREFIXES_MOST 11   /* behind so many prefixes CODE_HEAD_READ bytes still reach the SIB */
#define TWO_REGISTERS 0xc0 /* from this ModRM byte on rm is a register, not memory */

/* The offsets of the opcode's last byte, of a REX before it, and of the ModRM byte, if there is one. */
struct code_layout {
	unsigned int opcode, rex, modrm;
	bool has_rex;
};

/* Returns UNUSUAL if the layout is not known, else one from PLAIN to MODRM_BOTH. */
static inline enum code_kind code_layout_find(const uint8_t bytes[CODE_HEAD_READ],
					      struct code_layout *ret)
{
	unsigned int at = 0;
	uint8_t kind = code_one_byte[bytes[0]];

	while (kind == PREFIX && at < PREFIXES_MOST)
		kind = code_one_byte[bytes[++at]];
	if (kind == REX) {
		ret->has_rex = true;
		ret->rex = at;
		kind = code_one_byte[bytes[++at]];
		if (kind > ESCAPE)
			return UNUSUAL;
	}
	if (kind == ESCAPE)
		kind = code_two_bytes[bytes[++at]];
	ret->opcode = at;
	ret->modrm = at + 1;
	if (kind <= MODRM_BOTH)
		return kind;
	switch (kind) {
	case ESCAPE_3: ret->modrm = at + 2; return at <= PREFIXES_MOST ? MODRM : UNUSUAL;
	case VEX_2:
	case VEX_3: ret->modrm = kind == VEX_2 ? 3 : 4; return at ? UNUSUAL : MODRM;
	default: return UNUSUAL;
	}
}

static inline bool code_has_sib(uint8_t modrm)
{
	return modrm < TWO_REGISTERS && (modrm & 7) == 4;
}

/* How many bytes the head has, or more than that. 0: the layout is not known here. */
static inline unsigned int code_head_bytes(const uint8_t bytes[CODE_HEAD_READ])
{
	struct code_layout layout;
	enum code_kind kind = code_layout_find(bytes, &layout);

	if (kind < MODRM)
		return kind == UNUSUAL ? 0 : layout.opcode + 1;
	return layout.modrm + 1 + code_has_sib(bytes[layout.modrm]);
}

#endif
