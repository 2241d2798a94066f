/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * row_findings.c - an image's file, its facts and its tables: findings and counts as JSON
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/gate/gate.h"
#include "base/images/debug_link.h"
#include "base/images/image_list.h"
#include "cfi/code_name.h"
#include "clock.h"
#include "freed.h"
#include "judge/verdict/verdict.h"
#include "row_judge.h"
#include "truth/executed/executed.h"
#include "truth/steps/decoder.h"

#define NAME_BYTES 512

struct judging {
	const struct row_options *options;
	struct row_holding holding;
	const char *path, *table;
	struct decoder *decoder;
	FILE *output;
	uint64_t findings,
		start_files; /* of this table; of functions of start-up objects without CFI */
};

static int read_image(void *context, uint64_t address, void *ret, size_t size)
{
	const struct image *image = context;
	size_t there;
	const uint8_t *bytes = image_bytes_most(image, address, size, &there);

	memset(ret, 0, size);
	if (!bytes)
		return -1;
	memcpy(ret, bytes, there);
	return 0;
}

/* "no FDE covers it", or the row. */
static void print_declared(const struct judging *judging, const struct row_said *said, char *text,
			   size_t size)
{
	FILE_CLOSED FILE *file = NULL;

	if (said->kind != ROW_SAID_ROW) {
		snprintf(text, size, "%s",
			 strcmp(judging->table, ROWS_CFI) ? "no row" : "no FDE covers it");
		return;
	}
	file = fmemopen(text, size, "w");
	if (file)
		row_print(file, &said->row);
}

static json_t *register_names(uint32_t registers)
{
	json_t *ret = json_array();

	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		if (registers >> i & 1)
			json_array_append_new(ret,
					      json_string(i == REGISTER_RSP   ? "cfa"
							  : i == REGISTER_RIP ? "ra"
									      : register_name(i)));
	return ret;
}

/* Code at the process's entry has no caller: without a row a walk ends there, as it should, and compare has no finding. */
static const char *excuse(const struct judging *judging, const struct row_finding *finding)
{
	const struct cfi *cfi = judging->holding.cfi;

	if (finding->verdict->kind != FAULT_MISSING)
		return NULL;
	return finding->fact->kind == ROW_FACT_OUTERMOST
		       ? "entry"
		       : start_file_find(cfi->image, cfi, finding->pc, judging->decoder);
}

static void on_finding(void *context, const struct row_finding *finding)
{
	struct judging *judging = context;
	const struct image *image = judging->holding.cfi->image;
	const struct memory_reader memory = { read_image, (void *)image };
	const struct cfi_fde *fde = cfi_fde_find(judging->holding.cfi, finding->pc);
	const char *start_file = excuse(judging, finding);
	char function[NAME_BYTES], place[2 * NAME_BYTES], instruction[128],
		declared[ROW_TEXT_BYTES] = "", actual[ROW_TEXT_BYTES];
	struct code_name name;

	code_name_find(image, judging->holding.cfi, finding->pc, &name);
	finding_name_function(image, judging->holding.cfi, finding->pc, function, sizeof(function));
	snprintf(place, sizeof(place), "%s+0x%" PRIx64, function, finding->pc - name.start);
	decoder_disassemble(judging->decoder, finding->pc, &memory, instruction,
			    sizeof(instruction));
	print_declared(judging, finding->said, declared, sizeof(declared));
	row_actual_print(finding->fact, finding->verdict, actual, sizeof(actual));
	*(start_file ? &judging->start_files : &judging->findings) += 1;
	json_line(judging->output,
		  JSON_NEW("type", "finding", "verdict", "table_fault", "kind",
			   fault_kind_name(finding->verdict->kind), "table", judging->table,
			   "image", judging->path, "function", function, "start_file", start_file,
			   "place", place, "address", json_hex(finding->pc), "pc",
			   json_hex(finding->pc), "pc_end", json_hex(finding->pc_end), "fde",
			   fde ? json_hex(fde->pc_begin) : NULL, "instruction", instruction,
			   "declared", declared, "actual", actual, "registers",
			   register_names(finding->verdict->registers), "instructions",
			   finding->instructions, "count", finding->runs));
}

/* One table. Adds its counts to object. own: as of row_image_hold(). */
static void hold_table(struct judging *judging, const struct row_source *source,
		       const struct row_verdict *own, struct row_verdict *verdict, json_t *object)
{
	struct row_coverage coverage;

	judging->table = source->name;
	judging->findings = judging->start_files = 0;
	row_image_hold(&judging->holding, source, own, verdict, &coverage);
	row_coverage_json(&coverage, object);
	JSON_SET(object, "findings", judging->findings, "start_file_findings",
		 judging->start_files);
}

static int hold_cfi(struct judging *judging, struct row_verdict *own, json_t *image,
		    struct error *error)
{
	struct cfi_rows_kept *kept;
	struct row_source source;
	int status = 0;

