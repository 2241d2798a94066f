/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_program.c - call frame instructions -> rows
 *
 * An FDE's rows are not stored; they are executed: the CIE's instructions make the initial row,
 * then the FDE's change it and advance the PC (DWARF 5, 6.4.2 and 6.4.3):
 *
 *	DW_CFA_def_cfa rsp 8; DW_CFA_offset rip -8	pc+0	cfa=rsp+8  ra=c-8
 *	DW_CFA_advance_loc 1; DW_CFA_def_cfa_offset 16	pc+1	cfa=rsp+16 ra=c-8
 *	DW_CFA_offset rbp -16				pc+1	cfa=rsp+16 ra=c-8 rbp=c-16
 *
 * One machine serves two readers. cfi_rows is strict and gives what an unwinder needs: no empty
 * rows, nothing outside of the FDE. cfi_raw_rows is what a dump tool shows: every advance. The
 * registers above REGISTER_RIP (vector registers are saved by functions of the Microsoft ABI) no
 * unwinder of x86-64 carries: a dump has their rules, a row of cfi_rows only what tells two sets of
 * them apart.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi_instruction.h"
#include "cfi_section.h"
#include "hash.h"
#include "image/pointer.h"
#include "reader.h"

#define HIGH_COUNT (CFI_REGISTER_MAX + 1 - REGISTER_COUNT)

/*
 * What DW_CFA_remember_state keeps is not a copy of all rules but a log of what changed since, and
 * of that only the first change of each: a state that was remembered costs nothing until it is
 * left.
 * A mark separates the levels; equal levels share one.
 */
enum {
	CELL_CFA = CFI_REGISTER_MAX + 1, /* below it: the register of that number */
	CELL_RA_STATE,
	CELL_MARK,
};

struct saved {
	int64_t offset; /* of a mark: how many levels it stands for */
	const uint8_t *expression;
	uint32_t expression_bytes; /* of a mark: saved_cells of the level below */
	uint16_t cell;
	uint8_t kind;
	uint8_t reg;
};

/* A function that needs more is not one that a compiler wrote: half a million changes. */
#define SAVED_BYTES_MAX (12u << 20)

struct machine {
	const struct cfi *cfi;
	const struct cfi_cie *cie;
	struct reader reader;
	uint64_t function; /* the FDE's first PC */
	uint64_t pc;
	uint64_t pc_end;       /* of the FDE */
	struct row row;	       /* the current rules */
	struct row_rule *high; /* NULL: none has had a rule yet */
	struct row initial;    /* after the CIE: what DW_CFA_restore goes back to */
	struct row_rule *initial_high;
	struct saved *saved;
	size_t saved_count;
	size_t saved_capacity;
	const uint8_t
		*half;	/* what has changed half of a CFA rule that is none, if it is none still */
	uint64_t depth; /* how many states are remembered */
	uint32_t saved_cells; /* of the top level: bits of registers, REGISTER_COUNT.. the others */
	bool raw;
	bool in_cie;
	bool *mentioned; /* with cfi_registers, else NULL */
	cfi_row_fn row_fn;
	cfi_raw_row_fn raw_fn;
	void *context;
	int stopped; /* what the callback returned */
	struct error *error;
};

static int fail(const struct machine *machine, const uint8_t *at, enum error_code code,
		const char *what)
{
	return error_set(machine->error, code, machine->cie->section->name,
			 at - machine->cie->section->data, "%s", what);
}

static int truncated(const struct machine *machine, const uint8_t *at)
{
	return error_set(machine->error, ERROR_CFI_TRUNCATED, machine->cie->section->name,
			 at - machine->cie->section->data,
			 "operand of %s (0x%02x) reaches past its entry's end",
			 cfi_instruction_form(*at)->name, *at);
}

static bool is_aarch64(const struct machine *machine)
{
	return machine->cfi->image->machine == EM_AARCH64;
}

/* ---- rows out ---------------------------------------------------------------------------- */

/*
 * The return address is where the CIE's column says (DWARF 5, 6.4.1): a rule of that column, or the
 * register itself where it has none. Rows have it at REGISTER_RIP. Every x86-64 compiler says 16.
 */
