/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_row_rules.c - libdw's word on each kind of rule, and on what is not a rule
 *
 * One row of the image has a rule of every kind. A case puts another rule in one column's place:
 * only what means the same is agreed with. Expressions are test_row_referee.c's.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "tables/diff/tests/diff_image.h"
#include "tables/prove/row_referee.h"

#define CFA	  (-1) /* as a column */
#define RULES	  0x1000
#define RULES_END 0x1010
#define BAD_CFA	  0x1020
#define BAD_RULE  0x1030
#define OTHER_RA  0x1040
#define SIGNAL	  0x1050
#define NO_CFA	  0x1060
#define NOWHERE	  0x1070
#define IN_PLACE  0x1080 /* the return address is where a jump left it, in r15 */
#define SAME	  0x1090
#define SAVED	  0x10a0
#define MOVED	  0x10b0
#define LOST	  0x10c0

static void make_fdes(struct diff_image *image)
{
	static const uint8_t usual[] = { CFA_USUAL };
	/* id 0, version 1, "zR", 1, -8, 16 or 15, 1 byte: absptr */
	static const uint8_t plain[] = { CIE_USUAL };
	static const uint8_t other[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 15, 1, 0, CFA_USUAL };
	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t empty_cie = diff_image_entry(image, plain, sizeof(plain) - sizeof(usual));
	size_t other_cie = diff_image_entry(image, other, sizeof(other));
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));

	DIFF_IMAGE_FDE(image, cie, RULES, RULES_END - RULES, CFA_def_cfa(RBP, 16),
		       CFA_undefined(RBX), CFA_same_value(RDX), CFA_offset(R12, 3),
		       CFA_val_offset(R13, 2), CFA_register(R14, RCX),
		       CFA_expression(R15, DW_OP_breg7, 8), CFA_val_expression(R8, DW_OP_breg7, 8),
		       CFA_offset(R9, 0), CFA_val_offset(R10, 0));
	DIFF_IMAGE_FDE(image, cie, BAD_CFA, 0x10, CFA_def_cfa_expression(0xff));
	DIFF_IMAGE_FDE(image, cie, BAD_RULE, 0x10, CFA_expression(RBX, 0xff));
	DIFF_IMAGE_FDE(image, other_cie, OTHER_RA, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, signal_cie, SIGNAL, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, empty_cie, NO_CFA, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, other_cie, IN_PLACE, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, other_cie, SAME, 0x10, CFA_same_value(R15));
	DIFF_IMAGE_FDE(image, other_cie, SAVED, 0x10, CFA_offset(R15, 2));
	DIFF_IMAGE_FDE(image, other_cie, MOVED, 0x10, CFA_register(R15, RCX));
	DIFF_IMAGE_FDE(image, other_cie, LOST, 0x10, CFA_undefined(R15));
}

struct fixture {
	char path[32];
	struct image *image;
	struct cfi *cfi;
	struct row_referee *referee;
	struct row row; /* at RULES */
	char why[ROW_REFEREE_WHY];
};

static struct fixture setup(void)
{
	struct fixture f = { .path = "/tmp/test_row_rules.XXXXXX" };
	struct diff_image image;
	struct error error;
	int file = mkstemp(f.path);

	diff_image_of(&image, make_fdes);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, image.size), (ssize_t)image.size);
	close(file);
	ck_assert_msg(!image_create(f.path, &f.image, &error) &&
			      !cfi_create(f.image, &f.cfi, &error) &&
			      !row_referee_create(f.path, true, &f.referee, &error),
		      "%s", error.message);
	ck_assert_int_eq(cfi_row_find(f.cfi, RULES, &f.row, &error), 1);
	return f;
}

static void teardown(struct fixture *f)
{
	row_referee_destroy(f->referee);
	cfi_destroy(f->cfi);
	image_destroy(f->image);
	unlink(f->path);
}

/* ---- rules -------------------------------------------------------------------------------- */

#define RULE(kind, reg, offset)                                                                    \
	{                                                                                          \
		kind, reg, offset, NULL, 0                                                         \
	}
#define EXPRESSION(kind, ...)                                                                      \
	{                                                                                          \
		kind, 0, 0, CFI_SIZED(__VA_ARGS__)                                                 \
	}

