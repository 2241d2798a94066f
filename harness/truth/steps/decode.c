/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decode.c - what one instruction does to the stack
 *
 * The truth only asks: is it a call, a return, a system call, or something else? The answer comes
 * from the opcode bytes themselves (Intel SDM volume 2, appendix A: tables ):
 *
 *	E8, FF /2, FF /3	call		C2 C3 CA CB	return
 *	0F 05, 0F 34, CD 80	system call	CC CD CE F1	interrupts: raise a signal
 *
 * behind any legacy prefixes (BND is F2, NOTRACK is 3E, `data16` is 66) and REX. A VEX, EVEX or XOP
 * instruction begins with another byte, so it is never one of these. Capstone gives the length and
 * the text; it knows no AVX-512 and no rdsspq, so its failure says nothing about the kind.
 *
 * The cache is a hash table with open addressing. Entries carry the generation they were made in:
 * a flush only starts a new one.
 *
 * Whether rsp was moved (push, add), set by rbp (leave) or set to something else is read from the
 * bytes, too: step_stacks.c asks, to tell stacks apart. Rarer ways to set it (cmov,
 * xor, or) count as moves.
 *
 * Not decoded: 16- and 32-bit code. 9A (far call) does not exist in 64-bit mode.
 */
#include <capstone/capstone.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "decode.h"

#define CACHE_SIZE_MIN	4096
#define PAGE_BYTES	4096
#define OPCODE_REX_MASK 0xf0
#define OPCODE_REX	0x40

struct cache_entry {
	uint64_t pc;
	uint32_t generation; /* 0: never used */
	struct instruction instruction;
};

struct decoder {
	csh capstone;
	cs_insn *scratch;
	struct cache_entry *entry;
	size_t size; /* a power of two */
	size_t count;
	uint32_t generation;
};

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return true;
	default: return (byte & OPCODE_REX_MASK) == OPCODE_REX;
	}
}

static enum instruction_kind kind_of_group5(uint8_t modrm)
{
	unsigned int operation = (modrm >> 3) & 7;
	bool is_register = (modrm >> 6) == 3;

	/* FF /3 has only a memory form; with a register it is undefined. */
	if (operation == 2 || (operation == 3 && !is_register))
		return INSTRUCTION_CALL;
	return INSTRUCTION_OTHER;
}

enum instruction_kind instruction_kind(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && at < INSTRUCTION_BYTES_MAX && is_prefix(bytes[at]))
		at++;
	if (at >= size || at >= INSTRUCTION_BYTES_MAX)
		return INSTRUCTION_UNKNOWN;

	bool has_next = at + 1 < size;

	switch (bytes[at]) {
	case 0xe8: return INSTRUCTION_CALL;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb: return INSTRUCTION_RETURN;
	case 0xcc:
	case 0xce:
	case 0xf1: return INSTRUCTION_TRAP;
	case 0xcd:
		if (!has_next)
			return INSTRUCTION_UNKNOWN;
		return bytes[at + 1] == 0x80 ? INSTRUCTION_SYSCALL : INSTRUCTION_TRAP;
	case 0x0f:
		if (!has_next)
			return INSTRUCTION_UNKNOWN;
		if (bytes[at + 1] == 0x05 || bytes[at + 1] == 0x34)
			return INSTRUCTION_SYSCALL;
		return INSTRUCTION_OTHER;
	case 0xff: return has_next ? kind_of_group5(bytes[at + 1]) : INSTRUCTION_UNKNOWN;
	default: return INSTRUCTION_OTHER;
	}
}

unsigned int syscall_length(const struct memory_reader *memory, uint64_t pc)
{
	uint8_t bytes[2]; /* without a prefix, which none of them has */

	if (memory->read(memory->context, pc, bytes, sizeof(bytes)) ||
	    instruction_kind(bytes, sizeof(bytes)) != INSTRUCTION_SYSCALL)
		return 0;
	return sizeof(bytes);
}

/* ---- what is put into rsp ---------------------------------------------------------------- */

struct operands {
	uint8_t opcode;
	uint8_t mod, reg, rm, base; /* with REX; base: the register in an address, OPERAND_NONE */
};

#define OPERAND_NONE 16
#define OPERAND_RAX  0
#define OPERAND_RSP  4 /* the numbers of the encoding */
#define OPERAND_RBP  5

