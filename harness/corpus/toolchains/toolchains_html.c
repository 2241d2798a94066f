/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains_html.c - the toolchain report as a page
 *
 * The same order as on a terminal: toolchains, faults by version, each fault's evidence, changes,
 * what is no compiler's. Evidence and changes are folded (details), so the page opens on its
 * tables. Of one kind of change, and of one fault, at most LISTED_MAX are listed; the rest is
 * counted, and in the JSON.
 */
#include <inttypes.h>
#include <string.h>
#include "array.h"
#include "reports/report/html.h"
#include "toolchain_model.h"

#define LISTED_MAX  200
#define VERSION_MAX 256

struct page {
	const struct toolchains *model;
	FILE *file;
};

static void section(const struct page *page, const char *id, const char *title, const char *text)
{
	html_print(page->file, "<h2 id=\"%s\">%s</h2>\n<p class=\"soft\">%s</p>\n", id, title,
		   text);
}

/* ---- toolchains -------------------------------------------------------------------------- */

static void cell_ratio(const struct page *page, uint64_t bytes, uint64_t rows)
{
	char text[64] = "-";

	if (rows)
		snprintf(text, sizeof(text), "%.1f", (double)bytes / (double)rows);
	html_cell(page->file, "n", text);
}

static void put_measures(const struct page *page, const struct toolchain *toolchain)
{
	char text[64];

	if (!toolchain->measured) {
		for (int i = 0; i < 5; i++)
			html_cell(page->file, "n soft", "-");
		return;
	}
	html_number(page->file, toolchain->functions);
	html_number(page->file, toolchain->rows);
	cell_ratio(page, toolchain->table_bytes, toolchain->file_rows);
	cell_ratio(page, toolchain->cfi_bytes, toolchain->rows);
	snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64, toolchain->returns_open,
		 toolchain->returns);
	html_cell(page->file, toolchain->returns_open ? "n warn" : "n", text);
}

static void put_verdicts(const struct page *page, const struct toolchain *toolchain)
{
	char text[64];

	html_number(page->file, toolchain->points);
	share_print(text, sizeof(text), toolchain->exact, toolchain->points);
	html_cell(page->file, "n", text);
	html_number(page->file, toolchain->faults);
	snprintf(text, sizeof(text), "%zu", toolchain->faults_unexpected);
	html_cell(page->file, toolchain->faults_unexpected ? "n bad" : "n", text);
	html_number(page->file, toolchain->flagged);
}

/* What could not be tried or read, in words. */
static void put_notes(const struct page *page, const struct toolchain *toolchain)
{
	FILE *file = page->file;

	fputs("<td class=\"note\">", file);
	if (toolchain->skipped)
		html_print(file, "%zu skipped: %s. ", toolchain->skipped, toolchain->reasons);
	if (toolchain->broken)
		fprintf(file, "%zu not judged. ", toolchain->broken);
	if (toolchain->unread)
		html_print(file, "Tables of %zu not read: %s. ", toolchain->unread,
			   toolchain->unread_reason);
	if (toolchain->ours)
		fprintf(file,
			"<span class=\"bad\">%" PRIu64
			" points wrong and not the toolchain's.</span>",
			toolchain->ours);
	fputs("</td>", file);
}

