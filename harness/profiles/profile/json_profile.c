/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_profile.c - JSON of another project's profile, in memory: numbers, texts, columns of tables
 */
#include "json_profile.h"
#include "perf_line.h"

json_t *json_profile_load(const struct profile_reading *reading, struct error *error)
{
	const uint8_t *data;
	size_t size;
	json_error_t where;
	json_t *json;

	if (profile_lines_all(reading->lines, PROFILE_JSON_MAX, &data, &size, error))
		return NULL;
	json = json_loadb((const char *)data, size, JSON_ALLOW_NUL, &where);
	if (!json)
		error_set(error, ERROR_TEXT_SYNTAX, "line", where.line,
			  "no JSON: %s in line %d, column %d", where.text, where.line,
			  where.column);
	return json;
}

uint64_t json_profile_number(const json_t *value)
{
	const char *text = json_string_value(value);
	uint64_t number;

	if (json_is_integer(value))
		return json_integer_value(value) < 0 ? JSON_NONE
						     : (uint64_t)json_integer_value(value);
	if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 0x1p53 &&
	    json_real_value(value) == (double)(uint64_t)json_real_value(value))
		return json_real_value(value);
	return text && span_decimal((struct span) { text, strlen(text) }, &number) ? number
										   : JSON_NONE;
}

uint32_t json_profile_text(struct profile *profile, const json_t *value, struct error *error)
{
	return profile_text_add(profile, json_string_value(value), json_string_length(value),
				error);
}

void json_weights_add(struct json_weights *weights, double weight)
{
	if (!(weight > 0))
		return;
	if (!weights->count || weight < weights->least)
		weights->least = weight;
	if (weight > weights->most)
		weights->most = weight;
	weights->count++;
}

double json_weights_factor(const struct json_weights *weights, const char *unit)
{
	static const struct {
		const char *unit;
		double nanoseconds;
	} times[] = { { "seconds", 1e9 },
		      { "milliseconds", 1e6 },
		      { "tracing-ms", 1e6 },
		      { "microseconds", 1e3 },
		      { "nanoseconds", 1 } };
	const double alike = 1e-6;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (strcmp(unit, times[i].unit) != 0)
			continue;
		if (weights->count && weights->most - weights->least <= alike * weights->most)
			return 1 / weights->most;
		return times[i].nanoseconds;
	}
	return 1;
}

bool json_weights_count(double weight, double factor, uint64_t *ret)
{
	double count = weight * factor;

	if (!(weight >= 0) || !(count < 0x1p62))
		return false;
	*ret = weight > 0 && count < 1 ? 1 : (uint64_t)(count + 0.5);
	return true;
}
