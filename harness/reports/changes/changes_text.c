/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_text.c - what became better or worse, as a reviewer wants it: the worst first
 *
 *	WORSE
 *	chain.gcc-12.O2-nofp on host: passed -> failed: walk_fault 3
 *	    new       walk_fault (wrong) in b1 (the program), 3 points
 *	        at           b1+0x4 (chain.gcc-12.O2-nofp), frame 1, stop complete
 *	        instruction  ret
 *	        declared     cfa=rsp+8
 *	        cfa          declared 0x7ffe10, actual 0x7ffe18
 *	    bpf       exact 1000 -> 997, wrong 0 -> 3, false complete 0 -> 3
 *	    verdicts  exact 1000 -> 997, walk fault 0 -> 3
 *
 * Cell by cell, then the same findings by function, over all cells: one function of a library is in
 * every program. What is better, and what is neither, follows in the same form.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/no_memory.h"
#include "array.h"
#include "changes.h"
#include "base/cli/json_counts.h"
#include "plain_text.h"

#define CELLS_SHOWN	20 /* of each direction; the rest is counted */
#define FUNCTIONS_SHOWN 20

static void print_kernel(const struct changed_cell *cell, FILE *file)
{
	const char *before = cell->before ? cell->before->kernel : cell->after->kernel;
	const char *after = cell->after ? cell->after->kernel : before;

	fprintf(file, " on %s", PLAIN_TEXT(before));
	if (strcmp(before, after) != 0)
		fprintf(file, " -> %s", PLAIN_TEXT(after));
}

static void print_outcome(const struct changed_cell *cell, FILE *file)
{
	if (!cell->after) {
		fprintf(file, ": %s -> gone: there is no such binary any more\n",
			cell_status_name(cell->before->status));
		return;
	}
	if (cell->before->status != cell->after->status)
		fprintf(file, ": %s -> %s", cell_status_name(cell->before->status),
			cell_status_name(cell->after->status));
	else
		fprintf(file, ": still %s", cell_status_name(cell->after->status));
	if (cell->after->reason[0])
		fprintf(file, ": %s", PLAIN_TEXT(cell->after->reason));
	putc('\n', file);
}

/* Where the first of the points is, and what is said there. */
static void print_line(FILE *file, const char *name, const char *text)
{
	if (text[0])
		fprintf(file, "        %-11s  %s\n", name, PLAIN_TEXT(text));
}

static void print_evidence(const struct finding_record *finding, FILE *file)
{
	const char *declared = finding->declared_cfa, *actual = finding->actual_cfa;

	if (finding->place[0])
		fprintf(file, "        at           %s, frame %" PRIu64 ", stop %s\n",
			PLAIN_TEXT(finding->place), finding->frame, PLAIN_TEXT(finding->stop));
	print_line(file, "instruction", finding->instruction);
	print_line(file, "declared", finding->declared);
	if (declared[0] || actual[0])
		fprintf(file, "        cfa          %s%s%s%s%s\n", declared[0] ? "declared " : "",
			PLAIN_TEXT(declared), declared[0] && actual[0] ? ", " : "",
			actual[0] ? "actual " : "", PLAIN_TEXT(actual));
	print_line(file, "not as on", finding->other_kernel);
}

/* "table_fault (missing) in _init (the program)". */
static void print_subject(const struct changed_cell *cell, const struct change *change, FILE *file)
{
	const struct finding_record *finding = &change->finding;
	const char *image = cell_image(change_cell(cell, change), finding);

	fputs(PLAIN_TEXT(finding->verdict), file);
	if (finding->kind[0])
		fprintf(file, " (%s)", PLAIN_TEXT(finding->kind));
	if (finding->function[0])
		fprintf(file, " in %s", PLAIN_TEXT(finding->function));
	if (image[0])
		fprintf(file, " (%s)", PLAIN_TEXT(image));
}