/* The operands of a one-byte opcode. False: it can't be read, or is none. */
static bool read_operands(const uint8_t *bytes, size_t size, struct operands *ret)
{
	size_t at = 0;

	while (at < size && is_prefix(bytes[at]))
		at++;
	if (at >= size)
		return false;

	uint8_t rex = at > 0 && (bytes[at - 1] & OPCODE_REX_MASK) == OPCODE_REX ? bytes[at - 1] : 0;
	uint8_t modrm = at + 1 < size ? bytes[at + 1] : 0;
	uint8_t sib = at + 2 < size ? bytes[at + 2] : 0;
	bool has_sib = modrm >> 6 != 3 && (modrm & 7) == 4;
	uint8_t base = has_sib ? sib & 7 : modrm & 7;

	*ret = (struct operands) {
		.opcode = bytes[at],
		.mod = modrm >> 6,
		.reg = (modrm >> 3 & 7) | (rex & 4) << 1,
		.rm = (modrm & 7) | (rex & 1) << 3,
		.base = modrm >> 6 == 0 && base == 5 ? OPERAND_NONE : base | (rex & 1) << 3,
	};
	/* In 50 to 5f, 90 to 97 and b8 to bf the register is in the opcode. */
	if ((ret->opcode & 0xf0) == 0x50 || (ret->opcode & 0xf8) == 0x90 ||
	    (ret->opcode & 0xf8) == 0xb8)
		ret->rm = (ret->opcode & 7) | (rex & 1) << 3;
	return true;
}

static enum sp_source source_of(const struct operands *operands, uint8_t from,
				uint8_t *ret_register)
{
	if (operands->mod != 3)
		return SP_FROM_MEMORY;
	*ret_register = from;
	if (from == OPERAND_RSP)
		return SP_MOVED;
	return from == OPERAND_RBP ? SP_FROM_FRAME : SP_FROM_REGISTER;
}

enum sp_source instruction_sp_source(const uint8_t *bytes, size_t size, uint8_t *ret_register)
{
	struct operands operands;

	*ret_register = OPERAND_NONE;
	if (!read_operands(bytes, size, &operands))
		return SP_MOVED;

	bool to_reg = operands.reg == OPERAND_RSP;
	bool to_rm = operands.rm == OPERAND_RSP;

	switch (operands.opcode) {
	case 0x8b: /* mov r, r/m */
		return to_reg ? source_of(&operands, operands.rm, ret_register) : SP_MOVED;
	case 0x89: /* mov r/m, r */
		return operands.mod == 3 && to_rm ? source_of(&operands, operands.reg, ret_register)
						  : SP_MOVED;
	case 0x87: /* xchg */
		if (to_reg)
			return source_of(&operands, operands.rm, ret_register);
		return operands.mod == 3 && to_rm ? source_of(&operands, operands.reg, ret_register)
						  : SP_MOVED;
	case 0x8d: /* lea */
		if (!to_reg || operands.base == OPERAND_RSP)
			return SP_MOVED;
		*ret_register = operands.base;
		return operands.base == OPERAND_RBP ? SP_FROM_FRAME : SP_FROM_REGISTER;
	case 0x8f: /* pop r/m */
	case 0xc7: /* mov r/m, imm */
		if (operands.mod != 3 || !to_rm)
			return SP_MOVED;
		return operands.opcode == 0x8f ? SP_FROM_MEMORY : SP_FROM_REGISTER;
	case 0x5c: return to_rm ? SP_FROM_MEMORY : SP_MOVED; /* pop */
	case 0x94:					     /* xchg with rax */
		*ret_register = OPERAND_RAX;
		return to_rm ? SP_FROM_REGISTER : SP_MOVED;
	case 0xbc: return to_rm ? SP_FROM_REGISTER : SP_MOVED; /* mov imm */
	case 0xc9: return SP_FROM_FRAME;		       /* leave */
	case 0xcf: return SP_FROM_MEMORY;		       /* iret */
	default: return SP_MOVED;
	}
}

struct decoder *decoder_create(struct error *error)
{
	struct decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		goto no_memory;
	decoder->generation = 1;
	decoder->size = CACHE_SIZE_MIN;
	decoder->entry = calloc(decoder->size, sizeof(*decoder->entry));
	if (!decoder->entry)
		goto no_memory;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->capstone) != CS_ERR_OK ||
	    cs_option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
		goto no_memory;
	decoder->scratch = cs_malloc(decoder->capstone);
	if (!decoder->scratch)
		goto no_memory;
	return decoder;
