/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_kinds.c - the kinds of faults: their table, and those of one row
 *
 * Each is a mistake that an assembler programmer, a compiler or a linker can make. Most of them
 * have been made. A kind edits the list of instructions; plant_image.c writes it back, looks at
 * what became of the rows, and refuses what left them as they were. Whole entries: plant_entry.c.
 */
#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include "array.h"
#include "plant.h"

/* DWARF 5, table 7.9. */
enum {
	EXPRESSION_DEREF_OP = 0x06,
	EXPRESSION_PLUS_UCONST = 0x23,
	EXPRESSION_LIT0 = 0x30,
	EXPRESSION_LIT30 = 0x4e,
	EXPRESSION_LIT31 = 0x4f,
	EXPRESSION_BREG0 = 0x70,
	EXPRESSION_BREG31 = 0x8f,
};

/* What some kinds of one function differ in. */
enum { ONE_ROW, ALL_ROWS, OFFSETS = 0, LITERALS };

int plant_refuse(struct error *error, const char *format, ...)
{
	char text[sizeof(error->message)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s", text);
}

/* The first op of the site's row with one of two opcodes, or NULL and the reason. */
static struct cfi_instruction *find_op(struct plant_site *site, uint8_t opcode, uint8_t other,
				       struct error *error)
{
	size_t begin, end;

	plant_program_row(&site->program, site->row, &begin, &end);
	for (size_t i = begin; i < end; i++)
		if (site->program.op[i].opcode == opcode || site->program.op[i].opcode == other)
			return &site->program.op[i];
	plant_refuse(error, "row %zu has no instruction for it", site->row);
	return NULL;
}

/* ---- the CFA ---------------------------------------------------------------------------- */

/* By so many bytes. */
static int plant_cfa_offset(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_DEF_CFA, CFA_DEF_CFA_OFFSET, error);
	uint64_t *offset;

	if (!op)
		return -1;
	offset = op->opcode == CFA_DEF_CFA ? &op->b : &op->a;
	if (site->by < 0 && *offset < (uint64_t)-site->by)
		return plant_refuse(error, "the offset would be negative");
	*offset += site->by;
	return 0;
}

static int plant_cfa_register(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_DEF_CFA, CFA_DEF_CFA_REGISTER, error);

	if (!op)
		return -1;
	op->a = op->a == REGISTER_RSP ? REGISTER_RBP : REGISTER_RSP;
	return 0;
}

static int plant_epilogue_lost(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_DEF_CFA, CFA_DEF_CFA_OFFSET, error);

	if (!op)
		return -1;
	if (!site->row || (op->opcode == CFA_DEF_CFA ? op->b : op->a) != SLOT_BYTES ||
	    (op->opcode == CFA_DEF_CFA && op->a != REGISTER_RSP))
		return plant_refuse(error, "row %zu does not bring the CFA back to rsp+8",
				    site->row);
	plant_program_remove(&site->program, op - site->program.op);
	return 0;
}

/* ---- registers -------------------------------------------------------------------------- */

static int plant_save_offset(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_OFFSET, CFA_OFFSET, error);

	if (!op)
		return -1;
	op->b++;
	return 0;
}

static bool is_saved(const struct plant_program *program, uint64_t reg)
{
	return ARRAY_ANY(program->count, i,
			 program->op[i].opcode == CFA_OFFSET && program->op[i].a == reg);
}

static int plant_save_register(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_OFFSET, CFA_OFFSET, error);

	if (!op)
		return -1;
	for (uint64_t reg = 0; reg < REGISTER_GPR_COUNT; reg++) {
		if (!(CALLEE_SAVED_MASK >> reg & 1) || is_saved(&site->program, reg))
			continue;
		op->a = reg;
		return 0;
	}
	return plant_refuse(error, "every callee-saved register is saved");
}

/* The first of this opcode. */
static int plant_lost(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, site->by, site->by, error);

	if (!op)
		return -1;
	plant_program_remove(&site->program, op - site->program.op);
	return 0;
}

/* The register's save becomes another rule for it. */
static int plant_save(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *op = find_op(site, CFA_OFFSET, CFA_OFFSET, error);

	if (!op)
		return -1;
	op->opcode = site->by;
	return 0;
}

/* The return address gets another rule behind those of the row. */
static int plant_return(struct plant_site *site, struct error *error)
{
	struct cfi_instruction op = { site->by, .a = REGISTER_RIP, .b = REGISTER_RBP };
	size_t begin, end;

	plant_program_row(&site->program, site->row, &begin, &end);
	return plant_program_insert(&site->program, end, op)
		       ? 0
		       : error_set(error, ERROR_MEMORY, "", 0, "no memory for an instruction");
}

/* ---- where rows begin ------------------------------------------------------------------- */

static uint64_t row_pc(const struct plant_site *site, size_t row)
{
	return site->fde->pc_begin +
	       plant_program_advance(&site->program, row) * site->cie->code_alignment;
}

