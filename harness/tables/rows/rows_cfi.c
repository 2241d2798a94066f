/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rows_cfi.c - an image's CFI as a source of rows
 *
 * An FDE's instructions are executed once for all its rows, as long as it is asked for addresses of one FDE at a time.
 */
#include <stdlib.h>
#include "array.h"
#include "row_source.h"

enum { MARK_MALFORMED };

struct cfi_rows_kept {
	const struct cfi *cfi;
	const struct cfi_fde *fde; /* whose rows these are */
	struct row *row;
	size_t count;
	bool malformed, no_memory;
};

static int keep(void *context, const struct row *row)
{
	struct cfi_rows_kept *kept = context;

	if (ARRAY_ADD(kept->row, kept->count, *row))
		return 0;
	kept->no_memory = true;
	return 1;
}

static void read_fde(struct cfi_rows_kept *kept, const struct cfi_fde *fde)
{
	struct error ignored;

	kept->fde = fde;
	kept->count = 0;
	kept->malformed = cfi_rows(kept->cfi, fde, keep, kept, &ignored) < 0;
}

/* The row at pc of the FDE that has it; NULL: the FDE says nothing of pc. *ret_end: from where on it has another one. */
static const struct row *find_row(const struct cfi_rows_kept *kept, uint64_t pc, uint64_t *ret_end)
{
	size_t at = ARRAY_BEFORE(kept->count, i, kept->row[i].pc_end <= pc);

	*ret_end = kept->fde->pc_begin + kept->fde->pc_range;
	if (at == kept->count)
		return NULL;
	if (kept->row[at].pc <= pc)
		return &kept->row[at];
	*ret_end = kept->row[at].pc;
	return NULL;
}

/* Whether another FDE has some of the row: then the row ends where that begins. */
static uint64_t next_fde(const struct cfi *cfi, uint64_t pc, uint64_t end)
{
	uint64_t next = cfi_next_begin(cfi, pc + 1);

	return next < end ? next : end;
}

static void row_at(void *context, uint64_t pc, struct row_said *ret)
{
	struct cfi_rows_kept *kept = context;
	const struct cfi_fde *fde = cfi_fde_find(kept->cfi, pc);
	const struct row *row = NULL;
	uint64_t end;

	if (!fde) {
		ret->kind = ROW_SAID_NOTHING;
		ret->row.pc = pc;
		ret->row.pc_end = cfi_next_begin(kept->cfi, pc);
		return;
	}
	if (fde != kept->fde)
		read_fde(kept, fde);
	row = find_row(kept, pc, &end);
	if (row) {
		ret->kind = ROW_SAID_ROW;
		ret->row = *row;
		ret->declared = UINT32_MAX;
		ret->vague = 0;
		end = row->pc_end;
	} else {
		ret->kind = kept->malformed ? ROW_SAID_MARK : ROW_SAID_NOTHING;
		ret->mark = MARK_MALFORMED;
		ret->row.pc = pc;
	}
	ret->row.pc_end = next_fde(kept->cfi, pc, end);
}

int cfi_rows_create(const struct cfi *cfi, struct cfi_rows_kept **ret, struct error *error)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return error_set(error, ERROR_MEMORY, NULL, 0, "the rows of an FDE");
	(*ret)->cfi = cfi;
	return 0;
}

void cfi_rows_destroy(struct cfi_rows_kept *kept)
{
	if (kept)
		free(kept->row);
	free(kept);
}

bool cfi_rows_are_whole(const struct cfi_rows_kept *kept)
{
	return !kept->no_memory;
}

struct row_source cfi_rows_source(struct cfi_rows_kept *kept)
{
	return (struct row_source) { .name = ROWS_CFI,
				     .mark = { [MARK_MALFORMED] = "malformed" },
				     .row_at = row_at,
				     .context = kept };
}
