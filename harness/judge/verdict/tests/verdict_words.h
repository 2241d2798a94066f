/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * verdict_words.h - the verdict that a case expects, in a word
 *
 * Of a struct of the test's that has a verdict and the kind of its fault.
 */
#ifndef STACKPROOF_TESTS_VERDICT_WORDS_H
#define STACKPROOF_TESTS_VERDICT_WORDS_H

#include "judge/verdict/verdict.h"

#define FAULT(kind_) .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_##kind_
#define SILENT_LOSS  .verdict = VERDICT_CONVERSION_LOSS_SILENT, .kind = FAULT_SILENT
#define FLAGGED_LOSS .verdict = VERDICT_CONVERSION_LOSS_FLAGGED, .kind = FAULT_FLAGGED

/* What the referee says: not in braces, at which clang-format would give each value of the case a line. */
#define STEP(...) IN_BRACES(__VA_ARGS__)

#endif
