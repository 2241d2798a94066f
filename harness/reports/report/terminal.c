/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * terminal.c - the table that a person reads
 *
 *	program            host           5.10           7.2
 *	chain              exact 12/12    exact 12/12    exact 12/12
 *	longjmp            exact 12/12    FAILED 2/12    exact 12/12
 *
 * Rows are programs, a cell counts the binaries made from one (toolchains x variants). Below: what
 * each engine got right with and without frame pointers, everything that isn't "exact" with its
 * reason, the toolchain's faults by name, and what ran where. Each part appears only if it says
 * something. "exact" means: bpf's stack was the true one at every point where the CFI allows it;
 * "played": at every point that the host recorded, bpf's stack on this kernel was the table's there
 * (docs/REPLAY.md).
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "results.h"
#include "plain_text.h"

#define LISTED_MAX 20 /* failures and faults shown; the rest is counted */

struct printer {
	const struct results *results;
	const struct tally *tally;
	FILE *file;
	bool colour;
	int name_width;
	int cell_width;
};

static void print_coloured(const struct printer *table, const char *colour, const char *text,
			   int width)
{
	if (table->colour && colour[0])
		fprintf(table->file, "\033[%sm%s\033[0m", colour, PLAIN_TEXT(text));
	else
		fputs(PLAIN_TEXT(text), table->file);
	fprintf(table->file, "%*s", width > (int)strlen(text) ? width - (int)strlen(text) : 0, "");
}

/* True at the first cell of each program. */
static bool first_of_program(const struct results *results, size_t index)
{
	return !ARRAY_ANY(index, i,
			  !strcmp(results->cell[i].program, results->cell[index].program));
}

static void count_program(const struct results *results, const char *program, const char *kernel,
			  size_t ret_count[CELL_STATUS_COUNT])
{
	memset(ret_count, 0, CELL_STATUS_COUNT * sizeof(*ret_count));
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		if (!strcmp(cell->program, program) && !strcmp(cell->kernel, kernel))
			ret_count[cell->status]++;
	}
}

/* Whether the kernel's points were made in that way. */
static bool is_how(const struct results *results, const char *kernel, const char *how)
{
	const struct results_kernel *found = results_kernel_find(results, kernel);

	return found && !strcmp(found->how, how);
}

/* The word for a cell without a fault. */
static const char *well_word(const struct results *results, const char *kernel)
{
	return is_how(results, kernel, RESULTS_PLAYED)	  ? "played"
	       : is_how(results, kernel, RESULTS_WATCHED) ? "watched"
							  : "exact";
}

static void print_cell(const struct printer *table, const char *program, const char *kernel,
		       bool last)
{
	size_t count[CELL_STATUS_COUNT], total = 0;
	char text[64];
	const char *colour, *well = well_word(table->results, kernel);

	count_program(table->results, program, kernel, count);
	for (int i = 0; i < CELL_STATUS_COUNT; i++)
		total += count[i];
	size_t tried = total - count[CELL_SKIPPED];
	size_t broken = count[CELL_ERROR] + count[CELL_PENDING];
	if (!total) {
		snprintf(text, sizeof(text), "-");
		colour = "";
	} else if (count[CELL_FAILED]) {
		snprintf(text, sizeof(text), "FAILED %zu/%zu", count[CELL_FAILED], total);
		colour = "1;31";
	} else if (broken && table->results->partial[0]) {
		snprintf(text, sizeof(text), "%s %zu of %zu", well, count[CELL_PASSED], total);
		colour = "1;35";
	} else if (broken) {
		snprintf(text, sizeof(text), "ERROR %zu/%zu", broken, total);
		colour = "1;35";
	} else if (!tried) {
		snprintf(text, sizeof(text), "skipped %zu", total);
		colour = "33";
	} else if (tried < total) {
		snprintf(text, sizeof(text), "%s %zu/%zu, %zu skipped", well, tried, tried,
			 count[CELL_SKIPPED]);
		colour = "33";
	} else {
		snprintf(text, sizeof(text), "%s %zu/%zu", well, tried, total);
		colour = "32";
	}
	print_coloured(table, colour, text, last ? 0 : table->cell_width);
}

