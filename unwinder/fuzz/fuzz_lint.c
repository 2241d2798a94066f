/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_lint.c - bytes as an image, or an object file, whose code is held against its CFI
 *
 * Whatever the bytes are, every FDE comes to one outcome and the sums are right; findings have a place,
 * a meaning and texts; points and judgements lie in FDEs; no instruction that is said to be proven, or wrong,
 * lies where nothing was followed; and followed again it is all the same.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>
#include "fuzz.h"
#include "analysis/lint/lint.h"

struct seen {
	const struct cfi *cfi;
	uint64_t findings, fdes, proven, mismatch, instructions, instructions_proven;
	uint64_t digest; /* of all that was told */
};

static void add(struct seen *seen, uint64_t value)
{
	seen->digest = fuzz_mix(seen->digest ^ value);
}

static bool begins_fde(const struct cfi *cfi, uint64_t pc)
{
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (cfi->fde[cfi->by_pc[i]].pc_begin == pc)
			return true;
	return false;
}

static void on_finding(void *context, const struct lint_finding *finding)
{
	struct seen *seen = context;

	fuzz_require(finding->id > LINT_NONE && finding->id < LINT_ID_COUNT, "id %d", finding->id);
	fuzz_require(finding->pc_end >= finding->pc, "0x%" PRIx64 " to 0x%" PRIx64, finding->pc,
		     finding->pc_end);
	fuzz_require(memchr(finding->declared, '\0', sizeof(finding->declared)) &&
			     memchr(finding->actual, '\0', sizeof(finding->actual)),
		     "a text without an end");
	fuzz_require(*finding->actual, "%s says nothing", lint_ids[finding->id].name);
	fuzz_require(!finding->function || begins_fde(seen->cfi, finding->function),
		     "no FDE begins at 0x%" PRIx64, finding->function);
	fuzz_require(finding->path.count <= FLOW_TRACE_MAX, "%u jumps", finding->path.count);
	fuzz_require(!lint_finding_compare(finding, finding), "it is before itself");
	seen->findings++;
	add(seen, finding->pc + finding->id * 2 + finding->reg);
	add(seen, finding->from ^ finding->pc_end);
}

static void on_point(void *context, const struct lint_point *point)
{
	struct seen *seen = context;
	const struct cfi_fde *fde = cfi_fde_find(seen->cfi, point->pc);

	fuzz_require(point->length && point->length <= CODE_BYTES_MAX, "a point of %u bytes",
		     point->length);
	fuzz_require(fde || seen->cfi->overlapping, "no FDE covers the point 0x%" PRIx64,
		     point->pc);
	fuzz_require(point->outcome != FLOW_ROW_UNPROVEN || point->reason < FLOW_REASON_COUNT,
		     "no reason");
	add(seen, point->pc * 4 + point->outcome);
}

static void on_judged(void *context, uint64_t pc, enum flow_outcome outcome,
		      enum flow_reason reason)
{
	struct seen *seen = context;

	fuzz_require(outcome == FLOW_ROW_UNPROVEN || reason == FLOW_REASON_COUNT,
		     "a reason at 0x%" PRIx64, pc);
	seen->instructions++;
	seen->instructions_proven += outcome == FLOW_ROW_PROVEN;
	add(seen, pc * 4 + outcome);
}

static void on_fde(void *context, const struct lint_fde *fde)
{
	struct seen *seen = context;

	fuzz_require(fde->begin < fde->end && fde->pc >= fde->begin && fde->pc < fde->end,
		     "0x%" PRIx64 " of 0x%" PRIx64 " to 0x%" PRIx64, fde->pc, fde->begin, fde->end);
	fuzz_require(fde->outcome != FLOW_ROW_UNPROVEN || fde->reason < FLOW_REASON_COUNT,
		     "an FDE is unproven for no reason");
	seen->fdes++;
	seen->proven += fde->outcome == FLOW_ROW_PROVEN;
	seen->mismatch += fde->outcome == FLOW_ROW_MISMATCH;
	add(seen, fde->begin * 4 + fde->outcome);
}

static void check_counts(const struct seen *seen, const struct lint_counts *counts)
{
	uint64_t unproven = 0, findings = 0;

	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		unproven += counts->unproven[i];
	for (int i = 0; i < LINT_ID_COUNT; i++)
		findings += counts->findings[i];
	fuzz_require(counts->fdes == counts->proven + counts->mismatch + unproven,
		     "%" PRIu64 " FDEs", counts->fdes);
	fuzz_require(counts->fdes == seen->fdes && counts->proven == seen->proven &&
			     counts->mismatch == seen->mismatch,
		     "the FDEs that were told are others");
	fuzz_require(findings == seen->findings, "%" PRIu64 " findings, and %" PRIu64 " were told",
		     findings, seen->findings);
	fuzz_require(counts->instructions == seen->instructions &&
			     counts->instructions_proven == seen->instructions_proven,
		     "the instructions that were told are others");
}

/* What was told. points: ask for them, too, which takes the other way through functions that are
 * right. */
static struct seen follow(const struct cfi *cfi, const struct object *object, bool points)
{
	struct seen seen = { .cfi = cfi };
	const struct lint_watch watch = { .finding = on_finding,
					  .point = points ? on_point : NULL,
					  .judged = on_judged,
					  .fde = on_fde,
					  .context = &seen };
	struct lint_counts counts;
	struct error error;

	if (lint_image(cfi, object, &watch, &counts, &error)) {
		fuzz_require(error.code == ERROR_TABLE_LIMIT && *error.message, "%s: %s",
			     error_code_name(error.code), error.message);
		return (struct seen) { .cfi = cfi };
	}
	check_counts(&seen, &counts);
	fuzz_require(seen.fdes == cfi->by_pc_count, "%" PRIu64 " FDEs of %zu", seen.fdes,
		     cfi->by_pc_count);
	return seen;
}

static void check_cfi(const struct cfi *cfi, const struct object *object)
{
	struct seen plain = follow(cfi, object, false), again = follow(cfi, object, false);
	struct seen points = follow(cfi, object, true);

	fuzz_require(plain.digest == again.digest, "followed again it is another");
	fuzz_require(plain.findings == points.findings && plain.proven == points.proven &&
			     plain.mismatch == points.mismatch,
		     "%" PRIu64 " findings, %" PRIu64 " proven; with points %" PRIu64 ", %" PRIu64,
		     plain.findings, plain.proven, points.findings, points.proven);
}

int fuzz_lint(const uint8_t *data, size_t size)
{
	struct image *image;
	struct object *object = NULL;
	struct cfi *cfi = NULL;
	struct error error;

	if (image_create_memory(data, size, "fuzz", &image, &error))
		return 0;
	if ((image->type != ET_REL || !object_create(image, &object, &error)) &&
	    !cfi_create(object ? object->image : image, &cfi, &error))
		check_cfi(cfi, object);
	cfi_destroy(cfi);
	object_destroy(object);
	image_destroy(image);
	return 0;
}
