/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_text.c - what `stackproof lint` says to a person
 *
 *	/usr/bin/prog: f+0x3d: SP001 the CFA is elsewhere
 *	    source      /src/prog.c:23
 *	    producer    clang version 14.0.6
 *	        0x2040a9  add rsp, 0x08
 *	     -> 0x2040ad  test al, al
 *	        0x2040af  jz 0x2040b7
 *	    up to       0x2040b1
 *	    path        0x204080 jnz 0x2040a0
 *	    declared    cfa=rsp+32
 *	    actual      cfa=rsp+24
 *
 * as a compiler's warnings: the file, the place, what is wrong, and below it the evidence.
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/images/image_kind.h"
#include "lint.h"
#include "lint_symbols.h"
#include "plain_text.h"

static void print_field(FILE *file, const char *name, const char *text)
{
	if (text[0])
		fprintf(file, "    %-10s  %s\n", name, PLAIN_TEXT(text));
}

static void print_source(FILE *file, const json_t *finding)
{
	const char *source = json_text(finding, "source_file");

	if (source[0])
		fprintf(file, "    %-10s  %s:%lld\n", "source", PLAIN_TEXT(source),
			(long long)json_count(finding, "source_line"));
	print_field(file, "producer", json_text(finding, "producer"));
	print_field(file, "compilers", json_text(finding, "compilers"));
}

static void print_instructions(FILE *file, const json_t *finding, bool colour)
{
	const char *pc = json_text(finding, "pc"), *pc_end = json_text(finding, "pc_end");
	const char *before = "";
	bool longer = strcmp(pc, pc_end) != 0;
	size_t i;
	json_t *line;

	json_array_foreach(json_object_get(finding, "disassembly"), i, line)
	{
		const char *at = json_text(line, "pc");
		bool here = !strcmp(at, pc);

		if (!strcmp(before, pc) && !strcmp(at, pc_end))
			longer = false;
		before = at;
		fprintf(file, "%s     %s %s  %s%s\n", here && colour ? "\033[1m" : "",
			here ? "->" : "  ", at, PLAIN_TEXT(json_text(line, "instruction")),
			here && colour ? "\033[0m" : "");
	}
	if (longer)
		print_field(file, "up to", pc_end);
}

/* last: of a way's jumps, NULL if there is none. An exception comes from a call. */
static const char *what_leads(const json_t *last, const char *from)
{
	if (strcmp(json_text(last, "pc"), from) != 0)
		return "instruction";
	return strncmp(json_text(last, "instruction"), "call", 4) ? "jump"
								  : "exception of the call";
}

/* The jumps of one way there; of a way that alone is wrong, the last of them first. */
static void print_path(FILE *file, const json_t *finding)
{
	const json_t *path = json_object_get(finding, "path");
	const char *from = json_text(finding, "from"), *between = "";
	const char *from_section = json_text(finding, "from_section");
	bool elsewhere = strcmp(from_section, json_text(finding, "section")) != 0;
	size_t count = json_array_size(path), i;
	json_t *line;

	if (from[0])
		fprintf(file,
			"    %-10s  the %s at %s%s%s; other ways may bring what is declared\n",
			"by", what_leads(json_array_get(path, count - 1), from),
			elsewhere ? PLAIN_TEXT(from_section) : "", elsewhere ? "+" : "", from);
	if (!count)
		return;
	fprintf(file, "    %-10s  %s", "path", json_object_get(finding, "path_cut") ? "...; " : "");
	json_array_foreach(path, i, line)
	{
		const char *section = json_text(line, "section");

		fprintf(file, "%s%s%s%s %s", between, PLAIN_TEXT(section), section[0] ? "+" : "",
			json_text(line, "pc"), PLAIN_TEXT(json_text(line, "instruction")));
		between = "; ";
	}
	fputc('\n', file);
}

void lint_text_evidence(FILE *file, const json_t *finding, bool colour)
{
	print_instructions(file, finding, colour);
	print_path(file, finding);
	print_field(file, "declared", json_text(finding, "declared"));
	print_field(file, "actual", json_text(finding, "actual"));
	lint_text_executed(file, finding);
}

void lint_text_finding(FILE *file, const json_t *finding, bool colour)
{
	const char *table = lint_table_of(finding);

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(finding, "image")));
	if (json_text(finding, "pc")[0]) {
		fprintf(file, "%s", PLAIN_TEXT(json_text(finding, "function")));
		if (json_count(finding, "offset"))
			fprintf(file, "+0x%llx", (unsigned long long)json_count(finding, "offset"));
		if (json_object_get(finding, "section"))
			fprintf(file, " (%s+%s)", PLAIN_TEXT(json_text(finding, "section")),
				json_text(finding, "pc"));
		fprintf(file, ": ");
	}
	fprintf(file, "%s%s%s %s", colour ? "\033[1;31m" : "", json_text(finding, "id"),
		colour ? "\033[0m" : "", json_text(finding, "title"));
	if (strcmp(table, "cfi"))
		fprintf(file, " (in %s)", PLAIN_TEXT(table));
	fputc('\n', file);
	print_source(file, finding);
	lint_text_evidence(file, finding, colour);
}

void lint_text_gone(FILE *file, const json_t *finding)
{
	fprintf(file, "%s: ", PLAIN_TEXT(json_text(finding, "image")));
	if (json_object_get(finding, "function"))
		fprintf(file, "%s: ", PLAIN_TEXT(json_text(finding, "function")));
	fprintf(file, "%s gone: %s\n", json_text(finding, "id"),
		PLAIN_TEXT(json_text(finding, "actual")));
}

