/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * top_screen.c - a table, what is shown of it, and a size -> text
 *
 * The screen is written whole, line by line; each is erased first. How wide a character is terminals know by the Unicode
 * standard (annex 11), more or less; so for the case that ours knows better it was told not to wrap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "plain_text.h"
#include "top.h"

#define NARROW 40 /* no room for the process */
#define MIDDLE 60 /* nor for the image */
#define WIDE   100
#define SHARE  8 /* columns of a share */
#define HELP   "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers"
#define ROOMY  10 /* rows, at least: with less there is neither title nor help */

struct screen {
	const struct top_table *table;
	const struct top_view *view;
	struct top_size size;
	unsigned int row;  /* that were begun */
	unsigned int left; /* columns of this one */
	FILE *file;
};

/* ---- characters --------------------------------------------------------------------------- */

static const struct {
	uint32_t first, last;
	unsigned int cells;
} widths[] = {
	{ 0x300, 0x36f, 0 },	 { 0x200b, 0x200f, 0 },	  { 0x20d0, 0x20ff, 0 },
	{ 0xfe00, 0xfe0f, 0 },	 { 0xfe20, 0xfe2f, 0 },	  { 0x1100, 0x115f, 2 },
	{ 0x2e80, 0x303e, 2 },	 { 0x3041, 0xa4cf, 2 },	  { 0xa960, 0xa97f, 2 },
	{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },	  { 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 },	 { 0xffe0, 0xffe6, 2 },	  { 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
};

static unsigned int cells_of(const char *at, size_t size)
{
	uint32_t code = (unsigned char)*at & (size == 1 ? 0x7f : 0xff >> (size + 1));

	for (size_t i = 1; i < size; i++)
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (code >= widths[i].first && code <= widths[i].last)
			return widths[i].cells;
	return 1;
}

/* The bytes of the character at text, which may be none: then it is a cell of its own, and *ret_plain false. */
static size_t next(const char *text, unsigned int *ret_cells, bool *ret_plain)
{
	size_t size = plain_character(text);

	*ret_plain = size;
	*ret_cells = size ? cells_of(text, size) : 1;
	if (!size)
		size = utf8_character(text);
	return size ? size : 1;
}

static unsigned int width(const char *text, const char *end)
{
	unsigned int sum = 0, cells;
	bool plain;

	while (text < end) {
		text += next(text, &cells, &plain);
		sum += cells;
	}
	return sum;
}

/* ---- lines -------------------------------------------------------------------------------- */

/* False: the screen is full. */
static bool begin_line(struct screen *screen, bool reverse)
{
	if (screen->row == screen->size.rows)
		return false;
	fprintf(screen->file, "%s\033[m\033[2K%s", screen->row++ ? "\r\n" : "",
		reverse ? "\033[7m" : "");
	screen->left = screen->size.columns;
	return true;
}

/* So many columns, or what is left of the line: text up to end, cut or filled up. */
static void put_part(struct screen *screen, unsigned int columns, const char *text, const char *end)
{
	unsigned int room, cells;
	bool is_cut, plain;

	columns = columns < screen->left ? columns : screen->left;
	is_cut = width(text, end) > columns;
	room = is_cut && columns ? columns - 1 : columns;
	screen->left -= columns;
	while (text < end) {
		size_t size = next(text, &cells, &plain);

		if (cells > room)
			break;
		if (plain)
			fwrite(text, 1, size, screen->file);
		else
			putc('?', screen->file);
		room -= cells;
		text += size;
	}
	if (is_cut && columns)
		fputs("…", screen->file);
	fprintf(screen->file, "%*s", (int)room, "");
}

static void put(struct screen *screen, unsigned int columns, const char *text)
{
	put_part(screen, columns, text, text + strlen(text));
}

/* Lines that are cut between words, and are lines of their own. */
static void put_wrapped(struct screen *screen, const char *text)
{
	while (*text && begin_line(screen, false)) {
		const char *end = text, *word;

		for (word = text; *word; word = *end ? end + 1 : end) {
			const char *next_end = word + strcspn(word, " ");

			if (word != text && width(text, next_end) > screen->left)
				break;
			end = next_end;
		}
		put_part(screen, screen->left, text, end);
		text = *end ? end + 1 : end;
	}
}

/* ---- the heading -------------------------------------------------------------------------- */

static void print_counts(FILE *file, const struct record_result *result)
{
	const char *before = " (";

	for (unsigned int loss = 0; loss < RECORD_LOSS_COUNT; loss++) {
		if (!result->lost[loss])
			continue;
		fprintf(file, "%s%s %" PRIu64, before, record_loss_name(loss), result->lost[loss]);
		before = ", ";
	}
	if (record_losses(result))
		putc(')', file);
}

/* Every tick once; those that the kernel has counted and nobody has taken yet, too. */
static void print_account(FILE *file, const struct top_table *table)
{
	const struct record_result *result = &table->result;
	uint64_t lost = record_losses(result), taken = result->stacks + lost;

	fprintf(file, "%" PRIu64 " %s: %" PRIu64 " stacks, %" PRIu64 " lost", result->ticks,
		collected_words(table->type)->events, result->stacks, lost);
	print_counts(file, result);
	fprintf(file, ", %" PRIu64 " to come; unknown %" PRIu64 ", incomplete %" PRIu64,
		result->ticks > taken ? result->ticks - taken : 0, result->unknown,
		record_walked(result) - result->stop[STACKPROOF_STOP_COMPLETE]);
	if (result->why_no_larger[0])
		fprintf(file, "; no larger session: %s", result->why_no_larger);
}

static void print_window(FILE *file, const struct top_table *table, const struct top_view *view)
{
	static const char *const grouping[] = { "by process", "by PID", "by function" };

	fprintf(file, "last %.0f s: %" PRIu64 " %s", table->window_seconds, table->ticks,
		collected_words(table->type)->events);
	if (view->callers)
		fputs(", callers", file);
	else
		fprintf(file, ", %s, by %s", grouping[view->grouping],
			view->by_total ? "total" : "self");
	if (table->damaged)
		fputs("; no memory for all of it", file);
	if (view->paused)
		fputs("; paused", file);
	if (view->filter[0] || view->typing)
		fprintf(file, "; filter: %s%s", view->filter, view->typing ? "_" : "");
}

static void put_heading(struct screen *screen)
{
	const struct top_table *table = screen->table;
	unsigned int seconds = (unsigned int)table->elapsed_seconds;
	char *text = NULL, *rest = NULL, *line;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	if (screen->size.rows >= ROOMY)
		fprintf(file, "stackproof profile: %s; %s; %u:%02u; load %.2f %.2f %.2f\n",
			table->event, table->subject, seconds / 60, seconds % 60, table->load[0],
			table->load[1], table->load[2]);
	print_account(file, table);
	putc('\n', file);
	print_window(file, table, screen->view);
	if (!fclose(file))
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			put_wrapped(screen, line);
	free(text);
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put_share(struct screen *screen, uint64_t value)
{
	uint64_t whole = screen->table->flame.value;
	char text[32];

	snprintf(text, sizeof(text), "%6.2f%% ", whole ? 100.0 * value / whole : 0);
	put(screen, SHARE, text);
}

/* "FUNCTION\tIMAGE" */
static void put_function(struct screen *screen, const struct flame *flame, uint32_t name)
{
	const char *text = name ? flame_text(flame, name) : "narrow callers";

	put_part(screen, screen->left, text, text + strcspn(text, "\t"));
}

static const char *image_of(const char *text)
{
	text += strcspn(text, "\t");
	return *text ? text + 1 : text;
}

struct columns {
	unsigned int process, image;
};

static struct columns choose_columns(const struct screen *screen)
{
	unsigned int columns = screen->size.columns;
	struct columns ret = { .process = columns < NARROW ? 0
					  : columns < WIDE ? 14
							   : columns / 5,
			       .image = columns < MIDDLE ? 0
					: columns < WIDE ? 14
							 : columns / 6 };

	if (screen->view->grouping == TOP_BY_FUNCTION)
		ret.process = 0;
	return ret;
}

static void put_process(struct screen *screen, unsigned int columns, uint32_t number)
{
	const struct flame *flame = &screen->table->flame;
	const struct flame_group *group = &flame->group[number];
	char text[512] = "";

	if (number)
		snprintf(text, sizeof(text), "%s%s", flame_text(flame, group->name),
			 group->set ? strchrnul(flame_text(flame, group->set), ' ') : "");
	put(screen, columns, text);
}

static void put_row(struct screen *screen, const struct columns *columns,
		    const struct flame_row *row)
{
	const struct flame *flame = &screen->table->flame;

	put_share(screen, row->self);
	put_share(screen, row->total);
	if (columns->process) {
		put_process(screen, columns->process, row->group);
		put(screen, 1, "");
	}
	if (columns->image) {
		put(screen, columns->image, image_of(flame_text(flame, row->name)));
		put(screen, 1, "");
	}
	put_function(screen, flame, row->name);
}

static void put_titles(struct screen *screen, const struct columns *columns)
{
	char text[256];

	if (!begin_line(screen, true))
		return;
	if (screen->view->callers) {
		put(screen, screen->left, "  SHARE FUNCTION, BELOW IT ITS CALLERS");
		return;
	}
	snprintf(text, sizeof(text), "   SELF   TOTAL %-*s%-*sFUNCTION",
		 columns->process ? (int)columns->process + 1 : 0,
		 columns->process ? "PROCESS" : "", columns->image ? (int)columns->image + 1 : 0,
		 columns->image ? "IMAGE" : "");
	put(screen, screen->left, text);
}

static void put_caller(struct screen *screen, const struct flame_node *node)
{
	const struct flame *flame = &screen->table->callers;
	unsigned int deep = 2 * (node->depth - 1), most = screen->size.columns / 2;

	put_share(screen, node->value);
	put(screen, deep < most ? deep : most, "");
	put_function(screen, flame, node->depth == 1 ? flame->group[node->name].name : node->name);
}

/* A page of rows at a time: the one with the chosen row. */
static void put_rows(struct screen *screen, const struct columns *columns, unsigned int page)
{
	const struct top_table *table = screen->table;
	bool callers = screen->view->callers;
	size_t count = callers ? table->nodes.nodes : table->rows;
	size_t chosen = callers ? screen->view->caller : screen->view->row;

	for (size_t i = page ? chosen - chosen % page : 0; i < count && page; i++, page--) {
		if (!begin_line(screen, i == chosen))
			return;
		if (callers)
			put_caller(screen, &table->nodes.node[i]);
		else
			put_row(screen, columns, &table->row[i]);
	}
}

void top_draw(const struct top_table *table, const struct top_view *view, struct top_size size,
	      FILE *file)
{
	struct screen screen = { .table = table, .view = view, .size = size, .file = file };
	struct columns columns = choose_columns(&screen);
	bool help = size.rows >= ROOMY;

	fputs("\033[H", file);
	put_heading(&screen);
	put_titles(&screen, &columns);
	if (size.rows > screen.row + help)
		put_rows(&screen, &columns, size.rows - screen.row - help);
	while (screen.row + help < size.rows)
		begin_line(&screen, false);
	if (begin_line(&screen, false))
		put(&screen, screen.left, HELP);
	fputs("\033[m", file);
}
