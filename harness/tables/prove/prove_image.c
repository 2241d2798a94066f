/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove_image.c - the proofs about one image
 *
 *	table	the CFI against the compact table made of it (table_prove)
 *	search	the linker's search table in .eh_frame_hdr against the FDEs (eh_frame_hdr_check)
 *	libdw	our rows against libdw's, in .eh_frame and in .debug_frame (row_referee.h)
 *	readelf	our lines against readelf's (prove_readelf.c)
 *	sframe	its SFrame against the CFI, and objdump's lines of it (prove_sframe.c)
 *
 * Runs in a process of its own, and says everything as JSON: findings first, the counts last. An
 * image that is not read here at all (32 bits, another machine) is "unread": that is no finding.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hex_text.h"
#include "base/cli/exit_status.h"
#include "clock.h"
#include "base/cli/json_counts.h"
#include "base/images/debug_link.h"
#include "prove.h"
#include "prove_check.h"
#include "cfi/cfi_section.h"
#include "image/eh_frames.h"
#include "base/gate/gate.h"
#include "table/lost_cfi.h"
#include "row_referee.h"
#include "cfi/code_name.h"
#include "table/unwind_table.h"

json_t *check_finding(struct check *check, const char *message)
{
	if (check->findings++ >= PROVE_FINDINGS_MAX)
		return NULL;
	return JSON_NEW("type", "proof_finding", "image", check->image->path, "check", check->name,
			"message", message);
}

#define NAME_BYTES 512

void check_set_place(json_t *object, const struct image *image, const struct cfi *cfi, uint64_t pc,
		     uint64_t pc_end)
{
	struct code_name name;
	char text[NAME_BYTES];

	code_name_find(image, cfi, pc, &name);
	code_name_print_place(&name, text, sizeof(text));
	if (name.name)
		json_object_set_new(object, "function", json_bytes(text));
	json_set_hex(object, "pc", pc);
	json_set_hex(object, "pc_end", pc_end);
}

static void set_row(json_t *object, const struct row *row)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = row ? open_memstream(&text, &size) : NULL;

	if (!file)
		return;
	row_print(file, row);
	fclose(file);
	json_object_set_new(object, "row", json_string(text));
}

/* ---- the compact table -------------------------------------------------------------------- */

struct table_check {
	struct check check;
	const struct cfi *cfi;
	const struct table *table;
};

/* A rule as its bytes: whatever is wrong with them must be seen. */
static void set_rule(json_t *object, const struct table *table, uint32_t number)
{
	char text[16 + 2 * sizeof(struct table_rule)];
	int used = snprintf(text, sizeof(text), "%" PRIu32 ":", number);

	if (number < TABLE_MARKER_COUNT) {
		json_object_set_new(object, "rule", json_string(table_marker_name(number)));
		return;
	}
	if (number < table->rule_count)
		hex_text(text + used, &table->rule[number], sizeof(struct table_rule));
	json_object_set_new(object, "rule", json_string(text));
}

static void report_silent(void *context, const struct table_proof_finding *finding)
{
	struct table_check *check = context;
	json_t *object = check_finding(&check->check, finding->why);

	if (!object)
		return;
	check_set_place(object, check->check.image, check->cfi, finding->pc, finding->pc_end);
	set_row(object, finding->row);
	set_rule(object, check->table, finding->rule);
	json_line(check->check.output, object);
}

static int check_table(const struct image *image, const struct cfi *cfi, FILE *output,
		       json_t *proof, struct error *error)
{
	struct table_check check = { { "table", image, output, 0 }, cfi, NULL };
	struct table_proof counts;
	struct table *table DEINIT(table_destroy_at) = NULL;
	json_t *flagged;

	if (table_build(image, &table, error))
		return -1;
	check.table = table;
	if (table_prove(cfi, table, report_silent, &check, &counts, error))
		return -1;
	flagged = json_object();
	for (unsigned int i = TABLE_NO_ROW + 1; i < TABLE_MARKER_COUNT; i++)
		if (counts.flagged[i])
			JSON_SET(flagged, table_marker_name(i), counts.flagged[i]);
	JSON_SET(proof, "rows", counts.rows, "equal", counts.equal, "flagged", flagged, "silent",
		 counts.silent, "gaps", counts.gaps, "outside", counts.outside, "evaluated",
		 counts.evaluated);
	return 0;
}

