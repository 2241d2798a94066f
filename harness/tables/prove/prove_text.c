/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * prove_text.c - what `stackproof prove` says to a person
 *
 *	check      equal       flagged  wrong  what
 *	table      31,204,511       12      0  rows of the CFI and the compact table's rules
 *	search      1,717,002        0      0  entries of the search table and the FDEs
 *	libdw      31,204,523        0      0  rows here and in libdw
 *	gaps        1,717,571        0      0  addresses behind FDEs where libdw has no frame either
 *	readelf    52,000,123        0      0  lines of `readelf -wF`
 *	sframe         512,345      777      3  rows of the CFI and SFrame's; flagged: absent there
 *
 * Findings come first, one of several lines each. Images are only mentioned if they have findings
 * or could not be proven, unless there are few of them. Whatever was not compared is counted, with
 * its reason: docs/READING_DIFFERENCES.md explains each.
 */
#include <inttypes.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "prove.h"
#include "plain_text.h"

/* All values of an object of counts together. */
static json_int_t sum_of(const json_t *object)
{
	json_int_t sum = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) sum += json_integer_value(value);
	return sum;
}

void prove_text_finding(FILE *file, const json_t *finding)
{
	static const char *const keys[] = { "row", "rule", "sframe", "stage", "ours", "theirs" };

	fprintf(file, "%s: %s", PLAIN_TEXT(json_text(finding, "image")),
		json_text(finding, "check"));
	if (json_object_get(finding, "pc"))
		fprintf(file, ": %s..%s", json_text(finding, "pc"), json_text(finding, "pc_end"));
	if (json_object_get(finding, "line"))
		fprintf(file, ": line %" JSON_INTEGER_FORMAT, json_count(finding, "line"));
	if (json_object_get(finding, "function"))
		fprintf(file, " (%s)", PLAIN_TEXT(json_text(finding, "function")));
	fprintf(file, ": %s\n", PLAIN_TEXT(json_text(finding, "message")));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_get(finding, keys[i]))
			fprintf(file, "    %-6s  %s\n", keys[i],
				PLAIN_TEXT(json_text(finding, keys[i])));
}

static void print_sframe(FILE *file, const json_t *sframe)
{
	const json_t *objdump = json_object_get(sframe, "objdump");
	const json_t *libsframe = json_object_get(sframe, "libsframe");
	const char *reason;
	json_t *value;

	if (!sframe)
		return;
	if (json_object_get(sframe, "none")) {
		fprintf(file, "; no SFrame%s%s", json_object_get(sframe, "message") ? ": " : "",
			PLAIN_TEXT(json_text(sframe, "message")));
		return;
	}
	fprintf(file,
		"; SFrame: %" JSON_INTEGER_FORMAT " rows equal, %" JSON_INTEGER_FORMAT " wrong",
		json_count(sframe, "equal"), json_count(sframe, "wrong"));
	json_object_foreach(json_object_get(sframe, "absent"), reason, value) fprintf(
		file, ", %" JSON_INTEGER_FORMAT " absent: %s", json_integer_value(value), reason);
	if (json_object_get(libsframe, "message"))
		fprintf(file, "; %s", PLAIN_TEXT(json_text(libsframe, "message")));
	else if (libsframe)
		fprintf(file,
			"; libsframe %" JSON_INTEGER_FORMAT " rows equal, %" JSON_INTEGER_FORMAT
			" not",
			json_count(libsframe, "equal"), json_count(libsframe, "differ"));
	if (json_object_get(objdump, "message"))
		fprintf(file, "; %s", PLAIN_TEXT(json_text(objdump, "message")));
	else if (objdump)
		fprintf(file,
			"; objdump %" JSON_INTEGER_FORMAT " lines equal, %" JSON_INTEGER_FORMAT
			" not",
			json_count(objdump, "equal"), json_count(objdump, "differ"));
}

