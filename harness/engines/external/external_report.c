/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * external_report.c - outcomes and stops by name
 */
#include <assert.h>
#include <string.h>
#include "external_inside.h"
#include "plain_text.h"
#include "stackproof_engine.h"

static const char *const outcome_names[EXTERNAL_OUTCOME_COUNT] = {
	[EXTERNAL_STACK] = "stack",	[EXTERNAL_DIED] = "died",
	[EXTERNAL_TIMEOUT] = "timeout", [EXTERNAL_PROTOCOL_BROKEN] = "protocol",
	[EXTERNAL_FLOOD] = "flood",	[EXTERNAL_GONE] = "gone",
	[EXTERNAL_LATE] = "late",
};

const char *external_outcome_name(enum external_outcome outcome)
{
	assert(outcome < EXTERNAL_OUTCOME_COUNT);
	return outcome_names[outcome];
}

/* By enum stackproof_engine_stop. */
static const struct {
	const char *word;
	enum stop_reason stop;
} stops[] = {
	[STACKPROOF_ENGINE_COMPLETE] = { "complete", STOP_COMPLETE },
	[STACKPROOF_ENGINE_NO_MAPPING] = { "no_mapping", STOP_NO_MAPPING },
	[STACKPROOF_ENGINE_NO_ROW] = { "no_row", STOP_NO_ROW },
	[STACKPROOF_ENGINE_MALFORMED] = { "malformed", STOP_MALFORMED },
	[STACKPROOF_ENGINE_UNSUPPORTED] = { "unsupported", STOP_UNSUPPORTED_EXPRESSION },
	[STACKPROOF_ENGINE_REGISTER_UNKNOWN] = { "register_unknown", STOP_REGISTER_UNKNOWN },
	[STACKPROOF_ENGINE_READ_FAULT] = { "read_fault", STOP_READ_FAULT },
	[STACKPROOF_ENGINE_NO_PROGRESS] = { "no_progress", STOP_NO_PROGRESS },
	[STACKPROOF_ENGINE_ZERO_RETURN] = { "zero_return", STOP_ZERO_RETURN },
	[STACKPROOF_ENGINE_DEPTH] = { "depth", STOP_DEPTH },
	[STACKPROOF_ENGINE_GUESSED] = { "guessed", STOP_GUESSED },
	[STACKPROOF_ENGINE_FOREIGN] = { "foreign", STOP_FOREIGN },
};
#define STOPS (sizeof(stops) / sizeof(stops[0]))

enum stop_reason external_stop(uint32_t number)
{
	return number < STOPS ? stops[number].stop : STOP_NONE;
}

enum stop_reason external_stop_find(const char *word, size_t size)
{
	for (size_t i = 0; i < STOPS; i++)
		if (stops[i].word && strlen(stops[i].word) == size &&
		    !memcmp(stops[i].word, word, size))
			return stops[i].stop;
	return STOP_NONE;
}

void external_text(const char *text, size_t size, char *ret, size_t ret_size)
{
	size_t used = size < ret_size ? size : ret_size - 1;

	for (size_t i = 0; i < used; i++)
		ret[i] = text[i] ? text[i] : '?';
	ret[used] = '\0';
	plain_text(ret, ret, ret_size);
}
