/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stat_census.c - what `stat` counts of expressions: each once where an instruction sets it
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/stat/stat.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"

#define MANY_BYTES (1u << 18)

/* ret: to be freed. */
static char *census(const struct image *image)
{
	struct error error = { 0 };
	json_t *object = json_object();
	struct cfi *cfi = NULL;
	char *ret;

	ck_assert_msg(!image || !cfi_create(image, &cfi, &error), "%s", error.message);
	stat_expressions(cfi, object);
	ret = json_dumps(object, JSON_COMPACT);
	ck_assert_ptr_nonnull(ret);
	json_decref(object);
	cfi_destroy(cfi);
	return ret;
}

#define PLT_CFA                                                                                    \
	DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge,            \
		DW_OP_lit3, DW_OP_shl, DW_OP_plus
#define ALIGNED DW_OP_lit8, DW_OP_minus, DW_OP_const1s, 0xf0, DW_OP_and

static const struct {
	const char *name;
	struct literal cie, fde;
	const char *census;
} cases[] = {
	{ "no_expression", CFI(CFA_USUAL), CFI(CFA_offset(RBX, 2)),
	  "{\"expressions\":{},\"expressions_other\":{}}" },
	{ "every_form_of_a_cfa", CFI(CFA_USUAL),
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 16), CFA_advance_loc(1),
	      CFA_def_cfa_expression(DW_OP_breg7, 16, DW_OP_deref), CFA_advance_loc(1),
	      CFA_def_cfa_expression(PLT_CFA), CFA_advance_loc(1),
	      CFA_def_cfa_expression(DW_OP_breg7, 1, DW_OP_not)),
	  "{\"expressions\":{\"cfa_register\":1,\"cfa_deref\":1,\"cfa_plt\":1,\"cfa_other\":1},"
	  "\"expressions_other\":{\"cfa: breg7+1; not\":1}}" },
	{ "every_form_of_a_register", CFI(CFA_USUAL),
	  CFI(CFA_expression(RBX, DW_OP_breg7, 16), CFA_val_expression(RBP, DW_OP_breg7, 16),
	      CFA_expression(R12, DW_OP_breg7, 16, DW_OP_deref), CFA_expression(R13, ALIGNED),
	      CFA_val_expression(R14, DW_OP_not), CFA_expression(R15, DW_OP_not)),
	  "{\"expressions\":{\"at_register\":1,\"val_register\":1,\"at_deref\":1,\"at_aligned\":1,"
	  "\"val_other\":1,\"at_other\":1},"
	  "\"expressions_other\":{\"val: not\":1,\"at: not\":1}}" },
	{ "one_that_stays_is_counted_once", CFI(CFA_USUAL),
	  CFI(CFA_expression(RBX, DW_OP_not), CFA_def_cfa_expression(DW_OP_breg7, 16),
	      CFA_advance_loc(1), CFA_offset(RBP, 2), CFA_advance_loc(1), CFA_offset(R12, 3)),
	  "{\"expressions\":{\"at_other\":1,\"cfa_register\":1},"
	  "\"expressions_other\":{\"at: not\":1}}" },
	{ "one_that_is_set_again_twice", CFI(CFA_USUAL),
	  CFI(CFA_expression(RBX, DW_OP_not), CFA_advance_loc(1), CFA_expression(RBX, DW_OP_not)),
	  "{\"expressions\":{\"at_other\":2},\"expressions_other\":{\"at: not\":2}}" },
	{ "one_that_comes_back_twice", CFI(CFA_USUAL),
	  CFI(CFA_expression(RBX, DW_OP_not), CFA_remember_state, CFA_advance_loc(1),
	      CFA_offset(RBX, 2), CFA_advance_loc(1), CFA_restore_state),
	  "{\"expressions\":{\"at_other\":2},\"expressions_other\":{\"at: not\":2}}" },
	{ "of_two_registers_both", CFI(CFA_USUAL),
	  CFI(CFA_expression(RAX, DW_OP_not), CFA_expression(RIP, DW_OP_not)),
	  "{\"expressions\":{\"at_other\":2},\"expressions_other\":{\"at: not\":2}}" },
	{ "the_cie_s_for_every_fde", CFI(CFA_USUAL, CFA_expression(RBX, DW_OP_breg7, 0)),
	  CFI(CFA_nop), "{\"expressions\":{\"at_register\":2},\"expressions_other\":{}}" },
	{ "rows_before_what_is_malformed", CFI(CFA_USUAL),
	  CFI(CFA_expression(RBX, DW_OP_breg7, 0), CFA_advance_loc(1), 0x3f),
	  "{\"expressions\":{\"at_register\":1},\"expressions_other\":{}}" },
};

