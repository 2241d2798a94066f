/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_rows.c - which instructions ran, by a file of facts about rows (truth/rows/row_facts.h)
 *
 * Of a guest that was looked at in the first runs of each block, it is these that are counted.
 */
#include <stdlib.h>
#include "executed.h"
#include "freed.h"
#include "truth/rows/row_facts.h"

static int add_facts(struct executed *executed, const struct row_facts *facts, struct error *error)
{
	FREED uint32_t *image = calloc(facts->images + 1, sizeof(*image));

	if (!image)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for images");
	for (uint32_t i = 0; i < facts->images; i++)
		if (context_tree_image(&executed->images, &facts->image[i], &image[i], error))
			return -1;
	for (uint32_t i = 0; i < facts->facts; i++) {
		const struct row_fact *fact = &facts->fact[i];
		uint32_t number = executed_place(executed, image[fact->image], fact->pc, 0);

		if (!number)
			return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for what ran");
		executed->place[number - 1].points += fact->proven + fact->unproven;
		executed->points += fact->proven + fact->unproven;
		executed->doubted += fact->unproven;
	}
	return 0;
}

int executed_read_rows(const char *path, struct executed *ret, struct error *error)
{
	struct row_facts facts;
	int result;

	*ret = (struct executed) { .place = NULL };
	result = row_facts_read(path, &facts, error);
	if (!result)
		result = executed_init(ret, error);
	if (!result)
		result = add_facts(ret, &facts, error);
	ret->partial = facts.partial;
	executed_sort(ret);
	row_facts_deinit(&facts);
	return result;
}
