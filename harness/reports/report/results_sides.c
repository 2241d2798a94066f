/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_sides.c - what two runs side by side have judged, each
 *
 * The figures of both together hide a side of which nothing was judged, and a binary that one compiler
 * no longer makes. A binary's name holds its compiler's (chain.gcc-12.O2-fp), and two runs of two
 * compilers have no name in common: there the same program with the same flags is the counterpart.
 */
#include <string.h>
#include "base/gate/gate.h"
#include "results.h"

/* The name behind the side, NULL: another side's. */
static const char *name_on(const struct cell *cell, const char *side)
{
	size_t length = strlen(side);

	return strncmp(cell->binary, side, length) ? NULL : cell->binary + length;
}

/* What one side has. */
struct side {
	const char *name;   /* RESULTS_SIDE_A, RESULTS_SIDE_B */
	json_t *toolchains; /* of all cells, as they were called before the runs were joined */
	json_t *judged;	    /* names of binaries */
	json_t *builds;	    /* of what was judged: program, flags and toolchain */
	json_t *flags; /* the same without the toolchain, where the other side does not have that */
};

/* "gcc@A-16.2.0" -> "gcc-16.2.0": results_join() put it there. */
static void print_toolchain(const struct cell *cell, char *ret, size_t size)
{
	const char *at = strchr(cell->toolchain, '@');
	int before = at ? (int)(at - cell->toolchain) : (int)strlen(cell->toolchain);

	snprintf(ret, size, "%.*s%s", before, cell->toolchain, at && at[1] ? at + 2 : "");
}

/* What was built, by which toolchain; NULL: by any. None of the words has a newline. */
static void print_build(const struct cell *cell, const char *toolchain, char *ret, size_t size)
{
	snprintf(ret, size, "%s\n%s\n%s\n%s", cell->program, cell->variant, cell->language,
		 toolchain ? toolchain : "");
}

static void side_init(struct side *ret, const struct results *results, const char *name)
{
	char toolchain[256];

	*ret = (struct side) {
		.name = name,
		.toolchains = json_object(),
		.judged = json_object(),
		.builds = json_object(),
		.flags = json_object(),
	};
	for (size_t i = 0; i < results->cell_count; i++) {
		if (!name_on(&results->cell[i], name))
			continue;
		print_toolchain(&results->cell[i], toolchain, sizeof(toolchain));
		json_object_set_new(ret->toolchains, toolchain, json_true());
	}
}

static void side_deinit(struct side *side)
{
	json_decref(side->toolchains);
	json_decref(side->judged);
	json_decref(side->builds);
	json_decref(side->flags);
}

/* Whether a cell's toolchain is on the other side, too: then only the same one's binary is its counterpart. */
static bool is_shared(const struct cell *cell, const struct side *other, char *toolchain,
		      size_t size)
{
	print_toolchain(cell, toolchain, size);
	return json_object_get(other->toolchains, toolchain);
}

static void take_judged(struct side *side, const struct side *other, const struct results *results)
{
	char toolchain[256], build[1024];

	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		const char *name = name_on(cell, side->name);

		if (!name || !cell_is_judged(cell))
			continue;
		json_object_set_new(side->judged, name, json_true());
		if (!is_shared(cell, other, toolchain, sizeof(toolchain))) {
			print_build(cell, NULL, build, sizeof(build));
			json_object_set_new(side->flags, build, json_true());
		}
		print_build(cell, toolchain, build, sizeof(build));
		json_object_set_new(side->builds, build, json_true());
	}
}

/* By its name, as of the same build; else by what was built, for a name may hold the compiler's. */
static bool has_counterpart(const struct cell *cell, const struct side *other, const char *name)
{
	char toolchain[256], build[1024];
	bool shared = is_shared(cell, other, toolchain, sizeof(toolchain));

	print_build(cell, shared ? toolchain : NULL, build, sizeof(build));
	return json_object_get(other->judged, name) ||
	       json_object_get(shared ? other->builds : other->flags, build);
}

static uint64_t print_missing(const struct results *results, const struct side *side,
			      const struct side *other, FILE *file)
{
	json_t *told = json_object();
	uint64_t count = 0;

	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		const char *name = name_on(cell, side->name);

		if (!name || !cell_is_judged(cell) || json_object_get(told, name) ||
		    has_counterpart(cell, other, name))
			continue;
		json_object_set_new(told, name, json_true());
		if (count++ < RESULTS_ONLY_SHOWN)
			fprintf(file, "judged in %.1s only: %s\n", side->name, name);
	}
	if (count > RESULTS_ONLY_SHOWN)
		fprintf(file, "and %llu more\n", (unsigned long long)(count - RESULTS_ONLY_SHOWN));
	json_decref(told);
	return count;
}

bool results_sides_tell(const struct results *results, struct gate *gate, FILE *file)
{
	struct side a, b;
	bool both;

	side_init(&a, results, RESULTS_SIDE_A);
	side_init(&b, results, RESULTS_SIDE_B);
	take_judged(&a, &b, results);
	take_judged(&b, &a, results);
	both = json_object_size(a.judged) && json_object_size(b.judged);
	if (both) {
		gate_leave(gate, GATE_ONLY_BEFORE, print_missing(results, &a, &b, file));
		gate_leave(gate, GATE_ONLY_AFTER, print_missing(results, &b, &a, file));
	} else {
		fprintf(file, "nothing of %.1s was judged\n",
			json_object_size(a.judged) ? RESULTS_SIDE_B : RESULTS_SIDE_A);
	}
	side_deinit(&a);
	side_deinit(&b);
	return both;
}
