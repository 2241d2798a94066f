/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_text.c - findings and images for people
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lint.h"
#include "lint_executed.h"
#include "lint_inside.h"
#include "plain_text.h"
#include "base/cli/json_counts.h"
#include "base/images/image_kind.h"

/* "f+0x3d". */
static void print_offset(FILE *file, const struct finding_record *finding)
{
	fprintf(file, "%s", PLAIN_TEXT(finding->function));
	if (finding->offset)
		fprintf(file, "+0x%llx", (unsigned long long)finding->offset);
}

/* ==== what ran of them ====================================================================== */

/*
 *	    executed    12 points: wrong at 12, right at 0: confirmed
 *
 * stands below a finding, and below an image how much of it ran. A row that was wrong has a line of its own
 * only where lint has no finding that says so.
 */

/* What a run makes of a finding, of an image or of all images, and of a row that was wrong; nothing
 * if there is no run, or if lint agrees with it. */
static void print_executed(FILE *file, const json_t *finding)
{
	const char *outcome = json_text(finding, "outcome"), *because;
	json_int_t points = json_count(finding, "points");

	if (!json_object_get(finding, "executed"))
		return;
	if (!json_is_true(json_object_get(finding, "executed"))) {
		fprintf(file, "    executed    no\n");
		return;
	}
	fprintf(file, "    executed    ");
	if (json_object_get(finding, "points"))
		fprintf(file, "%lld points", points);
	if (json_count(finding, "calls"))
		fprintf(file, ", below its call %lld", json_count(finding, "calls"));
	if (json_object_get(finding, "points") && outcome[0])
		fprintf(file, ": ");
	if (outcome[0])
		fprintf(file, "wrong at %lld", json_count(finding, "wrong"));
	if (json_object_get(finding, "right"))
		fprintf(file, ", right at %lld", json_count(finding, "right"));
	if (outcome[0]) {
		because = json_text(finding, "because");
		fprintf(file, ": %s%s%s%s", outcome, because[0] ? " (" : "", because,
			because[0] ? ")" : "");
	}
	fputc('\n', file);
}

static void print_stepped(FILE *file, const struct finding_record *fault)
{
	const json_t *stepped = fault->object;
	const char *reason = json_text(stepped, "reason");

	if (!strcmp(json_text(stepped, "outcome"), lint_agreement_names[LINT_AGREES]))
		return;
	fprintf(file, "%s: ", PLAIN_TEXT(fault->image));
	print_offset(file, fault);
	fprintf(file, ": table_fault (%s) x %" PRIu64 "%s: %s; lint: %s%s%s%s\n", fault->kind,
		fault->count,
		json_is_true(json_object_get(stepped, "lost")) ? ", declared lost" : "",
		json_text(stepped, "outcome"), json_text(stepped, "lint"), reason[0] ? " (" : "",
		reason, reason[0] ? ")" : "");
	fprintf(file, "    %-10s  %s\n", fault->pc, fault->instruction);
}

static void print_ran(FILE *file, const json_t *executed, const char *key, const char *what)
{
	const json_t *ran = json_object_get(executed, key);

	fprintf(file, "%lld %s (%lld proven, %lld with mismatches, %lld unproven)",
		json_count(ran, "all"), what, json_count(ran, "proven"),
		json_count(ran, "mismatch"), json_count(ran, "unproven"));
}

static void print_ran_of(FILE *file, const json_t *counts)
{
	const json_t *executed = json_object_get(counts, "executed");
	const json_t *confirm = json_object_get(counts, "confirm");
	const json_t *stepped = json_object_get(counts, "stepped");
	const char *identity = json_text(executed, "identity");

	if (!executed)
		return;
	if (!json_object_get(executed, "instructions") && !confirm) {
		if (identity[0])
			fprintf(file, "    ran: nothing is known: %s\n",
				executed_identity_title(identity));
		return;
	}
	if (json_object_get(executed, "instructions")) {
		fprintf(file, "    ran");
		if (identity[0])
			fprintf(file, " (by %s)", identity);
		fprintf(file, ": ");
		print_ran(file, executed, "instructions", "instructions");
		fprintf(file, ", ");
		print_ran(file, executed, "fdes", "FDEs");
		fputc('\n', file);
	}
	if (!confirm)
		return;
	fprintf(file, "    findings: ");
	for (int i = LINT_OUTCOME_COUNT; i-- > 0;)
		fprintf(file, "%lld %s%s", json_count(confirm, lint_outcome_names[i]),
			lint_outcome_names[i], i ? ", " : "\n");
	fprintf(file, "    stepped faults: ");
	for (int i = 0; i < LINT_AGREEMENT_COUNT; i++)
		fprintf(file, "%lld %s%s", json_count(stepped, lint_agreement_names[i]),
			lint_agreement_names[i], i + 1 < LINT_AGREEMENT_COUNT ? ", " : "\n");
}

