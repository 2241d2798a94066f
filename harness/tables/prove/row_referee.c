/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_referee.c - libdw's word on single rows
 *
 * dwarf_cfi_addrframe() interprets the CFI up to an address, and dwarf_frame_cfa() and
 * dwarf_frame_register() say what it found as operations. Rules without expressions are compared
 * by structure, so that two that agree by chance are not taken for equal:
 *
 *	here		libdw
 *	undefined	no operations, at the caller's buffer
 *	same value	no operations, at NULL
 *	*(cfa + n)	call_frame_cfa [plus_uconst n]
 *	cfa + n		call_frame_cfa [plus_uconst n] stack_value
 *	register	regx r
 *	(val_)expression	call_frame_cfa, the operations [stack_value]
 *	no rule		what libdw thinks that the ABI says, see below
 *
 * Expressions are evaluated, ours by expression_evaluate() and libdw's by operations.c, on made-up
 * registers and memory. libdw has no word for "no rule": it starts every CIE with rules of its own
 * for the ABI. Those of libdw 0.188 for x86-64 are listed in abi_rule(); they take rax (0) for rbx
 * (3), and give the return address the same value. So where our row has no rule, libdw must say
 * exactly what that list says, and an explicit "same value" of a register in it, or an explicit
 * "undefined" of one that is not, can't be told from no rule: readelf's lines can.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hash.h"
#include "operations.h"
#include "row_referee.h"

#define DRAWS 16 /* the PC's low bits take every value: PLT expressions look at them */

struct row_referee {
	int fd;
	Elf *elf;
	Dwarf *dwarf;	/* for .debug_frame, else NULL */
	Dwarf_CFI *cfi; /* of dwarf, or our own */
	bool own_cfi;
};

void row_referee_destroy(struct row_referee *referee)
{
	if (!referee)
		return;
	if (referee->own_cfi)
		dwarf_cfi_end(referee->cfi);
	dwarf_end(referee->dwarf);
	elf_end(referee->elf);
	if (referee->fd >= 0)
		close(referee->fd);
	free(referee);
}

int row_referee_create(const char *path, bool eh_frame, struct row_referee **ret,
		       struct error *error)
{
	struct row_referee *referee = calloc(1, sizeof(*referee));

	*ret = NULL;
	if (!referee)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for the referee");
	elf_version(EV_CURRENT);
	referee->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (referee->fd < 0) {
		error_set_errno(error, "open");
		row_referee_destroy(referee);
		return -1;
	}
	referee->elf = elf_begin(referee->fd, ELF_C_READ_MMAP, NULL);
	if (referee->elf && eh_frame) {
		referee->cfi = dwarf_getcfi_elf(referee->elf);
		referee->own_cfi = referee->cfi;
	} else if (referee->elf) {
		referee->dwarf = dwarf_begin_elf(referee->elf, DWARF_C_READ, NULL);
		referee->cfi = referee->dwarf ? dwarf_getcfi(referee->dwarf) : NULL;
	}
	if (!referee->cfi) {
		const char *message = dwarf_errmsg(0); /* NULL: none */

		row_referee_destroy(referee);
		return error_set(error, ERROR_UNAVAILABLE, eh_frame ? ".eh_frame" : ".debug_frame",
				 0, "libdw: %s", message ? message : "no CFI");
	}
	*ret = referee;
	return 0;
}

/* ---- made-up registers and memory --------------------------------------------------------- */

static int hashed_read(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = hash_mix(address);

	if (size > sizeof(word))
		return -1;
	memcpy(ret, &word, size);
	return 0;
}

