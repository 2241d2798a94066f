/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_findings.h - findings that are kept until all are known
 *
 * An image may have many, so each is kept once: who takes them on frees them one by one.
 */
#ifndef STACKPROOF_LINT_FINDINGS_H
#define STACKPROOF_LINT_FINDINGS_H

#include "lint.h"

/* Zero-initialise. */
struct lint_findings {
	struct lint_finding **finding;
	size_t count;
	bool no_memory; /* not all are there */
};

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding);
/* Gives each to fn, in order, and forgets it. */
void lint_findings_give(struct lint_findings *list,
			void (*fn)(void *context, const struct lint_finding *finding),
			void *context);
/* Leaves out those whose places are NULL. */
void lint_findings_pack(struct lint_findings *list);
/* By lint_finding_compare(). */
void lint_findings_sort(struct lint_findings *list);
void lint_findings_deinit(struct lint_findings *list);

#endif