/* Of two FDEs; the second sets nothing itself. */
START_TEST(expressions_are_counted)
{
	struct bytes bytes = { .size = 0 };
	struct literal nothing = BYTES("");
	size_t cie = put_cie(&bytes, 0, cases[_i].cie);
	struct image image;
	FREED char *text = NULL;

	put_fde(&bytes, cie, TEST_PC, TEST_PC_RANGE, cases[_i].fde);
	put_fde(&bytes, cie, TEST_PC + TEST_PC_RANGE, TEST_PC_RANGE, nothing);
	image = fake_image(&bytes);
	text = census(&image);
	ck_assert_msg(!strcmp(text, cases[_i].census), "%s: %s", cases[_i].name, text);
}
END_TEST

START_TEST(no_cfi_has_no_expressions)
{
	FREED char *text = census(NULL);

	ck_assert_str_eq(text, "{\"expressions\":{},\"expressions_other\":{}}");
}
END_TEST

/* Appends one FDE of a CIE at 0, whose expression is of 146 numbers: 1024 bytes as text. */
static size_t put_numbers(uint8_t *data, size_t size, unsigned int number, uint64_t pc)
{
	enum { NUMBERS = 146, KINDS = 22 };
	const uint8_t head[] = { CFA_EXPRESSION, RBX, ULEB2(NUMBERS) };
	const uint32_t length = 4 + 8 + 8 + 1 + sizeof(head) + NUMBERS, back = (uint32_t)size + 4;
	const uint64_t range = 1;
	uint8_t *to = data + size;

	ck_assert_uint_le(size + 4 + length, MANY_BYTES);
	memcpy(to, &length, 4);
	memcpy(to + 4, &back, 4);
	memcpy(to + 8, &pc, 8);
	memcpy(to + 16, &range, 8);
	to[24] = 0;
	memcpy(to + 25, head, sizeof(head));
	to += 25 + sizeof(head);
	for (int i = 0; i < NUMBERS; i++, number /= KINDS)
		to[i] = (uint8_t)(DW_OP_lit10 + number % KINDS);
	return size + 4 + length;
}

/* The file chooses how many and how long: a mebibyte of texts is kept. */
START_TEST(texts_have_a_limit)
{
	enum { KEPT = 1024, MORE = 3 };
	struct literal usual = CFI(CFA_USUAL);
	struct bytes cie = { .size = 0 };
	uint8_t *data = calloc(1, MANY_BYTES);
	struct image image;
	struct error error;
	struct cfi *cfi;
	json_t *object = json_object();
	size_t size;
	uint64_t pc = TEST_PC;

	ck_assert(data && object);
	put_cie(&cie, 0, usual);
	memcpy(data, cie.data, cie.size);
	size = cie.size;
	/* What is kept already takes no more room, at first or in the end. */
	size = put_numbers(data, size, 0, pc++);
	for (unsigned int i = 0; i < KEPT + MORE; i++)
		size = put_numbers(data, size, i, pc++);
	size = put_numbers(data, size, 0, pc++);
	image = fake_image(&cie);
	image.eh_frame.data = data;
	image.eh_frame.size = size;
	ck_assert_msg(!cfi_create(&image, &cfi, &error), "%s", error.message);
	stat_expressions(cfi, object);
	ck_assert_uint_eq(json_object_size(json_object_get(object, "expressions_other")), KEPT);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "expressions_other_more")),
			 MORE);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(object, "expressions"),
							    "at_other")),
			 KEPT + MORE + 2);
	json_decref(object);
	cfi_destroy(cfi);
	free(data);
}
END_TEST

SUITE(stat_census, LOOP(expressions_are_counted, cases), TEST(no_cfi_has_no_expressions),
      TEST(texts_have_a_limit))
