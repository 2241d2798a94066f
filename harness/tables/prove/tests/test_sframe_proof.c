/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_proof.c - call frame information and SFrame that differ in one thing, and what is said of it
 *
 * Both are made by hand: one function with its rows, and SFrame's rows of the same code. Each case plants one fault, and
 * the fault must be found at its place, by its name, and nothing else.
 */
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "image/elf_image.h"
#include "sframe/tests/sframe_bytes.h"
#include "tables/prove/sframe_proof.h"

#define PC	      0x1000
#define BYTES_OF_CODE 0x20

/* The rows that all cases begin with: rsp+8; push rbp; mov rsp, rbp. */
#define USUAL_CFI                                                                                  \
	CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2), CFA_advance_loc(3),        \
		CFA_def_cfa_register(RBP)

static void usual(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
	made_row(made, 1, 4, ROW(BY_FP, 1, 2), 16, -16);
}

static void nothing(struct made *made)
{
	made_function(made, 0x2000, 0x10, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
}

static void one(struct made *made, unsigned int info, int cfa, int fp)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, info, cfa, fp);
}

static void late(struct made *made) /* a row begins a byte too late */
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 2, ROW(BY_SP, 1, 2), 16, -16);
	made_row(made, 1, 4, ROW(BY_FP, 1, 2), 16, -16);
}

static void by_sp(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
	made_row(made, 1, 4, ROW(BY_SP, 1, 2), 16, -16);
}

static void fp_elsewhere(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), 16, -24);
	made_row(made, 1, 4, ROW(BY_FP, 1, 1), 16);
}

static void end_told(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 0));
}

static void end_untold(struct made *made)
{
	one(made, ROW(BY_SP, 1, 1), 8, 0);
}

static void cut(struct made *made) /* the function ends too early */
{
	made_function(made, PC, 0x10, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
	made_row(made, 1, 4, ROW(BY_FP, 1, 2), 16, -16);
}

static void broken(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, 0, 0, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 3), 16, -16, 0);
}

static void drap(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, FLEX, 0, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 2), (int)CONTROL(10, 0), 0);
	made_row(made, 1, 8, ROW(BY_SP, 1, 5), (int)CONTROL(6, DEREF), -8, 0,
		 (int)CONTROL(6, DEREF), 0);
}

static void drap_wrong(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1, FLEX, 0, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 2), (int)CONTROL(10, 0), 0);
	made_row(made, 1, 8, ROW(BY_SP, 1, 5), (int)CONTROL(6, DEREF), -16, 0,
		 (int)CONTROL(6, DEREF), 8);
}

static void plt(struct made *made, uint8_t from)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1 | PCMASK, 0, 16, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, from, ROW(BY_SP, 1, 1), 16);
}

static void plt_right(struct made *made)
{
	plt(made, 11);
}

static void plt_wrong(struct made *made)
{
	plt(made, 9);
}

