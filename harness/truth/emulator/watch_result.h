/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch_result.h - what the plugin `watch` has said of a guest
 */
#ifndef STACKPROOF_WATCH_RESULT_H
#define STACKPROOF_WATCH_RESULT_H

#include <jansson.h>
#include "base/gate/gate.h"

struct watch_result {
	json_t *process; /* an array of the plugin's objects, in the order in which processes were made */
	json_t *summary; /* NULL: the plugin did not come to its end */
	json_t *saved; /* paths of what it had written until then, for the JSON; NULL: it came to its end */
};

/* Reads the plugin's NDJSON. ERROR_TEXT_SYNTAX, with the line as offset. watch_result_deinit() in any case. */
int watch_result_read(const char *path, struct watch_result *ret, struct error *error);
void watch_result_deinit(struct watch_result *result);
/* What was checked, and what was not. */
void watch_result_gate(const struct watch_result *result, struct gate *ret);
void watch_result_print(FILE *file, const struct watch_result *result);
/* The same as NDJSON, with the gate in the last line. */
void watch_result_print_json(FILE *file, const struct watch_result *result,
			     const struct gate *gate);

#endif