/* ==== as text =============================================================================== */

/*
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

static void print_field(FILE *file, const char *name, const char *text)
{
	if (text[0])
		fprintf(file, "    %-10s  %s\n", name, PLAIN_TEXT(text));
}

static void print_source(FILE *file, const struct finding_record *finding)
{
	const char *source = finding->source_file;

	if (source[0])
		fprintf(file, "    %-10s  %s:%lld\n", "source", PLAIN_TEXT(source),
			(long long)finding->source_line);
	print_field(file, "producer", finding->producer);
	print_field(file, "compilers", finding->compilers);
}

static void print_instructions(FILE *file, const struct finding_record *finding, bool colour)
{
	const char *pc = finding->pc, *pc_end = finding->pc_end;
	const char *before = "";
	bool longer = strcmp(pc, pc_end) != 0;
	size_t i;
	json_t *line;

	json_array_foreach(finding->disassembly, i, line)
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

/* last: of a path's jumps, NULL if there is none. An exception comes from a call. */
static const char *what_leads(const json_t *last, const char *from)
{
	if (strcmp(json_text(last, "pc"), from) != 0)
		return "instruction";
	return strncmp(json_text(last, "instruction"), "call", 4) ? "jump"
								  : "exception of the call";
}

/* The jumps of one path there; of a path that alone is wrong, the last of them first. */
static void print_path(FILE *file, const struct finding_record *finding)
{
	const json_t *path = finding->path;
	const char *from = finding->from, *between = "";
	const char *from_section = finding->from_section;
	bool elsewhere = strcmp(from_section, finding->section) != 0;
	size_t count = json_array_size(path), i;
	json_t *line;

	if (from[0])
		fprintf(file,
			"    %-10s  the %s at %s%s%s; other ways may bring what is declared\n",
			"by", what_leads(json_array_get(path, count - 1), from),
			elsewhere ? PLAIN_TEXT(from_section) : "", elsewhere ? "+" : "", from);
	if (!count)
		return;
	fprintf(file, "    %-10s  %s", "path", finding->path_cut ? "...; " : "");
	json_array_foreach(path, i, line)
	{
		const char *section = json_text(line, "section");

		fprintf(file, "%s%s%s%s %s", between, PLAIN_TEXT(section), section[0] ? "+" : "",
			json_text(line, "pc"), PLAIN_TEXT(json_text(line, "instruction")));
		between = "; ";
	}
	fputc('\n', file);
}

/* What stands below a finding's first line and its source: the instructions, the path, the rules. */
static void print_evidence(FILE *file, const struct finding_record *finding, bool colour)
{
	print_instructions(file, finding, colour);
	print_path(file, finding);
	print_field(file, "declared", finding->declared);
	print_field(file, "actual", finding->actual);
	print_executed(file, finding->object);
}

/* What is ignored has one line, with the reason. */
static void print_finding(FILE *file, const struct finding_record *finding, bool colour)
{
	fprintf(file, "%s: ", PLAIN_TEXT(finding->image));
	if (finding->pc[0]) {
		print_offset(file, finding);
		if (json_object_get(finding->object, "section"))
			fprintf(file, " (%s+%s)", PLAIN_TEXT(finding->section), finding->pc);
		fprintf(file, ": ");
	}
	fprintf(file, "%s%s%s %s", colour ? "\033[1;31m" : "", finding->id, colour ? "\033[0m" : "",
		finding->title);
	if (strcmp(finding->table, "cfi"))
		fprintf(file, " (in %s)", PLAIN_TEXT(finding->table));
	if (finding->ignored && finding->ignored[0]) {
		fprintf(file, ", ignored: %s\n", PLAIN_TEXT(finding->ignored));
		return;
	}
	fputc('\n', file);
	print_source(file, finding);
	print_evidence(file, finding, colour);
}

