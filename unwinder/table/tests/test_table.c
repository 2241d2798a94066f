/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table.c - rows -> rules, changes -> pages, and the proof that nothing is lost on the way
 *
 * Hand-made CFI says one row each and what rule or marker it must become; hand-made FDEs say which
 * rule is in force at which address, whichever way the table was built. Then real images: at every
 * address the table must say what the CFI says (that each rule also leads where its row does is
 * proven by table_prove() and its tests).
 */
#include <inttypes.h>
#include <stdio.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/unwind_table.h"

#define PAGE TABLE_PAGE_SIZE

/* ---- one row -> one rule ---------------------------------------------------------------- */

/* The CIE says cfa=rsp+8 ra=c-8, as test_cfi_program.c has it. */
#define BIG 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10 /* ULEB128 of 2^60 */

static const struct rule_case {
	const char *name;
	struct literal instructions;
	const char *rule; /* as print_rule() writes it, or a marker's name */
	bool signal_frame;
} rule_cases[] = {
	{ "cie_row_is_short", BYTES(""), "rsp+8 rip=c-8", false },
	{ "signal_frame_is_a_flag", BYTES(""), "signal rsp+8 rip=c-8", true },
	{ "cfa_on_rbp", CFI(CFA_def_cfa(RBP, 16)), "rbp+16 rip=c-8", false },
	{ "cfa_expression_of_a_register", CFI(CFA_def_cfa_expression(DW_OP_breg10, 0)),
	  "r10+0 rip=c-8", false },
	{ "cfa_expression_dereferences",
	  CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref)), "*(rbp-8)+0 rip=c-8",
	  false },
	{ "cfa_expression_adds_after_dereference",
	  CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref, DW_OP_plus_uconst, 16)),
	  "*(rbp-8)+16 rip=c-8", false },
	{ "cfa_expression_of_a_plt",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
				     DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus)),
	  "plt(rsp+8,11) rip=c-8", false },
	{ "every_callee_saved_register_on_the_stack",
	  CFI(CFA_offset(RBX, 2), CFA_offset(RBP, 3), CFA_offset(R12, 4), CFA_offset(R13, 5),
	      CFA_offset(R14, 6), CFA_offset(R15, 7)),
	  "rsp+8 rip=c-8 rbx=c-16 rbp=c-24 r12=c-32 r13=c-40 r14=c-48 r15=c-56", false },
	{ "callee_saved_register_is_an_address", CFI(CFA_val_offset(RBP, 0)),
	  "extended rsp+8 rip=c-8 rbp=v+0", false },
	{ "farthest_slot_of_a_short_rule", CFI(CFA_offset(RBX, ULEB2(253))),
	  "rsp+8 rip=c-8 rbx=c-2024", false },
	{ "farther_slot_is_extended", CFI(CFA_offset(RBX, ULEB2(254))),
	  "extended rsp+8 rip=c-8 rbx=c-2032", false },
	{ "slot_above_the_cfa_is_extended", CFI(CFA_offset_extended_sf(RBX, SLEB(-1))),
	  "extended rsp+8 rip=c-8 rbx=c+8", false },
	{ "cfa_expression_adds_much_after_dereference",
	  CFI(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref, DW_OP_plus_uconst,
				     ULEB2(1024))),
	  "extended *(rbp-8)+1024 rip=c-8", false },
	{ "cfa_expression_with_an_index",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg9, 0, DW_OP_lit8, DW_OP_mul,
				     DW_OP_plus, DW_OP_deref, DW_OP_plus_uconst, 8)),
	  "*(rsp+r9*8+8)+8 rip=c-8", false },
	{ "index_without_a_scale",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 0, DW_OP_breg6, 0, DW_OP_plus)),
	  "rsp+rbp*1+0 rip=c-8", false },
	{ "scale_just_out_of_range",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 0, DW_OP_breg6, 0, DW_OP_const2u, U2(256),
				     DW_OP_mul, DW_OP_plus)),
	  "offset_range", false },
	{ "index_is_rip", CFI(CFA_def_cfa_expression(DW_OP_breg7, 0, DW_OP_breg16, 0, DW_OP_plus)),
	  "unsupported_register", false },
	{ "callee_saved_register_is_lost", CFI(CFA_undefined(RBP)), "rsp+8 rip=c-8 rbp=u", false },
	{ "same_value_is_no_rule_for_what_is_preserved", CFI(CFA_same_value(RBP)), "rsp+8 rip=c-8",
	  false },
	{ "lost_scratch_register_needs_no_rule", CFI(CFA_undefined(RAX)), "rsp+8 rip=c-8", false },
	{ "outermost_frame", CFI(CFA_undefined(RIP)), "rsp+8 rip=u", false },
	{ "return_address_in_a_register", CFI(CFA_register(RIP, RAX)), "extended rsp+8 rip=rax",
	  false },
	{ "return_address_is_an_address", CFI(CFA_val_offset(RIP, 1)), "extended rsp+8 rip=v-8",
	  false },
	{ "return_address_at_a_register_is_extended", CFI(CFA_expression(RIP, DW_OP_breg7, 40)),
	  "extended rsp+8 rip=*(rsp+40)", false },
	{ "callee_saved_in_a_register_is_extended", CFI(CFA_register(RBP, RAX)),
	  "extended rsp+8 rip=c-8 rbp=rax", false },
	{ "callee_saved_at_a_register_is_extended", CFI(CFA_expression(RBP, DW_OP_breg6, 0)),
	  "extended rsp+8 rip=c-8 rbp=*(rbp+0)", false },
	{ "callee_saved_off_a_register_is_extended", CFI(CFA_val_expression(RBP, DW_OP_breg5, 8)),
	  "extended rsp+8 rip=c-8 rbp=rdi+8", false },
	{ "saved_scratch_register_is_extended", CFI(CFA_offset(RAX, 2)),
	  "extended rsp+8 rip=c-8 rax=c-16", false },
	{ "rsp_by_a_rule_is_extended", CFI(CFA_offset(RSP, 2)), "extended rsp+8 rip=c-8 rsp=c-16",
	  false },
	{ "written_last_rsp_may_be_read",
	  CFI(CFA_offset(RSP, 2), CFA_val_expression(R12, DW_OP_breg7, 0)),
	  "extended rsp+8 rip=c-8 rsp=c-16 r12=rsp+0", false },
	{ "reading_ones_own_old_value_is_fine", CFI(CFA_val_expression(RBX, DW_OP_breg3, 8)),
	  "extended rsp+8 rip=c-8 rbx=rbx+8", false },
	{ "reading_what_is_written_later_is_fine", CFI(CFA_register(RBX, RBP), CFA_offset(RBP, 2)),
	  "extended rsp+8 rip=c-8 rbx=rbp rbp=c-16", false },
	{ "reading_what_is_written_first_is_fine", CFI(CFA_offset(RBX, 2), CFA_register(RBP, RBX)),
	  "extended rsp+8 rip=c-8 rbx=c-16 rbp=rbx", false },
	{ "address_from_what_is_written_first_is_fine",
	  CFI(CFA_offset(RBX, 2), CFA_expression(RBP, DW_OP_breg3, 0)),
	  "extended rsp+8 rip=c-8 rbx=c-16 rbp=*(rbx+0)", false },
	{ "all_of_a_realigned_frame_hang_on_rbp",
	  CFI(CFA_expression(RBX, DW_OP_breg6, SLEB(-40)), CFA_expression(RBP, DW_OP_breg6, 0),
	      CFA_expression(R12, DW_OP_breg6, SLEB(-32))),
	  "extended rsp+8 rip=c-8 rbx=*(rbp-40) rbp=*(rbp+0) r12=*(rbp-32)", false },
	{ "slot_of_a_frame_aligned_below_the_cfa",
	  CFI(CFA_expression(R12, DW_OP_lit8, DW_OP_minus, DW_OP_const1s, (uint8_t)-64, DW_OP_and,
			     DW_OP_const2s, U2(-184), DW_OP_plus)),
	  "extended rsp+8 rip=c-8 r12=*(((c-8)&-2^6)-184)", false },
	{ "alignment_that_is_no_power_of_two",
	  CFI(CFA_expression(R12, DW_OP_lit8, DW_OP_minus, DW_OP_const1s, (uint8_t)-63, DW_OP_and,
			     DW_OP_const2s, U2(-184), DW_OP_plus)),
	  "unsupported_expression", false },
	{ "return_address_in_an_aligned_slot",
	  CFI(CFA_expression(RIP, DW_OP_lit8, DW_OP_minus, DW_OP_const1s, (uint8_t)-64, DW_OP_and,
			     DW_OP_const2s, U2(-184), DW_OP_plus)),
	  "unsupported_expression", false },
	{ "cfa_is_dropped_first", CFI(CFA_expression(R12, DW_OP_drop, DW_OP_breg7, SLEB2(168))),
	  "extended rsp+8 rip=c-8 r12=*(rsp+168)", false },
	{ "two_that_read_each_other_are_no_rule",
	  CFI(CFA_register(RBX, RBP), CFA_register(RBP, RBX)), "unsupported_register", false },
	{ "cfa_offset_out_of_range", CFI(CFA_def_cfa_offset(BIG)), "offset_range", false },
	{ "cfa_offset_just_in_range", CFI(CFA_def_cfa_offset(0xff, 0xff, 0xff, 0xff, 7)),
	  "rsp+2147483647 rip=c-8", false },
	{ "cfa_offset_just_out_of_range", CFI(CFA_def_cfa_offset(0x80, 0x80, 0x80, 0x80, 8)),
	  "offset_range", false },
	{ "saved_offset_just_in_range", CFI(CFA_offset_extended(RBX, 0x80, 0x80, 0x80, 0x80, 1)),
	  "extended rsp+8 rip=c-8 rbx=c-2147483648", false },
	{ "saved_offset_just_out_of_range",
	  CFI(CFA_offset_extended(RBX, 0x81, 0x80, 0x80, 0x80, 1)), "offset_range", false },
	{ "value_offset_out_of_range", CFI(CFA_val_offset(RBX, BIG)), "offset_range", false },
	{ "expression_offset_out_of_range",
	  CFI(CFA_val_expression(RBX, DW_OP_breg7, 0x80, 0x80, 0x80, 0x80, 8)), "offset_range",
	  false },
	{ "dereferenced_offset_out_of_range",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 0x80, 0x80, 0x80, 0x80, 8, DW_OP_deref)),
	  "offset_range", false },
	{ "cfa_expression_subtracts_a_register",
	  CFI(CFA_def_cfa_expression(DW_OP_breg7, 0, DW_OP_breg6, 0, DW_OP_minus)),
	  "unsupported_expression", false },
	{ "register_expression_of_the_cfa", CFI(CFA_val_expression(RBX, DW_OP_plus_uconst, 8)),
	  "extended rsp+8 rip=c-8 rbx=v+8", false },
	{ "register_at_an_expression_of_the_cfa",
	  CFI(CFA_expression(RBX, DW_OP_const1s, (uint8_t)-16, DW_OP_plus)),
	  "rsp+8 rip=c-8 rbx=c-16", false },
	{ "register_expression_dereferences_twice",
	  CFI(CFA_expression(RBX, DW_OP_breg7, 0, DW_OP_deref)), "unsupported_expression", false },
	{ "empty_expression", CFI(CFA_DEF_CFA_EXPRESSION, 0), "unsupported_expression", false },
	{ "cfa_expression_on_rip", CFI(CFA_def_cfa_expression(DW_OP_breg16, 0)),
	  "unsupported_register", false },
	{ "kept_in_a_vector_register", CFI(CFA_register(RBX, 17)), "unsupported_register", false },
	{ "return_address_in_itself", CFI(CFA_register(RIP, RIP)), "extended rsp+8 rip=rip",
	  false },
	{ "return_address_of_the_same_value", CFI(CFA_same_value(RIP)), "extended rsp+8 rip=rip",
	  false },
	{ "return_address_off_rip", CFI(CFA_val_expression(RIP, DW_OP_breg16, 12)),
	  "extended rsp+8 rip=rip+12", false },
	{ "return_address_off_rip_with_a_tail_of_constants",
	  CFI(CFA_val_expression(RIP, DW_OP_breg16, 12, DW_OP_const4s, U4(7), DW_OP_minus,
				 DW_OP_const4s, U4(2), DW_OP_plus)),
	  "extended rsp+8 rip=rip+7", false },
	{ "return_address_at_rip", CFI(CFA_expression(RIP, DW_OP_breg16, SLEB(-16))),
	  "extended rsp+8 rip=*(rip-16)", false },
	{ "register_off_rip", CFI(CFA_val_expression(RBX, DW_OP_breg16, 12)),
	  "extended rsp+8 rip=c-8 rbx=rip+12", false },
	{ "rsp_of_the_same_value", CFI(CFA_same_value(RSP)), "unsupported_register", false },
	{ "rsp_is_lost", CFI(CFA_undefined(RSP)), "unsupported_register", false },
};