static void print_finding(const struct changed_cell *cell, const struct change *change, FILE *file)
{
	const char *what = change->what == CHANGE_FINDING_NEW	 ? "new"
			   : change->what == CHANGE_FINDING_GONE ? "gone"
								 : "points";

	fprintf(file, "    %-8s  ", what);
	print_subject(cell, change, file);
	if (change->what == CHANGE_FINDING_POINTS)
		fprintf(file, ", %" PRIu64 " -> %" PRIu64 " points", change->points_before,
			change->points_after);
	else
		fprintf(file, ", %" PRIu64 " points", change->points_before + change->points_after);
	if (change->ignored)
		fprintf(file, "; ignored: %s", PLAIN_TEXT(change->ignored));
	putc('\n', file);
	if (change->what != CHANGE_FINDING_GONE)
		print_evidence(&change->finding, file);
}

/* "100 points -> skipped: no kernel BTF". */
static void print_engine_gone(const struct change *change, FILE *file)
{
	const char *message = json_text(change->after, "message");

	fprintf(file, "    %-8s  %" PRIu64 " points -> ",
		PLAIN_TEXT(json_text(change->before, "engine")),
		json_number(change->before, "points"));
	if (!change->after)
		fputs("gone: the engine has no score any more\n", file);
	else
		fprintf(file, "skipped: %s\n",
			PLAIN_TEXT(message[0] ? message : json_text(change->after, "reason")));
}

static void print_counts(const struct change *change, FILE *file)
{
	const char *name = change->what == CHANGE_SCORE	     ? json_text(change->after, "engine")
			   : change->what == CHANGE_VERDICTS ? "verdicts"
							     : "played";
	const char *comma = "";

	fprintf(file, "    %-8s  ", PLAIN_TEXT(name));
	for (const struct measure *measure = change_measures(change->what); measure->name;
	     measure++) {
		if (!measure_differs(measure, change->before, change->after))
			continue;
		fprintf(file, "%s%s %" PRIu64 " -> %" PRIu64, comma, measure->text,
			json_number(change->before, measure->name),
			json_number(change->after, measure->name));
		comma = ", ";
	}
	putc('\n', file);
}

static void print_cell(const struct changed_cell *cell, FILE *file)
{
	fputs(PLAIN_TEXT(cell->before->binary), file);
	print_kernel(cell, file);
	print_outcome(cell, file);
	for (size_t i = 0; i < cell->count; i++) {
		const struct change *change = &cell->change[i];

		switch (change->what) {
		case CHANGE_STATUS:
		case CHANGE_GONE: break;
		case CHANGE_FINDING_NEW:
		case CHANGE_FINDING_GONE:
		case CHANGE_FINDING_POINTS: print_finding(cell, change, file); break;
		case CHANGE_ENGINE_GONE: print_engine_gone(change, file); break;
		default: print_counts(change, file);
		}
	}
}

static void print_direction(const struct changes_report *report, const struct changes *changes,
			    enum change_direction direction, const char *title)
{
	uint64_t total = changes->direction[direction], shown = 0;

	if (!total)
		return;
	fprintf(report->file, "%s\n", title);
	for (size_t i = 0; i < changes->count; i++) {
		if (changes->cell[i].direction != direction)
			continue;
		if (shown == CELLS_SHOWN && !report->all)
			break;
		print_cell(&changes->cell[i], report->file);
		shown++;
	}
	if (shown < total)
		fprintf(report->file, "and %" PRIu64 " cells more: --verbose\n", total - shown);
	putc('\n', report->file);
}

/* ---- by function ------------------------------------------------------------------------ */

struct function {
	char *text; /* what it is, as it is printed */
	bool is_new;
	uint64_t points, cells;
};

struct functions {
	struct function *function;
	size_t count;
	json_t *index; /* text: number */
};

static void function_add(struct functions *functions, const struct changed_cell *cell,
			 const struct change *change)
{
	bool is_new = change->what == CHANGE_FINDING_NEW;
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = need_memory(open_memstream(&text, &size));

	fputs(is_new ? "    new   " : "    gone  ", file);
	print_subject(cell, change, file);
	fclose(file);
	const json_t *known = json_object_get(functions->index, text);
	if (!known) {
		JSON_SET(functions->index, text, functions->count);
		ARRAY_NEED(functions->function, functions->count,
			   (struct function) { .text = strdup(text), .is_new = is_new });
	}
	struct function *function = &functions->function[known ? (size_t)json_integer_value(known)
							       : functions->count - 1];
	function->points += change->points_before + change->points_after;
	function->cells++;
}

