/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_lint.c - how many functions lint judges in a second of CPU time, against decoding alone
 *
 * The reference reads the same code of the same FDEs by Zydis, operands included, and follows
 * nothing: what it takes to look at each instruction once. One thread, the page cache warm; CPU time, so
 * that others on the machine count little. The note has the peak of the process's memory.
 */
#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"
#include "analysis/code/code.h"
#include "analysis/lint/lint.h"

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* From here on the process's peak of memory is counted anew (proc(5), clear_refs). */
static void reset_peak(void)
{
	FILE_CLOSED FILE *file = fopen("/proc/self/clear_refs", "we");

	if (file) /* else the peak is that of all that was measured before */
		fputs("5", file);
}

/* 0 if it can't be had. */
static uint64_t peak_kib(void)
{
	FILE_CLOSED FILE *file = fopen("/proc/self/status", "re");
	char line[200];
	uint64_t peak = 0;

	while (file && !peak && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6))
			peak = strtoull(line + 6, NULL, 10);
	return peak;
}

static void ignore_finding(void *context, const struct lint_finding *finding)
{
	(void)context, (void)finding;
}

/* FDEs in a second, the CFI's reading included. */
static int lint_once(const struct image *image, double *ret, struct lint_counts *ret_counts,
		     struct error *error)
{
	const struct lint_watch watch = { .finding = ignore_finding };
	double begin = cpu_seconds();
	struct cfi *cfi = NULL;
	int result = cfi_create(image, &cfi, error);

	if (!result)
		result = lint_image(cfi, NULL, &watch, ret_counts, error);
	cfi_destroy(cfi);
	if (!result)
		*ret = (double)ret_counts->fdes / (cpu_seconds() - begin);
	return result;
}

static uint64_t decode_fde(const ZydisDecoder *zydis, const uint8_t *bytes, uint64_t size)
{
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t count = 0;

	while (size) {
		bool good = ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			zydis, bytes, size < CODE_BYTES_MAX ? size : CODE_BYTES_MAX, &instruction,
			operand));
		uint64_t length = good ? instruction.length : 1;

		bytes += length;
		size -= length;
		count += good;
	}
	return count;
}

static double decode_once(const struct cfi *cfi, uint64_t *ret_instructions)
{
	double begin = cpu_seconds();
	ZydisDecoder zydis;

	*ret_instructions = 0;
	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		const uint8_t *bytes = image_bytes(cfi->image, fde->pc_begin, fde->pc_range);

		if (bytes)
			*ret_instructions += decode_fde(&zydis, bytes, fde->pc_range);
	}
	return (double)cfi->by_pc_count / (cpu_seconds() - begin);
}

int bench_lint(const struct bench_options *options, struct bench_figure *ret, struct error *error)
{
	double ours[BENCH_RUNS_MAX], theirs[BENCH_RUNS_MAX];
	struct lint_counts counts = { 0 };
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	uint64_t instructions = 0, peak;
	char path[4096];

	if (bench_image_find(ret->subject, path, error) || image_create(path, &image, error) ||
	    cfi_create(image, &cfi, error))
		return -1;
	reset_peak();
	if (lint_once(image, &ours[0], &counts, error)) /* it is in the page cache from here on */
		return -1;
	peak = peak_kib();
	for (unsigned int i = 0; i < options->runs; i++) {
		if (lint_once(image, &ours[i], &counts, error))
			return -1;
		theirs[i] = decode_once(cfi, &instructions);
	}
	ret->value = bench_median(ours, options->runs);
	ret->unit = "FDEs/s";
	ret->reference = "Zydis alone";
	ret->reference_value = bench_median(theirs, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note),
		 "%.500s: %" PRIu64 " FDEs, %" PRIu64 " proven, %" PRIu64
		 " instructions by both; peak %" PRIu64 " MiB; published of unwind-check: 28000",
		 path, counts.fdes, counts.proven, instructions, peak >> 10);
	return 0;
}
