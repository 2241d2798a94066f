/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_search_table.c - .eh_frame_hdr held against the FDEs: each difference, its words and place
 *
 * A section of twenty FDEs, 16 bytes of code each, and a table of absolute 8-byte pointers, of which
 * a case changes one thing. Encodings are test_image_headers.c's.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi_section.h"

#define FDES	  20
#define HDR_VADDR 0x500000
#define TABLE_AT  20 /* behind the header: four encodings, .eh_frame, how many */
#define PC_OF(i)  (TEST_PC + 16 * (uint64_t)(i))

struct subject {
	struct bytes frame, hdr;
	struct image image;
	uint64_t fde[FDES]; /* offset in .eh_frame */
	struct cfi *cfi;
	struct error_list said;
};

static void put_frame(struct subject *subject)
{
	struct error error;
	size_t cie = put_cie(&subject->frame, 0, (struct literal)CFI(CFA_USUAL));

	for (int i = 0; i < FDES; i++) {
		subject->fde[i] = subject->frame.size;
		put_fde(&subject->frame, cie, PC_OF(i), 16, (struct literal)BYTES(""));
	}
	subject->image = fake_image(&subject->frame);
	subject->image.type = ET_DYN;
	ck_assert_msg(!cfi_create(&subject->image, &subject->cfi, &error), "%s", error.message);
	ck_assert_uint_eq(subject->cfi->fde_count, FDES);
}

static void put_head(struct subject *subject, uint64_t eh_frame, uint64_t count)
{
	put(&subject->hdr, "\1\4\4\4", 4); /* udata8, all of them */
	put_number(&subject->hdr, eh_frame, 8);
	put_number(&subject->hdr, count, 8);
	ck_assert_uint_eq(subject->hdr.size, TABLE_AT);
}

static void put_entry(struct subject *subject, uint64_t pc, uint64_t fde)
{
	put_number(&subject->hdr, pc, 8);
	put_number(&subject->hdr, TEST_SECTION_VADDR + fde, 8);
}

static void check(struct subject *subject)
{
	subject->image.eh_frame_hdr = (struct image_section) { subject->hdr.data, subject->hdr.size,
							       HDR_VADDR, 0, ".eh_frame_hdr" };
	eh_frame_hdr_check(subject->cfi, &subject->said);
}

static void check_said(const struct subject *subject, size_t number, const char *section,
		       uint64_t offset, const char *message)
{
	const struct error *error = &subject->said.error[number];

	ck_assert_msg(number < subject->said.count, "not said: %s", message);
	ck_assert_str_eq(error->message, message);
	ck_assert_int_eq(error->code, ERROR_SEARCH_TABLE);
	ck_assert_str_eq(error->section, section);
	ck_assert_uint_eq(error->offset, offset);
}

static void done(struct subject *subject)
{
	error_list_deinit(&subject->said);
	cfi_destroy(subject->cfi);
}

/* One FDE is not in the table, each in turn; and none. */
START_TEST(the_missing_one_is_named)
{
	struct subject subject = { .cfi = NULL };
	char text[80];

	put_frame(&subject);
	put_head(&subject, TEST_SECTION_VADDR, FDES - (_i < FDES));
	for (int i = 0; i < FDES; i++)
		if (i != _i)
			put_entry(&subject, PC_OF(i), subject.fde[i]);
	check(&subject);
	ck_assert_uint_eq(subject.said.count, _i < FDES);
	if (_i < FDES) {
		snprintf(text, sizeof(text), "the FDE of 0x%" PRIx64 " is not in the search table",
			 PC_OF(_i));
		check_said(&subject, 0, ".eh_frame", subject.fde[_i], text);
	}
	done(&subject);
}
END_TEST

/* One is there twice, each in turn. */
START_TEST(the_second_one_is_named)
{
	struct subject subject = { .cfi = NULL };
	char text[80];

	put_frame(&subject);
	put_head(&subject, TEST_SECTION_VADDR, FDES + 1);
	for (int i = 0; i < FDES; i++) {
		put_entry(&subject, PC_OF(i), subject.fde[i]);
		if (i == _i)
			put_entry(&subject, PC_OF(i), subject.fde[i]);
	}
	check(&subject);
	ck_assert_uint_eq(subject.said.count, 1);
	snprintf(text, sizeof(text), "entry %d is the second one of the FDE at 0x%" PRIx64, _i + 1,
		 TEST_SECTION_VADDR + subject.fde[_i]);
	check_said(&subject, 0, ".eh_frame_hdr", TABLE_AT + 16 * (uint64_t)(_i + 1), text);
	done(&subject);
}
END_TEST

