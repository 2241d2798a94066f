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
#include "base/images/debug_link.h"
#include "array.h"
#include "number_map.h"
#include "score_name.h"
#include "score_spelling.h"
#include "score_truth.h"

#define SCOPES_DEPTH_MAX 64 /* namespaces and classes within another */

struct reading {
	struct profile_texts *inlined;
	struct error error;
	/* Offsets of functions that are inlined and don't say so; number 1 is the first. */
	struct number_map seen;
	uint64_t *origin;
	size_t room;
	uint64_t sought;
};

static int add_key(void *context, const char *key, enum spelling spelling)
{
	struct reading *reading = context;
	(void)spelling;
	bool is_new;
	uint32_t number = profile_texts_add(reading->inlined, key, strlen(key), &is_new,
					    &reading->error);

	return number == UINT32_MAX ? -1 : 0;
}

static void add_names(struct reading *reading, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_diename(die);

	if (name)
		name_keys(name, add_key, reading);
	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (name)
		name_keys(name, add_key, reading);
}

/* The function itself says that it is inlined somewhere. */
static bool says_inlined(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return !dwarf_formudata(dwarf_attr(die, DW_AT_inline, &attribute), &value) &&
	       (value == DW_INL_inlined || value == DW_INL_declared_inlined);
}

static bool is_sought_origin(void *context, uint32_t number)
{
	const struct reading *reading = context;

	return reading->origin[number - 1] == reading->sought;
}

/* What is inlined here. GCC says of constructors and destructors that they are not. Each is added once. */
static void add_origin(struct reading *reading, Dwarf_Die *die)
{
	uint32_t at = reading->seen.count, *slot;
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin) ||
	    says_inlined(&origin) || !ARRAY_RESERVE(reading->origin, reading->room, at + 1ul))
		return;
	reading->sought = dwarf_dieoffset(&origin);
	slot = number_map_find(&reading->seen,
			       number_hash(0, &reading->sought, sizeof(reading->sought)),
			       is_sought_origin, reading);
	if (!slot || *slot)
		return;
	reading->origin[at] = reading->sought;
	*slot = at + 1;
	add_names(reading, &origin);
}

static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_module || tag == DW_TAG_lexical_block;
}

