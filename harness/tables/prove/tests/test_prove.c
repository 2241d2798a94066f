/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove.c - do the proofs prove anything?
 *
 * A proof that finds nothing is only worth something if it finds what is there. Real images of the
 * machine must come through without a finding; then errors are planted, one in a table and one in a
 * row, and each must be found and named. Readelf's lines are test_prove_readelf.c's, the command as a whole is
 * test_prove_command.c's.
 */
#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "tables/prove/prove.h"
#include "tables/prove/operations.h"
#include "tables/prove/row_referee.h"
#include "table/unwind_table.h"

/* ---- images without a fault --------------------------------------------------------------- */

static const struct image_case {
	const char *name;
	const char *path[2];
} image_cases[] = {
	{ "this_program", { "/proc/self/exe" } },
	{ "libc", { "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6" } },
	{ "loader", { "/lib64/ld-linux-x86-64.so.2" } },
	{ "bash", { "/bin/bash" } },
	{ "libstdcxx",
	  { "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib64/libstdc++.so.6" } },
};

struct subject {
	struct image *image;
	struct cfi *cfi;
	struct table *table;
};

static bool subject_open(struct subject *subject, const struct image_case *c)
{
	struct error error;

	for (int i = 0; i < COUNT(c->path); i++) {
		if (!c->path[i] || access(c->path[i], R_OK))
			continue;
		ck_assert_msg(!image_create(c->path[i], &subject->image, &error) &&
				      !cfi_create(subject->image, &subject->cfi, &error) &&
				      !table_build(subject->image, &subject->table, &error),
			      "%s: %s", c->name, error.message);
		return true;
	}
	return false;
}

static void subject_close(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
	image_destroy(subject->image);
}

/* The first finding, and the number of them. */
struct found {
	uint64_t count;
	uint64_t pc;
	char why[TABLE_PROOF_WHY];
};

static void note(void *context, const struct table_proof_finding *finding)
{
	struct found *found = context;

	if (found->count++)
		return;
	found->pc = finding->pc;
	snprintf(found->why, sizeof(found->why), "%s", finding->why);
}

START_TEST(table_says_what_the_cfi_says)
{
	const struct image_case *c = &image_cases[_i];
	struct table_proof proof;
	struct subject subject;
	struct found found = { 0 };
	struct error error;
	uint64_t flagged = 0;

	if (!subject_open(&subject, c))
		return;
	ck_assert(!table_prove(subject.cfi, subject.table, note, &found, &proof, &error));
	ck_assert_msg(!proof.silent && !found.count, "%s: 0x%" PRIx64 ": %s", c->name, found.pc,
		      found.why);
	for (int i = 0; i < TABLE_MARKER_COUNT; i++)
		flagged += proof.flagged[i];
	ck_assert_uint_eq(proof.equal + flagged, proof.rows);
	ck_assert_uint_eq(proof.outside, 0);
	ck_assert_uint_ge(proof.rows, subject.cfi->by_pc_count);
	ck_assert_uint_ge(proof.gaps, 1);
	ck_assert_uint_lt(proof.evaluated, proof.rows);
	ck_assert_msg(flagged * 1000 <= proof.rows, "%s: %" PRIu64 " of %" PRIu64 " rows flagged",
		      c->name, flagged, proof.rows);
	subject_close(&subject);
}
END_TEST

/* The plain build is proven as the fast one is, which everything else here takes. */
START_TEST(plain_table_says_what_the_cfi_says)
{
	struct table_proof proof;
	struct subject subject;
	struct table *plain;
	struct error error;

	if (!subject_open(&subject, &image_cases[_i]))
		return;
	ck_assert(!table_create(subject.image, subject.cfi, &plain, &error));
	ck_assert(!table_prove(subject.cfi, plain, NULL, NULL, &proof, &error));
	ck_assert_msg(!proof.silent && proof.rows, "%s", image_cases[_i].name);
	table_destroy(plain);
	subject_close(&subject);
}
END_TEST

/* ---- errors planted in a table ------------------------------------------------------------ */

/* Each changes what the table says at pc, which an FDE covers. */
static void plant_cfa_offset(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].cfa_offset += 8;
}

static void plant_cfa_register(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].cfa_register ^= 1;
}

