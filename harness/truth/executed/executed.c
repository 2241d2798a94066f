/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed.c - places and faults: found by a hash while a run goes on, sorted when it is over
 */
#include <stdlib.h>
#include "array.h"
#include "executed.h"

int executed_init(struct executed *executed, struct error *error)
{
	*executed = (struct executed) { .every = 1 };
	return context_tree_init(&executed->images, error);
}

void executed_deinit(struct executed *executed)
{
	number_map_deinit(&executed->place_map);
	number_map_deinit(&executed->fault_map);
	context_tree_deinit(&executed->images);
	free(executed->place);
	free(executed->fault);
	*executed = (struct executed) { .place = NULL };
}

/* ---- while it goes on --------------------------------------------------------------------- */

struct place_key {
	const struct executed *executed;
	uint32_t image;
	uint64_t pc, from;
};

static bool is_place(void *context, uint32_t number)
{
	const struct place_key *key = context;
	const struct executed_place *place = &key->executed->place[number - 1];

	return place->pc == key->pc && place->from == key->from && place->image == key->image;
}

uint32_t executed_place(struct executed *executed, uint32_t image, uint64_t pc, uint64_t from)
{
	struct place_key key = { executed, image, pc, from };
	const uint64_t words[] = { image, pc, from };
	uint32_t *slot = number_map_find(&executed->place_map, number_hash(0, words, sizeof(words)),
					 is_place, &key);

	if (!slot || *slot)
		return slot ? *slot : 0;
	if (ARRAY_ADD(executed->place, executed->place_count,
		      (struct executed_place) { .image = image, .pc = pc, .from = from }))
		return *slot = executed->place_count;
	executed->place_map.count--;
	return 0;
}

struct fault_key {
	const struct executed *executed;
	const struct executed_fault *fault;
};

static bool is_fault(void *context, uint32_t number)
{
	const struct fault_key *key = context;
	const struct executed_fault *a = &key->executed->fault[number - 1], *b = key->fault;

	return a->pc == b->pc && a->from == b->from && a->image == b->image && a->kind == b->kind &&
	       a->lost == b->lost && a->registers == b->registers;
}

uint32_t executed_fault(struct executed *executed, const struct executed_fault *fault)
{
	struct fault_key key = { executed, fault };
	const uint64_t words[] = { fault->image, fault->pc, fault->from, fault->kind,
				   fault->registers };
	uint32_t *slot = number_map_find(&executed->fault_map, number_hash(0, words, sizeof(words)),
					 is_fault, &key);

	if (!slot || *slot)
		return slot ? *slot : 0;
	if (ARRAY_ADD(executed->fault, executed->fault_count, *fault))
		return *slot = executed->fault_count;
	executed->fault_map.count--;
	return 0;
}

/* ---- when it is over ---------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *left, const void *right)
{
	const struct executed_place *a = left, *b = right;
	int order = compare(a->image, b->image);

	order = order ? order : compare(a->pc, b->pc);
	return order ? order : compare(a->from, b->from);
}

static int compare_faults(const void *left, const void *right)
{
	const struct executed_fault *a = left, *b = right;
	int order = compare(a->image, b->image);

	order = order ? order : compare(a->pc, b->pc);
	order = order ? order : compare(a->kind, b->kind);
	order = order ? order : compare(a->registers, b->registers);
	order = order ? order : compare(a->lost, b->lost);
	return order ? order : compare(a->from, b->from);
}

void executed_sort(struct executed *executed)
{
	number_map_deinit(&executed->place_map);
	number_map_deinit(&executed->fault_map);
	ARRAY_SORT(executed->place, executed->place_count, compare_places);
	ARRAY_SORT(executed->fault, executed->fault_count, compare_faults);
}

/* How many lie before (image, pc). */
static uint32_t places_before(const struct executed *executed, uint32_t image, uint64_t pc)
{
	const struct executed_place key = { .image = image, .pc = pc };
	return ARRAY_BEFORE(executed->place_count, i,
			    compare_places(&executed->place[i], &key) < 0);
}

static uint32_t faults_before(const struct executed *executed, uint32_t image, uint64_t pc)
{
	const struct executed_fault key = { .image = image, .pc = pc };
	return ARRAY_BEFORE(executed->fault_count, i,
			    compare_faults(&executed->fault[i], &key) < 0);
}

uint32_t executed_places(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_place **ret)
{
	uint32_t first = places_before(executed, image, begin);

	*ret = executed->place + first;
	return places_before(executed, image, end) - first;
}

uint32_t executed_faults(const struct executed *executed, uint32_t image, uint64_t begin,
			 uint64_t end, const struct executed_fault **ret)
{
	uint32_t first = faults_before(executed, image, begin);

	*ret = executed->fault + first;
	return faults_before(executed, image, end) - first;
}