static const struct {
	const char *name;
	int column;
	struct row_rule rule;
	bool agreed;
} cases[] = {
	{ "undefined", RBX, RULE(RULE_UNDEFINED, 0, 0), true },
	{ "undefined_for_no_rule", RBX, RULE(RULE_UNSPECIFIED, 0, 0), true },
	{ "undefined_is_not_same", RBX, RULE(RULE_SAME_VALUE, 0, 0), false },
	{ "undefined_is_not_a_place", RBX, RULE(RULE_OFFSET, 0, 0), false },
	{ "undefined_is_no_expression", RBX, EXPRESSION(RULE_EXPRESSION, DW_OP_breg7, 8), false },
	{ "undefined_is_not_what_fails", RBX,
	  EXPRESSION(RULE_EXPRESSION, DW_OP_lit1, DW_OP_lit0, DW_OP_div), false },
	{ "same", RDX, RULE(RULE_SAME_VALUE, 0, 0), true },
	{ "same_is_not_undefined", RDX, RULE(RULE_UNDEFINED, 0, 0), false },
	{ "same_is_not_what_the_abi_says", RDX, RULE(RULE_UNSPECIFIED, 0, 0), false },
	{ "same_is_not_a_register", RDX, RULE(RULE_REGISTER, RDX, 0), false },
	{ "place", R12, RULE(RULE_OFFSET, 0, -24), true },
	{ "place_elsewhere", R12, RULE(RULE_OFFSET, 0, -16), false },
	{ "place_at_the_cfa", R12, RULE(RULE_OFFSET, 0, 0), false },
	{ "place_is_no_value", R12, RULE(RULE_VAL_OFFSET, 0, -24), false },
	{ "place_is_not_no_rule", R12, RULE(RULE_UNSPECIFIED, 0, -24), false },
	{ "place_is_no_register", R12, RULE(RULE_REGISTER, R12, 0), false },
	{ "value", R13, RULE(RULE_VAL_OFFSET, 0, -16), true },
	{ "another_value", R13, RULE(RULE_VAL_OFFSET, 0, -8), false },
	{ "value_is_not_the_cfa", R13, RULE(RULE_VAL_OFFSET, 0, 0), false },
	{ "value_is_no_place", R13, RULE(RULE_OFFSET, 0, -16), false },
	{ "register", R14, RULE(RULE_REGISTER, RCX, 0), true },
	{ "another_register", R14, RULE(RULE_REGISTER, RDX, 0), false },
	{ "register_is_not_its_own", R14, RULE(RULE_SAME_VALUE, 0, 0), false },
	{ "register_is_no_place", R14, RULE(RULE_OFFSET, RCX, 0), false },
	{ "expression", R15, EXPRESSION(RULE_EXPRESSION, DW_OP_breg7, 8), true },
	{ "expression_is_no_value", R15, EXPRESSION(RULE_VAL_EXPRESSION, DW_OP_breg7, 8), false },
	{ "expression_is_no_place", R15, RULE(RULE_OFFSET, RSP, 8), false },
	{ "value_by_expression", R8, EXPRESSION(RULE_VAL_EXPRESSION, DW_OP_breg7, 8), true },
	{ "value_by_expression_is_no_place", R8, EXPRESSION(RULE_EXPRESSION, DW_OP_breg7, 8),
	  false },
	/* Of no bytes: the CFA. libdw's word counts where it has one. */
	{ "an_empty_expression_is_no_other_place", R12, { RULE_EXPRESSION, 0, 0, NULL, 0 }, false },
	{ "an_empty_expression_is_at_the_cfa", R9, { RULE_EXPRESSION, 0, 0, NULL, 0 }, true },
	{ "an_empty_expression_is_no_other_value",
	  R13,
	  { RULE_VAL_EXPRESSION, 0, 0, NULL, 0 },
	  false },
	{ "at_the_cfa", R9, RULE(RULE_OFFSET, 0, 0), true },
	{ "at_the_cfa_is_not_above", R9, RULE(RULE_OFFSET, 0, 8), false },
	{ "at_the_cfa_is_not_the_cfa", R9, RULE(RULE_VAL_OFFSET, 0, 0), false },
	{ "the_cfa", R10, RULE(RULE_VAL_OFFSET, 0, 0), true },
	{ "the_cfa_is_not_above", R10, RULE(RULE_VAL_OFFSET, 0, 8), false },
	{ "the_cfa_is_not_what_is_there", R10, RULE(RULE_OFFSET, 0, 0), false },
	{ "no_rule_for_the_stack_pointer", RSP, RULE(RULE_VAL_OFFSET, 0, 0), true },
	{ "no_rule_for_one_of_the_callee", RBP, RULE(RULE_SAME_VALUE, 0, 0), true },
	{ "no_rule_for_one_of_the_caller", R11, RULE(RULE_UNDEFINED, 0, 0), true },
	{ "no_rule_for_the_first_register", RAX, RULE(RULE_SAME_VALUE, 0, 0), true },
	{ "the_first_register_is_looked_at", RAX, RULE(RULE_UNDEFINED, 0, 0), false },
	{ "a_rule_of_a_cfa_is_none", RBX, RULE(RULE_CFA_REGISTER, 0, 0), false },
	{ "cfa", CFA, RULE(RULE_CFA_REGISTER, RBP, 16), true },
	{ "cfa_of_another_register", CFA, RULE(RULE_CFA_REGISTER, RSP, 16), false },
	{ "cfa_elsewhere", CFA, RULE(RULE_CFA_REGISTER, RBP, 8), false },
	{ "cfa_is_no_place", CFA, RULE(RULE_OFFSET, RBP, 16), false },
	{ "cfa_without_a_rule", CFA, RULE(RULE_UNSPECIFIED, RBP, 16), false },
	{ "cfa_by_expression", CFA, EXPRESSION(RULE_CFA_EXPRESSION, DW_OP_breg6, 16), true },
};