static void plant_saved_register(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].saved[TABLE_COLUMN_R12] ^= 5;
}

static void plant_return_address(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].saved[TABLE_COLUMN_RA]++;
}

static void plant_undefined_return_address(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].saved[TABLE_COLUMN_RA] = TABLE_CODE_UNDEFINED;
}

static void plant_signal_frame(struct table *table, uint64_t pc)
{
	table->rule[table_find(table, pc)].flags ^= TABLE_RULE_SIGNAL_FRAME;
}

/* The entry in force at pc. */
static uint32_t *entry_at(struct table *table, uint64_t pc)
{
	const struct table_segment *segment = table_segment_find(table, pc);
	uint32_t page = segment->first_page +
			(uint32_t)((pc - segment->vaddr) >> table->page_shift);
	uint32_t at = table->page[page + 1];

	while (at > table->page[page] &&
	       table_entry_offset(table->entry[at - 1]) > (pc & (TABLE_PAGE_SIZE - 1)))
		at--;
	return &table->entry[at - 1];
}

static void plant_shifted_entry(struct table *table, uint64_t pc)
{
	*entry_at(table, pc) += 1u << (32 - TABLE_PAGE_SHIFT);
}

static void plant_hole(struct table *table, uint64_t pc)
{
	uint32_t *entry = entry_at(table, pc);

	*entry = table_entry_pack(table_entry_offset(*entry), TABLE_DIRECT | TABLE_NO_ROW);
}

/* The rows behind the function's first go. */
static void plant_dropped_rows(struct table *table, uint64_t pc)
{
	uint32_t *entry = entry_at(table, pc);

	*entry = table_entry_pack(table_entry_offset(*entry), TABLE_DIRECT | table_find(table, pc));
}

/* The function's second row begins a byte too early. */
static void plant_shifted_row(struct table *table, uint64_t pc)
{
	uint16_t *row = &table->shape[table_entry_number(*entry_at(table, pc))];

	while (table_shape_distance(row[1]))
		row++;
	*row -= 1u << TABLE_SHAPE_BITS;
}

static void plant_page_of_another(struct table *table, uint64_t pc)
{
	const struct table_segment *segment = table_segment_find(table, pc);
	uint32_t page = segment->first_page +
			(uint32_t)((pc - segment->vaddr) >> table->page_shift);

	table->page[page + 1]--;
}

static void plant_absent_segment(struct table *table, uint64_t pc)
{
	table->segment_count = 0;
}

static void plant_malformed(struct table *table, uint64_t pc)
{
	uint32_t *entry = entry_at(table, pc);

	*entry = table_entry_pack(table_entry_offset(*entry), TABLE_DIRECT | TABLE_MALFORMED);
}

static const struct planted_case {
	const char *name;
	void (*plant)(struct table *table, uint64_t pc);
	const char *why; /* how the finding begins; NULL: no finding, but rows are flagged */
} planted_cases[] = {
	{ "cfa_offset_off_by_a_word", plant_cfa_offset, "the CFAs differ by 8" },
	{ "cfa_of_another_register", plant_cfa_register, "the CFAs differ" },
	{ "saved_register_elsewhere", plant_saved_register, "r12 differs" },
	{ "return_address_elsewhere", plant_return_address, "rip differs" },
	{ "return_address_lost", plant_undefined_return_address,
	  "a caller by the row, the outermost frame by the rule" },
	{ "signal_frame_for_a_call", plant_signal_frame, "a signal frame by the rule only" },
	{ "entry_one_byte_late", plant_shifted_entry, "" },
	{ "hole_in_the_table", plant_hole, "an FDE is there" },
	{ "rows_dropped", plant_dropped_rows, "" },
	{ "row_one_byte_early", plant_shifted_row, "" },
	{ "entry_in_another_page", plant_page_of_another, "" },
	{ "code_without_a_table", plant_absent_segment, "the table does not have this code" },
	{ "marker_is_no_finding", plant_malformed, NULL },
};

/* An entry of several rows begins at pc. */
static bool begins_with_a_shape(struct table *table, uint64_t pc)
{
	uint32_t entry = *entry_at(table, pc);

	return !(entry & TABLE_DIRECT) &&
	       table_entry_offset(entry) == (pc & (TABLE_PAGE_SIZE - 1)) &&
	       table_shape_distance(table->shape[table_entry_number(entry)]);
}

