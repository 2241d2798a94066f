/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pprof.c - pprof profiles: profile.proto of github.com/google/pprof
 *
 * A sample is numbers of locations, the leaf first. A location is an address in a mapping, and its
 * lines: of functions that were inlined there the innermost first, the machine's own last. Samples
 * may stand before what they refer to, so the file is in memory, and gone through twice.
 *
 * Addresses are the process's, or, where a mapping begins at 0, the image's own already. Of several
 * values the one that counts is taken: "samples" or "count", else the first.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "pprof_fields.h"
#include "profile.h"
#include "wire.h"

/* What has an id: a message of the file. */
struct entry {
	uint64_t id;
	struct wire wire;
	uint32_t first, count; /* of a location: its frames */
};

struct entries {
	struct entry *entry;
	size_t count;
};

struct pprof {
	const struct profile_reading *reading;
	const uint8_t *data;
	size_t size;
	struct wire *text;
	size_t texts;
	struct entries mapping, location, function;
	uint32_t *frame; /* of locations, one after the other */
	size_t frames;
	unsigned int value; /* the one that counts */
	uint32_t *stack;
	size_t stack_room;
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a pprof profile");
}

/* ---- what is referred to -------------------------------------------------------------------- */

static int add_entry(struct entries *entries, const struct wire_field *field, struct error *error)
{
	struct wire message = wire_of(field);

	if (!ARRAY_ADD(entries->entry, entries->count,
		       (struct entry) { .id = wire_number_of(message, 1), .wire = message }))
		return no_memory(error);
	return 0;
}

ARRAY_ORDER(compare_entries, struct entry, id)

/* NULL: there is none. 0 is no id. */
static const struct entry *find_entry(const struct entries *entries, uint64_t id)
{
	const struct entry wanted = { .id = id };

	if (!id || !entries->count)
		return NULL;
	if (id <= entries->count && entries->entry[id - 1].id == id) /* most number from 1 */
		return &entries->entry[id - 1];
	return bsearch(&wanted, entries->entry, entries->count, sizeof(wanted), compare_entries);
}

static const struct wire *find_text(const struct pprof *pprof, uint64_t number)
{
	static const struct wire nothing;

	return number < pprof->texts ? &pprof->text[number] : &nothing;
}

static bool text_is(const struct pprof *pprof, uint64_t number, const char *text)
{
	return wire_is_text(*find_text(pprof, number), text);
}

static uint32_t add_text(const struct pprof *pprof, uint64_t number, struct error *error)
{
	const struct wire *found = find_text(pprof, number);

	return profile_text_add(pprof->reading->profile, (const char *)found->at,
				found->end - found->at, error);
}

/* All but the samples. */
static int read_tables(struct pprof *pprof, struct error *error)
{
	struct entries *const tables[] = { [PROFILE_MAPPING] = &pprof->mapping,
					   [PROFILE_LOCATION] = &pprof->location,
					   [PROFILE_FUNCTION] = &pprof->function };
	struct wire wire = { pprof->data, pprof->data + pprof->size, false };
	struct wire_field field;

	while (wire_next(&wire, &field)) {
		if (!field.is_bytes)
			continue;
		if (field.number >= PROFILE_MAPPING && field.number <= PROFILE_FUNCTION &&
		    add_entry(tables[field.number], &field, error))
			return -1;
		if (field.number != PROFILE_STRING)
			continue;
		if (!ARRAY_ADD(pprof->text, pprof->texts, wire_of(&field)))
			return no_memory(error);
	}
	if (wire.bad && !pprof->texts && !pprof->location.count)
		return error_set(error, ERROR_TEXT_SYNTAX, "pprof", wire.at - pprof->data,
				 "the profile is malformed");
	/* Of none there is no array, which qsort() must not be given. */
	for (unsigned int i = PROFILE_MAPPING; i <= PROFILE_FUNCTION; i++)
		if (tables[i]->count)
			qsort(tables[i]->entry, tables[i]->count, sizeof(*tables[i]->entry),
			      compare_entries);
	return 0;
}

/* ---- locations ------------------------------------------------------------------------------ */

