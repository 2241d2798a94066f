/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_debug_frame.c - .debug_frame beside .eh_frame: what it adds, and what it may not
 *
 * A case gives each section's FDEs as ranges, and the address of every FDE that must be found, by
 * the section that has it. In .eh_frame the CFA is rsp+8, in .debug_frame rsp+16, so that rows and
 * rules tell whose they are, too. Then each is asked by address, and both tables must say the same.
 */
#include <elf.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/unwind_table.h"

#define CODE	   0x1000
#define CODE_BYTES 0x1000
#define RANGES_MAX 6

struct range {
	uint64_t pc, bytes;
};

static const struct beside {
	const char *name;
	struct range eh_frame[RANGES_MAX], debug_frame[RANGES_MAX];
	uint64_t added[RANGES_MAX]; /* by .debug_frame, in order of address */
} cases[] = {
	{ "other_code", { { 0x1000, 0x10 } }, { { 0x1100, 0x10 } }, { 0x1100 } },
	{ "code_before", { { 0x1100, 0x10 } }, { { 0x1000, 0x10 } }, { 0x1000 } },
	{ "not_in_order",
	  { { 0x1200, 0x10 }, { 0x1000, 0x10 } },
	  { { 0x1300, 0x10 }, { 0x1100, 0x10 } },
	  { 0x1100, 0x1300 } },
	{ "neighbours_share_nothing",
	  { { 0x1010, 0x10 } },
	  { { 0x1000, 0x10 }, { 0x1020, 0x10 } },
	  { 0x1000, 0x1020 } },
	{ "the_same_code", { { 0x1000, 0x10 } }, { { 0x1000, 0x10 } }, { 0 } },
	{ "a_part_of_it", { { 0x1000, 0x10 } }, { { 0x1008, 0x4 } }, { 0 } },
	{ "its_last_byte", { { 0x1000, 0x10 } }, { { 0x100f, 0x10 } }, { 0 } },
	{ "its_first_byte", { { 0x1010, 0x10 } }, { { 0x1001, 0x10 } }, { 0 } },
	{ "around_it", { { 0x1010, 0x10 } }, { { 0x1000, 0x100 } }, { 0 } },
	{ "around_several",
	  { { 0x1010, 0x10 }, { 0x1030, 0x10 } },
	  { { 0x1000, 0x100 }, { 0x1200, 0x10 } },
	  { 0x1200 } },
	{ "in_an_outer_one",
	  { { 0x1000, 0x200 }, { 0x1010, 0x10 } },
	  { { 0x1100, 0x10 }, { 0x1200, 0x10 } },
	  { 0x1200 } },
	{ "overlapping_each_other",
	  { { 0x1000, 0x10 } },
	  { { 0x1100, 0x40 }, { 0x1110, 0x10 } },
	  { 0x1100, 0x1110 } },
	{ "at_0_a_discarded_function", { { 0x1000, 0x10 } }, { { 0, 0x10 } }, { 0 } },
	{ "of_no_code", { { 0x1000, 0x10 } }, { { 0x1100, 0 } }, { 0 } },
	{ "no_fde_in_eh_frame", { { 0, 0 } }, { { 0x1100, 0x10 } }, { 0x1100 } },
};

struct subject {
	struct bytes eh_frame, debug_frame;
	struct image image;
	struct image_segment segment;
	struct cfi *cfi;
	struct table *fast, *plain;
};

static void put_ranges(struct bytes *bytes, const struct range *range)
{
	size_t cie = put_cie(bytes, 0, (struct literal)CFI(CFA_USUAL));

	for (int i = 0; i < RANGES_MAX && range[i].pc; i++)
		put_fde(bytes, cie, range[i].pc, range[i].bytes, (struct literal)BYTES("\0"));
}

static void put_debug_ranges(struct bytes *bytes, const struct range *range)
{
	size_t cie = begin_entry(bytes);

	put_number(bytes, UINT32_MAX, 4);
	put(bytes, "\3\0\1\x78\x10", 5);
	put(bytes, CFI_SIZED(CFA_def_cfa(RSP, 16), CFA_offset(RIP, 1)));
	end_entry(bytes, cie);
	for (int i = 0; i < RANGES_MAX && (range[i].pc || range[i].bytes); i++) {
		size_t start = begin_entry(bytes);

		put_number(bytes, cie, 4);
		put_number(bytes, range[i].pc, 8);
		put_number(bytes, range[i].bytes, 8);
		end_entry(bytes, start);
	}
}

