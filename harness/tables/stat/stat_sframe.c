/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat_sframe.c - how large an image's SFrame is, and the compact table that is made of it
 */
#include "base/cli/json_members.h"
#include "sframe/sframe.h"
#include "image/sframes.h"
#include "stat.h"
#include "table/unwind_table.h"

static int count_row(void *context, const struct sframe_row *row)
{
	++*(uint64_t *)context;
	return 0;
}

/* The table's bytes; 0: it is another machine's, or there is no memory. */
static uint64_t made_bytes(const struct image *image, const struct sframe *sframe)
{
	struct table *table DEINIT(table_destroy_at) = NULL;
	struct error ignored;

	if (!sframe_is_amd64(sframe) || table_build_sframe(image, sframe, &table, &ignored))
		return 0;
	return table_bytes(table);
}

/* Of all images the sum is taken. */
void stat_sframe(const struct image *image, json_t *object)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	uint64_t rows = 0;
	struct error error;
	char version[8];

	if (sframe_create(image, &sframe, &error)) {
		if (error.code != ERROR_NO_SFRAME)
			JSON_SET(object, "sframe", JSON_NEW("images", 1, "unreadable", 1));
		return;
	}
	for (size_t i = 0; i < sframe->function_count; i++)
		sframe_rows(sframe, &sframe->function[i], count_row, &rows, &error);
	snprintf(version, sizeof(version), "%u", sframe->header[0].version);
	JSON_SET(object, "sframe",
		 JSON_NEW("images", 1, "versions", JSON_NEW(version, 1), "headers",
			  (uint64_t)sframe->header_count, "bytes", image_sframe_bytes(image),
			  "functions", (uint64_t)sframe->function_count, "rows", rows,
			  "table_bytes", made_bytes(image, sframe)));
}
