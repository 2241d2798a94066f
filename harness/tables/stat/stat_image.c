/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat_image.c - how large an image's table is, what it is made of, and what it lost
 *
 * Rows are those that the FDEs say, before merging and without markers; bytes are all that BPF is
 * given. The build time is the best of a few runs from the open file to the finished table: one
 * run alone mostly measures the page cache. What became of the CFI's rows that no rule can hold is
 * listed by reason.
 */
#include <inttypes.h>
#include <malloc.h>
#include "clock.h"
#include "base/gate/gate.h"
#include "base/cli/json_counts.h"
#include "base/images/debug_link.h"
#include "stat.h"
#include "table/lost_cfi.h"
#include "table/unwind_table.h"

#define BUILD_RUNS  3
#define OUTSIDE_MAX 10000 /* FDEs outside of code: what is said of one is longer than it */

/* All that was made of one file. */
struct subject {
	struct opened_image opened;
	struct image *image; /* the same */
	struct cfi *cfi;
	struct table *table; /* until the CFI is read: the two are as large as all the rest */
	struct table_size {
		uint64_t rules;
		uint64_t bytes;
		uint64_t lost[TABLE_MARKER_COUNT];
	} size;
	uint64_t build_ns; /* the best */
	uint64_t
		build_first_ns; /* the first, which a profiler pays: in fresh memory, pages not mapped */
};

static void subject_deinit(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
	image_path_close(&subject->opened);
	*subject = (struct subject) { 0 };
}

static int build_table(struct subject *subject, struct error *error)
{
	return table_build(subject->image, &subject->table, error);
}

/* One build. An image without CFI has an empty table: that is a result, not a failure. */
static int build(const struct image_path *path, struct subject *ret, struct error *error)
{
	*ret = (struct subject) { 0 };
	uint64_t start = monotonic_ns();
	if (image_path_open(path, &ret->opened, error))
		return -1;
	ret->image = ret->opened.image;
	uint64_t opened = monotonic_ns();
	debug_link_adopt(ret->image); /* looking for it is not building */
	uint64_t adopted = monotonic_ns();
	if (build_table(ret, error)) {
		subject_deinit(ret);
		return -1;
	}
	ret->build_ns = monotonic_ns() - adopted + opened - start;
	return 0;
}

/* What a build has freed malloc() keeps for the next one, which so waits for no fresh pages: but
 * in pieces, into which what grows does not fit, so that the next takes more. A compiler's table
 * takes half of its CFI. With one that is larger than its CFI, memory goes first: as in the
 * first build, what is large is mapped, grows by being mapped elsewhere, and goes back when it
 * is freed. */
#define MAPPED_BYTES (128 << 10) /* as large as malloc() maps in a process that has freed nothing */
#define KEPT_BYTES   (32 << 20)	 /* as large as it keeps, of a process that has */

static void bound_memory(const struct subject *subject)
{
	const struct image *image = subject->image;
	if (table_bytes(subject->table) > image->eh_frame.size + image->debug_frame.size)
		return;
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * KEPT_BYTES);
}

/* All that is said of the table, which then makes room for the CFI. */
static void take_size(struct subject *subject)
{
	const struct table *table = subject->table;
	subject->size.rules = table->rule_count - TABLE_MARKER_COUNT;
	subject->size.bytes = table_bytes(table);
	for (unsigned int i = 0; i < TABLE_MARKER_COUNT; i++)
		subject->size.lost[i] = table->lost[i];
	table_destroy(subject->table);
	subject->table = NULL;
}

static int build_best(const struct image_path *path, struct subject *ret, struct error *error)
{
	uint64_t best = UINT64_MAX, first = 0;
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	for (int run = 0; run < BUILD_RUNS; run++) {
		if (run)
			subject_deinit(ret);
		if (build(path, ret, error))
			return -1;
		if (!run) {
			first = ret->build_ns;
			bound_memory(ret);
		}
		if (ret->build_ns < best)
			best = ret->build_ns;
	}
	ret->build_ns = best;
	ret->build_first_ns = first;
	take_size(ret);
	if (cfi_create(ret->image, &ret->cfi, error) && error->code != ERROR_NO_CFI) {
		subject_deinit(ret);
		return -1;
	}
	return 0;
}

static json_t *lost(const struct table_size *table)
{
	json_t *object = json_object();
	/* A PC without an FDE is no row of the CFI, so it was not lost. */
	for (unsigned int i = TABLE_NO_ROW + 1; i < TABLE_MARKER_COUNT; i++)
		if (table->lost[i])
			JSON_SET(object, table_marker_name(i), table->lost[i]);
	return object;
}