static void print_heading(const struct printer *table, const char *first)
{
	const struct results *results = table->results;

	fprintf(table->file, "%-*s", table->name_width, first);
	for (size_t i = 0; i < results->kernel_count; i++) {
		bool last = i + 1 == results->kernel_count;
		fprintf(table->file, "%-*s", last ? 0 : table->cell_width,
			PLAIN_TEXT(results_kernel_label(results, results->kernel[i].name)));
	}
	putc('\n', table->file);
}

static void print_programs(const struct printer *table)
{
	const struct results *results = table->results;

	print_heading(table, "program");
	for (size_t i = 0; i < results->cell_count; i++) {
		const char *program = results->cell[i].program;
		if (!first_of_program(results, i))
			continue;
		fprintf(table->file, "%-*s", table->name_width, PLAIN_TEXT(program));
		for (size_t k = 0; k < results->kernel_count; k++) {
			print_cell(table, program, results->kernel[k].name,
				   k + 1 == results->kernel_count);
		}
		putc('\n', table->file);
	}
}

/* One line per engine, with frame pointers / without. */
static void print_shares(const struct printer *table, const char *title, bool frames)
{
	const struct results *results = table->results;

	fprintf(table->file, "\n%s, in code with / without frame pointers\n", title);
	print_heading(table, "engine");
	for (size_t engine = 0; engine < table->tally->engine_count; engine++) {
		fprintf(table->file, "%-*s", table->name_width,
			PLAIN_TEXT(table->tally->engine[engine]));
		for (size_t k = 0; k < results->kernel_count; k++) {
			const struct tally_share *share =
				&table->tally->share[engine * results->kernel_count + k];
			const uint64_t *part = frames ? share->frames_right : share->exact;
			const uint64_t *whole = frames ? share->frames : share->points;
			char with[32], without[32], text[80];
			share_print(with, sizeof(with), part[0], whole[0]);
			share_print(without, sizeof(without), part[1], whole[1]);
			snprintf(text, sizeof(text), "%s / %s", with, without);
			if (strcmp(well_word(results, results->kernel[k].name), "exact"))
				strcpy(text, "-");
			fprintf(table->file, "%-*s",
				k + 1 == results->kernel_count ? 0 : table->cell_width, text);
		}
		putc('\n', table->file);
	}
}

static bool have_frames(const struct printer *table)
{
	size_t shares = table->tally->engine_count * table->results->kernel_count;

	return ARRAY_ANY(shares, i,
			 table->tally->share[i].frames[0] || table->tally->share[i].frames[1]);
}

static void print_engines(const struct printer *table)
{
	if (!table->tally->engine_count)
		return;
	print_shares(table, "Exact where the CFI is right", false);
	if (have_frames(table))
		print_shares(table, "The program's own frames found", true);
	if (table->tally->uncovered) {
		fprintf(table->file,
			"%llu points have a frame without CFI: table faults, see below\n",
			(unsigned long long)table->tally->uncovered);
	}
	if (table->tally->untrapped) {
		fprintf(table->file, "bpf not asked at %llu points: no trap ran it there\n",
			(unsigned long long)table->tally->untrapped);
	}
}

/* Failed and broken cells, one line each. */
static void print_problems(const struct printer *table, enum cell_status status, const char *title)
{
	const struct results *results = table->results;
	size_t shown = 0, total = 0;

	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		if (cell->status != status || total++ >= LISTED_MAX)
			continue;
		if (!shown++)
			fprintf(table->file, "\n%s\n", title);
		fprintf(table->file, "  %s on %s: %s\n", PLAIN_TEXT(cell->binary),
			PLAIN_TEXT(results_kernel_label(results, cell->kernel)),
			PLAIN_TEXT(cell->reason));
	}
	if (total > shown)
		fprintf(table->file, "  and %zu more\n", total - shown);
}

