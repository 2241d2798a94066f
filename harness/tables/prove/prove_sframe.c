/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove_sframe.c - `prove --sframe`: counts and findings of one image, as JSON
 *
 * What is wrong is a finding; what is absent, for a reason that the version has, is a count. With --object, whose
 * stage each is; with --objdump, every line against `objdump --sframe`.
 */
#include <inttypes.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "clock.h"
#include "prove.h"
#include "prove_check.h"
#include "sframe_proof.h"
#include "sframe_referee.h"
#include "tables/table/table_sframe.h"

struct sframe_check {
	struct check check;
	const struct cfi *cfi;
	struct sframe_objects *objects;
	uint64_t wrong[3], absent[3]; /* by stage */
};

static json_t *row_json(const struct row *row)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = row ? open_memstream(&text, &size) : NULL;

	if (!file)
		return NULL;
	sframe_proof_row_print(file, row);
	fclose(file);
	return json_string(text);
}

static const char *message_of(const struct sframe_finding *finding)
{
	static const char *const texts[] = {
		[SFRAME_DIFFERS_CFA] = "another CFA",
		[SFRAME_DIFFERS_RA] = "another return address",
		[SFRAME_DIFFERS_FP] = "another rbp",
		[SFRAME_DIFFERS_CFA | SFRAME_DIFFERS_RA] = "another CFA and return address",
		[SFRAME_DIFFERS_CFA | SFRAME_DIFFERS_FP] = "another CFA and rbp",
		[SFRAME_DIFFERS_RA | SFRAME_DIFFERS_FP] = "another return address and rbp",
		[SFRAME_DIFFERS_CFA | SFRAME_DIFFERS_RA |
			SFRAME_DIFFERS_FP] = "another CFA, return address and rbp",
	};

	if (!finding->cfi)
		return "a row where no code is";
	if (finding->cfi->reg[REGISTER_RIP].kind == RULE_UNDEFINED)
		return "the stack ends here, and SFrame does not say so";
	if (finding->sframe->reg[REGISTER_RIP].kind == RULE_UNDEFINED)
		return "the stack goes on here, and SFrame says that it ends";
	return texts[finding->differs];
}

static void report(void *context, const struct sframe_finding *finding)
{
	struct sframe_check *check = context;
	enum sframe_stage stage = sframe_objects_stage(check->objects, check->check.image,
						       check->cfi, finding);
	json_t *object;

	if (finding->cfi && !finding->sframe) {
		check->absent[stage]++;
		return;
	}
	check->wrong[stage]++;
	object = check_finding(&check->check, message_of(finding));
	if (!object)
		return;
	check_set_place(object, check->check.image, check->cfi, finding->pc, finding->pc_end);
	JSON_SET(object, "row", row_json(finding->cfi), "sframe", row_json(finding->sframe),
		 "stage", sframe_stage_name(stage));
	json_line(check->check.output, object);
}

static json_t *stages_json(const uint64_t stage[3])
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < 3; i++)
		if (stage[i])
			JSON_SET(object, sframe_stage_name((enum sframe_stage)i), stage[i]);
	return object;
}

static json_t *absent_json(const struct sframe_proof *proof)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < SFRAME_ABSENCE_COUNT; i++)
		if (proof->absent[i])
			JSON_SET(object, sframe_absence_name((enum sframe_absence)i),
				 proof->absent[i]);
	return object;
}

static json_t *wrong_json(const struct sframe_proof *proof)
{
	static const struct {
		const char *name;
		unsigned int bit;
	} parts[] = { { "cfa", SFRAME_DIFFERS_CFA },
		      { "ra", SFRAME_DIFFERS_RA },
		      { "fp", SFRAME_DIFFERS_FP } };
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t count = 0;

		for (unsigned int bits = 1; bits < 8; bits++)
			count += bits & parts[i].bit ? proof->wrong_by[bits] : 0;
		if (count)
			JSON_SET(object, parts[i].name, count);
	}
	return object;
}

/* How many functions have each version. */
static json_t *versions_json(const struct sframe *sframe)
{
	json_t *object = json_object();

	for (unsigned int version = 1; version <= 3; version++) {
		uint64_t count = 0;
		char name[8];

		for (size_t i = 0; i < sframe->function_count; i++)
			count += sframe->header[sframe->function[i].header].version == version;
		snprintf(name, sizeof(name), "%u", version);
		if (count)
			JSON_SET(object, name, count);
	}
	return object;
}

/* What of it can't be read: a finding each. */
static uint64_t report_errors(struct sframe_check *check, const struct sframe *sframe)
{
	struct error_list wrong DEINIT(error_list_deinit) = { 0 };

	sframe_check(sframe, &wrong);
	for (size_t i = 0; i < wrong.count; i++) {
		char text[sizeof(wrong.error[i].section) + sizeof(wrong.error[i].message) + 32];
		json_t *object;

		snprintf(text, sizeof(text), "%s+0x%" PRIx64 ": %s", wrong.error[i].section,
			 wrong.error[i].offset, wrong.error[i].message);
		object = check_finding(&check->check, text);
		if (object)
			json_line(check->check.output, object);
	}
	return wrong.count + wrong.dropped;
}

