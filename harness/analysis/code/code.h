/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code.h - one instruction, as far as the stack depends on it
 *
 * What follows code without running it asks of each instruction where control goes next, and what becomes of the
 * sixteen general registers and of the words on the stack. The answer is an *effect*. A few effects are followed
 * exactly (a move, a push, an addition of a constant). Every other instruction makes the registers unknown that it
 * writes by Zydis. Nothing is guessed: what Zydis can't decode is CODE_UNKNOWN, and has no length.
 *
 *	code_form.c	what Zydis says of an instruction, without its numbers
 *	code_correct.c	what an instruction writes that Zydis does not say
 *	code_identity.c	instructions that leave their operand as it was
 *	code_flags.c	what an instruction makes of the flags
 *	code_decode.c	bytes -> struct code
 *	code_convention.c	registers that an image's functions do not preserve
 *
 * Registers have their DWARF numbers (psABI, figure 3.36), as in rows. Only 64-bit code is decoded.
 */
#ifndef STACKPROOF_CODE_H
#define STACKPROOF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "table/table_abi.h"

#define CODE_BYTES_MAX	 15 /* Intel SDM, volume 2, 2.3.11 */
#define CODE_NO_REGISTER 0xff
#define CODE_HEAD_READ	 24 /* bytes that a decoder reads at once, if so many are readable */

/* Where control goes. */
enum code_flow {
	CODE_NEXT, /* to the next instruction, and only there */
	CODE_CALL, /* to target; control comes back behind the call, unless the callee never returns */
	CODE_CALL_INDIRECT, /* the same, to a computed address */
	CODE_JUMP,	    /* to target */
	CODE_JUMP_INDIRECT, /* to a computed address */
	CODE_BRANCH,	    /* to target, or to the next instruction */
	CODE_BEGIN, /* xbegin: to target with all registers as they were, or to the next instruction */
	CODE_RETURN,
	CODE_STOP,    /* ud2, hlt, int3: not to the next instruction */
	CODE_UNKNOWN, /* it can't be decoded, or its target can't be said (far calls, iret) */
};

/* What becomes of registers and of memory. reg is the destination, source the other register. */
enum code_effect {
	EFFECT_WRITES,	 /* registers in `written` become unknown; writes_memory: so does memory */
	EFFECT_MOVE,	 /* reg = source */
	EFFECT_MOVE_32,	 /* reg = the low 32 bits of source */
	EFFECT_CONSTANT, /* reg = constant */
	EFFECT_CONSTANT_BYTE,	  /* reg's lowest byte = constant */
	EFFECT_ADDRESS,		  /* reg = the memory operand's address (lea) */
	EFFECT_LOAD,		  /* reg = 8 bytes of memory */
	EFFECT_LOAD_SIGNED,	  /* reg = 4 bytes of memory, sign extended */
	EFFECT_LOAD_LESS,	  /* reg = memory_bytes of memory, zero extended */
	EFFECT_STORE,		  /* 8 bytes of memory = source */
	EFFECT_ADD,		  /* reg += constant */
	EFFECT_ADD_REGISTER,	  /* reg += source */
	EFFECT_SUBTRACT_REGISTER, /* reg -= source */
	EFFECT_AND,		  /* reg &= constant */
	EFFECT_PUSH,		  /* source; CODE_NO_REGISTER: memory, a number or the flags */
	EFFECT_POP,		  /* reg; CODE_NO_REGISTER: memory or the flags */
	EFFECT_PUSH_16,	    /* 2 bytes; of a memory operand, a number, a register or the flags */
	EFFECT_POP_16,	    /* reg's lowest 2 bytes; CODE_NO_REGISTER: memory or the flags */
	EFFECT_ENTER,	    /* constant: bytes of room; its bits from 16 on: the nesting level */
	EFFECT_LEAVE,	    /* rsp = rbp, then pop rbp */
	EFFECT_EXCHANGE,    /* reg with source */
	EFFECT_SIGN_EXTEND, /* reg = the low 32 bits of source, sign extended */
	EFFECT_PRODUCT, /* reg = source by a number: if that is odd, another product brings source back */
	EFFECT_COMPARE,		 /* flags of reg - constant, or of the memory operand - constant */
	EFFECT_COMPARE_REGISTER, /* flags of reg - source */
};

/* What becomes of the direction flag: it says whether string instructions go up or down. */
enum code_direction { DIRECTION_KEPT, DIRECTION_UP, DIRECTION_DOWN, DIRECTION_UNKNOWN };

/* A branch by a condition up to CONDITION_BELOW_EQUAL tells something of what was compared (flow_effect_branch()). */
enum code_condition {
	CONDITION_OTHER,
	CONDITION_EQUAL,
	CONDITION_NOT_EQUAL,
	CONDITION_ABOVE,
	CONDITION_ABOVE_EQUAL,
	CONDITION_BELOW,
	CONDITION_BELOW_EQUAL,
	CONDITION_LESS, /* signed, as are the next three */
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
	CONDITION_LOOP, /* by rcx, which the instruction decrements */
	CONDITION_LOOP_EQUAL,
	CONDITION_LOOP_NOT_EQUAL,
	CONDITION_COUNT
};