static int set_mapping(const struct pprof *pprof, uint64_t id, struct profile_frame *frame,
		       struct error *error)
{
	const struct entry *mapping = find_entry(&pprof->mapping, id);
	uint64_t start;

	if (frame->address >> 63)
		frame->flags |= PROFILE_KERNEL;
	frame->kind = frame->address ? PROFILE_RUNTIME : PROFILE_NO_ADDRESS;
	if (!mapping)
		return 0;
	start = wire_number_of(mapping->wire, MAPPING_START);
	frame->image = add_text(pprof, wire_number_of(mapping->wire, MAPPING_FILE), error);
	frame->build_id = add_text(pprof, wire_number_of(mapping->wire, MAPPING_BUILD_ID), error);
	if (frame->image == UINT32_MAX || frame->build_id == UINT32_MAX)
		return -1;
	if (!frame->address || frame->address < start)
		return 0;
	frame->kind = start ? PROFILE_FILE_OFFSET : PROFILE_VADDR;
	if (start)
		frame->address += wire_number_of(mapping->wire, MAPPING_OFFSET) - start;
	return 0;
}

static int add_frame(struct pprof *pprof, const struct profile_frame *frame, struct error *error)
{
	uint32_t number = profile_frame_add(pprof->reading->profile, frame, error);

	if (number == UINT32_MAX)
		return -1;
	return ARRAY_ADD(pprof->frame, pprof->frames, number) ? 0 : no_memory(error);
}

/* The frames of one location: of each line one, of none that of its address. */
static int read_location(struct pprof *pprof, struct entry *location, struct error *error)
{
	struct profile_frame frame = { .address = wire_number_of(location->wire, LOCATION_ADDRESS),
				       .mapped = PROFILE_NO_OFFSET,
				       .name_offset = PROFILE_NO_OFFSET };
	struct wire wire = location->wire, line;
	size_t lines = 0;

	if (set_mapping(pprof, wire_number_of(wire, LOCATION_MAPPING), &frame, error))
		return -1;
	location->first = pprof->frames;
	while (wire_next_bytes(&wire, LOCATION_LINE, &line))
		lines++;
	for (wire = location->wire; wire_next_bytes(&wire, LOCATION_LINE, &line);) {
		const struct entry *function = find_entry(&pprof->function,
							  wire_number_of(line, 1));
		struct profile_frame at = frame;

		if (function) {
			uint64_t name = wire_number_of(function->wire, FUNCTION_SYSTEM_NAME);

			if (find_text(pprof, name)->at == find_text(pprof, name)->end)
				name = wire_number_of(function->wire, FUNCTION_NAME);
			at.name = add_text(pprof, name, error);
		}
		at.flags |= --lines ? PROFILE_INLINED : 0;
		if (at.name == UINT32_MAX || add_frame(pprof, &at, error))
			return -1;
	}
	if (pprof->frames == location->first && add_frame(pprof, &frame, error))
		return -1;
	location->count = pprof->frames - location->first;
	return 0;
}

/* ---- samples -------------------------------------------------------------------------------- */

static int push_location(struct pprof *pprof, uint64_t id, uint64_t place, size_t *count,
			 enum profile_loss *loss, struct error *error)
{
	const struct entry *location = find_entry(&pprof->location, id);

	if (*loss != PROFILE_LOSS_COUNT)
		return 0;
	if (!location)
		*loss = PROFILE_BAD_REFERENCE;
	else if (*count + location->count > PROFILE_FRAMES_MAX)
		*loss = PROFILE_TOO_DEEP;
	if (*loss != PROFILE_LOSS_COUNT) {
		profile_lose(pprof->reading->profile, *loss, place, "a sample's location %llu",
			     (unsigned long long)id);
		return 0;
	}
	if (!ARRAY_RESERVE(pprof->stack, pprof->stack_room, *count + location->count))
		return no_memory(error);
	memcpy(pprof->stack + *count, pprof->frame + location->first,
	       location->count * sizeof(*pprof->stack));
	*count += location->count;
	return 0;
}

/* "pid", "tid" and "comm", as some profilers label samples. */
static int read_label(const struct pprof *pprof, struct wire label, struct profile_sample *sample,
		      struct error *error)
{
	uint64_t key = wire_number_of(label, LABEL_KEY),
		 number = wire_number_of(label, LABEL_NUMBER),
		 text = wire_number_of(label, LABEL_TEXT);

