/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_json.c - one image: its findings and what it came to, as JSON
 *
 * Runs in a process of its own (images/image_pool.h). Findings come in the order of addresses, each
 * once: a part that several functions share is followed from each of them.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "array.h"
#include "cli/json_counts.h"
#include "clock.h"
#include "gate/gate.h"
#include "images/debug_link.h"
#include "lint/lint.h"
#include "lint/lint_evidence.h"
#include "lint/lint_fdes.h"
#include "lint/lint_table.h"

struct findings {
	struct lint_finding *finding;
	size_t count;
	bool no_memory;
	struct lint_fdes fdes;
};

static void keep_finding(void *context, const struct lint_finding *finding)
{
	struct findings *list = context;

	if (!ARRAY_GROW(list->finding, list->count)) {
		list->no_memory = true;
		return;
	}
	list->finding[list->count++] = *finding;
}

static void keep_fde(void *context, const struct lint_fde *fde)
{
	const struct lint_holding *holding = context;
	struct findings *list = holding->context;

	lint_fdes_take(&list->fdes, fde);
}

static int compare_findings(const void *left, const void *right)
{
	return lint_finding_compare(left, right);
}

/* False: it is not wanted. */
static bool print_finding(const struct lint_options *options, const struct cfi *cfi,
			  struct lint_evidence *evidence, const struct lint_finding *finding,
			  FILE *output)
{
	json_t *object = json_pack("{s:s, s:o, s:s, s:s, s:o}", "type", "lint_finding", "image",
				   json_bytes(cfi->image->path), "id", lint_id_name(finding->id),
				   "title", lint_id_title(finding->id), "table",
				   json_bytes(finding->table ? finding->table : "cfi"));
	bool wanted = options->only & 1u << finding->id;
	uint64_t begin = 0;

	if (finding->pc_end) {
		json_set_hex(object, "pc", finding->pc);
		json_set_hex(object, "pc_end", finding->pc_end);
		wanted &= lint_function_set(object, options, cfi, finding->pc, &begin);
	} else {
		wanted &= !options->function;
	}
	if (!wanted) {
		json_decref(object);
		return false;
	}
	if (finding->pc_end)
		lint_evidence_set(evidence, finding, finding->function ? finding->function : begin,
				  object);
	if (finding->from)
		json_set_hex(object, "from", finding->from);
	if (finding->function)
		json_set_hex(object, "fde", finding->function);
	if (finding->id == LINT_NOT_SAVED || finding->id == LINT_OVERWRITTEN ||
	    finding->id == LINT_LOST)
		json_object_set_new(object, "register", json_string(register_name(finding->reg)));
	if (finding->declared[0])
		json_object_set_new(object, "declared", json_bytes(finding->declared));
	json_object_set_new(object, "actual", json_bytes(finding->actual));
	json_line(output, object);
	return true;
}

const char *lint_table_of(const json_t *finding)
{
	const char *table = json_text(finding, "table");

	return table[0] ? table : "cfi";
}

static int print_findings(const struct lint_options *options, const struct cfi *cfi,
			  const char *file, struct findings *list, json_t *image, FILE *output,
			  struct error *error)
{
	struct lint_evidence *evidence = lint_evidence_create(cfi, file);
	uint64_t counts[LINT_ID_COUNT] = { 0 }, wanted = 0;

	if (!evidence || list->no_memory) {
		lint_evidence_destroy(evidence);
		return error_set(error, ERROR_MEMORY, NULL, 0, "findings");
	}
	if (list->count)
		qsort(list->finding, list->count, sizeof(*list->finding), compare_findings);
	for (size_t i = 0; i < list->count; i++) {
		const struct lint_finding *finding = &list->finding[i];

		if (i && !compare_findings(finding, &list->finding[i - 1]))
			continue;
		counts[finding->id] += !finding->table;
		wanted += print_finding(options, cfi, evidence, finding, output);
	}
	lint_json_ids(image, counts);
	json_object_set_new(image, "wanted_findings", json_integer((json_int_t)wanted));
	lint_evidence_destroy(evidence);
	return 0;
}

static void set_counts(json_t *image, const struct lint_counts *counts)
{
	json_object_set_new(image, "fdes", json_integer((json_int_t)counts->fdes));
	json_object_set_new(image, "proven", json_integer((json_int_t)counts->proven));
	json_object_set_new(image, "mismatch", json_integer((json_int_t)counts->mismatch));
	lint_json_unproven(image, counts->unproven);
	json_object_set_new(image, "instructions", json_integer((json_int_t)counts->instructions));
	json_object_set_new(image, "instructions_proven",
			    json_integer((json_int_t)counts->instructions_proven));
	json_object_set_new(image, "calls_not_returning",
			    json_integer((json_int_t)counts->calls_not_returning));
}

static int lint_cfi(const struct lint_options *options, const struct opened_image *opened,
		    const struct cfi *cfi, json_t *image, FILE *output, struct error *error)
{
	struct findings list = { .fdes = { .options = options, .cfi = cfi } };
	struct lint_holding holding = { .finding = keep_finding, .context = &list };
	struct lint_watch watch;
	struct lint_counts counts;
	struct gate_image gate;
	int result = lint_holding_init(&holding, options, cfi, &watch, error);

	watch.fde = keep_fde;
	if (!result)
		result = lint_image(cfi, &watch, &counts, error);
	if (!result)
		result = lint_holding_end(&holding, image, error);
	if (!result)
		result = print_findings(options, cfi, opened->file, &list, image, output, error);
	if (!result)
		result = lint_fdes_print(&list.fdes, image, output, error);
	if (!result) {
		set_counts(image, &counts);
		gate_image_read(opened->image, opened->file, cfi, &gate);
		gate_image_json(&gate, image);
	}
	lint_holding_deinit(&holding);
	lint_fdes_deinit(&list.fdes);
	free(list.finding);
	return result;
}

static int lint_opened(const struct lint_options *options, const struct opened_image *opened,
		       json_t *image, FILE *output, struct error *error)
{
	struct cfi *cfi = NULL;
	int result;

	if (opened->image->type == ET_REL) {
		json_object_set_new(image, "status", json_string("not_linked"));
		return 0;
	}
	if (cfi_create(opened->image, &cfi, error)) {
		cfi_destroy(cfi);
		if (error->code != ERROR_NO_CFI)
			return -1;
		json_object_set_new(image, "status", json_string("no_cfi"));
		return 0;
	}
	result = lint_cfi(options, opened, cfi, image, output, error);
	cfi_destroy(cfi);
	return result;
}

void lint_file(const struct lint_options *options, const struct image_path *path, FILE *output)
{
	double start = monotonic_seconds();
	struct opened_image opened;
	struct error error;
	json_t *image = json_pack("{s:s, s:o, s:s}", "type", "lint", "image",
				  json_bytes(path->path), "status", "linted");
	const char *status = NULL;

	if (image_path_open(path, &opened, &error)) {
		status = "unread";
	} else {
		debug_link_adopt(opened.image);
		if (lint_opened(options, &opened, image, output, &error))
			status = error.code == ERROR_MEMORY ? "failed" : "unread";
		image_path_close(&opened);
	}
	if (status) {
		json_object_set_new(image, "status", json_string(status));
		json_object_set_new(image, "code", json_string(error_code_name(error.code)));
		json_object_set_new(image, "message", json_error(&error));
	}
	json_object_set_new(image, "seconds", json_real(monotonic_seconds() - start));
	json_line(output, image);
}
