/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame_html.c - the parts of a page; what the browser draws from
 *
 * What is drawn is JSON in a <script> that is no script (HTML, section 4.12.1: a data block), in which '<' is written as
 * \u003c: it can't end. The page's policy names the one script that runs by its SHA-256. Without it, where
 * scripts are forbidden, there is the table of functions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "flame.h"
#include "plain_text.h"
#include "reports/report/html.h"
#include "flame_parts.h" /* of flame.js and flame.css, by the Makefile */

#define FLAME_ROWS_SHOWN 100 /* without the script */

struct parts {
	const struct flame *flame;
	struct flame_nodes nodes;
	struct flame_row *all, *each; /* functions, over all groups and in each */
	size_t all_count, each_count;
	uint64_t least;
	FILE *file;
};

void flame_page_begin(FILE *file, const char *title)
{
	html_begin_with(file, title, FLAME_CSS, FLAME_SCRIPT_SHA256);
}

/* ---- what the browser draws from ---------------------------------------------------------- */

static void put_json_text(FILE *file, const char *text)
{
	size_t size;

	putc('"', file);
	for (; *text; text += size ? size : 1) {
		size = plain_character(text);
		if (!size)
			fputs("\\ufffd", file);
		else if (*text == '<' || *text == '>' || *text == '&' || *text == '"' ||
			 *text == '\\')
			fprintf(file, "\\u%04x", *text);
		else
			fwrite(text, 1, size, file);
		if (!size) /* one U+FFFD for a whole character */
			size = utf8_character(text);
	}
	putc('"', file);
}

static void put_names(const struct parts *parts)
{
	const struct flame *flame = parts->flame;

	fprintf(parts->file, "\"names\":[[\"narrow frames\",%d]", FLAME_OTHERS);
	for (uint32_t i = 1; i <= flame->names; i++) {
		fputs(",[", parts->file);
		put_json_text(parts->file, flame_text(flame, i));
		fprintf(parts->file, ",%d]", flame->name[i].kind);
	}
	fputs("],\n\"groups\":[[0,0]", parts->file);
	for (uint32_t i = 1; i <= flame->groups; i++)
		fprintf(parts->file, ",[%" PRIu32 ",%" PRIu32 "]", flame->group[i].name,
			flame->group[i].set);
	fputs("],\n", parts->file);
}

static void put_data(const struct parts *parts, const char *unit, const char *one)
{
	const struct flame_nodes *nodes = &parts->nodes;
	const char *comma = "";

	fputs("<script type=\"application/json\" id=\"flame-data\">{\"unit\":", parts->file);
	put_json_text(parts->file, unit);
	fputs(",\"one\":", parts->file);
	put_json_text(parts->file, one);
	fputs(",\n", parts->file);
	put_names(parts);
	fputs("\"nodes\":[", parts->file);
	for (size_t i = 0; i < nodes->nodes; i++)
		fprintf(parts->file, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64, i ? "," : "",
			nodes->node[i].name, nodes->node[i].depth, nodes->node[i].value);
	fputs("],\n\"rows\":[", parts->file);
	for (size_t i = 0; i < parts->each_count; i++) {
		const struct flame_row *row = &parts->each[i];

		if (row->total < parts->least)
			continue;
		fprintf(parts->file, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, comma,
			row->name, row->group, row->self, row->total);
		comma = ",";
	}
	fputs("]}</script>\n<script>" FLAME_SCRIPT "</script>\n", parts->file);
}

/* ---- what people see ---------------------------------------------------------------------- */

