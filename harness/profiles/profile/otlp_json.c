/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * otlp_json.c - OTLP's JSON as protocol buffers, so that one reader reads both
 *
 * Only members that the reader looks at are taken. Names are lowerCamelCase in OTLP; protobuf's own
 * rules allow snake_case, too. Numbers of 64 bits are texts. What has the wrong type is left out, as
 * what is not there, and the reader says what it lacks.
 */
#include <ctype.h>
#include <string.h>
#include "array.h"
#include "json_profile.h"
#include "otlp.h"

#define MESSAGE_LENGTH_BYTES 5 /* of a varint of 35 bits */

enum kind { KIND_MESSAGE, KIND_NUMBER, KIND_FIXED, KIND_TEXT };

struct field {
	const char *name;
	uint32_t number;
	enum kind kind;
	const struct field *message; /* its fields */
};

#define FIELD(name, number, kind, message)                                                         \
	{                                                                                          \
		name, number, kind, message                                                        \
	}
#define NUMBER(name, number)	       FIELD(name, number, KIND_NUMBER, NULL)
#define FIXED(name, number)	       FIELD(name, number, KIND_FIXED, NULL)
#define TEXT(name, number)	       FIELD(name, number, KIND_TEXT, NULL)
#define MESSAGE(name, number, message) FIELD(name, number, KIND_MESSAGE, message)
#define FIELDS(name, ...)	       static const struct field name[] = { __VA_ARGS__, { NULL, 0, 0, NULL } }

FIELDS(any_value, TEXT("stringvalue", 1), NUMBER("intvalue", 3), NUMBER("stringvaluestrindex", 8));
FIELDS(key_value, TEXT("key", 1), MESSAGE("value", 2, any_value), NUMBER("keystrindex", 3));
FIELDS(resource, MESSAGE("attributes", 1, key_value));
FIELDS(value_type, NUMBER("typestrindex", 1), NUMBER("unitstrindex", 2));
FIELDS(sample, NUMBER("stackindex", 1), NUMBER("attributeindices", 2), NUMBER("values", 4),
       FIXED("timestampsunixnano", 5));
FIELDS(profile, MESSAGE("sampletype", 1, value_type), MESSAGE("samples", 2, sample),
       MESSAGE("sample", 2, sample), FIXED("timeunixnano", 3));
FIELDS(scope_profiles, MESSAGE("profiles", 2, profile));
FIELDS(resource_profiles, MESSAGE("resource", 1, resource),
       MESSAGE("scopeprofiles", 2, scope_profiles));
FIELDS(mapping, NUMBER("memorystart", 1), NUMBER("memorylimit", 2), NUMBER("fileoffset", 3),
       NUMBER("filenamestrindex", 4), NUMBER("attributeindices", 5));
FIELDS(line, NUMBER("functionindex", 1));
FIELDS(location, NUMBER("mappingindex", 1), NUMBER("address", 2), MESSAGE("lines", 3, line),
       NUMBER("attributeindices", 4));
FIELDS(function, NUMBER("namestrindex", 1), NUMBER("systemnamestrindex", 2));
FIELDS(attribute, NUMBER("keystrindex", 1), MESSAGE("value", 2, any_value));
FIELDS(stack, NUMBER("locationindices", 1));
FIELDS(dictionary, MESSAGE("mappingtable", 1, mapping), MESSAGE("locationtable", 2, location),
       MESSAGE("functiontable", 3, function), TEXT("stringtable", 5),
       MESSAGE("attributetable", 6, attribute), MESSAGE("stacktable", 7, stack));
FIELDS(profiles_data, MESSAGE("resourceprofiles", 1, resource_profiles),
       MESSAGE("dictionary", 2, dictionary));

