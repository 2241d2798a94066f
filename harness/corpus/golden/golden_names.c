/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_names.c - the tables that have a file in GOLDEN/tables, by name
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "golden.h"

static int is_folder(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '\t') &&
	       strcmp(entry->d_name, "same.tsv") != 0;
}

static int is_text(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".txt");
}

static int add_name(struct golden_names *names, const char *toolchain, const char *file,
		    struct error *error)
{
	size_t length = strlen(file) - 4;

	if (!ARRAY_GROW(names->name, names->count) ||
	    asprintf(&names->name[names->count], "%s/%.*s", toolchain, (int)length, file) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	names->count++;
	return 0;
}

int golden_names_of(const struct golden_options *options, const char *toolchain,
		    struct golden_names *ret, struct error *error)
{
	FREED struct dirent **entry = NULL;
	char folder[2048];
	int count, status = 0;

	snprintf(folder, sizeof(folder), "%s/tables/%s", options->golden, toolchain);
	count = scandir(folder, &entry, is_text, alphasort);
	if (count < 0 && errno != ENOENT && errno != ENOTDIR)
		return error_set_errno(error, "cannot read %s", folder);
	for (int i = 0; i < count; i++) {
		if (!status)
			status = add_name(ret, toolchain, entry[i]->d_name, error);
		free(entry[i]);
	}
	return status;
}

int golden_names_read(const struct golden_options *options, struct golden_names *ret,
		      struct error *error)
{
	FREED struct dirent **entry = NULL;
	char folder[2048];
	int count, status = 0;

	*ret = (struct golden_names) { 0 };
	snprintf(folder, sizeof(folder), "%s/tables", options->golden);
	count = scandir(folder, &entry, is_folder, alphasort);
	if (count < 0 && errno != ENOENT)
		return error_set_errno(error, "cannot read %s", folder);
	for (int i = 0; i < count; i++) {
		if (!status)
			status = golden_names_of(options, entry[i]->d_name, ret, error);
		free(entry[i]);
	}
	return status;
}

void golden_names_deinit(struct golden_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct golden_names) { 0 };
}
