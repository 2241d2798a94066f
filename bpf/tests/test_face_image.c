/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face_image.c - stackproof.h: the rows of an image, at their borders, and what is wrong in it
 *
 * The image is faulty_image.h's. Its rows are written here by hand.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "face.h"
#include "faulty_image.h"

#define GIVEN_MAX  1000u
#define AT(offset) (FAULTY_FIRST + (offset))

struct fixture {
	struct stackproof_images *images;
	struct stackproof_image *image;
};

static struct fixture setup(unsigned int more)
{
	struct stackproof_error error;
	struct fixture f;
	struct bytes bytes;

	faulty_image_make(&bytes, more);
	ck_assert(!stackproof_images_create(&f.images, &error));
	ck_assert_msg(!stackproof_image_open(f.images, "faulty", bytes.data, bytes.size, &f.image,
					     &error),
		      "%s", error.message);
	return f;
}

static void teardown(struct fixture *f)
{
	stackproof_image_close(f->image);
	stackproof_images_destroy(f->images);
}

/* ---- rows ------------------------------------------------------------------------------- */

static const struct {
	uint64_t pc, pc_end;
	const char *rules, *lost;
} rows[] = {
	{ AT(0x00), AT(0x08), "cfa=rsp+8 ra=c-8", NULL },
	{ AT(0x08), AT(0x10), "cfa=rsp+16 ra=c-8", NULL },
	{ AT(0x10), AT(0x14), "cfa=rsp+8 ra=c-8", NULL },
	{ AT(0x14), AT(0x18), "cfa=rsp+24 ra=c-8", NULL },
	{ AT(0x20), AT(0x24), "cfa=rsp+8 ra=c-8", NULL },
	{ AT(0x24), AT(0x30), "cfa=rsp+2199023255552 ra=c-8", "offset_range" },
	{ AT(0x30), AT(0x32), "cfa=rsp+8 ra=c-8", NULL },
	{ AT(0x40), AT(0x50), "cfa=rsp+8 ra=c-8", NULL },
};

struct seen {
	int next, count; /* of rows[] */
	int stop_after, stop;
};

static int see_row(void *context, const struct stackproof_row *row)
{
	struct seen *seen = context;
	int at = seen->next++;

	ck_assert_int_lt(at, COUNT(rows));
	ck_assert_uint_eq(row->size, sizeof(*row));
	ck_assert_uint_eq(row->pc, rows[at].pc);
	ck_assert_uint_eq(row->pc_end, rows[at].pc_end);
	ck_assert_str_eq(row->rules, rows[at].rules);
	ck_assert_pstr_eq(row->lost, rows[at].lost);
	return ++seen->count == seen->stop_after ? seen->stop : 0;
}

static const struct {
	const char *name;
	uint64_t from, to;
	int first, count;
} ranges[] = {
	{ "all", 0, UINT64_MAX, 0, COUNT(rows) },
	{ "exactly_all", AT(0), AT(0x50), 0, COUNT(rows) },
	{ "up_to_the_first_row", 0, AT(0), 0, 0 },
	{ "up_to_its_first_byte", 0, AT(1), 0, 1 },
	{ "one_row", AT(0), AT(8), 0, 1 },
	{ "its_last_byte", AT(7), AT(8), 0, 1 },
	{ "and_the_next_one_s_first", AT(7), AT(9), 0, 2 },
	{ "behind_the_first", AT(8), AT(0x10), 1, 1 },
	{ "over_the_end_of_an_fde", AT(0xf), AT(0x11), 1, 2 },
	{ "behind_a_fault", AT(0x18), AT(0x20), 0, 0 },
	{ "from_behind_a_fault", AT(0x18), AT(0x21), 4, 1 },
	{ "last_byte", AT(0x4f), UINT64_MAX, 7, 1 },
	{ "behind_all", AT(0x50), UINT64_MAX, 0, 0 },
};

START_TEST(rows_of_a_range_are_given)
{
	struct seen seen = { .next = ranges[_i].first };
	struct fixture f = setup(0);
	struct stackproof_error error;

	ck_assert_int_eq(stackproof_image_rows(f.image, ranges[_i].from, ranges[_i].to, see_row,
					       &seen, &error),
			 0);
	ck_assert_msg(seen.count == ranges[_i].count, "%s: %d rows", ranges[_i].name, seen.count);
	teardown(&f);
}
END_TEST

/* In an FDE and at its end; and what stops is what is returned. */
START_TEST(rows_stop_where_the_caller_says)
{
	struct seen seen = { .stop_after = _i / 2 + 1, .stop = _i & 1 ? 7 : -7 };
	struct fixture f = setup(0);
	struct stackproof_error error;

	ck_assert_int_eq(stackproof_image_rows(f.image, 0, UINT64_MAX, see_row, &seen, &error),
			 seen.stop);
	ck_assert_int_eq(seen.count, seen.stop_after);
	teardown(&f);
}
END_TEST

