/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * function_profile.c - each own function of a binary: its rows, its features, its numbers
 *
 * Rows come from the canonical interpreter; what rows don't show any more (remember_state) from the
 * FDE's instructions; where the returns are, from its machine code. At a ret the return address is
 * at rsp (Intel SDM volume 2, RET), so the one right row there says CFA = rsp+8: any other row is
 * an epilogue that is not described.
 *
 * Functions are FDEs, and symbols that no FDE covers. A PLT section is a function by its section's
 * name.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "reports/findings/function_name.h"
#include "function_profile.h"
#include "corpus/plant/plant.h"
#include "judge/verdict/verdict.h"

#define NAME_MAX_BYTES	 512
#define SYMBOL_BYTES_MIN 1

struct profiling {
	struct code_profile *profile;
	const struct image *image;
	const struct cfi *cfi;
	struct decoder *decoder;
	struct error *error;
};

/* One FDE while its rows come in. */
struct rows {
	struct profiling *reader;
	struct function_profile *function;
	uint64_t pc; /* of the FDE */
};

/* Code as it lies in memory: behind a segment's last byte its page is zero. */
static int read_image(void *context, uint64_t address, void *ret, size_t size)
{
	for (size_t there = size; there; there--) {
		const uint8_t *bytes = image_bytes(context, address, there);
		if (!bytes)
			continue;
		memcpy(ret, bytes, there);
		memset((uint8_t *)ret + there, 0, size - there);
		return 0;
	}
	return -1;
}

/* ---- rows -------------------------------------------------------------------------------- */

static void note_cfa(struct function_profile *function, const struct row_rule *cfa)
{
	if (cfa->kind != RULE_CFA_REGISTER) {
		function->features |= FEATURE_CFA_EXPRESSION;
		return;
	}
	if (cfa->reg == REGISTER_RBP)
		function->features |= FEATURE_CFA_RBP;
	else if (cfa->reg != REGISTER_RSP)
		function->features |= FEATURE_CFA_OTHER;
	if ((cfa->reg == REGISTER_RSP || cfa->reg == REGISTER_RBP) && cfa->offset > 0 &&
	    (uint64_t)cfa->offset > function->cfa_max)
		function->cfa_max = cfa->offset;
}

static void note_registers(struct function_profile *function, const struct row *row)
{
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++) {
		enum rule_kind kind = row->reg[reg].kind;
		if (kind == RULE_EXPRESSION || kind == RULE_VAL_EXPRESSION)
			function->features |= FEATURE_SAVED_EXPRESSION;
		if (CALLEE_SAVED_MASK & 1u << reg && kind != RULE_UNSPECIFIED &&
		    kind != RULE_SAME_VALUE)
			function->saved |= 1u << reg;
	}
}

/* The returns between two rows' PCs, and whether the row is right there. */
static void note_returns(struct rows *rows, const struct row *row)
{
	struct memory_reader memory = { read_image, (void *)rows->reader->image };
	bool right = row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
		     row->cfa.offset == 8;
	uint64_t pc = row->pc;

	while (pc < row->pc_end) {
		struct instruction instruction = decoder_at(rows->reader->decoder, pc, &memory);
		if (!instruction.length)
			return;
		if (instruction.kind == INSTRUCTION_RETURN) {
			rows->function->returns++;
			rows->function->returns_open += !right;
		}
		pc += instruction.length;
	}
}

static int add_row(void *context, const struct row *row)
{
	struct rows *rows = context;
	struct diff_table *table = &rows->reader->profile->table;

	note_cfa(rows->function, &row->cfa);
	note_registers(rows->function, row);
	note_returns(rows, row);
	return diff_table_add_canonical(table, row->pc - rows->pc, row, rows->reader->error);
}

static int compare_words(const void *a, const void *b)
{
	const char *const *one = a, *const *two = b;

	return (*one > *two) - (*one < *two);
}

/* Distinct rules of the last function: equal words are one pointer. */
static int count_rules(const struct diff_table *table, uint64_t *ret, struct error *error)
{
	const struct diff_function *function = &table->function[table->function_count - 1];
	FREED const char **words = calloc(function->row_count + 1, sizeof(*words));

	*ret = 0;
	if (!words)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to count rules");
	for (size_t i = 0; i < function->row_count; i++)
		words[i] = table->row[function->first_row + i].words;
	qsort(words, function->row_count, sizeof(*words), compare_words);
	for (size_t i = 0; i < function->row_count; i++)
		*ret += !i || words[i] != words[i - 1];
	return 0;
}

