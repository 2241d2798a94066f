/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record_print.c - what was collected, and what was not, as text and as JSON
 */
#include <inttypes.h>
#include <jansson.h>
#include "base/cli/json_counts.h"
#include "record.h"

uint64_t record_losses(const struct record_result *result)
{
	uint64_t sum = 0;

	for (int loss = 0; loss < RECORD_LOSS_COUNT; loss++)
		sum += result->lost[loss];
	return sum;
}

/* Of those that have a user stack to be found. */
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

void record_print(FILE *file, const struct record_result *result)
{
	uint64_t user = result->stacks - result->kernel_threads, stops[STACKPROOF_STOP_COUNT];

	fprintf(file, "%" PRIu64 " ticks: %" PRIu64 " stacks, %" PRIu64 " lost\n", result->ticks,
		result->stacks, record_losses(result));
	fprintf(file,
		"stacks: %" PRIu64 " of processes, %.1f %% complete; %" PRIu64
		" in the kernel, %" PRIu64 " of its own threads; %" PRIu64
		" of processes not known yet\n",
		user, percent(result->complete, user), result->in_kernel, result->kernel_threads,
		result->unknown);
	for (int stop = 0; stop < STACKPROOF_STOP_COUNT; stop++)
		stops[stop] = stop == STACKPROOF_STOP_COMPLETE ? 0 : result->stop[stop];
	stops[STACKPROOF_STOP_NO_MAPPING] -= result->unknown;
	print_counts(file, "incomplete: ", stackproof_stop_name, stops, STACKPROOF_STOP_COUNT);
	print_counts(file, "lost: ", loss_name, result->lost, RECORD_LOSS_COUNT);
	if (!result->real_time)
		fputs("without a real-time priority: short processes may be unknown\n", file);
	if (result->sessions > 1)
		fprintf(file, "%u sessions, each with twice the room of the one before\n",
			result->sessions);
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
		{ "complete", result->complete },
		{ "in_kernel", result->in_kernel },
		{ "kernel_threads", result->kernel_threads },
		{ "unknown", result->unknown },
		{ "idle", result->idle },
		{ "processes_most", result->processes_most },
		{ "refused", result->refused },
		{ "drains", result->drains },
		{ "sessions", result->sessions },
		{ "first_ns", result->first_ns },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(object, numbers[i].name, json_integer(numbers[i].count));
	json_object_set_new(object, "lost", counts(loss_name, result->lost, RECORD_LOSS_COUNT));
	json_object_set_new(object, "stops",
			    counts(stackproof_stop_name, result->stop, STACKPROOF_STOP_COUNT));
	json_object_set_new(object, "method", json_string(result->method ? result->method : ""));
	json_object_set_new(object, "real_time", json_boolean(result->real_time));
	return object;
}