START_TEST(what_is_lost_is_counted)
{
	struct stackproof_image_info info = STACKPROOF_INIT(struct stackproof_image_info);
	struct fixture f = setup(0);

	ck_assert(!stackproof_image_info(f.image, &info, NULL));
	ck_assert_str_eq(info.path, "faulty");
	ck_assert_uint_eq(info.build_id_size, 0);
	ck_assert_uint_eq(info.fdes, FAULTY_FDES);
	ck_assert_uint_eq(info.rows, COUNT(rows));
	ck_assert_uint_eq(info.lost_rows, 1 + FAULTY_FAULTS);
	ck_assert_uint_eq(info.lost_fdes, 0); /* all were read, up to the fault */
	ck_assert_uint_gt(info.table_bytes, 0);
	teardown(&f);
}
END_TEST

/* ---- faults ----------------------------------------------------------------------------- */

static const char *const kinds[FAULTY_FAULTS] = { "cfi_state", "cfi_instruction" };

static int see_fault(void *context, const struct stackproof_error *fault)
{
	struct seen *seen = context;

	ck_assert_int_lt(seen->count, FAULTY_FAULTS);
	ck_assert_uint_eq(fault->code, STACKPROOF_ERROR_CFI);
	ck_assert_str_eq(fault->kind, kinds[seen->count]);
	ck_assert_str_eq(fault->section, ".eh_frame");
	ck_assert_uint_gt(fault->offset, 0);
	ck_assert_uint_ne(fault->message[0], 0);
	return ++seen->count == seen->stop_after ? seen->stop : 0;
}

static const struct {
	const char *name;
	struct seen seen;
	int status, count;
	uint64_t all; /* UINT64_MAX: not said */
} stops[] = {
	{ "all", { 0 }, 0, FAULTY_FAULTS, FAULTY_FAULTS },
	{ "first", { .stop_after = 1, .stop = 3 }, 3, 1, FAULTY_FAULTS },
	{ "last", { .stop_after = 2, .stop = 3 }, 3, 2, FAULTY_FAULTS },
	{ "failed", { .stop_after = 1, .stop = -3 }, -3, 1, UINT64_MAX },
};

START_TEST(faults_are_given)
{
	struct seen seen = stops[_i].seen, again = seen;
	struct fixture f = setup(0);
	struct stackproof_error error;
	uint64_t all = UINT64_MAX;

	ck_assert_int_eq(stackproof_image_faults(f.image, see_fault, &seen, &all, &error),
			 stops[_i].status);
	ck_assert_msg(seen.count == stops[_i].count && all == stops[_i].all, "%s: %d of %lu",
		      stops[_i].name, seen.count, all);
	/* Who does not want to know how many there are. */
	ck_assert_int_eq(stackproof_image_faults(f.image, see_fault, &again, NULL, &error),
			 stops[_i].status);
	ck_assert_int_eq(again.count, stops[_i].count);
	teardown(&f);
}
END_TEST

START_TEST(faults_are_counted)
{
	struct fixture f = setup(0);
	uint64_t all = UINT64_MAX;

	ck_assert_int_eq(stackproof_image_faults(f.image, NULL, NULL, &all, NULL), 0);
	ck_assert_uint_eq(all, FAULTY_FAULTS);
	ck_assert_int_eq(stackproof_image_faults(f.image, NULL, NULL, NULL, NULL), 0);
	teardown(&f);
}
END_TEST

static int count_fault(void *context, const struct stackproof_error *fault)
{
	++*(uint64_t *)context;
	return 0;
}

/* Up to a thousand are given, and all are counted. */
START_TEST(faults_that_are_many)
{
	uint64_t count = GIVEN_MAX - 1 + (unsigned int)_i, given = 0, all = 0;
	struct fixture f = setup(count - FAULTY_FAULTS);

	ck_assert_int_eq(stackproof_image_faults(f.image, count_fault, &given, &all, NULL), 0);
	ck_assert_uint_eq(given, count < GIVEN_MAX ? count : GIVEN_MAX);
	ck_assert_uint_eq(all, count);
	teardown(&f);
}
END_TEST

SUITE(face_image, LOOP(rows_of_a_range_are_given, ranges),
      TIMES(rows_stop_where_the_caller_says, 2 * COUNT(rows)), TEST(what_is_lost_is_counted),
      LOOP(faults_are_given, stops), TEST(faults_are_counted), TIMES(faults_that_are_many, 3))
