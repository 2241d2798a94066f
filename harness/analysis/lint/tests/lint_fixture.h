/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_fixture.h - a function in assembly, and what lint says of it
 *
 * A case is the body of one function f, with its directives. It is assembled and linked into a shared
 * object. What is expected are the findings, as "SPnnn begin..end declared / actual" from f's begin, and
 * then what the FDEs came to.
 */
#ifndef STACKPROOF_LINT_FIXTURE_H
#define STACKPROOF_LINT_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "assembly_fixture.h"
#include "analysis/flow/flow_row.h"
#include "analysis/lint/lint.h"

#define LEAF	     "	ret\n"
#define SECOND(name) "	.cfi_endproc\n" #name ":	.cfi_startproc\n"

struct lint_case {
	const char *rule, *assembly, *expected;
};

struct said {
	FILE *file;
	uint64_t begin;
};

static inline void say(void *context, const struct lint_finding *finding)
{
	struct said *said = context;

	if (!finding->pc_end)
		return; /* the search table's, in words of its own */
	fprintf(said->file, "%s %" PRIu64 "..%" PRIu64, lint_ids[finding->id].name,
		finding->pc - said->begin, finding->pc_end - said->begin);
	if (finding->from)
		fprintf(said->file, " from %" PRIu64, finding->from - said->begin);
	fprintf(said->file, " %s / %s\n", finding->declared, finding->actual);
}

static inline void say_counts(FILE *file, const struct lint_counts *counts)
{
	fprintf(file, "%" PRIu64 " of %" PRIu64, counts->instructions_proven, counts->instructions);
	if (counts->mismatch)
		fprintf(file, ", %" PRIu64 " mismatch", counts->mismatch);
	if (counts->proven)
		fprintf(file, ", %" PRIu64 " proven", counts->proven);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		if (counts->unproven[i])
			fprintf(file, ", %" PRIu64 " unproven %s", counts->unproven[i],
				lint_reasons[i].name);
}

/* A row in a section's own terms: the text's begin is 0 in what is said. */
static inline void replace_begin(char *text, uint64_t begin)
{
	char address[24], *at;

	for (int i = 0; i < 16; i++) {
		snprintf(address, sizeof(address), "%#" PRIx64, begin + (uint64_t)i);
		while ((at = strstr(text, address))) {
			char number[8];
			size_t kept = strlen(address);

			snprintf(number, sizeof(number), "0x%x", (unsigned int)i);
			memmove(at + strlen(number), at + kept, strlen(at + kept) + 1);
			memcpy(at, number, strlen(number));
		}
	}
}

/* What was told of instructions, beside the counts. */
struct told {
	struct said *said;
	uint64_t judged, proven, points;
	uint64_t fdes[FLOW_ROW_MISMATCH + 1];
	uint64_t reasons[FLOW_REASON_COUNT];
};

static inline void say_it(void *context, const struct lint_finding *finding)
{
	say(((struct told *)context)->said, finding);
}

static inline void say_nothing(void *context, const struct lint_finding *finding)
{
}

/* Each row that is proven is so by the state that is told with it. */
static inline void check_point(void *context, const struct lint_point *point)
{
	struct told *told = context;
	struct flow_row_verdict verdict;

	told->points++;
	ck_assert_uint_gt(point->length, 0);
	if (point->outcome != FLOW_ROW_PROVEN)
		return;
	ck_assert_ptr_nonnull(point->row);
	flow_row_check(point->row, point->pc, point->state, point->agreed, &verdict);
	ck_assert_int_eq(verdict.outcome, FLOW_ROW_PROVEN);
}

static inline void count_judged(void *context, uint64_t pc, enum flow_outcome outcome,
				enum flow_reason reason)
{
	struct told *told = context;

	told->judged++;
	told->proven += outcome == FLOW_ROW_PROVEN;
	ck_assert_int_eq(reason == FLOW_REASON_COUNT, outcome != FLOW_ROW_UNPROVEN);
}

static inline void count_fde(void *context, const struct lint_fde *fde)
{
	struct told *told = context;

	told->fdes[fde->outcome]++;
	if (fde->outcome == FLOW_ROW_UNPROVEN)
		told->reasons[fde->reason]++;
	ck_assert_uint_lt(fde->begin, fde->end);
	ck_assert_uint_ge(fde->pc, fde->begin);
	ck_assert_uint_lt(fde->pc, fde->end);
}

/* With the points that are told, each function is followed in full; without, first in one pass: the
 * verdict is the same. So it is if nobody is told of any. */
static inline void judge_as(const struct lint_case *test, const struct image *image,
			    const struct cfi *cfi, bool with_points)
{
	char *text = NULL;
	size_t size;
	struct said said = { open_memstream(&text, &size), image_symbol_address(image, "f") };
	struct told told = { .said = &said };
	const struct lint_watch watch = { say_it,	with_points ? check_point : NULL,
					  count_judged, count_fde,
					  &told,	false };
	static const struct lint_watch nobody = { .finding = say_nothing };
	struct lint_counts counts, alone;
	struct error error;

	/* A call by a PLT has stubs of its own, which are proven, too: only f's fragments are counted. */
	ck_assert_int_eq(lint_image(cfi, NULL, &watch, &counts, &error), 0);
	ck_assert_int_eq(lint_image(cfi, NULL, &nobody, &alone, &error), 0);
	ck_assert_mem_eq(&alone, &counts, sizeof(counts));
	ck_assert_uint_eq(told.fdes[FLOW_ROW_PROVEN], counts.proven);
	ck_assert_uint_eq(told.fdes[FLOW_ROW_MISMATCH], counts.mismatch);
	ck_assert_mem_eq(told.reasons, counts.unproven, sizeof(told.reasons));
	ck_assert_uint_eq(told.judged, counts.instructions);
	ck_assert_uint_eq(told.proven, counts.instructions_proven);
	if (with_points)
		ck_assert_uint_ge(told.points, told.proven);
	if (strstr(test->assembly, "@PLT")) {
		ck_assert_uint_ge(counts.proven, 1);
		counts.proven--;
		counts.fdes--;
		counts.instructions -= 5;
		counts.instructions_proven -= 5;
	}
	say_counts(said.file, &counts);
	fclose(said.file);
	replace_begin(text, said.begin);
	ck_assert_msg(!strcmp(text, test->expected), "%s%s:\n%s\nexpected:\n%s", test->rule,
		      with_points ? ", with points" : "", text, test->expected);
	free(text);
}

static inline void judge_function(const struct lint_case *test)
{
	struct assembled assembled;

	assembled_open_function(&assembled, test->assembly);
	judge_as(test, assembled.image, assembled.cfi, true);
	judge_as(test, assembled.image, assembled.cfi, false);
	assembled_close(&assembled);
}

#endif