static void print_place(FILE *file, const struct table_place *place)
{
	const char *from = register_name(place->reg);

	if (place->kind == TABLE_SAME)
		return;
	fprintf(file, " %s=", register_name(place->column));
	switch (place->kind) {
	case TABLE_AT_CFA: fprintf(file, "c%+" PRId32, place->offset); break;
	case TABLE_IS_CFA: fprintf(file, "v%+" PRId32, place->offset); break;
	case TABLE_UNDEFINED: fputc('u', file); break;
	case TABLE_AT_ALIGNED:
		fprintf(file, "*(((c-%u)&-2^%u)%+" PRId32 ")", place->less, place->reg,
			place->offset);
		break;
	case TABLE_IN_REGISTER: fputs(from, file); break;
	case TABLE_AT_REGISTER: fprintf(file, "*(%s%+" PRId32 ")", from, place->offset); break;
	case TABLE_IS_REGISTER: fprintf(file, "%s%+" PRId32, from, place->offset); break;
	default: fprintf(file, "kind%u", place->kind);
	}
}

static void print_rule(FILE *file, const struct table *table, uint32_t number)
{
	const struct table_rule *rule = &table->rule[number];
	bool extended = rule->flags & TABLE_RULE_EXTENDED;
	int add = extended ? rule->cfa_extended_add : rule->cfa_add;
	uint32_t count;
	const struct table_place *places = table_rule_places(table, number, &count);
	char base[64], index[32] = "";

	if (rule->cfa_scale)
		snprintf(index, sizeof(index), "+%s*%u", register_name(rule->cfa_register >> 4),
			 rule->cfa_scale);
	snprintf(base, sizeof(base), "%s%s%+d", register_name(rule->cfa_register & 15), index,
		 rule->cfa_offset);
	if (rule->flags & TABLE_RULE_SIGNAL_FRAME)
		fputs("signal ", file);
	if (extended)
		fputs("extended ", file);
	if (rule->cfa_kind == TABLE_CFA_REGISTER)
		fputs(base, file);
	else if (rule->cfa_kind == TABLE_CFA_DEREF)
		fprintf(file, "*(%s)%+d", base, add);
	else
		fprintf(file, "plt(%s,%d)", base, add);
	for (unsigned int i = 0; i < REGISTER_COUNT; i++) {
		struct table_place place = table_rule_place(rule, places, i ? i - 1 : REGISTER_RIP);

		print_place(file, &place);
	}
}