/* The first address of a function whose rule is an ordinary one. */
static uint64_t ordinary_pc(const struct subject *subject)
{
	for (size_t i = subject->cfi->by_pc_count / 2; i < subject->cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &subject->cfi->fde[subject->cfi->by_pc[i]];
		uint32_t number = table_find(subject->table, fde->pc_begin);
		const struct table_rule *rule = &subject->table->rule[number];

		if (fde->pc_range > 64 && number >= TABLE_MARKER_COUNT && !rule->flags &&
		    begins_with_a_shape((struct table *)subject->table, fde->pc_begin) &&
		    rule->cfa_kind == TABLE_CFA_REGISTER && rule->saved[TABLE_COLUMN_RA] == 1 &&
		    (fde->pc_begin & (TABLE_PAGE_SIZE - 1)) < TABLE_PAGE_SIZE - 64)
			return fde->pc_begin;
	}
	ck_abort_msg("no function with an ordinary rule");
	return 0;
}

START_TEST(planted_error_is_found)
{
	const struct planted_case *c = &planted_cases[_i];
	struct table_proof proof;
	struct subject subject;
	struct found found = { 0 };
	struct error error;

	ck_assert(subject_open(&subject, &image_cases[0]));
	c->plant(subject.table, ordinary_pc(&subject));
	ck_assert(!table_prove(subject.cfi, subject.table, note, &found, &proof, &error));
	if (!c->why) {
		ck_assert_msg(proof.flagged[TABLE_MALFORMED], "%s: not flagged", c->name);
		ck_assert_msg(!found.count, "%s: %s", c->name, found.why);
	} else {
		ck_assert_msg(proof.silent && found.count, "%s: not found", c->name);
		ck_assert_msg(!strncmp(found.why, c->why, strlen(c->why)), "%s: %s", c->name,
			      found.why);
	}
	subject_close(&subject);
}
END_TEST

/* A rule where no FDE is, is as wrong as none where one is. */
START_TEST(rule_in_a_gap_is_found)
{
	struct table_proof proof;
	struct subject subject;
	struct found found = { 0 };
	struct error error;

	ck_assert(subject_open(&subject, &image_cases[0]));
	const struct cfi_fde *fde = &subject.cfi->fde[subject.cfi->by_pc[0]];
	fde = cfi_fde_find(subject.cfi, ordinary_pc(&subject));
	((struct cfi_fde *)fde)->pc_range = 1; /* the table still has all of it */
	ck_assert(!table_prove(subject.cfi, subject.table, note, &found, &proof, &error));
	ck_assert_msg(proof.silent && !strcmp(found.why, "no FDE is there"), "%s", found.why);
	subject_close(&subject);
}
END_TEST

/* ---- libdw -------------------------------------------------------------------------------- */

struct judging {
	const struct cfi *cfi;
	const struct cfi_fde *fde;
	struct row_referee *referee;
	uint64_t judged[ROW_JUDGMENT_COUNT];
	char why[ROW_REFEREE_WHY];
};

static int judge(void *context, const struct row *row)
{
	struct judging *judging = context;

	if (cfi_fde_find(judging->cfi, row->pc) == judging->fde)
		judging->judged[row_referee_judge(judging->referee, row, REGISTER_RIP,
						  judging->why)]++;
	return 0;
}

START_TEST(libdw_agrees)
{
	struct judging judging = { .why = "" };
	struct subject subject;
	struct error error;

	if (!subject_open(&subject, &image_cases[_i]))
		return;
	judging.cfi = subject.cfi;
	ck_assert_msg(!row_referee_create(subject.image->path, subject.cfi->is_eh_frame,
					  &judging.referee, &error),
		      "%s", error.message);
	for (size_t i = 0; i < subject.cfi->by_pc_count; i++) {
		judging.fde = &subject.cfi->fde[subject.cfi->by_pc[i]];
		cfi_rows(subject.cfi, judging.fde, judge, &judging, &error);
	}
	ck_assert_msg(!judging.judged[ROW_DISPUTED] && !judging.judged[ROW_UNKNOWN], "%s: %s",
		      image_cases[_i].name, judging.why);
	ck_assert_uint_ge(judging.judged[ROW_AGREED], subject.cfi->by_pc_count);
	row_referee_destroy(judging.referee);
	subject_close(&subject);
}
END_TEST

