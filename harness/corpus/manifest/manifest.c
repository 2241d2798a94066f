/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * manifest.c - the corpus's manifest.tsv
 *
 * Written by scripts/corpus-rules, one line per binary, columns separated by tabs:
 *
 *	# path	program	toolchain	variant	language	needs	expected
 *	chain.gcc-12.O2-nofp	chain	gcc-12.2.0	O2-nofp	c	-	startup
 *	skip:no_compiler	rust_panic	rustc	O2-nofp	rust	-	startup
 *
 * Paths are relative to the manifest's folder or absolute. `needs` are files that the binary needs
 * beside itself (a guest gets them too), separated by spaces; "-" or no column: none. `expected` is
 * what expectation.c reads; "-" or no column: nothing is said. A path of skip:REASON says that the
 * binary could not be built here; it has its cells all the same, so nothing vanishes from the
 * matrix. A listed file that isn't there is remembered and costs that binary only.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "freed.h"
#include "base/cli/input_file.h"
#include "array.h"
#include "corpus.h"

enum column { PATH, PROGRAM, TOOLCHAIN, VARIANT, LANGUAGE, NEEDS, EXPECTED, COLUMN_COUNT };

/* Absolute path of a file in the corpus; NULL if it isn't there. */
static char *resolve(const char *folder, const char *path)
{
	char joined[4096];

	if (path[0] == '/')
		return realpath(path, NULL);
	if ((size_t)snprintf(joined, sizeof(joined), "%s/%s", folder, path) >= sizeof(joined))
		return NULL;
	return realpath(joined, NULL);
}

/*
 * Where a corpus file is in a guest: /corpus/ and its place in the corpus, so that files find each
 * other as before ($ORIGIN). Its own path would not do: a guest mounts its own /tmp over it.
 */
static char *guest_path_of(const char *folder, const char *absolute)
{
	char *path = NULL;
	FREED char *root = realpath(folder, NULL);
	size_t size = root ? strlen(root) : 0;
	bool inside = size && !strncmp(absolute, root, size) && absolute[size] == '/';

	if (asprintf(&path, "/corpus%s", inside ? absolute + size : absolute) < 0)
		path = strdup(absolute);
	return path;
}

static void note_missing(struct corpus_binary *binary, const char *path)
{
	if (!binary->missing && asprintf(&binary->missing, "%s is not in the corpus", path) < 0)
		binary->missing = strdup("a file is not in the corpus");
}

static int add_files(struct corpus_binary *binary, const char *folder, char *list)
{
	char *save = NULL;

	for (char *path = strtok_r(list, " ,", &save); path; path = strtok_r(NULL, " ,", &save)) {
		if (!ARRAY_GROW(binary->file, binary->file_count) ||
		    !ARRAY_GROW(binary->guest_file, binary->file_count))
			return -1;
		char *absolute = resolve(folder, path);
		if (!absolute) {
			note_missing(binary, path);
			continue;
		}
		binary->guest_file[binary->file_count] = guest_path_of(folder, absolute);
		binary->file[binary->file_count++] = absolute;
	}
	return 0;
}

/* One line, cut in place. */
static int read_line(struct corpus_binary *ret, const char *folder, char *line)
{
	static const char prefix[] = "skip:";
	char *column[COLUMN_COUNT] = { 0 };
	size_t count = 0;

	for (char *at = line; at && count < COLUMN_COUNT; count++)
		column[count] = strsep(&at, "\t");
	if (count < NEEDS || !column[PATH][0] || !column[PROGRAM][0])
		return -1;
	*ret = (struct corpus_binary) {
		.program = strdup(column[PROGRAM]),
		.toolchain = strdup(column[TOOLCHAIN]),
		.variant = strdup(column[VARIANT]),
		.language = strdup(column[LANGUAGE]),
	};
	if (column[EXPECTED] && strcmp(column[EXPECTED], "-")) {
		if (!expectation_valid(column[EXPECTED]))
			return -1;
		ret->expected = strdup(column[EXPECTED]);
	}
	if (!strncmp(column[PATH], prefix, strlen(prefix))) {
		ret->skip = strdup(column[PATH] + strlen(prefix));
		ret->path = strdup("");
		return asprintf(&ret->name, "%s.%s.%s", ret->program, ret->toolchain,
				ret->variant) < 0
			       ? -1
			       : 0;
	}
	ret->name = strdup(column[PATH]);
	ret->path = resolve(folder, column[PATH]);
	if (!ret->path) {
		ret->path = strdup("");
		note_missing(ret, column[PATH]);
	}
	ret->guest_path = guest_path_of(folder, ret->path);
	if (!column[NEEDS] || !strcmp(column[NEEDS], "-"))
		return 0;
	return add_files(ret, folder, column[NEEDS]);
}

