/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_section.c - bytes as .eh_frame or .debug_frame
 *
 * The first byte's lowest bit says which, the rest is the section of an image with 8 pages of code
 * before it. Entries, rows, errors, text and table are then held to their promises.
 */
#include <stdlib.h>
#include "fuzz.h"

int fuzz_section(const uint8_t *data, size_t size)
{
	struct fuzz_image fuzz;
	struct error error = { 0 };
	struct cfi *cfi = NULL;

	if (!size)
		return 0;
	fuzz_image_init(&fuzz, data + 1, size - 1, data[0] & 1);
	if (cfi_create(&fuzz.image, &cfi, &error)) {
		fuzz_check_error(&error, NULL, size);
	} else {
		fuzz_check_cfi(cfi);
	}
	fuzz_check_table(&fuzz.image, cfi);
	cfi_destroy(cfi);
	fuzz_image_deinit(&fuzz);
	return 0;
}