/* The advance before the site's row, and the one behind it (NULL: the FDE's end is next). */
static int advances(struct plant_site *site, struct cfi_instruction **ret_before,
		    struct cfi_instruction **ret_behind, struct error *error)
{
	size_t begin, end;

	if (!site->row)
		return plant_refuse(error, "row 0 begins where the FDE does");
	if (site->cie->code_alignment != 1)
		return plant_refuse(error, "the CIE's code alignment is not 1");
	plant_program_row(&site->program, site->row, &begin, &end);
	*ret_before = &site->program.op[begin - 1];
	*ret_behind = end < site->program.count ? &site->program.op[end] : NULL;
	return 0;
}

static int plant_row_missing(struct plant_site *site, struct error *error)
{
	struct cfi_instruction *before = NULL, *behind = NULL;
	size_t begin, end;

	if (advances(site, &before, &behind, error))
		return -1;
	plant_program_row(&site->program, site->row, &begin, &end);
	for (size_t i = begin; i < end; i++)
		if (site->program.op[i].opcode == CFA_REMEMBER_STATE ||
		    site->program.op[i].opcode == CFA_RESTORE_STATE)
			return plant_refuse(error, "row %zu remembers or restores a state",
					    site->row);
	if (behind)
		behind->a += before->a;
	for (size_t i = end; i >= begin; i--) /* the advance too */
		plant_program_remove(&site->program, i - 1);
	return 0;
}

/* Moves the start of the site's row by bytes, or that of all rows from it on. */
static int move_row(struct plant_site *site, int64_t bytes, bool all, struct error *error)
{
	struct cfi_instruction *before = NULL, *behind = NULL;

	if (advances(site, &before, &behind, error))
		return -1;
	if (!all && behind && bytes > 0 && behind->a <= (uint64_t)bytes)
		return plant_refuse(error, "the next row begins there");
	if (!all && behind)
		behind->a -= bytes;
	before->a += bytes;
	return 0;
}

/* Alone, or with all behind it. */
static int plant_row_late(struct plant_site *site, struct error *error)
{
	unsigned int bytes = plant_instruction_bytes(site->source, row_pc(site, site->row));

	if (!bytes || row_pc(site, site->row) + bytes >= site->fde->pc_begin + site->fde->pc_range)
		return plant_refuse(error, "no instruction follows that one in the function");
	return move_row(site, bytes, site->by == ALL_ROWS, error);
}

static int plant_row_early(struct plant_site *site, struct error *error)
{
	uint64_t pc = row_pc(site, site->row), previous = 0;

	if (site->row)
		previous = plant_previous_instruction(site->source, row_pc(site, site->row - 1),
						      pc);
	if (!previous)
		return plant_refuse(error, "no instruction of the function precedes row %zu",
				    site->row);
	return move_row(site, -(int64_t)(pc - previous), false, error);
}

/* ---- expressions ------------------------------------------------------------------------ */

/* The constants of an expression that can be changed in place, up to the first operation that is
 * not known here. literal: DW_OP_lit*, else one-byte offsets (DW_OP_breg*, DW_OP_plus_uconst). */
static size_t find_constants(const struct cfi_instruction *op, bool literal, const uint8_t **ret,
			     size_t capacity)
{
	size_t count = 0;

	for (uint64_t i = 0; i < op->block_bytes; i++) {
		uint8_t atom = op->block[i];
		bool has_offset = (atom >= EXPRESSION_BREG0 && atom <= EXPRESSION_BREG31) ||
				  atom == EXPRESSION_PLUS_UCONST;

		if (has_offset) {
			if (++i == op->block_bytes || op->block[i] & 0x80)
				return count; /* of several bytes */
			if (!literal && count < capacity)
				ret[count++] = &op->block[i];
			continue;
		}
		if (literal && atom >= EXPRESSION_LIT0 && atom <= EXPRESSION_LIT30 &&
		    count < capacity)
			ret[count++] = &op->block[i];
		/* Without operands: deref; dup .. xor but plus_uconst, pick; comparisons; lit* */
		if (atom != EXPRESSION_DEREF_OP && atom != 0x12 && atom != 0x13 &&
		    !(atom >= 0x19 && atom <= 0x27) && !(atom >= 0x29 && atom <= 0x2e) &&
		    !(atom >= EXPRESSION_LIT0 && atom <= EXPRESSION_LIT31))
			return count;
	}
	return count;
}

static int plant_constant(struct plant_site *site, struct error *error)
{
	bool literal = site->by == LITERALS;
	size_t begin, end, count = 0;
	const uint8_t *constant[64];

	plant_program_row(&site->program, site->row, &begin, &end);
	for (size_t i = begin; i < end; i++)
		if (site->program.op[i].block)
			count += find_constants(&site->program.op[i], literal, constant + count,
						64 - count);
	if (!count)
		return plant_refuse(error, "row %zu has no expression with such a constant",
				    site->row);

	const struct plant_program *program = &site->program;
	uint8_t *chosen = program->bytes + (constant[site->seed % count] - program->bytes);

	if (literal)
		++*chosen;
	else
		*chosen = (*chosen + SLOT_BYTES) & 0x7f; /* an sleb128 or uleb128 of one byte */
	return 0;
}