const struct corpus_binary *manifest_find(const struct manifest *manifest, const char *name)
{
	return ARRAY_FIRST(manifest->binary, manifest->count, binary, !strcmp(binary->name, name));
}

static void binary_deinit(struct corpus_binary *binary)
{
	for (size_t i = 0; i < binary->file_count; i++) {
		free(binary->file[i]);
		free(binary->guest_file[i]);
	}
	free(binary->file);
	free(binary->guest_file);
	free(binary->guest_path);
	free(binary->name);
	free(binary->path);
	free(binary->program);
	free(binary->toolchain);
	free(binary->variant);
	free(binary->language);
	free(binary->expected);
	free(binary->skip);
	free(binary->missing);
}

void manifest_deinit(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++)
		binary_deinit(&manifest->binary[i]);
	free(manifest->binary);
	*manifest = (struct manifest) { 0 };
}

static int add_line(struct manifest *manifest, const char *folder, const char *path, char *line,
		    size_t line_number, struct error *error)
{
	struct corpus_binary binary = { 0 };

	if (read_line(&binary, folder, line)) {
		binary_deinit(&binary);
		return error_set(error, ERROR_TEXT_SYNTAX, "", line_number,
				 "%s: line %zu has not the columns path, program, toolchain, "
				 "variant, language, or expects what is not known",
				 path, line_number);
	}
	/* Results are found by kernel and binary: two lines of one name would share a cell. */
	if (manifest_find(manifest, binary.name)) {
		error_set(error, ERROR_TEXT_SYNTAX, "", line_number,
			  "%s: line %zu names %s a second time", path, line_number, binary.name);
		binary_deinit(&binary);
		return -1;
	}
	if (!ARRAY_ADD(manifest->binary, manifest->count, binary)) {
		binary_deinit(&binary);
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	}
	return 0;
}

int manifest_read(struct manifest *ret, const char *folder, struct error *error)
{
	char path[4096];
	FREED char *line = NULL;
	size_t capacity = 0, line_number = 0;
	ssize_t size;
	int status = 0;

	*ret = (struct manifest) { 0 };
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	FILE_CLOSED FILE *file = input_file_open(path, error);
	if (!file)
		return -1;
	while (!status && (size = getline(&line, &capacity, file)) >= 0) {
		line_number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] && line[0] != '#')
			status = add_line(ret, folder, path, line, line_number, error);
	}
	if (!status && ferror(file))
		status = error_set_errno(error, "can't read %s", path);
	if (!status && !ret->count)
		status = error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s lists no binary", path);
	return status;
}

static bool matches(const struct corpus_binary *binary, const char *glob)
{
	return !fnmatch(glob, binary->name, 0) || !fnmatch(glob, binary->program, 0) ||
	       !fnmatch(glob, binary->toolchain, 0) || !fnmatch(glob, binary->variant, 0);
}

void manifest_filter(struct manifest *manifest, const char *glob)
{
	size_t kept = 0;

	for (size_t i = 0; i < manifest->count; i++) {
		if (matches(&manifest->binary[i], glob))
			manifest->binary[kept++] = manifest->binary[i];
		else
			binary_deinit(&manifest->binary[i]);
	}
	manifest->count = kept;
}

int manifest_join(struct manifest *into, struct manifest *from)
{
	for (size_t i = 0; i < into->count; i++)
		results_side_name(&into->binary[i].name, RESULTS_SIDE_A);
	for (size_t i = 0; i < from->count; i++) {
		results_side_name(&from->binary[i].name, RESULTS_SIDE_B);
		if (!ARRAY_ADD(into->binary, into->count, from->binary[i]))
			return -1;
		from->binary[i] = (struct corpus_binary) { 0 };
	}
	return 0;
}
