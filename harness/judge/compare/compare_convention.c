/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_convention.c - a register that the function was never to keep
 *
 * That a row has no rule for rbx says that it is unchanged, if functions keep it. Where the image's code shows
 * that they don't (code/code.h), the row says nothing, and nobody is accused of what is in it then.
 * A rule that is there is held against the truth as ever.
 */
#include "analysis/code/code.h"
#include "comparer.h"

static uint32_t unkept_of(struct comparer *comparer, struct image_entry *entry)
{
	typeof(&comparer->convention[0]) slot = &comparer->convention[entry->id % CONVENTION_SLOTS];
	struct code_decoder *decoder;
	uint32_t certain;

	if (slot->known && slot->id == entry->id)
		return slot->unkept;
	decoder = code_decoder_create();
	if (!decoder)
		return 0;
	slot->known = true;
	slot->id = entry->id;
	slot->unkept = code_convention_unkept(image_entry_cfi(entry), decoder, &certain);
	code_decoder_destroy(decoder);
	return slot->unkept;
}

bool convention_excuses(struct comparer *comparer, const struct point *point,
			const struct judgement *judgement)
{
	const struct mapping *mapping = address_space_find(point->space, judgement->pc);
	struct error ignored;
	struct row row;

	return judgement->kind == FAULT_REGISTER && judgement->verdict == VERDICT_TABLE_FAULT &&
	       mapping && mapping->entry &&
	       unkept_of(comparer, mapping->entry) >> judgement->reg & 1 &&
	       cfi_row_find(image_entry_cfi(mapping->entry), judgement->pc - mapping->bias, &row,
			    &ignored) > 0 &&
	       row.reg[judgement->reg].kind == RULE_UNSPECIFIED;
}
