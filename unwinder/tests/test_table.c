/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table.c - rows -> rules, changes -> pages, and the proof that nothing is lost on the way
 *
 * Hand-made CFI says one row each and what rule or marker it must become; hand-made FDEs say which
 * rule is in force at which address. Then real images: at every address where anything could change
 * the table must say what the CFI says, and for every row one step with the canonical row and one
 * with the rule must lead to the same caller on the same made-up registers and memory.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "cfi_bytes.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PAGE	     TABLE_PAGE_SIZE

/* ---- one row -> one rule ---------------------------------------------------------------- */

/* The CIE says cfa=rsp+8 ra=c-8, as test_cfi_program.c has it. */
#define BIG "\x80\x80\x80\x80\x80\x80\x80\x80\x10" /* ULEB128 of 2^60 */

static const struct rule_case {
	const char *name;
	struct literal instructions;
	const char *rule; /* as print_rule() writes it, or a marker's name */
	bool signal_frame;
} rule_cases[] = {
	{ "cie_row_needs_no_wide_rule", BYTES(""), "rsp+8 rip=c-8", false },
	{ "signal_frame_is_a_flag", BYTES(""), "signal rsp+8 rip=c-8", true },
	{ "cfa_on_rbp", BYTES("\x0c\x06\x10"), "rbp+16 rip=c-8", false },
	{ "cfa_expression_of_a_register", BYTES("\x0f\x02\x7a\x00"), "r10+0 rip=c-8", false },
	{ "cfa_expression_dereferences", BYTES("\x0f\x03\x76\x78\x06"), "*(rbp-8)+0 rip=c-8",
	  false },
	{ "cfa_expression_adds_after_dereference", BYTES("\x0f\x05\x76\x78\x06\x23\x10"),
	  "*(rbp-8)+16 rip=c-8", false },
	{ "cfa_expression_of_a_plt", BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  "plt(rsp+8,11) rip=c-8", false },
	{ "every_callee_saved_register_on_the_stack",
	  BYTES("\x83\x02\x86\x03\x8c\x04\x8d\x05\x8e\x06\x8f\x07"),
	  "rsp+8 rip=c-8 rbx=c-16 rbp=c-24 r12=c-32 r13=c-40 r14=c-48 r15=c-56", false },
	{ "callee_saved_register_is_an_address", BYTES("\x14\x06\x00"), "rsp+8 rip=c-8 rbp=v+0",
	  false },
	{ "callee_saved_register_is_lost", BYTES("\x07\x06"), "rsp+8 rip=c-8 rbp=u", false },
	{ "same_value_is_no_rule_for_what_is_preserved", BYTES("\x08\x06"), "rsp+8 rip=c-8",
	  false },
	{ "lost_scratch_register_needs_no_rule", BYTES("\x07\x00"), "rsp+8 rip=c-8", false },
	{ "outermost_frame", BYTES("\x07\x10"), "rsp+8 rip=u", false },
	{ "return_address_in_a_register", BYTES("\x09\x10\x00"), "rsp+8 rip=rax", false },
	{ "return_address_is_an_address", BYTES("\x14\x10\x01"), "rsp+8 rip=v-8", false },
	{ "return_address_at_a_register_is_wide", BYTES("\x10\x10\x02\x77\x28"),
	  "wide rsp+8 rip=*(rsp+40)", false },
	{ "callee_saved_in_a_register_is_wide", BYTES("\x09\x06\x00"), "wide rsp+8 rip=c-8 rbp=rax",
	  false },
	{ "callee_saved_at_a_register_is_wide", BYTES("\x10\x06\x02\x76\x00"),
	  "wide rsp+8 rip=c-8 rbp=*(rbp+0)", false },
	{ "callee_saved_off_a_register_is_wide", BYTES("\x16\x06\x02\x75\x08"),
	  "wide rsp+8 rip=c-8 rbp=rdi+8", false },
	{ "saved_scratch_register_is_wide", BYTES("\x80\x02"), "wide rsp+8 rip=c-8 rax=c-16",
	  false },
	{ "rsp_by_a_rule_is_wide", BYTES("\x87\x02"), "wide rsp+8 rip=c-8 rsp=c-16", false },
	{ "written_last_rsp_may_be_read", BYTES("\x87\x02\x16\x0c\x02\x77\x00"),
	  "wide rsp+8 rip=c-8 rsp=c-16 r12=rsp+0", false },
	{ "reading_ones_own_old_value_is_fine", BYTES("\x16\x03\x02\x73\x08"),
	  "wide rsp+8 rip=c-8 rbx=rbx+8", false },
	{ "reading_what_is_written_later_is_fine", BYTES("\x09\x03\x06\x86\x02"),
	  "wide rsp+8 rip=c-8 rbx=rbp rbp=c-16", false },
	{ "reading_what_was_written_is_no_rule", BYTES("\x83\x02\x09\x06\x03"),
	  "unsupported_register", false },
	{ "address_from_what_was_written_is_no_rule", BYTES("\x83\x02\x10\x06\x02\x73\x00"),
	  "unsupported_register", false },
	{ "cfa_offset_out_of_range", BYTES("\x0e" BIG), "offset_range", false },
	{ "cfa_offset_just_in_range", BYTES("\x0e\xff\xff\xff\xff\x07"), "rsp+2147483647 rip=c-8",
	  false },
	{ "cfa_offset_just_out_of_range", BYTES("\x0e\x80\x80\x80\x80\x08"), "offset_range",
	  false },
	{ "saved_offset_just_in_range", BYTES("\x05\x03\x80\x80\x80\x80\x01"),
	  "rsp+8 rip=c-8 rbx=c-2147483648", false },
	{ "saved_offset_just_out_of_range", BYTES("\x05\x03\x81\x80\x80\x80\x01"), "offset_range",
	  false },
	{ "value_offset_out_of_range", BYTES("\x14\x03" BIG), "offset_range", false },
	{ "expression_offset_out_of_range", BYTES("\x16\x03\x06\x77\x80\x80\x80\x80\x08"),
	  "offset_range", false },
	{ "dereferenced_offset_out_of_range", BYTES("\x0f\x07\x77\x80\x80\x80\x80\x08\x06"),
	  "offset_range", false },
	{ "cfa_expression_of_two_registers", BYTES("\x0f\x05\x77\x00\x76\x00\x22"),
	  "unsupported_expression", false },
	{ "register_expression_of_the_cfa", BYTES("\x16\x03\x02\x23\x08"), "unsupported_expression",
	  false },
	{ "register_expression_dereferences_twice", BYTES("\x10\x03\x03\x77\x00\x06"),
	  "unsupported_expression", false },
	{ "empty_expression", BYTES("\x0f\x00"), "unsupported_expression", false },
	{ "cfa_expression_on_rip", BYTES("\x0f\x02\x80\x00"), "unsupported_register", false },
	{ "kept_in_a_vector_register", BYTES("\x09\x03\x11"), "unsupported_register", false },
	{ "return_address_in_itself", BYTES("\x09\x10\x10"), "unsupported_register", false },
	{ "return_address_of_the_same_value", BYTES("\x08\x10"), "unsupported_register", false },
	{ "rsp_of_the_same_value", BYTES("\x08\x07"), "unsupported_register", false },
	{ "rsp_is_lost", BYTES("\x07\x07"), "unsupported_register", false },
};

