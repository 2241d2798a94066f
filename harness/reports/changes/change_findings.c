/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * change_findings.c - findings before and after
 *
 * What is held against each other are all findings of one verdict and kind in one function of one
 * image, by their names: places move when a program is built again. A name that is an address
 * (fde@0x1230, gap@0x6210) moves too: such findings are the same if the instruction is.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/no_memory.h"
#include "array.h"
#include "changes.h"
#include "base/cli/json_counts.h"

/* All findings of one verdict and kind in one function. */
struct group {
	const json_t *first; /* borrowed */
	const char *ignored; /* why; borrowed. NULL: one of them is not */
	uint64_t points;
	bool matched;
};

struct groups {
	struct group *group;
	size_t count;
	json_t *index; /* name: number of the group */
};

const char *change_image(const struct cell *cell, const json_t *finding)
{
	const char *image = json_text(finding, "image"), *slash = strrchr(image, '/');
	const char *own = strrchr(cell->binary, '/');

	image = slash ? slash + 1 : image;
	return image[0] && !strcmp(image, own ? own + 1 : cell->binary) ? "the program" : image;
}

/* verdict, kind, image and function; moved: what stays of the function when it moves, and the
 * instruction. To be freed. */
static char *group_name(const struct cell *cell, const json_t *finding, bool moved)
{
	const char *function = json_text(finding, "function");
	size_t size = moved ? strcspn(function, "@") : strlen(function);
	char *name = NULL;

	if (asprintf(&name, "%s\n%s\n%s\n%.*s\n%s", json_text(finding, "verdict"),
		     json_text(finding, "kind"), change_image(cell, finding), (int)size, function,
		     moved ? json_text(finding, "instruction") : "") < 0)
		no_memory();
	return name;
}

static bool has_address(const json_t *finding)
{
	const char *function = json_text(finding, "function");

	return !strncmp(function, "fde@", 4) || !strncmp(function, "gap@", 4);
}

static struct group *group_find(const struct groups *groups, const char *name)
{
	const json_t *number = json_object_get(groups->index, name);

	return number ? &groups->group[json_integer_value(number)] : NULL;
}

static void group_add(struct groups *groups, const struct cell *cell, const json_t *finding)
{
	char *name = group_name(cell, finding, false);
	struct group *group = group_find(groups, name);
	const char *ignored = json_string_value(json_object_get(finding, "ignored"));
	uint64_t points = json_number(finding, "count");

	if (!group) {
		if (!ARRAY_GROW(groups->group, groups->count))
			no_memory();
		json_object_set_new(groups->index, name, json_integer((json_int_t)groups->count));
		group = &groups->group[groups->count++];
		*group = (struct group) { .first = finding, .ignored = ignored };
	}
	/* A finding without a count was made of a digest: it is at one point at least. */
	group->points += points ? points : 1;
	if (!ignored && group->ignored) {
		group->ignored = NULL;
		group->first = finding; /* the evidence of what is not ignored */
	}
	free(name);
}

static void groups_init(struct groups *groups, const struct cell *cell)
{
	size_t index;
	json_t *object;

	*groups = (struct groups) { .index = json_object() };
	json_array_foreach(cell->objects, index, object)
	{
		if (!strcmp(json_text(object, "type"), "finding"))
			group_add(groups, cell, object);
	}
}

static void groups_deinit(struct groups *groups)
{
	json_decref(groups->index);
	free(groups->group);
}

/* Whether a share of the run's points is less before. */
static bool rises(uint64_t before, uint64_t after, uint64_t run_before, uint64_t run_after)
{
	return before < after &&
	       (unsigned __int128)before * run_after < (unsigned __int128)after * run_before;
}

/* One group of both sides. */
static void add_points(struct changed_cell *cell, struct group *before, struct group *after,
		       const uint64_t points[2])
{
	struct change *change;

	before->matched = after->matched = true;
	if (before->points == after->points)
		return;
	change = changed_cell_add(cell, CHANGE_FINDING_POINTS);
	change->before = before->first;
	change->after = after->first;
	change->points_before = before->points;
	change->points_after = after->points;
	if (rises(after->points, before->points, points[1], points[0]))
		change->direction = CHANGE_BETTER;
	else if (!rises(before->points, after->points, points[0], points[1]))
		change->direction = CHANGE_OTHER;
	else if (after->ignored)
		change->ignored = after->ignored;
	else
		change->direction = CHANGE_WORSE;
}

static void match_by_name(struct changed_cell *cell, struct groups *before, struct groups *after,
			  const uint64_t points[2])
{
	for (size_t i = 0; i < after->count; i++) {
		char *name = group_name(cell->after, after->group[i].first, false);
		struct group *same = group_find(before, name);

		if (same)
			add_points(cell, same, &after->group[i], points);
		free(name);
	}
}

/* Those that moved: name without address: numbers of the groups that are left of before. */
static void match_moved(struct changed_cell *cell, struct groups *before, struct groups *after,
			const uint64_t points[2])
{
	json_t *left = json_object();

	for (size_t i = before->count; i--;) {
		if (before->group[i].matched || !has_address(before->group[i].first))
			continue;
		char *name = group_name(cell->before, before->group[i].first, true);
		json_t *numbers = json_object_get(left, name);

		if (!numbers)
			json_object_set_new(left, name, numbers = json_array());
		json_array_append_new(numbers, json_integer((json_int_t)i));
		free(name);
	}
	for (size_t i = 0; i < after->count; i++) {
		if (after->group[i].matched || !has_address(after->group[i].first))
			continue;
		char *name = group_name(cell->after, after->group[i].first, true);
		json_t *numbers = json_object_get(left, name);
		size_t last = json_array_size(numbers);

		free(name);
		if (!last)
			continue;
		add_points(cell,
			   &before->group[json_integer_value(json_array_get(numbers, last - 1))],
			   &after->group[i], points);
		json_array_remove(numbers, last - 1);
	}
	json_decref(left);
}

/* Of findings that were not all kept, one that is missing need not be new, or gone. */
static void add_unmatched(struct changed_cell *cell, const struct groups *groups, bool is_new,
			  bool all_kept)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];
		struct change *change;

		if (group->matched)
			continue;
		change = changed_cell_add(cell, is_new ? CHANGE_FINDING_NEW : CHANGE_FINDING_GONE);
		change->before = is_new ? NULL : group->first;
		change->after = is_new ? group->first : NULL;
		change->points_before = is_new ? 0 : group->points;
		change->points_after = is_new ? group->points : 0;
		if (is_new)
			change->ignored = group->ignored;
		if (all_kept && !change->ignored)
			change->direction = is_new ? CHANGE_WORSE : CHANGE_BETTER;
	}
}

uint64_t change_findings(struct changed_cell *cell, const json_t *verdicts_before,
			 const json_t *verdicts_after)
{
	const uint64_t points[] = { json_number(verdicts_before, "points"),
				    json_number(verdicts_after, "points") };
	struct groups before, after;
	uint64_t excused = 0;

	groups_init(&before, cell->before);
	groups_init(&after, cell->after);
	match_by_name(cell, &before, &after, points);
	match_moved(cell, &before, &after, points);
	add_unmatched(cell, &after, true, !json_number(verdicts_before, "findings_not_kept"));
	add_unmatched(cell, &before, false, !json_number(verdicts_after, "findings_not_kept"));
	for (size_t i = 0; i < cell->count; i++)
		if (cell->change[i].ignored)
			excused += cell->change[i].points_after - cell->change[i].points_before;
	groups_deinit(&before);
	groups_deinit(&after);
	return excused;
}
