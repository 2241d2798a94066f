/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expression_text.c - a DWARF expression for people: "breg7+8; breg16+0; lit15; and"
 *
 * Operation by operation (DWARF 5, 2.5 and 7.7.1), names without DW_OP_. Two toolchains' spellings
 * of the same rule are compared by people, so nothing is simplified. And it can be read back: the
 * text says every byte. What isn't the usual encoding of its operation (an unknown one, one that is
 * cut off, a LEB128 number with padding) is given as bytes after a '?', with all that follows.
 */
#include <inttypes.h>
#include "dwarf_op.h"
#include "expression.h"

enum operand {
	OPERAND_UNKNOWN, /* the operation is: nothing after it can be decoded */
	OPERAND_NONE,
	OPERAND_U8,
	OPERAND_S8,
	OPERAND_U16,
	OPERAND_S16,
	OPERAND_U32,
	OPERAND_S32,
	OPERAND_U64,
	OPERAND_S64,
	OPERAND_ULEB,
	OPERAND_SLEB,
	OPERAND_ULEB_SLEB,
};

struct operation {
	const char *name; /* without DW_OP_ */
	enum operand operand;
};

/* What call frame information may use (DWARF 5, 6.4.2 excludes the calls and the object address).
 */
static const struct operation operations[256] = {
	[0x03] = { "addr", OPERAND_U64 },	  [0x06] = { "deref", OPERAND_NONE },
	[0x08] = { "const1u", OPERAND_U8 },	  [0x09] = { "const1s", OPERAND_S8 },
	[0x0a] = { "const2u", OPERAND_U16 },	  [0x0b] = { "const2s", OPERAND_S16 },
	[0x0c] = { "const4u", OPERAND_U32 },	  [0x0d] = { "const4s", OPERAND_S32 },
	[0x0e] = { "const8u", OPERAND_U64 },	  [0x0f] = { "const8s", OPERAND_S64 },
	[0x10] = { "constu", OPERAND_ULEB },	  [0x11] = { "consts", OPERAND_SLEB },
	[0x12] = { "dup", OPERAND_NONE },	  [0x13] = { "drop", OPERAND_NONE },
	[0x14] = { "over", OPERAND_NONE },	  [0x15] = { "pick", OPERAND_U8 },
	[0x16] = { "swap", OPERAND_NONE },	  [0x17] = { "rot", OPERAND_NONE },
	[0x19] = { "abs", OPERAND_NONE },	  [0x1a] = { "and", OPERAND_NONE },
	[0x1b] = { "div", OPERAND_NONE },	  [0x1c] = { "minus", OPERAND_NONE },
	[0x1d] = { "mod", OPERAND_NONE },	  [0x1e] = { "mul", OPERAND_NONE },
	[0x1f] = { "neg", OPERAND_NONE },	  [0x20] = { "not", OPERAND_NONE },
	[0x21] = { "or", OPERAND_NONE },	  [0x22] = { "plus", OPERAND_NONE },
	[0x23] = { "plus_uconst", OPERAND_ULEB }, [0x24] = { "shl", OPERAND_NONE },
	[0x25] = { "shr", OPERAND_NONE },	  [0x26] = { "shra", OPERAND_NONE },
	[0x27] = { "xor", OPERAND_NONE },	  [0x28] = { "bra", OPERAND_S16 },
	[0x29] = { "eq", OPERAND_NONE },	  [0x2a] = { "ge", OPERAND_NONE },
	[0x2b] = { "gt", OPERAND_NONE },	  [0x2c] = { "le", OPERAND_NONE },
	[0x2d] = { "lt", OPERAND_NONE },	  [0x2e] = { "ne", OPERAND_NONE },
	[0x2f] = { "skip", OPERAND_S16 },	  [0x90] = { "regx", OPERAND_ULEB },
	[0x92] = { "bregx", OPERAND_ULEB_SLEB },  [0x94] = { "deref_size", OPERAND_U8 },
	[0x96] = { "nop", OPERAND_NONE },	  [0x9c] = { "call_frame_cfa", OPERAND_NONE },
	[0x9f] = { "stack_value", OPERAND_NONE },
};

/* ---- write ------------------------------------------------------------------------------- */

/* A last byte that adds nothing to the one before it is padding: fill 0, or 0x7f for a negative
 * number. */