static void print_place(FILE *file, uint32_t reg, uint32_t kind, uint32_t from, int32_t offset)
{
	if (kind == TABLE_SAME)
		return;
	fprintf(file, " %s=", register_name(reg));
	switch (kind) {
	case TABLE_AT_CFA: fprintf(file, "c%+" PRId32, offset); break;
	case TABLE_IS_CFA: fprintf(file, "v%+" PRId32, offset); break;
	case TABLE_UNDEFINED: fputc('u', file); break;
	case TABLE_IN_REGISTER: fputs(register_name(from), file); break;
	case TABLE_AT_REGISTER:
		fprintf(file, "*(%s%+" PRId32 ")", register_name(from), offset);
		break;
	case TABLE_IS_REGISTER: fprintf(file, "%s%+" PRId32, register_name(from), offset); break;
	default: fprintf(file, "kind%u", kind);
	}
}

static void print_rule(FILE *file, const struct table_rule *rule,
		       const struct table_wide_rule *wide)
{
	static const uint8_t saved[] = { 3, 6, 12, 13, 14, 15 };
	const char *reg = register_name(rule->cfa_register);

	if (rule->flags & TABLE_RULE_SIGNAL_FRAME)
		fputs("signal ", file);
	if (rule->flags & TABLE_RULE_WIDE)
		fputs("wide ", file);
	if (rule->cfa_kind == TABLE_CFA_REGISTER)
		fprintf(file, "%s%+" PRId32, reg, rule->cfa_offset);
	else if (rule->cfa_kind == TABLE_CFA_DEREF)
		fprintf(file, "*(%s%+" PRId32 ")%+" PRId32, reg, rule->cfa_offset, rule->cfa_add);
	else
		fprintf(file, "plt(%s%+" PRId32 ",%" PRId32 ")", reg, rule->cfa_offset,
			rule->cfa_add);
	if (rule->flags & TABLE_RULE_WIDE) {
		for (uint32_t i = REGISTER_COUNT; i-- > REGISTER_RIP;)
			print_place(file, i, wide->reg[i].kind, wide->reg[i].reg,
				    wide->reg[i].offset);
		for (uint32_t i = 0; i < REGISTER_GPR_COUNT; i++)
			print_place(file, i, wide->reg[i].kind, wide->reg[i].reg,
				    wide->reg[i].offset);
		return;
	}
	print_place(file, REGISTER_RIP, rule->ra_kind, rule->ra_offset, rule->ra_offset);
	for (int i = 0; i < COUNT(saved); i++)
		print_place(file, saved[i], rule->saved_kind[i], 0, rule->saved_offset[i]);
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
	put(bytes, "\x0c\x07\x08\x90\x01", 5);
	end_entry(bytes, start);
	return start;
}

