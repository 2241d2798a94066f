/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * host_lane.h - a matrix of the host alone, over a corpus of empty files: for its tests
 *
 * Binaries whose name begins with x are C++, which is run otherwise.
 */
#ifndef STACKPROOF_TESTS_HOST_LANE_H
#define STACKPROOF_TESTS_HOST_LANE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "guests/run/run.h"

#define LANE_TIMEOUT_MS	  1000
#define LANE_BINARIES_MAX 128

/* A corpus of empty files. Those whose names begin with l have their symbols resolved lazily; what
 * is behind a '!' is listed and not there. */
static inline void make_corpus(char *folder, const char *binaries)
{
	char path[256], list[4096], *save = NULL;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	FILE *manifest = fopen(path, "we");
	snprintf(list, sizeof(list), "%s", binaries);
	for (char *at = strtok_r(list, " ", &save); at; at = strtok_r(NULL, " ", &save)) {
		bool missing = at[0] == '!';

		at += missing;
		fprintf(manifest, "%s\t%s\tgcc\tO2-fp\tc\t-%s\n", at, at,
			at[0] == 'l' ? "\tlazy startup" : "");
		snprintf(path, sizeof(path), "%s/%s", folder, at);
		if (!missing)
			fclose(fopen(path, "we"));
	}
	fclose(manifest);
}

static inline void remove_tree(const char *folder)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* The matrix on the host alone, in one worker. */
static inline void run_host(struct results *ret, const char *corpus, const char *folder,
			    const struct run_backend *backend)
{
	char host[] = HOST_LANE, *kernel[] = { host };
	struct run_options options = {
		.corpus = corpus,
		.results = folder,
		.kernel = kernel,
		.kernel_count = 1,
		.engines = "cfi",
		.require = "",
		.jobs = 1,
		.timeout_ms = LANE_TIMEOUT_MS,
	};
	struct error error = { 0 };

	ck_assert_msg(!run_matrix(ret, &options, backend, &error), "%s", error.message);
}

/* A letter per cell: Passed Failed Skipped Error. */
static inline void letters(const struct results *results, char *ret)
{
	static const char letter[CELL_STATUS_COUNT] = "?PFSE";

	for (size_t i = 0; i < results->cell_count; i++)
		ret[i] = letter[results->cell[i].status];
	ret[results->cell_count] = '\0';
}

static inline const struct cell *cell_of(const struct results *results, const char *binary)
{
	for (size_t i = 0; i < results->cell_count; i++)
		if (!strcmp(results->cell[i].binary, binary))
			return &results->cell[i];
	ck_abort_msg("no cell for %s", binary);
}

/* A binary's log of stderr is this text, with "|" for newlines. "" if there is none. */
static inline void check_message(const char *name, const char *binary, const char *folder,
				 const char *message)
{
	char path[256], text[256] = "";

	snprintf(path, sizeof(path), "%s/log/%s@host.stderr", folder, binary);
	FILE *file = fopen(path, "re");
	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = '|';
	ck_assert_msg(!strcmp(text, message), "%s: stderr of %s is \"%s\"", name, binary, text);
}

#endif
