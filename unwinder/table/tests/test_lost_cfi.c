/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lost_cfi.c - which code an error in CFI is about
 *
 * An .eh_frame of FDEs that are read, that are lost but say where they are, and that say nothing;
 * an .eh_frame_hdr that lists some of them; a .debug_frame that adds one. A case is an error at
 * some byte of them.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "table/lost_cfi.h"

#define HDR_VADDR 0x500000
#define RANGE	  0x20

enum fde {
	READ,	      /* nothing is wrong with it */
	LAST_READ,    /* the same, before a lost one */
	LOST,	      /* its augmentation data reach past its end; listed */
	LOST_WRAPS,   /* the same, and its range reaches past 2^64; listed elsewhere */
	LOST_NOWHERE, /* the same as LOST; not listed */
	HEADLESS,     /* its CIE is nowhere; listed */
	BEHIND,	      /* like READ */
	DEBUG,	      /* of .debug_frame */
	DEBUG_HIDDEN, /* of .debug_frame, and taken out of what was read */
	FDES
};

static const uint64_t pc_of[] = {
	[READ] = 0x1000,       [LAST_READ] = 0x1100,	[LOST] = 0x1200,
	[LOST_WRAPS] = 0x1300, [LOST_NOWHERE] = 0x1400, [HEADLESS] = 0x1500,
	[BEHIND] = 0x1600,     [DEBUG] = 0x1700,	[DEBUG_HIDDEN] = 0x1800,
};
static const enum fde listed[] = { READ, LAST_READ, LOST, LOST_WRAPS, HEADLESS, BEHIND };

struct subject {
	struct bytes eh_frame, hdr, debug_frame;
	uint64_t at[FDES], end[FDES]; /* in its section */
	uint64_t last_cie;
	struct image image;
	struct cfi *cfi;
	struct cfi_addresses *addresses;
};

/* Instructions make each entry longer than what an entry's head can take. */
#define ROW(offset)  CFA_advance_loc(1), CFA_def_cfa_offset(offset)
#define INSTRUCTIONS ROW(16), ROW(24), ROW(32), ROW(40), ROW(48)

static void add_fde(struct subject *subject, enum fde which, size_t cie)
{
	bool headless = which == HEADLESS;
	bool lost = which == LOST || which == LOST_WRAPS || which == LOST_NOWHERE;
	struct bytes *bytes = &subject->eh_frame;
	size_t start = begin_entry(bytes);

	subject->at[which] = start;
	put_number(bytes, headless ? UINT32_MAX / 2 : bytes->size - cie, 4);
	put_number(bytes, pc_of[which], 8);
	put_number(bytes, which == LOST_WRAPS ? UINT64_MAX : RANGE, 8);
	put_number(bytes, lost ? 0x7f : 0, 1);
	put_literal(bytes, (struct literal)CFI(INSTRUCTIONS));
	end_entry(bytes, start);
	subject->end[which] = bytes->size;
}

static void add_debug_fde(struct subject *subject, enum fde which, size_t cie)
{
	struct bytes *bytes = &subject->debug_frame;
	size_t start = begin_entry(bytes);

	subject->at[which] = start;
	put_number(bytes, cie, 4);
	put_number(bytes, pc_of[which], 8);
	put_number(bytes, RANGE, 8);
	put_literal(bytes, (struct literal)CFI(INSTRUCTIONS));
	end_entry(bytes, start);
	subject->end[which] = bytes->size;
}

static void put_hdr(struct subject *subject)
{
	struct bytes *bytes = &subject->hdr;

	put(bytes, "\1\x1b\x03\x3b", 4);
	put_number(bytes, TEST_SECTION_VADDR - (HDR_VADDR + bytes->size), 4);
	put_number(bytes, COUNT(listed), 4);
	for (int i = 0; i < COUNT(listed); i++) {
		put_number(bytes, pc_of[listed[i]] - HDR_VADDR, 4);
		put_number(bytes, TEST_SECTION_VADDR + subject->at[listed[i]] - HDR_VADDR, 4);
	}
}

static void subject_init(struct subject *subject)
{
	struct error error;
	size_t cie;

	*subject = (struct subject) { .cfi = NULL };
	cie = put_cie(&subject->eh_frame, 0, (struct literal)CFI(CFA_USUAL));
	for (enum fde i = READ; i <= BEHIND; i++)
		add_fde(subject, i, cie);
	subject->last_cie = put_cie(&subject->eh_frame, 0, (struct literal)CFI(CFA_USUAL));
	put_hdr(subject);
	cie = begin_entry(&subject->debug_frame);
	put_number(&subject->debug_frame, UINT32_MAX, 4);
	put(&subject->debug_frame, "\3\0\1\x78\x10", 5);
	put_literal(&subject->debug_frame,
		    (struct literal)CFI(CFA_def_cfa(RSP, 16), CFA_offset(RIP, 1)));
	end_entry(&subject->debug_frame, cie);
	add_debug_fde(subject, DEBUG, cie);
	add_debug_fde(subject, DEBUG_HIDDEN, cie);

	subject->image = fake_image(&subject->eh_frame);
	subject->image.type = ET_DYN;
	subject->image.eh_frame_hdr = (struct image_section) { subject->hdr.data, subject->hdr.size,
							       HDR_VADDR, 0, ".eh_frame_hdr" };
	subject->image.debug_frame = (struct image_section) { subject->debug_frame.data,
							      subject->debug_frame.size, 0, 0,
							      ".debug_frame" };
	ck_assert_msg(!cfi_create(&subject->image, &subject->cfi, &error), "%s", error.message);
	ck_assert_uint_eq(subject->cfi->debug_fde_count, 2);
	ck_assert_uint_eq(subject->cfi->fde_count, 5); /* the others are lost */
	subject->cfi->fde_count--;
	subject->cfi->debug_fde_count--;
	ck_assert(!cfi_addresses_create(subject->cfi, &subject->addresses, &error));
}