static struct table *build(const struct bytes *bytes, struct image *image,
			   struct image_segment *segment, size_t segment_count,
			   struct cfi **ret_cfi)
{
	struct table *table = NULL;
	struct error error;

	*image = fake_image(bytes);
	image->segment = segment;
	image->segment_count = segment_count;
	ck_assert_msg(!cfi_create(image, ret_cfi, &error), "%s", error.message);
	ck_assert_msg(!table_create(image, *ret_cfi, &table, &error), "%s", error.message);
	return table;
}

START_TEST(row_becomes_rule)
{
	const struct rule_case *c = &rule_cases[_i];
	struct image_segment segment = { TEST_PC, PAGE, 0, PAGE, true };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;
	char text[256] = "";

	usual_cie(&bytes, c->signal_frame);
	put_fde(&bytes, 0, TEST_PC, TEST_PC_RANGE, c->instructions);
	struct table *table = build(&bytes, &image, &segment, 1, &cfi);
	uint32_t number = table_find(table, TEST_PC);
	if (number < TABLE_MARKER_COUNT) {
		snprintf(text, sizeof(text), "%s", table_marker_name(number));
		ck_assert_msg(table->lost[number] == 1, "%s: the loss is not counted", c->name);
	} else {
		const struct table_rule *rule = &table->rule[number];
		FILE *file = fmemopen(text, sizeof(text), "w");

		ck_assert_uint_lt(number, table->rule_count);
		if (rule->flags & TABLE_RULE_WIDE)
			ck_assert_uint_lt(rule->wide, table->wide_count);
		print_rule(file, rule, table->wide + rule->wide);
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
	struct table_wide_rule wide;
	struct table_rule rule;

	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	row.reg[REGISTER_RAX] = (struct row_rule) { .kind = RULE_SAME_VALUE };
	enum table_marker marker = table_rule_from_row(&row, &rule, &wide);
	ck_assert_msg(marker || (rule.flags & TABLE_RULE_WIDE &&
				 wide.reg[REGISTER_RAX].kind == TABLE_IN_REGISTER &&
				 wide.reg[REGISTER_RAX].reg == REGISTER_RAX),
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
#define HERE(n) BYTES("\x0e" n) /* cfa=rsp+n */

static const struct page_case {
	const char *name;
	struct placed_fde fde[4];
	struct placed_pc at[10];
	uint64_t lost_fdes;
	struct image_segment segment[3];
	uint64_t pages; /* 0: 4 */
} page_cases[] = {
	{ .name = "row_at_a_page_start",
	  .fde = { { 0x2000, 0x10, HERE("\x10") } },
	  .at = { { 0x1fff, 0 }, { 0x2000, 16 }, { 0x200f, 16 }, { 0x2010, 0 } } },
	{ .name = "row_ends_at_a_page_end",
	  .fde = { { 0x1ff0, 0x10, HERE("\x10") } },
	  .at = { { 0x1fef, 0 }, { 0x1ff0, 16 }, { 0x1fff, 16 }, { 0x2000, 0 } } },
	{ .name = "row_across_pages",
	  .fde = { { 0x1ff0, 0x2020, HERE("\x10") } },
	  .at = { { 0x1fef, 0 },
		  { 0x1fff, 16 },
		  { 0x2000, 16 },
		  { 0x3800, 16 },
		  { 0x400f, 16 },
		  { 0x4010, 0 } } },
	{ .name = "empty_pages_between",
	  .fde = { { 0x1000, 0x10, HERE("\x10") }, { 0x4ff0, 0x10, HERE("\x18") } },
	  .at = { { 0x1000, 16 },
		  { 0x1010, 0 },
		  { 0x2000, 0 },
		  { 0x3000, 0 },
		  { 0x4ff0, 24 },
		  { 0x4fff, 24 },
		  { 0x5000, 0 } } },
	{ .name = "gap_between_fdes",
	  .fde = { { 0x1000, 0x10, HERE("\x10") }, { 0x1020, 0x10, HERE("\x10") } },
	  .at = { { 0x100f, 16 }, { 0x1010, 0 }, { 0x101f, 0 }, { 0x1020, 16 }, { 0x1030, 0 } } },
	{ .name = "neighbours_leave_no_gap",
	  .fde = { { 0x1010, 0x10, HERE("\x18") }, { 0x1000, 0x10, HERE("\x10") } },
	  .at = { { 0x100f, 16 }, { 0x1010, 24 } } },
	{ .name = "overlap_belongs_to_the_higher_start",
	  .fde = { { 0x1000, 0x40, HERE("\x10") }, { 0x1020, 0x40, HERE("\x18") } },
	  .at = { { 0x101f, 16 }, { 0x1020, 24 }, { 0x103f, 24 }, { 0x105f, 24 }, { 0x1060, 0 } } },
	{ .name = "nested_fde",
	  .fde = { { 0x1000, 0x40, HERE("\x10") }, { 0x1010, 0x10, HERE("\x18") } },
	  .at = { { 0x100f, 16 }, { 0x1010, 24 }, { 0x101f, 24 } } },
	{ .name = "equal_starts",
	  .fde = { { 0x1000, 0x20, HERE("\x10") }, { 0x1000, 0x40, HERE("\x18") } },
	  .at = { { 0x0fff, 0 }, { 0x1040, 0 } } },
	{ .name = "rows_of_an_overlapped_fde_beyond_the_overlap",
	  .fde = { { 0x1000, 0x40, BYTES("\x0e\x10\x60\x0e\x20") },
		   { 0x1010, 0x30, HERE("\x18") } },
	  .at = { { 0x1000, 16 }, { 0x1010, 24 }, { 0x103f, 24 }, { 0x1040, 0 } } },
	{ .name = "malformed_from_its_start",
	  .fde = { { 0x1000, 0x40, BYTES("\x17") }, { 0x1040, 0x10, HERE("\x18") } },
	  .at = { { 0x0fff, 0 },
		  { 0x1000, -TABLE_MALFORMED },
		  { 0x103f, -TABLE_MALFORMED },
		  { 0x1040, 24 } } },
	{ .name = "malformed_after_good_rows",
	  .fde = { { 0x1000, 0x40, BYTES("\x0e\x10\x50\x17") }, { 0x1040, 0x10, HERE("\x18") } },
	  .at = { { 0x1000, 16 },
		  { 0x100f, 16 },
		  { 0x1010, -TABLE_MALFORMED },
		  { 0x103f, -TABLE_MALFORMED },
		  { 0x1040, 24 } } },
	{ .name = "fde_below_the_segment_is_lost",
	  .fde = { { 0x500, 0x10, HERE("\x10") }, { 0x1000, 0x10, HERE("\x18") } },
	  .at = { { 0x500, 0 }, { 0x1000, 24 } },
	  .lost_fdes = 1 },
	{ .name = "fde_above_the_segment_is_lost",
	  .fde = { { 0x9000, 0x10, HERE("\x10") }, { 0x1000, 0x10, HERE("\x18") } },
	  .at = { { 0x9000, 0 }, { 0x1000, 24 }, { 0x1010, 0 } },
	  .lost_fdes = 1 },
	{ .name = "fde_in_data_is_lost",
	  .fde = { { 0x3000, 0x10, HERE("\x10") }, { 0x1000, 0x10, HERE("\x18") } },
	  .at = { { 0x3000, 0 }, { 0x1000, 24 } },
	  .lost_fdes = 1,
	  .segment = { { 0x1000, PAGE, 0, PAGE, true }, { 0x3000, PAGE, 0x2000, PAGE, false } },
	  .pages = 1 },
	{ .name = "fde_that_leaves_the_segment_is_cut",
	  .fde = { { 0x4ff0, 0x100, HERE("\x10") } },
	  .at = { { 0x4fff, 16 }, { 0x5000, 0 } } },
	{ .name = "two_segments",
	  .fde = { { 0x1000, 0x10, HERE("\x10") }, { 0x8000, 0x10, HERE("\x18") } },
	  .at = { { 0x1000, 16 },
		  { 0x2000, 0 },
		  { 0x7fff, 0 },
		  { 0x8000, 24 },
		  { 0x800f, 24 },
		  { 0x8010, 0 } },
	  .segment = { { 0x8000, PAGE, PAGE, PAGE, true }, { 0x1000, PAGE, 0, PAGE, true } },
	  .pages = 2 },
	{ .name = "two_segments_in_one_page",
	  .fde = { { 0x1000, 0x10, HERE("\x10") }, { 0x1800, 0x10, HERE("\x18") } },
	  .at = { { 0x1000, 16 }, { 0x1010, 0 }, { 0x1800, 24 }, { 0x1810, 0 }, { 0x2000, 0 } },
	  .segment = { { 0x1000, 0x100, 0, 0x100, true }, { 0x1800, 0x900, 0x800, 0x900, true } },
	  .pages = 2 },
	{ .name = "unaligned_segment_has_its_whole_pages",
	  .fde = { { 0x1abc, 0x10, HERE("\x10") } },
	  .at = { { 0x1abb, 0 }, { 0x1abc, 16 }, { 0x1acb, 16 }, { 0x1acc, 0 } },
	  .segment = { { 0x1abc, 0x1000, 0xabc, 0x1000, true } },
	  .pages = 2 },
	{ .name = "zero_filled_tail_has_no_pages",
	  .fde = { { 0x1000, 0x10, HERE("\x10") } },
	  .at = { { 0x1000, 16 } },
	  .segment = { { 0x1000, 0x8000, 0, 0x1000, true } },
	  .pages = 1 },
};

/* Each page begins at offset 0 and its rows go up; pages follow each other. */
static void check_pages(const char *name, const struct table *table)
{
	uint32_t next = 0;

	for (uint32_t p = 0; p < table->page_count; p++) {
		const struct table_page *page = &table->page[p];
		const uint32_t *row = table->row + page->first_row;

		ck_assert_msg(page->first_row == next && page->row_count, "%s: page %u", name, p);
		ck_assert_msg(!table_row_offset(row[0]), "%s: page %u begins late", name, p);
		for (uint32_t r = 0; r < page->row_count; r++) {
			ck_assert_msg(!r || table_row_offset(row[r - 1]) < table_row_offset(row[r]),
				      "%s: page %u row %u", name, p, r);
			ck_assert_uint_lt(table_row_rule(row[r]), table->rule_count);
		}
		next += page->row_count;
	}
	ck_assert_uint_eq(next, table->row_count);
}

/* The table against the reader at one address. Returns true if there is a rule. */
static bool same_as_cfi(const char *name, const struct cfi *cfi, const struct table *table,
			uint64_t vaddr)
{
	uint32_t number = table_find(table, vaddr);
	struct table_wide_rule wide;
	struct table_rule rule;
	struct error error;
	struct row row;
	int found = cfi_row_find(cfi, vaddr, &row, &error);

	if (found <= 0) {
		uint32_t marker = found ? TABLE_MALFORMED : TABLE_NO_ROW;
		ck_assert_msg(number == marker, "%s: 0x%" PRIx64 ": rule %u, no row", name, vaddr,
			      number);
		return false;
	}
	uint32_t marker = table_rule_from_row(&row, &rule, &wide);
	if (marker) {
		ck_assert_msg(number == marker, "%s: 0x%" PRIx64 ": rule %u, marker %u", name,
			      vaddr, number, marker);
		return false;
	}
	ck_assert_msg(number >= TABLE_MARKER_COUNT, "%s: 0x%" PRIx64 ": marker %u", name, vaddr,
		      number);
	struct table_rule has = table->rule[number];
	if (rule.flags & TABLE_RULE_WIDE)
		ck_assert_msg(!memcmp(&table->wide[has.wide], &wide, sizeof(wide)),
			      "%s: 0x%" PRIx64 ": another wide rule", name, vaddr);
	has.wide = rule.wide;
	ck_assert_msg(!memcmp(&has, &rule, sizeof(rule)), "%s: 0x%" PRIx64 ": another rule", name,
		      vaddr);
	return true;
}

START_TEST(address_has_its_rule)
{
	const struct page_case *c = &page_cases[_i];
	struct image_segment segment[3] = { { TEST_PC, 4 * PAGE, 0, 4 * PAGE, true } };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;

	usual_cie(&bytes, false);
	for (int i = 0; i < COUNT(c->fde) && c->fde[i].range; i++)
		put_fde(&bytes, 0, c->fde[i].pc, c->fde[i].range, c->fde[i].instructions);
	if (c->segment[0].file_bytes)
		memcpy(segment, c->segment, sizeof(segment));
	struct table *table = build(&bytes, &image, segment, 3, &cfi);
	check_pages(c->name, table);
	ck_assert_uint_eq(table->page_count, c->pages ? c->pages : 4);
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
	static const struct literal same[] = { HERE("\x10"),	  HERE("\x18"),
					       HERE("\x10"),	  BYTES("\x80\x02"),
					       BYTES("\x80\x02"), BYTES("\x80\x03") };
	struct image_segment segment = { TEST_PC, PAGE, 0, PAGE, true };
	struct bytes bytes = { .size = 0 };
	struct image image;
	struct cfi *cfi;

	usual_cie(&bytes, false);
	for (int i = 0; i < COUNT(same); i++)
		put_fde(&bytes, 0, TEST_PC + i * 0x20, 0x10, same[i]);
	struct table *table = build(&bytes, &image, &segment, 1, &cfi);
	ck_assert_uint_eq(table->rule_count, TABLE_MARKER_COUNT + 4);
	ck_assert_uint_eq(table->wide_count, 2);
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
	ck_assert_uint_eq(table->row_count, 2);
	ck_assert_uint_eq(table_find(table, TEST_PC), TABLE_NO_ROW);
	table_destroy(table);
}
END_TEST

/* ---- real images ------------------------------------------------------------------------ */

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

struct proof {
	const struct image_case *image;
	struct address_space space;
	const struct cfi *cfi;
	const struct table *table;
	uint64_t random;
	uint64_t rows, same, stopped, marked;
};

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

static int hashed_memory(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t value = mix(address);

	memcpy(ret, &value, size);
	return 0;
}

struct walk_memory {
	struct memory_reader reader;
};

static inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	return memory->reader.read(memory->reader.context, address, ret, sizeof(*ret));
}

#include "step.h"

/* Every register that the row brings back, the rule must bring back; and no other. */
static bool same_caller(struct walk_state *state, const struct register_values *rows,
			struct walk_memory *memory)
{
	uint32_t known = rows->known & (CALLEE_SAVED_MASK | 1u << REGISTER_RSP);
	__u64 value;

	if (state->pc != rows->value[REGISTER_RIP] ||
	    (state->known & (CALLEE_SAVED_MASK | 1u << REGISTER_RSP)) != known)
		return false;
	for (uint32_t reg = 0; reg < REGISTER_GPR_COUNT; reg++)
		if (state->known >> reg & 1 &&
		    (step_register(state, memory, reg, &value) || !(rows->known >> reg & 1) ||
		     value != rows->value[reg]))
			return false;
	return true;
}

/* One step each from the same registers, of which a frame that was called knows only some. */
static void prove_row(struct proof *proof, const struct row *row, uint32_t known)
{
	struct walk_memory memory = { .reader = { .read = hashed_memory } };
	struct walk_state state = { .known = known & ((1u << REGISTER_GPR_COUNT) - 1),
				    .exact_pc = 1 };
	struct register_values rows = { .known = known };
	bool exact = true;

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		rows.value[reg] = proof->random = mix(proof->random + 1);
	rows.value[REGISTER_RSP] &= 0x7fffffffffff; /* room for the CFA above it */
	rows.value[REGISTER_RIP] = state.pc = row->pc + proof->random % (row->pc_end - row->pc);
	memcpy(state.reg, rows.value, sizeof(state.reg));
	uint32_t number = table_find(proof->table, state.pc);
	enum stop_reason stop = walk_rows_step(&proof->space, &rows, &exact, &memory.reader);
	proof->rows++;
	if (number < TABLE_MARKER_COUNT) {
		proof->marked++;
		return;
	}
	const struct table_rule *rule = &proof->table->rule[number];
	uint64_t pc = state.pc;
	unsigned int stopped = step(&state, rule, proof->table->wide + rule->wide, &memory);
	ck_assert_msg(stopped == stop, "%s: 0x%" PRIx64 ": rule %s, row %s", proof->image->name, pc,
		      stop_reason_name(stopped), stop_reason_name(stop));
	ck_assert_msg(stop || (state.exact_pc == exact && same_caller(&state, &rows, &memory)),
		      "%s: 0x%" PRIx64 ": the rule's caller is 0x%" PRIx64 ", the row's 0x%" PRIx64,
		      proof->image->name, pc, (uint64_t)state.pc, rows.value[REGISTER_RIP]);
	proof->stopped += stop != STOP_NONE;
	proof->same += stop == STOP_NONE;
}

static int prove_fde_row(void *context, const struct row *row)
{
	struct proof *proof = context;

	/* Where FDEs overlap the row may be another's: then both walks use that one. */
	prove_row(proof, row, (1u << REGISTER_COUNT) - 1);
	prove_row(proof, row, CALLEE_SAVED_MASK | 1u << REGISTER_RSP | 1u << REGISTER_RIP);
	same_as_cfi(proof->image->name, proof->cfi, proof->table, row->pc);
	same_as_cfi(proof->image->name, proof->cfi, proof->table, row->pc_end - 1);
	same_as_cfi(proof->image->name, proof->cfi, proof->table, row->pc_end);
	return 0;
}

static bool open_image(const struct image_case *c, struct image **image, struct cfi **cfi,
		       struct table **table)
{
	struct error error;

	for (int i = 0; i < COUNT(c->path); i++) {
		if (!c->path[i] || access(c->path[i], R_OK))
			continue;
		ck_assert_msg(!image_create(c->path[i], image, &error), "%s", error.message);
		ck_assert_msg(!cfi_create(*image, cfi, &error), "%s", error.message);
		ck_assert_msg(!table_create(*image, *cfi, table, &error), "%s", error.message);
		return true;
	}
	return false;
}

START_TEST(rule_leads_to_the_same_caller_as_its_row)
{
	struct proof proof = { .image = &image_cases[_i], .random = 1 };
	struct image_entry entry = { .device = 1 };
	struct mapping mapping = { .end = UINT64_MAX, .entry = &entry, .path = "" };
	struct error error;

	if (!open_image(proof.image, &entry.image, &entry.cfi, &entry.table))
		return;
	proof.cfi = entry.cfi;
	proof.table = entry.table;
	proof.space = (struct address_space) { .mapping = &mapping, .mapping_count = 1 };
	for (size_t i = 0; i < entry.cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &entry.cfi->fde[entry.cfi->by_pc[i]];

		if (table_segment_find(entry.table, fde->pc_begin))
			cfi_rows(entry.cfi, fde, prove_fde_row, &proof, &error);
	}
	printf("%s: %" PRIu64 " steps, %" PRIu64 " to the same caller, %" PRIu64
	       " to the same stop, %" PRIu64 " markers\n",
	       proof.image->name, proof.rows, proof.same, proof.stopped, proof.marked);
	ck_assert_uint_eq(proof.same + proof.stopped + proof.marked, proof.rows);
	ck_assert_uint_ge(proof.rows, 20);
	ck_assert_uint_ge(proof.same, proof.rows / 4);
	table_destroy(entry.table);
	cfi_destroy(entry.cfi);
	image_destroy(entry.image);
}
END_TEST

/* The first 64 KiB of code, address by address. */
START_TEST(every_address_of_an_image)
{
	const struct image_case *c = &image_cases[_i];
	struct image *image;
	struct table *table;
	struct cfi *cfi;
	uint64_t found = 0;

	if (!open_image(c, &image, &cfi, &table))
		return;
	check_pages(c->name, table);
	for (uint32_t s = 0; s < table->segment_count; s++) {
		uint64_t vaddr = table->segment[s].vaddr;
		uint64_t end = vaddr + (uint64_t)table->segment[s].page_count * PAGE;

		if (end - vaddr > 16 * PAGE)
			end = vaddr + 16 * PAGE;
		for (; vaddr < end; vaddr++)
			found += same_as_cfi(c->name, cfi, table, vaddr);
	}
	ck_assert_uint_gt(found, 100);
	table_destroy(table);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *tcase = tcase_create("table");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, row_becomes_rule, 0, COUNT(rule_cases));
	tcase_add_test(tcase, same_value_of_a_scratch_register_is_not_dropped);
	tcase_add_loop_test(tcase, marker_has_a_name, 0, TABLE_MARKER_COUNT);
	tcase_add_loop_test(tcase, address_has_its_rule, 0, COUNT(page_cases));
	tcase_add_test(tcase, equal_rules_are_stored_once);
	tcase_add_test(tcase, no_cfi_gives_no_rows);
	tcase_add_loop_test(tcase, rule_leads_to_the_same_caller_as_its_row, 0, COUNT(image_cases));
	tcase_add_loop_test(tcase, every_address_of_an_image, 0, 2);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