/* A CIE of cfa=rsp+8 ra=c-8; signal: with augmentation "zRS". */
static size_t usual_cie(struct bytes *bytes, bool signal_frame)
{
	size_t start = begin_entry(bytes);

	put_number(bytes, 0, 4);
	put_number(bytes, 1, 1);
	if (signal_frame)
		put(bytes, "zRS", 4);
	else
		put(bytes, "zR", 3);
	put(bytes, "\1\x78\x10\1\0", 5);
	put_literal(bytes, (struct literal)CFI(CFA_def_cfa(RSP, 8), CFA_offset(RIP, 1)));
	end_entry(bytes, start);
	return start;
}

/* Both ways to build a table. */
enum way { PLAIN, FAST, WAY_COUNT };

static struct table *build(enum way way, const struct bytes *bytes, struct image *image,
			   struct image_segment *segment, size_t segment_count,
			   struct cfi **ret_cfi)
{
	struct table *table = NULL;
	struct error error;

	*image = fake_image(bytes);
	image->segment = segment;
	image->segment_count = segment_count;
	ck_assert_msg(!cfi_create(image, ret_cfi, &error), "%s", error.message);
	ck_assert_msg(!(way == FAST ? table_build(image, &table, &error)
				    : table_create(image, *ret_cfi, &table, &error)),
		      "%s", error.message);
	return table;
}

