/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code.h - one instruction, as far as the stack depends on it
 *
 * Whoever follows code without running it asks of each instruction where control goes next, and what
 * becomes of the sixteen general registers and of the words on the stack. The answer is an
 * *effect*: one of a few that can be followed exactly (a move, a push, an addition of a constant),
 * or "these registers have unknown values now", which is what Zydis says the instruction writes.
 * Nothing is guessed: what Zydis can't decode is CODE_UNKNOWN, and has no length.
 *
 *	code_form.c	what Zydis says of an instruction, but for its numbers
 *	code_correct.c	what it writes beside
 *	code_identity.c	instructions that leave their operand as it was
 *	code_flags.c	what they make of the flags
 *	code_decode.c	bytes -> struct code
 *	code_convention.c	of an image: registers that its functions don't keep
 *
 * Registers go by their DWARF numbers (psABI, figure 3.36), as in rows. Only 64-bit code.
 */
#ifndef STACKPROOF_CODE_H
#define STACKPROOF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "table/table_abi.h"

#define CODE_BYTES_MAX	 15 /* Intel SDM, volume 2, 2.3.11 */
#define CODE_NO_REGISTER 0xff
#define CODE_HEAD_READ	 24 /* bytes that are read of an instruction, where there are as many */

/* Where control goes. */
enum code_flow {
	CODE_NEXT,	    /* to the next instruction, and only there */
	CODE_CALL,	    /* to target, and comes back behind it, unless it never returns */
	CODE_CALL_INDIRECT, /* the same to a computed address */
	CODE_JUMP,	    /* to target */
	CODE_JUMP_INDIRECT, /* to a computed address */
	CODE_BRANCH,	    /* to target, or on */
	CODE_BEGIN,	    /* xbegin: to target with all registers as they were, or on */
	CODE_RETURN,
	CODE_STOP,    /* ud2, hlt, int3: not on */
	CODE_UNKNOWN, /* can't be decoded, or goes where this can't say (far calls, iret) */
};

/* What becomes of registers and of memory. The destination is reg, the other register is source. */
enum code_effect {
	EFFECT_WRITES,	      /* registers in `written` are unknown; memory as writes_memory says */
	EFFECT_MOVE,	      /* reg = source */
	EFFECT_MOVE_32,	      /* reg = the low 32 bits of source */
	EFFECT_CONSTANT,      /* reg = constant */
	EFFECT_CONSTANT_BYTE, /* reg's lowest byte = constant */
	EFFECT_ADDRESS,	      /* reg = the memory operand's address (lea) */
	EFFECT_LOAD,	      /* reg = 8 bytes of memory */
	EFFECT_LOAD_SIGNED,   /* reg = 4 bytes of memory, sign extended */
	EFFECT_LOAD_LESS,     /* reg = memory_bytes of memory, zero extended */
	EFFECT_STORE,	      /* 8 bytes of memory = source */
	EFFECT_ADD,	      /* reg += constant */
	EFFECT_ADD_REGISTER,  /* reg += source */
	EFFECT_SUBTRACT_REGISTER, /* reg -= source */
	EFFECT_AND,		  /* reg &= constant */
	EFFECT_PUSH,		  /* of source, or of something else if it is none */
	EFFECT_POP,		  /* to reg, or elsewhere if it is none */
	EFFECT_ENTER,		 /* constant: bytes of room, and from bit 16 on the nesting level */
	EFFECT_LEAVE,		 /* rsp = rbp, then pop rbp */
	EFFECT_EXCHANGE,	 /* reg and source */
	EFFECT_SIGN_EXTEND,	 /* reg = the low 32 bits of source, sign extended */
	EFFECT_COMPARE,		 /* flags of reg - constant, or of the memory operand - constant */
	EFFECT_COMPARE_REGISTER, /* flags of reg - source */
};

/* What becomes of the direction flag, by which string instructions go up or down. */
enum code_direction { DIRECTION_KEPT, DIRECTION_UP, DIRECTION_DOWN, DIRECTION_UNKNOWN };

/* Those up to CONDITION_BELOW_EQUAL say something of the registers compared. */
enum code_condition {
	CONDITION_OTHER,
	CONDITION_EQUAL,
	CONDITION_NOT_EQUAL,
	CONDITION_ABOVE,
	CONDITION_ABOVE_EQUAL,
	CONDITION_BELOW,
	CONDITION_BELOW_EQUAL,
	CONDITION_LESS, /* signed, as the next three */
	CONDITION_LESS_EQUAL,
	CONDITION_GREATER_EQUAL,
	CONDITION_GREATER,
	CONDITION_OVERFLOW,
	CONDITION_NO_OVERFLOW,
	CONDITION_SIGN,
	CONDITION_NO_SIGN,
	CONDITION_PARITY,
	CONDITION_NO_PARITY,
	CONDITION_RCX_ZERO, /* jrcxz */
	CONDITION_ECX_ZERO,
	CONDITION_LOOP, /* by rcx, which is one less behind it */
	CONDITION_LOOP_EQUAL,
	CONDITION_LOOP_NOT_EQUAL,
	CONDITION_COUNT
};

