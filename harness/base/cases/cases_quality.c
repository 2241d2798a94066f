/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases_quality.c - what failed as GitLab's report of code quality: JSON, an array of issues
 *
 * A merge request shows the issues that it adds (docs.gitlab.com, "Code Quality", "Code Quality report format"): those
 * whose fingerprint the report of its target has not. So the fingerprint is of what was found and in what, and of no
 * place that another build moves. A finding of a case is an issue; a case without one is one itself.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cases.h"
#include "base/cli/json_counts.h"
#include "base/cli/json_members.h"
#include "hash.h"

/* Below the current folder as GitLab has it: without that. */
static const char *path_of(const struct judged_case *judged)
{
	const char *path = judged->file ? judged->file : judged->name;
	char folder[PATH_MAX];
	size_t size;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	size = strlen(folder);
	return !strncmp(path, folder, size) && path[size] == '/' ? path + size + 1 : path;
}

/* Digits of an address are left out: another build has others. */
static uint64_t hash_line(uint64_t hash, const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (i + 1 < size && line[i] == '0' && line[i + 1] == 'x') {
			hash = hash_bytes_on(hash, "0x", 2);
			i += 1 + strspn(line + i + 2, "0123456789abcdef");
		} else {
			hash = hash_bytes_on(hash, line + i, 1);
		}
	return hash;
}

static void add_issue(json_t *array, const struct case_suite *suite,
		      const struct judged_case *judged, const char *line, size_t size)
{
	uint64_t hash = hash_bytes(suite->name, strlen(suite->name));
	char fingerprint[32];

	hash = hash_bytes_on(hash, judged->name, strlen(judged->name));
	hash = hash_line(hash, line, size);
	snprintf(fingerprint, sizeof(fingerprint), "%016" PRIx64, hash);
	json_array_append_new(
		array, JSON_NEW("description", json_bytes_sized(line, size), "check_name",
				suite->name, "fingerprint", fingerprint, "severity",
				judged->status == CASE_ERROR ? "critical" : "major", "location",
				JSON_NEW("path", json_bytes(path_of(judged)), "lines",
					 JSON_NEW("begin", (uint64_t)1))));
}

static void add_case(json_t *array, const struct case_suite *suite,
		     const struct judged_case *judged)
{
	const char *at = judged->output ? judged->output : "";

	if (!*at)
		add_issue(array, suite, judged, judged->message, strlen(judged->message));
	while (*at) {
		size_t size = strcspn(at, "\n");

		if (size)
			add_issue(array, suite, judged, at, size);
		at += size + (at[size] == '\n');
	}
}

int cases_print_quality(const struct cases *cases, FILE *file, struct error *error)
{
	json_t *array = json_array();
	int status;

	for (size_t i = 0; i < cases->count; i++)
		for (size_t j = 0; j < cases->suite[i].count; j++)
			if (case_is_bad(cases->suite[i].judged[j].status))
				add_case(array, &cases->suite[i], &cases->suite[i].judged[j]);
	status = json_dumpf(array, file, JSON_INDENT(1));
	putc('\n', file);
	json_decref(array);
	return status || ferror(file) ? error_set_errno(error, "can't write the code quality") : 0;
}
