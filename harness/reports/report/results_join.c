/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_join.c - two runs as one, side by side
 *
 * Both may have the same binaries, and compilers of the same name and version: whoever changes a
 * compiler does not change what it calls itself. So all binaries get other names, and toolchains that
 * both runs have.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_members.h"
#include "base/cli/no_memory.h"
#include "results.h"

/* "gcc-16.2.0+lld-22.1.8" -> "gcc@A-16.2.0+lld-22.1.8": another family of the same version. */
static void rename_toolchain(struct cell *cell, const char *side)
{
	size_t end = strcspn(cell->toolchain, "+");
	char *name;

	for (size_t i = end; i-- > 1;)
		if (cell->toolchain[i - 1] == '-' && isdigit((unsigned char)cell->toolchain[i])) {
			end = i - 1;
			break;
		}
	if (asprintf(&name, "%.*s@%.1s%s", (int)end, cell->toolchain, side, cell->toolchain + end) <
	    0)
		no_memory();
	free(cell->toolchain);
	cell->toolchain = name;
}

void results_side_name(char **name, const char *side)
{
	char *longer;

	if (asprintf(&longer, "%s%s", side, *name) < 0)
		no_memory();
	free(*name);
	*name = longer;
}

static bool has_toolchain(const json_t *names, const struct cell *cell)
{
	return json_object_get(names, cell->toolchain) != NULL;
}

static json_t *toolchains_of(const struct results *results)
{
	json_t *names = json_object();

	for (size_t i = 0; i < results->cell_count; i++)
		json_object_set_new(names, results->cell[i].toolchain, json_true());
	return names;
}

static void rename_cells(struct results *results, const char *side, const json_t *own,
			 const json_t *other)
{
	for (size_t i = 0; i < results->cell_count; i++) {
		struct cell *cell = &results->cell[i];

		if (has_toolchain(own, cell) && has_toolchain(other, cell))
			rename_toolchain(cell, side);
		results_side_name(&cell->binary, side);
	}
}

static void take_kernels(struct results *into, const struct results *from)
{
	for (size_t i = 0; i < from->kernel_count; i++) {
		if (results_kernel_find(into, from->kernel[i].name))
			continue;
		ARRAY_NEED(into->kernel, into->kernel_count, from->kernel[i]);
	}
}

void results_join(struct results *into, struct results *from)
{
	JSON_FREED json_t *names = toolchains_of(into), *others = toolchains_of(from);

	rename_cells(into, RESULTS_SIDE_A, names, others);
	rename_cells(from, RESULTS_SIDE_B, others, names);
	take_kernels(into, from);
	for (size_t i = 0; i < from->cell_count; i++)
		ARRAY_NEED(into->cell, into->cell_count, from->cell[i]);
	from->cell_count = 0;
	if (!into->bad_lines)
		into->first_bad_line = from->first_bad_line;
	into->bad_lines += from->bad_lines;
	into->missing += from->missing;
	into->finished &= from->finished;
}
