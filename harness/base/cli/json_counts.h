/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_counts.h - JSON objects: written as lines, read by name, their counts summed
 */
#ifndef STACKPROOF_REPORT_JSON_COUNTS_H
#define STACKPROOF_REPORT_JSON_COUNTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"
#include "json_members.h"

/* A new JSON string of any bytes. Paths and symbols need not be UTF-8. If they aren't, a byte above 0x7f
 * becomes "\xNN". NULL: no memory. */
json_t *json_bytes(const char *text);
json_t *json_bytes_sized(const char *text, size_t size);
/* The inverse: the bytes that json_bytes() was given. The caller frees them. NULL: no memory. */
char *json_bytes_back(const char *text);

/* A new string, an address: "0x1f". NULL: no memory. */
json_t *json_hex(uint64_t value);
/* Sets a member to one. */
void json_set_hex(json_t *object, const char *key, uint64_t value);

void json_set_count(json_t *object, const char *key, uint64_t value);

/* Writes an object and a newline, and releases the object. Reals have six digits. NULL writes nothing. */
void json_line(FILE *file, json_t *object);

/* A new string with the text of error_print(): the message, with its section and offset. */
struct error;
json_t *json_error(const struct error *error);

/* Adds every integer of from to the member of that name in to, in nested objects, too. Texts and reals
 * (times) are left out. */
void json_counts_add(json_t *to, const json_t *from);
/* The object's names in the order of strcmp(), NULL behind them. free() the array; the names are the object's. */
const char **json_names_sorted(const json_t *object);
/* The integer of that name; 0 if there is none. object may be NULL. */
json_int_t json_count(const json_t *object, const char *key);
/* The same for a count: 0 if it is negative. */
uint64_t json_number(const json_t *object, const char *key);
/* The text of that name, borrowed from object; "" if there is none. */
const char *json_text(const json_t *object, const char *key);

#endif
