/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_text.c - `table --format text`: the golden text, narrowed to what is asked for
 *
 * The text itself is unwinder/table/table_text.c's, which writes all that a struct cfi has. To narrow it,
 * this hands over a view: the same CFI with fewer FDEs.
 */
#include <stdlib.h>
#include "table.h"
#include "table/saved_table.h"

/* FDEs of cfi that the filter shows; fde and by_pc are the caller's to free. */
static int make_view(const struct cfi *cfi, const struct table_filter *filter, struct cfi *ret,
		     struct error *error)
{
	*ret = *cfi;
	ret->fde_count = 0;
	ret->other_fde_count = 0; /* in order of PC, they are not at the end */
	ret->debug_fde_count = 0;
	ret->fde = malloc((cfi->fde_count + 1) * sizeof(*ret->fde));
	ret->by_pc = malloc((cfi->fde_count + 1) * sizeof(*ret->by_pc));
	if (!ret->fde || !ret->by_pc)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for FDEs");
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		if (!table_filter_shows_fde(filter, cfi, fde))
			continue;
		ret->by_pc[ret->fde_count] = (uint32_t)ret->fde_count;
		ret->fde[ret->fde_count++] = *fde;
	}
	ret->by_pc_count = ret->fde_count;
	return 0;
}

static int accept_row(void *context, const struct row *row)
{
	return 0;
}

/* cfi_check(), but a view has only some of the FDEs that .eh_frame_hdr lists. */
static void check_view(const struct cfi *view, struct error_list *diagnostics)
{
	struct error error;
	table_add_diagnostics(diagnostics, view);
	for (size_t i = 0; i < view->fde_count; i++)
		if (cfi_rows(view, &view->fde[i], accept_row, NULL, &error))
			error_list_add(diagnostics, &error);
}

int table_text(FILE *file, const struct image *image, const struct table_filter *filter,
	       struct error_list *diagnostics, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int result = filter->section ? cfi_create_section(image, filter->section, &cfi, error)
				     : cfi_create(image, &cfi, error);
	if (!result) {
		struct cfi view = *cfi;
		if (filter->by_pc)
			result = make_view(cfi, filter, &view, error);
		table_filter_count(filter, view.fde_count);
		if (!result)
			result = table_text_write(file, &view, error);
		if (!filter->by_pc) {
			cfi_check(cfi, diagnostics);
		} else {
			check_view(&view, diagnostics);
			free(view.fde);
			free(view.by_pc);
		}
	}
	return result;
}
