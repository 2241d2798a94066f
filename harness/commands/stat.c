/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stat.c - `stackproof stat ELF...`: how large an image's table is, and what it lost
 *
 * Rows are those that the FDEs say, before merging and without markers; bytes are all that BPF is
 * given. The build time is the best of a few runs from the open file to the finished table: one
 * run alone mostly measures the page cache. What became a marker is listed by reason.
 */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "harness.h"
#include "unwinder.h"

#define BUILD_RUNS 3

struct options {
	bool json;
	char **file;
	int file_count;
};

/* All that was made of one file. */
struct subject {
	struct image *image;
	struct cfi *cfi;
	struct table *table;
	uint64_t rows;
	uint64_t build_ns;
};

static const struct argp_option option_list[] = {
	{ "json", 'j', NULL, 0, "one JSON object per image", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;
	switch (key) {
	case 'j': options->json = true; break;
	case ARGP_KEY_ARGS:
		options->file = state->argv + state->next;
		options->file_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no ELF file"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void subject_deinit(struct subject *subject)
{
	table_destroy(subject->table);
	cfi_destroy(subject->cfi);
	image_destroy(subject->image);
	*subject = (struct subject) { 0 };
}

/* One build. An image without CFI has an empty table: that is a result, not a failure. */
static int build(const char *path, struct subject *ret, struct error *error)
{
	*ret = (struct subject) { 0 };
	uint64_t start = now_ns();
	if (image_create(path, &ret->image, error))
		return -1;
	if ((cfi_create(ret->image, &ret->cfi, error) && error->code != ERROR_NO_CFI) ||
	    table_create(ret->image, ret->cfi, &ret->table, error)) {
		subject_deinit(ret);
		return -1;
	}
	ret->build_ns = now_ns() - start;
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
	ret->rows = cfi_row_count(ret->cfi);
	return 0;
}

static double bytes_per_row(const struct subject *subject)
{
	return subject->rows ? (double)table_bytes(subject->table) / (double)subject->rows : 0;
}

static void print_json(const struct subject *subject)
{
	const struct table *table = subject->table;
	json_t *lost = json_object();
	/* A PC without an FDE is no row of the CFI, so it was not lost. */
	for (unsigned int i = TABLE_NO_ROW + 1; i < TABLE_MARKER_COUNT; i++)
		if (table->lost[i])
			json_object_set_new(lost, table_marker_name(i),
					    json_integer((json_int_t)table->lost[i]));
	json_t *object =
		json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:I}", "type", "stat",
			  "image", subject->image->path, "fdes",
			  (json_int_t)subject->cfi->fde_count, "rows", (json_int_t)subject->rows,
			  "rules", (json_int_t)(table->rule_count - TABLE_MARKER_COUNT),
			  "table_bytes", (json_int_t)table_bytes(table), "bytes_per_row",
			  bytes_per_row(subject), "build_ns", (json_int_t)subject->build_ns, "lost",
			  lost, "lost_fdes", (json_int_t)table->lost_fdes);
	if (!object)
		return;
	json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(object);
}

static void print_text(const struct subject *subject)
{
	const struct table *table = subject->table;
	printf("%9zu %9" PRIu64 " %7u %10" PRIu64 " %6.2f %9.3f  %s\n", subject->cfi->fde_count,
	       subject->rows, table->rule_count - TABLE_MARKER_COUNT, table_bytes(table),
	       bytes_per_row(subject), (double)subject->build_ns / 1e6, subject->image->path);
	for (unsigned int i = TABLE_NO_ROW + 1; i < TABLE_MARKER_COUNT; i++)
		if (table->lost[i])
			printf("%9s %9" PRIu64 " rows lost: %s\n", "", table->lost[i],
			       table_marker_name(i));
	if (table->lost_fdes)
		printf("%9" PRIu64 " FDEs lost\n", table->lost_fdes);
}

static enum exit_status do_file(const struct options *options, const char *path)
{
	struct subject subject;
	struct error error;
	if (build_best(path, &subject, &error)) {
		error_print(stderr, path, &error);
		return EXIT_BAD_INPUT;
	}
	if (options->json)
		print_json(&subject);
	else
		print_text(&subject);
	struct error_list diagnostics = { 0 };
	cfi_check(subject.cfi, &diagnostics);
	for (size_t i = 0; i < diagnostics.count; i++)
		error_print(stderr, path, &diagnostics.error[i]);
	if (diagnostics.dropped)
		fprintf(stderr, "%s: and %zu more\n", path, diagnostics.dropped);
	enum exit_status status = diagnostics.count ? EXIT_BAD_INPUT : EXIT_OK;
	error_list_deinit(&diagnostics);
	subject_deinit(&subject);
	return status;
}

int command_stat(int argc, char **argv)
{
	static const struct argp argp = {
		option_list,
		parse_option,
		"ELF...",
		"Prints the size of the unwind tables of ELF files, and what they lost.",
		NULL,
		NULL,
		NULL,
	};
	struct options options = { 0 };
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return EXIT_USAGE;
	if (!options.json)
		printf("%9s %9s %7s %10s %6s %9s  %s\n", "fdes", "rows", "rules", "bytes", "b/row",
		       "build ms", "image");
	enum exit_status status = EXIT_OK;
	for (int i = 0; i < options.file_count; i++) {
		enum exit_status one = do_file(&options, options.file[i]);
		if (one)
			status = one;
	}
	return status;
}
