/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_stretches.c - pages without rows are left off, and nothing else is
 *
 * Both ways to build a table, over images with FDEs here and there. That the walk in BPF finds the
 * same in what is left is bpf/tests/test_placement.c's.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/sparse_image.h"
#include "table/table_cursor.h"
#include "walk/address_space.h"

/* Where something may change: around functions, and at the ends of pages. */
static void each_address(const struct sparse_case *c, uint64_t end,
			 void (*fn)(void *context, uint64_t vaddr), void *context)
{
	for (uint64_t page = SPARSE_VADDR; page < end; page += SPARSE_PAGE) {
		fn(context, page);
		fn(context, page + SPARSE_PAGE - 1);
	}
	for (const struct sparse_function *f = c->function; f->bytes; f++) {
		for (uint64_t i = 0; i < 40 && sparse_pc(f) + i < end; i++)
			fn(context, sparse_pc(f) + i);
		if (sparse_pc(f) + f->bytes < end)
			fn(context, sparse_pc(f) + f->bytes);
		fn(context, sparse_pc(f) + f->bytes - 1);
	}
}

struct subject {
	const struct sparse_case *c;
	struct sparse_image sparse;
	struct cfi *cfi;
	struct table *table;
};

static uint64_t subject_end(const struct subject *subject)
{
	return SPARSE_VADDR +
	       ((uint64_t)subject->c->segment[0] + subject->c->segment[1]) * SPARSE_PAGE;
}

static void subject_init(struct subject *subject, int number)
{
	struct error error;

	subject->c = &sparse_cases[number / 2];
	sparse_image_init(&subject->sparse, subject->c);
	ck_assert_msg(!cfi_create(&subject->sparse.image, &subject->cfi, &error), "%s",
		      error.message);
	ck_assert(!(number % 2 ? table_build(&subject->sparse.image, &subject->table, &error)
			       : table_create(&subject->sparse.image, subject->cfi, &subject->table,
					      &error)));
}

static void subject_deinit(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
}

static int expected_offset(const struct sparse_case *c, uint64_t vaddr)
{
	for (const struct sparse_function *f = c->function; f->bytes; f++)
		if (vaddr - sparse_pc(f) < f->bytes)
			return vaddr == sparse_pc(f) ? 8 : 16;
	return 0;
}

static void check_address(void *context, uint64_t vaddr)
{
	const struct subject *subject = context;
	uint32_t rule = table_find(subject->table, vaddr);
	int expected = expected_offset(subject->c, vaddr);

	ck_assert_msg(table_segment_find(subject->table, vaddr) != NULL, "%s: 0x%" PRIx64,
		      subject->c->name, vaddr);
	ck_assert_msg(expected ? rule >= TABLE_MARKER_COUNT &&
					 subject->table->rule[rule].cfa_offset == expected
			       : rule == TABLE_NO_ROW,
		      "%s: 0x%" PRIx64 ": rule %u, expected rsp+%d", subject->c->name, vaddr, rule,
		      expected);
}

START_TEST(each_address_has_its_rule)
{
	struct subject subject;

	subject_init(&subject, _i);
	each_address(subject.c, subject_end(&subject), check_address, &subject);
	ck_assert(!table_segment_find(subject.table, SPARSE_VADDR - 1));
	ck_assert(!table_segment_find(subject.table, subject_end(&subject)));
	subject_deinit(&subject);
}
END_TEST

START_TEST(pages_without_rows_are_left_off)
{
	struct subject subject;

	subject_init(&subject, _i);
	ck_assert_msg(subject.table->page_count == subject.c->pages &&
			      subject.table->segment_count == subject.c->parts,
		      "%s: %u pages in %u parts", subject.c->name, subject.table->page_count,
		      subject.table->segment_count);
	subject_deinit(&subject);
}
END_TEST

/* Rows, which go from one part into another. */
struct rows {
	struct table_cursor cursor;
	uint64_t end;
	uint32_t last;
};

