/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_cases.c - a profile's score as a case, for CI servers: its account, and each finding
 */
#include <inttypes.h>
#include "score.h"

#define LINE_BYTES 512

void score_add_case(struct cases *cases, const struct score *score, const char *profile,
		    enum case_status status)
{
	const uint64_t *class = score->all.class;
	struct judged_case *judged;
	char text[LINE_BYTES];

	snprintf(
		text, sizeof(text),
		"%" PRIu64 " samples: %" PRIu64 " exact, %" PRIu64 " truncated, %" PRIu64
		" impossible, %" PRIu64 " unproven, %" PRIu64 " not compared, %" PRIu64 " not read",
		score->samples, class[SCORE_EXACT], class[SCORE_TRUNCATED], class[SCORE_IMPOSSIBLE],
		class[SCORE_UNPROVEN], class[SCORE_SKIPPED], profile_lost(&score->profile));
	judged = cases_add(cases, "score", profile, status, text);
	for (uint32_t i = 0; i < score->findings; i++) {
		const struct score_finding *finding = &score->finding[i];
		const struct score_function *function = &score->truth->function[finding->function];

		snprintf(text, sizeof(text), "impossible x %" PRIu64 ": %s%s%s", finding->count,
			 score_reason_text(finding->reason), finding->function ? ", behind " : "",
			 finding->function ? function->name : "");
		case_output(judged, text);
	}
	if (score->called.contradict) {
		snprintf(text, sizeof(text),
			 "names that contradict their addresses: %" PRIu64 " of %" PRIu64
			 " checked, in %" PRIu64 " samples",
			 score->called.contradict, score->called.checked, score->called.samples);
		case_output(judged, text);
	}
	for (size_t i = 0; i < score->called.contradict && i < SCORE_CALLED_KEPT; i++) {
		const struct profile_frame *in = profile_frame(&score->profile,
							       score->called.first[i].frame);
		char found[LINE_BYTES / 2];

		score_called_found(score, &score->called.first[i], found, sizeof(found));
		snprintf(text, sizeof(text), "0x%" PRIx64 ": it says %.200s, there is %s",
			 in->address, profile_text(&score->profile, in->name), found);
		case_output(judged, text);
	}
}