START_TEST(row_becomes_rule)
{
	const struct rule_case *c = &rule_cases[_i / WAY_COUNT];
	struct image_segment segment = { TEST_PC, PAGE, 0, PAGE, true };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	char text[256] = "";

	usual_cie(&bytes, c->signal_frame);
	put_fde(&bytes, 0, TEST_PC, TEST_PC_RANGE, c->instructions);
	struct table *table = build(_i % WAY_COUNT, &bytes, &image, &segment, 1, &cfi);
	uint32_t number = table_find(table, TEST_PC);
	if (number < TABLE_MARKER_COUNT) {
		snprintf(text, sizeof(text), "%s", table_marker_name(number));
		ck_assert_msg(table->lost[number] == 1, "%s: the loss is not counted", c->name);
	} else {
		FILE *file = fmemopen(text, sizeof(text), "w");

		ck_assert_uint_lt(number, table->rule_count);
		print_rule(file, table, number);
		fclose(file);
	}
	ck_assert_msg(!strcmp(text, c->rule), "%s: %s, expected %s", c->name, text, c->rule);
	ck_assert_uint_eq(table_find(table, TEST_PC + TEST_PC_RANGE), TABLE_NO_ROW);
	table_destroy(table);
	cfi_destroy(cfi);
}
END_TEST

/* What a rule for a scratch register would need: either it is kept, or a marker says that not. */
START_TEST(same_value_of_a_scratch_register_is_not_dropped)
{
	struct row row = { .cfa = { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 } };
	struct table_rule_full full;

	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	row.reg[REGISTER_RAX] = (struct row_rule) { .kind = RULE_SAME_VALUE };
	enum table_marker marker = table_rule_from_row(&row, &full);
	struct table_place place = table_rule_place(&full.rule, full.place, REGISTER_RAX);
	ck_assert_msg(marker || (full.rule.flags & TABLE_RULE_EXTENDED &&
				 place.kind == TABLE_IN_REGISTER && place.reg == REGISTER_RAX),
		      "rax keeps its value, and the rule does not say so");
}
END_TEST

