/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch_result.c - what the plugin `watch` has said: read, judged, printed
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "freed.h"
#include "plain_text.h"
#include "watch_result.h"

static int syntax(const char *path, uint64_t line, const char *what, struct error *error)
{
	error_set(error, ERROR_TEXT_SYNTAX, "", line, "%s: %s", path, what);
	return -1;
}

/* By number: processes are reported when they end. */
static int add_process(json_t *processes, json_t *object)
{
	size_t at = json_array_size(processes);

	while (at && json_number(json_array_get(processes, at - 1), "process") >
			     json_number(object, "process"))
		at--;
	return json_array_insert(processes, at, object);
}

int watch_result_read(const char *path, struct watch_result *ret, struct error *error)
{
	FILE_CLOSED FILE *file = fopen(path, "re");
	FREED char *line = NULL;
	size_t room = 0, number = 0;
	ssize_t size;

	*ret = (struct watch_result) { .process = json_array() };
	if (!file)
		return error_set_errno(error, "%s", path);
	while ((size = getline(&line, &room, file)) > 0) {
		json_t *object = json_loadb(line, (size_t)size, 0, NULL);
		const char *type = json_text(object, "type");
		int status = 0;

		number++;
		if (!object)
			return syntax(path, number, "a line is no JSON", error);
		if (!strcmp(type, "watch_process")) {
			status = add_process(ret->process, object);
		} else if (!strcmp(type, "watch_summary")) {
			json_decref(ret->summary);
			ret->summary = json_incref(object);
		}
		json_decref(object);
		if (status)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for a result");
	}
	return 0;
}

void watch_result_deinit(struct watch_result *result)
{
	json_decref(result->process);
	json_decref(result->summary);
	json_decref(result->saved);
	*result = (struct watch_result) { 0 };
}

void watch_result_gate(const struct watch_result *result, struct gate *ret)
{
	const json_t *summary = result->summary, *process;
	size_t i;

	ret->unit = "points";
	json_array_foreach(result->process, i, process)
	{
		gate_check(ret, json_number(process, "proven"));
		gate_leave(ret, GATE_UNPROVEN, json_number(process, "unproven"));
	}
	/* Without truth files no point is counted. */
	if (!ret->checked && !ret->left[GATE_UNPROVEN])
		gate_check(ret, json_number(summary, "rows_checked"));
	gate_leave(ret, GATE_HIDDEN,
		   json_number(summary, "strangers") + json_number(summary, "unread_tasks"));
	ret->environment |= !summary || *json_text(summary, "wrong") ||
			    *json_text(summary, "error") || json_number(summary, "lost_events") ||
			    json_number(summary, "unread_rings") ||
			    json_number(summary, "agents_lost") ||
			    json_number(summary, "unwritten");
}

static void print_trouble(FILE *file, const json_t *summary)
{
	if (!summary) {
		fprintf(file,
			"the emulator did not come to its end: what is missing is not known\n");
		return;
	}
	if (*json_text(summary, "wrong"))
		fprintf(file, "the guest told what can't be used: %s\n",
			PLAIN_TEXT(json_text(summary, "wrong")));
	if (*json_text(summary, "error"))
		fprintf(file, "nothing was watched any more: %s\n",
			PLAIN_TEXT(json_text(summary, "error")));
	if (json_number(summary, "lost_events") || json_number(summary, "unread_rings"))
		fprintf(file,
			"%" PRIu64
			" events of the kernel's were lost: processes may be missing, or not be "
			"whole\n",
			json_number(summary, "lost_events") + json_number(summary, "unread_rings"));
	if (json_number(summary, "strangers"))
		fprintf(file, "%" PRIu64 " threads began unseen\n",
			json_number(summary, "strangers"));
	if (json_number(summary, "impostors"))
		fprintf(file, "%" PRIu64 " times somebody told who is not the agent: not heard\n",
			json_number(summary, "impostors"));
	if (json_number(summary, "agents_lost"))
		fprintf(file,
			"%" PRIu64 " agents ended without a word, and nothing was watched then\n",
			json_number(summary, "agents_lost"));
	if (json_number(summary, "unwritten"))
		fprintf(file, "%" PRIu64 " truth files could not be written: %s\n",
			json_number(summary, "unwritten"),
			PLAIN_TEXT(json_text(summary, "unwritten_error")));
	if (json_number(summary, "missing_files"))
		fprintf(file,
			"%" PRIu64 " files of the guest's are not here: addresses in them are the "
			"processes'\n",
			json_number(summary, "missing_files"));
}

/* Code that is in no mapping of which the kernel has told is somebody's, and nobody knows whose. */
static void print_untold(FILE *file, const json_t *processes)
{
	const json_t *process;
	uint64_t untold = 0;
	size_t i;

	json_array_foreach(processes, i, process) untold += json_number(process, "untold");
	if (untold)
		fprintf(file,
			"%" PRIu64
			" instructions ran in code that nobody has told of: none of them is "
			"judged\n",
			untold);
}

void watch_result_print(FILE *file, const struct watch_result *result)
{
	const json_t *process;
	size_t i;

	if (json_array_size(result->process))
		fprintf(file, "%7s %8s %12s %10s %13s  %s\n", "process", "threads", "points",
			"unproven", "contradictions", "program, truth file");
	json_array_foreach(result->process, i, process)
	{
		const char *program = json_text(process, "program");
		uint64_t unproven = json_number(process, "unproven");

		fprintf(file,
			"%7" PRIu64 " %8" PRIu64 " %12" PRIu64 " %10" PRIu64 " %14" PRIu64 "  %s",
			json_number(process, "process"), json_number(process, "threads"),
			json_number(process, "proven") + unproven, unproven,
			json_number(process, "contradictions"), PLAIN_TEXT(program));
		if (*json_text(process, "truth"))
			fprintf(file, " %s", PLAIN_TEXT(json_text(process, "truth")));
		fputc('\n', file);
	}
	print_untold(file, result->process);
	if (json_is_true(json_object_get(result->summary, "rows")))
		fprintf(file,
			"%" PRIu64 " facts about rows, of %" PRIu64 " instructions; %" PRIu64
			" of these are in no file\n",
			json_number(result->summary, "row_facts"),
			json_number(result->summary, "rows_checked"),
			json_number(result->summary, "rows_elsewhere"));
	print_trouble(file, result->summary);
}

void watch_result_print_json(FILE *file, const struct watch_result *result, const struct gate *gate)
{
	json_t *process, *summary = result->summary ? json_deep_copy(result->summary)
						    : JSON_NEW("type", "watch_summary");
	size_t i;

	json_array_foreach(result->process, i, process) json_line(file, json_incref(process));
	if (result->saved)
		json_object_set(summary, "saved", result->saved);
	gate_json(gate, summary);
	json_line(file, summary);
}
