/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_decode.c - bytes to effects
 *
 * Forms that are known (code_form.h) are in a hash table by their keys (code_head.c). What Zydis says of
 * the first instruction of a form holds for all: its numbers are filled in, and the registers that its key
 * leaves out. Nine of ten instructions begin with bytes that were met a short while ago: of those only the
 * numbers are filled in.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "image/image.h"
#include "code_head.h"

#define FORMS_MAX  (1u << 15) /* of one decoder; others are asked of Zydis each time */
#define ROOM_LEAST 256u	      /* a power of two */
#define MET_BITS   12	      /* heads, in 256 KiB: with more they drive out what else is at hand */

/* Of struct code what is kept, from written on. */
#define KEPT_AT	   offsetof(struct code, written)
#define KEPT_BYTES (sizeof(struct code) - KEPT_AT)
#define LENGTH_AT  (offsetof(struct code, length) - KEPT_AT)

/* The bytes of a head that was met, and what follows from them. One line of the cache. */
struct met_head {
	uint64_t bytes;
	uint8_t code[KEPT_BYTES];
	struct code_numbers numbers;
	int8_t constant; /* of those without an immediate */
	uint8_t count;	 /* of bytes; 0: none is kept here */
} __attribute__((aligned(64)));

/* A form as it is kept, in one line of the cache. Lengths and offsets are those without a SIB. */
struct known_form {
	uint64_t key[2];
	uint8_t code[KEPT_BYTES];
	struct code_numbers numbers;
	int8_t constant; /* of those without an immediate */
	uint8_t length;
	uint8_t key_bytes; /* 0: none is kept here */
	bool by_registers; /* base, index and scale are as the head says */
	/* 1 + which of the head's operands it is; 0: none of them. */
	uint8_t reg_is, source_is;
	uint8_t writes; /* a bit for each of the head's operands that is written */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct known_form) == 64 && sizeof(struct met_head) == 64,
	       "one line of the cache");

struct code_decoder {
	ZydisDecoder zydis;
	ZydisFormatter formatter;
	struct known_form *form; /* by a key's hash; at least half of them are none */
	size_t form_count, room; /* room: a power of two */
	struct met_head *met;	 /* by a hash of its bytes, the last one; or NULL */
	const uint64_t *unknown; /* addresses of fields, sorted */
	size_t unknown_count;
};

const char *const code_flow_names[] = {
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
	free(decoder->form);
	free(decoder->met);
	free(decoder);
}

/* ---- known forms -------------------------------------------------------------------------- */

/* Where it is, or where it would be. */
static struct known_form *form_of(const struct code_decoder *decoder, const uint64_t key[2])
{
	uint64_t hash = (key[0] ^ key[1] * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;

	for (size_t at = hash >> 32;; at++) {
		struct known_form *form = &decoder->form[at & (decoder->room - 1)];

		if ((form->key[0] == key[0] && form->key[1] == key[1]) || !form->key_bytes)
			return form;
	}
}

/* NULL: none that is known, or the bytes end before the instruction does. */
static const struct known_form *find_form(const struct code_decoder *decoder,
					  const uint8_t bytes[CODE_HEAD_READ], size_t size,
					  struct code_head *ret)
{
	const struct known_form *form;