/* ---- the search table --------------------------------------------------------------------- */

/* What looks up FDEs in the process finds them by it, or not at all. */
static void check_search_table(const struct image *image, const struct cfi *cfi, FILE *output,
			       json_t *proof)
{
	struct check check = { "search", image, output, 0 };
	struct error_list wrong DEINIT(error_list_deinit) = { 0 };
	struct eh_frame_hdr hdr;
	struct error ignored; /* it is the first one of wrong */

	eh_frame_hdr_read(image, &hdr, &ignored); /* unread it has no entries */
	eh_frame_hdr_check(cfi, &wrong);
	for (size_t i = 0; i < wrong.count; i++) {
		const struct error *error = &wrong.error[i];
		char text[sizeof(error->section) + sizeof(error->message) + 32];
		json_t *object;

		snprintf(text, sizeof(text), "%s+0x%" PRIx64 ": %s", error->section, error->offset,
			 error->message);
		object = check_finding(&check, text);
		if (object)
			json_line(output, object);
	}
	JSON_SET(proof, "search_table",
		 JSON_NEW("entries", hdr.count, "wrong", wrong.count + wrong.dropped));
}

/* ---- libdw -------------------------------------------------------------------------------- */

struct referee_check {
	struct check check;
	const struct cfi *cfi;
	const struct cfi_fde *fde;
	struct row_referee *referee;
	uint64_t judged[ROW_JUDGMENT_COUNT];
	uint64_t hidden; /* rows whose address is another FDE's */
	uint64_t not_asked;
	uint64_t refused;    /* rows of a file that libdw refuses */
	bool refuses;	     /* it, the section's file */
	struct error why;    /* ... or another section's */
	uint64_t malformed;  /* FDEs whose rows end too early */
	uint64_t terminator; /* offset of the section's first length of 0 */
	uint64_t terminated; /* rows behind it, or of several sections, that it has no frame for */
	uint64_t gaps;	     /* behind FDEs: libdw has no frame there either */
	uint64_t gaps_disputed; /* it has */
};

/* Before the FDE: of several sections .eh_frame it reads the file's first, up to its first
 * length of 0, but for what a search table leads it to. */
static bool libdw_has_stopped(const struct referee_check *check)
{
	bool several = check->cfi->is_eh_frame && image_eh_frame(check->check.image, 1);

	return several || check->fde->offset > check->terminator;
}

static int judge_row(void *context, const struct row *row)
{
	struct referee_check *check = context;
	char why[ROW_REFEREE_WHY];
	enum row_judgment judgment;
	json_t *object;

	/* Every section of a relocatable object begins at 0: an address names no place in it, and
	 * libdw by itself does not relocate .eh_frame. */
	if (check->check.image->type == ET_REL) {
		check->not_asked++;
		return 0;
	}
	if (check->refuses) {
		check->refused++;
		return 0;
	}
	if (check->cfi->overlapping && cfi_fde_find(check->cfi, row->pc) != check->fde) {
		check->hidden++;
		return 0;
	}
	judgment = row_referee_judge(check->referee, row,
				     check->cfi->cie[check->fde->cie].return_register, why);
	if (judgment == ROW_UNKNOWN && libdw_has_stopped(check)) {
		check->terminated++;
		return 0;
	}
	check->judged[judgment]++;
	if (judgment == ROW_AGREED)
		return 0;
	object = check_finding(&check->check, why);
	if (!object)
		return 0;
	check_set_place(object, check->check.image, check->cfi, row->pc, row->pc_end);
	set_row(object, row);
	json_line(check->check.output, object);
	return 0;
}

/* Where no FDE is, libdw must not find one: FDEs that our reader loses would have no rows to judge.
 * The first address behind each FDE is asked for. */
