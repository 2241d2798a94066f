/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pprof_write.c - a collected profile as pprof: profile.proto of github.com/google/pprof
 *
 * Numbers of functions are their ids, and those of texts their places in the string table, behind whose texts come the
 * words of the format. Locations are numbered by their addresses, and samples stand by their stacks, for gzip's sake:
 * it has a third less to write. Mappings are numbered in the order in which they stand, as there are servers that take
 * no others (Parca): the program's is the first. Each sample has two values, events and nanoseconds or bytes; the
 * second is what tools show first, if there is any. Whose sample it is, and why its stack is not complete, are labels.
 */
#include <stdlib.h>
#include "freed.h"
#include "profiles/profile/pprof_fields.h"
#include "wire_write.h"
#include "write.h"

/* Words behind the profile's texts. */
enum word {
	WORD_COUNT_TYPE,
	WORD_COUNT_UNIT,
	WORD_AMOUNT_TYPE,
	WORD_AMOUNT_UNIT,
	WORD_PID,
	WORD_TID,
	WORD_COMM,
	WORD_THREAD,
	WORD_EXECUTABLE,
	WORD_CONTAINER,
	WORD_CGROUP,
	WORD_STOP,
	WORD_COUNT,
};

static uint64_t word(const struct collected *collected, enum word word)
{
	return collected->texts.count + 1ull + word;
}

static void put_type(struct bytes_out *out, uint32_t field, uint64_t type, uint64_t unit)
{
	size_t begin = wire_begin(out, field);

	wire_put_number(out, 1, type);
	wire_put_number(out, 2, unit);
	wire_end(out, begin);
}

static void put_head(const struct collected *collected, struct bytes_out *out)
{
	uint64_t type = word(collected, WORD_AMOUNT_TYPE), unit = word(collected, WORD_AMOUNT_UNIT);
	/* Events that took nothing, as a tracepoint's, are shown by their number. */
	bool counts = collected->count && !collected->amount;

	put_type(out, PROFILE_SAMPLE_TYPE, word(collected, WORD_COUNT_TYPE),
		 word(collected, WORD_COUNT_UNIT));
	put_type(out, PROFILE_SAMPLE_TYPE, type, unit);
	wire_put_number(out, PROFILE_TIME, collected->start_ns);
	wire_put_number(out, PROFILE_DURATION, collected->duration_ns);
	put_type(out, PROFILE_PERIOD_TYPE, type, unit);
	wire_put_number(out, PROFILE_PERIOD, collected->period);
	wire_put_number(out, PROFILE_DEFAULT_TYPE,
			counts ? word(collected, WORD_COUNT_TYPE) : type);
}

