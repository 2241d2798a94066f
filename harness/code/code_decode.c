/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_decode.c - bytes to effects
 *
 * Forms that are known (code_form.h) are leaves of a tree, in which each byte of a head is one step.
 * No head is another one's beginning: where it ends is decided by its own bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "code/code_form.h"

#define FORMS_MAX (1u << 15) /* of one decoder; others are asked of Zydis each time */

/* By the next byte: 0, or twice a form's or a node's number, a form's with 1 added. No node leads to
 * the first one. */
struct node {
	uint16_t next[256];
};

struct code_decoder {
	ZydisDecoder zydis;
	ZydisFormatter formatter;
	struct node *node;
	size_t node_count;
	struct code_form *form;
	size_t form_count;
	const uint64_t *unknown; /* addresses of fields, sorted */
	size_t unknown_count;
};

const char *code_flow_name(enum code_flow flow)
{
	static const char *const names[] = {
		[CODE_NEXT] = "next",
		[CODE_CALL] = "call",
		[CODE_CALL_INDIRECT] = "call-computed",
		[CODE_JUMP] = "jump",
		[CODE_JUMP_INDIRECT] = "jump-computed",
		[CODE_BRANCH] = "branch",
		[CODE_BEGIN] = "begin",
		[CODE_RETURN] = "return",
		[CODE_STOP] = "stop",
		[CODE_UNKNOWN] = "unknown",
	};

	return names[flow];
}