void prove_text_image(FILE *file, const json_t *proof)
{
	const json_t *referee = json_object_get(proof, "referee");
	const json_t *readelf = json_object_get(proof, "readelf");
	const json_t *search = json_object_get(proof, "search_table");
	const char *status = json_text(proof, "status"), *reason;
	json_t *value;

	fprintf(file, "%s: %s", PLAIN_TEXT(json_text(proof, "image")), status);
	if (json_object_get(proof, "message"))
		fprintf(file, ": %s", PLAIN_TEXT(json_text(proof, "message")));
	if (!strcmp(status, "unchecked"))
		fprintf(file, ": not one row could be compared");
	if (!strcmp(status, "proven")) {
		fprintf(file, ": %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " rows equal",
			json_count(proof, "equal"), json_count(proof, "rows"));
		json_object_foreach(json_object_get(proof, "flagged"), reason, value) fprintf(
			file, ", %" JSON_INTEGER_FORMAT " %s", json_integer_value(value), reason);
		fprintf(file, ", %" JSON_INTEGER_FORMAT " silent", json_count(proof, "silent"));
		if (json_count(search, "wrong"))
			fprintf(file, ", %" JSON_INTEGER_FORMAT " wrong in the search table",
				json_count(search, "wrong"));
		if (referee)
			fprintf(file,
				"; libdw %" JSON_INTEGER_FORMAT " agreed, %" JSON_INTEGER_FORMAT
				" not",
				json_count(referee, "agreed"),
				json_count(referee, "disputed") + json_count(referee, "unknown") +
					json_count(referee, "gaps_disputed"));
		if (json_object_get(referee, "message"))
			fprintf(file, "; %s", PLAIN_TEXT(json_text(referee, "message")));
		if (json_object_get(readelf, "message"))
			fprintf(file, "; %s", PLAIN_TEXT(json_text(readelf, "message")));
		else if (readelf)
			fprintf(file,
				"; readelf %" JSON_INTEGER_FORMAT
				" lines equal, %" JSON_INTEGER_FORMAT " not",
				json_count(readelf, "equal"), json_count(readelf, "differ"));
	}
	print_sframe(file, json_object_get(proof, "sframe"));
	if (json_count(proof, "executable_bytes"))
		fprintf(file, "; %.2f %% of its code has CFI",
			100.0 * (double)json_count(proof, "covered_bytes") /
				(double)json_count(proof, "executable_bytes"));
	json_object_foreach(json_object_get(proof, "lost_fdes_by_reason"), reason, value)
		fprintf(file, "; %" JSON_INTEGER_FORMAT " FDEs lost: %s", json_integer_value(value),
			reason);
	fprintf(file, " (%.2f s)\n", json_number_value(json_object_get(proof, "seconds")));
}

static void print_line(FILE *file, const char *check, json_int_t equal, json_int_t flagged,
		       json_int_t wrong, const char *what)
{
	fprintf(file,
		"%-8s %12" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT " %9" JSON_INTEGER_FORMAT
		"  %s\n",
		check, equal, flagged, wrong, what);
}

/* What no comparison was made of. */
static void print_apart(FILE *file, json_int_t count, const char *what)
{
	if (count)
		fprintf(file, "not compared: %" JSON_INTEGER_FORMAT " %s\n", count, what);
}

static void print_not_compared(FILE *file, const json_t *counts)
{
	const json_t *referee = json_object_get(counts, "referee");
	const json_t *lost = json_object_get(counts, "lost_fdes_by_reason");

	print_apart(file, json_count(lost, "unread"), "FDEs with anything: they could not be read");
	print_apart(
		file, json_count(counts, "outside"),
		"rows with the table: in no executable segment (relocatable objects have none)");
	print_apart(file, json_count(json_object_get(counts, "readelf"), "without_sections"),
		    "images with readelf: no section header leads to their CFI");
	print_apart(file, json_count(json_object_get(counts, "readelf"), "not_run"),
		    "images with readelf: it can't be run");
	print_apart(file, json_count(json_object_get(counts, "readelf"), "failed"),
		    "images with readelf: it failed");
	print_apart(file, json_count(referee, "not_asked"),
		    "rows with libdw: of relocatable objects");
	print_apart(file, json_count(referee, "refused"), "rows with libdw: it refuses the file");
	print_apart(file, json_count(referee, "hidden"),
		    "rows with libdw: another FDE has the address");
	print_apart(
		file, json_count(referee, "terminated"),
		"rows with libdw: behind a length of 0, or in another .eh_frame, which it does not "
		"read");
	print_apart(file, json_count(referee, "malformed"),
		    "FDEs' rests with libdw: behind a malformed instruction");
}