/* The same outcome, value or failure, in every draw. push_cfa: a register's expression. */
static bool expressions_equal(const struct row_rule *rule, bool push_cfa, bool is_value,
			      const Dwarf_Op *ops, size_t count)
{
	static const struct memory_reader memory = { .read = hashed_read };
	uint64_t random = 0;

	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
		struct operations operations = { ops, count, &regs, &memory, NULL };
		uint64_t cfa = hash_mix(~random), ours = 0, theirs = 0;
		bool theirs_is_value = false;
		struct error error;

		for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
			regs.value[reg] = random = hash_mix(random);
		regs.value[REGISTER_RIP] = (random & ~15ull) | draw;
		if (push_cfa)
			operations.cfa = &cfa;
		bool failed = expression_evaluate(rule->expression, rule->expression_bytes, &regs,
						  push_cfa, cfa, &memory, &ours, &error);
		if (operations_evaluate(&operations, &theirs, &theirs_is_value) == failed)
			return false;
		if (!failed && (ours != theirs || theirs_is_value != is_value))
			return false;
	}
	return true;
}

/* ---- one column --------------------------------------------------------------------------- */

/* *(cfa + offset), or (is_value) cfa + offset. */
static bool is_cfa_offset(const Dwarf_Op *ops, size_t count, int64_t offset, bool is_value)
{
	size_t at = 0;

	if (at == count || ops[at++].atom != DW_OP_call_frame_cfa)
		return false;
	if (offset && (at == count || ops[at].atom != DW_OP_plus_uconst ||
		       (int64_t)ops[at++].number != offset))
		return false;
	if (is_value && (at == count || ops[at++].atom != DW_OP_stack_value))
		return false;
	return at == count;
}

/* What libdw 0.188 says of a register that the CFI has no rule for (its x86_64_cfi.c). */
static enum rule_kind abi_rule(unsigned int reg)
{
	switch (reg) {
	case REGISTER_RAX: /* listed for rbx */
	case REGISTER_RBP:
	case REGISTER_R12:
	case REGISTER_R13:
	case REGISTER_R14:
	case REGISTER_R15:
	case REGISTER_RIP: return RULE_SAME_VALUE;
	case REGISTER_RSP: return RULE_VAL_OFFSET;
	default: return RULE_UNDEFINED;
	}
}

/*
 * A register's expression of length 0 leaves what lies on the stack to begin with: the CFA (DWARF 5, 6.4.2.3).
 * libdw (0.188) takes no operations for no expression, and says "undefined". It is known to be wrong there, so
 * its word counts nothing; what ours reads is held against readelf's lines, and the table against it.
 */
static bool is_overruled(const struct row_rule *rule, size_t count)
{
	return !rule->expression_bytes && !count;
}

static bool rules_equal(const struct row_rule *rule, unsigned int reg, const Dwarf_Op *ops,
			size_t count, const Dwarf_Op *scratch)
{
	enum rule_kind kind = rule->kind == RULE_UNSPECIFIED ? abi_rule(reg) : rule->kind;
	int64_t offset = rule->kind == RULE_UNSPECIFIED ? 0 : rule->offset;

	switch (kind) {
	case RULE_UNDEFINED: return !count && ops == scratch;
	case RULE_SAME_VALUE: return !count && !ops;
	case RULE_OFFSET: return is_cfa_offset(ops, count, offset, false);
	case RULE_VAL_OFFSET: return is_cfa_offset(ops, count, offset, true);
	case RULE_REGISTER:
		return count == 1 && ops->atom == DW_OP_regx && ops->number == rule->reg;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
		if (is_overruled(rule, count))
			return true;
		return count &&
		       expressions_equal(rule, true, kind == RULE_VAL_EXPRESSION, ops, count);
	default: return false;
	}
}

static bool cfas_equal(const struct row_rule *rule, const Dwarf_Op *ops, size_t count)
{
	if (rule->kind == RULE_CFA_EXPRESSION)
		return count && expressions_equal(rule, false, false, ops, count);
	return rule->kind == RULE_CFA_REGISTER && count == 1 && ops->atom == DW_OP_bregx &&
	       ops->number == rule->reg && (int64_t)ops->number2 == rule->offset;
}

