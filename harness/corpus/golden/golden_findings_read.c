/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_findings_read.c - results.ndjson -> each binary's findings, kernel by kernel
 *
 * Table faults, whosever they are, and what was stepped are for golden_verdict.c. Of the other findings
 * only that is kept which another machine must find too:
 *
 *	- in the binary's own files. What is wrong in the machine's C library or in libgcc (forced
 *	  unwinding, hand-written assembly) comes and goes with its packages' versions.
 *	- not in start files (crt1.o, crtbegin.o: _init, frame_dummy, ...), which are linked into
 *	  the binary, but are those packages', too. corpus.tsv's word `startup` says which.
 *	- not in a library that is linked into the binary (golden_own.c).
 *	- no counts of points, no addresses of the stack.
 *
 * A finding as text: fault and kind (of a walk that stopped also why), the library if it is one,
 * function and offset of the first point, the row declared there, and, where a CFA is known on both
 * sides, where it really was:
 *
 *	table_fault wrong stub+0x5 declared cfa=rsp+8 ra=c-8 actual cfa+16
 *	conversion_loss flagged:offset_range far+0x7 declared cfa=rbx+2147483648 ra=c-8
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "base/cli/no_memory.h"
#include "golden.h"
#include "base/cli/json_counts.h"

/* ---- whose it is ------------------------------------------------------------------------- */

/* *ret_tag: which of the binary's files, "" for itself. */
static bool is_own(const struct corpus_binary *binary, const char *image, const char **ret_tag)
{
	const char *self = basename(binary->path), *file = basename(image);

	*ret_tag = "";
	if (!strcmp(self, file))
		return true;
	for (size_t i = 0; i < binary->file_count; i++) {
		if (strcmp(basename(binary->file[i]), file))
			continue;

		size_t length = strlen(self);

		*ret_tag = !strncmp(file, self, length) && file[length] == '.' ? file + length + 1
									       : file;
		return true;
	}
	return false;
}

/* ---- one finding as text ----------------------------------------------------------------- */

static uint64_t hexadecimal(const char *text)
{
	return strtoull(text, NULL, 16);
}

/* "stub+0x5". What has no symbol is a stretch that begins somewhere: "gap@0x1000+0x4". */
static void place_text(const struct finding_record *finding, char *ret, size_t size)
{
	const char *place = finding->place, *function = finding->function;
	const char *end = strstr(place, " ("), *at = strchr(function, '@');

	if (*place != '+' || !at) {
		snprintf(ret, size, "%.*s", (int)(end ? end - place : (long)strlen(place)), place);
		return;
	}

	uint64_t start = strtoull(at + 1, NULL, 16);

	snprintf(ret, size, "%s+0x%" PRIx64, function, hexadecimal(finding->address) - start);
}

/* A CFA farther away than this is on another stack, or where another run has another distance. */
#define CFA_NEAR 1024

/* free() it. */
static char *finding_text(const struct finding_record *finding, const char *tag)
{
	const char *kind = finding->kind, *declared = finding->declared;
	bool malformed = !strcmp(kind, "malformed");
	bool says_why = malformed || !strcmp(kind, "flagged");
	uint64_t from = hexadecimal(finding->declared_cfa);
	uint64_t to = hexadecimal(finding->actual_cfa);
	char actual[64] = "", place[256], safe[400], *text;
	size_t i;

	/* ".eh_frame+0x57: " is where the linker put it. */
	if (malformed && *declared == '.' && strstr(declared, ": "))
		declared = strstr(declared, ": ") + 2;
	if (from && to && !malformed && to - from + CFA_NEAR > 2 * CFA_NEAR)
		strcpy(actual, " actual cfa elsewhere");
	else if (from && to && !malformed)
		snprintf(actual, sizeof(actual), " actual cfa%+" PRId64, (int64_t)(to - from));
	place_text(finding, place, sizeof(place));
	for (i = 0; declared[i] && i < sizeof(safe) - 1; i++)
		safe[i] = (unsigned char)declared[i] < ' ' ? ' ' : declared[i];
	safe[i] = '\0';
	if (asprintf(&text, "%s %s%s%s %s%s%s declared %s%s", finding->verdict, kind,
		     says_why ? ":" : "", says_why ? finding->stop : "", tag, *tag ? ":" : "",
		     place, safe, actual) < 0)
		no_memory();
	return text;
}