static bool has_padding(const uint8_t *start, const uint8_t *end, bool is_signed)
{
	if (end - start < 2)
		return false;
	bool negative = is_signed && (end[-2] & 0x40);
	return end[-1] == (negative ? 0x7f : 0);
}

static bool print_signed(FILE *file, struct reader *reader, unsigned int size)
{
	const uint8_t *start = reader->at;
	int64_t value;
	bool read = size ? reader_signed(reader, size, &value) : reader_sleb(reader, &value);

	if (!read || (!size && has_padding(start, reader->at, true)))
		return false;
	fprintf(file, "%+" PRId64, value);
	return true;
}

static bool print_unsigned(FILE *file, struct reader *reader, unsigned int size)
{
	const uint8_t *start = reader->at;
	uint64_t value;
	bool read = size ? reader_unsigned(reader, size, &value) : reader_uleb(reader, &value);

	if (!read || (!size && has_padding(start, reader->at, false)))
		return false;
	fprintf(file, " %" PRIu64, value);
	return true;
}

static bool print_operand(FILE *file, struct reader *reader, enum operand operand)
{
	switch (operand) {
	case OPERAND_UNKNOWN: return false;
	case OPERAND_NONE: return true;
	case OPERAND_U8: return print_unsigned(file, reader, 1);
	case OPERAND_U16: return print_unsigned(file, reader, 2);
	case OPERAND_U32: return print_unsigned(file, reader, 4);
	case OPERAND_U64: return print_unsigned(file, reader, 8);
	case OPERAND_S8: return print_signed(file, reader, 1);
	case OPERAND_S16: return print_signed(file, reader, 2);
	case OPERAND_S32: return print_signed(file, reader, 4);
	case OPERAND_S64: return print_signed(file, reader, 8);
	case OPERAND_ULEB: return print_unsigned(file, reader, 0);
	case OPERAND_SLEB: return print_signed(file, reader, 0);
	case OPERAND_ULEB_SLEB:
		return print_unsigned(file, reader, 0) && print_signed(file, reader, 0);
	}
	return false;
}

/* False: not known, or its operand is cut off; the reader is somewhere behind it. */
static bool print_operation(FILE *file, struct reader *reader)
{
	uint8_t code;

	if (!reader_u8(reader, &code))
		return false;
	if (code >= OP_BREG0 && code <= OP_BREG31) {
		fprintf(file, "breg%d", code - OP_BREG0);
		return print_signed(file, reader, 0);
	}
	if (code >= OP_REG0 && code < OP_BREG0)
		return fprintf(file, "reg%d", code - OP_REG0) > 0;
	if (code >= OP_LIT0 && code < OP_REG0)
		return fprintf(file, "lit%d", code - OP_LIT0) > 0;
	if (operations[code].name)
		fputs(operations[code].name, file);
	return print_operand(file, reader, operations[code].operand);
}

static bool skip_operand(struct reader *reader, enum operand operand)
{
	static const uint8_t fixed[] = {
		[OPERAND_U8] = 1,  [OPERAND_S8] = 1,  [OPERAND_U16] = 2, [OPERAND_S16] = 2,
		[OPERAND_U32] = 4, [OPERAND_S32] = 4, [OPERAND_U64] = 8, [OPERAND_S64] = 8,
	};
	uint64_t ignored;
	int64_t signed_ignored;

	switch (operand) {
	case OPERAND_UNKNOWN: return false;
	case OPERAND_NONE: return true;
	case OPERAND_ULEB: return reader_uleb(reader, &ignored);
	case OPERAND_SLEB: return reader_sleb(reader, &signed_ignored);
	case OPERAND_ULEB_SLEB:
		return reader_uleb(reader, &ignored) && reader_sleb(reader, &signed_ignored);
	default: return reader_unsigned(reader, fixed[operand], &ignored);
	}
}

/* One operation, as far as who looks for registers or loops wants it. */
struct scanned {
	uint8_t opcode;
	bool takes_register;
	uint64_t reg;
	int64_t distance; /* of a branch */
};

