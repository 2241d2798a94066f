/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_fdes.c - which FDEs are asked for, and which of them are unproven
 *
 * Names are looked up only if somebody asks for them.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "cfi/code_name.h"
#include "lint_fdes.h"
#include "lint_place.h"

#define NAME_BYTES 512

/* An address in a name ("fde@0x1040") is one of the layout in an object file. */
static void find_name(const struct cfi *cfi, const struct object *made_of, uint64_t pc,
		      struct code_name *name, char *text, size_t size)
{
	code_name_find(cfi->image, cfi, pc, name);
	code_name_print(name, text, size);
	if (made_of && (name->kind == CODE_FDE || name->kind == CODE_GAP))
		lint_place_replace(made_of, text, size);
}

bool lint_function_set(json_t *object, const struct lint_options *options, const struct cfi *cfi,
		       const struct object *made_of, uint64_t pc, uint64_t *ret_begin)
{
	struct code_name name;
	char text[NAME_BYTES];

	find_name(cfi, made_of, pc, &name, text, sizeof(text));
	json_object_set_new(object, "function", json_bytes(text));
	json_object_set_new(object, "offset", json_integer((json_int_t)(pc - name.start)));
	*ret_begin = name.start;
	return !options->function || !fnmatch(options->function, text, 0);
}

static bool is_wanted(const struct lint_fdes *fdes, uint64_t begin)
{
	struct code_name name;
	char text[NAME_BYTES];

	if (!fdes->options->function)
		return true;
	find_name(fdes->cfi, fdes->object, begin, &name, text, sizeof(text));
	return !fnmatch(fdes->options->function, text, 0);
}

void lint_fdes_take(struct lint_fdes *fdes, const struct lint_fde *fde)
{
	if (!is_wanted(fdes, fde->begin))
		return;
	fdes->wanted++;
	fdes->wanted_proven += fde->outcome == FLOW_ROW_PROVEN;
	fdes->wanted_unproven += fde->outcome == FLOW_ROW_UNPROVEN;
	if (!fdes->options->unproven || fde->outcome != FLOW_ROW_UNPROVEN)
		return;
	if (ARRAY_GROW(fdes->unproven, fdes->unproven_count))
		fdes->unproven[fdes->unproven_count++] = *fde;
	else
		fdes->no_memory = true;
}

static int by_begin(const void *a, const void *b)
{
	const struct lint_fde *left = a, *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return left->end < right->end ? -1 : left->end > right->end;
}

static void print_fde(const struct lint_fdes *fdes, const struct lint_fde *fde, FILE *output)
{
	static const struct lint_options all = { NULL };
	json_t *object = json_pack("{s:s, s:o}", "type", "lint_unproven", "image",
				   json_bytes(fdes->path));
	uint64_t begin;

	lint_place_set(object, fdes->object, "fde", "fde_section", fde->begin);
	lint_place_set(object, fdes->object, "pc", "section", fde->pc);
	lint_function_set(object, &all, fdes->cfi, fdes->object, fde->pc, &begin);
	json_object_set_new(object, "reason", json_string(lint_reason_name(fde->reason)));
	json_object_set_new(object, "title", json_string(lint_reason_title(fde->reason)));
	json_line(output, object);
}

int lint_fdes_print(struct lint_fdes *fdes, json_t *image, FILE *output, struct error *error)
{
	if (fdes->no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "unproven FDEs");
	if (fdes->unproven_count)
		qsort(fdes->unproven, fdes->unproven_count, sizeof(*fdes->unproven), by_begin);
	for (size_t i = 0; i < fdes->unproven_count; i++)
		print_fde(fdes, &fdes->unproven[i], output);
	if (!fdes->options->function)
		return 0;
	json_object_set_new(image, "wanted_fdes", json_integer((json_int_t)fdes->wanted));
	json_object_set_new(image, "wanted_proven", json_integer((json_int_t)fdes->wanted_proven));
	json_object_set_new(image, "wanted_unproven",
			    json_integer((json_int_t)fdes->wanted_unproven));
	return 0;
}

void lint_fdes_deinit(struct lint_fdes *fdes)
{
	free(fdes->unproven);
}
