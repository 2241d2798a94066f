/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_correct.c - what instructions write beside what Zydis 4.0 says
 *
 * Found by its operands, mnemonic by mnemonic, against the manuals: docs/DECODERS.md.
 */
#include "code_form.h"

#define ALL_BUT_RSP (0xffffu & ~(1u << REGISTER_RSP))

/* docs/DECODERS.md. What these write beside what Zydis 4.0 says, and perhaps don't write at all. */
static const struct {
	ZydisMnemonic mnemonic;
	uint32_t written;
} corrections[] = {
	/* On a CPU without shadow stacks these are no-ops. */
	{ ZYDIS_MNEMONIC_RDSSPD, 0 },
	{ ZYDIS_MNEMONIC_RDSSPQ, 0 },
	/* Only if the selector is one. */
	{ ZYDIS_MNEMONIC_LAR, 0 },
	{ ZYDIS_MNEMONIC_LSL, 0 },
	{ ZYDIS_MNEMONIC_INSB, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_INSW, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_INSD, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_OUTSB, 1u << REGISTER_RSI },
	{ ZYDIS_MNEMONIC_OUTSW, 1u << REGISTER_RSI },
	{ ZYDIS_MNEMONIC_OUTSD, 1u << REGISTER_RSI },
	{ ZYDIS_MNEMONIC_CMPSB, 1u << REGISTER_RSI | 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_CMPSW, 1u << REGISTER_RSI | 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_CMPSD, 1u << REGISTER_RSI | 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_CMPSQ, 1u << REGISTER_RSI | 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_SCASB, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_SCASW, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_SCASD, 1u << REGISTER_RDI },
	{ ZYDIS_MNEMONIC_SCASQ, 1u << REGISTER_RDI },
	/* What the other side leaves in them. */
	{ ZYDIS_MNEMONIC_VMCALL, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_VMMCALL, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_VMRUN, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_VMLAUNCH, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_VMRESUME, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_TDCALL, ALL_BUT_RSP },
	{ ZYDIS_MNEMONIC_SEAMCALL, ALL_BUT_RSP },
};

#define LINE 64 /* bytes of a cache line */

/* clzero: all of the cache line that rax is in (AMD's APM, volume 3). It has no memory operand. */
static void clear_line(const ZydisDecodedInstruction *instruction, struct code *ret)
{
	ret->has_memory = ret->writes_memory = true;
	ret->base = REGISTER_RAX;
	ret->displacement = 1 - LINE;
	ret->memory_bytes = 2 * LINE - 1;
	ret->foreign_segment = instruction->address_width != 64;
}

/* What of the CPU's state is written XCR0 and edx:eax say, not the code: of today's CPUs 11,008 bytes at most, with
 * AMX. Zydis has the 576 of the first two parts. */
#define STATE_BYTES (1u << 14)

static bool saves_state(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XSAVES:
	case ZYDIS_MNEMONIC_XSAVES64: return true;
	default: return false;
	}
}

/* tilestored: up to 16 rows of up to 64 bytes, as far apart as the index says, also downwards (SDM, volume 2). How many
 * rows of how many bytes the tile's configuration says. */
static void store_tile(const ZydisDecodedInstruction *instruction, struct code *ret)
{
	ret->index = CODE_NO_REGISTER;
	ret->displacement -= STATE_BYTES;
	ret->memory_bytes = 2 * STATE_BYTES;
	ret->masked = true;
	ret->foreign_segment = instruction->address_width != 64 ||
			       instruction->attributes &
				       (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS);
}

/* SSE2's, not the string instruction: the two have one mnemonic. */
static bool is_vector_cmpsd(const ZydisDecodedInstruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_CMPSD &&
	       instruction->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT;
}

void code_correct(const ZydisDecodedInstruction *instruction, struct code *ret)
{
	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++)
		if (corrections[i].mnemonic == instruction->mnemonic &&
		    !is_vector_cmpsd(instruction)) {
			ret->written |= corrections[i].written;
			ret->computed = false;
		}
	/* f3 41 90 is xchg of r8 and rax. */
	if (instruction->mnemonic == ZYDIS_MNEMONIC_PAUSE && instruction->raw.rex.B) {
		ret->written |= 1u << REGISTER_RAX | 1u << REGISTER_R8;
		ret->computed = false;
	}
	/* VMware's answers so, and open-vm-tools and Mesa ask it. */
	ret->port = instruction->meta.category == ZYDIS_CATEGORY_IO ||
		    instruction->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
	if (instruction->mnemonic == ZYDIS_MNEMONIC_CLZERO)
		clear_line(instruction, ret);
	if (instruction->mnemonic == ZYDIS_MNEMONIC_TILESTORED)
		store_tile(instruction, ret);
	if (saves_state(instruction->mnemonic))
		ret->memory_bytes = STATE_BYTES;
}
