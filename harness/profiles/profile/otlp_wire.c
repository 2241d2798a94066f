/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp_wire.c - a message of OpenTelemetry's profiles: its tables, and the samples that name them
 *
 * A native frame is an address in a mapping; its lines are functions that were inlined there, the
 * innermost first, and the machine's own. Mappings are as in pprof: addresses are the process's, or,
 * where the mapping begins at 0, the image's own. The image's build-id is an attribute.
 *
 * A profile has one type of values. Of one that counts, a sample's values are added up; of another
 * (nanoseconds, bytes) each value, or each time, is an observation: one sample.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "otlp.h"
#include "otlp_fields.h"
#include "wire.h"

/* An element of a table: where it is in the message. */
struct element {
	uint32_t at, size;
};

struct table {
	struct element *element;
	size_t count;
};

/* A location's frames. */
struct frames {
	uint32_t first, count;
};

/* What a sample's attributes, and its resource's, say of it. */
struct thread {
	int32_t pid, tid;
	uint32_t comm;
};

/* Elements that many others name are read once: each may be as long as the file. */
enum role {
	ROLE_NONE,
	ROLE_PID,
	ROLE_TID,
	ROLE_COMM,
	ROLE_BUILD_ID,
	ROLE_FRAME_TYPE,
	ROLE_COUNT,
};

struct attribute {
	enum role role;
	int32_t id;    /* of a process or thread, or -1 */
	uint32_t text; /* a number of the profile's texts */
};

struct mapping {
	uint64_t start, offset;
	uint32_t image, build_id;
};

struct otlp {
	const struct profile_reading *reading;
	const uint8_t *data;
	enum otlp_layout layout;
	struct table table[TABLE_COUNT];
	struct attribute *attribute;
	struct mapping *mapping;
	uint32_t *function; /* their names */
	uint32_t *frame;    /* of locations, one after the other */
	size_t frames;
	struct frames *location;
	uint32_t *stack;
	size_t stack_room;
	uint64_t *samples; /* so far, of all messages */
	struct thread resource;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for an OTLP profile");
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Element number of a table; it is empty if there is none. */
static struct wire element_of(const struct otlp *otlp, unsigned int table, uint64_t number)
{
	const struct table *at = &otlp->table[table];
	struct wire ret = { otlp->data, otlp->data, false };