START_TEST(marker_has_a_name)
{
	ck_assert_str_eq(table_marker_name(_i), stop_reason_name(STOP_NO_ROW + _i));
}
END_TEST

/* ---- addresses -> pages ----------------------------------------------------------------- */

/* FDEs, each with cfa=rsp+N all over (or instructions), and the CFA offsets at addresses. */
struct placed_fde {
	uint64_t pc, range;
	struct literal instructions;
};
struct placed_pc {
	uint64_t pc;
	int expect; /* the CFA's offset, or -marker */
};
#define HERE(n)	      CFI(CFA_def_cfa_offset(n)) /* cfa=rsp+n */
#define SEGMENTS(...) .segment = { __VA_ARGS__ }
#define FDES(...)     .fde = { __VA_ARGS__ }
#define ROWS(...)     .at = { __VA_ARGS__ }

static const struct page_case {
	const char *name;
	struct placed_fde fde[4];
	struct placed_pc at[10];
	uint64_t lost_fdes;
	struct image_segment segment[3];
	uint64_t pages; /* 0: 4 */
} page_cases[] = {
	{ "row_at_a_page_start", FDES({ 0x2000, 0x10, HERE(16) }),
	  ROWS({ 0x1fff, 0 }, { 0x2000, 16 }, { 0x200f, 16 }, { 0x2010, 0 }) },
	{ "row_ends_at_a_page_end", FDES({ 0x1ff0, 0x10, HERE(16) }),
	  ROWS({ 0x1fef, 0 }, { 0x1ff0, 16 }, { 0x1fff, 16 }, { 0x2000, 0 }) },
	{ "row_across_pages", FDES({ 0x1ff0, 0x2020, HERE(16) }),
	  ROWS({ 0x1fef, 0 }, { 0x1fff, 16 }, { 0x2000, 16 }, { 0x3800, 16 }, { 0x400f, 16 },
	       { 0x4010, 0 }) },
	{ "empty_pages_between", FDES({ 0x1000, 0x10, HERE(16) }, { 0x4ff0, 0x10, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x1010, 0 }, { 0x2000, 0 }, { 0x3000, 0 }, { 0x4ff0, 24 },
	       { 0x4fff, 24 }, { 0x5000, 0 }) },
	{ "gap_between_fdes", FDES({ 0x1000, 0x10, HERE(16) }, { 0x1020, 0x10, HERE(16) }),
	  ROWS({ 0x100f, 16 }, { 0x1010, 0 }, { 0x101f, 0 }, { 0x1020, 16 }, { 0x1030, 0 }) },
	{ "neighbours_leave_no_gap", FDES({ 0x1010, 0x10, HERE(24) }, { 0x1000, 0x10, HERE(16) }),
	  ROWS({ 0x100f, 16 }, { 0x1010, 24 }) },
	{ "overlap_belongs_to_the_higher_start",
	  FDES({ 0x1000, 0x40, HERE(16) }, { 0x1020, 0x40, HERE(24) }),
	  ROWS({ 0x101f, 16 }, { 0x1020, 24 }, { 0x103f, 24 }, { 0x105f, 24 }, { 0x1060, 0 }) },
	{ "nested_fde", FDES({ 0x1000, 0x40, HERE(16) }, { 0x1010, 0x10, HERE(24) }),
	  ROWS({ 0x100f, 16 }, { 0x1010, 24 }, { 0x101f, 24 }) },
	{ "equal_starts", FDES({ 0x1000, 0x20, HERE(16) }, { 0x1000, 0x40, HERE(24) }),
	  ROWS({ 0x0fff, 0 }, { 0x1040, 0 }) },
	{ "rows_of_an_overlapped_fde_beyond_the_overlap",
	  FDES({ 0x1000, 0x40,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(32), CFA_def_cfa_offset(32)) },
	       { 0x1010, 0x30, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x1010, 24 }, { 0x103f, 24 }, { 0x1040, 0 }) },
	{ "malformed_from_its_start",
	  FDES({ 0x1000, 0x40, CFI(0x17 /* undefined */) }, { 0x1040, 0x10, HERE(24) }),
	  ROWS({ 0x0fff, 0 }, { 0x1000, -TABLE_MALFORMED }, { 0x103f, -TABLE_MALFORMED },
	       { 0x1040, 24 }) },
	{ "malformed_after_good_rows",
	  FDES({ 0x1000, 0x40,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(16), 0x17 /* undefined */) },
	       { 0x1040, 0x10, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x100f, 16 }, { 0x1010, -TABLE_MALFORMED },
	       { 0x103f, -TABLE_MALFORMED }, { 0x1040, 24 }) },
	{ "fde_below_the_segment_is_lost",
	  FDES({ 0x500, 0x10, HERE(16) }, { 0x1000, 0x10, HERE(24) }),
	  ROWS({ 0x500, 0 }, { 0x1000, 24 }), .lost_fdes = 1 },
	{ "fde_above_the_segment_is_lost",
	  FDES({ 0x9000, 0x10, HERE(16) }, { 0x1000, 0x10, HERE(24) }),
	  ROWS({ 0x9000, 0 }, { 0x1000, 24 }, { 0x1010, 0 }), .lost_fdes = 1 },
	{ "fde_in_data_is_lost",
	  SEGMENTS({ 0x1000, PAGE, 0, PAGE, true }, { 0x3000, PAGE, 0x2000, PAGE, false }),
	  .pages = 1, FDES({ 0x3000, 0x10, HERE(16) }, { 0x1000, 0x10, HERE(24) }),
	  ROWS({ 0x3000, 0 }, { 0x1000, 24 }), .lost_fdes = 1 },
	{ "fde_that_leaves_the_segment_is_cut", FDES({ 0x4ff0, 0x100, HERE(16) }),
	  ROWS({ 0x4fff, 16 }, { 0x5000, 0 }) },
	{ "fde_that_enters_the_segment_is_cut",
	  FDES({ 0xff8, 0x20,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(4), CFA_def_cfa_offset(24),
		     CFA_advance_loc(8), CFA_def_cfa_offset(32)) }),
	  ROWS({ 0xfff, 0 }, { 0x1000, 24 }, { 0x1003, 24 }, { 0x1004, 32 }, { 0x1018, 0 }) },
	{ "fde_from_one_segment_into_others",
	  SEGMENTS({ 0x1000, PAGE, 0, PAGE, true }, { 0x8000, PAGE, PAGE, PAGE, true },
		   { 0x2000, PAGE, PAGE, PAGE, true }),
	  .pages = 3,
	  FDES({ 0x1ff8, 0x6100,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(4), CFA_def_cfa_offset(24),
		     CFA_advance_loc(4), CFA_def_cfa_offset(32)) }),
	  ROWS({ 0x1fff, 24 }, { 0x2000, 32 }, { 0x2fff, 32 }, { 0x8000, 32 }, { 0x80f8, 0 }) },
	{ "two_segments",
	  SEGMENTS({ 0x8000, PAGE, PAGE, PAGE, true }, { 0x1000, PAGE, 0, PAGE, true }), .pages = 2,
	  FDES({ 0x1000, 0x10, HERE(16) }, { 0x8000, 0x10, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x2000, 0 }, { 0x7fff, 0 }, { 0x8000, 24 }, { 0x800f, 24 },
	       { 0x8010, 0 }) },
	{ "fde_that_begins_below_the_segment",
	  FDES({ 0xff0, 0x20,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(4), CFA_def_cfa_offset(24),
		     CFA_advance_loc(24), CFA_def_cfa_offset(32)) }),
	  ROWS({ 0xff0, 0 }, { 0x1000, 24 }, { 0x100b, 24 }, { 0x100c, 32 }, { 0x1010, 0 }) },
	{ "fde_over_two_segments",
	  SEGMENTS({ 0x8000, PAGE, PAGE, PAGE, true }, { 0x1000, PAGE, 0, PAGE, true }), .pages = 2,
	  FDES({ 0x1ff0, 0x6020,
		 CFI(CFA_def_cfa_offset(16), CFA_advance_loc(16), CFA_def_cfa_offset(24)) }),
	  ROWS({ 0x1fff, 16 }, { 0x2000, 0 }, { 0x8000, 24 }, { 0x800f, 24 }, { 0x8010, 0 }) },
	{ "two_segments_in_one_page",
	  SEGMENTS({ 0x1000, 0x100, 0, 0x100, true }, { 0x1800, 0x900, 0x800, 0x900, true }),
	  .pages = 2, FDES({ 0x1000, 0x10, HERE(16) }, { 0x1800, 0x10, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x1010, 0 }, { 0x1800, 24 }, { 0x1810, 0 }, { 0x2000, 0 }) },
	{ "segment_within_another_has_no_pages",
	  SEGMENTS({ 0x1000, 0x4000, 0, 0x4000, true }, { 0x2100, 0x100, 0x1100, 0x100, true },
		   { 0x8000, 0x100, 0x7000, 0x100, true }),
	  .pages = 5, FDES({ 0x1000, 0x10, HERE(16) }, { 0x3100, 0x10, HERE(24) }),
	  ROWS({ 0x1000, 16 }, { 0x3100, 24 }, { 0x3110, 0 }, { 0x4fff, 0 }, { 0x8000, 0 }) },
	{ "unaligned_segment_has_its_whole_pages",
	  SEGMENTS({ 0x1abc, 0x1000, 0xabc, 0x1000, true }), .pages = 2,
	  FDES({ 0x1abc, 0x10, HERE(16) }),
	  ROWS({ 0x1abb, 0 }, { 0x1abc, 16 }, { 0x1acb, 16 }, { 0x1acc, 0 }) },
	{ "zero_filled_tail_has_no_pages", SEGMENTS({ 0x1000, 0x8000, 0, 0x1000, true }),
	  .pages = 1, FDES({ 0x1000, 0x10, HERE(16) }), ROWS({ 0x1000, 16 }) },
};

