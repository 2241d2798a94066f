/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_children_print.c - the processes of a profile: a line each, and JSON
 */
#include <inttypes.h>
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "score_children.h"

#define NAMES_BYTES 200

/* "4711 (sort)" */
static void process_text(const struct score_children *children, const struct score_process *process,
			 char *text, size_t size)
{
	char names[NAMES_BYTES];

	score_process_names(children, process, names, sizeof(names));
	if (process->pid < 0)
		snprintf(text, size, "(%s)", names);
	else
		snprintf(text, size, "%d (%s)", process->pid, names);
}

static void print_line(FILE *file, const struct score_children *children,
		       const struct score_process *process)
{
	char text[NAMES_BYTES + 32];

	process_text(children, process, text, sizeof(text));
	fprintf(file, "%10" PRIu64, process->samples);
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		if (process->score)
			fprintf(file, " %10" PRIu64, process->score->all.class[i]);
		else
			fprintf(file, " %10s", i == SCORE_SKIPPED ? "all" : "");
	fprintf(file, "  %s: ", PLAIN_TEXT(text));
	if (process->score)
		fprintf(file, "%s", PLAIN_TEXT(process->score->truth->program));
	else
		fputs("nobody's: no truth is of such a process", file);
	if (process->candidates > 1)
		fprintf(file, ", the best of %zu truths", process->candidates);
	fputc('\n', file);
}

static void print_text(FILE *file, struct score_children *children, const struct score_shown *shown)
{
	fprintf(file, "%s: %s, %zu processes, %" PRIu64 " samples\n", PLAIN_TEXT(shown->profile),
		profile_format_name(children->profile.format), children->processes,
		children->profile.weight);
	fprintf(file, "%10s %10s %10s %10s %10s %10s  of which process, and whose truth\n",
		"samples", "exact", "truncated", "impossible", "unproven", "else");
	for (size_t i = 0; i < children->processes; i++)
		print_line(file, children, &children->process[i]);
	for (size_t i = 0; i < children->processes; i++) {
		struct score *score = children->process[i].score;
		struct score_shown one = *shown;
		char text[NAMES_BYTES + 32];

		if (!score || !(score->findings || score->called.contradict))
			continue;
		process_text(children, &children->process[i], text, sizeof(text));
		one.profile = text;
		score_print_text(file, score, &one);
	}
}

static json_t *names_json(const struct score_children *children,
			  const struct score_process *process)
{
	json_t *array = json_array();

	for (size_t i = 0; i < process->comms; i++)
		if (process->comm[i].text)
			json_array_append_new(array, JSON_NEW("name",
							      profile_text(&children->profile,
									   process->comm[i].text),
							      "count", process->comm[i].count));
	return array;
}

static void print_json(FILE *file, struct score_children *children, const struct score_shown *shown)
{
	uint64_t judged = 0;

	for (size_t i = 0; i < children->processes; i++) {
		struct score_process *process = &children->process[i];
		struct score_shown one = *shown;
		json_t *object =
			JSON_NEW("type", "score_process", "profile", shown->profile, "pid",
				 process->pid < 0 ? json_null() : json_integer(process->pid),
				 "names", names_json(children, process), "samples",
				 process->samples, "candidates", (uint64_t)process->candidates,
				 "program", process->score ? process->score->truth->program : NULL);

		json_line(file, object);
		judged += process->score != NULL;
		if (!process->score)
			continue;
		one.truth = process->score->truth->program;
		score_print_json(file, process->score, &one);
	}
	json_line(file, JSON_NEW("type", "score_processes", "profile", shown->profile, "processes",
				 (uint64_t)children->processes, "judged", judged, "nobody",
				 (uint64_t)children->processes - judged, "nobody_samples",
				 score_children_nobody(children)));
}

void score_children_print(FILE *file, struct score_children *children,
			  const struct score_shown *shown, bool json)
{
	(json ? print_json : print_text)(file, children, shown);
}