static void put_graph(const struct parts *parts, const char *one)
{
	FILE *file = parts->file;

	html_print(
		file,
		"<h2 id=\"graph\">Flame graph</h2>\n"
		"<noscript><p class=\"warn\">It is drawn by a script of this page, which may not "
		"run here.</p></noscript>\n"
		"<div class=\"flame-live\" hidden>\n<div class=\"flame-bar\">"
		"<label>%s <select id=\"flame-group\"></select></label>"
		"<label>search <input id=\"flame-search\" type=\"search\" autocomplete=\"off\" "
		"spellcheck=\"false\"></label>"
		"<button id=\"flame-reset\" type=\"button\">zoom out</button>"
		"<span id=\"flame-found\" role=\"status\"></span></div>\n",
		one);
	fputs("<p class=\"flame-key\"><span class=\"flame-user\">user</span>"
	      "<span class=\"flame-kernel\">kernel: a bar on the left</span>"
	      "<span class=\"flame-inlined\">inlined: dashed</span>"
	      "<span class=\"flame-marker\">[incomplete], [lost], [off]: hatched</span>"
	      "<span class=\"flame-others\">narrow frames as one: dotted</span>"
	      "<span class=\"flame-found\">found: underlined</span></p>\n"
	      "<p id=\"flame-line\"></p>\n"
	      "<div class=\"box\" id=\"flame-box\"><div id=\"flame-tree\" role=\"tree\" "
	      "aria-label=\"flame graph\" aria-describedby=\"flame-help\"></div></div>\n"
	      "<p id=\"flame-help\" class=\"soft\">A click, Enter or Space zooms to a frame, "
	      "Backspace "
	      "goes out by one, Escape wholly. The arrows go to a caller (up), to its widest "
	      "callee "
	      "(down) and to frames beside; / searches, n and N go to what is found.</p>\n</div>\n",
	      file);
	if (parts->nodes.left_out)
		fprintf(file,
			"<p class=\"soft\">%" PRIu64
			" frames that are narrower than 0.02 %% of all are "
			"drawn as one beside their neighbours (dotted), and not searched.</p>\n",
			parts->nodes.left_out);
}

static void put_share(const struct parts *parts, uint64_t value)
{
	uint64_t whole = parts->flame->value;
	char text[32];

	snprintf(text, sizeof(text), "%.2f %%", whole ? 100.0 * value / whole : 0);
	html_cell(parts->file, "n", text);
}

static void put_row(const struct parts *parts, const struct flame_row *row)
{
	static const char *const words[FLAME_KIND_COUNT] = {
		[FLAME_KERNEL] = "kernel",
		[FLAME_INLINED] = "inlined",
		[FLAME_MARKER] = "marker",
	};
	enum flame_kind kind = parts->flame->name[row->name].kind;

	fputs("<tr>", parts->file);
	html_number(parts->file, row->self);
	put_share(parts, row->self);
	html_number(parts->file, row->total);
	put_share(parts, row->total);
	html_cell(parts->file, kind == FLAME_MARKER ? "bad" : "soft",
		  words[kind] ? words[kind] : "");
	html_cell(parts->file, "code", flame_text(parts->flame, row->name));
	fputs("</tr>\n", parts->file);
}

static void put_functions(const struct parts *parts)
{
	static const char *const columns[] = { "#self", "#%",	    "#total", "#%",
					       "kind",	"function", NULL };
	size_t narrow = 0;

	fputs("<h2 id=\"functions\">Functions</h2>\n"
	      "<div class=\"flame-bar flame-live\" hidden><label>filter <input id=\"flame-filter\" "
	      "type=\"search\" autocomplete=\"off\" spellcheck=\"false\"></label>"
	      "<span id=\"flame-listed\" role=\"status\"></span></div>\n<div "
	      "id=\"flame-functions\">",
	      parts->file);
	html_table_begin(parts->file, columns);
	for (size_t i = 0; i < parts->all_count && i < FLAME_ROWS_SHOWN; i++)
		put_row(parts, &parts->all[i]);
	html_table_end(parts->file);
	for (size_t i = 0; i < parts->all_count; i++)
		narrow += parts->all[i].total < parts->least;
	fputs("</div>\n", parts->file);
	if (narrow)
		fprintf(parts->file,
			"<p class=\"soft\">%zu functions that have less than 0.02 %% of all, with "
			"all that they call, are not found by the filter.</p>\n",
			narrow);
}

int flame_graph_print(const struct flame *flame, const char *unit, const char *one, FILE *file,
		      struct error *error)
{
	struct parts parts = { .flame = flame, .file = file, .least = flame_least(flame) };
	int status = flame_nodes(flame, &parts.nodes, error);

	if (!status)
		status = flame_rows(flame, true, &parts.all, &parts.all_count, error);
	if (!status)
		status = flame_rows(flame, false, &parts.each, &parts.each_count, error);
	if (!status) {
		put_graph(&parts, one);
		put_functions(&parts);
		put_data(&parts, unit, one);
	}
	free(parts.nodes.node);
	free(parts.all);
	free(parts.each);
	return status;
}