static bool reserve(struct otlp_bytes *bytes, size_t more, struct error *error)
{
	if (bytes->size + more > PROFILE_PPROF_MAX)
		error_set(error, ERROR_TABLE_LIMIT, "", PROFILE_PPROF_MAX,
			  "the profile has more than %d bytes", PROFILE_PPROF_MAX);
	else if (ARRAY_RESERVE(bytes->at, bytes->room, bytes->size + more))
		return true;
	else
		error_set(error, ERROR_MEMORY, "", 0, "no memory for an OTLP profile");
	return false;
}

/* At most 10 bytes, for which there is room. */
static void put_number(struct otlp_bytes *bytes, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		bytes->at[bytes->size++] = number | 0x80;
	bytes->at[bytes->size++] = number;
}

static bool same_name(const char *key, const char *name)
{
	for (; *key; key++) {
		if (*key == '_')
			continue;
		if (tolower((unsigned char)*key) != *name)
			return false;
		name++;
	}
	return !*name;
}

static int put_message(struct otlp_bytes *bytes, const struct field *fields, const json_t *json,
		       struct error *error);

static int put_value(struct otlp_bytes *bytes, const struct field *field, const json_t *value,
		     struct error *error)
{
	const size_t before = 20; /* the field's number, and a number or a length */
	const char *text = json_string_value(value);
	size_t size = field->kind == KIND_TEXT ? json_string_length(value) : 0;
	uint64_t number = json_profile_number(value);

	if (!reserve(bytes, before + size, error))
		return -1;
	switch (field->kind) {
	case KIND_MESSAGE:
		put_number(bytes, field->number << 3 | 2);
		return put_message(bytes, field->message, value, error);
	case KIND_NUMBER:
		put_number(bytes, field->number << 3);
		put_number(bytes, number); /* none, or below 0: the largest, which nothing has */
		return 0;
	case KIND_FIXED:
		put_number(bytes, field->number << 3 | 1);
		for (int i = 0; i < 8; i++)
			bytes->at[bytes->size++] = number >> 8 * i;
		return 0;
	case KIND_TEXT:
		put_number(bytes, field->number << 3 | 2);
		put_number(bytes, size);
		if (size)
			memcpy(bytes->at + bytes->size, text, size);
		bytes->size += size;
		return 0;
	}
	return 0;
}

static int put_field(struct otlp_bytes *bytes, const struct field *field, const json_t *value,
		     struct error *error)
{
	if (json_is_null(value))
		return 0;
	if (!json_is_array(value))
		return put_value(bytes, field, value, error);
	for (size_t i = 0; i < json_array_size(value); i++)
		if (put_value(bytes, field, json_array_get(value, i), error))
			return -1;
	return 0;
}

/* Its length, for which there is room, and its fields. */
static int put_message(struct otlp_bytes *bytes, const struct field *fields, const json_t *json,
		       struct error *error)
{
	size_t begin = bytes->size += MESSAGE_LENGTH_BYTES, length;
	const char *key;
	json_t *value;

	json_object_foreach(
		(json_t *)json, key,
		value) for (const struct field *field = fields; field->name;
			    field++) if (same_name(key, field->name) &&
					 put_field(bytes, field, value, error)) return -1;
	length = bytes->size - begin;
	for (int i = 0; i < MESSAGE_LENGTH_BYTES; i++, length >>= 7)
		bytes->at[begin - MESSAGE_LENGTH_BYTES + i] =
			(length & 0x7f) | (i < MESSAGE_LENGTH_BYTES - 1 ? 0x80 : 0);
	return 0;
}

int otlp_json_encode(const json_t *json, struct otlp_bytes *ret, struct error *error)
{
	ret->size = 0;
	if (!reserve(ret, MESSAGE_LENGTH_BYTES, error) ||
	    put_message(ret, profiles_data, json, error))
		return -1;
	/* The whole has no length. */
	ret->size -= MESSAGE_LENGTH_BYTES;
	memmove(ret->at, ret->at + MESSAGE_LENGTH_BYTES, ret->size);
	return 0;
}
