/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_resume.c - `run --resume`: what an earlier run has judged is kept, the rest is run
 *
 * A run that was killed leaves results.ndjson up to some line, which may be half a line; one that
 * was interrupted leaves all of it, with errors for what nobody judged. In both a cell is kept if
 * it passed, failed or was skipped. What was an error is run again, and so is a cell with a kernel
 * fault: which kernel is at fault is decided when all are in.
 *
 * Two halves make one run only if they are halves of the same: the header's "identity" must be what
 * this run would write there. It has digests of the corpus (the manifest's binaries and the bytes
 * of their files), of the list of --ignore and of stackproof itself; the machine and its kernel;
 * the kernels, what is done on each, and the engines.
 *
 * The kept cells are written to a new file, which then takes the old one's place and grows: a run
 * that is killed while it resumes can be resumed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cli/json_counts.h"
#include "base/cli/input_file.h"
#include "walk/image_store.h"
#include "base/cli/no_memory.h"
#include "run.h"

/* ---- what a run is -------------------------------------------------------------------- */

/* Of a file's bytes; 0 if it can't be read: then its cells are errors, and run again. */
static uint64_t hash_file(const char *path)
{
	FILE_CLOSED FILE *file = input_file_open(path, &(struct error) { 0 });
	struct stat st;
	uint64_t hash = 0;

	if (!file)
		return 0;
	FREED char *bytes = !fstat(fileno(file), &st) ? malloc((size_t)st.st_size + 1) : NULL;
	if (bytes)
		hash = hash_bytes(bytes, fread(bytes, 1, (size_t)st.st_size, file));
	return hash;
}

static json_t *digest(uint64_t hash)
{
	return json_sprintf("0x%016" PRIx64, hash);
}

/* Of all that the manifest says, and of its files. */
static json_t *corpus_digest(const struct manifest *manifest)
{
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = need_memory(open_memstream(&text, &size));

	for (size_t i = 0; i < manifest->count; i++) {
		const struct corpus_binary *binary = &manifest->binary[i];

		fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%" PRIx64 "\n", binary->name,
			binary->program, binary->toolchain, binary->variant, binary->language,
			binary->expected ? binary->expected : "-",
			binary->skip ? binary->skip : "-", hash_file(binary->path));
		for (size_t j = 0; j < binary->file_count; j++)
			fprintf(file, "\t%s\t%" PRIx64 "\n", binary->guest_file[j],
				hash_file(binary->file[j]));
	}
	fclose(file);
	return digest(hash_bytes(text, size));
}

static json_t *lanes(const struct results *results)
{
	json_t *list = json_array();

	for (size_t i = 0; i < results->kernel_count; i++)
		json_array_append_new(list, json_sprintf("%s %s", results->kernel[i].name,
							 results->kernel[i].how));
	return list;
}

void run_identify(struct results *results, const struct manifest *manifest,
		  const struct run_options *options)
{
	json_t *host = json_object_get(results->header, "host");
	json_t *identity = json_object();

	JSON_SET(identity, "stackproof", digest(hash_file("/proc/self/exe")), "corpus",
		 corpus_digest(manifest), "kernels", lanes(results));
	json_object_set(identity, "engines", json_object_get(results->header, "engines"));
	json_object_set(identity, "host_kernel", json_object_get(host, "kernel_release"));
	json_object_set(identity, "cpu", json_object_get(host, "cpu"));
	JSON_SET(identity, "recorded", json_boolean(options->record), "ignore",
		 options->ignore ? digest(hash_file(options->ignore->path)) : json_null());
	json_object_set_new(results->header, "identity", identity);
}

/* -1: it is another run's folder, and why. */
static int check_identity(const struct results *old, const struct results *results,
			  struct error *error)
{
	static const struct {
		const char *name, *text;
	} parts[] = {
		{ "stackproof", "stackproof itself is another one" },
		{ "corpus", "the corpus, or what --filter leaves of it, is another one" },
		{ "kernels", "the kernels, or what is done on them, are others" },
		{ "engines", "the engines are others" },
		{ "host_kernel", "this machine's kernel is another one" },
		{ "cpu", "the CPU is another one" },
		{ "recorded", "only one of the two has --record" },
		{ "ignore", "the list of --ignore is another one" },
	};
	const json_t *before = json_object_get(old->header, "identity");
	const json_t *now = json_object_get(results->header, "identity");