static void print_origin(const struct printer *table, enum fault_origin origin, const char *title)
{
	const struct tally *tally = table->tally;
	size_t total = 0;

	for (size_t i = 0; i < tally->fault_count; i++) {
		const struct tally_fault *fault = &tally->fault[i];
		if (fault->origin != origin || total++ >= LISTED_MAX)
			continue;
		if (total == 1)
			fprintf(table->file, "\n%s\n", title);
		fprintf(table->file, "  %s (%s): %llu points in %zu runs; %s; on %s\n",
			fault->function[0] ? PLAIN_TEXT(fault->function) : "?",
			PLAIN_TEXT(fault->image), (unsigned long long)fault->points, fault->cells,
			PLAIN_TEXT(fault->toolchains), PLAIN_TEXT(fault->kernels));
	}
	if (total > LISTED_MAX)
		fprintf(table->file, "  and %zu more\n", total - LISTED_MAX);
}

/* Whose they are: a program that is wrong on purpose is not its assembler's fault. */
static void print_faults(const struct printer *table)
{
	print_origin(table, ORIGIN_COMPILED,
		     "Table faults of compiled code: the toolchain's; failures only if the corpus "
		     "does not expect them");
	print_origin(table, ORIGIN_STARTUP,
		     "Table faults of start-up objects: the C library's and the compiler's");
	print_origin(table, ORIGIN_LIBRARY, "Table faults of system libraries");
	print_origin(
		table, ORIGIN_HANDWRITTEN,
		"Table faults of hand-written and generated code: the corpus's own, on purpose");
}

static void print_skips(const struct printer *table)
{
	const struct tally *tally = table->tally;

	if (tally->skip_count)
		fprintf(table->file, "\nSkipped\n");
	for (size_t i = 0; i < tally->skip_count; i++) {
		fprintf(table->file, "  %zu on %s: %s\n", tally->skip[i].cells,
			PLAIN_TEXT(results_kernel_label(table->results, tally->skip[i].kernel)),
			PLAIN_TEXT(tally->skip[i].reason));
	}
}

/* Findings that fail nothing, since somebody has looked at them. */
static void print_ignored(const struct printer *table)
{
	const struct tally *tally = table->tally;

	if (tally->ignored_count)
		fprintf(table->file, "\nIgnored findings\n");
	for (size_t i = 0; i < tally->ignored_count; i++)
		fprintf(table->file, "  %llu at %llu points: %s\n",
			(unsigned long long)tally->ignored[i].findings,
			(unsigned long long)tally->ignored[i].points,
			PLAIN_TEXT(tally->ignored[i].reason));
}

/* Binaries that were not run since another one is the same file. */
static void print_merged(const struct printer *table)
{
	const json_t *merged = json_object_get(table->results->header, "merged");
	json_t *toolchains = json_object(), *object, *count;
	const char *toolchain;
	size_t index;

	json_array_foreach(merged, index, object)
	{
		toolchain = json_string_value(json_object_get(object, "toolchain"));
		if (!toolchain)
			continue;
		json_int_t before = json_integer_value(json_object_get(toolchains, toolchain));
		json_object_set_new(toolchains, toolchain, json_integer(before + 1));
	}
	if (json_object_size(toolchains))
		fprintf(table->file, "\nMerged: the same file as another binary, which was run\n");
	json_object_foreach(toolchains, toolchain, count)
		fprintf(table->file, "  %lld of %s\n", (long long)json_integer_value(count),
			PLAIN_TEXT(toolchain));
	json_decref(toolchains);
}

