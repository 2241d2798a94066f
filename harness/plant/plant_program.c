/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_program.c - call frame instructions as a list that can be edited and written back
 *
 * An FDE's instructions are variable in length (DWARF 5, 6.4.2), so that a changed operand may move
 * all that follows. Here they are read into a list, edited there, and encoded again in their
 * shortest form into the bytes they came from; DW_CFA_nop fills what is left, as assemblers do.
 * Entries end with up to seven such bytes: that is the room that a longer program has.
 */
#include <stdlib.h>
#include <string.h>
#include "plant/plant.h"
#include "reader.h"

enum {
	CFA_NOP = 0x00,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	SHORT_FORM = 0xc0, /* the opcode's bits in a short form */
	SHORT_OPERAND = 0x3f,
};

/* What follows an opcode: u and s are LEBs, b a block with its length before it. */
static const char *operands_of(uint8_t opcode)
{
	switch (opcode) {
	case CFA_NOP:
	case PLANT_REMEMBER_STATE:
	case PLANT_RESTORE_STATE: return "";
	case CFA_RESTORE_EXTENDED:
	case PLANT_UNDEFINED:
	case PLANT_SAME_VALUE:
	case PLANT_DEF_CFA_REGISTER:
	case PLANT_DEF_CFA_OFFSET:
	case PLANT_GNU_ARGS_SIZE: return "u";
	case PLANT_DEF_CFA_OFFSET_SF: return "s";
	case CFA_OFFSET_EXTENDED:
	case PLANT_REGISTER:
	case PLANT_DEF_CFA:
	case PLANT_VAL_OFFSET: return "uu";
	case PLANT_OFFSET_SF:
	case PLANT_DEF_CFA_SF:
	case PLANT_VAL_OFFSET_SF: return "us";
	case PLANT_DEF_CFA_EXPRESSION: return "b";
	case PLANT_EXPRESSION:
	case PLANT_VAL_EXPRESSION: return "ub";
	default: return NULL;
	}
}

/* ---- reading ---------------------------------------------------------------------------- */

struct source {
	uint8_t *at, *end;
};

static bool read_leb(struct source *source, bool is_signed, uint64_t *ret)
{
	struct reader reader = { source->at, source->end };

	if (!reader_leb(&reader, is_signed, ret))
		return false;
	source->at += reader.at - source->at;
	return true;
}

static bool read_operands(struct source *source, const char *operands, struct plant_op *op)
{
	uint64_t *operand = &op->a;

	for (; *operands; operands++, operand = &op->b) {
		if (*operands != 'b') {
			if (!read_leb(source, *operands == 's', operand))
				return false;
			continue;
		}
		if (!read_leb(source, false, &op->block_bytes) ||
		    op->block_bytes > (uint64_t)(source->end - source->at))
			return false;
		op->block = source->at;
		source->at += op->block_bytes;
	}
	return true;
}

static bool read_advance(struct source *source, uint8_t opcode, struct plant_op *op)
{
	size_t size = (size_t)1 << (opcode - CFA_ADVANCE_LOC1);

	if (size > (size_t)(source->end - source->at))
		return false;
	memcpy(&op->a, source->at, size); /* little-endian */
	source->at += size;
	op->opcode = PLANT_ADVANCE;
	return true;
}

static bool read_op(struct source *source, struct plant_op *op)
{
	uint8_t opcode = *source->at++;
	const char *operands = operands_of(opcode);

	*op = (struct plant_op) { .opcode = opcode };
	if (opcode & SHORT_FORM) {
		op->opcode = opcode & SHORT_FORM;
		op->a = opcode & SHORT_OPERAND;
		return op->opcode != PLANT_OFFSET || read_leb(source, false, &op->b);
	}
	if (opcode >= CFA_ADVANCE_LOC1 && opcode <= CFA_ADVANCE_LOC4)
		return read_advance(source, opcode, op);
	if (!operands || !read_operands(source, operands, op))
		return false;
	if (opcode == CFA_OFFSET_EXTENDED)
		op->opcode = PLANT_OFFSET;
	else if (opcode == CFA_RESTORE_EXTENDED)
		op->opcode = PLANT_RESTORE;
	return true;
}

int plant_program_read(struct plant_program *ret, const uint8_t *bytes, size_t size,
		       struct error *error)
{
	*ret = (struct plant_program) { .size = size };
	ret->bytes = malloc(size + 1);
	ret->op = calloc(size + 1, sizeof(*ret->op)); /* an instruction is a byte at least */
	if (!ret->bytes || !ret->op) {
		plant_program_deinit(ret);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for instructions");
	}
	if (size)
		memcpy(ret->bytes, bytes, size);

	struct source source = { ret->bytes, ret->bytes + size };

	while (source.at < source.end) {
		uint8_t opcode = *source.at;

		if (!read_op(&source, &ret->op[ret->count])) {
			plant_program_deinit(ret);
			return error_set(error, ERROR_UNAVAILABLE, "", 0,
					 "call frame instruction 0x%02x can't be edited", opcode);
		}
		ret->count += ret->op[ret->count].opcode != CFA_NOP;
	}
	return 0;
}