/* What entry 7 says; all others are right. */
static const struct {
	const char *name;
	int64_t pc, fde;     /* added to what is right */
	const char *said[2]; /* of entry 7, or 8; addresses are the section's and the code's */
	int missing;	     /* FDEs said to be missing behind */
} wrong[] = {
	{ "right", 0, 0, { NULL }, 0 },
	{ "no_fde_there", 0, 4, { "entry 7 leads to no FDE: there is none at 0x4000c9" }, 1 },
	{ "behind_the_section",
	  0,
	  0x10000,
	  { "entry 7 leads to no FDE: there is none at 0x4100c5" },
	  1 },
	{ "before_the_section",
	  0,
	  -0x10000,
	  { "entry 7 leads to no FDE: there is none at 0x3f00c5" },
	  1 },
	{ "another_pc",
	  1,
	  0,
	  { "entry 7 has another PC than its FDE, which begins at 0x1070" },
	  0 },
	{ "a_pc_before_the_last_one",
	  -0x11,
	  0,
	  { "entry 7 is not in order: its PC is 0x105f",
	    "entry 7 has another PC than its FDE, which begins at 0x1070" },
	  0 },
};

START_TEST(the_wrong_entry_is_named)
{
	struct subject subject = { .cfi = NULL };
	size_t said = 0;

	put_frame(&subject);
	put_head(&subject, TEST_SECTION_VADDR, FDES);
	for (int i = 0; i < FDES; i++)
		put_entry(&subject, PC_OF(i) + (i == 7 ? wrong[_i].pc : 0),
			  subject.fde[i] + (i == 7 ? wrong[_i].fde : 0));
	check(&subject);
	for (; said < 2 && wrong[_i].said[said]; said++)
		check_said(&subject, said, ".eh_frame_hdr", TABLE_AT + 16 * 7,
			   wrong[_i].said[said]);
	if (wrong[_i].missing)
		check_said(&subject, said++, ".eh_frame", subject.fde[7],
			   "the FDE of 0x1070 is not in the search table");
	ck_assert_msg(subject.said.count == said, "%s: %zu said", wrong[_i].name,
		      subject.said.count);
	done(&subject);
}
END_TEST

/* The header leads elsewhere; the table is held against the section all the same. */
START_TEST(another_section_is_named)
{
	struct subject subject = { .cfi = NULL };

	put_frame(&subject);
	put_head(&subject, TEST_SECTION_VADDR + 16, FDES);
	for (int i = 0; i < FDES; i++)
		put_entry(&subject, PC_OF(i), subject.fde[i]);
	check(&subject);
	ck_assert_uint_eq(subject.said.count, 1);
	check_said(&subject, 0, ".eh_frame_hdr", 4,
		   "the header says that .eh_frame is at 0x400010, not at 0x400000");
	done(&subject);
}
END_TEST

/* Headers with nothing to look for, or that can't be read. */
static const struct {
	const char *name;
	struct literal bytes;
	enum error_code code; /* 0: none */
	uint64_t offset;
	const char *message;
} heads[] = {
	{ "nothing", BYTES(""), ERROR_SEARCH_TABLE, 0, "the header is shorter than 4 bytes" },
	{ "three_bytes", BYTES("\1\4\4"), ERROR_SEARCH_TABLE, 0,
	  "the header is shorter than 4 bytes" },
	{ "version_2", BYTES("\2\4\4\4\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0"), ERROR_SEARCH_TABLE, 0,
	  "version 2 is not read" },
	{ "no_count", BYTES("\1\4\xff\4\0\0\x40\0\0\0\0\0"), 0, 0, NULL },
	{ "no_table", BYTES("\1\4\4\xff\0\0\x40\0\0\0\0\0"), 0, 0, NULL },
	{ "address_is_cut", BYTES("\1\4\4\4\0\0\x40\0\0\0\0"), ERROR_CFI_TRUNCATED, 4, NULL },
	{ "count_is_cut", BYTES("\1\4\4\4\0\0\x40\0\0\0\0\0\1\0"), ERROR_CFI_TRUNCATED, 12, NULL },
	{ "more_than_there_are",
	  BYTES("\1\4\4\4\0\0\x40\0\0\0\0\0\1\0\0\0\0\0\0\0"
		"0123456789abcde"),
	  ERROR_SEARCH_TABLE, TABLE_AT, "1 entries reach past the section's end at 0x23" },
	{ "no_fixed_size", BYTES("\1\4\4\1\0\0\x40\0\0\0\0\0\1\0\0\0\0\0\0\0"),
	  ERROR_POINTER_ENCODING, 3, "a table of encoding 0x01 can't be searched" },
};