/* Within a function: what may have inlined functions. */
static bool has_code(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void read_scope(struct reading *reading, Dwarf_Die *scope, unsigned int depth)
{
	Dwarf_Die child;

	if (depth > SCOPES_DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && says_inlined(&child))
			add_names(reading, &child);
		if (tag == DW_TAG_inlined_subroutine)
			add_origin(reading, &child);
		if (has_functions(tag) || has_code(tag))
			read_scope(reading, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

/* An image's own file, and the one beside it that has its debugging information. */
struct score_dwarf {
	int file[2];
	Dwarf *dwarf[2];
	/* How many functions are inlined at the addresses that were asked for; number 1 is the first. */
	struct number_map map;
	uint64_t *address;
	uint32_t *inlined;
	size_t room, inlined_room;
	uint64_t sought;
};

static void open_file(struct score_dwarf *dwarf, size_t number, const char *path)
{
	dwarf->file[number] = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (dwarf->file[number] >= 0)
		dwarf->dwarf[number] = dwarf_begin(dwarf->file[number], DWARF_C_READ);
	if (debug_link_waits(dwarf->dwarf[number], path)) {
		dwarf_end(dwarf->dwarf[number]);
		dwarf->dwarf[number] = NULL;
	}
}

/* NULL: the image is no file, or there is no memory. */
static struct score_dwarf *open_dwarf(struct score_image *image)
{
	FREED char *debug = NULL;

	if (image->dwarf || !image->image || image->truth->kind != TRUTH_IMAGE_FILE)
		return image->dwarf;
	image->dwarf = calloc(1, sizeof(*image->dwarf));
	if (!image->dwarf)
		return NULL;
	debug = debug_link_find(image->image);
	open_file(image->dwarf, 0, image->image->path);
	open_file(image->dwarf, 1, debug);
	return image->dwarf;
}

void score_dwarf_close(struct score_dwarf *dwarf)
{
	for (size_t i = 0; dwarf && i < 2; i++) {
		dwarf_end(dwarf->dwarf[i]);
		if (dwarf->file[i] >= 0)
			close(dwarf->file[i]);
	}
	if (dwarf) {
		number_map_deinit(&dwarf->map);
		free(dwarf->address);
		free(dwarf->inlined);
	}
	free(dwarf);
}

static void read_file(struct profile_texts *inlined, Dwarf *dwarf)
{
	struct reading reading = { .inlined = inlined };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && !dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL))
		read_scope(&reading, &die, 0);
	number_map_deinit(&reading.seen);
	free(reading.origin);
}

bool score_truth_inlines(struct score_truth *truth, uint32_t number, const char *key)
{
	struct score_image *image = &truth->image[number];
	struct score_dwarf *dwarf = image->inlined_read ? NULL : open_dwarf(image);

	for (size_t i = 0; dwarf && i < 2; i++)
		read_file(&image->inlined, dwarf->dwarf[i]);
	image->inlined_read = true;
	return profile_texts_find(&image->inlined, key, strlen(key)) != 0;
}

/* ---- at an address ---------------------------------------------------------------------------- */

/* Is called with the function that has an address, then with each that is inlined there, the outermost first. */
typedef void chain_fn(void *context, Dwarf_Die *die);

/* False: no function below scope has pc. */
static bool each_in_scope(Dwarf_Die *scope, Dwarf_Addr pc, unsigned int depth, chain_fn *fn,
			  void *context)
{
	Dwarf_Die child;

	if (depth > SCOPES_DEPTH_MAX || dwarf_child(scope, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram || has_code(tag)) {
			if (dwarf_haspc(&child, pc) <= 0)
				continue;
			if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
				fn(context, &child);
			each_in_scope(&child, pc, depth + 1, fn, context);
			return true;
		}
		if (has_functions(tag) && each_in_scope(&child, pc, depth + 1, fn, context))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* False: the debugging information has no function at the address. */
static bool each_at(struct score_dwarf *dwarf, uint64_t address, chain_fn *fn, void *context)
{
	for (size_t i = 0; i < 2; i++) {
		Dwarf_CU *unit = NULL;
		Dwarf_Die die;

		while (dwarf->dwarf[i] &&
		       !dwarf_get_units(dwarf->dwarf[i], unit, &unit, NULL, NULL, &die, NULL))
			if (dwarf_haspc(&die, address) > 0 &&
			    each_in_scope(&die, address, 0, fn, context))
				return true;
	}
	return false;
}

static void count_inlined(void *context, Dwarf_Die *die)
{
	*(uint32_t *)context += dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

static uint32_t find_inlined(struct score_dwarf *dwarf, uint64_t address)
{
	uint32_t count = 0;

	return each_at(dwarf, address, count_inlined, &count) ? count : UINT32_MAX;
}

static void add_die(void *context, Dwarf_Die *die)
{
	add_names(context, die);
}

int score_truth_names_at(struct score_truth *truth, uint32_t number, uint64_t address,
			 struct profile_texts *keys, struct error *error)
{
	struct score_dwarf *dwarf = open_dwarf(&truth->image[number]);
	struct reading reading = { .inlined = keys, .error = { .code = ERROR_NONE } };
	bool found = dwarf && each_at(dwarf, address, add_die, &reading);

	if (reading.error.code == ERROR_NONE)
		return found;
	*error = reading.error;
	return -1;
}

static bool is_sought(void *context, uint32_t number)
{
	const struct score_dwarf *dwarf = context;

	return dwarf->address[number - 1] == dwarf->sought;
}

/* All units are gone through, so each address is looked up once. Without memory it is again. */
uint32_t score_truth_inlined_at(struct score_truth *truth, uint32_t number, uint64_t address)
{
	struct score_dwarf *dwarf = open_dwarf(&truth->image[number]);
	uint32_t *slot, at;

	if (!dwarf)
		return UINT32_MAX;
	at = dwarf->map.count;
	if (!ARRAY_RESERVE(dwarf->address, dwarf->room, at + 1ul) ||
	    !ARRAY_RESERVE(dwarf->inlined, dwarf->inlined_room, at + 1ul))
		return find_inlined(dwarf, address);
	dwarf->sought = address;
	slot = number_map_find(&dwarf->map, number_hash(0, &address, sizeof(address)), is_sought,
			       dwarf);
	if (!slot)
		return find_inlined(dwarf, address);
	if (!*slot) {
		dwarf->address[at] = address;
		dwarf->inlined[at] = find_inlined(dwarf, address);
		*slot = at + 1;
	}
	return dwarf->inlined[*slot - 1];
}
