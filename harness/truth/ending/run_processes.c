/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_processes.c - of a run of several processes: who was met, and why not all were judged
 *
 * All that were met are accounted for: judged, stepped without a point, or left out for a reason that the tracer names.
 */
#include <inttypes.h>
#include <jansson.h>
#include "base/cli/json_counts.h"
#include "base/gate/gate.h"
#include "ending.h"

void run_processes_gate(const struct run_processes *processes, struct gate *gate)
{
	static const enum gate_reason reasons[PROCESS_LEFT_COUNT] = {
		[PROCESS_REFUSED] = GATE_PROCESSES, [PROCESS_TOO_MANY] = GATE_PROCESSES,
		[PROCESS_BRIEF] = GATE_PROCESSES,   [PROCESS_IDLE] = GATE_IDLE,
		[PROCESS_UNTRACED] = GATE_HIDDEN,
	};
	const struct tracer_processes *sums = &processes->tracer;

	for (enum process_left i = 0; i < PROCESS_LEFT_COUNT; i++)
		if (i != PROCESS_NOT_NAMED)
			gate_leave(gate, reasons[i], sums->left[i]);
	gate_leave(gate, GATE_IDLE, processes->without_points);
	gate_leave(gate, GATE_TRACERS, sums->called_ptrace);
}

static void print_json(FILE *file, const struct run_processes *processes, const struct gate *gate)
{
	const struct tracer_processes *sums = &processes->tracer;
	json_t *left = json_object(), *object;

	for (enum process_left i = 0; i < PROCESS_LEFT_COUNT; i++)
		if (sums->left[i])
			JSON_SET(left, process_left_name(i), sums->left[i]);
	if (processes->without_points)
		JSON_SET(left, "without_points", processes->without_points);
	object = JSON_NEW("type", "processes", "met", sums->met, "judged", processes->judged,
			  "not_judged", left, "outlived", sums->outlived, "called_ptrace",
			  sums->called_ptrace);
	if (gate)
		gate_json(gate, object);
	json_line(file, object);
}

static void print_text(FILE *file, const struct run_processes *processes)
{
	static const char *const texts[PROCESS_LEFT_COUNT] = {
		[PROCESS_NOT_NAMED] = "are not named by --only",
		[PROCESS_REFUSED] = "can't be stepped",
		[PROCESS_TOO_MANY] = "were too many",
		[PROCESS_BRIEF] = "ended before their turn",
		[PROCESS_IDLE] = "were never found running",
		[PROCESS_UNTRACED] = "are hidden from tracers (CLONE_UNTRACED)",
	};
	const struct tracer_processes *sums = &processes->tracer;

	fprintf(file, "processes met: %" PRIu64 ", judged: %" PRIu64, sums->met, processes->judged);
	for (enum process_left i = 0; i < PROCESS_LEFT_COUNT; i++)
		if (sums->left[i])
			fprintf(file, "; %" PRIu64 " %s", sums->left[i], texts[i]);
	if (processes->without_points)
		fprintf(file, "; %" PRIu64 " had no point", processes->without_points);
	if (sums->outlived)
		fprintf(file, "; %" PRIu64 " outlived the program", sums->outlived);
	if (sums->called_ptrace)
		fprintf(file, "; %" PRIu64 " called ptrace and found another tracer",
			sums->called_ptrace);
	fputc('\n', file);
}

void run_processes_print(FILE *file, const struct run_processes *processes, const struct gate *gate,
			 bool json)
{
	if (processes->tracer.met && json)
		print_json(file, processes, gate);
	else if (processes->tracer.met)
		print_text(file, processes);
}
