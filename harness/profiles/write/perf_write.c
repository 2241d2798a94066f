/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_write.c - a collected profile as the text of `perf script` (perf 6, tools/perf/builtin-script.c)
 *
 *	bash  32200/32201    553.342217:     250000 cpu-clock:
 *		           e45c work (inlined)
 *		           e45c main (/usr/bin/bash)
 *		ffffffff810001a7 do_syscall_64 ([kernel.kallsyms])
 *
 * perf writes each event by itself, and some of what reads it counts heads and not periods. So a sample of 12 events
 * is written 12 times, and the periods add up to its amount. When each was is not known any more: a thread's samples
 * stand one behind the other, each its own amount later, which is what viewers of time take for its length. So it is when
 * the thread was called otherwise meanwhile, or ran another program: there are readers that end where time goes back.
 *
 * A frame's address is the offset in its file, as perf has it; of what has no file, and of the kernel, as it is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "bytes_out.h"
#include "write.h"

/* ---- frames ---------------------------------------------------------------------------------- */

/* Readers look for the last brackets in pairs. */
static bool has_pairs(const char *text)
{
	int depth = 0;

	for (; *text && depth >= 0; text++)
		depth += (*text == '(') - (*text == ')');
	return !depth;
}

static void put_image(const struct collected *collected, const struct collected_mapping *mapping,
		      struct bytes_out *out)
{
	const char *path = mapping ? collected_get(collected, mapping->path) : "";

	if (!*path)
		path = mapping && mapping->image == COLLECTED_ANONYMOUS ? "//anon"
									: PROFILE_TEXT_UNKNOWN;
	bytes_text(out, " (");
	bytes_in_line(out, path, has_pairs(path) ? "" : "()", '_');
	bytes_text(out, ")\n");
}

static void spell_location(const struct collected *collected,
			   const struct collected_location *location, struct bytes_out *out)
{
	const struct collected_mapping *mapping = location->mapping
							  ? &collected->mapping[location->mapping]
							  : NULL;
	uint64_t address = location->address;
	uint32_t line = 0;

	collected_offset(collected, location, &address);
	do {
		uint32_t name = collected_name(collected, location, line);

		bytes_format(out, "\t%16" PRIx64 " ", address);
		bytes_in_line(out, name ? collected_get(collected, name) : PROFILE_TEXT_UNKNOWN, "",
			      '\0');
		if (line + 1 < location->lines)
			bytes_text(out, " (inlined)\n");
		else
			put_image(collected, mapping, out);
	} while (++line < location->lines);
}

/* All locations, one behind the other: a million samples have the same few. begin[i + 1] is the end of number i. */
struct spelled {
	struct bytes_out text;
	size_t *begin;
};

static int spell_locations(const struct collected *collected, struct spelled *ret,
			   struct error *error)
{
	*ret = (struct spelled) { .begin = calloc(collected->locations + 2ul,
						  sizeof(*ret->begin)) };
	for (uint32_t i = 1; i <= collected->locations && ret->begin; i++) {
		ret->begin[i] = ret->text.size;
		spell_location(collected, &collected->location[i], &ret->text);
		ret->begin[i + 1] = ret->text.size;
	}
	if (ret->begin && !ret->text.failed)
		return 0;
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the text of perf");
}

/* ---- samples --------------------------------------------------------------------------------- */

struct clock {
	uint64_t now_ns; /* of the thread whose samples are written */
	struct collected_thread thread;
};

static void put_head(const struct collected *collected, uint32_t number, uint64_t now_ns,
		     uint64_t period, struct bytes_out *out)
{
	const struct collected_thread thread = collected_thread(collected, number);
	const struct collected_task none = { .pid = -1 },
				    *task = number ? &collected->task[number] : &none;
	const uint64_t ns_per_us = 1000, us = now_ns / ns_per_us, us_per_s = 1000000;
	uint32_t comm = task->thread ? task->thread : task->comm;
	/* Tools know no negative numbers. Of the unknown task the name says it. */
	int32_t pid = thread.pid < 0 ? 0 : thread.pid, tid = thread.tid < 0 ? pid : thread.tid;

	if (comm)
		bytes_in_line(out, collected_get(collected, comm), "", '\0');
	else if (task->pid < 0)
		bytes_text(out, PROFILE_TEXT_UNKNOWN);
	else
		bytes_format(out, ":%d", tid);
	bytes_format(out, " %d/%d %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " %s:\n", pid, tid,
		     us / us_per_s, us % us_per_s, period, collected_words(collected->type)->event);
}

/* As many heads as there were events, each with all frames. */
static void put_sample(const struct collected *collected, const struct collected_sample *sample,
		       const struct spelled *spelled, struct clock *clock, struct bytes_out *out)
{
	const struct collected_stack *stack = &collected->stack[sample->stack];
	const struct collected_thread thread = collected_thread(collected, sample->task);

	if (clock->thread.pid != thread.pid || clock->thread.tid != thread.tid)
		*clock = (struct clock) { collected->start_ns, thread };
	for (uint64_t event = 0; event < sample->count && bytes_written(out); event++) {
		/* The amount is shared out without a rest. Events that have none weigh 1, as a tracepoint's in perf. */
		uint64_t period = collected->amount
					  ? sample->amount / sample->count +
						    (event < sample->amount % sample->count)
					  : 1;

		clock->now_ns += period;
		put_head(collected, sample->task, clock->now_ns, period, out);
		for (uint32_t i = 0; i < stack->locations; i++) {
			uint32_t location = collected->stack_location[stack->first + i];

			bytes_add(out, spelled->text.data + spelled->begin[location],
				  spelled->begin[location + 1] - spelled->begin[location]);
		}
		bytes_text(out, "\n");
	}
}

int perf_write(const struct collected *collected, struct bytes_out *out, struct error *error)
{
	struct clock clock = { collected->start_ns, { -1, -1 } };
	struct spelled spelled;
	uint32_t *order;
	int status;

	if (collected->count > PERF_EVENTS_MAX)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "%" PRIu64 " events are too many for the text of perf, which has "
				 "each by itself (%d)",
				 collected->count, PERF_EVENTS_MAX);
	order = collected_by_thread(collected, error);
	if (!order)
		return -1;
	status = spell_locations(collected, &spelled, error);
	for (uint32_t i = 0; i < collected->samples && !status && bytes_written(out); i++)
		put_sample(collected, &collected->sample[order[i]], &spelled, &clock, out);
	free(spelled.text.data);
	free(spelled.begin);
	free(order);
	return status;
}
