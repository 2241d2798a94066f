/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_row_referee.c - libdw's word on the rows of an image that is known by heart
 *
 * The image is diff_image.h's. A case puts another rule into a row that libdw agrees with: what
 * means the same must be agreed with still, what means something else must not. Images that
 * compilers made are test_prove.c's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "tables/diff/tests/diff_image.h"
#include "tables/prove/row_referee.c"

#define CFA	 (-1)	/* as a column */
#define PLT	 0x1050 /* in the image: behind its 16 bytes the CFA is an expression */
#define SIGNAL	 0x1060
#define ORDINARY 0x1000

struct fixture {
	char path[32];
	struct image *image;
	struct cfi *cfi;
};

static struct fixture setup(void)
{
	struct fixture f = { .path = "/tmp/test_row_referee.XXXXXX" };
	struct diff_image image;
	struct error error;
	int file = mkstemp(f.path);

	diff_image_make(&image);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, image.size), (ssize_t)image.size);
	close(file);
	ck_assert_msg(!image_create(f.path, &f.image, &error) &&
			      !cfi_create(f.image, &f.cfi, &error),
		      "%s", error.message);
	return f;
}

static void teardown(struct fixture *f)
{
	cfi_destroy(f->cfi);
	image_destroy(f->image);
	unlink(f->path);
}

/* ---- rows --------------------------------------------------------------------------------- */

#define PLT_AND(reg, mask, limit)                                                                  \
	DW_OP_breg0 + (reg), 8, DW_OP_breg16, 0, DW_OP_lit0 + (mask), DW_OP_and,                   \
		DW_OP_lit0 + (limit), DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus
#define EXPRESSION(kind, ...)                                                                      \
	{                                                                                          \
		kind, 0, 0, CFI_SIZED(__VA_ARGS__)                                                 \
	}

static const struct {
	const char *name;
	uint64_t pc;
	int column;
	struct row_rule rule;
	bool agreed;
} cases[] = {
	{ "the_same_expression", PLT, CFA, EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RSP, 15, 11)),
	  true },
	{ "the_same_in_other_words", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit10,
		     DW_OP_gt, DW_OP_lit8, DW_OP_mul, DW_OP_breg7, 0, DW_OP_plus, DW_OP_lit8,
		     DW_OP_plus),
	  true },
	{ "the_base_is_another_register", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RBX, 15, 11)), false },
	{ "one_byte_of_the_slot_has_another_cfa", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RSP, 15, 12)), false },
	{ "the_first_register_is_added", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RSP, 15, 11), DW_OP_breg0, 0, DW_OP_plus),
	  false },
	{ "the_last_register_is_added", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RSP, 15, 11), DW_OP_breg15, 0, DW_OP_plus),
	  false },
	{ "fewer_bits_of_the_address", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, PLT_AND(RSP, 7, 11)), false },
	{ "an_expression_that_fails", PLT, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, DW_OP_lit1, DW_OP_lit0, DW_OP_div), false },
	{ "an_offset_for_an_expression", PLT, CFA, { RULE_CFA_REGISTER, RSP, 8, NULL, 0 }, false },
	{ "an_expression_for_an_offset", ORDINARY, CFA,
	  EXPRESSION(RULE_CFA_EXPRESSION, DW_OP_breg7, 8), true },
	{ "memory_at_the_same_place", SIGNAL, RIP,
	  EXPRESSION(RULE_EXPRESSION, DW_OP_breg7, SLEB2(160), DW_OP_lit8, DW_OP_plus), true },
	{ "memory_at_another_place", SIGNAL, RIP,
	  EXPRESSION(RULE_EXPRESSION, DW_OP_breg7, SLEB2(160)), false },
	{ "memory_by_another_register", SIGNAL, RIP,
	  EXPRESSION(RULE_EXPRESSION, DW_OP_breg6, SLEB2(168)), false },
	{ "the_place_for_what_is_there", SIGNAL, RIP,
	  EXPRESSION(RULE_VAL_EXPRESSION, DW_OP_breg7, SLEB2(168)), false },
};

