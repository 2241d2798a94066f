/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * findings_page.c - a run of lint as a page: the sums, the images, and each finding with its evidence
 *
 * Of findings it has the text that a terminal gets. What a baseline knows is there, behind a click.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "findings.h"
#include "analysis/lint/lint.h"
#include "reports/report/html.h"

static void heading(FILE *file, const char *id, const char *title)
{
	html_print(file, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

static void put_problems(const struct findings_run *run, FILE *file)
{
	json_t *problem;
	size_t i;

	json_array_foreach(run->problems, i, problem)
		html_print(file, "<p class=\"bad\">%s</p>\n", json_string_value(problem));
}

static void put_row(FILE *file, const char *name, const char *title, uint64_t count)
{
	html_print(file, "<tr><td class=\"keep\">%s</td><td>%s</td>", name, title);
	html_number(file, count);
	fputs("</tr>\n", file);
}

/* By id. of: whose rows they are of, with what stands before it. */
static void put_ids(FILE *file, const json_t *findings, const char *before, const char *of)
{
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++) {
		const char *name = lint_ids[i].name;
		char title[PATH_MAX + 128];

		snprintf(title, sizeof(title), "%s%s%s", lint_ids[i].title, before, of);
		if (json_number(findings, name))
			put_row(file, name, title, json_number(findings, name));
	}
}

static void put_sums(const json_t *total, FILE *file)
{
	static const char *const columns[] = { "", "", "#", NULL };
	static const struct {
		const char *key, *title;
	} sums[] = {
		{ "images", "images" },
		{ "fdes", "FDEs" },
		{ "proven", "proven: on every way the code has what the rows declare" },
		{ "mismatch", "with a mismatch" },
		{ "unproven", "unproven" },
		{ "known_findings", "findings that the baseline has" },
		{ "new_findings", "findings that it doesn't have" },
		{ "gone_findings", "findings that only it has" },
		{ "ignored_findings", "findings in the list of --ignore" },
	};
	const char *name;
	json_t *table;
	const json_t *unproven = json_object_get(total, "unproven_reasons");

	heading(file, "sums", "Sums");
	html_table_begin(file, columns);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (json_object_get(total, sums[i].key))
			put_row(file, sums[i].key, sums[i].title, json_number(total, sums[i].key));
	for (int i = 0; i < FLOW_REASON_COUNT; i++) {
		const char *reason = lint_reasons[i].name;

		if (json_number(unproven, reason))
			put_row(file, reason, lint_reasons[i].title, json_number(unproven, reason));
	}
	put_ids(file, json_object_get(total, "findings"), "", "");
	json_object_foreach(json_object_get(total, "tables"), name, table)
		put_ids(file, json_object_get(table, "findings"), " in ", name);
	html_table_end(file);
}

/* What it came to, or why to nothing. */
static void put_image(const json_t *image, FILE *file)
{
	static const char *const counts[] = { "fdes", "proven", "mismatch", "unproven",
					      "wanted_findings" };
	const char *status = json_text(image, "status"), *message = json_text(image, "message");
	bool bad = !strcmp(status, "failed") || !strcmp(status, "unread");

	fputs("<tr>", file);
	html_cell(file, "code", json_text(image, "image"));
	html_cell(file, bad ? "bad" : strcmp(status, "linted") ? "warn" : NULL, status);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (json_object_get(image, counts[i]))
			html_number(file, json_number(image, counts[i]));
		else
			html_cell(file, "n soft", "-");
	}
	html_cell(file, "note", message);
	fputs("</tr>\n", file);
}

static void put_images(const struct findings_run *run, FILE *file)
{
	static const char *const columns[] = { "image",	    "status",	 "#FDEs",
					       "#proven",   "#mismatch", "#unproven",
					       "#findings", "",		 NULL };
	json_t *image;
	size_t i;

	heading(file, "images", "Images");
	html_table_begin(file, columns);
	json_array_foreach(run->images, i, image) put_image(image, file);
	html_table_end(file);
}

/* Behind its first line. */
static void put_finding(const struct finding_record *finding, FILE *file)
{
	bool excused = finding_is_excused(finding), gone = !strcmp(finding->type, "lint_gone");
	char *text = NULL, *rest;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (!lines)
		return;
	lint_text_print(lines, finding, false);
	rest = fclose(lines) ? NULL : strchr(text, '\n');
	if (rest) {
		*rest++ = '\0';
		fprintf(file, "<details%s><summary class=\"%s\">", excused || gone ? "" : " open",
			gone	  ? "good"
			: excused ? "soft"
				  : "bad");
		html_text(file, text);
		fputs("</summary><pre>", file);
		html_text(file, rest);
		fputs("</pre></details>\n", file);
	}
	free(text);
}

static void put_findings(const struct findings_run *run, FILE *file)
{
	size_t count = json_array_size(run->findings);

	heading(file, "findings", "Findings");
	if (!count)
		fputs("<p>None.</p>\n", file);
	for (size_t i = 0; i < count; i++) {
		JSON_FREED json_t *object = findings_kept(run, i);
		const struct finding_record finding = finding_record_read(object);

		if (object)
			put_finding(&finding, file);
	}
}

void findings_page_print(const struct findings_run *run, const json_t *total, FILE *file)
{
	html_begin(file, "stackproof lint");
	put_problems(run, file);
	if (total) {
		put_sums(total, file);
		put_images(run, file);
		put_findings(run, file);
	}
	html_end(file);
}