static int new_and_most_first(const void *a, const void *b)
{
	const struct function *one = a, *two = b;

	if (one->is_new != two->is_new)
		return one->is_new ? -1 : 1;
	if (one->points != two->points)
		return one->points > two->points ? -1 : 1;
	return strcmp(one->text, two->text);
}

static void print_functions(const struct changes_report *report, const struct changes *changes)
{
	struct functions functions = { .index = json_object() };

	for (size_t i = 0; i < changes->count; i++) {
		const struct changed_cell *cell = &changes->cell[i];

		for (size_t j = 0; j < cell->count; j++)
			if (cell->change[j].what == CHANGE_FINDING_NEW ||
			    cell->change[j].what == CHANGE_FINDING_GONE)
				function_add(&functions, cell, &cell->change[j]);
	}
	if (functions.count) {
		qsort(functions.function, functions.count, sizeof(*functions.function),
		      new_and_most_first);
		fputs("Findings by function\n", report->file);
	}
	for (size_t i = 0; i < functions.count; i++) {
		struct function *function = &functions.function[i];

		if (i < FUNCTIONS_SHOWN || report->all)
			fprintf(report->file, "%s: %" PRIu64 " points in %" PRIu64 " cells\n",
				function->text, function->points, function->cells);
		free(function->text);
	}
	if (functions.count > FUNCTIONS_SHOWN && !report->all)
		fprintf(report->file, "    and %zu more: --verbose\n",
			functions.count - FUNCTIONS_SHOWN);
	if (functions.count)
		putc('\n', report->file);
	free(functions.function);
	json_decref(functions.index);
}

/* ---- the end ---------------------------------------------------------------------------- */

static void print_one_side(const struct changes *changes, int side, FILE *file)
{
	static const char *const texts[ONE_SIDE_COUNT] = {
		[ONE_SIDE_KERNEL] = "cells of kernels",
		[ONE_SIDE_TOOLCHAIN] = "cells of toolchains",
		[ONE_SIDE_BINARY] = "cells of binaries",
		[ONE_SIDE_ENGINE] = "scores of engines",
	};
	const char *comma = "";

	for (unsigned int i = 0; i < ONE_SIDE_COUNT; i++) {
		if (!changes->only[side][i])
			continue;
		if (!*comma)
			fprintf(file, "Only in the %s: ", side ? "second" : "first");
		fprintf(file, "%s%" PRIu64 " %s that the other has not", comma,
			changes->only[side][i], texts[i]);
		comma = ", ";
	}
	if (*comma)
		putc('\n', file);
}

void changes_print_text(const struct changes_report *report, const struct changes *changes)
{
	FILE *file = report->file;
	uint64_t changed = 0;

	for (int i = 0; i < 2; i++)
		if (changes->cut_short[i])
			fprintf(file, "PARTIAL: the %s run did not come to its end\n",
				i ? "second" : "first");
	if (!report->only_summary) {
		print_direction(report, changes, CHANGE_WORSE, "WORSE");
		print_direction(report, changes, CHANGE_BETTER, "BETTER");
		print_direction(report, changes, CHANGE_OTHER, "OTHER: neither better nor worse");
		print_functions(report, changes);
	}
	print_one_side(changes, 0, file);
	print_one_side(changes, 1, file);
	if (changes->outcomes_alone)
		fprintf(file,
			"Of %" PRIu64
			" cells only the outcomes were compared: one side has nothing "
			"else\n",
			changes->outcomes_alone);
	for (unsigned int i = 0; i < CHANGE_DIRECTION_COUNT; i++)
		changed += changes->direction[i];
	if (!gate_is_clean(report->gate))
		gate_print(report->gate, file);
	fprintf(file,
		"%s -> %s: %" PRIu64 " cells compared; %" PRIu64 " changed: %" PRIu64
		" worse, %" PRIu64 " better, %" PRIu64 " neither\n",
		PLAIN_TEXT(report->before), PLAIN_TEXT(report->after), changes->compared, changed,
		changes->direction[CHANGE_WORSE], changes->direction[CHANGE_BETTER],
		changes->direction[CHANGE_OTHER]);
}