/* False as print_operation(). */
static bool scan_operation(struct reader *reader, struct scanned *ret)
{
	uint8_t code;

	*ret = (struct scanned) { .opcode = 0 };
	if (!reader_u8(reader, &code))
		return false;
	ret->opcode = code;
	if (code >= OP_LIT0 && code < OP_REG0)
		return true;
	if (code == OP_BRA || code == OP_SKIP)
		return reader_signed(reader, 2, &ret->distance);
	ret->takes_register = (code >= OP_REG0 && code <= OP_BREG31) || code == OP_REGX ||
			      code == OP_BREGX;
	if (!ret->takes_register)
		return skip_operand(reader, operations[code].operand);
	if (code <= OP_BREG31)
		ret->reg = (code - OP_REG0) % 32;
	else if (!reader_uleb(reader, &ret->reg))
		return false;
	return (code <= OP_REG31 || code == OP_REGX) || skip_operand(reader, OPERAND_SLEB);
}

uint32_t expression_registers(const uint8_t *expression, size_t size)
{
	struct reader reader = { expression, expression + size };
	struct scanned scanned;
	uint32_t mask = 0;

	while (reader.at < reader.end && scan_operation(&reader, &scanned))
		if (scanned.takes_register && scanned.reg < REGISTER_COUNT)
			mask |= 1u << scanned.reg;
	return mask;
}

bool expression_is_beyond(const uint8_t *expression, size_t size)
{
	struct reader reader = { expression, expression + size };
	struct scanned scanned;

	while (reader.at < reader.end && scan_operation(&reader, &scanned))
		if (scanned.distance < 0 ||
		    (scanned.takes_register && scanned.reg >= REGISTER_COUNT))
			return true;
	return size > EXPRESSION_BYTES_MAX;
}

bool expression_has(const uint8_t *expression, size_t size, uint8_t opcode)
{
	struct reader reader = { expression, expression + size };
	struct scanned scanned;

	while (reader.at < reader.end && scan_operation(&reader, &scanned))
		if (scanned.opcode == opcode)
			return true;
	return false;
}

void expression_print(FILE *file, const uint8_t *expression, size_t size)
{
	struct reader reader = { expression, expression + size };
	const char *separator = "";

	while (reader.at < reader.end) {
		const uint8_t *start = reader.at;

		fputs(separator, file);
		separator = "; ";
		if (print_operation(file, &reader))
			continue;
		fputs("?", file);
		for (const uint8_t *at = start; at < reader.end; at++)
			fprintf(file, " %02x", *at);
		break;
	}
}

/* ---- read -------------------------------------------------------------------------------- */

/* Characters that are read, and room for the bytes they become. */
struct assembler {
	const char *at;
	const char *end;
	uint8_t *byte;
	size_t count;
	size_t capacity;
};

static bool put(struct assembler *assembler, uint8_t byte)
{
	if (assembler->count == assembler->capacity)
		return false;
	assembler->byte[assembler->count++] = byte;
	return true;
}

static bool put_fixed(struct assembler *assembler, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		if (!put(assembler, (uint8_t)(value >> 8 * i)))
			return false;
	return true;
}

static bool put_leb(struct assembler *assembler, uint64_t value, bool is_signed)
{
	for (;;) {
		uint8_t byte = value & 0x7f;
		value = is_signed ? (uint64_t)((int64_t)value >> 7) : value >> 7;
		uint64_t rest = is_signed && (byte & 0x40) ? UINT64_MAX : 0;
		bool last = value == rest;
		if (!put(assembler, last ? byte : byte | 0x80))
			return false;
		if (last)
			return true;
	}
}

