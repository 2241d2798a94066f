/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_profile.h - JSON of another project's profile, in memory: numbers, texts, columns of tables
 *
 * jansson says what is not there by NULL, and takes NULL for an object that has nothing; so a wrong
 * type anywhere is a number that is missing, and each reader says what it lacks.
 */
#ifndef STACKPROOF_JSON_PROFILE_H
#define STACKPROOF_JSON_PROFILE_H

#include <jansson.h>
#include <string.h>
#include "profile.h"

#define JSON_NONE UINT64_MAX

/* All of the file: at most PROFILE_JSON_MAX bytes. NULL: ERROR_TEXT_SYNTAX, or as
 * profile_lines_all(). */
json_t *json_profile_load(const struct profile_reading *reading, struct error *error);

/* A whole number, as such, as a text (protocol buffers write those of 64 bits so), or as a real one;
 * JSON_NONE: it is none, or below 0. */
uint64_t json_profile_number(const json_t *value);
/* The same of a column's row, or of an object's key. */
static inline uint64_t json_profile_cell(const json_t *column, uint64_t row)
{
	return json_profile_number(row < json_array_size(column) ? json_array_get(column, row)
								 : NULL);
}
/* The number of a text; 0: it is none. UINT32_MAX: ERROR_MEMORY. */
uint32_t json_profile_text(struct profile *profile, const json_t *value, struct error *error);

/* Weights of samples, one after the other: what they are, to be known before the first is handed on. */
struct json_weights {
	double least, most; /* of those above 0 */
	uint64_t count;
};
void json_weights_add(struct json_weights *weights, double weight);
/*
 * What weights are multiplied by. A sampler that gives each sample its period as a weight, in a unit of
 * time, has all of them alike: then each counts as one sample. Other times are nanoseconds. unit:
 * "seconds", "nanoseconds", "none", "bytes", ...
 */
double json_weights_factor(const struct json_weights *weights, const char *unit);
/* Rounded; above 0 never 0. False: it is none, below 0, or too large. */
bool json_weights_count(double weight, double factor, uint64_t *ret);

#endif
