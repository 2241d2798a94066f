/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * expression_text.c - a DWARF expression for people: "breg7+8; breg16+0; lit15; and"
 *
 * Operation by operation (DWARF 5, 2.5 and 7.7.1), names without DW_OP_. Two toolchains' spellings of
 * the same rule are compared by people, so nothing is simplified.
 */
#include <inttypes.h>
#include "reader.h"
#include "unwinder.h"

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

#define OP_LIT0	  0x30
#define OP_REG0	  0x50
#define OP_BREG0  0x70
#define OP_BREG31 0x8f

static bool print_signed(FILE *file, struct reader *reader, unsigned int size)
{
	int64_t value;
	bool read = size ? reader_signed(reader, size, &value) : reader_sleb(reader, &value);

	if (read)
		fprintf(file, "%+" PRId64, value);
	return read;
}

static bool print_unsigned(FILE *file, struct reader *reader, unsigned int size)
{
	uint64_t value;
	bool read = size ? reader_unsigned(reader, size, &value) : reader_uleb(reader, &value);

	if (read)
		fprintf(file, " %" PRIu64, value);
	return read;
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
