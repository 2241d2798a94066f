/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_print.c - what was collected, and what was not, as text and as JSON
 */
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "record.h"

uint64_t record_losses(const struct record_result *result)
{
	uint64_t sum = 0;

	for (int loss = 0; loss < RECORD_LOSS_COUNT; loss++)
		sum += result->lost[loss];
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_counts(FILE *file, const char *what, const char *(*name)(unsigned int),
			 const uint64_t *count, int counts)
{
	bool any = false;

	for (int i = 0; i < counts; i++) {
		if (!count[i])
			continue;
		fprintf(file, "%s%s %" PRIu64, any ? ", " : what, name(i), count[i]);
		any = true;
	}
	if (any)
		fputc('\n', file);
}

static const char *loss_name(unsigned int loss)
{
	return record_loss_name(loss);
}

uint64_t record_walked(const struct record_result *result)
{
	uint64_t sum = 0;

	for (int stop = 0; stop < STACKPROOF_STOP_COUNT; stop++)
		sum += result->stop[stop];
	return sum;
}

static const char *signal_name(const struct record_result *result)
{
	const char *name = sigabbrev_np(WTERMSIG(result->status));

	return name ? name : "RT"; /* real-time ones have no names */
}

/* What went on beside the ticks. */
static void print_changes(FILE *file, const struct record_result *result)
{
	if (result->clocks_renewed)
		fprintf(file,
			"executed with other rights: %" PRIu64
			" processes, each without a clock for %.6f s\n",
			result->clocks_renewed,
			result->clocks_gap_ns / 1e9 / result->clocks_renewed);
	if (result->clocks_ended)
		fprintf(file,
			"executed with other rights: %" PRIu64
			" processes, which ended before they had a clock again\n",
			result->clocks_ended);
	if (result->clocks_lost)
		fprintf(file, "not sampled: %" PRIu64 " processes that lost their clocks: %s\n",
			result->clocks_lost, PLAIN_TEXT(result->why_clock_lost));
	if (result->moves)
		fprintf(file, "code was moved: %" PRIu64 " times\n", result->moves);
	if (result->unnamed)
		fprintf(file,
			"without names: %" PRIu64
			" places in files that were written to since they were read\n",
			result->unnamed);
	if (result->names_refused)
		fprintf(file, "refused: names of generated code, %" PRIu64 " times: %s\n",
			result->names_refused, PLAIN_TEXT(result->why_names_refused));
	if (result->why_unseen[0])
		fprintf(file, "not seen: %s\n", PLAIN_TEXT(result->why_unseen));
}

void record_print(FILE *file, const struct record_result *result, const char *events)
{
	uint64_t complete = result->stop[STACKPROOF_STOP_COMPLETE], stops[STACKPROOF_STOP_COUNT];
	uint64_t walked = record_walked(result) + result->first_code;

	fprintf(file, "%" PRIu64 " %s: %" PRIu64 " stacks, %" PRIu64 " lost\n", result->ticks,
		events, result->stacks, record_losses(result));
	fprintf(file,
		"walked: %" PRIu64
		", %.1f %% complete, %.1f %% to the code that a process begins in\n"
		"not walked: %" PRIu64 " of processes not known yet, %" PRIu64
		" of ending ones, %" PRIu64 " of the kernel's threads\n"
		"in the kernel: %" PRIu64 "\n",
		walked, percent(complete, walked), percent(result->first_code, walked),
		result->unknown, result->ending, result->kernel_threads, result->in_kernel);
	if (result->off_ns)
		fprintf(file,
			"off their CPUs: %.6f s, preempted %" PRIu64 " times; %" PRIu64
			" threads not back at the end, %.6f s\n",
			result->off_ns / 1e9, result->preempted, result->still_off,
			result->still_off_ns / 1e9);
	memcpy(stops, result->stop, sizeof(stops));
	stops[STACKPROOF_STOP_COMPLETE] = 0;
	print_counts(file, "incomplete: ", stackproof_stop_name, stops, STACKPROOF_STOP_COUNT);
	print_counts(file, "lost: ", loss_name, result->lost, RECORD_LOSS_COUNT);
	if (result->unreadable)
		fprintf(file, "not readable: %" PRIu64 " lists of mappings\n", result->unreadable);
	print_changes(file, result);
	if (!result->real_time)
		fputs("without a real-time priority: short processes may be unknown\n", file);
	if (result->why_no_larger[0])
		fprintf(file, "no larger session: %s\n", PLAIN_TEXT(result->why_no_larger));
	if (result->command_not_started)
		fputs("the command was not started: a signal came first\n", file);
	else if (result->command_ended && WIFSIGNALED(result->status))
		fprintf(file, "the command was ended by SIG%s\n", signal_name(result));
	else if (result->command_ended && WEXITSTATUS(result->status))
		fprintf(file, "the command ended with status %d\n", WEXITSTATUS(result->status));
	if (result->sessions > 1)
		fprintf(file, "%u sessions, each with twice the room of the one before: %s\n",
			result->sessions, PLAIN_TEXT(result->why_larger));
}

static json_t *counts(const char *(*name)(unsigned int), const uint64_t *count, int counts)
{
	json_t *object = json_object();

	for (int i = 0; i < counts; i++)
		if (count[i])
			json_object_set_new(object, name(i), json_integer(count[i]));
	return object;
}

json_t *record_json(const struct record_result *result)
{
	json_t *object = json_pack("{s:s}", "type", "profile");
	const struct {
		const char *name;
		uint64_t count;
	} numbers[] = {
		{ "ticks", result->ticks },
		{ "stacks", result->stacks },
		{ "walked", record_walked(result) + result->first_code },
		{ "complete", result->stop[STACKPROOF_STOP_COMPLETE] },
		{ "first_code", result->first_code },
		{ "ending", result->ending },
		{ "in_kernel", result->in_kernel },
		{ "kernel_threads", result->kernel_threads },
		{ "unknown", result->unknown },
		{ "idle", result->idle },
		{ "processes_most", result->processes_most },
		{ "refused", result->refused },
		{ "unreadable", result->unreadable },
		{ "clocks_renewed", result->clocks_renewed },
		{ "clocks_gap_ns", result->clocks_gap_ns },
		{ "clocks_ended", result->clocks_ended },
		{ "clocks_lost", result->clocks_lost },
		{ "moves", result->moves },
		{ "unnamed", result->unnamed },
		{ "names_refused", result->names_refused },
		{ "drains", result->drains },
		{ "sessions", result->sessions },
		{ "first_ns", result->first_ns },
		{ "preempted", result->preempted },
		{ "off_ns", result->off_ns },
		{ "still_off", result->still_off },
		{ "still_off_ns", result->still_off_ns },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(object, numbers[i].name, json_integer(numbers[i].count));
	json_object_set_new(object, "lost", counts(loss_name, result->lost, RECORD_LOSS_COUNT));
	json_object_set_new(object, "stops",
			    counts(stackproof_stop_name, result->stop, STACKPROOF_STOP_COUNT));
	if (result->command_ended && WIFSIGNALED(result->status))
		json_object_set_new(object, "command_signal", json_string(signal_name(result)));
	else if (result->command_ended)
		json_object_set_new(object, "command_status",
				    json_integer(WEXITSTATUS(result->status)));
	if (result->why_no_larger[0])
		json_object_set_new(object, "why_no_larger", json_bytes(result->why_no_larger));
	if (result->why_larger[0])
		json_object_set_new(object, "why_larger", json_bytes(result->why_larger));
	if (result->why_clock_lost[0])
		json_object_set_new(object, "why_clock_lost", json_bytes(result->why_clock_lost));
	if (result->names_refused)
		json_object_set_new(object, "why_names_refused",
				    json_bytes(result->why_names_refused));
	if (result->why_unseen[0])
		json_object_set_new(object, "why_unseen", json_bytes(result->why_unseen));
	json_object_set_new(object, "method", json_string(result->method ? result->method : ""));
	json_object_set_new(object, "real_time", json_boolean(result->real_time));
	return object;
}