static void signal_told(struct made *made)
{
	made_function(made, PC, BYTES_OF_CODE, ADDR1 | SIGNAL_P, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
}

static void other_code(struct made *made)
{
	usual(made);
	made_function(made, 0x1800, 0x10, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_function(made, 0x9000, 0x10, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
}

#define DRAP_CFI                                                                                   \
	CFA_def_cfa(10, 0), CFA_advance_loc(8),                                                    \
		CFA_def_cfa_expression(DW_OP_breg0 + RBP, SLEB(-8), DW_OP_deref),                  \
		CFA_expression(RBP, DW_OP_breg0 + RBP, 0)
#define PLT_CFI                                                                                    \
	CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,            \
			       DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus)

static const struct {
	const char *name;
	unsigned int version;
	bool signal;
	struct literal cfi;
	void (*put)(struct made *made);
	uint64_t rows, equal, wrong, absent;
	unsigned int differs;
	enum sframe_absence reason;
	uint64_t pc, pc_end; /* of the first finding */
} cases[] = {
	{ "the_same", 2, false, CFI(USUAL_CFI), usual, 3, 3, 0, 0, 0, 0, 0, 0 },
	{ "a_row_too_late", 1, false, CFI(USUAL_CFI), late, 3, 2, 1, 0, 5, 0, 0x1001, 0x1002 },
	{ "the_cfa_by_rsp", 2, false, CFI(USUAL_CFI), by_sp, 3, 2, 1, 0, SFRAME_DIFFERS_CFA, 0,
	  0x1004, 0x1020 },
	{ "rbp_elsewhere", 3, false, CFI(USUAL_CFI), fp_elsewhere, 3, 1, 2, 0, SFRAME_DIFFERS_FP, 0,
	  0x1001, 0x1004 },
	{ "the_end_is_told", 2, false, CFI(CFA_undefined(16)), end_told, 1, 1, 0, 0, 0, 0, 0, 0 },
	{ "the_end_is_not_told", 1, false, CFI(CFA_undefined(16)), end_untold, 1, 0, 1, 0,
	  SFRAME_DIFFERS_RA, 0, 0x1000, 0x1020 },
	{ "an_end_where_there_is_none", 2, false, CFI(CFA_nop), end_told, 1, 0, 1, 0,
	  SFRAME_DIFFERS_RA, 0, 0x1000, 0x1020 },
	{ "no_function", 2, false, CFI(USUAL_CFI), nothing, 3, 0, 0, 3, 0, SFRAME_UNTOLD, 0x1000,
	  0x1001 },
	{ "a_function_too_short", 2, false, CFI(USUAL_CFI), cut, 3, 2, 0, 1, 0, SFRAME_UNTOLD,
	  0x1010, 0x1020 },
	{ "a_row_that_cannot_be_read", 2, false, CFI(USUAL_CFI), broken, 3, 1, 0, 2, 0,
	  SFRAME_UNREADABLE, 0x1001, 0x1004 },
	{ "a_cfa_by_r10", 2, false, CFI(CFA_def_cfa(10, 0)), nothing, 1, 0, 0, 1, 0,
	  SFRAME_CFA_REGISTER, 0x1000, 0x1020 },
	{ "r10_is_no_reason_in_version_3", 3, false, CFI(CFA_def_cfa(10, 0)), nothing, 1, 0, 0, 1,
	  0, SFRAME_UNTOLD, 0x1000, 0x1020 },
	{ "a_cfa_by_an_expression", 2, false, CFI(DRAP_CFI), nothing, 2, 0, 0, 2, 0,
	  SFRAME_CFA_REGISTER, 0x1000, 0x1008 },
	{ "an_expression_of_no_form", 3, false,
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_lit3, DW_OP_plus, DW_OP_deref,
				     DW_OP_deref)),
	  nothing, 1, 0, 0, 1, 0, SFRAME_CFA_EXPRESSION, 0x1000, 0x1020 },
	{ "rbp_in_a_register", 2, false, CFI(CFA_register(RBP, 10)), nothing, 1, 0, 0, 1, 0,
	  SFRAME_FP_RULE, 0x1000, 0x1020 },
	{ "the_return_address_in_a_register", 1, false, CFI(CFA_register(16, 10)), nothing, 1, 0, 0,
	  1, 0, SFRAME_RA_RULE, 0x1000, 0x1020 },
	{ "flexible", 3, false, CFI(DRAP_CFI), drap, 2, 2, 0, 0, 0, 0, 0, 0 },
	{ "flexible_and_wrong", 3, false, CFI(DRAP_CFI), drap_wrong, 2, 1, 1, 0,
	  SFRAME_DIFFERS_CFA | SFRAME_DIFFERS_FP, 0, 0x1008, 0x1020 },
	{ "a_plt", 2, false, CFI(PLT_CFI), plt_right, 1, 1, 0, 0, 0, 0, 0, 0 },
	{ "a_plt_whose_entries_push_later", 2, false, CFI(PLT_CFI), plt_wrong, 1, 0, 1, 0,
	  SFRAME_DIFFERS_CFA, 0, 0x1009, 0x100b },
	{ "a_signal_frame", 3, true, CFI(CFA_nop), signal_told, 1, 1, 0, 0, 0, 0, 0, 0 },
};

struct noted {
	struct sframe_finding first;
	size_t count;
};

static void note(void *context, const struct sframe_finding *finding)
{
	struct noted *noted = context;

	if (!noted->count++)
		noted->first = *finding;
}

