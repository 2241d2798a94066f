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

static const struct field any_value[] = {
	{ "stringvalue", 1, KIND_TEXT, NULL },
	{ "intvalue", 3, KIND_NUMBER, NULL },
	{ "stringvaluestrindex", 8, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, key_value[] = {
	{ "key", 1, KIND_TEXT, NULL },
	{ "value", 2, KIND_MESSAGE, any_value },
	{ "keystrindex", 3, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, resource[] = {
	{ "attributes", 1, KIND_MESSAGE, key_value },
	{ NULL, 0, 0, NULL },
}, value_type[] = {
	{ "typestrindex", 1, KIND_NUMBER, NULL },
	{ "unitstrindex", 2, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, sample[] = {
	{ "stackindex", 1, KIND_NUMBER, NULL },
	{ "attributeindices", 2, KIND_NUMBER, NULL },
	{ "values", 4, KIND_NUMBER, NULL },
	{ "timestampsunixnano", 5, KIND_FIXED, NULL },
	{ NULL, 0, 0, NULL },
}, profile[] = {
	{ "sampletype", 1, KIND_MESSAGE, value_type },
	{ "samples", 2, KIND_MESSAGE, sample },
	{ "sample", 2, KIND_MESSAGE, sample },
	{ "timeunixnano", 3, KIND_FIXED, NULL },
	{ NULL, 0, 0, NULL },
}, scope_profiles[] = {
	{ "profiles", 2, KIND_MESSAGE, profile },
	{ NULL, 0, 0, NULL },
}, resource_profiles[] = {
	{ "resource", 1, KIND_MESSAGE, resource },
	{ "scopeprofiles", 2, KIND_MESSAGE, scope_profiles },
	{ NULL, 0, 0, NULL },
}, mapping[] = {
	{ "memorystart", 1, KIND_NUMBER, NULL },
	{ "memorylimit", 2, KIND_NUMBER, NULL },
	{ "fileoffset", 3, KIND_NUMBER, NULL },
	{ "filenamestrindex", 4, KIND_NUMBER, NULL },
	{ "attributeindices", 5, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, line[] = {
	{ "functionindex", 1, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, location[] = {
	{ "mappingindex", 1, KIND_NUMBER, NULL },
	{ "address", 2, KIND_NUMBER, NULL },
	{ "lines", 3, KIND_MESSAGE, line },
	{ "attributeindices", 4, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, function[] = {
	{ "namestrindex", 1, KIND_NUMBER, NULL },
	{ "systemnamestrindex", 2, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, attribute[] = {
	{ "keystrindex", 1, KIND_NUMBER, NULL },
	{ "value", 2, KIND_MESSAGE, any_value },
	{ NULL, 0, 0, NULL },
}, stack[] = {
	{ "locationindices", 1, KIND_NUMBER, NULL },
	{ NULL, 0, 0, NULL },
}, dictionary[] = {
	{ "mappingtable", 1, KIND_MESSAGE, mapping },
	{ "locationtable", 2, KIND_MESSAGE, location },
	{ "functiontable", 3, KIND_MESSAGE, function },
	{ "stringtable", 5, KIND_TEXT, NULL },
	{ "attributetable", 6, KIND_MESSAGE, attribute },
	{ "stacktable", 7, KIND_MESSAGE, stack },
	{ NULL, 0, 0, NULL },
}, profiles_data[] = {
	{ "resourceprofiles", 1, KIND_MESSAGE, resource_profiles },
	{ "dictionary", 2, KIND_MESSAGE, dictionary },
	{ NULL, 0, 0, NULL },
};

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
	const json_t *element;
	size_t i;

	if (json_is_null(value))
		return 0;
	if (!json_is_array(value))
		return put_value(bytes, field, value, error);
	json_array_foreach(value, i,
			   element) if (put_value(bytes, field, element, error)) return -1;
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
