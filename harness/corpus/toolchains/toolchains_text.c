/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * toolchains_text.c - the toolchain report on a terminal
 *
 * First each toolchain in one line, then the faults as a table of versions, then each with its
 * instruction and row, then what changed from one toolchain to the next, last what is no
 * compiler's. Without --verbose it is a few screens: the first faults, and of changes their kinds
 * with a few names. Lines are cut or wrapped at the terminal's width. Every name comes from files,
 * so it goes through plain_text().
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "freed.h"
#include "plain_text.h"
#include "base/cli/no_memory.h"
#include "toolchain_model.h"
#include "toolchains_text.h"

#define DETAILED_MAX 6	/* faults with all their evidence */
#define NAMED_MAX    40 /* of those that are only named */

void text_put(const struct toolchains_printer *printer, const char *colour, const char *text)
{
	char clean[4 * NAME_BYTES];

	plain_text(text, clean, sizeof(clean));
	if (printer->style->colour && colour)
		fprintf(printer->file, "\033[%sm%s\033[0m", colour, clean);
	else
		fputs(clean, printer->file);
}

void text_heading(const struct toolchains_printer *printer, const char *text)
{
	putc('\n', printer->file);
	text_put(printer, COLOUR_BOLD, text);
	putc('\n', printer->file);
}