/* ---- the table -------------------------------------------------------------------------- */

static const struct plant_kind kinds[] = {
	{ "cfa-offset-high", "the CFA is 8 bytes too high from a row on", true, plant_cfa_offset,
	  SLOT_BYTES },
	{ "cfa-offset-low", "the CFA is 8 bytes too low from a row on", true, plant_cfa_offset,
	  -SLOT_BYTES },
	{ "cfa-register", "the CFA hangs on another register: rbp for rsp, rsp for any other", true,
	  plant_cfa_register, 0 },
	{ "epilogue-lost", "the CFA does not come back to rsp+8 before the return", true,
	  plant_epilogue_lost, 0 },
	{ "save-offset", "a register is said to be saved one slot below its own", true,
	  plant_save_offset, 0 },
	{ "save-register", "the save of a register is said to be that of another", true,
	  plant_save_register, 0 },
	{ "save-lost", "a register's save is not said", true, plant_lost, CFA_OFFSET },
	{ "save-same-value", "a saved register is said to keep its value", true, plant_save,
	  CFA_SAME_VALUE },
	{ "save-undefined", "a saved register is said to be lost", true, plant_save,
	  CFA_UNDEFINED },
	{ "save-as-value", "a saved register is said to be the address of its slot", true,
	  plant_save, CFA_VAL_OFFSET },
	{ "restore-lost", "a restored register is still said to be on the stack", true, plant_lost,
	  CFA_RESTORE },
	{ "return-undefined", "the return address is undefined from a row on: the stack ends early",
	  true, plant_return, CFA_UNDEFINED },
	{ "return-in-register", "the return address is said to be in rbp from a row on", true,
	  plant_return, CFA_REGISTER },
	{ "restore-state-lost", "the rules of an epilogue go on behind its return", true,
	  plant_lost, CFA_RESTORE_STATE },
	{ "remember-state-lost", "a state is restored that was never remembered", true, plant_lost,
	  CFA_REMEMBER_STATE },
	{ "row-missing", "a row's instructions are not there: the row before it goes on", true,
	  plant_row_missing, 0 },
	{ "row-late", "a row begins one instruction late", true, plant_row_late, ONE_ROW },
	{ "row-early", "a row begins one instruction early", true, plant_row_early, 0 },
	{ "rows-late", "a row and all behind it begin one instruction late", true, plant_row_late,
	  ALL_ROWS },
	{ "expression-literal", "a literal of an expression is one too high", true, plant_constant,
	  LITERALS },
	{ "expression-offset", "an offset of an expression is 8 too high", true, plant_constant,
	  OFFSETS },
	{ "fde-dropped", "the function's FDE is not there, nor in the search table", false,
	  plant_fde_dropped, 0 },
	{ "range-shrunk", "the FDE ends where a row begins", true, plant_range_shrunk, 0 },
	{ "range-grown", "the FDE covers the code behind it that has none", false,
	  plant_range_grown, 0 },
	{ "range-stolen", "the FDE covers the end of the function before it", false,
	  plant_range_stolen, 0 },
	{ "start-late", "the FDE, with all of its rows, begins one instruction late", false,
	  plant_start_late, 0 },
	{ "ranges-swapped", "two neighbours have each other's rows", false, plant_ranges_swapped,
	  0 },
	{ "return-column", "the CIE's return address column is rbp's", false, plant_return_column,
	  0 },
	{ "data-alignment", "the CIE's data alignment is -4: registers are half as far off", false,
	  plant_data_alignment, 0 },
	{ "code-alignment", "the CIE's code alignment is 2: rows begin twice as far off", false,
	  plant_code_alignment, 0 },
	{ "initial-cfa", "the CIE's initial CFA is 8 bytes too high", false, plant_initial,
	  CFA_DEF_CFA },
	{ "initial-return", "the CIE says that the return address is one slot lower", false,
	  plant_initial, CFA_OFFSET },
	{ "signal-flag-lost", "the CIE's S: a signal frame is said to be an ordinary one", false,
	  plant_signal_flag, 0 },
};

static_assert(ARRAY_COUNT(kinds) <= PLANT_KINDS_MAX, "the tally counts each kind");

const struct plant_kind *plant_kind_at(size_t index)
{
	return index < ARRAY_COUNT(kinds) ? &kinds[index] : NULL;
}

const struct plant_kind *plant_kind_find(const char *name)
{
	return ARRAY_FIRST(kinds, ARRAY_COUNT(kinds), kind, !strcmp(kind->name, name));
}