no_memory:
	decoder_destroy(decoder);
	error_set(error, ERROR_MEMORY, NULL, 0, "out of memory for the instruction decoder");
	return NULL;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->scratch)
		cs_free(decoder->scratch, 1);
	if (decoder->capstone)
		cs_close(&decoder->capstone);
	free(decoder->entry);
	free(decoder);
}

void decoder_flush(struct decoder *decoder)
{
	decoder->count = 0;
	if (++decoder->generation)
		return;
	/* After 2^32 flushes, entries of old generations would look new. */
	memset(decoder->entry, 0, decoder->size * sizeof(*decoder->entry));
	decoder->generation = 1;
}

/* The entry of pc, or the free one where it belongs. */
static struct cache_entry *cache_slot(struct cache_entry *entry, size_t size, uint32_t generation,
				      uint64_t pc)
{
	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	size_t at = (pc * HASH_GOLDEN) >> 32;

	for (;; at++) {
		struct cache_entry *candidate = &entry[at & (size - 1)];

		if (candidate->generation != generation || candidate->pc == pc)
			return candidate;
	}
}

/* Doubles the table when it is half full. If there is no memory, it starts over. */
static void cache_make_room(struct decoder *decoder)
{
	if (decoder->count < decoder->size / 2)
		return;

	size_t size = decoder->size * 2;
	struct cache_entry *entry = calloc(size, sizeof(*entry));

	if (!entry) {
		decoder_flush(decoder);
		return;
	}
	for (size_t i = 0; i < decoder->size; i++) {
		const struct cache_entry *old = &decoder->entry[i];

		if (old->generation == decoder->generation)
			*cache_slot(entry, size, decoder->generation, old->pc) = *old;
	}
	free(decoder->entry);
	decoder->entry = entry;
	decoder->size = size;
}

/* Up to INSTRUCTION_BYTES_MAX bytes at pc: fewer where the next page can't be read. */
static size_t read_bytes(uint64_t pc, const struct memory_reader *memory, uint8_t *bytes)
{
	if (!memory->read(memory->context, pc, bytes, INSTRUCTION_BYTES_MAX))
		return INSTRUCTION_BYTES_MAX;

	size_t in_page = PAGE_BYTES - (pc & (PAGE_BYTES - 1));

	if (in_page < INSTRUCTION_BYTES_MAX && !memory->read(memory->context, pc, bytes, in_page))
		return in_page;
	return 0;
}

/* Leaves the text in decoder->scratch. The length, or 0. */
static uint8_t disassemble(struct decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size)
{
	if (!cs_disasm_iter(decoder->capstone, &bytes, &size, &pc, decoder->scratch))
		return 0;
	return decoder->scratch->size;
}

struct instruction decoder_decode(struct decoder *decoder, uint64_t pc,
				  const struct memory_reader *memory)
{
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t size = read_bytes(pc, memory, bytes);
	struct instruction instruction = { .kind = instruction_kind(bytes, size) };

	instruction.sp_source = instruction_sp_source(bytes, size, &instruction.sp_register);
	instruction.length = disassemble(decoder, pc, bytes, size);
	if (instruction.length)
		instruction_registers(decoder->scratch, &instruction);
	instruction.traits = instruction_traits(bytes, size);
	return instruction;
}

struct instruction decoder_at(struct decoder *decoder, uint64_t pc,
			      const struct memory_reader *memory)
{
	struct cache_entry *entry = cache_slot(decoder->entry, decoder->size, decoder->generation,
					       pc);

	if (entry->generation == decoder->generation)
		return entry->instruction;

	struct instruction instruction = decoder_decode(decoder, pc, memory);

	/* What could not be read may become readable without a system call that flushes. */
	if (instruction.kind == INSTRUCTION_UNKNOWN)
		return instruction;
	*entry = (struct cache_entry) {
		.pc = pc,
		.generation = decoder->generation,
		.instruction = instruction,
	};
	decoder->count++;
	cache_make_room(decoder);
	return instruction;
}

