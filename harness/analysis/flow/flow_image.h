/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_image.h - what the image says of all of its functions, once
 */
#ifndef STACKPROOF_FLOW_IMAGE_H
#define STACKPROOF_FLOW_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include "analysis/code/code.h"
#include "flow.h"
#include "image/image.h"

/* ---- executable bytes, counted one behind the other ---- */

/* What is kept of each byte of code lies in one array. Executable segments may be gigabytes apart (the large code
 * model, a linker's script): what lies between them is not counted. */

#define FLOW_IMAGE_BYTES_MAX 2147483647u /* executable bytes of an image */

/* No two overlap or touch. */
struct flow_code_stretch {
	uint64_t begin, size;
	size_t before; /* bytes of those before it */
};

struct flow_code_map {
	struct flow_code_stretch *stretch; /* in the order of addresses */
	size_t count;
	size_t size; /* of all */
};

#define FLOW_CODE_NONE SIZE_MAX

/* 0, or -1: no memory, or more bytes than are read here. flow_code_map_deinit() in both cases. */
int flow_code_map_init(struct flow_code_map *map, const struct image *image, struct error *error);
void flow_code_map_deinit(struct flow_code_map *map);
/* Where a byte is that is in none but perhaps the first of the stretches. */
size_t flow_code_map_search(const struct flow_code_map *map, uint64_t pc);

/* The number of the byte at pc, or FLOW_CODE_NONE. Mostly there is one stretch. */
static inline size_t flow_code_map_at(const struct flow_code_map *map, uint64_t pc)
{
	if (map->count && pc - map->stretch[0].begin < map->stretch[0].size)
		return (size_t)(pc - map->stretch[0].begin);
	return map->count < 2 ? FLOW_CODE_NONE : flow_code_map_search(map, pc);
}

/* ---- addresses of code that something keeps, to call it one day ---- */

/* A function that is only called by pointers is called by nothing that can be seen. But its address is
 * somewhere: in a word that the loader relocates, in .init_array, in a number that an instruction makes.
 * So are addresses of labels, for computed jumps. Who asks must tell them apart: a label's frame is the
 * one of the function around it, and from a label no path returns as from a function. */

#define FLOW_FUNCTION_ALIGNMENT 16 /* of gcc and clang, unless they are to save bytes */

typedef void (*flow_address_fn)(void *context, uint64_t pc);

/* Tells each address in an executable segment that a word of the image holds when it runs, in no order,
 * more than once: of a relocation without a symbol (DT_RELA, DT_RELR); where the image is not
 * relocated, of each aligned word that looks like one. */
void flow_address_taken_words(const struct image *image, flow_address_fn fn, void *context);
/* The address that the instruction makes, or 0. */
uint64_t flow_address_taken_by(const struct image *image, const struct code *code);
/* A function may begin there: with an endbr64; or where compilers align functions to, not with padding,
 * and behind padding or what ends code (a return, a jump, a call that may never come back). */
bool flow_function_may_begin(const struct image *image, struct code_decoder *decoder, uint64_t pc);

/* ---- where a process begins, languages, callee-pop ---- */

/* Where a process begins, which languages' functions the image has, and whether some pop their arguments. */
void flow_world_note(struct flow_world *world);
/* Whether some code of the image takes arguments off the stack, or makes room on it for its caller, as far as its
 * returns say. */
void flow_world_note_popping(struct flow_world *world);

#endif
