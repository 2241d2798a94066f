/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_world.h - a point of a thread that is made up
 *
 * Its image is one of diff_image.h's, its memory what that file has, and a few words of a stack
 * behind it.
 */
#ifndef STACKPROOF_TESTS_COMPARE_WORLD_H
#define STACKPROOF_TESTS_COMPARE_WORLD_H

#include <check.h>
#include "judge/compare/comparer.h"
#include "tables/diff/tests/diff_image.h"

#define BIAS  0x7f0000000000u
#define HIGH  0xfffffffffffff000u /* another bias: the image is the last page of all */
#define PAGE  0x1000u
#define STACK 0x7fff0000u
#define WORDS 64
#define NONE  UINT64_MAX

struct world {
	struct image_store *store;
	struct mapping mapping[2];
	struct address_space space;
	uint64_t stack[WORDS];
	uint8_t page[PAGE]; /* at the mapping's bias */
	uint64_t unreadable;
	size_t file_bytes;
	char path[4];
	struct shadow_frame frame[4];
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct register_values regs;
	struct memory_reader memory;
	struct point point;
};

static inline int read_world(void *context, uint64_t address, void *ret, size_t size)
{
	const struct world *w = context;
	uint64_t in_page = address - w->mapping[0].bias, in_stack = address - STACK;

	if (w->unreadable - address < size)
		return -1;
	if (in_page < PAGE && size <= PAGE - in_page)
		memcpy(ret, w->page + in_page, size);
	else if (in_stack < sizeof(w->stack) && size <= sizeof(w->stack) - in_stack)
		memcpy(ret, (const uint8_t *)w->stack + in_stack, size);
	else
		return -1;
	return 0;
}

/* Functions in the page that has bytes: A and B, and some whose callers hang on words in memory. */
#define CODE_A	     (BIAS + 0x300)
#define CODE_B	     (BIAS + 0x320)
#define CODE_BYTES   0x20
#define CFA_BY_WORD  (BIAS + 0x340)
#define RIP_BY_WORD  (BIAS + 0x360)
#define CFA_COMPUTED (BIAS + 0x380)
#define RIP_COMPUTED (BIAS + 0x3a0)
#define RIP_BY_BYTE  (BIAS + 0x3c0)
#define NO_CODE	     (BIAS + 0x3e0) /* that any FDE covers */

static inline void world_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, CODE_A - BIAS, CODE_BYTES, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, CODE_B - BIAS, CODE_BYTES, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, CFA_BY_WORD - BIAS, CODE_BYTES,
		       CFA_def_cfa_expression(DW_OP_breg7, 16, DW_OP_deref));
	DIFF_IMAGE_FDE(image, cie, RIP_BY_WORD - BIAS, CODE_BYTES,
		       CFA_expression(RIP, DW_OP_breg7, 0));
	DIFF_IMAGE_FDE(image, cie, CFA_COMPUTED - BIAS, CODE_BYTES,
		       CFA_def_cfa_expression(DW_OP_breg7, 8));
	DIFF_IMAGE_FDE(image, cie, RIP_COMPUTED - BIAS, CODE_BYTES,
		       CFA_val_expression(RIP, DW_OP_breg7, 8));
	DIFF_IMAGE_FDE(image, cie, RIP_BY_BYTE - BIAS, CODE_BYTES,
		       CFA_val_expression(RIP, DW_OP_breg7, 8, DW_OP_deref_size, 4));
}

/* fdes: what the image has. */
static inline void world_init(struct world *w, uint64_t bias, void (*fdes)(struct diff_image *))
{
	struct diff_image image;
	struct image_entry *entry;
	struct error error;

	*w = (struct world) { .path = "p", .unreadable = NONE, .memory = { read_world, w } };
	diff_image_of(&image, fdes);
	memcpy(w->page, image.bytes, image.size);
	w->file_bytes = image.size;
	w->store = image_store_create();
	entry = image_store_copy(w->store, image.bytes, image.size, "made up", &error);
	ck_assert_msg(entry != NULL, "%s", error.message);
	w->mapping[0] = (struct mapping) { bias, bias + 2 * PAGE, bias, 0, entry, w->path, 0 };
	w->mapping[1] =
		(struct mapping) { bias + 2 * PAGE, bias + 3 * PAGE, 0, 0, NULL, w->path, 0 };
	w->space.mapping = w->mapping;
	w->space.mapping_count = bias == HIGH ? 1 : 2;
	w->shadow.frame = w->frame;
	w->shadow.count = COUNT(w->frame);
	w->stop.shadow = &w->shadow;
	w->stop.regs.value[REGISTER_RSP] = STACK;
	w->regs.known = UINT32_MAX;
	w->regs.value[REGISTER_RSP] = STACK + 16;
	w->point = (struct point) {
		.stop = &w->stop, .space = &w->space, .regs = &w->regs, .memory = &w->memory
	};
}

static inline void world_deinit(struct world *w)
{
	image_store_destroy(w->store);
}

#endif
