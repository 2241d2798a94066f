/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_print.c - costs as a line of a table, and as JSON
 */
#include <inttypes.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "costs.h"
#include "lab/bench/bench.h"

#define MIB 1048576.0

static uint64_t kernel_bytes(const struct costs_kernel *kernel)
{
	return kernel->map_bytes + kernel->program_bytes + kernel->buffer_bytes;
}

/* ---- text ----------------------------------------------------------------------------------- */

void costs_print_heading(const struct costs_machine *machine, FILE *file)
{
	fprintf(file,
		"%d processes do the same work (C without frame pointers, C++%s): %.1f s of "
		"processor time,\n%.1f s by the clock of %u CPUs without a profiler. What it takes "
		"more beside one, in pairs,\nand between which bounds that is with 95 %%. sample "
		"and "
		"stack: how many ms after its exec a new\nprocess has its first sample in the "
		"profile, and its first whole stack.\n\n",
		COSTS_PROCESSES, machine->work.kinds == COSTS_KINDS_MAX ? ", Python" : "",
		machine->usual.cpu_s, machine->usual.elapsed_s, machine->cpus);
	fprintf(file, "%-12s %5s %5s  %-20s %6s  %-28s  %-28s %6s %6s %7s  %6s %6s %5s\n",
		"profiler", "Hz", "pairs", "own CPU %", "BPF %", "more CPU time %", "more time %",
		"MiB", "kernel", "MB/min", "sample", "stack", "load");
	fflush(file);
}

static void print_interval(const struct costs_interval *interval, int width, FILE *file)
{
	char text[80];

	if (costs_told_apart(interval))
		snprintf(text, sizeof(text), "%.2f (%.2f to %.2f)", interval->estimate,
			 interval->low, interval->high);
	else
		snprintf(text, sizeof(text), "not told apart, %.2f to %.2f", interval->low,
			 interval->high);
	fprintf(file, "  %-*s", width, text);
}

static void print_first(unsigned int ms, const char *unread, FILE *file)
{
	if (unread[0] || ms == COSTS_FIRST_NONE)
		fprintf(file, " %6s", unread[0] ? "unread" : "none");
	else
		fprintf(file, " %6u", ms);
}

void costs_print_result(const struct costs_result *result, FILE *file)
{
	struct costs_first first = result->first;

	fprintf(file, "%-12s %5u %5u", result->profiler->name, result->rate_hz, result->pairs);
	print_interval(&result->cpu_percent, 20, file);
	if (result->has_bpf)
		fprintf(file, " %6.2f", result->bpf_percent);
	else
		fprintf(file, " %6s", "-");
	print_interval(&result->cpu_slower, 28, file);
	print_interval(&result->elapsed_slower, 28, file);
	fprintf(file, " %6.1f %6.1f %7.2f ", result->resident_bytes / MIB,
		kernel_bytes(&result->kernel) / MIB, result->bytes_per_minute / 1e6);
	print_first(costs_first_median(first.sample_ms), first.unread, file);
	print_first(costs_first_median(first.stack_ms), first.unread, file);
	fprintf(file, " %5.1f\n", result->load);
	if (first.unread[0])
		fprintf(file, "    its profile can't be read: %s\n", first.unread);
	fflush(file);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *interval_json(const struct costs_interval *interval)
{
	return JSON_NEW("estimate", interval->estimate, "low", interval->low, "high",
			interval->high, "told_apart", costs_told_apart(interval));
}

static unsigned int seen(const unsigned int ms[COSTS_PROBES])
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < COSTS_PROBES; i++)
		count += ms[i] != COSTS_FIRST_NONE;
	return count;
}

/* null: none. */
static json_t *first_json(unsigned int ms, const char *unread)
{
	return unread[0] || ms == COSTS_FIRST_NONE ? json_null() : json_integer(ms);
}

void costs_print_json(const struct costs_machine *machine, const struct costs_result *result,
		      FILE *file)
{
	struct costs_first first = result->first;
	json_t *object = JSON_NEW(
		"type", "profiler_cost", "profiler", result->profiler->name, "command",
		result->profiler->command, "rate_hz", result->rate_hz, "pairs", result->pairs,
		"confidence", result->cpu_percent.confidence, "cpus", machine->cpus, "load",
		result->load, "emulated", bench_is_emulated(), "work_processes", COSTS_PROCESSES,
		"work_cpu_seconds", result->work_cpu_s, "work_seconds", result->work_elapsed_s,
		"cpu_percent", interval_json(&result->cpu_percent), "cpu_seconds", result->cpu_s,
		"bpf_percent", result->has_bpf ? json_real(result->bpf_percent) : json_null());

	JSON_SET(object, "work_cpu_more_percent", interval_json(&result->cpu_slower),
		 "work_more_percent", interval_json(&result->elapsed_slower), "resident_bytes",
		 result->resident_bytes, "kernel_bytes", kernel_bytes(&result->kernel),
		 "kernel_map_bytes", result->kernel.map_bytes, "kernel_program_bytes",
		 result->kernel.program_bytes, "kernel_buffer_bytes", result->kernel.buffer_bytes,
		 "bytes_per_minute", result->bytes_per_minute, "first_sample_ms",
		 first_json(costs_first_median(first.sample_ms), first.unread), "first_stack_ms",
		 first_json(costs_first_median(first.stack_ms), first.unread), "probes",
		 COSTS_PROBES, "probes_with_sample", seen(first.sample_ms), "probes_with_stack",
		 seen(first.stack_ms), "samples", first.samples, "unread",
		 first.unread[0] ? first.unread : NULL);
	json_line(file, object);
}
