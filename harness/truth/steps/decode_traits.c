/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decode_traits.c - what stepping disturbs, and what an instruction must not do
 *
 * Four things are asked beside the kind (decode.c), all read from the opcode:
 *
 *	may it jump		what does not jump ends behind itself. If it did not, the bytes were
 *				others than those that were decoded, or the kernel moved the thread
 *	the flags		pushf shows the trap flag that the tracer set; popf and iret set it
 *	a system call's numbers	int 0x80 and sysenter take those of i386
 *	a store, and where	the field of struct rseq that opens a critical section is set by one
 *
 * `mov ss` holds the trap back for one instruction (Intel SDM volume 3, 6.8.3): two run in a step.
 *
 * The address of a store is that of its ModRM byte (SDM volume 2, 2.1.5). Read are mov, xchg,
 * cmpxchg, movnti, pop, and the SSE moves to memory; not AVX, nor string instructions. A 32-bit
 * address (67) is taken for a 64-bit one.
 */
#include <string.h>
#include "decoder.h"

struct prefixes {
	size_t length;
	uint8_t rex;
	enum segment segment;
};

static struct prefixes read_prefixes(const uint8_t *bytes, size_t size)
{
	struct prefixes ret = { 0 };

	for (; ret.length < size; ret.length++) {
		switch (bytes[ret.length]) {
		case 0x64: ret.segment = SEGMENT_FS; break;
		case 0x65: ret.segment = SEGMENT_GS; break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x66:
		case 0x67:
		case 0xf0:
		case 0xf2:
		case 0xf3: break;
		default:
			if ((bytes[ret.length] & 0xf0) != 0x40)
				return ret;
			ret.rex = bytes[ret.length];
			continue;
		}
		ret.rex = 0; /* it counts only right before the opcode */
	}
	return ret;
}

static bool jumps_two_byte(uint8_t opcode)
{
	/* jcc; syscall, sysret, sysenter, sysexit */
	return (opcode & 0xf0) == 0x80 || opcode == 0x05 || opcode == 0x07 || opcode == 0x34 ||
	       opcode == 0x35;
}

/* Whether the instruction may go on elsewhere than behind itself. */
static bool jumps(const uint8_t *opcode, size_t size)
{
	uint8_t operation = size > 1 ? opcode[1] >> 3 & 7 : 0;

	switch (opcode[0]) {
	case 0x0f: return size < 2 || jumps_two_byte(opcode[1]);
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcd:
	case 0xcf:
	case 0xe8:
	case 0xe9:
	case 0xeb:
	case 0xf1: return true;
	case 0xc6: /* xabort */
	case 0xc7: /* xbegin */ return size < 2 || opcode[1] == 0xf8;
	case 0xff: return size < 2 || (operation >= 2 && operation <= 5);
	default: return (opcode[0] & 0xf0) == 0x70 || (opcode[0] & 0xfc) == 0xe0; /* jcc, loop */
	}
}

static bool stores_two_byte(uint8_t opcode)
{
	switch (opcode) {
	case 0x11: /* movups */
	case 0x13: /* movlps */
	case 0x17: /* movhps */
	case 0x29: /* movaps */
	case 0x2b: /* movntps */
	case 0x7f: /* movdqu */
	case 0xb1: /* cmpxchg */
	case 0xc3: /* movnti */
	case 0xd6: /* movq */
	case 0xe7: /* movntdq */ return true;
	default: return false;
	}
}

/* The memory operand of the ModRM byte at modrm; false: a register, or it can't be read. */
static bool read_operand(const uint8_t *modrm, size_t size, const struct prefixes *prefixes,
			 struct store_operand *ret)
{
	if (size < 1 || modrm[0] >> 6 == 3)
		return false;

	uint8_t mod = modrm[0] >> 6, base = modrm[0] & 7;
	bool has_sib = base == 4;
	size_t at = 1 + has_sib;

	if (size < at)
		return false;
	*ret = (struct store_operand) { .index = BASE_NONE, .segment = prefixes->segment };
	if (has_sib) {
		uint8_t index = (modrm[1] >> 3 & 7) | (prefixes->rex & 2) << 2;

		base = modrm[1] & 7;
		ret->shift = modrm[1] >> 6;
		ret->index = index == 4 ? BASE_NONE : index;
	}
	ret->base = base | (prefixes->rex & 1) << 3;
	if (mod == 0 && base == 5)
		ret->base = has_sib ? BASE_NONE : BASE_RIP;

	size_t bytes = mod == 1 ? 1 : mod == 2 || (mod == 0 && base == 5) ? 4 : 0;

