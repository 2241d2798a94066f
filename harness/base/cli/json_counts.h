/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_counts.h - JSON objects of images: their lines, and sums over many
 */
#ifndef STACKPROOF_REPORT_JSON_COUNTS_H
#define STACKPROOF_REPORT_JSON_COUNTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"

/* Any bytes as a JSON string: paths and symbols need not be UTF-8. If they aren't, the bytes above
 * 0x7f become "\\xNN". */
json_t *json_bytes(const char *text);
json_t *json_bytes_sized(const char *text, size_t size);
/* The bytes that json_bytes() was given, of what it made of them. To be freed; NULL: no memory. */
char *json_bytes_back(const char *text);

/* Sets a member to an address as text: "0x1f". */
void json_set_hex(json_t *object, const char *key, uint64_t value);

/* Writes an object and a newline, and gives it back; reals with six digits. NULL writes nothing. */
void json_line(FILE *file, json_t *object);

/* An error as error_print() says it, with its section and offset. */
struct error;
json_t *json_error(const struct error *error);

/* Adds every integer of from to the one of that name in to, in objects within objects too. What is
 * no count (texts, times) is left out. */
void json_counts_add(json_t *to, const json_t *from);
/* The count of that name, 0 if there is none. object may be NULL. */
json_int_t json_count(const json_t *object, const char *key);
/* The same of what can't be negative: 0 if it is. */
uint64_t json_number(const json_t *object, const char *key);
/* The text of that name, "" if there is none. */
const char *json_text(const json_t *object, const char *key);

#endif
