/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_image.h - what the image says of all of its functions; asked once per image
 */
#ifndef STACKPROOF_FLOW_IMAGE_H
#define STACKPROOF_FLOW_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include "analysis/code/code.h"
#include "image/image.h"

struct cfi;
struct flow_world;
struct object;

/* ---- the owner of all that is known of an image ---- */

/* Sets what follows paths in the image. Borrows cfi, error, and object: that its image is the layout of, or NULL. 0, or -1:
 * no memory, or more code than FLOW_IMAGE_BYTES_MAX. flow_world_deinit() in both cases. */
int flow_world_init(struct flow_world *world, const struct cfi *cfi, const struct object *object,
		    struct error *error);
/* Goes on with other CFI of the same image: what was known of callees is forgotten. False: no memory, and nothing can be
 * followed. */
bool flow_world_take(struct flow_world *world, const struct cfi *cfi);
void flow_world_deinit(struct flow_world *world);
#define FLOW_LEARNED_ROUNDS_MAX                                                                    \
	8 /* times that all functions are followed again, since more was learned */
/* What flow_learn() was told becomes known. True if some function that the image's code calls, as far as bytes say, was
 * seen to preserve less than was known: then all functions are to be followed again. */
bool flow_world_learn(struct flow_world *world);
/* Sets pops and lowers, by the image's return instructions and jumps by a register. If its functions have rows (not
 * never_by_code), first, languages and unkept, too. */
void flow_world_note(struct flow_world *world);

/* ---- executable bytes, numbered ---- */

/* What is kept of each byte of code lies in one array. Executable segments may be gigabytes apart (the large code
 * model, a linker's script): a gap of a page or more between them is not counted. */

#define FLOW_IMAGE_BYTES_MAX 2147483647u /* executable bytes of an image */

/* Stretches do not overlap or touch. */
struct flow_code_stretch {
	uint64_t begin, size;
	size_t before; /* bytes of all stretches before it */
};

struct flow_code_map {
	struct flow_code_stretch *stretch; /* by address */
	size_t count;
	size_t size; /* bytes of all stretches */
};

#define FLOW_CODE_NONE SIZE_MAX

/* 0, or -1: no memory, or more than FLOW_IMAGE_BYTES_MAX. flow_code_map_deinit() in both cases. */
int flow_code_map_init(struct flow_code_map *map, const struct image *image, struct error *error);
void flow_code_map_deinit(struct flow_code_map *map);
/* flow_code_map_at(), slower. */
size_t flow_code_map_search(const struct flow_code_map *map, uint64_t pc);

/* The number of the byte at pc, or FLOW_CODE_NONE. Mostly there is one stretch. */
static inline size_t flow_code_map_at(const struct flow_code_map *map, uint64_t pc)
{
	if (map->count && pc - map->stretch[0].begin < map->stretch[0].size)
		return (size_t)(pc - map->stretch[0].begin);
	return map->count < 2 ? FLOW_CODE_NONE : flow_code_map_search(map, pc);
}

/* ---- addresses of code that are taken ---- */

/* No call is seen of a function that is only called by pointers. But its address is somewhere: in a word that the
 * loader relocates, in .init_array, in a number that an instruction makes. So are addresses of labels, for computed
 * jumps. The caller must tell them apart: a label has the frame of the function around it, and no path from it returns
 * as from a function. */

#define FLOW_FUNCTION_ALIGNMENT 16 /* of gcc and clang, unless they save bytes */

typedef void (*flow_address_fn)(void *context, uint64_t pc);

/* Tells each address in an executable segment that a word of the image holds when it runs, in no order, perhaps
 * repeatedly. The words are those of relocations without a symbol (DT_RELA, DT_RELR), and in an ET_EXEC image all
 * aligned words. */
void flow_address_taken_words(const struct flow_world *world, flow_address_fn fn, void *context);
/* The address of code that the instruction makes; 0: none. */
uint64_t flow_address_taken_by(const struct image *image, const struct code *code);
/* A function may begin at pc: endbr64 is there; or pc is aligned, is no padding, and lies behind padding or what ends
 * code (a return, a jump, a call that may never come back). */
bool flow_function_may_begin(const struct image *image, struct code_decoder *decoder, uint64_t pc);

#endif
