/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat_image.c - how large an image's table is, what it is made of, and what it lost
 *
 * Rows are those that the FDEs say, before merging and without markers; bytes are all that BPF is
 * given. The build time is the best of a few runs from the open file to the finished table: one
 * run alone mostly measures the page cache. What became of the CFI's rows that no rule can hold is
 * listed by reason.
 */
#include <time.h>
#include "clock.h"
#include "report/json_counts.h"
#include "commands/stat/stat.h"

#define BUILD_RUNS 3

/* All that was made of one file. */
struct subject {
	struct image *image;
	struct cfi *cfi;
	struct table *table;
	uint64_t build_ns;
};

static void subject_deinit(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
	image_destroy(subject->image);
	*subject = (struct subject) { 0 };
}

static int build_table(struct subject *subject, struct error *error)
{
	return table_build(subject->image, &subject->table, error);
}

/* One build. An image without CFI has an empty table: that is a result, not a failure. */
static int build(const char *path, struct subject *ret, struct error *error)
{
	*ret = (struct subject) { 0 };
	uint64_t start = monotonic_ns();
	if (image_create(path, &ret->image, error))
		return -1;
	if (build_table(ret, error)) {
		subject_deinit(ret);
		return -1;
	}
	ret->build_ns = monotonic_ns() - start;
	return 0;
}

static int build_best(const char *path, struct subject *ret, struct error *error)
{
	uint64_t best = UINT64_MAX;
	for (int run = 0; run < BUILD_RUNS; run++) {
		if (run)
			subject_deinit(ret);
		if (build(path, ret, error))
			return -1;
		if (ret->build_ns < best)
			best = ret->build_ns;
	}
	ret->build_ns = best;
	if (cfi_create(ret->image, &ret->cfi, error) && error->code != ERROR_NO_CFI) {
		subject_deinit(ret);
		return -1;
	}
	return 0;
}

static json_t *lost(const struct table *table)
{
	json_t *object = json_object();
	/* A PC without an FDE is no row of the CFI, so it was not lost. */
	for (unsigned int i = TABLE_NO_ROW + 1; i < TABLE_MARKER_COUNT; i++)
		if (table->lost[i])
			json_object_set_new(object, table_marker_name(i),
					    json_integer((json_int_t)table->lost[i]));
	return object;
}

static json_t *stat_object(const struct subject *subject)
{
	const struct table *table = subject->table;
	uint64_t rows = subject->cfi ? cfi_row_count(subject->cfi) : 0;
	json_t *object = json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:I}", "type",
				   "stat", "image", json_bytes(subject->image->path), "fdes",
				   (json_int_t)(subject->cfi ? subject->cfi->fde_count : 0), "rows",
				   (json_int_t)rows, "rules",
				   (json_int_t)(table->rule_count - TABLE_MARKER_COUNT),
				   "table_bytes", (json_int_t)table_bytes(table), "bytes_per_row",
				   rows ? (double)table_bytes(table) / (double)rows : 0.0,
				   "build_ns", (json_int_t)subject->build_ns, "lost", lost(table),
				   "lost_fdes", (json_int_t)table->lost_fdes);
	if (!object)
		return NULL;
	stat_expressions(subject->cfi, object);
	stat_coverage(subject->image, subject->cfi, object);
	return object;
}

static void write_diagnostics(const struct subject *subject, FILE *output)
{
	struct error_list list = { 0 };
	if (subject->cfi)
		cfi_check(subject->cfi, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct error *error = &list.error[i];
		json_line(output,
			  json_pack("{s:s, s:o, s:o, s:I, s:o}", "type", "stat_diagnostic", "image",
				    json_bytes(subject->image->path), "section",
				    json_bytes(error->section), "offset", (json_int_t)error->offset,
				    "message", json_bytes(error->message)));
	}
	if (list.dropped)
		json_line(output, json_pack("{s:s, s:o, s:I}", "type", "stat_diagnostic", "image",
					    json_bytes(subject->image->path), "more",
					    (json_int_t)list.dropped));
	error_list_deinit(&list);
}

void stat_image(const struct image_path *image, FILE *output)
{
	struct subject subject;
	struct error error;
	if (build_best(image->path, &subject, &error)) {
		json_line(output,
			  json_pack("{s:s, s:o, s:s, s:o}", "type", "stat_error", "image",
				    json_bytes(image->path), "code", error_code_name(error.code),
				    "message", json_error(&error)));
		return;
	}
	json_line(output, stat_object(&subject));
	write_diagnostics(&subject, output);
	subject_deinit(&subject);
}
