/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_profile.h - a profile in JSON, in memory: numbers, texts, columns of tables
 *
 * jansson returns NULL for a missing value, and takes NULL for an empty one. So a value of a wrong type
 * counts as missing, and each reader says what it lacks.
 */
#ifndef STACKPROOF_JSON_PROFILE_H
#define STACKPROOF_JSON_PROFILE_H

#include <jansson.h>
#include <string.h>
#include "profile.h"

#define JSON_NONE UINT64_MAX

/* Reads the whole file, at most PROFILE_JSON_MAX bytes. The caller's to release. NULL:
 * ERROR_TEXT_SYNTAX, or as profile_lines_all(). */
json_t *json_profile_load(const struct profile_reading *reading, struct error *error);

/* A whole number from 0: a JSON integer, a real, or decimal text (protocol buffers write numbers of 64
 * bits as text). JSON_NONE: anything else. */
uint64_t json_profile_number(const json_t *value);
/* The number in a column's row. JSON_NONE also if there is no such row. */
static inline uint64_t json_profile_cell(const json_t *column, uint64_t row)
{
	return json_profile_number(row < json_array_size(column) ? json_array_get(column, row)
								 : NULL);
}
/* The number of a text in profile; 0: value is empty or not a text. UINT32_MAX: ERROR_MEMORY. */
uint32_t json_profile_text(struct profile *profile, const json_t *value, struct error *error);

/* The samples' weights, collected before the first sample is handed on. Zero-initialise. */
struct json_weights {
	double least, most; /* of those above 0 */
	uint64_t count;
};
void json_weights_add(struct json_weights *weights, double weight);
/*
 * The factor that makes counts of weights. If all weights are the same time, they are the sampler's
 * period, and each sample counts as 1. Other times become nanoseconds. Weights in other units stay.
 * unit: "seconds", "nanoseconds", "none", "bytes", ...
 */
double json_weights_factor(const struct json_weights *weights, const char *unit);
/* weight * factor, rounded, but above 0 never to 0. False: not a number, below 0, or too large. */
bool json_weights_count(double weight, double factor, uint64_t *ret);

#endif
