/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_text.c - what `stackproof lint` says to a person
 *
 *	/usr/bin/prog: f+0x3d: SP001 the CFA is elsewhere
 *	    2040ad..2040b1  test al, al
 *	    declared        cfa=rsp+32
 *	    actual          cfa=rsp+24
 *
 * as a compiler's warnings: the file, the place, what is wrong, and below it the evidence.
 */
#include <string.h>
#include "cli/json_counts.h"
#include "lint/lint.h"
#include "plain_text.h"

void lint_text_finding(FILE *file, const json_t *finding)
{
	const char *pc = json_text(finding, "pc"), *pc_end = json_text(finding, "pc_end");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(finding, "image")));
	if (pc[0]) {
		fprintf(file, "%s", PLAIN_TEXT(json_text(finding, "function")));
		if (json_count(finding, "offset"))
			fprintf(file, "+0x%llx", (unsigned long long)json_count(finding, "offset"));
		fprintf(file, ": ");
	}
	fprintf(file, "%s %s\n", json_text(finding, "id"), json_text(finding, "title"));
	if (pc[0] && !strcmp(pc, pc_end))
		fprintf(file, "    %-10s  %s\n", pc, json_text(finding, "instruction"));
	else if (pc[0])
		fprintf(file, "    %s..%s  %s\n", pc, pc_end, json_text(finding, "instruction"));
	if (json_object_get(finding, "from"))
		fprintf(file, "    on the way from %s; others bring what is declared\n",
			json_text(finding, "from"));
	if (json_object_get(finding, "declared"))
		fprintf(file, "    declared    %s\n", PLAIN_TEXT(json_text(finding, "declared")));
	fprintf(file, "    actual      %s\n", PLAIN_TEXT(json_text(finding, "actual")));
}

static void print_counts(FILE *file, const json_t *counts)
{
	const json_t *reasons = json_object_get(counts, "unproven_reasons");
	json_int_t fdes = json_count(counts, "fdes"), proven = json_count(counts, "proven");

	fprintf(file,
		"%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
		" FDEs proven (%.3f %%), %" JSON_INTEGER_FORMAT " with mismatches",
		proven, fdes, fdes ? 100.0 * (double)proven / (double)fdes : 0.0,
		json_count(counts, "mismatch"));
	for (int i = 0; i < LINT_REASON_COUNT; i++) {
		json_int_t count = json_count(reasons, lint_reason_name((enum lint_reason)i));

		if (count)
			fprintf(file, ", %" JSON_INTEGER_FORMAT " unproven (%s)", count,
				lint_reason_title((enum lint_reason)i));
	}
	fputc('\n', file);
}

void lint_text_image(FILE *file, const json_t *image)
{
	const char *status = json_text(image, "status");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(image, "image")));
	if (!strcmp(status, "linted"))
		print_counts(file, image);
	else if (json_object_get(image, "message"))
		fprintf(file, "%s: %s\n", status, PLAIN_TEXT(json_text(image, "message")));
	else
		fprintf(file, "%s\n",
			!strcmp(status, "no_cfi") ? "no CFI" : "an object file: link it first");
}

void lint_text_total(FILE *file, const json_t *counts, uint64_t images, double seconds)
{
	const json_t *findings = json_object_get(counts, "findings");

	fprintf(file, "%llu images in %.1f s: ", (unsigned long long)images, seconds);
	print_counts(file, counts);
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		json_int_t count = json_count(findings, lint_id_name((enum lint_id)i));

		if (count)
			fprintf(file, "%8" JSON_INTEGER_FORMAT "  %s %s\n", count,
				lint_id_name((enum lint_id)i), lint_id_title((enum lint_id)i));
	}
}