static int emit_other_return(struct machine *machine)
{
	uint64_t column = machine->cie->return_register;
	struct row row = machine->row;
	if (column >= REGISTER_COUNT)
		return machine->stopped =
			       error_set(machine->error, ERROR_CFI_REGISTER,
					 machine->cie->section->name, machine->cie->offset,
					 "the return address can't be in column %" PRIu64, column);
	row.reg[REGISTER_RIP] = row.reg[column];
	if (row.reg[column].kind == RULE_UNSPECIFIED || row.reg[column].kind == RULE_SAME_VALUE)
		row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_REGISTER,
							    .reg = (uint32_t)column };
	machine->stopped = machine->row_fn(machine->context, &row);
	return machine->stopped;
}

/* The current rules held from row.pc up to pc. */
static int emit(struct machine *machine, uint64_t pc)
{
	machine->row.pc_end = pc;
	if (machine->raw) {
		if (!machine->raw_fn)
			return 0;
		struct cfi_raw_row raw = { &machine->row, machine->high,
					   machine->high ? HIGH_COUNT : 0 };
		machine->stopped = machine->raw_fn(machine->context, &raw);
	} else if (machine->row.pc < pc && machine->half) {
		machine->stopped = fail(machine, machine->half, ERROR_CFI_STATE,
					"half of a CFA rule is changed where there is none");
	} else if (machine->row.pc < pc) {
		if (machine->cie->return_register != REGISTER_RIP && !is_aarch64(machine))
			return emit_other_return(machine);
		machine->stopped = machine->row_fn(machine->context, &machine->row);
	}
	return machine->stopped;
}

static int advance_to(struct machine *machine, uint64_t pc, const uint8_t *at)
{
	if (machine->in_cie && !machine->raw)
		return fail(machine, at, ERROR_CFI_INSTRUCTION, "the CIE advances the PC");
	if (!machine->raw && (pc < machine->pc || pc > machine->pc_end)) {
		bool backwards = pc < machine->pc;
		/* What was said up to here is good, and holds at most to the FDE's end. */
		if (!backwards && emit(machine, machine->pc_end))
			return machine->stopped;
		return error_set(machine->error, ERROR_CFI_RANGE, machine->cie->section->name,
				 at - machine->cie->section->data,
				 "an advance to 0x%" PRIx64 " leaves 0x%" PRIx64 "..0x%" PRIx64, pc,
				 machine->pc, machine->pc_end);
	}
	if ((machine->raw || pc != machine->pc) && emit(machine, pc))
		return machine->stopped;
	machine->pc = pc;
	machine->row.pc = pc;
	return 0;
}

static int advance(struct machine *machine, uint64_t factored, const uint8_t *at)
{
	uint64_t delta;
	if (__builtin_mul_overflow(factored, machine->cie->code_alignment, &delta) ||
	    machine->pc + delta < machine->pc) {
		if (!machine->raw)
			return fail(machine, at, ERROR_CFI_RANGE, "an advance wraps");
		delta = factored * machine->cie->code_alignment;
	}
	return advance_to(machine, machine->pc + delta, at);
}

/* ---- remember and restore ---------------------------------------------------------------- */

static int push_saved(struct machine *machine, const struct saved *saved)
{
	if (machine->saved_count == machine->saved_capacity) {
		size_t capacity = machine->saved_capacity + machine->saved_capacity / 2 + 32;
		uint64_t offset = machine->reader.at - machine->cie->section->data;
		struct saved *grown;
		if (capacity > SAVED_BYTES_MAX / sizeof(*grown))
			return error_set(machine->error, ERROR_CFI_STATE,
					 machine->cie->section->name, offset,
					 "more than %zu changes of remembered states",
					 machine->saved_count);
		grown = realloc(machine->saved, capacity * sizeof(*grown));
		if (!grown)
			return error_set(machine->error, ERROR_MEMORY, machine->cie->section->name,
					 offset, "no memory for remembered states");
		machine->saved = grown;
		machine->saved_capacity = capacity;
	}
	machine->saved[machine->saved_count++] = *saved;
	return 0;
}