	if (number >= at->count)
		return ret;
	ret.at = otlp->data + at->element[number].at;
	ret.end = ret.at + at->element[number].size;
	return ret;
}

static uint32_t add_text(const struct otlp *otlp, struct wire bytes, struct error *error)
{
	return profile_text_add(otlp->reading->profile, (const char *)bytes.at,
				bytes.end - bytes.at, error);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A text in an AnyValue, or one of the table's that it names. */
static struct wire text_of_value(const struct otlp *otlp, struct wire value)
{
	struct wire text = wire_bytes_of(value, VALUE_TEXT);
	uint64_t number = wire_number_of(value, VALUE_TEXT_NUMBER);

	return text.at == text.end && number ? element_of(otlp, TABLE_STRING, number) : text;
}

static enum role role_of(struct wire key)
{
	static const char *const names[ROLE_COUNT] = {
		[ROLE_PID] = "process.pid",
		[ROLE_TID] = "thread.id",
		[ROLE_COMM] = "thread.name",
		[ROLE_BUILD_ID] = "process.executable.build_id.gnu",
		[ROLE_FRAME_TYPE] = "profile.frame.type",
	};
	enum role role = ROLE_COUNT;

	while (--role > ROLE_NONE && !wire_is_text(key, names[role]))
		;
	return role;
}

/* 0: an attribute of that key and value. */
static int make_attribute(const struct otlp *otlp, struct wire key, struct wire value,
			  struct attribute *ret, struct error *error)
{
	uint64_t number = wire_number_of(value, VALUE_NUMBER);

	ret->role = role_of(key);
	ret->id = number > INT32_MAX || !number ? -1 : (int32_t)number;
	ret->text = ret->role == ROLE_NONE ? 0 : add_text(otlp, text_of_value(otlp, value), error);
	return ret->text == UINT32_MAX ? -1 : 0;
}

static int read_attribute(struct otlp *otlp, uint64_t number, struct error *error)
{
	struct wire attribute = element_of(otlp, TABLE_ATTRIBUTE, number);

	return make_attribute(
		otlp, element_of(otlp, TABLE_STRING, wire_number_of(attribute, ATTRIBUTE_KEY)),
		wire_bytes_of(attribute, ATTRIBUTE_VALUE), &otlp->attribute[number], error);
}

/* The text of the attribute of that role among those that a field names; 0: there is none. */
static uint32_t find_attribute(const struct otlp *otlp, struct wire message, uint32_t field,
			       enum role role)
{
	struct wire_numbers numbers = wire_numbers_of(message, field);
	uint64_t number;

	while (wire_numbers_next(&numbers, &number))
		if (number < otlp->table[TABLE_ATTRIBUTE].count &&
		    otlp->attribute[number].role == role)
			return otlp->attribute[number].text;
	return 0;
}

static void take_attribute(const struct attribute *attribute, struct thread *thread)
{
	if (attribute->role == ROLE_PID)
		thread->pid = attribute->id;
	else if (attribute->role == ROLE_TID)
		thread->tid = attribute->id;
	else if (attribute->role == ROLE_COMM)
		thread->comm = attribute->text;
}

static int read_resource(struct otlp *otlp, struct wire resource, struct error *error)
{
	struct wire pair;

	otlp->resource = (struct thread) { -1, -1, 0 };
	while (wire_next_bytes(&resource, RESOURCE_ATTRIBUTES, &pair)) {
		struct wire key = wire_bytes_of(pair, KEY_VALUE_KEY);
		uint64_t number = wire_number_of(pair, KEY_VALUE_KEY_NUMBER);
		struct attribute attribute;

		if (number)
			key = element_of(otlp, TABLE_STRING, number);
		if (make_attribute(otlp, key, wire_bytes_of(pair, KEY_VALUE_VALUE), &attribute,
				   error))
			return -1;
		take_attribute(&attribute, &otlp->resource);
	}
	return 0;
}

/* ---- tables --------------------------------------------------------------------------------- */

static int add_element(struct otlp *otlp, const struct wire_field *field, struct error *error)
{
	struct table *table = &otlp->table[field->number];

	if (!ARRAY_ADD(table->element, table->count,
		       (struct element) { field->data - otlp->data, field->size }))
		return no_memory(error);
	return 0;
}

static int read_dictionary(struct otlp *otlp, struct wire dictionary, struct error *error)
{
	struct wire_field field;

	while (wire_next(&dictionary, &field))
		if (field.is_bytes && field.number && field.number < TABLE_COUNT &&
		    add_element(otlp, &field, error))
			return -1;
	return 0;
}

static int read_mapping(struct otlp *otlp, uint64_t number, struct error *error)
{
	struct wire wire = element_of(otlp, TABLE_MAPPING, number);
	struct mapping *mapping = &otlp->mapping[number];

	mapping->start = wire_number_of(wire, MAPPING_START);
	mapping->offset = wire_number_of(wire, MAPPING_OFFSET);
	mapping->image = add_text(
		otlp, element_of(otlp, TABLE_STRING, wire_number_of(wire, MAPPING_FILE)), error);
	mapping->build_id = find_attribute(otlp, wire, MAPPING_ATTRIBUTES, ROLE_BUILD_ID);
	return mapping->image == UINT32_MAX ? -1 : 0;
}

static int read_function(struct otlp *otlp, uint64_t number, struct error *error)
{
	struct wire function = element_of(otlp, TABLE_FUNCTION, number);
	uint64_t name = wire_number_of(function, FUNCTION_SYSTEM_NAME);

	name = name ? name : wire_number_of(function, FUNCTION_NAME);
	otlp->function[number] = add_text(otlp, element_of(otlp, TABLE_STRING, name), error);
	return otlp->function[number] == UINT32_MAX ? -1 : 0;
}

static void set_mapping(const struct otlp *otlp, uint64_t number, struct profile_frame *frame)
{
	const struct mapping *mapping = &otlp->mapping[number];

	if (frame->address >> 63)
		frame->flags |= PROFILE_KERNEL;
	frame->kind = frame->address ? PROFILE_RUNTIME : PROFILE_NO_ADDRESS;
	if (!number || number >= otlp->table[TABLE_MAPPING].count)
		return;
	frame->image = mapping->image;
	frame->build_id = mapping->build_id;
	if (!frame->address || frame->address < mapping->start)
		return;
	frame->kind = mapping->start ? PROFILE_FILE_OFFSET : PROFILE_VADDR;
	if (mapping->start)
		frame->address += mapping->offset - mapping->start;
}

static int add_frame(struct otlp *otlp, const struct profile_frame *frame, struct error *error)
{
	uint32_t number = profile_frame_add(otlp->reading->profile, frame, error);

	if (number == UINT32_MAX)
		return -1;
	return ARRAY_ADD(otlp->frame, otlp->frames, number) ? 0 : no_memory(error);
}

/* The name of a line's function; 0: it has none. */
static uint32_t name_of(const struct otlp *otlp, struct wire line)
{
	uint64_t function = wire_number_of(line, 1);

	return function < otlp->table[TABLE_FUNCTION].count ? otlp->function[function] : 0;
}

/* The frames of one location: of each line one, of none that of its address. */
static int read_location(struct otlp *otlp, uint64_t number, struct error *error)
{
	struct wire location = element_of(otlp, TABLE_LOCATION, number), wire;
	struct profile_frame frame = { .address = wire_number_of(location, LOCATION_ADDRESS),
				       .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };
	const char *type =
		profile_text(otlp->reading->profile,
			     find_attribute(otlp, location, LOCATION_ATTRIBUTES, ROLE_FRAME_TYPE));
	struct wire line;
	size_t lines = 0, first = otlp->frames;

	set_mapping(otlp, wire_number_of(location, LOCATION_MAPPING), &frame);
	if (!strcmp(type, "kernel"))
		frame.flags |= PROFILE_KERNEL;
	else if (*type && strcmp(type, "native") != 0) /* an interpreter's: its address is a line */
		frame = (struct profile_frame) { .mapped = PROFILE_NO_OFFSET,
						 .name_offset = PROFILE_NO_OFFSET };
	for (wire = location; wire_next_bytes(&wire, LOCATION_LINES, &line);)
		lines++;
	for (wire = location; wire_next_bytes(&wire, LOCATION_LINES, &line);) {
		struct profile_frame at = frame;

		at.name = name_of(otlp, line);
		at.flags |= --lines ? PROFILE_INLINED : 0;
		if (add_frame(otlp, &at, error))
			return -1;
	}
	if (otlp->frames == first && add_frame(otlp, &frame, error))
		return -1;
	otlp->location[number] = (struct frames) { first, otlp->frames - first };
	return 0;
}

typedef int element_fn(struct otlp *otlp, uint64_t number, struct error *error);

/* In this order: each names only those before. */
static int read_tables(struct otlp *otlp, struct error *error)
{
	static const struct {
		unsigned int table;
		element_fn *read;
	} passes[] = { { TABLE_ATTRIBUTE, read_attribute },
		       { TABLE_MAPPING, read_mapping },
		       { TABLE_FUNCTION, read_function },
		       { TABLE_LOCATION, read_location } };
	const struct table *table = otlp->table;

	otlp->attribute = calloc(table[TABLE_ATTRIBUTE].count + 1, sizeof(*otlp->attribute));
	otlp->mapping = calloc(table[TABLE_MAPPING].count + 1, sizeof(*otlp->mapping));
	otlp->function = calloc(table[TABLE_FUNCTION].count + 1, sizeof(*otlp->function));
	otlp->location = calloc(table[TABLE_LOCATION].count + 1, sizeof(*otlp->location));
	if (!otlp->attribute || !otlp->mapping || !otlp->function || !otlp->location)
		return no_memory(error);
	for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); pass++)
		for (size_t i = 0; i < table[passes[pass].table].count; i++)
			if (passes[pass].read(otlp, i, error))
				return -1;
	return 0;
}