struct code_decoder *code_decoder_create(void)
{
	struct code_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	ZydisDecoderInit(&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&decoder->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(&decoder->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&decoder->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE,
				  ZYAN_FALSE);
	return decoder;
}

void code_decoder_destroy(struct code_decoder *decoder)
{
	if (!decoder)
		return;
	free(decoder->node);
	free(decoder->form);
	free(decoder);
}

/* ---- known forms -------------------------------------------------------------------------- */

/* NULL: none that is known, or the bytes end before the instruction does. */
static const struct code_form *find_form(const struct code_decoder *decoder, const uint8_t *bytes,
					 size_t size)
{
	size_t number = 0, most = size < CODE_BYTES_MAX ? size : CODE_BYTES_MAX;

	if (!decoder->node_count)
		return NULL;
	for (size_t i = 0; i < most; i++) {
		uint16_t next = decoder->node[number].next[bytes[i]];

		if (next & 1) {
			const struct code_form *form = &decoder->form[next >> 1];

			return form->code.length <= size ? form : NULL;
		}
		if (!next)
			return NULL;
		number = next >> 1;
	}
	return NULL;
}

static bool add_node(struct code_decoder *decoder)
{
	if (decoder->node_count == FORMS_MAX || !ARRAY_GROW(decoder->node, decoder->node_count))
		return false;
	memset(&decoder->node[decoder->node_count++], 0, sizeof(*decoder->node));
	return true;
}

/* Without memory for it, or beyond the limit, it is not known the next time either. */
static void keep_form(struct code_decoder *decoder, const uint8_t *bytes,
		      const struct code_form *form)
{
	size_t number = 0;

	if (!form->head || decoder->form_count == FORMS_MAX ||
	    (!decoder->node_count && !add_node(decoder)))
		return;
	for (size_t i = 0; i + 1u < form->head; i++) {
		size_t next = decoder->node[number].next[bytes[i]];

		if (!next) {
			next = 2 * decoder->node_count;
			if (!add_node(decoder))
				return;
			decoder->node[number].next[bytes[i]] = (uint16_t)next;
		}
		number = next >> 1;
	}
	if (!ARRAY_GROW(decoder->form, decoder->form_count))
		return;
	decoder->node[number].next[bytes[form->head - 1]] = (uint16_t)(2 * decoder->form_count + 1);
	decoder->form[decoder->form_count++] = *form;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static int64_t read_field(const struct code_field *field, const uint8_t *bytes)
{
	uint64_t value = 0;
	unsigned int unread = 64 - 8 * field->bytes;

	memcpy(&value, bytes + field->offset, field->bytes);
	return field->is_signed ? (int64_t)(value << unread) >> unread : (int64_t)value;
}

static void use_immediate(const struct code_form *form, int64_t value, struct code *ret)
{
	switch (form->use) {
	case IMMEDIATE_UNUSED: break;
	case IMMEDIATE_TARGET: ret->target = ret->pc + ret->length + (uint64_t)value; break;
	case IMMEDIATE_RETURNED: ret->returned_bytes = (uint16_t)value; break;
	case IMMEDIATE_CONSTANT: ret->constant = value; break;
	case IMMEDIATE_NEGATED: ret->constant = (int64_t)(0 - (uint64_t)value); break;
	case IMMEDIATE_LOW_HALF: ret->constant = (int64_t)(uint32_t)value; break;
	case IMMEDIATE_ENTER: ret->constant = value & 0x1fffff; break;
	}
}

static void fill_in(const struct code_form *form, uint64_t pc, const uint8_t *bytes,
		    struct code *ret)
{
	*ret = form->code;
	ret->pc = pc;
	if (form->displacement.bytes)
		ret->displacement = read_field(&form->displacement, bytes);
	if (form->relative)
		ret->displacement = (int64_t)((uint64_t)ret->displacement + pc + ret->length);
	if (form->use != IMMEDIATE_UNUSED)
		use_immediate(form, read_field(&form->immediate, bytes), ret);
	if (form->neutral.mask)
		code_identity_apply(&form->neutral, (uint64_t)read_field(&form->immediate, bytes),
				    ret);
}

/* ---- fields that are not known ------------------------------------------------------------ */

void code_decoder_leave_unknown(struct code_decoder *decoder, const uint64_t *field, size_t count)
{
	decoder->unknown = field;
	decoder->unknown_count = count;
}

/* A bit for each byte of the instruction that such a field begins at. */
static uint32_t unknown_bytes(const struct code_decoder *decoder, uint64_t pc, uint8_t length)
{
	size_t low = 0, high = decoder->unknown_count;
	uint32_t bytes = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (decoder->unknown[middle] < pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < decoder->unknown_count && decoder->unknown[low] - pc < length; low++)
		bytes |= 1u << (decoder->unknown[low] - pc);
	return bytes;
}

static void forget_target(struct code *code)
{
	switch (code->flow) {
	case CODE_CALL: code->flow = CODE_CALL_INDIRECT; break;
	case CODE_JUMP: code->flow = CODE_JUMP_INDIRECT; break;
	case CODE_BRANCH:
	case CODE_BEGIN: code->flow = CODE_UNKNOWN; break;
	default: break;
	}
}

/* Of the instruction's numbers one is not known: its operand's address, a constant, or its target. */
static void forget_numbers(const struct code_form *form, uint32_t unknown, struct code *code)
{
	bool by_registers = code->base != CODE_NO_REGISTER || code->index != CODE_NO_REGISTER;

	forget_target(code);
	code->effect = form->code.effect;
	code->written = form->code.written;
	code->writes_memory = form->code.writes_memory;
	if (form->displacement.bytes && unknown & 1u << form->displacement.offset)
		code->foreign_segment = true;
	switch (code->effect) {
	case EFFECT_PUSH: /* of something else than a register */
	case EFFECT_POP:
	case EFFECT_STORE: return;
	case EFFECT_LOAD:
	case EFFECT_LOAD_LESS:
	case EFFECT_LOAD_SIGNED: /* an address that no register has part in is not the stack's */
		if (!by_registers)
			return;
		break;
	default: break;
	}
	code->computed = code->effect == EFFECT_CONSTANT ||
			 (code->effect == EFFECT_ADDRESS && !by_registers);
	code->effect = EFFECT_WRITES;
}

/* ---- an instruction ----------------------------------------------------------------------- */

static void decode_by_form(const struct code_decoder *decoder, const struct code_form *form,
			   uint64_t pc, const uint8_t *bytes, struct code *ret)
{
	uint32_t unknown;

	fill_in(form, pc, bytes, ret);
	unknown = decoder->unknown_count ? unknown_bytes(decoder, pc, ret->length) : 0;
	if (unknown)
		forget_numbers(form, unknown, ret);
}

void code_decode(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		 struct code *ret)
{
	const struct code_form *known = find_form(decoder, bytes, size);
	struct code_decoded decoded;
	struct code_form form;

	if (known) {
		decode_by_form(decoder, known, pc, bytes, ret);
		return;
	}
	if (code_form_decode(&decoder->zydis, bytes, size, &decoded)) {
		code_form_make(&decoded, &form);
		keep_form(decoder, bytes, &form);
		decode_by_form(decoder, &form, pc, bytes, ret);
		return;
	}
	*ret = (struct code) { .pc = pc,
			       .flow = CODE_UNKNOWN,
			       .reg = CODE_NO_REGISTER,
			       .source = CODE_NO_REGISTER,
			       .base = CODE_NO_REGISTER,
			       .index = CODE_NO_REGISTER };
}

void code_print(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		char *text, size_t text_size)
{
	struct code_decoded decoded;

	text[0] = '\0';
	if (code_form_decode(&decoder->zydis, bytes, size, &decoded))
		ZydisFormatterFormatInstruction(
			&decoder->formatter, &decoded.instruction, decoded.operand,
			decoded.instruction.operand_count_visible, text, text_size, pc, NULL);
}