static void judge_gap(struct referee_check *check, uint64_t vaddr)
{
	json_t *object;

	if (check->check.image->type == ET_REL || check->refuses || cfi_fde_find(check->cfi, vaddr))
		return;
	if (!row_referee_has_frame(check->referee, vaddr)) {
		check->gaps++;
		return;
	}
	check->gaps_disputed++;
	object = check_finding(&check->check, "libdw has a frame where no FDE is");
	if (!object)
		return;
	check_set_place(object, check->check.image, check->cfi, vaddr, vaddr + 1);
	json_line(check->check.output, object);
}

/* Where libdw stops reading, unless it has a search table (docs/READING_DIFFERENCES.md). */
static uint64_t find_terminator(const struct cfi *cfi)
{
	struct cfi_entry entry = { .end = 0 };
	struct error ignored; /* what matters is where the next entry begins */

	while (cfi->section->data && entry.end < cfi->section->size) {
		cfi_entry_read(cfi->section, cfi->is_eh_frame, entry.end, &entry, &ignored);
		if (!entry.end)
			break;
		if (!entry.length && !entry.is_64bit)
			return entry.offset;
	}
	return UINT64_MAX;
}

/* .debug_frame may have come from the debug file. */
static const char *section_path(const struct image *image, const struct cfi *cfi)
{
	return !cfi->is_eh_frame && image->debug ? image->debug->path : image->path;
}

/* False: something else failed. What libdw refuses it has no word on: that is neither for the rows nor against them. */
static bool ask_libdw(struct referee_check *check, struct error *error)
{
	const struct image *image = check->check.image;

	check->refuses = false;
	if (!check->cfi->by_pc_count || image->type == ET_REL)
		return true;
	if (!row_referee_create(section_path(image, check->cfi), check->cfi->is_eh_frame,
				&check->referee, error))
		return true;
	check->refuses = error->code == ERROR_UNAVAILABLE;
	check->why = *error;
	return check->refuses;
}

/* One section; an image may have both. */
static int judge_section(struct referee_check *check, const char *section, struct error *error)
{
	const struct image *image = check->check.image;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int result = -1;

	if (cfi_create_section(image, section, &cfi, error))
		return error->code == ERROR_NO_CFI ? 0 : -1;
	check->cfi = cfi;
	check->terminator = find_terminator(cfi);
	if (!ask_libdw(check, error))
		goto out;
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		struct error ignored; /* malformed FDEs: the rows before are judged */

		check->fde = &cfi->fde[cfi->by_pc[i]];
		check->malformed += cfi_rows(cfi, check->fde, judge_row, check, &ignored) < 0;
		judge_gap(check, check->fde->pc_begin + check->fde->pc_range);
	}
	result = 0;
out:
	row_referee_destroy(check->referee);
	check->referee = NULL;
	return result;
}

static int check_referee(const struct image *image, FILE *output, json_t *proof,
			 struct error *error)
{
	struct referee_check check = { .check = { "libdw", image, output, 0 } };
	double start = monotonic_seconds();
	json_t *object;

	if (judge_section(&check, ".eh_frame", error) ||
	    judge_section(&check, ".debug_frame", error))
		return -1;
	object = JSON_NEW("agreed", check.judged[ROW_AGREED], "disputed",
			  check.judged[ROW_DISPUTED], "unknown", check.judged[ROW_UNKNOWN],
			  "hidden", check.hidden, "not_asked", check.not_asked, "malformed",
			  check.malformed, "gaps", check.gaps, "gaps_disputed", check.gaps_disputed,
			  "terminated", check.terminated, "seconds", monotonic_seconds() - start);
	if (check.why.code)
		JSON_SET(object, "refused", check.refused, "message", check.why.message);
	json_object_set_new(proof, "referee", object);
	return 0;
}

/* ---- readelf ------------------------------------------------------------------------------ */

/* Findings are held back until the program has come to its end. */
struct readelf_check {
	struct check check;
	json_t *held;
};

