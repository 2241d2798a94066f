/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz.h - what the fuzz targets share
 *
 * A target takes bytes that nobody vouches for and holds the reader to what its header promises:
 * not only that nothing crashes, hangs or leaks, but that rows are where their FDE is, that a table
 * says what the rows say, that an error has a code and a place. A broken promise aborts with one
 * line, so that libFuzzer keeps the input.
 *
 * Each target is a function fuzz_NAME() in fuzz_NAME.c. entry.c gives it libFuzzer's name; the unit
 * test test_fuzz_regressions.c calls all of them on the inputs that are kept in seeds/ and found/.
 */
#ifndef STACKPROOF_FUZZ_H
#define STACKPROOF_FUZZ_H

#include <stdio.h>
#include "cfi/cfi.h"
#include "image/elf_image.h"

/* The targets. They return 0; what is wrong aborts. */
int fuzz_image(const uint8_t *data, size_t size);
int fuzz_section(const uint8_t *data, size_t size);
int fuzz_program(const uint8_t *data, size_t size);
int fuzz_expression(const uint8_t *data, size_t size);
int fuzz_text(const uint8_t *data, size_t size);
int fuzz_perf_map(const uint8_t *data, size_t size);
int fuzz_jit_dump(const uint8_t *data, size_t size);
int fuzz_recording(const uint8_t *data, size_t size);
int fuzz_profile(const uint8_t *data, size_t size);
int fuzz_object(const uint8_t *data, size_t size);
int fuzz_archive(const uint8_t *data, size_t size);
int fuzz_lint(const uint8_t *data, size_t size);
int fuzz_baseline(const uint8_t *data, size_t size);
int fuzz_executed(const uint8_t *data, size_t size);
int fuzz_sframe(const uint8_t *data, size_t size);

/* Aborts with a line that says what was broken. */
void fuzz_failed(const char *function, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
#define fuzz_require(condition, ...)                                                               \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_failed(__func__, __VA_ARGS__);                                        \
	} while (0)

/* A number that depends on every bit of value, the same each time. */
uint64_t fuzz_mix(uint64_t value);
/* Memory for expressions and walks: what is at an address hangs on it; one page in eight isn't
 * there. context: struct fuzz_memory, or NULL. */
int fuzz_memory_read(void *context, uint64_t address, void *ret, size_t size);
struct fuzz_memory {
	uint64_t code; /* half of all words are addresses from here ... */
	uint64_t code_bytes;
	bool later; /* one word in four is another one now */
};

/* An error that was returned has a code, a sentence, and a place inside the section (or, with no
 * section, or one whose bytes could not be had, inside limit bytes). */
void fuzz_check_error(const struct error *error, const struct image_section *section,
		      uint64_t limit);
/* Everything that reads cfi, and what it promises of it. */
void fuzz_check_cfi(const struct cfi *cfi);
/* The tables of image against the rows of cfi, which is what image's table is made from. NULL:
 * there is none, or it can't be read. */
void fuzz_check_table(const struct image *image, const struct cfi *cfi);

/* A table's text: what can be read is written again as the same bytes. ours: it was written
 * here, so it must be readable. */
void fuzz_check_text(const char *text, size_t size, bool ours);

/* ---- an image around a section ---------------------------------------------------------- */

#define FUZZ_CODE_VADDR	   0x18000 /* 8 pages of code, then the section: as linkers have it */
#define FUZZ_CODE_BYTES	   0x8000
#define FUZZ_SECTION_VADDR (FUZZ_CODE_VADDR + FUZZ_CODE_BYTES)

struct fuzz_image {
	struct image image;
	struct image_file file;
	struct image_segment segment[2];
	uint8_t *debug_frame;
};

/* Puts an image around size bytes: the first eh_frame_bytes are .eh_frame, the others
 * .debug_frame; of no bytes there is no such section. (Copied apart, so that not one byte behind
 * them may be read.) */
void fuzz_image_init(struct fuzz_image *ret, const uint8_t *sections, size_t size,
		     size_t eh_frame_bytes);
void fuzz_image_deinit(struct fuzz_image *fuzz);

#endif