/* ---- one row ------------------------------------------------------------------------------ */

/*
 * Of a register, and at REGISTER_RIP of the return address: that is what libdw says of its column, and where that has no
 * rule or stays as it was, the register itself (cfi_program.c). What libdw has for rip then is nobody's.
 */
static bool register_is_agreed(Dwarf_Frame *frame, const struct row *row, unsigned int reg,
			       uint64_t column, char why[ROW_REFEREE_WHY])
{
	const bool is_other = reg == REGISTER_RIP && column != REGISTER_RIP;
	const unsigned int asked = is_other ? (unsigned int)column : reg;
	const struct row_rule *rule = &row->reg[reg];
	Dwarf_Op scratch[3], *ops;
	size_t count;
	int failed = dwarf_frame_register(frame, (int)asked, scratch, &ops, &count);

	if (is_other && rule->kind == RULE_REGISTER && rule->reg == column &&
	    (row->reg[asked].kind == RULE_UNSPECIFIED || row->reg[asked].kind == RULE_SAME_VALUE))
		rule = &row->reg[asked];
	if (!failed && rules_equal(rule, asked, ops, count, scratch))
		return true;
	snprintf(why, ROW_REFEREE_WHY, "libdw: another rule for %s (%s)", register_name(reg),
		 failed	 ? dwarf_errmsg(-1)
		 : count ? "operations"
		 : ops	 ? "undefined"
			 : "same value");
	return false;
}

static enum row_judgment judge_frame(Dwarf_Frame *frame, const struct row *row, uint64_t column,
				     char why[ROW_REFEREE_WHY])
{
	Dwarf_Addr start = 0, end = 0;
	Dwarf_Op *ops;
	bool signal_frame = false;
	size_t count;
	int ra = dwarf_frame_info(frame, &start, &end, &signal_frame);

	if (ra < 0 || (uint64_t)ra != column || signal_frame != row->signal_frame) {
		snprintf(why, ROW_REFEREE_WHY, "libdw: return address column %d%s", ra,
			 signal_frame ? ", a signal frame" : "");
		return ROW_DISPUTED;
	}
	/* libdw restores the address with a remembered state: its start may lie too far back. */
	if (start > row->pc || end != row->pc_end) {
		snprintf(why, ROW_REFEREE_WHY, "libdw: the row is 0x%lx..0x%lx", start, end);
		return ROW_DISPUTED;
	}
	if (dwarf_frame_cfa(frame, &ops, &count)) {
		snprintf(why, ROW_REFEREE_WHY, "libdw: no CFA: %s", dwarf_errmsg(-1));
		return ROW_DISPUTED;
	}
	if (!cfas_equal(&row->cfa, ops, count)) {
		snprintf(why, ROW_REFEREE_WHY, "libdw: another CFA (%zu operations)", count);
		return ROW_DISPUTED;
	}
	for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
		if (!register_is_agreed(frame, row, reg, column, why))
			return ROW_DISPUTED;
	return ROW_AGREED;
}

enum row_judgment row_referee_judge(const struct row_referee *referee, const struct row *row,
				    uint64_t column, char ret_why[ROW_REFEREE_WHY])
{
	Dwarf_Frame *frame = NULL;
	enum row_judgment judgment;

	if (dwarf_cfi_addrframe(referee->cfi, row->pc, &frame)) {
		snprintf(ret_why, ROW_REFEREE_WHY, "libdw: %s", dwarf_errmsg(-1));
		return ROW_UNKNOWN;
	}
	judgment = judge_frame(frame, row, column, ret_why);
	free(frame);
	return judgment;
}

bool row_referee_has_frame(const struct row_referee *referee, uint64_t vaddr)
{
	Dwarf_Frame *frame = NULL;

	if (dwarf_cfi_addrframe(referee->cfi, vaddr, &frame))
		return false;
	free(frame);
	return true;
}
