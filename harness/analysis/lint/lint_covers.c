/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_covers.c - findings on what FDEs cover, whatever their rows say
 */
#include <inttypes.h>
#include "image/eh_frames.h"
#include "lint_judge.h"

void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde)
{
	struct lint_finding finding = { .id = LINT_OVERLAP,
					.pc = fde->pc_begin,
					.pc_end = before->pc_begin + before->pc_range,
					.function = fde->pc_begin };

	snprintf(finding.declared, sizeof(finding.declared), "by the FDE of %#" PRIx64,
		 before->pc_begin);
	snprintf(finding.actual, sizeof(finding.actual), "and by that of %#" PRIx64, fde->pc_begin);
	lint_judge_report(judge, &finding);
}

void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end)
{
	struct lint_finding finding = { .id = LINT_UNCOVERED, .pc = pc, .pc_end = pc_end };

	snprintf(finding.declared, sizeof(finding.declared), "no FDE covers it");
	snprintf(finding.actual, sizeof(finding.actual),
		 "it is a function, or something leads there");
	snprintf(finding.mend, sizeof(finding.mend), LINT_MEND_FDE);
	lint_judge_report(judge, &finding);
}

void lint_judge_search_table(struct lint_judge *judge)
{
	struct error_list list = { NULL };

	eh_frame_hdr_check(judge->cfi, &list);
	for (size_t i = 0; i < list.count; i++) {
		struct lint_finding finding = { .id = LINT_SEARCH_TABLE };

		snprintf(finding.actual, sizeof(finding.actual), "%.95s", list.error[i].message);
		lint_judge_report(judge, &finding);
	}
	error_list_deinit(&list);
}

/* What no reader can make a row of. What some readers know, as other machines' instructions, accuses
 * nobody. */
void lint_judge_program(struct lint_judge *judge, const struct flow_part *part)
{
	const struct error *why = &part->why_malformed;
	struct lint_finding finding = { .id = LINT_BROKEN_OFF,
					.pc = part->begin,
					.pc_end = part->end,
					.function = part->begin };

	if (!part->malformed || (why->code != ERROR_CFI_STATE && why->code != ERROR_CFI_TRUNCATED))
		return;
	if (part->row_count)
		finding.pc = part->row[part->row_count - 1].pc_end;
	snprintf(finding.declared, sizeof(finding.declared), "%.95s", why->message);
	snprintf(finding.actual, sizeof(finding.actual), "no row from here on");
	lint_judge_report(judge, &finding);
}
