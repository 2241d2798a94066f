/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_world.c - what the image says of all of its functions
 */
#include <elf.h>
#include <string.h>
#include "flow/flow_names.h"
#include "lint/lint_world.h"

#define OCAML_BEGIN  "code_begin" /* camlUnit__code_begin, camlUnit.code_begin: every unit has it */
#define SWIFT_PREFIX "$s"	  /* of its mangled names */

/* In an image that can be a process; 0: nowhere. */
static uint64_t first_of(const struct image *image)
{
	Elf64_Phdr interpreter;

	if (image->type == ET_EXEC ||
	    (image->type == ET_DYN && image_program_header(image, PT_INTERP, &interpreter)))
		return image->entry;
	return 0;
}

static void note_languages(struct flow_world *world)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(world->cfi->image, &count);

	for (size_t i = 0; i < count; i++) {
		const char *name = symbol[i].name;

		world->ocaml |= !strncmp(name, "caml", 4) && strstr(name, OCAML_BEGIN);
		world->swift |= !strncmp(name, SWIFT_PREFIX, sizeof(SWIFT_PREFIX) - 1);
	}
}

void lint_world_note(struct flow_world *world)
{
	const struct image *image = world->cfi->image;

	world->first = first_of(image);
	note_languages(world);
	world->go = flow_is_go(image);
}