static struct row_rule *cell_rule(struct machine *machine, unsigned int cell)
{
	if (cell < REGISTER_COUNT)
		return &machine->row.reg[cell];
	return cell == CELL_CFA ? &machine->row.cfa : &machine->high[cell - REGISTER_COUNT];
}

/* A register's part of row.high. Undefined is what no rule means for those registers: 0, too. */
static uint64_t high_part(unsigned int reg, const struct row_rule *rule)
{
	uint64_t hash = hash_word(hash_word(reg, rule->kind), rule->reg);

	if (rule->kind == RULE_UNSPECIFIED || rule->kind == RULE_UNDEFINED)
		return 0;
	hash = hash_word(hash, (uint64_t)rule->offset);
	if (rule->expression_bytes)
		hash = hash_word(hash, hash_bytes(rule->expression, rule->expression_bytes));
	return hash_mix(hash);
}

static void put_rule(struct machine *machine, unsigned int cell, const struct row_rule *rule)
{
	struct row_rule *at = cell_rule(machine, cell);

	if (cell >= REGISTER_COUNT && cell < CELL_CFA)
		machine->row.high ^= high_part(cell, at) ^ high_part(cell, rule);
	*at = *rule;
}

/* Before a cell changes. */
static int save(struct machine *machine, unsigned int cell)
{
	if (!machine->depth)
		return 0;
	uint32_t bit = 0;
	if (cell < REGISTER_COUNT)
		bit = 1u << cell;
	else if (cell >= CELL_CFA)
		bit = 1u << (REGISTER_COUNT + cell - CELL_CFA);
	if (machine->saved_cells & bit)
		return 0;
	struct saved saved = { .cell = (uint16_t)cell };
	if (cell == CELL_RA_STATE) {
		saved.reg = machine->row.ra_signed;
	} else {
		const struct row_rule *rule = cell_rule(machine, cell);
		saved.kind = (uint8_t)rule->kind;
		saved.reg = (uint8_t)rule->reg;
		saved.offset = rule->offset;
		saved.expression = rule->expression;
		saved.expression_bytes = (uint32_t)rule->expression_bytes;
	}
	if (push_saved(machine, &saved))
		return -1;
	machine->saved_cells |= bit;
	return 0;
}

static int remember(struct machine *machine)
{
	struct saved *top = machine->saved_count ? &machine->saved[machine->saved_count - 1] : NULL;
	if (top && top->cell == CELL_MARK) {
		top->offset++;
	} else {
		struct saved mark = { .cell = CELL_MARK,
				      .offset = 1,
				      .expression_bytes = machine->saved_cells };
		if (push_saved(machine, &mark))
			return -1;
	}
	machine->saved_cells = 0;
	machine->depth++;
	return 0;
}

/* The CFA is part of the state, as GCC and every unwinder have it; the PC and args_size are not. */
static int recall(struct machine *machine, const uint8_t *at)
{
	if (!machine->depth) {
		if (machine->raw)
			return 0;
		return fail(machine, at, ERROR_CFI_STATE, "no remembered state to restore");
	}
	machine->half = NULL;
	struct saved *saved = &machine->saved[machine->saved_count - 1];
	for (; saved->cell != CELL_MARK; saved--, machine->saved_count--) {
		if (saved->cell == CELL_RA_STATE)
			machine->row.ra_signed = saved->reg;
		else
			put_rule(machine, saved->cell,
				 &(struct row_rule) {
					 .kind = saved->kind,
					 .reg = saved->reg,
					 .offset = saved->offset,
					 .expression = saved->expression,
					 .expression_bytes = saved->expression_bytes,
				 });
	}
	machine->depth--;
	machine->saved_cells = 0;
	if (!--saved->offset) {
		machine->saved_cells = saved->expression_bytes;
		machine->saved_count--;
	}
	return 0;
}

/* ---- registers --------------------------------------------------------------------------- */

/* Room for the rules of registers above REGISTER_RIP, which few FDEs have. */
static int make_high(struct machine *machine)
{
	if (!machine->high && !(machine->high = calloc(HIGH_COUNT, sizeof(*machine->high))))
		return error_set(machine->error, ERROR_MEMORY, NULL, 0, "no memory for registers");
	return 0;
}

