/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_expression.c - bytes as a DWARF expression
 *
 * Byte 0 seeds the registers, byte 1 says which of them are known and whether the CFA is pushed;
 * the rest is the expression. It is printed, evaluated, and recognised. Whatever shape it is
 * recognised as, that shape's formula and the expression must come to the same value, or both to
 * none: a rule that holds an expression has to be the expression.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "cfi/expression.h"

#define CFA 0x7ffc00001230

static bool get(const struct register_values *regs, uint32_t reg, uint64_t *ret)
{
	if (reg >= REGISTER_COUNT || !(regs->known >> reg & 1))
		return false;
	*ret = regs->value[reg];
	return true;
}

/* reg + index * scale + a: what all forms have in common. */
static bool shape_address(const struct expression_shape *shape, const struct register_values *regs,
			  uint64_t *ret)
{
	uint64_t index = 0;

	if (!get(regs, shape->reg, ret))
		return false;
	if (shape->scale && !get(regs, shape->index, &index))
		return false;
	*ret += index * shape->scale + (uint64_t)shape->a;
	return true;
}

/* The formulas of enum expression_form. False: no value. */
static bool shape_value(const struct expression_shape *shape, const struct register_values *regs,
			const struct memory_reader *memory, uint64_t *ret)
{
	uint64_t pc;

	if (shape->form == EXPRESSION_ALIGNED) { /* of no register but the CFA */
		*ret = ((CFA - (uint64_t)shape->b) & -shape->scale) + (uint64_t)shape->a;
		return true;
	}
	if (!shape_address(shape, regs, ret))
		return false;
	switch (shape->form) {
	case EXPRESSION_REGISTER: return true;
	case EXPRESSION_DEREF:
		if (memory->read(memory->context, *ret, ret, sizeof(*ret)))
			return false;
		*ret += (uint64_t)shape->b;
		return true;
	case EXPRESSION_PLT:
		if (!get(regs, REGISTER_RIP, &pc))
			return false;
		*ret += (uint64_t)((int64_t)(pc & 15) >= shape->b) << 3;
		return true;
	default: fuzz_failed(__func__, "form %d", shape->form);
	}
}

/* A LEB128's tenth byte may have copies of the 64th bit, or none. */
static bool same_bytes(const uint8_t *bytes, const uint8_t *expression, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != expression[i] && !((bytes[i] == 0x7f && expression[i] == 0x01) ||
						   (bytes[i] == 0x01 && expression[i] == 0x7f)))
			return false;
	return true;
}

/* Assembled again it is the same expression: of the same bytes, but for padding in LEB128s. */
static void check_read(const char *text, size_t length, const uint8_t *expression, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	size_t bytes_size = 0, again_length = 0;
	char *again = NULL;
	FILE *file = open_memstream(&again, &again_length);

	if (!bytes || !file)
		abort();
	fuzz_require(!expression_read(text, length, bytes, size, &bytes_size),
		     "\"%s\" can't be read", text);
	fuzz_require(bytes_size < size ||
			     (bytes_size == size && same_bytes(bytes, expression, size)),
		     "\"%s\" became other bytes", text);
	expression_print(file, bytes, bytes_size);
	if (fclose(file))
		abort();
	fuzz_require(again_length == length && !memcmp(again, text, length), "\"%s\" became \"%s\"",
		     text, again);
	free(again);
	free(bytes);
}

static void check_text(const uint8_t *expression, size_t size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		abort();
	expression_print(file, expression, size);
	if (fclose(file))
		abort();
	fuzz_require(!size == !length, "%zu bytes became \"%s\"", size, text);
	for (size_t i = 0; i < length; i++)
		fuzz_require(text[i] >= ' ' && text[i] <= '~', "\"%s\" has no plain text", text);
	check_read(text, length, expression, size);
	free(text);
}

int fuzz_expression(const uint8_t *data, size_t size)
{
	const struct memory_reader memory = { .read = fuzz_memory_read };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct expression_shape shape;
	struct error error = { 0 };
	uint64_t value = 0, again = 0, by_shape = 0;

	if (size < 2)
		return 0;
	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		regs.value[reg] = fuzz_mix(data[0] * 32 + reg + 1) & 0x7fffffffffff;
	bool push_cfa = data[1] & 1;
	if (data[1] & 2)
		regs.known &= (uint32_t)fuzz_mix(data[1]);
	size -= 2;
	/* Its own memory, so that not one byte behind it may be read. */
	uint8_t *expression = malloc(size + !size);
	if (!expression)
		abort();
	memcpy(expression, data + 2, size);

	check_text(expression, size);
	int status = expression_evaluate(expression, size, &regs, push_cfa, CFA, &memory, &value,
					 &error);
	if (status) {
		fuzz_require(error.code == ERROR_EXPRESSION ||
				     error.code == ERROR_EXPRESSION_MEMORY ||
				     error.code == ERROR_EXPRESSION_REGISTER,
			     "%s", error_code_name(error.code));
		fuzz_check_error(&error, NULL, size);
	}
	fuzz_require(expression_evaluate(expression, size, &regs, push_cfa, CFA, &memory, &again,
					 &error) == status &&
			     again == value,
		     "evaluated twice, the value differs");
	if (push_cfa)
		expression_recognise_saved(expression, size, &shape);
	else
		expression_recognise(expression, size, &shape);
	fuzz_require(push_cfa || shape.form != EXPRESSION_ALIGNED, "the CFA is not there");
	if (shape.form != EXPRESSION_OTHER) {
		bool has = shape_value(&shape, &regs, &memory, &by_shape);
		fuzz_require(has == !status && (!has || by_shape == value),
			     "form %d: 0x%llx, %s; the expression: 0x%llx, %s", shape.form,
			     (unsigned long long)by_shape, has ? "known" : "none",
			     (unsigned long long)value, status ? error.message : "known");
	}
	free(expression);
	return 0;
}