static void print_gone(FILE *file, const struct finding_record *finding)
{
	fprintf(file, "%s: ", PLAIN_TEXT(finding->image));
	if (finding->function[0])
		fprintf(file, "%s: ", PLAIN_TEXT(finding->function));
	fprintf(file, "%s gone: %s\n", finding->id, PLAIN_TEXT(finding->actual));
}

static void print_unproven(FILE *file, const struct finding_record *unproven)
{
	fprintf(file, "%s: ", PLAIN_TEXT(unproven->image));
	print_offset(file, unproven);
	fprintf(file, ": unproven: %s\n", unproven->title);
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
					      object_relocation_names[told[i].relocation]);

		if (!count)
			continue;
		fprintf(file, "%s%lld %s", before, count, told[i].text);
		before = ", ";
	}
}

static void print_counts(FILE *file, const json_t *counts)
{
	const json_t *reasons = json_object_get(counts, "unproven_reasons");
	json_int_t fdes = json_count(counts, "fdes"), proven = json_count(counts, "proven");

	fprintf(file, "%lld of %lld FDEs proven (%.3f %%), %lld with mismatches", proven, fdes,
		fdes ? 100.0 * (double)proven / (double)fdes : 0.0, json_count(counts, "mismatch"));
	for (int i = 0; i < FLOW_REASON_COUNT; i++) {
		json_int_t count = json_count(reasons, lint_reasons[i].name);

		if (count)
			fprintf(file, ", %lld unproven (%s)", count, lint_reasons[i].title);
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

/* Held against a baseline, and against the list of --ignore. */
static void print_known(FILE *file, const json_t *image)
{
	if (json_object_get(image, "known_findings"))
		fprintf(file, "; findings: %lld known, %lld new, %lld gone",
			json_count(image, "known_findings"), json_count(image, "new_findings"),
			json_count(image, "gone_findings"));
	if (json_count(image, "ignored_findings"))
		fprintf(file, "; findings: %lld ignored", json_count(image, "ignored_findings"));
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
		fprintf(file, "    %s: %lld of %lld instructions proven", PLAIN_TEXT(name),
			json_count(table, "proven"), all);
		for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			if (!i || json_count(table, columns[i].key))
				fprintf(file, ", %lld %s", json_count(table, columns[i].key),
					columns[i].text);
		beyond = json_count(table, "rows_beyond");
		if (beyond)
			fprintf(file, "; %lld rows where no FDE is", beyond);
		fputc('\n', file);
	}
}

static void print_image(FILE *file, const json_t *image)
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
	print_ran_of(file, image);
}

/* By id. table: whose rows they are of, NULL: the CFI's. */
static void print_ids(FILE *file, const json_t *findings, const char *table)
{
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		json_int_t count = json_count(findings, lint_ids[i].name);

		if (!count)
			continue;
		fprintf(file, "%8lld  %s %s", count, lint_ids[i].name, lint_ids[i].title);
		if (table)
			fprintf(file, " (in %s)", PLAIN_TEXT(table));
		fputc('\n', file);
	}
}

static void print_total(FILE *file, const json_t *counts)
{
	const char *name;
	json_t *table;

	fprintf(file, "%lld images in %.1f s: ", json_count(counts, "images"),
		json_number_value(json_object_get(counts, "seconds")));
	print_counts(file, counts);
	fputc('\n', file);
	print_tables(file, counts);
	print_ran_of(file, counts);
	print_ids(file, json_object_get(counts, "findings"), NULL);
	json_object_foreach(json_object_get(counts, "tables"), name, table)
		print_ids(file, json_object_get(table, "findings"), name);
}