START_TEST(rules_are_compared_by_kind)
{
	struct fixture f = setup();

	ck_assert_msg(row_referee_judge(f.referee, &f.row, RIP, f.why) == ROW_AGREED, "%s", f.why);
	*(cases[_i].column == CFA ? &f.row.cfa : &f.row.reg[cases[_i].column]) = cases[_i].rule;
	ck_assert_msg(row_referee_judge(f.referee, &f.row, RIP, f.why) ==
			      (cases[_i].agreed ? ROW_AGREED : ROW_DISPUTED),
		      "%s: %s", cases[_i].name, f.why);
	teardown(&f);
}
END_TEST

/* ---- the return address's column ----------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t pc;
	struct row_rule others; /* what the row might say instead, and libdw does not */
} returns[] = {
	{ "in_its_register", IN_PLACE, RULE(RULE_REGISTER, R14, 0) },
	{ "in_its_register_and_not_on_the_stack", IN_PLACE, RULE(RULE_OFFSET, 0, -8) },
	{ "the_same", SAME, RULE(RULE_UNDEFINED, 0, 0) },
	{ "saved", SAVED, RULE(RULE_REGISTER, R15, 0) },
	{ "saved_elsewhere", SAVED, RULE(RULE_OFFSET, 0, -8) },
	{ "moved", MOVED, RULE(RULE_REGISTER, R15, 0) },
	{ "lost", LOST, RULE(RULE_REGISTER, R15, 0) },
};

START_TEST(return_address_is_the_columns)
{
	struct fixture f = setup();
	struct error error;

	ck_assert_int_eq(cfi_row_find(f.cfi, returns[_i].pc, &f.row, &error), 1);
	ck_assert_msg(row_referee_judge(f.referee, &f.row, R15, f.why) == ROW_AGREED, "%s: %s",
		      returns[_i].name, f.why);
	ck_assert_int_eq(row_referee_judge(f.referee, &f.row, RIP, f.why), ROW_DISPUTED);
	ck_assert_str_eq(f.why, "libdw: return address column 15");
	f.row.reg[RIP] = returns[_i].others;
	ck_assert_int_eq(row_referee_judge(f.referee, &f.row, R15, f.why), ROW_DISPUTED);
	ck_assert_msg(!strncmp(f.why, "libdw: another rule for rip (", 29), "%s: %s",
		      returns[_i].name, f.why);
	teardown(&f);
}
END_TEST