static void make_image(struct subject *subject)
{
	subject->segment = (struct image_segment) { CODE, CODE_BYTES, CODE, CODE_BYTES, true };
	subject->image = fake_image(&subject->eh_frame);
	subject->image.type = ET_DYN;
	subject->image.debug_frame = (struct image_section) { subject->debug_frame.data,
							      subject->debug_frame.size, 0, 0,
							      ".debug_frame" };
	subject->image.segment = &subject->segment;
	subject->image.segment_count = 1;
}

static void read_image(struct subject *subject)
{
	struct error error;

	ck_assert_msg(!cfi_create(&subject->image, &subject->cfi, &error), "%s", error.message);
	ck_assert_msg(!table_build(&subject->image, &subject->fast, &error), "%s", error.message);
	ck_assert_msg(!table_create(&subject->image, subject->cfi, &subject->plain, &error), "%s",
		      error.message);
}

static void done(struct subject *subject)
{
	cfi_destroy(subject->cfi);
	table_destroy(subject->fast);
	table_destroy(subject->plain);
}

/* Who has the address: 8 .eh_frame, 16 .debug_frame, 0 none; at most one of each may say so. */
static int owner(const struct beside *c, uint64_t vaddr)
{
	for (int i = 0; i < RANGES_MAX; i++)
		if (c->eh_frame[i].pc && vaddr - c->eh_frame[i].pc < c->eh_frame[i].bytes)
			return 8;
	for (int i = 0; i < RANGES_MAX && c->added[i]; i++)
		for (int j = 0; j < RANGES_MAX; j++)
			if (c->debug_frame[j].pc == c->added[i] &&
			    vaddr - c->added[i] < c->debug_frame[j].bytes)
				return 16;
	return 0;
}

static int offset_of_rule(const struct table *table, uint64_t vaddr)
{
	uint32_t rule = table_find(table, vaddr);

	return rule == TABLE_NO_ROW ? 0 : table->rule[rule].cfa_offset;
}

START_TEST(each_address_is_one_section_s)
{
	const struct beside *c = &cases[_i];
	struct subject subject = { .cfi = NULL };
	const struct cfi *cfi;
	struct error error;
	size_t added = 0;

	put_ranges(&subject.eh_frame, c->eh_frame);
	put_debug_ranges(&subject.debug_frame, c->debug_frame);
	make_image(&subject);
	read_image(&subject);
	cfi = subject.cfi;
	ck_assert_uint_eq(cfi->diagnostics.count, 0);
	while (added < RANGES_MAX && c->added[added])
		added++;
	ck_assert_msg(cfi->debug_fde_count == added, "%s: %zu added", c->name,
		      cfi->debug_fde_count);
	for (size_t i = 0; i < added; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->fde_count - added + i];

		ck_assert_uint_eq(fde->pc_begin, c->added[i]);
		ck_assert_ptr_eq(cfi->cie[fde->cie].section, &subject.image.debug_frame);
	}
	for (uint64_t vaddr = CODE; vaddr < CODE + 0x400; vaddr++) {
		int expected = owner(c, vaddr);
		struct row row;
		int found = cfi_row_find(cfi, vaddr, &row, &error);

		ck_assert_msg(found == !!expected && (!found || row.cfa.offset == expected),
			      "%s: 0x%lx: found %d", c->name, vaddr, found);
		ck_assert_int_eq(offset_of_rule(subject.fast, vaddr), expected);
		ck_assert_int_eq(offset_of_rule(subject.plain, vaddr), expected);
	}
	done(&subject);
}
END_TEST

