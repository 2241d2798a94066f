/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_tally.c - samples and points, stack by stack
 */
#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "array.h"
#include "hash.h"
#include "score_tally.h"

/* All stacks of the same functions. */
struct group {
	uint64_t path; /* a hash of the functions */
	uint64_t points, unproven, samples;
	uint32_t leaf;	/* class */
	bool in_kernel; /* a system call has the stack */
};

struct score_tally {
	const struct score_truth *truth;
	uint32_t *class;     /* by function: the first of those that share a name with it */
	struct group *group; /* [0] means none */
	uint32_t groups;
	struct number_map map;
	uint64_t open, undecided;
};

/* ---- functions that share a name ------------------------------------------------------------ */

static uint32_t class_of(const uint32_t *class, uint32_t function)
{
	while (class[function] != function)
		function = class[function];
	return function;
}

static void join(uint32_t *class, uint32_t a, uint32_t b)
{
	a = class_of(class, a);
	b = class_of(class, b);
	class[a > b ? a : b] = a > b ? b : a;
}

/* A stretch without CFI has a name, too: it is none of the functions in it. */
static bool is_stretch(const char *key)
{
	return !strncmp(key, "gap@", 4);
}

static void join_all(struct score_tally *tally, uint32_t key)
{
	const struct score_truth *truth = tally->truth;
	uint32_t first = truth->key_first[key];

	if (is_stretch(profile_texts_get(&truth->keys, key)))
		return;
	for (uint32_t at = first; at; at = truth->keyed[at].next)
		join(tally->class, truth->keyed[first].function, truth->keyed[at].function);
}

static int make_classes(struct score_tally *tally, struct error *error)
{
	const struct score_truth *truth = tally->truth;

	tally->class = calloc(truth->functions, sizeof(*tally->class));
	if (!tally->class)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a tally");
	for (uint32_t i = 0; i < truth->functions; i++)
		tally->class[i] = i;
	for (uint32_t key = 1; key < truth->keys.count; key++)
		join_all(tally, key);
	for (uint32_t i = 0; i < truth->functions; i++)
		tally->class[i] = class_of(tally->class, i);
	return 0;
}

/* ---- groups --------------------------------------------------------------------------------- */

struct sought {
	const struct score_tally *tally;
	uint64_t path;
};

static bool is_path(void *context, uint32_t number)
{
	const struct sought *sought = context;

	return sought->tally->group[number].path == sought->path;
}

static uint64_t path_add(uint64_t path, uint32_t class)
{
	return hash_word(path, class);
}

/* The group of a path, made if it is not there. NULL: no memory. */
static struct group *group_of(struct score_tally *tally, uint64_t path)
{
	struct sought sought = { tally, path };
	uint32_t *number = number_map_find(&tally->map, path, is_path, &sought);

	if (!number)
		return NULL;
	if (!*number) {
		if (!ARRAY_GROW(tally->group, tally->groups))
			return NULL;
		tally->group[tally->groups] = (struct group) { .path = path };
		*number = tally->groups++;
	}
	return &tally->group[*number];
}

static int add_leaf(struct score_tally *tally, const struct truth_node *node, uint64_t path,
		    uint32_t class)
{
	struct group *group = group_of(tally, path_add(path, class));

	if (!group)
		return -1;
	group->leaf = class;
	group->points += node->points;
	group->unproven += node->unproven;
	group->in_kernel |= node->in_kernel != 0;
	return 0;
}

static uint32_t class_of_place(const struct score_tally *tally, uint32_t place)
{
	return tally->class[tally->truth->place[place].function];
}