/* ---- samples -------------------------------------------------------------------------------- */

static uint32_t values_field(const struct otlp *otlp)
{
	return otlp->layout == OTLP_LAYOUT_VALUES ? 2 : 4;
}

static uint32_t attributes_field(const struct otlp *otlp)
{
	return otlp->layout == OTLP_LAYOUT_VALUES ? 3 : 2;
}

/* Values, or times where there are none. False: there is neither, or a value is below 0. */
static bool count_of(const struct otlp *otlp, struct wire sample, bool counts, uint64_t *ret)
{
	struct wire_numbers numbers = wire_numbers_of(sample, values_field(otlp));
	uint64_t value, values = 0, times = 0;
	struct wire_field field;

	for (*ret = 0; wire_numbers_next(&numbers, &value); values++)
		if (value > INT64_MAX || __builtin_add_overflow(*ret, value, ret))
			return false;
	while (wire_next(&sample, &field))
		if (field.number == SAMPLE_TIMES)
			times += field.is_bytes ? field.size / 8 : 1;
	if (!values)
		*ret = times;
	else if (!counts)
		*ret = values;
	return values || times;
}

static void lose(struct otlp *otlp, enum profile_loss loss, const char *why)
{
	profile_lose(otlp->reading->profile, loss, *otlp->samples, "%s", why);
}