	if (!decoder->room || !code_head_find(bytes, ret))
		return NULL;
	form = form_of(decoder, ret->key);
	return form->key_bytes == ret->bytes && (size_t)form->length + ret->left_out <= size ? form
											     : NULL;
}

static bool grow_room(struct code_decoder *decoder)
{
	struct known_form *old = decoder->form, *grown;
	size_t room = decoder->room, bytes = (room ? 2 * room : ROOM_LEAST) * sizeof(*grown);

	grown = aligned_alloc(sizeof(*grown), bytes);
	if (!grown)
		return false;
	memset(grown, 0, bytes);
	decoder->form = grown;
	decoder->room = bytes / sizeof(*grown);
	for (size_t i = 0; i < room; i++)
		if (old[i].key_bytes)
			*form_of(decoder, old[i].key) = old[i];
	free(old);
	return true;
}

/* The key has all that decides the form, and what it leaves out is as Zydis says. */
static bool is_keeping(const struct code_form *form, const struct code_head *head)
{
	const struct code *code = &form->code;

	if (!form->head || form->head != head->bytes + head->left_out || code->target ||
	    code->constant != (int8_t)code->constant ||
	    (code->displacement && !form->numbers.displacement.bytes))
		return false;
	return !head->by_registers || !form->by_modrm ||
	       (code->base == head->base && code->index == head->index &&
		code->scale == head->scale);
}

/* 1 + which of the head's operands the register is, or 0. */
static uint8_t operand_of(const struct code_head *head, uint8_t reg)
{
	for (uint8_t i = 0; i < HEAD_OPERANDS && reg != CODE_NO_REGISTER; i++)
		if (head->operand[i] == reg)
			return i + 1;
	return 0;
}

/* Of code, which is the form's: what is another register's in the next instruction of the form. */
static void keep_operands(const struct code_head *head, struct code *code, struct known_form *ret)
{
	ret->reg_is = operand_of(head, code->reg);
	ret->source_is = operand_of(head, code->source);
	for (unsigned int i = 0; i < HEAD_OPERANDS; i++) {
		uint32_t bit = head->operand[i] == CODE_NO_REGISTER ? 0 : 1u << head->operand[i];

		if (code->written & bit)
			ret->writes |= (uint8_t)(1u << i);
		code->written &= ~bit;
	}
}

/* Without memory for it or beyond the limit it is not known the next time either. */
static void keep_form(struct code_decoder *decoder, const uint8_t *bytes, size_t size,
		      const struct code_form *form)
{
	struct known_form known = { .numbers = form->numbers,
				    .constant = (int8_t)form->code.constant };
	uint8_t padded[CODE_HEAD_READ] = { 0 };
	struct code code = form->code;
	struct code_head head;
	struct known_form *at;

	memcpy(padded, bytes, size < sizeof(padded) ? size : sizeof(padded));
	if (decoder->form_count == FORMS_MAX || !code_head_find(padded, &head) ||
	    !is_keeping(form, &head) ||
	    (2 * decoder->form_count >= decoder->room && !grow_room(decoder)))
		return;
	memcpy(known.key, head.key, sizeof(known.key));
	keep_operands(&head, &code, &known);
	memcpy(known.code, (const uint8_t *)&code + KEPT_AT, KEPT_BYTES);
	known.numbers.displacement.offset -= known.numbers.displacement.bytes ? head.left_out : 0;
	known.numbers.immediate.offset -= known.numbers.immediate.bytes ? head.left_out : 0;
	known.length = (uint8_t)(form->code.length - head.left_out);
	known.key_bytes = head.bytes;
	known.by_registers = head.by_registers && form->by_modrm;
	at = form_of(decoder, known.key);
	decoder->form_count += !at->key_bytes;
	*at = known;
}

/* ---- numbers ------------------------------------------------------------------------------ */

_Static_assert(CODE_BYTES_MAX + sizeof(uint64_t) <= CODE_HEAD_READ, "8 bytes can be read of any");

/* Of 1 to 8 bytes. */
static inline int64_t read_field(const struct code_field *field, const uint8_t *bytes)
{
	const unsigned int unread = 64 - 8 * field->bytes;
	uint64_t value;

	memcpy(&value, bytes + field->offset, sizeof(value));
	value <<= unread;
	return field->is_signed ? (int64_t)value >> unread : (int64_t)(value >> unread);
}

static inline void use_immediate(enum immediate_use use, int64_t value, struct code *ret)
{
	switch (use) {
	case IMMEDIATE_UNUSED: break;
	case IMMEDIATE_TARGET: ret->target = ret->pc + ret->length + (uint64_t)value; break;
	case IMMEDIATE_RETURNED: ret->returned_bytes = (uint16_t)value; break;
	case IMMEDIATE_CONSTANT: ret->constant = value; break;
	case IMMEDIATE_NEGATED: ret->constant = (int64_t)(0 - (uint64_t)value); break;
	case IMMEDIATE_LOW_HALF: ret->constant = (int64_t)(uint32_t)value; break;
	case IMMEDIATE_ENTER: ret->constant = value & 0x1fffff; break;
	}
}

/* Most instructions have a displacement, or none, in no order that could be foreseen: without branches. What Zydis has
 * said stays if it stands nowhere. */
static inline int64_t read_displacement(const struct code_numbers *numbers, const uint8_t *bytes,
					const struct code *code)
{
	const struct code_field *field = &numbers->displacement;
	const uint64_t stands = (uint64_t)!field->bytes - 1, next = code->pc + code->length;
	const unsigned int unread = (64 - 8 * field->bytes) & 63;
	uint64_t value;

	memcpy(&value, bytes + field->offset, sizeof(value));
	value = (uint64_t)((int64_t)(value << unread) >> unread);
	return (int64_t)((value & stands) + ((uint64_t)code->displacement & ~stands) +
			 (next & (0 - (uint64_t)numbers->relative)));
}

static inline void fill_in(const struct code_numbers *numbers, const uint8_t *bytes,
			   struct code *ret)
{
	ret->displacement = read_displacement(numbers, bytes, ret);
	if (numbers->use != IMMEDIATE_UNUSED)
		use_immediate(numbers->use, read_field(&numbers->immediate, bytes), ret);
	if (numbers->neutral.bits)
		code_identity_apply(&numbers->neutral,
				    (uint64_t)read_field(&numbers->immediate, bytes), ret);
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
	size_t low = ARRAY_BEFORE(decoder->unknown_count, i, decoder->unknown[i] < pc);
	uint32_t bytes = 0;

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

/* Of the instruction's numbers one is not known: its operand's address, a constant, or its target. plain:
 * the instruction without them. */
static void forget_numbers(const struct code_numbers *numbers, uint32_t unknown,
			   const struct code *plain, struct code *code)
{
	bool by_registers = code->base != CODE_NO_REGISTER || code->index != CODE_NO_REGISTER;

	forget_target(code);
	code->width = 0;
	code->effect = plain->effect;
	code->written = plain->written;
	code->writes_memory = plain->writes_memory;
	if (numbers->displacement.bytes && unknown & 1u << numbers->displacement.offset)
		code->foreign_segment = true;
	switch (code->effect) {
	case EFFECT_PUSH: /* of something else than a register */
	case EFFECT_POP:
	case EFFECT_PUSH_16:
	case EFFECT_POP_16:
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

/* skipped: bytes that the offsets of its numbers leave out. */
static __attribute__((noinline)) void take_known(const struct code_decoder *decoder,
						 const struct code_numbers *numbers,
						 const uint8_t *bytes, unsigned int skipped,
						 struct code *ret)
{
	struct code plain = *ret;
	uint32_t unknown;

	fill_in(numbers, bytes + skipped, ret);
	unknown = unknown_bytes(decoder, ret->pc, ret->length);
	if (unknown)
		forget_numbers(numbers, unknown >> skipped, &plain, ret);
}

static inline __attribute__((always_inline)) void
take_numbers(const struct code_decoder *decoder, const struct code_numbers *numbers,
	     const uint8_t *bytes, unsigned int skipped, struct code *ret)
{
	if (decoder->unknown_count)
		take_known(decoder, numbers, bytes, skipped, ret);
	else
		fill_in(numbers, bytes + skipped, ret);
}

static void take_kept(const uint8_t *kept, int8_t constant, struct code *ret)
{
	ret->target = 0;
	ret->constant = constant;
	ret->displacement = 0;
	memcpy((uint8_t *)ret + KEPT_AT, kept, KEPT_BYTES);
}

static void take_form(const struct known_form *known, const struct code_head *head,
		      struct code *ret)
{
	take_kept(known->code, known->constant, ret);
	ret->length = (uint8_t)(known->length + head->left_out);
	if (known->by_registers) {
		ret->base = head->base;
		ret->index = head->index;
		ret->scale = head->scale;
	}
	if (known->reg_is)
		ret->reg = head->operand[known->reg_is - 1];
	if (known->source_is)
		ret->source = head->operand[known->source_is - 1];
	for (unsigned int i = 0; i < HEAD_OPERANDS; i++)
		if (known->writes & 1u << i)
			ret->written |= 1u << head->operand[i];
}

/* Where a head is kept that was met. */
static struct met_head *met_at(const struct code_decoder *decoder, uint64_t bytes)
{
	return &decoder->met[bytes * 0x9e3779b97f4a7c15 >> (64 - MET_BITS)];
}

/* Of a head of 1 to 8 bytes. */
static uint64_t head_word(const uint8_t bytes[CODE_HEAD_READ], unsigned int count)
{
	uint64_t first;

	memcpy(&first, bytes, sizeof(first));
	return first & UINT64_MAX >> (64 - 8 * count);
}

/* False: these bytes were not met, or they end before the instruction does. */
static inline __attribute__((always_inline)) bool take_met(const struct code_decoder *decoder,
							   const uint8_t bytes[CODE_HEAD_READ],
							   unsigned int count, size_t size,
							   struct code *ret)
{
	uint64_t word = head_word(bytes, count);
	const struct met_head *met = met_at(decoder, word);

	if (met->bytes != word || met->count != count || met->code[LENGTH_AT] > size)
		return false;
	take_kept(met->code, met->constant, ret);
	take_numbers(decoder, &met->numbers, bytes, 0, ret);
	return true;
}

/* One whose form is not known yet. */
static void decode_new(struct code_decoder *decoder, const uint8_t *bytes, size_t size,
		       struct code *ret)
{
	struct code_decoded decoded;
	struct code_form form;
	uint64_t pc = ret->pc;

	if (code_form_decode(&decoder->zydis, bytes, size, &decoded)) {
		code_form_make(&decoded, &form);
		keep_form(decoder, bytes, size, &form);
		*ret = form.code;
		ret->pc = pc;
		take_numbers(decoder, &form.numbers, bytes, 0, ret);
		return;
	}
	*ret = (struct code) { .pc = pc,
			       .flow = CODE_UNKNOWN,
			       .reg = CODE_NO_REGISTER,
			       .source = CODE_NO_REGISTER,
			       .base = CODE_NO_REGISTER,
			       .index = CODE_NO_REGISTER };
}

/* For the next time. code: the form's, with this head's registers. Without memory for it that is slower. */
static void keep_met(struct code_decoder *decoder, const struct known_form *known,
		     const uint8_t bytes[CODE_HEAD_READ], unsigned int count, unsigned int left_out,
		     const struct code *code)
{
	struct met_head met = { .bytes = head_word(bytes, count),
				.numbers = known->numbers,
				.constant = known->constant,
				.count = (uint8_t)count };
	size_t room = sizeof(met) << MET_BITS;

	if (!decoder->met) {
		decoder->met = aligned_alloc(sizeof(met), room);
		if (!decoder->met)
			return;
		memset(decoder->met, 0, room);
	}
	memcpy(met.code, (const uint8_t *)code + KEPT_AT, KEPT_BYTES);
	met.numbers.displacement.offset += (uint8_t)left_out;
	met.numbers.immediate.offset += (uint8_t)left_out;
	*met_at(decoder, met.bytes) = met;
}

/* One whose head was not met a short while ago. */
static __attribute__((noinline)) void decode_rare(struct code_decoder *decoder,
						  const uint8_t bytes[CODE_HEAD_READ],
						  unsigned int count, size_t size, struct code *ret)
{
	struct code_head head;
	const struct known_form *known = find_form(decoder, bytes, size, &head);

	if (!known) {
		decode_new(decoder, bytes, size, ret);
		return;
	}
	take_form(known, &head, ret);
	if (count && count <= sizeof(uint64_t))
		keep_met(decoder, known, bytes, count, head.left_out, ret);
	take_numbers(decoder, &known->numbers, bytes, head.left_out, ret);
}

static inline void decode(struct code_decoder *decoder, const uint8_t bytes[CODE_HEAD_READ],
			  size_t size, struct code *ret)
{
	unsigned int count = code_head_bytes(bytes);

	if (!decoder->met || !count || count > sizeof(uint64_t) ||
	    !take_met(decoder, bytes, count, size, ret))
		decode_rare(decoder, bytes, count, size, ret);
}

/* One of the last that can be read. */
static __attribute__((noinline)) void
decode_last(struct code_decoder *decoder, const uint8_t *bytes, size_t size, struct code *ret)
{
	uint8_t padded[CODE_HEAD_READ] = { 0 };

	memcpy(padded, bytes, size);
	decode(decoder, padded, size, ret);
}

const struct code *code_decode_within(struct code_decoder *decoder, uint64_t pc,
				      const uint8_t *bytes, size_t size, size_t readable,
				      struct code *ret)
{
	ret->pc = pc;
	if (readable < CODE_HEAD_READ)
		decode_last(decoder, bytes, size, ret);
	else
		decode(decoder, bytes, size, ret);
	return ret;
}

void code_decode(struct code_decoder *decoder, uint64_t pc, const uint8_t *bytes, size_t size,
		 struct code *ret)
{
	code_decode_within(decoder, pc, bytes, size, size, ret);
}

bool code_decode_at(struct code_decoder *decoder, const struct image *image, uint64_t pc,
		    struct code *ret)
{
	size_t size;
	const uint8_t *bytes = image_bytes_most(image, pc, CODE_HEAD_READ, &size);

	if (bytes)
		code_decode(decoder, pc, bytes, size, ret);
	return bytes != NULL;
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