static void put_toolchains(const struct page *page)
{
	static const char *const columns[] = { "toolchain", "#binaries",  "#points",
					       "#exact",    "#faults",	  "#unexpected",
					       "#flagged",  "#functions", "#rows",
					       "#B/row",    "#CFI B/row", "#open rets",
					       "",	    NULL };

	section(page, "toolchains", "Toolchains",
		"Exact: points at which every engine has the true stack; the rest are table "
		"faults, most of them of "
		"start-up objects and libraries without CFI, and flagged points. Faults: functions "
		"of compiled "
		"code with a table fault; unexpected: those that the corpus did not announce. "
		"Flagged: "
		"points where the compact table says that it can't hold the rule. Functions, rows: "
		"of what was "
		"compiled, without assembly and libraries. B/row: bytes of the compact table for "
		"each row; "
		"CFI B/row: of FDEs. Open rets: returns whose row is not "
		"CFA = rsp+8, so their epilogue is not described.");
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->model->count; i++) {
		const struct toolchain *toolchain = &page->model->toolchain[i];
		fputs("<tr id=\"t-", page->file);
		html_id(page->file, toolchain->name);
		fputs("\">", page->file);
		html_cell(page->file, "keep", toolchain->name);
		html_number(page->file, toolchain->binaries);
		if (toolchain->binaries) {
			put_verdicts(page, toolchain);
		} else {
			for (int k = 0; k < 5; k++)
				html_cell(page->file, "n soft", "-");
		}
		put_measures(page, toolchain);
		put_notes(page, toolchain);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

/* ---- faults ------------------------------------------------------------------------------ */

static void put_title(const struct page *page, const struct toolchain_fault *fault)
{
	html_print(page->file, "<code>%s</code>", fault->function);
	if (fault->program[0] || fault->library[0])
		html_print(page->file, " in %s",
			   fault->program[0] ? fault->program : fault->library);
}

/* A column: of a toolchain with which any fault of the origin was tried. */
static bool has_column(const struct toolchains *model, enum fault_origin origin, size_t toolchain)
{
	return ARRAY_ANY(model->fault_count, i,
			 model->fault[i].origin == origin &&
				 model->fault[i].state[toolchain] != FAULT_UNTRIED);
}

static void put_version(const struct page *page, size_t index)
{
	const struct toolchains *model = page->model;
	const struct toolchain_id *family[VERSION_MAX];
	size_t count = 0;
	char text[64];

	for (size_t i = 0; i < model->count && count < VERSION_MAX; i++)
		if (!strcmp(model->toolchain[i].id.family, model->toolchain[index].id.family))
			family[count++] = &model->toolchain[i].id;
	toolchain_short_version(&model->toolchain[index].id, family, count, text, sizeof(text));
	fputs("<th class=\"c\"><a href=\"#t-", page->file);
	html_id(page->file, model->toolchain[index].name);
	html_print(page->file, "\">%s<br>%s</a></th>", model->toolchain[index].id.family, text);
}

static void put_matrix(const struct page *page, enum fault_origin origin)
{
	static const char *const class[] = { "c", "c good", "c bad" };
	static const char *const mark[] = { "", "\xc2\xb7", "\xe2\x9c\x97" }; /* a dot, a cross */
	const struct toolchains *model = page->model;

	fputs("<div class=\"box matrix\"><table>\n<thead><tr><th>function</th><th>fault</th>"
	      "<th>corpus</th>",
	      page->file);
	for (size_t i = 0; i < model->count; i++)
		if (has_column(model, origin, i))
			put_version(page, i);
	fputs("<th class=\"n\">points</th></tr></thead>\n<tbody>\n", page->file);
	for (size_t f = 0; f < model->fault_count; f++) {
		const struct toolchain_fault *fault = &model->fault[f];
		if (fault->origin != origin)
			continue;
		fprintf(page->file, "<tr><td><a href=\"#f%zu\">", f);
		put_title(page, fault);
		fputs("</a></td>", page->file);
		html_cell(page->file, "keep", fault_kind_text(fault->kind));
		html_cell(page->file, fault->expected ? "soft keep" : "bad keep",
			  fault->expected ? "expected" : "not expected");
		for (size_t i = 0; i < model->count; i++)
			if (has_column(model, origin, i))
				html_cell(page->file, class[fault->state[i]],
					  mark[fault->state[i]]);
		html_number(page->file, fault->points);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

/* What a list leaves out. */
static void put_rest(const struct page *page, size_t count)
{
	if (count > LISTED_MAX)
		fprintf(page->file, "<p class=\"soft\">and %zu more, in the JSON</p>\n",
			count - LISTED_MAX);
}

static void put_cases(const struct page *page, const struct toolchain_fault *fault)
{
	static const char *const columns[] = { "toolchain", "variant", "where",	  "instruction",
					       "declared",  "actual",  "#points", NULL };

	html_table_begin(page->file, columns);
	for (size_t i = 0; i < fault->case_count && i < LISTED_MAX; i++) {
		const struct fault_case *fault_case = &fault->cases[i];
		const struct finding_record *finding = &fault_case->finding;
		char place[512], actual[128];

		fault_place_print(finding, place, sizeof(place));
		fault_actual_print(finding, actual, sizeof(actual));
		fputs("<tr>", page->file);
		html_cell(page->file, "keep", page->model->toolchain[fault_case->toolchain].name);
		html_cell(page->file, "keep", fault_case->cell->variant);
		html_cell(page->file, "code", place);
		html_cell(page->file, "code", finding->instruction);
		html_cell(page->file, "code", finding->declared);
		html_cell(page->file, NULL, actual);
		html_number(page->file, finding_points(finding));
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
	put_rest(page, fault->case_count);
}

static void put_evidence(const struct page *page, enum fault_origin origin)
{
	for (size_t f = 0; f < page->model->fault_count; f++) {
		const struct toolchain_fault *fault = &page->model->fault[f];
		char history[2048];

		if (fault->origin != origin)
			continue;
		fault_history_print(page->model, fault, history, sizeof(history));
		fprintf(page->file, "<details%s><summary>",
			origin == ORIGIN_COMPILED && !fault->expected ? " open" : "");
		put_title(page, fault);
		/* A link to what is inside opens it (HTML, 4.11.1: revealing details). */
		html_print(page->file,
			   ": %s <span class=\"soft\">%s</span></summary>\n<div id=\"f%zu\">",
			   fault_kind_text(fault->kind), history, f);
		put_cases(page, fault);
		fputs("</div></details>\n", page->file);
	}
}

static void put_faults(const struct page *page, enum fault_origin origin, const char *title,
		       const char *text)
{
	size_t count = 0;

	for (size_t f = 0; f < page->model->fault_count; f++)
		count += page->model->fault[f].origin == origin;
	section(page, fault_origin_name(origin), title, text);
	if (!count) {
		fputs("<p>None.</p>\n", page->file);
		return;
	}
	put_matrix(page, origin);
	put_evidence(page, origin);
}

/* ---- changes ----------------------------------------------------------------------------- */

static void put_group(const struct page *page, const struct change_group *group)
{
	static const char *const columns[] = { "function", "program", "variant", "change", NULL };

	html_print(page->file, "<details><summary><b>%zu</b>%s</summary>\n", group->count,
		   group->title);
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < group->count && i < LISTED_MAX; i++) {
		const struct function_change *change = group->change[i];
		char what[1024];

		function_change_print(change, what, sizeof(what));
		html_print(page->file,
			   "<tr><td class=\"code\">%s</td><td class=\"keep\">%s</td>"
			   "<td class=\"keep\">%s</td><td>%s</td></tr>\n",
			   change->after.name, change->program, change->variant, what);
	}
	html_table_end(page->file);
	put_rest(page, group->count);
	fputs("</details>\n", page->file);
}

static void put_pair(const struct page *page, size_t index)
{
	const struct toolchain_pair *pair = &page->model->pair[index];
	struct change_groups groups;

	html_print(page->file, "<h3 id=\"p%zu\">%s \xe2\x86\x92 %s</h3>\n", index,
		   page->model->toolchain[pair->from].name, page->model->toolchain[pair->to].name);
	change_groups_init(&groups, pair);
	for (size_t i = 0; i < groups.count; i++)
		put_group(page, &groups.group[i]);
	if (!groups.count)
		fputs("<p class=\"soft\">No table changed.</p>\n", page->file);
	change_groups_deinit(&groups);
}

static void put_pairs(const struct page *page)
{
	static const char *const columns[] = { "from",	   "to",     "why",	 "#binaries",
					       "#equal",   "#moved", "#changed", "#only from",
					       "#only to", NULL };
	static const char *const why[] = {
		[PAIR_NEXT_VERSION] = "next version",
		[PAIR_OTHER_FAMILY] = "other family",
		[PAIR_OTHER_LINKER] = "other linker",
		[PAIR_SIDE_BY_SIDE] = "side by side",
	};

	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->model->pair_count; i++) {
		const struct toolchain_pair *pair = &page->model->pair[i];
		html_print(page->file, "<tr><td class=\"keep\"><a href=\"#p%zu\">%s</a></td>", i,
			   page->model->toolchain[pair->from].name);
		html_cell(page->file, "keep", page->model->toolchain[pair->to].name);
		html_cell(page->file, "keep soft", why[pair->reason]);
		html_number(page->file, pair->binaries);
		html_number(page->file, pair->functions[FUNCTION_EQUAL]);
		html_number(page->file, pair->functions[FUNCTION_MOVED]);
		html_number(page->file, pair->functions[FUNCTION_CHANGED]);
		html_number(page->file, pair->functions[FUNCTION_REMOVED]);
		html_number(page->file, pair->functions[FUNCTION_ADDED]);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

static void put_changes(const struct page *page)
{
	section(page, "changes", "Changed tables",
		"The same functions of the same programs and variants with two toolchains. Equal: "
		"row for "
		"row; moved: the same rules in the same order at other offsets; changed: anything "
		"else, by "
		"kind below.");
	if (!page->model->pair_count) {
		fputs("<p>No two toolchains have a binary in common whose tables could be "
		      "read.</p>\n",
		      page->file);
		return;
	}
	put_pairs(page);
	for (size_t i = 0; i < page->model->pair_count; i++)
		put_pair(page, i);
}

int toolchains_print_html(const struct toolchains *model, FILE *file)
{
	struct page page = { model, file };
	const char *time = json_text(model->results->header, "time");

	html_begin(file, "Toolchain report");
	fputs("<p class=\"soft\">The same programs with each compiler, their unwind tables held "
	      "against "
	      "the true stack. ",
	      file);
	html_text(file, time);
	fputs("</p>\n<nav><a href=\"#toolchains\">Toolchains</a> <a href=\"#compiled\">Faults</a> "
	      "<a href=\"#changes\">Changes</a> <a href=\"#handwritten\">Hand-written</a> "
	      "<a href=\"#startup\">Start-up</a> <a href=\"#library\">Libraries</a></nav>\n",
	      file);
	put_toolchains(&page);
	put_faults(
		&page, ORIGIN_COMPILED, "Table faults of compiled code",
		"Functions whose table is wrong or missing, held against the true stack. A cross: "
		"the "
		"version has the fault; a dot: it was tried and has not; empty: it was not tried.");
	put_changes(&page);
	put_faults(&page, ORIGIN_HANDWRITTEN, "Table faults of hand-written and generated code",
		   "The corpus's own: wrong on purpose, to see that they are found.");
	put_faults(&page, ORIGIN_STARTUP, "Table faults of start-up objects",
		   "What the C library and the compiler put into every program.");
	put_faults(&page, ORIGIN_LIBRARY, "Table faults of system libraries",
		   "Code that programs were linked with and that was not compiled here.");
	html_end(file);
	return ferror(file) ? -1 : 0;
}