	if (size < at + bytes)
		return false;
	if (bytes == 1)
		ret->displacement = (int8_t)modrm[at];
	else if (bytes == 4)
		memcpy(&ret->displacement, modrm + at, sizeof(ret->displacement));
	return true;
}

static bool read_store(const uint8_t *opcode, size_t size, const struct prefixes *prefixes,
		       struct store_operand *ret)
{
	switch (opcode[0]) {
	case 0x87: /* xchg */
	case 0x89: /* mov */
	case 0x8f: /* pop */
	case 0xc7: /* mov, an immediate */ return read_operand(opcode + 1, size - 1, prefixes, ret);
	case 0x0f:
		return size > 1 && stores_two_byte(opcode[1]) &&
		       read_operand(opcode + 2, size - 2, prefixes, ret);
	default: return false;
	}
}

/* Which register push and pop, and mov of 64 bits from or to memory, transfer whole. */
static void read_transfer(const uint8_t *opcode, size_t size, const struct prefixes *prefixes,
			  struct instruction_traits *ret)
{
	bool is_mov = opcode[0] == 0x89 || opcode[0] == 0x8b;
	uint16_t transferred;

	if ((opcode[0] & 0xf0) == 0x50) {
		transferred = 1u << ((opcode[0] & 7) | (prefixes->rex & 1) << 3);
		*(opcode[0] & 8 ? &ret->loaded : &ret->stored) = transferred;
	} else if (is_mov && prefixes->rex & 8 &&
		   read_operand(opcode + 1, size - 1, prefixes, &ret->store)) {
		transferred = 1u << ((opcode[1] >> 3 & 7) | (prefixes->rex & 4) << 1);
		*(opcode[0] == 0x8b ? &ret->loaded : &ret->stored) = transferred;
		ret->addresses = true;
	} else if (opcode[0] == 0xff && size > 1 && (opcode[1] >> 3 & 7) == 6) {
		ret->copies = read_operand(opcode + 1, size - 1, prefixes, &ret->store);
	}
}

struct instruction_traits instruction_traits(const uint8_t *bytes, size_t size)
{
	struct prefixes prefixes = read_prefixes(bytes, size);
	struct instruction_traits ret = { 0 };

	if (prefixes.length >= size) {
		ret.jumps = true; /* it can't be read: anything may happen */
		return ret;
	}

	const uint8_t *opcode = bytes + prefixes.length;
	size_t left = size - prefixes.length;

	ret.jumps = jumps(opcode, left);
	/* FF /4; not the far one */
	ret.jumps_computed = opcode[0] == 0xff && left > 1 && (opcode[1] >> 3 & 7) == 4;
	ret.stores = read_store(opcode, left, &prefixes, &ret.store);
	read_transfer(opcode, left, &prefixes, &ret);
	ret.pushes_flags = opcode[0] == 0x9c;
	ret.pops_flags = opcode[0] == 0x9d || opcode[0] == 0xcf;
	ret.legacy_call = opcode[0] == 0xcd || (opcode[0] == 0x0f && left > 1 && opcode[1] == 0x34);
	ret.holds_trap = opcode[0] == 0x8e && left > 1 && (opcode[1] >> 3 & 7) == 2;
	return ret;
}

static uint64_t register_value(uint8_t number, const struct user_regs_struct *regs)
{
	switch (number) {
	case 0: return regs->rax;
	case 1: return regs->rcx;
	case 2: return regs->rdx;
	case 3: return regs->rbx;
	case 4: return regs->rsp;
	case 5: return regs->rbp;
	case 6: return regs->rsi;
	case 7: return regs->rdi;
	case 8: return regs->r8;
	case 9: return regs->r9;
	case 10: return regs->r10;
	case 11: return regs->r11;
	case 12: return regs->r12;
	case 13: return regs->r13;
	case 14: return regs->r14;
	case 15: return regs->r15;
	default: return 0;
	}
}

uint16_t registers_with(const struct user_regs_struct *regs, uint64_t value)
{
	uint16_t ret = 0;

	for (uint8_t number = 0; number < BASE_NONE; number++)
		if (number != NUMBER_RSP && register_value(number, regs) == value)
			ret |= 1u << number;
	return ret;
}

uint64_t store_address(const struct instruction *instruction, const struct user_regs_struct *regs)
{
	const struct store_operand *store = &instruction->traits.store;
	uint64_t address = (int64_t)store->displacement;

	if (store->base == BASE_RIP)
		address += regs->rip + instruction->length;
	else if (store->base != BASE_NONE)
		address += register_value(store->base, regs);
	if (store->index != BASE_NONE)
		address += register_value(store->index, regs) << store->shift;
	if (store->segment == SEGMENT_FS)
		address += regs->fs_base;
	else if (store->segment == SEGMENT_GS)
		address += regs->gs_base;
	return address;
}
