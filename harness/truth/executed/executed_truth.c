/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_truth.c - which instructions ran, by a truth file
 *
 * A node's own counts are threads that stood at its address: whether their stack is proven doesn't matter
 * for that. What lies below it went out of its call, if its stack is true: the call ends where the
 * address is, unless a signal interrupted it there. Inside of a system call the PC is behind it, at what
 * perhaps never runs: that is not counted.
 */
#include <stdlib.h>
#include "executed.h"

struct reading {
	const struct truth_file *file;
	struct executed *executed;
	uint32_t *image;  /* the file's numbers -> ours */
	uint64_t *points; /* proven ones of a node and all below it */
	uint64_t *calls;  /* of those, below a call of the node's */
};

static bool count_below(struct reading *reading)
{
	uint32_t count = truth_file_node_count(reading->file);

	reading->points = calloc(count, sizeof(*reading->points));
	reading->calls = calloc(count, sizeof(*reading->calls));
	if (!reading->points || !reading->calls)
		return false;
	/* Descendants lie behind a node. */
	for (uint32_t i = count; i-- > 1;) {
		const struct truth_node *node = truth_file_node(reading->file, i);

		if (!node->depth)
			continue;
		reading->points[i] += node->points;
		reading->points[node->parent] += reading->points[i];
		if (!node->interrupts)
			reading->calls[node->parent] += reading->points[i];
	}
	return true;
}

static bool add(struct reading *reading, const struct truth_node *node, uint64_t pc,
		uint64_t points, uint64_t calls)
{
	struct executed *executed = reading->executed;
	uint32_t number;

	if (!points && !calls)
		return true;
	number = executed_place(executed, reading->image[node->image], pc, 0);
	if (!number)
		return false;
	executed->place[number - 1].points += points;
	executed->place[number - 1].calls += calls;
	return true;
}

static int add_nodes(struct reading *reading, struct error *error)
{
	struct executed *executed = reading->executed;
	bool good = count_below(reading);

	for (uint32_t i = 1; good && i < truth_file_node_count(reading->file); i++) {
		const struct truth_node *node = truth_file_node(reading->file, i);

		if (!node->depth)
			continue;
		good = add(reading, node, node->address, node->points + node->unproven, 0);
		executed->points += node->points + node->unproven;
		executed->doubted += node->unproven;
		/* What returns from a signal's handler was not called. */
		if (good && !node->interrupts)
			good = add(reading, node, node->address - 1, 0, reading->calls[i]);
	}
	return good ? 0 : error_set(error, ERROR_MEMORY, NULL, 0, "no memory for what ran");
}

static int add_images(struct reading *reading, struct error *error)
{
	size_t count = truth_file_image_count(reading->file);

	reading->image = calloc(count + 1, sizeof(*reading->image));
	if (!reading->image)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for images");
	for (size_t i = 0; i < count; i++)
		if (context_tree_image(&reading->executed->images,
				       truth_file_image(reading->file, i), &reading->image[i],
				       error))
			return -1;
	return 0;
}

int executed_read_truth(const char *path, struct executed *ret, struct error *error)
{
	struct reading reading = { .executed = ret };
	struct truth_file *file;
	int result;

	*ret = (struct executed) { .place = NULL };
	if (truth_file_open(path, &file, error))
		return -1;
	reading.file = file;
	result = executed_init(ret, error);
	ret->every = truth_file_number(file, "every");
	ret->partial = truth_file_partial(file) != NULL;
	if (!result)
		result = add_images(&reading, error);
	if (!result)
		result = add_nodes(&reading, error);
	executed_sort(ret);
	free(reading.image);
	free(reading.points);
	free(reading.calls);
	truth_file_close(file);
	return result;
}
