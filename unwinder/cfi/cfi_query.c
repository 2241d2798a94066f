/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_query.c - what is asked of a whole section's rows: how many, what is wrong, which one is here
 *
 * Nothing of this knows a call frame instruction: cfi_program.c executes an FDE, and here its rows
 * are counted, accepted or searched as they come.
 */
#include "cfi.h"

static int count_row(void *context, const struct cfi_raw_row *row)
{
	uint64_t *count = context;
	++*count;
	return 0;
}

uint64_t cfi_row_count(const struct cfi *cfi)
{
	uint64_t count = 0;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		struct error ignored; /* cfi_rows tells */
		const struct cfi_fde *fde = &cfi->fde[i];
		cfi_raw_rows(cfi, &cfi->cie[fde->cie], fde, count_row, &count, &ignored);
	}
	return count;
}

static int accept_row(void *context, const struct row *row)
{
	return 0;
}

void cfi_check(const struct cfi *cfi, struct error_list *ret)
{
	for (size_t i = 0; i < cfi->diagnostics.count; i++)
		error_list_add(ret, &cfi->diagnostics.error[i]);
	ret->dropped += cfi->diagnostics.dropped;
	eh_frame_hdr_check(cfi, ret);
	for (size_t i = 0; i < cfi->fde_count; i++) {
		struct error error;
		if (cfi_rows(cfi, &cfi->fde[i], accept_row, NULL, &error))
			error_list_add(ret, &error);
	}
}

struct search {
	uint64_t vaddr;
	struct row *ret;
};

static int found_row(void *context, const struct row *row)
{
	struct search *search = context;
	if (search->vaddr < row->pc || search->vaddr >= row->pc_end)
		return 0;
	*search->ret = *row;
	return 1;
}

int cfi_row_find(const struct cfi *cfi, uint64_t vaddr, struct row *ret, struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, vaddr);
	if (!fde)
		return 0;
	struct search search = { vaddr, ret };
	return cfi_rows(cfi, fde, found_row, &search, error);
}
