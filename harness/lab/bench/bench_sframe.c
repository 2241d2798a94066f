/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_sframe.c - reading SFrame against objdump, and a compact table of it against one of the same image's CFI
 *
 * The image is a copy with .sframe of what its CFI says (bench_sframe_make.c). Before anything is timed, our lines are
 * those of `objdump --sframe`, no row is wrong, and each row is what the table has at its address.
 */
#include <string.h>
#include "base/cli/own_folder.h"
#include "bench.h"
#include "clock.h"
#include "sframe/sframe.h"
#include "tables/prove/prove.h"
#include "tables/prove/sframe_proof.h"

struct subject {
	char *folder, path[4096];
	struct image *image;
	uint64_t functions, rows;
};

static void close_subject(struct subject *subject)
{
	image_destroy(subject->image);
	own_folder_remove(subject->folder);
}

/* ---- do they agree? ------------------------------------------------------------------------- */

struct holding {
	const struct table *table;
	uint64_t rows, different;
};

static int hold_row(void *context, const struct row *row)
{
	struct holding *holding = context;
	const struct table *table = holding->table;
	uint32_t number = table_find(table, row->pc);
	struct table_rule_full rule;

	holding->rows++;
	holding->different += table_rule_from_row(row, &rule) || number < TABLE_MARKER_COUNT ||
			      memcmp(&table->rule[number], &rule.rule, sizeof(rule.rule)) != 0;
	return 0;
}

static void pass_finding(void *context, const struct sframe_finding *finding)
{
}

/* The rows of SFrame are those of the CFI, and those of the table. */
static int agree_rows(struct subject *subject, struct error *error)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct table *table DEINIT(table_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct holding holding = { .table = NULL };
	struct sframe_proof proof;

	if (sframe_create(subject->image, &sframe, error) ||
	    cfi_create(subject->image, &cfi, error) ||
	    table_build_sframe(subject->image, sframe, &table, error))
		return -1;
	sframe_prove(cfi, sframe, pass_finding, NULL, &proof);
	holding.table = table;
	for (size_t i = 0; i < sframe->function_count; i++)
		sframe_canonical_rows(sframe, &sframe->function[i], hold_row, &holding, error);
	if (!holding.rows || holding.different || proof.wrong)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "of %llu rows %llu are not the table's, and %llu not the CFI's",
				 (unsigned long long)holding.rows,
				 (unsigned long long)holding.different,
				 (unsigned long long)proof.wrong);
	subject->functions = sframe->function_count;
	subject->rows = holding.rows;
	return 0;
}

static void pass_line(void *context, const struct readelf_difference *difference)
{
}

static int agree_lines(const struct subject *subject, struct error *error)
{
	struct readelf_proof counts = { 0 };

	if (prove_lines(subject->image, "objdump", &prove_sframe_source, pass_line, NULL, &counts,
			error))
		return -1;
	return counts.differ || !counts.lines
		       ? error_set(error, ERROR_PROTOCOL, "", 0,
				   "objdump --sframe prints other lines than we do")
		       : 0;
}

static int open_subject(const char *name, struct subject *ret, struct error *error)
{
	char path[4096];

	*ret = (struct subject) { .folder = NULL };
	if (bench_image_find(name, path, error))
		return -1;
	ret->folder = own_folder_create("bench", error);
	if (!ret->folder || bench_sframe_make(path, ret->folder, ret->path, error) ||
	    image_create(ret->path, &ret->image, error))
		return -1;
	return agree_rows(ret, error);
}

/* ---- times ---------------------------------------------------------------------------------- */

static int pass_row(void *context, const struct sframe_row *row)
{
	++*(uint64_t *)context;
	return 0;
}

/* Milliseconds of reading all that is in the section. */
static int read_once(const struct subject *subject, double *ret, struct error *error)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	uint64_t begin = monotonic_ns(), rows = 0;

	if (sframe_create(subject->image, &sframe, error))
		return -1;
	for (size_t i = 0; i < sframe->function_count; i++)
		if (sframe_rows(sframe, &sframe->function[i], pass_row, &rows, error) < 0)
			return -1;
	*ret = (monotonic_ns() - begin) / 1e6;
	return 0;
}

static int build_once(const struct subject *subject, double *ret, struct error *error)
{
	struct table *table DEINIT(table_destroy_at) = NULL;
	uint64_t begin = monotonic_ns();

	if (table_build_own_sframe(subject->image, &table, error))
		return -1;
	*ret = (monotonic_ns() - begin) / 1e6;
	return 0;
}

static int some(int (*once)(const struct subject *, double *, struct error *),
		const struct subject *subject, double *ret, struct error *error)
{
	double ms[BENCH_INNER_RUNS];

	for (unsigned int i = 0; i < BENCH_INNER_RUNS; i++)
		if (once(subject, &ms[i], error))
			return -1;
	*ret = bench_median(ms, BENCH_INNER_RUNS);
	return 0;
}

static int objdump_ms(const struct subject *subject, double *ret, struct error *error)
{
	const char *const argv[] = { "objdump", "--sframe", subject->path, NULL };

	return bench_program_ms(argv, 0, ret, error);
}

static int table_ms(const struct subject *subject, double *ret, struct error *error)
{
	return bench_build_ms(subject->image, ret, error);
}

/* Measures ours and the reference in turn. */
static int measure(const struct bench_options *options, const struct subject *subject,
		   int (*ours)(const struct subject *, double *, struct error *),
		   int (*theirs)(const struct subject *, double *, struct error *),
		   struct bench_figure *ret, struct error *error)
{
	double value[BENCH_RUNS_MAX], reference[BENCH_RUNS_MAX];

	for (unsigned int i = 0; i < options->runs; i++)
		if (some(ours, subject, &value[i], error) || theirs(subject, &reference[i], error))
			return -1;
	ret->value = bench_median(value, options->runs);
	ret->unit = "ms";
	ret->reference_value = bench_median(reference, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note),
		 "%.200s with .sframe of its CFI: %llu functions, %llu rows, the same by both",
		 ret->subject, (unsigned long long)subject->functions,
		 (unsigned long long)subject->rows);
	return 0;
}

int bench_sframe_read(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	struct subject subject DEINIT(close_subject) = { .folder = NULL };

	ret->reference = "objdump --sframe";
	return open_subject(ret->subject, &subject, error) || agree_lines(&subject, error)
		       ? -1
		       : measure(options, &subject, read_once, objdump_ms, ret, error);
}

int bench_sframe_table(const struct bench_options *options, struct bench_figure *ret,
		       struct error *error)
{
	struct subject subject DEINIT(close_subject) = { .folder = NULL };

	ret->reference = "a table of the same image's .eh_frame";
	return open_subject(ret->subject, &subject, error)
		       ? -1
		       : measure(options, &subject, build_once, table_ms, ret, error);
}
