/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_world.c - what the image says of all of its functions
 */
#include <elf.h>
#include <string.h>
#include "flow/flow_names.h"
#include "lint/lint_world.h"

#define OCAML_BEGIN "code_begin" /* camlUnit__code_begin, camlUnit.code_begin: every unit has it */

/* In an image that can be a process; 0: nowhere. */
static uint64_t first_of(const struct image *image)
{
	Elf64_Phdr interpreter;

	if (image->type == ET_EXEC ||
	    (image->type == ET_DYN && image_program_header(image, PT_INTERP, &interpreter)))
		return image->entry;
	return 0;
}

static bool is_ocaml(const struct image *image)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++)
		if (!strncmp(symbol[i].name, "caml", 4) && strstr(symbol[i].name, OCAML_BEGIN))
			return true;
	return false;
}

void lint_world_note(struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	world->first = first_of(image);
	world->ocaml = is_ocaml(image);
	world->go = flow_is_go(image);
}