	number = number > INT32_MAX ? UINT64_MAX : number;
	if (text_is(pprof, key, "pid"))
		sample->pid = number;
	else if (text_is(pprof, key, "tid") || text_is(pprof, key, "thread_id"))
		sample->tid = number;
	else if (text_is(pprof, key, "comm"))
		sample->comm = add_text(pprof, text, error);
	return sample->comm == UINT32_MAX ? -1 : 0;
}

static int read_sample(struct pprof *pprof, struct wire wire, struct error *error)
{
	const struct profile_reading *reading = pprof->reading;
	struct profile_sample sample = { .pid = -1, .tid = -1, .place = wire.at - pprof->data };
	struct wire_numbers locations = wire_numbers_of(wire, SAMPLE_LOCATION),
			    counts = wire_numbers_of(wire, SAMPLE_VALUE);
	enum profile_loss loss = PROFILE_LOSS_COUNT;
	size_t count = 0, values = 0;
	struct wire label;
	uint64_t number;

	while (wire_next_bytes(&wire, SAMPLE_LABEL, &label))
		if (read_label(pprof, label, &sample, error))
			return -1;
	for (; wire_numbers_next(&counts, &number); values++)
		sample.count = values == pprof->value ? number : sample.count;
	while (wire_numbers_next(&locations, &number))
		if (push_location(pprof, number, sample.place, &count, &loss, error))
			return -1;
	if (loss == PROFILE_LOSS_COUNT &&
	    (wire_numbers_are_bad(&counts) || wire_numbers_are_bad(&locations))) {
		loss = PROFILE_BAD_FRAME;
		profile_lose(reading->profile, loss, sample.place, "a sample that is malformed");
	}
	if (loss == PROFILE_LOSS_COUNT && values <= pprof->value) {
		loss = PROFILE_BAD_COUNT;
		profile_lose(reading->profile, loss, sample.place, "a sample without a count");
	}
	if (loss == PROFILE_LOSS_COUNT && sample.count > INT64_MAX) {
		loss = PROFILE_BAD_COUNT;
		profile_lose(reading->profile, loss, sample.place, "a count below 0");
	}
	if (loss != PROFILE_LOSS_COUNT)
		return 0;
	sample.frame = pprof->stack;
	sample.frame_count = count;
	return profile_hand_on(reading->profile, &sample, reading->fn, reading->context, error);
}

/* Which value counts samples. */
static void choose_value(struct pprof *pprof)
{
	struct wire wire = { pprof->data, pprof->data + pprof->size, false }, type;

	for (unsigned int at = 0; wire_next_bytes(&wire, PROFILE_SAMPLE_TYPE, &type); at++)
		if (text_is(pprof, wire_number_of(type, 1), "samples") ||
		    text_is(pprof, wire_number_of(type, 2), "count")) {
			pprof->value = at;
			return;
		}
}

static int read_samples(struct pprof *pprof, struct error *error)
{
	struct wire wire = { pprof->data, pprof->data + pprof->size, false }, sample;

	while (wire_next_bytes(&wire, PROFILE_SAMPLE, &sample))
		if (read_sample(pprof, sample, error))
			return -1;
	if (wire.bad)
		profile_lose(pprof->reading->profile, PROFILE_CUT_OFF, wire.at - pprof->data,
			     "the profile ends in a field, or is malformed from here on");
	return 0;
}

int pprof_read(const struct profile_reading *reading, struct error *error)
{
	struct pprof pprof = { .reading = reading };
	int status = -1;

	if (profile_lines_all(reading->lines, PROFILE_PPROF_MAX, &pprof.data, &pprof.size, error) ||
	    read_tables(&pprof, error))
		goto out;
	choose_value(&pprof);
	for (size_t i = 0; i < pprof.location.count; i++)
		if (read_location(&pprof, &pprof.location.entry[i], error))
			goto out;
	status = read_samples(&pprof, error);
out:
	free(pprof.text);
	free(pprof.mapping.entry);
	free(pprof.location.entry);
	free(pprof.function.entry);
	free(pprof.frame);
	free(pprof.stack);
	return status;
}
