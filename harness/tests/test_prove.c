/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove.c - do the proofs prove anything?
 *
 * A proof that finds nothing is only worth something if it finds what is there. Real images of the
 * machine must come through without a finding; then errors are planted, one in a table, one in a
 * row, one in readelf's lines, and each must be found and named. What carries the proofs over a
 * machine is tested too: which files a directory stands for, and that a process that dies or hangs
 * takes nothing with it but its own image.
 */
#include <check.h>
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "commands/image_pool.h"
#include "commands/prove.h"
#include "commands/table.h"
#include "verdict/operations.h"
#include "verdict/row_referee.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

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
				      !table_create(subject->image, subject->cfi, &subject->table,
						    &error),
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

/* The fast build and the plain one are proven alike. */
START_TEST(fast_table_says_what_the_cfi_says)
{
	struct table_proof proof;
	struct subject subject;
	struct table *fast;
	struct error error;

	if (!subject_open(&subject, &image_cases[_i]))
		return;
	ck_assert(!table_build(subject.image, &fast, &error));
	ck_assert(!table_prove(subject.cfi, fast, NULL, NULL, &proof, &error));
	ck_assert_msg(!proof.silent && proof.rows, "%s", image_cases[_i].name);
	table_destroy(fast);
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
	uint32_t page = segment->first_page + (uint32_t)((pc - segment->vaddr) >> TABLE_PAGE_SHIFT);
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
	{ "marker_is_no_finding", plant_malformed, NULL },
};