static int check_row(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct rows *rows = context;

	ck_assert_uint_eq(pc, rows->end);
	ck_assert_uint_lt(pc, pc_end);
	ck_assert_uint_ne(rule, rows->last);
	ck_assert(table_cursor_valid(&rows->cursor));
	ck_assert_uint_eq(rows->cursor.pc, pc);
	ck_assert_uint_eq(rows->cursor.pc_end, pc_end);
	ck_assert_uint_eq(rows->cursor.rule, rule);
	table_cursor_next(&rows->cursor);
	rows->end = pc_end;
	rows->last = rule;
	return 0;
}

START_TEST(rows_are_those_of_the_whole_segment)
{
	struct subject subject;
	struct table_proof proof;
	struct error error;

	subject_init(&subject, _i);
	struct rows rows = { table_cursor_begin(subject.table), SPARSE_VADDR, UINT32_MAX };
	ck_assert_int_eq(table_rows(subject.table, check_row, &rows), 0);
	ck_assert_uint_eq(rows.end, subject_end(&subject));
	ck_assert(!table_cursor_valid(&rows.cursor));
	ck_assert(!table_prove(subject.cfi, subject.table, NULL, NULL, &proof, &error));
	ck_assert_uint_eq(proof.silent, 0);
	subject_deinit(&subject);
}
END_TEST

/* From an address to the end: one after the other, without a hole, and pages where there are
 * some. */
static void check_mapping(const struct subject *subject, uint64_t start, uint64_t end)
{
	struct image_entry entry = { .image = (struct image *)&subject->sparse.image,
				     .table = subject->table };
	struct mapping mapping = {
		.start = start + 0x5000, .end = end + 0x5000, .bias = 0x5000, .entry = &entry
	};
	struct walk_mapping part;
	uint64_t at = mapping.start;
	uint32_t number = 0;

	for (; mapping_for_walk(&mapping, number, &part); number++) {
		const struct table_segment *segment = table_segment_find(subject->table,
									 part.start - mapping.bias);
		uint64_t pages = table_pages_end(subject->table, segment) + mapping.bias;

		ck_assert_uint_eq(part.start, at);
		ck_assert_uint_lt(part.start, part.end);
		ck_assert_uint_le(part.end, mapping.end);
		pages = pages > part.end ? part.end : pages < part.start ? part.start : pages;
		ck_assert_uint_eq((uint64_t)part.page_count << part.page_shift, pages - part.start);
		ck_assert_uint_le(part.first_page + part.page_count, subject->table->page_count);
		if (part.page_count)
			ck_assert_uint_eq(part.first_page - segment->first_page,
					  (part.start - mapping.bias - segment->vaddr) >>
						  part.page_shift);
		at = part.end;
	}
	ck_assert_uint_eq(at, mapping.end);
	ck_assert_uint_ge(number, 1);
}

START_TEST(parts_of_a_mapping_have_no_holes)
{
	struct subject subject;

	subject_init(&subject, _i);
	uint64_t end = subject_end(&subject), pages = (end - SPARSE_VADDR) / SPARSE_PAGE;
	check_mapping(&subject, SPARSE_VADDR, end);
	for (uint64_t page = 1; page < pages; page += 1 + pages / 60) {
		check_mapping(&subject, SPARSE_VADDR + page * SPARSE_PAGE, end);
		check_mapping(&subject, SPARSE_VADDR, SPARSE_VADDR + page * SPARSE_PAGE);
	}
	subject_deinit(&subject);
}
END_TEST

/* ---- segments apart --------------------------------------------------------------------- */

#define APART_ROWS 4

struct apart_row {
	uint64_t pc, pc_end;
	uint32_t rule;
};

#define RULES(...) .rule = { __VA_ARGS__ }
#define ROWS(...)  .row = { __VA_ARGS__ }