	if (cfi_rows_create(judging->holding.cfi, &kept, error))
		return -1;
	source = cfi_rows_source(kept);
	hold_table(judging, &source, NULL, own, image);
	if (!cfi_rows_are_whole(kept))
		status = error_set(error, ERROR_MEMORY, NULL, 0, "no memory for rows");
	cfi_rows_destroy(kept);
	return status;
}

/* Another table, under its name in tables. */
static void hold_other(struct judging *judging, const struct row_source *source,
		       const struct row_verdict *own, struct row_verdict *verdict, json_t *tables)
{
	json_t *one = json_object();

	json_object_set_new(tables, source->name, one);
	hold_table(judging, source, own, verdict, one);
}

static int hold_others(struct judging *judging, const struct row_verdict *own,
		       struct row_verdict *verdict, json_t *tables, struct error *error)
{
	const struct row_options *options = judging->options;
	struct compact_rows *compact = NULL;
	struct row_source source;

	if (options->compact) {
		if (compact_rows_create(judging->holding.cfi->image, &compact, error))
			return -1;
		source = compact_rows_source(compact);
		hold_other(judging, &source, own, verdict, tables);
		compact_rows_destroy(compact);
	}
	for (size_t i = 0; i < options->source_count; i++)
		hold_other(judging, &options->source[i], own, verdict, tables);
	return 0;
}

static int hold_image(struct judging *judging, uint32_t number, json_t *image, struct error *error)
{
	struct row_holding *holding = &judging->holding;
	json_t *tables = json_object();
	int status = -1;

	holding->count = row_facts_find(judging->options->facts, number, 0, UINT64_MAX,
					&holding->fact);
	holding->finding = on_finding;
	holding->context = judging;
	FREED struct row_verdict *own = calloc(holding->count + 1, sizeof(*own));
	FREED struct row_verdict *other = calloc(holding->count + 1, sizeof(*other));

	judging->decoder = decoder_create(error);
	if (!own || !other)
		error_set(error, ERROR_MEMORY, NULL, 0, "no memory for facts about rows");
	else if (judging->decoder && !hold_cfi(judging, own, image, error))
		status = hold_others(judging, own, other, tables, error);
	if (json_object_size(tables))
		json_object_set(image, "tables", tables);
	json_decref(tables);
	decoder_destroy(judging->decoder);
	return status;
}

/* ---- the file -------------------------------------------------------------------------------------- */

/* Which of the run's images the file is. A path below the root is one of the run's without it. */
static enum executed_identity identify(const struct row_options *options, const struct image *image,
				       const char *path, uint32_t *ret)
{
	const struct executed run = { .images = { .image = options->facts->image,
						  .image_count = options->facts->images } };
	FREED char *real = realpath(path, NULL);
	const char *wanted = real ? real : path;
	size_t length = strlen(options->root);

	if (length && !strncmp(wanted, options->root, length))
		wanted += length;
	return executed_find_image(&run, image, wanted, ret);
}

static void unread(json_t *image, const struct error *error)
{
	JSON_SET(image, "status", "unread", "code", error_code_name(error->code), "message",
		 json_error(error));
}

static void hold_opened(const struct row_options *options, struct opened_image *opened,
			const struct image_path *path, FILE *output, json_t *image)
{
	struct judging judging = { .options = options, .path = path->path, .output = output };
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	struct gate_image gate;
	struct error error;
	uint32_t number = 0;
	enum executed_identity identity = identify(options, opened->image, path->path, &number);

	JSON_SET(image, "identity", executed_identity_name(identity));
	if (!executed_is_file(identity)) {
		JSON_SET(image, "status", "not_held");
		return;
	}
	debug_link_adopt(opened->image);
	if (cfi_create(opened->image, &cfi, &error)) {
		if (error.code == ERROR_NO_CFI)
			JSON_SET(image, "status", "no_cfi");
		else
			unread(image, &error);
		return;
	}
	judging.holding.cfi = cfi;
	gate_image_read(opened->image, opened->file, cfi, &gate);
	gate_image_json(&gate, image);
	JSON_SET(image, "fdes", (uint64_t)cfi->by_pc_count);
	if (hold_image(&judging, number, image, &error))
		JSON_SET(image, "status", "failed", "code", error_code_name(error.code), "message",
			 json_error(&error));
	else
		JSON_SET(image, "status", "held");
}

void row_file_hold(const struct row_options *options, const struct image_path *path, FILE *output)
{
	double start = monotonic_seconds();
	json_t *image = JSON_NEW("type", "executed_image", "image", path->path);
	struct opened_image opened = { 0 };
	struct error error;

	if (image_path_open(path, &opened, &error))
		unread(image, &error);
	else
		hold_opened(options, &opened, path, output, image);
	image_path_close(&opened);
	json_line(output, JSON_SET(image, "seconds", monotonic_seconds() - start));
}