static void report_line(void *context, const struct readelf_difference *difference)
{
	struct readelf_check *check = context;
	json_t *object = check_finding(&check->check, "another line");

	if (!object)
		return;
	JSON_SET(object, "line", difference->line, "ours", difference->ours, "theirs",
		 difference->theirs);
	json_array_append_new(check->held, object);
}

/* readelf -wF goes by the names of sections. */
static bool has_sections(const char *path)
{
	Elf64_Ehdr header = { .e_shoff = 0 };
	FILE_CLOSED FILE *file = fopen(path, "re");

	return file && fread(&header, sizeof(header), 1, file) && header.e_shoff;
}

/* The file by itself, as readelf sees it. */
static int compare_file(const char *path, struct readelf_check *check, struct readelf_proof *counts,
			struct error *error)
{
	struct readelf_proof one;
	struct image *image DEINIT(image_destroy_at) = NULL;
	int result;

	if (image_create(path, &image, error))
		return -1;
	result = prove_lines(image, "readelf", &prove_readelf_source, report_line, check, &one,
			     error);
	counts->lines += one.lines;
	counts->differ += one.differ;
	return result;
}

/* The program's fault, not the image's: nothing is known of the lines, and all else is. */
static bool is_of_the_program(enum error_code code)
{
	return code == ERROR_UNAVAILABLE || code == ERROR_PROTOCOL;
}

static int check_readelf(const struct image *image, const char *file, FILE *output, json_t *proof,
			 struct error *error)
{
	struct readelf_check check = { { "readelf", image, output, 0 }, json_array() };
	struct readelf_proof counts = { 0 };
	double start = monotonic_seconds();
	bool compared = has_sections(file) && !image_eh_frame_is_unnamed(image);
	json_t *finding, *object;
	int failed;
	size_t i;

	failed = compared &&
		 (compare_file(file, &check, &counts, error) ||
		  (image->debug && compare_file(image->debug->path, &check, &counts, error)));
	if (failed) {
		counts = (struct readelf_proof) { 0 };
		json_array_clear(check.held);
	}
	json_array_foreach(check.held, i, finding) json_line(output, json_incref(finding));
	json_decref(check.held);
	if (failed && !is_of_the_program(error->code))
		return -1;
	object = JSON_NEW("equal", counts.lines, "differ", counts.differ, "without_sections",
			  !compared, "seconds", monotonic_seconds() - start);
	if (failed)
		JSON_SET(object, error->code == ERROR_UNAVAILABLE ? "not_run" : "failed", 1,
			 "message", error->message);
	json_object_set_new(proof, "readelf", object);
	return 0;
}

/* ---- the image ---------------------------------------------------------------------------- */

/* Rows that were compared. Behind a malformed instruction there is none: its marker is no
 * comparison. */
static uint64_t rows_compared(const json_t *proof, uint64_t *ret_malformed)
{
	const json_t *referee = json_object_get(proof, "referee");
	const char *malformed = table_marker_name(TABLE_MALFORMED), *reason;
	uint64_t count = json_count(proof, "equal") + json_count(proof, "silent") +
			 json_count(referee, "agreed") + json_count(referee, "disputed") +
			 json_count(referee, "unknown");
	json_t *value;

	*ret_malformed = 0;
	json_object_foreach(json_object_get(proof, "flagged"), reason, value)
	{
		if (strcmp(reason, malformed) != 0)
			count += json_integer_value(value);
		else
			*ret_malformed = json_integer_value(value);
	}
	return count;
}

static int ignore_row(void *context, const struct row *row)
{
	return 0;
}

struct unread_rests {
	const struct cfi *cfi;
	uint64_t count;
};

static int count_unread_rest(void *context, const struct cfi_fde *fde)
{
	struct unread_rests *rests = context;
	struct error ignored; /* table and stat tell */

	rests->count += cfi_rows(rests->cfi, fde, ignore_row, NULL, &ignored) < 0;
	return 0;
}

/* FDEs that can't be read to their end, and that the table has nothing of, not even that: they cover nothing, or
 * nothing that is executed, or the file is an object, which has no table. */