static void subject_deinit(struct subject *subject)
{
	cfi_addresses_destroy(subject->addresses);
	cfi_destroy(subject->cfi);
}

enum place { BEGIN, SECOND, BODY, LAST };

static const struct place_case {
	const char *name;
	enum fde fde;
	enum place place;
	bool found;
	uint64_t bytes; /* of its code */
} places[] = {
	{ "begin_of_one_that_was_read", READ, BEGIN, true, RANGE },
	{ "second_byte_of_one_that_was_read", READ, SECOND, true, RANGE },
	{ "body_of_one_that_was_read", READ, BODY, true, RANGE },
	{ "last_byte_of_one_that_was_read", READ, LAST, true, RANGE },
	{ "last_byte_before_a_lost_one", LAST_READ, LAST, true, RANGE },
	{ "begin_of_a_lost_one", LOST, BEGIN, true, RANGE },
	{ "body_of_a_lost_one", LOST, BODY, true, RANGE },
	{ "last_byte_of_a_lost_one", LOST, LAST, true, RANGE },
	{ "begin_of_one_that_wraps", LOST_WRAPS, BEGIN, true, 0 },
	{ "body_of_one_that_wraps", LOST_WRAPS, BODY, true, 0 },
	{ "begin_of_a_lost_one_that_is_not_listed", LOST_NOWHERE, BEGIN, true, RANGE },
	{ "body_of_a_lost_one_that_is_not_listed", LOST_NOWHERE, BODY, false, 0 },
	{ "begin_of_one_whose_head_can_not_be_read", HEADLESS, BEGIN, true, 0 },
	{ "body_of_one_whose_head_can_not_be_read", HEADLESS, BODY, true, 0 },
	{ "last_byte_before_a_cie", BEHIND, LAST, true, RANGE },
	{ "begin_in_debug_frame", DEBUG, BEGIN, true, RANGE },
	{ "body_in_debug_frame", DEBUG, BODY, true, RANGE },
	{ "last_byte_in_debug_frame", DEBUG, LAST, true, RANGE },
	{ "body_of_one_that_was_not_read", DEBUG_HIDDEN, BODY, false, 0 },
};

START_TEST(error_has_its_code)
{
	const struct place_case *c = &places[_i];
	uint64_t pc = 0, pc_end = 0;
	struct subject subject;
	struct error error;
	bool found;

	subject_init(&subject);
	const uint64_t place[] = {
		[BEGIN] = subject.at[c->fde],
		[SECOND] = subject.at[c->fde] + 1,
		[BODY] = subject.at[c->fde] + 24,
		[LAST] = subject.end[c->fde] - 1,
	};

	error_set(&error, ERROR_CFI_INSTRUCTION, c->fde < DEBUG ? ".eh_frame" : ".debug_frame",
		  place[c->place], "made");
	found = cfi_addresses_find(subject.addresses, &error, &pc, &pc_end);
	ck_assert_msg(found == c->found, "%s: found at 0x%" PRIx64, c->name, pc);
	if (found)
		ck_assert_msg(pc == pc_of[c->fde] && pc_end == pc + c->bytes,
			      "%s: 0x%" PRIx64 "-0x%" PRIx64, c->name, pc, pc_end);
	subject_deinit(&subject);
}
END_TEST

/* Errors that are about no FDE. */
START_TEST(error_elsewhere_has_none)
{
	struct subject subject;
	uint64_t pc, pc_end;

	subject_init(&subject);
	const struct {
		const char *section;
		uint64_t offset;
	} elsewhere[] = {
		{ ".eh_frame", 0 }, /* the CIE */
		{ ".eh_frame", subject.last_cie },
		{ ".eh_frame", subject.last_cie + 7 },
		{ ".eh_frame", 9 },
		{ ".eh_frame", subject.eh_frame.size },
		{ ".debug_frame", 0 },
		{ ".debug_frame", subject.debug_frame.size },
		{ ".eh_frame_hdr", 4 },
		{ ".text", 4 },
	};

	for (int i = 0; i < COUNT(elsewhere); i++) {
		struct error error;

		error_set(&error, ERROR_CFI_INSTRUCTION, elsewhere[i].section, elsewhere[i].offset,
			  "made");
		ck_assert_msg(!cfi_addresses_find(subject.addresses, &error, &pc, &pc_end),
			      "%s+0x%" PRIx64 ": 0x%" PRIx64, elsewhere[i].section,
			      elsewhere[i].offset, pc);
	}
	subject_deinit(&subject);
}
END_TEST

START_TEST(no_addresses_are_given_back)
{
	cfi_addresses_destroy(NULL);
}
END_TEST

SUITE(lost_cfi, TEST(no_addresses_are_given_back), LOOP(error_has_its_code, places),
      TEST(error_elsewhere_has_none))
