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
#include "plant.h"

/* ---- reading ---------------------------------------------------------------------------- */

/* False: it can't be edited, or its operands reach past the end. */
static bool read_op(struct reader *reader, struct cfi_instruction *op)
{
	if (!cfi_instruction_form(*reader->at) || !cfi_instruction_read(reader, op))
		return false;
	switch (op->opcode) {
	case CFA_SET_LOC:
	case CFA_MIPS_ADVANCE_LOC8: return false;
	case CFA_ADVANCE_LOC1:
	case CFA_ADVANCE_LOC2:
	case CFA_ADVANCE_LOC4: op->opcode = CFA_ADVANCE_LOC; break;
	case CFA_OFFSET_EXTENDED: op->opcode = CFA_OFFSET; break;
	case CFA_RESTORE_EXTENDED: op->opcode = CFA_RESTORE; break;
	}
	return true;
}

static int refuse_op(uint8_t opcode, struct error *error)
{
	const struct cfi_instruction_form *form = cfi_instruction_form(opcode);

	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s (0x%02x) can't be edited",
			 form ? form->name : "a call frame instruction that is not defined",
			 opcode);
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

	struct reader reader = { ret->bytes, ret->bytes + size };

	while (reader.at < reader.end) {
		uint8_t opcode = *reader.at;

		if (!read_op(&reader, &ret->op[ret->count])) {
			plant_program_deinit(ret);
			return refuse_op(opcode, error);
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

static void put_operand(struct sink *sink, uint8_t operand, uint64_t number,
			const struct cfi_instruction *op)
{
	switch (operand) {
	case CFI_OPERAND_ULEB:
	case CFI_OPERAND_SLEB: put_leb(sink, operand == CFI_OPERAND_SLEB, number); break;
	case CFI_OPERAND_BLOCK:
		put_leb(sink, false, op->block_bytes);
		for (uint64_t i = 0; i < op->block_bytes; i++)
			put(sink, op->block[i]);
		break;
	case CFI_OPERAND_U4:
	case CFI_OPERAND_U2:
	case CFI_OPERAND_U1:
		for (unsigned int i = 0; i < 1u << (operand - CFI_OPERAND_U1); i++)
			put(sink, (uint8_t)(number >> 8 * i));
		break;
	}
}

/* The opcode of the shortest form, without the operand in its low bits. */
static uint8_t shortest(const struct cfi_instruction *op)
{
	if (!(op->opcode & CFI_HIGH_BITS) || op->a <= CFI_LOW_BITS)
		return op->opcode;
	switch (op->opcode) {
	case CFA_OFFSET: return CFA_OFFSET_EXTENDED;
	case CFA_RESTORE: return CFA_RESTORE_EXTENDED;
	default:
		return op->a <= UINT8_MAX    ? CFA_ADVANCE_LOC1
		       : op->a <= UINT16_MAX ? CFA_ADVANCE_LOC2
					     : CFA_ADVANCE_LOC4;
	}
}

static void put_op(struct sink *sink, const struct cfi_instruction *op)
{
	uint8_t opcode = shortest(op);
	const struct cfi_instruction_form *form = cfi_instruction_form(opcode);

	if (op->opcode == CFA_ADVANCE_LOC && !op->a)
		return;
	put(sink, form->first == CFI_OPERAND_LOW ? opcode | (uint8_t)op->a : opcode);
	put_operand(sink, form->first, op->a, op);
	put_operand(sink, form->second, op->b, op);
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
		rows += program->op[i].opcode == CFA_ADVANCE_LOC;
	return rows;
}

void plant_program_row(const struct plant_program *program, size_t row, size_t *ret_begin,
		       size_t *ret_end)
{
	size_t at = 0;

	for (; row; row--) {
		while (at < program->count && program->op[at].opcode != CFA_ADVANCE_LOC)
			at++;
		at += at < program->count;
	}
	*ret_begin = at;
	while (at < program->count && program->op[at].opcode != CFA_ADVANCE_LOC)
		at++;
	*ret_end = at;
}

uint64_t plant_program_advance(const struct plant_program *program, size_t row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < program->count && row; i++) {
		if (program->op[i].opcode != CFA_ADVANCE_LOC)
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

bool plant_program_insert(struct plant_program *program, size_t at, struct cfi_instruction op)
{
	struct cfi_instruction *grown = reallocarray(program->op, program->count + 1,
						     sizeof(*grown));

	if (!grown)
		return false;
	program->op = grown;
	memmove(&grown[at + 1], &grown[at], (program->count - at) * sizeof(*grown));
	grown[at] = op;
	program->count++;
	return true;
}
