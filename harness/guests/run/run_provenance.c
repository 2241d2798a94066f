/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_provenance.c - where and with what a run was made: the results' header
 *
 * Who reads results months later must know the machine, its kernel, the compilers that made the
 * corpus and the one that made stackproof. Guest kernels and their packages are in the header's
 * kernels.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "run.h"

/* The first "model name" of /proc/cpuinfo. */
static void cpu_model(char *ret, size_t size)
{
	FREED char *line = NULL;
	size_t capacity = 0;
	FILE_CLOSED FILE *file = fopen("/proc/cpuinfo", "re");

	snprintf(ret, size, "?");
	while (file && getline(&line, &capacity, file) >= 0) {
		if (strncmp(line, "model name", strlen("model name")))
			continue;
		char *colon = strchr(line, ':');
		if (colon)
			snprintf(ret, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
		break;
	}
}

/* Each toolchain of the corpus once, as its compiler calls itself. */
static json_t *toolchains(const struct manifest *manifest)
{
	json_t *list = json_array();

	for (size_t i = 0; i < manifest->count; i++) {
		const char *name = manifest->binary[i].toolchain;
		bool known = false;
		size_t index;
		json_t *other;

		json_array_foreach(list, index, other)
			known |= !strcmp(json_string_value(other), name);
		if (!known)
			json_array_append_new(list, json_string(name));
	}
	return list;
}

static json_t *words(const char *list)
{
	json_t *array = json_array();

	for (const char *at = list; *at; at += strcspn(at, ",")) {
		at += *at == ',';
		json_array_append_new(array, json_stringn(at, strcspn(at, ",")));
	}
	return array;
}

/* Binaries that are not in the manifest since one that is has the same bytes: what
 * scripts/corpus-lint left in FOLDER/merged.tsv. Of those that are left out by a filter nothing
 * is said. */
static json_t *merged(const struct manifest *manifest, const char *folder)
{
	json_t *list = json_array();
	char path[4096], *line = NULL;
	size_t capacity = 0;

	snprintf(path, sizeof(path), "%s/merged.tsv", folder);
	FILE_CLOSED FILE *file = fopen(path, "re");
	while (file && getline(&line, &capacity, file) >= 0) {
		char *rest = line, *toolchain, *binary, *run_as;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		toolchain = strsep(&rest, "\t");
		binary = strsep(&rest, "\t");
		run_as = strsep(&rest, "\t");
		if (run_as && manifest_find(manifest, run_as))
			json_array_append_new(list, JSON_NEW("toolchain", toolchain, "binary",
							     binary, "run_as", run_as));
	}
	free(line);
	return list;
}

void provenance_collect(struct results *results, const struct manifest *manifest,
			const char *folder, const char *engines)
{
	char model[256], when[32];
	time_t now = time(NULL);
	struct utsname name;
	struct tm tm;
	json_t *host = json_object();

	uname(&name);
	cpu_model(model, sizeof(model));
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	JSON_SET(host, "kernel", name.release, "kernel_release", name.release, "machine",
		 name.machine, "cpu", model, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	JSON_SET(results->header, "time", when, "host", host, "built_with", "gcc " __VERSION__,
		 "toolchains", toolchains(manifest), "engines", words(engines), "binaries",
		 manifest->count, "merged", merged(manifest, folder));
}