static void put_texts(const struct collected *collected, struct bytes_out *out)
{
	const struct collected_words *words = collected_words(collected->type);
	const char *const text[WORD_COUNT] = {
		[WORD_COUNT_TYPE] = words->count,
		[WORD_COUNT_UNIT] = "count",
		[WORD_AMOUNT_TYPE] = words->amount,
		[WORD_AMOUNT_UNIT] = words->unit,
		[WORD_PID] = "pid",
		[WORD_TID] = "tid",
		[WORD_COMM] = "comm",
		[WORD_THREAD] = "thread_name",
		[WORD_EXECUTABLE] = "executable",
		[WORD_CONTAINER] = "container_id",
		[WORD_CGROUP] = "cgroup",
		[WORD_STOP] = "stop",
	};

	for (uint32_t i = 0; i <= collected->texts.count && bytes_written(out); i++)
		wire_put_text(out, PROFILE_STRING, collected_get(collected, i));
	for (enum word i = 0; i < WORD_COUNT; i++)
		wire_put_text(out, PROFILE_STRING, text[i]);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void put_text_label(struct bytes_out *out, uint64_t key, uint32_t text)
{
	size_t begin;

	if (!text)
		return;
	begin = wire_begin(out, SAMPLE_LABEL);
	wire_put_number(out, LABEL_KEY, key);
	wire_put_number(out, LABEL_TEXT, text);
	wire_end(out, begin);
}

static void put_number_label(struct bytes_out *out, uint64_t key, int32_t number)
{
	size_t begin;

	if (number < 0)
		return;
	begin = wire_begin(out, SAMPLE_LABEL);
	wire_put_number(out, LABEL_KEY, key);
	wire_put_number(out, LABEL_NUMBER, number);
	wire_end(out, begin);
}

static void put_task(const struct collected *collected, const struct collected_task *task,
		     struct bytes_out *out)
{
	put_number_label(out, word(collected, WORD_PID), task->pid);
	put_number_label(out, word(collected, WORD_TID), task->tid);
	put_text_label(out, word(collected, WORD_COMM), task->comm);
	put_text_label(out, word(collected, WORD_THREAD), task->thread);
	put_text_label(out, word(collected, WORD_EXECUTABLE), task->executable);
	put_text_label(out, word(collected, WORD_CONTAINER), task->container);
	put_text_label(out, word(collected, WORD_CGROUP), task->cgroup);
}

/* location_id: of each location. */
static void put_sample(const struct collected *collected, const struct collected_sample *sample,
		       const uint32_t *location_id, struct bytes_out *out)
{
	const struct collected_stack *stack = &collected->stack[sample->stack];
	size_t begin = wire_begin(out, PROFILE_SAMPLE), packed;

	packed = wire_begin(out, SAMPLE_LOCATION);
	for (uint32_t i = 0; i < stack->locations; i++)
		wire_put(out, location_id[collected->stack_location[stack->first + i]]);
	wire_end_packed(out, packed);
	packed = wire_begin(out, SAMPLE_VALUE);
	wire_put(out, sample->count);
	wire_put(out, sample->amount);
	wire_end_packed(out, packed);
	if (sample->task)
		put_task(collected, &collected->task[sample->task], out);
	put_text_label(out, word(collected, WORD_STOP), stack->stop);
	wire_end(out, begin);
}

/* ---- what samples refer to ------------------------------------------------------------------- */

/* What the locations of a mapping have: then no tool looks for it again. */
struct known {
	bool functions, files, lines, inlined;
};

static void put_mapping(const struct collected *collected, uint32_t id, uint32_t number,
			const struct known *all_known, struct bytes_out *out)
{
	const struct collected_mapping *mapping = &collected->mapping[number];
	const struct known *known = &all_known[number];
	size_t begin = wire_begin(out, PROFILE_MAPPING);

	wire_put_number(out, MAPPING_ID, id);
	wire_put_number(out, MAPPING_START, mapping->start);
	wire_put_number(out, MAPPING_LIMIT, mapping->limit);
	wire_put_number(out, MAPPING_OFFSET, mapping->offset);
	wire_put_number(out, MAPPING_FILE, mapping->path);
	wire_put_number(out, MAPPING_BUILD_ID, mapping->build_id);
	wire_put_number(out, MAPPING_HAS_FUNCTIONS, known->functions);
	wire_put_number(out, MAPPING_HAS_FILES, known->files);
	wire_put_number(out, MAPPING_HAS_LINES, known->lines);
	wire_put_number(out, MAPPING_HAS_INLINED, known->inlined);
	wire_end(out, begin);
}

static void put_location(const struct collected *collected,
			 const struct collected_location *location, uint32_t id,
			 uint32_t mapping_id, struct known *all_known, struct bytes_out *out)
{
	struct known *known = &all_known[location->mapping];
	size_t begin = wire_begin(out, PROFILE_LOCATION);

	wire_put_number(out, LOCATION_ID, id);
	wire_put_number(out, LOCATION_MAPPING, mapping_id);
	wire_put_number(out, LOCATION_ADDRESS, location->address);
	for (uint32_t i = 0; i < location->lines; i++) {
		const struct collected_line *line = &collected->line[location->line + i];
		size_t inner = wire_begin(out, LOCATION_LINE);

		wire_put_number(out, LINE_FUNCTION, line->function);
		wire_put_number(out, LINE_LINE, line->line);
		wire_end(out, inner);
		known->functions = true;
		known->files |= collected->function[line->function].file != 0;
		known->lines |= line->line != 0;
		known->inlined |= location->lines > 1;
	}
	wire_end(out, begin);
}

static void put_function(const struct collected *collected, uint32_t id, struct bytes_out *out)
{
	const struct collected_function *function = &collected->function[id];
	size_t begin = wire_begin(out, PROFILE_FUNCTION);

	wire_put_number(out, FUNCTION_ID, id);
	wire_put_number(out, FUNCTION_NAME, function->name);
	wire_put_number(out, FUNCTION_SYSTEM_NAME,
			function->linkage ? function->linkage : function->name);
	wire_put_number(out, FUNCTION_FILE, function->file);
	wire_end(out, begin);
}

/* The place of each number in an order, both from 1 on. NULL: no memory. */
static uint32_t *places_in(const uint32_t *order, uint32_t count)
{
	uint32_t *place = order ? calloc(count + 1ul, sizeof(*place)) : NULL;

	for (uint32_t i = 1; place && i <= count; i++)
		place[order[i]] = i;
	return place;
}

int pprof_write(const struct collected *collected, struct bytes_out *out, struct error *error)
{
	FREED struct known *known = calloc(collected->mappings + 1ul, sizeof(*known));
	FREED uint32_t *sample = collected_by_stack(collected, error);
	FREED uint32_t *location = collected_by_address(collected, error);
	FREED uint32_t *location_id = places_in(location, collected->locations);
	FREED uint32_t *mapping = collected_mappings_in_order(collected, error);
	FREED uint32_t *mapping_id = places_in(mapping, collected->mappings);

	if (!known || !sample || !location_id || !mapping_id)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a pprof profile");
	put_head(collected, out);
	for (uint32_t i = 0; i < collected->samples && bytes_written(out); i++)
		put_sample(collected, &collected->sample[sample[i]], location_id, out);
	for (uint32_t i = 1; i <= collected->locations && bytes_written(out); i++) {
		const struct collected_location *of = &collected->location[location[i]];

		put_location(collected, of, i, mapping_id[of->mapping], known, out);
	}
	for (uint32_t i = 1; i <= collected->mappings && bytes_written(out); i++)
		put_mapping(collected, i, mapping[i], known, out);
	for (uint32_t i = 1; i <= collected->functions && bytes_written(out); i++)
		put_function(collected, i, out);
	put_texts(collected, out);
	return 0;
}
