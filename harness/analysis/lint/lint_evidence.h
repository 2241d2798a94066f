/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_evidence.h - what stands beside a finding: instructions, the jumps that lead there, the line
 */
#ifndef STACKPROOF_LINT_EVIDENCE_H
#define STACKPROOF_LINT_EVIDENCE_H

#include "lint.h"

struct lint_evidence;

/* object: that cfi's image was made of, or NULL. All are borrowed. NULL: no memory. The caller's:
 * lint_evidence_destroy(). */
struct lint_evidence *lint_evidence_create(const struct cfi *cfi, const struct object *object,
					   const char *file);
void lint_evidence_destroy(struct lint_evidence *evidence);
/* Sets the finding's "instruction", "disassembly", "path", "path_cut", "source_file", "source_line",
 * "producer" or "compilers", where they are known. function: where it begins. Fastest in the
 * order of addresses. */
void lint_evidence_set(struct lint_evidence *evidence, const struct lint_finding *finding,
		       uint64_t function, json_t *object);

#endif