	if (!json_is_object(before))
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "it can't be resumed: it does not say what was run");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!json_equal(json_object_get(before, parts[i].name),
				json_object_get(now, parts[i].name)))
			return error_set(error, ERROR_UNAVAILABLE, "", 0, "it can't be resumed: %s",
					 parts[i].text);
	return 0;
}

/* ---- what is kept --------------------------------------------------------------------- */

static bool has_kernel_fault(const struct cell *cell)
{
	struct finding_record finding;

	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		if (!strcmp(finding.verdict, "kernel_fault"))
			return true;
	return false;
}

/* For what the list of --ignore was worth over both halves. */
static void count_ignored(const struct cell *cell, struct ignore_list *list)
{
	struct finding_record finding;

	for (size_t at = 0; list && cell_finding(cell, &at, &finding);)
		if (finding.ignored)
			ignore_list_match(list, &finding);
}

/* The old cell's outcome and objects become the new one's. */
static bool keep_cell(struct cell *to, const struct cell *from, const struct run_options *options)
{
	if (from->status == CELL_PENDING || from->status == CELL_ERROR || has_kernel_fault(from))
		return false;
	json_array_extend(to->objects, from->objects);
	cell_set(to, from->status, "%s", from->reason);
	to->seconds = from->seconds;
	count_ignored(to, options->ignore);
	cell_require(to, options->require);
	return true;
}

static size_t keep_cells(struct results *results, const struct results *old,
			 const struct run_options *options)
{
	JSON_FREED json_t *index = json_object();
	size_t kept = 0;

	for (size_t i = 0; i < results->cell_count; i++) {
		JSON_FREED json_t *key = json_sprintf("%s\n%s", results->cell[i].kernel,
						      results->cell[i].binary);

		JSON_SET(index, key ? json_string_value(key) : "", i);
	}
	for (size_t i = 0; i < old->cell_count; i++) {
		JSON_FREED json_t *key = json_sprintf("%s\n%s", old->cell[i].kernel,
						      old->cell[i].binary);
		const json_t *number = json_object_get(index, key ? json_string_value(key) : "\n");

		if (number)
			kept += keep_cell(&results->cell[json_integer_value(number)], &old->cell[i],
					  options);
	}
	return kept;
}

/* How a lane's guest ended is news only if it is not run again. */
static void keep_lane(struct results_kernel *to, const struct results_kernel *from, bool whole)
{
	*to = *from;
	if (!strcmp(to->name, HOST_LANE))
		return;
	if (whole && to->outcome[0] && strcmp(to->outcome, "interrupted") != 0)
		return;
	snprintf(to->outcome, sizeof(to->outcome), "%s", whole ? "ok" : "");
	to->sentence[0] = '\0';
}

static void keep_lanes(struct results *results, const struct results *old)
{
	for (size_t i = 0; i < results->kernel_count && i < old->kernel_count; i++) {
		size_t count[CELL_STATUS_COUNT];

		results_count(results, results->kernel[i].name, count);
		keep_lane(&results->kernel[i], &old->kernel[i], !count[CELL_PENDING]);
	}
}

/* The header says when it was resumed, and with how many cells; the time is the first run's. */
static void note_resumed(struct results *results, const struct results *old, size_t kept)
{
	json_t *before = json_object_get(old->header, "resumed");
	json_t *resumed = json_is_array(before) ? json_copy(before) : json_array();

	json_array_append_new(resumed, json_pack("{s:O, s:I}", "time",
						 json_object_get(results->header, "time"), "kept",
						 (json_int_t)kept));
	json_object_set_new(results->header, "resumed", resumed);
	if (json_is_string(json_object_get(old->header, "time")))
		json_object_set(results->header, "time", json_object_get(old->header, "time"));
}

int run_resume(struct results *results, const struct run_options *options, double *ret_seconds,
	       struct error *error)
{
	struct results old;
	int status = results_read(&old, options->results, error);

	if (!status && old.bad_lines > old.torn) {
		*error = old.first_bad_line;
		status = -1;
	}
	if (!status)
		status = check_identity(&old, results, error);
	if (!status) {
		size_t kept = keep_cells(results, &old, options);

		keep_lanes(results, &old);
		note_resumed(results, &old, kept);
		*ret_seconds = old.seconds;
	}
	results_deinit(&old);
	return status;
}