/* ---- objdump ------------------------------------------------------------------------------ */

static int write_lines(FILE *file, const struct image *image, struct error *error)
{
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct table_filter all = { .section = NULL };
	struct table_sframe table = { .path = image->path, .image = image };

	if (sframe_create(image, &sframe, error))
		return -1;
	table.sframe = sframe;
	return table_sframe_objdump(file, &table, &all, error);
}

const struct line_source prove_sframe_source = { "--sframe", write_lines };

static void report_line(void *context, const struct readelf_difference *difference)
{
	struct check *check = context;
	json_t *object = check_finding(check, "another line");

	if (object)
		json_line(check->output, JSON_SET(object, "line", difference->line, "ours",
						  difference->ours, "theirs", difference->theirs));
}

/* -1: nothing could be compared, for a reason that is not the program's. */
static int ask_objdump(const struct prove_options *options, const char *file, FILE *output,
		       json_t *ret, struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct readelf_proof counts = { 0 };
	struct check check = { "objdump", NULL, output, 0 };
	json_t *object;
	int failed;

	if (image_create(file, &image, error))
		return -1;
	check.image = image;
	failed = prove_lines(image, options->objdump, &prove_sframe_source, report_line, &check,
			     &counts, error);
	object = JSON_NEW("equal", counts.lines, "differ", counts.differ);
	if (failed)
		JSON_SET(object, error->code == ERROR_UNAVAILABLE ? "not_run" : "failed", 1,
			 "message", error->message);
	JSON_SET(ret, "objdump", object);
	return failed && error->code != ERROR_UNAVAILABLE && error->code != ERROR_PROTOCOL ? -1 : 0;
}

/* ---- libsframe ---------------------------------------------------------------------------- */

static void report_difference(void *context, const struct sframe_referee_difference *difference)
{
	struct check *check = context;
	json_t *object = check_finding(check, "libsframe reads something else");

	if (!object)
		return;
	json_set_hex(object, "pc", difference->pc);
	json_line(check->output, JSON_SET(object, "row", difference->row, "what", difference->what,
					  "ours", difference->ours, "theirs", difference->theirs));
}

static void ask_libsframe(const struct image *image, const struct sframe *sframe, FILE *output,
			  json_t *ret)
{
	struct check check = { "libsframe", image, output, 0 };
	struct sframe_referee counts;
	struct error error;
	int failed = sframe_referee(sframe, report_difference, &check, &counts, &error);
	json_t *object = JSON_NEW("equal", counts.equal, "differ", counts.differ);

	if (failed)
		JSON_SET(object, error.code == ERROR_UNAVAILABLE ? "not_run" : "failed", 1,
			 "message", error.message);
	JSON_SET(ret, "libsframe", object);
}

/* ---- one image ---------------------------------------------------------------------------- */

int check_sframe(const struct prove_options *options, const struct image *image, const char *file,
		 const struct cfi *cfi, FILE *output, json_t *proof, struct error *error)
{
	struct sframe_check check = { .check = { "sframe", image, output, 0 }, .cfi = cfi };
	struct sframe *sframe DEINIT(sframe_destroy_at) = NULL;
	struct sframe_proof counts;
	double start = monotonic_seconds();
	json_t *object;
	int result = 0;

	if (sframe_create(image, &sframe, error)) {
		if (error->code == ERROR_MEMORY)
			return -1;
		object = JSON_NEW("none", error->code == ERROR_NO_SFRAME ? 1 : 0, "errors",
				  error->code == ERROR_NO_SFRAME ? 0 : 1);
		if (error->code != ERROR_NO_SFRAME) {
			json_t *finding = check_finding(&check.check, error->message);

			JSON_SET(object, "message", error->message);
			if (finding)
				json_line(output, finding);
		}
		JSON_SET(proof, "sframe", object);
		return 0;
	}
	if (options->object_count &&
	    sframe_objects_create(options->object, options->object_count, &check.objects, error))
		return -1;
	sframe_prove(cfi, sframe, report, &check, &counts);
	object = JSON_NEW("versions", versions_json(sframe), "functions", sframe->function_count,
			  "sframe_rows", counts.sframe_rows, "rows", counts.rows, "equal",
			  counts.equal, "wrong", counts.wrong, "wrong_by", wrong_json(&counts),
			  "absent", absent_json(&counts), "signal_untold", counts.signal_untold,
			  "hidden", counts.hidden, "extra", counts.extra, "no_code", counts.no_code,
			  "errors", report_errors(&check, sframe));
	if (options->object_count)
		JSON_SET(object, "wrong_stages", stages_json(check.wrong), "absent_stages",
			 stages_json(check.absent));
	if (options->libsframe)
		ask_libsframe(image, sframe, output, object);
	if (options->objdump)
		result = ask_objdump(options, file, output, object, error);
	JSON_SET(object, "seconds", monotonic_seconds() - start);
	JSON_SET(proof, "sframe", object);
	sframe_objects_destroy(check.objects);
	return result;
}