/* Both tables of one image, whose code is 0x1000 .. 0x2000. */
struct tables {
	struct bytes eh_frame, sframe_bytes;
	struct made made;
	struct image_segment segment;
	struct image_file file; /* without symbols and sections */
	struct image image;
	struct image_section section;
	struct cfi *cfi;
	struct sframe *sframe;
};

static void make_tables(struct tables *tables, unsigned int version, struct literal cfi,
			void (*put_sframe)(struct made *made))
{
	struct error error;

	*tables = (struct tables) { .made.version = version };
	put_fde(&tables->eh_frame, put_cie(&tables->eh_frame, 0, (struct literal)CFI(CFA_USUAL)),
		PC, BYTES_OF_CODE, cfi);
	tables->image = fake_image(&tables->eh_frame);
	tables->segment = (struct image_segment) { PC, 0x1000, 0, 0x1000, true };
	tables->image.segment = &tables->segment;
	tables->image.segment_count = 1;
	tables->image.type = ET_DYN;
	tables->file.symbols_read = tables->file.ranges_made = tables->file.stubs_read = true;
	tables->image.priv = &tables->file;
	tables->cfi = cfi_of(&tables->image);
	put_sframe(&tables->made);
	made_finish(&tables->made, &tables->sframe_bytes);
	tables->section = made_section(&tables->sframe_bytes);
	tables->sframe = read_made(&tables->section, &error);
	ck_assert_msg(tables->sframe, "%s", error.message);
}

static void free_tables(struct tables *tables)
{
	cfi_destroy(tables->cfi);
	sframe_destroy(tables->sframe);
}

START_TEST(each_fault_is_found)
{
	struct sframe_proof proof;
	struct noted noted = { .count = 0 };
	struct tables tables;
	const char *name = cases[_i].name;

	make_tables(&tables, cases[_i].version, cases[_i].cfi, cases[_i].put);
	sframe_prove(tables.cfi, tables.sframe, note, &noted, &proof);
	ck_assert_msg(proof.rows == cases[_i].rows && proof.equal == cases[_i].equal &&
			      proof.wrong == cases[_i].wrong &&
			      proof.absent[cases[_i].reason] == cases[_i].absent,
		      "%s: %d rows, %d equal, %d wrong, %d absent", name, (int)proof.rows,
		      (int)proof.equal, (int)proof.wrong, (int)proof.absent[cases[_i].reason]);
	ck_assert_uint_eq(proof.rows, proof.equal + proof.wrong + cases[_i].absent);
	ck_assert_uint_eq(proof.wrong_by[cases[_i].differs], cases[_i].wrong);
	if (noted.count)
		ck_assert_msg(noted.first.pc == cases[_i].pc &&
				      noted.first.pc_end == cases[_i].pc_end,
			      "%s: at 0x%x..0x%x", name, (unsigned int)noted.first.pc,
			      (unsigned int)noted.first.pc_end);
	free_tables(&tables);
}
END_TEST

START_TEST(what_is_in_no_fde_is_counted)
{
	struct sframe_proof proof;
	struct noted noted = { .count = 0 };
	struct tables tables;

	make_tables(&tables, 2, (struct literal)CFI(USUAL_CFI), other_code);
	sframe_prove(tables.cfi, tables.sframe, note, &noted, &proof);
	ck_assert_uint_eq(proof.equal, 3);
	ck_assert_uint_eq(proof.sframe_rows, 5);
	ck_assert_uint_eq(proof.extra, 2);
	ck_assert_uint_eq(proof.no_code, 1);
	ck_assert_uint_eq(noted.count, 1);
	ck_assert_uint_eq(noted.first.pc, 0x9000);
	ck_assert_ptr_null(noted.first.cfi);
	free_tables(&tables);
}
END_TEST

START_TEST(absences_have_names)
{
	for (int i = 0; i < SFRAME_ABSENCE_COUNT; i++)
		ck_assert(sframe_absence_name((enum sframe_absence)i)[0]);
}
END_TEST

SUITE(sframe_proof, LOOP(each_fault_is_found, cases), TEST(what_is_in_no_fde_is_counted),
      TEST(absences_have_names))
