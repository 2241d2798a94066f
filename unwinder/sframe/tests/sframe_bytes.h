/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_bytes.h - hand-made sections .sframe, of each version and byte order
 *
 *	struct made made = { .version = 3 };
 *	made_function(&made, 0x1000, 0x20, 0, 0, 0, 2);
 *	made_row(&made, 1, 0, ROW(BY_SP, 1, 1), 8);
 *	made_row(&made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
 *	made_finish(&made, &bytes);
 *
 * A function's rows follow it. Nothing here checks that the result makes sense: that is the point.
 */
#ifndef STACKPROOF_TESTS_SFRAME_BYTES_H
#define STACKPROOF_TESTS_SFRAME_BYTES_H

#include <stdarg.h>
#include "tests/cfi_bytes.h"
#include "sframe/sframe.h"

#define SFRAME_VADDR 0x8000

#define BY_FP 0u
#define BY_SP 1u
/* An info byte: words of 1, 2 or 4 bytes, and how many. */
#define ROW(base, bytes, count) ((base) | (count) << 1 | ((bytes) == 4 ? 2u : (bytes)-1u) << 5)
#define RA_SIGNED		0x80u

#define ADDR1	 0x00u
#define ADDR2	 0x01u
#define ADDR4	 0x02u
#define PCMASK	 0x10u
#define KEY_B	 0x20u
#define SIGNAL_P 0x80u
#define FLEX	 0x01u
/* A flexible row's control word. */
#define CONTROL(reg, deref) ((reg) << 3 | (deref) << 1 | 1u)
#define DEREF		    1u

struct made {
	unsigned int version;
	uint8_t flags, machine, auxiliary; /* machine 0: AMD64 */
	int8_t fixed_fp, fixed_ra;	   /* fixed_ra 0: -8 on AMD64 */
	bool big;
	uint32_t functions, row_count;
	struct bytes index, rows;
};

static inline void put_made(struct bytes *bytes, bool big, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_number(bytes, value >> 8 * (big ? size - 1 - i : i) & 0xff, 1);
}

/* Where entry number `number` of the index is in the section. */
static inline uint32_t made_entry(const struct made *made, uint32_t number)
{
	return SFRAME_HEADER_BYTES + made->auxiliary + number * sframe_index_bytes(made->version);
}

/* pc counts from the section's begin, or with SFRAME_START_PCREL from the entry. */
static inline void made_function(struct made *made, uint64_t pc, uint32_t size, uint8_t info,
				 uint8_t info2, uint8_t repeat, uint32_t rows)
{
	uint64_t from = SFRAME_VADDR +
			(made->flags & SFRAME_START_PCREL ? made_entry(made, made->functions) : 0);

	put_made(&made->index, made->big, pc - from, made->version == 3 ? 8 : 4);
	put_made(&made->index, made->big, size, 4);
	put_made(&made->index, made->big, made->rows.size, 4);
	if (made->version == 3) {
		put_made(&made->rows, made->big, rows, 2);
		put_made(&made->rows, made->big, info, 1);
		put_made(&made->rows, made->big, info2, 1);
		put_made(&made->rows, made->big, repeat, 1);
	} else {
		put_made(&made->index, made->big, rows, 4);
		put_made(&made->index, made->big, info, 1);
	}
	if (made->version == 2)
		put_made(&made->index, made->big, repeat, 3);
	made->functions++;
	made->row_count += rows;
}

/* A row; its words follow, as many as info says, each an int. */
static inline void made_row(struct made *made, size_t start_bytes, uint32_t start,
			    unsigned int info, ...)
{
	va_list words;

	put_made(&made->rows, made->big, start, start_bytes);
	put_made(&made->rows, made->big, info, 1);
	va_start(words, info);
	for (unsigned int i = 0; i < (info >> 1 & 15); i++)
		put_made(&made->rows, made->big, (uint64_t)(int64_t)va_arg(words, int),
			 1u << (info >> 5 & 3));
	va_end(words);
}

/* Appends the section. */
static inline void made_finish(const struct made *made, struct bytes *ret)
{
	uint8_t machine = made->machine ? made->machine : SFRAME_AMD64;
	int8_t ra = made->fixed_ra || machine != SFRAME_AMD64 ? made->fixed_ra : -8;

	put_made(ret, made->big, SFRAME_MAGIC, 2);
	put_made(ret, made->big, made->version, 1);
	put_made(ret, made->big, made->flags, 1);
	put_made(ret, made->big, machine, 1);
	put_made(ret, made->big, (uint8_t)made->fixed_fp, 1);
	put_made(ret, made->big, (uint8_t)ra, 1);
	put_made(ret, made->big, made->auxiliary, 1);
	put_made(ret, made->big, made->functions, 4);
	put_made(ret, made->big, made->row_count, 4);
	put_made(ret, made->big, made->rows.size, 4);
	put_made(ret, made->big, 0, 4);
	put_made(ret, made->big, made->index.size, 4);
	for (unsigned int i = 0; i < made->auxiliary; i++)
		put_made(ret, made->big, 0xaa, 1);
	put(ret, made->index.data, made->index.size);
	put(ret, made->rows.data, made->rows.size);
}

static inline struct image_section made_section(const struct bytes *bytes)
{
	return (struct image_section) { bytes->data, bytes->size, SFRAME_VADDR, 0, ".sframe" };
}

/*
 * One of each: f0 at 0x1000, 3 rows of ADDR1; f1 at 0x1100, 2 rows of ADDR2; f2 at 0x1400, a PLT of 3 entries; and in
 * version 3 f3 at 0x1500, flexible and a signal frame; f4 at 0x1600, outermost.
 */
static inline void made_usual(struct made *made)
{
	made_function(made, 0x1000, 0x20, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), 16, -16);
	made_row(made, 1, 4, ROW(BY_FP, 1, 2), 16, -16);
	made_function(made, 0x1100, 0x200, ADDR2, 0, 0, 2);
	made_row(made, 2, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 2, 0x150, ROW(BY_SP, 2, 1), 0x1000);
	made_function(made, 0x1400, 0x30, ADDR1 | PCMASK, 0, made->version == 1 ? 0 : 16, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 11, ROW(BY_SP, 1, 1), 16);
	if (made->version < 3)
		return;
	made_function(made, 0x1500, 0x10, ADDR1 | SIGNAL_P, FLEX, 0, 2);
	made_row(made, 1, 0, ROW(BY_SP, 1, 2), (int)CONTROL(10, 0), 0);
	made_row(made, 1, 8, ROW(BY_SP, 1, 5), (int)CONTROL(6, DEREF), -8, 0,
		 (int)CONTROL(6, DEREF), 0);
	made_function(made, 0x1600, 0x10, ADDR1, 0, 0, 0);
}

/* Reads what is there, as a linked image's section. NULL: error says why. */
static inline struct sframe *read_made(const struct image_section *section, struct error *error)
{
	struct sframe_input input = { .section = section, .bounded = true };
	struct sframe *sframe;

	return sframe_create_sections(&input, 1, &sframe, error) ? NULL : sframe;
}

#endif