void prove_text_summary(FILE *file, const struct prove_options *options,
			const struct prove_totals *totals)
{
	const json_t *counts = totals->counts;
	const json_t *flagged = json_object_get(counts, "flagged");
	const json_t *referee = json_object_get(counts, "referee");
	const json_t *readelf = json_object_get(counts, "readelf");
	const json_t *search = json_object_get(counts, "search_table");
	const json_t *sframe = json_object_get(counts, "sframe");
	const json_t *absent = json_object_get(sframe, "absent");
	const json_t *objdump = json_object_get(sframe, "objdump");
	json_int_t wrong = json_count(search, "wrong");
	json_int_t rows = json_count(counts, "rows");
	const char *reason;
	json_t *value;

	fprintf(file, "\n%-8s %12s %9s %9s  %s\n", "check", "equal", "flagged", "wrong", "what");
	print_line(file, "table", json_count(counts, "equal"), sum_of(flagged),
		   json_count(counts, "silent"), "rows of the CFI, and the compact table's rules");
	print_line(file, "search",
		   json_count(search, "entries") > wrong ? json_count(search, "entries") - wrong
							 : 0,
		   0, wrong, "entries of the search tables in .eh_frame_hdr, and the FDEs");
	if (options->referee)
		print_line(file, "libdw", json_count(referee, "agreed"), 0,
			   json_count(referee, "disputed") + json_count(referee, "unknown"),
			   "rows of the CFI, here and in libdw");
	if (options->referee)
		print_line(file, "gaps", json_count(referee, "gaps"), 0,
			   json_count(referee, "gaps_disputed"),
			   "addresses behind FDEs, where libdw has no frame either");
	if (options->readelf)
		print_line(file, "readelf", json_count(readelf, "equal"), 0,
			   json_count(readelf, "differ"), "lines, here and from readelf -wF");
	if (options->sframe)
		print_line(file, "sframe", json_count(sframe, "equal"), sum_of(absent),
			   json_count(sframe, "wrong"),
			   "rows of the CFI, and SFrame's; flagged: absent there");
	if (options->objdump)
		print_line(file, "objdump", json_count(objdump, "equal"), 0,
			   json_count(objdump, "differ"), "lines, here and from objdump --sframe");
	if (options->libsframe)
		print_line(file, "libsframe",
			   json_count(json_object_get(sframe, "libsframe"), "equal"), 0,
			   json_count(json_object_get(sframe, "libsframe"), "differ"),
			   "rows of SFrame, here and in libsframe");
	json_object_foreach((json_t *)absent, reason, value)
		fprintf(file, "absent in SFrame: %" JSON_INTEGER_FORMAT " rows: %s\n",
			json_integer_value(value), reason);
	json_object_foreach((json_t *)flagged, reason, value) fprintf(
		file, "flagged: %" JSON_INTEGER_FORMAT " rows, %.6f %%: %s\n",
		json_integer_value(value),
		rows ? 100.0 * (double)json_integer_value(value) / (double)rows : 0.0, reason);
	print_not_compared(file, counts);
	fprintf(file,
		"%" PRIu64 " images: %" PRIu64 " proven (%" PRIu64 " without CFI), %" PRIu64
		" unchecked, %" PRIu64 " not read, %" PRIu64 " failed, %" PRIu64
		" with findings; %.1f s\n",
		totals->images, totals->proven, totals->no_cfi, totals->unchecked, totals->unread,
		totals->failed, totals->with_findings, totals->seconds);
}