static const struct disputed_case {
	const char *name;
	int column; /* -1: the CFA */
	struct row_rule rule;
	const char *why;
} disputed_cases[] = {
	{ "cfa_offset", -1, { RULE_CFA_REGISTER, 7, 24, NULL, 0 }, "libdw: another CFA" },
	{ "cfa_register", -1, { RULE_CFA_REGISTER, 6, 8, NULL, 0 }, "libdw: another CFA" },
	{ "return_address_offset",
	  16,
	  { RULE_OFFSET, 0, -16, NULL, 0 },
	  "libdw: another rule for rip" },
	{ "return_address_undefined",
	  16,
	  { RULE_UNDEFINED, 0, 0, NULL, 0 },
	  "libdw: another rule for rip" },
	{ "address_for_its_value",
	  16,
	  { RULE_VAL_OFFSET, 0, -8, NULL, 0 },
	  "libdw: another rule for rip" },
	{ "callee_saved_register_saved",
	  12,
	  { RULE_OFFSET, 0, -16, NULL, 0 },
	  "libdw: another rule for r12" },
	{ "callee_saved_register_lost",
	  12,
	  { RULE_UNDEFINED, 0, 0, NULL, 0 },
	  "libdw: another rule for r12" },
	{ "register_in_a_register",
	  3,
	  { RULE_REGISTER, 0, 0, NULL, 0 },
	  "libdw: another rule for rbx" },
	{ "register_at_an_expression",
	  3,
	  { RULE_EXPRESSION, 0, 0, (const uint8_t *)"\x77\x08", 2 },
	  "libdw: another rule for rbx" },
};

START_TEST(wrong_row_is_disputed)
{
	const struct disputed_case *c = &disputed_cases[_i];
	char why[ROW_REFEREE_WHY] = "";
	struct row_referee *referee;
	struct subject subject;
	struct error error;
	struct row row;

	ck_assert(subject_open(&subject, &image_cases[0]));
	ck_assert_int_eq(cfi_row_find(subject.cfi, ordinary_pc(&subject), &row, &error), 1);
	ck_assert(!row_referee_create(subject.image->path, true, &referee, &error));
	ck_assert_msg(row_referee_judge(referee, &row, REGISTER_RIP, why) == ROW_AGREED, "%s", why);
	*(c->column < 0 ? &row.cfa : &row.reg[c->column]) = c->rule;
	ck_assert_msg(row_referee_judge(referee, &row, REGISTER_RIP, why) == ROW_DISPUTED, "%s",
		      c->name);
	ck_assert_msg(!strncmp(why, c->why, strlen(c->why)), "%s: %s", c->name, why);
	row.pc = 1;
	ck_assert_int_eq(row_referee_judge(referee, &row, REGISTER_RIP, why), ROW_UNKNOWN);
	row_referee_destroy(referee);
	subject_close(&subject);
}
END_TEST

#define OPERATIONS(...) .op = { __VA_ARGS__ }

