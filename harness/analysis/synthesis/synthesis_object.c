/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_object.c - what is not known of an object file before it is linked
 *
 * Its code is followed in the layout of objects/object.h. Fields that a relocation leaves unknown lead nowhere. A
 * symbol that other files know may be called by them, although its type says nothing; as of an address that is kept,
 * the code must return as a function's. `_start` is where linkers let a process begin (ld(1), --entry).
 */
#include <elf.h>
#include "analysis/lint/lint_uncovered.h"
#include "synthesis.h"

static void take_symbols(struct synthesis_taken *taken, const struct image *image)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbol[i].type == STT_NOTYPE && symbol[i].binding != STB_LOCAL &&
		    image_code_segment(image, symbol[i].pc))
			synthesis_taken_add(taken, symbol[i].pc);
}

int synthesis_object_begin(const struct object *object, const struct cfi *cfi,
			   struct code_decoder *decoder, struct synthesis_taken *taken,
			   struct error *error)
{
	if (lint_uncovered_is_unknown(cfi, object))
		return error_set(error, ERROR_RELOCATION, ".eh_frame", 0,
				 "an FDE's place is not known, and it may cover any code");
	object->image->entry = image_symbol_address(object->image, "_start");
	code_decoder_leave_unknown(decoder, object->unknown, object->unknown_count);
	take_symbols(taken, cfi->image);
	return 0;
}
