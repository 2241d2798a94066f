/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_counts.c - JSON objects of images: their lines, and sums over many
 *
 * An image's process says what it counted as one JSON object, and the totals are an object of the
 * same names: a new count needs no new line anywhere but where it is made.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_counts.h"
#include "error.h"
#include "no_memory.h"

json_t *json_bytes_sized(const char *text, size_t size)
{
	json_t *string = json_stringn(text, size);
	char *to;
	FREED char *escaped = NULL;

	if (string)
		return string;
	escaped = to = malloc(4 * size + 1);
	if (!escaped)
		return NULL;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 0x80)
			*to++ = text[i];
		else
			to += sprintf(to, "\\x%02x", (unsigned char)text[i]);
	string = json_stringn(escaped, (size_t)(to - escaped));
	return string;
}

json_t *json_bytes(const char *text)
{
	return json_bytes_sized(text, strlen(text));
}

static bool is_escape(const char *text)
{
	return text[0] == '\\' && text[1] == 'x' && strchr("89abcdef", text[2]) && text[2] &&
	       isxdigit((unsigned char)text[3]) && !isupper((unsigned char)text[3]);
}

char *json_bytes_back(const char *text)
{
	char *bytes = malloc(strlen(text) + 1), *to = bytes, digits[3] = "";
	JSON_FREED json_t *string = NULL;

	if (!bytes)
		return NULL;
	for (const char *at = text; *at; at++)
		if (is_escape(at)) {
			memcpy(digits, at + 2, 2);
			*to++ = (char)strtoul(digits, NULL, 16);
			at += 3;
		} else {
			*to++ = *at;
		}
	*to = '\0';
	string = json_string(bytes);
	if (string)
		strcpy(bytes, text); /* what is a text was never escaped */
	return bytes;
}

json_t *json_of_json(json_t *value)
{
	return value;
}

json_t *json_of_text(const char *text)
{
	return text ? json_bytes(text) : NULL;
}

json_t *json_of_bool(bool value)
{
	return json_boolean(value);
}

json_t *json_set_members(json_t *object, const struct json_member *members)
{
	for (; members->key; members++)
		if (members->value)
			json_object_set_new(object, members->key, members->value);
	return object;
}

json_t *json_hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

void json_set_hex(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_hex(value));
}

void json_set_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

void json_line(FILE *file, json_t *object)
{
	if (!object)
		return;
	json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(6));
	fputc('\n', file);
	json_decref(object);
}

json_t *json_error(const struct error *error)
{
	FREED char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	if (file)
		error_print(file, NULL, error);
	if (!file || fclose(file) || !size)
		return json_bytes(error->message);
	return json_bytes_sized(text, size - 1); /* without the newline */
}

void json_counts_add(json_t *to, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value)
	{
		json_t *sum = json_object_get(to, key);

		if (json_is_integer(value)) {
			json_object_set_new(
				to, key,
				json_integer(json_integer_value(sum) + json_integer_value(value)));
		} else if (json_is_object(value)) {
			if (!sum)
				json_object_set_new(to, key, json_object());
			json_counts_add(json_object_get(to, key), value);
		}
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **json_names_sorted(const json_t *object)
{
	const char **names = need_memory(calloc(json_object_size(object) + 1, sizeof(*names))),
		   *name;
	size_t count = 0;
	json_t *value;

	json_object_foreach((json_t *)object, name, value) names[count++] = name;
	qsort(names, count, sizeof(*names), by_name);
	return names;
}

json_int_t json_count(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

uint64_t json_number(const json_t *object, const char *key)
{
	json_int_t value = json_count(object, key);

	return value < 0 ? 0 : (uint64_t)value;
}

const char *json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
