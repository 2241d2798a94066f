/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp_write.c - a collected profile as OpenTelemetry's: opentelemetry-proto after 1.11, signal v1development
 *
 * One message, ExportProfilesServiceRequest (of the same fields as ProfilesData). Its samples stand in a resource for
 * each container, and name stacks of the dictionary, which is behind them: by then it is known which attributes there
 * are. Numbers of mappings, locations, functions, stacks and texts are their places in the tables, whose elements 0 are
 * empty.
 *
 * A profile here has one type of values: events of CPU samples (nanoseconds are the period's times as many), else
 * nanoseconds or bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "profiles/profile/otlp_fields.h"
#include "record_add.h"
#include "wire_write.h"
#include "write.h"

/* Words behind the profile's texts: types, and keys of attributes as the semantic conventions have them. */
enum word {
	WORD_NONE,
	WORD_TYPE,
	WORD_UNIT,
	WORD_PERIOD_TYPE,
	WORD_PERIOD_UNIT,
	WORD_PID,
	WORD_TID,
	WORD_COMM,
	WORD_THREAD,
	WORD_EXECUTABLE,
	WORD_EXECUTABLE_NAME,
	WORD_CGROUP,
	WORD_STOP,
	WORD_BUILD_ID,
	WORD_FRAME_TYPE,
	WORD_NATIVE,
	WORD_KERNEL,
	WORD_COUNT,
};

/* An element of the table: number, if text is 0. No padding: it is compared as bytes. */
struct attribute {
	uint32_t key, text;
	uint64_t number;
};

struct otlp {
	const struct collected *collected;
	struct bytes_out *out;
	struct attribute *attribute;
	uint32_t attributes;
	struct number_map attribute_map;
	bool no_memory;
};

static uint32_t word(const struct otlp *otlp, enum word word)
{
	return otlp->collected->texts.count + word;
}

static const char *word_text(const struct collected *collected, enum word word)
{
	static const char *const text[WORD_COUNT] = {
		[WORD_PID] = "process.pid",
		[WORD_TID] = "thread.id",
		[WORD_COMM] = "process.title",
		[WORD_THREAD] = "thread.name",
		[WORD_EXECUTABLE] = "process.executable.path",
		[WORD_EXECUTABLE_NAME] = "process.executable.name",
		[WORD_CGROUP] = "process.linux.cgroup",
		[WORD_STOP] = "stackproof.stop",
		[WORD_BUILD_ID] = "process.executable.build_id.gnu",
		[WORD_FRAME_TYPE] = "profile.frame.type",
		[WORD_NATIVE] = "native",
		[WORD_KERNEL] = "kernel",
	};
	const struct collected_words *words = collected_words(collected->type);

	switch (word) {
	case WORD_TYPE: return words->counts ? words->count : words->amount;
	case WORD_UNIT: return words->counts ? "count" : words->unit;
	case WORD_PERIOD_TYPE: return words->amount;
	case WORD_PERIOD_UNIT: return words->unit;
	default: return text[word];
	}
}

/* Number i of the string table. */
static const char *text_of(const struct otlp *otlp, uint32_t i)
{
	const struct collected *collected = otlp->collected;

	return i <= collected->texts.count ? collected_get(collected, i)
					   : word_text(collected, i - collected->texts.count);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Adds an attribute's index to the packed ones, if there is such a text. */
static void put_attribute(struct otlp *otlp, enum word key, uint32_t text, uint64_t number)
{
	struct attribute attribute = { word(otlp, key), text, number };
	struct error error;
	uint32_t index = record_add(&otlp->attribute_map, (void **)&otlp->attribute,
				    &otlp->attributes, &attribute, sizeof(attribute), &error);

	otlp->no_memory |= index == UINT32_MAX;
	wire_put(otlp->out, index);
}

static void put_text_attribute(struct otlp *otlp, enum word key, uint32_t text)
{
	if (text)
		put_attribute(otlp, key, text, 0);
}

static void put_number_attribute(struct otlp *otlp, enum word key, int32_t number)
{
	if (number >= 0)
		put_attribute(otlp, key, 0, number);
}

static void put_task(struct otlp *otlp, const struct collected_task *task)
{
	put_number_attribute(otlp, WORD_PID, task->pid);
	put_number_attribute(otlp, WORD_TID, task->tid);
	put_text_attribute(otlp, WORD_COMM, task->comm);
	put_text_attribute(otlp, WORD_THREAD, task->thread ? task->thread : task->comm);
	put_text_attribute(otlp, WORD_EXECUTABLE, task->executable);
	put_text_attribute(otlp, WORD_EXECUTABLE_NAME, task->executable);
	put_text_attribute(otlp, WORD_CGROUP, task->cgroup);
}

/* A resource's attribute, which has its key as text. */
static void put_resource_text(const struct otlp *otlp, const char *key, uint32_t text)
{
	size_t begin, value;

	if (!text)
		return;
	begin = wire_begin(otlp->out, RESOURCE_ATTRIBUTES);
	wire_put_text(otlp->out, ATTRIBUTE_KEY, key);
	value = wire_begin(otlp->out, ATTRIBUTE_VALUE);
	wire_put_text(otlp->out, VALUE_TEXT, collected_get(otlp->collected, text));
	wire_end(otlp->out, value);
	wire_end(otlp->out, begin);
}

/* ---- samples --------------------------------------------------------------------------------- */

static uint32_t container_of(const struct collected *collected, uint32_t sample)
{
	uint32_t task = collected->sample[sample].task;

	return task ? collected->task[task].container : 0;
}

static void put_sample(struct otlp *otlp, const struct collected_sample *sample)
{
	const struct collected *collected = otlp->collected;
	size_t begin = wire_begin(otlp->out, PROFILE_SAMPLES), packed;

	wire_put_number(otlp->out, SAMPLE_STACK, sample->stack);
	packed = wire_begin(otlp->out, SAMPLE_ATTRIBUTES);
	if (sample->task)
		put_task(otlp, &collected->task[sample->task]);
	put_text_attribute(otlp, WORD_STOP, collected->stack[sample->stack].stop);
	wire_end_packed(otlp->out, packed);
	packed = wire_begin(otlp->out, SAMPLE_VALUES);
	wire_put(otlp->out, collected_value(collected, sample));
	wire_end_packed(otlp->out, packed);
	wire_end(otlp->out, begin);
}

static void put_type(const struct otlp *otlp, uint32_t field, enum word type, enum word unit)
{
	size_t begin = wire_begin(otlp->out, field);

	wire_put_number(otlp->out, 1, word(otlp, type));
	wire_put_number(otlp->out, 2, word(otlp, unit));
	wire_end(otlp->out, begin);
}

/* The same for the same samples: a server that gets a profile twice knows it again. */
static void put_profile_id(struct otlp *otlp, size_t begin)
{
	struct bytes_out *out = otlp->out;
	uint64_t half[2];

	if (out->failed)
		return;
	half[0] = hash_bytes(out->data + begin, out->size - begin);
	half[1] = hash_mix(half[0] ^ otlp->collected->start_ns);
	wire_put_bytes(out, PROFILE_ID, half, sizeof(half));
}

static void put_profile(struct otlp *otlp, const uint32_t *sample, uint32_t count)
{
	const struct collected *collected = otlp->collected;
	size_t begin = wire_begin(otlp->out, SCOPE_PROFILES);

	put_type(otlp, PROFILE_TYPE, WORD_TYPE, WORD_UNIT);
	for (uint32_t i = 0; i < count; i++)
		put_sample(otlp, &collected->sample[sample[i]]);
	wire_put_fixed64(otlp->out, PROFILE_TIME, collected->start_ns);
	wire_put_number(otlp->out, PROFILE_DURATION, collected->duration_ns);
	put_type(otlp, PROFILE_PERIOD_TYPE, WORD_PERIOD_TYPE, WORD_PERIOD_UNIT);
	wire_put_number(otlp->out, PROFILE_PERIOD, collected->period);
	put_profile_id(otlp, begin);
	wire_end(otlp->out, begin);
}

/* Samples of one container. */
static void put_resource(struct otlp *otlp, const uint32_t *sample, uint32_t count)
{
	const struct collected *collected = otlp->collected;
	struct bytes_out *out = otlp->out;
	size_t begin = wire_begin(out, DATA_RESOURCE_PROFILES), inner, name;

	inner = wire_begin(out, RESOURCE);
	put_resource_text(otlp, "host.name", collected->host);
	if (count)
		put_resource_text(otlp, "container.id", container_of(collected, *sample));
	wire_end(out, inner);
	inner = wire_begin(out, RESOURCE_SCOPE_PROFILES);
	name = wire_begin(out, SCOPE);
	wire_put_text(out, SCOPE_NAME, "stackproof");
	wire_end(out, name);
	put_profile(otlp, sample, count);
	wire_end(out, inner);
	wire_end(out, begin);
}

static int put_resources(struct otlp *otlp, struct error *error)
{
	const struct collected *collected = otlp->collected;
	uint32_t *order = collected_by_container(collected, error), first = 0;

	if (!order)
		return -1;
	do {
		uint32_t end = first;

		while (end < collected->samples &&
		       container_of(collected, order[end]) == container_of(collected, order[first]))
			end++;
		put_resource(otlp, order + first, end - first);
		first = end;
	} while (first < collected->samples && bytes_written(otlp->out));
	free(order);
	return 0;
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static void put_mapping(struct otlp *otlp, uint32_t number)
{
	const struct collected_mapping *mapping = &otlp->collected->mapping[number];
	struct bytes_out *out = otlp->out;
	size_t packed;

	wire_put_number(out, MAPPING_START, mapping->start);
	wire_put_number(out, MAPPING_LIMIT, mapping->limit);
	wire_put_number(out, MAPPING_OFFSET, mapping->offset);
	wire_put_number(out, MAPPING_FILE, mapping->path);
	packed = wire_begin(out, MAPPING_ATTRIBUTES);
	put_text_attribute(otlp, WORD_BUILD_ID, mapping->build_id);
	wire_end_packed(out, packed);
}

static void put_location(struct otlp *otlp, uint32_t number)
{
	const struct collected *collected = otlp->collected;
	const struct collected_location *location = &collected->location[number];
	struct bytes_out *out = otlp->out;
	size_t packed;

	wire_put_number(out, LOCATION_MAPPING, location->mapping);
	wire_put_number(out, LOCATION_ADDRESS, location->address);
	for (uint32_t i = 0; i < location->lines; i++) {
		const struct collected_line *line = &collected->line[location->line + i];
		size_t begin = wire_begin(out, LOCATION_LINES);

		wire_put_number(out, LINE_FUNCTION, line->function);
		wire_put_number(out, LINE_LINE, line->line);
		wire_end(out, begin);
	}
	if (location->frame == COLLECTED_MARKER)
		return;
	packed = wire_begin(out, LOCATION_ATTRIBUTES);
	put_attribute(
		otlp, WORD_FRAME_TYPE,
		word(otlp, location->frame == COLLECTED_IN_KERNEL ? WORD_KERNEL : WORD_NATIVE), 0);
	wire_end_packed(out, packed);
}

static void put_function(struct otlp *otlp, uint32_t number)
{
	const struct collected_function *function = &otlp->collected->function[number];

	wire_put_number(otlp->out, FUNCTION_NAME, function->name);
	wire_put_number(otlp->out, FUNCTION_SYSTEM_NAME,
			function->linkage ? function->linkage : function->name);
	wire_put_number(otlp->out, FUNCTION_FILE, function->file);
}

static void put_stack(struct otlp *otlp, uint32_t number)
{
	const struct collected_stack *stack = &otlp->collected->stack[number];
	size_t packed = wire_begin(otlp->out, STACK_LOCATIONS);

	for (uint32_t i = 0; i < stack->locations; i++)
		wire_put(otlp->out, otlp->collected->stack_location[stack->first + i]);
	wire_end_packed(otlp->out, packed);
}

/* The executable's name is its path's last part. */
static const char *attribute_text(const struct otlp *otlp, const struct attribute *attribute)
{
	const char *text = text_of(otlp, attribute->text), *slash = strrchr(text, '/');

	return attribute->key == word(otlp, WORD_EXECUTABLE_NAME) && slash ? slash + 1 : text;
}

static void put_attribute_element(struct otlp *otlp, uint32_t number)
{
	const struct attribute *attribute = &otlp->attribute[number];
	struct bytes_out *out = otlp->out;
	size_t value;

	wire_put_number(out, ATTRIBUTE_KEY, attribute->key);
	value = wire_begin(out, ATTRIBUTE_VALUE);
	if (attribute->text)
		wire_put_text(out, VALUE_TEXT, attribute_text(otlp, attribute));
	else
		wire_put_present(out, VALUE_NUMBER, attribute->number);
	wire_end(out, value);
}

/* An element for each number up to count, and the empty one. */
static void put_table(struct otlp *otlp, uint32_t field, uint32_t count,
		      void (*put)(struct otlp *otlp, uint32_t number))
{
	for (uint32_t i = 0; i <= count && !otlp->out->failed; i++) {
		size_t begin = wire_begin(otlp->out, field);

		if (i)
			put(otlp, i);
		wire_end(otlp->out, begin);
	}
}

static void put_dictionary(struct otlp *otlp)
{
	const struct collected *collected = otlp->collected;
	size_t begin = wire_begin(otlp->out, DATA_DICTIONARY);

	put_table(otlp, TABLE_MAPPING, collected->mappings, put_mapping);
	put_table(otlp, TABLE_LOCATION, collected->locations, put_location);
	put_table(otlp, TABLE_FUNCTION, collected->functions, put_function);
	put_table(otlp, TABLE_LINK, 0, NULL);
	for (uint32_t i = 0; i < word(otlp, WORD_COUNT); i++)
		wire_put_text(otlp->out, TABLE_STRING, text_of(otlp, i));
	/* All attributes are known now. */
	put_table(otlp, TABLE_ATTRIBUTE, otlp->attributes, put_attribute_element);
	put_table(otlp, TABLE_STACK, collected->stacks, put_stack);
	wire_end(otlp->out, begin);
}

int otlp_write(const struct collected *collected, struct bytes_out *out, struct error *error)
{
	struct otlp otlp = { .collected = collected, .out = out };
	int status = put_resources(&otlp, error);

	if (!status)
		put_dictionary(&otlp);
	if (otlp.no_memory)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for an OTLP profile");
	free(otlp.attribute);
	number_map_deinit(&otlp.attribute_map);
	return status;
}