START_TEST(the_head_is_read_first)
{
	struct subject subject = { .cfi = NULL };

	put_frame(&subject);
	put_literal(&subject.hdr, heads[_i].bytes);
	check(&subject);
	ck_assert_msg(subject.said.count == !!heads[_i].code, "%s: %zu said", heads[_i].name,
		      subject.said.count);
	if (heads[_i].code) {
		const struct error *error = subject.said.error;

		ck_assert_msg(error->code == heads[_i].code && error->offset == heads[_i].offset,
			      "%s: %s at %" PRIu64 ": %s", heads[_i].name,
			      error_code_name(error->code), error->offset, error->message);
		ck_assert_str_eq(error->section, ".eh_frame_hdr");
		if (heads[_i].message)
			ck_assert_str_eq(error->message, heads[_i].message);
	}
	done(&subject);
}
END_TEST

START_TEST(no_table_is_an_error_to_who_asks_for_it)
{
	const struct image image = { .path = "fake" };
	struct eh_frame_hdr hdr;
	struct error error;

	ck_assert_int_eq(eh_frame_hdr_read(&image, &hdr, &error), -1);
	ck_assert_int_eq(error.code, ERROR_NO_CFI);
	ck_assert_str_eq(error.message, "the image has no .eh_frame_hdr");
}
END_TEST

/* Where entries begin, by the table: FDEs and their CIE, in order, and only what is one. */
START_TEST(entries_begin_where_it_leads)
{
	struct subject subject = { .cfi = NULL };
	struct cfi_starts starts;
	struct eh_frame_hdr hdr;
	struct error error;

	put_frame(&subject);
	put_head(&subject, TEST_SECTION_VADDR, 7);
	put_entry(&subject, PC_OF(5), subject.fde[5]);
	put_entry(&subject, PC_OF(2), subject.fde[2]);
	put_entry(&subject, PC_OF(3), subject.fde[3] + 4); /* no entry */
	put_entry(&subject, PC_OF(4) + 1, subject.fde[4]); /* of another PC */
	put_entry(&subject, PC_OF(6), 0);		   /* the CIE */
	put_entry(&subject, PC_OF(7), subject.frame.size); /* at the end */
	put_entry(&subject, PC_OF(19), subject.fde[19]);
	check(&subject);
	ck_assert(!eh_frame_hdr_read(&subject.image, &hdr, &error));
	ck_assert(!eh_frame_hdr_starts(&hdr, &subject.image.eh_frame, &starts, &error));
	ck_assert_uint_eq(starts.count, 4);
	ck_assert_uint_eq(starts.offset[0], 0);
	ck_assert_uint_eq(starts.offset[1], subject.fde[2]);
	ck_assert_uint_eq(starts.offset[2], subject.fde[5]);
	ck_assert_uint_eq(starts.offset[3], subject.fde[19]);
	free(starts.offset);
	done(&subject);
}
END_TEST

SUITE(search_table, TIMES(the_missing_one_is_named, FDES + 1), TIMES(the_second_one_is_named, FDES),
      LOOP(the_wrong_entry_is_named, wrong), TEST(another_section_is_named),
      LOOP(the_head_is_read_first, heads), TEST(no_table_is_an_error_to_who_asks_for_it),
      TEST(entries_begin_where_it_leads))