/* Entries go up in each page, and name what there is; a segment begins with one at 0. */
static void check_pages(const char *name, const struct table *table)
{
	ck_assert_uint_eq(table->page[table->page_count], table->entry_count);
	for (uint32_t s = 0; s < table->segment_count; s++) {
		uint32_t first = table->page[table->segment[s].first_page];

		ck_assert_msg(!table->segment[s].page_count || first < table->entry_count, "%s",
			      name);
		ck_assert_msg(!table->segment[s].page_count ||
				      !table_entry_offset(table->entry[first]),
			      "%s: segment %u begins late", name, s);
	}
	for (uint32_t p = 0; p < table->page_count; p++) {
		ck_assert_msg(table->page[p] <= table->page[p + 1], "%s: page %u", name, p);
		for (uint32_t e = table->page[p]; e < table->page[p + 1]; e++) {
			uint32_t entry = table->entry[e], number = table_entry_number(entry);

			ck_assert_msg(e == table->page[p] ||
					      table_entry_offset(table->entry[e - 1]) <
						      table_entry_offset(entry),
				      "%s: page %u entry %u", name, p, e);
			ck_assert_uint_lt(number, entry & TABLE_DIRECT ? table->rule_count
								       : table->shape_count);
		}
	}
	ck_assert_uint_eq(table_shape_distance(table->shape[table->shape_count - 1]), 0);
}

