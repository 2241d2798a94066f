/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch_files.c - the truth files that a guest's processes have on the host
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "base/cli/json_counts.h"
#include "freed.h"
#include "plain_text.h"
#include "watch.h"

#define SAVED_SHOWN 8

/* "%s.[0-9]*" of path; globfree() in any case. */
static void find(const char *pattern, const char *path, glob_t *ret)
{
	FREED char *text = NULL;

	*ret = (glob_t) { 0 };
	if (asprintf(&text, "%s%s", path, pattern) < 0 || glob(text, 0, NULL, ret))
		ret->gl_pathc = 0;
}

void watch_files_remove(const char *truth)
{
	static const char *const patterns[] = { ".[0-9]*", ".profile", ".profile.[0-9]*" };

	for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
		glob_t found;

		find(patterns[i], truth, &found);
		for (size_t k = 0; k < found.gl_pathc; k++)
			remove(found.gl_pathv[k]);
		globfree(&found);
	}
	remove(truth);
}

json_t *watch_files_saved(const char *truth)
{
	json_t *ret = json_array();
	glob_t found;

	if (!truth)
		return ret;
	if (!access(truth, R_OK))
		json_array_append_new(ret, json_bytes(truth));
	find(".[0-9]*", truth, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		json_array_append_new(ret, json_bytes(found.gl_pathv[i]));
	globfree(&found);
	return ret;
}

void watch_files_print_saved(FILE *file, const json_t *saved)
{
	size_t count = json_array_size(saved), i;
	const json_t *path;

	if (!count) {
		fprintf(file, "no truth was saved until then\n");
		return;
	}
	fprintf(file, "saved until then, as of a run that was killed:");
	json_array_foreach(saved, i, path)
	{
		if (i == SAVED_SHOWN)
			break;
		fprintf(file, "%s %s", i ? "," : "", PLAIN_TEXT(json_string_value(path)));
	}
	if (count > SAVED_SHOWN)
		fprintf(file, ", and %zu more", count - SAVED_SHOWN);
	fputc('\n', file);
}
