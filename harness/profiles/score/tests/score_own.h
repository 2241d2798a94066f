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
struct own {
	char path[4096];
	struct image *image;
	uint64_t function, pc, main; /* behind its first byte */
	uint64_t offset, main_offset;
	uint64_t bias;
};

static uint64_t own_offset(const struct own *own, uint64_t vaddr)
{
	for (size_t i = 0; i < own->image->segment_count; i++)
		if (vaddr - own->image->segment[i].vaddr < own->image->segment[i].file_bytes)
			return vaddr - own->image->segment[i].vaddr +
			       own->image->segment[i].file_offset;
	ck_abort();
}

static void own_init(struct own *own, struct truth_bytes *truth)
{
	struct error error;

	*own = (struct own) { .path = "" };
	ck_assert_int_gt(readlink("/proc/self/exe", own->path, sizeof(own->path) - 1), 0);
	ck_assert_int_eq(image_create(own->path, &own->image, &error), 0);
	own->function = image_symbol_address(own->image, "place_of_two");
	own->bias = (uintptr_t)place_of_two - own->function;
	own->pc = (uintptr_t)place_of_two() - own->bias;
	own->main = image_symbol_address(own->image, "main") + 1;
	own->offset = own_offset(own, own->pc);
	own->main_offset = own_offset(own, own->main);
	truth_image(truth, TRUTH_IMAGE_FILE, own->path, own->image->build_id,
		    own->image->build_id_size);
}

static void check_own(struct score_truth *truth, const char *name, const char *profile,
		      enum score_class class, enum score_reason reason)
{
	struct score score;

	score_bytes(&score, truth, profile, strlen(profile));
	ck_assert_msg(class_of(&score) == (int)class && reason_of(&score) == (int)reason,
		      "%s: %s %s", name, score_class_name(class_of(&score)),
		      score_reason_name(reason_of(&score)));
	score_deinit(&score);
}

#endif
