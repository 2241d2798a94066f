/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_code_map.c - an image's executable bytes, counted one behind the other
 *
 * Segments that lie within a page of each other are one stretch: an object file, laid out in memory, has many.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "flow_code_map.h"

#define NEAR 4096 /* bytes */

static int compare_stretches(const void *left, const void *right)
{
	const struct flow_code_stretch *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Those that are near are joined; the others' places are found. */
static void settle(struct flow_code_map *map)
{
	struct flow_code_stretch *stretch = map->stretch;
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		uint64_t end = kept ? stretch[kept - 1].begin + stretch[kept - 1].size : 0;

		if (!kept || (stretch[i].begin > end && stretch[i].begin - end > NEAR))
			stretch[kept++] = stretch[i];
		else if (stretch[i].begin + stretch[i].size > end)
			stretch[kept - 1].size = stretch[i].begin + stretch[i].size -
						 stretch[kept - 1].begin;
	}
	map->count = kept;
	for (size_t i = 0; i < kept; i++) {
		stretch[i].before = map->size;
		map->size += (size_t)stretch[i].size;
	}
}

int flow_code_map_init(struct flow_code_map *map, const struct image *image, struct error *error)
{
	*map = (struct flow_code_map) { NULL };
	map->stretch = calloc(image->segment_count + 1, sizeof(*map->stretch));
	if (!map->stretch)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's code");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		if (!segment->executable || !segment->file_bytes)
			continue;
		if (segment->file_bytes > FLOW_IMAGE_BYTES_MAX)
			return error_set(error, ERROR_TABLE_LIMIT, NULL, 0,
					 "%" PRIu64 " executable bytes at %#" PRIx64,
					 segment->file_bytes, segment->vaddr);
		map->stretch[map->count++] = (struct flow_code_stretch) {
			.begin = segment->vaddr, .size = segment->file_bytes
		};
	}
	qsort(map->stretch, map->count, sizeof(*map->stretch), compare_stretches);
	settle(map);
	if (map->size > FLOW_IMAGE_BYTES_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, NULL, 0, "%zu executable bytes",
				 map->size);
	return 0;
}

void flow_code_map_deinit(struct flow_code_map *map)
{
	free(map->stretch);
	map->stretch = NULL;
	map->count = map->size = 0;
}

size_t flow_code_map_search(const struct flow_code_map *map, uint64_t pc)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->stretch[middle].begin > pc)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low || pc - map->stretch[low - 1].begin >= map->stretch[low - 1].size)
		return FLOW_CODE_NONE;
	return map->stretch[low - 1].before + (size_t)(pc - map->stretch[low - 1].begin);
}