static json_t *stat_object(const struct subject *subject)
{
	const struct table_size *table = &subject->size;
	uint64_t rows = subject->cfi ? cfi_row_count(subject->cfi) : 0;
	json_t *object = JSON_NEW("type", "stat", "image", subject->image->path, "fdes",
				  subject->cfi ? subject->cfi->fde_count : 0, "rows", rows, "rules",
				  table->rules, "table_bytes", table->bytes, "bytes_per_row",
				  rows ? (double)table->bytes / (double)rows : 0.0, "build_ns",
				  subject->build_ns, "build_first_ns", subject->build_first_ns,
				  "lost", lost(table));
	struct gate_image gate;

	if (!object)
		return NULL;
	stat_expressions(subject->cfi, object);
	stat_sframe(subject->image, object);
	gate_image_read(subject->image, subject->opened.file, subject->cfi, &gate);
	gate_image_json(&gate, object);
	return JSON_SET(object, "malformed_rows", table->lost[TABLE_MALFORMED], "debug_refused",
			subject->image->debug_refused);
}

/* addresses may be NULL: then nobody knows which code it is about. */
static void write_diagnostic(const struct subject *subject, const struct cfi_addresses *addresses,
			     const struct error *error, FILE *output)
{
	json_t *object = JSON_NEW("type", "stat_diagnostic", "image", subject->image->path, "code",
				  error_code_name(error->code), "section", error->section, "offset",
				  error->offset, "message", error->message);
	uint64_t pc, pc_end;

	if (addresses && cfi_addresses_find(addresses, error, &pc, &pc_end)) {
		json_set_hex(object, "pc", pc);
		if (pc_end > pc)
			json_set_hex(object, "pc_end", pc_end);
	}
	json_line(output, object);
}

static void write_diagnostics(const struct subject *subject, FILE *output)
{
	struct error_list list = { 0 };
	struct cfi_addresses *addresses = NULL;
	struct error ignored; /* of memory: what is wrong is said all the same */
	if (!subject->cfi)
		return;
	cfi_check(subject->cfi, &list);
	if (list.count && cfi_addresses_create(subject->cfi, &addresses, &ignored))
		addresses = NULL;
	for (size_t i = 0; i < list.count; i++)
		write_diagnostic(subject, addresses, &list.error[i], output);
	if (list.dropped)
		json_line(output, JSON_NEW("type", "stat_diagnostic", "image", subject->image->path,
					   "more", list.dropped));
	cfi_addresses_destroy(addresses);
	error_list_deinit(&list);
}

struct outside {
	const struct subject *subject;
	FILE *output;
	json_int_t count;
};

static int write_outside(void *context, const struct cfi_fde *fde)
{
	struct outside *outside = context;
	if (++outside->count > OUTSIDE_MAX)
		return 0;
	const struct cfi *cfi = outside->subject->cfi;
	json_t *object = JSON_NEW("type", "stat_lost", "image", outside->subject->image->path,
				  "reason", "outside", "section", cfi->cie[fde->cie].section->name,
				  "offset", fde->offset, "message", OUTSIDE_MESSAGE);

	json_set_hex(object, "pc", fde->pc_begin);
	json_set_hex(object, "pc_end", fde->pc_begin + fde->pc_range);
	json_line(outside->output, object);
	return 0;
}

static void write_error(const char *path, const struct error *error, FILE *output)
{
	json_line(output, JSON_NEW("type", "stat_error", "image", path, "code",
				   error_code_name(error->code), "message", json_error(error)));
}

static void write_lost(const struct subject *subject, FILE *output)
{
	struct outside outside = { subject, output, 0 };
	struct error error;
	uint64_t count;
	/* Without memory for them nobody else tells. */
	if (subject->cfi && cfi_outside(subject->cfi, write_outside, &outside, &count, &error))
		write_error(subject->image->path, &error, output);
	if (outside.count > OUTSIDE_MAX)
		json_line(output,
			  JSON_NEW("type", "stat_lost", "image", subject->image->path, "reason",
				   "outside", "more", outside.count - OUTSIDE_MAX));
}

void stat_image(const struct image_path *image, FILE *output)
{
	struct subject subject;
	struct error error;
	if (build_best(image, &subject, &error)) {
		write_error(image->path, &error, output);
		return;
	}
	json_t *object = stat_object(&subject);
	json_line(output, object);
	write_diagnostics(&subject, output);
	write_lost(&subject, output);
	subject_deinit(&subject);
}