/* ---- what is said of the rest ------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t pc, pc_end;
	bool signal_frame;
	int column; /* that has no rule, but RIP where it is as it was */
	enum row_judgment judgment;
	const char *why;
} others[] = {
	{ "shorter", RULES, RULES_END - 1, false, RIP, ROW_DISPUTED,
	  "libdw: the row is 0x1000..0x1010" },
	{ "longer", RULES, RULES_END + 1, false, RIP, ROW_DISPUTED,
	  "libdw: the row is 0x1000..0x1010" },
	{ "from_within", RULES + 1, RULES_END, false, RIP, ROW_AGREED, "" },
	{ "signal_frame", RULES, RULES_END, true, RIP, ROW_DISPUTED,
	  "libdw: return address column 16" },
	{ "no_signal_frame", SIGNAL, SIGNAL + 16, false, RIP, ROW_DISPUTED,
	  "libdw: return address column 16, a signal frame" },
	{ "other_return_address", OTHER_RA, OTHER_RA + 16, false, RIP, ROW_DISPUTED,
	  "libdw: return address column 15" },
	{ "malformed_cfa", BAD_CFA, BAD_CFA + 16, false, RIP, ROW_DISPUTED,
	  "libdw: no CFA: invalid DWARF" },
	{ "malformed_rule", BAD_RULE, BAD_RULE + 16, false, RIP, ROW_DISPUTED,
	  "libdw: another rule for rbx (invalid DWARF)" },
	{ "says_same", RULES, RULES_END, false, RDX, ROW_DISPUTED,
	  "libdw: another rule for rdx (same value)" },
	{ "says_undefined", RULES, RULES_END, false, R11, ROW_DISPUTED,
	  "libdw: another rule for r11 (undefined)" },
	{ "says_operations", RULES, RULES_END, false, R12, ROW_DISPUTED,
	  "libdw: another rule for r12 (operations)" },
	{ "no_cfa", NO_CFA, NO_CFA + 16, false, RIP, ROW_DISPUTED,
	  "libdw: another CFA (0 operations)" },
	{ "no_frame", NOWHERE, NOWHERE + 16, false, RIP, ROW_UNKNOWN,
	  "libdw: no matching address range" },
};

START_TEST(why_is_said)
{
	struct fixture f = setup();

	f.row.pc = others[_i].pc;
	f.row.pc_end = others[_i].pc_end;
	f.row.signal_frame = others[_i].signal_frame;
	if (others[_i].pc >= RULES_END) /* what these have of CFA_USUAL */
		f.row.cfa = (struct row_rule) { RULE_CFA_REGISTER, RSP, 8, NULL, 0 };
	if (others[_i].pc == NO_CFA) /* which fails, too */
		f.row.cfa = (struct row_rule)EXPRESSION(RULE_CFA_EXPRESSION, DW_OP_lit1, DW_OP_lit0,
							DW_OP_div);
	if (others[_i].column != RIP)
		f.row.reg[others[_i].column] = (struct row_rule) { RULE_REGISTER, RAX, 0, NULL, 0 };
	if (others[_i].pc == BAD_RULE)
		for (int reg = 0; reg < RIP; reg++)
			f.row.reg[reg] = (struct row_rule) { .kind = RULE_UNSPECIFIED };
	ck_assert_msg(row_referee_judge(f.referee, &f.row, RIP, f.why) == others[_i].judgment,
		      "%s: %s", others[_i].name, f.why);
	ck_assert_str_eq(f.why, others[_i].why);
	teardown(&f);
}
END_TEST

/* What libdw has no error for is not called one, and what it has is said. */
START_TEST(why_there_is_no_referee_is_said)
{
	struct row_referee *referee;
	struct fixture f = setup();
	struct error error;

	ck_assert_int_eq(row_referee_create("/nowhere", true, &referee, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM); /* nobody has asked libdw */
	ck_assert_str_eq(error.message, "open: No such file or directory");
	ck_assert_int_eq(truncate(f.path, 3), 0);
	ck_assert_int_eq(row_referee_create(f.path, true, &referee, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.section, ".eh_frame");
	teardown(&f);
	f = setup();
	ck_assert_int_eq(row_referee_create(f.path, false, &referee, &error), -1);
	ck_assert_str_eq(error.message, "libdw: no DWARF information");
	ck_assert_str_eq(error.section, ".debug_frame");
	teardown(&f);
}
END_TEST

SUITE(row_rules, LOOP(rules_are_compared_by_kind, cases),
      LOOP(return_address_is_the_columns, returns), LOOP(why_is_said, others),
      TEST(why_there_is_no_referee_is_said))
