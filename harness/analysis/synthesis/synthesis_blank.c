/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_blank.c - FDEs that say nothing, for functions that have none
 *
 * lint follows FDEs. So functions without CFI get one each, of a CIE without instructions: its one row
 * has no rule for the CFA, and nothing that is found can differ from it.
 */
#include <stdlib.h>
#include <string.h>
#include "cfi/cfi_section.h"
#include "image/pointer.h"
#include "synthesis.h"

/* Those that are not replaced. Returns how many. */
static size_t keep_fdes(struct cfi *copy, const struct cfi *cfi,
			const struct synthesis_ranges *ranges)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->range[i].replaces)
			copy->fde[ranges->range[i].replaces - cfi->fde].pc_range = 1;
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (!copy->fde[i].pc_range)
			copy->fde[kept++] = cfi->fde[i];
	return kept;
}

int synthesis_blank_init(struct synthesis_blank *blank, const struct cfi *cfi,
			 const struct synthesis_ranges *ranges, struct error *error)
{
	static const uint8_t nothing[1];
	static const struct image_section section = { .data = nothing, .name = ".eh_frame" };
	struct cfi *copy = &blank->cfi;

	memset(blank, 0, sizeof(*blank));
	*copy = (struct cfi) { .image = cfi->image, .section = &section, .is_eh_frame = true };
	copy->cie = calloc(cfi->cie_count + 1, sizeof(*copy->cie));
	copy->fde = calloc(cfi->fde_count + ranges->count + 1, sizeof(*copy->fde));
	if (!copy->cie || !copy->fde) {
		synthesis_blank_deinit(blank);
		return error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
	}
	if (cfi->cie_count)
		memcpy(copy->cie, cfi->cie, cfi->cie_count * sizeof(*copy->cie));
	blank->first = keep_fdes(copy, cfi, ranges);
	copy->cie[cfi->cie_count] = (struct cfi_cie) {
		.section = &section,
		.augmentation = "",
		.code_alignment = 1,
		.data_alignment = -8,
		.return_register = REGISTER_RIP,
		.instructions = nothing,
		.version = 1,
		.address_bytes = 8,
		.lsda_encoding = POINTER_OMIT,
	};
	copy->cie_count = cfi->cie_count + 1;
	copy->fde_count = blank->first + ranges->count;
	for (size_t i = 0; i < ranges->count; i++)
		copy->fde[blank->first + i] = (struct cfi_fde) {
			.pc_begin = ranges->range[i].begin,
			.pc_range = ranges->range[i].end - ranges->range[i].begin,
			.instructions = nothing,
			.cie = (uint32_t)cfi->cie_count,
		};
	if (!cfi_order(copy, error))
		return 0;
	synthesis_blank_deinit(blank);
	return -1;
}

void synthesis_blank_deinit(struct synthesis_blank *blank)
{
	free(blank->cfi.cie);
	free(blank->cfi.fde);
	free(blank->cfi.by_pc);
	free(blank->cfi.reach);
	memset(blank, 0, sizeof(*blank));
}
