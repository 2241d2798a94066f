/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp.c - OpenTelemetry's profiles as files: one message, messages with lengths, or lines of JSON
 *
 * The collector's file exporter writes an object of JSON a line, or each message behind its length,
 * 4 bytes, the highest first. What is exported by HTTP is one message, or one object.
 */
#include <ctype.h>
#include <stdlib.h>
#include "otlp.h"
#include "wire.h"

#define LENGTH_BYTES 4

/* ---- what they begin with ---------------------------------------------------------------------- */

/* All fields that are there of a message have a length, and numbers from 1 to last; or the file ends.
 * Those of a ValueType of pprof are numbers. */
static bool has_messages(struct wire wire, uint32_t last, uint32_t *ret_highest)
{
	struct wire_field field;
	size_t count = 0;

	for (; wire_next(&wire, &field); count++) {
		if (!field.is_bytes || !field.number || field.number > last)
			return false;
		*ret_highest = field.number > *ret_highest ? field.number : *ret_highest;
	}
	return count > 0;
}

/* A field of bytes at the beginning, of which only the first ones may be there. */
static bool first_field(struct wire wire, uint32_t *ret_number, struct wire *ret)
{
	uint64_t key, size;

	if (!wire_number(&wire, &key) || (key & 7) != 2 || !wire_number(&wire, &size))
		return false;
	*ret_number = key >> 3 > UINT32_MAX ? 0 : key >> 3;
	*ret = wire;
	if (size < (uint64_t)(wire.end - wire.at))
		ret->end = wire.at + size;
	return true;
}

static bool begins_at(struct wire wire)
{
	const uint32_t resource_profiles = 1, dictionary = 2; /* of ProfilesData */
	const uint32_t resource_last = 3, dictionary_texts = 5, dictionary_last = 7;
	uint32_t number, inner_number, highest = 0;
	struct wire message, inner;

	if (!first_field(wire, &number, &message) || !first_field(message, &inner_number, &inner))
		return false;
	if (number == resource_profiles) /* resource, scope_profiles, schema_url */
		return inner_number <= resource_last && inner_number;
	/* A sample of pprof has fields up to 3; a dictionary has its texts. */
	return number == dictionary && has_messages(message, dictionary_last, &highest) &&
	       highest >= dictionary_texts;
}

bool otlp_wire_begins(const void *data, size_t size)
{
	const uint8_t *at = data;
	if (begins_at((struct wire) { at, at + size, false }))
		return true;
	return size > LENGTH_BYTES && !at[0] &&
	       begins_at((struct wire) { at + LENGTH_BYTES, at + size, false });
}

/* ---- what they are ---------------------------------------------------------------------------- */

static size_t length_at(const uint8_t *data)
{
	return (size_t)data[0] << 24 | data[1] << 16 | data[2] << 8 | data[3];
}

static int read_wire(const struct profile_reading *reading, const uint8_t *data, size_t size,
		     struct error *error)
{
	uint64_t samples = 0;

	/* A message does not begin with a 0. */
	while (size > LENGTH_BYTES && (!data[0] || samples)) {
		size_t length = length_at(data);

		if (length > size - LENGTH_BYTES) {
			profile_lose(reading->profile, PROFILE_CUT_OFF, samples,
				     "the file ends in a message");
			length = size - LENGTH_BYTES;
		}
		if (otlp_wire_read(reading, data + LENGTH_BYTES, length, OTLP_LAYOUT_OPEN, &samples,
				   error))
			return -1;
		data += LENGTH_BYTES + length;
		size -= LENGTH_BYTES + length;
		if (!size)
			return 0;
	}
	return otlp_wire_read(reading, data, size, OTLP_LAYOUT_OPEN, &samples, error);
}

/* Objects, one after the other. */
static int read_json(const struct profile_reading *reading, const char *data, size_t size,
		     struct error *error)
{
	struct otlp_bytes bytes = { 0 };
	uint64_t samples = 0;
	int status = 0;

	for (size_t at = 0; at < size && !status;) {
		json_error_t where = { 0 };
		json_t *json = json_loadb(data + at, size - at,
					  JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &where);

		if (!json) {
			status = samples ? 0 : -1;
			error_set(error, ERROR_TEXT_SYNTAX, "", 0, "no JSON: %s", where.text);
			if (samples)
				profile_lose(reading->profile, PROFILE_CUT_OFF, samples,
					     "no JSON from here on: %s", where.text);
			break;
		}
		status = otlp_json_encode(json, &bytes, error) ||
					 otlp_wire_read(reading, bytes.at, bytes.size,
							OTLP_LAYOUT_LATE, &samples, error)
				 ? -1
				 : 0;
		json_decref(json);
		at += where.position;
		while (at < size && isspace((unsigned char)data[at]))
			at++;
	}
	free(bytes.at);
	return status;
}

int otlp_read(const struct profile_reading *reading, struct error *error)
{
	const uint8_t *data;
	const char *begin;
	size_t size, left;

	if (profile_lines_peek(reading->lines, &begin, &left, error))
		return -1;
	while (left && isspace((unsigned char)*begin))
		begin++, left--;
	if (!left || *begin != '{')
		return profile_lines_all(reading->lines, PROFILE_PPROF_MAX, &data, &size, error) ||
				       read_wire(reading, data, size, error)
			       ? -1
			       : 0;
	if (profile_lines_all(reading->lines, PROFILE_JSON_MAX, &data, &size, error))
		return -1;
	return read_json(reading, (const char *)data, size, error);
}
