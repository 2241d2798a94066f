/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_section.c - bytes as .eh_frame, .debug_frame or both
 *
 * The first byte says which: 0 .eh_frame, 1 .debug_frame, 2 both, and two bytes more how long
 * .eh_frame is. The rest is the sections of an image with 8 pages of code before it. Entries, rows,
 * errors, text and table are then held to their promises.
 */
#include <stdlib.h>
#include "fuzz.h"

int fuzz_section(const uint8_t *data, size_t size)
{
	struct fuzz_image fuzz;
	struct error error = { 0 };
	struct cfi *cfi = NULL;

	if (!size || (data[0] & 2 && size < 3))
		return 0;
	size_t head = data[0] & 2 ? 3 : 1;
	size_t eh_frame_bytes = data[0] & 1 ? 0 : size - head;

	if (data[0] & 2)
		eh_frame_bytes = (data[1] | data[2] << 8) % (size - head + 1);
	fuzz_image_init(&fuzz, data + head, size - head, eh_frame_bytes);
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
