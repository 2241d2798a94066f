/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_page.c - a profile as a page: the account in a sentence, whose and when, the flame graph
 *
 * The sentence has every tick once: what it adds up is the account's sum.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include "base/cli/output_file.h"
#include "plain_text.h"
#include "reports/report/html.h"
#include "view.h"

/* ---- the sentence ------------------------------------------------------------------------- */

/* A part of the sum. first: none was put before. */
static void put_part(FILE *file, bool *first, const char *class, const char *what, uint64_t count,
		     uint64_t ticks)
{
	if (!count)
		return;
	fprintf(file, "%s<b class=\"%s\">%" PRIu64 "</b> %s (%.1f %%)", *first ? ": " : ", ", class,
		count, what, ticks ? 100.0 * count / ticks : 0);
	*first = false;
}

static const char *loss_name(unsigned int loss)
{
	return record_loss_name(loss);
}

/* ": no_row 1, no_mapping 20". */
static void put_reasons(FILE *file, const char *(*name)(unsigned int), const uint64_t *count,
			unsigned int counts)
{
	const char *before = ": ";

	for (unsigned int i = 0; i < counts; i++) {
		if (!count[i])
			continue;
		fprintf(file, "%s%s %" PRIu64, before, name(i), count[i]);
		before = ", ";
	}
}

static void put_verdict(const struct record_result *result, const char *events, FILE *file)
{
	uint64_t stops[STACKPROOF_STOP_COUNT], ticks = result->ticks,
					       complete = result->stop[STACKPROOF_STOP_COMPLETE],
					       lost = record_losses(result);
	const struct {
		const char *class, *what;
		uint64_t count;
	} whole[] = {
		{ "good", "with a complete stack", complete },
		{ "", "to the code that a process begins in", result->first_code },
		{ "", "of the kernel's threads", result->kernel_threads },
		{ "", "of processes that were ending", result->ending },
		{ "warn", "of processes not known yet", result->unknown },
	};
	bool first = true;

	memcpy(stops, result->stop, sizeof(stops));
	stops[STACKPROOF_STOP_COMPLETE] = 0;
	fprintf(file, "<p id=\"verdict\"><b>%" PRIu64 "</b> %s", ticks, events);
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		put_part(file, &first, whole[i].class, whole[i].what, whole[i].count, ticks);
	put_part(file, &first, "warn", "incomplete", record_walked(result) - complete, ticks);
	put_reasons(file, stackproof_stop_name, stops, STACKPROOF_STOP_COUNT);
	put_part(file, &first, "bad", "lost", lost, ticks);
	put_reasons(file, loss_name, result->lost, RECORD_LOSS_COUNT);
	fputs(lost ? ".</p>\n" : "; none is lost.</p>\n", file);
}

/* ---- whose and when ----------------------------------------------------------------------- */

static void put_fact(FILE *file, const char *name, const char *text)
{
	html_print(file, "<tr><th scope=\"row\">%s</th><td class=\"code\">%s</td></tr>\n", name,
		   PLAIN_TEXT(text));
}

static void put_program(FILE *file, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	for (; *argv; argv++) {
		plain_word(words, *argv);
		if (argv[1])
			putc(' ', words);
	}
	if (!fclose(words) && text)
		put_fact(file, "command", text);
	free(text);
}

static void put_subject(FILE *file, const struct record_options *options)
{
	char text[32];

	if (options->argv) {
		put_program(file, options->argv);
		return;
	}
	snprintf(text, sizeof(text), options->pid ? "%d" : "all of the machine", options->pid);
	put_fact(file, options->pid ? "process" : "processes", text);
}

static void put_facts(const struct profile_page *page, FILE *file)
{
	const struct collected *collected = page->collected;
	time_t seconds = collected->start_ns / 1000000000;
	struct utsname system;
	struct tm tm;
	char text[512] = "";

	fputs("<div class=\"box\"><table><tbody>\n", file);
	put_subject(file, page->options);
	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		put_fact(file, "began", text);
	snprintf(text, sizeof(text), "%.1f s", collected->duration_ns / 1e9);
	put_fact(file, "for", text);
	record_event_describe(page->options, text, sizeof(text));
	put_fact(file, "event", text);
	if (!uname(&system)) {
		snprintf(text, sizeof(text), "%s %s, %s", system.sysname, system.release,
			 system.machine);
		put_fact(file, "kernel", text);
	}
	if (collected->host)
		put_fact(file, "host", collected_get(collected, collected->host));
	put_fact(file, "stackproof", page->version);
	fputs("</tbody></table></div>\n", file);
}

/* ---- the page ----------------------------------------------------------------------------- */

static int put_page(const struct profile_page *page, const struct flame *flame, FILE *file,
		    struct error *error)
{
	const struct collected_words *words = collected_words(page->collected->type);
	int status;

	flame_page_begin(file, "stackproof profile");
	put_verdict(page->result, words->events, file);
	put_facts(page, file);
	status = flame_graph_print(flame, words->counts ? words->events : words->unit, "process",
				   file, error);
	html_end(file);
	return status;
}

int profile_page_write(const struct profile_page *page, const char *path, struct error *error)
{
	struct flame flame = { 0 };
	struct output_file output;
	struct error closing;
	int status = profile_flame(page->collected, 0, &flame, error);

	if (!status)
		status = output_file_open(path, &output, error);
	if (!status) {
		status = put_page(page, &flame, output.file, error);
		if (status)
			output_file_close(&output, false, &closing);
		else
			status = output_file_close(&output, true, error);
	}
	flame_deinit(&flame);
	return status;
}