void plant_program_deinit(struct plant_program *program)
{
	free(program->op);
	free(program->bytes);
	*program = (struct plant_program) { .count = 0 };
}

/* ---- writing ---------------------------------------------------------------------------- */

/* Counts what does not fit instead of writing it. */
struct sink {
	uint8_t *bytes;
	size_t size, capacity;
};

static void put(struct sink *sink, uint8_t byte)
{
	if (sink->size < sink->capacity)
		sink->bytes[sink->size] = byte;
	sink->size++;
}

static void put_leb(struct sink *sink, bool is_signed, uint64_t value)
{
	for (;;) {
		uint8_t byte = value & 0x7f;
		uint64_t rest = is_signed ? (uint64_t)((int64_t)value >> 7) : value >> 7;
		bool last = is_signed ? (!rest && !(byte & 0x40)) || (!~rest && byte & 0x40)
				      : !rest;

		put(sink, last ? byte : byte | 0x80);
		if (last)
			return;
		value = rest;
	}
}

static void put_advance(struct sink *sink, uint64_t delta)
{
	unsigned int size = delta <= UINT8_MAX ? 1 : delta <= UINT16_MAX ? 2 : 4;

	if (!delta)
		return;
	if (delta <= SHORT_OPERAND) {
		put(sink, PLANT_ADVANCE | (uint8_t)delta);
		return;
	}
	put(sink, size == 4 ? CFA_ADVANCE_LOC4 : CFA_ADVANCE_LOC1 + size - 1);
	for (unsigned int i = 0; i < size; i++)
		put(sink, (uint8_t)(delta >> 8 * i));
}

static void put_op(struct sink *sink, const struct plant_op *op)
{
	uint8_t opcode = op->opcode;

	if (opcode == PLANT_ADVANCE) {
		put_advance(sink, op->a);
		return;
	}
	if (opcode & SHORT_FORM && op->a <= SHORT_OPERAND) {
		put(sink, opcode | (uint8_t)op->a);
		if (opcode == PLANT_OFFSET)
			put_leb(sink, false, op->b);
		return;
	}
	if (opcode & SHORT_FORM)
		opcode = opcode == PLANT_OFFSET ? CFA_OFFSET_EXTENDED : CFA_RESTORE_EXTENDED;
	put(sink, opcode);

	const uint64_t *operand = &op->a;

	for (const char *operands = operands_of(opcode); *operands; operands++, operand = &op->b) {
		if (*operands != 'b') {
			put_leb(sink, *operands == 's', *operand);
			continue;
		}
		put_leb(sink, false, op->block_bytes);
		for (uint64_t i = 0; i < op->block_bytes; i++)
			put(sink, op->block[i]);
	}
}

int plant_program_write(const struct plant_program *program, uint8_t *ret, size_t size,
			struct error *error)
{
	struct sink sink = { .bytes = ret, .capacity = size };

	for (size_t i = 0; i < program->count; i++)
		put_op(&sink, &program->op[i]);
	if (sink.size > size)
		return plant_refuse(error, "no room: %zu bytes of instructions, %zu are there",
				    sink.size, size);
	memset(ret + sink.size, CFA_NOP, size - sink.size);
	return 0;
}

/* ---- editing ---------------------------------------------------------------------------- */

size_t plant_program_rows(const struct plant_program *program)
{
	size_t rows = 1;

	for (size_t i = 0; i < program->count; i++)
		rows += program->op[i].opcode == PLANT_ADVANCE;
	return rows;
}

void plant_program_row(const struct plant_program *program, size_t row, size_t *ret_begin,
		       size_t *ret_end)
{
	size_t at = 0;

	for (; row; row--) {
		while (at < program->count && program->op[at].opcode != PLANT_ADVANCE)
			at++;
		at += at < program->count;
	}
	*ret_begin = at;
	while (at < program->count && program->op[at].opcode != PLANT_ADVANCE)
		at++;
	*ret_end = at;
}

uint64_t plant_program_advance(const struct plant_program *program, size_t row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < program->count && row; i++) {
		if (program->op[i].opcode != PLANT_ADVANCE)
			continue;
		sum += program->op[i].a;
		row--;
	}
	return sum;
}

void plant_program_remove(struct plant_program *program, size_t at)
{
	program->count--;
	memmove(&program->op[at], &program->op[at + 1],
		(program->count - at) * sizeof(*program->op));
}

bool plant_program_insert(struct plant_program *program, size_t at, struct plant_op op)
{
	struct plant_op *grown = reallocarray(program->op, program->count + 1, sizeof(*grown));

	if (!grown)
		return false;
	program->op = grown;
	memmove(&grown[at + 1], &grown[at], (program->count - at) * sizeof(*grown));
	grown[at] = op;
	program->count++;
	return true;
}