/* What becomes of the flags CF, PF, ZF, SF and OF. The left operand is reg's lowest bits, or the memory operand if it is
 * none; the right one source's, or constant if it is none. */
enum code_flags {
	FLAGS_LOST,
	FLAGS_KEPT,
	FLAGS_SUBTRACT,
	FLAGS_ADD,
	FLAGS_AND,
	FLAGS_OR,
	FLAGS_XOR,
	FLAGS_INCREMENT, /* CF is kept */
	FLAGS_DECREMENT,
	FLAGS_ZERO, /* the result is 0, whatever the operands are */
	FLAGS_CARRY_CLEAR,
	FLAGS_CARRY_SET,
	FLAGS_CARRY_TURN,
};

/* Kept small: lint goes over millions of them. */
struct code {
	uint64_t pc;
	uint64_t target; /* of CODE_CALL, CODE_JUMP, CODE_BRANCH, CODE_BEGIN */
	int64_t constant;
	/* The memory operand: base + index * scale + displacement. Of one relative to rip, and of
	 * one without registers, displacement is the address. */
	int64_t displacement;
	uint32_t written; /* a bit for each register that is, even in part */
	uint16_t memory_bytes;
	uint16_t returned_bytes; /* of CODE_RETURN: what it pops beside the return address */
	uint8_t length;		 /* 0 of CODE_UNKNOWN, if it has none */
	enum code_flow flow : 8;
	enum code_effect effect : 8;
	enum code_condition condition : 8; /* of CODE_BRANCH */
	enum code_direction direction : 8;
	uint8_t reg, source; /* or CODE_NO_REGISTER */
	uint8_t bits;	     /* of EFFECT_MOVE_32: 8 or 16 if it takes less */
	enum code_flags flags : 8;
	/* The operands' of flags, or of the number that a plain_store without source stores; 0: what it is of is not
	 * known. */
	uint8_t width;
	uint8_t base, index, scale; /* registers, or CODE_NO_REGISTER */
	bool has_memory : 1, writes_memory : 1;
	bool computed : 1; /* of EFFECT_WRITES: they hold results, not something that was kept elsewhere */
	bool partial : 1; /* of EFFECT_WRITES: 8 or 16 bits of a register, the others stay */
	bool bit_index : 1; /* of EFFECT_WRITES: memory counts on from the operand, by source's bits */
	bool plain_store : 1; /* of EFFECT_WRITES: mov of a number, or of less than 8 bytes of a register */
	bool foreign_segment : 1; /* fs, gs: not where base says */
	bool repeated : 1;	  /* rep: as many bytes as a register says */
	bool masked : 1;	  /* of memory_bytes those are written that a mask says */
	bool writes_flags : 1;
	bool system_call : 1; /* by syscall or int */
	/* Whom it asks may never come back: system calls, hypervisors' calls, ports, xabort. Of CODE_STOP: somebody
	 * may let it go on, behind hlt an interrupt, behind int3 a debugger. */
	bool may_stop : 1;
	bool interrupt_return : 1; /* iret, sysret: of a handler that no call leads to */
	bool is_padding : 1;	   /* nop in any length, int3 */
	bool port : 1;		/* in, out and the like: a hypervisor may answer in any register */
	bool long_constant : 1; /* of EFFECT_CONSTANT: of 8 bytes, which may be relocated */
};

/* "call-computed". */
const char *code_flow_name(enum code_flow flow);

struct code_decoder;

/* NULL: no memory. The caller's: code_decoder_destroy(). */
struct code_decoder *code_decoder_create(void);
void code_decoder_destroy(struct code_decoder *decoder);
/* Addresses of fields in code whose value nobody knows, as relocations of an object file leave them;
 * sorted, borrowed. What an instruction makes of one is not known: a call or a jump by it leads
 * anywhere. */
void code_decoder_leave_unknown(struct code_decoder *decoder, const uint64_t *field, size_t count);
/* The instruction at pc, of whose bytes size are at hand. */
void code_decode(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		 struct code *ret);
/* The same, faster near the end, and returns ret. readable: as many may be read, if not for an instruction. */
const struct code *code_decode_within(struct code_decoder *decoder, uint64_t pc,
				      const uint8_t *bytes, size_t size, size_t readable,
				      struct code *ret);
/* Its text in Intel's syntax, "push rbp". */
void code_print(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		char *text, size_t text_size);

#endif
