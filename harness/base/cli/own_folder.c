/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_folder.c - a folder for what is made on the way
 *
 * By the name that the kernel has for it: mappings of files in it are told by that.
 */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "exit_status.h"
#include "own_folder.h"

/* That it is missing, or closed to us, is no fault of a file that was named. */
static char *no_folder(const char *parent, struct error *error)
{
	error_set_errno(error, "the folder for temporary files, %s", parent);
	error_blame_environment(error);
	return NULL;
}

char *own_folder_create(const char *what, struct error *error)
{
	const char *wish = getenv("TMPDIR"), *named = wish && *wish ? wish : "/tmp";
	char *parent = realpath(named, NULL), *folder = NULL;

	if (!parent)
		return no_folder(named, error);
	if (asprintf(&folder, "%s/stackproof-%s-XXXXXX", parent, what) < 0)
		folder = NULL;
	free(parent);
	if (!folder) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
		return NULL;
	}
	if (mkdtemp(folder))
		return folder;
	no_folder(named, error);
	free(folder);
	return NULL;
}

void own_folder_remove(char *folder)
{
	char *roots[] = { folder, NULL };
	FTS *tree = folder ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	if (tree)
		fts_close(tree);
	free(folder);
}
