/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_attach.c - an image that has rows for its functions without CFI
 *
 * They become a section of the image in memory, as if its file had one section .eh_frame more. So all that
 * read CFI of an image (the walk by rows, the compact table, BPF) have them, and none knows of it.
 */
#include "synthesis.h"
#include "synthesis_attach.h"

int synthesis_attach(void *context, struct image *image, struct error *error)
{
	struct synthesis_sums *sums = context;
	struct synthesis synthesis;
	struct cfi *cfi = NULL;
	bool others;
	uint64_t vaddr = synthesis_vaddr(image);
	uint8_t *bytes;
	size_t size;
	int result;

	if (cfi_create(image, &cfi, error) && error->code != ERROR_NO_CFI) {
		cfi_destroy(cfi);
		return error->code == ERROR_MEMORY ? -1
						   : 0; /* who reads the CFI says what is wrong */
	}
	result = synthesis_of(cfi, &synthesis, error);
	cfi_destroy(cfi);
	if (result) /* more code than is followed: there are no rows */
		return error->code == ERROR_MEMORY ? -1 : 0;
	for (size_t i = 0; i < synthesis.function_count; i++) {
		const struct synthesis_function *function = &synthesis.function[i];

		sums->functions += !function->replaced;
		sums->written += !function->replaced && function->row_count;
		sums->replaced += function->replaced && function->row_count;
	}
	if (synthesis.row_count) {
		sums->images++;
		result = synthesis_section(&synthesis, false, vaddr, NULL, &bytes, &size, error);
		if (!result)
			result = image_add_eh_frame(image, bytes, size, vaddr,
						    synthesis_has_loaded(&synthesis, &others),
						    error);
	}
	synthesis_deinit(&synthesis);
	return result;
}