/* 1: the stack's frames are read; 0: they can't be. */
static int read_stack(struct otlp *otlp, uint64_t number, size_t *ret_count, struct error *error)
{
	struct wire_numbers numbers = wire_numbers_of(element_of(otlp, TABLE_STACK, number), 1);
	uint64_t location;

	*ret_count = 0;
	if (number >= otlp->table[TABLE_STACK].count) {
		lose(otlp, PROFILE_BAD_REFERENCE, "a stack that is not there");
		return 0;
	}
	while (wire_numbers_next(&numbers, &location)) {
		const struct frames *frames;

		if (location >= otlp->table[TABLE_LOCATION].count) {
			lose(otlp, PROFILE_BAD_REFERENCE, "a location that is not there");
			return 0;
		}
		frames = &otlp->location[location];
		if (*ret_count + frames->count > PROFILE_FRAMES_MAX) {
			lose(otlp, PROFILE_TOO_DEEP, "too many frames");
			return 0;
		}
		if (!ARRAY_RESERVE(otlp->stack, otlp->stack_room, *ret_count + frames->count))
			return no_memory(error);
		memcpy(otlp->stack + *ret_count, otlp->frame + frames->first,
		       frames->count * sizeof(*otlp->stack));
		*ret_count += frames->count;
	}
	if (!wire_numbers_are_bad(&numbers))
		return 1;
	lose(otlp, PROFILE_BAD_FRAME, "a stack that is malformed");
	return 0;
}

static void read_attributes(const struct otlp *otlp, struct wire sample, struct thread *thread)
{
	struct wire_numbers numbers = wire_numbers_of(sample, attributes_field(otlp));
	uint64_t number;

	while (wire_numbers_next(&numbers, &number))
		if (number < otlp->table[TABLE_ATTRIBUTE].count)
			take_attribute(&otlp->attribute[number], thread);
}

static int read_sample(struct otlp *otlp, struct wire wire, bool counts, uint32_t event,
		       struct error *error)
{
	const struct profile_reading *reading = otlp->reading;
	struct thread thread = otlp->resource;
	struct profile_sample sample = { .event = event, .place = ++*otlp->samples };
	size_t frames;
	int status;

