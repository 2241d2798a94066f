/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_inline.c - which functions an image's DWARF says are inlined somewhere
 *
 * A profile of names has inlined functions between the machine's frames, mostly unmarked. Whose
 * name is not in this set, and is a symbol, is a frame of the machine's.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "images/debug_link.h"
#include "score/score_name.h"
#include "score/score_truth.h"

#define SCOPES_DEPTH_MAX 64 /* namespaces and classes within another */

struct reading {
	struct profile_texts *inlined;
	struct error error;
};

static int add_key(void *context, const char *key)
{
	struct reading *reading = context;
	bool is_new;
	uint32_t number = profile_texts_add(reading->inlined, key, strlen(key), &is_new,
					    &reading->error);

	return number == UINT32_MAX ? -1 : 0;
}

static void add_name(struct reading *reading, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	const char *name;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_inline, &attribute), &value) ||
	    (value != DW_INL_inlined && value != DW_INL_declared_inlined))
		return;
	name = dwarf_diename(die);
	if (name)
		name_keys(name, add_key, reading);
	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (name)
		name_keys(name, add_key, reading);
}

static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_module || tag == DW_TAG_lexical_block;
}

static void read_scope(struct reading *reading, Dwarf_Die *scope, unsigned int depth)
{
	Dwarf_Die child;

	if (depth > SCOPES_DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_name(reading, &child);
		if (has_functions(tag))
			read_scope(reading, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static void read_file(struct profile_texts *inlined, const char *path)
{
	struct reading reading = { .inlined = inlined };
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && !dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL))
		read_scope(&reading, &die, 0);
	dwarf_end(dwarf);
	if (file >= 0)
		close(file);
}

bool score_truth_inlines(struct score_truth *truth, uint32_t number, const char *key)
{
	struct score_image *image = &truth->image[number];
	char *debug;

	if (!image->image)
		return false;
	if (!image->inlined_read && image->truth->kind == TRUTH_IMAGE_FILE) {
		debug = debug_link_find(image->image);
		read_file(&image->inlined, image->image->path);
		read_file(&image->inlined, debug);
		free(debug);
	}
	image->inlined_read = true;
	return profile_texts_find(&image->inlined, key, strlen(key)) != 0;
}