static int set_rule(struct machine *machine, uint64_t reg, struct row_rule rule, const uint8_t *at)
{
	if (reg > CFI_REGISTER_MAX)
		return error_set(machine->error, ERROR_CFI_REGISTER, machine->cie->section->name,
				 at - machine->cie->section->data,
				 "register %" PRIu64 " does not exist", reg);
	if (machine->mentioned)
		machine->mentioned[reg] = true;
	if ((reg >= REGISTER_COUNT && make_high(machine)) || save(machine, (unsigned int)reg))
		return -1;
	put_rule(machine, (unsigned int)reg, &rule);
	return 0;
}

static int restore(struct machine *machine, uint64_t reg, const uint8_t *at)
{
	struct row_rule rule = { RULE_UNSPECIFIED };
	if (reg < REGISTER_COUNT)
		rule = machine->initial.reg[reg];
	else if (machine->initial_high && reg <= CFI_REGISTER_MAX)
		rule = machine->initial_high[reg - REGISTER_COUNT];
	return set_rule(machine, reg, rule, at);
}

static int set_offset(struct machine *machine, enum rule_kind kind, uint64_t reg, uint64_t factored,
		      const uint8_t *at)
{
	struct row_rule rule = {
		.kind = kind,
		.offset = (int64_t)(factored * (uint64_t)machine->cie->data_alignment),
	};
	return set_rule(machine, reg, rule, at);
}

static int set_cfa(struct machine *machine, uint64_t reg, uint64_t offset, const uint8_t *at)
{
	bool carried = reg < REGISTER_COUNT || machine->raw || is_aarch64(machine);
	if (!carried || reg > CFI_REGISTER_MAX)
		return error_set(machine->error, ERROR_CFI_REGISTER, machine->cie->section->name,
				 at - machine->cie->section->data,
				 "the CFA can't hang on register %" PRIu64, reg);
	if (save(machine, CELL_CFA))
		return -1;
	machine->row.cfa = (struct row_rule) { .kind = RULE_CFA_REGISTER,
					       .reg = (uint32_t)reg,
					       .offset = (int64_t)offset };
	machine->half = NULL;
	return 0;
}

/* DWARF 5, 6.4.2.2: valid only if the current CFA rule is a register and an offset. But what another rule replaces before
 * any row hangs on it does no harm to any reader: libgcc, GDB, libunwind, libdw. */
static bool is_half(struct machine *machine, const uint8_t *at)
{
	if (machine->row.cfa.kind == RULE_CFA_REGISTER || machine->raw)
		return false;
	machine->half = machine->half ? machine->half : at;
	return true;
}

static int set_cfa_register(struct machine *machine, uint64_t reg, const uint8_t *at)
{
	/* One that does not exist is none of half a rule either. */
	if (reg <= CFI_REGISTER_MAX && is_half(machine, at))
		return 0;
	return set_cfa(machine, reg, machine->row.cfa.offset, at);
}

static int set_cfa_offset(struct machine *machine, uint64_t offset, const uint8_t *at)
{
	if (is_half(machine, at))
		return 0;
	if (save(machine, CELL_CFA))
		return -1;
	machine->row.cfa.offset = (int64_t)offset;
	return 0;
}

/* ---- instructions ------------------------------------------------------------------------ */

static int set_expression(struct machine *machine, const struct cfi_instruction *instruction,
			  enum rule_kind kind, const uint8_t *at)
{
	struct row_rule rule = { .kind = kind,
				 .expression = instruction->block,
				 .expression_bytes = instruction->block_bytes };
	if (rule.expression_bytes > EXPRESSION_BYTES_MAX && !machine->raw)
		return error_set(machine->error, ERROR_EXPRESSION, machine->cie->section->name,
				 (uint64_t)(at - machine->cie->section->data),
				 "an expression of %" PRIu64 " bytes, more than %u",
				 rule.expression_bytes, EXPRESSION_BYTES_MAX);
	if (kind == RULE_CFA_EXPRESSION) {
		if (save(machine, CELL_CFA))
			return -1;
		rule.reg = machine->row.cfa.reg;
		rule.offset = machine->row.cfa.offset;
		machine->row.cfa = rule;
		machine->half = NULL;
		return 0;
	}
	return set_rule(machine, instruction->a, rule, at);
}

