/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases.c - suites and cases in memory
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/no_memory.h"
#include "cases.h"

const char *case_status_name(enum case_status status)
{
	static const char *const names[CASE_STATUS_COUNT] = {
		[CASE_PASSED] = "passed",
		[CASE_FAILED] = "failed",
		[CASE_SKIPPED] = "skipped",
		[CASE_ERROR] = "error",
	};
	return names[status];
}

enum case_status case_status_of(enum exit_status status)
{
	switch (status) {
	case EXIT_OK: return CASE_PASSED;
	case EXIT_FINDINGS: return CASE_FAILED;
	case EXIT_SKIPPED: return CASE_SKIPPED;
	default: return CASE_ERROR;
	}
}

static void case_deinit(struct judged_case *judged)
{
	free(judged->class_name);
	free(judged->name);
	free(judged->file);
	free(judged->title);
	free(judged->message);
	free(judged->type);
	free(judged->output);
	json_decref(judged->detail);
}

void cases_deinit(struct cases *cases)
{
	for (size_t i = 0; i < cases->count; i++) {
		struct case_suite *suite = &cases->suite[i];

		for (size_t j = 0; j < suite->count; j++)
			case_deinit(&suite->judged[j]);
		free(suite->judged);
		free(suite->name);
		free(suite->output);
		json_decref(suite->property);
	}
	free(cases->suite);
	json_decref(cases->comment);
	*cases = (struct cases) { 0 };
}

static char *copy(const char *text)
{
	return need_memory(strdup(text));
}

struct case_suite *cases_suite(struct cases *cases, const char *name)
{
	return ARRAY_NEED(cases->suite, cases->count, (struct case_suite) { .name = copy(name) });
}

struct judged_case *cases_add(struct cases *cases, const char *class_name, const char *name,
			      enum case_status status, const char *message)
{
	assert(cases->count);
	struct case_suite *suite = &cases->suite[cases->count - 1];

	return ARRAY_NEED(suite->judged, suite->count,
			  (struct judged_case) {
				  .class_name = copy(class_name),
				  .name = copy(name),
				  .message = copy(status == CASE_PASSED ? "" : message),
				  .status = status,
			  });
}

void case_output(struct judged_case *judged, const char *line)
{
	char *longer;

	if (asprintf(&longer, "%s%s\n", judged->output ? judged->output : "", line) < 0)
		no_memory();
	free(judged->output);
	judged->output = longer;
}

void case_text(char **text, const char *value)
{
	free(*text);
	*text = copy(value);
}

void case_suite_count(const struct case_suite *suite, size_t ret_count[CASE_STATUS_COUNT])
{
	memset(ret_count, 0, CASE_STATUS_COUNT * sizeof(*ret_count));
	for (size_t i = 0; i < suite->count; i++)
		ret_count[suite->judged[i].status]++;
}

void cases_count(const struct cases *cases, size_t ret_count[CASE_STATUS_COUNT])
{
	size_t count[CASE_STATUS_COUNT];

	memset(ret_count, 0, CASE_STATUS_COUNT * sizeof(*ret_count));
	for (size_t i = 0; i < cases->count; i++) {
		case_suite_count(&cases->suite[i], count);
		for (int status = 0; status < CASE_STATUS_COUNT; status++)
			ret_count[status] += count[status];
	}
}
