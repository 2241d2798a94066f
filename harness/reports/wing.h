/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - results as text, pages and SARIF, and compared with an earlier run
 *
 *	report/		the results of a run of the matrix: cells, joined, ranked, as text, HTML and JUnit
 *	findings/	lint's findings: compared with a baseline, as SARIF and as a page
 *	flame/		stacks as a flame graph and a table of functions, on a page
 *	changes/	two runs compared: what became better or worse
 */
#ifndef STACKPROOF_REPORTS_WING_H
#define STACKPROOF_REPORTS_WING_H

#endif
