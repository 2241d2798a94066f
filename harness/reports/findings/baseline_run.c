/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * baseline_run.c - a run held against its baseline, image by image
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "findings.h"

size_t baseline_pair_list(struct baseline *baseline, const struct image_list *list)
{
	JSON_FREED json_t *names = json_array();
	FREED const char **name = calloc(list->count + 1, sizeof(*name));

	for (size_t i = 0; name && i < list->count; i++) {
		json_array_append_new(names, json_bytes(list->image[i].path));
		name[i] = json_string_value(json_array_get(names, i));
	}
	return name ? baseline_pair(baseline, name, list->count) : 0;
}

int baseline_open(const char *path, const struct image_list *list, struct baseline **ret,
		  struct error *error)
{
	*ret = NULL;
	if (baseline_read(path, ret, error))
		return -1;
	if (baseline_pair_list(*ret, list) || !list->count)
		return 0;
	baseline_destroy(*ret);
	*ret = NULL;
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s has none of the images", path);
}

json_t *baseline_hold(struct baseline *baseline, json_t *image, struct finding_set *findings,
		      baseline_wanted_fn wanted, const void *context)
{
	struct baseline_image *before = baseline_image_find(baseline, json_text(image, "image"));
	size_t known = baseline_match(before, findings), all = findings->count;
	json_t *gone = NULL;

	baseline->missing += before == NULL;
	if (strcmp(json_text(image, "status"), "linted") &&
	    !json_object_get(image, "wanted_findings")) /* of a file without CFI */
		return NULL; /* what is not found any more was not looked for */
	if (before && ++before->held >= before->copies)
		gone = baseline_gone(before, wanted, context);
	JSON_SET(image, "known_findings", known, "new_findings", all - known, "gone_findings",
		 json_array_size(gone));
	return gone;
}