static bool same_store(const struct store_operand *a, const struct store_operand *b)
{
	return a->displacement == b->displacement && a->base == b->base && a->index == b->index &&
	       a->shift == b->shift && a->segment == b->segment;
}

static bool same_traits(const struct instruction_traits *a, const struct instruction_traits *b)
{
	return a->jumps == b->jumps && a->jumps_computed == b->jumps_computed &&
	       a->pushes_flags == b->pushes_flags && a->pops_flags == b->pops_flags &&
	       a->holds_trap == b->holds_trap && a->legacy_call == b->legacy_call &&
	       a->stores == b->stores && a->addresses == b->addresses && a->copies == b->copies &&
	       a->stored == b->stored && a->loaded == b->loaded && same_store(&a->store, &b->store);
}

/* In all that the truth is kept by: rsp, and what goes to which register or word. */
static bool same_instruction(const struct instruction *a, const struct instruction *b)
{
	return a->kind == b->kind && a->length == b->length && a->sp_source == b->sp_source &&
	       a->sp_register == b->sp_register && a->writes == b->writes &&
	       a->computed_from == b->computed_from && same_traits(&a->traits, &b->traits);
}

struct instruction decoder_renew(struct decoder *decoder, uint64_t pc,
				 const struct memory_reader *memory, bool *ret_stale)
{
	struct cache_entry *entry = cache_slot(decoder->entry, decoder->size, decoder->generation,
					       pc);
	struct instruction instruction = decoder_decode(decoder, pc, memory);
	bool was_known = entry->generation == decoder->generation;

	*ret_stale = was_known && !same_instruction(&entry->instruction, &instruction);
	if (was_known)
		entry->instruction = instruction;
	return instruction;
}

/* FF /3. No compiler writes one, but bytes of two instructions may look like one. */
static bool is_far_call(uint64_t pc, const struct memory_reader *memory)
{
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t size = read_bytes(pc, memory, bytes), at = 0;

	while (at < size && is_prefix(bytes[at]))
		at++;
	return at + 1 < size && bytes[at] == 0xff && (bytes[at + 1] >> 3 & 7) == 3;
}

static bool is_call(struct decoder *decoder, uint64_t pc, uint8_t length,
		    const struct memory_reader *memory)
{
	struct instruction instruction = decoder_at(decoder, pc, memory);

	return instruction.kind == INSTRUCTION_CALL && instruction.length == length &&
	       !is_far_call(pc, memory);
}

/* The prefix without which call r12 is call rsp. Other prefixes mean nothing there, and 0x48 and
 * its like are often the end of the instruction before. */
static bool is_rex_b(uint64_t pc, const struct memory_reader *memory)
{
	uint8_t byte;

	return !memory->read(memory->context, pc, &byte, 1) &&
	       (byte & (OPCODE_REX_MASK | 1)) == (OPCODE_REX | 1);
}

uint64_t decoder_call_before(struct decoder *decoder, uint64_t pc,
			     const struct memory_reader *memory)
{
	/* One of 8 bytes has a prefix: without it, it is one of 7. */
	static const uint8_t call_lengths[] = { 5, 6, 2, 3, 4, 7, 0 };

	for (size_t i = 0; call_lengths[i]; i++) {
		uint64_t start = pc - call_lengths[i];

		if (!is_call(decoder, start, call_lengths[i], memory))
			continue;
		if (call_lengths[i] != 5 && is_rex_b(start - 1, memory) &&
		    is_call(decoder, start - 1, call_lengths[i] + 1, memory))
			return start - 1;
		return start;
	}
	return 0;
}

void decoder_disassemble(struct decoder *decoder, uint64_t pc, const struct memory_reader *memory,
			 char *text, size_t size)
{
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t byte_count = read_bytes(pc, memory, bytes);

	assert(size > 0);
	if (byte_count == 0) {
		snprintf(text, size, "(unreadable)");
		return;
	}
	if (disassemble(decoder, pc, bytes, byte_count)) {
		const cs_insn *instruction = decoder->scratch;

		snprintf(text, size, "%s%s%s", instruction->mnemonic,
			 instruction->op_str[0] ? " " : "", instruction->op_str);
		return;
	}

	int at = snprintf(text, size, ".byte");

	for (size_t i = 0; i < byte_count && at > 0 && (size_t)at < size; i++)
		at += snprintf(text + at, size - at, " %02x", bytes[i]);
}
