/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_findings.c - findings that are kept until all are known
 */
#include <stdlib.h>
#include "array.h"
#include "lint_findings.h"

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding)
{
	struct lint_finding *copy = malloc(sizeof(*copy));

	if (!copy || !ARRAY_GROW(list->finding, list->count)) {
		free(copy);
		list->no_memory = true;
		return;
	}
	*copy = *finding;
	list->finding[list->count++] = copy;
}

void lint_findings_give(struct lint_findings *list,
			void (*fn)(void *context, const struct lint_finding *finding),
			void *context)
{
	for (size_t i = 0; i < list->count; i++) {
		fn(context, list->finding[i]);
		free(list->finding[i]);
	}
	list->count = 0;
	lint_findings_deinit(list);
}

void lint_findings_pack(struct lint_findings *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->finding[i])
			list->finding[kept++] = list->finding[i];
	list->count = kept;
}

static int compare(const void *left, const void *right)
{
	const struct lint_finding *const *a = left, *const *b = right;

	return lint_finding_compare(*a, *b);
}

void lint_findings_sort(struct lint_findings *list)
{
	if (list->count)
		qsort(list->finding, list->count, sizeof(struct lint_finding *), compare);
}

void lint_findings_deinit(struct lint_findings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->finding[i]);
	free(list->finding);
	list->finding = NULL;
	list->count = 0;
}