/* ---- collecting -------------------------------------------------------------------------- */

/* The binary's on that kernel, made if it isn't there. A cell's objects come one behind the other. */
static struct golden_cell *cell_of(struct golden_verdicts *verdicts,
				   const struct corpus_binary *binary, const char *kernel)
{
	for (size_t i = verdicts->cell_count; i--;) {
		struct golden_cell *cell = &verdicts->cell[i];
		if (cell->binary == binary && !strcmp(cell->kernel, kernel))
			return cell;
	}
	return ARRAY_NEED(verdicts->cell, verdicts->cell_count,
			  (struct golden_cell) { .binary = binary, .kernel = strdup(kernel) });
}

static void add_finding(struct golden_cell *cell, const struct finding_record *finding)
{
	const char *tag;

	if (is_own(cell->binary, finding->image, &tag) &&
	    !expectation_has_finding("startup", finding) &&
	    (*tag || golden_own_has(cell->binary->path, hexadecimal(finding->address))))
		finding_set_copy(&cell->findings, finding, finding_text(finding, tag));
}

/* A run of a binary that came to its end: `run` names the binary, `compare` only the program. */
static void add_stepped(struct golden_verdicts *verdicts, const json_t *object)
{
	const char *binary = json_text(object, "binary"), *program = json_text(object, "program");

	if (!verdicts->stepped)
		verdicts->stepped = json_object();
	if (binary[0] || program[0])
		JSON_SET(verdicts->stepped, basename(binary[0] ? binary : program), json_true());
}

static void add_object(struct golden_verdicts *verdicts, const struct manifest *manifest,
		       const json_t *object)
{
	const struct finding_record finding = finding_record_read(object);
	const char *kernel = json_text(object, "kernel");
	const struct corpus_binary *binary = manifest_find(manifest, json_text(object, "binary"));
	struct golden_cell *cell = NULL;

	verdicts->of_run |= json_object_get(object, "binary") != NULL;
	if (strcmp(finding.type, "finding") && strcmp(finding.type, "verdicts"))
		return;
	if (binary && *kernel)
		cell = cell_of(verdicts, binary, kernel);
	if (!strcmp(finding.type, "finding")) {
		if (!strcmp(finding.verdict, "table_fault") && finding.function[0])
			finding_set_copy(&verdicts->faults, &finding,
					 strdup(basename(json_object_get(object, "image")
								 ? finding.image
								 : finding.program)));
		if (cell)
			add_finding(cell, &finding);
	} else if (!json_object_get(object, "partial")) { /* what it lacks says nothing */
		add_stepped(verdicts, object);
		if (cell) {
			cell->stepped = true;
			cell->cut = json_count(object, "findings_not_kept") > 0;
		}
	}
}

int golden_verdicts_read(struct golden_verdicts *verdicts, const char *path,
			 const struct manifest *manifest, struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(path, error);
	FREED char *line = NULL;
	size_t capacity = 0, number = 0;
	int status = 0;

	if (!file)
		return -1;
	while (!status && getline(&line, &capacity, file) >= 0) {
		json_error_t json_error;
		JSON_FREED json_t *object = NULL;

		number++;
		line[strcspn(line, "\r\n")] = '\0';
		object = json_loads(line, 0, &json_error);
		if (!object)
			status = error_set(error, ERROR_TEXT_SYNTAX, "", number, "%s: line %zu: %s",
					   path, number, json_error.text);
		else
			add_object(verdicts, manifest, object);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "cannot read %s", path);
	for (size_t i = 0; i < verdicts->cell_count; i++)
		finding_set_sort(&verdicts->cell[i].findings);
	return status;
}
