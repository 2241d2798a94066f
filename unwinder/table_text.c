/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text.c - the golden text: an image's rows, without an address
 *
 * A golden must change when a rule changes, and must not when the linker moves a function. So a
 * function is named, its rows are given as distances from its start, and whatever counts bytes of
 * the section or of the address space is left out. Worked example (docs/TABLE_TEXT.md has the
 * format):
 *
 *	function a1
 *	  +0x0 cfa=rsp+8 ra=c-8
 *	  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16
 *	  +0x2b end
 *
 * Rows come from cfi_rows, so they are those that the walk uses; equal neighbours are merged, since
 * "the same rules again" says nothing. Expressions are spelt operation by operation (DWARF 5, 2.5
 * and 7.7.1), here and not in row.c, because here two toolchains' spellings are compared by people.
 */
#include <inttypes.h>
#include <string.h>
#include "reader.h"
#include "unwinder.h"

/* ---- expressions ------------------------------------------------------------------------- */

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

/* "exp(breg7+8; deref)". What can't be decoded is given as bytes, so that nothing is lost. */
static void print_expression(FILE *file, const char *name, const struct row_rule *rule)
{
	struct reader reader = { rule->expression, rule->expression + rule->expression_bytes };
	const char *separator = "";

	fprintf(file, "%s(", name);
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
	fputc(')', file);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Registers have names; one that x86-64's readers don't carry has its DWARF number. */
static void print_register(FILE *file, uint32_t reg)
{
	const char *name = register_name(reg);

	if (name)
		fputs(name, file);
	else
		fprintf(file, "r%" PRIu32, reg);
}

static void print_rule(FILE *file, const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_UNSPECIFIED: fputs("none", file); break;
	case RULE_UNDEFINED: fputs("undefined", file); break;
	case RULE_SAME_VALUE: fputs("same", file); break;
	case RULE_OFFSET: fprintf(file, "c%+" PRId64, rule->offset); break;
	case RULE_VAL_OFFSET: fprintf(file, "v%+" PRId64, rule->offset); break;
	case RULE_REGISTER: print_register(file, rule->reg); break;
	case RULE_CFA_REGISTER:
		print_register(file, rule->reg);
		fprintf(file, "%+" PRId64, rule->offset);
		break;
	case RULE_EXPRESSION:
	case RULE_CFA_EXPRESSION: print_expression(file, "exp", rule); break;
	case RULE_VAL_EXPRESSION: print_expression(file, "val_exp", rule); break;
	}
}

static void print_row(FILE *file, const struct row *row, uint64_t start)
{
	fprintf(file, "  +0x%" PRIx64 " cfa=", row->pc - start);
	print_rule(file, &row->cfa);
	fputs(" ra=", file);
	print_rule(file, &row->reg[REGISTER_RIP]);
	for (unsigned int reg = 0; reg < REGISTER_RIP; reg++) {
		if (row->reg[reg].kind == RULE_UNSPECIFIED)
			continue;
		fputc(' ', file);
		print_register(file, reg);
		fputc('=', file);
		print_rule(file, &row->reg[reg]);
	}
	if (row->args_size)
		fprintf(file, " args=%" PRIu64, row->args_size);
	fputc('\n', file);
}

/* ---- functions --------------------------------------------------------------------------- */

struct text {
	FILE *file;
	const struct image *image;
	uint64_t start;	   /* of the FDE */
	struct row before; /* the row printed last */
	bool any;
	size_t unnamed; /* FDEs without a symbol so far */
};

/* A symbol's name is whatever the file says: what would break a line is given as \xNN. */
static void print_escaped(FILE *file, const char *name)
{
	for (const char *at = name; *at; at++) {
		unsigned char byte = (unsigned char)*at;

		if (byte > ' ' && byte != 0x7f && byte != '\\')
			fputc(byte, file);
		else
			fprintf(file, "\\x%02x", byte);
	}
}

/*
 * The symbol at the FDE's start; inside a symbol name+0xOFFSET; else fde.N, counted among those.
 * Which of several names it is does not depend on the linker: elf_symbol.c sees to that.
 */
static void print_name(struct text *text)
{
	const struct image_symbol *symbol = image_symbol_find(text->image, text->start);
	uint64_t inside = symbol ? text->start - symbol->pc : 0;

	if (symbol && (!inside || inside < symbol->size)) {
		print_escaped(text->file, symbol->name);
		if (inside)
			fprintf(text->file, "+0x%" PRIx64, inside);
	} else {
		fprintf(text->file, "fde.%zu", ++text->unnamed);
	}
}

static int on_row(void *context, const struct row *row)
{
	struct text *text = context;

	if (!text->any || !row_equal(&text->before, row))
		print_row(text->file, row, text->start);
	text->before = *row;
	text->any = true;
	return 0;
}

static void write_fde(struct text *text, const struct cfi *cfi, const struct cfi_fde *fde)
{
	struct error error = { 0 };

	text->start = fde->pc_begin;
	text->any = false;
	fputs("function ", text->file);
	print_name(text);
	if (cfi->cie[fde->cie].signal_frame)
		fputs(" signal", text->file);
	fputc('\n', text->file);
	if (cfi_rows(cfi, fde, on_row, text, &error))
		fprintf(text->file, "  diagnostic %s\n", error_code_name(error.code));
	fprintf(text->file, "  +0x%" PRIx64 " end\n", fde->pc_range);
}

int table_text_write(FILE *file, const struct cfi *cfi, struct error *error)
{
	struct text text = { .file = file, .image = cfi->image };

	fprintf(file, "stackproof table text 1\n");
	/* Where an entry lies in the section, and what its message quotes, a relink changes. */
	for (size_t i = 0; i < cfi->diagnostics.count; i++)
		fprintf(file, "diagnostic %s\n", error_code_name(cfi->diagnostics.error[i].code));
	if (cfi->diagnostics.dropped)
		fprintf(file, "diagnostics %zu more\n", cfi->diagnostics.dropped);
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		write_fde(&text, cfi, &cfi->fde[cfi->by_pc[i]]);
	for (size_t i = 0; i < cfi->fde_count; i++) /* by_pc leaves out those that cover nothing */
		if (!cfi->fde[i].pc_range)
			write_fde(&text, cfi, &cfi->fde[i]);
	if (ferror(file))
		return error_set_errno(error, "cannot write the table's text");
	return 0;
}