static int set_loc(struct machine *machine, const uint8_t *at)
{
	struct pointer_context context = { .image = machine->cfi->image,
					   .section = machine->cie->section,
					   .function = machine->function,
					   .address_bytes = machine->cie->address_bytes };
	uint64_t pc;
	if (pointer_read(&context, &machine->reader, machine->cie->fde_encoding, &pc,
			 machine->error))
		return -1;
	return advance_to(machine, pc, at);
}

/* The same number means other things elsewhere (SPARC: GNU_window_save), so it goes by machine. */
static int negate_ra_state(struct machine *machine, const uint8_t *at)
{
	if (!is_aarch64(machine))
		return fail(machine, at, ERROR_CFI_INSTRUCTION,
			    "DW_CFA_AARCH64_negate_ra_state (0x2d) is not defined on x86-64");
	if (save(machine, CELL_RA_STATE))
		return -1;
	machine->row.ra_signed = !machine->row.ra_signed;
	return 0;
}

static int undefined(const struct machine *machine, const uint8_t *at)
{
	return error_set(machine->error, ERROR_CFI_INSTRUCTION, machine->cie->section->name,
			 at - machine->cie->section->data,
			 "call frame instruction 0x%02x is not defined on %s", *at,
			 is_aarch64(machine) ? "AArch64" : "x86-64");
}

static int execute_one(struct machine *machine)
{
	const uint8_t *at = machine->reader.at; /* for errors */
	uint64_t align = (uint64_t)machine->cie->data_alignment;
	struct cfi_instruction instruction;
	if (!cfi_instruction_read(&machine->reader, &instruction))
		return truncated(machine, at);
	uint64_t a = instruction.a;
	uint64_t b = instruction.b;

	switch (instruction.opcode) {
	case CFA_ADVANCE_LOC:
	case CFA_ADVANCE_LOC1:
	case CFA_ADVANCE_LOC2:
	case CFA_ADVANCE_LOC4:
	case CFA_MIPS_ADVANCE_LOC8: return advance(machine, a, at);
	case CFA_NOP: return 0;
	case CFA_SET_LOC: return set_loc(machine, at);
	case CFA_OFFSET:
	case CFA_OFFSET_EXTENDED:
	case CFA_OFFSET_EXTENDED_SF: return set_offset(machine, RULE_OFFSET, a, b, at);
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED: return set_offset(machine, RULE_OFFSET, a, -b, at);
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF: return set_offset(machine, RULE_VAL_OFFSET, a, b, at);
	case CFA_RESTORE:
	case CFA_RESTORE_EXTENDED: return restore(machine, a, at);
	case CFA_UNDEFINED:
		return set_rule(machine, a, (struct row_rule) { .kind = RULE_UNDEFINED }, at);
	case CFA_SAME_VALUE:
		return set_rule(machine, a, (struct row_rule) { .kind = RULE_SAME_VALUE }, at);
	case CFA_REGISTER:
		if (b > CFI_REGISTER_MAX)
			return fail(machine, at, ERROR_CFI_REGISTER,
				    "a register is kept in one that does not exist");
		return set_rule(machine, a,
				(struct row_rule) { .kind = RULE_REGISTER, .reg = (uint32_t)b },
				at);
	case CFA_EXPRESSION: return set_expression(machine, &instruction, RULE_EXPRESSION, at);
	case CFA_VAL_EXPRESSION:
		return set_expression(machine, &instruction, RULE_VAL_EXPRESSION, at);
	case CFA_REMEMBER_STATE: return remember(machine);
	case CFA_RESTORE_STATE: return recall(machine, at);
	case CFA_DEF_CFA: return set_cfa(machine, a, b, at);
	case CFA_DEF_CFA_SF: return set_cfa(machine, a, b * align, at);
	case CFA_DEF_CFA_REGISTER: return set_cfa_register(machine, a, at);
	case CFA_DEF_CFA_OFFSET: return set_cfa_offset(machine, a, at);
	case CFA_DEF_CFA_OFFSET_SF: return set_cfa_offset(machine, a * align, at);
	case CFA_DEF_CFA_EXPRESSION:
		return set_expression(machine, &instruction, RULE_CFA_EXPRESSION, at);
	case CFA_GNU_ARGS_SIZE: machine->row.args_size = a; return 0;
	case CFA_AARCH64_NEGATE_RA_STATE: return negate_ra_state(machine, at);
	default: return undefined(machine, at);
	}
}

