/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - results as text, pages and SARIF, and against an earlier run
 *
 *	report/		what a run of the matrix came to: cells, joined, ranked, as text, HTML and JUnit
 *	findings/	a finding's key in any build, a baseline of them, SARIF and a page
 *	changes/	two runs against each other: what is new, gone, or elsewhere
 */
#ifndef STACKPROOF_REPORTS_WING_H
#define STACKPROOF_REPORTS_WING_H

#endif
