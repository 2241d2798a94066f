/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sparse_image.h - images whose FDEs lie far apart, for tests of what tables leave off
 *
 * A case names each function by its page and its place in it. All have the same rows: cfa rsp+8,
 * from the second byte on rsp+16.
 */
#ifndef STACKPROOF_TESTS_SPARSE_IMAGE_H
#define STACKPROOF_TESTS_SPARSE_IMAGE_H

#include "cfa_bytes.h"
#include "cfi_bytes.h"

#define SPARSE_VADDR 0x10000000ull
#define SPARSE_PAGE  0x1000ull

struct sparse_function {
	uint32_t page, offset;
	uint64_t bytes; /* 0: there are no more */
};

struct sparse_case {
	const char *name;
	struct sparse_function function[40];
	uint32_t segment[2]; /* in pages; the second begins where the first ends */
	uint32_t pages;	     /* that the table has */
	uint32_t parts;	     /* of all segments */
};

struct sparse_image {
	struct bytes bytes;
	struct image_segment segment[2];
	struct image image;
};

static inline uint64_t sparse_pc(const struct sparse_function *function)
{
	return SPARSE_VADDR + function->page * SPARSE_PAGE + function->offset;
}

/* With the pointers that compilers write, so that table_build() needs no help. */
static inline void sparse_image_init(struct sparse_image *sparse, const struct sparse_case *c)
{
	uint64_t vaddr = SPARSE_VADDR;
	size_t cie;

	*sparse = (struct sparse_image) { .bytes = { .size = 0 } };
	cie = put_cie(&sparse->bytes, 0x1b, (struct literal)CFI(CFA_USUAL));
	for (const struct sparse_function *f = c->function; f->bytes; f++) {
		size_t start = begin_entry(&sparse->bytes);

		put_number(&sparse->bytes, sparse->bytes.size - cie, 4);
		put_number(&sparse->bytes, sparse_pc(f) - (TEST_SECTION_VADDR + sparse->bytes.size),
			   4);
		put_number(&sparse->bytes, f->bytes, 4);
		put(&sparse->bytes, CFI_SIZED(0, CFA_advance_loc(1), CFA_def_cfa_offset(16),
					      CFA_nop, CFA_nop, CFA_nop));
		end_entry(&sparse->bytes, start);
	}
	for (int i = 0; i < 2; i++) {
		uint64_t bytes = c->segment[i] * SPARSE_PAGE;

		sparse->segment[i] = (struct image_segment) { vaddr, bytes, 0, bytes, true };
		vaddr += bytes;
	}
	sparse->image = fake_image(&sparse->bytes);
	sparse->image.type = ET_DYN;
	sparse->image.segment = sparse->segment;
	sparse->image.segment_count = c->segment[1] ? 2 : 1;
}

/* clang-format off */
static const struct sparse_case sparse_cases[] = {
	{ "nothing", { { 0 } }, { 300 }, 0, 1 },
	{ "dense", { { 0, 0, 0x100 }, { 1, 0, 0x100 }, { 2, 0xf00, 0x100 } }, { 3 }, 3, 1 },
	{ "nothing_at_the_end", { { 0, 0, 0x100 } }, { 2 }, 1, 1 },
	/* Its last row, the end, is in the page behind the entry. */
	{ "ends_in_the_next_page", { { 0, 0xff0, 0x18 } }, { 200 }, 2, 1 },
	{ "ends_with_its_page", { { 0, 0xff0, 0x10 } }, { 200 }, 2, 1 },
	{ "ends_with_its_segment", { { 199, 0xf00, 0x100 } }, { 200 }, 1, 2 },
	{ "nothing_before", { { 100, 0x10, 0x100 } }, { 200 }, 1, 2 },
	{ "nothing_between", { { 0, 0, 0x10 }, { 100, 0x10, 0x10 } }, { 200 }, 2, 2 },
	{ "too_little_between", { { 0, 0, 0x10 }, { 64, 0, 0x10 } }, { 65 }, 65, 1 },
	{ "just_enough_between", { { 0, 0, 0x10 }, { 65, 0, 0x10 } }, { 66 }, 2, 2 },
	{ "a_long_function", { { 0, 0, 0x64000 }, { 100, 0, 0x10 } }, { 200 }, 101, 1 },
	{ "a_long_function_to_the_end", { { 2, 0, 0x64000 } }, { 102 }, 102, 1 },
	{ "two_segments",
	  { { 0, 8, 0x10 }, { 150, 8, 0x10 }, { 280, 8, 0x10 }, { 390, 8, 0x10 } },
	  { 200, 200 }, 4, 5 },
	{ "out_of_order", { { 300, 8, 0x10 }, { 100, 8, 0x10 }, { 200, 8, 0x10 } },
	  { 400 }, 3, 4 },
	/* 16 stretches: the shortest one remains. */
	{ "more_than_can_be_cut",
	  { { 0, 0, 16 },     { 100, 0, 16 },  { 200, 0, 16 },	{ 300, 0, 16 },	 { 400, 0, 16 },
	    { 500, 0, 16 },   { 600, 0, 16 },  { 700, 0, 16 },	{ 790, 0, 16 },	 { 900, 0, 16 },
	    { 1000, 0, 16 },  { 1100, 0, 16 }, { 1200, 0, 16 }, { 1300, 0, 16 }, { 1400, 0, 16 },
	    { 1500, 0, 16 },  { 1600, 0, 16 } },
	  { 1601 }, 17 + 89, 16 },
};
/* clang-format on */
#define SPARSE_CASES ((int)(sizeof(sparse_cases) / sizeof(sparse_cases[0])))

#endif
