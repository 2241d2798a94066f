/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_stage.c - who lost it: the assembler or the linker
 *
 * An assembler makes SFrame of the directives, a linker puts the objects' together and adds rows for the code that it
 * makes itself. So a function that is wrong in an image is looked up, by its name, in the object files: if it is wrong
 * there, too, at the same place of the function, no linker did it.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/code_name.h"
#include "sframe_proof.h"

struct object {
	struct image *image;
	struct cfi *cfi;
	struct sframe *sframe; /* NULL: it has none */
};

struct sframe_objects {
	struct object *object;
	size_t count;
};

const char *sframe_stage_name(enum sframe_stage stage)
{
	return stage == SFRAME_STAGE_ASSEMBLER ? "assembler"
	       : stage == SFRAME_STAGE_LINKER  ? "linker"
					       : "unknown";
}

static int add_object(struct sframe_objects *objects, const char *path, struct error *error)
{
	struct object *object;

	if (!ARRAY_ADD(objects->object, objects->count, (struct object) { .image = NULL }))
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for objects");
	object = &objects->object[objects->count - 1];
	if (image_create(path, &object->image, error) ||
	    cfi_create(object->image, &object->cfi, error))
		return -1;
	if (sframe_create(object->image, &object->sframe, error))
		return error->code == ERROR_NO_SFRAME ? 0 : -1;
	return 0;
}

int sframe_objects_create(char *const *path, size_t count, struct sframe_objects **ret,
			  struct error *error)
{
	struct sframe_objects *objects = calloc(1, sizeof(*objects));

	*ret = NULL;
	if (!objects)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for objects");
	for (size_t i = 0; i < count; i++)
		if (add_object(objects, path[i], error)) {
			sframe_objects_destroy(objects);
			return -1;
		}
	*ret = objects;
	return 0;
}

void sframe_objects_destroy(struct sframe_objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < objects->count; i++) {
		sframe_destroy(objects->object[i].sframe);
		cfi_destroy(objects->object[i].cfi);
		image_destroy(objects->object[i].image);
	}
	free(objects->object);
	free(objects);
}

struct search {
	uint64_t pc;
	struct row row;
	bool found;
};

static int take_row(void *context, const struct row *row)
{
	struct search *search = context;

	if (search->pc < row->pc || search->pc >= row->pc_end)
		return 0;
	search->row = *row;
	search->found = true;
	return 1;
}

/* Whether the object's two tables differ at pc of the section. *ret_known: it has CFI there. */
static bool object_differs(const struct object *object, uint16_t section, uint64_t pc,
			   bool *ret_known)
{
	const struct sframe_function *function = NULL;
	struct sframe_canonical canonical;
	struct search search = { .pc = pc };
	struct error ignored;

	for (size_t i = 0; i < object->cfi->fde_count && !search.found; i++) {
		const struct cfi_fde *fde = &object->cfi->fde[i];

		if (pc >= fde->pc_begin && pc - fde->pc_begin < fde->pc_range &&
		    cfi_fde_code_section(object->cfi, fde) == section)
			cfi_rows(object->cfi, fde, take_row, &search, &ignored);
	}
	*ret_known = search.found;
	if (!search.found || !object->sframe)
		return true;
	function = ARRAY_FIRST(object->sframe->function, object->sframe->function_count, one,
			       pc >= one->pc_begin && pc - one->pc_begin < one->pc_range &&
				       sframe_code_section(object->sframe, one) == section);
	return !function ||
	       sframe_canonical_in(object->sframe, function, pc, &canonical, &ignored) <= 0 ||
	       sframe_row_differs(&search.row, &canonical.row, pc);
}

enum sframe_stage sframe_objects_stage(struct sframe_objects *objects, const struct image *image,
				       const struct cfi *cfi, const struct sframe_finding *finding)
{
	struct code_name name;
	bool known;

	code_name_find(image, cfi, finding->pc, &name);
	if (!strncmp(name.section, ".plt", 4) || !finding->cfi)
		return SFRAME_STAGE_LINKER;
	if (!objects || !name.symbol)
		return SFRAME_STAGE_UNKNOWN;
	for (size_t i = 0; i < objects->count; i++) {
		size_t count;
		const struct image_symbol *symbol = image_symbols(objects->object[i].image, &count);
		const struct image_symbol *own = ARRAY_FIRST(
			symbol, count, one,
			!strcmp(one->name, name.name) && one->size == name.symbol->size);
		bool differs;

		if (!own)
			continue;
		differs = object_differs(&objects->object[i], own->section,
					 own->pc + (finding->pc - name.symbol->pc), &known);
		if (known)
			return differs ? SFRAME_STAGE_ASSEMBLER : SFRAME_STAGE_LINKER;
	}
	return SFRAME_STAGE_UNKNOWN;
}