/* Two segments of a page, each with a rule from its begin on and another from 0x100 on. */
static const struct apart_case {
	const char *name;
	uint64_t vaddr; /* of the second; the first is at 0x1000 */
	uint32_t rule[4];
	struct apart_row row[APART_ROWS];
} apart_cases[] = {
	{ "a_gap_has_no_row", 0x5000, RULES(10, 11, 12, 13),
	  ROWS({ 0x1000, 0x1100, 10 }, { 0x1100, 0x2000, 11 }, { 0x5000, 0x5100, 12 },
	       { 0x5100, 0x6000, 13 }) },
	{ "nor_between_two_of_one_rule", 0x5000, RULES(10, 11, 11, 12),
	  ROWS({ 0x1000, 0x1100, 10 }, { 0x1100, 0x2000, 11 }, { 0x5000, 0x5100, 11 },
	       { 0x5100, 0x6000, 12 }) },
	{ "nor_where_there_is_one_rule_only", 0x3000, RULES(10, 10, 10, 10),
	  ROWS({ 0x1000, 0x2000, 10 }, { 0x3000, 0x4000, 10 }) },
	{ "neighbours_of_one_rule_are_one_row", 0x2000, RULES(10, 11, 11, 12),
	  ROWS({ 0x1000, 0x1100, 10 }, { 0x1100, 0x2100, 11 }, { 0x2100, 0x3000, 12 }) },
};

struct apart_seen {
	struct apart_row row[APART_ROWS];
	int count, stop_after;
};

static int see_apart(void *context, uint64_t pc, uint64_t pc_end, uint32_t rule)
{
	struct apart_seen *seen = context;

	ck_assert_int_lt(seen->count, APART_ROWS);
	seen->row[seen->count++] = (struct apart_row) { pc, pc_end, rule };
	return seen->count == seen->stop_after ? 7 : 0;
}

START_TEST(rows_end_with_their_segment)
{
	const struct apart_case *c = &apart_cases[_i];
	struct table_segment segment[] = {
		{ .vaddr = 0x1000, .bytes = 0x1000, .first_page = 0, .page_count = 1 },
		{ .vaddr = c->vaddr, .bytes = 0x1000, .first_page = 1, .page_count = 1 },
	};
	uint32_t page[] = { 0, 2, 4 }, entry[4];
	const struct table table = { .segment = segment,
				     .segment_count = 2,
				     .page = page,
				     .page_count = 2,
				     .page_shift = TABLE_PAGE_SHIFT,
				     .entry = entry,
				     .entry_count = 4 };
	struct apart_seen all = { .count = 0 };

	for (int i = 0; i < 4; i++)
		entry[i] = table_entry_pack(i % 2 * 0x100, TABLE_DIRECT | c->rule[i]);
	ck_assert_int_eq(table_rows(&table, see_apart, &all), 0);
	for (int i = 0; i < APART_ROWS; i++)
		ck_assert_msg(all.row[i].pc == c->row[i].pc &&
				      all.row[i].pc_end == c->row[i].pc_end &&
				      all.row[i].rule == c->row[i].rule,
			      "%s: row %d", c->name, i);
	/* And none is given behind the one that is enough. */
	for (int stop = 1; stop <= all.count; stop++) {
		struct apart_seen some = { .stop_after = stop };

		ck_assert_int_eq(table_rows(&table, see_apart, &some), 7);
		ck_assert_int_eq(some.count, stop);
	}
}
END_TEST

START_TEST(bytes_are_those_of_all_arrays)
{
	const struct table table = { .page_count = 2,
				     .entry_count = 100,
				     .shape_count = 1000,
				     .rule_count = 10000,
				     .place_count = 100000 };

	ck_assert_uint_eq(table_bytes(&table), 3 * 4 + 100 * 4 + 1000 * 2 +
						       10000 * sizeof(struct table_rule) +
						       100000 * sizeof(struct table_place));
}
END_TEST

SUITE(table_stretches, TIMES(each_address_has_its_rule, 2 * SPARSE_CASES),
      TIMES(pages_without_rows_are_left_off, 2 * SPARSE_CASES),
      TIMES(rows_are_those_of_the_whole_segment, 2 * SPARSE_CASES),
      TIMES(parts_of_a_mapping_have_no_holes, 2 * SPARSE_CASES),
      LOOP(rows_end_with_their_segment, apart_cases), TEST(bytes_are_those_of_all_arrays))