/* Words, wrapped at the terminal's width; lines after the first are indented. */
void text_put_wrapped(const struct toolchains_printer *printer, const char *text, size_t column,
		      size_t indent)
{
	char clean[16384], *save = NULL;
	bool first = true;

	plain_text(text, clean, sizeof(clean));
	for (char *word = strtok_r(clean, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t width = plain_width(word);
		if (!first && column + 1 + width > printer->style->width) {
			fprintf(printer->file, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		fprintf(printer->file, "%s%s", first ? "" : " ", word);
		column += width + !first;
		first = false;
	}
	putc('\n', printer->file);
}

/* ---- toolchains -------------------------------------------------------------------------- */

static void cell_text(const struct toolchain *toolchain, int column, char *ret, size_t size)
{
	uint64_t rows = toolchain->rows, file_rows = toolchain->file_rows;

	ret[0] = '\0';
	switch (column) {
	case 0: snprintf(ret, size, "%zu", toolchain->binaries); break;
	case 1: snprintf(ret, size, "%" PRIu64, toolchain->points); break;
	case 2: share_print(ret, size, toolchain->exact, toolchain->points); break;
	case 3: snprintf(ret, size, "%zu", toolchain->faults); break;
	case 4: snprintf(ret, size, "%zu", toolchain->faults_unexpected); break;
	case 5: snprintf(ret, size, "%" PRIu64, toolchain->flagged); break;
	case 6: snprintf(ret, size, "%" PRIu64, rows); break;
	case 7:
		snprintf(ret, size, "%" PRIu64 "/%" PRIu64, toolchain->returns_open,
			 toolchain->returns);
		break;
	case 8:
		snprintf(ret, size, "%.1f",
			 file_rows ? (double)toolchain->table_bytes / file_rows : 0.0);
		break;
	case 9:
		snprintf(ret, size, "%.1f", rows ? (double)toolchain->cfi_bytes / rows : 0.0);
		break;
	case 10: snprintf(ret, size, "%" PRIu64, toolchain->functions); break;
	default: snprintf(ret, size, "%zu", toolchain->skipped); break;
	}
	/* Nothing was measured: a 0 would be a result. */
	if ((column >= 6 && column <= 10 && !toolchain->measured) ||
	    (column >= 1 && column <= 5 && !toolchain->binaries))
		snprintf(ret, size, "-");
}

/* The order is the order of importance: what the terminal has no room for is left out from the
 * end. */
static const char *const columns[] = {
	"binaries", "points",	 "exact", "faults",    "unexpected", "flagged",
	"rows",	    "open rets", "B/row", "CFI B/row", "functions",  "skipped",
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static size_t column_width(const struct toolchains_printer *printer, size_t column)
{
	size_t width = strlen(columns[column]);

	for (size_t i = 0; i < printer->model->count; i++) {
		char text[64];
		cell_text(&printer->model->toolchain[i], (int)column, text, sizeof(text));
		if (strlen(text) > width)
			width = strlen(text);
	}
	return width + 2;
}

static size_t name_width(const struct toolchains_printer *printer)
{
	size_t width = strlen("toolchain");

	for (size_t i = 0; i < printer->model->count; i++) {
		size_t size = plain_width(printer->model->toolchain[i].name);
		if (size > width)
			width = size;
	}
	return width < 40 ? width : 40;
}

static void print_name(const struct toolchains_printer *printer, const char *name, size_t width)
{
	char clean[NAME_BYTES];

	plain_text(name, clean, sizeof(clean));
	size_t size = plain_width(clean);
	fprintf(printer->file, "%s%*s", clean, size < width ? (int)(width - size) : 0, "");
}

static void print_toolchains(const struct toolchains_printer *printer)
{
	size_t used = name_width(printer), shown = 0;

	while (shown < COLUMN_COUNT &&
	       (printer->style->verbose ||
		used + column_width(printer, shown) <= printer->style->width))
		used += column_width(printer, shown++);
	print_name(printer, "toolchain", name_width(printer));
	for (size_t c = 0; c < shown; c++)
		fprintf(printer->file, "%*s", (int)column_width(printer, c), columns[c]);
	putc('\n', printer->file);
	for (size_t i = 0; i < printer->model->count; i++) {
		const struct toolchain *toolchain = &printer->model->toolchain[i];
		print_name(printer, toolchain->name, name_width(printer));
		for (size_t c = 0; c < shown; c++) {
			char text[64], padded[128];
			cell_text(toolchain, (int)c, text, sizeof(text));
			snprintf(padded, sizeof(padded), "%*s", (int)column_width(printer, c),
				 text);
			bool bad = c == 4 && toolchain->faults_unexpected;
			text_put(printer, bad ? COLOUR_RED : NULL, padded);
		}
		putc('\n', printer->file);
	}
}

/* What is not in the table: what could not be tried, and what is not the toolchain's. */
static void print_absences(const struct toolchains_printer *printer)
{
	for (size_t i = 0; i < printer->model->count; i++) {
		const struct toolchain *toolchain = &printer->model->toolchain[i];
		char text[2 * NAME_BYTES];

		if (toolchain->skipped) {
			snprintf(text, sizeof(text), "%s: %zu skipped: %s", toolchain->name,
				 toolchain->skipped, toolchain->reasons);
			text_put_wrapped(printer, text, 0, 2);
		}
		if (toolchain->broken) {
			snprintf(text, sizeof(text), "%s: %zu not judged: the run has errors",
				 toolchain->name, toolchain->broken);
			text_put_wrapped(printer, text, 0, 2);
		}
		if (toolchain->unread) {
			snprintf(text, sizeof(text), "%s: tables of %zu binaries not read: %s",
				 toolchain->name, toolchain->unread, toolchain->unread_reason);
			text_put_wrapped(printer, text, 0, 2);
		}
		if (toolchain->ours) {
			snprintf(text, sizeof(text),
				 "%s: %" PRIu64 " points are wrong or unexplained and not the "
				 "toolchain's: see `stackproof report`",
				 toolchain->name, toolchain->ours);
			text_put_wrapped(printer, text, 0, 2);
		}
	}
}

static void print_sframe(const struct toolchains_printer *printer)
{
	if (!ARRAY_ANY(printer->model->count, i, printer->model->toolchain[i].sframe.binaries))
		return;
	text_heading(printer, "SFrame against the CFI");
	toolchain_sframe_print(printer->model, printer->file);
}

/* ---- faults ------------------------------------------------------------------------------ */

void fault_title(const struct toolchain_fault *fault, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s%s%s", fault->function, fault->program[0] ? " in " : "",
		 fault->program, fault->library[0] ? " in " : "");
	size_t used = strlen(ret);
	snprintf(ret + used, size - used, "%s", fault->library);
}

static size_t count_origin(const struct toolchains *model, enum fault_origin origin)
{
	size_t count = 0;

	for (size_t i = 0; i < model->fault_count; i++)
		count += model->fault[i].origin == origin;
	return count;
}

static void print_case(const struct toolchains_printer *printer,
		       const struct fault_case *fault_case)
{
	char text[3 * NAME_BYTES], place[NAME_BYTES], actual[128];

	fault_place_print(&fault_case->finding, place, sizeof(place));
	snprintf(text, sizeof(text), "%s: %s: %s (%" PRIu64 " points%s)", fault_case->cell->binary,
		 place, fault_case->finding.instruction, finding_points(&fault_case->finding),
		 fault_case->finding.expected ? "" : ", not expected");
	fputs("    ", printer->file);
	text_put_wrapped(printer, text, 4, 6);
	fault_actual_print(&fault_case->finding, actual, sizeof(actual));
	snprintf(text, sizeof(text), "declared %s%s%s", fault_case->finding.declared,
		 actual[0] ? "; actual: " : "", actual);
	fputs("      ", printer->file);
	text_put_wrapped(printer, text, 6, 8);
}

/* One side of two that are held against each other: how many points in which variants. */
static void put_side(FILE *file, const struct toolchains *model,
		     const struct toolchain_fault *fault, size_t toolchain)
{
	const char *variant = "";
	uint64_t points = 0;

	for (size_t i = 0; i < fault->case_count; i++)
		if (fault->cases[i].toolchain == toolchain)
			points += finding_points(&fault->cases[i].finding);
	fprintf(file, "%s: %" PRIu64 " points%s", model->toolchain[toolchain].name, points,
		points ? " in" : "");
	for (size_t i = 0; i < fault->case_count; i++) {
		const struct fault_case *one = &fault->cases[i];

		if (one->toolchain != toolchain || !strcmp(one->cell->variant, variant))
			continue;
		variant = one->cell->variant;
		fprintf(file, " %s", variant);
	}
}

/* Both may have the fault, and one of them in more variants. */
static void print_sides(const struct toolchains_printer *printer,
			const struct toolchain_fault *fault)
{
	for (size_t i = 0; i < printer->model->pair_count; i++) {
		const struct toolchain_pair *pair = &printer->model->pair[i];
		FREED char *text = NULL;
		size_t size;
		FILE *file;

		if (pair->reason != PAIR_SIDE_BY_SIDE ||
		    (fault->state[pair->from] != FAULT_PRESENT &&
		     fault->state[pair->to] != FAULT_PRESENT))
			continue;
		file = need_memory(open_memstream(&text, &size));
		put_side(file, printer->model, fault, pair->from);
		fputs("; ", file);
		put_side(file, printer->model, fault, pair->to);
		fclose(file);
		fputs("    ", printer->file);
		text_put_wrapped(printer, text, 4, 6);
	}
}

static void print_fault(const struct toolchains_printer *printer,
			const struct toolchain_fault *fault)
{
	char title[2 * NAME_BYTES], text[4 * NAME_BYTES], history[1024];
	size_t shown = 0;

	fault_title(fault, title, sizeof(title));
	fault_history_print(printer->model, fault, history, sizeof(history));
	snprintf(text, sizeof(text), "%s: %s, %" PRIu64 " points; %s", title,
		 fault_kind_text(fault->kind), fault->points,
		 fault->expected ? "expected by the corpus" : "not expected");
	fputs("  ", printer->file);
	text_put_wrapped(printer, text, 2, 4);
	fputs("    ", printer->file);
	text_put_wrapped(printer, history, 4, 6);
	print_sides(printer, fault);
	for (size_t i = 0; i < fault->case_count; i++) {
		/* One of each toolchain is enough to see what it is. */
		bool first = !i || fault->cases[i].toolchain != fault->cases[i - 1].toolchain;
		if (!printer->style->verbose && (!first || shown >= 1))
			continue;
		print_case(printer, &fault->cases[i]);
		shown++;
	}
}

static void print_details(const struct toolchains_printer *printer, enum fault_origin origin)
{
	const struct toolchains *model = printer->model;
	size_t shown = 0, count = count_origin(model, origin);

	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->fault[i].origin != origin ||
		    (shown >= DETAILED_MAX && !printer->style->verbose))
			continue;
		print_fault(printer, &model->fault[i]);
		shown++;
	}
	if (shown < count)
		fprintf(printer->file, "  and %zu more: --verbose\n", count - shown);
}

/* Those of an origin in one paragraph. */
static void print_list(const struct toolchains_printer *printer, enum fault_origin origin)
{
	const struct toolchains *model = printer->model;
	FREED char *text = NULL;
	size_t size, shown = 0;
	FILE *file = need_memory(open_memstream(&text, &size));

	for (size_t i = 0; i < model->fault_count; i++) {
		char title[2 * NAME_BYTES];
		if (model->fault[i].origin != origin || shown++ >= NAMED_MAX)
			continue;
		fault_title(&model->fault[i], title, sizeof(title));
		fprintf(file, "%s%s%s (%s)", ftell(file) ? ", " : "",
			model->fault[i].expected ? "" : "not expected: ", title,
			fault_kind_text(model->fault[i].kind));
	}
	if (shown > NAMED_MAX)
		fprintf(file, " and %zu more: --verbose", shown - NAMED_MAX);
	fclose(file);
	fputs("  ", printer->file);
	text_put_wrapped(printer, text, 2, 2);
}

static void print_compiled(const struct toolchains_printer *printer)
{
	if (!count_origin(printer->model, ORIGIN_COMPILED)) {
		text_heading(printer, "No table faults of compiled code");
		return;
	}
	text_heading(printer,
		     "Table faults of compiled code, by version (X there, . not there, blank "
		     "not tried, ! not expected by the corpus)");
	version_table_print(printer);
	putc('\n', printer->file);
	print_details(printer, ORIGIN_COMPILED);
}

/* What is nobody's compiler's. */
static void print_others(const struct toolchains_printer *printer)
{
	static const struct {
		enum fault_origin origin;
		const char *title;
	} others[] = {
		{ ORIGIN_HANDWRITTEN,
		  "Table faults of hand-written and generated code: the corpus's own, on "
		  "purpose" },
		{ ORIGIN_STARTUP, "Table faults of start-up objects: the C library's and the "
				  "compiler's, in every program" },
		{ ORIGIN_LIBRARY, "Table faults of system libraries" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!count_origin(printer->model, others[i].origin))
			continue;
		text_heading(printer, others[i].title);
		if (printer->style->verbose)
			print_details(printer, others[i].origin);
		else
			print_list(printer, others[i].origin);
	}
}

void toolchains_print(const struct toolchains *model, const struct toolchains_style *style,
		      FILE *file)
{
	struct toolchains_printer printer = { model, style, file };

	print_toolchains(&printer);
	print_absences(&printer);
	print_sframe(&printer);
	print_compiled(&printer);
	changes_print(&printer);
	print_others(&printer);
}