/* ---- instructions ------------------------------------------------------------------------ */

static void note_instructions(struct function_profile *function, const struct cfi *cfi,
			      const struct cfi_fde *fde)
{
	struct plant_program program;
	struct error ignored;

	/* What can't be read here has rows all the same, or is malformed and said to be so. */
	if (plant_program_read(&program, fde->instructions, fde->instruction_bytes, &ignored))
		return;
	for (size_t i = 0; i < program.count; i++) {
		if (program.op[i].opcode == CFA_REMEMBER_STATE)
			function->features |= FEATURE_REMEMBER;
		if (program.op[i].opcode == CFA_GNU_ARGS_SIZE)
			function->features |= FEATURE_ARGS_SIZE;
	}
	plant_program_deinit(&program);
}

static void note_cie(struct function_profile *function, const struct cfi_cie *cie)
{
	if (cie->augmentation && strchr(cie->augmentation, 'P'))
		function->features |= FEATURE_PERSONALITY;
	if (cie->signal_frame)
		function->features |= FEATURE_SIGNAL;
}

/* ---- functions --------------------------------------------------------------------------- */

/* Room for a function in both lists; NULL without memory. */
static struct function_profile *add_function(struct profiling *reader, const char *name,
					     const struct diff_function *function)
{
	struct code_profile *profile = reader->profile;
	size_t index = profile->table.function_count;

	if (!ARRAY_GROW(profile->function, index)) {
		diff_no_memory(reader->error);
		return NULL;
	}
	if (diff_table_add_function(&profile->table, name, function, reader->error))
		return NULL;
	profile->function[index] = (struct function_profile) { .length = function->length };
	return &profile->function[index];
}

/* Into ret: the function's name, without what differs from build to build. False: it has none. */
static bool name_fde(const struct profiling *reader, const struct cfi_fde *fde, char *ret,
		     size_t size)
{
	const char *plt = own_code_plt(&reader->profile->own, fde->pc_begin);
	const struct image_symbol *symbol = cfi_fde_symbol(reader->cfi, fde);

	if (plt) {
		snprintf(ret, size, "[%s]", plt);
		return true;
	}
	if (!symbol) {
		snprintf(ret, size, "fde.%zu", reader->profile->table.function_count + 1);
		return false;
	}
	function_name_print(symbol->name, ret, size);
	size_t used = strlen(ret);
	if (symbol->pc != fde->pc_begin)
		snprintf(ret + used, size - used, "+0x%llx",
			 (unsigned long long)(fde->pc_begin - symbol->pc));
	return true;
}

static int add_fde(struct profiling *reader, const struct cfi_fde *fde)
{
	const struct cfi_cie *cie = &reader->cfi->cie[fde->cie];
	char name[NAME_MAX_BYTES];
	struct diff_function row = {
		.named = name_fde(reader, fde, name, sizeof(name)),
		.has_pc = true,
		.signal = cie->signal_frame,
		.pc = fde->pc_begin,
		.length = fde->pc_range,
	};
	struct function_profile *function = add_function(reader, name, &row);
	struct rows rows = { .reader = reader, .function = function, .pc = fde->pc_begin };
	struct error malformed = { ERROR_NONE };

	if (!function)
		return -1;
	function->features = FEATURE_FDE;
	/* A length field of 32 bits does not count itself. */
	function->cfi_bytes = fde->length + sizeof(uint32_t);
	note_cie(function, cie);
	note_instructions(function, reader->cfi, fde);
	int result = cfi_rows(reader->cfi, fde, add_row, &rows, &malformed);
	if (result && malformed.code == ERROR_NONE)
		return -1;
	struct diff_table *table = &reader->profile->table;
	struct diff_function *added = &table->function[table->function_count - 1];
	if (result) {
		function->features |= FEATURE_MALFORMED;
		added->diagnostic = malformed.code;
	}
	function->rows = added->row_count;
	if (count_rules(table, &function->rules, reader->error))
		return -1;
	if (function->returns && !function->returns_open)
		function->features |= FEATURE_EPILOGUES;
	return 0;
}