static void print_kernels(const struct printer *table, const char *folder)
{
	fprintf(table->file, "\nKernels\n");
	for (size_t i = 0; i < table->results->kernel_count; i++) {
		const struct results_kernel *kernel = &table->results->kernel[i];
		fprintf(table->file, "  %-6s %s",
			PLAIN_TEXT(results_kernel_label(table->results, kernel->name)),
			kernel->version[0] ? PLAIN_TEXT(kernel->version) : "not run");
		if (kernel->package[0])
			fprintf(table->file, " (%s)", PLAIN_TEXT(kernel->package));
		if (kernel->accelerator[0])
			fprintf(table->file, ", %s", PLAIN_TEXT(kernel->accelerator));
		if (kernel->boot_ms)
			fprintf(table->file, ", booted in %.1f s", kernel->boot_ms / 1000.0);
		if (kernel->total_ms)
			fprintf(table->file, ", %.1f s", kernel->total_ms / 1000.0);
		if (is_how(table->results, kernel->name, RESULTS_PLAYED))
			fprintf(table->file, ", %llu points of the host played",
				(unsigned long long)results_points_played(table->results,
									  kernel->name));
		else if (is_how(table->results, kernel->name, RESULTS_WATCHED))
			fprintf(table->file, ", %llu points watched by the emulator",
				(unsigned long long)results_points_watched(table->results,
									   kernel->name));
		else if (kernel->how[0])
			fprintf(table->file, ", %s", PLAIN_TEXT(kernel->how));
		if (kernel->splats)
			fprintf(table->file, ", %u kernel warnings", kernel->splats);
		putc('\n', table->file);
		if (!kernel->sentence[0])
			continue;
		fprintf(table->file, "         %s%s%s\n", PLAIN_TEXT(kernel->outcome),
			kernel->outcome[0] ? ": " : "", PLAIN_TEXT(kernel->sentence));
		if (folder && kernel->outcome[0] && strcmp(kernel->name, "host")) {
			char path[4096];
			results_path(path, sizeof(path), folder, "kernels", kernel->name,
				     "console");
			fprintf(table->file, "         console: %s\n", PLAIN_TEXT(path));
		}
	}
}

/* A run of several parts. */
static void print_resumed(const struct printer *table)
{
	const json_t *resumed = json_object_get(table->results->header, "resumed"), *part;
	size_t index;

	json_array_foreach(resumed, index, part)
	{
		fprintf(table->file, "Resumed %s with %llu cells that had been judged\n",
			PLAIN_TEXT(json_text(part, "time")),
			(unsigned long long)json_number(part, "kept"));
	}
}

static void print_totals(const struct printer *table, const char *folder)
{
	const struct results *results = table->results;
	size_t count[CELL_STATUS_COUNT];

	results_count(results, NULL, count);
	putc('\n', table->file);
	if (results->compared || results->not_comparable) {
		fprintf(table->file,
			"Across kernels: bpf's stacks compared %llu times, not comparable %llu\n",
			(unsigned long long)results->compared,
			(unsigned long long)results->not_comparable);
	}
	print_resumed(table);
	if (results->missing)
		fprintf(table->file, "The run was cut short: %zu cells are missing\n",
			results->missing);
	if (count[CELL_ERROR] + count[CELL_PENDING]) {
		fprintf(table->file, "Errors, counted as failed: %zu\n",
			count[CELL_ERROR] + count[CELL_PENDING]);
	}
	fprintf(table->file, "%llu points, %.1f s", (unsigned long long)results_points(results),
		results->seconds);
	if (folder)
		fprintf(table->file, ", results in %s", PLAIN_TEXT(folder));
	putc('\n', table->file);
	/* Alone on the last line, where scripts look for it. */
	fprintf(table->file, "%zu passed, %zu failed, %zu skipped\n", count[CELL_PASSED],
		count[CELL_FAILED] + count[CELL_ERROR] + count[CELL_PENDING] + results->missing,
		count[CELL_SKIPPED]);
}

void terminal_print(const struct results *results, const char *folder, bool colour, FILE *file)
{
	struct tally tally;
	struct printer table = { .results = results,
				 .tally = &tally,
				 .file = file,
				 .colour = colour,
				 .name_width = 10,
				 .cell_width = 22 };

	tally_init(&tally, results);
	for (size_t i = 0; i < results->cell_count; i++) {
		int width = strlen(results->cell[i].program) + 2;
		if (width > table.name_width)
			table.name_width = width;
	}
	for (size_t i = 0; i < results->kernel_count; i++) {
		int width = strlen(results_kernel_label(results, results->kernel[i].name)) + 2;
		if (width > table.cell_width)
			table.cell_width = width;
	}
	if (results->partial[0])
		fprintf(file, "PARTIAL (%s): %s; what follows was found until then\n\n",
			PLAIN_TEXT(results->partial), PLAIN_TEXT(results->partial_message));
	print_programs(&table);
	print_engines(&table);
	print_problems(&table, CELL_FAILED, "Failed");
	print_problems(&table, CELL_ERROR, "Errors: not judged");
	print_faults(&table);
	print_skips(&table);
	print_ignored(&table);
	print_merged(&table);
	print_kernels(&table, folder);
	print_totals(&table, folder);
	tally_deinit(&tally);
}
