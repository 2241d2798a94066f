/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings_case.c - an image's findings as a test case's output: JUnit has it, and CI servers show it
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "findings.h"

void findings_case_lines(struct judged_case *judged, const json_t *findings)
{
	size_t i, shown = 0;
	json_t *finding;
	char line[1024];

	json_array_foreach(findings, i, finding)
	{
		const char *function = json_text(finding, "function");

		if (lint_is_excused(finding) ||
		    strcmp(json_text(finding, "type"), "lint_finding") != 0)
			continue;
		if (shown++ == FINDINGS_CASE_LINES) {
			case_output(judged, "...");
			return;
		}
		snprintf(line, sizeof(line), "%s+0x%llx: %s %s: %s",
			 function[0] ? function : "the image",
			 (unsigned long long)json_number(finding, "offset"),
			 json_text(finding, "id"), json_text(finding, "title"),
			 json_text(finding, "actual"));
		case_output(judged, line);
	}
}