static int add_nodes(struct score_tally *tally)
{
	const struct score_truth *truth = tally->truth;
	uint32_t count = truth_file_node_count(truth->file);
	FREED uint64_t *path = calloc(count, sizeof(*path));
	int status = path ? 0 : -1;

	for (uint32_t i = 0; i < count && !status; i++) {
		const struct truth_node *node = truth_file_node(truth->file, i);
		uint64_t above = path[node->parent];

		if (truth_file_is_open(truth->file, i)) {
			tally->open += node->points + node->unproven;
			continue;
		}
		if (truth->caller_place[i])
			path[i] = path_add(above, class_of_place(tally, truth->caller_place[i]));
		if (truth->leaf_place[i])
			status = add_leaf(tally, node, above,
					  class_of_place(tally, truth->leaf_place[i]));
	}
	return status;
}

int score_tally_create(const struct score_truth *truth, struct score_tally **ret,
		       struct error *error)
{
	struct score_tally *tally = calloc(1, sizeof(*tally));

	*ret = NULL;
	if (!tally)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a tally");
	tally->truth = truth;
	tally->groups = 1;
	if (!make_classes(tally, error) && ARRAY_GROW(tally->group, 0) && !add_nodes(tally)) {
		*ret = tally;
		return 0;
	}
	score_tally_destroy(tally);
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a tally");
}

void score_tally_destroy(struct score_tally *tally)
{
	if (!tally)
		return;
	number_map_deinit(&tally->map);
	free(tally->class);
	free(tally->group);
	free(tally);
}

/* ---- samples -------------------------------------------------------------------------------- */

/* The path of a state; false: its names mean several. */
static bool path_of(const struct score_tally *tally, struct score_matcher *matcher, uint32_t state,
		    uint64_t *ret)
{
	*ret = 0;
	for (; state != SCORE_START; state = score_matcher_state(matcher, state)->before) {
		uint32_t class = score_matcher_class(matcher, state, tally->class);

		if (!class)
			return false;
		*ret = path_add(*ret, class);
	}
	return true;
}

void score_tally_count(struct score_tally *tally, struct score_matcher *matcher, uint32_t state,
		       uint64_t count)
{
	struct sought sought = { .tally = tally };
	uint32_t number = 0;

	if (path_of(tally, matcher, state, &sought.path))
		number = number_map_get(&tally->map, sought.path, is_path, &sought);
	if (number)
		tally->group[number].samples += count;
	else
		tally->undecided += count;
}

/* ---- the result ----------------------------------------------------------------------------- */

static uint64_t lost_of(const struct group *group)
{
	return group->points > group->samples ? group->points - group->samples : 0;
}

struct score_tally_sums score_tally_sums(const struct score_tally *tally)
{
	struct score_tally_sums sums = { .open = tally->open, .undecided = tally->undecided };

	for (uint32_t i = 1; i < tally->groups; i++) {
		const struct group *group = &tally->group[i];
		uint64_t stops = group->points + group->unproven;

		sums.points += group->points;
		sums.unproven += group->unproven;
		sums.lost += lost_of(group);
		sums.counted += group->points - lost_of(group);
		if (group->samples > stops)
			*(group->in_kernel ? &sums.in_kernel : &sums.surplus) += group->samples -
										 stops;
	}
	return sums;
}

static int worse(const void *a, const void *b)
{
	const struct score_tally_function *one = a, *other = b;

	return one->lost != other->lost
		       ? (one->lost < other->lost ? 1 : -1)
		       : (one->function > other->function) - (one->function < other->function);
}

size_t score_tally_lost(const struct score_tally *tally, struct score_tally_function *ret,
			size_t max)
{
	uint32_t functions = tally->truth->functions;
	FREED struct score_tally_function *all = calloc(functions, sizeof(*all));
	size_t count = 0;

	for (uint32_t i = 1; all && i < tally->groups; i++) {
		struct score_tally_function *function = &all[tally->group[i].leaf];

		function->function = tally->group[i].leaf;
		function->points += tally->group[i].points;
		function->lost += lost_of(&tally->group[i]);
	}
	if (all)
		qsort(all, functions, sizeof(*all), worse);
	for (; all && count < functions && count < max && all[count].lost; count++)
		ret[count] = all[count];
	return count;
}