void lint_text_print(FILE *file, const struct finding_record *object, bool colour)
{
	if (!strcmp(object->type, "lint"))
		print_image(file, object->object);
	else if (!strcmp(object->type, "lint_total"))
		print_total(file, object->object);
	else if (!strcmp(object->type, "lint_unproven"))
		print_unproven(file, object);
	else if (!strcmp(object->type, "lint_gone"))
		print_gone(file, object);
	else if (!strcmp(object->type, "lint_stepped"))
		print_stepped(file, object);
	else
		print_finding(file, object, colour);
}

/* ==== as a compiler's warnings ============================================================== */

/*
 *	f.s:3:2: warning: the CFA is elsewhere: f+0x1 (.text+0x1) of f.o [SP001]
 *	     -> 0x1  ret
 *	    declared    cfa=rsp+8
 *	    actual      cfa=rsp+16
 *	f.s:3:2: note: ".cfi_adjust_cfa_offset 8" before this instruction would mend it
 *
 * as editors and CI servers know them (GNU Coding Standards, "Formatting Error Messages"). Without a line the file is
 * the object's, and no number stands behind it. Assemblers write no columns; there it is where the line's statement begins.
 */

/* Of the statement behind blanks and a label; 0: the line can't be read. */
static size_t column_in(const char *text)
{
	size_t at = strspn(text, " \t"), word = strcspn(text + at, " \t:\n");

	if (text[at + word] == ':' && text[at + word + 1 + strspn(text + at + word + 1, " \t\n")])
		at += word + 1 + strspn(text + at + word + 1, " \t");
	return at + 1;
}

static size_t column_of_line(const char *path, json_int_t number)
{
	FILE_CLOSED FILE *file = number > 0 ? fopen(path, "re") : NULL;
	FREED char *line = NULL;
	size_t capacity = 0, column = 0;

	while (file && number && getline(&line, &capacity, file) >= 0)
		number--;
	if (file && !number && line)
		column = column_in(line);
	return column;
}

/* Relative to this folder, as compilers are given it. */
static const char *near_path(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1
									       : path;
}

/* FILE:LINE:COLUMN, as far as it is known. */
static void print_place(FILE *file, const struct finding_record *finding)
{
	const char *source = finding->source_file;
	json_int_t line = finding->source_line;
	json_int_t column = finding->source_column;
	FREED char *folder = getcwd(NULL, 0);

	if (!source[0]) {
		fputs(PLAIN_TEXT(finding->image), file);
	} else {
		if (!column)
			column = (json_int_t)column_of_line(source, line);
		fprintf(file, "%s:%lld", PLAIN_TEXT(near_path(source, folder)), (long long)line);
		if (column)
			fprintf(file, ":%lld", (long long)column);
	}
}

static void print_function(FILE *file, const struct finding_record *finding)
{
	const char *section = finding->section, *pc = finding->pc;

	if (!pc[0])
		return;
	fprintf(file, ": ");
	print_offset(file, finding);
	if (section[0])
		fprintf(file, " (%s+%s)", PLAIN_TEXT(section), pc);
	if (finding->source_file[0])
		fprintf(file, " of %s", PLAIN_TEXT(finding->image));
}

void lint_warning_print(FILE *file, const struct finding_record *finding, const char *ignored,
			bool colour)
{
	const char *mend = finding->mend;

	print_place(file, finding);
	if (ignored)
		fprintf(file, ": note: %s", finding->title);
	else
		fprintf(file, ": %swarning:%s %s", colour ? "\033[1;35m" : "",
			colour ? "\033[0m" : "", finding->title);
	print_function(file, finding);
	if (ignored) {
		fprintf(file, " [%s], ignored: %s\n", finding->id, PLAIN_TEXT(ignored));
		return;
	}
	fprintf(file, " [%s]\n", finding->id);
	print_evidence(file, finding, colour);
	if (!mend[0])
		return;
	print_place(file, finding);
	fprintf(file, ": note: \"%s\" before this instruction%s would mend it\n", PLAIN_TEXT(mend),
		strcmp(mend, LINT_MEND_FDE) ? "" : ", and \".cfi_endproc\" behind its code,");
}
