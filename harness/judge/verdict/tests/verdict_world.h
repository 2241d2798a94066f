/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * verdict_world.h - a point in a file that is made here
 *
 * The file is said to be mapped, so what the CFI says is known byte for byte. The stack is a few
 * words, and two frames are open. verdict.c is included.
 */
#ifndef STACKPROOF_TESTS_VERDICT_WORLD_H
#define STACKPROOF_TESTS_VERDICT_WORLD_H

#include <check.h>
#include <stdlib.h>
#include <unistd.h>
#include "tables/diff/tests/diff_image.h"
#include "judge/verdict/verdict.h"

static void asked_referee(struct referee *referee, const struct address_space *space,
			  const struct register_values *regs, uint64_t lookup_pc,
			  const struct memory_reader *memory, struct referee_step *ret);
#define referee_step(...) asked_referee(__VA_ARGS__)
#include "judge/verdict/verdict.c"
#undef referee_step

#define SEGMENT_BYTES 0x2000
#define SP	      0x7000
#define WORDS	      3

#define ORDINARY   0x1000 /* and the same rules to 0x1020 */
#define LARGER	   0x1020 /* the CFA is higher */
#define CFA_BEYOND 0x1030 /* hangs on a vector register */
#define RA_BEYOND  0x1040
#define OVERLAPPED 0x1060 /* to 0x1070, by what begins before */
#define SIGNAL	   0x1080 /* a signal's frame: its caller goes on where it was interrupted */
#define MALFORMED  0x1090
#define BY_RBX	   0x10b0
#define UNCOVERED  0x1100
#define ANONYMOUS  0x2100 /* in no file */

static inline void make_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	static const uint8_t signal[] = { 0, 0, 0,    0,  1, 'z', 'R',	    'S',
					  0, 1, 0x78, 16, 1, 0,	  CFA_USUAL };
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));

	DIFF_IMAGE_FDE(image, cie, ORDINARY, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, ORDINARY + 0x10, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, signal_cie, SIGNAL, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, LARGER, 0x10, CFA_def_cfa_offset(16));
	DIFF_IMAGE_FDE(image, cie, CFA_BEYOND, 0x10, CFA_def_cfa_expression(DW_OP_bregx, 17, 8));
	DIFF_IMAGE_FDE(image, cie, RA_BEYOND, 0x10, CFA_register(RIP, 17));
	DIFF_IMAGE_FDE(image, cie, MALFORMED, 0x10, 0x3c);
	DIFF_IMAGE_FDE(image, cie, BY_RBX, 0x10, CFA_def_cfa_register(RBX),
		       CFA_expression(RIP, DW_OP_breg12, 0));
}

static inline void make_overlapping_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, OVERLAPPED - 0x10, 0x20, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, OVERLAPPED, 0x20, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, ORDINARY, 0, CFA_nop);
}

static inline int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const uint64_t *words = context;

	if (address < SP || address >= SP + 8 * WORDS || size != 8)
		return -1;
	memcpy(ret, &words[(address - SP) / 8], size);
	return 0;
}

static struct world {
	uint64_t base; /* of the mapping */
	char path[40];
	struct image_store *store;
	struct mapping mapping[2]; /* the file, and one of no file behind it */
	struct address_space space;
	struct shadow_frame frame[3];
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct register_values regs;
	uint64_t words[WORDS];
	struct memory_reader memory;
	struct point point;
	struct evidence evidence;
	struct referee *referee;
	const struct referee_step *step; /* what it says; NULL: what it reads */
} world;

static void asked_referee(struct referee *referee, const struct address_space *space,
			  const struct register_values *regs, uint64_t lookup_pc,
			  const struct memory_reader *memory, struct referee_step *ret)
{
	if (world.step)
		*ret = *world.step;
	else
		referee_step(referee, space, regs, lookup_pc, memory, ret);
}

static inline void setup(void (*fdes)(struct diff_image *))
{
	struct diff_image image;
	struct error error;
	int file;

	memset(&world, 0, sizeof(world));
	diff_image_of(&image, fdes);
	((Elf64_Phdr *)(image.bytes + sizeof(Elf64_Ehdr)))->p_filesz = SEGMENT_BYTES;
	strcpy(world.path, "/tmp/test_verdict_parts.XXXXXX");
	file = mkstemp(world.path);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, image.size), (ssize_t)image.size);
	ck_assert_int_eq(ftruncate(file, SEGMENT_BYTES), 0);
	close(file);
	world.base = 0x7000000000;
	world.store = image_store_create();
	world.mapping[0].entry = image_store_open(world.store, world.path, &error);
	ck_assert_msg(world.mapping[0].entry != NULL, "%s", error.message);
	world.mapping[0].path = world.path;
	world.mapping[0].start = world.mapping[0].bias = world.base;
	world.mapping[0].end = world.mapping[1].start = world.base + SEGMENT_BYTES;
	world.mapping[1].end = world.base + 2 * SEGMENT_BYTES;
	world.mapping[1].path = "";
	world.space = (struct address_space) { .pid = getpid(),
					       .mapping = world.mapping,
					       .mapping_count = 2 };
	world.shadow = (struct shadow_stack) { .frame = world.frame, .count = 2, .rooted = true };
	world.stop = (struct trace_stop) { .shadow = &world.shadow };
	world.memory = (struct memory_reader) { read_words, world.words };
	world.regs.known = (1u << REGISTER_COUNT) - 1;
	world.regs.value[REGISTER_RSP] = SP;
	world.point = (struct point) { .stop = &world.stop,
				       .space = &world.space,
				       .regs = &world.regs,
				       .memory = &world.memory };
	world.evidence.point = &world.point;
	world.referee = referee_create();
}

static inline void teardown(void)
{
	referee_destroy(world.referee);
	image_store_destroy(world.store);
	unlink(world.path);
}

#endif