void lint_text_unproven(FILE *file, const json_t *unproven)
{
	fprintf(file, "%s: ", PLAIN_TEXT(json_text(unproven, "image")));
	fprintf(file, "%s", PLAIN_TEXT(json_text(unproven, "function")));
	if (json_count(unproven, "offset"))
		fprintf(file, "+0x%llx", (unsigned long long)json_count(unproven, "offset"));
	fprintf(file, ": unproven: %s\n", json_text(unproven, "title"));
}

/* Those whose outcome says that something was left open, or taken for granted. */
static void print_relocations(FILE *file, const json_t *relocations)
{
	static const struct {
		enum object_relocation relocation;
		const char *text;
	} told[] = {
		{ OBJECT_WEAK, "to weak symbols" },
		{ OBJECT_OUTSIDE, "out of their section" },
		{ OBJECT_UNKNOWN, "of unknown types" },
	};
	const char *before = "; relocations: ";

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		json_int_t count = json_count(relocations,
					      object_relocation_name(told[i].relocation));

		if (!count)
			continue;
		fprintf(file, "%s%" JSON_INTEGER_FORMAT " %s", before, count, told[i].text);
		before = ", ";
	}
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
	for (int i = 0; i < FLOW_REASON_COUNT; i++) {
		json_int_t count = json_count(reasons, lint_reason_name((enum flow_reason)i));

		if (count)
			fprintf(file, ", %" JSON_INTEGER_FORMAT " unproven (%s)", count,
				lint_reason_title((enum flow_reason)i));
	}
	print_relocations(file, json_object_get(counts, "relocations"));
}

/* Of those that have no CFI by their nature. */
static const char *what_it_is(const json_t *image)
{
	const char *kind = json_text(image, "kind");

	if (json_object_get(image, "lto"))
		return ": its code is made when it is linked (LTO)";
	if (!strcmp(kind, image_kind_name(IMAGE_DEBUG_FILE)))
		return ": a debug file, whose code is in another";
	return strcmp(kind, image_kind_name(IMAGE_KERNEL_MODULE)) ? "" : ": a kernel module";
}

static void print_no_cfi(FILE *file, const json_t *image)
{
	const char *what = what_it_is(image), *reason;
	json_t *count;

	fprintf(file, "no CFI%s", what);
	json_object_foreach(json_object_get(image, "no_cfi_reasons"), reason,
			    count) if (!what[0] && lint_bare_title_of(reason))
		fprintf(file, ": %s", lint_bare_title_of(reason));
}

/* Held against a baseline. */
static void print_known(FILE *file, const json_t *image)
{
	if (json_object_get(image, "known_findings"))
		fprintf(file,
			"; findings: %" JSON_INTEGER_FORMAT " known, %" JSON_INTEGER_FORMAT
			" new, %" JSON_INTEGER_FORMAT " gone",
			json_count(image, "known_findings"), json_count(image, "new_findings"),
			json_count(image, "gone_findings"));
}

/* What each table came to, of --table. */
static void print_tables(FILE *file, const json_t *counts)
{
	static const struct {
		const char *key, *text;
	} columns[] = {
		{ "mismatch", "with mismatches" }, { "as_cfi", "as wrong as the CFI" },
		{ "missing", "without a row" },	   { "marked", "marked as not to be said" },
		{ "unproven", "unproven" },
	};
	const char *name;
	json_t *table;

	json_object_foreach(json_object_get(counts, "tables"), name, table)
	{
		json_int_t all = json_count(table, "proven"), beyond;

		for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			all += json_count(table, columns[i].key);
		fprintf(file,
			"    %s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
			" instructions proven",
			PLAIN_TEXT(name), json_count(table, "proven"), all);
		for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			if (!i || json_count(table, columns[i].key))
				fprintf(file, ", %" JSON_INTEGER_FORMAT " %s",
					json_count(table, columns[i].key), columns[i].text);
		beyond = json_count(table, "rows_beyond");
		if (beyond)
			fprintf(file, "; %" JSON_INTEGER_FORMAT " rows where no FDE is", beyond);
		fputc('\n', file);
	}
}

void lint_text_image(FILE *file, const json_t *image)
{
	const char *status = json_text(image, "status");

	fprintf(file, "%s: ", PLAIN_TEXT(json_text(image, "image")));
	if (!strcmp(status, "linted")) {
		print_counts(file, image);
		print_known(file, image);
		if (json_object_get(image, "below_coverage"))
			fputs("; fewer are proven than --coverage wants", file);
	} else if (json_object_get(image, "message")) {
		fprintf(file, "%s: %s", status, PLAIN_TEXT(json_text(image, "message")));
	} else {
		print_no_cfi(file, image);
		print_known(file, image);
	}
	fputc('\n', file);
	print_tables(file, image);
	lint_text_ran(file, image);
}

/* By id. table: whose rows they are of, NULL: the CFI's. */
static void print_ids(FILE *file, const json_t *findings, const char *table)
{
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		json_int_t count = json_count(findings, lint_id_name((enum lint_id)i));

		if (!count)
			continue;
		fprintf(file, "%8" JSON_INTEGER_FORMAT "  %s %s", count,
			lint_id_name((enum lint_id)i), lint_id_title((enum lint_id)i));
		if (table)
			fprintf(file, " (in %s)", PLAIN_TEXT(table));
		fputc('\n', file);
	}
}

void lint_text_total(FILE *file, const json_t *counts, uint64_t images, double seconds)
{
	const char *name;
	json_t *table;

	fprintf(file, "%llu images in %.1f s: ", (unsigned long long)images, seconds);
	print_counts(file, counts);
	fputc('\n', file);
	print_tables(file, counts);
	lint_text_ran(file, counts);
	print_ids(file, json_object_get(counts, "findings"), NULL);
	json_object_foreach(json_object_get(counts, "tables"), name, table)
		print_ids(file, json_object_get(table, "findings"), name);
}
