/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_text.c - what `stackproof synthesize` says to a person
 *
 *	/usr/bin/prog: 12 functions without CFI: 9 whole, 2 in part, 1 not; 431 of 460 instructions, 88 rows
 *	         20  no row: behind a jump whose targets are not known
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "synthesis.h"

static void print_counts(FILE *file, const json_t *image)
{
	const json_t *unwritten = json_object_get(image, "unwritten");

	fprintf(file,
		"%" JSON_INTEGER_FORMAT " functions without CFI: %" JSON_INTEGER_FORMAT
		" whole, %" JSON_INTEGER_FORMAT " in part, %" JSON_INTEGER_FORMAT
		" not; %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
		" instructions, %" JSON_INTEGER_FORMAT " rows\n",
		json_count(image, "functions"), json_count(image, "proven"),
		json_count(image, "partial"), json_count(image, "none"),
		json_count(image, "instructions_written"), json_count(image, "instructions"),
		json_count(image, "rows"));
	if (json_count(image, "replaced"))
		fprintf(file,
			"%10" JSON_INTEGER_FORMAT "  functions with rows in place of theirs\n",
			json_count(image, "replaced"));
	for (int i = 0; i < SYNTHESIS_REASON_COUNT; i++) {
		enum synthesis_reason reason = (enum synthesis_reason)i;
		json_int_t count = json_count(unwritten, synthesis_reason_name(reason));

		if (count)
			fprintf(file, "%10" JSON_INTEGER_FORMAT "  no row: %s\n", count,
				synthesis_reason_title(reason));
	}
}

void synthesis_text_image(FILE *file, const json_t *image)
{
	const char *status = json_text(image, "status");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(image, "image")));
	if (json_object_get(image, "message"))
		fprintf(file, "%s: %s\n", status, PLAIN_TEXT(json_text(image, "message")));
	else
		print_counts(file, image);
	if (json_object_get(image, "command")) {
		plain_lines(file, json_text(image, "command")); /* of any length */
		fputc('\n', file);
	}
}
