/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_ignore.c - a comparison's findings held against the list of those that are ignored
 *
 * The list, and what of a finding it is held against: ignore/ignore.h.
 */
#include "compare.h"
#include "base/ignore/ignore.h"

void ignore_list_apply(struct ignore_list *list, struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->findings.count; i++) {
		struct finding *finding = &comparison->findings.finding[i];
		const struct finding_record record = {
			.image = finding->image,
			.function = finding->function,
			.kind = fault_kind_name(finding->first.kind),
			.verdict = verdict_name(finding->first.verdict),
			.count = finding->count,
		};

		if (!finding->count || finding->ignored)
			continue;
		finding->ignored = ignore_list_match(list, &record);
		if (!finding->ignored)
			continue;
		comparison->ignored_findings++;
		comparison->ignored[finding->first.verdict] += finding->count;
	}
}