/* The first address of a function whose rule is an ordinary one. */
static uint64_t ordinary_pc(const struct subject *subject)
{
	for (size_t i = subject->cfi->by_pc_count / 2; i < subject->cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &subject->cfi->fde[subject->cfi->by_pc[i]];
		uint32_t number = table_find(subject->table, fde->pc_begin);
		const struct table_rule *rule = &subject->table->rule[number];

		if (fde->pc_range > 64 && number >= TABLE_MARKER_COUNT && !rule->flags &&
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
		judging->judged[row_referee_judge(judging->referee, row, judging->why)]++;
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
	ck_assert_msg(row_referee_judge(referee, &row, why) == ROW_AGREED, "%s", why);
	*(c->column < 0 ? &row.cfa : &row.reg[c->column]) = c->rule;
	ck_assert_msg(row_referee_judge(referee, &row, why) == ROW_DISPUTED, "%s", c->name);
	ck_assert_msg(!strncmp(why, c->why, strlen(c->why)), "%s: %s", c->name, why);
	row.pc = 1;
	ck_assert_int_eq(row_referee_judge(referee, &row, why), ROW_UNKNOWN);
	row_referee_destroy(referee);
	subject_close(&subject);
}
END_TEST

/* The stack from the bottom: rbx is 5, rsp is 0x1000, memory at an address holds its double. */
static const struct operation_case {
	const char *name;
	Dwarf_Op op[8]; /* atom, number, number2, offset */
	size_t count;
	bool fails;
	uint64_t result;
} operation_cases[] = {
	{ "register_and_offset", { { DW_OP_breg7, 8, 0, 0 } }, 1, false, 0x1008 },
	{ "cfa", { { DW_OP_call_frame_cfa, 0, 0, 0 } }, 1, false, 0x2000 },
	{ "memory", { { DW_OP_breg7, 8, 0, 0 }, { DW_OP_deref, 0, 0, 2 } }, 2, false, 0x2010 },
	{ "two_bytes_of_memory",
	  { { DW_OP_const4u, 0x123456, 0, 0 }, { DW_OP_deref_size, 2, 0, 5 } },
	  2,
	  false,
	  0x68ac },
	{ "swap",
	  { { DW_OP_lit0 + 7, 0, 0, 0 },
	    { DW_OP_lit0 + 2, 0, 0, 1 },
	    { DW_OP_swap, 0, 0, 2 },
	    { DW_OP_minus, 0, 0, 3 } },
	  4,
	  false,
	  (uint64_t)-5 },
	{ "rotate",
	  { { DW_OP_lit0 + 1, 0, 0, 0 },
	    { DW_OP_lit0 + 2, 0, 0, 1 },
	    { DW_OP_lit0 + 4, 0, 0, 2 },
	    { DW_OP_rot, 0, 0, 3 },
	    { DW_OP_minus, 0, 0, 4 } },
	  5,
	  false,
	  (uint64_t)-1 },
	{ "pick_from_below",
	  { { DW_OP_lit0 + 9, 0, 0, 0 }, { DW_OP_lit0 + 2, 0, 0, 1 }, { DW_OP_pick, 1, 0, 2 } },
	  3,
	  false,
	  9 },
	{ "branch_taken",
	  { { DW_OP_lit0 + 1, 0, 0, 0 },
	    { DW_OP_bra, 1, 0, 1 },
	    { DW_OP_lit0 + 2, 0, 0, 4 },
	    { DW_OP_lit0 + 3, 0, 0, 5 } },
	  4,
	  false,
	  3 },
	{ "branch_into_nothing", { { DW_OP_skip, 7, 0, 0 }, { DW_OP_lit0, 0, 0, 3 } }, 2, true, 0 },
	{ "endless_loop", { { DW_OP_skip, (uint16_t)-3, 0, 0 } }, 1, true, 0 },
	{ "signed_division",
	  { { DW_OP_const1s, (uint64_t)-8, 0, 0 },
	    { DW_OP_lit0 + 2, 0, 0, 2 },
	    { DW_OP_div, 0, 0, 3 } },
	  3,
	  false,
	  (uint64_t)-4 },
	{ "division_by_zero",
	  { { DW_OP_lit0 + 8, 0, 0, 0 }, { DW_OP_lit0, 0, 0, 1 }, { DW_OP_mod, 0, 0, 2 } },
	  3,
	  true,
	  0 },
	{ "arithmetic_shift",
	  { { DW_OP_const1s, (uint64_t)-8, 0, 0 },
	    { DW_OP_lit0 + 1, 0, 0, 2 },
	    { DW_OP_shra, 0, 0, 3 } },
	  3,
	  false,
	  (uint64_t)-4 },
	{ "unknown_register", { { DW_OP_breg0, 0, 0, 0 } }, 1, true, 0 },
	{ "empty_stack", { { DW_OP_plus, 0, 0, 0 } }, 1, true, 0 },
	{ "nothing_left", { { DW_OP_nop, 0, 0, 0 } }, 1, true, 0 },
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

/* ---- readelf ------------------------------------------------------------------------------ */

/* sed's commands on our own lines: what a readelf of another opinion would print. */
static const struct line_case {
	const char *name;
	const char *sed;
	uint64_t differ;
} line_cases[] = {
	{ "same_lines", "", 0 },
	{ "a_row_differs", "8s/$/x/", 1 },
	{ "a_line_is_missing", "9d", 1 },
	{ "a_line_is_added", "9i another", 1 },
	{ "three_in_a_row_differ", "20,22s/^/x/", 3 },
	{ "the_last_lines_are_missing", "40,$d", UINT64_MAX },
	{ "nothing_is_said", "d", UINT64_MAX },
};

static void ignore_line(void *context, const struct readelf_difference *difference)
{
	ck_assert(difference->line && difference->ours && difference->theirs);
}

/* A program that prints what we print, changed by sed. */
static void make_program(const char *directory, const struct image *image, const char *sed,
			 char *ret_path, size_t size)
{
	struct table_filter filter = { .section = NULL };
	struct error_list diagnostics = { 0 };
	char lines[256];
	struct error error;
	FILE *file;

	snprintf(lines, sizeof(lines), "%s/lines", directory);
	file = fopen(lines, "w");
	ck_assert(file && !table_readelf(file, image, &filter, &diagnostics, &error));
	fclose(file);
	snprintf(ret_path, size, "%s/program", directory);
	file = fopen(ret_path, "w");
	fprintf(file, "#!/bin/sh\nexec sed '%s' '%s'\n", sed, lines);
	fclose(file);
	chmod(ret_path, 0755);
	error_list_deinit(&diagnostics);
}

static void remove_directory(const char *directory)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(lines_are_compared)
{
	const struct line_case *c = &line_cases[_i];
	char directory[] = "/tmp/test_prove.XXXXXX", program[256];
	struct readelf_proof proof;
	struct subject subject;
	struct error error;

	ck_assert(mkdtemp(directory) && subject_open(&subject, &image_cases[0]));
	make_program(directory, subject.image, c->sed, program, sizeof(program));
	ck_assert_msg(!prove_readelf(subject.image, program, ignore_line, NULL, &proof, &error),
		      "%s: %s", c->name, error.message);
	if (c->differ == UINT64_MAX)
		ck_assert_msg(proof.differ > 40, "%s: %" PRIu64, c->name, proof.differ);
	else
		ck_assert_msg(proof.differ == c->differ && proof.lines > 40,
			      "%s: %" PRIu64 " differ, %" PRIu64 " equal", c->name, proof.differ,
			      proof.lines);
	ck_assert(prove_readelf(subject.image, "/nonexistent", ignore_line, NULL, &proof, &error));
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	subject_close(&subject);
	remove_directory(directory);
}
END_TEST

/* ---- which files, and a process for each -------------------------------------------------- */

static void put_file(const char *directory, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	ck_assert(file && fputs(text, file) >= 0);
	fclose(file);
}

static void put_link(const char *directory, const char *name, const char *target, bool symbolic)
{
	char path[256], from[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(from, sizeof(from), "%s/%s", directory, target);
	ck_assert_int_eq(symbolic ? symlink(from, path) : link(from, path), 0);
}

START_TEST(directory_stands_for_its_elf_files)
{
	char directory[] = "/tmp/test_prove.XXXXXX", path[256];
	struct image_list list = { NULL, 0, 0 };
	struct error error;

	ck_assert(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/below", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	put_file(directory, "a", ELFMAG);
	put_file(directory, "below/b", ELFMAG "and more");
	put_file(directory, "text", "no ELF");
	put_file(directory, "short", "\177EL");
	put_link(directory, "hard", "a", false);
	put_link(directory, "soft", "a", true);
	put_link(directory, "loop", "", true);
	ck_assert(!image_list_add(&list, directory, &error));
	image_list_finish(&list, 1);
	ck_assert_uint_eq(list.count, 2);
	ck_assert(strstr(list.image[1].path, "below/b") && !list.image[1].named);
	image_list_deinit(&list);

	/* What is named is kept whatever it is, and under the name it was given. */
	snprintf(path, sizeof(path), "%s/soft", directory);
	ck_assert(!image_list_add(&list, directory, &error) &&
		  !image_list_add(&list, path, &error));
	snprintf(path, sizeof(path), "%s/text", directory);
	ck_assert(!image_list_add(&list, path, &error));
	image_list_finish(&list, 100);
	ck_assert_uint_eq(list.count, 3); /* below/b is the first of those that were found */
	ck_assert(list.image[1].named && strstr(list.image[1].path, "soft"));
	image_list_deinit(&list);
	snprintf(path, sizeof(path), "%s/absent", directory);
	ck_assert(image_list_add(&list, path, &error) && error.code == ERROR_SYSTEM);
	remove_directory(directory);
}
END_TEST

static const struct fate_case {
	const char *name;
	const char *failure; /* NULL: none */
} fate_cases[] = {
	{ "fine", NULL },
	{ "dies", "died of SIGUSR1" },
	{ "exits", "ended with status 7" },
	{ "hangs", "ran longer than 1 s" },
	{ "talks", NULL },
	{ "hangs_after_talking", "ran longer than 1 s" },
};

static void meet_fate(void *context, const struct image_path *image, FILE *output)
{
	fprintf(output, "%s\n", image->path);
	if (!strcmp(image->path, "dies"))
		raise(SIGUSR1);
	if (!strcmp(image->path, "exits"))
		_exit(7);
	for (int i = 0; strstr(image->path, "talk") && i < 100000; i++)
		fprintf(output, "line %d\n", i);
	if (strstr(image->path, "hangs")) {
		fflush(output);
		for (;;)
			pause();
	}
}

static void check_fate(void *context, const struct image_path *image,
		       const struct image_outcome *outcome)
{
	const struct fate_case *c = &fate_cases[image->bytes];
	bool *seen = context;

	ck_assert_msg(!seen[image->bytes], "%s: twice", c->name);
	seen[image->bytes] = true;
	if (c->failure)
		ck_assert_msg(outcome->failure && !strcmp(outcome->failure, c->failure), "%s: %s",
			      c->name, outcome->failure);
	else
		ck_assert_msg(!outcome->failure && !strncmp(outcome->output, c->name, 4), "%s: %s",
			      c->name, outcome->failure);
	if (!strcmp(c->name, "talks"))
		ck_assert_msg(strstr(outcome->output, "\nline 99999\n"), "the end is missing");
}

START_TEST(one_image_takes_no_other_with_it)
{
	bool seen[COUNT(fate_cases)] = { false };
	struct image_pool pool = { 3, 1000, meet_fate, check_fate, seen };
	struct image_path image[COUNT(fate_cases)];
	struct image_list list = { image, COUNT(fate_cases), COUNT(fate_cases) };
	struct error error;

	for (int i = 0; i < COUNT(fate_cases); i++)
		image[i] = (struct image_path) { .path = (char *)fate_cases[i].name, .bytes = i };
	ck_assert(!image_pool_run(&pool, &list, &error));
	for (int i = 0; i < COUNT(fate_cases); i++)
		ck_assert_msg(seen[i], "%s: no outcome", fate_cases[i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prove");
	TCase *tcase = tcase_create("prove");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, table_says_what_the_cfi_says, 0, COUNT(image_cases));
	tcase_add_loop_test(tcase, fast_table_says_what_the_cfi_says, 0, COUNT(image_cases));
	tcase_add_loop_test(tcase, planted_error_is_found, 0, COUNT(planted_cases));
	tcase_add_test(tcase, rule_in_a_gap_is_found);
	tcase_add_loop_test(tcase, libdw_agrees, 0, COUNT(image_cases));
	tcase_add_loop_test(tcase, wrong_row_is_disputed, 0, COUNT(disputed_cases));
	tcase_add_loop_test(tcase, operations_are_evaluated, 0, COUNT(operation_cases));
	tcase_add_loop_test(tcase, lines_are_compared, 0, COUNT(line_cases));
	tcase_add_test(tcase, directory_stands_for_its_elf_files);
	tcase_add_test(tcase, one_image_takes_no_other_with_it);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