START_TEST(expressions_are_compared_by_what_they_mean)
{
	char why[ROW_REFEREE_WHY] = "";
	struct fixture f = setup();
	struct row_referee *referee;
	struct error error;
	struct row row;

	ck_assert_msg(!row_referee_create(f.path, true, &referee, &error), "%s", error.message);
	ck_assert_int_eq(cfi_row_find(f.cfi, cases[_i].pc, &row, &error), 1);
	ck_assert_msg(row_referee_judge(referee, &row, RIP, why) == ROW_AGREED, "%s", why);
	*(cases[_i].column == CFA ? &row.cfa : &row.reg[cases[_i].column]) = cases[_i].rule;
	ck_assert_msg(row_referee_judge(referee, &row, RIP, why) ==
			      (cases[_i].agreed ? ROW_AGREED : ROW_DISPUTED),
		      "%s: %s", cases[_i].name, why);
	ck_assert_msg(cases[_i].agreed ||
			      strstr(why, cases[_i].column == CFA
						  ? "libdw: another CFA ("
						  : "libdw: another rule for rip (operations)"),
		      "%s: %s", cases[_i].name, why);
	row_referee_destroy(referee);
	teardown(&f);
}
END_TEST

/* DW_CFA_val_expression of rsp, of no bytes: the CFA. libdw takes it for no rule at all. */
START_TEST(an_empty_expression_is_the_cfa)
{
	char folder[] = "/tmp/test_row_referee.XXXXXX", command[512], path[64];
	char why[ROW_REFEREE_WHY] = "";
	struct row_referee *referee;
	struct image *image;
	struct error error;
	struct cfi *cfi;
	struct row row;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/image", folder);
	snprintf(command, sizeof(command),
		 "printf '.globl f\\nf:\\n.cfi_startproc\\n.cfi_escape 0x16, 7, 0\\nret\\n"
		 ".cfi_endproc\\n' | gcc-12 -x assembler - -shared -nostdlib -o %s",
		 path);
	if (system(command)) {
		printf("SKIP: no gcc-12\n");
		rmdir(folder);
		return;
	}
	ck_assert_msg(!image_create(path, &image, &error) && !cfi_create(image, &cfi, &error), "%s",
		      error.message);
	ck_assert_msg(!row_referee_create(path, true, &referee, &error), "%s", error.message);
	ck_assert_int_eq(cfi_row_find(cfi, image_symbol_address(image, "f"), &row, &error), 1);
	ck_assert_int_eq(row.reg[RSP].kind, RULE_VAL_EXPRESSION);
	ck_assert_uint_eq(row.reg[RSP].expression_bytes, 0);
	ck_assert_msg(row_referee_judge(referee, &row, RIP, why) == ROW_AGREED, "%s", why);
	/* Another rule is none of that kind. */
	row.reg[RSP] = (struct row_rule) { RULE_OFFSET, 0, -16, NULL, 0 };
	ck_assert_int_eq(row_referee_judge(referee, &row, RIP, why), ROW_DISPUTED);
	row_referee_destroy(referee);
	cfi_destroy(cfi);
	image_destroy(image);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* What is drawn is splitmix64's, whose numbers are published: of no two draws alike. */
START_TEST(registers_and_memory_are_drawn)
{
	static const uint64_t drawn[][2] = {
		{ 0, 0xe220a8397b1dcdaf },
		{ 0x9e3779b97f4a7c15, 0x6e789e6aa1b965f4 },
		{ 0x3c6ef372fe94f82a, 0x06c45d188009454f },
	};

	for (int i = 0; i < COUNT(drawn); i++) {
		uint64_t word = drawn[i][1];
		uint8_t bytes[9] = { 0 }, right[9] = { 0 };

		ck_assert_uint_eq(hash_mix(drawn[i][0]), drawn[i][1]);
		ck_assert_int_eq(hashed_read(NULL, drawn[i][0], bytes, 9), -1);
		ck_assert_mem_eq(bytes, right, sizeof(bytes));
		memcpy(right, &word, 3);
		ck_assert_int_eq(hashed_read(NULL, drawn[i][0], bytes, 3), 0);
		ck_assert_mem_eq(bytes, right, sizeof(bytes));
		memcpy(right, &word, 8);
		ck_assert_int_eq(hashed_read(NULL, drawn[i][0], bytes, 8), 0);
		ck_assert_mem_eq(bytes, right, sizeof(bytes));
	}
}
END_TEST

/* A PLT's slots have 16 bytes, and what differs at one of them is found. */
START_TEST(each_byte_of_a_slot_is_looked_at)
{
	const uint8_t expression[] = {
		PLT_AND(RSP, 15, 11), DW_OP_breg16, 0,	       DW_OP_lit15, DW_OP_and,
		DW_OP_lit0 + _i,      DW_OP_eq,	    DW_OP_plus
	};
	char why[ROW_REFEREE_WHY] = "";
	struct fixture f = setup();
	struct row_referee *referee;
	struct error error;
	struct row row;

	ck_assert_msg(!row_referee_create(f.path, true, &referee, &error), "%s", error.message);
	ck_assert_int_eq(cfi_row_find(f.cfi, PLT, &row, &error), 1);
	row.cfa.expression = expression;
	row.cfa.expression_bytes = sizeof(expression);
	ck_assert_int_eq(row_referee_judge(referee, &row, RIP, why), ROW_DISPUTED);
	ck_assert_str_eq(why, "libdw: another CFA (9 operations)");
	row_referee_destroy(referee);
	teardown(&f);
}
END_TEST

/* ---- where libdw has a frame -------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t vaddr;
	bool found;
} frames[] = {
	{ "before_the_first", 0xfff, false }, { "first_byte", 0x1000, true },
	{ "last_byte", 0x102f, true },	      { "behind_it", 0x1030, false },
	{ "before_the_next", 0x103f, false }, { "the_next", 0x1040, true },
	{ "behind_all", 0x1088, false },
};

START_TEST(gaps_have_no_frame)
{
	struct fixture f = setup();
	struct row_referee *referee;
	struct error error;

	ck_assert_msg(!row_referee_create(f.path, true, &referee, &error), "%s", error.message);
	ck_assert_msg(row_referee_has_frame(referee, frames[_i].vaddr) == frames[_i].found, "%s",
		      frames[_i].name);
	row_referee_destroy(referee);
	teardown(&f);
}
END_TEST

/* ---- files -------------------------------------------------------------------------------- */

/* The image has no .debug_frame: .eh_frame is not taken for it. */
START_TEST(section_that_is_not_there_is_an_error)
{
	struct row_referee *referee = NULL;
	struct fixture f = setup();
	struct error error;
	int next = dup(0);

	close(next);
	ck_assert_int_eq(row_referee_create(f.path, false, &referee, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.section, ".debug_frame");
	ck_assert_ptr_null(referee);
	for (int eh_frame = 0; eh_frame < 2; eh_frame++)
		ck_assert_int_eq(row_referee_create("/nowhere", eh_frame, &referee, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_ptr_null(referee);
	/* Nor does any of them stay open, be it ELF or not. */
	ck_assert_int_eq(truncate(f.path, 3), 0);
	ck_assert_int_eq(row_referee_create(f.path, true, &referee, &error), -1);
	ck_assert_int_eq(row_referee_create("/", true, &referee, &error), -1);
	ck_assert_int_eq(fcntl(next, F_GETFD), -1);
	teardown(&f);
}
END_TEST

/* Programs that are started meanwhile don't get the file, and afterwards it is closed. */
START_TEST(file_is_nobody_elses)
{
	struct fixture f = setup();
	struct row_referee *referee;
	struct error error;
	int next = dup(0);

	ck_assert_int_ge(next, 0);
	close(next);
	ck_assert(!row_referee_create(f.path, true, &referee, &error));
	ck_assert_int_eq(fcntl(next, F_GETFD), FD_CLOEXEC);
	row_referee_destroy(referee);
	ck_assert_int_eq(fcntl(next, F_GETFD), -1);
	teardown(&f);
}
END_TEST

/* The first that this process has to do with ELF, and a file that gets number 0. */
START_TEST(file_may_be_the_first_that_is_open)
{
	char path[] = "/tmp/test_row_referee.XXXXXX";
	struct row_referee *referee = NULL;
	int next, file = mkstemp(path);
	struct diff_image image;
	struct error error;

	diff_image_make(&image);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, image.size), (ssize_t)image.size);
	close(file);
	next = dup(0);
	ck_assert_int_ge(next, 0);
	close(0);
	ck_assert_msg(!row_referee_create(path, true, &referee, &error), "%s", error.message);
	ck_assert(row_referee_has_frame(referee, ORDINARY));
	ck_assert_int_eq(fcntl(0, F_GETFD), FD_CLOEXEC);
	row_referee_destroy(referee);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	row_referee_destroy(NULL);
	ck_assert_int_eq(dup2(next, 0), 0);
	close(next);
	unlink(path);
}
END_TEST

SUITE(row_referee, LOOP(expressions_are_compared_by_what_they_mean, cases),
      TEST(an_empty_expression_is_the_cfa), TEST(registers_and_memory_are_drawn),
      TIMES(each_byte_of_a_slot_is_looked_at, 16), LOOP(gaps_have_no_frame, frames),
      TEST(section_that_is_not_there_is_an_error), TEST(file_is_nobody_elses),
      TEST(file_may_be_the_first_that_is_open))
