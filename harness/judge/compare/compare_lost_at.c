/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_lost_at.c - at what kind of code an engine lost the caller
 *
 * Of a stack that is cut short or goes wrong, the last frame that is right is where the walk failed. What that frame's
 * code is by the CFI explains it: frame pointers lose the caller at entries, in epilogues and in functions that keep
 * none; a table where its rows are missing.
 */
#include <string.h>
#include "comparer.h"
#include "image/elf_image.h"

static const char *const names[] = {
	[LOST_LEAF] = "leaf",	      [LOST_SIGNAL] = "signal",	      [LOST_LIBRARY] = "library",
	[LOST_PLT] = "plt",	      [LOST_NO_CFI] = "no_cfi",	      [LOST_ENTRY] = "entry",
	[LOST_EPILOGUE] = "epilogue", [LOST_FRAMELESS] = "frameless", [LOST_BODY] = "body",
};

const char *lost_at_name(enum lost_at where)
{
	return names[where];
}

/* How a function's rows find the CFA. */
struct shape {
	uint64_t pc;
	uint64_t first_end; /* of the first row */
	uint64_t
		first_kept; /* where the CFA is first found by another register than rsp; UINT64_MAX: never */
	bool kept; /* so it is at pc */
	bool seen;
};

static int on_row(void *context, const struct row *row)
{
	struct shape *shape = context;
	bool by_rsp = row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP;

	if (!shape->seen)
		shape->first_end = row->pc_end;
	shape->seen = true;
	if (!by_rsp && shape->first_kept == UINT64_MAX)
		shape->first_kept = row->pc;
	if (shape->pc >= row->pc && shape->pc < row->pc_end)
		shape->kept = !by_rsp;
	return 0;
}

static enum lost_at by_rows(const struct cfi *cfi, uint64_t vaddr)
{
	const struct cfi_fde *fde = cfi ? cfi_fde_find(cfi, vaddr) : NULL;
	struct shape shape = { .pc = vaddr, .first_kept = UINT64_MAX };
	struct error ignored;

	if (!fde || cfi_rows(cfi, fde, on_row, &shape, &ignored))
		return LOST_NO_CFI;
	if (shape.kept)
		return LOST_BODY;
	if (shape.first_kept == UINT64_MAX)
		return vaddr < shape.first_end ? LOST_ENTRY : LOST_FRAMELESS;
	return vaddr < shape.first_kept ? LOST_ENTRY : LOST_EPILOGUE;
}

bool compare_is_own(const struct comparer *comparer, const struct mapping *mapping)
{
	return mapping && mapping->entry && mapping->entry == comparer->space.mapping[0].entry;
}

static enum lost_at by_code(const struct comparer *comparer, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(&comparer->space, pc);

	if (mapping && mapping->entry && image_plt_stub(mapping->entry->image, pc - mapping->bias))
		return LOST_PLT;
	if (!compare_is_own(comparer, mapping))
		return LOST_LIBRARY;
	return by_rows(image_entry_cfi(mapping->entry), pc - mapping->bias);
}

enum lost_at compare_lost_at(struct comparer *comparer, const struct shadow_stack *shadow,
			     const struct stack *truth, uint32_t frames)
{
	uint32_t last = frames - 1;
	struct lost_code *known;
	uint64_t pc;

	if (!frames)
		return LOST_LEAF;
	if (last + 1 < truth->count && shadow_stack_is_interrupted(shadow, truth, last + 1))
		return LOST_SIGNAL;
	/* A call may be its function's last instruction. */
	pc = truth->pc[last] - (last && !shadow_stack_is_interrupted(shadow, truth, last));
	known = &comparer->lost_code[pc % LOST_CODES];
	if (known->pc != pc || !known->is_known)
		*known = (struct lost_code) { pc, by_code(comparer, pc), true };
	return known->where;
}