static uint64_t malformed_without_rows(const struct cfi *cfi)
{
	struct unread_rests rests = { .cfi = cfi };
	struct error ignored; /* of memory: stat tells */
	uint64_t outside;

	if (!cfi)
		return 0;
	for (size_t i = 0; i < cfi->fde_count; i++)
		if (cfi->image->type == ET_REL || !cfi_fde_covers(cfi->image, &cfi->fde[i]))
			count_unread_rest(&rests, &cfi->fde[i]);
	cfi_outside(cfi, count_unread_rest, &rests, &outside, &ignored);
	return rests.count;
}

/* What no check sees: entries that are lost, code that no FDE covers. And whether there was a
 * check. */
static void count_checked(const struct image *image, const char *file, const struct cfi *cfi,
			  json_t *proof)
{
	const json_t *readelf = json_object_get(proof, "readelf");
	const json_t *sframe = json_object_get(proof, "sframe");
	struct gate_image counts;
	uint64_t malformed, rows = rows_compared(proof, &malformed);
	uint64_t lines = json_count(readelf, "equal") + json_count(readelf, "differ");

	rows += json_count(sframe, "equal") + json_count(sframe, "wrong");
	malformed += malformed_without_rows(cfi);
	gate_image_read(image, file, cfi, &counts);
	gate_image_json(&counts, proof);
	json_object_set_new(proof, "malformed_rows", json_integer((json_int_t)malformed));
	/* readelf has lines of a file without CFI, too: they are no comparison. */
	if (!cfi || !cfi->fde_count)
		lines = 0;
	json_object_set_new(proof, "compared", json_integer((json_int_t)(rows + lines)));
	if (!rows && cfi && (cfi->fde_count || counts.unread_fdes))
		json_object_set_new(proof, "status", json_string("unchecked"));
}

static int check_image(const struct prove_options *options, const struct image *image,
		       const char *file, FILE *output, json_t *proof, struct error *error)
{
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	int result;

	if (cfi_create(image, &cfi, error)) {
		cfi_destroy(cfi);
		cfi = NULL;
		if (error->code != ERROR_NO_CFI)
			return -1;
		json_object_set_new(proof, "status", json_string("no_cfi"));
	}
	result = check_table(image, cfi, output, proof, error);
	if (!result && cfi)
		check_search_table(image, cfi, output, proof);
	if (!result && options->referee)
		result = check_referee(image, output, proof, error);
	if (!result && options->readelf)
		result = check_readelf(image, file, output, proof, error);
	if (!result && options->sframe && cfi)
		result = check_sframe(options, image, file, cfi, output, proof, error);
	if (!result)
		count_checked(image, file, cfi, proof);
	return result;
}

/* Nothing that was to be proven failed: the file can't be read, as one whose header can't. */
static bool is_of_the_file(enum error_code code)
{
	switch (code) {
	case ERROR_SYSTEM:
	case ERROR_MEMORY:
	case ERROR_UNAVAILABLE:
	case ERROR_PROTOCOL:
	case ERROR_TIMEOUT: return false;
	default: return true;
	}
}

void prove_image(const struct prove_options *options, const struct image_path *path, FILE *output)
{
	double start = monotonic_seconds();
	const char *status = NULL;
	struct opened_image opened;
	struct error error;
	json_t *proof = JSON_NEW("type", "proof", "image", path->path, "status", "proven");

	if (image_path_open(path, &opened, &error)) {
		status = error_is_environment(&error) ? "failed" : "unread";
	} else {
		debug_link_adopt(opened.image);
		if (check_image(options, opened.image, opened.file, output, proof, &error))
			status = "failed";
		image_path_close(&opened);
	}
	if (status && is_of_the_file(error.code))
		status = "unread";
	if (status)
		JSON_SET(proof, "status", status, "code", error_code_name(error.code), "message",
			 json_error(&error));
	json_line(output, JSON_SET(proof, "seconds", monotonic_seconds() - start));
}
