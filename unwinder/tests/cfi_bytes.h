/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_bytes.h - hand-made sections and images for tests
 *
 * Puts CIEs, FDEs and a minimal ELF file together byte by byte, so that a test says exactly what
 * is in front of the reader. Nothing here checks that the result makes sense: that is the point.
 */
#ifndef STACKPROOF_TESTS_CFI_BYTES_H
#define STACKPROOF_TESTS_CFI_BYTES_H

#include "suite.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi.h"
#include "image/image.h"

#define TEST_SECTION_VADDR 0x400000
#define TEST_PC		   0x1000
#define TEST_PC_RANGE	   0x100

/* A literal with its length; the terminating zero isn't part of it. */
struct literal {
	const char *data;
	size_t size;
};
#define BYTES(text) IN_BRACES((text), sizeof(text) - 1)

struct bytes {
	uint8_t data[16384];
	size_t size;
};

static inline void put(struct bytes *bytes, const void *data, size_t size)
{
	if (bytes->size + size > sizeof(bytes->data))
		abort();
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

static inline void put_number(struct bytes *bytes, uint64_t value, size_t size)
{
	put(bytes, &value, size);
}

static inline void put_literal(struct bytes *bytes, struct literal literal)
{
	put(bytes, literal.data, literal.size);
}

/* Begins an entry whose length end_entry fills in. */
static inline size_t begin_entry(struct bytes *bytes)
{
	size_t start = bytes->size;
	put_number(bytes, 0, 4);
	return start;
}

static inline void end_entry(struct bytes *bytes, size_t start)
{
	uint32_t length = (uint32_t)(bytes->size - start - 4);
	memcpy(bytes->data + start, &length, 4);
}

/* An .eh_frame CIE, version 1, "zR" with that encoding; code factor 1, data factor -8, ra 16. */
static inline size_t put_cie(struct bytes *bytes, uint8_t encoding, struct literal instructions)
{
	size_t start = begin_entry(bytes);
	put_number(bytes, 0, 4);
	put(bytes, "\1zR\0\1\x78\x10\1", 8);
	put_number(bytes, encoding, 1);
	put_literal(bytes, instructions);
	end_entry(bytes, start);
	return start;
}

/* Its FDE, with absolute 8-byte addresses. Returns where its instructions begin. */
static inline size_t put_fde(struct bytes *bytes, size_t cie, uint64_t pc, uint64_t range,
			     struct literal instructions)
{
	size_t start = begin_entry(bytes);
	put_number(bytes, bytes->size - cie, 4);
	put_number(bytes, pc, 8);
	put_number(bytes, range, 8);
	put_number(bytes, 0, 1);
	size_t ret = bytes->size;
	put_literal(bytes, instructions);
	end_entry(bytes, start);
	return ret;
}

/* An image that has nothing but this .eh_frame; no ELF file behind it. */
static inline struct image fake_image(const struct bytes *eh_frame)
{
	return (struct image) {
		.path = "fake",
		.machine = EM_X86_64,
		.eh_frame = { eh_frame->data, eh_frame->size, TEST_SECTION_VADDR, 0, ".eh_frame" },
	};
}

/* All of its CFI, which can be read. */
static inline struct cfi *cfi_of(const struct image *image)
{
	struct error error;
	struct cfi *cfi;

	ck_assert_msg(!cfi_create(image, &cfi, &error), "%s", error.message);
	return cfi;
}

#endif
