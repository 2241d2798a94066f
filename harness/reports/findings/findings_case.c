/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings_case.c - an image's findings as a test case's output: JUnit has it, and CI servers show it
 */
#include "findings.h"

void findings_case_lines(struct judged_case *judged, const struct finding_set *findings)
{
	size_t shown = 0;
	char line[1024];

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding_record *finding = &findings->held[i].finding;

		if (finding_is_excused(finding))
			continue;
		if (shown++ == FINDINGS_CASE_LINES) {
			case_output(judged, "...");
			return;
		}
		snprintf(line, sizeof(line), "%s+0x%llx: %s %s: %s",
			 finding->function[0] ? finding->function : "the image",
			 (unsigned long long)finding->offset, finding->id, finding->title,
			 finding->actual);
		case_output(judged, line);
	}
}