	if (!count_of(otlp, wire, counts, &sample.count)) {
		lose(otlp, PROFILE_BAD_COUNT, "a sample without a count");
		return 0;
	}
	read_attributes(otlp, wire, &thread);
	status = read_stack(otlp, wire_number_of(wire, SAMPLE_STACK), &frames, error);
	if (status <= 0)
		return status;
	if (profile_share(reading->profile, frames, error))
		return -1;
	sample.pid = thread.pid;
	sample.tid = thread.tid;
	sample.comm = thread.comm;
	sample.frame = otlp->stack;
	sample.frame_count = frames;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

static int read_profile(struct otlp *otlp, struct wire wire, struct error *error)
{
	struct wire type = wire_bytes_of(wire, PROFILE_TYPE), sample;
	struct wire name = element_of(otlp, TABLE_STRING, wire_number_of(type, 1));
	bool counts = wire_is_text(name, "samples") ||
		      wire_is_text(element_of(otlp, TABLE_STRING, wire_number_of(type, 2)),
				   "count") ||
		      type.at == type.end;
	uint32_t event = add_text(otlp, name, error);

	if (event == UINT32_MAX)
		return -1;
	while (wire_next_bytes(&wire, PROFILE_SAMPLES, &sample))
		if (read_sample(otlp, sample, counts, event, error))
			return -1;
	return 0;
}

/* ---- which numbers a sample's fields have ----------------------------------------------------- */

/* What one sample tells: attributes and values are packed, a link is a number. */
static enum otlp_layout layout_of_sample(struct wire sample)
{
	bool bytes[6] = { false }, number[6] = { false };
	struct wire_field field;

	while (wire_next(&sample, &field))
		if (field.number < 6)
			(field.is_bytes || field.data ? bytes : number)[field.number] = true;
	if (bytes[4] || number[3])
		return OTLP_LAYOUT_LATE;
	if (bytes[3] || number[4] || (bytes[2] && !bytes[SAMPLE_TIMES]))
		return OTLP_LAYOUT_VALUES;
	return OTLP_LAYOUT_OPEN;
}

static int find_layout(struct otlp *otlp, struct wire profile, struct error *error)
{
	struct wire samples = profile, sample;

	if (wire_next_bytes(&profile, PROFILE_TIME, &sample)) /* numbers of locations */
		return error_set(
			error, ERROR_TEXT_SYNTAX, "", 0,
			"OTLP profiles before opentelemetry-proto 1.9, which have no table of "
			"stacks, are not read");
	while (otlp->layout == OTLP_LAYOUT_OPEN &&
	       wire_next_bytes(&samples, PROFILE_SAMPLES, &sample))
		otlp->layout = layout_of_sample(sample);
	return 0;
}

/* ---- the message ------------------------------------------------------------------------------ */

typedef int profile_fn(struct otlp *otlp, struct wire profile, struct error *error);

/* Calls fn for each profile, once its resource's attributes are read. */
static int each_profile(struct otlp *otlp, struct wire data, profile_fn *fn, struct error *error)
{
	struct wire resource, scopes, scope, profile;

	while (wire_next_bytes(&data, DATA_RESOURCE_PROFILES, &resource)) {
		scopes = resource;
		if (read_resource(otlp, wire_bytes_of(resource, RESOURCE), error))
			return -1;
		while (wire_next_bytes(&scopes, RESOURCE_SCOPE_PROFILES, &scope))
			while (wire_next_bytes(&scope, SCOPE_PROFILES, &profile))
				if (fn(otlp, profile, error))
					return -1;
	}
	return 0;
}

static void deinit(struct otlp *otlp)
{
	for (int i = 0; i < TABLE_COUNT; i++)
		free(otlp->table[i].element);
	free(otlp->attribute);
	free(otlp->mapping);
	free(otlp->function);
	free(otlp->frame);
	free(otlp->location);
	free(otlp->stack);
}

int otlp_wire_read(const struct profile_reading *reading, const uint8_t *data, size_t size,
		   enum otlp_layout layout, uint64_t *samples, struct error *error)
{
	struct otlp otlp = {
		.reading = reading, .data = data, .layout = layout, .samples = samples
	};
	const struct wire all = { data, data + size, false };
	struct wire rest = all, dictionary;
	int status = -1;

	while (wire_next_bytes(&rest, DATA_DICTIONARY, &dictionary))
		if (read_dictionary(&otlp, dictionary, error))
			goto out;
	if (each_profile(&otlp, all, find_layout, error) || read_tables(&otlp, error))
		goto out;
	status = each_profile(&otlp, all, read_profile, error);
	if (!status && rest.bad)
		lose(&otlp, PROFILE_CUT_OFF,
		     "the profile ends in a field, or is malformed from there on");
out:
	deinit(&otlp);
	return status;
}