/* The table against the reader at one address. Returns true if there is a rule. */
static bool same_as_cfi(const char *name, const struct cfi *cfi, const struct table *table,
			uint64_t vaddr)
{
	uint32_t number = table_find(table, vaddr), count;
	struct table_rule_full full;
	struct error error;
	struct row row;
	int found = cfi_row_find(cfi, vaddr, &row, &error);

	if (found <= 0) {
		uint32_t marker = found ? TABLE_MALFORMED : TABLE_NO_ROW;
		ck_assert_msg(number == marker, "%s: 0x%" PRIx64 ": rule %u, no row", name, vaddr,
			      number);
		return false;
	}
	uint32_t marker = table_rule_from_row(&row, &full);
	if (marker) {
		ck_assert_msg(number == marker, "%s: 0x%" PRIx64 ": rule %u, marker %u", name,
			      vaddr, number, marker);
		return false;
	}
	ck_assert_msg(number >= TABLE_MARKER_COUNT, "%s: 0x%" PRIx64 ": marker %u", name, vaddr,
		      number);
	struct table_rule has = table->rule[number];
	const struct table_place *places = table_rule_places(table, number, &count);
	if (places) {
		ck_assert_msg(!memcmp(places, full.place, count * sizeof(*places)),
			      "%s: 0x%" PRIx64 ": other places", name, vaddr);
		has.first_place = 0;
	}
	ck_assert_msg(!memcmp(&has, &full.rule, sizeof(has)), "%s: 0x%" PRIx64 ": another rule",
		      name, vaddr);
	return true;
}

/* Those that have no row are left off: test_table_stretches.c. */
static uint64_t segment_pages(const struct table *table)
{
	uint64_t bytes = 0;

	for (uint32_t s = 0; s < table->segment_count; s++)
		bytes += table->segment[s].bytes;
	ck_assert_uint_le((uint64_t)table->page_count << table->page_shift, bytes);
	return bytes / PAGE;
}

