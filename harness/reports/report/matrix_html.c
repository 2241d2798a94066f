/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * matrix_html.c - a results folder as a page
 *
 * What terminal.c prints, with nothing cut: kernels, what each engine got right, programs by
 * kernel, failures and errors, table faults, skips, what is ignored.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_members.h"
#include "html.h"
#include "results.h"

struct page {
	const struct results *results;
	const struct tally *tally;
	FILE *file;
};

static void heading(const struct page *page, const char *id, const char *title)
{
	html_print(page->file, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

static void put_counts(const struct page *page, const size_t count[CELL_STATUS_COUNT])
{
	char text[32];
	size_t errors = count[CELL_ERROR] + count[CELL_PENDING];

	snprintf(text, sizeof(text), "%zu", count[CELL_PASSED]);
	html_cell(page->file, "n good", text);
	snprintf(text, sizeof(text), "%zu", count[CELL_FAILED]);
	html_cell(page->file, count[CELL_FAILED] ? "n bad" : "n", text);
	snprintf(text, sizeof(text), "%zu", errors);
	html_cell(page->file, errors ? "n bad" : "n", text);
	snprintf(text, sizeof(text), "%zu", count[CELL_SKIPPED]);
	html_cell(page->file, count[CELL_SKIPPED] ? "n warn" : "n", text);
}

static void put_kernels(const struct page *page)
{
	static const char *const columns[] = { "kernel",   "version", "package", "by",
					       "#passed",  "#failed", "#errors", "#skipped",
					       "#seconds", "",	      NULL };

	heading(page, "kernels", "Kernels");
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->results->kernel_count; i++) {
		const struct results_kernel *kernel = &page->results->kernel[i];
		size_t count[CELL_STATUS_COUNT];
		char seconds[32];

		results_count(page->results, kernel->name, count);
		fputs("<tr>", page->file);
		html_cell(page->file, "keep", results_kernel_label(page->results, kernel->name));
		html_cell(page->file, "keep", kernel->version[0] ? kernel->version : "not run");
		html_cell(page->file, NULL, kernel->package);
		html_cell(page->file, NULL, kernel->accelerator);
		put_counts(page, count);
		snprintf(seconds, sizeof(seconds), "%.1f", kernel->total_ms / 1000.0);
		html_cell(page->file, "n", seconds);
		html_cell(page->file, kernel->sentence[0] ? "bad" : NULL, kernel->sentence);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

/* Headings of a table with a column for each kernel. */
static void kernel_table_begin(const struct page *page, const char *first)
{
	size_t count = page->results->kernel_count;
	FREED const char **columns = calloc(count + 2, sizeof(*columns));

	if (!columns)
		return;
	columns[0] = first;
	for (size_t i = 0; i < count; i++)
		columns[i + 1] = results_kernel_label(page->results, page->results->kernel[i].name);
	html_table_begin(page->file, columns);
}

static void put_engines(const struct page *page)
{
	const struct tally *tally = page->tally;

	heading(page, "engines",
		"Exact where the CFI is right, in code with / without frame pointers");
	kernel_table_begin(page, "engine");
	for (size_t engine = 0; engine < tally->engine_count; engine++) {
		fputs("<tr>", page->file);
		html_cell(page->file, NULL, tally->engine[engine]);
		for (size_t k = 0; k < page->results->kernel_count; k++) {
			const struct tally_share *share =
				&tally->share[engine * page->results->kernel_count + k];
			char with[32], without[32], text[80];
			share_print(with, sizeof(with), share->exact[0], share->points[0]);
			share_print(without, sizeof(without), share->exact[1], share->points[1]);
			snprintf(text, sizeof(text), "%s / %s", with, without);
			html_cell(page->file, "keep", text);
		}
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
	fprintf(page->file,
		"<p class=\"soft\">%" PRIu64 " points have a frame without CFI; bpf was not "
		"asked at %" PRIu64 " points, where no trap ran it.</p>\n",
		tally->uncovered, tally->untrapped);
}

/* ---- programs ---------------------------------------------------------------------------- */

static void put_program_cell(const struct page *page, const size_t count[CELL_STATUS_COUNT])
{
	size_t errors = count[CELL_ERROR] + count[CELL_PENDING], total = 0;
	size_t tried;
	char text[96];

	for (int i = 0; i < CELL_STATUS_COUNT; i++)
		total += count[i];
	tried = total - count[CELL_SKIPPED];
	if (!total)
		html_cell(page->file, "soft", "-");
	else if (count[CELL_FAILED] || errors) {
		snprintf(text, sizeof(text), "%zu failed, %zu errors of %zu", count[CELL_FAILED],
			 errors, total);
		html_cell(page->file, "bad keep", text);
	} else if (tried < total) {
		snprintf(text, sizeof(text), "exact %zu, %zu skipped", tried, total - tried);
		html_cell(page->file, "warn keep", text);
	} else {
		snprintf(text, sizeof(text), "exact %zu", tried);
		html_cell(page->file, "good keep", text);
	}
}

static void count_program(const struct results *results, const char *program, const char *kernel,
			  size_t ret_count[CELL_STATUS_COUNT])
{
	memset(ret_count, 0, CELL_STATUS_COUNT * sizeof(*ret_count));
	for (size_t i = 0; i < results->cell_count; i++)
		if (!strcmp(results->cell[i].program, program) &&
		    !strcmp(results->cell[i].kernel, kernel))
			ret_count[results->cell[i].status]++;
}

static void put_programs(const struct page *page)
{
	const struct results *results = page->results;
	JSON_FREED json_t *seen = json_object();

	heading(page, "programs", "Programs");
	kernel_table_begin(page, "program");
	for (size_t i = 0; i < results->cell_count; i++) {
		const char *program = results->cell[i].program;
		if (json_object_get(seen, program))
			continue;
		json_object_set_new(seen, program, json_true());
		fputs("<tr>", page->file);
		html_cell(page->file, NULL, program);
		for (size_t k = 0; k < results->kernel_count; k++) {
			size_t count[CELL_STATUS_COUNT];
			count_program(results, program, results->kernel[k].name, count);
			put_program_cell(page, count);
		}
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

/* ---- what went wrong --------------------------------------------------------------------- */

static void put_problems(const struct page *page, enum cell_status status, const char *id,
			 const char *title)
{
	static const char *const columns[] = { "binary", "kernel", "reason", NULL };
	size_t count[CELL_STATUS_COUNT];

	results_count(page->results, NULL, count);
	if (!count[status])
		return;
	heading(page, id, title);
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->results->cell_count; i++) {
		const struct cell *cell = &page->results->cell[i];
		if (cell->status != status)
			continue;
		html_print(page->file,
			   "<tr><td class=\"keep\">%s</td><td "
			   "class=\"keep\">%s</td><td>%s</td></tr>\n",
			   cell->binary, results_kernel_label(page->results, cell->kernel),
			   cell->reason);
	}
	html_table_end(page->file);
}

static void put_faults(const struct page *page)
{
	static const char *const columns[] = { "function", "in",	 "whose",   "#points",
					       "#runs",	   "toolchains", "kernels", NULL };
	const struct tally *tally = page->tally;

	heading(page, "faults", "Table faults");
	fputs("<p class=\"soft\">Not counted as failures where the corpus expects them.</p>\n",
	      page->file);
	if (!tally->fault_count) {
		fputs("<p>None.</p>\n", page->file);
		return;
	}
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < tally->fault_count; i++) {
		const struct tally_fault *fault = &tally->fault[i];
		fputs("<tr>", page->file);
		html_cell(page->file, "code", fault->function[0] ? fault->function : "?");
		html_cell(page->file, NULL, fault->image);
		html_cell(page->file, NULL, tally_fault_whose(fault));
		html_number(page->file, fault->points);
		html_number(page->file, fault->cells);
		html_cell(page->file, NULL, fault->toolchains);
		html_cell(page->file, NULL, fault->kernels);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

static void put_skips(const struct page *page)
{
	static const char *const columns[] = { "#runs", "kernel", "reason", NULL };

	if (!page->tally->skip_count)
		return;
	heading(page, "skipped", "Skipped");
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->tally->skip_count; i++) {
		const struct tally_skip *skip = &page->tally->skip[i];
		fputs("<tr>", page->file);
		html_number(page->file, skip->cells);
		html_cell(page->file, "keep", results_kernel_label(page->results, skip->kernel));
		html_cell(page->file, NULL, skip->reason);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

static void put_ignored(const struct page *page)
{
	static const char *const columns[] = { "#findings", "#points", "reason", NULL };

	if (!page->tally->ignored_count)
		return;
	heading(page, "ignored", "Ignored findings");
	html_table_begin(page->file, columns);
	for (size_t i = 0; i < page->tally->ignored_count; i++) {
		const struct tally_ignored *ignored = &page->tally->ignored[i];
		fputs("<tr>", page->file);
		html_number(page->file, ignored->findings);
		html_number(page->file, ignored->points);
		html_cell(page->file, NULL, ignored->reason);
		fputs("</tr>\n", page->file);
	}
	html_table_end(page->file);
}

static void put_summary(const struct page *page)
{
	const struct results *results = page->results;
	size_t count[CELL_STATUS_COUNT];
	const char *time = json_string_value(json_object_get(results->header, "time"));

	results_count(results, NULL, count);
	fprintf(page->file, "<p>%zu passed, %zu failed, %zu skipped; %" PRIu64 " points, %.1f s. ",
		count[CELL_PASSED],
		count[CELL_FAILED] + count[CELL_ERROR] + count[CELL_PENDING] + results->missing,
		count[CELL_SKIPPED], results_points(results), results->seconds);
	html_text(page->file, time ? time : "");
	if (results->partial[0])
		html_print(page->file, " <span class=\"bad\">PARTIAL (%s): %s.</span>",
			   results->partial, results->partial_message);
	if (results->missing)
		fprintf(page->file,
			" <span class=\"bad\">The run was cut short: %zu cells are "
			"missing.</span>",
			results->missing);
	fputs("</p>\n<nav><a href=\"#kernels\">Kernels</a> <a href=\"#engines\">Engines</a> "
	      "<a href=\"#programs\">Programs</a> <a href=\"#faults\">Table faults</a></nav>\n",
	      page->file);
}

void matrix_html_print(const struct results *results, FILE *file)
{
	struct tally tally;
	struct page page = { results, &tally, file };

	tally_init(&tally, results);
	html_begin(file, "Whose fault is a wrong stack: the matrix");
	put_summary(&page);
	put_kernels(&page);
	put_problems(&page, CELL_FAILED, "failed", "Failed");
	put_problems(&page, CELL_ERROR, "errors", "Errors: not judged");
	put_engines(&page);
	ranking_html_print(results, file);
	put_programs(&page);
	put_faults(&page);
	put_skips(&page);
	put_ignored(&page);
	html_end(file);
	tally_deinit(&tally);
}
