/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * report_toolchains.c - results and binaries -> the toolchain report's model
 *
 * The results say what was found; the manifest, what was expected; the binaries, what their tables
 * hold and whose code an address is. Findings get marks from the last two before the model counts
 * them: "expected" (true: corpus.tsv announced it), "section" (a PLT section: the linker's work),
 * "linked_in" (true: in the program's file, and not made from its source) and "stripped" (true:
 * nothing says whose). A binary that is gone costs its tables and nothing else, and is counted with
 * the reason.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/cli/progress_bar.h"
#include "report_toolchains.h"

/* ---- marks ------------------------------------------------------------------------------- */

static void mark_code(const struct own_code *own, const struct finding_record *finding)
{
	uint64_t vaddr = strtoull(finding->address, NULL, 16);
	const char *plt = own_code_plt(own, vaddr);

	/* A static program's holds IFUNCs only, and linkers treat it otherwise. */
	if (plt)
		JSON_SET(finding->object, "section",
			 json_sprintf("%s%s", plt, own->is_static ? ", static" : ""));
	else if (own->count && !own_code_has(own, vaddr))
		json_object_set_new(finding->object, "linked_in", json_true());
	else if (!own->count && (!strncmp(finding->function, "gap@", 4) || finding->named_by_debug))
		json_object_set_new(finding->object, "stripped", json_true());
}

/* The program itself, or one of the libraries that were built with it. */
static void mark_place(const struct report_subject *subject, const struct finding_record *finding)
{
	const char *image = basename(finding->image);
	struct own_code library;
	struct error ignored;

	if (!subject->binary)
		return;
	if (subject->read && !strcmp(image, basename(subject->binary->name)))
		mark_code(&subject->profile.own, finding);
	for (size_t i = 0; i < subject->binary->file_count; i++) {
		const char *path = subject->binary->file[i];
		if (strcmp(image, basename(path)) != 0 || own_code_read(path, &library, &ignored))
			continue;
		mark_code(&library, finding);
		own_code_deinit(&library);
	}
}

static void mark_cell(const struct report_subject *subject, const struct cell *cell)
{
	struct finding_record finding;

	for (size_t at = 0; cell_finding(cell, &at, &finding);) {
		if (subject->binary && subject->binary->expected &&
		    expectation_has_finding(subject->binary->expected, &finding))
			json_object_set_new(finding.object, "expected", json_true());
		mark_place(subject, &finding);
	}
}

/* ---- binaries ---------------------------------------------------------------------------- */

static const struct corpus_binary *find_binary(const json_t *index, const struct manifest *manifest,
					       const char *name)
{
	const json_t *known = json_object_get(index, name);

	return known ? &manifest->binary[json_integer_value(known)] : NULL;
}

static void read_subject(struct report_subject *subject, struct toolchain_report *report,
			 struct decoder *decoder)
{
	struct error error;

	if (!subject->binary) {
		snprintf(subject->reason, sizeof(subject->reason), "not_in_corpus");
	} else if (subject->binary->skip || !subject->binary->path[0]) {
		snprintf(subject->reason, sizeof(subject->reason), "no_file");
	} else if (code_profile_read(subject->binary->path, &report->words, decoder,
				     &subject->profile, &error)) {
		snprintf(subject->reason, sizeof(subject->reason), "%s",
			 error_code_name(error.code));
	} else {
		subject->read = true;
	}
}

static json_t *index_manifest(const struct manifest *manifest)
{
	json_t *index = json_object();

	for (size_t i = 0; i < manifest->count; i++)
		json_object_set_new(index, manifest->binary[i].name, json_integer((json_int_t)i));
	return index;
}

/* One subject for each binary that was to be run. */
static int list_subjects(struct toolchain_report *report, const struct results *results,
			 struct error *error)
{
	JSON_FREED json_t *index = index_manifest(&report->manifest);
	JSON_FREED json_t *seen = json_object();

	report->subject = calloc(results->cell_count + 1, sizeof(*report->subject));
	for (size_t i = 0; report->subject && i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		if (json_object_get(seen, cell->binary))
			continue;
		const struct corpus_binary *binary = find_binary(index, &report->manifest,
								 cell->binary);
		/* Not built here: the cell says so. */
		if (binary ? binary->skip != NULL : cell->status == CELL_SKIPPED)
			continue;
		json_object_set_new(seen, cell->binary, json_true());
		report->subject[report->subject_count++] =
			(struct report_subject) { .binary = binary, .cell = cell };
	}
	return report->subject ? 0
			       : error_set(error, ERROR_MEMORY, "", 0, "no memory for a report");
}

static int read_subjects(struct toolchain_report *report, struct error *error)
{
	struct decoder *decoder = decoder_create(error);
	struct progress_bar bar;

	if (!decoder)
		return -1;
	progress_bar_start(&bar, report->subject_count);
	for (size_t i = 0; i < report->subject_count; i++, bar.done++) {
		progress_bar_draw(&bar, report->subject[i].cell->binary);
		read_subject(&report->subject[i], report, decoder);
	}
	progress_bar_clear(&bar);
	decoder_destroy(decoder);
	return 0;
}

static void mark_findings(const struct toolchain_report *report, const struct results *results)
{
	JSON_FREED json_t *index = json_object();

	for (size_t i = 0; i < report->subject_count; i++)
		JSON_SET(index, report->subject[i].cell->binary, i);
	for (size_t i = 0; i < results->cell_count; i++) {
		const json_t *known = json_object_get(index, results->cell[i].binary);
		if (known)
			mark_cell(&report->subject[json_integer_value(known)], &results->cell[i]);
	}
}

/* ---- totals ------------------------------------------------------------------------------ */

static void add_profile(struct toolchain *toolchain, const struct code_profile *profile,
			const char *language)
{
	toolchain->measured++;
	toolchain_sframe_add(&toolchain->sframe, &profile->sframe);
	if (!strcmp(language, "asm"))
		return;
	toolchain->functions += profile->table.function_count;
	toolchain->file_rows += profile->rows;
	toolchain->table_bytes += profile->table_bytes;
	for (size_t i = 0; i < profile->table.function_count; i++) {
		toolchain->rows += profile->function[i].rows;
		toolchain->cfi_bytes += profile->function[i].cfi_bytes;
		toolchain->returns += profile->function[i].returns;
		toolchain->returns_open += profile->function[i].returns_open;
	}
}

static void add_totals(struct toolchain_report *report)
{
	for (size_t i = 0; i < report->subject_count; i++) {
		const struct report_subject *subject = &report->subject[i];
		size_t index = toolchains_find(&report->model, subject->cell->toolchain);
		struct toolchain *toolchain = &report->model.toolchain[index];

		if (subject->read) {
			add_profile(toolchain, &subject->profile, subject->cell->language);
		} else if (!toolchain->unread++) {
			free(toolchain->unread_reason);
			toolchain->unread_reason = strdup(subject->reason);
		}
	}
}

/* The manifests of both runs as one, or that of the one. */
static int read_manifests(struct toolchain_report *ret, const char *corpus, const char *other,
			  struct error *error)
{
	struct manifest second = { 0 };
	int result;

	if (manifest_read(&ret->manifest, corpus, error))
		return -1;
	if (!other)
		return 0;
	ret->joined = true;
	result = manifest_read(&second, other, error);
	if (!result && manifest_join(&ret->manifest, &second))
		result = error_set(error, ERROR_MEMORY, "", 0, "no memory for a report");
	manifest_deinit(&second);
	return result;
}

int toolchain_report_read(struct toolchain_report *ret, struct results *results, const char *corpus,
			  const char *other, struct error *error)
{
	*ret = (struct toolchain_report) { .subject_count = 0 };
	if (!corpus) {
		toolchains_init(&ret->model, results);
		return 0;
	}
	if (read_manifests(ret, corpus, other, error) || list_subjects(ret, results, error) ||
	    read_subjects(ret, error))
		return -1;
	mark_findings(ret, results);
	toolchains_init(&ret->model, results);
	add_totals(ret);
	return toolchain_report_compare(ret, error);
}

void toolchain_report_deinit(struct toolchain_report *report)
{
	toolchains_deinit(&report->model);
	for (size_t i = 0; i < report->subject_count; i++)
		code_profile_deinit(&report->subject[i].profile);
	free(report->subject);
	diff_words_deinit(&report->words);
	manifest_deinit(&report->manifest);
	*report = (struct toolchain_report) { .subject_count = 0 };
}
