/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_program_fixture.h - programs in assembly, at a fixed address, and what lint says of each
 *
 * Expected are the findings, as "SPnnn function+begin" (of what has no name from f on), and then what the FDEs came to.
 */
#ifndef STACKPROOF_LINT_PROGRAM_FIXTURE_H
#define STACKPROOF_LINT_PROGRAM_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "assembly_fixture.h"
#include "cfi/code_name.h"
#include "analysis/lint/lint.h"

struct lint_program {
	const char *rule, *assembly, *expected;
	const char *flags; /* for the linker, beside the usual ones */
};

struct said {
	FILE *file;
	const struct cfi *cfi;
};

static inline void say(void *context, const struct lint_finding *finding)
{
	struct said *said = context;
	struct code_name name;

	code_name_find(said->cfi->image, said->cfi, finding->pc, &name);
	if (name.name)
		fprintf(said->file, "%s %s+%" PRIu64 "\n", lint_ids[finding->id].name, name.name,
			finding->pc - name.start);
	else
		fprintf(said->file, "%s f%+" PRId64 "\n", lint_ids[finding->id].name,
			(int64_t)(finding->pc - image_symbol_address(said->cfi->image, "f")));
}

static inline void say_counts(FILE *file, const struct lint_counts *counts)
{
	fprintf(file, "%" PRIu64 " wrong, %" PRIu64 " proven", counts->mismatch, counts->proven);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		if (counts->unproven[i])
			fprintf(file, ", %" PRIu64 " %s", counts->unproven[i],
				lint_reasons[i].name);
}

static inline void link_program(const char *path, const struct lint_program *program)
{
	char command[300], *text = spelled(program->assembly);
	FILE *file;

	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib -Wl,-e0 %s -masm=intel -x assembler -o %s -",
		 program->flags, path);
	file = popen(command, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "	.intel_syntax noprefix\n	.text\n%s", text);
	free(text);
	ck_assert_int_eq(pclose(file), 0);
}

#endif
