/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * capstone_code.c - length, flow and written registers of an instruction, by Capstone
 *
 * Only what it says itself is taken over: registers that it doesn't name are not added, so that
 * what it leaves out shows.
 */
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include "decoders.h"

struct capstone_decoder {
	csh handle;
	cs_insn *insn;
	bool decoded;
};

struct capstone_decoder *capstone_decoder_create(void)
{
	struct capstone_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) == CS_ERR_OK &&
	    cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
		decoder->insn = cs_malloc(decoder->handle);
	if (decoder->insn)
		return decoder;
	capstone_decoder_destroy(decoder);
	return NULL;
}

void capstone_decoder_destroy(struct capstone_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->insn)
		cs_free(decoder->insn, 1);
	if (decoder->handle)
		cs_close(&decoder->handle);
	free(decoder);
}

/* ---- flow --------------------------------------------------------------------------------- */

static const struct {
	unsigned int id;
	enum code_flow flow;
} flows[] = {
	{ X86_INS_CALL, CODE_CALL },	    { X86_INS_JMP, CODE_JUMP },
	{ X86_INS_RET, CODE_RETURN },	    { X86_INS_XBEGIN, CODE_BEGIN },
	{ X86_INS_UD0, CODE_STOP },	    { X86_INS_UD2, CODE_STOP },
	{ X86_INS_UD2B, CODE_STOP },	    { X86_INS_HLT, CODE_STOP },
	{ X86_INS_INT3, CODE_STOP },	    { X86_INS_LCALL, CODE_UNKNOWN },
	{ X86_INS_LJMP, CODE_UNKNOWN },	    { X86_INS_RETF, CODE_UNKNOWN },
	{ X86_INS_RETFQ, CODE_UNKNOWN },    { X86_INS_IRET, CODE_UNKNOWN },
	{ X86_INS_IRETD, CODE_UNKNOWN },    { X86_INS_IRETQ, CODE_UNKNOWN },
	{ X86_INS_SYSRET, CODE_UNKNOWN },   { X86_INS_SYSEXIT, CODE_UNKNOWN },
	{ X86_INS_SYSENTER, CODE_UNKNOWN },
};

static void take_flow(const struct capstone_decoder *decoder, struct code *ret)
{
	const cs_insn *insn = decoder->insn;
	const cs_x86 *x86 = &insn->detail->x86;
	bool direct = x86->op_count && x86->operands[0].type == X86_OP_IMM;

	ret->flow = CODE_NEXT;
	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++)
		if (flows[i].id == insn->id) {
			ret->flow = flows[i].flow;
			break;
		}
	if (ret->flow == CODE_NEXT && cs_insn_group(decoder->handle, insn, CS_GRP_JUMP))
		ret->flow = CODE_BRANCH;
	if (!direct && ret->flow == CODE_CALL)
		ret->flow = CODE_CALL_INDIRECT;
	if (!direct && ret->flow == CODE_JUMP)
		ret->flow = CODE_JUMP_INDIRECT;
	if (ret->flow == CODE_CALL || ret->flow == CODE_JUMP || ret->flow == CODE_BRANCH ||
	    ret->flow == CODE_BEGIN)
		ret->target = (uint64_t)x86->operands[0].imm;
}

/* ---- registers ---------------------------------------------------------------------------- */

/* Those that a caller counts on, in whatever part. */
static const struct {
	uint8_t number;
	x86_reg part[5];
} kept[] = {
	{ REGISTER_RBX, { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH } },
	{ REGISTER_RBP, { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL } },
	{ REGISTER_RSP, { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL } },
	{ REGISTER_R12, { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B } },
	{ REGISTER_R13, { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B } },
	{ REGISTER_R14, { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B } },
	{ REGISTER_R15, { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B } },
};

static uint32_t bit_of(uint16_t reg)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		for (size_t j = 0; j < 5; j++)
			if (reg && kept[i].part[j] == reg)
				return 1u << kept[i].number;
	return 0;
}

void capstone_decode(struct capstone_decoder *decoder, uint64_t pc, const uint8_t *bytes,
		     size_t size, struct code *ret)
{
	cs_regs read, written;
	uint8_t read_count, written_count;
	uint64_t address = pc;

	*ret = (struct code) { .pc = pc, .flow = CODE_UNKNOWN };
	decoder->decoded = cs_disasm_iter(decoder->handle, &bytes, &size, &address, decoder->insn);
	if (!decoder->decoded)
		return;
	ret->length = (uint8_t)decoder->insn->size;
	take_flow(decoder, ret);
	if (cs_regs_access(decoder->handle, decoder->insn, read, &read_count, written,
			   &written_count))
		return;
	for (uint8_t i = 0; i < written_count; i++)
		ret->written |= bit_of(written[i]);
}

void capstone_print(const struct capstone_decoder *decoder, char *text, size_t size)
{
	const cs_insn *insn = decoder->insn;

	if (decoder->decoded)
		snprintf(text, size, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "",
			 insn->op_str);
	else
		text[0] = '\0';
}