/* What becomes of the flags CF, PF, ZF, SF and OF. The left operand is the lowest bits of reg, or the memory operand
 * if reg is CODE_NO_REGISTER. The right operand is those of source, or constant if source is CODE_NO_REGISTER. */
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

/* Kept small: lint decodes millions of instructions. */
struct code {
	uint64_t pc;
	uint64_t target; /* of CODE_CALL, CODE_JUMP, CODE_BRANCH, CODE_BEGIN */
	int64_t constant;
	/* The memory operand is base + index * scale + displacement. If it is relative to rip or has no register,
	 * displacement is its address. */
	int64_t displacement;
	uint32_t written; /* a bit for each register that is written, even in part */
	uint16_t memory_bytes;
	uint16_t returned_bytes; /* of CODE_RETURN: bytes that it pops above the return address */
	uint8_t length;		 /* in bytes; 0: it can't be decoded */
	enum code_flow flow : 8;
	enum code_effect effect : 8;
	enum code_condition condition : 8; /* of CODE_BRANCH */
	enum code_direction direction : 8;
	uint8_t reg, source; /* or CODE_NO_REGISTER */
	uint8_t bits;	     /* of EFFECT_MOVE_32: 8 or 16 if it moves fewer than 32 */
	enum code_flags flags : 8;
	/* Bits of the operands that the flags are of, or of the number that a plain_store without source stores.
	 * 0: the operands are not known. */
	uint8_t width;
	uint8_t base, index, scale; /* base, index: registers, or CODE_NO_REGISTER */
	bool has_memory : 1, writes_memory : 1;
	bool computed : 1; /* of EFFECT_WRITES: the registers hold results, not a value that was saved elsewhere */
	bool partial : 1; /* of EFFECT_WRITES: 8 or 16 bits of a register are written, its others stay */
	bool bit_index : 1; /* of EFFECT_WRITES: source counts bits from the memory operand on, also beyond it */
	bool plain_store : 1; /* of EFFECT_WRITES: mov of a number, or of less than 8 bytes of a register */
	bool foreign_segment : 1; /* fs, gs and the like: base, index and displacement are not the address */
	bool repeated : 1; /* rep: rcx elements of memory_bytes each */
	bool masked : 1;   /* a mask says which of memory_bytes are written */
	bool writes_flags : 1;
	bool system_call : 1; /* by syscall or int */
	/* Control may never come back: system calls, hypervisors' calls, ports, xabort. Of CODE_STOP: control may
	 * go on, behind hlt after an interrupt, behind int3 by a debugger. */
	bool may_stop : 1;
	bool interrupt_return : 1; /* iret, sysret: it ends a handler that the CPU enters */
	bool is_padding : 1;	   /* a nop of any length, int3 */
	bool port : 1;		/* in, out and the like: a hypervisor may answer in any register */
	bool long_constant : 1; /* of EFFECT_CONSTANT: it has 8 bytes, which may be relocated */
	bool lowers : 1; /* of EFFECT_WRITES: it subtracts from the register, or clears bits of it */
};

/* Control may go on behind it; behind a call, if the callee returns. */
static inline bool code_falls_through(const struct code *code)
{
	return code->flow == CODE_NEXT || code->flow == CODE_BRANCH || code->flow == CODE_BEGIN ||
	       code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT;
}

/* The names that are printed, by enum code_flow: "call-computed". */
extern const char *const code_flow_names[];

struct code_decoder;
struct image;
struct cfi;

/* The caller frees it: code_decoder_destroy(). NULL: no memory. */
struct code_decoder *code_decoder_create(void);
void code_decoder_destroy(struct code_decoder *decoder);
/* Sets the addresses of the fields of code that relocations of an object file leave unknown: sorted, borrowed. What an
 * instruction makes of such a field is not known; a call or a jump by it leads anywhere. */
void code_decoder_leave_unknown(struct code_decoder *decoder, const uint64_t *field, size_t count);
/* Decodes the instruction at pc. bytes: those from pc on, size of them. */
void code_decode(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		 struct code *ret);
/* The same of the image's instruction at pc, in any segment. False: the file has nothing there. */
bool code_decode_at(struct code_decoder *decoder, const struct image *image, uint64_t pc,
		    struct code *ret);
/* code_decode(), faster near the end of bytes. readable, size or more: bytes that may be read, though the instruction has at
 * most size. Returns ret. */
const struct code *code_decode_within(struct code_decoder *decoder, uint64_t pc,
				      const uint8_t *bytes, size_t size, size_t readable,
				      struct code *ret);
/* Prints the instruction in Intel's syntax, "push rbp"; "" if it can't be decoded. */
void code_print(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		char *text, size_t text_size);

/* ---- code_convention.c -------------------------------------------------------------------- */

/*
 * Returns a bit for each such register, of rbx and r12 to r15. 0: the image keeps to the psABI, or has too few
 * functions to tell. *ret_certain: those of them that so many functions do not preserve that it is certain.
 */
uint32_t code_convention_unkept(const struct cfi *cfi, struct code_decoder *decoder,
				uint32_t *ret_certain);
/* Go's linker made the image. */
bool code_is_go(const struct image *image);

#endif