/* Decimal digits, at least one; no more than fit 64 bits. */
static bool take_number(struct assembler *assembler, uint64_t *ret)
{
	uint64_t value = 0;
	const char *start = assembler->at;

	for (; assembler->at < assembler->end; assembler->at++) {
		unsigned int digit = (unsigned int)*assembler->at - '0';
		if (digit > 9)
			break;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = value;
	return assembler->at > start;
}

/* size 0: LEB128. A number too large for its field becomes another one, which the caller's
 * comparison with the text finds. */
static bool take_operand(struct assembler *assembler, bool is_signed, unsigned int size)
{
	uint64_t value;
	if (assembler->at == assembler->end)
		return false;
	char sign = *assembler->at++;
	if (is_signed ? sign != '+' && sign != '-' : sign != ' ')
		return false;
	if (!take_number(assembler, &value))
		return false;
	value = sign == '-' ? -value : value;
	return size ? put_fixed(assembler, value, size) : put_leb(assembler, value, is_signed);
}

static bool take_operands(struct assembler *assembler, enum operand operand)
{
	switch (operand) {
	case OPERAND_UNKNOWN: return false;
	case OPERAND_NONE: return true;
	case OPERAND_U8: return take_operand(assembler, false, 1);
	case OPERAND_U16: return take_operand(assembler, false, 2);
	case OPERAND_U32: return take_operand(assembler, false, 4);
	case OPERAND_U64: return take_operand(assembler, false, 8);
	case OPERAND_S8: return take_operand(assembler, true, 1);
	case OPERAND_S16: return take_operand(assembler, true, 2);
	case OPERAND_S32: return take_operand(assembler, true, 4);
	case OPERAND_S64: return take_operand(assembler, true, 8);
	case OPERAND_ULEB: return take_operand(assembler, false, 0);
	case OPERAND_SLEB: return take_operand(assembler, true, 0);
	case OPERAND_ULEB_SLEB:
		return take_operand(assembler, false, 0) && take_operand(assembler, true, 0);
	}
	return false;
}

/* "lit15", "breg7": one of 32 codes from first on. */
static bool take_numbered(struct assembler *assembler, const char *prefix, unsigned int first)
{
	uint64_t number;
	size_t length = strlen(prefix);
	struct assembler saved = *assembler;

	if ((size_t)(assembler->end - assembler->at) < length ||
	    memcmp(assembler->at, prefix, length))
		return false;
	assembler->at += length;
	if (take_number(assembler, &number) && number < 32 &&
	    put(assembler, (uint8_t)(first + number)))
		return true;
	*assembler = saved;
	return false;
}

static bool take_operation(struct assembler *assembler)
{
	const char *start = assembler->at;
	size_t length = 0;

	if (take_numbered(assembler, "breg", OP_BREG0))
		return take_operand(assembler, true, 0);
	if (take_numbered(assembler, "reg", OP_REG0) || take_numbered(assembler, "lit", OP_LIT0))
		return true;
	while (start + length < assembler->end && !strchr(" +-;", start[length]))
		length++;
	for (unsigned int code = 0; code < 256; code++) {
		const char *name = operations[code].name;
		if (!name || strlen(name) != length || memcmp(name, start, length))
			continue;
		assembler->at = start + length;
		return put(assembler, (uint8_t)code) &&
		       take_operands(assembler, operations[code].operand);
	}
	return false;
}

static int hex_digit(char character)
{
	const char *digits = "0123456789abcdef";
	const char *at = character ? strchr(digits, character) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* " 77 88 80": bytes to the end. */
static bool take_bytes(struct assembler *assembler)
{
	for (; assembler->at < assembler->end; assembler->at += 3) {
		const char *at = assembler->at;
		if (assembler->end - at < 3 || at[0] != ' ' || hex_digit(at[1]) < 0 ||
		    hex_digit(at[2]) < 0 ||
		    !put(assembler, (uint8_t)(hex_digit(at[1]) << 4 | hex_digit(at[2]))))
			return false;
	}
	return true;
}

int expression_read(const char *text, size_t size, uint8_t *ret, size_t capacity, size_t *ret_size)
{
	struct assembler assembler = { text, text + size, ret, 0, capacity };
	const char *bytes = size ? memchr(text, '?', size) : NULL;
	const char *end = bytes ? bytes : text + size;

	/* The bytes stand for the operation before the '?' too: leave that out. What is then left
	 * ends with "; ", so that no operation can reach into it. */
	while (bytes && end > text && !(end[-1] == ' ' && end - text > 1 && end[-2] == ';'))
		end--;
	while (assembler.at < end) {
		if (!take_operation(&assembler))
			return -1;
		if (assembler.at == end)
			break;
		if (end - assembler.at < 2 || memcmp(assembler.at, "; ", 2))
			return -1;
		assembler.at += 2;
		if (assembler.at == end && !bytes)
			return -1;
	}
	if (bytes) {
		assembler.at = bytes + 1;
		if (!take_bytes(&assembler))
			return -1;
	}
	*ret_size = assembler.count;
	return 0;
}