static int execute(struct machine *machine, const uint8_t *instructions, uint64_t size)
{
	if (!size) /* there may be no pointer either */
		return 0;
	machine->reader = (struct reader) { instructions, instructions + size };
	while (machine->reader.at < machine->reader.end) {
		int result = execute_one(machine);
		if (result)
			return result;
	}
	return 0;
}

static struct row_rule *high_copy(const struct row_rule *high)
{
	struct row_rule *copy = malloc(HIGH_COUNT * sizeof(*copy));
	if (copy)
		memcpy(copy, high, HIGH_COUNT * sizeof(*copy));
	return copy;
}

/* The CIE's instructions, then, if there is one, the FDE's, up to the last row. */
static int run(struct machine *machine, const struct cfi_fde *fde)
{
	machine->row.signal_frame = machine->cie->signal_frame;
	machine->function = fde ? fde->pc_begin : 0;
	machine->pc = machine->function;
	machine->pc_end = fde ? fde->pc_begin + fde->pc_range : 0;
	machine->row.pc = machine->pc;
	machine->in_cie = true;
	int result = execute(machine, machine->cie->instructions, machine->cie->instruction_bytes);
	machine->in_cie = false;
	if ((!result || machine->raw) && fde) {
		machine->initial = machine->row;
		if (machine->high && !(machine->initial_high = high_copy(machine->high)))
			result = error_set(machine->error, ERROR_MEMORY, NULL, 0,
					   "no memory for the initial row");
		if (!result || machine->raw)
			result |= execute(machine, fde->instructions, fde->instruction_bytes);
	}
	if (!machine->stopped && (!result || machine->raw))
		result |= emit(machine, machine->pc_end);
	return machine->stopped ? machine->stopped : result;
}

static void machine_deinit(struct machine *machine)
{
	free(machine->saved);
	free(machine->high);
	free(machine->initial_high);
}

/* ---- the public faces -------------------------------------------------------------------- */

int cfi_rows(const struct cfi *cfi, const struct cfi_fde *fde, cfi_row_fn fn, void *context,
	     struct error *error)
{
	struct machine machine = { .cfi = cfi,
				   .cie = &cfi->cie[fde->cie],
				   .row_fn = fn,
				   .context = context,
				   .error = error };
	int result = run(&machine, fde);
	machine_deinit(&machine);
	return result;
}

int cfi_registers(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		  bool mentioned[CFI_REGISTER_MAX + 1])
{
	struct error error;
	struct machine machine = {
		.cfi = cfi, .cie = cie, .raw = true, .mentioned = mentioned, .error = &error
	};
	run(&machine, fde);
	machine_deinit(&machine);
	for (int reg = CFI_REGISTER_MAX; reg >= 0; reg--)
		if (mentioned[reg])
			return reg;
	return -1;
}

static bool only_nops(const uint8_t *instructions, uint64_t size)
{
	return !ARRAY_ANY(size, i, instructions[i] != CFA_NOP);
}

int cfi_raw_rows(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_fde *fde,
		 cfi_raw_row_fn fn, void *context, struct error *error)
{
	if (only_nops(fde ? fde->instructions : cie->instructions,
		      fde ? fde->instruction_bytes : cie->instruction_bytes))
		return 0;
	bool mentioned[CFI_REGISTER_MAX + 1] = { false };
	struct machine machine = { .cfi = cfi,
				   .cie = cie,
				   .raw = true,
				   .raw_fn = fn,
				   .context = context,
				   .error = error };
	if (cfi_registers(cfi, cie, fde, mentioned) >= REGISTER_COUNT && make_high(&machine))
		return -1;
	int result = run(&machine, fde);
	machine_deinit(&machine);
	return result;
}
