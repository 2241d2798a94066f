/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_sections.h - what tests of `table` over files of several sections have between them
 *
 * The sections that most of the files are made of (section_image.h), the folder that each case runs in, and
 * all that a format makes of the file "image" there.
 */
#ifndef STACKPROOF_TESTS_TABLE_SECTIONS_H
#define STACKPROOF_TESTS_TABLE_SECTIONS_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "tables/table/table.h"
#include "tables/table/tests/section_image.h"

static const uint8_t plain[] = { CIE_USUAL };

static inline void eh_frame(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static inline void debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
}

static inline void nothing(struct diff_image *image)
{
}

/* All that a format makes of the file "image". */
static inline char *formatted(table_format_fn write, struct table_filter *filter, int result,
			      size_t diagnostics, const char *name)
{
	struct error_list list = { 0 };
	struct image *image;
	struct error error;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_msg(!image_create("image", &image, &error), "%s: %s", name, error.message);
	ck_assert_msg(write(file, image, filter, &list, &error) == result, "%s: %s", name,
		      error.message);
	fclose(file);
	ck_assert_msg(list.count + list.dropped == diagnostics, "%s: %zu diagnostics, the first %s",
		      name, list.count, list.count ? list.error[0].message : "");
	error_list_deinit(&list);
	image_destroy(image);
	return text;
}

#endif