static bool is_wanted(const struct profiling *reader, uint64_t vaddr)
{
	const struct own_code *own = &reader->profile->own;

	if (own_code_plt(own, vaddr))
		return true;
	if (own->count)
		return own_code_has(own, vaddr);
	return !start_file_find(reader->image, reader->cfi, vaddr, reader->decoder);
}

static int add_fdes(struct profiling *reader)
{
	for (size_t i = 0; i < reader->cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &reader->cfi->fde[reader->cfi->by_pc[i]];

		if (is_wanted(reader, fde->pc_begin) && add_fde(reader, fde))
			return -1;
	}
	return 0;
}

/* A function without FDE, by its symbol or section. */
static int add_uncovered(struct profiling *reader, const char *name, uint64_t pc, uint64_t length)
{
	struct diff_function function = {
		.named = true, .has_pc = true, .pc = pc, .length = length
	};

	return add_function(reader, name, &function) ? 0 : -1;
}

static int add_symbols(struct profiling *reader)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(reader->image, &count);

	for (size_t i = 0; i < count; i++) {
		char name[NAME_MAX_BYTES];

		/* Several names of one address are one function. */
		if (symbol[i].size < SYMBOL_BYTES_MIN || (i && symbol[i].pc == symbol[i - 1].pc) ||
		    own_code_plt(&reader->profile->own, symbol[i].pc) ||
		    !is_wanted(reader, symbol[i].pc) ||
		    (reader->cfi && cfi_fde_find(reader->cfi, symbol[i].pc)))
			continue;
		function_name_print(symbol[i].name, name, sizeof(name));
		if (add_uncovered(reader, name, symbol[i].pc, symbol[i].size))
			return -1;
	}
	for (size_t i = 0; i < reader->profile->own.plt_count; i++) {
		const struct own_section *plt = &reader->profile->own.plt[i];
		char name[sizeof(plt->name) + 2];

		if (reader->cfi && cfi_fde_find(reader->cfi, plt->range.start))
			continue;
		snprintf(name, sizeof(name), "[%s]", plt->name);
		if (add_uncovered(reader, name, plt->range.start,
				  plt->range.end - plt->range.start))
			return -1;
	}
	return 0;
}

/* ---- binaries ---------------------------------------------------------------------------- */

static int read_table_bytes(struct profiling *reader)
{
	struct table *table DEINIT(table_destroy_at) = NULL;

	if (table_build(reader->image, &table, reader->error))
		return -1;
	reader->profile->table_bytes = table_bytes(table);
	return 0;
}

/* Function tables grow while they are filled: names are pointed at last. */
static void point_at_names(struct code_profile *profile)
{
	for (size_t i = 0; i < profile->table.function_count; i++)
		profile->function[i].name = profile->table.function[i].name;
}

int code_profile_read(const char *path, struct diff_words *words, struct decoder *decoder,
		      struct code_profile *ret, struct error *error)
{
	struct profiling reader = { .profile = ret, .decoder = decoder, .error = error };
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int result = -1;

	*ret = (struct code_profile) { .table = { .dialect = &diff_dialect_text, .words = words } };
	decoder_flush(decoder);
	if (image_create(path, &image, error))
		goto out;
	reader.image = image;
	if (own_code_read(path, &ret->own, error))
		goto out;
	if (cfi_create(image, &cfi, error)) {
		if (error->code != ERROR_NO_CFI)
			goto out;
		cfi_destroy(cfi);
		cfi = NULL;
	}
	reader.cfi = cfi;
	ret->rows = cfi ? cfi_row_count(cfi) : 0;
	if (read_table_bytes(&reader) || (cfi && add_fdes(&reader)) || add_symbols(&reader))
		goto out;
	point_at_names(ret);
	toolchain_sframe_read(image, cfi, &ret->sframe);
	result = 0;
out:
	if (result)
		code_profile_deinit(ret);
	return result;
}

void code_profile_deinit(struct code_profile *profile)
{
	own_code_deinit(&profile->own);
	diff_table_deinit(&profile->table);
	free(profile->function);
	toolchain_sframe_deinit(&profile->sframe);
	*profile = (struct code_profile) { 0 };
}
