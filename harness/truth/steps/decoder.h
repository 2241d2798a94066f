/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decoder.h - what one instruction does to the stack, by capstone
 *
 *	decode.c		call, ret, syscall, other; a cache by address
 *	decode_traits.c		what else the tracer must know: jumps, the trap flag, stores
 *	decode_registers.c	general registers that it writes, and from which
 *
 * The analysis has a decoder of its own (analysis/code, by Zydis): two that agree are worth more than one.
 */
#ifndef STACKPROOF_DECODER_H
#define STACKPROOF_DECODER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>
#include "cfi/expression.h"
#include "error.h"

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_CALL,    /* pushes the address of the next instruction */
	INSTRUCTION_RETURN,  /* ret, ret n */
	INSTRUCTION_SYSCALL, /* syscall, sysenter, int 0x80 */
	INSTRUCTION_TRAP,    /* int3, int1, int n: raises a signal of its own */
	INSTRUCTION_UNKNOWN, /* its opcode can't be read */
};

/* What an instruction does to rsp, other than by pushing and popping. */
enum sp_source {
	SP_MOVED,	  /* nothing, or by an offset from itself */
	SP_FROM_FRAME,	  /* sets it by an offset from rbp: leave, lea rsp, [rbp - 40] */
	SP_FROM_REGISTER, /* sets it to another register's value, or a constant */
	SP_FROM_MEMORY,	  /* to what memory held */
};

enum segment {
	SEGMENT_FLAT,
	SEGMENT_FS,
	SEGMENT_GS,
};

#define BASE_NONE  16 /* 0 to 15: the encoding's register numbers */
#define BASE_RIP   17
#define NUMBER_RSP 4

/* Where an instruction stores: segment:base + (index << shift) + displacement. */
struct store_operand {
	int32_t displacement;
	uint8_t base, index; /* the encoding's numbers, BASE_NONE or BASE_RIP */
	uint8_t shift;
	uint8_t segment; /* enum segment */
};

struct instruction_traits {
	bool jumps : 1;		 /* may go on elsewhere than at the next instruction */
	bool jumps_computed : 1; /* jmp to an address in a register or in memory */
	bool pushes_flags : 1;	 /* pushf */
	bool pops_flags : 1;	 /* popf, iret */
	bool holds_trap : 1;	 /* mov ss: the next instruction runs in the same step */
	bool legacy_call : 1;	 /* int 0x80, sysenter: i386's system call numbers */
	bool stores : 1;	 /* stores to memory, at store's address */
	bool addresses : 1; /* stored or loaded is at store's address; else at rsp: push, pop */
	bool copies : 1;    /* pushes the word at store's address */
	/* The general register that mov, push or pop stores whole, or loads whole: a mask by the encoding's
	 * numbers; 0: none. */
	uint16_t stored, loaded;
	struct store_operand store;
};

struct instruction {
	enum instruction_kind kind;
	enum sp_source sp_source;
	uint8_t sp_register; /* SP_FROM_REGISTER: which, by the encoding's number (rsp is 4) */
	uint8_t length;	     /* bytes; 0 if unknown */
	/* Masks by the encoding's numbers: general registers that it writes, and those that the results are
	 * computed from. `lea rax, [rbx + rcx]` writes 1 from 8 and 2. What comes from memory is computed
	 * from nothing. */
	uint16_t writes, computed_from;
	struct instruction_traits traits;
};

#define INSTRUCTION_BYTES_MAX 15 /* Intel SDM volume 2, 2.3.11 */

/* The kind alone, from the bytes at a PC. It is right if the opcode lies within size bytes. */
enum instruction_kind instruction_kind(const uint8_t *bytes, size_t size);
/* The length in bytes of the `syscall` at pc, or of an instruction that does the same (Intel SDM volume 2);
 * 0: there is none. */
unsigned int syscall_length(const struct memory_reader *memory, uint64_t pc);
/* *ret_register: with SP_FROM_REGISTER, the register's number in the encoding. */
enum sp_source instruction_sp_source(const uint8_t *bytes, size_t size, uint8_t *ret_register);
struct instruction_traits instruction_traits(const uint8_t *bytes, size_t size);
/* The address at which an instruction stores, by the registers before it. */
uint64_t store_address(const struct instruction *instruction, const struct user_regs_struct *regs);
/* The general registers but rsp that have this value, as a mask by the encoding's numbers. */
uint16_t registers_with(const struct user_regs_struct *regs, uint64_t value);

struct decoder; /* capstone and a cache by address */
struct decoder *decoder_create(struct error *error);
void decoder_destroy(struct decoder *decoder);
/* Forgets the cache: code was mapped, unmapped or made writable. */
void decoder_flush(struct decoder *decoder);
/* Decodes the instruction at pc, reading through memory only when it is not cached. */
struct instruction decoder_at(struct decoder *decoder, uint64_t pc,
			      const struct memory_reader *memory);
/* The same without the cache, for code in memory that is writable and executable at once. */
struct instruction decoder_decode(struct decoder *decoder, uint64_t pc,
				  const struct memory_reader *memory);
/* The same, decoded anew and put into the cache. *ret_stale: the cache held another instruction. */
struct instruction decoder_renew(struct decoder *decoder, uint64_t pc,
				 const struct memory_reader *memory, bool *ret_stale);
/* The address of the call whose return address is pc; 0: there is none. Far calls are not found. */
uint64_t decoder_call_before(struct decoder *decoder, uint64_t pc,
			     const struct memory_reader *memory);
/* Writes the instruction as text for findings: "call qword ptr [rip + 0x2fe2]". */
void decoder_disassemble(struct decoder *decoder, uint64_t pc, const struct memory_reader *memory,
			 char *text, size_t size);

#endif