START_TEST(address_has_its_rule)
{
	const struct page_case *c = &page_cases[_i / WAY_COUNT];
	struct image_segment segment[3] = { { TEST_PC, 4 * PAGE, 0, 4 * PAGE, true } };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;

	usual_cie(&bytes, false);
	for (int i = 0; i < COUNT(c->fde) && c->fde[i].range; i++)
		put_fde(&bytes, 0, c->fde[i].pc, c->fde[i].range, c->fde[i].instructions);
	if (c->segment[0].file_bytes)
		memcpy(segment, c->segment, sizeof(segment));
	struct table *table = build(_i % WAY_COUNT, &bytes, &image, segment, 3, &cfi);
	check_pages(c->name, table);
	ck_assert_uint_eq(segment_pages(table), c->pages ? c->pages : 4);
	ck_assert_msg(table->lost_fdes == c->lost_fdes, "%s: %" PRIu64 " FDEs lost", c->name,
		      table->lost_fdes);
	for (int i = 0; i < COUNT(c->at) && c->at[i].pc; i++) {
		uint32_t number = table_find(table, c->at[i].pc);
		int is = number < TABLE_MARKER_COUNT ? -(int)number
						     : table->rule[number].cfa_offset;

		ck_assert_msg(is == c->at[i].expect, "%s: 0x%" PRIx64 ": %d, expected %d", c->name,
			      c->at[i].pc, is, c->at[i].expect);
	}
	for (uint64_t vaddr = 0; vaddr < 0xa000; vaddr++)
		if (table_segment_find(table, vaddr))
			same_as_cfi(c->name, cfi, table, vaddr);
		else
			ck_assert_uint_eq(table_find(table, vaddr), TABLE_NO_ROW);
	table_destroy(table);
	cfi_destroy(cfi);
}
END_TEST

START_TEST(equal_rules_are_stored_once)
{
	const struct literal same[] = { HERE(16),
					HERE(24),
					HERE(16),
					CFI(CFA_offset(RAX, 2)),
					CFI(CFA_offset(RAX, 2)),
					CFI(CFA_offset(RAX, 3)) };
	struct image_segment segment = { TEST_PC, PAGE, 0, PAGE, true };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;

	usual_cie(&bytes, false);
	for (int i = 0; i < COUNT(same); i++)
		put_fde(&bytes, 0, TEST_PC + i * 0x20, 0x10, same[i]);
	struct table *table = build(_i % WAY_COUNT, &bytes, &image, &segment, 1, &cfi);
	ck_assert_uint_eq(table->rule_count, TABLE_MARKER_COUNT + 4);
	ck_assert_uint_eq(table->place_count, 4);
	ck_assert_uint_eq(table_find(table, TEST_PC), table_find(table, TEST_PC + 0x40));
	ck_assert_uint_eq(table_find(table, TEST_PC + 0x60), table_find(table, TEST_PC + 0x80));
	ck_assert_uint_ne(table_find(table, TEST_PC), table_find(table, TEST_PC + 0x20));
	ck_assert_uint_ne(table_find(table, TEST_PC + 0x80), table_find(table, TEST_PC + 0xa0));
	ck_assert_uint_eq(table->fde_count, COUNT(same));
	table_destroy(table);
	cfi_destroy(cfi);
}
END_TEST

START_TEST(no_cfi_gives_no_rows)
{
	struct image_segment segment = { TEST_PC, 2 * PAGE, 0, 2 * PAGE, true };
	struct image image = { .path = "fake", .segment = &segment, .segment_count = 1 };
	struct table *table;
	struct error error;

	ck_assert_int_eq(table_create(&image, NULL, &table, &error), 0);
	ck_assert_uint_eq(table->entry_count, 0);
	ck_assert_uint_eq(table->page_count, 0);
	ck_assert_uint_eq(table_find(table, TEST_PC), TABLE_NO_ROW);
	table_destroy(table);
}
END_TEST

/* ---- real images: test_table_images.c has more ------------------------------------------- */

/* The first 64 KiB of code, address by address. */
START_TEST(every_address_of_an_image)
{
	static const char *const paths[] = { "/proc/self/exe", "/bin/bash" };
	const char *path = paths[_i];
	struct image *image;
	struct table *table, *plain;
	struct error error;
	uint64_t found = 0;

	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	struct cfi *cfi = cfi_of(image);
	ck_assert_msg(!table_build(image, &table, &error), "%s", error.message);
	ck_assert_msg(!table_create(image, cfi, &plain, &error), "%s", error.message);
	check_pages(path, plain);
	check_pages(path, table);
	for (uint32_t s = 0; s < table->segment_count; s++) {
		uint64_t vaddr = table->segment[s].vaddr;
		uint64_t end = vaddr + table->segment[s].bytes;

		if (end - vaddr > 16 * PAGE)
			end = vaddr + 16 * PAGE;
		for (; vaddr < end; vaddr++)
			found += same_as_cfi(path, cfi, table, vaddr);
	}
	ck_assert_uint_gt(found, 100);
	table_destroy(table);
	table_destroy(plain);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

SUITE(table, TIMES(row_becomes_rule, COUNT(rule_cases) * WAY_COUNT),
      TEST(same_value_of_a_scratch_register_is_not_dropped),
      TIMES(marker_has_a_name, TABLE_MARKER_COUNT),
      TIMES(address_has_its_rule, COUNT(page_cases) * WAY_COUNT),
      TIMES(equal_rules_are_stored_once, WAY_COUNT), TEST(no_cfi_gives_no_rows),
      TIMES(every_address_of_an_image, 2))