/* What .debug_frame lost is told with its name and offset, and counted; .eh_frame is as it was. */
START_TEST(what_is_lost_is_told)
{
	static const struct range code[RANGES_MAX] = { { 0x1000, 0x10 } };
	struct subject subject = { .cfi = NULL };
	size_t bad;

	put_ranges(&subject.eh_frame, code);
	put_debug_ranges(&subject.debug_frame, (struct range[RANGES_MAX]) { { 0x1100, 0x10 } });
	bad = subject.debug_frame.size;
	put_debug_ranges(&subject.debug_frame, (struct range[RANGES_MAX]) { { 0x1200, 0x10 } });
	subject.debug_frame.data[bad + 8] = 99; /* its CIE's version */
	make_image(&subject);
	read_image(&subject);
	ck_assert_uint_eq(subject.cfi->diagnostics.count, 2); /* and the FDE that names it */
	ck_assert_str_eq(subject.cfi->diagnostics.error[0].section, ".debug_frame");
	ck_assert_uint_eq(subject.cfi->diagnostics.error[0].offset, bad + 8);
	ck_assert_uint_eq(subject.cfi->debug_fde_count, 1);
	ck_assert_uint_eq(subject.fast->lost_fdes, 2);
	ck_assert_uint_eq(subject.plain->lost_fdes, 2);
	done(&subject);
}
END_TEST

/* One that can't be read at all costs nothing but itself. */
START_TEST(unreadable_section_is_told)
{
	static const struct range code[RANGES_MAX] = { { 0x1000, 0x10 } };
	struct subject subject = { .cfi = NULL };

	put_ranges(&subject.eh_frame, code);
	make_image(&subject);
	subject.image.debug_frame = (struct image_section) { .name = ".debug_frame" };
	error_set(&subject.image.debug_frame_error, ERROR_ELF_BOUNDS, ".debug_frame", 3,
		  "compressed");
	read_image(&subject);
	ck_assert_uint_eq(subject.cfi->diagnostics.count, 1);
	ck_assert_int_eq(subject.cfi->diagnostics.error[0].code, ERROR_ELF_BOUNDS);
	ck_assert_int_eq(offset_of_rule(subject.fast, 0x1000), 8);
	ck_assert_int_eq(offset_of_rule(subject.fast, 0x1010), 0);
	ck_assert_uint_eq(subject.fast->lost_fdes, 1);
	done(&subject);
}
END_TEST

/* .eh_frame_hdr is about .eh_frame alone: it can't lead to an FDE of .debug_frame, nor does it lack
 * those. */
START_TEST(search_table_knows_nothing_of_it)
{
	struct subject subject = { .cfi = NULL };
	struct bytes hdr = { .size = 0 };
	struct error_list said = { 0 };
	struct error error;

	put_ranges(&subject.eh_frame, (struct range[RANGES_MAX]) { { 0x1000, 0x10 } });
	put_debug_ranges(&subject.debug_frame,
			 (struct range[RANGES_MAX]) { { 0x1100, 0x10 }, { 0x1200, 0x10 } });
	make_image(&subject);
	ck_assert_msg(!cfi_create(&subject.image, &subject.cfi, &error), "%s", error.message);
	ck_assert_uint_eq(subject.cfi->debug_fde_count, 2);
	put(&hdr, "\1\x04\x04\x04", 4); /* udata8, all of them */
	put_number(&hdr, TEST_SECTION_VADDR, 8);
	put_number(&hdr, 1 + _i, 8);
	for (int i = 0; i < 1 + _i; i++) {
		put_number(&hdr, subject.cfi->fde[i].pc_begin, 8);
		put_number(&hdr, subject.cfi->fde[i].offset + (i ? 0 : TEST_SECTION_VADDR), 8);
	}
	subject.image.eh_frame_hdr = (struct image_section) { hdr.data, hdr.size, 0x500000, 0,
							      ".eh_frame_hdr" };
	cfi_check(subject.cfi, &said);
	ck_assert_msg(said.count == (size_t)_i, "%zu said, first %s", said.count,
		      said.count ? said.error[0].message : "nothing");
	for (size_t i = 0; i < said.count; i++)
		ck_assert_ptr_nonnull(strstr(said.error[i].message, "leads to no FDE"));
	error_list_deinit(&said);
	cfi_destroy(subject.cfi);
}
END_TEST

SUITE(debug_frame, LOOP(each_address_is_one_section_s, cases), TEST(what_is_lost_is_told),
      TEST(unreadable_section_is_told), TIMES(search_table_knows_nothing_of_it, 3))
