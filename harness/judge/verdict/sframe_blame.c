/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_blame.c - a table that was made of SFrame leads elsewhere than the CFI: by which row?
 *
 * Up to a frame both name the same callers. Either SFrame's row for the step from there differs, or there is none, or the
 * rows are the same and a register that the step goes by was brought back wrong: then it is the row of an inner frame
 * that differs in rbp, or one that SFrame never tracks.
 *
 *	no SFrame, or no row there	a loss, with prove's reason
 *	a row where the CFI has none	wrong
 *	another CFA or return address	wrong
 *	the same, by rbp		wrong in the last inner frame that says another rbp
 *	the same, by a register		a loss: rbx and r12 to r15 aren't tracked
 *	looked up in another row	a loss: the frame before is a signal's, which has no mark
 */
#include <assert.h>
#include "sframe/sframe.h"
#include "verdict.h"

const char *sframe_loss_name(enum sframe_loss loss)
{
	switch (loss) {
	case SFRAME_LOSS_NO_SECTION: return "no_sframe";
	case SFRAME_LOSS_REGISTER: return "register_untracked";
	case SFRAME_LOSS_SIGNAL: return "signal_untold";
	default: assert(loss < SFRAME_LOSS_COUNT);
	}
	return sframe_absence_name((enum sframe_absence)loss);
}

/* Both rows for one step. */
struct two_rows {
	const struct mapping *mapping;
	struct row cfi; /* valid until the image's next row is asked for */
	bool has_cfi;
	struct sframe_canonical sframe;
	bool has_sframe; /* else there is a loss */
	enum sframe_loss loss;
	unsigned int differs; /* bits of enum sframe_difference */
};

static bool look_up(struct image_entry *entry, uint64_t vaddr, struct two_rows *ret)
{
	const struct cfi *cfi = image_entry_cfi(entry);
	const struct sframe *sframe;
	struct error error;
	int found = cfi_row_find(cfi, vaddr, &ret->cfi, &error);

	if (found < 0)
		return false;
	ret->has_cfi = found;
	sframe = image_entry_sframe(entry, &error);
	if (!sframe || !sframe_is_amd64(sframe)) {
		ret->loss = SFRAME_LOSS_NO_SECTION;
		return ret->has_cfi;
	}
	ret->has_sframe = sframe_canonical_find(sframe, vaddr, &ret->sframe, &error) > 0;
	if (!ret->has_cfi)
		ret->differs = SFRAME_DIFFERS_CFA;
	else if (ret->has_sframe)
		ret->differs = sframe_row_differs(&ret->cfi, &ret->sframe.row, vaddr);
	else
		ret->loss = (enum sframe_loss)sframe_why_absent(cfi, sframe, vaddr);
	return ret->has_cfi || ret->has_sframe;
}

/* The rows for the step from a frame. False: there are none, or the walk doesn't come there. */
static bool rows_of(const struct point *point, uint32_t frame, struct judgement *at,
		    struct two_rows *ret)
{
	struct reached reached;

	*ret = (struct two_rows) { .mapping = NULL };
	if (!verdict_reach(point, frame, &reached))
		return false;
	ret->mapping = address_space_find(point->space, reached.lookup_pc);
	at->frame = frame;
	at->pc = reached.lookup_pc;
	return ret->mapping && ret->mapping->entry &&
	       look_up(ret->mapping->entry, reached.lookup_pc - ret->mapping->bias, ret);
}

static bool is_wrong(struct judgement *ret)
{
	ret->verdict = VERDICT_TABLE_FAULT;
	ret->kind = FAULT_SFRAME;
	return true;
}

static bool is_lost(enum sframe_loss loss, struct judgement *ret)
{
	ret->verdict = VERDICT_CONVERSION_LOSS_FLAGGED;
	ret->kind = FAULT_SFRAME_LOSS;
	ret->loss = loss;
	return true;
}

/* The step's row is the same: what was brought back to it? */
static bool judge_inner(const struct evidence *evidence, uint32_t frame, struct judgement *ret)
{
	struct judgement at = *ret;
	struct two_rows rows;

	for (uint32_t i = frame; i-- > 0;) {
		if (!rows_of(evidence->point, i, &at, &rows) || !rows.has_sframe)
			return false;
		if (i + 1 == frame && rows.cfi.signal_frame && !rows.sframe.row.signal_frame) {
			*ret = at;
			return is_lost(SFRAME_LOSS_SIGNAL, ret);
		}
		if (rows.differs) {
			*ret = at;
			return is_wrong(ret);
		}
	}
	return false;
}

bool judge_sframe(const struct evidence *evidence, uint32_t frames, struct judgement *ret)
{
	struct judgement at = { .verdict = VERDICT_EXACT, .stop = evidence->table->stop };
	struct two_rows rows;

	if (!frames || !rows_of(evidence->point, frames - 1, &at, &rows))
		return false;
	*ret = at;
	if (!rows.has_sframe)
		return is_lost(rows.loss, ret);
	if (rows.differs & (SFRAME_DIFFERS_CFA | SFRAME_DIFFERS_RA))
		return is_wrong(ret);
	if (judge_inner(evidence, frames - 1, ret))
		return true;
	return evidence->table->stop == STOP_REGISTER_UNKNOWN && is_lost(SFRAME_LOSS_REGISTER, ret);
}

void sframe_blame_describe(struct image_entry *entry, uint64_t vaddr, char *text, size_t size)
{
	struct two_rows rows = { .mapping = NULL };
	FILE_CLOSED FILE *file = fmemopen(text, size, "w");

	if (!file || !look_up(entry, vaddr, &rows))
		return;
	fputs("CFI ", file);
	if (rows.has_cfi)
		sframe_proof_row_print(file, &rows.cfi);
	else
		fputs("none", file);
	fputs("; SFrame ", file);
	if (rows.has_sframe)
		sframe_proof_row_print(file, &rows.sframe.row);
	else
		fprintf(file, "none (%s)", sframe_loss_name(rows.loss));
}