/* The stack from the bottom: rbx is 5, rsp is 0x1000, memory at an address holds its double. */
static const struct operation_case {
	const char *name;
	Dwarf_Op op[8]; /* atom, number, number2, offset */
	size_t count;
	bool fails;
	uint64_t result;
} operation_cases[] = {
	{ "register_and_offset", OPERATIONS({ DW_OP_breg7, 8, 0, 0 }), .count = 1,
	  .result = 0x1008 },
	{ "cfa", OPERATIONS({ DW_OP_call_frame_cfa, 0, 0, 0 }), .count = 1, .result = 0x2000 },
	{ "memory", OPERATIONS({ DW_OP_breg7, 8, 0, 0 }, { DW_OP_deref, 0, 0, 2 }), .count = 2,
	  .result = 0x2010 },
	{ "two_bytes_of_memory",
	  OPERATIONS({ DW_OP_const4u, 0x123456, 0, 0 }, { DW_OP_deref_size, 2, 0, 5 }), .count = 2,
	  .result = 0x68ac },
	{ "swap",
	  OPERATIONS({ DW_OP_lit0 + 7, 0, 0, 0 }, { DW_OP_lit0 + 2, 0, 0, 1 },
		     { DW_OP_swap, 0, 0, 2 }, { DW_OP_minus, 0, 0, 3 }),
	  .count = 4, .result = (uint64_t)-5 },
	{ "rotate",
	  OPERATIONS({ DW_OP_lit0 + 1, 0, 0, 0 }, { DW_OP_lit0 + 2, 0, 0, 1 },
		     { DW_OP_lit0 + 4, 0, 0, 2 }, { DW_OP_rot, 0, 0, 3 }, { DW_OP_minus, 0, 0, 4 }),
	  .count = 5, .result = (uint64_t)-1 },
	{ "pick_from_below",
	  OPERATIONS({ DW_OP_lit0 + 9, 0, 0, 0 }, { DW_OP_lit0 + 2, 0, 0, 1 },
		     { DW_OP_pick, 1, 0, 2 }),
	  .count = 3, .result = 9 },
	{ "branch_taken",
	  OPERATIONS({ DW_OP_lit0 + 1, 0, 0, 0 }, { DW_OP_bra, 1, 0, 1 },
		     { DW_OP_lit0 + 2, 0, 0, 4 }, { DW_OP_lit0 + 3, 0, 0, 5 }),
	  .count = 4, .result = 3 },
	{ "branch_into_nothing", OPERATIONS({ DW_OP_skip, 7, 0, 0 }, { DW_OP_lit0, 0, 0, 3 }),
	  .count = 2, .fails = true },
	{ "endless_loop", OPERATIONS({ DW_OP_skip, (uint16_t)-3, 0, 0 }), .count = 1,
	  .fails = true },
	{ "signed_division",
	  OPERATIONS({ DW_OP_const1s, (uint64_t)-8, 0, 0 }, { DW_OP_lit0 + 2, 0, 0, 2 },
		     { DW_OP_div, 0, 0, 3 }),
	  .count = 3, .result = (uint64_t)-4 },
	{ "division_by_zero",
	  OPERATIONS({ DW_OP_lit0 + 8, 0, 0, 0 }, { DW_OP_lit0, 0, 0, 1 }, { DW_OP_mod, 0, 0, 2 }),
	  .count = 3, .fails = true },
	{ "arithmetic_shift",
	  OPERATIONS({ DW_OP_const1s, (uint64_t)-8, 0, 0 }, { DW_OP_lit0 + 1, 0, 0, 2 },
		     { DW_OP_shra, 0, 0, 3 }),
	  .count = 3, .result = (uint64_t)-4 },
	{ "unknown_register", OPERATIONS({ DW_OP_breg0, 0, 0, 0 }), .count = 1, .fails = true },
	{ "empty_stack", OPERATIONS({ DW_OP_plus, 0, 0, 0 }), .count = 1, .fails = true },
	{ "nothing_left", OPERATIONS({ DW_OP_nop, 0, 0, 0 }), .count = 1, .fails = true },
};

static int double_of_address(void *context, uint64_t address, void *ret, size_t size)
{
	address *= 2;
	memcpy(ret, &address, size);
	return 0;
}

START_TEST(operations_are_evaluated)
{
	const struct operation_case *c = &operation_cases[_i];
	const struct memory_reader memory = { .read = double_of_address };
	const struct register_values regs = { .value = { [3] = 5, [7] = 0x1000 },
					      .known = 1u << 3 | 1u << 7 };
	const uint64_t cfa = 0x2000;
	struct operations operations = { c->op, c->count, &regs, &memory, &cfa };
	uint64_t result = 0;
	bool is_value;

	ck_assert_msg(operations_evaluate(&operations, &result, &is_value) != c->fails, "%s",
		      c->name);
	ck_assert_msg(c->fails || result == c->result, "%s: 0x%" PRIx64, c->name, result);
}
END_TEST

SUITE(prove, LOOP(table_says_what_the_cfi_says, image_cases),
      LOOP(plain_table_says_what_the_cfi_says, image_cases),
      LOOP(planted_error_is_found, planted_cases), TEST(rule_in_a_gap_is_found),
      LOOP(libdw_agrees, image_cases), LOOP(wrong_row_is_disputed, disputed_cases),
      LOOP(operations_are_evaluated, operation_cases))
