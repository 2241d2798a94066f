/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_own.h - a test's own program as a truth's image, whose symbols and DWARF are asked for
 */
#ifndef STACKPROOF_TESTS_SCORE_OWN_H
#define STACKPROOF_TESTS_SCORE_OWN_H

#include <check.h>
#include "score_fixture.h"

/* The address of an instruction of its own, in whichever function it is inlined. */
static inline __attribute__((always_inline)) void *inlined_place(void)
{
	void *ret;

	asm volatile("1: lea 1b(%%rip), %0" : "=r"(ret));
	return ret;
}

__attribute__((noinline)) static void *place_of_two(void)
{
	void *ret;

	asm volatile("nop");
	ret = inlined_place();
	asm volatile("" : "+r"(ret));
	return ret;
}

__attribute__((used, alias("place_of_two"))) static void *also_of_two(void);

/* This program, and where place_of_two() stands. */
static struct own {
	char path[4096];
	struct image *image;
	uint64_t function, pc, main; /* behind its first byte */
	uint64_t offset, main_offset;
	uint64_t bias;
} own;

static inline uint64_t own_offset(uint64_t vaddr)
{
	for (size_t i = 0; i < own.image->segment_count; i++)
		if (vaddr - own.image->segment[i].vaddr < own.image->segment[i].file_bytes)
			return vaddr - own.image->segment[i].vaddr +
			       own.image->segment[i].file_offset;
	ck_abort();
}

/* With own_end() a suite's fixture. */
static inline void own_begin(void)
{
	struct error error;

	own = (struct own) { .path = "" };
	ck_assert_int_gt(readlink("/proc/self/exe", own.path, sizeof(own.path) - 1), 0);
	ck_assert_int_eq(image_create(own.path, &own.image, &error), 0);
	own.function = image_symbol_address(own.image, "place_of_two");
	own.bias = (uintptr_t)place_of_two - own.function;
	own.pc = (uintptr_t)place_of_two() - own.bias;
	own.main = image_symbol_address(own.image, "main") + 1;
	own.offset = own_offset(own.pc);
	own.main_offset = own_offset(own.main);
}

static inline void own_end(void)
{
	truth_end();
	image_destroy(own.image);
}

/* The truth's next image is this program. */
static inline void own_image(void)
{
	truth_image(&written, TRUTH_IMAGE_FILE, own.path, own.image->build_id,
		    own.image->build_id_size);
}

/* Stacks as lines, with words for addresses in image 0: "pc" in place_of_two(), "main" behind main's first byte, and
 * "f+4" by a symbol; or as truth_stacks() has them. */
static inline void own_stacks(const char *lines)
{
	char text[512] = "", word[64];

	for (int size; sscanf(lines, "%63[^ \n]%n", word, &size) == 1;
	     lines += size + (lines[size] != '\0')) {
		const char *plus = strchrnul(word, '+');
		uint64_t address = *plus ? strtoul(plus + 1, NULL, 10) : 0;

		word[plus - word] = '\0';
		if (!word[1] || strchr(word, ':')) { /* what the stack is; or as it is */
			sprintf(text + strlen(text), "%s%c", word, lines[size]);
			continue;
		}
		address += !strcmp(word, "pc")	   ? own.pc
			   : !strcmp(word, "main") ? own.main
						   : image_symbol_address(own.image, word);
		sprintf(text + strlen(text), "0:%" PRIx64 "%c", address, lines[size]);
	}
	truth_stacks(text);
}

/* This program as image 0, and its stacks. */
static inline void open_own(const char *stacks)
{
	own_image();
	own_stacks(stacks);
	open_truth();
}

#endif
