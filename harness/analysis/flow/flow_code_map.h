/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_code_map.h - an image's executable bytes, counted one behind the other
 *
 * What is kept of each byte of code lies in one array. Executable segments may be gigabytes apart (the large code
 * model, a linker's script): what lies between them is not counted.
 */
#ifndef STACKPROOF_FLOW_CODE_MAP_H
#define STACKPROOF_FLOW_CODE_MAP_H

#include <stddef.h>
#include <stdint.h>
#include "image/image.h"

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

#endif
